//! Where the nodes of a cluster are: a directory with a key and a file for each of them, and their addresses on
//! the loopback interface. Writes only into that directory, and only if it finds nothing there.

use super::relay::LinkEntrances;
use crate::files::fresh_directory;
use crate::key_file;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::ProtocolEntry;
use rustix::process::geteuid;
use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper_core::Pid;

/// The highest port.
const LAST_PORT: usize = 65_535;

/// What a user wants of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) dir: Option<PathBuf>,
    pub(crate) tick: Duration,
    pub(crate) record: bool,
    pub(crate) base_port: Option<u16>,
    /// How long a node waits for the others at first, so that all begin together; or how long it asks to join.
    pub(crate) gather: Duration,
    /// Whether the nodes join the first of them, which is the seed, and more may join later.
    pub(crate) open: bool,
    /// Where each node reaches each other one, if not at the other's own address.
    pub(crate) links: Option<LinkEntrances>,
}

/// A cluster that is written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClusterLayout {
    pub(crate) dir: PathBuf,
    pub(crate) nodes: Vec<NodePlace>,
    wanted: Wanted,
    /// What all node files begin with, and the name of the cluster.
    scenario: String,
    cluster: String,
}

/// One node of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodePlace {
    pub(crate) process: Pid,
    /// Where it listens for datagrams.
    pub(crate) bind: SocketAddr,
    /// Where it can be asked.
    pub(crate) http: SocketAddr,
}

impl ClusterLayout {
    /// Writes down a cluster of `n` processes.
    pub(crate) fn write(
        entry: &ProtocolEntry,
        settings: &RawSettings,
        n: usize,
        wanted: &Wanted,
    ) -> Result<ClusterLayout, Problem> {
        let nodes = places(n, wanted.base_port).map_err(|why| {
            Problem::Usage(format!("no ports for {n} nodes: {why}; name free ones with --base-port"))
        })?;
        let temporary = std::env::temp_dir();
        let refused = |why: io::Error| {
            let dir = wanted.dir.as_ref().unwrap_or(&temporary).display();
            Problem::Usage(format!("cannot write a cluster to {dir}: {why}; choose another with --dir"))
        };
        let dir = match &wanted.dir {
            Some(dir) => prepared(dir),
            None => fresh_directory(&temporary, entry.name()),
        };
        let dir = dir.map_err(refused)?;
        let (scenario, cluster) = (scenario(entry.name(), settings), cluster_name(entry.name()));
        let layout = ClusterLayout { dir, nodes, wanted: wanted.clone(), scenario, cluster };
        layout.write_files().map_err(refused)?;
        Ok(layout)
    }

    /// Writes down one more node.
    pub(crate) fn add(&mut self) -> Result<NodePlace, String> {
        if !self.wanted.open {
            return Err("nobody can join this protocol while it runs: its processes are fixed".to_string());
        }
        let process = Pid::member(self.nodes.len()).ok_or("there are as many nodes as there can be")?;
        // Ports that follow the others may not be free any more.
        let mut places = places(1, None).map_err(|why| format!("no ports for one more node: {why}"))?;
        let place = NodePlace { process, ..places.swap_remove(0) };
        let write = || fs::File::create_new(self.config(process))?.write_all(self.file(&place).as_bytes());
        write().map_err(|why| format!("the file of {process} cannot be written: {why}"))?;
        self.nodes.push(place);
        Ok(place)
    }

    /// The text of a node file.
    fn file(&self, place: &NodePlace) -> String {
        format!("{}\n{}", self.scenario, self.tables(place))
    }

    /// The node file of a process.
    pub(crate) fn config(&self, process: Pid) -> PathBuf {
        self.dir.join(format!("{process}.toml"))
    }

    /// Where what a node says goes.
    pub(crate) fn log(&self, process: Pid) -> PathBuf {
        self.dir.join(format!("{process}.log"))
    }

    fn write_files(&self) -> io::Result<()> {
        let key = key_file::fresh().map_err(|why| io::Error::other(why.to_string()))?;
        key_file::write(&self.dir.join("cluster.key"), &key)?;
        for place in &self.nodes {
            let mut file = fs::File::create_new(self.config(place.process))?;
            file.write_all(self.file(place).as_bytes())?;
        }
        Ok(())
    }

    /// What a node file has beyond the scenario.
    fn tables(&self, place: &NodePlace) -> String {
        let (NodePlace { process, bind, http }, wanted) = (place, &self.wanted);
        let tick = wanted.tick.as_millis();
        let mut text = format!(
            "[node]\nprocess = \"{process}\"\nbind = \"{bind}\"\ncluster = {}\ntick = \"{tick}ms\"\n\
             gather = \"{}ms\"\nhttp = \"{http}\"\n",
            quoted(&self.cluster),
            wanted.gather.as_millis()
        );
        if wanted.open {
            // Each would like to have the number by which a user knows it here.
            text.push_str(&format!("name = \"node-{}\"\n", process.index()));
            text.push_str(&match self.nodes.first().filter(|seed| seed.process != *process) {
                Some(seed) => format!("join = \"{}\"\n", seed.bind),
                None => "seed = true\n".to_string(),
            });
        }
        if wanted.record {
            text.push_str(&format!("record = {}\n", quoted(&self.dir.display().to_string())));
        }
        if !wanted.open {
            text.push_str("\n[peers]\n");
            for peer in self.nodes.iter().filter(|peer| peer.process != *process) {
                let link = wanted.links.as_ref().and_then(|links| links.entrance(*process, peer.process));
                text.push_str(&format!("{} = \"{}\"\n", peer.process, link.unwrap_or(peer.bind)));
            }
        }
        text.push_str("\n[[keys]]\nid = 1\nfile = \"cluster.key\"\n");
        text
    }
}

/// The name of the cluster that this process starts.
fn cluster_name(protocol: &str) -> String {
    format!("{protocol}-{}", std::process::id())
}

/// The directory that a user names, there and empty, by its full name. In one that others can write to they could
/// put files in the place of the key and the node files.
fn prepared(dir: &Path) -> io::Result<PathBuf> {
    fs::DirBuilder::new().mode(0o700).recursive(true).create(dir)?;
    let dir = dir.canonicalize()?;
    let known = dir.metadata()?;
    if known.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user, who could change the nodes"));
    }
    if known.mode() & 0o002 != 0 {
        return Err(io::Error::other("every user can write to it, and so change the nodes"));
    }
    match fs::read_dir(&dir)?.next() {
        None => Ok(dir),
        Some(_) => Err(io::Error::other("there is something in it already")),
    }
}

/// The addresses of the nodes: those from a port on, or free ones.
fn places(n: usize, base: Option<u16>) -> io::Result<Vec<NodePlace>> {
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    if let Some(base) = base {
        if usize::from(base) + n > LAST_PORT + 1 {
            return Err(io::Error::other(format!("there is none above {LAST_PORT}")));
        }
        let place = |process: Pid| {
            let address = loopback(base + process.index() as u16);
            NodePlace { process, bind: address, http: address }
        };
        return Ok((0..n).filter_map(Pid::member).map(place).collect());
    }
    // All are held until the last is found, so that no two are the same.
    let held: io::Result<Vec<(UdpSocket, TcpListener)>> =
        (0..n).map(|_| Ok((UdpSocket::bind(loopback(0))?, TcpListener::bind(loopback(0))?))).collect();
    let held = held?;
    let place = |(process, (udp, tcp)): (Pid, &(UdpSocket, TcpListener))| {
        Ok(NodePlace { process, bind: udp.local_addr()?, http: tcp.local_addr()? })
    };
    (0..n).filter_map(Pid::member).zip(&held).map(place).collect()
}

/// The settings as a scenario file.
fn scenario(protocol: &str, settings: &RawSettings) -> String {
    let mut text = format!("protocol = {}\n", quoted(protocol));
    let mut line = |name: &str, given: &RawValue| {
        let value = given.value.trim();
        let plain = value.parse::<u32>().is_ok() || matches!(value, "true" | "false");
        let value = if plain { value.to_string() } else { quoted(value) };
        text.push_str(&format!("{name} = {value}\n"));
    };
    for (name, given) in settings.scenario() {
        line(name, given);
    }
    if let Some(given) = settings.given("property") {
        line("property", given);
    }
    if !settings.params.is_empty() {
        text.push_str("\n[param]\n");
        let mut line =
            |name: &str, given: &RawValue| text.push_str(&format!("{name} = {}\n", quoted(&given.value)));
        for (name, given) in &settings.params {
            line(name, given);
        }
    }
    text
}

/// A string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            control if control.is_control() => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out + "\""
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
