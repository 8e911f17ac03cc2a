//! The first-order modal mu-calculus over labelled state spaces, answered as parity games. Nothing is answered here whose
//! strategy was not verified.
//!
#![doc = include_str!("../README.md")]
//!
//! # The way of a formula
//! A [`ModalFormula`] is what is written; [`NormalFormula`] has neither negations nor regular formulas. [`answer`] builds the
//! [`ParityGame`] of the formula and a [`LabelledGraph`] from the initial states on, [`solve`]s it, has the strategies
//! [`verify`]'d, and takes the [`AnswerEvidence`] from the winner's. What data means is told by a [`FormulaData`]; everything here
//! knows values by number. The crate reads no clock, opens no file and prints nothing.

mod answer;
mod arena;
mod data;
mod evidence;
mod formula;
mod game;
mod graph;
mod guard;
mod labels;
mod language;
mod normal;
mod short;
mod solver;
mod space_check;
mod strategy;
mod tables;

pub use answer::{GameProgress, ModalAnswer, ModalError, answer};
pub use data::{Binding, DataError, ExceptionalValues, FormulaData, FormulaValue, NoData};
pub use evidence::{AnswerEvidence, EvidenceRun};
pub use formula::{
    ActionPattern, DEADLOCKED, FixedPointSign, FormulaPlace, FormulaTerm, FormulaVariable, LabelFormula,
    ModalFormula, RESTS, RegularSteps,
};
pub use game::{GREATEST_PRIORITY, ParityGame, Player};
pub use graph::{LabelledGraph, SpaceGraph, StoredGraph};
pub use guard::refuse_unguarded;
pub use language::{
    FormulaNames, FormulaTextError, LanguageData, TypedFormula, TypedFormulaTerm, read_formula,
};
pub use normal::{FormulaError, NormalFormula};
pub use short::{QueryError, QueryForm, query};
pub use solver::{GameSolution, solve};
pub use space_check::{ModalSearch, SpaceAnswer, SpaceCheckError, check_space};
pub use strategy::{StrategyClaim, StrategyError, verify};
