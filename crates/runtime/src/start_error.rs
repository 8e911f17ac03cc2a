//! The reasons why a node does not start.

use std::io;
use std::net::SocketAddr;
use watchkeeper_node::ConfigError;

/// Why a node does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The node is described in a way that cannot be.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Another program listens at the address.
    #[error(
        "{address} is in use by another program: stop that one, or choose another port here and at all peers"
    )]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {why}; choose an address of this machine")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        why: io::Error,
    },
    /// The operating system gave no randomness.
    #[error("the operating system gave no randomness: {0}")]
    Entropy(String),
}
