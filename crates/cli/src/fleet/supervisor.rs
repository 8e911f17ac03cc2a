//! The workers of one host under supervision. Each is this program with the same words; its port is open before it starts
//! and is its standard input, so that nobody can take it meanwhile. When a worker is lost, all others of this host are ended
//! and all begin again, from their last checkpoint if they leave any: the dataflow between them cannot go on without one. Other
//! hosts notice, and do the same.

use super::{ADDRESSES, KEY, LOST, Plan, WORKER};
use crate::checkpoint::commits;
use crate::interrupt;
use crate::outputs::to_stderr;
use crate::page::child::{PARENT, signal};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Signal;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use watchkeeper::Problem;
use watchkeeper_disk::ClaimHandle;
use watchkeeper_explore::Checkpoints;
use watchkeeper_logic::ExitCode;

/// How often it is looked how the workers are.
const LOOK: Duration = Duration::from_millis(10);
/// How long the reporting worker has to end by itself when another one has lost it.
const GRACE: Duration = Duration::from_secs(2);
/// How often a search begins again without a new checkpoint in between.
const TRIES: usize = 3;

/// How the workers have ended.
enum End {
    /// With an answer, or an error that would come again.
    Answered(ExitCode),
    /// One of them is lost.
    Lost(String),
}

/// Supervises the workers of this host until one of them has answered. They leave checkpoints where this process has
/// claimed the directory.
pub(super) fn run(mut plan: Plan, checkpoints: Option<&Checkpoints>) -> Result<ExitCode, Problem> {
    let mut listeners = Vec::new();
    for worker in plan.first..plan.first + plan.here {
        let (_, address) = plan.workers[worker];
        let taken = |why: std::io::Error| {
            Problem::Usage(format!(
                "cannot listen at {address}: {why}; name an address of this host that is free"
            ))
        };
        let listener = TcpListener::bind(address).map_err(taken)?;
        plan.workers[worker].1 = listener.local_addr().map_err(taken)?;
        listeners.push(listener);
    }
    let claim = checkpoints.map(kept_by_workers).transpose()?.flatten();
    let committed = || checkpoints.and_then(|known| commits(known.path()).ok()).unwrap_or_default();
    let (mut before, mut begun) = (committed(), 0);
    loop {
        begun += 1;
        let started = start(&plan, &listeners)
            .map_err(|why| Problem::Usage(format!("the processes of the search cannot be started: {why}")))?;
        let how = match started.watch() {
            End::Answered(code) => {
                drop(claim);
                return Ok(code);
            }
            End::Lost(how) => how,
        };
        let now = committed();
        if now != before {
            (before, begun) = (now, 1);
        }
        if interrupt::asked() {
            return Err(Problem::Undecided("interrupted before there was an answer".to_string()));
        }
        if begun > TRIES {
            let told = format!(
                "{how}, and the search was begun {begun} times; run it with fewer processes, or give each more memory"
            );
            return Err(Problem::Undecided(told));
        }
        let from = match before.is_empty() {
            true => "begins again from the start",
            false => "goes on from its last checkpoint",
        };
        to_stderr(&format!("{how}; the search {from}\n"));
    }
}

/// Lets workers inherit the claim to the directory of their checkpoints: should this process be killed, the directory is
/// in use until they have ended, too.
fn kept_by_workers(checkpoints: &Checkpoints) -> Result<Option<ClaimHandle>, Problem> {
    let failed = |why: String| Problem::Usage(format!("{}: {why}", checkpoints.path().display()));
    let Some(lock) = checkpoints.lock().map_err(|why| failed(why.to_string()))? else { return Ok(None) };
    fcntl_setfd(&lock, FdFlags::empty()).map_err(|why| failed(why.to_string()))?;
    Ok(Some(lock))
}

/// The workers of this host, running; the first one reports.
struct Workers(Vec<Child>);

fn start(plan: &Plan, listeners: &[TcpListener]) -> std::io::Result<Workers> {
    let program = std::env::current_exe()?;
    let addresses: Vec<String> = plan.workers.iter().map(|(_, address)| address.to_string()).collect();
    let mut workers = Workers(Vec::new());
    for (number, listener) in listeners.iter().enumerate() {
        let mut command = Command::new(&program);
        command.args(std::env::args_os().skip(1)).env(WORKER, number.to_string());
        command.env(PARENT, std::process::id().to_string());
        if !plan.in_file {
            let key = String::from_utf8_lossy(&plan.key).into_owned();
            command.env(ADDRESSES, addresses.join(",")).env(KEY, key);
        }
        command.stdin(Stdio::from(OwnedFd::from(listener.try_clone()?)));
        if number > 0 {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        // A terminal would interrupt all of them, and the supervisor passes it on.
        command.process_group(0);
        workers.0.push(command.spawn()?);
    }
    Ok(workers)
}

impl Workers {
    /// Waits until the first worker has answered, or one is lost.
    fn watch(mut self) -> End {
        let (mut interrupted, mut missed) = (false, None::<Instant>);
        loop {
            if interrupt::asked() && !interrupted {
                interrupted = true;
                // Not INT: shells let what they put into the background ignore it, and workers inherit that.
                self.0.iter().for_each(|child| signal(child, Signal::TERM));
            }
            let ends: Vec<Option<ExitStatus>> =
                self.0.iter_mut().map(|child| child.try_wait().ok().flatten()).collect();
            if let Some(code) = ends[0].and_then(|end| end.code()).filter(|&code| code != i32::from(LOST)) {
                self.let_go();
                return End::Answered(ExitCode(u8::try_from(code).unwrap_or(ExitCode::INTERNAL.0)));
            }
            if let Some((number, number_signal)) =
                ends.iter().enumerate().find_map(|(number, end)| Some((number, (*end)?.signal()?)))
            {
                let count = self.0.len();
                return End::Lost(format!(
                    "process {} of {count} was ended by signal {number_signal}",
                    number + 1
                ));
            }
            let lost = |end: &Option<ExitStatus>| end.is_some_and(|end| end.code() == Some(i32::from(LOST)));
            if ends.iter().any(lost) {
                // The first one may have answered and gone.
                let since = *missed.get_or_insert_with(Instant::now);
                if lost(&ends[0]) || since.elapsed() > GRACE {
                    return End::Lost("a process of the search was lost".to_string());
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Lets the others end by themselves for a moment.
    fn let_go(&mut self) {
        let since = Instant::now();
        while since.elapsed() < GRACE
            && self.0.iter_mut().any(|child| child.try_wait().is_ok_and(|end| end.is_none()))
        {
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Workers {
    /// Nobody is left behind.
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
