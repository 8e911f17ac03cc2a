//! Keys are replaced while a cluster runs, however quickly the steps follow each other.

mod support;

use support::{Cluster, ring};
use watchkeeper_node::DatagramRefusal;
use watchkeeper_protocols::ring::Ring;

#[test]
fn keys_are_rotated_without_a_suspicion() {
    for pause in [0, 1, 2, 5, 30, 500] {
        let mut cluster = Cluster::new(&Ring::new(3, 10).expect("a ring"), 3);
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
            assert_eq!(counters.suspicions.get(), 0, "pause {pause}");
            assert!(pause < 5 || counters.refused(DatagramRefusal::UnknownKey) == 0, "pause {pause}");
        }
    }
}
