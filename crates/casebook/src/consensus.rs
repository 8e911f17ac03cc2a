//! Consensus on detectors: chapter 4 of the thesis of M. Atif, "Formal Modeling and Verification of Distributed
//! Failure Detectors", Eindhoven, 2011, asked again of the protocols that run. The published specifications have
//! gaps, and their numbers of states cannot be had again; what must come out again are the verdicts.

mod case;
mod composed;
mod published;
mod table;

#[cfg(test)]
mod tests;

pub use case::{Algorithm, ConsensusCase, ConsensusRequirement, PlantedFlaw, Runs, assignments, distinct};
pub use composed::{ComposedConsensus, ComposedDetector};
pub use published::published;
pub use table::{ConsensusPart, table};
