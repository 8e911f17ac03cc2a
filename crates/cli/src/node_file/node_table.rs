//! The table `[node]`: who this node is, where it listens, how long a tick lasts, and what it leaves behind.

use super::open::{self, MemberNumber};
use super::reading::{Address, Reading, Section, WaitTime};
use crate::raw_settings::RawValue;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use watchkeeper::SettingOrigin;
use watchkeeper::quantities::ProcessName;
use watchkeeper::quantities::TimeSpan;
use watchkeeper_core::Pid;
use watchkeeper_runtime::{
    DEFAULT_GATHER, DEFAULT_JOIN, LONGEST_CLUSTER, OpenMember, SHORTEST_LATENESS, SHORTEST_TICK,
};

const LONGEST_TICK: Duration = Duration::from_secs(3600);

const KEYS: [&str; 15] = [
    "process",
    "name",
    "join",
    "seed",
    "advertise",
    "bind",
    "cluster",
    "tick",
    "lateness",
    "gather",
    "propose",
    "http",
    "record",
    "log",
    "log-level",
];

const SAMPLE: &str = "    [node]
    process = \"p0\"
    bind = \"127.0.0.1:7100\"
    cluster = \"demo\"
    tick = \"50ms\"";

/// The table, once it is known to be right.
#[derive(Debug)]
pub(crate) struct NodeTable {
    pub(crate) identity: NodeIdentity,
    pub(crate) bind: SocketAddr,
    /// Who said where to listen, to be named if that is not possible.
    pub(crate) bind_by: SettingOrigin,
    pub(crate) cluster: String,
    pub(crate) tick: Duration,
    pub(crate) lateness: Option<Duration>,
    pub(crate) gather: Duration,
    /// What it proposes as soon as it has begun, where its protocol decides on values.
    pub(crate) propose: Option<u64>,
    pub(crate) http: Option<(SocketAddr, SettingOrigin)>,
    /// A file whose name ends in `.ndjson`, or a directory.
    pub(crate) record: Option<PathBuf>,
    pub(crate) log: LogFormat,
    pub(crate) level: LogLevel,
}

/// Who a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NodeIdentity {
    /// A process of a cluster whose size is fixed.
    Process(Pid),
    /// A member of an open cluster.
    Member(OpenMember),
}

impl NodeIdentity {
    /// Its number, where it has one from the start.
    pub(crate) fn process(&self) -> Option<Pid> {
        match self {
            NodeIdentity::Process(process) => Some(*process),
            NodeIdentity::Member(_) => None,
        }
    }
}

impl fmt::Display for NodeIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeIdentity::Process(process) => process.fmt(f),
            NodeIdentity::Member(member) => member.name.fmt(f),
        }
    }
}

/// The table as far as it is right.
#[derive(Default)]
pub(super) struct NodeTableDraft {
    process: Option<(Pid, RawValue)>,
    /// Of an open cluster.
    member: Option<OpenMember>,
    pub(super) bind: Option<(SocketAddr, RawValue)>,
    cluster: Option<String>,
    tick: Option<Duration>,
    lateness: Option<Duration>,
    gather: Option<Duration>,
    propose: Option<(u64, RawValue)>,
    http: Option<(SocketAddr, RawValue)>,
    record: Option<String>,
    log: Option<LogFormat>,
    level: Option<LogLevel>,
}

/// Reads the table.
pub(super) fn read(reading: &mut Reading<'_>) -> NodeTableDraft {
    let about = "it says who this node is";
    let Some(section) = reading.section("node", "[node]", about, SAMPLE) else {
        return NodeTableDraft::default();
    };
    reading.only(&section, &KEYS);
    let is_open = open::is_open(&section);
    let needed = "which process this node is, such as process = \"p0\"";
    let process = if is_open {
        reading.given(&section, "process")
    } else {
        reading.needed(&section, "process", needed)
    };
    let process = process.and_then(|given| {
        let p = if is_open {
            reading.parsed(Some(&given)).map(|MemberNumber(p)| p)
        } else {
            reading.parsed(Some(&given)).map(|ProcessName(p)| p)
        };
        Some((p?, given))
    });
    let bind = reading.needed(&section, "bind", "where it listens, such as bind = \"127.0.0.1:7100\"");
    let bind = bind.and_then(|given| {
        let Address(address) = reading.parsed(Some(&given))?;
        Some((address, given))
    });
    let mut draft = NodeTableDraft { process, bind, ..NodeTableDraft::default() };
    if is_open {
        draft.member = open::read(reading, &section, &draft);
    }
    draft.cluster = cluster(reading, &section);
    draft.tick = tick(reading, &section);
    let lateness = reading.given(&section, "lateness");
    draft.lateness = reading.parsed::<TimeSpan>(lateness.as_ref()).map(|span| span.0);
    if let (Some(given), Some(span)) = (&lateness, draft.lateness.filter(|span| *span < SHORTEST_LATENESS)) {
        let why =
            format!("a node that may be late by no more than {span:?} would always be late: allow it 2ms");
        reading.refuse_value(given, why);
    }
    let gather = reading.given(&section, "gather");
    draft.gather = reading.parsed::<WaitTime>(gather.as_ref()).map(|wait| wait.0);
    draft.propose = propose(reading, &section);
    draft.http = http(reading, &section);
    draft.record = reading.given(&section, "record").map(|given| given.value);
    let log = reading.given(&section, "log");
    draft.log = reading.parsed(log.as_ref());
    let level = reading.given(&section, "log-level");
    draft.level = reading.parsed(level.as_ref());
    draft
}

fn cluster(reading: &mut Reading<'_>, section: &Section<'_>) -> Option<String> {
    let needed = "the name that all nodes of this cluster share, such as cluster = \"demo\"";
    let given = reading.needed(section, "cluster", needed)?;
    match given.value.len() {
        0 => {
            let why = "the cluster has no name: choose one that no other cluster of these machines has";
            reading.refuse_value(&given, why);
        }
        1..=LONGEST_CLUSTER => return Some(given.value),
        long => {
            let why = format!("this name has {long} bytes: choose one of at most {LONGEST_CLUSTER}");
            reading.refuse_value(&given, why);
        }
    }
    None
}

fn tick(reading: &mut Reading<'_>, section: &Section<'_>) -> Option<Duration> {
    let needed = "how long one unit of the protocol's time lasts, such as tick = \"50ms\"";
    let given = reading.needed(section, "tick", needed)?;
    let TimeSpan(tick) = reading.parsed(Some(&given))?;
    if tick < SHORTEST_TICK || tick > LONGEST_TICK {
        reading.refuse_value(&given, "a tick lasts from 1ms to 1h, and is the same on all nodes");
        return None;
    }
    Some(tick)
}

fn propose(reading: &mut Reading<'_>, section: &Section<'_>) -> Option<(u64, RawValue)> {
    let given = reading.given(section, "propose")?;
    let value = proposal(&given.value).map_err(|why| reading.refuse_value(&given, why)).ok()?;
    Some((value, given))
}

/// A value as users propose it.
pub(crate) fn proposal(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if text.contains([',', ';', ' ']) {
        return Err(format!(
            "`{text}` is more than one value, and a process proposes once: write one of them"
        ));
    }
    text.parse().map_err(|_| format!("`{text}` is not a value; propose a whole number from 0 on"))
}

fn http(reading: &mut Reading<'_>, section: &Section<'_>) -> Option<(SocketAddr, RawValue)> {
    let given = reading.given(section, "http")?;
    let Address(address) = reading.parsed(Some(&given))?;
    if !address.ip().is_loopback() {
        let why = format!(
            "{} is not a loopback address, and whoever reaches it may ask; write 127.0.0.1:{port} or \
             [::1]:{port}",
            address.ip(),
            port = address.port()
        );
        reading.refuse_value(&given, why);
        return None;
    }
    Some((address, given))
}

impl NodeTableDraft {
    /// Which process it is, and who says so.
    pub(super) fn process(&self) -> Option<(Pid, &RawValue)> {
        self.process.as_ref().map(|(process, given)| (*process, given))
    }

    /// What it proposes, and who says so.
    pub(super) fn propose(&self) -> Option<(u64, &RawValue)> {
        self.propose.as_ref().map(|(value, given)| (*value, given))
    }

    /// The table, if all that must be there is there. Paths in it start from the directory of the file.
    pub(super) fn finish(self, path: &Path) -> Option<NodeTable> {
        let (bind, given) = self.bind?;
        let process = self.process.map(|(process, _)| process);
        let usual = if self.member.is_some() { DEFAULT_JOIN } else { DEFAULT_GATHER };
        Some(NodeTable {
            identity: self.member.map(NodeIdentity::Member).or(process.map(NodeIdentity::Process))?,
            bind,
            bind_by: given.origin,
            cluster: self.cluster?,
            tick: self.tick?,
            lateness: self.lateness,
            gather: self.gather.unwrap_or(usual),
            propose: self.propose.map(|(value, _)| value),
            http: self.http.map(|(address, given)| (address, given.origin)),
            record: self.record.map(|record| beside(path, &record)),
            log: self.log.unwrap_or(LogFormat::Text),
            level: self.level.unwrap_or(LogLevel::Info),
        })
    }
}

/// A path that is written in a file, seen from where that file is.
pub(super) fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().map_or_else(|| PathBuf::from(path), |dir| dir.join(path))
}

/// How lines of the log are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase", parse_err_fn = not_a_format, parse_err_ty = String)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One object of JSON on each line.
    Json,
}

fn not_a_format(text: &str) -> String {
    format!("`{text}` is not a form of the log; write text or json")
}

/// How much a line of the log matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_fn = not_a_level, parse_err_ty = String)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

impl LogLevel {
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

fn not_a_level(text: &str) -> String {
    format!("`{text}` is not a level of the log; write error, warn, info or debug")
}
