//! What a page asks to be done to a cluster, and why it is not done. Reading it does nothing yet.

use super::super::commands::{ClusterCommand, member};
use serde_json::Value;
use std::fmt;
use watchkeeper_core::Pid;

/// What can be asked for.
const ACTS: &str = "kill, pause, resume, restart, cut, heal or partition";

/// One thing that a page asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LiveAct {
    /// Something is done to a node, as if it had been typed.
    Node(ClusterCommand),
    /// Nothing gets through between two nodes, or between one and all others.
    Cut(Pid, Option<Pid>),
    /// All gets through again between two nodes, or everywhere.
    Heal(Option<(Pid, Pid)>),
    /// Nothing gets through between these groups; nodes in none of them are one more group.
    Partition(Vec<Vec<Pid>>),
}

impl LiveAct {
    /// What this object asks for: `act`, and `node`, `peer` or `groups`.
    pub(crate) fn read(value: &Value) -> Result<LiveAct, LiveRefusal> {
        let unreadable = |why: String| LiveRefusal::Unreadable(why);
        let Some(act) = value.get("act").and_then(Value::as_str) else {
            return Err(unreadable(format!("name what to do as `act`: {ACTS}")));
        };
        let named = |key: &str| match value.get(key).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(text) => process(text).map(Some),
        };
        let (node, peer) = (named("node")?, named("peer")?);
        let needed = node.ok_or_else(|| unreadable(format!("name the node to {act} as `node`, such as p1")));
        match act {
            "kill" => Ok(LiveAct::Node(ClusterCommand::Kill(needed?))),
            "pause" => Ok(LiveAct::Node(ClusterCommand::Pause(needed?))),
            "resume" => Ok(LiveAct::Node(ClusterCommand::Resume(needed?))),
            "restart" => Ok(LiveAct::Node(ClusterCommand::Restart(needed?))),
            "cut" => Ok(LiveAct::Cut(needed?, peer)),
            "heal" => match (node, peer) {
                (Some(node), Some(peer)) => Ok(LiveAct::Heal(Some((node, peer)))),
                (None, None) => Ok(LiveAct::Heal(None)),
                _ => Err(unreadable(
                    "name both ends, as `node` and `peer`; without them all links heal".to_string(),
                )),
            },
            "partition" => value.get("groups").map_or_else(
                || Err(unreadable("name the `groups`, such as [[\"p0\"],[\"p1\",\"p2\"]]".to_string())),
                |groups| groups_of(groups).map(LiveAct::Partition),
            ),
            other => Err(unreadable(format!("nothing is called `{other}` here; ask for {ACTS}"))),
        }
    }

    /// Every node that it names.
    pub(crate) fn names(&self) -> Vec<Pid> {
        match self {
            LiveAct::Node(command) => command.process().into_iter().collect(),
            LiveAct::Cut(node, peer) => [*node].into_iter().chain(*peer).collect(),
            LiveAct::Heal(pair) => pair.iter().flat_map(|(node, peer)| [*node, *peer]).collect(),
            LiveAct::Partition(groups) => groups.iter().flatten().copied().collect(),
        }
    }
}

/// Why something is not done: what a server answers with, and a sentence that says what to do instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LiveRefusal {
    /// The page is there for looking on only.
    ReadOnly,
    /// What is asked for cannot be read.
    Unreadable(String),
    /// There is no such node.
    NoSuchNode(String),
    /// It cannot be done, or not now.
    Impossible(String),
    /// The cluster has ended, or does not answer.
    Over,
}

impl fmt::Display for LiveRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveRefusal::ReadOnly => f.write_str(
                "this page only looks on; start the cluster with --control to act on its nodes here",
            ),
            LiveRefusal::Unreadable(why) | LiveRefusal::NoSuchNode(why) | LiveRefusal::Impossible(why) => {
                f.write_str(why)
            }
            LiveRefusal::Over => f.write_str("the cluster has ended or does not answer; start it again"),
        }
    }
}

fn process(value: &Value) -> Result<Pid, LiveRefusal> {
    let text = value.as_str().ok_or_else(|| format!("{value} is not a node; write one like \"p1\""));
    text.and_then(member).map_err(LiveRefusal::Unreadable)
}

fn groups_of(value: &Value) -> Result<Vec<Vec<Pid>>, LiveRefusal> {
    let lists = value.as_array().map(|groups| groups.iter().map(Value::as_array).collect::<Option<Vec<_>>>());
    let Some(Some(lists)) = lists else {
        let why = "groups are lists of nodes, such as [[\"p0\"],[\"p1\",\"p2\"]]".to_string();
        return Err(LiveRefusal::Unreadable(why));
    };
    let read = |group: &Vec<Value>| group.iter().map(process).collect::<Result<Vec<Pid>, _>>();
    let groups = lists.into_iter().map(read).collect::<Result<Vec<Vec<Pid>>, _>>()?;
    let mut named: Vec<Pid> = groups.iter().flatten().copied().collect();
    named.sort_unstable();
    match named.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => {
            Err(LiveRefusal::Unreadable(format!("{} is named twice; each node is in one group", two[0])))
        }
        None => Ok(groups),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn acts_are_read_with_the_nodes_that_they_name() {
        let [p0, p1, p2] = [0, 1, 2].map(Pid::at);
        for (value, act) in [
            (json!({"act": "kill", "node": "p1"}), LiveAct::Node(ClusterCommand::Kill(p1))),
            (
                json!({"act": "restart", "node": "2", "peer": null}),
                LiveAct::Node(ClusterCommand::Restart(p2)),
            ),
            (json!({"act": "cut", "node": "p0", "peer": "p2"}), LiveAct::Cut(p0, Some(p2))),
            (json!({"act": "cut", "node": "p0"}), LiveAct::Cut(p0, None)),
            (json!({"act": "heal", "node": "p0", "peer": "p2"}), LiveAct::Heal(Some((p0, p2)))),
            (json!({"act": "heal"}), LiveAct::Heal(None)),
            (
                json!({"act": "partition", "groups": [["p0"], ["p1", "p2"]]}),
                LiveAct::Partition(vec![vec![p0], vec![p1, p2]]),
            ),
        ] {
            assert_eq!(LiveAct::read(&value), Ok(act), "{value}");
        }
        let act = LiveAct::Partition(vec![vec![p0], vec![p1, p2]]);
        assert_eq!(act.names(), [p0, p1, p2]);
        assert_eq!(LiveAct::Node(ClusterCommand::Pause(p2)).names(), [p2]);
    }

    #[test]
    fn what_cannot_be_read_is_told_what_to_write() {
        for (value, part) in [
            (json!({}), "name what to do as `act`: kill, pause"),
            (json!([]), "name what to do as `act`"),
            (json!({"act": "explode"}), "nothing is called `explode` here; ask for kill"),
            (json!({"act": "kill"}), "name the node to kill as `node`, such as p1"),
            (json!({"act": "kill", "node": 1}), "1 is not a node; write one like \"p1\""),
            (json!({"act": "kill", "node": "x"}), "`x` is not a process"),
            (json!({"act": "heal", "peer": "p1"}), "name both ends"),
            (json!({"act": "partition"}), "name the `groups`"),
            (json!({"act": "partition", "groups": ["p0"]}), "groups are lists of nodes"),
            (json!({"act": "partition", "groups": [["p0"], ["p1", "p0"]]}), "p0 is named twice"),
        ] {
            let why = LiveAct::read(&value).unwrap_err();
            assert!(matches!(why, LiveRefusal::Unreadable(_)), "{value}: {why:?}");
            assert!(why.to_string().contains(part), "{value}: {why}");
        }
        assert!(LiveRefusal::ReadOnly.to_string().contains("start the cluster with --control"));
    }
}
