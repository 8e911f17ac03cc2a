//! Runs one step of a protocol for every choice it could make, and writes down what it asked for. What
//! comes of the requests is not decided here.

use crate::local::Armed;
use watchkeeper_core::{Bound, Effects, Pid, Protocol, Slot};

/// The most runs of one step, that is the most ways in which its picks can fall.
pub(crate) const MAX_CHOICES: usize = 1 << 16;

/// What one run of a step came to.
pub(crate) struct Run<P: Protocol> {
    pub(crate) state: P::State,
    pub(crate) armed: Armed,
    pub(crate) sends: Vec<(Pid, P::Msg)>,
}

/// All runs of one step, in the order of their picks, first pick first; and whether these are all, or
/// there are more than [`MAX_CHOICES`]. `armed` are the timers before the step's effects.
pub(crate) fn runs<P: Protocol>(
    armed: Armed,
    mut step: impl FnMut(&mut Recorder<P>) -> P::State,
) -> (Vec<Run<P>>, bool) {
    let mut found = Vec::new();
    let mut script = Vec::new();
    loop {
        let mut fx = Recorder { armed, sends: Vec::new(), picks: script, at: 0 };
        let state = step(&mut fx);
        found.push(Run { state, armed: fx.armed, sends: fx.sends });
        script = fx.picks;
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
pub(crate) struct Recorder<P: Protocol> {
    armed: Armed,
    sends: Vec<(Pid, P::Msg)>,
    picks: Vec<Pick>,
    at: usize,
}

impl<P: Protocol> Effects<P> for Recorder<P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.sends.push((to, msg));
    }

    /// Untimed, a bound says nothing.
    fn arm(&mut self, timer: P::Timer, _: Bound) {
        self.armed.arm(timer.index());
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.armed.disarm(timer.index());
    }

    /// Announcements change no state; only a trace tells them.
    fn emit(&mut self, _: P::Output) {}

    fn pick(&mut self, ways: usize) -> usize {
        if self.at == self.picks.len() {
            self.picks.push(Pick { taken: 0, ways: ways.max(1) });
        }
        self.at += 1;
        self.picks[self.at - 1].taken
    }
}
