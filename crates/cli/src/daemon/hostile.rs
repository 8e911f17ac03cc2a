//! The endpoint of a node for the crate `hostile`: the one that runs, over a connection in memory.

use super::announcements::Announcements;
use super::lookup::PeerNames;
use super::view::EndpointView;
use super::{Setup, described, endpoint, start};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{self, Runtime};
use watchkeeper::{Described, Live};

/// More than an answer ever has, so that nobody waits for the other.
const ROOM: usize = 1 << 20;

/// A node that runs, and its endpoint.
pub(crate) struct Endpoint {
    runtime: Runtime,
    view: EndpointView,
}

impl Endpoint {
    /// Starts a node; `None` if the system or the node file does not let it run.
    pub(crate) fn start<P: Described>(live: &Live<P>, protocol: P, setup: &Setup<'_>) -> Option<Endpoint> {
        let table = &setup.file.node;
        let names = PeerNames::look_up(&setup.file.peers, table.bind);
        let node = described(live, protocol, setup, &names).ok()?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let (handle, ..) = runtime.block_on(start(node, &table.bind_by)).ok()?;
        let view = EndpointView::new(live, handle, setup, Announcements::default());
        Some(Endpoint { runtime, view })
    }

    /// What is answered to somebody who says this and then nothing more.
    pub(crate) fn answer(&self, said: &[u8]) -> Vec<u8> {
        self.runtime.block_on(async {
            let (mut visitor, door) = tokio::io::duplex(ROOM);
            let mut answer = Vec::new();
            if visitor.write_all(said).await.is_ok() && visitor.shutdown().await.is_ok() {
                // Whoever speaks no HTTP gets no answer.
                let _ = endpoint::visit(door, &self.view, &|_| ()).await;
                let _ = visitor.read_to_end(&mut answer).await;
            }
            answer
        })
    }
}
