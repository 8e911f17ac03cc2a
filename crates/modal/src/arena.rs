//! The parity game of a formula and a graph, built while it is played: a node is a state, a position of the formula and the
//! values of the variables that the position depends on. Only what the initial states reach is built, conditions on data and
//! propositions are decided at once, and positions of one player that follow each other are one node.

mod deciding;

use crate::data::{Binding, DataError, FormulaData};
use crate::formula::FormulaVariable;
use crate::game::{ParityGame, Player};
use crate::graph::LabelledGraph;
use crate::labels::{LabelMeaning, TriedValues};
use crate::normal::{NormalFormula, Position, PositionId};
use crate::tables::NumberRows;
use deciding::local;
use std::collections::HashMap;

/// The state of the node in which `Forall` chooses an initial state.
pub(crate) const START: u32 = u32::MAX;

/// What a position turns out to be at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduced {
    Known(bool),
    Node(u32),
}

/// A move of a node before it is decided what it leads to: by a step of the graph or at the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameMove {
    pub(crate) step: Option<(u32, u32)>,
    pub(crate) to: Reduced,
}

/// A game that grows.
pub(crate) struct GameArena<'a> {
    formula: &'a NormalFormula,
    meaning: LabelMeaning<'a>,
    pub(crate) graph: &'a mut dyn LabelledGraph,
    pub(crate) game: ParityGame,
    /// For each node its state, its position and its environment.
    nodes: NumberRows,
    /// For each number of variables the values that they have together.
    environments: Vec<NumberRows>,
    /// For each label formula and each environment of it, what is known of each label.
    known_labels: Vec<HashMap<u32, Vec<LabelTruth>>>,
    /// For each position whether it is about the state alone.
    local: Vec<bool>,
    binding: Binding,
    /// The steps of the state that is expanded.
    steps: Vec<(u32, u32)>,
    moves: Vec<GameMove>,
    /// Where evidence is gathered, for whom, and the steps that positions decided at once rest on, each with its move.
    recorded: Option<Player>,
    witnesses: Vec<(usize, (u32, u32))>,
}

/// The moves of a node, for evidence.
pub(crate) struct RecordedMoves {
    pub(crate) moves: Vec<GameMove>,
    /// Steps of the state that moves rest on beside those that they take, by the place of the move.
    pub(crate) witnesses: Vec<(usize, (u32, u32))>,
    /// Whether the last of the moves wins at once.
    pub(crate) won: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LabelTruth {
    Unknown,
    Without,
    Within,
}

impl<'a> GameArena<'a> {
    /// The game with its first node, at which `Forall` chooses an initial state.
    pub(crate) fn new(
        formula: &'a NormalFormula,
        data: &'a dyn FormulaData,
        graph: &'a mut dyn LabelledGraph,
    ) -> Result<GameArena<'a>, DataError> {
        let mut nodes = NumberRows::new(3);
        nodes.intern(&[START, START, START]);
        let mut game = ParityGame::new();
        game.add(Player::Forall, 0);
        let mut arena = GameArena {
            formula,
            meaning: LabelMeaning { data, any_of_several: graph.any_of_several() },
            graph,
            game,
            nodes,
            environments: Vec::new(),
            known_labels: vec![HashMap::new(); formula.labels().len()],
            local: local(formula),
            binding: Binding::default(),
            steps: Vec::new(),
            moves: Vec::new(),
            recorded: None,
            witnesses: Vec::new(),
        };
        arena.start()?;
        arena.close();
        Ok(arena)
    }

    /// The state of a node; [`START`] for the first.
    pub(crate) fn state(&self, node: u32) -> u32 {
        self.nodes.row(node)[0]
    }

    pub(crate) fn bytes(&self) -> usize {
        let environments: usize = self.environments.iter().map(NumberRows::bytes).sum();
        self.game.bytes() + self.nodes.bytes() + environments + self.graph.bytes()
    }

    /// Gives the first open node its moves.
    pub(crate) fn expand(&mut self) -> Result<(), DataError> {
        let node = self.game.closed() as u32;
        let state = self.state(node);
        self.graph.expand(state);
        if self.graph.is_cut(state) {
            self.game.close_unknown();
            return Ok(());
        }
        if self.find_moves(node)? {
            self.game.close_won(self.owner(node));
        } else {
            self.close();
        }
        Ok(())
    }

    /// The moves of a node as they were when it was closed, those that are won or lost at once included, with what they rest
    /// on if this player has won.
    pub(crate) fn record(&mut self, node: u32, winner: Player) -> Result<RecordedMoves, DataError> {
        self.recorded = Some(winner);
        self.witnesses.clear();
        let won = if self.state(node) == START {
            self.start()?;
            false
        } else {
            self.find_moves(node)?
        };
        self.recorded = None;
        let (moves, witnesses) = (std::mem::take(&mut self.moves), std::mem::take(&mut self.witnesses));
        Ok(RecordedMoves { moves, witnesses, won })
    }

    /// The player who chooses at a node by the position of its formula.
    pub(crate) fn owner(&self, node: u32) -> Player {
        match self.nodes.row(node)[1] {
            START => Player::Forall,
            position => self.formula.owner(position),
        }
    }

    fn start(&mut self) -> Result<(), DataError> {
        self.moves.clear();
        for state in self.graph.initial().to_vec() {
            let to = self.reduce(self.formula.root(), state, false)?;
            self.moves.push(GameMove { step: None, to });
        }
        Ok(())
    }

    /// Closes the first open node with the moves that were found. A move that is lost for its owner counts for nothing; that
    /// one is won has been told before, but for the first node.
    fn close(&mut self) {
        let node = self.game.closed() as u32;
        let lost = self.moves.iter().any(|choice| choice.to == Reduced::Known(false));
        if self.state(node) == START && lost {
            return self.game.close_won(Player::Forall);
        }
        let mut targets: Vec<u32> = Vec::with_capacity(self.moves.len());
        for choice in &self.moves {
            if let Reduced::Node(target) = choice.to
                && targets.last() != Some(&target)
            {
                targets.push(target);
            }
        }
        self.game.close(&targets);
    }

    /// Finds the moves of a node. Returns true, and the move last, if its owner has won at once.
    fn find_moves(&mut self, node: u32) -> Result<bool, DataError> {
        let &[state, position, environment] = self.nodes.row(node) else { unreachable!("rows of three") };
        self.moves.clear();
        self.steps.clear();
        self.steps.extend_from_slice(self.graph.steps(state));
        let needs = self.formula.needs(position);
        if !needs.is_empty() {
            let values = self.environments[needs.len()].row(environment);
            needs.iter().zip(values).for_each(|(&variable, &value)| self.binding.set(variable, value));
        }
        let player = self.formula.owner(position);
        let body = match *self.formula.position(position) {
            Position::Fixed(body) => body,
            _ => position,
        };
        let won = self.gather(body, player, state);
        needs.iter().for_each(|&variable| self.binding.forget(variable));
        won
    }

    /// Adds the moves that a player has from a position, through all positions of the same player. Returns true as soon as a
    /// move wins at once.
    fn gather(&mut self, position: PositionId, player: Player, state: u32) -> Result<bool, DataError> {
        let formula = self.formula;
        match formula.position(position) {
            Position::All(parts) if player == Player::Forall => self.gather_all(parts, player, state),
            Position::Any(parts) if player == Player::Exists => self.gather_all(parts, player, state),
            Position::Quantified { any, variables, body } if *any == (player == Player::Exists) => {
                self.gather_values(variables, *body, player, state)
            }
            &Position::Step { any, labels, body } if any == (player == Player::Exists) => {
                for at in 0..self.steps.len() {
                    let (label, target) = self.steps[at];
                    if self.is_within(labels, label)? {
                        let to = self.reduce(body, target, false)?;
                        if self.offer(GameMove { step: Some((label, target)), to }, player) {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            _ => {
                let to = self.reduce(position, state, true)?;
                if let Some(winner) = self.recorded {
                    self.explain(position, state, winner)?;
                }
                Ok(self.offer(GameMove { step: None, to }, player))
            }
        }
    }

    fn gather_all(&mut self, parts: &[PositionId], player: Player, state: u32) -> Result<bool, DataError> {
        // A part without a value says nothing where another one wins.
        let mut failed = None;
        for &part in parts {
            match self.gather(part, player, state) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(false), Err)
    }

    fn gather_values(
        &mut self,
        variables: &'a [FormulaVariable],
        body: PositionId,
        player: Player,
        state: u32,
    ) -> Result<bool, DataError> {
        let Some((&variable, others)) = variables.split_first() else {
            return self.gather(body, player, state);
        };
        let usual = player == Player::Forall;
        let exceptions = self.exceptions(body, variable, usual, state)?;
        let tried = TriedValues::of(self.meaning.data, exceptions, variable)?;
        for &value in &tried.values {
            self.binding.set(variable, value);
            let won = self.gather_values(others, body, player, state);
            self.binding.forget(variable);
            if won? {
                return Ok(true);
            }
        }
        tried.exhausted(self.meaning.data, variable, false)
    }

    /// Adds a move, unless it is lost at once; returns whether it wins at once.
    fn offer(&mut self, choice: GameMove, player: Player) -> bool {
        let winning = player == Player::Exists;
        match choice.to {
            Reduced::Known(value) => {
                self.moves.push(choice);
                value == winning
            }
            Reduced::Node(_) => {
                self.moves.push(choice);
                false
            }
        }
    }

    /// Whether a label is one of those that a label formula means.
    fn is_within(&mut self, labels: usize, label: u32) -> Result<bool, DataError> {
        let formula = self.formula;
        let needs = formula.label_needs(labels);
        let environment = if needs.is_empty() { 0 } else { self.environment(needs)? };
        let known = self.known_labels[labels].entry(environment).or_default();
        let place = label as usize;
        if place >= known.len() {
            known.resize(place + 1, LabelTruth::Unknown);
        }
        if known[place] == LabelTruth::Unknown {
            let label = &self.graph.labels()[place];
            let within = self.meaning.holds(&formula.labels()[labels], label, &mut self.binding)?;
            known[place] = if within { LabelTruth::Within } else { LabelTruth::Without };
        }
        Ok(known[place] == LabelTruth::Within)
    }

    fn node(&mut self, state: u32, position: PositionId) -> Result<u32, DataError> {
        let formula = self.formula;
        let environment = self.environment(formula.needs(position))?;
        Ok(self.place(state, position, environment))
    }

    fn node_with(&mut self, state: u32, position: PositionId, values: &[u32]) -> u32 {
        let environment = self.interned(values);
        self.place(state, position, environment)
    }

    fn place(&mut self, state: u32, position: PositionId, environment: u32) -> u32 {
        let (node, new) = self.nodes.intern(&[state, position, environment]);
        if new {
            self.game.add(self.formula.owner(position), self.formula.priority(position));
        }
        node
    }

    /// The number of the values that these variables have.
    fn environment(&mut self, variables: &[FormulaVariable]) -> Result<u32, DataError> {
        if variables.is_empty() {
            return Ok(0);
        }
        let values: Vec<u32> =
            variables.iter().map(|&variable| self.value(variable)).collect::<Result<_, _>>()?;
        Ok(self.interned(&values))
    }

    fn interned(&mut self, values: &[u32]) -> u32 {
        if values.is_empty() {
            return 0;
        }
        while self.environments.len() <= values.len() {
            self.environments.push(NumberRows::new(self.environments.len()));
        }
        self.environments[values.len()].intern(values).0
    }

    fn value(&self, variable: FormulaVariable) -> Result<u32, DataError> {
        let unbound =
            || DataError::Other(format!("{} has no value here", self.meaning.data.describe(variable)));
        self.binding.get(variable).ok_or_else(unbound)
    }
}
