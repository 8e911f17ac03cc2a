//! A conversation with a running solver. Commands are handed over without waiting, and questions wait for their
//! answer. After each question the solver has to repeat a mark, so that no answer is taken for the answer to
//! another question. After an error nothing more is asked: the solver may not know what it was told.

use std::time::{Duration, Instant};

use super::group::is_stopped;
use super::process::{ProcessEvent, SolverProcess};
use super::{SmtValue, Solver, SolverAnswer, SolverError, TIME};
use crate::sexpr::{Sexpr, parse};

/// How a solver is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    /// The time for each question.
    pub limit: Duration,
    /// The seed of the solver's random choices; 0 leaves it to the solver.
    pub seed: u32,
    /// The logic, or what the solver makes of the question.
    pub logic: Option<String>,
    /// Whether unsatisfiable cores may be asked for.
    pub cores: bool,
    /// Options of the solver itself, without the colon, and their values: told before the logic.
    pub settings: Vec<(String, String)>,
}

impl Default for SolverOptions {
    fn default() -> SolverOptions {
        let limit = Duration::from_secs(60);
        SolverOptions { limit, seed: 0, logic: None, cores: false, settings: Vec::new() }
    }
}

/// A running solver.
///
/// In: [`tell`](SolverSession::tell), [`push`](SolverSession::push), [`pop`](SolverSession::pop). Out: [`check`](SolverSession::check); after
/// `sat` (or `unknown`) [`values`](SolverSession::values), after `unsat` [`core`](SolverSession::core), until something is told. A
/// session ends with the first error; [`restart`](SolverSession::restart) begins one that knows nothing.
#[derive(Debug)]
pub struct SolverSession {
    solver: Solver,
    options: SolverOptions,
    process: Option<SolverProcess>,
    /// What was told and not yet handed over.
    unsent: String,
    marks: u64,
    depth: usize,
    last: Last,
}

/// The last answer, as far as it allows further questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    None,
    Model,
    Contradiction,
}

/// So much is told before it is handed over without being asked for.
const HANDFUL: usize = 1 << 16;

/// The most expressions that answer one question. A process that writes more is not a solver.
const MOST_ANSWERS: usize = 100_000;

impl SolverSession {
    /// Starts the solver.
    pub fn start(solver: &Solver, options: &SolverOptions) -> Result<SolverSession, SolverError> {
        let mut session = SolverSession {
            solver: solver.clone(),
            options: options.clone(),
            process: None,
            unsent: String::new(),
            marks: 0,
            depth: 0,
            last: Last::None,
        };
        session.restart()?;
        Ok(session)
    }

    /// Ends the process, if it still runs, and starts another, which has been told nothing.
    pub fn restart(&mut self) -> Result<(), SolverError> {
        self.process = None;
        let opening = self.solver.backend.opening(&self.options);
        parse(&opening).map_err(SolverError::Malformed)?;
        self.process = Some(start(&self.solver, self.options.limit, self.options.seed)?);
        self.unsent = opening;
        self.depth = 0;
        self.last = Last::None;
        Ok(())
    }

    /// Whether more can be asked.
    pub fn is_alive(&self) -> bool {
        self.process.is_some()
    }

    /// The solver that it is a session of.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Hands over a command, or several, that the solver does not answer. If it finds fault with one, the next
    /// question ends in [`SolverError::Reported`].
    pub fn tell(&mut self, commands: &str) -> Result<(), SolverError> {
        // An open parenthesis would swallow the mark of the next question.
        parse(commands).map_err(SolverError::Malformed)?;
        self.hand_over(commands)
    }

    /// Hands over a command that was read before.
    pub(crate) fn tell_checked(&mut self, command: &CheckedCommand) -> Result<(), SolverError> {
        self.hand_over(&command.0)
    }

    /// Opens a level: what is told from now on is forgotten when it is closed.
    pub fn push(&mut self) -> Result<(), SolverError> {
        self.hand_over("(push 1)")?;
        self.depth += 1;
        Ok(())
    }

    /// Closes the last level that `push` opened.
    pub fn pop(&mut self) -> Result<(), SolverError> {
        if self.is_alive() && self.depth == 0 {
            return Err(SolverError::OutOfOrder { need: "there is no level to close: push before pop" });
        }
        self.hand_over("(pop 1)")?;
        self.depth -= 1;
        Ok(())
    }

    /// Whether all that was asserted can be true at once. If the solver gives up at its limit the answer is
    /// `Unknown("time")`; if it has to be stopped that is [`SolverError::Overran`], and no session of it can be started
    /// any more.
    pub fn check(&mut self) -> Result<SolverAnswer, SolverError> {
        self.last = Last::None;
        let answer = |e: &Sexpr| matches!(e.text(), Some("sat" | "unsat" | "unknown"));
        let found = match self.exchange("(check-sat)", answer) {
            Err(SolverError::Late { .. }) => return Ok(SolverAnswer::Unknown(TIME.to_string())),
            found => self.only(found?)?,
        };
        let (answer, last) = match found.text() {
            Some("sat") => (SolverAnswer::Sat, Last::Model),
            Some("unsat") => (SolverAnswer::Unsat, Last::Contradiction),
            _ => (SolverAnswer::Unknown(self.reason()?), Last::Model),
        };
        self.last = last;
        Ok(answer)
    }

    /// The values of terms in the model that was found, in the order of the terms. After `unknown` the model is what
    /// the solver tried last, and a solver that has none ends the session.
    pub fn values(&mut self, terms: &[&str]) -> Result<Vec<(String, SmtValue)>, SolverError> {
        if self.is_alive() && self.last != Last::Model {
            return Err(SolverError::OutOfOrder {
                need: "there is no model to ask: values come after a check with `sat`",
            });
        }
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked = String::new();
        for term in terms {
            let [expression] = &parse(term).map_err(SolverError::Malformed)?[..] else {
                return Err(SolverError::OutOfOrder { need: "ask for the value of one term at a time" });
            };
            // As it was read, and not as it was written: a comment would swallow what follows.
            asked.push_str(&format!(" {expression}"));
        }
        let found = self.exchange(&format!("(get-value ({asked}))"), is_list);
        let found = self.only(found?)?;
        let pairs = found.list().unwrap_or_default();
        let value =
            |pair: &Sexpr| Some(SmtValue::read(pair.list().filter(|parts| parts.len() == 2)?.get(1)?));
        let values: Option<Vec<SmtValue>> = pairs.iter().map(value).collect();
        match values {
            Some(values) if values.len() == terms.len() => {
                Ok(terms.iter().map(|term| term.to_string()).zip(values).collect())
            }
            _ => self.unexpected(found.to_string()),
        }
    }

    /// The names, without quotes, of assertions that contradict each other. Not always the fewest.
    pub fn core(&mut self) -> Result<Vec<String>, SolverError> {
        if !self.options.cores {
            return Err(SolverError::OutOfOrder {
                need: "the session was started without cores: set them in its options",
            });
        }
        if self.is_alive() && self.last != Last::Contradiction {
            return Err(SolverError::OutOfOrder {
                need: "there is no core to ask: it comes after a check with `unsat`",
            });
        }
        let found = self.exchange("(get-unsat-core)", is_list);
        let found = self.only(found?)?;
        let names = found.list().unwrap_or_default().iter().map(|name| name.name().map(str::to_string));
        names.collect::<Option<Vec<String>>>().map_or_else(|| self.unexpected(found.to_string()), Ok)
    }

    /// Everything that the solver answers to other commands, such as `(get-model)`.
    pub fn ask(&mut self, commands: &str) -> Result<Vec<Sexpr>, SolverError> {
        parse(commands).map_err(SolverError::Malformed)?;
        self.exchange(commands, |_| true)
    }

    /// The number of the process in the operating system.
    #[cfg(test)]
    pub(super) fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(SolverProcess::id)
    }

    fn reason(&mut self) -> Result<String, SolverError> {
        let found = match self.exchange("(get-info :reason-unknown)", is_list) {
            Err(SolverError::Late { .. }) => return Ok(TIME.to_string()),
            found => self.only(found?)?,
        };
        let told = found.tail(":reason-unknown").and_then(<[Sexpr]>::first);
        let said = told.and_then(|reason| reason.string().map(|said| said.into_owned()));
        let said = said.or_else(|| told.map(Sexpr::to_string)).unwrap_or_default();
        let in_time = !["timeout", "canceled", "interrupted"].contains(&said.as_str());
        Ok(if in_time { said } else { TIME.to_string() })
    }

    fn hand_over(&mut self, commands: &str) -> Result<(), SolverError> {
        let Some(process) = &self.process else {
            return Err(SolverError::Ended { solver: self.solver.clone() });
        };
        self.last = Last::None;
        self.unsent.push_str(commands);
        self.unsent.push('\n');
        if self.unsent.len() > HANDFUL {
            process.send(std::mem::take(&mut self.unsent));
        }
        Ok(())
    }

    /// Asks, and collects what the solver writes until it repeats the mark. Ends the session unless all goes well.
    fn exchange(
        &mut self,
        question: &str,
        expected: impl Fn(&Sexpr) -> bool,
    ) -> Result<Vec<Sexpr>, SolverError> {
        let solver = &self.solver;
        let Some(mut process) = self.process.take() else {
            return Err(SolverError::Ended { solver: solver.clone() });
        };
        self.marks += 1;
        let mark = format!("watchkeeper-mark-{}", self.marks);
        let mut text = std::mem::take(&mut self.unsent);
        text.push_str(&format!("{question}\n(echo \"{mark}\")\n"));
        process.send(text);
        let deadline = Instant::now().checked_add(patience(self.options.limit));
        let mut found = Vec::new();
        loop {
            let heard = next(&mut process, solver, self.options.limit, deadline);
            if matches!(heard, Err(SolverError::Overran { .. })) {
                solver.conduct.note_overrun();
            }
            match heard? {
                None => return Err(SolverError::Died { solver: solver.clone(), said: process.last_words() }),
                Some(expression) if is_mark(&expression, &mark) => break,
                Some(expression) if expected(&expression) && found.len() < MOST_ANSWERS => {
                    found.push(expression)
                }
                Some(expression) => {
                    return Err(SolverError::Unexpected {
                        solver: solver.clone(),
                        answer: expression.to_string(),
                    });
                }
            }
        }
        self.process = Some(process);
        Ok(found)
    }

    fn only(&mut self, mut found: Vec<Sexpr>) -> Result<Sexpr, SolverError> {
        match (found.pop(), found.is_empty()) {
            (Some(expression), true) => Ok(expression),
            (last, _) => {
                let answer = found.iter().chain(&last).map(Sexpr::to_string).collect::<Vec<_>>().join(" ");
                self.unexpected(answer)
            }
        }
    }

    /// Ends the session: the solver answered something else than it was asked.
    fn unexpected<T>(&mut self, answer: String) -> Result<T, SolverError> {
        self.process = None;
        Err(SolverError::Unexpected { solver: self.solver.clone(), answer })
    }
}

/// A command, or several, in which every parenthesis is closed: it can be handed over again and again.
#[derive(Clone, Debug)]
pub(crate) struct CheckedCommand(String);

impl CheckedCommand {
    pub(crate) fn new(command: String) -> Result<CheckedCommand, SolverError> {
        parse(&command).map_err(SolverError::Malformed)?;
        Ok(CheckedCommand(command))
    }
}

/// Starts the process of a solver.
pub(super) fn start(solver: &Solver, limit: Duration, seed: u32) -> Result<SolverProcess, SolverError> {
    if solver.conduct.overran() {
        return Err(SolverError::Overran { solver: solver.clone() });
    }
    let arguments = solver.backend.arguments(limit, seed);
    SolverProcess::start(&solver.path, &arguments).map_err(|error| {
        if is_stopped() {
            return SolverError::Stopped;
        }
        SolverError::Start { path: solver.path.clone(), why: error.to_string() }
    })
}

/// The next expression that a solver writes, or none if it wrote its last. What it says is wrong is an error.
pub(super) fn next(
    process: &mut SolverProcess,
    solver: &Solver,
    limit: Duration,
    deadline: Option<Instant>,
) -> Result<Option<Sexpr>, SolverError> {
    let solver = || solver.clone();
    loop {
        let expression = match process.next(deadline) {
            ProcessEvent::Said(expression) => expression,
            _ if is_stopped() => return Err(SolverError::Stopped),
            ProcessEvent::Garbled(fault) => return Err(SolverError::NotSmtLib { solver: solver(), fault }),
            ProcessEvent::Closed => return Ok(None),
            ProcessEvent::Late => return Err(SolverError::Overran { solver: solver() }),
        };
        if let Some(message) = complaint(&expression) {
            // Z3 also gives up on a command that is no question when its time is over.
            if message.ends_with("canceled") {
                return Err(SolverError::Late { solver: solver(), limit });
            }
            return Err(SolverError::Reported { solver: solver(), message });
        }
        if expression.text() != Some("success") {
            return Ok(Some(expression));
        }
    }
}

/// The least time that a solver has beside its limit: it has to be started and to read what it is told, and the machine
/// may have other things to do.
const GRACE: Duration = Duration::from_secs(3);

/// How long a solver is waited for that should have stopped by itself.
pub(super) fn patience(limit: Duration) -> Duration {
    limit.saturating_add((limit / 2).max(GRACE))
}

fn complaint(expression: &Sexpr) -> Option<String> {
    if expression.text() == Some("unsupported") {
        return Some("unsupported".to_string());
    }
    let words = expression.tail("error")?;
    let word = |word: &Sexpr| word.string().map_or_else(|| word.to_string(), |text| text.into_owned());
    Some(words.iter().map(word).collect::<Vec<_>>().join(" "))
}

fn is_mark(expression: &Sexpr, mark: &str) -> bool {
    // One of the solvers repeats a string with its quotes, the other without.
    expression.text().is_some_and(|text| text.trim_matches('"') == mark)
}

fn is_list(expression: &Sexpr) -> bool {
    expression.list().is_some()
}
