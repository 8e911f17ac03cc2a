//! Sets of processes as one machine word: cheap to copy, canonical to hash.

use crate::{Perm, Pid};
use std::fmt;

/// A set of processes, of which there are at most [`MAX_PROCESSES`](crate::MAX_PROCESSES). It has no place for a later one:
/// that is never a member.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ProcSet(u64);

/// The place of a process; none beyond the last.
const fn bit(p: Pid) -> u64 {
    1_u64.unbounded_shl(p.index() as u32)
}

impl ProcSet {
    /// The set without members.
    pub const EMPTY: ProcSet = ProcSet(0);

    /// The set whose members are the one bits of `bits`.
    pub const fn from_bits(bits: u64) -> ProcSet {
        ProcSet(bits)
    }

    /// The first `n` processes.
    pub const fn first(n: usize) -> ProcSet {
        ProcSet(if n >= 64 { u64::MAX } else { (1 << n) - 1 })
    }

    /// The set with one member.
    pub const fn only(p: Pid) -> ProcSet {
        ProcSet(bit(p))
    }

    /// The members as one bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether `p` is a member.
    pub const fn contains(self, p: Pid) -> bool {
        self.0 & bit(p) != 0
    }

    /// The number of members.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set and `p`.
    #[must_use]
    pub const fn with(self, p: Pid) -> ProcSet {
        ProcSet(self.0 | bit(p))
    }

    /// This set but for `p`.
    #[must_use]
    pub const fn without(self, p: Pid) -> ProcSet {
        ProcSet(self.0 & !bit(p))
    }

    /// What is in either set.
    #[must_use]
    pub const fn union(self, other: ProcSet) -> ProcSet {
        ProcSet(self.0 | other.0)
    }

    /// What is in both sets.
    #[must_use]
    pub const fn intersection(self, other: ProcSet) -> ProcSet {
        ProcSet(self.0 & other.0)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub const fn difference(self, other: ProcSet) -> ProcSet {
        ProcSet(self.0 & !other.0)
    }

    /// Whether every member is one of the other set's.
    pub const fn is_subset(self, other: ProcSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Adds a member.
    pub fn insert(&mut self, p: Pid) {
        *self = self.with(p);
    }

    /// Removes a member.
    pub fn remove(&mut self, p: Pid) {
        *self = self.without(p);
    }

    /// The arc `{from, ..., to}` of a ring of `n`, walked in the direction of the successors. If `to` is not
    /// in the ring, the walk ends after one round.
    pub fn arc(from: Pid, to: Pid, n: usize) -> ProcSet {
        let mut set = ProcSet::only(from);
        let mut p = from;
        for _ in 0..n {
            if p == to {
                break;
            }
            p = p.succ(n);
            set.insert(p);
        }
        set
    }

    /// The members in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Pid> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let p = Pid::at(rest.trailing_zeros() as usize);
            rest &= rest - 1;
            Some(p)
        })
    }

    /// The set of the renamed members.
    #[must_use]
    pub fn renamed(self, perm: &Perm) -> ProcSet {
        self.iter().map(|p| perm.apply(p)).collect()
    }
}

impl FromIterator<Pid> for ProcSet {
    fn from_iter<I: IntoIterator<Item = Pid>>(members: I) -> ProcSet {
        members.into_iter().fold(ProcSet::EMPTY, ProcSet::with)
    }
}

impl fmt::Display for ProcSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (i, p) in self.iter().enumerate() {
            write!(f, "{}{p}", if i > 0 { "," } else { "" })?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for ProcSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_wraps_around_the_ring() {
        assert_eq!(ProcSet::arc(Pid::at(2), Pid::at(0), 4).to_string(), "{p0,p2,p3}");
        assert_eq!(ProcSet::arc(Pid::at(1), Pid::at(1), 4), ProcSet::only(Pid::at(1)));
        assert_eq!(ProcSet::arc(Pid::at(1), Pid::at(0), 64), ProcSet::first(64));
    }

    #[test]
    fn an_arc_to_a_process_outside_the_ring_comes_to_an_end() {
        assert_eq!(ProcSet::arc(Pid::at(2), Pid::at(9), 4), ProcSet::first(4));
    }

    #[test]
    fn renaming_keeps_the_size() {
        let turn = Perm::rotation(5, 2);
        for bits in 0..32 {
            let set = ProcSet::from_bits(bits);
            assert_eq!(set.renamed(&turn).len(), set.len());
            assert_eq!(set.renamed(&turn).renamed(&turn.inverse()), set);
        }
    }

    #[test]
    fn a_process_beyond_the_last_place_is_no_member() {
        let far = Pid::member(64).expect("a member");
        assert!(!ProcSet::first(64).contains(far) && ProcSet::only(far).is_empty());
        assert_eq!(ProcSet::first(64).without(far), ProcSet::first(64));
    }

    #[test]
    fn the_full_word_is_a_set_too() {
        assert_eq!(ProcSet::first(64).len(), 64);
        assert_eq!(ProcSet::first(64).iter().count(), 64);
    }
}
