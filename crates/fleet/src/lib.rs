//! The line between the workers of a search that is spread over processes and machines: a dataflow whose timestamps are the
//! rounds of the search, over connections that were authenticated with a shared key. It knows bytes, and nothing of states;
//! it must never listen but where it is told to.

mod error;
mod handshake;
mod join;
mod line;
mod packet;
mod roster;
mod team;

pub use error::FleetError;
pub use join::{Connections, join};
pub use line::DataflowLine;
pub use roster::Roster;
pub use team::{Team, hang_up, threads};

/// Whether this thread reads or writes a connection between workers. It panics when a worker at the other end is lost.
pub fn is_connection() -> bool {
    std::thread::current().name().is_some_and(|name| name.starts_with("timely:"))
}
