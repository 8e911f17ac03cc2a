//! What the built-in protocols say of themselves, in the way of every user's protocol.

pub mod chandra_toueg;
mod consensus;
mod handshake;
pub mod heartbeat;
pub mod kubernetes;
mod membership;
pub mod nfd_e;
pub mod nfd_s;
pub mod phi;
#[cfg(not(test))]
mod registered;
pub mod ring;
mod swim;

pub use consensus::{Below, ConsensusLive, RotatingOn};
pub use membership::MembershipLive;
#[cfg(not(test))]
pub use registered::all;
pub use ring::DescribedPolicy;
pub use swim::DescribedSwim;
