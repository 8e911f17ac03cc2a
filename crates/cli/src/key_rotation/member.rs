//! A node whose keys are replaced: its file, and the process that runs it. What it has is what it says itself; a signal
//! has it read its file again.

use super::edit;
use crate::daemon::console;
use crate::inputs;
use crate::node_file::{self, NodeFile, NodeKey};
use crate::outputs::OutputTarget;
use crate::program::Program;
use crate::scenario_file::LARGEST;
use rustix::process::{Pid as Number, Signal, kill_process};
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use watchkeeper::Problem;
use zeroize::Zeroizing;

/// How long a node may take to answer, and to have the keys of its file after a signal.
const PATIENCE: Duration = Duration::from_secs(3);
const FOLLOWS: Duration = Duration::from_secs(10);

/// How long to wait before it is asked again.
const PAUSE: Duration = Duration::from_millis(20);

/// The ids of the keys of a node: the one that it seals with first, the others by their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RingIds(pub(super) Vec<u8>);

impl RingIds {
    fn new(mut ids: Vec<u8>) -> RingIds {
        if let Some((_, others)) = ids.split_first_mut() {
            others.sort_unstable();
        }
        RingIds(ids)
    }

    pub(super) fn current(&self) -> Option<u8> {
        self.0.first().copied()
    }
}

/// One node.
pub(super) struct RingMember {
    pub(super) file: NodeFile,
    pub(super) http: SocketAddr,
    /// Whether nobody runs it, so that only its file is changed.
    pub(super) stopped: bool,
}

/// What the process of a node says.
struct RunningNode {
    keys: RingIds,
    pid: u32,
}

impl RingMember {
    /// The node of a file.
    pub(super) fn read(path: &Path, program: &Program) -> Result<RingMember, Problem> {
        let path = path.canonicalize().map_err(|why| {
            Problem::Usage(format!("cannot read the node file {}: {why}; name another", path.display()))
        })?;
        let loaded = node_file::read(&path, program).map_err(|mut problems| problems.swap_remove(0))?;
        let file = loaded.file;
        match file.node.http {
            Some((http, _)) if http.port() != 0 => Ok(RingMember { file, http, stopped: false }),
            _ => Err(Problem::Usage(format!(
                "{} has no key `http` with a port, so nobody can see which keys its node has: add http = \
                 \"127.0.0.1:7200\" to [node] and restart it. Nothing was changed",
                path.display()
            ))),
        }
    }

    pub(super) fn name(&self) -> String {
        self.file.node.identity.to_string()
    }

    pub(super) fn path(&self) -> &Path {
        &self.file.path
    }

    /// The keys that its file says.
    pub(super) fn ring(&self) -> RingIds {
        RingIds::new(self.file.keys.in_order().iter().map(|id| id.0).collect())
    }

    pub(super) fn key(&self, id: u8) -> Option<&NodeKey> {
        self.file.keys.list.iter().find(|key| key.id.0 == id)
    }

    /// Whether the process has the keys of the file. One that does not run has, if that may be.
    pub(super) fn is_up_to_date(&mut self, may_be_stopped: bool) -> Result<bool, Problem> {
        match self.ask() {
            Ok(running) => Ok(running.keys == self.ring()),
            Err(why) if may_be_stopped && why.kind() == io::ErrorKind::ConnectionRefused => {
                self.stopped = true;
                Ok(true)
            }
            Err(why) => Err(Problem::Usage(format!(
                "{} does not answer at http://{}/status: {why}\n  Nothing was changed. Start it and try again; \
                 --allow-stopped changes the files of nodes that do not run",
                self.name(),
                self.http
            ))),
        }
    }

    /// Waits until the process has the keys of the file, and tells it to read them.
    pub(super) fn follow(&self, step: &str) -> Result<(), Problem> {
        if self.stopped {
            return Ok(());
        }
        let (deadline, ring) = (Instant::now() + FOLLOWS, self.ring());
        let stuck = |why: String| {
            let (name, path) = (self.name(), self.path().display());
            Problem::Usage(format!(
                "in the step `{step}`, {name} has not taken up the keys of {path}: {why}\n  All nodes still understand \
                 each other. When that is mended, run the same command again: it goes on from here"
            ))
        };
        let mut told = None;
        loop {
            match self.ask() {
                Ok(running) if running.keys == ring => return Ok(()),
                Ok(running) if told != Some(running.pid) => {
                    hang_up(running.pid).map_err(|why| stuck(format!("SIGHUP to {}: {why}", running.pid)))?;
                    told = Some(running.pid);
                }
                Ok(running) if Instant::now() > deadline => {
                    return Err(stuck(format!(
                        "{FOLLOWS:?} after SIGHUP it has {:?}. Its log says why (event keys-kept); a node that was \
                         started under nohup is deaf to SIGHUP and must be restarted",
                        running.keys.0
                    )));
                }
                Err(why) if Instant::now() > deadline => return Err(stuck(why.to_string())),
                _ => {}
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Changes the file, in one moment, and reads it again: the keys must be these, and all else what it was.
    pub(super) fn edit(
        &mut self,
        program: &Program,
        change: impl Fn(&str) -> String,
        then: &RingIds,
    ) -> Result<(), Problem> {
        let path = self.file.path.clone();
        let refused = |why: String| {
            Problem::Usage(format!(
                "cannot change the keys in {}: {why}\n  Change them by hand, as docs/run.md says, and run the same \
                 command again: it goes on from there",
                path.display()
            ))
        };
        let unreadable = |why: io::Error| refused(why.to_string());
        let text = Zeroizing::new(inputs::ordinary_text(&path, LARGEST).map_err(unreadable)?);
        let changed = Zeroizing::new(change(&text));
        let strange =
            || refused("its tables [[keys]] are written in a way that is not understood".to_string());
        let loaded = node_file::parse(&path, &changed, program).map_err(|_| strange())?;
        let mut new = RingMember { file: loaded.file, http: self.http, stopped: self.stopped };
        if new.ring() != *then || new.file.beyond_keys != self.file.beyond_keys {
            return Err(strange());
        }
        OutputTarget::File(path.clone()).write(&changed).map_err(unreadable)?;
        std::mem::swap(self, &mut new);
        Ok(())
    }

    /// Adds a key that is in a file, or makes one current, or leaves one alone.
    pub(super) fn add(&mut self, program: &Program, id: u8, key_file: &Path) -> Result<(), Problem> {
        let dir = self.path().parent().map(Path::to_path_buf).unwrap_or_default();
        let name = key_file.strip_prefix(dir).unwrap_or(key_file);
        let Some(name) = name.to_str() else {
            return Err(Problem::Usage(format!("{} is no text in UTF-8; rename it", key_file.display())));
        };
        let (ring, quoted) = (self.ring(), crate::cluster::quoted(name));
        let Some(current) = ring.current() else { return Ok(()) };
        let then = RingIds::new([&ring.0[..], &[id]].concat());
        self.edit(program, |text| edit::with_key(&edit::with_current(text, current), id, &quoted), &then)
    }

    pub(super) fn switch(&mut self, program: &Program, id: u8) -> Result<(), Problem> {
        let others = self.ring().0.into_iter().filter(|other| *other != id);
        let then = RingIds::new([id].into_iter().chain(others).collect());
        self.edit(program, |text| edit::with_current(text, id), &then)
    }

    pub(super) fn remove_others(&mut self, program: &Program, id: u8) -> Result<(), Problem> {
        self.edit(program, |text| edit::with_only(text, id), &RingIds(vec![id]))
    }

    /// Where its current key is, or would be if it were in a file.
    pub(super) fn key_place(&self) -> PathBuf {
        let current = self.ring().current().and_then(|id| self.key(id));
        let file = current.and_then(|key| key.file.clone());
        file.unwrap_or_else(|| self.path().with_file_name("cluster.key"))
    }

    /// What the process says, if it is the one of this file.
    fn ask(&self) -> io::Result<RunningNode> {
        let body = console::get(self.http, &self.http.to_string(), PATIENCE)?;
        let status: Value = serde_json::from_str(&body).map_err(io::Error::other)?;
        let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or_default();
        let node = &self.file.node;
        let called = if node.identity.process().is_some() { "process" } else { "name" };
        if text(called) != node.identity.to_string() || text("cluster") != node.cluster {
            let who = watchkeeper::legible(&format!("{} of the cluster `{}`", text(called), text("cluster")));
            return Err(io::Error::other(format!("who answers there is {who}; compare the ports of `http`")));
        }
        if Path::new(text("config")) != self.path() {
            let path = watchkeeper::legible(text("config"));
            return Err(io::Error::other(format!("the node there was started with another file, `{path}`")));
        }
        let ids = status.get("keys").and_then(Value::as_array);
        let ids = ids.map(|ids| ids.iter().filter_map(|id| id.as_u64()?.try_into().ok()).collect());
        let pid = status.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
        match (ids, pid) {
            (Some(ids), Some(pid)) => Ok(RunningNode { keys: RingIds::new(ids), pid }),
            _ => {
                Err(io::Error::other("it is of an earlier release, which does not tell its keys; restart it"))
            }
        }
    }
}

fn hang_up(pid: u32) -> io::Result<()> {
    let number = i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Number::from_raw);
    let number = number.ok_or_else(|| io::Error::other("this is no process"))?;
    Ok(kill_process(number, Signal::HUP)?)
}
