//! Breadth-first search where states have zones: a state is not looked at if one that is equal but for a
//! larger zone is known, since whatever can follow it can follow the larger one too. Depth by depth: what a
//! depth leads to is put in only when all of it is expanded, and only the zones that no other one includes. So
//! a deeper zone never takes the place of a nearer one that is not expanded yet, counterexamples are
//! shortest, and which zones are expanded and stored does not depend on the order of the search.

mod antichains;
mod keys;
mod meter;
mod pairs;
mod shard;
mod worker;

use crate::level_report::LevelReport;
use crate::search::{ProgressCallback, Search, Strategy};
use crate::search_result::{SearchEnd, SearchResult, cut_away};
use crate::threads::in_threads;
use crate::verdict::Figures;
use antichains::MeasuredZone;
use keys::SHARDS;
use meter::Meter;
use shard::{Batch, Candidate, Shard, Survivor};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use watchkeeper_logic::{Ledger, Limit, Question, Stats};
use watchkeeper_space::{Id, Space, Zones};
use worker::{SubsumptionLevel, SubsumptionWorker, WorkerBuffers};

/// Below this many nodes a depth is not worth starting threads for.
const WORTH_THREADS: usize = 512;
/// Below this many candidates it is not worth starting threads to put them in.
const WORTH_THREADS_PUT_IN: usize = 8192;
/// The nodes that one worker takes at a time, at least and at most.
const CHUNKS: (usize, usize) = (32, 512);
/// Candidates stored between two checks of memory and calls of the callback.
const LOOK_EVERY: usize = 4096;
/// The parent of an initial state.
const NONE: u32 = u32::MAX;

/// A zone that was expanded, or is to be; it stays on the way back even when a larger one has displaced it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The number of its key across all shards.
    key: u32,
    zone: Id,
    /// Its place among the nodes one depth less.
    parent: u32,
}

impl Node {
    /// Writes its row.
    fn read(self, shards: &[Shard], zone_slot: usize, row: &mut [Id]) {
        let (shard, key) = keys::within(self.key);
        keys::unpack(shards[shard].keys.get(key), zone_slot, row);
        row[zone_slot] = self.zone;
    }
}

impl From<&Survivor> for Node {
    fn from(survivor: &Survivor) -> Node {
        Node { key: survivor.key, zone: survivor.zone, parent: survivor.parent }
    }
}

/// Searches breadth-first a space whose zones are in this slot.
pub(crate) fn subsumption(
    space: &dyn Space,
    (zone_slot, zones): (usize, &dyn Zones),
    question: &Question,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> SearchResult {
    let meter = Meter::new(callback, search.max_bytes);
    let shards = (0..SHARDS).map(|_| Shard::new()).collect();
    let buffers = (0..search.workers.max(1)).map(|_| WorkerBuffers::new()).collect();
    let (levels, ledger) = (Vec::new(), Ledger::open());
    let mut run = SubsumptionSearch {
        space,
        zones,
        question,
        search,
        zone_slot,
        meter,
        shards,
        buffers,
        levels,
        ledger,
    };
    run.start();
    run.run()
}

/// One search.
struct SubsumptionSearch<'a> {
    space: &'a dyn Space,
    zones: &'a dyn Zones,
    question: &'a Question,
    search: &'a Search,
    zone_slot: usize,
    meter: Meter<'a>,
    shards: Vec<Shard>,
    buffers: Vec<WorkerBuffers>,
    /// The nodes of each depth, in the order in which one thread finds them.
    levels: Vec<Vec<Node>>,
    ledger: Ledger,
}

impl SubsumptionSearch<'_> {
    /// Puts the initial states in.
    fn start(&mut self) {
        let mut name = Vec::new();
        for (turn, row) in self.space.initial().iter().enumerate() {
            name.clear();
            keys::pack(row, self.zone_slot, &mut name);
            let hash = keys::hash(&name);
            let zone = MeasuredZone::new(self.zones, row[self.zone_slot]);
            let candidate = Candidate { key: 0, parent: NONE, turn: turn as u32, zone };
            self.buffers[0].batches[keys::shard_of(hash)].add_named(candidate, &name, hash);
        }
        let held = self.shards.iter().map(Shard::held).sum::<usize>();
        self.meter.holds(0, held + self.buffers.iter().map(WorkerBuffers::held).sum::<usize>());
        self.put_in();
    }

    fn run(mut self) -> SearchResult {
        let mut all = LevelReport::new(self.space, self.question);
        let mut stats = Stats { workers: self.search.workers, ..Stats::default() };
        let violation = loop {
            let depth = stats.level_sizes.len() as u64;
            stats.level_sizes.push(self.levels.last().map_or(0, Vec::len) as u64);
            stats.distinct_states = self.len();
            let mut report = self.expand(depth);
            if let Some(bad) = report.violation.take() {
                all = all.join(report.without_steps());
                let path = self.path_to(&bad.row);
                break Some((bad, path));
            }
            self.ledger.expands(report.expanded, report.steps, report.settled);
            all = all.join(report);
            if self.meter.stop.reason().is_none() && !self.is_last(depth) {
                let settled = self.put_in();
                self.ledger.settles(settled);
            }
            if let Some(limit) = self.meter.stop.reason() {
                stats.distinct_states = self.len();
                self.ledger.limits(limit);
                break None;
            }
            if self.is_last(depth) {
                self.ledger.limits(Limit::Depth(depth));
                break None;
            }
            if let Some(most) = self.search.max_states.filter(|&most| self.len() > most) {
                self.ledger.limits(Limit::States(most));
                break None;
            }
            if self.levels.last().is_none_or(Vec::is_empty) {
                break None;
            }
        };
        let asked = self.question.query();
        let mut ledger = std::mem::take(&mut self.ledger);
        cut_away(self.space.shape(), &all.cuts, &asked).into_iter().for_each(|limit| ledger.limits(limit));
        let end =
            violation.map_or_else(|| SearchEnd::of(ledger), |(bad, path)| SearchEnd::Violation(bad, path));
        stats.transitions = all.steps;
        stats.peak_bytes = self.meter.peak();
        let nodes: usize = self.levels.iter().map(|level| level.capacity() * size_of::<Node>()).sum();
        let held = self.shards.iter().map(Shard::held).sum::<usize>() + nodes;
        stats.bytes_per_state = held as f64 / (self.len() as f64).max(1.0);
        let cut = cut_away(self.space.shape(), &all.cuts, &asked).is_some();
        SearchResult { end, figures: Figures { counts: all.counts.to_vec(), spoke: all.spoke, stats }, cut }
    }

    /// The number of zones stored.
    fn len(&self) -> u64 {
        self.shards.iter().map(Shard::len).sum()
    }

    /// Whether nodes of this depth are the last to be expanded.
    fn is_last(&self, depth: u64) -> bool {
        matches!(self.search.strategy, Strategy::Breadth { max_depth: Some(most) } if depth >= most)
    }

    /// Expands all nodes of a depth.
    fn expand(&mut self, depth: u64) -> LevelReport {
        let nodes = self.levels.last().map_or(&[][..], Vec::as_slice);
        self.meter.depth.store(depth, Ordering::Relaxed);
        self.meter.queue.store(nodes.len() as u64, Ordering::Relaxed);
        let alone = nodes.len() < WORTH_THREADS && !self.search.hooks.threads;
        let workers = if alone { 1 } else { self.buffers.len() };
        let chunk = match self.search.hooks.threads {
            true => 1,
            false => (nodes.len() / (16 * workers)).clamp(CHUNKS.0, CHUNKS.1),
        };
        let level = SubsumptionLevel {
            space: self.space,
            zones: self.zones,
            question: self.question,
            zone_slot: self.zone_slot,
            shards: &self.shards,
            nodes,
            next: AtomicUsize::new(0),
            chunk,
            discard: AtomicBool::new(self.is_last(depth)),
            meter: &self.meter,
        };
        let level = &level;
        let buffers = Mutex::new(self.buffers[..workers].iter_mut());
        let job = || {
            let own = buffers.lock().unwrap_or_else(PoisonError::into_inner).next();
            own.map(|own| SubsumptionWorker::new(level, own).run())
        };
        let reports = in_threads(workers, job).into_iter().flatten();
        reports.fold(LevelReport::new(self.space, self.question), LevelReport::join)
    }

    /// Puts in what was found at a depth, and makes it the next one; how many candidates were put in, each of which is
    /// stored now or subsumed by what is.
    fn put_in(&mut self) -> u64 {
        let found: usize = self.buffers.iter().flat_map(|own| &own.batches).map(Batch::len).sum();
        let alone = found < WORTH_THREADS_PUT_IN && !self.search.hooks.threads;
        let workers = if alone { 1 } else { self.buffers.len() };
        let every = if self.search.hooks.threads { 1 } else { LOOK_EVERY };
        let put = AtomicUsize::new(0);
        let (space, zones) = (self.space, self.zones);
        let (meter, buffers) = (&self.meter, &self.buffers);
        let shards = Mutex::new(self.shards.iter_mut().enumerate());
        let job = || {
            let (mut pile, mut survivors, mut since) = (Vec::new(), Vec::new(), 0);
            while !meter.stop.is_set() {
                let next = shards.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((number, shard)) = next else { break };
                let batches = || buffers.iter().map(|own| &own.batches[number]);
                since += batches().map(Batch::len).sum::<usize>();
                let (held, stored) = (shard.held(), shard.len());
                if since >= every {
                    since = 0;
                    // Every part of the shard may be about to grow to twice its size.
                    meter.look(space.bytes(), 2 * held);
                }
                shard.put_in(number, batches(), zones, &mut pile, &mut survivors);
                put.fetch_add(batches().map(Batch::len).sum::<usize>(), Ordering::Relaxed);
                meter.holds(held, shard.held());
                meter.stored.fetch_add(shard.len().wrapping_sub(stored), Ordering::Relaxed);
            }
            survivors
        };
        let mut survivors: Vec<Survivor> = in_threads(workers, job).concat();
        // As one thread would have found them, whatever the number of threads.
        survivors.sort_unstable_by_key(|survivor| (survivor.parent, survivor.turn));
        let nodes: Vec<Node> = survivors.iter().map(Node::from).collect();
        self.meter.holds(0, nodes.capacity() * size_of::<Node>());
        self.ledger.stores(nodes.len() as u64);
        self.levels.push(nodes);
        self.buffers.iter_mut().flat_map(|own| &mut own.batches).for_each(Batch::clear);
        put.into_inner() as u64
    }

    /// The path to a row of the last depth.
    fn path_to(&self, row: &[Id]) -> Vec<Vec<Id>> {
        let is_row = |node: &Node| {
            let mut other = vec![0; row.len()];
            node.zone == row[self.zone_slot] && {
                node.read(&self.shards, self.zone_slot, &mut other);
                other == row
            }
        };
        let mut path = Vec::new();
        let mut at = self.levels.last().and_then(|nodes| nodes.iter().position(is_row));
        for nodes in self.levels.iter().rev() {
            let node = nodes[at.expect("every node but the first ones has a parent")];
            let mut row = vec![0; row.len()];
            node.read(&self.shards, self.zone_slot, &mut row);
            path.push(row);
            at = (node.parent != NONE).then_some(node.parent as usize);
        }
        path.reverse();
        path
    }
}
