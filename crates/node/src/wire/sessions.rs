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
    Challenge, ClusterId, DatagramHeader, DatagramKind, DatagramRefusal, DirectoryEntry, GREETING_LEN,
    GreetingOutcome, HEADER_LEN, Hello, KeyId, KeyRing, LEAST_DATAGRAM, MAX_DATAGRAM, OpenedDatagram,
    Opening, SealError, Stamp,
};
use watchkeeper_core::{MemberSet, Pid};

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
    /// Unknown before a node of an open cluster has joined it.
    me: Option<Pid>,
    pub(super) cluster: ClusterId,
    incarnation: u64,
    /// The current key is the first.
    pub(super) ring: Vec<RingCipher>,
    /// Keys of the ring that were the current one before.
    replaced: Vec<KeyId>,
    pub(super) drawer: Drawer,
    pub(super) salt: Challenge,
    /// How many greetings and requests to join were sealed in this incarnation, to whomever.
    greetings: u64,
    /// How this node introduces itself in greetings: nothing, where all peers are known from the start. Whoever introduces
    /// itself takes greetings of others that do, too.
    introduction: Vec<u8>,
    /// Whether numbers for a peer, or for greetings, are used up.
    used_up: bool,
    /// Of each peer, by its number.
    table: Vec<Option<Box<PeerSessions>>>,
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

impl Sessions {
    /// For the node `me` in this incarnation. All randomness that it ever needs comes from `entropy`, which must
    /// never have been given to a node before. The node itself is never one of its peers.
    pub fn new(
        cluster: ClusterId,
        keys: &KeyRing,
        me: Pid,
        incarnation: u64,
        peers: impl Into<MemberSet>,
        entropy: [u8; 32],
    ) -> Sessions {
        let mut sessions = Sessions::unnumbered(cluster, keys, incarnation, entropy);
        sessions.me = Some(me);
        for peer in peers.into().iter() {
            sessions.add(peer);
        }
        sessions
    }

    /// For a node that has no number and no peers yet.
    pub fn unnumbered(cluster: ClusterId, keys: &KeyRing, incarnation: u64, entropy: [u8; 32]) -> Sessions {
        let mut drawer = Drawer::new(entropy);
        let salt = drawer.draw();
        Sessions {
            me: None,
            cluster,
            incarnation: incarnation.max(1),
            ring: ciphers(keys),
            replaced: Vec::new(),
            drawer,
            salt,
            greetings: 0,
            introduction: Vec::new(),
            used_up: false,
            table: Vec::new(),
        }
    }

    /// The node has the number of this entry from now on, and introduces itself with it in greetings. Sessions and challenges
    /// under another number are over.
    pub fn settle(&mut self, entry: &DirectoryEntry) {
        if self.me != Some(entry.number) {
            self.start_over();
        }
        self.me = Some(entry.number);
        self.introduction.clear();
        entry.write(&mut self.introduction);
    }

    /// Talks to this peer from now on, if it does not yet.
    pub fn add(&mut self, peer: Pid) {
        if Some(peer) == self.me || self.peer(peer).is_some() {
            return;
        }
        if self.table.len() <= peer.index() {
            self.table.resize_with(peer.index() + 1, || None);
        }
        let challenge = self.drawer.draw();
        self.table[peer.index()] =
            Some(Box::new(PeerSessions { challenge, current: None, previous: None, sent: 0 }));
    }

    /// Forgets the sessions with a peer. Its numbers go on, so that none comes twice.
    pub fn forget(&mut self, peer: Pid) {
        if let Some(peer) = self.peer_mut(peer) {
            (peer.current, peer.previous) = (None, None);
        }
    }

    /// Ends all sessions, and draws new challenges: what was said to this node so far is not for it any more.
    pub fn start_over(&mut self) {
        for peer in self.table.iter_mut().flatten() {
            (peer.current, peer.previous, peer.challenge) = (None, None, self.drawer.draw());
        }
    }

    /// Forgets a peer that nothing was ever sent to, so that no number comes twice.
    pub fn remove(&mut self, peer: Pid) {
        if let Some(place) = self.table.get_mut(peer.index()) {
            place.take_if(|known| known.current.is_none() && known.sent == 0);
        }
    }

    /// Whether nodes may join that nobody knew at the start.
    fn is_open_cluster(&self) -> bool {
        self.me.is_none() || !self.introduction.is_empty()
    }

    /// Whether a peer was given this challenge, for the session that is open or for the next.
    pub fn has_given(&self, challenge: Challenge) -> bool {
        let current = |known: &PeerSessions| known.current.as_ref().map(|session| session.mine);
        let mut given = self.peers().flat_map(|(_, known)| [Some(known.challenge), current(known)]);
        given.any(|given| given == Some(challenge))
    }

    fn peer(&self, peer: Pid) -> Option<&PeerSessions> {
        self.table.get(peer.index())?.as_deref()
    }

    fn peer_mut(&mut self, peer: Pid) -> Option<&mut PeerSessions> {
        self.table.get_mut(peer.index())?.as_deref_mut()
    }

    fn peers(&self) -> impl Iterator<Item = (Pid, &PeerSessions)> {
        let known = self.table.iter().enumerate();
        known.filter_map(|(number, peer)| Pid::member(number).zip(peer.as_deref()))
    }

    /// The incarnation that this node is in.
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Whether a session is open with this peer.
    pub fn is_open(&self, peer: Pid) -> bool {
        self.peer(peer).is_some_and(|peer| peer.current.is_some())
    }

    /// The incarnation of this peer; 0 if no session is open with it.
    pub fn peer_incarnation(&self, peer: Pid) -> u64 {
        let session = self.peer(peer).and_then(|peer| peer.current.as_ref());
        session.map_or(0, |session| session.incarnation)
    }

    /// The peers with whom a session is open.
    pub fn open_with(&self) -> MemberSet {
        self.peers().filter(|(_, known)| known.current.is_some()).map(|(peer, _)| peer).collect()
    }

    /// The peers to be greeted: no session is open with them, or none that comes from the current key, or they have not
    /// shown yet that they have it too.
    pub fn to_greet(&self) -> MemberSet {
        let unsettled = |peer: &Pid| self.greetings_to(*peer).iter().any(Option::is_some);
        self.peers().map(|(peer, _)| peer).filter(unsettled).collect()
    }

    /// The greetings that a peer should be given now, each with the key to seal it with. One says again that a session is
    /// open, to a peer that may have missed it: as long as it holds another session, it would not ask. One asks for a
    /// session under the current key.
    pub fn greetings_to(&self, peer: Pid) -> [Option<(KeyId, Hello)>; 2] {
        let (incarnation, current) = (self.incarnation, self.ring[0].id);
        let Some(PeerSessions { current: session, .. }) = self.peer(peer) else { return [None; 2] };
        let again = session.as_ref().filter(|session| !session.confirmed).map(|session| {
            let Session { key, mine, theirs, .. } = session;
            (*key, Hello { incarnation, mine: *mine, yours: *theirs, open: true })
        });
        let wanted = session.as_ref().is_none_or(|session| session.key != current);
        [again, wanted.then(|| self.greeting_anew(peer)).flatten()]
    }

    /// The greeting that asks a peer for a session, whether or not one is open: the peer may have forgotten that one.
    pub fn greeting_anew(&self, peer: Pid) -> Option<(KeyId, Hello)> {
        let (incarnation, mine) = (self.incarnation, self.peer(peer)?.challenge);
        Some((self.ring[0].id, Hello { incarnation, mine, yours: Challenge::NONE, open: false }))
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
        for peer in self.table.iter_mut().flatten() {
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
        match DatagramHeader::kind(head, self.cluster)? {
            DatagramKind::Join | DatagramKind::Answer if self.is_open_cluster() => {
                return self.open_join(datagram);
            }
            DatagramKind::Join | DatagramKind::Answer => return Err(DatagramRefusal::Kind),
            _ => {}
        }
        let header = DatagramHeader::read(head, self.cluster, self.me)?;
        let greets = header.kind == DatagramKind::Hello;
        if self.peer(header.sender).is_none() && (self.introduction.is_empty() || !greets) {
            return Err(DatagramRefusal::UnknownSender);
        }
        if greets { self.open_greeting(header, datagram) } else { self.open_in_session(header, datagram) }
    }

    fn open_greeting<'a>(
        &self,
        header: DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        let longest = if self.introduction.is_empty() { GREETING_LEN } else { MAX_DATAGRAM };
        if datagram.len() < GREETING_LEN {
            return Err(DatagramRefusal::TooShort);
        }
        if datagram.len() > longest {
            return Err(DatagramRefusal::TooLong);
        }
        let cipher = self.ring.iter().find(|cipher| cipher.id == header.key);
        let cipher = cipher.ok_or(DatagramRefusal::UnknownKey)?;
        let opened = cipher.open_greeting(&header, datagram).ok_or(DatagramRefusal::Forged)?;
        let (stamp, hello, mut rest) = opened;
        let (from, key) = (header.sender, header.key);
        let introduction = DirectoryEntry::read(&mut rest).filter(|entry| {
            rest.is_empty() && entry.number == from && entry.incarnation == hello.incarnation && !entry.left
        });
        // Whoever is not known from the start says who it is.
        if introduction.is_none() && !self.introduction.is_empty() {
            return Err(DatagramRefusal::Malformed);
        }
        Ok(OpenedDatagram::Greeting { from, key, stamp, hello, introduction })
    }

    fn open_in_session<'a>(
        &mut self,
        header: DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        let peer = self.table.get_mut(header.sender.index()).and_then(Option::as_deref_mut);
        let peer = peer.ok_or(DatagramRefusal::UnknownSender)?;
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
        let (cluster, incarnation) = (self.cluster, self.incarnation);
        let nothing = |answer| GreetingOutcome { opened: Opening::Nothing, answer, confirm: false };
        let Some(cipher) = self.ring.iter().find(|cipher| cipher.id == key) else { return nothing(None) };
        if hello.mine == Challenge::NONE || hello.incarnation == 0 {
            return nothing(None);
        }
        let (current_key, was_replaced) = (self.ring[0].id, self.replaced.contains(&key));
        let peer = self.table.get_mut(from.index()).and_then(Option::as_deref_mut);
        let Some((me, peer)) = self.me.zip(peer) else { return nothing(None) };
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
    pub fn greeting(&mut self, to: Pid, key: KeyId, stamp: &Stamp, hello: &Hello) -> Option<Vec<u8>> {
        let sender = self.me?;
        let number = self.greeting_number()?;
        let cipher = self.ring.iter().find(|cipher| cipher.id == key)?;
        let (kind, key) = (DatagramKind::Hello, cipher.id);
        let header = DatagramHeader { kind, key, sender, receiver: to, session: 0, number };
        let (under, introduction) = ((self.cluster, &self.salt.0), &self.introduction);
        Some(cipher.seal_greeting(under, &header, stamp, hello, introduction))
    }

    /// Takes the next number for what is sealed with a cluster key; `None` if all are used up.
    pub(super) fn greeting_number(&mut self) -> Option<u64> {
        if self.greetings >= LAST_NUMBER {
            self.used_up = true;
            return None;
        }
        self.greetings += 1;
        Some(self.greetings)
    }

    /// Takes the next number for a datagram to a peer, to be sealed with it once. `None` if no session is open with it,
    /// or if all numbers are used up.
    pub fn number(&mut self, to: Pid) -> Option<u64> {
        if self.is_open(to) { self.number_ahead(to) } else { None }
    }

    /// The same, also if no session is open yet: what gets the number waits for one.
    pub fn number_ahead(&mut self, to: Pid) -> Option<u64> {
        let peer = self.table.get_mut(to.index())?.as_deref_mut()?;
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
        let (me, peer) = self.me.zip(self.peer(to)).ok_or(SealError::NoSession)?;
        let confirmed = peer.current.as_ref().filter(|session| session.confirmed);
        let session = confirmed.or(peer.previous.as_ref()).or(peer.current.as_ref());
        let session = session.ok_or(SealError::NoSession)?;
        let (key, name) = (session.key, session.name);
        let header = DatagramHeader { kind, key, sender: me, receiver: to, session: name, number };
        Ok(session.cipher.seal(self.cluster, &header, stamp, datagram)?)
    }
}

fn ciphers(keys: &KeyRing) -> Vec<RingCipher> {
    keys.keys().map(|(id, key)| RingCipher::new(id, key)).collect()
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
