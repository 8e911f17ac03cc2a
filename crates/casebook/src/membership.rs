//! Group membership on causal multicast: chapter 5 of the thesis of M. Atif, "Formal Modeling and Verification of
//! Distributed Failure Detectors", Eindhoven, 2011, asked again of the protocol that runs. The published models keep
//! every message and every order of arrival, so their numbers of states cannot be had again; what must come out
//! again are the verdicts, and further than they went.

mod case;
mod instances;
mod published;
mod table;

#[cfg(test)]
mod tests;

pub use case::{MembershipCase, MembershipRequirement};
pub use instances::{MembershipInstance, MembershipPart, MembershipSearch, instances, reading};
pub use published::published;
pub use table::table;
