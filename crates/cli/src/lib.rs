//! Watchkeeper: check protocols that live on messages and timeouts. This crate is the front door: the
//! command line, the same command line for a protocol of your own ([`main_with`]), and checks from
//! `cargo test` ([`check`]). It joins the rooms behind it and adds no semantics of its own.
//!
//! A protocol implements [`Protocol`](watchkeeper_core::Protocol), which needs `watchkeeper-core` alone;
//! what it says of itself to be checked by name is a [`Subject`].

mod arguments;
mod bound;
mod chandra_toueg;
mod check;
mod classify;
mod clock;
mod cluster;
mod command_line;
mod commands;
mod consensus;
mod crash;
mod daemon;
mod deciding;
mod effort;
mod fairness;
mod grouping;
mod heartbeat;
mod help;
#[doc(hidden)]
pub mod hostile;
mod inputs;
mod inquiry;
mod interleaving;
mod interrupt;
mod job;
mod machine;
mod membership;
mod node_file;
mod oracle;
mod outputs;
mod plan;
mod problem;
mod program;
mod quantities;
mod question;
mod recording_file;
mod registry;
mod replaying;
mod ring;
mod runs;
mod scenario_file;
mod settings;
mod subject;
mod suggest;
mod sweep;
mod timing;
mod traits;

pub use check::{Check, check};
pub use consensus::{Below, ConsensusLive, RotatingOn};
pub use deciding::Deciding;
pub use grouping::Grouping;
pub use membership::MembershipLive;
pub use problem::{Origin, Place, Problem};
pub use program::{Program, main_with};
pub use ring::Detector;
pub use subject::{Claim, Clients, Form, Param, Params, Property, Stopped, Subject, Suspects, Test};
pub use watchkeeper_logic::{ExitCode, Outcome, Verdict, Violation};
pub use watchkeeper_protocols::chandra_toueg::ChandraToueg;
pub use watchkeeper_protocols::consensus::{Rotating, Strong};
pub use watchkeeper_protocols::heartbeat::Heartbeat;
pub use watchkeeper_protocols::membership::Membership;
pub use watchkeeper_protocols::ring::Ring;
pub use watchkeeper_world::Global;

pub use watchkeeper_casebook as casebook;
pub use watchkeeper_core as contract;
pub use watchkeeper_explore as explore;
pub use watchkeeper_logic as logic;
pub use watchkeeper_protocols as protocols;
pub use watchkeeper_prove as prove;
pub use watchkeeper_report as report;
pub use watchkeeper_runtime as runtime;
pub use watchkeeper_space as space;
pub use watchkeeper_world as world;
