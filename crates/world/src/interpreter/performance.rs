//! The protocol's part of a step, with everything it asked for in the order of asking. All choices are
//! tried by branching at the first pick that is not yet decided.

use crate::automaton::{MsgId, OutputId, Requests, StateId};
use watchkeeper_core::{Bound, Pid};

/// What a protocol asked for.
pub(crate) enum Request {
    Send { to: Pid, msg: MsgId, reply: bool },
    Emit(OutputId),
    Arm { slot: usize, bound: Bound },
    Disarm { slot: usize },
}

/// One run of a step.
pub(crate) struct Performance {
    pub(crate) state: StateId,
    pub(crate) effects: Vec<Request>,
    /// What it picked.
    pub(crate) picks: Vec<usize>,
}

impl Performance {
    /// What it picked, as an addition to a label.
    pub(crate) fn picked(&self) -> String {
        if self.picks.is_empty() {
            return String::new();
        }
        let picks: Vec<String> = self.picks.iter().map(usize::to_string).collect();
        format!(" and picks {}", picks.join(", "))
    }
}

/// All runs of a step, in the order of what they pick.
pub(crate) fn performances(step: impl Fn(&mut RequestLog<'_>) -> StateId) -> Vec<Performance> {
    let mut found = Vec::new();
    branch(&step, Vec::new(), &mut found);
    found
}

fn branch(step: &impl Fn(&mut RequestLog<'_>) -> StateId, picks: Vec<usize>, found: &mut Vec<Performance>) {
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
pub(crate) struct RequestLog<'a> {
    effects: Vec<Request>,
    decided: &'a [usize],
    asked: usize,
    /// The number of ways of the first pick that is not decided.
    open: Option<usize>,
}

impl Requests for RequestLog<'_> {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool) {
        self.effects.push(Request::Send { to, msg, reply });
    }

    fn arm(&mut self, slot: usize, bound: Bound) {
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
