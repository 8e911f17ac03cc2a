//! Keys are replaced while a cluster runs, however quickly the steps follow each other.

mod support;

use support::{Cluster, ring};
use watchkeeper_node::DatagramRefusal;
use watchkeeper_protocols::ring::{Ring, StrongCompleteness, TimeoutAdaptation};

/// A handshake takes three milliseconds here. Whoever removes a key before the sessions are renewed loses what is under way,
/// and a detector may suspect because of it, but not for long.
#[test]
fn keys_are_rotated_without_a_suspicion_that_stays() {
    let asking_again = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
    let detector = Ring::with_policy(asking_again, 3, 10).expect("a ring");
    for pause in [0, 1, 2, 5, 30, 500] {
        let mut cluster = Cluster::new(&detector, 3);
        cluster.run(2000);
        assert!(cluster.all_run());
        for ids in [[1, 2].as_slice(), &[2, 1], &[2]] {
            for me in 0..3 {
                let now = cluster.now;
                cluster.nodes[me].handle_keys(now, &ring(ids));
            }
            cluster.run(pause);
        }
        let before: Vec<u64> = cluster.nodes.iter().map(|node| node.counters().delivered.get()).collect();
        cluster.run(5000);
        for (node, before) in cluster.nodes.iter().zip(before) {
            let counters = node.counters();
            assert!(counters.delivered.get() > before + 3, "pause {pause}: {:?}", node.status(cluster.now));
            assert!(pause < 5 || counters.suspicions.get() == 0, "pause {pause}");
            assert!(counters.suspects().is_empty(), "pause {pause}");
            assert!(pause < 5 || counters.refused(DatagramRefusal::UnknownKey) == 0, "pause {pause}");
        }
    }
}

/// Keys are rotated node by node; one node removes the old key soon after its sessions were renewed, and the others take
/// their time.
#[test]
fn a_node_that_is_one_step_ahead_is_heard() {
    let asking_again = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
    let detector = Ring::with_policy(asking_again, 3, 10).expect("a ring");
    for (pause, ahead) in [0, 1, 2, 5, 30, 200].into_iter().flat_map(|pause| [0, 1, 2].map(|me| (pause, me)))
    {
        let mut cluster = Cluster::new(&detector, 3);
        cluster.run(2000);
        for ids in [[1, 2].as_slice(), &[2, 1]] {
            for me in [(ahead + 1) % 3, (ahead + 2) % 3, ahead] {
                let now = cluster.now;
                cluster.nodes[me].handle_keys(now, &ring(ids));
                cluster.run(pause);
            }
        }
        let now = cluster.now;
        cluster.nodes[ahead].handle_keys(now, &ring(&[2]));
        cluster.run(3000);
        let before: Vec<u64> = cluster.nodes.iter().map(|node| node.counters().delivered.get()).collect();
        cluster.run(5000);
        for (node, before) in cluster.nodes.iter().zip(before) {
            let (counters, me) = (node.counters(), node.process());
            assert!(counters.suspects().is_empty(), "pause {pause}, p{ahead} ahead: {me} suspects");
            assert!(
                counters.delivered.get() > before + 10,
                "pause {pause}, p{ahead} ahead: {me} hears little"
            );
        }
    }
}
