//! Errors in the exchange with a solver. None of them is an answer: a question that ended in an error is open.

use std::path::PathBuf;
use std::time::Duration;

use super::Solver;
use crate::sexpr::SexprError;

/// Why a solver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The process could not be started.
    #[error("{} could not be started ({why}): see that it is there and may be executed", .path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What the operating system said.
        why: String,
    },
    /// The process ended while an answer was due.
    #[error("{solver} ended without an answer ({said}): try again, or ask another solver")]
    Died {
        /// Which solver.
        solver: Solver,
        /// How it ended, and what it said about it.
        said: String,
    },
    /// The process wrote what is not SMT-LIB.
    #[error("{solver} wrote what is not SMT-LIB ({fault}): see that {}", of(.solver))]
    NotSmtLib {
        /// Which solver.
        solver: Solver,
        /// What was wrong with it.
        fault: SexprError,
    },
    /// The process wrote an expression that answers nothing that it was asked.
    #[error("{solver} answered {answer:?}, which was not asked: see that {}", of(.solver))]
    Unexpected {
        /// Which solver.
        solver: Solver,
        /// What it wrote.
        answer: String,
    },
    /// The solver said that something which it was told is wrong.
    #[error("{solver} refused what it was told: {message}; no answer after that counts")]
    Reported {
        /// Which solver.
        solver: Solver,
        /// Its words.
        message: String,
    },
    /// No answer came in time, to something other than a check, or to all questions of a script.
    #[error("{solver} had no answer at its limit of {} s: raise the limit", .limit.as_secs_f64())]
    Late {
        /// Which solver.
        solver: Solver,
        /// The limit.
        limit: Duration,
    },
    /// The solver went on after its limit and had to be stopped, now or before. Nothing more is asked of it: each
    /// question would cost as much again.
    #[error("{solver} ({}) does not keep its time limit, so it was stopped and is asked nothing more: raise the limit, or set {} \
         to another program", .solver.path.display(), .solver.backend.variable())]
    Overran {
        /// Which solver.
        solver: Solver,
    },
    /// The program is about to end, and has ended all solvers.
    #[error("interrupted: all solvers were ended")]
    Stopped,
    /// The session ended before: by an error.
    #[error("the session of {solver} has ended: restart it and tell it everything again")]
    Ended {
        /// Which solver.
        solver: Solver,
    },
    /// What the solver should have been told is not SMT-LIB.
    #[error("the solver was told nothing, for it is not SMT-LIB: {0}")]
    Malformed(SexprError),
    /// A question that makes no sense now: values without a model, a core without a contradiction.
    #[error("{need}")]
    OutOfOrder {
        /// What to do before.
        need: &'static str,
    },
    /// A command that a script may not contain, because it reaches for files.
    #[error("a script may not contain {command}, which can reach for files: take it out")]
    Refused {
        /// The command.
        command: String,
    },
}

fn of(solver: &Solver) -> String {
    let (path, backend) = (solver.path.display(), solver.backend);
    format!("{path} is {backend}, or set {} to the one that is", backend.variable())
}
