//! A node whose numbers come to their end ends with them.

use super::*;
use crate::wire::ClusterKey;
use watchkeeper_protocols::ring::Ring;

#[test]
fn a_node_ends_when_its_numbers_do_and_says_why() {
    let mut config = NodeConfig::new(Pid::at(0));
    config.peers = vec![(Pid::at(1), Some(SocketAddr::from(([127, 0, 0, 1], 7001))))];
    config.cluster = "test".to_string();
    config.keys = Some(KeyRing::new((crate::KeyId(1), ClusterKey::from_bytes([7; 32]).expect("a key"))));
    let start = NodeStart {
        now: 0,
        clock: SystemClocks::default(),
        clock_name: "virtual".to_string(),
        entropy: [1; 32],
    };
    let mut node = Node::new(Ring::new(2, 10).expect("a ring"), config, start).expect("a node");
    node.sessions.leave_greetings(1);
    node.handle_timeout(0);
    assert!(!node.has_ended() && node.transmits().len() == 1);
    node.handle_timeout(100 * MS);
    assert!(node.has_ended() && node.next_timeout().is_none());
    let events: Vec<_> = std::iter::from_fn(|| node.poll_event()).map(|event| event.kind).collect();
    assert_eq!(events, [NodeEventKind::NumbersUsedUp, NodeEventKind::Ended]);
    // The last number was used, and nothing after it.
    let last = node.transmits().last().map(|transmit| transmit.datagram[23..31].to_vec());
    assert_eq!(last, Some(crate::wire::LAST_NUMBER.to_be_bytes().to_vec()));
    node.handle_timeout(200 * MS);
    assert_eq!(node.transmits().len(), 1);
}
