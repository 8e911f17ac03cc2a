//! One process in virtual time: it is told what arrives and when, and what it announces is kept with the moment. What
//! arrives at a moment comes before the timers of that moment.

use crate::effects::{Effect, EffectsOf, p, start, step};
use std::collections::BTreeMap;
use watchkeeper_core::{Input, Pid, ProcSet, Protocol, Slot, Suspicion};

/// Process p0 of a detector.
pub struct Watcher<P: Protocol> {
    pub detector: P,
    pub state: P::State,
    /// The moments at which timers fire, by their slots.
    armed: BTreeMap<usize, u64>,
    now: u64,
    /// What was announced, and when.
    pub announced: Vec<(u64, Suspicion)>,
}

impl<P: Protocol<Output = Suspicion>> Watcher<P> {
    pub fn new(detector: P) -> Watcher<P> {
        let (state, effects) = start(&detector, p(0));
        let mut watcher = Watcher { detector, state, armed: BTreeMap::new(), now: 0, announced: Vec::new() };
        watcher.take(effects);
        watcher
    }

    /// A message arrives, after all timers of earlier moments.
    pub fn hear(&mut self, at: u64, from: Pid, msg: &P::Msg) {
        self.pass(at);
        let effects = step(&self.detector, p(0), &mut self.state, Input::Receive { from, msg });
        self.take(effects);
    }

    /// Lets all timers before this moment fire.
    pub fn pass(&mut self, to: u64) {
        while let Some((due, slot)) =
            self.armed.iter().map(|(slot, due)| (*due, *slot)).min().filter(|(due, _)| *due < to)
        {
            self.armed.remove(&slot);
            self.now = due;
            let timer = P::Timer::from_index(slot).expect("a slot");
            let effects = step(&self.detector, p(0), &mut self.state, Input::Fire(timer));
            self.take(effects);
        }
        self.now = to;
    }

    /// The suspects, by what was announced.
    pub fn suspects(&self) -> ProcSet {
        let mut suspects = ProcSet::EMPTY;
        for (_, announced) in &self.announced {
            match announced {
                Suspicion::Suspect(peer) => suspects.insert(*peer),
                Suspicion::Trust(peer) => suspects.remove(*peer),
            }
        }
        suspects
    }

    fn take(&mut self, effects: EffectsOf<P>) {
        for effect in effects {
            match effect {
                Effect::Arm(timer, bound) => {
                    self.armed.insert(timer.index(), self.now + u64::from(bound.lo()));
                }
                Effect::Disarm(timer) => {
                    self.armed.remove(&timer.index());
                }
                Effect::Emit(said) => self.announced.push((self.now, said)),
                Effect::Send(..) | Effect::Reply(..) => {}
            }
        }
    }
}
