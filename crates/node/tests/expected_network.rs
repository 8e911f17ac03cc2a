//! A node whose parameters were chosen for one network says when it is on another.

mod support;

use std::time::Duration;
use support::{Cluster, MS};
use watchkeeper_core::Assumption;
use watchkeeper_node::{Assumptions, ExpectedNetwork, NodeEventKind};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;

/// What nodes tell of the network within this time, if it loses that share of the datagrams.
fn told(expected: ExpectedNetwork, loss: f64) -> Vec<String> {
    let assumptions = Assumptions { network: Some(expected), ..Assumptions::default() };
    let mut cluster = Cluster::assuming(&ChandraToueg::new(3, 1, 20).expect("a detector"), 3, &assumptions);
    cluster.loss.0 = loss;
    cluster.run(60_000);
    assert!(cluster.all_run() && cluster.now == 60_000 * MS);
    let told = cluster.events.iter().flatten().filter_map(|event| match &event.kind {
        NodeEventKind::Broken(breach) if breach.assumption == Assumption::Network => Some(breach.to_string()),
        _ => None,
    });
    told.collect()
}

#[test]
fn the_network_that_was_expected_is_no_news() {
    let expected = ExpectedNetwork { round_trip: Duration::from_millis(10), slower: 10_000, loss: 20_000 };
    assert_eq!(told(expected, 0.01), Vec::<String>::new());
}

#[test]
fn a_network_that_loses_more_is_news() {
    let expected = ExpectedNetwork { round_trip: Duration::from_millis(10), slower: 10_000, loss: 10_000 };
    let told = told(expected, 0.2);
    assert!(told.iter().any(|what| what.contains("were lost, where 3 were expected")), "{told:?}");
}

#[test]
fn a_slower_network_is_news() {
    // A message takes a millisecond, and so does the answer.
    let expected = ExpectedNetwork { round_trip: Duration::from_millis(1), slower: 10_000, loss: 20_000 };
    let told = told(expected, 0.0);
    assert!(
        told.iter().any(|what| what.contains("took longer than 1.0ms, where 3 were expected")),
        "{told:?}"
    );
}
