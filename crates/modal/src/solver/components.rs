//! The strongly connected components of what is undecided in a game, successors before predecessors. Tarjan's algorithm
//! with a stack of its own, one component at a time: what follows from a component is decided before the next one is looked
//! for.

use super::UNDECIDED;
use crate::game::ParityGame;

/// Where the search for components is.
pub(super) struct GameComponents {
    /// The order of discovery, from 1; 0 for nodes that are not found yet.
    found: Vec<u32>,
    /// The earliest node on the stack that is known to be reachable; `DONE` once the component is complete.
    low: Vec<u32>,
    count: u32,
    /// The nodes of components that are not complete.
    open: Vec<u32>,
    /// The path of the search: a node, and the number of its edges that were followed.
    path: Vec<(u32, u32)>,
    next_root: u32,
}

const DONE: u32 = u32::MAX;

impl GameComponents {
    pub(super) fn new(nodes: usize) -> GameComponents {
        GameComponents {
            found: vec![0; nodes],
            low: vec![0; nodes],
            count: 0,
            open: Vec::new(),
            path: Vec::new(),
            next_root: 0,
        }
    }

    /// The next component among the nodes that are undecided when they are found.
    pub(super) fn next(&mut self, game: &ParityGame, winners: &[u8]) -> Option<Vec<u32>> {
        loop {
            let Some(&(node, followed)) = self.path.last() else {
                let root = (self.next_root..game.nodes() as u32)
                    .find(|&node| self.found[node as usize] == 0 && winners[node as usize] == UNDECIDED)?;
                self.next_root = root;
                self.enter(root);
                continue;
            };
            if let Some(&target) = game.successors(node).get(followed as usize) {
                self.path.last_mut().expect("it was just read").1 += 1;
                if self.found[target as usize] == 0 {
                    if winners[target as usize] == UNDECIDED {
                        self.enter(target);
                    }
                } else if self.low[target as usize] != DONE {
                    let low = self.found[target as usize];
                    self.low[node as usize] = self.low[node as usize].min(low);
                }
                continue;
            }
            self.path.pop();
            let low = self.low[node as usize];
            if let Some(&(before, _)) = self.path.last() {
                self.low[before as usize] = self.low[before as usize].min(low);
            }
            if low == self.found[node as usize] {
                let begin = self.open.iter().rposition(|&other| other == node).expect("it is on the stack");
                let component = self.open.split_off(begin);
                component.iter().for_each(|&member| self.low[member as usize] = DONE);
                return Some(component);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.count += 1;
        self.found[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.open.push(node);
        self.path.push((node, 0));
    }
}
