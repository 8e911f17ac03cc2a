//! The state graph of a search: every stored state has a number, and its steps are listed. Steps to states that are not
//! stored are left out, so a part of a space is a graph as well.

use super::adjacency::{Adjacency, AdjacencyBlock, BLOCK};
use super::bits::{Bits, Ranks, SharedBits};
use super::cancellation::Cancellation;
use crate::store::Key;
use crate::threads::over_pieces;
use crate::visited::{Shelf, Visited};
use std::sync::RwLockReadGuard;
use std::sync::atomic::{AtomicUsize, Ordering};
use watchkeeper_logic::Formula;
use watchkeeper_space::{Action, Edit, Id, Role, Space, Stuck, Successors};

/// A graph of stored states.
pub(crate) struct StateGraph<'a, K> {
    pub space: &'a dyn Space,
    shelf: RwLockReadGuard<'a, Shelf<K>>,
    ranks: Ranks,
    keys: Vec<K>,
    /// The depth of each state.
    pub depths: Vec<u32>,
    /// Where each state leads; a state in which a run may rest leads to itself.
    pub steps: Adjacency,
    /// The states in which a run may rest, or time passes and changes nothing.
    pub still: Bits,
    /// The number of states in which time is locked, and at best a fault can end that.
    pub locked: usize,
    /// For each proposition, the states of which it is true.
    pub truths: Vec<Bits>,
}

/// A step that leaves a state, and the state that it leads to, if that is stored.
pub(crate) type OutgoingEdge = (Action, Option<u32>);

/// States whose successors are looked up together: enough to have many misses under way.
const TOGETHER: usize = 64;

/// The successors of some states, whose places in the table have been asked for.
struct Waiting<K> {
    keys: Vec<(K, u64)>,
    /// For each state where its successors end, and whether a run may rest there.
    ends: Vec<(usize, bool)>,
}

impl<K> Default for Waiting<K> {
    fn default() -> Waiting<K> {
        Waiting { keys: Vec::new(), ends: Vec::new() }
    }
}

/// One piece of the table, numbered.
struct Piece<K> {
    words: Vec<u64>,
    keys: Vec<K>,
    depths: Vec<u32>,
}

impl<'a, K: Key> StateGraph<'a, K> {
    /// The graph of all states that are stored, with the truth of propositions; `None` if the callback stopped it.
    pub fn new(
        space: &'a dyn Space,
        visited: &'a Visited<K>,
        propositions: &[Formula],
        workers: usize,
        cancellation: &Cancellation<'_>,
    ) -> Option<StateGraph<'a, K>> {
        let shelf = visited.open();
        let pieces = in_parallel(shelf.table.pieces(), workers, |piece| {
            let places = shelf.table.places() as usize / shelf.table.pieces();
            let mut found = Piece { words: vec![0; places / 64], keys: Vec::new(), depths: Vec::new() };
            shelf.table.each_place(piece, |place, key, level| {
                let at = place - piece * places;
                found.words[at / 64] |= 1 << (at % 64);
                found.keys.push(key);
                found.depths.push(level as u32 - 1);
            });
            Some(found)
        })?;
        let len = pieces.iter().map(|piece| piece.keys.len()).sum();
        let (mut words, mut keys, mut depths) =
            (Vec::new(), Vec::with_capacity(len), Vec::with_capacity(len));
        for piece in pieces {
            words.extend(piece.words);
            keys.extend(piece.keys);
            depths.extend(piece.depths);
        }
        let mut state_graph = StateGraph {
            space,
            shelf,
            ranks: Ranks::of(words),
            keys,
            depths,
            steps: Adjacency::new(),
            still: Bits::default(),
            locked: 0,
            truths: Vec::new(),
        };
        state_graph.link(propositions, workers, cancellation)?;
        Some(state_graph)
    }

    /// Lists the steps of all states, and looks at what is true of them.
    fn link(
        &mut self,
        propositions: &[Formula],
        workers: usize,
        cancellation: &Cancellation<'_>,
    ) -> Option<()> {
        let len = self.len();
        let (still, locked) = (SharedBits::none(len), AtomicUsize::new(0));
        let truths: Vec<SharedBits> = propositions.iter().map(|_| SharedBits::none(len)).collect();
        let blocks = in_parallel(len.div_ceil(BLOCK), workers, |block| {
            if cancellation.stopped() {
                return None;
            }
            let (mut cursor, mut steps) = (Cursor::new(self), AdjacencyBlock::new());
            let (mut waiting, mut targets) = (Waiting::default(), Vec::new());
            let states = block * BLOCK..len.min((block + 1) * BLOCK);
            for first in states.clone().step_by(TOGETHER) {
                for state in first..states.end.min(first + TOGETHER) {
                    let rests = cursor.leave(state as u32, &mut waiting);
                    if cursor.locked {
                        locked.fetch_add(1, Ordering::Relaxed);
                    }
                    if rests {
                        still.add(state as u32);
                    }
                    waiting.ends.push((waiting.keys.len(), rests));
                    for (truth, proposition) in truths.iter().zip(propositions) {
                        if proposition.holds(&|atom| self.space.atom(atom, &cursor.row)) {
                            truth.add(state as u32);
                        }
                    }
                }
                let mut start = 0;
                for (state, (end, rests)) in (first..).zip(waiting.ends.drain(..)) {
                    targets.clear();
                    let stored = waiting.keys[start..end].iter();
                    targets.extend(stored.filter_map(|&(key, hash)| self.number(key, hash)));
                    targets.extend(rests.then_some(state as u32));
                    targets.sort_unstable();
                    targets.dedup();
                    steps.push(&targets);
                    start = end;
                }
                waiting.keys.clear();
            }
            Some(steps)
        })?;
        self.steps = Adjacency::of_blocks(blocks);
        self.still = still.frozen();
        self.locked = locked.into_inner();
        self.truths = truths.into_iter().map(SharedBits::frozen).collect();
        Some(())
    }

    /// The number of a stored state.
    #[inline]
    fn number(&self, key: K, hash: u64) -> Option<u32> {
        Some(self.ranks.rank(self.shelf.table.place(key, hash)?))
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The initial states.
    pub fn initial(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&state| self.depths[state as usize] == 0).collect()
    }

    /// The row of a state.
    pub fn row(&self, state: u32) -> Vec<Id> {
        let mut row = vec![0; self.space.shape().slots.len()];
        self.shelf.layout.decode(self.keys[state as usize], &mut row);
        row
    }

    /// The bytes that the graph holds beside the table.
    pub fn bytes(&self) -> u64 {
        let sets: u64 = self.truths.iter().map(Bits::bytes).sum();
        let states = self.keys.len() as u64 * (size_of::<K>() as u64 + 4);
        self.ranks.bytes() + states + self.steps.bytes() + self.still.bytes() + sets
    }
}

/// Looks at states, one after the other, without asking for memory each time.
pub(crate) struct Cursor<'w, 'a, K> {
    state_graph: &'w StateGraph<'a, K>,
    faults: Vec<bool>,
    /// The row of the state.
    pub row: Vec<Id>,
    /// The steps that leave it.
    pub moves: Vec<OutgoingEdge>,
    found: Successors,
    /// Whether time is locked there, and at best a fault can end that.
    pub locked: bool,
}

impl<'w, 'a, K: Key> Cursor<'w, 'a, K> {
    pub fn new(state_graph: &'w StateGraph<'a, K>) -> Cursor<'w, 'a, K> {
        let shape = state_graph.space.shape();
        let faults = shape.classes.iter().map(|class| class.role == Role::Fault).collect();
        let (moves, found) = (Vec::new(), Successors::new());
        Cursor { state_graph, faults, row: vec![0; shape.slots.len()], moves, found, locked: false }
    }

    /// Goes to a state; whether a run may rest there, or time may pass and change nothing.
    pub fn go(&mut self, state: u32) -> bool {
        let rests = self.expand(state);
        let state_graph = self.state_graph;
        let (base, Shelf { layout, table, .. }) = (state_graph.keys[state as usize], &*state_graph.shelf);
        let target = |edits: &[Edit]| {
            let key = layout.edited(base, edits)?;
            state_graph.number(key, table.hash(key))
        };
        self.moves.clear();
        self.moves.extend(self.found.iter().map(|(action, edits)| (action, target(edits))));
        rests
    }

    /// The same without the moves: the states that it leads to wait until their places in the table have come near.
    fn leave(&mut self, state: u32, waiting: &mut Waiting<K>) -> bool {
        let rests = self.expand(state);
        let (base, Shelf { layout, table, .. }) =
            (self.state_graph.keys[state as usize], &*self.state_graph.shelf);
        for (_, edits) in self.found.iter() {
            if let Some(key) = layout.edited(base, edits) {
                let hash = table.hash(key);
                table.prefetch(hash);
                waiting.keys.push((key, hash));
            }
        }
        rests
    }

    fn expand(&mut self, state: u32) -> bool {
        let state_graph = self.state_graph;
        state_graph.shelf.layout.decode(state_graph.keys[state as usize], &mut self.row);
        self.found.clear();
        state_graph.space.expand(&self.row, &mut self.found);
        let cut = !self.found.cuts().is_empty();
        let only_faults = self.found.iter().all(|(action, _)| self.faults[usize::from(action.class())]);
        let rests = rests(state_graph.space, &self.row, cut, only_faults);
        self.locked = only_faults && !cut && !rests;
        rests
    }
}

/// Whether a run may stay in a row for ever: nothing but faults can happen there and time, if there is any, is
/// not held up; or time passes there and changes nothing.
pub(crate) fn rests(space: &dyn Space, row: &[Id], cut: bool, only_faults: bool) -> bool {
    let timed = space.shape().time.is_some();
    let ends = only_faults && !cut && !(timed && space.stuck(row) == Stuck::Timelock);
    ends || timed && space.idles(row)
}

/// Does every part of a work, and puts the results in order; `None` if one of them has none.
pub(crate) fn in_parallel<T: Send>(
    parts: usize,
    workers: usize,
    work: impl Fn(usize) -> Option<T> + Sync,
) -> Option<Vec<T>> {
    let done = over_pieces(workers.min(parts), parts, Vec::new, |done, part| done.push((part, work(part))));
    let mut all: Vec<(usize, Option<T>)> = done.into_iter().flatten().collect();
    all.sort_by_key(|(part, _)| *part);
    all.into_iter().map(|(_, result)| result).collect()
}
