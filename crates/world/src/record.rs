//! Runs one step of a protocol for every choice it could make, and writes down what it asked for. What
//! comes of the requests is not decided here.

use crate::WorldTime;
use crate::error::MAX_DURATION;
use crate::local::{ArmedTimers, SlotIndex};
use crate::remaining::{Remaining, clock_start};
use watchkeeper_automaton::{MsgId, OutputId, Requests, StateId};
use watchkeeper_core::{Bound, Pid};

/// The most runs of one step, that is the most ways in which its picks can fall.
pub(crate) const MAX_CHOICES: usize = 1 << 16;

/// What one run of a step came to.
pub(crate) struct StepRun {
    pub(crate) state: StateId,
    pub(crate) timers: ArmedTimers,
    /// The timers that were armed in this step, with the values at which their clocks begin.
    pub(crate) fresh: Vec<(SlotIndex, i32)>,
    /// What it handed out, in order.
    pub(crate) effects: Vec<Effect>,
    /// Whether it armed a timer for longer than a world can count.
    pub(crate) too_long: bool,
}

/// What a protocol hands out, apart from its timers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Effect {
    /// A message; `reply` if it answers what is being handled.
    Send { to: Pid, msg: MsgId, reply: bool },
    /// An announcement.
    Emit(OutputId),
}

/// All runs of one step, in the order of their picks, first pick first; and whether these are all, or
/// there are more than [`MAX_CHOICES`]. `timers` are those before the step's effects.
pub(crate) fn runs(
    time: WorldTime,
    timers: &ArmedTimers,
    mut step: impl FnMut(&mut EffectRecorder) -> StateId,
) -> (Vec<StepRun>, bool) {
    let mut found = Vec::new();
    let mut script = Vec::new();
    loop {
        let mut fx = EffectRecorder {
            time,
            timers: timers.clone(),
            fresh: Vec::new(),
            effects: Vec::new(),
            too_long: false,
            picks: script,
            at: 0,
        };
        let state = step(&mut fx);
        let EffectRecorder { timers, mut fresh, effects, too_long, picks, .. } = fx;
        fresh.sort_unstable();
        found.push(StepRun { state, timers, fresh, effects, too_long });
        script = picks;
        // The next script: the last pick that is not at its end moves on, those after it start again.
        while script.last().is_some_and(|pick| pick.taken + 1 == pick.ways) {
            script.pop();
        }
        match script.last_mut() {
            None => return (found, true),
            Some(_) if found.len() == MAX_CHOICES => return (found, false),
            Some(pick) => pick.taken += 1,
        }
    }
}

struct Pick {
    taken: usize,
    ways: usize,
}

/// Takes down effects, and picks by a script, then the first way of everything new.
pub(crate) struct EffectRecorder {
    time: WorldTime,
    timers: ArmedTimers,
    fresh: Vec<(SlotIndex, i32)>,
    effects: Vec<Effect>,
    too_long: bool,
    picks: Vec<Pick>,
    at: usize,
}

impl Requests for EffectRecorder {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool) {
        self.effects.push(Effect::Send { to, msg, reply });
    }

    fn arm(&mut self, slot: usize, bound: Bound) {
        self.disarm(slot);
        let bound = self.time.timer(bound);
        if self.time != WorldTime::Untimed && bound.hi().unwrap_or(bound.lo()) > MAX_DURATION {
            self.too_long = true;
            return;
        }
        let remaining = Remaining::new(self.time, bound);
        self.timers.arm(slot, remaining);
        if remaining.has_clock() {
            self.fresh.push((slot as SlotIndex, clock_start(bound)));
        }
    }

    fn disarm(&mut self, slot: usize) {
        self.timers.disarm(slot);
        self.fresh.retain(|(other, _)| usize::from(*other) != slot);
    }

    fn emit(&mut self, output: OutputId) {
        self.effects.push(Effect::Emit(output));
    }

    fn pick(&mut self, ways: usize) -> usize {
        if self.at == self.picks.len() {
            self.picks.push(Pick { taken: 0, ways: ways.max(1) });
        }
        self.at += 1;
        self.picks[self.at - 1].taken
    }
}
