//! What a session does for a page: answers its desk, does what it asks for, and keeps what it shows. It adds nothing to
//! what a terminal can do but the links between the nodes.

use super::{Known, News, Session};
use crate::cluster::asking::NodeView;
use crate::cluster::live::{LiveAct, LiveNode, LiveRefusal, LiveRequest, LiveView};
use crate::cluster::relay::LinkRelay;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use watchkeeper_core::Pid;

/// How many of the last events are kept for a page.
const KEPT: usize = 200;

impl Session {
    /// Opens the desk.
    pub(super) fn attend(&self) {
        if let Some(live) = &self.live {
            let send = self.send.clone();
            live.desk.attend(move |request| send.send(News::Asked(request)).is_ok());
        }
    }

    /// Answers what the desk asks. Whoever does not wait any more needs no answer.
    pub(super) fn attend_to(&mut self, request: LiveRequest) {
        match request {
            LiveRequest::View(answer) => drop(answer.send(self.view())),
            LiveRequest::Act(act, answer) => drop(answer.send(self.act(act))),
        }
    }

    /// Keeps an event for the page, if there is one.
    pub(super) fn keep(&mut self, at: Duration, what: &str) {
        if self.live.is_some() {
            if self.told.len() == KEPT {
                self.told.pop_front();
            }
            self.told.push_back((at, what.to_string()));
        }
    }

    fn view(&self) -> Value {
        let Some(live) = &self.live else { return Value::Null };
        let now = Instant::now();
        let nodes = self.children.processes().into_iter().map(|process| {
            let known = &self.known[process.index()];
            let age = known.seen.map_or(Duration::ZERO, |seen| now - seen);
            LiveNode { row: self.row(process, now), age, in_force: &known.in_force }
        });
        let view = LiveView {
            cluster: live.desk.cluster(),
            uptime: self.began.elapsed(),
            nodes: nodes.collect(),
            cuts: live.relay.as_ref().map_or(Vec::new(), LinkRelay::cuts),
            dropped: live.relay.as_ref().map_or(Vec::new(), LinkRelay::dropped),
            news: &self.told,
        };
        view.json()
    }

    /// Does what a page asks for.
    fn act(&mut self, act: LiveAct) -> Result<(), LiveRefusal> {
        let count = self.known.len();
        if let Some(unknown) = act.names().into_iter().find(|process| process.index() >= count) {
            let why = format!("there is no {unknown}; the last is p{}", count - 1);
            return Err(LiveRefusal::NoSuchNode(why));
        }
        match act {
            LiveAct::Node(command) => {
                self.command(command).map_err(LiveRefusal::Impossible)?;
                self.draw();
                Ok(())
            }
            links => {
                let told = self.change_links(&links)?;
                self.announce(&told);
                Ok(())
            }
        }
    }

    /// Cuts and heals links; says what was done.
    fn change_links(&self, act: &LiveAct) -> Result<String, LiveRefusal> {
        let impossible = |why: String| Err(LiveRefusal::Impossible(why));
        let live = self.live.as_ref().ok_or(LiveRefusal::ReadOnly)?;
        let Some(relay) = &live.relay else {
            let why = live.desk.cluster().uncut.clone();
            return impossible(why.unwrap_or("the links of this cluster cannot be cut".to_string()));
        };
        match act {
            LiveAct::Cut(a, Some(b)) | LiveAct::Heal(Some((a, b))) if a == b => {
                impossible(format!("{a} has no link to itself; name two nodes"))
            }
            LiveAct::Cut(a, Some(b)) if relay.is_cut(*a, *b) => {
                impossible(format!("the link between {a} and {b} is cut already; heal it first"))
            }
            LiveAct::Cut(a, Some(b)) => {
                relay.set_cut(*a, *b, true);
                Ok(format!("the link between {a} and {b} is cut"))
            }
            LiveAct::Cut(a, None) => {
                let others = self.children.processes().into_iter().filter(|other| other != a);
                others.for_each(|other| relay.set_cut(*a, other, true));
                Ok(format!("all links of {a} are cut"))
            }
            LiveAct::Heal(Some((a, b))) if !relay.is_cut(*a, *b) => {
                impossible(format!("the link between {a} and {b} is not cut"))
            }
            LiveAct::Heal(Some((a, b))) => {
                relay.set_cut(*a, *b, false);
                Ok(format!("the link between {a} and {b} is healed"))
            }
            LiveAct::Partition(groups) => {
                let group = |process: Pid| groups.iter().position(|group| group.contains(&process));
                relay.partition(|process| group(process).unwrap_or(groups.len()));
                Ok(format!("the nodes are parted: {}", parts(&self.children.processes(), group)))
            }
            LiveAct::Heal(None) | LiveAct::Node(_) => {
                relay.partition(|_| 0);
                Ok("all links are healed".to_string())
            }
        }
    }
}

impl Known {
    /// Takes in what the node said, and keeps the timeouts of before where it has come to suspect somebody.
    pub(super) fn take_in(&mut self, view: NodeView) {
        let before = self.view.as_ref().filter(|before| before.incarnation == view.incarnation);
        let timeouts = |view: &NodeView| view.status.get("timeouts").cloned();
        let in_force = before.and_then(timeouts).or_else(|| timeouts(&view));
        let suspects = view.suspects();
        if before.is_none() {
            self.in_force.clear();
        }
        self.in_force.retain(|peer, _| suspects.contains(*peer));
        for peer in suspects.iter() {
            if let Some(timeouts) = &in_force {
                self.in_force.entry(peer).or_insert_with(|| timeouts.clone());
            }
        }
        self.view = Some(view);
        self.seen = Some(Instant::now());
    }
}

/// The groups of nodes that are parted, for people.
fn parts(processes: &[Pid], group: impl Fn(Pid) -> Option<usize>) -> String {
    let mut parts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for process in processes {
        parts.entry(group(*process).unwrap_or(usize::MAX)).or_default().push(process.to_string());
    }
    let parts = parts.values().map(|part| format!("{{{}}}", part.join(",")));
    parts.collect::<Vec<_>>().join(" and ")
}
