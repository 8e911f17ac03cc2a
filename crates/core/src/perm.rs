//! Renamings of processes. A world that looks the same under a renaming need only be searched once
//! for all its renamed states.

use crate::{Pid, ProcSet};

/// A permutation of the first `n` processes; every later process keeps its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Perm(Vec<Pid>);

impl Perm {
    /// The renaming that changes nothing.
    pub fn identity(n: usize) -> Perm {
        Perm(Pid::all(n).collect())
    }

    /// The renaming that moves everyone `by` places round a ring of `n`.
    pub fn rotation(n: usize, by: usize) -> Perm {
        Perm(Pid::all(n).map(|p| Pid::at((p.index() + by) % n)).collect())
    }

    /// All renamings of `n` processes, the identity first. There are `n!` of them.
    pub fn all(n: usize) -> Vec<Perm> {
        let mut found = vec![Vec::new()];
        for _ in 0..n {
            found = found
                .into_iter()
                .flat_map(|head: Vec<Pid>| {
                    let free: Vec<Pid> = Pid::all(n).filter(|p| !head.contains(p)).collect();
                    free.into_iter().map(move |p| [head.clone(), vec![p]].concat())
                })
                .collect();
        }
        found.into_iter().map(Perm).collect()
    }

    /// All renamings of `n` processes that leave each of `fixed` its name, the identity first.
    pub fn fixing(n: usize, fixed: ProcSet) -> Vec<Perm> {
        let free: Vec<Pid> = Pid::all(n).filter(|&p| !fixed.contains(p)).collect();
        let widened = |among_free: Perm| {
            let mut names: Vec<Pid> = Pid::all(n).collect();
            for (place, p) in free.iter().enumerate() {
                names[p.index()] = free[among_free.0[place].index()];
            }
            Perm(names)
        };
        Perm::all(free.len()).into_iter().map(widened).collect()
    }

    /// All `n` rotations of a ring, the identity first.
    pub fn rotations(n: usize) -> Vec<Perm> {
        (0..n).map(|by| Perm::rotation(n, by)).collect()
    }

    /// The number of processes it may move.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it moves no process, because there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The new name of `p`.
    pub fn apply(&self, p: Pid) -> Pid {
        self.0.get(p.index()).copied().unwrap_or(p)
    }

    /// The renaming that undoes this one.
    pub fn inverse(&self) -> Perm {
        let mut back = self.0.clone();
        for (from, to) in self.0.iter().enumerate() {
            back[to.index()] = Pid::at(from);
        }
        Perm(back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_factorially_many_and_each_has_its_inverse() {
        let all = Perm::all(4);
        assert_eq!(all.len(), 24);
        assert_eq!(all[0], Perm::identity(4));
        for perm in &all {
            for p in Pid::all(4) {
                assert_eq!(perm.inverse().apply(perm.apply(p)), p);
            }
        }
    }
}
