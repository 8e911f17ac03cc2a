//! Node files: a scenario file with the tables `[node]`, `[peers]` and `[[keys]]`, and perhaps `[network]`, so that `check` checks the very
//! file that `run` runs. The whole file is looked at, and all that is wrong with it is told at once, each with its
//! place; nothing here opens a socket.

mod keys;
mod network;
mod node_table;
mod open;
mod peers;
mod places;
mod reading;

pub(crate) use keys::{NodeKey, NodeKeys};
pub(crate) use node_table::{LogFormat, LogLevel, NodeIdentity, proposal};
pub(crate) use open::{MemberNumber, OPEN_NETWORK};
pub(crate) use places::{HostName, PeerPlace};

use crate::daemon::NodePlan;
use crate::inputs;
use crate::program::Program;
use crate::raw_settings::{RawSettings, RawValue};
use crate::registry::{self, ProtocolEntry};
use crate::scenario_file::{LARGEST, TomlFile};
pub(crate) use node_table::NodeTable;
use reading::{Reading, place_of};
use std::path::{Path, PathBuf};
use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_core::Pid;
use zeroize::Zeroizing;

/// The settings that stand and fall together: without one of them the others mean something else.
const OF_TIME: [&str; 5] = ["time", "delay", "round-trip", "processing", "simultaneous"];

/// A node, as its file describes it.
#[derive(Debug)]
pub(crate) struct NodeFile {
    pub(crate) path: PathBuf,
    /// What it says outside its tables of keys, to tell whether it has changed.
    pub(crate) beyond_keys: Vec<String>,
    pub(crate) node: NodeTable,
    /// The other processes, in the order of their ids.
    pub(crate) peers: Vec<(Pid, PeerPlace)>,
    pub(crate) keys: NodeKeys,
    /// What is possible, but probably not meant.
    pub(crate) warnings: Vec<String>,
}

/// A node file with what its protocol makes of it.
pub(crate) struct Loaded<'a> {
    pub(crate) file: NodeFile,
    pub(crate) entry: &'a ProtocolEntry,
    pub(crate) node_plan: NodePlan,
}

/// Reads a node file for a program. All problems are told, in the order of the file.
pub(crate) fn read<'a>(path: &Path, program: &'a Program) -> Result<Loaded<'a>, Vec<Problem>> {
    let text = inputs::ordinary_text(path, LARGEST).map_err(|why| {
        let path = path.display();
        vec![Problem::Usage(format!("cannot read the node file {path}: {why}; name one with --config"))]
    })?;
    parse(path, &Zeroizing::new(text), program)
}

/// Whether this is a node file, right or not: one with a table `[node]`.
pub(crate) fn is_one(path: &Path) -> bool {
    let Ok(text) = inputs::ordinary_text(path, LARGEST).map(Zeroizing::new) else { return false };
    TomlFile { path, text: &text }.table().is_ok_and(|table| table.get_ref().get("node").is_some())
}

/// The node file of a text. All problems are told, in the order of the file.
pub(crate) fn parse<'a>(path: &Path, text: &str, program: &'a Program) -> Result<Loaded<'a>, Vec<Problem>> {
    let file = TomlFile { path, text };
    let table = file.table().map_err(|problem| vec![problem])?;
    let mut reading = Reading::new(&file, table.get_ref());
    let settings = file.settings(&table, &mut reading.problems);
    let is_open = reading.opened("node", "[node]").is_some_and(|section| open::is_open(&section));
    let (known, processes) = node_plan(&mut reading, settings, program, is_open);
    let node = node_table::read(&mut reading);
    if let (Some(n), Some(given), false) = (processes, node.process(), is_open) {
        reading.process_exists(given, n);
    }
    if let Some((_, node_plan)) = &known {
        let me = node.process().map(|(process, _)| process);
        match (node.propose(), node_plan.proposal(me, node.propose().map(|(value, _)| value))) {
            (Some((_, given)), Err(why)) => reading.refuse_value(given, why),
            (None, Err(why)) => reading.missing(why),
            (_, Ok(_)) => {}
        }
    }
    let peers = if is_open {
        peers::refuse(&mut reading);
        Vec::new()
    } else {
        peers::read(&mut reading, &node, processes)
    };
    let keys = keys::read(&mut reading, path, node.bind.as_ref().map(|(bind, _)| *bind));
    let network = network::read(&mut reading);
    let (mut problems, warnings) = reading.finish();
    problems.sort_by_key(place_of);
    match (known, node.finish(path), keys) {
        (Some((entry, mut node_plan)), Some(node), Some(keys)) if problems.is_empty() => {
            if let Some(network) = network {
                node_plan.chosen_for(network);
            }
            let path = path.to_path_buf();
            let file = NodeFile { path, beyond_keys: beyond_keys(text), node, peers, keys, warnings };
            Ok(Loaded { file, entry, node_plan })
        }
        _ => Err(problems),
    }
}

/// The lines of a file outside its tables of keys.
fn beyond_keys(text: &str) -> Vec<String> {
    let mut of_keys = false;
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            of_keys = line.starts_with("[[keys]]");
        }
        if !of_keys {
            lines.push(line.to_string());
        }
    }
    lines
}

/// The protocol of the settings and what it makes of them, and how many processes there are. RawSettings that cannot be
/// are told one after the other, as far as one says nothing about the next.
fn node_plan<'a>(
    reading: &mut Reading<'_>,
    mut settings: RawSettings,
    program: &'a Program,
    is_open: bool,
) -> (Option<(&'a ProtocolEntry, NodePlan)>, Option<usize>) {
    let entries = &program.entries;
    let entry = match (settings.given("protocol"), entries.as_slice()) {
        (Some(given), _) => match registry::find(entries, &given.value, &given.origin) {
            Ok(entry) => entry,
            Err(problem) => {
                reading.problems.push(problem);
                return (None, None);
            }
        },
        (None, [only]) if program.alone => only,
        (None, _) => {
            let known: Vec<&str> = entries.iter().map(ProtocolEntry::name).collect();
            reading.missing(format!("the key `protocol` is missing: add it, one of {}", known.join(", ")));
            return (None, None);
        }
    };
    if is_open && let Err(problem) = opened(program, entry, &mut settings) {
        reading.problems.push(problem);
        return (None, None);
    }
    let mut first = true;
    loop {
        match NodePlan::of(&*entry.protocol, &settings) {
            // With a setting left out it is another system, of as many processes.
            Ok(node_plan) => {
                let processes = node_plan.plan.scenario.n;
                return (first.then_some((entry, node_plan)), Some(processes));
            }
            Err(problem) => {
                let went_on = settings_without(&mut settings, &problem);
                reading.problems.push(problem);
                first = false;
                if !went_on {
                    return (None, None);
                }
            }
        }
    }
}

/// The settings of a protocol for a cluster that nodes join while it runs, if it can have one.
pub(crate) fn opened(
    program: &Program,
    entry: &ProtocolEntry,
    settings: &mut RawSettings,
) -> Result<(), Problem> {
    let Some((param, value)) = entry.outline().open else {
        let others = program.entries.iter().filter(|entry| entry.outline().open.is_some());
        let others: Vec<&str> = others.map(ProtocolEntry::name).collect();
        return Err(Problem::Usage(format!(
            "nobody can join {} while it runs: its processes are fixed, and each knows all others from the start. Write \
             process and [peers] in place of name, join and seed, or run one of: {}",
            entry.name(),
            others.join(", ")
        )));
    };
    match settings.params.get(param) {
        Some(given) if given.value.trim() != value => Err(given.refused(format!(
            "in a cluster that nodes join while it runs this is {value}; leave it out, or leave name, join and seed out"
        ))),
        Some(_) => Ok(()),
        None => {
            let given = RawValue { value: value.to_string(), origin: SettingOrigin::Call("open cluster") };
            settings.params.insert(param.to_string(), given);
            Ok(())
        }
    }
}

/// Leaves out the setting that a problem is about. `false` if the next problem could be a consequence of this one.
fn settings_without(settings: &mut RawSettings, problem: &Problem) -> bool {
    let is = |given: &RawValue, origin: &SettingOrigin| given.origin == *origin;
    match problem {
        Problem::Unknown { origin, what: "parameter", .. } => {
            let before = settings.params.len();
            settings.params.retain(|_, given| !is(given, origin));
            settings.params.len() < before
        }
        Problem::Value { origin, .. } | Problem::Unknown { origin, .. } => {
            let Some(name) = settings.name_of(origin).filter(|name| *name != "n") else { return false };
            let together: &[&str] = if OF_TIME.contains(&name) { &OF_TIME } else { &[name] };
            together.iter().for_each(|name| settings.forget(name));
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_among_what_a_file_says_beyond_them() {
        let text = "n = 3\n[node]\ntick = \"20ms\"\n[[keys]]\nid = 1\nhex = \"ab\"\n";
        let more = format!("# a remark\n{text}\n[[keys]]\nid = 2\nfile = \"b\"\n");
        assert_eq!(beyond_keys(text), ["n = 3", "[node]", "tick = \"20ms\""]);
        assert_eq!(beyond_keys(text), beyond_keys(&more));
        assert_ne!(beyond_keys(text), beyond_keys(&text.replace("20ms", "50ms")));
    }
}
