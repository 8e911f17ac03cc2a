//! The protocol's part of a step, with everything it asked for in the order of asking. All choices are
//! tried by branching at the first pick that is not yet decided.

use crate::local::Armed;
use watchkeeper_core::{Bound, Effects, Pid, Protocol, Slot};

/// What a protocol asked for, apart from its timers.
pub(crate) enum Effect<P: Protocol> {
    Send(Pid, P::Msg),
    Emit(P::Output),
}

/// One run of a step.
pub(crate) struct Performance<P: Protocol> {
    pub(crate) state: P::State,
    pub(crate) armed: Armed,
    pub(crate) effects: Vec<Effect<P>>,
    /// What it picked.
    pub(crate) picks: Vec<usize>,
}

impl<P: Protocol> Performance<P> {
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
pub(crate) fn performances<P: Protocol>(
    armed: Armed,
    step: impl Fn(&mut Stage<P>) -> P::State,
) -> Vec<Performance<P>> {
    let mut found = Vec::new();
    branch(armed, &step, Vec::new(), &mut found);
    found
}

fn branch<P: Protocol>(
    armed: Armed,
    step: &impl Fn(&mut Stage<P>) -> P::State,
    picks: Vec<usize>,
    found: &mut Vec<Performance<P>>,
) {
    let mut stage = Stage { armed, effects: Vec::new(), decided: &picks, asked: 0, open: None };
    let state = step(&mut stage);
    let Stage { armed: after, effects, open, .. } = stage;
    match open {
        None => found.push(Performance { state, armed: after, effects, picks }),
        Some(ways) => {
            for way in 0..ways {
                branch(armed, step, [&picks[..], &[way]].concat(), found);
            }
        }
    }
}

/// Where a protocol performs: takes down what it asks for.
pub(crate) struct Stage<'a, P: Protocol> {
    armed: Armed,
    effects: Vec<Effect<P>>,
    decided: &'a [usize],
    asked: usize,
    /// The number of ways of the first pick that is not decided.
    open: Option<usize>,
}

impl<P: Protocol> Effects<P> for Stage<'_, P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.effects.push(Effect::Send(to, msg));
    }

    fn arm(&mut self, timer: P::Timer, _: Bound) {
        self.armed.arm(timer.index());
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.armed.disarm(timer.index());
    }

    fn emit(&mut self, output: P::Output) {
        self.effects.push(Effect::Emit(output));
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
