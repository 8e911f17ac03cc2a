//! What a node says of itself over its own endpoint, and what is asked of its protocol there.

use crate::daemon::console::post;
use crate::group_request::GroupRequest;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use watchkeeper_core::{MemberSet, Pid, ProcSet};

/// How long a node has to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a node said of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeView {
    /// Its incarnation, to tell one from the next.
    pub(crate) incarnation: String,
    pub(crate) phase: String,
    pub(crate) uptime: Duration,
    /// Whom it suspects, and since how long.
    pub(crate) suspected: Vec<(Pid, Duration)>,
    /// The latest that it was in the last minute.
    pub(crate) worst_late: Duration,
    /// For how long it was stalled in all.
    pub(crate) stalled: Duration,
    /// The assumptions that it found broken lately.
    pub(crate) breaches: Vec<String>,
    /// What it decided, and how long after it began.
    pub(crate) decision: Option<(u64, Duration)>,
    /// How many other announcements it has made, and the last of them.
    pub(crate) announced: (u64, Vec<String>),
    /// Who is with it in its group, and how many views and words it has had, if it is a member of one.
    pub(crate) group: Option<GroupStatus>,
    /// All that it said.
    pub(crate) status: Value,
}

/// What a node said of its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GroupStatus {
    pub(crate) members: ProcSet,
    pub(crate) views: u64,
    pub(crate) words: u64,
}

impl NodeView {
    /// Whom it suspects.
    pub(crate) fn suspects(&self) -> MemberSet {
        self.suspected.iter().map(|(peer, _)| *peer).collect()
    }

    /// What the answer of a node says.
    pub(crate) fn of(status: &Value) -> Option<NodeView> {
        let seconds = |value: &Value| value.as_f64().and_then(|s| Duration::try_from_secs_f64(s).ok());
        let mut suspected = Vec::new();
        for peer in status.get("peers")?.as_array()? {
            let Some(since) = peer.get("suspected").and_then(seconds) else { continue };
            suspected.push((process(peer.get("peer")?)?, since));
        }
        let breaches = status.get("breaches")?.as_array()?.iter();
        let breaches = breaches.filter_map(|breach| breach.get("what")?.as_str().map(str::to_string));
        Some(NodeView {
            incarnation: status.get("incarnation")?.to_string(),
            phase: status.get("phase")?.as_str()?.to_string(),
            uptime: seconds(status.get("uptime")?)?,
            suspected,
            worst_late: seconds(status.get("worst_late")?)?,
            stalled: seconds(status.get("stalled")?)?,
            breaches: breaches.collect(),
            decision: status.get("decision").and_then(|decision| {
                let value = decision.get("value")?.as_str()?.parse().ok()?;
                Some((value, decision.get("after").and_then(seconds)?))
            }),
            announced: status.get("announced").and_then(announced).unwrap_or_default(),
            group: status.get("view").and_then(|view| {
                let members = view.get("members")?.as_array()?.iter().map(process).collect::<Option<_>>()?;
                let (views, words) = (view.get("views")?.as_u64()?, view.get("words")?.as_u64()?);
                Some(GroupStatus { members, views, words })
            }),
            status: status.clone(),
        })
    }
}

fn announced(value: &Value) -> Option<(u64, Vec<String>)> {
    let recent = value.get("recent")?.as_array()?.iter();
    let recent = recent.filter_map(|one| one.get("output")?.as_str().map(str::to_string));
    Some((value.get("count")?.as_u64()?, recent.collect()))
}

fn process(value: &Value) -> Option<Pid> {
    super::commands::member(value.as_str()?).ok()
}

/// Asks something of the protocol of a node.
pub(crate) fn call(http: SocketAddr, what: GroupRequest) -> io::Result<()> {
    post(http, &http.to_string(), what, PATIENCE).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn status() -> Value {
        json!({
            "incarnation": "7", "phase": "running", "uptime": 12.5, "worst_late": 0.001, "stalled": 5.0,
            "peers": [{ "peer": "p0", "suspected": null }, { "peer": "p2", "suspected": 1.5 }],
            "breaches": [{ "what": "this node was late" }],
        })
    }

    #[test]
    fn a_status_is_read_and_one_without_a_key_is_none() {
        let view = NodeView::of(&status()).expect("a status");
        assert_eq!(view.suspected, [(Pid::at(2), Duration::from_millis(1500))]);
        assert_eq!((view.phase.as_str(), view.uptime), ("running", Duration::from_millis(12_500)));
        assert_eq!(view.breaches, ["this node was late"]);
        for key in ["incarnation", "phase", "uptime", "peers", "breaches", "stalled", "worst_late"] {
            let mut without = status();
            without.as_object_mut().expect("an object").remove(key);
            assert_eq!(NodeView::of(&without), None, "{key}");
        }
        assert_eq!(view.decision, None);
        let mut decided = status();
        decided["decision"] = json!({ "value": "7", "after": 0.5, "ago": 3.0 });
        let decision = NodeView::of(&decided).and_then(|view| view.decision);
        assert_eq!(decision, Some((7, Duration::from_millis(500))));
        let mut member = status();
        member["view"] = json!({ "members": ["p0", "p2"], "ago": 1.0, "views": 3, "words": 9, "refused": 0 });
        let group = NodeView::of(&member).and_then(|view| view.group).expect("a group");
        assert_eq!((group.members, group.views, group.words), (ProcSet::from_bits(0b101), 3, 9));
        let mut telling = status();
        telling["announced"] = json!({ "count": 9, "recent": [{ "output": "lead p2", "ago": 1.0 }] });
        let announced = NodeView::of(&telling).map(|view| view.announced);
        assert_eq!(announced, Some((9, vec!["lead p2".to_string()])));
        let mut negative = status();
        negative["uptime"] = json!(-1.0);
        assert_eq!(NodeView::of(&negative), None);
    }
}
