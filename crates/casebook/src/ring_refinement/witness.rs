//! What stands for a state of the deployable ring in the automata of its tasks. The deployable ring does in one
//! step what the tasks do in several, so between its steps no task is in the middle of anything: Task2 waits for
//! a message; Task1 is in its delay while an answer is missing, and before its next round otherwise.

use super::visible::{atom, holds, pairs, received, suspects};
use crate::published_ring::{MORTAL, Message, PROCESSES};
use crate::ring;
use std::collections::HashMap;
use watchkeeper_core::{Pid, Value};
use watchkeeper_explore::{RefinementMapping, SlotCondition};
use watchkeeper_protocols::ring::{Ring, RingMsg};
use watchkeeper_space::{AtomId, Id, Narration, Space};
use watchkeeper_world::TypedWorld;

/// Whom a process suspects, one bit for each, and whether it waits for an answer.
type Stance = (u8, bool);

/// The witness.
pub struct RingWitness<'a> {
    world: &'a TypedWorld<Ring>,
    crashed: AtomId,
    received: [AtomId; PROCESSES],
    /// Who suspects whom.
    suspects: Vec<(Pid, Pid, AtomId)>,
    /// For each channel of the specification, its slot, its receiver, and the atoms that count its messages.
    channels: Vec<(usize, Pid, Vec<AtomId>)>,
    /// The local states of the specification that stand for a stance.
    locals: [HashMap<Stance, Id>; PROCESSES],
    /// The state of p1 after its crash, if it may.
    grave: Option<Id>,
    slots: usize,
    /// Whether a channel of the specification may hold more than that of the implementation: a message that is
    /// lost here is there one that never arrives.
    surplus: bool,
}

impl<'a> RingWitness<'a> {
    /// The witness for a world whose channels count up to `capacity`, in a network of the tasks.
    pub fn new(
        world: &'a TypedWorld<Ring>,
        capacity: u8,
        network: &ring::RingNetwork,
        surplus: bool,
    ) -> RingWitness<'a> {
        let mine = world.shape();
        let names = &network.shape().slots;
        let mut channels = Vec::new();
        for (from, to) in pairs() {
            for (kind, message) in
                [(RingMsg::AreYouAlive, Message::AreYouAlive), (RingMsg::IAmAlive, Message::IAmAlive)]
            {
                let name = format!("{} {from} to {to}", message.name());
                let slot = names.iter().position(|slot| *slot == name).expect("a channel for each kind");
                let count = (1..=capacity).map(|least| atom(mine, &holds(kind, from, to, least)));
                channels.push((slot, to, count.collect()));
            }
        }
        let stances = |p: usize| stances(network, Pid::at(p));
        RingWitness {
            world,
            crashed: atom(mine, &format!("crashed({MORTAL})")),
            received: std::array::from_fn(|p| atom(mine, &received(Pid::at(p)))),
            suspects: pairs().map(|(p, q)| (p, q, atom(mine, &suspects(p, q)))).collect(),
            channels,
            locals: std::array::from_fn(|p| stances(p).0),
            grave: stances(MORTAL.index()).1,
            slots: names.len(),
            surplus,
        }
    }

    fn stance(&self, p: Pid, row: &[Id]) -> Stance {
        let suspected = self.suspects.iter().filter(|(by, _, atom)| *by == p && self.world.atom(*atom, row));
        let bits = suspected.fold(0, |bits, (_, q, _)| bits | 1 << q.index());
        (bits, !self.world.atom(self.received[p.index()], row))
    }
}

impl RefinementMapping for RingWitness<'_> {
    fn image(&self, row: &[Id]) -> Vec<SlotCondition> {
        let mut image = vec![SlotCondition::Anything; self.slots];
        let dead = self.world.atom(self.crashed, row);
        for p in Pid::all(PROCESSES) {
            let local = if dead && p == MORTAL {
                self.grave
            } else {
                self.locals[p.index()].get(&self.stance(p, row)).copied()
            };
            // An id that nothing has: a state that the tasks cannot be in is told as one without a match.
            image[p.index()] = SlotCondition::Exactly(local.unwrap_or(Id::MAX));
        }
        for (slot, to, count) in &self.channels {
            // Nobody takes a message to a crashed process from its channel; here they are swallowed.
            if dead && *to == MORTAL {
                continue;
            }
            let held = count.iter().filter(|&&atom| self.world.atom(atom, row)).count() as Id;
            image[*slot] =
                if self.surplus { SlotCondition::AtLeast(held) } else { SlotCondition::Exactly(held) };
        }
        image
    }
}

/// The local states of a process in which no task is in the middle of anything, by stance; and its crash.
fn stances(network: &ring::RingNetwork, p: Pid) -> (HashMap<Stance, Id>, Option<Id>) {
    let mut found = HashMap::new();
    let mut grave = None;
    let mut row = vec![0; network.shape().slots.len()];
    for id in 0..network.local_states()[p.index()] as Id {
        row[p.index()] = id;
        let view = network.view(&row);
        let Value::Record(fields) = &view[p.index()].1 else { continue };
        let text = |name: &str| {
            let field = fields.iter().find(|(field, _)| field == name);
            field.map(|(_, value)| value.to_string()).unwrap_or_default()
        };
        let suspected = Pid::all(PROCESSES).filter(|q| text("L").contains(&q.to_string()));
        let bits = suspected.fold(0, |bits, q| bits | 1 << q.index());
        match (text("Task1").as_str(), text("Task2").as_str()) {
            ("crashed", _) => grave = Some(id),
            ("initial", "initial") => {
                found.insert((bits, false), id);
            }
            ("delay", "initial") if text("received") == "false" && text("MyTarget") == text("target") => {
                found.insert((bits, true), id);
            }
            _ => {}
        }
    }
    (found, grave)
}
