//! Whether a protocol keeps its promise of symmetry: every step that is worked out for a search up to renaming is taken
//! once more under every other name, and must come to the same, renamed. That is a check of all steps that a search
//! rests on, and not of some. What the network, faults and time do is the world's own and knows no names.

use crate::local::{Local, LocalOf, Timers};
use crate::machine::{Arrival, Cause};
use crate::record::{Effect, Run, runs};
use crate::renaming::Renaming;
use crate::{Capacity, WhenFull, World};
use std::sync::atomic::Ordering;
use watchkeeper_core::{Input, Kind, Pack, Perm, Pid, Promises, Slot, Suspicion, Want, packed};
use watchkeeper_space::Id;

/// Something that a process takes, as values.
enum Taken<M, C> {
    Fire(usize),
    Call(C),
    Receive { from: Pid, msg: M },
    Notices(Vec<Suspicion>),
}

impl<P: Promises> World<P> {
    /// From now on every step that is worked out is held against its renamings; those that are known already are now.
    pub(crate) fn audit_renamings(&self) {
        if self.auditing.swap(true, Ordering::Relaxed) {
            return;
        }
        for process in Pid::all(self.scenario.n) {
            for renaming in self.renamings().iter().skip(1) {
                let there = renaming.perm.apply(process);
                let here = self
                    .begun(process)
                    .iter()
                    .map(|run| self.as_bytes(run, Some(renaming), process))
                    .collect();
                let other = self.begun(there).iter().map(|run| self.as_bytes(run, None, there)).collect();
                self.compare(here, other, || format!("{process} and {there} do not start alike"));
            }
        }
        for process in 0..self.scenario.n {
            for (local, input) in self.machines[process].known_steps() {
                self.audit(process, local, self.cause(input));
            }
        }
    }

    /// Holds one step against all its renamings.
    pub(crate) fn audit(&self, process: usize, local: Id, cause: Cause) {
        if self.broken.get().is_some() {
            return;
        }
        let machine = &self.machines[process];
        let me = Pid::at(process);
        let local = &*machine.locals.get(local).value;
        let taken = match cause {
            Cause::Fire(slot) => Taken::Fire(slot),
            Cause::Call(entry) => Taken::Call(self.calls[entry].call.clone()),
            Cause::Notice { whom, begins } => {
                let (whom, momentary) = (Pid::at(whom), self.layout.suspects(process).is_none());
                let begin = begins.then_some(Suspicion::Suspect(whom));
                let end = (momentary || !begins).then_some(Suspicion::Trust(whom));
                Taken::Notices(begin.into_iter().chain(end).collect())
            }
            Cause::Receive(arrival) => {
                let Arrival { lane, msg, .. } = &*machine.arrivals.get(arrival).value;
                Taken::Receive { from: self.routes.ends(*lane).0, msg: msg.clone() }
            }
        };
        let runs = self.stepped(me, local, &taken);
        for renaming in self.renamings().iter().skip(1) {
            let Renaming { perm, timers, .. } = renaming;
            let there = perm.apply(me);
            let moved = match &taken {
                Taken::Fire(slot) => Taken::Fire(usize::from(timers[process][*slot])),
                Taken::Call(call) => Taken::Call(call.rename(perm)),
                Taken::Receive { from, msg } => {
                    Taken::Receive { from: perm.apply(*from), msg: msg.rename(perm) }
                }
                Taken::Notices(all) => Taken::Notices(all.iter().map(|one| renamed(*one, perm)).collect()),
            };
            let others = self.stepped(there, &local.rename(perm, &timers[process]), &moved);
            let here = runs.iter().map(|run| self.as_bytes(run, Some(renaming), me)).collect();
            let other = others.iter().map(|run| self.as_bytes(run, None, there)).collect();
            self.compare(here, other, || {
                format!("a step of {me} is not the same under the name {there}: {}", self.in_words(&taken))
            });
        }
    }

    fn compare(&self, mut here: Vec<Vec<u8>>, mut there: Vec<Vec<u8>>, how: impl Fn() -> String) {
        here.sort_unstable();
        there.sort_unstable();
        if here != there {
            self.broken.get_or_init(how);
        }
    }

    /// What a process takes, in words.
    fn in_words(&self, taken: &Taken<P::Msg, P::Call>) -> String {
        match taken {
            Taken::Fire(slot) => format!("timeout {}", crate::local::name::<P>(*slot)),
            Taken::Call(call) => format!("call {}", call.label()),
            Taken::Receive { from, msg } => format!("{} from {from}", msg.label()),
            Taken::Notices(_) => "a suspicion of its detector".to_string(),
        }
    }

    fn begun(&self, me: Pid) -> Vec<Run<P>> {
        runs(self.scenario.time, &Timers::default(), |fx| self.protocol.init(me, fx)).0
    }

    fn stepped(&self, me: Pid, local: &LocalOf<P>, taken: &Taken<P::Msg, P::Call>) -> Vec<Run<P>> {
        let Local::Up { state, timers, .. } = local else { return Vec::new() };
        let mut timers = timers.clone();
        if let Taken::Fire(slot) = taken {
            timers.disarm(*slot);
        }
        let step = |fx: &mut crate::record::Recorder<P>| {
            let mut state = state.clone();
            match taken {
                Taken::Fire(slot) => {
                    let timer = P::Timer::from_index(*slot).expect("only slots that exist are armed");
                    self.protocol.step(me, &mut state, Input::Fire(timer), fx);
                }
                Taken::Call(call) => self.protocol.step(me, &mut state, Input::Call(call), fx),
                Taken::Receive { from, msg } => {
                    let from = *from;
                    if P::WANTS.is_some() && Want::of(&self.protocol, me, &state, from, msg) != Want::Now {
                        return state;
                    }
                    self.protocol.step(me, &mut state, Input::Receive { from, msg }, fx);
                }
                Taken::Notices(notices) => {
                    notices
                        .iter()
                        .for_each(|one| self.protocol.step(me, &mut state, Input::Notice(*one), fx));
                }
            }
            state
        };
        runs(self.scenario.time, &timers, step).0
    }

    /// What a run of a step came to, as bytes, renamed if that is asked for. The order in which messages go to different
    /// processes is left out where it cannot show.
    fn as_bytes(&self, run: &Run<P>, renaming: Option<&Renaming>, me: Pid) -> Vec<u8> {
        let same = Perm::identity(self.scenario.n);
        let perm = renaming.map_or(&same, |renaming| &renaming.perm);
        let slots: Vec<u8> = match renaming {
            Some(renaming) => renaming.timers[me.index()].clone(),
            None => (0..P::Timer::COUNT as u8).collect(),
        };
        let (state, timers, outbox) = (run.state.clone(), run.timers.clone(), Vec::new());
        let local: LocalOf<P> = Local::Up { state, timers, outbox };
        let mut bytes = Vec::new();
        local.rename(perm, &slots).pack(&mut bytes);
        bytes.push(u8::from(run.too_long));
        let mut fresh: Vec<(u8, i32)> =
            run.fresh.iter().map(|&(slot, clock)| (slots[usize::from(slot)], clock)).collect();
        fresh.sort_unstable();
        fresh.iter().for_each(|(slot, clock)| bytes.extend([&[*slot][..], &clock.to_be_bytes()].concat()));
        let mut sends: Vec<(Pid, Vec<u8>)> = Vec::new();
        let mut emits: Vec<Vec<u8>> = Vec::new();
        for effect in &run.effects {
            match effect {
                Effect::Send { to, msg, reply } => {
                    let mut sent = packed(&msg.rename(perm));
                    sent.push(u8::from(*reply));
                    sends.push((perm.apply(*to), sent));
                }
                Effect::Emit(output) => emits.push(packed(&output.rename(perm))),
            }
        }
        let network = &self.scenario.network;
        let full = matches!(network.capacity, Capacity::Bounded(_)) && network.when_full != WhenFull::Drop;
        if !full {
            sends.sort_by_key(|(to, _)| *to);
        }
        for (to, sent) in sends {
            to.pack(&mut bytes);
            (sent.len() as u64).pack(&mut bytes);
            bytes.extend(sent);
        }
        // What observers make of the order of announcements is compared with whole states.
        emits.sort_unstable();
        for emitted in emits {
            (emitted.len() as u64).pack(&mut bytes);
            bytes.extend(emitted);
        }
        bytes
    }
}

fn renamed(notice: Suspicion, perm: &Perm) -> Suspicion {
    match notice {
        Suspicion::Suspect(whom) => Suspicion::Suspect(perm.apply(whom)),
        Suspicion::Trust(whom) => Suspicion::Trust(perm.apply(whom)),
    }
}
