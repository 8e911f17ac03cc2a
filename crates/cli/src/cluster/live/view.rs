//! What a page is shown of a running cluster, as JSON. Its keys stay; of a node there is only what it said of itself and what is
//! known of its process.

use super::desk::LiveCluster;
use crate::cluster::asking::NodeView;
use crate::cluster::changes::span;
use crate::cluster::children::ChildState;
use crate::cluster::table::ClusterRow;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use watchkeeper_core::Pid;

/// What a page gets of each peer as the node said it.
const OF_PEERS: [&str; 9] =
    ["peer", "suspected", "evidence", "heard", "probed", "round_trip", "worst_delay", "lost", "left"];

/// What is known of all nodes at a moment.
pub(crate) struct LiveView<'a> {
    pub(crate) cluster: &'a LiveCluster,
    pub(crate) uptime: Duration,
    pub(crate) nodes: Vec<LiveNode<'a>>,
    /// The links that are cut.
    pub(crate) cuts: Vec<(Pid, Pid)>,
    /// How many datagrams were dropped on each link, from one node to another, where any were.
    pub(crate) dropped: Vec<(Pid, Pid, u64)>,
    /// What has happened, and when.
    pub(crate) news: &'a VecDeque<(Duration, String)>,
}

/// What is known of one node.
pub(crate) struct LiveNode<'a> {
    pub(crate) row: ClusterRow<'a>,
    /// How long ago it said what it said of itself.
    pub(crate) age: Duration,
    /// The timeouts that were in force when it came to suspect a peer.
    pub(crate) in_force: &'a BTreeMap<Pid, Value>,
}

impl LiveView<'_> {
    /// What is shown before there are nodes.
    pub(crate) fn before(cluster: &LiveCluster) -> Value {
        let (nodes, cuts, dropped) = (Vec::new(), Vec::new(), Vec::new());
        LiveView { cluster, uptime: Duration::ZERO, nodes, cuts, dropped, news: &VecDeque::new() }.json()
    }

    pub(crate) fn json(&self) -> Value {
        let LiveCluster { entry, tick, assumptions, control, uncut, .. } = self.cluster;
        let pair = |(a, b): &(Pid, Pid)| json!([a.to_string(), b.to_string()]);
        let dropped = |(from, to, count): &(Pid, Pid, u64)| json!({ "from": from.to_string(), "to": to.to_string(), "count": count });
        let news = |(at, what): &(Duration, String)| json!({ "at": seconds(*at), "what": what });
        json!({
            "protocol": entry.name(),
            "n": self.nodes.len().max(self.cluster.n),
            "running": true,
            "control": control,
            "tick": seconds(*tick),
            "uptime": seconds(self.uptime),
            "assumptions": assumptions,
            "nodes": self.nodes.iter().map(|node| self.node(node)).collect::<Vec<_>>(),
            "cuts": self.cuts.iter().map(pair).collect::<Vec<_>>(),
            "dropped": self.dropped.iter().map(dropped).collect::<Vec<_>>(),
            "partition": uncut.is_none(),
            "uncut": uncut,
            "news": self.news.iter().map(news).collect::<Vec<_>>(),
        })
    }

    fn node(&self, node: &LiveNode<'_>) -> Value {
        let ClusterRow { process, state, since, view, last } = node.row;
        // Nothing that a node said is so any more once it has ended.
        let view = view.filter(|_| state.is_there());
        let why = match state {
            ChildState::Failed(how) => Some(how),
            _ => None,
        };
        let name = match (state, view) {
            (ChildState::Up, Some(view)) => &view.phase,
            _ => state.name(),
        };
        let status = view.map_or(&Value::Null, |view| &view.status);
        let list = |key: &str| status[key].as_array().map_or(&[][..], Vec::as_slice);
        let peers: Vec<Value> = list("peers").iter().map(|peer| self.peer(process, peer)).collect();
        let suspects = peers.iter().filter(|peer| !peer["suspected"].is_null());
        let suspects = suspects.map(|peer| suspicion(peer, node.in_force));
        let breaches = list("breaches").iter();
        let breaches = breaches.map(|breach| json!({ "ago": breach["ago"], "what": breach["what"] }));
        let of_view = |value: fn(&NodeView) -> Duration| view.map_or(0.0, |view| seconds(value(view)));
        json!({
            "name": process.to_string(),
            "state": name,
            "since": seconds(since),
            "why": why,
            "age": seconds(node.age),
            "uptime": of_view(|view| view.uptime),
            "worst_late": of_view(|view| view.worst_late),
            "stalled": of_view(|view| view.stalled),
            "suspects": suspects.collect::<Vec<_>>(),
            "peers": peers,
            "timers": list("timers"),
            "timeouts": list("timeouts"),
            "breaches": breaches.collect::<Vec<_>>(),
            "decision": status["decision"],
            "view": status["view"],
            "last": last.map(|(what, ago)| json!({ "what": what, "ago": seconds(ago) })),
            "state_text": status["state"].as_str().unwrap_or_default(),
        })
    }

    /// A peer as a node described it, and whether the link to it is cut.
    fn peer(&self, of: Pid, said: &Value) -> Value {
        let mut peer: Map<String, Value> =
            OF_PEERS.iter().map(|key| (key.to_string(), said[*key].clone())).collect();
        let cut = |(a, b): &(Pid, Pid)| {
            let other = if *a == of { *b } else { *a };
            (*a == of || *b == of) && said["peer"].as_str() == Some(&other.to_string())
        };
        peer.insert("lost".to_string(), json!(said["lost"].as_u64().unwrap_or(0)));
        peer.insert("cut".to_string(), json!(self.cuts.iter().any(cut)));
        Value::Object(peer)
    }
}

/// A suspicion with its evidence: as much as the node has said of it, the timeouts that were in force, and a sentence.
fn suspicion(peer: &Value, in_force: &BTreeMap<Pid, Value>) -> Value {
    let name = peer["peer"].as_str().unwrap_or_default();
    let timeouts = in_force.iter().find(|(process, _)| process.to_string() == name);
    let timeouts = timeouts.map_or(&Value::Null, |(_, timeouts)| timeouts);
    let mut evidence = peer["evidence"].clone();
    if let Some(evidence) = evidence.as_object_mut() {
        let text = sentence(evidence, timeouts);
        evidence.insert("timeouts".to_string(), timeouts.clone());
        evidence.insert("text".to_string(), json!(text));
    }
    json!({ "peer": name, "since": peer["suspected"], "evidence": evidence })
}

/// On what a suspicion rests, for people.
fn sentence(evidence: &Map<String, Value>, timeouts: &Value) -> String {
    let span = |value: &Value| {
        let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        seconds.map_or("a time that is not known".to_string(), span)
    };
    let message = |key: &str| {
        let message = evidence.get(key)?;
        Some(format!("{} {} before", message["kind"].as_str()?, span(&message["ago"])))
    };
    let heard = message("heard").map_or("never heard".to_string(), |heard| format!("last heard {heard}"));
    let mut text =
        format!("{} made it suspect", evidence.get("cause").and_then(Value::as_str).unwrap_or("a step"));
    text.push_str(&format!("; {heard}"));
    if let Some(probed) = message("probed") {
        text.push_str(&format!("; last sent {probed}"));
    }
    let lasts = |one: &Value| Some(format!("{} of {}", one["timer"].as_str()?, span(&one["lasts"])));
    let lasting: Vec<String> = timeouts.as_array().into_iter().flatten().filter_map(lasts).collect();
    if !lasting.is_empty() {
        text.push_str(&format!("; timeouts: {}", lasting.join(", ")));
    }
    text
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
