//! A part of the store: all keys whose hashes begin alike, and their zones. While a depth is expanded it is
//! only read, by everyone at once; then one thread puts in what was found. Which zones are left does not
//! depend on the order in which they come.

use super::antichains::{Antichains, MeasuredZone};
use super::keys::{self, KeyTable};
use super::pairs::Pairs;
use std::cmp::Reverse;
use watchkeeper_space::{Id, Zones};

/// A successor that nothing stored includes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The number of its key in the shard, or in the batch if the shard does not have it yet.
    pub key: u32,
    /// The node that it was found from.
    pub parent: u32,
    /// How many steps of that node came before.
    pub turn: u32,
    pub zone: MeasuredZone,
}

/// What one worker found at one depth for one shard.
#[derive(Default)]
pub(super) struct Batch {
    /// Candidates whose key the shard has.
    known: Vec<Candidate>,
    /// Candidates whose key it did not have when they were found.
    unknown: Vec<Candidate>,
    /// The keys of the latter, packed, with where each ends and its hash.
    names: Vec<u8>,
    ends: Vec<(u32, u64)>,
}

impl Batch {
    /// Adds a candidate whose key the shard has.
    pub fn add(&mut self, candidate: Candidate) {
        self.known.push(candidate);
    }

    /// Adds a candidate whose key is new.
    pub fn add_named(&mut self, mut candidate: Candidate, name: &[u8], hash: u64) {
        candidate.key = self.ends.len() as u32;
        self.names.extend_from_slice(name);
        self.ends.push((u32::try_from(self.names.len()).expect("less than 4 GB of keys at a time"), hash));
        self.unknown.push(candidate);
    }

    /// The number of candidates.
    pub fn len(&self) -> usize {
        self.known.len() + self.unknown.len()
    }

    /// The bytes of memory that the batch holds.
    pub fn held(&self) -> usize {
        (self.known.capacity() + self.unknown.capacity()) * size_of::<Candidate>()
            + self.names.capacity()
            + self.ends.capacity() * size_of::<(u32, u64)>()
    }

    /// Takes everything out, and keeps the memory for the next depth.
    pub fn clear(&mut self) {
        self.known.clear();
        self.unknown.clear();
        self.names.clear();
        self.ends.clear();
    }

    fn name(&self, key: u32) -> (&[u8], u64) {
        let start = (key as usize).checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, hash) = self.ends[key as usize];
        (&self.names[start as usize..end as usize], hash)
    }
}

/// A zone that was put in and is to be expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survivor {
    /// The number of its key across all shards.
    pub key: u32,
    pub zone: Id,
    pub parent: u32,
    pub turn: u32,
}

/// What a shard knows of a successor.
pub(super) enum Lookup {
    /// It was stored before, or a stored zone includes it.
    Covered,
    /// Nothing includes it.
    Fresh(MeasuredZone),
}

/// Some keys, and their zones.
pub(super) struct Shard {
    pub keys: KeyTable,
    zones: Antichains,
    /// What is in `zones` or was once.
    pub stored: Pairs,
}

impl Shard {
    /// Nothing.
    pub fn new() -> Shard {
        Shard { keys: KeyTable::new(), zones: Antichains::new(), stored: Pairs::new() }
    }

    /// The number of zones.
    pub fn len(&self) -> u64 {
        self.zones.len()
    }

    /// The bytes of memory that the shard holds.
    pub fn held(&self) -> usize {
        self.keys.held() + self.zones.held() + self.stored.held()
    }

    /// Whether a zone of a key is subsumed.
    pub fn look_up(&self, key: u32, zone: Id, zones: &dyn Zones) -> Lookup {
        if self.stored.contains(key, zone) {
            return Lookup::Covered;
        }
        let zone = MeasuredZone::new(zones, zone);
        if self.zones.cover(key, &zone, zones) { Lookup::Covered } else { Lookup::Fresh(zone) }
    }

    /// Puts in what was found at a depth: of the candidates for a key those that no other one includes.
    /// `pile` is for sorting them.
    pub fn put_in<'b>(
        &mut self,
        shard: usize,
        batches: impl Iterator<Item = &'b Batch>,
        zones: &dyn Zones,
        pile: &mut Vec<Candidate>,
        survivors: &mut Vec<Survivor>,
    ) {
        pile.clear();
        for batch in batches {
            pile.extend_from_slice(&batch.known);
            for &candidate in &batch.unknown {
                let (name, hash) = batch.name(candidate.key);
                pile.push(Candidate { key: self.keys.add(name, hash), ..candidate });
            }
        }
        // The greatest first, so that whatever includes a candidate comes before it; and of equals the one
        // that one thread would have found first.
        pile.sort_unstable_by_key(|candidate| {
            let MeasuredZone { zone, extent, .. } = candidate.zone;
            (candidate.key, Reverse(extent), zone, candidate.parent, candidate.turn)
        });
        let mut maximal: Vec<MeasuredZone> = Vec::new();
        for group in pile.chunk_by(|a, b| a.key == b.key) {
            maximal.clear();
            let key = group[0].key;
            for equal in group.chunk_by(|a, b| a.zone.zone == b.zone.zone) {
                let Candidate { zone, parent, turn, .. } = equal[0];
                if maximal.iter().any(|large| large.includes(&zone, zones)) {
                    continue;
                }
                maximal.push(zone);
                self.stored.add(key, zone.zone);
                survivors.push(Survivor { key: keys::across(shard, key), zone: zone.zone, parent, turn });
            }
            self.zones.add(key, &maximal, zones);
        }
    }
}
