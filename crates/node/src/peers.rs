//! The knowledge of a node about each peer: its address, the last message from it and to it, and how long the way takes.
//! Where all peers are known from the start nothing here grows; in an open cluster there is one place for each member.

use crate::counters::PeerCounters;
use crate::event::PeerEvidence;
use crate::wire::{Gaps, Stamp};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use watchkeeper_core::Pid;

/// The bit of a stamp's `held` that says that the datagram answers the one whose stamp it echoes.
const REPLY: u64 = 1 << 63;

/// How long a measured difference between two clocks is kept before a newer one replaces it, though that may
/// be less exact: clocks drift.
const OFFSET_LIFETIME: u64 = 60_000_000_000;

/// The peers of a node.
#[derive(Debug)]
pub(crate) struct Peers {
    list: Vec<Option<Box<Peer>>>,
    /// Those from whom something came within a session, in order: there may be many more that nobody has talked to.
    heard_of: Vec<Pid>,
    /// The addresses of all peers, in order.
    addresses: Vec<SocketAddr>,
}

/// One peer.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) address: Option<SocketAddr>,
    /// The last incarnation of it that was found; 0 if none was.
    pub(crate) incarnation: u64,
    pub(crate) left: bool,
    pub(crate) suspected: Option<u64>,
    pub(crate) heard: Option<(&'static str, u64)>,
    pub(crate) probed: Option<(&'static str, u64)>,
    pub(crate) greeted: Option<u64>,
    /// When something last came from it within a session, and when something was first sent to it after that.
    pub(crate) seen: Option<u64>,
    pub(crate) unanswered: Option<u64>,
    /// In an open cluster: until when it is greeted, and when it was last.
    pub(crate) wanted_until: u64,
    pub(crate) asked: Option<u64>,
    /// What was measured of it, once anything was.
    pub(crate) counted: Option<Arc<PeerCounters>>,
    /// Once something came from it within a session: it is large, and most members of a large cluster are never talked to.
    pub(crate) gaps: Option<Box<Gaps>>,
    pub(crate) lost: u64,
    /// The last stamp that came from it, and when.
    stamp: Option<(u64, u64)>,
    /// Round trips: the last, the shortest, the longest.
    pub(crate) round_trip: Option<[u64; 3]>,
    offset: Option<Offset>,
    pub(crate) worst_delay: Option<u64>,
}

/// The clock of a peer against one's own.
#[derive(Clone, Copy, Debug)]
struct Offset {
    /// What its clock shows minus what one's own shows.
    ahead: i64,
    /// How wrong that may be, to either side.
    error: u64,
    measured: u64,
}

/// What a stamp tells of the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PathTimes {
    /// How long a datagram there and one back were on their way, without what lay between them.
    pub(crate) travel: Option<u64>,
    /// How long a message and this answer to it took.
    pub(crate) round_trip: Option<u64>,
    /// How long this datagram took at least.
    pub(crate) delay: Option<u64>,
}

impl Peers {
    pub(crate) fn new(configured: &[(Pid, Option<SocketAddr>)]) -> Peers {
        let mut peers =
            Peers { list: Vec::new(), heard_of: Vec::new(), addresses: Vec::with_capacity(configured.len()) };
        for &(peer, address) in configured {
            peers.place(peer, address);
        }
        peers.list_addresses();
        peers
    }

    fn place(&mut self, peer: Pid, address: Option<SocketAddr>) {
        if self.list.len() <= peer.index() {
            self.list.resize_with(peer.index() + 1, || None);
        }
        self.list[peer.index()] = Some(Box::new(Peer::new(address.map(canonical))));
    }

    /// A member of an open cluster is reached here. Addresses are not listed there: whoever asks is answered by what it
    /// seals.
    pub(crate) fn settle(&mut self, peer: Pid, address: SocketAddr) {
        match self.get_mut(peer) {
            Some(known) => known.address = Some(canonical(address)),
            None => self.place(peer, Some(address)),
        }
    }

    /// A member of an open cluster is no more.
    pub(crate) fn remove(&mut self, peer: Pid) {
        if let Some(place) = self.list.get_mut(peer.index()) {
            *place = None;
        }
        self.heard_of.retain(|other| *other != peer);
    }

    /// A datagram of this number was admitted from a peer.
    pub(crate) fn saw(&mut self, peer: Pid, number: u64, now: u64) {
        let Some(known) = self.get_mut(peer) else { return };
        let is_first = known.gaps.is_none();
        known.gaps.get_or_insert_default().saw(number, now);
        if is_first && let Err(place) = self.heard_of.binary_search(&peer) {
            self.heard_of.insert(place, peer);
        }
    }

    /// The next peer from `from` on from whom something came within a session.
    pub(crate) fn next_heard_of(&self, from: usize) -> Option<Pid> {
        self.heard_of.get(self.heard_of.partition_point(|peer| peer.index() < from)).copied()
    }

    /// Whether this is the address of a peer.
    pub(crate) fn has_address(&self, address: SocketAddr) -> bool {
        self.addresses.binary_search(&canonical(address)).is_ok()
    }

    /// A peer is reached elsewhere from now on. False if it was reached there before, or is none.
    pub(crate) fn readdress(&mut self, peer: Pid, address: SocketAddr) -> bool {
        let address = Some(canonical(address));
        let Some(known) = self.get_mut(peer).filter(|known| known.address != address) else { return false };
        known.address = address;
        self.list_addresses();
        true
    }

    /// Forgets what was measured of the peers and whether they leave: somebody may have said it in their names.
    pub(crate) fn doubt(&mut self) {
        self.heard_of.clear();
        for known in self.list.iter_mut().flatten() {
            let Peer { address, incarnation, suspected, heard, probed, greeted, .. } = **known;
            let Peer { seen, unanswered, wanted_until, asked, .. } = **known;
            let counted = known.counted.take();
            let kept = Peer { incarnation, suspected, heard, probed, greeted, counted, ..Peer::new(address) };
            **known = Peer { seen, unanswered, wanted_until, asked, ..kept };
        }
    }

    fn list_addresses(&mut self) {
        self.addresses.clear();
        self.addresses.extend(self.list.iter().flatten().filter_map(|peer| peer.address));
        self.addresses.sort_unstable();
    }

    /// The numbers of all peers, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Pid> {
        self.iter().map(|(peer, _)| peer)
    }

    pub(crate) fn get(&self, peer: Pid) -> Option<&Peer> {
        self.list.get(peer.index())?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, peer: Pid) -> Option<&mut Peer> {
        self.list.get_mut(peer.index())?.as_deref_mut()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Pid, &Peer)> {
        self.list.iter().enumerate().filter_map(|(number, peer)| Pid::member(number).zip(peer.as_deref()))
    }
}

impl Peer {
    fn new(address: Option<SocketAddr>) -> Peer {
        Peer {
            address,
            incarnation: 0,
            left: false,
            suspected: None,
            heard: None,
            probed: None,
            greeted: None,
            seen: None,
            unanswered: None,
            wanted_until: 0,
            asked: None,
            counted: None,
            gaps: None,
            lost: 0,
            stamp: None,
            round_trip: None,
            offset: None,
            worst_delay: None,
        }
    }

    /// A session has opened with this incarnation of the peer. If it is a new one, which is returned, what was known of its
    /// clock and its numbers is void.
    pub(crate) fn found(&mut self, incarnation: u64) -> bool {
        let reborn = self.incarnation != incarnation;
        if reborn {
            self.gaps.iter_mut().for_each(|gaps| gaps.restart());
            (self.left, self.stamp, self.offset) = (false, None, None);
            self.incarnation = incarnation;
        }
        reborn
    }

    /// The stamp for a datagram that leaves now.
    pub(crate) fn stamped(&mut self, now: u64, reply: bool) -> Stamp {
        self.unanswered.get_or_insert(now);
        let (echo, held) = self.stamp.map_or((0, 0), |(echo, came)| (echo, now.saturating_sub(came)));
        let answers = if reply && echo != 0 { REPLY } else { 0 };
        Stamp { sent: now, echo, held: held & !REPLY | answers }
    }

    /// Takes down the stamp of a datagram that came some time ago, nobody knows when.
    pub(crate) fn noted(&mut self, now: u64, stamp: &Stamp) -> PathTimes {
        (self.seen, self.unanswered) = (Some(now), None);
        self.stamp = Some((stamp.sent, now));
        PathTimes::default()
    }

    /// Takes in the stamp of a datagram that came now.
    pub(crate) fn measure(&mut self, now: u64, stamp: &Stamp) -> PathTimes {
        self.noted(now, stamp);
        let mut measured = PathTimes::default();
        let (held, answers) = (stamp.held & !REPLY, stamp.held & REPLY != 0);
        // An honest peer echoes what it was sent; anything else is not a measurement.
        if stamp.echo != 0 && stamp.echo <= now && held <= now - stamp.echo {
            let there_and_back = now - stamp.echo;
            if answers {
                measured.round_trip = Some(there_and_back);
                let [_, least, most] = self.round_trip.unwrap_or([0, u64::MAX, 0]);
                self.round_trip = Some([there_and_back, least.min(there_and_back), most.max(there_and_back)]);
            }
            measured.travel = Some(there_and_back - held);
            self.compare(now, stamp, held, there_and_back - held);
        }
        if let Some(Offset { ahead, error, measured: then }) = self.offset {
            let error = error + drift(now.saturating_sub(then));
            let took = i128::from(now) - (i128::from(stamp.sent) - i128::from(ahead));
            let least = (took - i128::from(error)).clamp(0, i128::from(u64::MAX)) as u64;
            measured.delay = Some(least);
            self.worst_delay = Some(self.worst_delay.unwrap_or(0).max(least));
        }
        measured
    }

    /// Compares the clocks by one exchange of which `travel` was spent on the way: the shorter, the more exact.
    fn compare(&mut self, now: u64, stamp: &Stamp, held: u64, travel: u64) {
        let better = self.offset.is_none_or(|offset| {
            travel / 2 <= offset.error || now.saturating_sub(offset.measured) > OFFSET_LIFETIME
        });
        if better {
            let arrived = i128::from(stamp.sent) - i128::from(held);
            let ahead = ((arrived - i128::from(stamp.echo)) + (i128::from(stamp.sent) - i128::from(now))) / 2;
            let ahead = ahead.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
            self.offset = Some(Offset { ahead, error: travel / 2 + drift(held), measured: now });
        }
    }

    /// What is known of the peer, as evidence.
    pub(crate) fn about(&self, peer: Pid, now: u64) -> PeerEvidence {
        PeerEvidence {
            peer,
            name: None,
            heard: self.heard.map(|(kind, at)| (kind, ago(now, at))),
            probed: self.probed.map(|(kind, at)| (kind, ago(now, at))),
            round_trip: self.round_trip.map(|[last, ..]| Duration::from_nanos(last)),
            left: self.left,
        }
    }
}

/// An address of IPv4 in the form of IPv6 is an address of IPv4: a socket for both shows it so.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// How far two clocks may have drifted apart in this time: a part in ten thousand, more than quartz does.
fn drift(time: u64) -> u64 {
    time / 10_000
}

/// How long ago that was.
pub(crate) fn ago(now: u64, then: u64) -> Duration {
    Duration::from_nanos(now.saturating_sub(then))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn peer() -> Peer {
        Peer::new(None)
    }

    #[test]
    fn a_peer_is_known_by_the_address_that_it_has_now() {
        let at = |text: &str| text.parse::<SocketAddr>().expect("an address");
        let mut peers = Peers::new(&[(Pid::at(1), Some(at("[::ffff:10.0.0.1]:7"))), (Pid::at(2), None)]);
        assert!(peers.has_address(at("10.0.0.1:7")) && peers.has_address(at("[::ffff:10.0.0.1]:7")));
        assert!(!peers.has_address(at("10.0.0.1:8")) && !peers.has_address(at("10.0.0.2:7")));
        assert!(peers.readdress(Pid::at(2), at("10.0.0.2:7")) && peers.has_address(at("10.0.0.2:7")));
        assert!(!peers.readdress(Pid::at(2), at("10.0.0.2:7")), "nothing has changed");
        assert!(peers.readdress(Pid::at(1), at("10.0.0.3:7")) && !peers.has_address(at("10.0.0.1:7")));
        assert!(!peers.readdress(Pid::at(5), at("10.0.0.5:7")), "no peer");
    }

    /// The memory of a member that nobody has talked to is small, and nothing looks at it all the time.
    #[test]
    fn losses_are_looked_for_where_something_came() {
        let pid = |number| Pid::member(number).expect("a member");
        let mut peers = Peers::new(&[]);
        for number in 0..1000 {
            peers.settle(pid(number), SocketAddr::from(([10, 0, 0, 1], 7)));
        }
        assert!(peers.iter().all(|(_, known)| known.gaps.is_none()) && peers.next_heard_of(0).is_none());
        for (number, peer) in [(1, 700), (1, 30), (2, 700)] {
            peers.saw(pid(peer), number, MS);
        }
        assert_eq!((peers.next_heard_of(0), peers.next_heard_of(31)), (Some(pid(30)), Some(pid(700))));
        assert_eq!(peers.next_heard_of(701), None);
        peers.remove(pid(30));
        assert_eq!(peers.next_heard_of(0), Some(pid(700)));
    }

    /// Numbers up to the last, a clock that is far off and a farewell, all of them lies.
    #[test]
    fn what_was_said_in_the_name_of_a_peer_is_forgotten() {
        let mut peers = Peers::new(&[(Pid::at(1), None)]);
        let known = peers.get_mut(Pid::at(1)).expect("a peer");
        (known.left, known.heard) = (known.found(7), Some(("answer", 3 * MS)));
        known.measure(10 * MS, &Stamp { sent: 1, echo: 10 * MS, held: REPLY });
        for (number, now) in [(1, MS), (u64::MAX, 2 * MS)] {
            known.gaps.get_or_insert_default().saw(number, now);
        }
        known.lost = known.gaps.get_or_insert_default().lost(20 * MS, MS);
        assert!(known.lost > 1 << 63 && known.offset.is_some() && known.round_trip.is_some());
        peers.doubt();
        let known = peers.get_mut(Pid::at(1)).expect("a peer");
        assert_eq!((known.left, known.lost, known.round_trip), (false, 0, None));
        assert!(known.offset.is_none() && known.stamp.is_none());
        assert_eq!(known.heard, Some(("answer", 3 * MS)));
        assert!(!known.found(7), "it is in the same incarnation");
        // Losses are found again.
        for (number, now) in [(40, 20 * MS), (42, 21 * MS)] {
            known.gaps.get_or_insert_default().saw(number, now);
        }
        assert_eq!(known.gaps.get_or_insert_default().lost(30 * MS, MS), 1);
    }

    /// Two nodes whose clocks differ by an hour; the way there takes 3 ms, the way back 5 ms.
    #[test]
    fn round_trips_are_exact_and_delays_are_never_overstated() {
        let hour = 3_600_000 * MS;
        let (mut here, mut there) = (peer(), peer());
        let question = here.stamped(1000 * MS, false);
        assert_eq!(there.measure(hour + 1003 * MS, &question), PathTimes::default());
        let answer = there.stamped(hour + 1005 * MS, true);
        let measured = here.measure(1010 * MS, &answer);
        assert_eq!(measured.round_trip, Some(10 * MS));
        // It took 5 ms; what can be told from here is 8 ms for both ways, so at least 0 for this one.
        assert_eq!(measured.delay, Some(0));
        let late = Stamp { sent: hour + 2000 * MS, echo: 0, held: 0 };
        let delay = here.measure(2050 * MS, &late).delay.expect("clocks were compared");
        assert!((42 * MS..=50 * MS).contains(&delay), "{delay}");
    }

    #[test]
    fn a_datagram_that_is_no_answer_is_no_round_trip() {
        let (mut here, mut there) = (peer(), peer());
        there.measure(5 * MS, &here.stamped(4 * MS, false));
        assert_eq!(here.measure(900 * MS, &there.stamped(899 * MS, false)).round_trip, None);
    }

    #[test]
    fn stamps_that_cannot_be_are_no_measurement() {
        let mut here = peer();
        for stamp in [
            Stamp { sent: 1, echo: u64::MAX, held: 0 },
            Stamp { sent: u64::MAX, echo: 5, held: u64::MAX },
            Stamp { sent: 0, echo: 0, held: u64::MAX },
        ] {
            assert_eq!(here.measure(10, &stamp), PathTimes::default());
        }
    }
}
