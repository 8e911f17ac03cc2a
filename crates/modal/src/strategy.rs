//! Verifies the strategies of a solved game from the rules of the game alone: a strategy stays where its player wins, never
//! ends at a node of the player, and every cycle that it leaves possible is won by the player. This shares no code with the
//! solver. No verdict is given whose strategy was not verified.

use crate::game::{ParityGame, Player};
use thiserror::Error;

/// A region of a game that a player claims to win, and the moves by which.
pub struct StrategyClaim<'a> {
    /// The player.
    pub player: Player,
    /// Whether a node belongs to the region.
    pub wins: &'a dyn Fn(u32) -> bool,
    /// The player's move at a node of the region that belongs to the player.
    pub choice: &'a dyn Fn(u32) -> Option<u32>,
}

/// Why a strategy does not win.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StrategyError {
    /// The player has no move at a node of the player's, or none that the node has.
    #[error("at node {0} the strategy has no move, or one that the game does not have")]
    NoMove(u32),
    /// A move leads out of the region.
    #[error("the move from node {0} to node {1} leaves the region that is claimed")]
    Leaves(u32, u32),
    /// The edges of a node in the region are not known.
    #[error("node {0} is claimed, but its moves are not known")]
    Open(u32),
    /// A play that the strategy admits is won by the other player.
    #[error(
        "the strategy admits a cycle through node {0} in which its priority is the greatest, and it is the opponent's"
    )]
    Cycle(u32),
}

/// Verifies a claim; returns the number of nodes in the region.
pub fn verify(game: &ParityGame, claim: &StrategyClaim<'_>) -> Result<usize, StrategyError> {
    let region: Vec<u32> = (0..game.nodes() as u32).filter(|&node| (claim.wins)(node)).collect();
    let mut within = vec![false; game.nodes()];
    region.iter().for_each(|&node| within[node as usize] = true);
    for &node in &region {
        if game.is_open(node) {
            return Err(StrategyError::Open(node));
        }
        let possible = game.successors(node);
        if game.owner(node) == claim.player {
            let target = (claim.choice)(node).filter(|target| possible.contains(target));
            let target = target.ok_or(StrategyError::NoMove(node))?;
            if !within[target as usize] {
                return Err(StrategyError::Leaves(node, target));
            }
        } else if let Some(&target) = possible.iter().find(|&&target| !within[target as usize]) {
            return Err(StrategyError::Leaves(node, target));
        }
    }
    let lost = |priority: &u8| Player::of_priority(*priority) != claim.player;
    let mut bad: Vec<u8> = region.iter().map(|&node| game.priority(node)).filter(lost).collect();
    bad.sort_unstable();
    bad.dedup();
    for priority in bad {
        let part: Vec<u32> = region.iter().copied().filter(|&node| game.priority(node) <= priority).collect();
        if let Some(node) = bad_cycle(game, claim, &part, priority) {
            return Err(StrategyError::Cycle(node));
        }
    }
    Ok(region.len())
}

/// A node of this priority on a cycle of the strategy among these nodes, if there is one. Two passes over the graph, after
/// Kosaraju: the second one, backwards in the order in which the first one left the nodes, finds component after component.
fn bad_cycle(game: &ParityGame, claim: &StrategyClaim<'_>, part: &[u32], priority: u8) -> Option<u32> {
    let mut number = vec![u32::MAX; game.nodes()];
    part.iter().enumerate().for_each(|(at, &node)| number[node as usize] = at as u32);
    let mut first = vec![0usize; part.len() + 1];
    let mut forward: Vec<u32> = Vec::new();
    for (at, &node) in part.iter().enumerate() {
        let mut push = |target: u32| {
            let target = number[target as usize];
            if target != u32::MAX {
                forward.push(target);
            }
        };
        if game.owner(node) == claim.player {
            (claim.choice)(node).into_iter().for_each(&mut push);
        } else {
            game.successors(node).iter().copied().for_each(&mut push);
        }
        first[at + 1] = forward.len();
    }
    let mut begin = vec![0usize; part.len() + 1];
    forward.iter().for_each(|&target| begin[target as usize + 1] += 1);
    (0..part.len()).for_each(|at| begin[at + 1] += begin[at]);
    let mut place = begin.clone();
    let mut backward = vec![0u32; forward.len()];
    for at in 0..part.len() {
        for &target in &forward[first[at]..first[at + 1]] {
            backward[place[target as usize]] = at as u32;
            place[target as usize] += 1;
        }
    }
    let order = leaving_order(&first, &forward);
    let mut seen = vec![false; part.len()];
    for &root in order.iter().rev() {
        if seen[root as usize] {
            continue;
        }
        seen[root as usize] = true;
        let mut component = vec![root];
        let mut done = 0;
        while done < component.len() {
            let at = component[done] as usize;
            done += 1;
            for &before in &backward[begin[at]..begin[at + 1]] {
                if !std::mem::replace(&mut seen[before as usize], true) {
                    component.push(before);
                }
            }
        }
        let loops = |at: u32| forward[first[at as usize]..first[at as usize + 1]].contains(&at);
        if component.len() == 1 && !loops(root) {
            continue;
        }
        let of_priority = |&at: &u32| game.priority(part[at as usize]) == priority;
        if let Some(at) = component.into_iter().find(of_priority) {
            return Some(part[at as usize]);
        }
    }
    None
}

/// The nodes in the order in which a depth-first search leaves them.
fn leaving_order(first: &[usize], forward: &[u32]) -> Vec<u32> {
    let nodes = first.len() - 1;
    let mut order = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..nodes {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        path.push((root as u32, first[root]));
        while let Some((at, edge)) = path.last_mut() {
            if *edge == first[*at as usize + 1] {
                order.push(*at);
                path.pop();
                continue;
            }
            let target = forward[*edge];
            *edge += 1;
            if !std::mem::replace(&mut seen[target as usize], true) {
                path.push((target, first[target as usize]));
            }
        }
    }
    order
}
