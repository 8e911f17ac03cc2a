//! Sets of members that grow with the cluster.

use crate::{Pid, ProcSet};
use std::fmt;

/// A set of members of a cluster of any size. It is as long as its largest member needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MemberSet {
    /// The members as one bits; the last word is not zero.
    words: Vec<u64>,
}

impl MemberSet {
    /// The set without members.
    pub const fn new() -> MemberSet {
        MemberSet { words: Vec::new() }
    }

    /// Whether `p` is a member.
    pub fn contains(&self, p: Pid) -> bool {
        self.words.get(p.index() / 64).is_some_and(|word| word >> (p.index() % 64) & 1 == 1)
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a member; false if it was one.
    pub fn insert(&mut self, p: Pid) -> bool {
        let (word, bit) = (p.index() / 64, 1 << (p.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Removes a member; false if it was none.
    pub fn remove(&mut self, p: Pid) -> bool {
        let was = self.contains(p);
        if was {
            self.words[p.index() / 64] &= !(1 << (p.index() % 64));
            while self.words.last() == Some(&0) {
                self.words.pop();
            }
        }
        was
    }

    /// Whether every member is one of the other set's.
    pub fn is_subset(&self, other: &MemberSet) -> bool {
        self.iter().all(|p| other.contains(p))
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Pid> {
        let places = |(place, word): (usize, &u64)| ProcSet::from_bits(*word).iter().map(move |p| (place, p));
        let pid = |(place, p): (usize, Pid)| Pid::member(64 * place + p.index());
        self.words.iter().enumerate().flat_map(places).filter_map(pid)
    }
}

impl FromIterator<Pid> for MemberSet {
    fn from_iter<I: IntoIterator<Item = Pid>>(members: I) -> MemberSet {
        let mut set = MemberSet::new();
        for p in members {
            set.insert(p);
        }
        set
    }
}

impl From<ProcSet> for MemberSet {
    fn from(set: ProcSet) -> MemberSet {
        set.iter().collect()
    }
}

impl PartialEq<ProcSet> for MemberSet {
    fn eq(&self, other: &ProcSet) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Display for MemberSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, p) in self.iter().enumerate() {
            write!(f, "{}{p}", if i > 0 { "," } else { "" })?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for MemberSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_the_set_that_the_standard_library_has() {
        let mut random = 1_u64;
        let (mut set, mut model) = (MemberSet::new(), BTreeSet::new());
        for _ in 0..10_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let p = Pid::member((random >> 33) as usize % 300).expect("a member");
            if random >> 63 == 0 {
                assert_eq!(set.insert(p), model.insert(p));
            } else {
                assert_eq!(set.remove(p), model.remove(&p));
            }
            assert!(set.iter().eq(model.iter().copied()));
            assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            assert_eq!(set, model.iter().copied().collect::<MemberSet>());
        }
    }
}
