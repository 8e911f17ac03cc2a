//! Another key for a cluster that runs, in three steps: all nodes open with the new key too, then all seal with it, then
//! the old one goes. A step begins when every node has said that it has the one before, so that at any moment all
//! understand each other. What is done is what the files and the nodes say, so a rotation that was cut short is gone on with.

mod edit;
mod member;

use crate::key_file;
use crate::node_file::{self};
use crate::outputs::to_stdout;
use crate::program::Program;
use member::RingMember;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use watchkeeper::Problem;
use watchkeeper_runtime::wire::ClusterKey;
use zeroize::Zeroizing;

/// One step of a rotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum RotationStep {
    /// All nodes open with the new key too
    Add,
    /// All seal with it
    Switch,
    /// The old ones go
    Remove,
}

impl RotationStep {
    const ALL: [RotationStep; 3] = [RotationStep::Add, RotationStep::Switch, RotationStep::Remove];

    fn name(self) -> &'static str {
        match self {
            RotationStep::Add => "add",
            RotationStep::Switch => "switch",
            RotationStep::Remove => "remove",
        }
    }
}

/// What a user wants.
pub(crate) struct RotationRequest<'a> {
    /// Node files, and directories with some.
    pub(crate) paths: &'a [PathBuf],
    /// This step alone.
    pub(crate) step: Option<RotationStep>,
    /// Whether nodes that do not run may be among them.
    pub(crate) allow_stopped: bool,
}

/// Replaces the key of these nodes.
pub(crate) fn rotate(program: &Program, request: &RotationRequest<'_>) -> Result<(), Problem> {
    let mut members = Vec::new();
    for path in node_files(request.paths)? {
        members.push(RingMember::read(&path, program)?);
    }
    members
        .sort_by_key(|member| (member.file.node.identity.process(), member.file.node.identity.to_string()));
    are_one_cluster(&members, request.step)?;
    let mut behind = false;
    for member in &mut members {
        behind |= !member.is_up_to_date(request.allow_stopped)?;
    }
    for member in members.iter().filter(|member| member.stopped) {
        say(&format!("{} does not run: only its file is changed\n", member.name()));
    }
    let newest = members.iter().flat_map(|member| member.ring().0).max().unwrap_or_default();
    let settled = members.iter().all(|member| member.ring().0 == [newest]);
    if behind {
        // A rotation that was cut short between a file and its node.
        all_follow(&members, "read again")?;
        if settled {
            say(&format!("All nodes have key {newest} alone: the rotation that was begun is done\n"));
            return Ok(());
        }
    }
    // With several keys a rotation is under way, to the one with the highest number.
    let begins = settled && matches!(request.step, None | Some(RotationStep::Add));
    let new = match newest.checked_add(u8::from(begins)) {
        Some(new) => new,
        None => {
            return Err(Problem::Usage(
                "key 255 is in use, and a newer key needs a higher number: give the current one a lower id by hand, in \
                 three steps as docs/run.md says"
                    .to_string(),
            ));
        }
    };
    say(&format!("{} key {new}\n", if begins { "Begins with" } else { "Goes on with" }));
    let old_files = key_files(&members);
    for step in RotationStep::ALL {
        if request.step.is_none_or(|only| only == step) {
            take(program, &mut members, step, new)?;
        }
    }
    let used = key_files(&members);
    for file in old_files.iter().filter(|file| !used.contains(file)) {
        say(&format!("These nodes no longer use {}: delete it if no other node does\n", file.display()));
    }
    Ok(())
}

/// Takes a step, as far as it has not been taken, and waits until all nodes have.
fn take(program: &Program, members: &mut [RingMember], step: RotationStep, new: u8) -> Result<(), Problem> {
    let first = |problem: &str, before: &str| {
        Problem::Usage(format!(
            "{problem}: take the step `{before}` first, on all machines. Nothing was changed"
        ))
    };
    match step {
        RotationStep::Add => add(program, members, new)?,
        RotationStep::Switch => {
            if let Some(member) = members.iter().find(|member| member.key(new).is_none()) {
                return Err(first(&format!("{} does not have key {new} yet", member.name()), "add"));
            }
            for member in members.iter_mut().filter(|member| member.ring().current() != Some(new)) {
                member.switch(program, new)?;
            }
        }
        RotationStep::Remove => {
            if let Some(member) = members.iter().find(|member| member.ring().current() != Some(new)) {
                return Err(first(&format!("{} does not seal with key {new} yet", member.name()), "switch"));
            }
            for member in members.iter_mut().filter(|member| member.ring().0.len() > 1) {
                member.remove_others(program, new)?;
            }
        }
    }
    all_follow(members, step.name())?;
    let done = match step {
        RotationStep::Add => "opens with it too",
        RotationStep::Switch => "seals with it",
        RotationStep::Remove => "has it alone",
    };
    say(&format!("{}: {} {done}\n", step.name(), names(members)));
    Ok(())
}

fn all_follow(members: &[RingMember], step: &str) -> Result<(), Problem> {
    members.iter().try_for_each(|member| member.follow(step))
}

/// Gives the new key to those who do not have it.
fn add(program: &Program, members: &mut [RingMember], new: u8) -> Result<(), Problem> {
    let places: Vec<PathBuf> = members.iter().map(|member| new_place(&member.key_place(), new)).collect();
    if members.iter().all(|member| member.key(new).is_some()) {
        return Ok(());
    }
    let key = new_key(members, &places, new)?;
    for (member, place) in members.iter_mut().zip(&places).filter(|(member, _)| member.key(new).is_none()) {
        if !place.exists() {
            let like = std::fs::metadata(member.key_place()).or_else(|_| std::fs::metadata(member.path()));
            key_file::write_like(place, &key, like.ok().as_ref())
                .map_err(|why| Problem::Usage(format!("cannot write {}: {why}", place.display())))?;
        }
        member.add(program, new, place)?;
    }
    Ok(())
}

/// The new key: the one that some node or some file has already, or a fresh one.
fn new_key(members: &[RingMember], places: &[PathBuf], new: u8) -> Result<ClusterKey, Problem> {
    let mut found = members.iter().find_map(|member| member.key(new)).map(|known| known.key.clone());
    for place in places.iter().filter(|place| place.exists()) {
        let read = key_file::digits(place)
            .and_then(|digits| digits.parse::<ClusterKey>().map_err(|why| why.to_string()));
        let key = read.map_err(|why| Problem::Usage(format!("{}: {why}", place.display())))?;
        if found.as_ref().is_some_and(|found| !same(found, &key)) {
            let why = "holds another key than the rest: delete it, or put the right one there";
            return Err(Problem::Usage(format!("{} {why}. Nothing was changed", place.display())));
        }
        let old = members.iter().flat_map(|member| &member.file.keys.list);
        if old.into_iter().any(|known| known.id.0 != new && same(&known.key, &key)) {
            let why = "holds a key that is in use already: delete it, or put the new one there";
            return Err(Problem::Usage(format!("{} {why}. Nothing was changed", place.display())));
        }
        found = Some(key);
    }
    match found {
        Some(key) => Ok(key),
        None => key_file::fresh(),
    }
}

fn same(one: &ClusterKey, other: &ClusterKey) -> bool {
    *Zeroizing::new(one.to_hex()) == *Zeroizing::new(other.to_hex())
}

/// The file of a new key beside the one before: `cluster.key`, `cluster-2.key`, `cluster-3.key`.
fn new_place(before: &Path, id: u8) -> PathBuf {
    let stem = before.file_stem().unwrap_or_default().to_string_lossy();
    let numbered = stem.rsplit_once('-').filter(|(_, number)| number.parse::<u8>().is_ok());
    let stem = numbered.map_or(stem.as_ref(), |(stem, _)| stem);
    before.with_file_name(format!("{stem}-{id}.key"))
}

/// All files with keys of these nodes, each once.
fn key_files(members: &[RingMember]) -> Vec<PathBuf> {
    let all = members.iter().flat_map(|member| &member.file.keys.list);
    let mut all: Vec<PathBuf> = all.filter_map(|key| key.file.clone()).collect();
    all.sort();
    all.dedup();
    all
}

/// The node files that are meant: those that are named, and all in a directory that is named.
fn node_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let unreadable = |why| Problem::Usage(format!("cannot read the directory {}: {why}", path.display()));
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if file.extension().is_some_and(|ending| ending == "toml") && node_file::is_one(&file) {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            let why = "there is no node file in it, one that ends in .toml and has a table [node]";
            return Err(Problem::Usage(format!("{}: {why}", path.display())));
        }
        found.extend(inside);
    }
    Ok(found)
}

/// Whether these are nodes of one cluster, each once, which have the same keys under the same numbers; and all of its
/// nodes, unless the steps are taken one by one.
fn are_one_cluster(members: &[RingMember], step: Option<RotationStep>) -> Result<(), Problem> {
    let Some(first) = members.first() else { return Ok(()) };
    let mut here = BTreeSet::new();
    for member in members {
        let (node, path) = (&member.file.node, member.path().display());
        if node.cluster != first.file.node.cluster {
            let why = format!("`{}`, not of `{}`", node.cluster, first.file.node.cluster);
            return Err(Problem::Usage(format!(
                "{path} is of the cluster {why}; rotate one cluster at a time"
            )));
        }
        if !here.insert(node.identity.to_string()) {
            return Err(Problem::Usage(format!("{path} is a second file of {}; name one", node.identity)));
        }
        for key in &member.file.keys.list {
            let other = members
                .iter()
                .find(|other| other.key(key.id.0).is_some_and(|known| !same(&known.key, &key.key)));
            if let Some(other) = other {
                let why = format!("{} and {} have different keys under the id", member.name(), other.name());
                return Err(Problem::Usage(format!("{why} {}; they do not understand each other", key.id.0)));
            }
        }
    }
    let elsewhere =
        first.file.peers.iter().map(|(peer, _)| *peer).find(|peer| !here.contains(&peer.to_string()));
    match (elsewhere, step) {
        (Some(peer), None) => Err(Problem::Usage(format!(
            "the file of {peer} is not among these: a key is replaced on all nodes together\n  Name its file too. If it is \
             on another machine, take one step at a time, each on all machines before the next: --step add, --step switch, \
             --step remove"
        ))),
        _ => Ok(()),
    }
}

fn names(members: &[RingMember]) -> String {
    let names: Vec<String> = members.iter().map(RingMember::name).collect();
    match names.as_slice() {
        [one] => one.clone(),
        names => format!("each of {}", names.join(", ")),
    }
}

fn say(text: &str) {
    // Whoever does not listen knows by the exit code.
    let _ = to_stdout(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_has_a_file_beside_the_old_one() {
        for (before, after) in [
            ("/etc/w/cluster.key", "/etc/w/cluster-2.key"),
            ("cluster-1.key", "cluster-2.key"),
            ("my-cluster", "my-cluster-2.key"),
            ("a-999.key", "a-999-2.key"),
        ] {
            assert_eq!(new_place(Path::new(before), 2), Path::new(after));
        }
    }
}
