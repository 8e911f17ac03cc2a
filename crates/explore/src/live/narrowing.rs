//! Where a cycle can be that visits some sets: known from single steps, before any component is looked for. A cycle that has
//! nodes inside and outside of a set enters it and leaves it. So where no step enters a set, or none leaves it, a cycle that
//! visits the set stays there. What eventually is true for ever is often a set that nothing leaves.

use super::adjacency::Adjacency;
use super::bits::Bits;
use super::cancellation::Cancellation;

/// The part of a region in which every cycle of the region lies that visits all of these sets; `None` if the callback stopped it.
pub(crate) fn narrowed(
    steps: &Adjacency,
    mut region: Bits,
    visits: &[Bits],
    cancellation: &Cancellation<'_>,
) -> Option<Bits> {
    // A set that the region was narrowed to is never left again.
    let mut open: Vec<&Bits> = visits.iter().collect();
    while !open.is_empty() {
        let crossed = crossed(steps, &region, &open, cancellation)?;
        let mut all_crossed = true;
        let mut at = 0;
        open.retain(|set| {
            at += 1;
            if !crossed[at - 1] {
                region.keep(set);
                all_crossed = false;
            }
            crossed[at - 1]
        });
        if all_crossed || region.is_empty() {
            break;
        }
    }
    Some(region)
}

/// For each set, whether steps within a region both enter and leave it.
fn crossed(
    steps: &Adjacency,
    region: &Bits,
    sets: &[&Bits],
    cancellation: &Cancellation<'_>,
) -> Option<Vec<bool>> {
    let mut ways = vec![(false, false); sets.len()];
    let mut left = sets.len();
    for (count, node) in region.iter().enumerate() {
        if count & 0xffff == 0xffff && cancellation.stopped() {
            return None;
        }
        let targets = steps.of(node);
        for (set, way) in sets.iter().zip(&mut ways).filter(|(_, way)| **way != (true, true)) {
            let inside = set.has(node);
            // A step that has been seen need not be seen again.
            if if inside { way.1 } else { way.0 } {
                continue;
            }
            if targets.iter().any(|&target| set.has(target) != inside && region.has(target)) {
                *(if inside { &mut way.1 } else { &mut way.0 }) = true;
                left -= usize::from(*way == (true, true));
            }
        }
        if left == 0 {
            break;
        }
    }
    Some(ways.into_iter().map(|way| way == (true, true)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::components::Components;
    use super::*;
    use crate::search::{NoCallback, Progress};

    fn set(len: usize, has: impl Fn(u32) -> bool) -> Bits {
        let mut bits = Bits::none(len);
        (0..len as u32).filter(|&node| has(node)).for_each(|node| bits.add(node));
        bits
    }

    /// The components with a cycle that visit all sets.
    fn visiting(steps: &Adjacency, region: &Bits, visits: &[Bits], stop: &Cancellation<'_>) -> Vec<Vec<u32>> {
        let found = Components::new(steps).within(region, region.iter(), stop).expect("not stopped");
        let mut all: Vec<Vec<u32>> = (0..found.len()).map(|at| found.nodes(at).to_vec()).collect();
        all.retain(|nodes| visits.iter().all(|set| nodes.iter().any(|&node| set.has(node))));
        all.iter_mut().for_each(|nodes| nodes.sort_unstable());
        all.sort();
        all
    }

    #[test]
    fn no_component_that_visits_all_sets_is_lost_or_cut() {
        let progress = Progress { distinct_states: 0, transitions: 0, depth: 0, queue: 0, bytes: 0 };
        let stop = Cancellation::new(&NoCallback, progress);
        let (mut random, mut narrower, mut found) = (1u64, 0, 0);
        let mut draw = |below: u64| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) % below
        };
        for _ in 0..3000 {
            let len = 2 + draw(10) as usize;
            let mut steps = Adjacency::new();
            for _ in 0..len {
                let targets: Vec<u32> = (0..draw(3)).map(|_| draw(len as u64) as u32).collect();
                steps.push(&targets);
            }
            let mut any = |of: u64| {
                let bits = draw(1 << len) | if of == 0 { draw(1 << len) } else { 0 };
                set(len, |node| bits >> node & 1 == 1)
            };
            let region = any(0);
            let visits = [any(1), any(0)];
            let part = narrowed(&steps, region.clone(), &visits, &stop).expect("not stopped");
            assert!(part.iter().all(|node| region.has(node)));
            let before = visiting(&steps, &region, &visits, &stop);
            assert_eq!(visiting(&steps, &part, &visits, &stop), before);
            narrower += usize::from(part != region);
            found += before.len();
        }
        assert!(narrower > 1000 && found > 300, "{narrower} {found}");
    }

    #[test]
    fn what_is_never_left_is_told_from_single_steps() {
        // 0 <-> 1 -> 2 <-> 3: whoever comes to {2, 3} stays.
        let mut steps = Adjacency::new();
        [&[1][..], &[0, 2], &[3], &[2]].iter().for_each(|targets| steps.push(targets));
        let progress = Progress { distinct_states: 0, transitions: 0, depth: 0, queue: 0, bytes: 0 };
        let stop = Cancellation::new(&NoCallback, progress);
        let (late, early) = (set(4, |node| node > 1), set(4, |node| node < 2));
        let both = [late.clone(), early.clone()];
        assert!(narrowed(&steps, Bits::all(4), &both, &stop).expect("not stopped").is_empty());
        assert_eq!(narrowed(&steps, Bits::all(4), &both[..1], &stop), Some(late));
        assert_eq!(narrowed(&steps, Bits::all(4), &both[1..], &stop), Some(early));
        let crossed = [set(4, |node| node % 2 == 0)];
        assert_eq!(narrowed(&steps, Bits::all(4), &crossed, &stop), Some(Bits::all(4)));
    }
}
