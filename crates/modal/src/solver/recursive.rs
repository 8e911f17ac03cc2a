//! Zielonka's algorithm for one component. A subgame is the set of nodes on the level of the recursion; an attractor leaves
//! its nodes on the level, and the rest goes one level down.

use super::{NONE, Solver, player_number};
use crate::game::Player;

/// The level of nodes that belong to no subgame.
const OUTSIDE: u8 = 0;

/// What the recursion keeps for each node.
pub(super) struct Recursion {
    levels: Vec<u8>,
    /// Priorities, compressed within the component.
    priorities: Vec<u8>,
    winners: Vec<u8>,
    /// The number of the attractor that the node belongs to, and of the one that has counted its edges.
    attracted: Vec<u32>,
    counted: Vec<u32>,
    counts: Vec<u32>,
    attractors: u32,
}

impl Recursion {
    pub(super) fn new(nodes: usize) -> Recursion {
        Recursion {
            levels: vec![OUTSIDE; nodes],
            priorities: vec![0; nodes],
            winners: vec![0; nodes],
            attracted: vec![0; nodes],
            counted: vec![0; nodes],
            counts: vec![0; nodes],
            attractors: 0,
        }
    }

    /// The player who wins from a node of the component that was solved last.
    pub(super) fn winner(&self, node: u32) -> Player {
        if self.winners[node as usize] == 0 { Player::Exists } else { Player::Forall }
    }
}

impl Solver<'_> {
    /// Finds the winners of a component, and their moves.
    pub(super) fn solve_recursively(&mut self, component: &[u32]) {
        self.compress(component);
        for &node in component {
            self.recursion.levels[node as usize] = 1;
        }
        self.solve_level(component.to_vec(), 1);
        for &node in component {
            self.recursion.levels[node as usize] = OUTSIDE;
        }
    }

    /// Gives neighbouring priorities of one parity, among those that occur, the same number.
    fn compress(&mut self, component: &[u32]) {
        let mut occurs = [false; 128];
        for &node in component {
            occurs[self.game.priority(node) as usize] = true;
        }
        let mut compressed = [0u8; 128];
        let mut last: Option<u8> = None;
        for priority in (0..128u8).filter(|&priority| occurs[priority as usize]) {
            let number = match last {
                None => priority % 2,
                Some(number) if number % 2 == priority % 2 => number,
                Some(number) => number + 1,
            };
            compressed[priority as usize] = number;
            last = Some(number);
        }
        for &node in component {
            self.recursion.priorities[node as usize] = compressed[self.game.priority(node) as usize];
        }
    }

    /// Solves the subgame of these nodes, which are those on the level. Each turn of the loop takes nodes away that are won
    /// by the player who does not win the greatest priority; in the last there are none.
    fn solve_level(&mut self, mut nodes: Vec<u32>, level: u8) {
        loop {
            let greatest = nodes.iter().map(|&node| self.recursion.priorities[node as usize]).max();
            let Some(greatest) = greatest else { return };
            let player = Player::of_priority(greatest);
            let seeds = nodes.iter().copied();
            let seeds: Vec<u32> =
                seeds.filter(|&node| self.recursion.priorities[node as usize] == greatest).collect();
            let attractor = self.attract(&seeds, player, level);
            let number = self.recursion.attractors;
            let rest: Vec<u32> = nodes
                .iter()
                .copied()
                .filter(|&node| self.recursion.attracted[node as usize] != number)
                .collect();
            rest.iter().for_each(|&node| self.recursion.levels[node as usize] = level + 1);
            self.solve_level(rest.clone(), level + 1);
            rest.iter().for_each(|&node| self.recursion.levels[node as usize] = level);
            let lost: Vec<u32> =
                rest.into_iter().filter(|&node| self.recursion.winner(node) != player).collect();
            if lost.is_empty() {
                for node in attractor {
                    self.recursion.winners[node as usize] = player_number(player);
                }
                for seed in seeds {
                    if self.game.owner(seed) == player {
                        self.moves[seed as usize] = self.stay(seed, level);
                    }
                }
                return;
            }
            for node in self.attract(&lost, player.other(), level) {
                self.recursion.winners[node as usize] = player_number(player.other());
                self.recursion.levels[node as usize] = OUTSIDE;
            }
            nodes.retain(|&node| self.recursion.levels[node as usize] == level);
        }
    }

    /// A move that stays in the subgame.
    fn stay(&self, node: u32, level: u8) -> u32 {
        let within = |target: &&u32| self.recursion.levels[**target as usize] == level;
        self.game.successors(node).iter().find(within).copied().unwrap_or(NONE)
    }

    /// The nodes of the level from which this player can force a play to the seeds, nearest first, the seeds included. The
    /// moves of nodes that are no seeds are those of the shortest way.
    fn attract(&mut self, seeds: &[u32], player: Player, level: u8) -> Vec<u32> {
        self.recursion.attractors += 1;
        let number = self.recursion.attractors;
        let mut attractor = seeds.to_vec();
        seeds.iter().for_each(|&seed| self.recursion.attracted[seed as usize] = number);
        let mut done = 0;
        while done < attractor.len() {
            let node = attractor[done];
            done += 1;
            for edge in self.predecessors(node) {
                let before = self.predecessors[edge];
                let place = before as usize;
                if self.recursion.levels[place] != level || self.recursion.attracted[place] == number {
                    continue;
                }
                if self.game.owner(before) == player {
                    self.moves[place] = node;
                } else {
                    if self.recursion.counted[place] != number {
                        self.recursion.counted[place] = number;
                        let within = |target: &&u32| self.recursion.levels[**target as usize] == level;
                        self.recursion.counts[place] =
                            self.game.successors(before).iter().filter(within).count() as u32;
                    }
                    self.recursion.counts[place] -= 1;
                    if self.recursion.counts[place] > 0 {
                        continue;
                    }
                }
                self.recursion.attracted[place] = number;
                attractor.push(before);
            }
        }
        attractor
    }
}
