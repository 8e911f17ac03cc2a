//! Process sets against the sets of the standard library, and renamings against the definition of a
//! group of permutations.

use proptest::prelude::*;
use std::collections::BTreeSet;
use watchkeeper_core::{MAX_PROCESSES, Perm, Pid, ProcSet, Symmetry};

fn model(set: ProcSet) -> BTreeSet<Pid> {
    Pid::all(MAX_PROCESSES).filter(|&p| set.contains(p)).collect()
}

proptest! {
    #[test]
    fn a_process_set_is_a_set(a: u64, b: u64, p in 0..MAX_PROCESSES) {
        let (a, b, p) = (ProcSet::from_bits(a), ProcSet::from_bits(b), Pid::at(p));
        let (x, y) = (model(a), model(b));
        prop_assert_eq!(a.iter().collect::<Vec<_>>(), x.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(a.len(), x.len());
        prop_assert_eq!(a.is_empty(), x.is_empty());
        prop_assert_eq!(model(a.union(b)), &x | &y);
        prop_assert_eq!(model(a.intersection(b)), &x & &y);
        prop_assert_eq!(model(a.difference(b)), &x - &y);
        prop_assert_eq!(a.is_subset(b), x.is_subset(&y));
        prop_assert!(a.intersection(b).is_subset(b));
        let (mut with, mut without) = (a, a);
        with.insert(p);
        without.remove(p);
        prop_assert_eq!((with, without), (a.with(p), a.without(p)));
        prop_assert!(with.contains(p) && !without.contains(p));
        prop_assert_eq!(with.difference(without), ProcSet::only(p));
        prop_assert_eq!(a.iter().collect::<ProcSet>(), a);
    }

    #[test]
    fn an_arc_is_what_a_walk_meets(n in 1..=MAX_PROCESSES, from: usize, steps: usize) {
        let (from, steps) = (from % n, steps % n);
        let arc = ProcSet::arc(Pid::at(from), Pid::at((from + steps) % n), n);
        let walk: ProcSet = (0..=steps).map(|i| Pid::at((from + i) % n)).collect();
        prop_assert_eq!(arc, walk);
        prop_assert_eq!(arc.len(), steps + 1);
    }

    #[test]
    fn rotations_turn_arcs_into_arcs(n in 1..=MAX_PROCESSES, from: usize, to: usize, by: usize) {
        let (from, to, turn) = (Pid::at(from % n), Pid::at(to % n), Perm::rotation(n, by % n));
        let turned = ProcSet::arc(turn.apply(from), turn.apply(to), n);
        prop_assert_eq!(ProcSet::arc(from, to, n).renamed(&turn), turned);
    }
}

#[test]
fn the_renamings_of_a_symmetry_are_a_group() {
    for n in 1..=4 {
        let fixing = |fixed: usize| (1..=n - fixed.min(n)).product();
        for (symmetry, count) in [
            (Symmetry::None, 1),
            (Symmetry::Rotations, n),
            (Symmetry::Full, (1..=n).product()),
            (Symmetry::Fixing(Pid::at(0)), fixing(1)),
            (Symmetry::FixingAll(ProcSet::first(2)), fixing(2)),
            (Symmetry::FixingAll(ProcSet::EMPTY), fixing(0)),
        ] {
            let perms = symmetry.perms(n);
            assert_eq!(perms.len(), count, "{symmetry:?} of {n}");
            assert_eq!(perms[0], Perm::identity(n));
            for a in &perms {
                assert_eq!(a.len(), n);
                assert!(perms.contains(&a.inverse()));
                assert_eq!(perms.iter().filter(|b| *b == a).count(), 1);
                for b in &perms {
                    let both = |p: Pid| b.apply(a.apply(p));
                    assert!(perms.iter().any(|c| Pid::all(n).all(|p| c.apply(p) == both(p))));
                }
            }
        }
    }
}

#[test]
fn a_fixed_process_keeps_its_name_and_all_others_may_change_theirs() {
    let fixed = ProcSet::from_bits(0b01010);
    let all = Perm::all(5);
    let some: Vec<Perm> = all.into_iter().filter(|perm| fixed.iter().all(|p| perm.apply(p) == p)).collect();
    assert_eq!(Symmetry::FixingAll(fixed).perms(5), some);
    assert_eq!(Symmetry::Fixing(Pid::at(1)).perms(5).len(), 24);
    assert_eq!(
        Symmetry::FixingAll(ProcSet::first(60)).perms(63).len(),
        6,
        "only who may move is counted out"
    );
}

#[test]
fn processes_beyond_a_renaming_keep_their_names() {
    let turn = Perm::rotation(3, 1);
    assert_eq!(turn.apply(Pid::at(3)), Pid::at(3));
    assert_eq!(turn.apply(Pid::at(63)), Pid::at(63));
    assert_eq!(ProcSet::from_bits(0b1100).renamed(&turn), ProcSet::from_bits(0b1001));
}

#[test]
fn a_symmetry_allows_the_renamings_that_it_lists() {
    let fixed: ProcSet = [Pid::at(0), Pid::at(2)].into_iter().collect();
    let all = [
        Symmetry::None,
        Symmetry::Rotations,
        Symmetry::Full,
        Symmetry::Fixing(Pid::at(1)),
        Symmetry::FixingAll(fixed),
    ];
    for symmetry in all {
        let listed = symmetry.perms(4);
        for perm in Perm::all(4) {
            assert_eq!(symmetry.allows(&perm, 4), listed.contains(&perm), "{symmetry:?} and {perm:?}");
        }
    }
}
