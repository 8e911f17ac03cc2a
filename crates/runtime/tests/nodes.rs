//! Nodes of real protocols on loopback, in one process.

mod support;

use std::time::Duration;
use support::{addresses, cluster, event, key, keys, node, until};
use watchkeeper_core::{Meaning, Pid, ProcSet};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatCall, HeartbeatOutput, HeartbeatVariant};
use watchkeeper_protocols::ring::{Ring, StrongCompleteness};
use watchkeeper_runtime::wire::{DatagramRefusal, KeyId, KeyRing};
use watchkeeper_runtime::{
    Assumption, Assumptions, CheckedProperty, ConfigError, NodeBuilder, NodeEventKind, NodePhase, StartError,
    StepCause,
};

fn ring(n: usize) -> Ring {
    Ring::new(n, 10).expect("a ring")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_peer_is_suspected_by_its_predecessor_with_evidence() {
    let all = addresses(3);
    let mut nodes = Vec::new();
    for me in 0..3 {
        nodes.push(node(ring(3), me, &all).spawn().await.expect("a node"));
    }
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    let mut events = nodes[0].events();
    nodes[1].shutdown().await;
    let suspicion = event(&mut events, "a suspicion", |event| {
        matches!(event.kind, NodeEventKind::Announced { meaning: Meaning::Suspects(_), .. })
    })
    .await;
    let NodeEventKind::Announced { meaning, evidence, .. } = suspicion.kind else { panic!("announced") };
    assert_eq!(meaning, Meaning::Suspects(Pid::at(1)));
    assert_eq!(evidence.cause, StepCause::Timer("Round".into()));
    let about = evidence.about.expect("what is known of the suspect");
    assert_eq!(about.peer, Pid::at(1));
    assert_eq!(about.probed.map(|(kind, _)| kind), Some("ARE-YOU-ALIVE"));
    let (heard, ago) = about.heard.expect("it was heard before");
    assert!(heard == "I-AM-ALIVE" && ago >= Duration::from_millis(450), "{heard} {ago:?}");
    assert_eq!(nodes[0].suspects(), ProcSet::only(Pid::at(1)));
    assert_eq!(nodes[2].suspects(), ProcSet::EMPTY);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_returns_is_trusted_by_those_it_asks() {
    let all = addresses(2);
    let first = node(ring(2), 0, &all).spawn().await.expect("a node");
    let second = node(ring(2), 1, &all).spawn().await.expect("a node");
    until("both run", || [&first, &second].iter().all(|node| node.phase() == NodePhase::Running)).await;
    let mut events = first.events();
    second.shutdown().await;
    until("p1 is suspected", || first.suspects() == ProcSet::only(Pid::at(1))).await;
    let again = node(ring(2), 1, &all).spawn().await.expect("the same port again");
    let trusted = event(&mut events, "trust", |event| {
        matches!(event.kind, NodeEventKind::Announced { meaning: Meaning::Trusts(_), .. })
    })
    .await;
    let NodeEventKind::Announced { meaning, evidence, .. } = trusted.kind else { panic!("announced") };
    assert_eq!(meaning, Meaning::Trusts(Pid::at(1)));
    assert_eq!(evidence.cause, StepCause::Message { from: Pid::at(1), kind: "ARE-YOU-ALIVE" });
    until("it is trusted", || first.suspects().is_empty() && again.suspects().is_empty()).await;
    let status = first.status().await.expect("a status");
    assert!(status.peers[0].incarnation > 0 && status.phase == NodePhase::Running);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_farewell_is_told_and_everyone_learns_of_the_end() {
    let detector = Ring::with_policy(
        StrongCompleteness::new(watchkeeper_protocols::ring::TimeoutAdaptation::Fixed),
        3,
        10,
    );
    let nodes = cluster(&detector.expect("a detector"), 3).await;
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    let mut events = nodes[1].events();
    nodes[2].leave().await;
    assert_eq!(nodes[2].phase(), NodePhase::Ended);
    let left = |event: &watchkeeper_runtime::NodeEvent<_>| matches!(event.kind, NodeEventKind::PeerLeft { peer } if peer == Pid::at(2));
    event(&mut events, "a farewell", left).await;
    until("all suspect p2", || nodes[..2].iter().all(|node| node.suspects() == ProcSet::only(Pid::at(2))))
        .await;
    let status = nodes[1].status().await.expect("a status");
    let peer = status.peers.iter().find(|peer| peer.peer == Pid::at(2)).expect("p2");
    assert!(peer.left && peer.found && peer.suspected.is_some(), "{peer:?}");
    assert!(nodes[2].status().await.is_err());
    assert!(nodes[2].events().next().await.is_none(), "whoever asks afterwards need not wait");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_starts_again_finds_all_before_it_asks_anyone() {
    let all = addresses(4);
    let mut nodes = Vec::new();
    for me in 0..4 {
        nodes.push(node(ring(4), me, &all).spawn().await.expect("a node"));
    }
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    for _ in 0..3 {
        nodes[1].shutdown().await;
        nodes[1] = node(ring(4), 1, &all).spawn().await.expect("the same port again");
        until("two rounds", || nodes[1].counters().fired.get() >= 2).await;
        assert_eq!(nodes[1].counters().unsent.get(), 0);
        assert_eq!(nodes[1].suspects(), ProcSet::EMPTY);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_does_not_wait_long_for_those_who_are_gone_where_others_have_begun() {
    let all = addresses(3);
    let early = Duration::from_millis(1);
    let first = node(ring(3), 0, &all).gather(early).spawn().await.expect("a node");
    until("p0 runs alone", || first.phase() == NodePhase::Running).await;
    let begun = std::time::Instant::now();
    let second = node(ring(3), 1, &all).spawn().await.expect("a node");
    until("p1 runs, though p2 is not there", || second.phase() == NodePhase::Running).await;
    assert!(begun.elapsed() < support::DEADLINE / 2, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finding_each_other_is_not_taken_for_losing_messages() {
    let all = addresses(5);
    let lossless = Assumptions { lossless: true, ..Assumptions::default() };
    let mut nodes = Vec::new();
    for me in 0..5 {
        let node = node(ring(5), me, &all).assume(lossless.clone());
        nodes.push(node.spawn().await.expect("a node"));
        // Some start together, some when others have greeted them: greetings cross, and come too early.
        until("it greets", || me % 2 == 0 || nodes[me].counters().sent.get() >= 8).await;
    }
    until("four rounds", || nodes.iter().all(|node| node.counters().fired.get() >= 4)).await;
    for node in &nodes {
        assert_eq!(node.counters().breaches[2].get(), 0, "{:?}", node.process());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_stream_of_events_ends_with_the_node() {
    let alone = node(ring(2), 0, &addresses(2)).gather(Duration::ZERO).spawn().await.expect("a node");
    let mut events = alone.events();
    alone.shutdown().await;
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event.kind);
    }
    assert_eq!(last, Some(NodeEventKind::Ended));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_participant_leaves_the_dynamic_heartbeat_and_nobody_stops() {
    let heartbeat = Heartbeat::new(HeartbeatVariant::Dynamic, 2, 5, 2).expect("a protocol").corrected();
    let all = addresses(3);
    let mut nodes = Vec::new();
    for me in 0..3 {
        let node = node(heartbeat, me, &all).leave_with(HeartbeatCall::Leave, 12);
        nodes.push(node.spawn().await.expect("a node"));
    }
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    // Only who has joined can leave.
    for me in [1, 2] {
        while nodes[me].status().await.expect("a status").state != "Joined" {
            tokio::task::yield_now().await;
        }
    }
    nodes[1].leave().await;
    let state = nodes[0].status().await.expect("a status").state;
    assert!(state.contains("counted: {p2}"), "{state}");
    // p0 would stop within 13 units if it still waited for p1; a round has at most 5.
    let fired = nodes[0].counters().fired.get();
    until("four more rounds of p0", || nodes[0].counters().fired.get() >= fired + 4).await;
    assert_eq!([nodes[0].phase(), nodes[2].phase()], [NodePhase::Running; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everyone_stops_when_a_participant_of_the_heartbeat_dies() {
    let heartbeat = Heartbeat::new(HeartbeatVariant::Static, 2, 5, 2).expect("a protocol").corrected();
    let nodes = cluster(&heartbeat, 3).await;
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    let mut events = nodes[0].events();
    nodes[1].shutdown().await;
    let stop = event(&mut events, "p0 stops", |event| {
        matches!(event.kind, NodeEventKind::Announced { output: HeartbeatOutput::Inactivated, .. })
    })
    .await;
    assert!(matches!(stop.kind, NodeEventKind::Announced { meaning: Meaning::Stops, .. }));
    until("all have stopped", || [0, 2].iter().all(|&i| nodes[i].phase() == NodePhase::Stopped)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_another_key_or_cluster_is_counted_and_never_found() {
    let all = addresses(3);
    let short = Duration::from_millis(300);
    let mut nodes = Vec::new();
    nodes.push(node(ring(3), 0, &all).gather(short).spawn().await.expect("a node"));
    let wrong = KeyRing::new((KeyId(1), key(8)));
    nodes.push(node(ring(3), 1, &all).gather(short).keys(wrong).spawn().await.expect("a node"));
    let other = node(ring(3), 2, &all).gather(short).cluster("other");
    nodes.push(other.spawn().await.expect("a node"));
    let refused = |refusal| nodes[0].counters().refused(refusal);
    until("refusals", || refused(DatagramRefusal::Forged) > 0 && refused(DatagramRefusal::Cluster) > 0).await;
    until("the wait is over", || nodes[0].phase() == NodePhase::Running).await;
    assert_eq!(nodes[0].counters().delivered.get(), 0);
    assert!(nodes[0].status().await.expect("a status").peers.iter().all(|peer| !peer.found));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_rotated_without_a_suspicion() {
    let nodes = cluster(&ring(3), 3).await;
    until("all run", || nodes.iter().all(|node| node.phase() == NodePhase::Running)).await;
    let (old, new) = ((KeyId(1), key(7)), (KeyId(2), key(9)));
    let ring = |first: (KeyId, _), second: (KeyId, _)| KeyRing::new(first).with(second.0, second.1);
    for node in &nodes {
        node.rotate(ring(old.clone(), new.clone()).expect("two keys")).await.expect("alive");
    }
    for node in &nodes {
        node.rotate(ring(new.clone(), old.clone()).expect("two keys")).await.expect("alive");
    }
    for node in &nodes {
        node.rotate(KeyRing::new(new.clone())).await.expect("alive");
    }
    let before: Vec<u64> = nodes.iter().map(|node| node.counters().delivered.get()).collect();
    until("messages under the new key", || {
        nodes.iter().zip(&before).all(|(node, before)| node.counters().delivered.get() > before + 3)
    })
    .await;
    for node in &nodes {
        assert_eq!(node.counters().suspicions.get(), 0);
        assert_eq!(node.counters().refused(DatagramRefusal::UnknownKey), 0);
    }
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_said_before_anything_starts() {
    let all = addresses(2);
    let fails = async |node: NodeBuilder<Ring>| node.spawn().await.expect_err("refused").to_string();
    let good = || node(ring(2), 0, &all);
    assert!(fails(good().cluster("")).await.starts_with("the cluster has no name"));
    assert!(fails(good().cluster("x".repeat(65))).await.contains("65 bytes"));
    assert!(fails(good().tick(Duration::ZERO)).await.starts_with("a tick of 0ns is not possible"));
    assert!(fails(good().peer(Pid::at(1), all[1])).await.starts_with("p1 is there twice"));
    let keyless = NodeBuilder::new(ring(2), Pid::at(0), all[0]).cluster("test");
    assert!(matches!(keyless.spawn().await, Err(StartError::Config(ConfigError::NoKeys))));
    let taken = good().spawn().await.expect("a node");
    let message = fails(good()).await;
    assert!(message.contains("is in use by another program"), "{message}");
    taken.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_assumption_is_an_event_that_names_it() {
    // Round trips take longer than nothing, so a bound of 0 ticks is broken by the first.
    let tight = Assumptions {
        round_trip: Some(0),
        properties: vec![CheckedProperty::new("accuracy", [Assumption::RoundTrip])],
        ..Assumptions::default()
    };
    let all = addresses(2);
    let first = node(ring(2), 0, &all).assume(tight).spawn().await.expect("a node");
    let mut events = first.events();
    let _second = node(ring(2), 1, &all).keys(keys()).spawn().await.expect("a node");
    // A busy machine may break the assumption on speed meanwhile.
    let round_trip = |event: &watchkeeper_runtime::NodeEvent<_>| matches!(&event.kind, NodeEventKind::Broken(breach) if breach.assumption == Assumption::RoundTrip);
    let broken = event(&mut events, "a breach", round_trip).await;
    let NodeEventKind::Broken(breach) = broken.kind else { panic!("broken") };
    let text = breach.to_string();
    assert!(text.starts_with("a message to p1 and its answer took "), "{text}");
    assert!(text.ends_with("assumption `round-trip`; not guaranteed now: accuracy"), "{text}");
    assert!(first.counters().breaches[1].get() > 0);
}
