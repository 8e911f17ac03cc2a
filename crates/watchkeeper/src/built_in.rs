//! What the built-in protocols say of themselves, in the way of every user's protocol.

mod chandra_toueg;
mod consensus;
pub mod heartbeat;
mod membership;
mod ring;

pub use consensus::{Below, ConsensusLive, RotatingOn};
pub use membership::MembershipLive;
pub use ring::DescribedPolicy;
