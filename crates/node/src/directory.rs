//! Who is in an open cluster, and where: one entry for each number. Of two entries of one number the same is believed
//! everywhere, in whatever order they come, so nodes that tell each other what they know come to know the same.

use crate::wire::{DirectoryEntry, MemberName, fnv1a};
use std::collections::BTreeMap;
use watchkeeper_core::{MAX_MEMBERS, Pid};

/// For how long the entry of a member is kept that has left, or that the protocol has suspected all the time: an hour, in
/// nanoseconds.
pub(crate) const KEPT: u64 = 3_600_000_000_000;

/// The classes of numbers that digests are of: the entries of a class are compared by one hash.
pub(crate) const CLASSES: usize = 64;

/// A hash for each class of numbers.
pub(crate) type Digest = [u64; CLASSES];

/// The entries.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    entries: BTreeMap<Pid, DirectoryEntry>,
    /// When each member was first known to be gone.
    gone: BTreeMap<Pid, u64>,
    /// The last version of entries that were dropped: what is no newer is not taken in again.
    dropped: BTreeMap<Pid, u32>,
}

/// What became of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Learnt {
    /// It was known, or something newer is.
    Nothing,
    /// It is of a number that was free.
    New,
    /// It took the place of this one.
    Instead(DirectoryEntry),
}

impl Directory {
    pub(crate) fn get(&self, member: Pid) -> Option<&DirectoryEntry> {
        self.entries.get(&member)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &DirectoryEntry> {
        self.entries.values()
    }

    /// The member of this name. If a name has had two numbers, it is the one that was made anew the most often, and of
    /// these the first.
    pub(crate) fn named(&self, name: &MemberName) -> Option<&DirectoryEntry> {
        let same = self.iter().filter(|entry| entry.place.name == *name);
        same.max_by_key(|entry| (entry.version, std::cmp::Reverse(entry.number)))
    }

    /// The version that the next entry of this number has.
    pub(crate) fn next_version(&self, number: Pid) -> u32 {
        let known = self.get(number).map(|entry| entry.version);
        known.or(self.dropped.get(&number).copied()).map_or(1, |version| version.saturating_add(1))
    }

    /// Whether nobody has had this number.
    pub(crate) fn is_free(&self, number: Pid) -> bool {
        !self.entries.contains_key(&number) && !self.dropped.contains_key(&number)
    }

    /// The lowest number among `first`, `first + step`, ... above all that were ever in use; if there is none, the
    /// lowest that is not in use.
    pub(crate) fn free_number(&self, first: usize, step: usize, taken: impl Fn(Pid) -> bool) -> Option<Pid> {
        let mine = |number: usize| number % step == first % step;
        let used = self.entries.keys().chain(self.dropped.keys()).map(|number| number.index());
        let above = used.filter(|number| mine(*number)).max().map_or(first, |highest| highest + step);
        let free = |number: &Pid| !self.entries.contains_key(number) && !taken(*number);
        let numbers = |from: usize| (from..MAX_MEMBERS).step_by(step).filter_map(Pid::member);
        numbers(above).find(free).or_else(|| numbers(first).find(free))
    }

    /// Takes an entry in, unless something newer is known.
    pub(crate) fn learn(&mut self, entry: &DirectoryEntry) -> Learnt {
        let known = self.entries.get(&entry.number);
        let old = self.dropped.get(&entry.number).is_some_and(|version| entry.version <= *version);
        if old || known.is_some_and(|known| !supersedes(entry, known)) {
            return Learnt::Nothing;
        }
        if !entry.left {
            self.gone.remove(&entry.number);
        }
        self.entries.insert(entry.number, entry.clone()).map_or(Learnt::New, Learnt::Instead)
    }

    /// Drops the entries of members that have been gone for [`KEPT`], and returns their numbers. Whoever has left is gone,
    /// and whomever the protocol suspects.
    pub(crate) fn drop_gone(&mut self, now: u64, suspected: impl Fn(Pid) -> bool) -> Vec<Pid> {
        for entry in self.entries.values() {
            if entry.left || suspected(entry.number) {
                self.gone.entry(entry.number).or_insert(now);
            } else {
                self.gone.remove(&entry.number);
            }
        }
        let over = self.gone.iter().filter(|(_, since)| now.saturating_sub(**since) >= KEPT);
        let over: Vec<Pid> = over.map(|(number, _)| *number).collect();
        for number in &over {
            self.gone.remove(number);
            if let Some(entry) = self.entries.remove(number) {
                self.dropped.insert(*number, entry.version);
            }
        }
        over
    }

    /// A hash for each class. Who has left counts only while it is known, so it is not compared.
    pub(crate) fn digest(&self) -> Digest {
        let mut digest = [0_u64; CLASSES];
        let mut bytes = Vec::with_capacity(DirectoryEntry::LONGEST);
        for entry in self.iter().filter(|entry| !entry.left) {
            bytes.clear();
            entry.write(&mut bytes);
            let hash = fnv1a(&bytes);
            let class = &mut digest[entry.number.index() % CLASSES];
            *class = class.wrapping_add(hash);
        }
        digest
    }

    /// The entries of the classes in which another digest differs from one's own.
    pub(crate) fn differing(&self, theirs: &Digest) -> Vec<&DirectoryEntry> {
        let mine = self.digest();
        let differs = |entry: &&DirectoryEntry| {
            let class = entry.number.index() % CLASSES;
            mine[class] != theirs[class]
        };
        self.iter().filter(differs).collect()
    }
}

/// Whether an entry takes the place of another of the same number. Of two names, the one that has come back more often has
/// it, and then the one that was there first.
pub(crate) fn supersedes(new: &DirectoryEntry, old: &DirectoryEntry) -> bool {
    if new.place.name == old.place.name {
        let rank = |entry: &DirectoryEntry| (entry.version, entry.left, entry.incarnation);
        return rank(new) > rank(old);
    }
    let rank = |entry: &DirectoryEntry| (entry.version, std::cmp::Reverse(entry.incarnation));
    (rank(new), &old.place.name) > (rank(old), &new.place.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::MemberPlace;
    use std::net::SocketAddr;

    fn entry(number: usize, version: u32, incarnation: u64, name: &str) -> DirectoryEntry {
        let place = MemberPlace {
            address: SocketAddr::from(([10, 0, 0, 1], 7000 + number as u16)),
            name: name.parse().expect("a name"),
        };
        let number = Pid::member(number).expect("a member");
        DirectoryEntry { number, version, incarnation, left: false, place }
    }

    fn left(mut entry: DirectoryEntry) -> DirectoryEntry {
        entry.left = true;
        entry
    }

    /// Every order of the same entries ends with the same directory.
    #[test]
    fn the_same_is_believed_in_whatever_order_it_comes() {
        let entries = [
            entry(3, 1, 50, "a"),
            entry(3, 2, 40, "a"),
            left(entry(3, 2, 40, "a")),
            entry(3, 2, 45, "a"),
            entry(3, 2, 30, "b"),
            entry(3, 1, 10, "b"),
            entry(4, 1, 10, "c"),
        ];
        let mut random = fastrand::Rng::with_seed(1);
        let mut ends = Vec::new();
        for _ in 0..500 {
            let mut order: Vec<_> = entries.iter().chain(&entries).collect();
            random.shuffle(&mut order);
            let mut directory = Directory::default();
            for entry in order {
                directory.learn(entry);
            }
            ends.push(directory.iter().cloned().collect::<Vec<_>>());
        }
        assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
        assert_eq!(ends[0][0].place.name.as_str(), "b", "as often back, and there first");
    }

    #[test]
    fn numbers_of_seeds_never_meet_and_are_used_again_last() {
        let mut directory = Directory::default();
        let nobody = |_: Pid| false;
        assert_eq!(directory.free_number(1, 3, nobody), Pid::new(1));
        directory.learn(&entry(1, 1, 1, "a"));
        directory.learn(&entry(5, 1, 1, "b"));
        assert_eq!(directory.free_number(1, 3, nobody), Pid::new(4));
        assert_eq!(directory.free_number(1, 3, |p| p == Pid::at(4)), Pid::new(7));
        let last = MAX_MEMBERS - 1;
        directory.learn(&entry(last, 1, 1, "c"));
        assert_eq!(directory.free_number(last % 3, 3, |p| p == Pid::at(last % 3)), Pid::new(last % 3 + 3));
    }

    #[test]
    fn who_is_gone_is_dropped_after_an_hour_and_stays_so() {
        let mut directory = Directory::default();
        directory.learn(&left(entry(1, 1, 1, "a")));
        directory.learn(&entry(2, 3, 1, "b"));
        directory.learn(&entry(4, 1, 1, "c"));
        let suspected = |p: Pid| p == Pid::at(2);
        assert_eq!(directory.drop_gone(5, suspected), []);
        assert_eq!(directory.drop_gone(KEPT, suspected), []);
        assert_eq!(directory.drop_gone(5 + KEPT, suspected), [Pid::at(1), Pid::at(2)]);
        assert_eq!(directory.learn(&entry(2, 3, 9, "b")), Learnt::Nothing, "no newer");
        assert_eq!(directory.next_version(Pid::at(2)), 4);
        assert_eq!(directory.learn(&entry(2, 4, 9, "b")), Learnt::New);
        assert_eq!(directory.free_number(0, 1, |_| false), Pid::new(5), "no number is given out again");
    }

    #[test]
    fn digests_are_equal_if_and_only_if_the_entries_are() {
        let (mut one, mut other) = (Directory::default(), Directory::default());
        for number in (0..200).rev() {
            one.learn(&entry(number, 1, 7, &format!("m{number}")));
        }
        for number in 0..200 {
            other.learn(&entry(number, 1, 7, &format!("m{number}")));
        }
        assert_eq!(one.digest(), other.digest());
        assert!(one.differing(&other.digest()).is_empty());
        other.learn(&entry(70, 2, 8, "m70"));
        let differing: Vec<usize> =
            one.differing(&other.digest()).iter().map(|entry| entry.number.index()).collect();
        assert_eq!(differing, [6, 70, 134, 198]);
        assert_eq!(one.named(&"m70".parse().expect("a name")).map(|entry| entry.number), Pid::member(70));
    }
}
