//! Tests of the relay, with sockets that stand for nodes.

use super::*;

/// How long a datagram may take before it counts as dropped.
const SOON: Duration = Duration::from_secs(5);

struct Nodes {
    sockets: Vec<UdpSocket>,
    entrances: LinkEntrances,
    relay: LinkRelay,
}

impl Nodes {
    fn new(n: usize) -> Nodes {
        let links = LinkSockets::bind(n, &(0..0)).expect("sockets");
        let open = |_| UdpSocket::bind("127.0.0.1:0").expect("a port");
        let sockets: Vec<UdpSocket> = (0..n).map(open).collect();
        sockets.iter().for_each(|socket| socket.set_read_timeout(Some(SOON)).expect("a timeout"));
        let entrances = links.entrances().expect("addresses");
        let places = sockets.iter().map(|socket| socket.local_addr().expect("an address")).collect();
        Nodes { sockets, entrances, relay: links.relay(places).expect("a relay") }
    }

    fn entrance(&self, from: usize, to: usize) -> SocketAddr {
        self.entrances.entrance(Pid::at(from), Pid::at(to)).expect("a pair")
    }

    fn send(&self, from: usize, to: usize, byte: u8) {
        self.sockets[from].send_to(&[byte], self.entrance(from, to)).expect("sent");
    }

    /// What a node hears next, and from where.
    fn hear(&self, to: usize) -> (u8, SocketAddr) {
        let mut room = [0; 16];
        let (length, from) = self.sockets[to].recv_from(&mut room).expect("a datagram");
        assert_eq!(length, 1);
        (room[0], from)
    }

    fn counts(&self, from: usize, to: usize) -> LinkCounts {
        self.relay.counts(Pid::at(from), Pid::at(to))
    }

    /// Waits until something was done to so many datagrams of a link.
    fn settled(&self, from: usize, to: usize, count: u64) -> LinkCounts {
        let deadline = std::time::Instant::now() + SOON;
        loop {
            let counts = self.counts(from, to);
            if counts.passed + counts.dropped + counts.foreign >= count {
                return counts;
            }
            assert!(std::time::Instant::now() < deadline, "{counts:?}");
            std::thread::yield_now();
        }
    }
}

#[test]
fn what_is_sent_arrives_in_order_from_where_its_receiver_sends_to() {
    let nodes = Nodes::new(3);
    for byte in 0..100 {
        nodes.send(0, 2, byte);
    }
    for byte in 0..100 {
        assert_eq!(nodes.hear(2), (byte, nodes.entrance(2, 0)));
    }
    assert_eq!(nodes.settled(0, 2, 100), LinkCounts { passed: 100, ..LinkCounts::default() });
    assert_eq!(nodes.counts(2, 0), LinkCounts::default());
}

#[test]
fn a_cut_link_drops_in_both_directions_and_a_healed_one_passes_on_again() {
    let nodes = Nodes::new(3);
    let [p0, p1, p2] = [0, 1, 2].map(Pid::at);
    nodes.relay.set_cut(p1, p0, true);
    assert_eq!(nodes.relay.cuts(), [(p0, p1)]);
    assert!(nodes.relay.is_cut(p0, p1) && nodes.relay.is_cut(p1, p0) && !nodes.relay.is_cut(p0, p2));
    nodes.send(0, 1, 1);
    nodes.send(1, 0, 2);
    nodes.send(0, 2, 3);
    assert_eq!(nodes.settled(0, 1, 1), LinkCounts { dropped: 1, ..LinkCounts::default() });
    assert_eq!(nodes.settled(1, 0, 1), LinkCounts { dropped: 1, ..LinkCounts::default() });
    assert_eq!(nodes.hear(2).0, 3);
    nodes.relay.set_cut(p0, p1, false);
    assert!(nodes.relay.cuts().is_empty());
    nodes.send(0, 1, 4);
    nodes.send(1, 0, 5);
    // What was dropped does not come later: this is the first that arrives.
    assert_eq!((nodes.hear(1).0, nodes.hear(0).0), (4, 5));
}

#[test]
fn a_partition_cuts_between_groups_and_nowhere_else() {
    let nodes = Nodes::new(4);
    let [p0, p1, p2, p3] = [0, 1, 2, 3].map(Pid::at);
    nodes.relay.set_cut(p0, p1, true);
    nodes.relay.partition(|process| process.index() / 2);
    assert_eq!(nodes.relay.cuts(), [(p0, p2), (p0, p3), (p1, p2), (p1, p3)]);
    nodes.relay.partition(|_| 0);
    assert!(nodes.relay.cuts().is_empty());
}

#[test]
fn what_comes_from_elsewhere_is_dropped_and_counted_apart() {
    let nodes = Nodes::new(2);
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("a port");
    stranger.send_to(b"x", nodes.entrance(0, 1)).expect("sent");
    nodes.settled(0, 1, 1);
    nodes.send(0, 1, 7);
    assert_eq!(nodes.hear(1).0, 7);
    assert_eq!(nodes.settled(0, 1, 2), LinkCounts { passed: 1, foreign: 1, dropped: 0 });
}

#[test]
fn ports_of_nodes_are_left_free_and_only_pairs_have_an_entrance() {
    let range = 0..45_000;
    let links = LinkSockets::bind(2, &range).expect("sockets");
    let entrances = links.entrances().expect("addresses");
    for (from, to) in pairs(2) {
        let entrance = entrances.entrance(Pid::at(from), Pid::at(to)).expect("a pair");
        assert!(!range.contains(&u32::from(entrance.port())), "{entrance}");
    }
    assert_eq!(entrances.entrance(Pid::at(1), Pid::at(1)), None);
    assert_eq!(entrances.entrance(Pid::at(0), Pid::at(2)), None);
}
