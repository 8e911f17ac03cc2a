//! One thread of a search on disk. It takes blocks of the present depth, expands their states, and gathers the successors
//! that it has not met not long ago.

use super::candidates::{FoundKeys, Sizes};
use super::layouts::{DiskKey, Layouts, TooWide};
use crate::layout::KeyLayout;
use crate::level_report::LevelReport;
use crate::search::{Progress, ProgressCallback};
use crate::state_checker::StateChecker;
use crate::stop_signal::StopSignal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use watchkeeper_disk::{AsWritten, DiskError, RunCursor, RunFile, SortedRun};
use watchkeeper_logic::{Limit, Question};
use watchkeeper_space::{Action, Edit, Id, Space, Successors, apply};

/// Why a search ends before its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// A limit of the user.
    Limit(Limit),
    /// The keys are too narrow for this space.
    TooWide,
    /// States that were stored cannot be read.
    Disk,
}

/// Spreads keys over the places where they are remembered.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The data that the workers of one depth share.
pub(super) struct Depth<'a, K> {
    pub space: &'a dyn Space,
    pub question: &'a Question,
    pub layouts: &'a Layouts,
    pub sizes: Sizes,
    /// The states of this depth.
    pub now: &'a SortedRun<K>,
    /// The next block of them that nobody has taken.
    pub next: AtomicUsize,
    /// States that nobody has expanded yet.
    pub left: AtomicU64,
    pub candidates: FoundKeys<'a, K>,
    /// Set when the successors are not needed any more.
    pub discard: AtomicBool,
    pub meter: &'a DepthMeter<'a>,
}

/// What limits a search, and what it holds.
pub(super) struct DepthMeter<'a> {
    pub callback: &'a dyn ProgressCallback,
    pub stop: StopSignal<Halt>,
    /// The first error of the disk.
    pub trouble: Mutex<Option<DiskError>>,
    pub space: &'a dyn Space,
    pub max_bytes: Option<u64>,
    /// Bytes of memory that do not change at this depth, apart from those of the space.
    pub fixed: u64,
    /// The most bytes held.
    pub peak: AtomicU64,
    pub depth: u64,
    pub distinct: u64,
    pub transitions: u64,
    /// Transitions of this depth, when it has been expanded.
    pub steps: AtomicU64,
    pub look_every: u64,
}

impl DepthMeter<'_> {
    /// Remembers that the disk failed.
    pub fn fails(&self, error: DiskError) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Checks the memory and calls the callback; whether the search goes on. `held` bytes are held beside what is fixed.
    pub fn look(&self, held: u64, found: u64, steps: u64, queue: u64) -> bool {
        let bytes = self.fixed + held + self.space.bytes() as u64;
        self.peak.fetch_max(bytes, Ordering::Relaxed);
        if let Some(most) = self.max_bytes.filter(|&most| bytes > most) {
            self.stop.set(Halt::Limit(Limit::Memory(most)));
        }
        let distinct_states = self.distinct + found;
        let transitions = self.transitions + steps.max(self.steps.load(Ordering::Relaxed));
        let progress = Progress { distinct_states, transitions, depth: self.depth, queue, bytes };
        if let ControlFlow::Break(limit) = self.callback.on_progress(&progress) {
            self.stop.set(Halt::Limit(limit));
        }
        !self.stop.is_set()
    }

    /// The bytes of memory that are left for candidates.
    pub fn room(&self) -> u64 {
        let taken = self.fixed + self.space.bytes() as u64;
        self.max_bytes.unwrap_or(u64::MAX).saturating_sub(taken) / 2
    }
}

/// What a worker keeps from one depth to the next.
pub(super) struct Desk<K> {
    keys: Vec<K>,
    spare: Vec<K>,
    /// Keys that were successors not long ago, and so are stored or among the candidates; of the layout with this number.
    recent: Vec<K>,
    recent_tag: u32,
}

impl<K: DiskKey> Desk<K> {
    /// An empty one.
    pub fn new(sizes: Sizes) -> Desk<K> {
        let recent = vec![K::NONE; 1 << sizes.recent_bits];
        Desk { keys: Vec::new(), spare: Vec::new(), recent, recent_tag: 0 }
    }

    /// The bytes of memory that it takes.
    pub fn held(&self) -> u64 {
        ((self.keys.capacity() + self.spare.capacity() + self.recent.capacity()) * size_of::<K>()) as u64
    }
}

/// One thread at one depth.
pub(super) struct Expander<'d, 's, K> {
    depth: &'d Depth<'s, K>,
    desk: Desk<K>,
    /// Where candidates go that memory has no room for.
    file: Option<Arc<RunFile>>,
    layout: Arc<KeyLayout>,
    tag: u32,
    /// The state that is being expanded.
    base: K,
    progress: [bool; 256],
    /// Successors with an id that does not fit the layout.
    late: Vec<Vec<Id>>,
    until_look: u64,
    checker: StateChecker<'s>,
    report: LevelReport,
}

impl<'d, 's, K: DiskKey> Expander<'d, 's, K> {
    /// A worker with nothing done.
    pub fn new(depth: &'d Depth<'s, K>, desk: Desk<K>) -> Expander<'d, 's, K> {
        let shape = depth.space.shape();
        let mut progress = [true; 256];
        progress[..shape.classes.len()].copy_from_slice(&shape.progress());
        let (tag, layout) = depth.layouts.now();
        let mut expander = Expander {
            depth,
            desk,
            file: None,
            layout,
            tag,
            base: <K as crate::store::Key>::ZERO,
            progress,
            late: Vec::new(),
            until_look: depth.meter.look_every,
            checker: StateChecker::new(depth.space, depth.question),
            report: LevelReport::new(depth.space, depth.question),
        };
        expander.forget_older();
        expander
    }

    /// Works until the depth is done or the stop signal is set.
    pub fn run(mut self) -> (LevelReport, Desk<K>) {
        let mut cursor = RunCursor::new(self.depth.now, &AsWritten);
        let mut row = vec![0; self.depth.space.shape().slots.len()];
        while !self.depth.meter.stop.is_set() {
            let block = self.depth.next.fetch_add(1, Ordering::Relaxed);
            let Some(tag) = cursor.tag(block) else { break };
            match cursor.block(block) {
                Ok(keys) => self.expand_all(keys, tag, &mut row),
                Err(error) => {
                    // What cannot be read can never be expanded: nothing that follows could be called whole.
                    self.depth.meter.fails(error);
                    self.depth.meter.stop.set(Halt::Disk);
                }
            }
        }
        self.hand_over();
        (self.report.checked_by(self.checker), self.desk)
    }

    fn expand_all(&mut self, keys: &[K], tag: u32, row: &mut [Id]) {
        let layout = self.depth.layouts.at(tag);
        let mut found = Successors::new();
        row.fill(0);
        for &key in keys {
            layout.decode(key, row);
            self.base = match tag == self.tag {
                true => key,
                false => self.layout.encode(row).expect("layouts only grow"),
            };
            let mut fine = self.checker.state(row);
            found.clear();
            self.depth.space.expand(row, &mut found);
            self.report.steps += found.len() as u64;
            self.report.expanded += 1;
            let moves = |(action, _): (Action, &[Edit])| self.progress[action.class() as usize];
            if found.cuts().is_empty() && !found.iter().any(moves) {
                fine &= self.checker.stuck(row);
            }
            found.iter().for_each(|(action, edits)| self.step(action, edits));
            found.tallies().iter().for_each(|&(_, class)| self.report.counts[class as usize] += 1);
            found.cuts().iter().for_each(|&cap| self.report.cuts[cap] += 1);
            if !fine {
                self.depth.discard.store(true, Ordering::Relaxed);
            }
            if !self.late.is_empty() {
                self.widen();
            }
            self.until_look = self.until_look.saturating_sub(found.len() as u64 + 1);
            if self.until_look == 0 && !self.look() {
                break;
            }
        }
        self.depth.left.fetch_sub(keys.len() as u64, Ordering::Relaxed);
    }

    fn look(&mut self) -> bool {
        let depth = self.depth;
        self.until_look = depth.meter.look_every;
        depth.meter.look(depth.candidates.held(), 0, self.report.steps, depth.left.load(Ordering::Relaxed))
    }

    #[inline]
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.report.counts[action.class() as usize] += 1;
        match self.layout.edited(self.base, edits) {
            Some(key) => self.push(key),
            None => self.put_off(edits),
        }
    }

    #[inline]
    fn push(&mut self, key: K) {
        if key == self.base {
            self.report.settled += 1;
            return;
        }
        let (low, high) = key.split();
        let spot = (low ^ high.rotate_left(29)).wrapping_mul(SPREAD) >> (64 - self.depth.sizes.recent_bits);
        let seen = &mut self.desk.recent[spot as usize];
        if *seen == key {
            self.report.settled += 1;
            return;
        }
        *seen = key;
        self.desk.keys.push(key);
        if self.desk.keys.len() >= self.depth.sizes.chunk {
            self.hand_over();
        }
    }

    #[cold]
    fn put_off(&mut self, edits: &[Edit]) {
        let mut row = vec![0; self.depth.space.shape().slots.len()];
        self.layout.decode(self.base, &mut row);
        self.late.push(apply(&row, edits));
    }

    /// Takes the widest layout there is, once it has room for the rows that came late.
    #[cold]
    fn widen(&mut self) {
        for row in std::mem::take(&mut self.late) {
            if let Err(TooWide) = self.depth.layouts.widen::<K>(&row) {
                return self.depth.meter.stop.set(Halt::TooWide);
            }
            let (tag, layout) = self.depth.layouts.now();
            if tag != self.tag {
                let relay = self.layout.onto(&layout);
                self.desk.keys.iter_mut().for_each(|key| *key = relay.key(*key));
                self.base = relay.key(self.base);
                (self.tag, self.layout) = (tag, layout);
                self.forget_older();
            }
            let key = self.layout.encode(&row).expect("there is room for this row");
            self.push(key);
        }
    }

    /// Forgets keys of another layout.
    fn forget_older(&mut self) {
        if self.desk.recent_tag != self.tag {
            self.desk.recent.fill(K::NONE);
            self.desk.recent_tag = self.tag;
        }
    }

    /// Gives the gathered keys to the candidates.
    #[cold]
    fn hand_over(&mut self) {
        let depth = self.depth;
        let Desk { keys, spare, .. } = &mut self.desk;
        if depth.discard.load(Ordering::Relaxed) || depth.meter.stop.is_set() {
            return keys.clear();
        }
        let steps = self.report.steps;
        let goes_on =
            &mut || depth.meter.look(depth.candidates.held(), 0, steps, depth.left.load(Ordering::Relaxed));
        let room = if depth.sizes.spills { 0 } else { depth.meter.room() };
        match depth.candidates.add(keys, spare, self.tag, &mut self.file, room, goes_on) {
            Ok(twice) => self.report.settled += twice,
            Err(error) => {
                // The states of this depth are still checked: a violation among them is a shortest one.
                keys.clear();
                depth.meter.fails(error);
                depth.discard.store(true, Ordering::Relaxed);
            }
        }
    }
}
