//! The processes of the operating system that the nodes are: started, sent signals, and never left behind. A
//! child is killed by the kernel when this process ends, however it ends.

use super::layout::{ClusterLayout, NodePlace};
use rustix::process::{Pid as Number, Signal, kill_process};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use watchkeeper_core::Pid;

/// How long nodes have to leave at the end before they are killed.
const FAREWELL: Duration = Duration::from_secs(3);

/// How many lines of a log are shown of a node that has ended unexpectedly.
const LAST_WORDS: usize = 5;

/// All children.
pub(crate) struct Children {
    layout: ClusterLayout,
    list: Vec<Member>,
}

/// One child.
struct Member {
    child: Option<Child>,
    state: ChildState,
}

/// What is known of a child without asking it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ChildState {
    /// It runs.
    Up,
    /// It was told to stop where it is.
    Paused,
    /// It was killed.
    Killed,
    /// It was told to leave; `true` if it has ended.
    Left(bool),
    /// It ended of its own accord: how, and its last words.
    Failed(String),
}

impl ChildState {
    /// Whether there is a process.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self, ChildState::Up | ChildState::Paused | ChildState::Left(false))
    }

    /// Its name in a table, if the node itself cannot be asked.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            ChildState::Up => "starting",
            ChildState::Paused => "paused",
            ChildState::Killed => "killed",
            ChildState::Left(false) => "leaving",
            ChildState::Left(true) => "left",
            ChildState::Failed(_) => "failed",
        }
    }
}

impl Children {
    /// Starts a child for every node. A child that cannot be started is one that has failed.
    ///
    /// The kernel watches over the thread that calls this, so it must be one that lives as long as they do.
    pub(crate) fn start(layout: ClusterLayout) -> Children {
        let mut list = Vec::new();
        list.resize_with(layout.nodes.len(), || Member { child: None, state: ChildState::Killed });
        let mut children = Children { layout, list };
        for process in children.processes() {
            children.spawn(process);
        }
        children
    }

    /// Where the nodes are.
    pub(crate) fn layout(&self) -> &ClusterLayout {
        &self.layout
    }

    /// All nodes that ever were, in their order.
    pub(crate) fn processes(&self) -> Vec<Pid> {
        self.layout.nodes.iter().map(|place| place.process).collect()
    }

    /// Starts one more node, which joins.
    pub(crate) fn join(&mut self) -> Result<NodePlace, String> {
        let place = self.layout.add()?;
        self.list.push(Member { child: None, state: ChildState::Killed });
        self.spawn(place.process);
        Ok(place)
    }

    /// What is known of a child.
    pub(crate) fn state(&self, process: Pid) -> &ChildState {
        &self.list[process.index()].state
    }

    /// Kills it.
    pub(crate) fn kill(&mut self, process: Pid) -> Result<(), String> {
        self.signal(process, Signal::KILL, "killed")?;
        self.list[process.index()].state = ChildState::Killed;
        self.reap(process);
        Ok(())
    }

    /// Stops it where it is.
    pub(crate) fn pause(&mut self, process: Pid) -> Result<(), String> {
        if *self.state(process) == ChildState::Paused {
            return Err(format!("{process} is paused already; `resume {}` lets it go on", process.index()));
        }
        self.signal(process, Signal::STOP, "paused")?;
        self.list[process.index()].state = ChildState::Paused;
        Ok(())
    }

    /// Lets it go on.
    pub(crate) fn resume(&mut self, process: Pid) -> Result<(), String> {
        if *self.state(process) != ChildState::Paused {
            return Err(format!("{process} is not paused"));
        }
        self.signal(process, Signal::CONT, "resumed")?;
        self.list[process.index()].state = ChildState::Up;
        Ok(())
    }

    /// Tells it to leave.
    pub(crate) fn leave(&mut self, process: Pid) -> Result<(), String> {
        if *self.state(process) == ChildState::Paused {
            return Err(format!("{process} is paused and hears nothing; resume it first"));
        }
        self.signal(process, Signal::TERM, "told to leave")?;
        self.list[process.index()].state = ChildState::Left(false);
        Ok(())
    }

    /// Starts it again.
    pub(crate) fn restart(&mut self, process: Pid) -> Result<(), String> {
        if self.state(process).is_there() {
            self.kill(process)?;
        }
        self.spawn(process);
        Ok(())
    }

    /// The children that have ended since this was last asked, those that were killed left out.
    pub(crate) fn ended(&mut self) -> Vec<Pid> {
        let mut ended = Vec::new();
        for process in self.processes() {
            let member = &mut self.list[process.index()];
            let status = member.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            let Some(status) = status else { continue };
            member.child = None;
            member.state = match member.state {
                ChildState::Killed => continue,
                ChildState::Left(_) => ChildState::Left(true),
                _ => ChildState::Failed(failure(status, &self.layout.log(process))),
            };
            ended.push(process);
        }
        ended
    }

    /// Ends all: each may leave, and whoever does not is killed.
    pub(crate) fn end(mut self) {
        for process in self.processes() {
            if self.list[process.index()].child.is_some() {
                // One that has just ended needs no signal.
                let _ = self.signal(process, Signal::TERM, "told to leave");
                let _ = self.signal(process, Signal::CONT, "resumed");
                self.list[process.index()].state = ChildState::Left(false);
            }
        }
        let deadline = Instant::now() + FAREWELL;
        while self.list.iter().any(|member| member.child.is_some()) && Instant::now() < deadline {
            self.ended();
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn spawn(&mut self, process: Pid) {
        let started = self.command(process).and_then(|mut command| command.spawn());
        self.list[process.index()] = match started {
            Ok(child) => Member { child: Some(child), state: ChildState::Up },
            Err(why) => {
                Member { child: None, state: ChildState::Failed(format!("it cannot be started: {why}")) }
            }
        };
    }

    /// The command that starts a node. What the terminal sends to this process is not for the nodes, so each
    /// is a group of its own.
    fn command(&self, process: Pid) -> io::Result<Command> {
        let log = OpenOptions::new().create(true).append(true).open(self.layout.log(process))?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("cluster").arg("--node").arg(self.layout.config(process));
        command.arg("--parent").arg(std::process::id().to_string());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
        Ok(command)
    }

    fn signal(&self, process: Pid, signal: Signal, done: &str) -> Result<(), String> {
        let member = &self.list[process.index()];
        let Some(child) = member.child.as_ref() else {
            return Err(format!("{process} does not run, so it cannot be {done}; `restart` starts it"));
        };
        kill_process(Number::from_child(child), signal).map_err(|why| format!("{process}: {why}"))
    }

    /// Waits for a child that was killed.
    fn reap(&mut self, process: Pid) {
        if let Some(mut child) = self.list[process.index()].child.take() {
            // It was sent the signal that nothing survives, so this is short.
            let _ = child.wait();
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for child in self.list.iter_mut().filter_map(|member| member.child.as_mut()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// How a child has ended, and what it said last.
fn failure(status: ExitStatus, log: &Path) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_string(),
    };
    let said = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(LAST_WORDS)..].iter().map(|line| format!("\n    {line}"));
    format!("{how}{}", last.collect::<String>())
}

/// Turns this process into the node of a file. It keeps its number, and dies with its parent: the kernel
/// remembers that beyond the change.
pub(crate) fn become_node(config: &Path, parent: u32) -> io::Error {
    #[cfg(target_os = "linux")]
    {
        if let Err(why) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
            return why.into();
        }
        // A parent that ended before the kernel was told is not coming back.
        if std::os::unix::process::parent_id() != parent {
            return io::Error::other("the cluster has ended");
        }
    }
    match std::env::current_exe() {
        Ok(program) => Command::new(program).arg("run").arg("--config").arg(config).exec(),
        Err(why) => why,
    }
}
