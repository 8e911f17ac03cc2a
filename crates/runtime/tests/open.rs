//! An open cluster of a service: members join a seed by name, one leaves, one ends without a word and comes back, and one
//! asks where nobody is.

mod support;

use std::net::SocketAddr;
use std::time::Duration;
use support::{addresses, keys, until};
use watchkeeper_core::{Member, MemberSet, Pid};
use watchkeeper_protocols::swim::{FirstMembers, PlainSwim, Swim, SwimCall, SwimConfig};
use watchkeeper_runtime::{Handle, JoinFailure, NodeBuilder, NodeEventKind, NodePhase};

/// Members that know the seed alone at first; a period is 200 ms.
fn swim() -> Swim {
    let config = SwimConfig { start: FirstMembers::Seed, ..SwimConfig::default() };
    Swim::new(2, config, PlainSwim).expect("a configuration")
}

fn member(name: &str, at: SocketAddr) -> NodeBuilder<Swim> {
    NodeBuilder::member(swim(), name.parse().expect("a name"), at)
        .cluster("orders")
        .keys(keys())
        .tick(Duration::from_millis(10))
        .leave_with(SwimCall::Leave, 20)
        .meet_with(|by| SwimCall::Meet(Member(by)))
}

fn only(p: usize) -> MemberSet {
    Pid::member(p).into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn members_join_leave_and_come_back() {
    let at = addresses(5);
    let mut nodes: Vec<Handle<Swim>> = vec![member("web-0", at[0]).found().spawn().await.expect("a seed")];
    for i in 1..5 {
        let node = member(&format!("web-{i}"), at[i]).join(at[0]).wish(Pid::at(i));
        nodes.push(node.spawn().await.expect("a node"));
    }
    until("all have their numbers", || {
        nodes
            .iter()
            .enumerate()
            .all(|(i, node)| node.process() == Pid::new(i) && node.phase() == NodePhase::Running)
    })
    .await;
    // Everybody knows everybody by name.
    for node in &nodes {
        let mut known = Vec::new();
        for _ in 0..200 {
            let status = node.status().await.expect("it runs");
            known = status.peers.into_iter().filter_map(|peer| peer.name).collect();
            if known.len() == 4 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(known.len(), 4, "{:?} knows {known:?}", node.process());
    }
    // Who ends without a word is suspected by all, and trusted again when it is back under its name and its number.
    nodes[3].shutdown().await;
    let others = |nodes: &[Handle<Swim>]| [0, 1, 2, 4].map(|i| nodes[i].clone());
    let left = others(&nodes);
    until("all suspect p3", || left.iter().all(|node| node.suspects() == only(3))).await;
    nodes[3] = member("web-3", at[3]).join(at[0]).spawn().await.expect("a node");
    until("all trust p3", || left.iter().all(|node| node.suspects().is_empty())).await;
    assert_eq!(nodes[3].process(), Pid::new(3));
    // Who leaves is not suspected.
    let mut events = nodes[0].events();
    nodes[4].leave().await;
    while let Some(event) = events.next().await {
        if event.kind == (NodeEventKind::PeerLeft { peer: Pid::at(4) }) {
            break;
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    for node in &nodes[..3] {
        assert!(node.suspects().is_empty(), "{:?} suspects {}", node.process(), node.suspects());
    }
}

#[tokio::test]
async fn a_join_to_nobody_ends_and_says_so() {
    let at = addresses(2);
    let node =
        member("web-1", at[1]).join(at[0]).gather(Duration::from_millis(700)).spawn().await.expect("a node");
    let mut events = node.events();
    let mut failure = None;
    while let Some(event) = events.next().await {
        if let NodeEventKind::NotJoined(why) = event.kind {
            failure = Some(why);
        }
    }
    assert!(matches!(failure, Some(JoinFailure::Unanswered(_))), "{failure:?}");
    assert_eq!((node.process(), node.phase()), (None, NodePhase::Ended));
}
