//! The events of a node for [`tracing`]. The field `event` has a name that programs can rely on, the message is for people, and
//! the evidence stands in further fields. It only tells; a subscriber that is slow slows the node.

use std::time::Duration;
use tracing::{error, info, warn};
use watchkeeper_core::Meaning;
use watchkeeper_node::{Announcement, Breach, Evidence, Measurement, NodeEvent, NodeEventKind};

/// Tells of an event.
pub(crate) fn event(event: &NodeEvent<Announcement>) {
    let uptime_ms = ms(event.at);
    match &event.kind {
        NodeEventKind::Began { peers } => {
            let there = counted(*peers as u64, "peer");
            info!(event = "began", peers = *peers, uptime_ms, "the protocol begins, with {there} there");
        }
        NodeEventKind::PeerFound { peer, incarnation } => {
            let incarnation = incarnation.to_string();
            info!(event = "peer-found", peer = %peer, incarnation, uptime_ms, "{peer} is there");
        }
        NodeEventKind::PeerLeft { peer } => {
            info!(event = "peer-left", peer = %peer, uptime_ms, "{peer} says that it leaves");
        }
        NodeEventKind::Joined { process, by } => info!(
            event = "joined", process = %process, by = %by, uptime_ms,
            "this node is {process} of the cluster now; `{by}` gave it the number"
        ),
        NodeEventKind::Asking { at, lasted, answers } => {
            let answered = match answers {
                0 => "nobody has answered yet".to_string(),
                answers => format!("{} so far: not yet", counted(u64::from(*answers), "answer")),
            };
            warn!(
                event = "asking", at = %at, lasted_ms = ms(*lasted), answers, uptime_ms,
                "this node has asked to join for {lasted:.1?}; {answered}; it goes on asking, now at {at}"
            );
        }
        NodeEventKind::NotJoined(failure) => error!(event = "not-joined", uptime_ms, "{failure}"),
        NodeEventKind::MemberLearnt { peer, name, address, incarnation } => info!(
            event = "member", peer = %peer, name = %name, address = %address,
            incarnation = incarnation.to_string(), uptime_ms, "{peer} is `{name}` at {address}"
        ),
        NodeEventKind::Stalled { lasted, drained } => {
            let (lasted_ms, datagrams) = (ms(*lasted), counted(*drained, "datagram"));
            warn!(
                event = "stalled",
                lasted_ms,
                drained,
                uptime_ms,
                "this node did nothing for {lasted:.1?}; it has taken in {datagrams} that had arrived, and blames nobody for it"
            );
        }
        NodeEventKind::Broken(breach) => broken(breach, uptime_ms),
        NodeEventKind::ClockJumped { by } => {
            let (by_ms, seconds) = (*by as f64 / 1e6, *by as f64 / 1e9);
            warn!(
                event = "clock-jumped",
                by_ms,
                uptime_ms,
                "the wall clock was set by {seconds:+.3}s; the protocol does not depend on it"
            );
        }
        NodeEventKind::NumbersUsedUp => error!(
            event = "numbers-used-up",
            uptime_ms,
            "all numbers for datagrams are used up, and none is used twice: the node ends; start it again"
        ),
        NodeEventKind::RecordingFailed { why } => error!(
            event = "recording-failed",
            uptime_ms, "the recording ends here and the node goes on: {why}"
        ),
        NodeEventKind::Ended => info!(event = "ended", uptime_ms, "the node has ended"),
        // A reader alone knows what it missed.
        NodeEventKind::Announced { output, meaning, evidence } => {
            announced(event.at, &output.label, *meaning, evidence);
        }
        // A reader alone knows what it missed; of what is added later nothing is known here.
        _ => {}
    }
}

/// Tells of an announcement, by its label.
fn announced(at: Duration, output: &str, meaning: Meaning, evidence: &Evidence) {
    let (uptime_ms, late_ms, worst_late_ms) = (ms(at), ms(evidence.late), ms(evidence.worst_late));
    let cause = evidence.cause.to_string();
    let about = evidence.about.as_ref();
    let (heard, probed) = (about.and_then(|about| about.heard), about.and_then(|about| about.probed));
    let (heard_ago_ms, probed_ago_ms) = (heard.map(|(_, ago)| ms(ago)), probed.map(|(_, ago)| ms(ago)));
    let (heard, probed) = (heard.map(|(kind, _)| kind), probed.map(|(kind, _)| kind));
    let round_trip_ms = about.and_then(|about| about.round_trip).map(ms);
    let left = about.map(|about| about.left);
    let name = about.and_then(|about| about.name.as_ref()).map(|name| name.to_string());
    let called = name.as_ref().map_or(String::new(), |name| format!(" (`{name}`)"));
    match meaning {
        Meaning::Suspects(peer) => warn!(
            event = "suspects", peer = %peer, name, output, cause, late_ms, worst_late_ms, heard, heard_ago_ms, probed,
            probed_ago_ms, round_trip_ms, left, uptime_ms, "{peer}{called}{} is suspected", last_heard(evidence)
        ),
        Meaning::Trusts(peer) => info!(
            event = "trusts", peer = %peer, name, output, cause, late_ms, worst_late_ms, heard, heard_ago_ms, probed,
            probed_ago_ms, round_trip_ms, left, uptime_ms, "{peer}{called} is no longer suspected"
        ),
        Meaning::Stops => error!(
            event = "stops",
            output, cause, late_ms, worst_late_ms, uptime_ms, "the protocol stops for good: {output}"
        ),
        Meaning::Other(_) => {
            info!(event = "announced", output, cause, late_ms, worst_late_ms, uptime_ms, "{output}");
        }
    }
}

fn broken(breach: &Breach, uptime_ms: f64) {
    let (measured_ms, most_ms, lost) = match breach.measurement {
        Measurement::Took { measured, most } => (Some(ms(measured)), Some(ms(most)), None),
        Measurement::Lost(count) => (None, None, Some(count)),
        Measurement::Slower { than, .. } => (None, Some(ms(than)), None),
        Measurement::LostOf { count, .. } => (None, None, Some(u64::from(count))),
    };
    warn!(
        event = "assumption-broken",
        assumption = breach.assumption.name(),
        peer = breach.peer.map(|peer| peer.to_string()),
        measured_ms,
        most_ms,
        lost,
        properties = breach.properties.join(", "),
        uptime_ms,
        "{breach}"
    );
}

/// What was last heard of the peer that an announcement is about, in words.
fn last_heard(evidence: &Evidence) -> String {
    match &evidence.about {
        Some(about) if about.left => ", which has left,".to_string(),
        Some(about) => match about.heard {
            Some((kind, ago)) => format!(", last heard {ago:.1?} ago ({kind}),"),
            None => ", never heard,".to_string(),
        },
        None => String::new(),
    }
}

/// Milliseconds, to the microsecond.
fn ms(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
