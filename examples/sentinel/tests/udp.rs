//! Two nodes over UDP in one process. One is shut down, and the other announces it; it starts again, and the other
//! announces that too.

use sentinel::{Announcement, Sentinel};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_runtime::{Handle, KeyId, KeyRing, NodeBuilder, NodeEventKind, NodeEvents};

/// So long everything is waited for before the test fails.
const DEADLINE: Duration = Duration::from_secs(60);

async fn start(me: usize, places: [SocketAddr; 2]) -> Handle<Sentinel> {
    let node = NodeBuilder::new(Sentinel::new(2), Pid::at(me), places[me])
        .peers([(Pid::at(1 - me), places[1 - me])])
        .cluster("test")
        .keys(KeyRing::new((KeyId(1), "5a".repeat(32).parse().expect("a key"))))
        .tick(Duration::from_millis(20))
        .gather(DEADLINE);
    node.spawn().await.expect("a node")
}

async fn wait(events: &mut NodeEvents<Announcement>, wanted: impl Fn(&NodeEventKind<Announcement>) -> bool) {
    let reading = async { while !wanted(&events.next().await.expect("it runs").kind) {} };
    tokio::time::timeout(DEADLINE, reading).await.expect("it happens");
}

async fn announces(events: &mut NodeEvents<Announcement>, news: Announcement) {
    wait(events, |happened| matches!(happened, NodeEventKind::Announced { output, .. } if *output == news))
        .await;
}

#[tokio::test]
async fn a_node_that_is_shut_down_is_suspected_until_it_is_back() {
    let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a port"));
    let places = sockets.each_ref().map(|socket| socket.local_addr().expect("an address"));
    drop(sockets);
    let p0 = start(0, places).await;
    let mut events = p0.events();
    let p1 = start(1, places).await;
    wait(&mut events, |happened| matches!(happened, NodeEventKind::Began { peers: 1 })).await;
    p1.shutdown().await;
    announces(&mut events, Announcement::Down(Pid::at(1))).await;
    let p1 = start(1, places).await;
    announces(&mut events, Announcement::Up(Pid::at(1))).await;
    p0.shutdown().await;
    p1.shutdown().await;
}
