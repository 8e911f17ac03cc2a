//! What the endpoint can see of a node, whatever its protocol. The node is asked seldom, however many ask here: an
//! answer is used again for a moment.

use super::Setup;
use super::announcements::Announcements;
use crate::group_request::GroupRequest;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use watchkeeper::{Described, Grouping, Live};
use watchkeeper_core::Pid;
use watchkeeper_runtime::{Assumptions, Counters, Handle, NodeEnded, NodePhase, Status, usual_lateness};

/// How long an answer of the node is used again.
const FRESH: Duration = Duration::from_millis(20);

/// How long the node has to answer. Whoever asks for its health learns within a second that it does not.
const PATIENCE: Duration = Duration::from_millis(800);

/// A node, seen from the endpoint.
pub(super) struct EndpointView {
    node: Box<dyn Watched>,
    pub(super) protocol: &'static str,
    pub(super) cluster: String,
    pub(super) process: String,
    /// The file of the node, by its full name.
    pub(super) config: PathBuf,
    /// What is assumed, with the lateness that counts.
    pub(super) assumptions: Assumptions,
    pub(super) lateness: Duration,
    pub(super) tick: Duration,
    pub(super) announcements: Announcements,
    /// The last answer, or that there was none.
    last: Mutex<Option<(Instant, Option<Arc<Status>>)>>,
}

/// A node whose protocol is forgotten.
trait Watched: Send + Sync {
    fn counters(&self) -> &Counters;
    fn phase(&self) -> NodePhase;
    fn status(&self) -> Pin<Box<dyn Future<Output = Result<Status, NodeEnded>> + Send + '_>>;
    /// Reaches a peer at another address from now on.
    fn readdress(&self, peer: Pid, address: SocketAddr) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
    /// Asks something of the protocol, as a person writes it.
    fn call<'a>(&'a self, what: &'a str) -> Pin<Box<dyn Future<Output = Result<(), NotAsked>> + Send + 'a>>;
}

/// Why something was not asked of a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotAsked {
    /// Nothing can be asked of this one.
    Nothing,
    /// Not this; says what can be.
    Unreadable(String),
    /// It has not begun, or has ended.
    NotRunning,
}

/// A node, and how its protocol is asked, if it can be.
struct Asked<P: Described> {
    handle: Handle<P>,
    grouping: Option<Grouping<P>>,
}

impl<P: Described> Watched for Asked<P> {
    fn counters(&self) -> &Counters {
        self.handle.counters()
    }

    fn phase(&self) -> NodePhase {
        self.handle.phase()
    }

    fn status(&self) -> Pin<Box<dyn Future<Output = Result<Status, NodeEnded>> + Send + '_>> {
        Box::pin(self.handle.status())
    }

    fn readdress(&self, peer: Pid, address: SocketAddr) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            // A node that has ended reaches nobody.
            let _ = self.handle.readdress(peer, address).await;
        })
    }

    fn call<'a>(&'a self, what: &'a str) -> Pin<Box<dyn Future<Output = Result<(), NotAsked>> + Send + 'a>> {
        Box::pin(async move {
            let grouping = self.grouping.ok_or(NotAsked::Nothing)?;
            let GroupRequest(call) = what.parse().map_err(NotAsked::Unreadable)?;
            if self.handle.phase() != NodePhase::Running {
                return Err(NotAsked::NotRunning);
            }
            self.handle.call((grouping.call)(call)).await.map_err(|NodeEnded| NotAsked::NotRunning)
        })
    }
}

impl EndpointView {
    pub(super) fn new<P: Described>(
        live: &Live<P>,
        handle: Handle<P>,
        setup: &Setup<'_>,
        announcements: Announcements,
    ) -> EndpointView {
        let table = &setup.file.node;
        EndpointView {
            node: Box::new(Asked { handle, grouping: live.grouping }),
            protocol: setup.node_plan.protocol,
            cluster: table.cluster.clone(),
            process: table.identity.to_string(),
            config: setup.file.path.canonicalize().unwrap_or_else(|_| setup.file.path.clone()),
            assumptions: setup.node_plan.assumptions.clone(),
            lateness: table.lateness.unwrap_or(usual_lateness(table.tick)),
            tick: table.tick,
            announcements,
            last: Mutex::default(),
        }
    }

    pub(super) fn counters(&self) -> &Counters {
        self.node.counters()
    }

    pub(super) fn phase(&self) -> NodePhase {
        self.node.phase()
    }

    /// Asks something of the protocol, as a person writes it.
    pub(super) async fn call(&self, what: &str) -> Result<(), NotAsked> {
        let asked = tokio::time::timeout(PATIENCE, self.node.call(what)).await;
        asked.unwrap_or(Err(NotAsked::NotRunning))
    }

    /// Reaches a peer at another address from now on.
    pub(super) async fn readdress(&self, peer: Pid, address: SocketAddr) {
        self.node.readdress(peer, address).await;
    }

    /// What the node says of itself, or said a moment ago; `None` if it does not answer.
    pub(super) async fn status(&self) -> Option<Arc<Status>> {
        let mut last = self.last.lock().await;
        if let Some((at, status)) = &*last
            && at.elapsed() < FRESH
        {
            return status.clone();
        }
        let status = tokio::time::timeout(PATIENCE, self.node.status()).await.ok().and_then(Result::ok);
        let status = status.map(Arc::new);
        *last = Some((Instant::now(), status.clone()));
        status
    }
}
