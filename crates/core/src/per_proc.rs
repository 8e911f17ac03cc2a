//! One value for each process, as state. Unlike a plain vector it is permuted, not only renamed inside,
//! when processes change their names.

use crate::{Malformed, Pack, Perm, Pid, Reader};
use std::ops::{Index, IndexMut};

/// One `T` for each of the first `n` processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PerProc<T>(Vec<T>);

impl<T: Clone> PerProc<T> {
    /// The same value for `n` processes.
    pub fn new(n: usize, value: T) -> PerProc<T> {
        PerProc(vec![value; n])
    }

    /// The number of processes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no processes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of `p`; `None` if `p` is not one of the processes. A protocol whose state holds values for
    /// processes reads them so, because bytes from outside may hold too few.
    pub fn get(&self, p: Pid) -> Option<&T> {
        self.0.get(p.index())
    }

    /// The value of `p`, to be changed; `None` if `p` is not one of the processes.
    pub fn get_mut(&mut self, p: Pid) -> Option<&mut T> {
        self.0.get_mut(p.index())
    }

    /// The processes with their values.
    pub fn iter(&self) -> impl Iterator<Item = (Pid, &T)> {
        self.0.iter().enumerate().map(|(i, value)| (Pid::at(i), value))
    }
}

impl<T> Index<Pid> for PerProc<T> {
    type Output = T;

    fn index(&self, p: Pid) -> &T {
        &self.0[p.index()]
    }
}

impl<T> IndexMut<Pid> for PerProc<T> {
    fn index_mut(&mut self, p: Pid) -> &mut T {
        &mut self.0[p.index()]
    }
}

impl<T: Pack + Clone> Pack for PerProc<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<PerProc<T>, Malformed> {
        let values = Vec::<T>::unpack(bytes)?;
        if values.len() > crate::MAX_PROCESSES {
            return Err(Malformed("more values than there can be processes"));
        }
        Ok(PerProc(values))
    }

    /// # Panics
    /// If a process is moved to a place that has no value: a broken invariant of the protocol, which must
    /// keep one value for each process of its system.
    fn rename(&self, perm: &Perm) -> PerProc<T> {
        let mut moved = self.clone();
        for (p, value) in self.iter() {
            moved[perm.apply(p)] = value.rename(perm);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renaming_moves_the_values_and_renames_inside_them() {
        let mut next = PerProc::new(3, Pid::at(0));
        for p in Pid::all(3) {
            next[p] = p.succ(3);
        }
        let turned = next.rename(&Perm::rotation(3, 1));
        assert_eq!(turned, next, "the successor function of a ring does not see rotations");
    }

    #[test]
    fn a_process_beyond_the_last_has_no_value() {
        let mut ages = PerProc::new(2, 7u8);
        assert_eq!(ages.get(Pid::at(1)), Some(&7));
        assert_eq!(ages.get(Pid::at(2)), None);
        assert_eq!(ages.get_mut(Pid::at(2)), None);
        *ages.get_mut(Pid::at(0)).expect("p0 has a value") = 8;
        assert_eq!(ages.iter().map(|(_, age)| *age).collect::<Vec<_>>(), [8, 7]);
    }
}
