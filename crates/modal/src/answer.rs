//! The answer to a formula: the game is built, solved as soon as it can be, the strategy is verified, and the evidence is
//! taken from it. Nothing is answered whose strategy was not verified.

use crate::arena::GameArena;
use crate::data::{DataError, FormulaData};
use crate::evidence::AnswerEvidence;
use crate::game::{ParityGame, Player};
use crate::graph::LabelledGraph;
use crate::normal::NormalFormula;
use crate::solver::{GameSolution, solve};
use crate::strategy::{StrategyClaim, StrategyError, verify};
use std::ops::ControlFlow;
use thiserror::Error;

/// The number of nodes at which a game is solved for the first time before it is complete; after that whenever their number
/// has doubled.
const FIRST_SOLVED: usize = 1 << 10;

/// The number of nodes that are expanded between two calls of the progress callback, but for the first ones.
const BETWEEN_CALLS: usize = 1 << 10;

/// How far a game has been built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameProgress {
    /// The states that were found.
    pub states: usize,
    /// The steps of the states that were expanded.
    pub transitions: usize,
    /// The nodes of the game that were found.
    pub nodes: usize,
    /// Those of them whose moves are known.
    pub expanded: usize,
    /// The edges of the game.
    pub edges: usize,
    /// The bytes of the graph and the game.
    pub bytes: usize,
}

/// The answer to a formula.
#[derive(Clone, Debug)]
pub struct ModalAnswer {
    /// Whether the formula holds; nothing if the search was stopped, or a cap of the model hides what it would take to know.
    pub holds: Option<bool>,
    /// Whether the model's own caps are why there is no answer.
    pub capped: bool,
    /// How much was built.
    pub progress: GameProgress,
    /// The number of nodes whose strategy was verified.
    pub verified: usize,
    /// What proves the answer.
    pub evidence: AnswerEvidence,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ModalError {
    /// The data in the formula has no value.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The strategy of the winner does not win: this program is wrong, and nothing is said about the formula.
    #[error("the strategy of the winner does not win, so nothing is said; please report this: {0}")]
    Strategy(#[from] StrategyError),
}

/// Finds out whether a formula holds in all initial states of a graph. The callback is told how far the search is, and may
/// stop it.
pub fn answer(
    formula: &NormalFormula,
    data: &dyn FormulaData,
    graph: &mut dyn LabelledGraph,
    watch: &mut dyn FnMut(&GameProgress) -> ControlFlow<()>,
) -> Result<ModalAnswer, ModalError> {
    let mut arena = GameArena::new(formula, data, graph)?;
    let mut next = FIRST_SOLVED;
    let mut stopped = false;
    while arena.game.closed() < arena.game.nodes() && !stopped {
        arena.expand()?;
        if arena.game.closed() < BETWEEN_CALLS || arena.game.closed().is_multiple_of(BETWEEN_CALLS) {
            stopped = watch(&progress(&arena)).is_break();
        }
        if arena.game.closed() >= next && arena.game.closed() < arena.game.nodes() {
            next = arena.game.closed() * 2;
            if let Some(decided) = decide(&arena)? {
                return conclude(&mut arena, decided);
            }
        }
    }
    let complete = arena.game.closed() == arena.game.nodes();
    match decide(&arena)? {
        Some(decided) => conclude(&mut arena, decided),
        None => Ok(ModalAnswer {
            holds: None,
            capped: complete,
            progress: progress(&arena),
            verified: 0,
            evidence: AnswerEvidence::default(),
        }),
    }
}

/// The winner of the first node and the verified strategy, if what is known of the game decides it.
struct Decided {
    winner: Player,
    solution: GameSolution,
    verified: usize,
}

/// A player who wins even if all that is unknown is won by the other player wins. Where nothing is unknown, the strategies of
/// both players are verified.
fn decide(arena: &GameArena<'_>) -> Result<Option<Decided>, StrategyError> {
    let game = &arena.game;
    if !game.has_open() {
        let solution = solve(game, Player::Forall);
        let verified =
            verified(game, &solution, Player::Exists)? + verified(game, &solution, Player::Forall)?;
        return Ok(Some(Decided { winner: solution.winner(0), solution, verified }));
    }
    for player in [Player::Exists, Player::Forall] {
        let solution = solve(game, player.other());
        if solution.winner(0) == player {
            let verified = verified(game, &solution, player)?;
            return Ok(Some(Decided { winner: player, solution, verified }));
        }
    }
    Ok(None)
}

fn verified(game: &ParityGame, solution: &GameSolution, player: Player) -> Result<usize, StrategyError> {
    let wins = |node: u32| solution.winner(node) == player;
    let choice = |node: u32| solution.choice(node);
    verify(game, &StrategyClaim { player, wins: &wins, choice: &choice })
}

fn conclude(arena: &mut GameArena<'_>, decided: Decided) -> Result<ModalAnswer, ModalError> {
    let Decided { winner, solution, verified } = decided;
    let evidence = crate::evidence::gather(arena, winner, &solution)?;
    Ok(ModalAnswer {
        holds: Some(winner == Player::Exists),
        capped: false,
        progress: progress(arena),
        verified,
        evidence,
    })
}

fn progress(arena: &GameArena<'_>) -> GameProgress {
    GameProgress {
        states: arena.graph.states(),
        transitions: arena.graph.transitions(),
        nodes: arena.game.nodes(),
        expanded: arena.game.closed(),
        edges: arena.game.edges(),
        bytes: arena.bytes(),
    }
}
