//! The desk at which others ask about a running cluster, from any thread: the session answers, or what it said last. It
//! takes note that somebody looks, so that nodes are asked for more than the terminal needs only then.

use super::acts::{LiveAct, LiveRefusal};
use super::chart::LiveChart;
use super::view::LiveView;
use crate::registry::ProtocolEntry;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use watchkeeper_core::Pid;

/// How long the session has to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long after a look somebody still counts as looking.
const LOOKING: Duration = Duration::from_secs(5);

/// The most nodes of which all is asked.
const MOST_DETAILED: usize = 64;

/// A desk; its clones are the same desk.
#[derive(Clone)]
pub(crate) struct LiveDesk {
    desk: Arc<Desk>,
}

/// What is known of a cluster before its nodes run.
pub(crate) struct LiveCluster {
    pub(crate) entry: ProtocolEntry,
    /// How many nodes it begins with.
    pub(crate) n: usize,
    /// Where its nodes record.
    pub(crate) dir: PathBuf,
    pub(crate) tick: Duration,
    /// What is assumed of the network, as nodes say it.
    pub(crate) assumptions: Value,
    /// Whether a page may act on the nodes.
    pub(crate) control: bool,
    /// Why links cannot be cut, if they cannot.
    pub(crate) uncut: Option<String>,
}

/// What the session is asked.
pub(crate) enum LiveRequest {
    View(Sender<Value>),
    Act(LiveAct, Sender<Result<(), LiveRefusal>>),
}

/// Passes a request on to the session; `false` if it has ended.
type Asking = dyn Fn(LiveRequest) -> bool + Send + Sync;

struct Desk {
    cluster: LiveCluster,
    session: OnceLock<Box<Asking>>,
    looked: Mutex<Option<Instant>>,
    /// The last view.
    last: Mutex<Value>,
    chart: LiveChart,
}

impl LiveDesk {
    pub(crate) fn new(cluster: LiveCluster) -> LiveDesk {
        let last = LiveView::before(&cluster);
        let chart = LiveChart::new(&cluster);
        LiveDesk {
            desk: Arc::new(Desk {
                cluster,
                session: OnceLock::new(),
                looked: Mutex::default(),
                last: Mutex::new(last),
                chart,
            }),
        }
    }

    /// The cluster as it is, or as it was when the session last answered: `GET /api/live`.
    pub(crate) fn view(&self) -> Value {
        *self.desk.looked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let (send, answer) = channel();
        let asked = self.desk.session.get().map(|session| session(LiveRequest::View(send)));
        let view = asked.filter(|asked| *asked).and_then(|_| answer.recv_timeout(PATIENCE).ok());
        let mut last = self.desk.last.lock().unwrap_or_else(PoisonError::into_inner);
        match view {
            Some(view) => *last = view,
            None if asked == Some(false) => last["running"] = json!(false),
            None => {}
        }
        last.clone()
    }

    /// Does what a page asks for: `POST /api/live/act`.
    pub(crate) fn act(&self, act: &Value) -> Result<(), LiveRefusal> {
        if !self.control() {
            return Err(LiveRefusal::ReadOnly);
        }
        let act = LiveAct::read(act)?;
        let Some(session) = self.desk.session.get() else {
            return Err(LiveRefusal::Impossible(
                "the nodes have not started yet; ask again in a second".into(),
            ));
        };
        let (send, answer) = channel();
        if !session(LiveRequest::Act(act, send)) {
            return Err(LiveRefusal::Over);
        }
        answer.recv_timeout(PATIENCE).unwrap_or(Err(LiveRefusal::Over))
    }

    /// A chart of the last seconds, as `svg`, with a `note` where something is missing: `GET /api/live/chart`.
    pub(crate) fn chart(&self, seconds: f64) -> Value {
        self.desk.chart.draw(seconds)
    }

    /// Whether a page may act on the nodes.
    pub(crate) fn control(&self) -> bool {
        self.desk.cluster.control
    }

    /// The session begins, and is asked like this.
    pub(crate) fn attend(&self, ask: impl Fn(LiveRequest) -> bool + Send + Sync + 'static) {
        self.desk.chart.begin();
        // There is one session to a desk.
        let _ = self.desk.session.set(Box::new(ask));
    }

    /// A node has ended without a word of its own.
    pub(crate) fn ended(&self, process: Pid) {
        self.desk.chart.ended(process);
    }

    pub(crate) fn cluster(&self) -> &LiveCluster {
        &self.desk.cluster
    }

    /// Whether somebody looks who wants to know all of each of so many nodes.
    pub(crate) fn wants_details(&self, nodes: usize) -> bool {
        let looked = *self.desk.looked.lock().unwrap_or_else(PoisonError::into_inner);
        nodes <= MOST_DETAILED && looked.is_some_and(|looked| looked.elapsed() < LOOKING)
    }
}

#[cfg(test)]
#[path = "desk_tests.rs"]
pub(in crate::cluster) mod tests;
