//! Who is in an open cluster, and where: one entry for each number. Of two entries of one number the same is believed
//! everywhere, in whatever order they come, so nodes that tell each other what they know come to know the same.

use crate::config::SystemClocks;
use crate::wire::{DirectoryEntry, MemberName, MemberPlace, fnv1a};
use std::cmp::Reverse;
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
        same.max_by_key(|entry| (entry.version, Reverse(entry.number)))
    }

    /// The version that the next entry of this number has.
    pub(crate) fn next_version(&self, number: Pid) -> u32 {
        let known = self.get(number).map(|entry| entry.version);
        known.max(self.dropped.get(&number).copied()).map_or(1, |version| version.saturating_add(1))
    }

    /// What is to be said of a member that has just shown that it lives, if its own entry would not be believed: the same,
    /// made anew. `None` if it is believed as it stands, or if another member has the number.
    pub(crate) fn revived(&self, entry: &DirectoryEntry) -> Option<DirectoryEntry> {
        let known = self.get(entry.number);
        let dropped = self.dropped.get(&entry.number).is_some_and(|version| entry.version <= *version);
        let is_news = known.is_none_or(|known| supersedes(entry, known)) && !dropped;
        let is_known = known.is_some_and(|known| same_life(known, entry) && !known.left);
        if is_news || is_known || known.is_some_and(|known| !gives_way(known, entry)) {
            return None;
        }
        Some(DirectoryEntry { version: self.next_version(entry.number), left: false, ..entry.clone() })
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
    /// and whomever the protocol suspects. The first `seeds` numbers stay for ever: whoever forgot where the seeds are could
    /// not find them when they are back.
    pub(crate) fn drop_gone(&mut self, now: u64, seeds: usize, suspected: impl Fn(Pid) -> bool) -> Vec<Pid> {
        for entry in self.entries.values().filter(|entry| entry.number.index() >= seeds) {
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

    /// A hash for each class. Who has left counts, so that a seed that has forgotten does not give its number to another.
    pub(crate) fn digest(&self) -> Digest {
        let mut digest = [0_u64; CLASSES];
        let mut bytes = Vec::with_capacity(DirectoryEntry::LONGEST);
        for entry in self.iter() {
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

/// Whether an entry takes the place of another of the same number: the one that was made anew more often, and then the
/// one that was there first, whether or not it has left. That is one order of all entries, so it does not matter in
/// which order they come.
pub(crate) fn supersedes(new: &DirectoryEntry, old: &DirectoryEntry) -> bool {
    rank(new) > rank(old)
}

fn rank(entry: &DirectoryEntry) -> impl Ord {
    let MemberPlace { address, name } = &entry.place;
    let born = Reverse(birth(entry.incarnation));
    (entry.version, born, entry.left, Reverse(name.clone()), Reverse(*address))
}

/// When an incarnation began, as far as two can be compared. One of a machine whose clock was never set is the last: it
/// must not drive out a member that was there before it.
pub(crate) fn birth(incarnation: u64) -> (bool, u64) {
    (incarnation < SystemClocks::FIRST_OF_SET_CLOCKS, incarnation)
}

/// Whether two entries are of one incarnation of one member at one place.
pub(crate) fn same_life(one: &DirectoryEntry, other: &DirectoryEntry) -> bool {
    (one.incarnation, &one.place) == (other.incarnation, &other.place)
}

/// Whether the member of an entry makes way for another that is there: it has left, or it was there under the same
/// address, where two programs cannot listen, or both are one member.
pub(crate) fn gives_way(known: &DirectoryEntry, there: &DirectoryEntry) -> bool {
    known.left || known.place.address == there.place.address || known.place.name == there.place.name
}

#[cfg(test)]
mod tests {
    use super::*;
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

    /// Every order of these entries ends with the same directory; the one of number 3.
    fn believed(entries: &[DirectoryEntry], random: &mut fastrand::Rng) -> DirectoryEntry {
        let mut ends = Vec::new();
        for _ in 0..100 {
            let mut order: Vec<_> = entries.iter().chain(entries).collect();
            random.shuffle(&mut order);
            let mut directory = Directory::default();
            for entry in order {
                directory.learn(entry);
            }
            ends.push(directory.iter().cloned().collect::<Vec<_>>());
        }
        assert!(ends.iter().all(|end| *end == ends[0]), "{entries:?}: {ends:?}");
        ends.swap_remove(0).swap_remove(0)
    }

    #[test]
    fn the_same_is_believed_in_whatever_order_it_comes() {
        let mut random = fastrand::Rng::with_seed(1);
        let first = entry(3, 2, 40, "a");
        let mut entries = vec![
            entry(3, 1, 30, "a"),
            first.clone(),
            entry(3, 2, 45, "a"),
            entry(3, 2, 42, "b"),
            entry(3, 1, 10, "b"),
            entry(4, 1, 10, "c"),
        ];
        assert_eq!(believed(&entries, &mut random), first, "as often made anew, and there first");
        entries.push(left(first.clone()));
        assert_eq!(believed(&entries, &mut random), left(first), "what it said last");
        for _ in 0..200 {
            let name = |random: &mut fastrand::Rng| random.choice(["a", "b", "c"]).unwrap_or("a");
            let entries: Vec<_> = (0..8)
                .map(|_| DirectoryEntry {
                    left: random.bool(),
                    ..entry(3, random.u32(1..3), random.u64(40..43), name(&mut random))
                })
                .collect();
            believed(&entries, &mut random);
        }
    }

    #[test]
    fn whose_clock_was_never_set_was_not_there_first() {
        let since = SystemClocks { wall: 1_800_000_000_000_000_000, suspended: 0 }.incarnation(0);
        let newcomer = SystemClocks { wall: 0, suspended: 0 }.incarnation(u64::MAX);
        assert!(newcomer < since);
        assert!(!supersedes(&entry(3, 1, newcomer, "b"), &entry(3, 1, since, "a")));
        assert!(supersedes(&entry(3, 1, since, "a"), &entry(3, 1, newcomer, "b")));
    }

    #[test]
    fn whoever_shows_that_it_lives_is_made_anew_unless_another_has_its_number() {
        let mut directory = Directory::default();
        let here = entry(3, 1, 7, "a");
        assert_eq!(directory.revived(&here), None, "it is news");
        directory.learn(&here);
        assert_eq!(directory.revived(&here), None, "it is known");
        assert_eq!(directory.revived(&entry(3, 1, 9, "a")).map(|entry| entry.version), Some(2), "a return");
        let mut other = entry(3, 1, 9, "b");
        other.place.address = SocketAddr::from(([10, 0, 0, 2], 7));
        assert_eq!(directory.revived(&other), None, "of another");
        assert_eq!(
            directory.revived(&entry(3, 1, 9, "b")).map(|entry| entry.version),
            Some(2),
            "in its place"
        );
        directory.learn(&left(here.clone()));
        assert_eq!(directory.revived(&other).map(|entry| entry.version), Some(2), "of one that has left");
        directory.drop_gone(0, 0, |_| false);
        assert_eq!(directory.drop_gone(KEPT, 0, |_| false), [Pid::at(3)]);
        let again = directory.revived(&here).expect("it was dropped");
        assert_eq!((again.version, directory.learn(&again)), (2, Learnt::New));
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
        directory.learn(&left(entry(0, 1, 1, "seed")));
        let suspected = |p: Pid| p == Pid::at(2);
        assert_eq!(directory.drop_gone(5, 1, suspected), []);
        assert_eq!(directory.drop_gone(KEPT, 1, suspected), []);
        assert_eq!(directory.drop_gone(5 + KEPT, 1, suspected), [Pid::at(1), Pid::at(2)], "never a seed");
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
