//! The process of a solver with all processes that it starts, as one group that ends together. A solver may be a
//! script around a program, and the end of the script alone would leave the program behind. Running groups are
//! listed, so that a program that is about to end can end them all.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A process that leads a group, which is ended when this is dropped, at the latest.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    /// How it ended, once it has been waited for. From then on its number may be that of another process.
    status: Option<ExitStatus>,
}

/// The groups that run, by the numbers of their leaders, and whether all of them were ended for good.
struct Running {
    leaders: BTreeSet<u32>,
    stopped: bool,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { leaders: BTreeSet::new(), stopped: false });

fn running() -> MutexGuard<'static, Running> {
    // Nothing panics while it holds the lock, and a set of numbers is whole at any time.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every solver that runs, and lets none be started any more: for a program that is about to end, from any
/// thread. A caller that waits for an answer gets [`SolverError::Stopped`](super::SolverError::Stopped).
pub fn stop_all() {
    let mut running = running();
    running.stopped = true;
    running.leaders.iter().for_each(|leader| kill(*leader));
}

/// Whether [`stop_all`] was called.
pub(super) fn is_stopped() -> bool {
    running().stopped
}

impl ProcessGroup {
    /// Starts a command as the leader of a group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<ProcessGroup> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        // Held while the process starts: one that starts now is among those that are ended.
        let mut running = running();
        if running.stopped {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "the program is about to end"));
        }
        let child = command.spawn()?;
        running.leaders.insert(child.id());
        Ok(ProcessGroup { child, status: None })
    }

    /// The leader, for its pipes and its number.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its number in the operating system.
    #[cfg(test)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the leader ended, if it has. What it left behind is ended then.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && has_ended(&mut self.child) {
            self.end();
        }
        self.status
    }

    /// Ends the group.
    pub(super) fn end(&mut self) {
        if self.status.is_some() {
            return;
        }
        // As long as nobody has waited for the leader its number is that of no other group, even if it has ended.
        kill(self.child.id());
        let _ = self.child.kill();
        running().leaders.remove(&self.child.id());
        self.status = self.child.wait().ok();
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// Kills a group. It fails only if there is none. Where there are no groups, the caller kills the leader alone.
fn kill(leader: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let number = i32::try_from(leader).ok().and_then(Pid::from_raw);
        let _ = number.map(|group| kill_process_group(group, Signal::KILL));
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Whether a process has ended, without waiting for it: it keeps its number.
fn has_ended(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        number.is_none_or(|number| !matches!(waitid(WaitId::Pid(number), how), Ok(None)))
    }
    #[cfg(not(unix))]
    !matches!(child.try_wait(), Ok(None))
}
