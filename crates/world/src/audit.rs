//! Whether a protocol keeps its promise of symmetry: every step that is worked out for a search up to renaming is taken
//! once more under every other name, and must come to the same, renamed. That is a check of all steps that a search
//! rests on, and not of some. What the network, faults and time do is the world's own and knows no names.

use crate::local::{ArmedTimers, LocalState, SlotIndex};
use crate::machine_input::MachineInput;
use crate::record::{Effect, EffectRecorder, StepRun, runs};
use crate::renaming::Renaming;
use crate::{Capacity, WhenFull, World};
use std::sync::atomic::Ordering;
use watchkeeper_automaton::{CallId, MsgId, StateId, Stimulus};
use watchkeeper_core::{Pack, Perm, Pid, Reception, Suspicion};
use watchkeeper_space::Id;

impl World {
    /// From now on every step that is worked out is held against its renamings; those that are known already are now.
    pub(crate) fn audit_renamings(&self) {
        if self.auditing.swap(true, Ordering::Relaxed) {
            return;
        }
        for process in Pid::all(self.scenario.n) {
            for renaming in self.renamings().iter().skip(1) {
                let there = renaming.perm.apply(process);
                let here = self.begun(process).iter().map(|run| self.as_bytes(run, Some(renaming))).collect();
                let other = self.begun(there).iter().map(|run| self.as_bytes(run, None)).collect();
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
    pub(crate) fn audit(&self, process: usize, local: Id, cause: MachineInput) {
        if self.broken.get().is_some() {
            return;
        }
        let machine = &self.machines[process];
        let me = Pid::at(process);
        let local = &*machine.locals.get(local).value;
        let taken = self.stimuli(process, cause);
        let runs = self.stepped(me, local, &taken);
        for renaming in self.renamings().iter().skip(1) {
            let Renaming { perm, timers, .. } = renaming;
            let there = perm.apply(me);
            let moved: Vec<Stimulus> = taken.iter().map(|one| self.renamed_input(renaming, *one)).collect();
            let others = self.stepped(there, &local.rename(&*self.automaton, perm, timers), &moved);
            let here = runs.iter().map(|run| self.as_bytes(run, Some(renaming))).collect();
            let other = others.iter().map(|run| self.as_bytes(run, None)).collect();
            self.compare(here, other, || {
                let state = local.state().map_or("down".to_string(), |id| self.automaton.states().label(id.0));
                let input = self.in_words(&taken);
                format!(
                    "{me} in the state {state} takes {input}, and {there} in the renamed state takes another step"
                )
            });
        }
    }

    /// An input after a renaming.
    fn renamed_input(&self, renaming: &Renaming, input: Stimulus) -> Stimulus {
        let perm = &renaming.perm;
        match input {
            Stimulus::Fire(slot) => Stimulus::Fire(usize::from(renaming.timers[slot])),
            Stimulus::Call(call) => Stimulus::Call(CallId(self.automaton.calls().renamed(call.0, perm))),
            Stimulus::Receive { from, msg } => Stimulus::Receive {
                from: perm.apply(from),
                msg: MsgId(self.automaton.messages().renamed(msg.0, perm)),
            },
            Stimulus::Notice(Suspicion::Suspect(whom)) => {
                Stimulus::Notice(Suspicion::Suspect(perm.apply(whom)))
            }
            Stimulus::Notice(Suspicion::Trust(whom)) => Stimulus::Notice(Suspicion::Trust(perm.apply(whom))),
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
    fn in_words(&self, taken: &[Stimulus]) -> String {
        match taken[0] {
            Stimulus::Fire(slot) => format!("timeout {}", self.automaton.facts().timer(slot)),
            Stimulus::Call(call) => format!("call {}", self.automaton.calls().label(call.0)),
            Stimulus::Receive { from, msg } => {
                format!("{} from {from}", self.automaton.messages().label(msg.0))
            }
            Stimulus::Notice(_) => "a suspicion of its detector".to_string(),
        }
    }

    fn begun(&self, me: Pid) -> Vec<StepRun> {
        runs(self.scenario.time, &ArmedTimers::default(), |fx| self.automaton.init(me, fx)).0
    }

    fn stepped(&self, me: Pid, local: &LocalState, taken: &[Stimulus]) -> Vec<StepRun> {
        let LocalState::Up { state, timers, .. } = local else { return Vec::new() };
        let mut timers = timers.clone();
        if let [Stimulus::Fire(slot)] = *taken {
            timers.disarm(slot);
        }
        let take = |state: StateId, input: Stimulus, fx: &mut EffectRecorder| match input {
            Stimulus::Receive { from, msg }
                if self.selective
                    && self.automaton.reception(me, state, from, msg) != Reception::Accepted =>
            {
                state
            }
            input => self.automaton.step(me, state, input, fx),
        };
        let step =
            |fx: &mut EffectRecorder| taken.iter().fold(*state, |state, &input| take(state, input, fx));
        runs(self.scenario.time, &timers, step).0
    }

    /// What a run of a step came to, as bytes, renamed if that is asked for. The order in which messages go to different
    /// processes is left out where it cannot show.
    fn as_bytes(&self, run: &StepRun, renaming: Option<&Renaming>) -> Vec<u8> {
        let same = Perm::identity(self.scenario.n);
        let perm = renaming.map_or(&same, |renaming| &renaming.perm);
        let slots: Vec<SlotIndex> = match renaming {
            Some(renaming) => renaming.timers.clone(),
            None => (0..self.automaton.facts().timers.len() as SlotIndex).collect(),
        };
        let (automaton, messages) = (&*self.automaton, self.automaton.messages());
        let local = LocalState::Up { state: run.state, timers: run.timers.clone(), outbox: Vec::new() };
        let mut bytes = Vec::new();
        local.rename(automaton, perm, &slots).pack(automaton, &mut bytes);
        bytes.push(u8::from(run.too_long));
        let mut fresh: Vec<(SlotIndex, i32)> =
            run.fresh.iter().map(|&(slot, clock)| (slots[usize::from(slot)], clock)).collect();
        fresh.sort_unstable();
        for (slot, clock) in fresh {
            bytes.extend(slot.to_be_bytes());
            bytes.extend(clock.to_be_bytes());
        }
        let mut sends: Vec<(Pid, Vec<u8>)> = Vec::new();
        let mut emits: Vec<Vec<u8>> = Vec::new();
        for effect in &run.effects {
            match effect {
                Effect::Send { to, msg, reply } => {
                    let mut sent = messages.packed(messages.renamed(msg.0, perm)).to_vec();
                    sent.push(u8::from(*reply));
                    sends.push((perm.apply(*to), sent));
                }
                Effect::Emit(output) => {
                    let outputs = automaton.outputs();
                    emits.push(outputs.packed(outputs.renamed(output.0, perm)).to_vec());
                }
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
