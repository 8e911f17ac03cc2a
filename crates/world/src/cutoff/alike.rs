//! That a protocol treats its processes alike: messages go from one to another, and a renaming of all processes
//! before a step is the same renaming after it. The order in which a step says what it sends is not looked at,
//! because everything that it sends leaves at one moment.

use super::reaction::{CutoffInput, CutoffLocal, CutoffReaction, CutoffSend, Touch, reaction};
use super::{CutoffStep, Demand, Departure};
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_automaton::{MsgId, OutputId, ProtocolAutomaton, StateId};
use watchkeeper_core::{Perm, Pid};

/// That every message goes to another process of the system, and names nobody.
pub(super) fn addressed(step: &CutoffStep<'_>) -> Result<(), Box<Departure>> {
    let messages = step.automaton.messages();
    for CutoffSend { to, msg, .. } in &step.reaction.sends {
        let why = if *to == step.process {
            "it sends to itself".to_string()
        } else if to.index() >= step.n {
            format!("it sends to {to}, which is not there")
        } else if Perm::all(step.n).iter().any(|perm| messages.renamed(msg.0, perm) != msg.0) {
            format!("the message {} names a process", messages.label(msg.0))
        } else {
            continue;
        };
        return Err(step.departs(Demand::PointToPoint, why));
    }
    Ok(())
}

/// That the step is the same under every renaming; how many there were beside the one that changes nothing.
pub(super) fn renamed(step: &CutoffStep<'_>) -> Result<u64, Box<Departure>> {
    let perms = Perm::all(step.n);
    for perm in &perms[1..] {
        let there = perm.apply(step.process);
        let slots = Slots::new(step, perm);
        let found = match step.before {
            None => super::reaction::started(step.automaton, there),
            Some(before) => {
                let armed: BTreeSet<usize> = before.armed.iter().map(|&slot| slots.apply(slot)).collect();
                let before = CutoffLocal { state: renamed_state(step.automaton, before.state, perm), armed };
                reaction(step.automaton, there, &before, &renamed_cause(step, perm, &slots))
            }
        };
        let expected = renamed_reaction(step, perm, &slots);
        if told(step.automaton, &found) != told(step.automaton, &expected) {
            let why = format!(
                "with {} it should come to {}, and comes to {}",
                moves(perm, step.n),
                expected.text(step.automaton),
                found.text(step.automaton)
            );
            return Err(step.departs(Demand::Alike, why));
        }
    }
    Ok(perms.len() as u64 - 1)
}

/// Where timers go when processes change their names: the timers about a process go with it.
pub(super) struct Slots(BTreeMap<usize, usize>);

impl Slots {
    pub(super) fn new(step: &CutoffStep<'_>, perm: &Perm) -> Slots {
        Slots::of(step.automaton, step.n, step.process, step.reaction.state, perm)
    }

    fn of(automaton: &dyn ProtocolAutomaton, n: usize, me: Pid, state: StateId, perm: &Perm) -> Slots {
        let mut moved = BTreeMap::new();
        for whom in Pid::all(n) {
            let here = automaton.about(me, state, whom);
            let there = automaton.about(perm.apply(me), state, perm.apply(whom));
            if let (Some(here), Some(there)) = (here, there) {
                let pairs = here.timers.into_iter().zip(there.timers);
                moved.extend(pairs);
            }
        }
        Slots(moved)
    }

    pub(super) fn apply(&self, slot: usize) -> usize {
        self.0.get(&slot).copied().unwrap_or(slot)
    }
}

fn renamed_state(automaton: &dyn ProtocolAutomaton, state: StateId, perm: &Perm) -> StateId {
    StateId(automaton.states().renamed(state.0, perm))
}

fn renamed_message(automaton: &dyn ProtocolAutomaton, msg: MsgId, perm: &Perm) -> MsgId {
    MsgId(automaton.messages().renamed(msg.0, perm))
}

fn renamed_cause(step: &CutoffStep<'_>, perm: &Perm, slots: &Slots) -> CutoffInput {
    match *step.cause {
        CutoffInput::Start => CutoffInput::Start,
        CutoffInput::Receive { from, msg } => {
            CutoffInput::Receive { from: perm.apply(from), msg: renamed_message(step.automaton, msg, perm) }
        }
        CutoffInput::Fire(slot) => CutoffInput::Fire(slots.apply(slot)),
    }
}

fn renamed_reaction(step: &CutoffStep<'_>, perm: &Perm, slots: &Slots) -> CutoffReaction {
    let (automaton, reaction) = (step.automaton, step.reaction);
    let send = |&CutoffSend { to, msg, reply }: &CutoffSend| CutoffSend {
        to: perm.apply(to),
        msg: renamed_message(automaton, msg, perm),
        reply,
    };
    let said = |output: &OutputId| OutputId(automaton.outputs().renamed(output.0, perm));
    CutoffReaction {
        state: renamed_state(automaton, reaction.state, perm),
        sends: reaction.sends.iter().map(send).collect(),
        timers: reaction.timers.iter().map(|(slot, touch)| (slots.apply(*slot), *touch)).collect(),
        outputs: reaction.outputs.iter().map(said).collect(),
        picked: reaction.picked,
    }
}

/// A reaction in a form that can be compared.
type Told<'a> = (StateId, Vec<(Pid, &'a [u8], bool)>, &'a BTreeMap<usize, Touch>, Vec<&'a [u8]>);

fn told<'a>(automaton: &'a dyn ProtocolAutomaton, reaction: &'a CutoffReaction) -> Told<'a> {
    let sent = |sent: &CutoffSend| (sent.to, automaton.messages().packed(sent.msg.0), sent.reply);
    let mut sends: Vec<_> = reaction.sends.iter().map(sent).collect();
    sends.sort();
    let mut outputs: Vec<_> =
        reaction.outputs.iter().map(|output| automaton.outputs().packed(output.0)).collect();
    outputs.sort();
    (reaction.state, sends, &reaction.timers, outputs)
}

/// A renaming as part of a sentence.
fn moves(perm: &Perm, n: usize) -> String {
    let moved = Pid::all(n).filter(|&p| perm.apply(p) != p);
    let names: Vec<String> = moved.map(|p| format!("{p} renamed {}", perm.apply(p))).collect();
    names.join(", ")
}
