//! The causal graph of a member: what it has received and may not deliver yet, each message behind those that its
//! sender knew. Since every sender's messages come in their order, the predecessors of a message are a number for
//! each process, and a graph is a line of messages for each: equal graphs are equal values, in whatever order they
//! arrived. Nothing here knows why a message is marked as it is.

use super::message::{Multicast, MulticastBody};
use watchkeeper_core::{Pack, PerProc, Pid, ProcSet};

/// What a member has made up its mind to do with a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub enum DeliveryMark {
    /// Deliver it as soon as its predecessors are done with.
    Deliverable,
    /// Keep it, and all that follow it.
    Undeliverable,
    /// Deliver it in one go with the others of its change of configuration.
    Slow,
    /// It changes nothing, and holds nothing up.
    Rejected,
    /// It was a word of a process outside of the configuration, and was passed over.
    Discarded,
    /// It was delivered.
    Delivered,
}

/// A message in the graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack)]
pub struct GraphEntry {
    /// How many messages of each process come before it.
    pub past: PerProc<u32>,
    /// What it is about.
    pub body: MulticastBody,
    /// Its outcome.
    pub mark: DeliveryMark,
    /// If it is slow: how many joins were assented to since it has been. Messages that say the same belong to the
    /// same change only if they are equally old.
    pub age: u8,
}

impl GraphEntry {
    /// A message that has just come in.
    pub fn new(past: PerProc<u32>, body: MulticastBody) -> GraphEntry {
        let mark = match body {
            MulticastBody::User(_) | MulticastBody::Empty => DeliveryMark::Deliverable,
            MulticastBody::Attempt(_) => DeliveryMark::Rejected,
            MulticastBody::Fault { .. } | MulticastBody::Join { .. } => DeliveryMark::Undeliverable,
        };
        GraphEntry { past, body, mark, age: 0 }
    }
}

/// Which messages that are done with a member keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GarbageCollection {
    /// None. Nobody will need them where no message is ever lost.
    AtOnce,
    /// Those that somebody in the configuration is not known to have: all others are stable.
    Stable,
    /// All, and the order in which they arrived: a graph as a list.
    Never,
}

/// The messages of one process, in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Default)]
pub struct SenderLog {
    /// The number of the first message that is kept.
    pub base: u32,
    /// How many are done with, from the beginning.
    pub passed: u32,
    /// Those that are kept.
    pub entries: Vec<GraphEntry>,
    /// Those that came after and are not let in.
    pub held: Vec<Multicast>,
}

impl SenderLog {
    /// How many messages have been let in, from the beginning.
    pub fn have(&self) -> u32 {
        self.base.saturating_add(u32::try_from(self.entries.len()).unwrap_or(u32::MAX))
    }

    /// The first that is not done with.
    pub fn head(&self) -> Option<&GraphEntry> {
        self.entries.get(self.waiting())
    }

    /// Where the first that is not done with stands.
    fn waiting(&self) -> usize {
        self.passed.saturating_sub(self.base) as usize
    }

    /// Those that are not done with, with their numbers.
    pub fn open(&self) -> impl Iterator<Item = (u32, &GraphEntry)> {
        let from = self.waiting();
        self.entries.iter().enumerate().skip(from).map(|(i, entry)| (self.base + i as u32, entry))
    }

    /// The same, to be marked.
    pub fn open_mut(&mut self) -> impl Iterator<Item = &mut GraphEntry> {
        let from = self.waiting();
        self.entries.iter_mut().skip(from)
    }

    /// Marks the message of this number, if it is kept.
    pub fn mark(&mut self, number: u32, mark: DeliveryMark) {
        if let Some(entry) = self.entries.get_mut(number.saturating_sub(self.base) as usize) {
            entry.mark = mark;
        }
    }

    /// Passes over what is open before this number.
    pub fn discard_before(&mut self, number: u32) {
        let count = number.saturating_sub(self.passed) as usize;
        self.open_mut().take(count).for_each(|entry| entry.mark = DeliveryMark::Discarded);
    }

    /// Goes on at this number, with a gap: nothing is kept, and nothing was waited for.
    pub fn jump(&mut self, number: u32) {
        self.entries.clear();
        self.base = number;
        self.passed = number;
    }

    /// Everything let in so far is done with and gone.
    pub fn clear(&mut self) {
        self.base = self.have();
        self.passed = self.base;
        self.entries.clear();
    }
}

/// The causal graph of one member.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct CausalGraph {
    /// For each process.
    pub lines: PerProc<SenderLog>,
    /// For each process, how much it is known to have of everyone; only where messages are kept until they are
    /// stable.
    pub known: PerProc<PerProc<u32>>,
    /// Who sent the messages, first to last as they arrived; only where nothing is collected.
    pub arrivals: Vec<Pid>,
}

impl CausalGraph {
    /// A graph of `n` processes, without messages.
    pub fn new(n: usize, collect: GarbageCollection) -> CausalGraph {
        let known = if collect == GarbageCollection::Stable { n } else { 0 };
        CausalGraph {
            lines: PerProc::new(n, SenderLog::default()),
            known: PerProc::new(known, PerProc::new(n, 0)),
            arrivals: Vec::new(),
        }
    }

    /// Whether it is one of `n` processes, and whole.
    pub fn fits(&self, n: usize, collect: GarbageCollection) -> bool {
        let known = if collect == GarbageCollection::Stable { n } else { 0 };
        let whole = |past: &PerProc<u32>, body: &MulticastBody| {
            past.len() == n && body.named().is_subset(ProcSet::first(n))
        };
        let line = |line: &SenderLog| {
            line.base <= line.passed
                && line.passed <= line.have()
                && line.have() < u32::MAX / 2
                && line.entries.iter().all(|entry| whole(&entry.past, &entry.body))
                && line.held.iter().all(|multicast| whole(&multicast.past, &multicast.body))
        };
        self.lines.len() == n
            && self.known.len() == known
            && self.known.iter().all(|(_, row)| row.len() == n)
            && self.lines.iter().all(|(_, it)| line(it))
    }

    /// How many messages of each process have been let in: the acknowledgements of the next message.
    pub fn have(&self) -> PerProc<u32> {
        let mut have = PerProc::new(self.lines.len(), 0);
        for (p, line) in self.lines.iter() {
            have[p] = line.have();
        }
        have
    }

    /// How many messages of a process come before some message of a member in the graph. Whoever has named it as faulty
    /// speaks of it as somebody outside from then on; and whoever is about to join has spoken of the members so until
    /// its last JOIN, and can matter here only by naming faults after that.
    pub fn needs(&self, of: Pid, members: ProcSet) -> u32 {
        let line = |p: Pid, line: &SenderLog| {
            let mut most = 0;
            for (_, entry) in line.open() {
                if members.contains(p) || matches!(entry.body, MulticastBody::Fault { .. }) {
                    most = most.max(entry.past[of]);
                }
                if matches!(entry.body, MulticastBody::Fault { faulty, .. } | MulticastBody::Join { faulty, .. } if faulty.contains(of))
                {
                    break;
                }
            }
            most
        };
        self.lines.iter().map(|(p, it)| line(p, it)).max().unwrap_or(0)
    }

    /// Passes over what members of `out` have sent that follows messages of others of them which nobody has who is
    /// left.
    pub fn discard_orphans(&mut self, out: ProcSet) {
        let mut have = PerProc::new(self.lines.len(), 0);
        for (p, line) in self.lines.iter() {
            have[p] = line.have();
        }
        for p in out.iter() {
            let orphan = |entry: &&mut GraphEntry| out.iter().any(|q| q != p && entry.past[q] > have[q]);
            self.lines[p].open_mut().filter(orphan).for_each(|entry| entry.mark = DeliveryMark::Discarded);
        }
    }

    /// Lets the next message of a process in.
    pub fn enter(&mut self, from: Pid, entry: GraphEntry, collect: GarbageCollection) {
        if collect == GarbageCollection::Never {
            self.arrivals.push(from);
        }
        self.lines[from].entries.push(entry);
    }

    /// Counts the next message of a process, which is done with at once.
    pub fn skip(&mut self, from: Pid) {
        let line = &mut self.lines[from];
        debug_assert!(line.head().is_none());
        line.entries.clear();
        line.base = line.passed.saturating_add(1);
        line.passed = line.base;
    }

    /// Whether everything that members of `among` have sent before this message is done with.
    pub fn is_ready(&self, from: Pid, entry: &GraphEntry, among: ProcSet) -> bool {
        among.iter().all(|q| q == from || entry.past[q] <= self.lines[q].passed)
    }

    /// The first open message of a line is done with, so marked.
    pub fn pass(&mut self, from: Pid, mark: DeliveryMark, collect: GarbageCollection) {
        let line = &mut self.lines[from];
        let at = line.waiting();
        if let Some(entry) = line.entries.get_mut(at) {
            entry.mark = mark;
            line.passed += 1;
        }
        if collect == GarbageCollection::AtOnce {
            drop_before(line, line.passed);
        }
    }

    /// Drops what all `members` are known to have.
    pub fn collect(&mut self, members: ProcSet) {
        for p in Pid::all(self.lines.len()) {
            let stable = members.iter().filter_map(|q| Some(self.known.get(q)?[p])).min().unwrap_or(0);
            let line = &mut self.lines[p];
            drop_before(line, stable.min(line.passed));
        }
    }

    /// The messages of a process that are kept, as it sent them.
    pub fn kept(&self, of: Pid) -> Vec<Multicast> {
        let line = &self.lines[of];
        let numbered = line.entries.iter().zip(line.base..);
        let again = |(entry, number): (&GraphEntry, u32)| Multicast {
            number,
            past: entry.past.clone(),
            body: entry.body.clone(),
        };
        numbered.map(again).collect()
    }

    /// Forgets of open messages which predecessors are done with.
    pub fn forget(&mut self) {
        let mut passed = PerProc::new(self.lines.len(), 0);
        for (p, line) in self.lines.iter() {
            passed[p] = line.passed;
        }
        for p in Pid::all(self.lines.len()) {
            for entry in self.lines[p].open_mut() {
                for (q, &done) in passed.iter() {
                    if q == p || entry.past[q] <= done {
                        entry.past[q] = 0;
                    }
                }
            }
        }
    }

    /// How many messages there are.
    pub fn size(&self) -> usize {
        self.lines.iter().map(|(_, line)| line.entries.len() + line.held.len()).sum()
    }
}

fn drop_before(line: &mut SenderLog, number: u32) {
    let count = (number.saturating_sub(line.base) as usize).min(line.entries.len());
    line.entries.drain(..count);
    line.base += count as u32;
}
