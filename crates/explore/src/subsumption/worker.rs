//! One thread of a subsumption search at one depth: it expands nodes and keeps the successors that nothing
//! stored includes. It only reads the store, so that what it finds does not depend on the other threads.

use super::keys::{self, SHARDS};
use super::meter::Meter;
use super::shard::{Batch, Candidate, Lookup, Shard};
use super::{MeasuredZone, Node};
use crate::level_report::LevelReport;
use crate::state_checker::StateChecker;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use watchkeeper_logic::Question;
use watchkeeper_space::{Action, Edit, Id, Space, Successors, Zones};

/// Successors looked up together: enough to have many misses under way.
const BATCH: usize = 64;
/// Successors remembered by each worker; few enough for the second-level cache.
const RECENT: usize = 1 << 14;
/// No key with no zone: a shard has fewer keys.
const NOTHING: u64 = u64::MAX;

/// What a worker keeps from one depth to the next.
pub(super) struct WorkerBuffers {
    /// What was found, by shard.
    pub batches: Vec<Batch>,
    /// Keys with zones that are known to be subsumed or to be among the candidates. Most successors are
    /// reached more than once, and a subsumed one would have to be compared with many zones each time.
    recent: Vec<u64>,
}

impl WorkerBuffers {
    /// Nothing found.
    pub fn new() -> WorkerBuffers {
        let batches = (0..SHARDS).map(|_| Batch::default()).collect();
        WorkerBuffers { batches, recent: vec![NOTHING; RECENT] }
    }

    /// The bytes of memory that it holds.
    pub fn held(&self) -> usize {
        self.batches.iter().map(Batch::held).sum::<usize>() + 8 * self.recent.capacity()
    }
}

/// A successor that is still to be looked up.
#[derive(Clone, Copy)]
struct Waiting {
    hash: u64,
    zone: Id,
    parent: u32,
    turn: u32,
    /// Where its name ends.
    end: u32,
    /// The number of its key in its shard, once it is known that it has one.
    key: Option<u32>,
}

/// What the workers of one depth share.
pub(super) struct SubsumptionLevel<'a> {
    pub space: &'a dyn Space,
    pub zones: &'a dyn Zones,
    pub question: &'a Question,
    pub zone_slot: usize,
    pub shards: &'a [Shard],
    pub nodes: &'a [Node],
    /// The first node that nobody has taken yet.
    pub next: AtomicUsize,
    /// How many nodes a worker takes at a time.
    pub chunk: usize,
    /// Set when what is found at the next depth is of no interest any more.
    pub discard: AtomicBool,
    pub meter: &'a Meter<'a>,
}

/// One thread at one depth.
pub(super) struct SubsumptionWorker<'l> {
    level: &'l SubsumptionLevel<'l>,
    own: &'l mut WorkerBuffers,
    /// The row that is being expanded, and one that it leads to.
    before: Vec<Id>,
    after: Vec<Id>,
    waiting: Vec<Waiting>,
    /// The keys of those that wait, packed.
    names: Vec<u8>,
    parent: u32,
    /// Steps of this row so far.
    turn: u32,
    /// Whether an action other than a fault is possible in it, or a cap cut one away.
    moves: bool,
    progress: [bool; 256],
    checker: StateChecker<'l>,
    report: LevelReport,
}

impl<'l> SubsumptionWorker<'l> {
    /// A worker with nothing done.
    pub fn new(level: &'l SubsumptionLevel<'l>, own: &'l mut WorkerBuffers) -> SubsumptionWorker<'l> {
        let shape = level.space.shape();
        let mut progress = [true; 256];
        progress[..shape.classes.len()].copy_from_slice(&shape.progress());
        SubsumptionWorker {
            level,
            own,
            before: vec![0; shape.slots.len()],
            after: vec![0; shape.slots.len()],
            waiting: Vec::with_capacity(BATCH),
            names: Vec::new(),
            parent: 0,
            turn: 0,
            moves: false,
            progress,
            checker: StateChecker::new(level.space, level.question),
            report: LevelReport::new(level.space, level.question),
        }
    }

    /// Works until the depth is done or the stop signal is set.
    pub fn run(mut self) -> LevelReport {
        let SubsumptionLevel { nodes, meter, chunk, .. } = *self.level;
        let mut row = vec![0; self.before.len()];
        let (mut held, mut found) = (self.own.held(), Successors::new());
        while !meter.stop.is_set() {
            let first = self.level.next.fetch_add(chunk, Ordering::Relaxed);
            if first >= nodes.len() {
                break;
            }
            let end = nodes.len().min(first + chunk);
            let steps = self.report.steps;
            (first..end).for_each(|node| self.expand(node as u32, &mut row, &mut found));
            self.flush();
            meter.transitions.fetch_add(self.report.steps - steps, Ordering::Relaxed);
            meter.queue.fetch_sub((end - first) as u64, Ordering::Relaxed);
            let holds = self.own.held();
            meter.holds(held, holds);
            held = holds;
            // The batches may be about to grow to twice their size.
            meter.look(self.level.space.bytes(), held);
        }
        self.report.checked_by(self.checker)
    }

    fn expand(&mut self, node: u32, row: &mut [Id], found: &mut Successors) {
        self.level.nodes[node as usize].read(self.level.shards, self.level.zone_slot, row);
        self.before.copy_from_slice(row);
        self.after.copy_from_slice(row);
        (self.parent, self.turn, self.moves) = (node, 0, false);
        let mut fine = self.checker.state(row);
        found.clear();
        self.level.space.expand(row, found);
        found.iter().for_each(|(action, edits)| self.step(action, edits));
        found.tallies().iter().for_each(|&(_, class)| self.report.counts[class as usize] += 1);
        found.cuts().iter().for_each(|&cap| self.report.cuts[cap] += 1);
        self.moves |= !found.cuts().is_empty();
        self.report.steps += u64::from(self.turn);
        self.report.expanded += 1;
        if !self.moves {
            fine &= self.checker.stuck(row);
        }
        if !fine {
            self.level.discard.store(true, Ordering::Relaxed);
        }
    }

    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.moves |= self.progress[action.class() as usize];
        self.report.counts[action.class() as usize] += 1;
        if !self.level.discard.load(Ordering::Relaxed) {
            edits.iter().for_each(|edit| self.after[edit.slot as usize] = edit.id);
            self.wait();
            edits.iter().for_each(|edit| self.after[edit.slot as usize] = self.before[edit.slot as usize]);
        }
        self.turn += 1;
    }

    /// Keeps the row in `after` for looking it up.
    fn wait(&mut self) {
        let (zone_slot, start) = (self.level.zone_slot, self.names.len());
        keys::pack(&self.after, zone_slot, &mut self.names);
        let (hash, end) = (keys::hash(&self.names[start..]), self.names.len() as u32);
        let (zone, parent, turn) = (self.after[zone_slot], self.parent, self.turn);
        self.waiting.push(Waiting { hash, zone, parent, turn, end, key: None });
        if self.waiting.len() == BATCH {
            self.flush();
        }
    }

    /// Looks all up that wait, and keeps those that are not subsumed. First it glances at what will be looked
    /// at, for all of them: these looks do not wait for each other, so that their misses overlap.
    fn flush(&mut self) {
        let SubsumptionLevel { zones, shards, .. } = *self.level;
        let shard = |waiting: &Waiting| &shards[keys::shard_of(waiting.hash)];
        let glances = self.waiting.iter().fold(0, |all, it| all ^ shard(it).keys.glance(it.hash));
        black_box(glances);
        let glances = self.waiting.iter().fold(0, |all, it| all ^ shard(it).keys.glance_at_row(it.hash));
        black_box(glances);
        let mut start = 0;
        for it in &mut self.waiting {
            let name = &self.names[start..it.end as usize];
            it.key = shard(it).keys.find(name, it.hash);
            start = it.end as usize;
        }
        let stored = |it: &Waiting| it.key.map_or(0, |key| shard(it).stored.glance(key, it.zone));
        black_box(self.waiting.iter().fold(0, |all, it| all ^ stored(it)));
        let mut start = 0;
        for it in &self.waiting {
            let (number, name) = (keys::shard_of(it.hash), &self.names[start..it.end as usize]);
            start = it.end as usize;
            let batch = &mut self.own.batches[number];
            let candidate = |zone| Candidate { key: 0, parent: it.parent, turn: it.turn, zone };
            let Some(key) = it.key else {
                batch.add_named(candidate(MeasuredZone::new(zones, it.zone)), name, it.hash);
                continue;
            };
            let pair = u64::from(keys::across(number, key)) << 32 | u64::from(it.zone);
            let seen = &mut self.own.recent[keys::mix(pair) as usize % RECENT];
            if std::mem::replace(seen, pair) == pair {
                self.report.settled += 1;
                continue;
            }
            match shards[number].look_up(key, it.zone, zones) {
                Lookup::Fresh(zone) => batch.add(Candidate { key, ..candidate(zone) }),
                Lookup::Covered => self.report.settled += 1,
            }
        }
        self.waiting.clear();
        self.names.clear();
    }
}
