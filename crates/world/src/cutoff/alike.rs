//! That a protocol treats its processes alike: messages go from one to another, and a renaming of all processes
//! before a step is the same renaming after it. The order in which a step says what it sends is not looked at,
//! because everything that it sends leaves at one moment.

use super::reaction::{Cause, Local, Reaction, Sent, Touch, reaction};
use super::{Demand, Departure, Step};
use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Pack, Perm, Pid, Promises, Slot, packed};

/// That every message goes to another process of the system, and names nobody.
pub(super) fn addressed<P: Promises>(step: &Step<'_, P>) -> Result<(), Box<Departure>> {
    for Sent { to, msg, .. } in &step.reaction.sends {
        let why = if *to == step.process {
            "it sends to itself".to_string()
        } else if to.index() >= step.n {
            format!("it sends to {to}, which is not there")
        } else if Perm::all(step.n).iter().any(|perm| packed(&msg.rename(perm)) != packed(msg)) {
            format!("the message {msg:?} names a process")
        } else {
            continue;
        };
        return Err(step.departs(Demand::PointToPoint, why));
    }
    Ok(())
}

/// That the step is the same under every renaming; how many there were beside the one that changes nothing.
pub(super) fn renamed<P: Promises>(step: &Step<'_, P>) -> Result<u64, Box<Departure>> {
    let perms = Perm::all(step.n);
    for perm in &perms[1..] {
        let there = perm.apply(step.process);
        let slots = Slots::new(step, perm);
        let found = match step.before {
            None => super::reaction::started(step.protocol, there),
            Some(before) => {
                let armed: BTreeSet<usize> = before.armed.iter().map(|&slot| slots.apply(slot)).collect();
                let before = Local { state: before.state.rename(perm), armed };
                reaction(step.protocol, there, &before, &renamed_cause(step.cause, perm, &slots))
            }
        };
        let expected = renamed_reaction(step.reaction, perm, &slots);
        if told(&found) != told(&expected) {
            let why = format!(
                "with {} it should come to {}, and comes to {}",
                moves(perm, step.n),
                expected.text(),
                found.text()
            );
            return Err(step.departs(Demand::Alike, why));
        }
    }
    Ok(perms.len() as u64 - 1)
}

/// Where timers go when processes change their names: the timers about a process go with it.
pub(super) struct Slots(BTreeMap<usize, usize>);

impl Slots {
    pub(super) fn new<P: Promises>(step: &Step<'_, P>, perm: &Perm) -> Slots {
        Slots::of(step.protocol, step.n, step.process, &step.reaction.state, perm)
    }

    fn of<P: Promises>(protocol: &P, n: usize, me: Pid, state: &P::State, perm: &Perm) -> Slots {
        let mut moved = BTreeMap::new();
        for whom in Pid::all(n) {
            let here = protocol.about(me, state, whom);
            let there = protocol.about(perm.apply(me), state, perm.apply(whom));
            if let (Some(here), Some(there)) = (here, there) {
                let pairs = here.timers.into_iter().zip(there.timers);
                moved.extend(pairs.map(|(from, to)| (from.index(), to.index())));
            }
        }
        Slots(moved)
    }

    pub(super) fn apply(&self, slot: usize) -> usize {
        self.0.get(&slot).copied().unwrap_or(slot)
    }
}

fn renamed_cause<M: Pack + Clone>(cause: &Cause<M>, perm: &Perm, slots: &Slots) -> Cause<M> {
    match cause {
        Cause::Start => Cause::Start,
        Cause::Receive { from, msg } => Cause::Receive { from: perm.apply(*from), msg: msg.rename(perm) },
        Cause::Fire(slot) => Cause::Fire(slots.apply(*slot)),
    }
}

fn renamed_reaction<P: Promises>(reaction: &Reaction<P>, perm: &Perm, slots: &Slots) -> Reaction<P> {
    let send =
        |sent: &Sent<P::Msg>| Sent { to: perm.apply(sent.to), msg: sent.msg.rename(perm), reply: sent.reply };
    Reaction {
        state: reaction.state.rename(perm),
        sends: reaction.sends.iter().map(send).collect(),
        timers: reaction.timers.iter().map(|(slot, touch)| (slots.apply(*slot), *touch)).collect(),
        outputs: reaction.outputs.iter().map(|output| output.rename(perm)).collect(),
        picked: reaction.picked,
    }
}

/// A reaction in a form that can be compared.
type Told<'a> = (Vec<u8>, Vec<(Pid, Vec<u8>, bool)>, &'a BTreeMap<usize, Touch>, Vec<Vec<u8>>);

fn told<P: Promises>(reaction: &Reaction<P>) -> Told<'_> {
    let mut sends: Vec<_> =
        reaction.sends.iter().map(|sent| (sent.to, packed(&sent.msg), sent.reply)).collect();
    sends.sort();
    let mut outputs: Vec<_> = reaction.outputs.iter().map(packed).collect();
    outputs.sort();
    (packed(&reaction.state), sends, &reaction.timers, outputs)
}

/// A renaming as part of a sentence.
fn moves(perm: &Perm, n: usize) -> String {
    let moved = Pid::all(n).filter(|&p| perm.apply(p) != p);
    let names: Vec<String> = moved.map(|p| format!("{p} renamed {}", perm.apply(p))).collect();
    names.join(", ")
}
