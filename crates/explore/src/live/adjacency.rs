//! The steps between numbered nodes, spelled out: for each node the nodes that it leads to, in one long list.

/// The successors of every node.
pub(crate) struct Adjacency {
    offsets: Vec<u64>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// No node yet.
    pub fn new() -> Adjacency {
        Adjacency { offsets: vec![0], targets: Vec::new() }
    }

    /// One more node, with its successors.
    pub fn push(&mut self, successors: &[u32]) {
        self.targets.extend_from_slice(successors);
        self.offsets.push(self.targets.len() as u64);
    }

    /// More nodes, which others have put together.
    pub fn append(&mut self, other: Adjacency) {
        let base = self.targets.len() as u64;
        self.targets.extend_from_slice(&other.targets);
        self.offsets.extend(other.offsets[1..].iter().map(|offset| base + offset));
    }

    /// Room for so many nodes and steps.
    pub fn reserve(&mut self, nodes: usize, steps: usize) {
        self.offsets.reserve_exact(nodes);
        self.targets.reserve_exact(steps);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of steps.
    pub fn count(&self) -> usize {
        self.targets.len()
    }

    /// Where a node leads.
    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        let at = node as usize;
        &self.targets[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// The same steps the other way inspection.
    pub fn reversed(&self) -> Adjacency {
        let nodes = self.nodes();
        let mut offsets = vec![0u64; nodes + 1];
        self.targets.iter().for_each(|&target| offsets[target as usize + 1] += 1);
        for at in 0..nodes {
            offsets[at + 1] += offsets[at];
        }
        let (mut next, mut targets) = (offsets.clone(), vec![0; self.targets.len()]);
        for node in 0..nodes as u32 {
            for &target in self.of(node) {
                targets[next[target as usize] as usize] = node;
                next[target as usize] += 1;
            }
        }
        Adjacency { offsets, targets }
    }

    pub fn bytes(&self) -> u64 {
        8 * self.offsets.capacity() as u64 + 4 * self.targets.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_can_be_put_together_and_turned_round() {
        let (mut steps, mut more) = (Adjacency::new(), Adjacency::new());
        steps.push(&[1, 2]);
        more.push(&[]);
        more.push(&[0, 2]);
        steps.append(more);
        assert_eq!([steps.of(0), steps.of(1), steps.of(2)], [&[1, 2][..], &[], &[0, 2]]);
        let back = steps.reversed();
        assert_eq!([back.of(0), back.of(1), back.of(2)], [&[2][..], &[0], &[0, 2]]);
        assert_eq!((steps.nodes(), steps.count(), back.count()), (3, 4, 4));
    }
}
