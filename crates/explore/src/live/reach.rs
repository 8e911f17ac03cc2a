//! Shortest ways from some nodes to all others.

use super::adjacency::Adjacency;
use super::bits::Bits;

/// How far each node is from the nearest seed, and from where it is reached.
pub(crate) struct Reach {
    /// [`Reach::FAR`] for nodes that are not reached.
    pub costs: Vec<u32>,
    parents: Vec<u32>,
}

impl Reach {
    pub const FAR: u32 = u32::MAX;

    /// From these seeds, each of which has a cost of its own, through nodes of the region.
    pub fn new(steps: &Adjacency, region: Option<&Bits>, seeds: &[(u32, u32)]) -> Reach {
        let mut seeds = seeds.to_vec();
        seeds.sort_by_key(|&(_, cost)| cost);
        let mut reach =
            Reach { costs: vec![Reach::FAR; steps.nodes()], parents: vec![Reach::FAR; steps.nodes()] };
        let (mut now, mut next, mut entered) = (Vec::new(), Vec::new(), 0);
        let mut cost = seeds.first().map_or(0, |&(_, cost)| cost);
        while !now.is_empty() || entered < seeds.len() {
            if now.is_empty() {
                cost = seeds[entered].1;
            }
            while let Some(&(node, _)) = seeds.get(entered).filter(|(_, at)| *at == cost) {
                entered += 1;
                if reach.costs[node as usize] == Reach::FAR {
                    reach.costs[node as usize] = cost;
                    now.push(node);
                }
            }
            for node in now.drain(..) {
                for &target in steps.of(node) {
                    if reach.costs[target as usize] == Reach::FAR && region.is_none_or(|all| all.has(target))
                    {
                        reach.costs[target as usize] = cost + 1;
                        reach.parents[target as usize] = node;
                        next.push(target);
                    }
                }
            }
            std::mem::swap(&mut now, &mut next);
            cost += 1;
        }
        reach
    }

    /// The nodes from a seed to this node, both included.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        let mut at = node;
        while self.parents[at as usize] != Reach::FAR {
            at = self.parents[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_with_costs_compete() {
        // 0 -> 1 -> 2 -> 3 and 4 -> 3.
        let mut steps = Adjacency::new();
        for targets in [&[1][..], &[2], &[3], &[], &[3]] {
            steps.push(targets);
        }
        let reach = Reach::new(&steps, None, &[(0, 0), (4, 1)]);
        assert_eq!(reach.costs, [0, 1, 2, 2, 1]);
        assert_eq!(reach.path(3), [4, 3]);
        let late = Reach::new(&steps, None, &[(0, 0), (4, 5)]);
        assert_eq!(late.path(3), [0, 1, 2, 3]);
        assert_eq!(late.costs[4], 5);
        let mut region = Bits::all(5);
        region.remove(2);
        let cut = Reach::new(&steps, Some(&region), &[(0, 0)]);
        assert_eq!(cut.costs[3], Reach::FAR);
    }
}
