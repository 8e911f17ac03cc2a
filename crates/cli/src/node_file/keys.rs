//! The tables `[[keys]]`: the secrets that the cluster shares. Keys are read into the ring of the runtime and never
//! shown; a file that others can read is told, and the key of the documentation is nobody's secret.

use super::node_table::beside;
use super::reading::{Reading, Section};
use crate::key_file;
use crate::raw_settings::RawValue;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toml::de::DeValue;
use watchkeeper::Problem;
use watchkeeper_runtime::wire::{ClusterKey, KeyId, KeyRing, MAX_KEYS};
use zeroize::Zeroizing;

/// The key of `docs/nodes/cluster.key`, which everybody has.
const SAMPLE: &[u8; 32] = b"watchkeeper sample key, not safe";

/// The keys of a node.
#[derive(Debug)]
pub(crate) struct NodeKeys {
    pub(crate) ring: KeyRing,
    pub(crate) list: Vec<NodeKey>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct NodeKey {
    pub(crate) id: KeyId,
    pub(crate) key: ClusterKey,
    /// The file it is in; `None` if it is in the node file itself.
    pub(crate) file: Option<PathBuf>,
}

impl NodeKeys {
    /// The ids of all keys, the current one first.
    pub(crate) fn in_order(&self) -> Vec<KeyId> {
        let current = self.ring.current();
        let others = self.list.iter().map(|key| key.id).filter(|id| *id != current);
        [current].into_iter().chain(others).collect()
    }

    /// The ids of all keys, the lowest first.
    pub(crate) fn ids(&self) -> Vec<u8> {
        let mut ids: Vec<u8> = self.list.iter().map(|key| key.id.0).collect();
        ids.sort_unstable();
        ids
    }
}

/// Reads the tables, for a node that listens here. `None` if there is no ring.
pub(super) fn read(reading: &mut Reading<'_>, path: &Path, bind: Option<SocketAddr>) -> Option<NodeKeys> {
    let Some(value) = reading.table.get("keys") else {
        reading.missing(
            "the table [[keys]] is missing: nodes only listen to those who share a key with them. Make one with \
             `watchkeeper key --out cluster.key`, give it to all nodes, and add\n    [[keys]]\n    id = 1\n    file = \
             \"cluster.key\""
                .to_string(),
        );
        return None;
    };
    let DeValue::Array(items) = value.get_ref() else {
        let problem = reading.file.refused(value, "a table [[keys]], with two brackets, for each key");
        reading.problems.push(problem);
        return None;
    };
    let mut found: Vec<FoundKey> = Vec::new();
    for item in items {
        let Some(section) = reading.as_section(item, "[[keys]]") else { continue };
        if let Some(key) = one(reading, path, bind, &section) {
            if found.iter().any(|other| other.key.id == key.key.id) {
                let why = format!("{} is there twice; give the newer one another id", key.key.id);
                reading.refuse_value(&key.id, why);
            }
            found.push(key);
        }
    }
    if items.len() > MAX_KEYS {
        let why = format!(
            "there are {} keys; leave those out that no node uses any more, {MAX_KEYS} remain at most",
            items.len()
        );
        reading.refuse(items[MAX_KEYS].span(), why);
    }
    let current = current(reading, &found, items.iter().next().map(toml::Spanned::span))?;
    let first = &found.get(current)?.key;
    let mut ring = KeyRing::new((first.id, first.key.clone()));
    for (_, other) in found.iter().enumerate().filter(|(i, _)| *i != current) {
        // What cannot be in one ring has been told above.
        ring = ring.with(other.key.id, other.key.key.clone()).ok()?;
    }
    Some(NodeKeys { ring, list: found.into_iter().map(|found| found.key).collect() })
}

struct FoundKey {
    key: NodeKey,
    id: RawValue,
    current: Option<RawValue>,
    /// `None` if what it says makes no sense.
    is_current: Option<bool>,
}

/// The place of the key to seal with.
fn current(
    reading: &mut Reading<'_>,
    found: &[FoundKey],
    first: Option<std::ops::Range<usize>>,
) -> Option<usize> {
    if found.iter().any(|key| key.is_current.is_none()) {
        return None;
    }
    let chosen: Vec<usize> = (0..found.len()).filter(|&i| found[i].is_current == Some(true)).collect();
    match (chosen.as_slice(), found.len()) {
        (&[one], _) => Some(one),
        (&[], 1) if found[0].current.is_none() => Some(0),
        (&[], 0) => {
            if first.is_none() {
                reading.missing("there is no key in [[keys]]: add one".to_string());
            }
            None
        }
        (&[], _) => {
            let why =
                "no key is the current one, which this node seals with: add current = true to one of them";
            reading.refuse(first.unwrap_or(0..0), why);
            None
        }
        (&[_, second, ..], _) => {
            let why =
                "two keys are current; a node seals with one of them and opens with all: leave this one out";
            match &found[second].current {
                Some(given) => reading.refuse_value(given, why),
                None => reading.missing(why.to_string()),
            }
            None
        }
    }
}

fn one(
    reading: &mut Reading<'_>,
    path: &Path,
    bind: Option<SocketAddr>,
    section: &Section<'_>,
) -> Option<FoundKey> {
    reading.only(section, &["id", "file", "hex", "current"]);
    let id =
        reading.needed(section, "id", "a number from 0 to 255 that says which key it is, such as id = 1");
    let number = id.as_ref().and_then(|given| match given.value.parse::<u8>() {
        Ok(number) => Some(number),
        Err(_) => {
            let why = format!("`{}` is not the id of a key; write a number from 0 to 255", given.value);
            reading.refuse_value(given, why);
            None
        }
    });
    let current = reading.given(section, "current");
    let is_current = match current.as_ref().map(|given| (given, given.value.as_str())) {
        Some((_, "true")) => Some(true),
        None | Some((_, "false")) => Some(false),
        Some((given, other)) => {
            reading.refuse_value(given, format!("`{other}` is neither true nor false"));
            None
        }
    };
    let (file, hex) = (reading.given(section, "file"), reading.secret(section, "hex"));
    let (given, text, source) = match (file, hex) {
        (Some(_), Some(hex)) => {
            reading.refuse_value(&hex, "a key is in a file or here, not in both; leave hex out");
            return None;
        }
        (Some(file), None) => {
            let source = beside(path, &file.value);
            let text = match key_file::digits(&source) {
                Ok(text) => text,
                Err(why) => {
                    reading.refuse_value(&file, format!("cannot read the key {}: {why}", source.display()));
                    return None;
                }
            };
            (file, text, Some(source))
        }
        (None, Some(mut hex)) => {
            let text = Zeroizing::new(std::mem::take(&mut hex.value));
            (hex, text, None)
        }
        (None, None) => {
            let why =
                "this key is nowhere: add file = \"cluster.key\", or hex with its 64 hexadecimal digits";
            reading.refuse(section.span.clone(), why);
            return None;
        }
    };
    let key = match text.parse::<ClusterKey>() {
        Ok(key) => key,
        Err(why) => {
            reading.problems.push(not_a_key(&given, why, source.as_deref()));
            return None;
        }
    };
    if is_sample(&key) {
        if bind.is_some_and(|bind| !bind.ip().is_loopback()) {
            reading.refuse_value(
                &given,
                "this is the sample key of the documentation, which everybody has, and this node listens beyond its \
                 own machine: make a key with `watchkeeper key --out FILE`",
            );
        }
    } else {
        warn_if_readable(reading, source.as_deref().unwrap_or(path));
    }
    Some(FoundKey { key: NodeKey { id: KeyId(number?), key, file: source }, id: id?, current, is_current })
}

fn not_a_key(given: &RawValue, why: impl std::fmt::Display, file: Option<&Path>) -> Problem {
    match file {
        Some(file) => given.refused(format!("{}: {why}", file.display())),
        None => given.refused(why),
    }
}

fn is_sample(key: &ClusterKey) -> bool {
    let sample: String = SAMPLE.iter().map(|byte| format!("{byte:02x}")).collect();
    *Zeroizing::new(key.to_hex()) == sample
}

fn warn_if_readable(reading: &mut Reading<'_>, path: &Path) {
    let mode = std::fs::metadata(path).map_or(0, |known| known.permissions().mode());
    if mode & 0o077 != 0 {
        let path = path.display();
        let who = if mode & 0o007 != 0 { "every user of this machine" } else { "a whole group of users" };
        let why = format!("{who} has access to the key in {path}: chmod 600 {path}");
        if !reading.warnings.contains(&why) {
            reading.warnings.push(why);
        }
    }
}
