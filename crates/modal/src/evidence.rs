//! The part of a graph that proves an answer: the steps that the winner's strategy takes, and all that the other player can
//! do about it. The formula has the same answer on this part alone, as far as it is about steps.

use crate::arena::{GameArena, Reduced, START};
use crate::data::DataError;
use crate::game::Player;
use crate::solver::GameSolution;
use std::collections::{HashMap, HashSet};

/// A part of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AnswerEvidence {
    /// The initial states in it.
    pub initial: Vec<u32>,
    /// The states, in the order in which they were found.
    pub states: Vec<u32>,
    /// The steps: state, label, state.
    pub steps: Vec<(u32, u32, u32)>,
    /// The play in which the strategy wins, as a run, if there is only one.
    pub run: Option<EvidenceRun>,
}

/// A run that is all there is of a part of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvidenceRun {
    /// Its first state.
    pub start: u32,
    /// Its steps: label and target.
    pub steps: Vec<(u32, u32)>,
    /// The number of steps after which it begins again from where it then is, if it has no end.
    pub loops_to: Option<usize>,
}

/// The part of the graph that the winner's strategy needs.
pub(crate) fn gather(
    arena: &mut GameArena<'_>,
    winner: Player,
    solution: &GameSolution,
) -> Result<AnswerEvidence, DataError> {
    let mut part = Part::default();
    let mut seen: HashSet<u32> = HashSet::from([0]);
    let mut waiting = vec![0u32];
    let mut done = 0;
    let mut play = Some(Play::default());
    while done < waiting.len() {
        let node = waiting[done];
        done += 1;
        let state = arena.state(node);
        let recorded = arena.record(node, winner)?;
        let chosen: Vec<usize> = if arena.owner(node) != winner {
            (0..recorded.moves.len()).collect()
        } else if recorded.won {
            recorded.moves.len().checked_sub(1).into_iter().collect()
        } else {
            let target = solution.choice(node).map(Reduced::Node);
            recorded.moves.iter().position(|choice| Some(choice.to) == target).into_iter().collect()
        };
        let mut ways = 0;
        for at in chosen {
            let choice = recorded.moves[at];
            let steps = recorded.witnesses.iter().filter(|(place, _)| *place == at).map(|&(_, step)| step);
            let steps: Vec<(u32, u32)> = steps.chain(choice.step).collect();
            for &(label, target) in &steps {
                part.step(state, label, target);
            }
            let next = match choice.to {
                Reduced::Node(target) => Some(target),
                Reduced::Known(_) => None,
            };
            ways += usize::from(next.is_some() || !steps.is_empty());
            if ways > 1 || steps.len() > 1 || (!steps.is_empty() && choice.step.is_none() && next.is_some()) {
                play = None;
            } else if let Some(play) = &mut play {
                play.after.insert(node, (steps.first().copied(), next));
            }
            let Some(target) = next else { continue };
            if state == START {
                part.begin(arena.state(target));
            }
            if seen.insert(target) {
                waiting.push(target);
            }
        }
    }
    // Initial states at which the answer needs no step at all.
    if part.evidence.initial.is_empty() {
        let states: Vec<u32> = arena.graph.initial().to_vec();
        states.into_iter().take(1).for_each(|state| part.begin(state));
    }
    if let (Some(play), &[start]) = (play, part.evidence.initial.as_slice()) {
        part.evidence.run = Some(play.run(start));
    }
    Ok(part.evidence)
}

/// The only play of a strategy, node by node: the step that is taken, and the next node.
#[derive(Default)]
struct Play {
    after: HashMap<u32, PlayedMove>,
}

/// A step of the graph, if one is taken, and the next node, if there is one.
type PlayedMove = (Option<(u32, u32)>, Option<u32>);

impl Play {
    /// The play as a run from this state. It ends where the play ends, or goes on for ever where a node comes again.
    fn run(&self, start: u32) -> EvidenceRun {
        let mut run = EvidenceRun { start, steps: Vec::new(), loops_to: None };
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut node = 0;
        loop {
            if let Some(&place) = places.get(&node) {
                run.loops_to = Some(place);
                return run;
            }
            places.insert(node, run.steps.len());
            let Some(&(step, next)) = self.after.get(&node) else { return run };
            run.steps.extend(step);
            let Some(next) = next else { return run };
            node = next;
        }
    }
}

#[derive(Default)]
struct Part {
    evidence: AnswerEvidence,
    states: HashSet<u32>,
    steps: HashSet<(u32, u32, u32)>,
}

impl Part {
    fn begin(&mut self, state: u32) {
        if !self.evidence.initial.contains(&state) {
            self.evidence.initial.push(state);
        }
        self.state(state);
    }

    fn state(&mut self, state: u32) {
        if self.states.insert(state) {
            self.evidence.states.push(state);
        }
    }

    fn step(&mut self, from: u32, label: u32, to: u32) {
        self.state(from);
        self.state(to);
        if self.steps.insert((from, label, to)) {
            self.evidence.steps.push((from, label, to));
        }
    }
}
