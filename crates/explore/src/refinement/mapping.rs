//! Refinement by a refinement mapping: it names for each state of the implementation the state of the specification that
//! stands for it, and each step is matched by a path of the specification between two such states. Every path is really
//! taken, so a wrong mapping can only fail to show the refinement; it never shows what is false.

use super::budget::Comparing;
use super::events::{BagId, EventSet, EventTable, Seer, TAU};
use super::rows::Rows;
use super::tracker::{ImplementationStep, Tracker};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use watchkeeper_logic::{Alphabet, Limit};
use watchkeeper_space::{Action, Id, Space, Steps, steps, successors};

/// The most states of the specification that are visited to match one step.
const FAR: usize = 20_000;
/// The most ways of matching that are remembered for one change.
const REMEMBERED: usize = 32;

/// What should stand in a slot of the specification.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SlotCondition {
    /// This id.
    Exactly(Id),
    /// This id or a greater one: for slots that count.
    AtLeast(Id),
    /// Whatever stands there.
    Anything,
}

impl SlotCondition {
    fn met_by(self, id: Id) -> bool {
        match self {
            SlotCondition::Exactly(wanted) => id == wanted,
            SlotCondition::AtLeast(least) => id >= least,
            SlotCondition::Anything => true,
        }
    }
}

/// Names what stands for states of the implementation: a refinement mapping, up to what does not matter.
pub trait RefinementMapping: Sync {
    /// What should stand in each slot of the specification while the implementation is in this state. It must
    /// not depend on anything else.
    fn image(&self, implementation: &[Id]) -> Vec<SlotCondition>;
}

/// What a step asks of the specification: what is to be told, and the slots that are not yet as wanted, with what
/// stands there.
type Change = (BagId, Vec<(u32, Id, SlotCondition)>);

/// Where a path ends, and its actions.
type Path = (Vec<Id>, Vec<Action>);

/// Follows the implementation with one state of the specification.
pub(crate) struct MappingTracker<'a> {
    space: &'a dyn Space,
    seer: Seer,
    witness: &'a dyn RefinementMapping,
    /// The states that stand for one of the implementation.
    rows: Rows,
    /// The images of states of the implementation, by number.
    images: Vec<Option<Box<[SlotCondition]>>>,
    /// How steps were matched before, the last way first: those that ask for the same change are matched alike.
    habits: HashMap<Change, Vec<Vec<Action>>>,
    cuts: Vec<u64>,
}

impl<'a> MappingTracker<'a> {
    /// Nothing of the specification yet.
    pub fn new(
        space: &'a dyn Space,
        alphabet: &Alphabet,
        events: &EventTable,
        witness: &'a dyn RefinementMapping,
    ) -> MappingTracker<'a> {
        let shape = space.shape();
        MappingTracker {
            seer: Seer::new(alphabet, events),
            witness,
            rows: Rows::new(shape.slots.len()),
            images: Vec::new(),
            habits: HashMap::new(),
            cuts: vec![0; shape.caps.len()],
            space,
        }
    }

    /// What should stand for a state of the implementation.
    fn image(&mut self, state: u32, row: &[Id]) -> Box<[SlotCondition]> {
        let at = state as usize;
        if self.images.len() <= at {
            self.images.resize(at + 1, None);
        }
        self.images[at].get_or_insert_with(|| self.witness.image(row).into()).clone()
    }

    /// Takes these actions one after the other: where they lead, if they are possible, tell just this, and end
    /// in what is wanted.
    fn again(
        &self,
        from: &[Id],
        actions: &[Action],
        mut left: BagId,
        image: &[SlotCondition],
        events: &mut EventTable,
    ) -> Option<Vec<Id>> {
        let mut row = from.to_vec();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.seer.look(self.space, &row, &mut before);
        for &action in actions {
            row = successors(self.space, &row).into_iter().find(|(other, _)| *other == action)?.1;
            self.seer.look(self.space, &row, &mut after);
            let seen = self.seer.seen(action, &before, &after, events);
            left = less(events, left, seen)?;
            std::mem::swap(&mut before, &mut after);
        }
        (left == TAU && distance(image, &row) == 0).then_some(row)
    }

    /// Looks for a path that tells just this and ends in what is wanted, nearest to it first.
    fn search(
        &mut self,
        starts: &[Vec<Id>],
        bag: BagId,
        image: &[SlotCondition],
        cx: &mut Comparing<'_>,
    ) -> Result<Option<Path>, Limit> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut met: HashSet<(Vec<Id>, BagId)> = HashSet::new();
        let mut heap = BinaryHeap::new();
        for row in starts {
            if met.insert((row.clone(), bag)) {
                heap.push(Reverse((far(image, row, &cx.events, bag), 0, nodes.len())));
                nodes.push(Node { row: row.clone(), left: bag, depth: 0, came: None });
            }
        }
        while let Some(Reverse((far_off, _, at))) = heap.pop() {
            if far_off == 0 {
                return Ok(Some(way(&nodes, at)));
            }
            if nodes.len() > FAR {
                break;
            }
            cx.budget.expands(self.rows.len(), self.bytes())?;
            let Node { row, left, depth, .. } = nodes[at].clone();
            let Steps { next, cut, .. } = steps(self.space, &row);
            cut.iter().for_each(|&cap| self.cuts[cap] += 1);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            self.seer.look(self.space, &row, &mut before);
            for (action, row) in next {
                self.seer.look(self.space, &row, &mut after);
                let seen = self.seer.seen(action, &before, &after, &mut cx.events);
                let Some(left) = less(&mut cx.events, left, seen) else { continue };
                if met.insert((row.clone(), left)) {
                    heap.push(Reverse((far(image, &row, &cx.events, left), depth + 1, nodes.len())));
                    nodes.push(Node { row, left, depth: depth + 1, came: Some((at, action)) });
                }
            }
        }
        Ok(None)
    }
}

impl Tracker for MappingTracker<'_> {
    fn start(&mut self, state: u32, row: &[Id], cx: &mut Comparing<'_>) -> Result<Option<u32>, Limit> {
        let image = self.image(state, row);
        let found = self.search(&self.space.initial(), TAU, &image, cx)?;
        Ok(found.map(|(row, _)| self.rows.intern(&row).0))
    }

    fn advance(
        &mut self,
        at: u32,
        step: ImplementationStep<'_>,
        cx: &mut Comparing<'_>,
    ) -> Result<Option<u32>, Limit> {
        let image = self.image(step.to, step.row);
        let from = self.rows.row(at).to_vec();
        if step.bag == TAU && distance(&image, &from) == 0 {
            return Ok(Some(at));
        }
        let change = (step.bag, missing(&image, &from));
        let known = self.habits.get(&change).map_or(&[][..], Vec::as_slice);
        let tried = known.iter().enumerate();
        let again = |(i, way): (usize, &Vec<Action>)| {
            self.again(&from, way, step.bag, &image, &mut cx.events).map(|row| (i, row))
        };
        if let Some((i, row)) = { tried }.find_map(again) {
            if let Some(ways) = self.habits.get_mut(&change) {
                ways[..=i].rotate_right(1);
            }
            return Ok(Some(self.rows.intern(&row).0));
        }
        let Some((row, way)) = self.search(&[from], step.bag, &image, cx)? else {
            return Ok(None);
        };
        let ways = self.habits.entry(change).or_default();
        ways.insert(0, way);
        ways.truncate(REMEMBERED);
        Ok(Some(self.rows.intern(&row).0))
    }

    /// Looks along internal steps for a state that rests with no more than this on offer.
    fn accepts(&mut self, at: u32, offered: EventSet, cx: &mut Comparing<'_>) -> Result<bool, Limit> {
        let mut queue = vec![self.rows.row(at).to_vec()];
        let mut met: HashSet<Vec<Id>> = queue.iter().cloned().collect();
        let mut next = 0;
        while next < queue.len() && next < FAR {
            cx.budget.expands(self.rows.len(), self.bytes())?;
            let row = queue[next].clone();
            next += 1;
            let Steps { next: steps, cut, .. } = steps(self.space, &row);
            cut.iter().for_each(|&cap| self.cuts[cap] += 1);
            let (mut before, mut after) = (Vec::new(), Vec::new());
            self.seer.look(self.space, &row, &mut before);
            let (mut offers, mut stable) = (0, true);
            for (action, row) in steps {
                self.seer.look(self.space, &row, &mut after);
                let seen = self.seer.seen(action, &before, &after, &mut cx.events);
                offers |= cx.events.set(seen);
                if seen == TAU {
                    stable = false;
                    if met.insert(row.clone()) {
                        queue.push(row);
                    }
                }
            }
            if stable && offers & !offered == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn allows(&self, _: u32) -> Option<(EventSet, Vec<EventSet>)> {
        None
    }

    fn states(&self) -> u64 {
        self.rows.len() as u64
    }

    fn sets(&self) -> u64 {
        0
    }

    fn cuts(&self) -> &[u64] {
        &self.cuts
    }

    fn bytes(&self) -> usize {
        let image =
            self.space.shape().slots.len() * size_of::<SlotCondition>() + size_of::<Box<[SlotCondition]>>();
        self.rows.bytes() + self.images.len() * image
    }
}

/// A state that a search has met.
#[derive(Clone)]
struct Node {
    row: Vec<Id>,
    left: BagId,
    depth: usize,
    came: Option<(usize, Action)>,
}

/// Where a search has ended, and the actions that led there.
fn way(nodes: &[Node], end: usize) -> Path {
    let mut actions = Vec::new();
    let mut at = end;
    while let Some((before, action)) = nodes[at].came {
        actions.push(action);
        at = before;
    }
    actions.reverse();
    (nodes[end].row.clone(), actions)
}

/// The slots in which a row is not what is wanted.
fn missing(image: &[SlotCondition], row: &[Id]) -> Vec<(u32, Id, SlotCondition)> {
    let slots = image.iter().zip(row).enumerate();
    let wrong = slots.filter(|(_, (want, id))| !want.met_by(**id));
    wrong.map(|(slot, (&want, &id))| (slot as u32, id, want)).collect()
}

/// In how many slots a row is not what is wanted.
fn distance(image: &[SlotCondition], row: &[Id]) -> usize {
    image.iter().zip(row).filter(|(want, id)| !want.met_by(**id)).count()
}

/// How much is missing: slots, and events that are still to be told.
fn far(image: &[SlotCondition], row: &[Id], events: &EventTable, left: BagId) -> usize {
    distance(image, row) + events.events(left).len()
}

/// The bag without all of another one, if it has all of it.
fn less(events: &mut EventTable, bag: BagId, told: BagId) -> Option<BagId> {
    if told == TAU {
        return Some(bag);
    }
    let mut left = events.events(bag).to_vec();
    for event in events.events(told) {
        let at = left.iter().position(|other| other == event)?;
        left.remove(at);
    }
    Some(events.bag(left))
}
