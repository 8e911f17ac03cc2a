//! Why workers do not come together, and what to do about it.

use thiserror::Error;

/// Why workers do not come together.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FleetError {
    /// Nobody answers there in time.
    #[error(
        "{host} does not answer after {seconds} seconds; start the same command there, look whether a firewall is between, \
         or take it out of the hosts"
    )]
    Silent {
        /// The host, by name and address.
        host: String,
        /// How long it was waited.
        seconds: u64,
    },
    /// Somebody answers who has another key.
    #[error("{host} has another key, or is somebody else; give all hosts the same key file")]
    WrongKey {
        /// The host.
        host: String,
    },
    /// Nobody with the key has come, but somebody without.
    #[error(
        "{host} has not come after {seconds} seconds, but somebody at {stranger} has, with another key; give all hosts the \
         same key file"
    )]
    Stranger {
        /// The host that is missing.
        host: String,
        /// The address of who came instead.
        stranger: String,
        /// How long it was waited.
        seconds: u64,
    },
    /// The programs differ.
    #[error(
        "{host} runs another version of this program: {theirs} there, {ours} here; install the same one on all hosts"
    )]
    Version {
        /// The host.
        host: String,
        /// What it runs.
        theirs: String,
        /// What this worker runs.
        ours: String,
    },
    /// The searches differ.
    #[error(
        "{host} searches something else; start the same command on all hosts\n  there: {theirs}\n  here:  {ours}"
    )]
    Scenario {
        /// The host.
        host: String,
        /// What it searches.
        theirs: String,
        /// What this worker searches.
        ours: String,
    },
    /// The hosts differ.
    #[error("{host} has another list of hosts; give all hosts the same file")]
    Roster {
        /// The host.
        host: String,
    },
    /// The operating system refused.
    #[error("the connections between workers cannot be made: {0}")]
    System(String),
}
