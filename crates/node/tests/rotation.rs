//! Keys are replaced while a cluster runs, however quickly the steps follow each other.

mod support;

use support::{Birth, Cluster, WALL, ring, start};
use watchkeeper_node::{DatagramRefusal, Node};
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
            let (counters, me) = (node.counters(), node.process().expect("a number"));
            assert!(counters.suspects().is_empty(), "pause {pause}, p{ahead} ahead: {me} suspects");
            assert!(
                counters.delivered.get() > before + 10,
                "pause {pause}, p{ahead} ahead: {me} hears little"
            );
        }
    }
}

/// Nodes that are at most a step of the rotation apart, restarts, and a network that loses much, drawn at random; then
/// nothing more happens, and all must hear each other within some rounds, wherever the rotation has stopped.
#[test]
fn any_rotation_with_losses_and_restarts_comes_to_rest() {
    let asking_again = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
    let detector = Ring::with_policy(asking_again, 3, 10).expect("a ring");
    let rings: [&[u8]; 4] = [&[1], &[1, 2], &[2, 1], &[2]];
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut cluster = Cluster::new(&detector, 3);
        cluster.run(2000);
        cluster.loss = ([0.0, 0.1, 0.4][random.usize(..3)], random.fork());
        let (mut steps, mut life) = ([0; 3], 1);
        for _ in 0..random.usize(1..24) {
            let (me, now) = (random.usize(..3), cluster.now);
            if random.u8(..8) == 0 {
                life += 1;
                let wall = WALL - i128::from(random.u32(..300 * 86_400)) * 1_000_000_000;
                let birth = Birth { life, wall, keys: rings[steps[me]].to_vec(), ..Birth::default() };
                cluster.nodes[me] = start(detector.clone(), me, 3, now, &birth);
            } else if steps[me] < 3 && steps.iter().all(|step| *step >= steps[me]) {
                steps[me] += 1;
                cluster.nodes[me].handle_keys(now, &ring(rings[steps[me]]));
            }
            let pause = [0, 1, 2, 3, 5, 20, 90, 600, 2000][random.usize(..9)];
            cluster.run(pause);
        }
        cluster.loss.0 = 0.0;
        cluster.run(5000);
        let counted = |node: &Node| (node.counters().delivered.get(), node.counters().suspicions.get());
        let before: Vec<(u64, u64)> = cluster.nodes.iter().map(counted).collect();
        cluster.run(5000);
        for (node, (heard, suspicions)) in cluster.nodes.iter().zip(before) {
            let what = format!("seed {seed}, steps {steps:?}, {:?}", node.process());
            let (heard_now, suspicions_now) = counted(node);
            assert!(node.counters().suspects().is_empty() && suspicions_now == suspicions, "{what} suspects");
            assert!(heard_now > heard + 10, "{what} hears little");
            for peer in node.status(cluster.now).peers {
                assert_eq!(peer.incarnation, cluster.nodes[peer.peer.index()].incarnation(), "{what}");
            }
        }
    }
}
