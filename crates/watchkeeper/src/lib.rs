//! Watchkeeper: check protocols that live on messages and timeouts, from tests and tools of one's own. A protocol
//! implements [`Protocol`](watchkeeper_core::Protocol), says of itself what there is to say ([`Described`]), and is
//! [checked](check):
//!
//! ```
//! use watchkeeper::protocols::ring::Ring;
//! use watchkeeper::{Channel, TimeModel, check};
//! use watchkeeper_core::Bound;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ring = check(Ring::new(3, 4)?).channel(Channel::Drop(2)).crashes(1);
//! ring.clone().property("deadlock").assert_holds();
//! ring.time(TimeModel::Dense).delay(Bound::within(1)).assert_bound(8);
//! # Ok(())
//! # }
//! ```
//!
//! This crate joins the rooms behind it and adds no semantics of its own; it prints nothing and knows no command line.

pub mod ask;
pub mod bound;
pub mod built_in;
mod check;
pub mod classify;
mod deciding;
mod description;
mod detector_property;
pub mod erased;
mod fairness;
mod grouping;
mod interleaving;
pub mod machine;
mod params;
pub mod plan;
mod pose;
mod problem;
mod property_spec;
pub mod quantities;
mod query;
pub mod search_options;
mod settings;
mod suggest;
mod timing;

pub use check::{CheckBuilder, check};
pub use deciding::Deciding;
pub use description::{
    Build, Clients, ClientsFn, Described, Description, Detector, Leaving, Live, ObserverFn, Patience,
    Requirement, RestsOn, StatePredicate, StateProperty, Stopped, Suspects, TemporalClaim,
};
pub use detector_property::DetectorProperty;
pub use grouping::Grouping;
pub use interleaving::InterleavingPlan;
pub use params::{Param, Params, ProtocolForm, SHORT};
pub use pose::JointSearch;
pub use problem::{Problem, SettingOrigin, SourceLocation, legible};
pub use property_spec::{FairnessRule, PropertySpec};
pub use query::{Query, SearchedSpace};
pub use settings::{Interleaving, OracleChoice, SearchMethod, Settings, Sourced, SynchronyModel, TimeModel};
pub use suggest::did_you_mean;
pub use watchkeeper_core::Completeness;
pub use watchkeeper_explore::Reduction;
pub use watchkeeper_logic::{DetectorClass, ExitCode, Limit, Outcome, Verdict, Violation};
pub use watchkeeper_world::{Channel, DeliveryOrder, Global, Lanes, Oracle, Scenario, Simultaneous};

pub use watchkeeper_protocols as protocols;
