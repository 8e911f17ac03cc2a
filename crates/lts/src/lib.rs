//! Labelled transition systems: state spaces of which nothing is known but the labels of their steps. They are made from any
//! [`Space`](watchkeeper_space::Space) by exploration or read from files in the Aldebaran format, reduced modulo bisimulations and
//! trace equivalences, compared, and held against each other by refinement.
#![doc = include_str!("../README.md")]

mod aut;
mod compare;
mod determinise;
mod distinguish;
mod explored;
mod formula;
mod labels;
mod lts;
mod partition;
mod reduction;
mod refinement;
mod signatures;
mod tau;

pub use aut::{AutError, read_aut, write_aut};
pub use compare::{LtsComparison, LtsDifference, WrongFormula, compare};
pub use determinise::SubsetLimit;
pub use explored::{ExplorationError, INIT, explore, replay};
pub use labels::{LabelTable, LabelView, TAU, TAU_TEXT, UnknownAction, split_outside};
pub use lts::{Lts, LtsEdge};
pub use reduction::{Equivalence, reduce};
pub use refinement::{LtsRefinement, RefinementEnd, WayStep, refines};
