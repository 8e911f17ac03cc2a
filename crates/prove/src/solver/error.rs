//! What can go wrong between us and a solver. None of it is an answer: a question that ended in an error is open.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::Solver;
use crate::sexpr::SexprError;

/// Why a solver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverError {
    /// The process could not be started.
    Start {
        /// The program.
        path: PathBuf,
        /// What the operating system said.
        why: String,
    },
    /// The process ended while an answer was due.
    Died {
        /// Which solver.
        solver: Solver,
        /// How it ended, and what it said about it.
        said: String,
    },
    /// The process wrote what is not SMT-LIB.
    NotSmtLib {
        /// Which solver.
        solver: Solver,
        /// What was wrong with it.
        fault: SexprError,
    },
    /// The process wrote an expression that answers nothing that it was asked.
    Unexpected {
        /// Which solver.
        solver: Solver,
        /// What it wrote.
        answer: String,
    },
    /// The solver said that something which it was told is wrong.
    Reported {
        /// Which solver.
        solver: Solver,
        /// Its words.
        message: String,
    },
    /// No answer came in time, to something other than a check, or to all questions of a script.
    Late {
        /// Which solver.
        solver: Solver,
        /// The limit.
        limit: Duration,
    },
    /// The solver went on after its limit and had to be stopped, now or before. Nothing more is asked of it: each
    /// question would cost as much again.
    Overran {
        /// Which solver.
        solver: Solver,
    },
    /// The program is about to end, and has ended all solvers.
    Stopped,
    /// The session ended before: by an error.
    Ended {
        /// Which solver.
        solver: Solver,
    },
    /// What the solver should have been told is not SMT-LIB.
    Malformed(SexprError),
    /// A question that makes no sense now: values without a model, a core without a contradiction.
    OutOfOrder {
        /// What to do before.
        need: &'static str,
    },
    /// A command that a script may not contain, because it reaches for files.
    Refused {
        /// The command.
        command: String,
    },
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::Start { path, why } => {
                let path = path.display();
                write!(f, "{path} could not be started ({why}): see that it is there and may be executed")
            }
            SolverError::Died { solver, said } => {
                write!(f, "{solver} ended without an answer ({said}): try again, or ask another solver")
            }
            SolverError::NotSmtLib { solver, fault } => {
                write!(f, "{solver} wrote what is not SMT-LIB ({fault}): see that {}", of(solver))
            }
            SolverError::Unexpected { solver, answer } => {
                write!(f, "{solver} answered {answer:?}, which was not asked: see that {}", of(solver))
            }
            SolverError::Reported { solver, message } => {
                write!(f, "{solver} refused what it was told: {message}; no answer after that counts")
            }
            SolverError::Late { solver, limit } => {
                let seconds = limit.as_secs_f64();
                write!(f, "{solver} had no answer at its limit of {seconds} s: raise the limit")
            }
            SolverError::Overran { solver } => {
                let path = solver.path.display();
                write!(
                    f,
                    "{solver} ({path}) does not keep its time limit, so it was stopped and is asked nothing more: raise the \
                     limit, or set {} to another program",
                    solver.backend.variable()
                )
            }
            SolverError::Stopped => f.write_str("interrupted: all solvers were ended"),
            SolverError::Ended { solver } => {
                write!(f, "the session of {solver} has ended: restart it and tell it everything again")
            }
            SolverError::Malformed(fault) => {
                write!(f, "the solver was told nothing, for it is not SMT-LIB: {fault}")
            }
            SolverError::OutOfOrder { need } => f.write_str(need),
            SolverError::Refused { command } => {
                write!(f, "a script may not contain {command}, which can reach for files: take it out")
            }
        }
    }
}

impl std::error::Error for SolverError {}

fn of(solver: &Solver) -> String {
    let (path, backend) = (solver.path.display(), solver.backend);
    format!("{path} is {backend}, or set {} to the one that is", backend.variable())
}
