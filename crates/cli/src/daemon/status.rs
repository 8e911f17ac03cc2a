//! `/status`: what a node says of itself, as JSON. Every time is in seconds; a key that is there stays there.

use super::view::EndpointView;
use serde_json::{Map, Value, json};
use std::time::Duration;
use watchkeeper_core::MemberSet;
use watchkeeper_runtime::wire::DatagramRefusal;
use watchkeeper_runtime::{
    Assumption, Assumptions, Breach, Count, Counters, Evidence, Measurement, PeerStatus, Status,
};

/// The version of what follows: it only changes when a key goes away or means something else.
const VERSION: u32 = 1;

/// The status as JSON, with a line break at the end.
pub(super) fn json(view: &EndpointView, status: &Status) -> String {
    let Status { process, cluster, incarnation, address, phase, suspects, peers, timers, .. } = status;
    let timers = timers.iter().map(|(timer, due)| json!({ "timer": timer, "due_in": seconds(*due) }));
    let timeouts = status.timeouts.iter();
    let timeouts = timeouts.map(|(timer, lasts)| json!({ "timer": timer, "lasts": seconds(*lasts) }));
    let breaches = status.breaches.iter().map(|(ago, breach)| breach_json(*ago, breach));
    let object = json!({
        "watchkeeper": "status",
        "version": VERSION,
        "release": env!("CARGO_PKG_VERSION"),
        "protocol": view.protocol,
        "cluster": cluster,
        "process": process.map(|process| process.to_string()),
        "name": status.name,
        "incarnation": incarnation.to_string(),
        "life": incarnation.to_string(),
        "address": address.map(|address| address.to_string()),
        "pid": std::process::id(),
        "config": view.config.display().to_string(),
        "phase": phase.name(),
        "uptime": seconds(status.uptime),
        "tick": seconds(status.tick),
        "suspects": names(suspects),
        "peers": peers.iter().map(|peer| peer_json(view, peer)).collect::<Vec<_>>(),
        "timers": timers.collect::<Vec<_>>(),
        "timeouts": timeouts.collect::<Vec<_>>(),
        "keys": status.keys.iter().map(|key| key.0).collect::<Vec<_>>(),
        "state": status.state,
        "proposal": view.announcements.decisions.proposal(),
        "decision": view.announcements.decisions.decision(status.uptime),
        "view": view.announcements.grouped.as_ref().map(|grouped| grouped.json(status.uptime)),
        "announced": view.announcements.others(status.uptime),
        "worst_late": seconds(status.worst_late),
        "stalled": seconds(status.stalled),
        "breaches": breaches.collect::<Vec<_>>(),
        "recording": status.recording.as_ref().map(|path| path.display().to_string()),
        "assumptions": assumptions_json(&view.assumptions, view.tick, view.lateness),
        "counters": counters_json(view.counters()),
    });
    format!("{object:#}\n")
}

/// What of it an observer needs who asks often and looks at many nodes: the same keys, without what is long. Of the
/// peers only those that are suspected are there.
pub(super) fn brief(view: &EndpointView, status: &Status) -> String {
    let suspected = status.peers.iter().filter_map(|peer| {
        let since = peer.suspected.map(seconds)?;
        Some(json!({ "peer": peer.peer.to_string(), "name": peer.name, "suspected": since }))
    });
    let breaches = status.breaches.iter().map(|(ago, breach)| breach_json(*ago, breach));
    let object = json!({
        "watchkeeper": "status",
        "version": VERSION,
        "process": status.process.map(|process| process.to_string()),
        "name": status.name,
        "incarnation": status.incarnation.to_string(),
        "phase": status.phase.name(),
        "uptime": seconds(status.uptime),
        "peers": suspected.collect::<Vec<_>>(),
        "decision": view.announcements.decisions.decision(status.uptime),
        "view": view.announcements.grouped.as_ref().map(|grouped| grouped.json(status.uptime)),
        "announced": view.announcements.others(status.uptime),
        "worst_late": seconds(status.worst_late),
        "stalled": seconds(status.stalled),
        "breaches": breaches.collect::<Vec<_>>(),
    });
    format!("{object}\n")
}

fn peer_json(view: &EndpointView, peer: &PeerStatus) -> Value {
    let evidence = peer.suspected.and_then(|_| view.announcements.evidence(peer.peer));
    let round_trip = peer.round_trip.map(|[last, least, most]| {
        json!({ "last": seconds(last), "least": seconds(least), "most": seconds(most) })
    });
    json!({
        "peer": peer.peer.to_string(),
        "name": peer.name,
        "address": peer.address.map(|address| address.to_string()),
        "found": peer.found,
        "incarnation": peer.incarnation.to_string(),
        "life": peer.incarnation.to_string(),
        "left": peer.left,
        "suspected": peer.suspected.map(seconds),
        "evidence": evidence.as_ref().map(evidence_json),
        "heard": message(peer.heard),
        "probed": message(peer.probed),
        "round_trip": round_trip,
        "worst_delay": peer.worst_delay.map(seconds),
        "lost": peer.lost,
        "overtaken": peer.overtaken,
    })
}

/// On what a suspicion rests, as it was when it began.
fn evidence_json(evidence: &Evidence) -> Value {
    let about = evidence.about.as_ref();
    json!({
        "cause": evidence.cause.to_string(),
        "late": seconds(evidence.late),
        "heard": message(about.and_then(|about| about.heard)),
        "probed": message(about.and_then(|about| about.probed)),
        "round_trip": about.and_then(|about| about.round_trip).map(seconds),
        "left": about.is_some_and(|about| about.left),
    })
}

fn message(message: Option<(&'static str, Duration)>) -> Option<Value> {
    message.map(|(kind, ago)| json!({ "kind": kind, "ago": seconds(ago) }))
}

fn breach_json(ago: Duration, breach: &Breach) -> Value {
    let (measured, most, lost) = match breach.measurement {
        Measurement::Took { measured, most } => (Some(seconds(measured)), Some(seconds(most)), None),
        Measurement::Lost(count) => (None, None, Some(count)),
        Measurement::Slower { than, .. } => (None, Some(seconds(than)), None),
        Measurement::LostOf { count, .. } => (None, None, Some(u64::from(count))),
    };
    json!({
        "ago": seconds(ago),
        "assumption": breach.assumption.name(),
        "peer": breach.peer.map(|peer| peer.to_string()),
        "measured": measured,
        "most": most,
        "lost": lost,
        "properties": *breach.properties,
        "what": breach.to_string(),
    })
}

/// What is assumed of the network, where a unit of time and what counts as late are so long.
pub(crate) fn assumptions_json(assumed: &Assumptions, tick: Duration, lateness: Duration) -> Value {
    let bound =
        |ticks: Option<u32>| ticks.map(|ticks| json!({ "ticks": ticks, "seconds": seconds(tick * ticks) }));
    let properties = assumed.properties.iter().map(|property| {
        let rests_on: Vec<&str> = property.rests_on.iter().map(|assumption| assumption.name()).collect();
        json!({ "name": property.name, "rests_on": rests_on })
    });
    json!({
        "delay": bound(assumed.delay),
        "round_trip": bound(assumed.round_trip),
        "lossless": assumed.lossless,
        "lateness": seconds(lateness),
        "network": assumed.network.map(|network| json!({
            "round_trip": seconds(network.round_trip),
            "slower": f64::from(network.slower) / 1e6,
            "loss": f64::from(network.loss) / 1e6,
        })),
        "properties": properties.collect::<Vec<_>>(),
    })
}

fn counters_json(counters: &Counters) -> Value {
    let refused = DatagramRefusal::ALL
        .iter()
        .map(|refusal| (refusal.name().to_string(), json!(counters.refused(*refusal))));
    let breaches = Assumption::ALL.iter().zip(&counters.breaches);
    let breaches = breaches.map(|(assumption, count)| (assumption.name().to_string(), json!(count.get())));
    let get = Count::get;
    json!({
        "received": get(&counters.received),
        "delivered": get(&counters.delivered),
        "greetings": get(&counters.greetings),
        "refused": refused.collect::<Map<_, _>>(),
        "sent": get(&counters.sent),
        "unsent": get(&counters.unsent),
        "send_errors": get(&counters.send_errors),
        "receive_errors": get(&counters.receive_errors),
        "steps": get(&counters.steps),
        "fired": get(&counters.fired),
        "stalls": get(&counters.stalls),
        "suspicions": get(&counters.suspicions),
        "withdrawn": get(&counters.withdrawn),
        "breaches": breaches.collect::<Map<_, _>>(),
        "clock_jumps": get(&counters.clock_jumps),
    })
}

fn names(set: &MemberSet) -> Vec<String> {
    set.iter().map(|p| p.to_string()).collect()
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
