//! A node whose thread is held up for a while: it finds out for how long, and blames nobody for it.

mod support;

use std::time::Duration;
use support::{addresses, event, node, until};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::ring::Ring;
use watchkeeper_runtime::{Assumption, Assumptions, CheckedProperty, NodeEventKind, NodePhase};

/// Longer than three rounds, so that every timer of the node is overdue when it wakes.
const HELD_UP: Duration = Duration::from_millis(1800);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_was_held_up_says_so_and_suspects_nobody() {
    let all = addresses(3);
    let ring = Ring::new(3, 10).expect("a ring");
    let alone = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let alone = alone.expect("a runtime");
    let assumptions = Assumptions {
        round_trip: Some(4),
        properties: vec![CheckedProperty::new("accuracy", [Assumption::Speed])],
        ..Assumptions::default()
    };
    let held_up = node(ring.clone(), 0, &all).assume(assumptions);
    let held_up = alone.spawn(held_up.spawn()).await.expect("spawned").expect("a node");
    let mut events = held_up.events();
    let mut others = Vec::new();
    for me in 1..3 {
        others.push(node(ring.clone(), me, &all).spawn().await.expect("a node"));
    }
    until("all run", || held_up.phase() == NodePhase::Running).await;
    // The only thread that the node has is busy with something else.
    alone.spawn(async { std::thread::sleep(HELD_UP) });
    until("p2 suspects p0", || others[1].suspects() == ProcSet::only(Pid::at(0))).await;

    let long = |lasted: Duration| lasted > HELD_UP - Duration::from_millis(300);
    let stall = event(
        &mut events,
        "a stall",
        |event| matches!(event.kind, NodeEventKind::Stalled { lasted, .. } if long(lasted)),
    )
    .await;
    let NodeEventKind::Stalled { drained, .. } = stall.kind else { panic!("stalled") };
    assert!(drained > 0, "p2 asked meanwhile, and p1 had answered");
    let broken = event(&mut events, "a breach", |event| matches!(event.kind, NodeEventKind::Broken(_))).await;
    let NodeEventKind::Broken(breach) = broken.kind else { panic!("broken") };
    assert_eq!(
        (breach.assumption, &breach.properties[..]),
        (Assumption::Speed, &["accuracy".to_string()][..])
    );
    let asked = held_up.counters().fired.get();
    until("three more rounds", || held_up.counters().fired.get() >= asked + 3).await;
    assert_eq!(held_up.counters().suspicions.get(), 0);
    assert!(held_up.counters().stalls.get() >= 1 && held_up.counters().stalled.get() > 1_000_000_000);
    until("p2 hears from p0 again", || others[1].suspects().is_empty()).await;
    held_up.shutdown().await;
    alone.shutdown_background();
}
