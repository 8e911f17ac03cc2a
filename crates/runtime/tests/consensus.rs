//! Consensus over UDP in one process: what is proposed when a node begins is decided by all, also without the node that
//! was to coordinate, and what cannot be proposed is refused.

mod support;

use std::time::Duration;
use support::{addresses, event, node};
use watchkeeper_core::Pid;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput, Rotating};
use watchkeeper_protocols::stack::{Layer, Mailbox, Reliable, Stack};
use watchkeeper_runtime::{NodeBuilder, NodeEventKind, NodeEvents};

type Live = Stack<Reliable<Mailbox<Rotating>>, ChandraToueg>;

/// Only values below 100 can be decided.
fn live(n: usize) -> Live {
    let consensus = Rotating::new(n).and_then(|consensus| consensus.over(100)).expect("consensus");
    let links = Reliable::new(Mailbox::new(consensus), n, 5).expect("links");
    Stack::new(links, ChandraToueg::new(n, 3, 12).expect("a detector"))
}

fn propose(value: u64) -> Layer<ConsensusCall, watchkeeper_core::Never> {
    Layer::Above(ConsensusCall::Propose(value))
}

fn proposing(me: usize, all: &[std::net::SocketAddr], value: u64) -> NodeBuilder<Live> {
    node(live(all.len()), me, all).tick(Duration::from_millis(10)).begin_with(propose(value))
}

type Output = Layer<ConsensusOutput, watchkeeper_core::Suspicion>;

async fn announced(events: &mut NodeEvents<Output>) -> ConsensusOutput {
    let ours = event(events, "a decision", |event| {
        matches!(event.kind, NodeEventKind::Announced { output: Layer::Above(_), .. })
    });
    let NodeEventKind::Announced { output: Layer::Above(output), .. } = ours.await.kind else {
        panic!("ours")
    };
    output
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_decide_what_one_of_them_proposed_and_a_second_proposal_is_refused() {
    let all = addresses(3);
    let (mut nodes, mut events) = (Vec::new(), Vec::new());
    for me in 0..3 {
        let handle = proposing(me, &all, 70 + me as u64).spawn().await.expect("a node");
        events.push(handle.events());
        nodes.push(handle);
    }
    let mut decided = Vec::new();
    for events in &mut events {
        decided.push(announced(events).await);
    }
    assert!(matches!(decided[0], ConsensusOutput::Decide(70..73)), "{decided:?}");
    assert!(decided.iter().all(|other| *other == decided[0]), "{decided:?}");
    nodes[2].call(propose(5)).await.expect("it runs");
    assert_eq!(announced(&mut events[2]).await, ConsensusOutput::Refuse(5));
}

/// p1 coordinates the first round and never starts; p0 is asked for a value that is none and so proposes later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_coordinator_the_others_decide_when_they_suspect_it() {
    let all = addresses(3);
    let soon = Duration::from_millis(200);
    let first = proposing(0, &all, 100).gather(soon).spawn().await.expect("a node");
    let mut told = first.events();
    let last = proposing(2, &all, 9).gather(soon).spawn().await.expect("a node");
    let mut also = last.events();
    assert_eq!(announced(&mut told).await, ConsensusOutput::Refuse(100));
    first.call(propose(8)).await.expect("it runs");
    let decided = [announced(&mut told).await, announced(&mut also).await];
    assert!(matches!(decided[0], ConsensusOutput::Decide(8 | 9)), "{decided:?}");
    assert_eq!(decided[0], decided[1]);
    assert!(first.suspects().contains(Pid::at(1)) && last.suspects().contains(Pid::at(1)));
}
