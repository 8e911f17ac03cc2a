//! Parity games in compact arrays. `Exists` wins an infinite play if the greatest priority that occurs infinitely often in it
//! is even, and whoever has to move and cannot has lost. A game knows neither formulas nor states, and it may be known in
//! part only: of its last nodes, the open ones, the edges are not known yet.

/// The two players of a parity game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Player {
    /// Wants the formula to hold: chooses at disjunctions, quantifiers `exists` and `<R>`.
    Exists,
    /// Wants it to be false: chooses at conjunctions, quantifiers `forall` and `[R]`.
    Forall,
}

impl Player {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Player {
        match self {
            Player::Exists => Player::Forall,
            Player::Forall => Player::Exists,
        }
    }

    /// The player who wins if this is the greatest priority that occurs infinitely often.
    pub fn of_priority(priority: u8) -> Player {
        if priority.is_multiple_of(2) { Player::Exists } else { Player::Forall }
    }
}

/// The greatest priority that a node can have.
pub const GREATEST_PRIORITY: u8 = 126;

/// A parity game. Nodes get their edges in the order of their numbers.
#[derive(Clone, Debug)]
pub struct ParityGame {
    /// Twice the priority, and 1 for the nodes of `Forall`.
    ranks: Vec<u8>,
    /// Where the edges of a closed node begin; one more than there are closed nodes.
    first: Vec<u32>,
    targets: Vec<u32>,
    /// Closed nodes whose moves are not all known, in the order of their numbers.
    unknown: Vec<u32>,
}

impl Default for ParityGame {
    fn default() -> ParityGame {
        ParityGame { ranks: Vec::new(), first: vec![0], targets: Vec::new(), unknown: Vec::new() }
    }
}

impl ParityGame {
    /// A game without nodes.
    pub fn new() -> ParityGame {
        ParityGame::default()
    }

    /// Adds an open node and returns its number.
    pub fn add(&mut self, owner: Player, priority: u8) -> u32 {
        debug_assert!(priority <= GREATEST_PRIORITY);
        self.ranks.push(priority * 2 + u8::from(owner == Player::Forall));
        (self.ranks.len() - 1) as u32
    }

    /// Gives the first open node its edges, after which it is closed.
    pub fn close(&mut self, targets: &[u32]) {
        self.targets.extend_from_slice(targets);
        self.first.push(self.targets.len() as u32);
    }

    /// Closes the first open node as one at which this player has won.
    pub fn close_won(&mut self, winner: Player) {
        let node = self.closed();
        let priority = self.ranks[node] / 2;
        self.ranks[node] = priority * 2 + u8::from(winner == Player::Exists);
        self.close(&[]);
    }

    /// Closes the first open node without its edges, which stay unknown: it counts as an open one.
    pub fn close_unknown(&mut self) {
        self.unknown.push(self.closed() as u32);
        self.close(&[]);
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.ranks.len()
    }

    /// The number of nodes whose edges are known: they come first.
    pub fn closed(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.targets.len()
    }

    /// The player who moves at this node.
    pub fn owner(&self, node: u32) -> Player {
        if self.ranks[node as usize].is_multiple_of(2) { Player::Exists } else { Player::Forall }
    }

    /// The priority of this node.
    pub fn priority(&self, node: u32) -> u8 {
        self.ranks[node as usize] / 2
    }

    /// The nodes to which its owner can move; none as long as it is open.
    pub fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match self.first.get(node + 1) {
            Some(&end) => &self.targets[self.first[node] as usize..end as usize],
            None => &[],
        }
    }

    /// Whether the edges of the node are not known yet.
    pub fn is_open(&self, node: u32) -> bool {
        node as usize >= self.closed() || self.unknown.binary_search(&node).is_ok()
    }

    /// Whether the edges of any node are not known yet.
    pub fn has_open(&self) -> bool {
        self.closed() < self.nodes() || !self.unknown.is_empty()
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.ranks.capacity() + 4 * (self.first.capacity() + self.targets.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_closed_in_their_order_and_a_node_that_is_won_belongs_to_the_loser() {
        let mut game = ParityGame::new();
        let (first, second) = (game.add(Player::Exists, 3), game.add(Player::Forall, 2));
        game.close(&[second, first]);
        assert_eq!((game.closed(), game.nodes(), game.edges()), (1, 2, 2));
        assert!(game.is_open(second) && game.successors(second).is_empty());
        game.close_won(Player::Forall);
        assert_eq!((game.owner(second), game.priority(second)), (Player::Exists, 2));
        assert_eq!((game.owner(first), game.priority(first)), (Player::Exists, 3));
        assert_eq!(game.successors(first), [second, first]);
    }
}
