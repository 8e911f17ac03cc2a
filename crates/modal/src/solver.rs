//! Solves parity games, with a winning strategy for each player. The strongly connected components are solved one by one,
//! successors first, and what is decided is propagated backwards at once. So a game of a formula without alternation takes
//! linear time: each of its components has priorities of one parity. Within a component this is Zielonka's algorithm, whose
//! recursion is as deep as there are priorities and never as deep as the graph.

mod components;
mod recursive;

use crate::game::{ParityGame, Player};
use components::GameComponents;

/// No node.
const NONE: u32 = u32::MAX;

/// Who wins where, and how.
#[derive(Clone, Debug)]
pub struct GameSolution {
    /// For each node 0 if `Exists` wins from it and 1 if `Forall` does.
    winners: Vec<u8>,
    /// For each node whose owner wins: the move that wins.
    moves: Vec<u32>,
}

impl GameSolution {
    /// The player who wins from this node.
    pub fn winner(&self, node: u32) -> Player {
        if self.winners[node as usize] == 0 { Player::Exists } else { Player::Forall }
    }

    /// The move of its owner at a node where the owner wins.
    pub fn choice(&self, node: u32) -> Option<u32> {
        Some(self.moves[node as usize]).filter(|&target| target != NONE)
    }

    /// The same with another choice, for tests of what verifies strategies.
    #[doc(hidden)]
    #[must_use]
    pub fn altered(mut self, node: u32, winner: Player, choice: Option<u32>) -> GameSolution {
        self.winners[node as usize] = player_number(winner);
        self.moves[node as usize] = choice.unwrap_or(NONE);
        self
    }
}

/// Solves a game whose open nodes, if it has any, are won by this player.
pub fn solve(game: &ParityGame, open: Player) -> GameSolution {
    let mut solver = Solver::new(game);
    solver.settle_ends(open);
    let mut components = GameComponents::new(game.nodes());
    while let Some(mut component) = components.next(game, &solver.winners) {
        component.retain(|&node| solver.winners[node as usize] == UNDECIDED);
        if !component.is_empty() {
            solver.solve_component(component);
        }
    }
    GameSolution { winners: solver.winners, moves: solver.moves }
}

/// What is known of a node before it is decided.
const UNDECIDED: u8 = 2;

fn player_number(player: Player) -> u8 {
    u8::from(player == Player::Forall)
}

struct Solver<'g> {
    game: &'g ParityGame,
    /// The nodes with an edge to each node, one after the other.
    predecessors: Vec<u32>,
    first: Vec<u32>,
    winners: Vec<u8>,
    moves: Vec<u32>,
    /// Of the other player's nodes: how many edges do not lead into the region yet.
    left: Vec<u32>,
    queue: Vec<u32>,
    recursion: recursive::Recursion,
}

impl<'g> Solver<'g> {
    fn new(game: &'g ParityGame) -> Solver<'g> {
        let nodes = game.nodes();
        let mut first = vec![0u32; nodes + 1];
        let closed = game.closed() as u32;
        for node in 0..closed {
            game.successors(node).iter().for_each(|&target| first[target as usize + 1] += 1);
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut place = first.clone();
        let mut predecessors = vec![0u32; game.edges()];
        for node in 0..closed {
            for &target in game.successors(node) {
                predecessors[place[target as usize] as usize] = node;
                place[target as usize] += 1;
            }
        }
        // The places are not needed any more, and as many numbers are.
        let mut left = place;
        left.truncate(nodes);
        for node in 0..nodes as u32 {
            left[node as usize] = game.successors(node).len() as u32;
        }
        Solver {
            game,
            predecessors,
            first,
            winners: vec![UNDECIDED; nodes],
            moves: vec![NONE; nodes],
            left,
            queue: Vec::new(),
            recursion: recursive::Recursion::new(nodes),
        }
    }

    fn predecessors(&self, node: u32) -> std::ops::Range<usize> {
        self.first[node as usize] as usize..self.first[node as usize + 1] as usize
    }

    /// Decides the nodes without moves and the open ones, and all that follows.
    fn settle_ends(&mut self, open: Player) {
        for node in 0..self.game.nodes() as u32 {
            if self.game.is_open(node) {
                self.decide(node, open, NONE);
            } else if self.game.successors(node).is_empty() {
                self.decide(node, self.game.owner(node).other(), NONE);
            }
        }
        self.propagate();
    }

    fn decide(&mut self, node: u32, winner: Player, choice: u32) {
        self.winners[node as usize] = player_number(winner);
        self.moves[node as usize] = choice;
        self.queue.push(node);
    }

    /// Decides what can be decided from the nodes in the queue, nearest first.
    fn propagate(&mut self) {
        let mut done = 0;
        while done < self.queue.len() {
            let node = self.queue[done];
            done += 1;
            let number = self.winners[node as usize];
            let winner = if number == 0 { Player::Exists } else { Player::Forall };
            for edge in self.predecessors(node) {
                let before = self.predecessors[edge];
                if self.winners[before as usize] != UNDECIDED {
                    continue;
                }
                if self.game.owner(before) == winner {
                    self.decide(before, winner, node);
                } else {
                    self.left[before as usize] -= 1;
                    if self.left[before as usize] == 0 {
                        self.decide(before, winner, NONE);
                    }
                }
            }
        }
        self.queue.clear();
    }

    /// Decides the nodes of a component, all of whose ways out are decided.
    fn solve_component(&mut self, component: Vec<u32>) {
        self.solve_recursively(&component);
        for node in component {
            let winner = self.recursion.winner(node);
            let choice = if winner == self.game.owner(node) { self.moves[node as usize] } else { NONE };
            self.decide(node, winner, choice);
        }
        self.propagate();
    }
}
