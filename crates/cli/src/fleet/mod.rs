//! A check that runs on several processes, here or on several hosts. The process that the user started is a supervisor: it
//! starts the workers of its host as runs of this program with the same words, and begins again when one is lost. Each
//! worker has the whole verdict at the end, and the first one of a host reports it.

mod hosts;
mod supervisor;
mod worker;

use crate::checkpoint::Checkpointing;
use crate::command_line::CommandLine;
use crate::fleet::hosts::Hosts;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper_explore::Store;
use watchkeeper_logic::ExitCode;
use zeroize::Zeroizing;

pub(crate) use worker::{SearchProcess, lost};

/// The exit code of a worker that has lost another one. No user sees it: the supervisor begins again.
const LOST: u8 = 75;

/// The variable that tells a worker its number among those of its host; its own port is its standard input.
const WORKER: &str = "WATCHKEEPER_PEER";
/// The variables that tell the addresses of all workers, and the key, where no file does.
const ADDRESSES: &str = "WATCHKEEPER_PEERS";
const KEY: &str = "WATCHKEEPER_PEER_KEY";

/// The most workers of one search.
const MOST: usize = 1024;
/// How long workers of one host may take to come together.
const SOON: Duration = Duration::from_secs(60);

/// Of a search: where else it runs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FleetArgs {
    /// Search in so many processes of this machine, each with its share of the states
    #[arg(long, value_name = "K", help_heading = "Search", conflicts_with = "hosts")]
    pub(crate) processes: Option<usize>,

    /// Search on the hosts in this file; start the same command on each of them
    #[arg(long, value_name = "FILE.toml", help_heading = "Search")]
    pub(crate) hosts: Option<PathBuf>,

    /// The name of this host in the file of --hosts; the first one, if left out
    #[arg(long, value_name = "NAME", help_heading = "Search", requires = "hosts")]
    pub(crate) host: Option<String>,
}

/// The workers of a search, and which of them are on this host.
pub(crate) struct Plan {
    /// Each worker with the name of its host.
    pub(crate) workers: Vec<(String, SocketAddr)>,
    /// The first worker of this host, and how many follow.
    pub(crate) first: usize,
    pub(crate) here: usize,
    pub(crate) patience: Duration,
    pub(crate) key: Zeroizing<Vec<u8>>,
    /// Whether the key and the addresses are in a file that workers can read.
    pub(crate) in_file: bool,
}

impl FleetArgs {
    /// Refuses a search on several processes that keeps its states on disk, before a process is started: one of them would
    /// find the directory of another.
    pub(crate) fn refuse_store(&self, store: &Store) -> Result<(), Problem> {
        let flag = match (self.processes, &self.hosts) {
            (None, None) => return Ok(()),
            (Some(_), _) => "--processes",
            (None, Some(_)) => "--hosts",
        };
        match store {
            Store::Memory => Ok(()),
            _ => Err(Problem::Usage(format!(
                "a search with {flag} keeps its states in memory; leave --store out, or leave {flag} out\n  Nothing was \
                 searched."
            ))),
        }
    }

    /// These flags as words, from wherever they are said again; none if there are none.
    pub(crate) fn again(&self) -> Option<String> {
        let mut words = Vec::new();
        if let Some(processes) = self.processes {
            words.extend(["--processes".to_string(), processes.to_string()]);
        }
        if let Some(hosts) = &self.hosts {
            let hosts = std::path::absolute(hosts).unwrap_or_else(|_| hosts.clone());
            words.extend(["--hosts".to_string(), hosts.display().to_string()]);
        }
        if let Some(host) = &self.host {
            words.extend(["--host".to_string(), host.clone()]);
        }
        let (first, rest) = words.split_first()?;
        Some(CommandLine::new(first, &rest.iter().map(String::as_str).collect::<Vec<_>>()).to_string())
    }

    /// Refuses several processes for a command that searches more than one space or in other ways.
    pub(crate) fn refuse(&self, what: &str) -> Result<(), Problem> {
        if self.processes.is_none() && self.hosts.is_none() {
            return Ok(());
        }
        Err(Problem::Usage(format!(
            "{what} runs in one process; leave --processes and --hosts out, or search a single model\n  Nothing was searched."
        )))
    }

    /// Whether this process reports nothing: the supervisor of others does not, and of its workers only the first.
    pub(crate) fn is_silent(&self) -> bool {
        let number = std::env::var(WORKER).ok();
        (self.processes.is_some() || self.hosts.is_some()) && number.as_deref() != Some("0")
    }

    /// The workers that are asked for, if any are.
    pub(crate) fn plan(&self) -> Result<Option<Plan>, Problem> {
        if let Some(path) = &self.hosts {
            return Hosts::read(path)?.plan(self.host.as_deref()).map(Some);
        }
        let Some(count) = self.processes else { return Ok(None) };
        if !(1..=MOST).contains(&count) {
            return Err(Problem::Usage(format!("--processes {count}: give a number from 1 to {MOST}")));
        }
        let key = crate::key_file::fresh()?;
        Ok(Some(Plan {
            // The ports are known when the supervisor has them.
            workers: vec![(String::new(), SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)); count],
            first: 0,
            here: count,
            patience: SOON,
            key: Zeroizing::new(crate::key_file::line(&key).trim().as_bytes().to_vec()),
            in_file: false,
        }))
    }
}

/// Whether this process is one of several that search.
pub(crate) fn is_worker() -> bool {
    std::env::var_os(WORKER).is_some()
}

/// Supervises the workers of this host, if several processes are asked for and this is none of them. `begin` begins their
/// checkpoints.
pub(crate) fn supervise(
    args: &FleetArgs,
    begin: impl FnOnce() -> Result<Option<Checkpointing>, Problem>,
) -> Result<Option<ExitCode>, Problem> {
    if is_worker() {
        return Ok(None);
    }
    let Some(plan) = args.plan()? else { return Ok(None) };
    let checkpoints = begin()?.map(|checkpointing| checkpointing.checkpoints);
    supervisor::run(plan, checkpoints.as_deref()).map(Some)
}
