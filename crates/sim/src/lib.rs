//! Seeded discrete-event simulation of whole clusters, under faults of every kind, each run held against its model. A run
//! is a function of the protocol with its settings and of a plan, and a plan is a function of a seed and the families of
//! faults to mix: whatever is found is found again.
//!
//! **Two ways to simulate.** The protocol alone is fast. A whole node has sessions, keys, windows, stalls and a recording,
//! and is the same machine that runs on a network.
//!
//! **Trust.** The simulator knows what really happened ([`GroundTruth`]); what processes take down and what a replay makes
//! of it is compared with that ([`judge`]).
#![doc = include_str!("../README.md")]

mod agenda;
mod bare;
mod blame;
mod campaign;
mod clock;
mod distribution;
mod host;
mod nemesis;
mod network;
mod oracle;
mod plan;
mod plan_text;
mod process;
pub mod quality;
mod quantity;
mod reenact;
mod requirements;
mod rotation;
mod shorten;
mod simulation;
mod stall;
mod stranger;
mod subject;
mod summary;
mod truth;
mod whole_node;
mod wire_truth;
mod witness;

pub use campaign::{Campaign, CampaignOutcome, FailedRun, SubjectMaker};
pub use distribution::DelayDistribution;
pub use nemesis::{Nemesis, NemesisScope};
pub use oracle::{OracleFailure, RunOracle, RunVerdict, judge};
pub use plan::{FaultAction, FaultFamily, FloodKind, KeyStep, PlannedCall, PlannedFault, SimulationPlan};
pub use plan_text::PlanError;
pub use quantity::{Nanos, QuantityError};
pub use reenact::{Reenactment, reenact};
pub use shorten::shorten;
pub use simulation::{SimulatedRun, SimulationDepth, simulate};
pub use subject::{NodeMaker, SimulatedRequirement, SimulatedSubject};
pub use summary::SimulationSummary;
pub use truth::{GroundTruth, LogEntry, LogItem, MessageFate, MessageTruth};
pub use watchkeeper_automaton::ErasedObserver;
