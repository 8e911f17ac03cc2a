//! All workers of a search, as one of them knows them.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

/// All workers of a search, as one of them knows them.
#[derive(Clone)]
pub struct Roster {
    /// The number of this worker.
    pub index: usize,
    /// Each worker with the name of its host.
    pub workers: Vec<(String, SocketAddr)>,
    /// What all workers share and nobody else has.
    pub key: Vec<u8>,
    /// The program, as the user knows it.
    pub version: String,
    /// What is searched, as the user wrote it.
    pub scenario: String,
    /// How long the others may take to come.
    pub patience: Duration,
}

impl Roster {
    /// A worker, in the words of a message.
    pub(crate) fn name(&self, worker: usize) -> String {
        match self.workers.get(worker) {
            Some((host, address)) if host.is_empty() => format!("worker {worker} ({address})"),
            Some((host, address)) => format!("host {host} ({address})"),
            None => format!("worker {worker}"),
        }
    }

    /// The list of workers, to be compared.
    pub(crate) fn listed(&self) -> String {
        self.workers.iter().map(|(name, address)| format!("{name}={address};")).collect()
    }
}

impl fmt::Debug for Roster {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {} of {}", self.index, self.listed())
    }
}
