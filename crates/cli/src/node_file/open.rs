//! The keys of `[node]` that make a node a member of an open cluster: its name, whom it asks to join, and whether it is a
//! seed. Members are not listed anywhere: they learn of each other.

use super::node_table::NodeTableDraft;
use super::reading::{Address, Reading, Section};
use crate::raw_settings::RawValue;
use std::net::SocketAddr;
use std::str::FromStr;
use watchkeeper::quantities::ProcessName;
use watchkeeper_core::Pid;
use watchkeeper_runtime::{MOST_SEEDS, MemberName, OpenMember};

/// The keys that only such nodes have.
const KEYS: [&str; 4] = ["name", "join", "seed", "advertise"];

/// What is assumed of the network of an open cluster where nobody says otherwise: whoever joins is not known to all at once, so
/// what is sent to it may be lost.
pub(crate) const OPEN_NETWORK: [(&str, &str); 4] =
    [("time", "dense"), ("delay", "0..4"), ("loss", "any"), ("channel", "unbounded:8")];

/// Whether the table is of a member of an open cluster.
pub(super) fn is_open(section: &Section<'_>) -> bool {
    KEYS.iter().any(|key| section.table.get(*key).is_some())
}

/// Reads who the node is.
pub(super) fn read(
    reading: &mut Reading<'_>,
    section: &Section<'_>,
    draft: &NodeTableDraft,
) -> Option<OpenMember> {
    let needed = "what this node is called in its cluster, such as name = \"web-3\"";
    let name = reading.needed(section, "name", needed);
    let name: Option<MemberName> = reading.parsed(name.as_ref());
    let join = reading.given(section, "join");
    let seeds = join.as_ref().map_or(Some(Vec::new()), |given| addresses(reading, given));
    let seed = reading.given(section, "seed");
    let is_seed = reading.parsed::<bool>(seed.as_ref()).unwrap_or(false);
    let advertise = reading.given(section, "advertise");
    let advertised = reading.parsed::<Address>(advertise.as_ref()).map(|address| address.0);
    let bind = draft.bind.as_ref().map(|(bind, _)| *bind);
    let address = advertised.or(bind)?;
    if address.ip().is_unspecified() || advertised.is_some_and(|address| address.port() == 0) {
        let why = format!(
            "nobody can reach {address}: say with `advertise` at which address and port of this machine others reach it"
        );
        let at = advertise.as_ref().or(draft.bind.as_ref().map(|(_, given)| given))?;
        reading.refuse_value(at, why);
        return None;
    }
    let seeds = seeds?;
    match (&join, is_seed) {
        (None, false) => {
            let why = "nobody can be asked to join: say with `join` where a seed or any other member listens, or with \
                       `seed` that this node founds the cluster";
            reading.refuse(section.span.clone(), why);
            return None;
        }
        (Some(given), true) if !seeds.contains(&address) => {
            let why = format!(
                "this node is a seed at {address}, which is not in the list: list all seeds in the same order on each of \
                 them, itself among them, or leave the list out if there is one"
            );
            reading.refuse_value(given, why);
            return None;
        }
        (Some(given), false) if seeds.contains(&address) => {
            let why = "this is where this node itself listens: name another member, or say with `seed` that it is a seed";
            reading.refuse_value(given, why);
            return None;
        }
        _ => {}
    }
    if let (Some(given), Some(other)) = (&join, seeds.iter().find(|seed| seed.is_ipv4() != address.is_ipv4()))
    {
        let why = format!(
            "{other} and {address}, where others reach this node, are of different families: write both as IPv4 or both as \
             IPv6"
        );
        reading.refuse_value(given, why);
        return None;
    }
    let wish = draft.process().map(|(process, _)| process);
    Some(OpenMember { name: name?, address, seeds, wish, is_seed })
}

/// The number of a member, with or without its letter. There may be more members than a model has processes.
pub(crate) struct MemberNumber(pub(crate) Pid);

impl FromStr for MemberNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<MemberNumber, String> {
        let number = text.trim().strip_prefix('p').unwrap_or(text.trim()).parse().ok();
        match number.and_then(Pid::member) {
            Some(process) => Ok(MemberNumber(process)),
            None => text.parse().map(|ProcessName(process)| MemberNumber(process)),
        }
    }
}

/// A list of addresses with commas between them.
fn addresses(reading: &mut Reading<'_>, given: &RawValue) -> Option<Vec<SocketAddr>> {
    let mut list = Vec::new();
    for text in given.value.split(',') {
        let one = RawValue { value: text.trim().to_string(), origin: given.origin.clone() };
        let Address(address) = reading.parsed(Some(&one))?;
        if address.port() == 0 || address.ip().is_unspecified() {
            reading.refuse_value(
                given,
                format!("nobody can be reached at {address}; write where a seed listens"),
            );
            return None;
        }
        if list.contains(&address) {
            reading.refuse_value(given, format!("{address} is there twice; list each seed once"));
            return None;
        }
        list.push(address);
    }
    if list.len() > MOST_SEEDS {
        reading.refuse_value(given, format!("a cluster has at most {MOST_SEEDS} seeds; name some of them"));
        return None;
    }
    Some(list)
}
