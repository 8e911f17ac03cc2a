//! The specification, normalised as far as it is needed: after a trace it may be in any state of a set, and
//! equal sets have one number. This is the subset construction, so what it says is exact in both directions,
//! and a specification with much internal freedom has large sets.

use super::budget::Comparing;
use super::events::{BagId, EventId, EventSet, EventTable, TAU};
use super::labelled::{Labelled, LabelledEdge};
use super::tracker::{ImplementationStep, Tracker};
use std::collections::{HashMap, HashSet};
use watchkeeper_logic::Limit;
use watchkeeper_space::Id;

/// A state of the specification, and which events of the step that led there have not been told yet: a step
/// with several is told one at a time, in any order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Place {
    state: u32,
    untold: BagId,
}

/// A set of places, closed under internal steps.
struct Set {
    places: Box<[Place]>,
    /// The events that can come next.
    allowed: EventSet,
    /// What is offered in the stable places, as far as none is more than another.
    owed: Vec<EventSet>,
}

/// The normalised part of a specification.
pub(crate) struct Normal<'a> {
    graph: Labelled<'a>,
    sets: Vec<Set>,
    numbers: HashMap<Box<[Place]>, u32>,
    /// What has been worked out before: where a bag leads from a set.
    ways: HashMap<(u32, BagId), Option<u32>>,
    /// The states that the closure in the making has met; those marked with its number.
    marks: Vec<u32>,
    round: u32,
    /// The steps of the place that is being followed; kept for its room.
    edges: Vec<LabelledEdge>,
    bytes: usize,
}

/// Where a bag leads, while that is being worked out.
struct Reach {
    found: Vec<Place>,
    /// What remains to be looked at: a place, and what is still to be told of the bag.
    todo: Vec<(Place, BagId)>,
    /// What has been on that list, but for places where everything is told.
    met: HashSet<(Place, BagId)>,
}

impl<'a> Normal<'a> {
    /// Nothing of this specification yet.
    pub fn new(graph: Labelled<'a>) -> Normal<'a> {
        let (sets, numbers, ways) = (Vec::new(), HashMap::new(), HashMap::new());
        Normal { graph, sets, numbers, ways, marks: Vec::new(), round: 0, edges: Vec::new(), bytes: 0 }
    }

    fn begin(&mut self) -> Reach {
        self.round += 1;
        Reach { found: Vec::new(), todo: Vec::new(), met: HashSet::new() }
    }

    /// Takes note of a place, once.
    fn meet(&mut self, reach: &mut Reach, place: Place, left: BagId) {
        let new = if left == TAU && place.untold == TAU {
            let at = place.state as usize;
            if self.marks.len() <= at {
                self.marks.resize(self.graph.rows.len().max(at + 1), 0);
            }
            std::mem::replace(&mut self.marks[at], self.round) != self.round
        } else {
            reach.met.insert((place, left))
        };
        if new {
            if left == TAU {
                reach.found.push(place);
            }
            reach.todo.push((place, left));
        }
    }

    /// Goes on from a place: by internal steps, and by steps that tell some of what is left. A place of a set
    /// needs no internal steps, since the set has what they lead to.
    fn follow(
        &mut self,
        reach: &mut Reach,
        (place, left): (Place, BagId),
        internal: bool,
        cx: &mut Comparing<'_>,
    ) -> Result<(), Limit> {
        if place.untold != TAU {
            for event in distinct(&cx.events, place.untold) {
                if cx.events.events(left).contains(&event) {
                    let untold = cx.events.without(place.untold, event);
                    let left = cx.events.without(left, event);
                    self.meet(reach, Place { untold, ..place }, left);
                }
            }
            return Ok(());
        }
        let wanted = cx.events.set(left);
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        edges.extend_from_slice(self.graph.edges(place.state, cx)?);
        for edge in &edges {
            if edge.bag == TAU {
                if internal {
                    self.meet(reach, Place { state: edge.to, untold: TAU }, left);
                }
            } else if cx.events.set(edge.bag) & wanted != 0 {
                self.meet(reach, Place { state: edge.to, untold: edge.bag }, left);
            }
        }
        self.edges = edges;
        Ok(())
    }

    /// Follows everything, and numbers the set that comes of it.
    fn close(&mut self, mut reach: Reach, cx: &mut Comparing<'_>) -> Result<Option<u32>, Limit> {
        while let Some(next) = reach.todo.pop() {
            self.follow(&mut reach, next, true, cx)?;
        }
        if reach.found.is_empty() {
            return Ok(None);
        }
        reach.found.sort_unstable();
        let places: Box<[Place]> = reach.found.into();
        if let Some(&number) = self.numbers.get(&places) {
            return Ok(Some(number));
        }
        let (mut allowed, mut owed) = (0, Vec::new());
        for place in &places {
            let (offered, stable) = match place.untold {
                TAU => self.graph.offers(place.state, cx)?,
                untold => (cx.events.set(untold), true),
            };
            allowed |= offered;
            if stable {
                owed.push(offered);
            }
        }
        let number = self.sets.len() as u32;
        self.bytes += 2 * places.len() * size_of::<Place>() + size_of::<Set>();
        self.numbers.insert(places.clone(), number);
        self.sets.push(Set { places, allowed, owed: least(owed) });
        Ok(Some(number))
    }
}

impl Tracker for Normal<'_> {
    fn start(&mut self, _: u32, _: &[Id], cx: &mut Comparing<'_>) -> Result<Option<u32>, Limit> {
        let mut reach = self.begin();
        for state in self.graph.initial_states() {
            self.meet(&mut reach, Place { state, untold: TAU }, TAU);
        }
        self.close(reach, cx)
    }

    fn advance(
        &mut self,
        at: u32,
        ImplementationStep { bag, .. }: ImplementationStep<'_>,
        cx: &mut Comparing<'_>,
    ) -> Result<Option<u32>, Limit> {
        if bag == TAU {
            return Ok(Some(at));
        }
        if let Some(&known) = self.ways.get(&(at, bag)) {
            return Ok(known);
        }
        let mut reach = self.begin();
        for i in 0..self.sets[at as usize].places.len() {
            let place = self.sets[at as usize].places[i];
            self.follow(&mut reach, (place, bag), false, cx)?;
        }
        let found = self.close(reach, cx)?;
        self.ways.insert((at, bag), found);
        Ok(found)
    }

    fn accepts(&mut self, at: u32, offered: EventSet, _: &mut Comparing<'_>) -> Result<bool, Limit> {
        Ok(self.sets[at as usize].owed.iter().any(|owed| owed & !offered == 0))
    }

    fn allows(&self, at: u32) -> Option<(EventSet, Vec<EventSet>)> {
        let set = &self.sets[at as usize];
        Some((set.allowed, set.owed.clone()))
    }

    fn states(&self) -> u64 {
        self.graph.rows.len() as u64
    }

    fn sets(&self) -> u64 {
        self.sets.len() as u64
    }

    fn cuts(&self) -> &[u64] {
        &self.graph.cuts
    }

    fn bytes(&self) -> usize {
        self.graph.bytes() + self.bytes + self.marks.capacity() * size_of::<u32>()
    }
}

/// The different events of a bag.
fn distinct(events: &EventTable, bag: BagId) -> Vec<EventId> {
    let mut list = events.events(bag).to_vec();
    list.dedup();
    list
}

/// Those sets that contain no other one of the list, sorted.
fn least(mut sets: Vec<EventSet>) -> Vec<EventSet> {
    sets.sort_unstable();
    sets.dedup();
    let within = |small: &EventSet, large: &EventSet| small != large && small & !large == 0;
    let is_least = |set: &&EventSet| !sets.iter().any(|other| within(other, set));
    sets.iter().filter(is_least).copied().collect()
}
