//! Process ids: dense small integers, the same in a check, a simulation and a run. Addresses are known
//! to the runtime alone.

use std::fmt;

/// The largest number of processes in a system whose size is fixed, and so in everything that is searched.
pub const MAX_PROCESSES: usize = 64;

/// The largest number of members of a cluster that grows while it runs.
pub const MAX_MEMBERS: usize = 1 << 15;

/// One process of a system of `n`, numbered from 0.
///
/// Packed, it is one of the first [`MAX_PROCESSES`]. A protocol for clusters that grow puts a [`Member`](crate::Member) into its messages
/// and states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(u16);

impl Pid {
    /// The process with this number; `None` from [`MAX_PROCESSES`] on.
    pub const fn new(number: usize) -> Option<Pid> {
        if number < MAX_PROCESSES { Some(Pid(number as u16)) } else { None }
    }

    /// The member of a cluster that grows with this number; `None` from [`MAX_MEMBERS`] on.
    pub const fn member(number: usize) -> Option<Pid> {
        if number < MAX_MEMBERS { Some(Pid(number as u16)) } else { None }
    }

    /// The process with this number.
    ///
    /// # Panics
    /// If the number is [`MAX_PROCESSES`] or more: a broken invariant of the caller.
    pub const fn at(number: usize) -> Pid {
        assert!(number < MAX_PROCESSES, "process number out of range");
        Pid(number as u16)
    }

    /// The first `n` processes, in order.
    pub fn all(n: usize) -> impl DoubleEndedIterator<Item = Pid> + ExactSizeIterator + Clone {
        (0..n.min(MAX_PROCESSES)).map(Pid::at)
    }

    /// The number of this process, to index with.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The next process in a ring of `n`.
    pub const fn succ(self, n: usize) -> Pid {
        Pid::at((self.index() + 1) % n)
    }

    /// The previous process in a ring of `n`.
    pub const fn pred(self, n: usize) -> Pid {
        Pid::at((self.index() + n - 1) % n)
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_closes_in_both_directions() {
        assert_eq!(Pid::at(2).succ(3), Pid::at(0));
        assert_eq!(Pid::at(0).pred(3), Pid::at(2));
        for n in 1..=MAX_PROCESSES {
            for p in Pid::all(n) {
                assert_eq!(p.succ(n).pred(n), p);
            }
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_refused() {
        assert_eq!(Pid::new(MAX_PROCESSES), None);
        assert!(Pid::new(MAX_PROCESSES - 1).is_some());
    }
}
