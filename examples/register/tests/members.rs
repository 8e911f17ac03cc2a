//! Three members over UDP in one process. One is killed, and the others go on with the same log.

use register::{Agreement, Announced, Ask, Write, agreement, written};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_protocols::stack::Layer;
use watchkeeper_runtime::wire::{KeyId, KeyRing};
use watchkeeper_runtime::{Handle, NodeBuilder, NodeEventKind, NodeEvents};

/// So long everything is waited for before the test fails.
const DEADLINE: Duration = Duration::from_secs(60);

struct Member {
    node: Handle<Agreement>,
    events: NodeEvents<Announced>,
    log: Vec<Write>,
}

impl Member {
    async fn write(&self, value: u32) {
        self.node.call(Layer::Above(Ask::Write(value))).await.expect("it runs");
    }

    /// Waits until its log has so many writes.
    async fn has_written(&mut self, length: usize) {
        let reading = async {
            while self.log.len() < length {
                let event = self.events.next().await.expect("it runs");
                assert!(!matches!(event.kind, NodeEventKind::Missed(_)));
                self.log.extend(written(&event));
            }
        };
        let done = tokio::time::timeout(DEADLINE, reading).await.is_ok();
        assert!(done, "{length} writes are waited for: {:?}", self.log);
    }

    fn by(&self, author: usize) -> Vec<u32> {
        let own = self.log.iter().filter(|write| write.author == Pid::at(author));
        own.map(|write| write.value).collect()
    }
}

/// Members that have begun.
async fn start(n: usize) -> Vec<Member> {
    let sockets: Vec<UdpSocket> = (0..n).map(|_| UdpSocket::bind("127.0.0.1:0").expect("a port")).collect();
    let places: Vec<SocketAddr> =
        sockets.iter().map(|socket| socket.local_addr().expect("an address")).collect();
    drop(sockets);
    let mut members = Vec::new();
    for me in Pid::all(n) {
        let peers = Pid::all(n).zip(places.clone()).filter(|(peer, _)| *peer != me);
        let key = "5a".repeat(32).parse().expect("a key");
        let node = NodeBuilder::new(agreement(n).expect("a protocol"), me, places[me.index()])
            .peers(peers)
            .cluster("test")
            .keys(KeyRing::new((KeyId(1), key)))
            .tick(Duration::from_millis(10))
            .gather(DEADLINE)
            .spawn()
            .await
            .expect("a node");
        members.push(Member { events: node.events(), node, log: Vec::new() });
    }
    for member in &mut members {
        let begun = async {
            while let Some(event) = member.events.next().await {
                if matches!(event.kind, NodeEventKind::Began { .. }) {
                    return;
                }
            }
        };
        tokio::time::timeout(DEADLINE, begun).await.expect("it begins");
    }
    members
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_is_killed_and_the_others_go_on_with_the_same_log() {
    let mut members = start(3).await;
    for value in 0..5 {
        for (author, member) in members.iter().enumerate() {
            member.write(value * 10 + author as u32).await;
        }
    }
    for member in &mut members {
        member.has_written(15).await;
        for author in 0..3 {
            let own: Vec<u32> = (0..5).map(|value| value * 10 + author as u32).collect();
            assert_eq!(member.by(author), own, "each member's writes are in its own order");
        }
    }
    let before = members[0].log.clone();
    assert!(members.iter().all(|member| member.log == before));
    // p1 coordinates the first round of every decision.
    members.remove(1).node.shutdown().await;
    for value in 100..104 {
        for member in &members {
            member.write(value).await;
        }
    }
    for member in &mut members {
        member.has_written(23).await;
    }
    let after = members[0].log.clone();
    assert_eq!((after.len(), &members[1].log), (23, &after), "both copies have the same log");
    assert_eq!(after[..15], before[..], "what was decided stays");
    let own = (members[0].by(0).split_off(5), members[0].by(2).split_off(5));
    assert_eq!(own, (vec![100, 101, 102, 103], vec![100, 101, 102, 103]));
}
