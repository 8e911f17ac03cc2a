//! Check protocols that live on messages and timeouts, failure detectors above all, from your own tests and tools. A
//! protocol implements [`Protocol`](watchkeeper_core::Protocol) and [describes itself](Described); [`check`] builds a
//! check of it, and an assertion ends the check:
//!
//! ```
//! use watchkeeper::protocols::ring::Ring;
//! use watchkeeper::{Bound, Channel, DetectorClass, TimeModel, check};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A failure detector on a ring of three processes, of which one may crash.
//! let ring = check(Ring::new(3, 4)?).channel(Channel::Drop(2)).crashes(1);
//! ring.clone().property("deadlock").assert_holds();
//! // Within 8 units of time every crash is detected, and no lower bound holds.
//! ring.time(TimeModel::Dense).delay(Bound::within(1)).assert_bound(8);
//! # Ok(())
//! # }
//! ```
//!
//! [`CheckBuilder`] has one method for each [setting](Settings): the number of processes, faults, channels, time,
//! properties, the search and its limits. The same definition of a setting makes its flag on the command line and its key in
//! a scenario file.
//!
//! # Timers for each peer
//!
//! A protocol that waits for each of its peers has a timer for each of them: a variant of its
//! [`Slot`](watchkeeper_core::Slot) that carries a [`Pid`]. Slots of processes that do not exist are never armed; they take
//! no room in a state, and a report counts all slots of a variant together, as `fire Suspect`:
//!
//! ```
//! use watchkeeper::Pid;
//! use watchkeeper_core::Slot;
//!
//! #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
//! enum Timer {
//!     /// Time to send a beat to all.
//!     Beat,
//!     /// This peer has been silent for too long.
//!     Suspect(Pid),
//! }
//!
//! assert_eq!(Timer::KINDS, ["Beat", "Suspect"]);
//! assert_eq!(Timer::Suspect(Pid::at(2)).name(), "Suspect p2");
//! ```
//!
//! This crate joins the crates below it and adds no semantics of its own; it prints nothing and knows no command line.

pub mod ask;
pub mod bound;
pub mod built_in;
mod check;
pub mod choice;
pub mod classify;
mod deciding;
mod description;
mod detector_property;
pub mod erased;
mod explored;
mod fairness;
mod grouping;
mod interleaving;
mod known_properties;
pub mod machine;
mod measured;
mod model_claim;
mod params;
pub mod plan;
mod pose;
mod problem;
mod property_spec;
pub mod quantities;
mod query;
pub mod regions;
pub mod search_options;
pub mod settings;
mod simulated;
mod suggest;
mod timing;

pub use bound::BoundAnswer;
pub use check::{CheckBuilder, check, check_named};
pub use classify::{Classified, Met};
pub use deciding::Deciding;
pub use description::{
    Build, Clients, ClientsFn, Described, Description, Detector, Leaving, Live, ObserverFn, Requirement,
    RestsOn, StatePredicate, StateProperty, Stopped, Suspects, TemporalClaim, TimeoutGrowth,
};
pub use detector_property::DetectorProperty;
pub use explored::ExploredSpace;
pub use grouping::Grouping;
pub use interleaving::InterleavingPlan;
pub use model_claim::model_claims;
pub use params::{PARAM_FLAGS, Param, ParamFlag, Params, ProtocolForm, TunedParams};
pub use pose::JointSearch;
pub use problem::{Problem, SettingOrigin, SourceLocation, legible};
pub use property_spec::{FairnessRule, PropertySpec};
pub use query::{Query, SearchedSpace};
pub use regions::{
    Linear, Parametric, ParametricDescription, ParametricRequirement, RegionQuestion, RegionsBuilder,
    RequirementQuery, regions,
};
pub use settings::{
    Interleaving, OracleChoice, SearchMethod, Settings, Sourced, StoreChoice, SynchronyModel, TimeModel,
};
pub use suggest::did_you_mean;
pub use watchkeeper_core::{Bound, Completeness, Pid, ProcSet};
pub use watchkeeper_explore::Reduction;
pub use watchkeeper_logic::{Accuracy, DetectorClass, ExitCode, Limit, Outcome, Verdict, Violation};
pub use watchkeeper_world::{
    ANY_NUMBER, Capacity, Channel, Conformance, Delay, DeliveryOrder, Faults, Global, Lanes, Network, Oracle,
    OracleAccuracy, RecordedRun, Scenario, Simultaneous, StageRules, SuspicionMemory, Timing, TypedWorld,
    WhenFull, WorldTime,
};

pub use watchkeeper_protocols as protocols;
