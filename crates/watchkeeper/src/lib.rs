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
mod asked;
pub mod bound;
pub mod built_in;
mod check;
pub mod classify;
mod deciding;
mod description;
pub mod effort;
mod fairness;
mod grouping;
mod interleaving;
pub mod machine;
mod params;
pub mod plan;
mod pose;
mod problem;
pub mod quantities;
mod question;
mod settings;
pub mod subject;
mod suggest;
mod timing;
mod traits;

pub use asked::{Asked, Fair};
pub use check::{Check, check};
pub use deciding::Deciding;
pub use description::{
    Asking, Build, Claim, Clients, Described, Description, Detector, Leaving, Live, Observed, Patience,
    Property, Requirement, RestsOn, Stopped, Suspects, Test,
};
pub use grouping::Grouping;
pub use interleaving::Interleaving;
pub use params::{Form, Param, Params, SHORT};
pub use pose::Together;
pub use problem::{Origin, Place, Problem, legible};
pub use question::{Inquiry, Searched};
pub use settings::{Given, Looking, OracleChoice, Orders, Said, Settings, Since, TimeModel};
pub use traits::Trait;
pub use watchkeeper_explore::Reduction;
pub use watchkeeper_logic::{Class, ExitCode, Limit, Outcome, Verdict, Violation};
pub use watchkeeper_world::{Channel, Global, Lanes, Oracle, Order, Scenario, Simultaneous};

pub use watchkeeper_protocols as protocols;
