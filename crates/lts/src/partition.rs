//! Partition refinement by signatures (Blom and Orzan 2003). States of one block stay together while they have the same signature:
//! the labels of their transitions with the blocks that these lead to. For branching bisimulation internal steps within the block
//! are left out, and the signature of a state has those of the states that they lead to in it.
//!
//! Only signatures that can have changed are worked out again. When a block is split, its largest part keeps the number, so a
//! state changes its number a logarithmic number of times only, and a signature that has changed has a fresh number in it: the
//! states of a block whose signatures have not changed form one part without being looked at. Rounds are synchronous: after
//! round k two states are together just if k rounds of the definition cannot tell them apart, which formulas rely on.

use crate::labels::TAU;
use crate::lts::{Lts, LtsEdge, Sources};
use crate::signatures::SignatureTable;

/// What is taken for a transition of a state that stands for a cycle of internal steps.
pub(crate) const DIVERGES: u64 = u64::MAX;

/// What is refined.
#[derive(Clone, Copy)]
pub(crate) struct RefinementTask<'a> {
    /// The system; for branching bisimulation, every internal step leads to a smaller number.
    pub lts: &'a Lts,
    /// Whether internal steps within a block are left out.
    pub branching: bool,
    /// The states that diverge, if that is to be told apart.
    pub divergent: Option<&'a [bool]>,
    /// Whether to remember how blocks were split.
    pub remember: bool,
}

/// The coarsest partition that is stable.
pub(crate) struct Partition {
    /// The block of each state.
    pub block: Vec<u32>,
    /// The number of blocks.
    pub blocks: usize,
    /// How blocks were split, if that was to be remembered.
    pub splits: SplitTree,
}

/// How blocks were split: a tree of classes, whose root is the class of all states.
#[derive(Default)]
pub(crate) struct SplitTree {
    /// The classes, each after its parent.
    pub classes: Vec<SplitClass>,
    /// The class of each block.
    pub of_block: Vec<u32>,
}

/// A class of states that some rounds cannot tell apart.
pub(crate) struct SplitClass {
    /// The class that it is a part of; the root is its own.
    pub parent: u32,
    /// The round that made it.
    pub round: u32,
    /// One of its states.
    pub state: u32,
}

/// The transition of a signature: a label and a block.
pub(crate) fn entry(label: u32, block: u32) -> u64 {
    u64::from(label) << 32 | u64::from(block)
}

/// The states of a block stand side by side, those first whose signatures can have changed.
#[derive(Clone, Copy)]
struct Block {
    begin: u32,
    end: u32,
    dirty: u32,
}

/// A block that is split at the end of the round: its parts are these groups, and what was not looked at.
struct Split {
    block: u32,
    first_group: usize,
    groups: usize,
}

struct Group {
    begin: u32,
    end: u32,
    signature: Box<[u64]>,
}

struct PartitionRefinement<'a> {
    task: RefinementTask<'a>,
    /// The sources of all transitions, or for branching bisimulation of those that can be seen.
    sources: Sources,
    /// The sources of internal steps, for branching bisimulation.
    silent: Option<Sources>,
    block: Vec<u32>,
    order: Vec<u32>,
    place: Vec<u32>,
    blocks: Vec<Block>,
    /// The signature of the states of each block that were not looked at since, for branching bisimulation.
    common: Vec<Box<[u64]>>,
    /// The signature of each state that is looked at, as the table of its block numbers it.
    number: Vec<u32>,
    signatures: SignatureTable,
    waiting: Vec<u32>,
    splits: SplitTree,
}

/// The coarsest stable partition of a system.
pub(crate) fn partition(task: RefinementTask<'_>) -> Partition {
    let states = task.lts.states() as u32;
    let branching = task.branching;
    let sources = task.lts.sources(|edge| !branching || edge.label != TAU);
    let silent = branching.then(|| task.lts.sources(|edge| edge.label == TAU));
    let mut refinement = PartitionRefinement {
        task,
        sources,
        silent,
        block: vec![0; states as usize],
        order: (0..states).collect(),
        place: (0..states).collect(),
        blocks: vec![Block { begin: 0, end: states, dirty: states }],
        common: vec![Box::default()],
        number: if branching { vec![0; states as usize] } else { Vec::new() },
        signatures: SignatureTable::default(),
        waiting: vec![0],
        splits: SplitTree::default(),
    };
    if task.remember {
        refinement.splits.classes.push(SplitClass { parent: 0, round: 0, state: 0 });
        refinement.splits.of_block.push(0);
    }
    let mut rounds = 0;
    while !refinement.waiting.is_empty() {
        rounds += 1;
        refinement.round(rounds);
    }
    let PartitionRefinement { block, blocks, splits, .. } = refinement;
    Partition { block, blocks: blocks.len(), splits }
}

impl PartitionRefinement<'_> {
    fn round(&mut self, round: u32) {
        let (mut splits, mut groups) = (Vec::new(), Vec::new());
        for block in std::mem::take(&mut self.waiting) {
            self.split(block, &mut splits, &mut groups);
        }
        let mut moved: Vec<(u32, u32)> = Vec::new();
        for split in splits {
            self.apply(&split, &mut groups, round, &mut moved);
        }
        for (state, from) in moved {
            self.mark_around(state, from);
        }
    }

    /// Works out the signatures of a block that can have changed, and puts equal ones side by side.
    fn split(&mut self, block: u32, splits: &mut Vec<Split>, groups: &mut Vec<Group>) {
        if self.task.branching {
            self.close(block);
        }
        let Block { begin, end, dirty } = self.blocks[block as usize];
        self.blocks[block as usize].dirty = 0;
        let dirty_end = begin + dirty;
        let mut numbers = self.sign(block, begin, dirty_end);
        let found = self.signatures.len();
        if found == 1 && dirty_end == end {
            self.common[block as usize] =
                if self.task.branching { self.signatures.get(0).into() } else { Box::default() };
            return;
        }
        let first_group = groups.len();
        // A counting sort by signature.
        let mut ends = vec![0u32; found + 1];
        numbers.iter().for_each(|(number, _)| ends[*number as usize + 1] += 1);
        (0..found).for_each(|at| ends[at + 1] += ends[at]);
        for number in 0..found {
            let (begin, end) = (begin + ends[number], begin + ends[number + 1]);
            let signature =
                if self.task.branching { self.signatures.get(number as u32).into() } else { Box::default() };
            groups.push(Group { begin, end, signature });
        }
        for (number, state) in numbers.drain(..) {
            let at = begin + ends[number as usize];
            ends[number as usize] += 1;
            self.order[at as usize] = state;
            self.place[state as usize] = at;
        }
        splits.push(Split { block, first_group, groups: found });
    }

    /// For branching bisimulation a signature can have changed too where an internal step within the block leads to one that
    /// can.
    fn close(&mut self, block: u32) {
        let Some(silent) = self.silent.take() else { return };
        let mut at = self.blocks[block as usize].begin;
        while at < self.blocks[block as usize].begin + self.blocks[block as usize].dirty {
            for &from in silent.of(self.order[at as usize]) {
                if self.block[from as usize] == block {
                    self.mark(from);
                }
            }
            at += 1;
        }
        self.silent = Some(silent);
    }

    /// The signatures of the states at these places, by their numbers in the table.
    fn sign(&mut self, block: u32, begin: u32, end: u32) -> Vec<(u32, u32)> {
        let RefinementTask { lts, branching, divergent, .. } = self.task;
        let dirty = &mut self.order[begin as usize..end as usize];
        // Internal steps lead to smaller numbers, so what they lead to comes first.
        if branching {
            dirty.sort_unstable();
            (begin..).zip(dirty.iter()).for_each(|(at, &state)| self.place[state as usize] = at);
        }
        self.signatures.clear(dirty.len());
        let mut numbers = Vec::with_capacity(dirty.len());
        for &state in &*dirty {
            let new = self.signatures.begin();
            for &LtsEdge { label, to } in lts.of(state) {
                let target = self.block[to as usize];
                if !(branching && label == TAU && target == block) {
                    new.push(entry(label, target));
                }
            }
            if divergent.is_some_and(|divergent| divergent[state as usize]) {
                new.push(DIVERGES);
            }
            if branching {
                for edge in lts.silently(state).iter().filter(|edge| self.block[edge.to as usize] == block) {
                    let place = self.place[edge.to as usize];
                    if place < end {
                        self.signatures.include(self.number[edge.to as usize]);
                    } else {
                        self.signatures.include_all(&self.common[block as usize]);
                    }
                }
            }
            let number = self.signatures.end();
            if branching {
                self.number[state as usize] = number;
            }
            numbers.push((number, state));
        }
        numbers
    }

    /// Gives the parts of a block their numbers: the largest keeps the one of the block.
    fn apply(&mut self, split: &Split, groups: &mut [Group], round: u32, moved: &mut Vec<(u32, u32)>) {
        let groups = &mut groups[split.first_group..split.first_group + split.groups];
        let Block { begin, end, .. } = self.blocks[split.block as usize];
        let rest = groups.last().map_or(begin, |last| last.end);
        let largest = (0..groups.len()).max_by_key(|&at| groups[at].end - groups[at].begin).unwrap_or(0);
        let rest_keeps = end - rest >= groups[largest].end - groups[largest].begin;
        let common = std::mem::take(&mut self.common[split.block as usize]);
        let parent = self.splits.of_block.get(split.block as usize).copied();
        for (at, group) in groups.iter_mut().enumerate() {
            let signature = std::mem::take(&mut group.signature);
            let keeps = !rest_keeps && at == largest;
            self.part(split.block, (group.begin, group.end), keeps, signature, (round, parent), moved);
        }
        if rest < end {
            self.part(split.block, (rest, end), rest_keeps, common, (round, parent), moved);
        }
    }

    fn part(
        &mut self,
        block: u32,
        (begin, end): (u32, u32),
        keeps: bool,
        signature: Box<[u64]>,
        (round, parent): (u32, Option<u32>),
        moved: &mut Vec<(u32, u32)>,
    ) {
        let part = Block { begin, end, dirty: 0 };
        let number = if keeps { block } else { self.blocks.len() as u32 };
        if keeps {
            self.blocks[block as usize] = part;
            self.common[block as usize] = signature;
        } else {
            self.blocks.push(part);
            self.common.push(signature);
            for &state in &self.order[begin as usize..end as usize] {
                self.block[state as usize] = number;
                moved.push((state, block));
            }
        }
        if let Some(parent) = parent {
            let class = self.splits.classes.len() as u32;
            self.splits.classes.push(SplitClass { parent, round, state: self.order[begin as usize] });
            if keeps {
                self.splits.of_block[block as usize] = class;
            } else {
                self.splits.of_block.push(class);
            }
        }
    }

    /// Marks the states whose signatures change because a state has moved from one block to another.
    fn mark_around(&mut self, state: u32, from: u32) {
        let block = self.block[state as usize];
        for at in 0..self.sources.of(state).len() {
            self.mark(self.sources.of(state)[at]);
        }
        let Some(silent) = self.silent.take() else { return };
        for &source in silent.of(state) {
            // An internal step within a block was none of a signature, and is none where both have moved.
            if self.block[source as usize] != block {
                self.mark(source);
            }
        }
        self.silent = Some(silent);
        // A step that was within the block, and whose target stayed, is one of the signature now.
        if self.task.lts.silently(state).iter().any(|edge| self.block[edge.to as usize] == from) {
            self.mark(state);
        }
    }

    fn mark(&mut self, state: u32) {
        let number = self.block[state as usize];
        let block = &mut self.blocks[number as usize];
        let (place, front) = (self.place[state as usize], block.begin + block.dirty);
        if place < front || block.end - block.begin == 1 {
            return;
        }
        if block.dirty == 0 {
            self.waiting.push(number);
        }
        block.dirty += 1;
        let other = self.order[front as usize];
        self.order.swap(place as usize, front as usize);
        self.place[other as usize] = place;
        self.place[state as usize] = front;
    }
}
