//! One of the processes of a search.

use super::{ADDRESSES, FleetArgs, KEY, LOST, Plan, WORKER};
use crate::checkpoint::CheckpointArgs;
use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper::search_options::SearchOptions;
use watchkeeper_explore::SearchPeers;
use watchkeeper_fleet::{Connections, Roster, hang_up, join};
use watchkeeper_logic::ExitCode;
use zeroize::Zeroizing;

/// How long a process that fails lets the others catch up.
const MOMENT: Duration = Duration::from_millis(500);
/// Bytes of the program that are read at a time.
const PIECE: usize = 1 << 16;

/// One of the processes of a search, connected to the others.
pub(crate) struct SearchProcess {
    /// Whether it is the one of its host that reports.
    pub(crate) reports: bool,
    connections: Connections,
    peers: SearchPeers,
    /// The workers of this host, and of all.
    counts: (usize, usize),
}

impl SearchProcess {
    /// This process as a worker, if it is one: waits until the others are there too. `scenario` is what they must be
    /// searching, too, and all leave checkpoints or none does.
    pub(crate) fn new(
        args: &FleetArgs,
        checkpoint: &CheckpointArgs,
        scenario: &str,
    ) -> Result<Option<SearchProcess>, Problem> {
        let Some(number) = std::env::var(WORKER).ok().and_then(|number| number.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let plan = told(args)?;
        let system = |why: std::io::Error| Problem::Usage(format!("this worker has no port: {why}"));
        let port = std::io::stdin().as_fd().try_clone_to_owned().map_err(system)?;
        let roster = Roster {
            index: plan.first + number,
            workers: plan.workers,
            key: plan.key.to_vec(),
            version: version().map_err(system)?,
            scenario: format!("{scenario}{}", if checkpoint.is_given() { " --checkpoint" } else { "" }),
            patience: plan.patience,
        };
        let counts = (plan.here, roster.workers.len());
        let joined = join(&roster, TcpListener::from(port)).map_err(|why| Problem::Usage(why.to_string()))?;
        let (team, connections) = joined;
        let peers = SearchPeers(Arc::new(team));
        Ok(Some(SearchProcess { reports: number == 0, connections, peers, counts }))
    }

    /// The options of this worker: its share of the memory of its host, and the way to the others.
    pub(crate) fn options(&self, options: &SearchOptions) -> SearchOptions {
        let mut own = options.share(self.counts.0);
        own.search.peers = Some(self.peers.clone());
        own
    }

    /// The answer of a process, which is perhaps one of several.
    pub(crate) fn answered(
        worker: Option<SearchProcess>,
        answer: Result<ExitCode, Problem>,
    ) -> Result<ExitCode, Problem> {
        match (worker, &answer) {
            (None, _) => {}
            (Some(worker), Ok(_)) => worker.finish(),
            (Some(_), Err(_)) => fail(),
        }
        answer
    }

    /// Says goodbye when all is answered: who only goes is lost to the others. A worker that fails alone just goes, as
    /// nobody would ever say goodbye to it.
    fn finish(self) {
        hang_up();
        self.connections.finish();
    }
}

/// Set when this process fails by itself.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Gives the others a moment to fail for the same reason: who goes first is lost to those that have not come so far.
fn fail() {
    FAILED.store(true, Ordering::Relaxed);
    std::thread::sleep(MOMENT);
}

/// A connection to another process broke: this one ends, unless it has a reason of its own to.
pub(crate) fn lost() {
    if !FAILED.load(Ordering::Relaxed) {
        std::process::exit(i32::from(LOST));
    }
}

/// All workers, as the supervisor has told.
fn told(args: &FleetArgs) -> Result<Plan, Problem> {
    let plan =
        args.plan()?.ok_or_else(|| Problem::Usage(format!("{WORKER} is for processes of a search")))?;
    let (Ok(addresses), Ok(key)) = (std::env::var(ADDRESSES), std::env::var(KEY)) else { return Ok(plan) };
    if plan.in_file {
        return Ok(plan);
    }
    let key = Zeroizing::new(key.into_bytes());
    let read = |text: &str| Ok((String::new(), text.parse().map_err(|_| text.to_string())?));
    let workers = addresses.split(',').map(read).collect::<Result<Vec<_>, String>>();
    let workers = workers.map_err(|text| Problem::Usage(format!("{ADDRESSES}: {text} is no address")))?;
    Ok(Plan { workers, key, ..plan })
}

/// This program, so that another one is told from it: its version, and a number made of all its bytes. It is no protection
/// against who wants two programs to have the same; the key is for that.
fn version() -> std::io::Result<String> {
    let mut program = File::open(std::env::current_exe()?)?;
    let (mut piece, mut sum) = (vec![0; PIECE], 0xcbf2_9ce4_8422_2325_u64);
    loop {
        // A read may give less than there is, and the sum must not depend on how much.
        let mut filled = 0;
        while filled < PIECE {
            match program.read(&mut piece[filled..])? {
                0 => break,
                more => filled += more,
            }
        }
        piece[filled..].fill(0);
        for word in piece.as_chunks::<8>().0 {
            sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            sum ^= sum >> 29;
        }
        if filled < PIECE {
            return Ok(format!("{} ({sum:016x})", env!("CARGO_PKG_VERSION")));
        }
    }
}
