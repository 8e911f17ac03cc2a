//! The table `[peers]`: where the other processes are. Every one of them must be there, and nobody else, or a node
//! would watch over somebody whom it cannot reach.

use super::node_table::NodeTableDraft;
use super::places::PeerPlace;
use super::reading::Reading;
use crate::raw_settings::RawValue;
use std::net::SocketAddr;
use watchkeeper::quantities::ProcessName;
use watchkeeper_core::{Pid, ProcSet};

/// Refuses the table where there must be none.
pub(super) fn refuse(reading: &mut Reading<'_>) {
    if let Some(section) = reading.opened("peers", "[peers]") {
        let why = "members of an open cluster learn of each other: leave [peers] out, or name, join and seed";
        reading.refuse(section.span, why);
    }
}

/// Reads the table, for a protocol of so many processes if that is known.
pub(super) fn read(
    reading: &mut Reading<'_>,
    node: &NodeTableDraft,
    processes: Option<usize>,
) -> Vec<(Pid, PeerPlace)> {
    let me = node.process().map(|(me, _)| me);
    let sample = "    [peers]\n    p1 = \"127.0.0.1:7101\"";
    let about = "it says where every other process listens";
    let Some(section) = reading.section("peers", "[peers]", about, sample) else { return Vec::new() };
    let mut peers: Vec<(Pid, PeerPlace)> = Vec::new();
    let mut named = ProcSet::EMPTY;
    for (key, _) in section.table {
        let name = RawValue { value: key.get_ref().to_string(), origin: reading.file.origin(key.span()) };
        let Some(ProcessName(peer)) = reading.parsed(Some(&name)) else { continue };
        if processes.is_some_and(|n| !reading.process_exists((peer, &name), n)) {
            continue;
        }
        if me == Some(peer) {
            let why = format!("{peer} is this node itself, which listens at `bind`; leave it out here");
            reading.refuse_value(&name, why);
            continue;
        }
        if named.contains(peer) {
            reading.refuse_value(&name, format!("{peer} is there twice; leave one of them out"));
            continue;
        }
        named.insert(peer);
        let Some(given) = reading.given(&section, key.get_ref()) else { continue };
        let Some(place) = reading.parsed(Some(&given)) else { continue };
        if let Some(why) = unreachable(node, &place, &peers) {
            reading.refuse_value(&given, why);
            continue;
        }
        peers.push((peer, place));
    }
    if let (Some(n), Some(me)) = (processes, me) {
        let absent = ProcSet::first(n).without(me).difference(named);
        if !absent.is_empty() && me.index() < n {
            let list: Vec<String> = absent.iter().map(|p| p.to_string()).collect();
            let (list, first) = (list.join(", "), &list[0]);
            let why = format!(
                "[peers] does not say where {list} {}: add `{first} = \"ADDRESS:PORT\"` here{}",
                if absent.len() == 1 { "is" } else { "are" },
                if absent.len() == 1 { "" } else { " and so on" },
            );
            reading.refuse(section.span.clone(), why);
        }
    }
    warn(reading, node, &peers);
    peers.sort_unstable_by_key(|(peer, _)| *peer);
    peers
}

/// Why nothing can be sent to this place, or not to it alone.
fn unreachable(node: &NodeTableDraft, place: &PeerPlace, peers: &[(Pid, PeerPlace)]) -> Option<String> {
    if place.port() == 0 {
        return Some("nobody can be reached at port 0; write the port that this peer listens at".to_string());
    }
    if let Some((other, _)) = peers.iter().find(|(_, there)| there == place) {
        return Some(format!("{other} is at this address; give each process its own"));
    }
    let bind = node.bind.as_ref().map(|(bind, _)| *bind);
    // Where a name leads is not known before it is looked up.
    let address = place.address()?;
    if address.ip().is_unspecified() {
        let ip = address.ip();
        return Some(format!(
            "{ip} is where somebody listens, not where he is; write the peer's own address"
        ));
    }
    if bind == Some(address) {
        return Some("this is where this node itself listens; give the two different ports".to_string());
    }
    let (here, there) = (bind?, address);
    if here.is_ipv4() != there.is_ipv4() {
        let family = |address: SocketAddr| if address.is_ipv4() { "IPv4" } else { "IPv6" };
        return Some(format!(
            "this is an {} address and `bind` an {} one; nodes reach each other in one of the two",
            family(there),
            family(here)
        ));
    }
    None
}

fn warn(reading: &mut Reading<'_>, node: &NodeTableDraft, peers: &[(Pid, PeerPlace)]) {
    let Some((bind, _)) = node.bind else { return };
    if bind.port() == 0 {
        let why = "bind has port 0: the system chooses one, which no peer can know";
        reading.warnings.push(why.to_string());
    }
    let mut addresses = peers.iter().filter_map(|(peer, place)| Some((peer, place.address()?)));
    let elsewhere = addresses.find(|(_, address)| bind.ip().is_loopback() && !address.ip().is_loopback());
    if let Some((peer, address)) = elsewhere {
        reading.warnings.push(format!(
            "bind is a loopback address, from which {peer} at {address} cannot be reached; listen at an address of \
             this machine"
        ));
    }
}
