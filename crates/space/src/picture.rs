//! A state as a person looks at it: the processes with what they remember and what they wait for, the messages on their way,
//! and the rest. A picture is made for the eye alone: no engine compares pictures, and no verdict depends on one.

use crate::{Pid, Value, View};

/// A state, sorted into what a page draws.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StatePicture {
    /// The processes, in the order of their ids.
    pub processes: Vec<ProcessPicture>,
    /// The messages on their way, channel by channel; within a FIFO channel in the order of sending.
    pub messages: Vec<MessagePicture>,
    /// All that belongs to no process and is no message: budgets that are used up, observers, an oracle.
    pub rest: View,
}

/// One process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessPicture {
    /// Its name.
    pub name: String,
    /// Whether it can act.
    pub status: ProcessStatus,
    /// The fields of its state; none if it has crashed.
    pub fields: Vec<(String, Value)>,
    /// Its armed timers, in the order of their slots.
    pub timers: Vec<TimerPicture>,
    /// The messages that it waits to send, in order: `I-AM-ALIVE to p1`.
    pub unsent: Vec<String>,
}

/// Whether a process can act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProcessStatus {
    /// It takes any input.
    Up,
    /// It has stopped.
    Crashed,
    /// It takes no input until it has sent a message; says which, and why it waits.
    Blocked(String),
}

/// An armed timer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimerPicture {
    /// The name of its slot.
    pub name: String,
    /// When it may fire; `None` where time is not modelled.
    pub due: Option<DueSpan>,
}

/// A message on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessagePicture {
    /// Its sender.
    pub from: Pid,
    /// Its destination.
    pub to: Pid,
    /// What it says.
    pub label: String,
    /// When it may arrive; `None` where time is not modelled.
    pub due: Option<DueSpan>,
}

/// When an obligation may happen, in units of time from now. In dense time a state is a set of moments: no moment of it
/// allows less than `least`, and none more than `most`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DueSpan {
    /// Not before so many more units.
    pub least: u32,
    /// Not after so many more units; `None` if it may never happen.
    pub most: Option<u32>,
}

impl StatePicture {
    /// The picture that the variables of a state give by themselves: a variable that is named like a process (`p0`, `p1`)
    /// and is a record, or says that the process has crashed, is a process; any other belongs to the rest.
    pub fn of_view(view: View) -> StatePicture {
        let mut picture = StatePicture::default();
        for (name, value) in view {
            let (status, fields) = match value {
                Value::Record(fields) if is_process(&name) => (ProcessStatus::Up, fields),
                Value::Str(text) if is_process(&name) && text == CRASHED => {
                    (ProcessStatus::Crashed, Vec::new())
                }
                other => {
                    picture.rest.push((name, other));
                    continue;
                }
            };
            let (timers, unsent) = (Vec::new(), Vec::new());
            picture.processes.push(ProcessPicture { name, status, fields, timers, unsent });
        }
        picture
    }
}

/// The value of the variable of a process that has crashed.
const CRASHED: &str = "crashed";

fn is_process(name: &str) -> bool {
    name.strip_prefix('p').is_some_and(|id| id.parse::<u8>().is_ok_and(|number| number.to_string() == id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_named_like_processes_are_processes() {
        let record = || Value::Record(vec![("round".to_string(), Value::Int(3))]);
        let variable = |name: &str, value: Value| (name.to_string(), value);
        let picture = StatePicture::of_view(vec![
            variable("p0", record()),
            variable("p1", Value::str("crashed")),
            variable("p2", Value::str("idle")),
            variable("pair", record()),
            variable("p03", record()),
            variable("p10", record()),
            variable("losses", Value::Int(1)),
        ]);
        let names: Vec<&str> = picture.processes.iter().map(|process| process.name.as_str()).collect();
        assert_eq!(names, ["p0", "p1", "p10"]);
        assert_eq!(picture.processes[0].fields, [("round".to_string(), Value::Int(3))]);
        assert_eq!(picture.processes[0].status, ProcessStatus::Up);
        assert_eq!(picture.processes[1].status, ProcessStatus::Crashed);
        let rest: Vec<&str> = picture.rest.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(rest, ["p2", "pair", "p03", "losses"]);
        assert!(picture.messages.is_empty());
    }
}
