//! A node that was stopped says so when it goes on, and suspects nobody because of it, whenever it was stopped and however
//! long: what its peers sent meanwhile waits for it, and its timers are put off.

mod support;

use support::{Cluster, MS};
use watchkeeper_core::{Assumption, Pid, ProcSet};
use watchkeeper_node::NodeEventKind;
use watchkeeper_protocols::ring::Ring;

#[test]
fn a_node_that_was_held_up_says_so_and_suspects_nobody() {
    // Rounds last 500 ms; the stop begins at any point of them, and lasts from less than a round to several.
    for begins in [0, 100, 250, 400, 499] {
        for lasts in [60, 300, 700, 1600, 3000] {
            let mut cluster = Cluster::new(&Ring::new(3, 10).expect("a ring"), 3);
            cluster.run(2000 + begins);
            assert!(cluster.all_run());
            cluster.held = Some(0);
            cluster.run(lasts);
            cluster.held = None;
            cluster.run(3000);
            let what = format!("stopped at {begins} for {lasts} ms");
            let counters = cluster.nodes[0].counters();
            assert_eq!(counters.suspicions.get(), 0, "{what}");
            assert_eq!(counters.stalls.get(), 1, "{what}");
            // It is called once a millisecond, and notices what it slept beyond when it meant to wake.
            assert!(
                counters.stalled.get() <= lasts * MS && counters.stalled.get() + 60 * MS >= lasts * MS,
                "{what}"
            );
            let told = cluster.events[0].iter().find_map(|event| match event.kind {
                NodeEventKind::Stalled { drained, .. } => Some(drained),
                _ => None,
            });
            let drained = told.unwrap_or_else(|| panic!("{what}: told"));
            assert!(lasts < 1000 || drained > 0, "{what}: peers asked meanwhile");
            let broken = |kind: &NodeEventKind<_>| matches!(kind, NodeEventKind::Broken(breach) if breach.assumption == Assumption::Speed);
            assert!(
                cluster.events[0].iter().any(|event| broken(&event.kind)),
                "{what}: the assumption is broken"
            );
            // Whoever waits for it suspects it if it is silent for long, and trusts it again.
            assert!(lasts < 1600 || cluster.nodes[2].counters().suspicions.get() > 0, "{what}");
            assert_eq!(cluster.nodes[2].counters().suspects(), ProcSet::EMPTY, "{what}");
            assert!(!cluster.nodes[1].counters().suspects().contains(Pid::at(0)), "{what}");
        }
    }
}
