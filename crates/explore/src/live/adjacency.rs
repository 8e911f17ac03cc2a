//! The steps between numbered nodes, spelled out: for each node the nodes that it leads to. They are kept in blocks of nodes, so
//! that threads can make blocks side by side, and nothing is put together from parts once more.

/// The nodes of a block, as bits.
const BLOCK_BITS: u32 = 14;
/// The nodes of every block but the last.
pub(crate) const BLOCK: usize = 1 << BLOCK_BITS;

/// The successors of every node.
pub(crate) struct Adjacency {
    blocks: Vec<AdjacencyBlock>,
    nodes: usize,
}

/// The successors of some nodes with numbers in a row.
pub(crate) struct AdjacencyBlock {
    /// Where the successors of each node end; before them all, 0.
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl AdjacencyBlock {
    /// No node yet.
    pub fn new() -> AdjacencyBlock {
        AdjacencyBlock { ends: vec![0], targets: Vec::new() }
    }

    /// One more node, with its successors.
    pub fn push(&mut self, successors: &[u32]) {
        self.targets.extend_from_slice(successors);
        self.ends.push(self.targets.len() as u32);
    }

    fn bytes(&self) -> u64 {
        4 * (self.ends.capacity() + self.targets.capacity()) as u64
    }
}

impl Adjacency {
    /// No node yet.
    pub fn new() -> Adjacency {
        Adjacency { blocks: Vec::new(), nodes: 0 }
    }

    /// One more node, with its successors.
    pub fn push(&mut self, successors: &[u32]) {
        if self.nodes.is_multiple_of(BLOCK) {
            self.blocks.push(AdjacencyBlock::new());
        }
        if let Some(last) = self.blocks.last_mut() {
            last.push(successors);
        }
        self.nodes += 1;
    }

    /// The nodes of blocks, each of which has [`BLOCK`] nodes, but for the last one.
    pub fn of_blocks(mut blocks: Vec<AdjacencyBlock>) -> Adjacency {
        let nodes = blocks.iter().map(|block| block.ends.len() - 1).sum();
        blocks.iter_mut().for_each(|block| block.targets.shrink_to_fit());
        assert!(blocks.iter().rev().skip(1).all(|block| block.ends.len() == BLOCK + 1), "blocks are full");
        Adjacency { blocks, nodes }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Where a node leads.
    #[inline]
    pub fn of(&self, node: u32) -> &[u32] {
        let (block, at) = (&self.blocks[node as usize >> BLOCK_BITS], node as usize & (BLOCK - 1));
        &block.targets[block.ends[at] as usize..block.ends[at + 1] as usize]
    }

    /// The same steps the other way round.
    pub fn reversed(&self) -> Adjacency {
        let mut counts = vec![0u32; self.nodes];
        for node in 0..self.nodes as u32 {
            self.of(node).iter().for_each(|&target| counts[target as usize] += 1);
        }
        let blocks = counts.chunks(BLOCK).map(|counts| {
            let mut block = AdjacencyBlock::new();
            block.ends.extend(counts.iter().scan(0, |end, count| {
                *end += count;
                Some(*end)
            }));
            block.targets = vec![0; block.ends[counts.len()] as usize];
            block
        });
        let mut back = Adjacency { blocks: blocks.collect(), nodes: self.nodes };
        // The sources of each node are filled in from the last to the first.
        for node in (0..self.nodes as u32).rev() {
            for &target in self.of(node) {
                let (block, at) = (&mut back.blocks[target as usize / BLOCK], target as usize % BLOCK);
                let left = &mut counts[target as usize];
                *left -= 1;
                block.targets[(block.ends[at] + *left) as usize] = node;
            }
        }
        back
    }

    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(AdjacencyBlock::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_can_be_turned_round() {
        let mut steps = Adjacency::new();
        [&[1, 2][..], &[], &[0, 2]].iter().for_each(|targets| steps.push(targets));
        assert_eq!([steps.of(0), steps.of(1), steps.of(2)], [&[1, 2][..], &[], &[0, 2]]);
        let back = steps.reversed();
        assert_eq!([back.of(0), back.of(1), back.of(2)], [&[2][..], &[0], &[0, 2]]);
        assert_eq!((steps.nodes(), back.nodes()), (3, 3));
    }

    #[test]
    fn blocks_make_the_same_graph_as_nodes_one_by_one() {
        let nodes = 2 * BLOCK as u32 + 5;
        let targets = |node: u32| [(node * 7 + 1) % nodes, node / 2];
        let (mut single, mut blocks) = (Adjacency::new(), Vec::new());
        for node in 0..nodes {
            single.push(&targets(node));
            if node % BLOCK as u32 == 0 {
                blocks.push(AdjacencyBlock::new());
            }
            blocks.last_mut().expect("a block").push(&targets(node));
        }
        let together = Adjacency::of_blocks(blocks);
        assert_eq!((single.nodes(), together.nodes()), (nodes as usize, nodes as usize));
        let back = together.reversed();
        let mut sources = vec![Vec::new(); nodes as usize];
        for node in 0..nodes {
            assert_eq!((single.of(node), together.of(node)), (&targets(node)[..], &targets(node)[..]));
            targets(node).iter().for_each(|&target| sources[target as usize].push(node));
        }
        assert!((0..nodes).all(|node| back.of(node) == sources[node as usize]));
    }
}
