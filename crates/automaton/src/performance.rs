//! The protocol's part of a step, with everything it asked for in the order of asking. All choices are
//! tried by branching at the first pick that is not yet decided.

use crate::{MsgId, OutputId, Requests, StateId};
use watchkeeper_core::{Bound, Pid, Time};

/// What a protocol asked for, as in [`Requests`].
#[allow(missing_docs)]
pub enum Request<T = u32> {
    Send { to: Pid, msg: MsgId, reply: bool },
    Emit(OutputId),
    Arm { slot: usize, bound: Bound<T> },
    Disarm { slot: usize },
}

/// One run of a step.
pub struct Performance<T = u32> {
    /// The state after it.
    pub state: StateId,
    /// What it asked for, in order.
    pub effects: Vec<Request<T>>,
    /// What it picked.
    pub picks: Vec<usize>,
}

impl<T> Performance<T> {
    /// What it picked, as an addition to a label.
    pub fn picked(&self) -> String {
        if self.picks.is_empty() {
            return String::new();
        }
        let picks: Vec<String> = self.picks.iter().map(usize::to_string).collect();
        format!(" and picks {}", picks.join(", "))
    }
}

/// All runs of a step, in the order of what they pick.
pub fn performances<T: Time>(step: impl Fn(&mut RequestLog<'_, T>) -> StateId) -> Vec<Performance<T>> {
    let mut found = Vec::new();
    branch(&step, Vec::new(), &mut found);
    found
}

fn branch<T: Time>(
    step: &impl Fn(&mut RequestLog<'_, T>) -> StateId,
    picks: Vec<usize>,
    found: &mut Vec<Performance<T>>,
) {
    let mut stage = RequestLog { effects: Vec::new(), decided: &picks, asked: 0, open: None };
    let state = step(&mut stage);
    let RequestLog { effects, open, .. } = stage;
    match open {
        None => found.push(Performance { state, effects, picks }),
        Some(ways) => {
            for way in 0..ways {
                branch(step, [&picks[..], &[way]].concat(), found);
            }
        }
    }
}

/// Where a protocol performs: takes down what it asks for.
pub struct RequestLog<'a, T = u32> {
    effects: Vec<Request<T>>,
    decided: &'a [usize],
    asked: usize,
    /// The number of ways of the first pick that is not decided.
    open: Option<usize>,
}

impl<T: Time> Requests<T> for RequestLog<'_, T> {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool) {
        self.effects.push(Request::Send { to, msg, reply });
    }

    fn arm(&mut self, slot: usize, bound: Bound<T>) {
        self.effects.push(Request::Arm { slot, bound });
    }

    fn disarm(&mut self, slot: usize) {
        self.effects.push(Request::Disarm { slot });
    }

    fn emit(&mut self, output: OutputId) {
        self.effects.push(Request::Emit(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.asked += 1;
        match self.decided.get(self.asked - 1) {
            Some(&way) => way,
            None => {
                self.open.get_or_insert(ways.max(1));
                0
            }
        }
    }
}
