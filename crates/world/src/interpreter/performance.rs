//! The protocol's part of a step, with everything it asked for in the order of asking. All choices are
//! tried by branching at the first pick that is not yet decided.

use watchkeeper_core::{Bound, Effects, Pid, Promises, Slot};

/// What a protocol asked for.
pub(crate) enum Effect<P: Promises> {
    Send { to: Pid, msg: P::Msg, reply: bool },
    Emit(P::Output),
    Arm { slot: usize, bound: Bound },
    Disarm { slot: usize },
}

/// One run of a step.
pub(crate) struct Performance<P: Promises> {
    pub(crate) state: P::State,
    pub(crate) effects: Vec<Effect<P>>,
    /// What it picked.
    pub(crate) picks: Vec<usize>,
}

impl<P: Promises> Performance<P> {
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
pub(crate) fn performances<P: Promises>(step: impl Fn(&mut Stage<P>) -> P::State) -> Vec<Performance<P>> {
    let mut found = Vec::new();
    branch(&step, Vec::new(), &mut found);
    found
}

fn branch<P: Promises>(
    step: &impl Fn(&mut Stage<P>) -> P::State,
    picks: Vec<usize>,
    found: &mut Vec<Performance<P>>,
) {
    let mut stage = Stage { effects: Vec::new(), decided: &picks, asked: 0, open: None };
    let state = step(&mut stage);
    let Stage { effects, open, .. } = stage;
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
pub(crate) struct Stage<'a, P: Promises> {
    effects: Vec<Effect<P>>,
    decided: &'a [usize],
    asked: usize,
    /// The number of ways of the first pick that is not decided.
    open: Option<usize>,
}

impl<P: Promises> Effects<P> for Stage<'_, P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.effects.push(Effect::Send { to, msg, reply: false });
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.effects.push(Effect::Send { to, msg, reply: true });
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.effects.push(Effect::Arm { slot: timer.index(), bound });
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.effects.push(Effect::Disarm { slot: timer.index() });
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
