//! Who talks to whom under which session key, and which numbers have come. A session opens only with a peer that has
//! repeated a challenge of this node, each challenge once, so nothing that was recorded before can open one; whatever
//! else is sealed needs the key of an open session. Nothing changes for a datagram that is refused, and nothing grows.
//!
//! # The handshake
//! A greeting carries its sender's challenge for the next session and the challenge that it has heard from the
//! receiver. Its receiver
//! 1. has that very session open already: it says so again, unless the sender has it open too;
//! 2. finds its own unused challenge in it: the sender is there now. It opens the session, and draws a new challenge;
//! 3. finds neither: it stores nothing, and answers with its own challenge.
//!
//! Whoever has opened a session says so until the other end has shown that it has it too, which that end does at once, and
//! whoever has none asks for one. So an end that still holds a session with an earlier incarnation of the other learns of the new one.
//!
//! Incarnations are names here: they are compared for equality, never for order.

use super::challenge::Drawer;
use super::cipher::{RingCipher, SessionCipher, SessionParts};
use super::window::Window;
use super::{
    Challenge, ClusterId, DatagramHeader, DatagramKind, DatagramRefusal, DatagramTooLong, GREETING_LEN,
    HEADER_LEN, Hello, KeyId, KeyRing, LEAST_DATAGRAM, MAX_DATAGRAM, Stamp,
};
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// The least time, in nanoseconds, between two sessions of the same two incarnations under the same key. A greeting that
/// somebody replays can make both ends open a new one, and messages of all but the last two would be refused.
const RENEWAL: u64 = 1_000_000_000;

/// The numbers of one incarnation end here: whoever has used them up must start anew.
pub const LAST_NUMBER: u64 = 1 << 62;

/// The sessions of one node, with all of its keys.
///
/// # Order of calls
/// [`open`](Sessions::open) for each datagram that arrives. For an [`OpenedDatagram::Greeting`],
/// [`greeted`](Sessions::greeted) follows and says whether an answer is due, which [`greeting`](Sessions::greeting)
/// writes. [`number`](Sessions::number) and then [`seal`](Sessions::seal) for each datagram that is sent within a session.
#[derive(Debug)]
pub struct Sessions {
    me: Pid,
    cluster: ClusterId,
    incarnation: u64,
    peers: ProcSet,
    /// The current key is the first.
    ring: Vec<RingCipher>,
    /// Keys of the ring that were the current one before.
    replaced: Vec<KeyId>,
    drawer: Drawer,
    salt: Challenge,
    /// How many greetings were sealed in this incarnation, to whomever.
    greetings: u64,
    /// Whether numbers for a peer, or for greetings, are used up.
    used_up: bool,
    /// One for each process that there can be, by its number.
    table: Box<[PeerSessions]>,
}

/// What is kept of one peer.
#[derive(Debug)]
struct PeerSessions {
    /// For the next session; never used before.
    challenge: Challenge,
    current: Option<Session>,
    /// The one before, between the same two incarnations: what is under way in it is still taken, and until the peer
    /// has shown that it has the current one, it is sent in.
    previous: Option<Session>,
    /// How many datagrams this node has sent to the peer, greetings not counted.
    sent: u64,
}

#[derive(Debug)]
struct Session {
    /// Its name on the wire.
    name: u64,
    /// The key that it comes from.
    key: KeyId,
    /// The peer's incarnation.
    incarnation: u64,
    /// This node's challenge, and the peer's.
    mine: Challenge,
    theirs: Challenge,
    /// When it was opened.
    opened: u64,
    /// Whether the peer has shown that it has it too.
    confirmed: bool,
    cipher: SessionCipher,
    /// Which numbers of the peer have come.
    window: Window,
}

/// A datagram that is authentic and new.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenedDatagram<'a> {
    /// A greeting. Whether it is new, [`Sessions::greeted`] decides.
    Greeting {
        /// Its sender.
        from: Pid,
        /// The key that it was sealed with.
        key: KeyId,
        /// Its timestamps.
        stamp: Stamp,
        /// What it says.
        hello: Hello,
    },
    /// Anything else: of an open session, and seen for the first time.
    InSession {
        /// Its header.
        header: DatagramHeader,
        /// The incarnation of its sender.
        incarnation: u64,
        /// Its timestamps.
        stamp: Stamp,
        /// Its body.
        body: &'a [u8],
    },
}

/// What became of a greeting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GreetingOutcome {
    /// Whether it opened a session, and if so with whom.
    pub opened: Opening,
    /// The answer to it, if one is due, and the key to seal it with: give both to [`Sessions::greeting`].
    pub answer: Option<(KeyId, Hello)>,
    /// Whether its sender waits to be shown that this node has the session too, by anything that is sent in it: until
    /// then it sends in an earlier one, which this node may have no more.
    pub confirm: bool,
}

/// Whether a greeting opened a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// It did not.
    Nothing,
    /// It did, with an incarnation of the peer that had one before: the key was renewed.
    Renewed,
    /// It did, with an incarnation of the peer that had none.
    New,
}

impl Sessions {
    /// For the node `me` in this incarnation. All randomness that it ever needs comes from `entropy`, which must
    /// never have been given to a node before. The node itself is never one of its peers.
    pub fn new(
        cluster: ClusterId,
        keys: &KeyRing,
        me: Pid,
        incarnation: u64,
        peers: ProcSet,
        entropy: [u8; 32],
    ) -> Sessions {
        let mut drawer = Drawer::new(entropy);
        let salt = drawer.draw();
        let (incarnation, peers) = (incarnation.max(1), peers.without(me));
        let none = |process: usize| {
            let is_peer = peers.contains(Pid::at(process));
            let challenge = if is_peer { drawer.draw() } else { Challenge::NONE };
            PeerSessions { challenge, current: None, previous: None, sent: 0 }
        };
        let table = (0..MAX_PROCESSES).map(none).collect();
        let ring = ciphers(keys);
        Sessions {
            me,
            cluster,
            incarnation,
            peers,
            ring,
            replaced: Vec::new(),
            drawer,
            salt,
            greetings: 0,
            used_up: false,
            table,
        }
    }

    /// The incarnation that this node is in.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Whether a session is open with this peer.
    pub fn is_open(&self, peer: Pid) -> bool {
        self.table[peer.index()].current.is_some()
    }

    /// The incarnation of this peer; 0 if no session is open with it.
    pub fn peer_incarnation(&self, peer: Pid) -> u64 {
        self.table[peer.index()].current.as_ref().map_or(0, |session| session.incarnation)
    }

    /// The peers with whom a session is open.
    pub fn open_with(&self) -> ProcSet {
        self.peers.iter().filter(|peer| self.is_open(*peer)).collect()
    }

    /// The peers to be greeted: no session is open with them, or none that comes from the current key, or they have not
    /// shown yet that they have it too.
    pub fn to_greet(&self) -> ProcSet {
        let unsettled = |peer: &Pid| self.greetings_to(*peer).iter().any(Option::is_some);
        self.peers.iter().filter(unsettled).collect()
    }

    /// The greetings that a peer should be given now, each with the key to seal it with. One says again that a session is
    /// open, to a peer that may have missed it: as long as it holds another session, it would not ask. One asks for a
    /// session under the current key.
    pub fn greetings_to(&self, peer: Pid) -> [Option<(KeyId, Hello)>; 2] {
        let (incarnation, current) = (self.incarnation, self.ring[0].id);
        let PeerSessions { challenge, current: session, .. } = &self.table[peer.index()];
        let again = session.as_ref().filter(|session| !session.confirmed).map(|session| {
            let Session { key, mine, theirs, .. } = session;
            (*key, Hello { incarnation, mine: *mine, yours: *theirs, open: true })
        });
        let first = session.as_ref().is_none_or(|session| session.key != current).then_some((
            current,
            Hello { incarnation, mine: *challenge, yours: Challenge::NONE, open: false },
        ));
        [again, first]
    }

    /// The ids of the ring, the current one first.
    pub fn keys(&self) -> impl Iterator<Item = KeyId> + '_ {
        self.ring.iter().map(|cipher| cipher.id)
    }

    /// Uses another ring, and says whether it lacks a key that was on the one before. Sessions that come from such a key end
    /// here, with all that was learnt in them.
    pub fn rotate(&mut self, keys: &KeyRing) -> bool {
        let ring = ciphers(keys);
        let (before, after) = (&self.ring, &ring);
        let stays = |session: &Session| {
            let of = |ring: &[RingCipher]| ring.iter().position(|cipher| cipher.id == session.key);
            let known = of(before).zip(of(after));
            known.is_some_and(|(before_at, after_at)| before[before_at].is(&after[after_at]))
        };
        for peer in &mut self.table {
            peer.previous.take_if(|session| !stays(session));
            if peer.current.as_ref().is_some_and(|session| !stays(session)) {
                peer.current = peer.previous.take();
            }
        }
        let lacks = before.iter().any(|cipher| !after.iter().any(|other| other.is(cipher)));
        if self.ring[0].id != ring[0].id {
            self.replaced.push(self.ring[0].id);
        }
        self.replaced.retain(|id| *id != ring[0].id && ring.iter().any(|cipher| cipher.id == *id));
        self.ring = ring;
        lacks
    }

    /// Opens a datagram in place: length, version, cluster, kind, receiver, sender, key or session, number and
    /// authenticity are checked in that order, and the first that is wrong is the reason for the refusal.
    ///
    /// To find datagrams that are too long, receive into a buffer of at least one byte more than [`MAX_DATAGRAM`].
    pub fn open<'a>(&mut self, datagram: &'a mut [u8]) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        if datagram.len() < LEAST_DATAGRAM {
            return Err(DatagramRefusal::TooShort);
        }
        if datagram.len() > MAX_DATAGRAM {
            return Err(DatagramRefusal::TooLong);
        }
        let head = datagram.first_chunk::<HEADER_LEN>().ok_or(DatagramRefusal::TooShort)?;
        let header = DatagramHeader::read(head, self.cluster, self.me)?;
        if !self.peers.contains(header.sender) {
            return Err(DatagramRefusal::UnknownSender);
        }
        if header.kind == DatagramKind::Hello {
            self.open_greeting(header, datagram)
        } else {
            self.open_in_session(header, datagram)
        }
    }

    fn open_greeting<'a>(
        &self,
        header: DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        if datagram.len() != GREETING_LEN {
            return Err(if datagram.len() < GREETING_LEN {
                DatagramRefusal::TooShort
            } else {
                DatagramRefusal::TooLong
            });
        }
        let cipher = self.ring.iter().find(|cipher| cipher.id == header.key);
        let cipher = cipher.ok_or(DatagramRefusal::UnknownKey)?;
        let (stamp, hello) = cipher.open_greeting(&header, datagram).ok_or(DatagramRefusal::Forged)?;
        Ok(OpenedDatagram::Greeting { from: header.sender, key: header.key, stamp, hello })
    }

    fn open_in_session<'a>(
        &mut self,
        header: DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        let peer = &mut self.table[header.sender.index()];
        let sessions = peer.current.iter_mut().chain(&mut peer.previous);
        let session =
            { sessions }.find(|session| session.name == header.session && session.key == header.key);
        let Some(session) = session else {
            let known = self.ring.iter().any(|cipher| cipher.id == header.key);
            return Err(if known { DatagramRefusal::Unfamiliar } else { DatagramRefusal::UnknownKey });
        };
        // A replay costs no decryption.
        session.window.check(header.number)?;
        let (stamp, body) = session.cipher.open(&header, datagram).ok_or(DatagramRefusal::Forged)?;
        session.window.mark(header.number);
        session.confirmed = true;
        Ok(OpenedDatagram::InSession { header, incarnation: session.incarnation, stamp, body })
    }

    /// Decides on an authentic greeting that came at this time, in nanoseconds of the node's clock.
    pub fn greeted(&mut self, now: u64, from: Pid, key: KeyId, hello: &Hello) -> GreetingOutcome {
        let (me, cluster, incarnation) = (self.me, self.cluster, self.incarnation);
        let nothing = |answer| GreetingOutcome { opened: Opening::Nothing, answer, confirm: false };
        let Some(cipher) = self.ring.iter().find(|cipher| cipher.id == key) else { return nothing(None) };
        if !self.peers.contains(from) || hello.mine == Challenge::NONE || hello.incarnation == 0 {
            return nothing(None);
        }
        let (current_key, was_replaced) = (self.ring[0].id, self.replaced.contains(&key));
        let peer = &mut self.table[from.index()];
        let hear = |key, mine, open| Some((key, Hello { incarnation, mine, yours: hello.mine, open }));
        let known = peer.current.as_mut().filter(|session| session.incarnation == hello.incarnation);
        if let Some(session) = known {
            // A greeting that has heard nothing yet may be of the session that is open here already.
            let asked = [session.mine, Challenge::NONE].contains(&hello.yours);
            if asked && session.theirs == hello.mine && session.key == key {
                let confirm = hello.open && hello.yours == session.mine;
                session.confirmed |= confirm;
                let answer = (!hello.open).then(|| hear(key, session.mine, true)).flatten();
                return GreetingOutcome { opened: Opening::Nothing, answer, confirm };
            }
            // Whoever has gone on to a newer key does not fall back: two ends that did would undo each other's sessions.
            if was_replaced && session.key == current_key {
                return nothing(hear(current_key, peer.challenge, false));
            }
            if session.confirmed && session.key == key && now.saturating_sub(session.opened) < RENEWAL {
                return nothing(None);
            }
        }
        if hello.yours != peer.challenge {
            return nothing(hear(key, peer.challenge, false));
        }
        let mine = peer.challenge;
        let ends = [(me, mine, incarnation), (from, hello.mine, hello.incarnation)];
        let (name, cipher) = cipher.session(&SessionParts { cluster, ends });
        let session = Session {
            name,
            key,
            incarnation: hello.incarnation,
            mine,
            theirs: hello.mine,
            opened: now,
            confirmed: hello.open,
            cipher,
            window: Window::EMPTY,
        };
        // Sessions of an earlier incarnation of the peer are over; one of this incarnation is being renewed.
        let before = peer.current.replace(session).filter(|before| before.incarnation == hello.incarnation);
        peer.previous.take_if(|previous| previous.incarnation != hello.incarnation);
        let opened = if before.is_some() { Opening::Renewed } else { Opening::New };
        // Of two that were open, the one that the peer is known to have is kept.
        if before.as_ref().is_some_and(|before| before.confirmed) || peer.previous.is_none() {
            peer.previous = before;
        }
        peer.challenge = self.drawer.draw();
        let answer = (!hello.open).then(|| hear(key, mine, true)).flatten();
        GreetingOutcome { opened, answer, confirm: hello.open }
    }

    /// The bytes of a greeting, sealed with this key of the ring. `None` if it is not on the ring, or if all numbers are
    /// used up.
    pub fn greeting(
        &mut self,
        to: Pid,
        key: KeyId,
        stamp: &Stamp,
        hello: &Hello,
    ) -> Option<[u8; GREETING_LEN]> {
        let cipher = self.ring.iter().find(|cipher| cipher.id == key)?;
        if self.greetings >= LAST_NUMBER {
            self.used_up = true;
            return None;
        }
        self.greetings += 1;
        let header = DatagramHeader {
            kind: DatagramKind::Hello,
            key: cipher.id,
            sender: self.me,
            receiver: to,
            session: 0,
            number: self.greetings,
        };
        Some(cipher.seal_greeting(self.cluster, &header, &self.salt.0, stamp, hello))
    }

    /// Takes the next number for a datagram to a peer, to be sealed with it once. `None` if no session is open with it,
    /// or if all numbers are used up.
    pub fn number(&mut self, to: Pid) -> Option<u64> {
        let peer = &mut self.table[to.index()];
        peer.current.as_ref()?;
        if peer.sent >= LAST_NUMBER {
            self.used_up = true;
            return None;
        }
        peer.sent += 1;
        Some(peer.sent)
    }

    /// Whether a number was asked for after the last: then the incarnation must end.
    pub fn is_used_up(&self) -> bool {
        self.used_up
    }

    /// Seals a datagram in place under a number that [`number`](Sessions::number) gave, each once: two bodies under one
    /// number give both away. The datagram has [`HEADER_LEN`] and [`STAMP_LEN`](super::STAMP_LEN) bytes before its body and
    /// [`TAG_LEN`](super::TAG_LEN) bytes behind it, which are written here. One that is refused is left as it was.
    pub fn seal(
        &self,
        kind: DatagramKind,
        to: Pid,
        number: u64,
        stamp: &Stamp,
        datagram: &mut [u8],
    ) -> Result<(), SealError> {
        let peer = &self.table[to.index()];
        let confirmed = peer.current.as_ref().filter(|session| session.confirmed);
        let session = confirmed.or(peer.previous.as_ref()).or(peer.current.as_ref());
        let session = session.ok_or(SealError::NoSession)?;
        let (me, key, name) = (self.me, session.key, session.name);
        let header = DatagramHeader { kind, key, sender: me, receiver: to, session: name, number };
        Ok(session.cipher.seal(self.cluster, &header, stamp, datagram)?)
    }
}

/// The reason why a datagram is not sealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is too long.
    #[error(transparent)]
    TooLong(#[from] DatagramTooLong),
    /// No session is open with its receiver.
    #[error("no session is open with the receiver: greet it first")]
    NoSession,
}

fn ciphers(keys: &KeyRing) -> Vec<RingCipher> {
    keys.keys().map(|(id, key)| RingCipher::new(id, key)).collect()
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
