//! How members of an open cluster learn of each other: news goes to a few others at once, which pass it on, and now and
//! then two members compare all that they know. Sessions are made with whom the protocol sends to, when it does.

use super::{MS, Node};
use crate::directory::{CLASSES, Digest, Learnt, supersedes};
use crate::event::{JoinFailure, NodeEventKind};
use crate::wire::{
    DatagramKind, DatagramRefusal, DirectoryEntry, HEADER_LEN, MAX_DATAGRAM, MemberName, STAMP_LEN, TAG_LEN,
};
use watchkeeper_core::Pid;

/// For how long a member is greeted after something was to be sent to it.
const WANTED: u64 = 5000 * MS;

/// The least time between two greetings of a member.
const AGAIN: u64 = 100 * MS;

/// How often members that are wanted are greeted.
const GREET: u64 = 250 * MS;

/// How long a member may be silent after something was sent to it before it is greeted anew: it may have forgotten the
/// session.
const SILENCE: u64 = 1000 * MS;

/// How often news is passed on, and to how many.
const RUMOURS: u64 = 100 * MS;
const FANOUT: usize = 3;

/// How often all is compared with another member.
const COMPARE: u64 = 1000 * MS;

/// How many datagrams of entries one comparison sends at most.
const MOST_PARTS: usize = 32;

/// For how long a node that has started compares all that it knows with whomever it meets.
const FRESH: u64 = 10_000 * MS;

/// As many entries as one datagram of news has at most, if not all of them are what all others know.
const FEW: usize = 8;

/// How often it is looked whether members are long gone.
const SWEEP: u64 = 10_000 * MS;

/// How many bytes the body of a datagram has at most.
const ROOM: usize = MAX_DATAGRAM - HEADER_LEN - STAMP_LEN - TAG_LEN;

/// What the first byte of a body says: entries, or a digest that asks to be answered, or one that does not.
const ENTRIES: u8 = 0;
const ASKING: u8 = 1;
const ANSWERING: u8 = 2;

impl Node {
    /// What is to be done from time to time.
    pub(super) fn tend(&mut self, now: u64) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let patience = self.monitor.held_patience(self.tick);
        let late = membership.held.expire(now, patience);
        self.counters.unsent.add(late as u64);
        if membership.joining.is_some() {
            self.ask(now);
        } else if !self.host.has_begun()
            && let Some(me) = self.me
        {
            self.begin_as_member(now, me);
        }
        self.greet_wanted(now);
        self.pass_on(now);
        self.compare(now);
        self.sweep(now);
    }

    /// The name of a member of an open cluster.
    pub(super) fn name(&self, member: Pid) -> Option<&MemberName> {
        self.membership.as_ref()?.directory.get(member).map(|entry| &entry.place.name)
    }

    /// Something is to be sent to a member: a session is made if none is open. False if it is not known where it is.
    pub(super) fn reach(&mut self, now: u64, member: Pid) -> bool {
        let Some(peer) = self.peers.get_mut(member).filter(|peer| peer.address.is_some()) else {
            return false;
        };
        peer.wanted_until = peer.wanted_until.max(now + WANTED);
        self.sessions.add(member);
        if !self.sessions.is_open(member) {
            self.greet(now, member);
            self.hello_at = self.hello_at.min(now + AGAIN);
        }
        true
    }

    /// Greets a member, unless that was done a moment ago.
    fn greet(&mut self, now: u64, member: Pid) {
        let Some(peer) = self.peers.get_mut(member) else { return };
        if peer.asked.is_some_and(|at| now.saturating_sub(at) < AGAIN) {
            return;
        }
        peer.asked = Some(now);
        let silent = peer.unanswered.is_some_and(|since| now.saturating_sub(since) > SILENCE);
        let anew = if silent { self.sessions.greeting_anew(member) } else { None };
        let greetings = self.sessions.greetings_to(member).into_iter().flatten();
        let greetings: Vec<_> = greetings.filter(|_| anew.is_none()).chain(anew).collect();
        for (key, hello) in greetings {
            self.send_greeting(now, member, key, &hello);
        }
    }

    fn greet_wanted(&mut self, now: u64) {
        if now < self.hello_at {
            return;
        }
        self.hello_at = now + GREET;
        let silent = |since: u64| now.saturating_sub(since) > SILENCE;
        let wanted = |(member, peer): (Pid, &crate::peers::Peer)| {
            let unsettled = || self.sessions.greetings_to(member).iter().any(Option::is_some);
            let forgotten = || self.sessions.is_open(member) && peer.unanswered.is_some_and(silent);
            (peer.wanted_until > now && (unsettled() || forgotten())).then_some(member)
        };
        let wanted: Vec<Pid> = self.peers.iter().filter_map(wanted).collect();
        wanted.into_iter().for_each(|member| self.greet(now, member));
    }

    /// Lets a message wait until a session with its receiver is open.
    pub(super) fn hold(&mut self, now: u64, place: usize, number: u64) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let sending = self.outbox.sends[place];
        let given_up = membership.held.hold(now, &sending, number, self.outbox.datagram(&sending));
        self.counters.unsent.add(given_up as u64);
    }

    /// A session has opened with a member: what waited for it is sent.
    pub(super) fn session_opened(&mut self, now: u64, peer: Pid) {
        self.joined_by(now, peer);
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let is_seed = peer.index() < membership.seeds;
        for mut held in membership.held.release(peer) {
            let to = (peer, held.number, held.reply);
            self.send_numbered(now, DatagramKind::Message, to, &mut held.datagram);
        }
        // Whoever has just started, a seed above all, may know less than it should.
        if is_seed || now.saturating_sub(self.started) < FRESH {
            self.send_digest(now, peer, true);
        } else {
            self.send_bare(now, DatagramKind::Begin, peer);
        }
    }

    /// Takes in what is said of a member, and passes it on if it is new and asked to.
    pub(super) fn learn(&mut self, now: u64, entry: &DirectoryEntry, pass_on: bool) {
        if Some(entry.number) == self.me {
            return self.contradicted(now, entry);
        }
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let before = match membership.directory.learn(entry) {
            Learnt::Nothing => return,
            Learnt::New => None,
            Learnt::Instead(before) => Some(before),
        };
        if pass_on {
            membership.rumour(entry.number);
        }
        let (member, place) = (entry.number, &entry.place);
        if before.as_ref().is_some_and(|before| before.place.name != place.name) {
            self.peers.remove(member);
        }
        self.peers.settle(member, place.address);
        if let Some(peer) = self.peers.get_mut(member) {
            peer.left = entry.left;
        }
        let session = self.sessions.peer_incarnation(member);
        if session != 0 && session != entry.incarnation {
            self.sessions.forget(member);
        }
        let had_left = before.as_ref().is_some_and(|before| before.left);
        let moved = before.is_none_or(|before| {
            (before.incarnation, before.place) != (entry.incarnation, entry.place.clone())
        });
        if entry.left && !had_left {
            self.tell(now, NodeEventKind::PeerLeft { peer: member });
        } else if !entry.left && (moved || had_left) {
            let (peer, incarnation) = (member, entry.incarnation);
            let (name, address) = (place.name.clone(), place.address);
            self.tell(now, NodeEventKind::MemberLearnt { peer, name, address, incarnation });
        }
    }

    /// Others say something of this node itself that is not so.
    fn contradicted(&mut self, now: u64, entry: &DirectoryEntry) {
        let incarnation = self.sessions.incarnation();
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let mine = membership.entry(entry.number, incarnation);
        if *entry == mine || membership.joining.is_some() {
            return;
        }
        if entry.place.name != mine.place.name {
            return if supersedes(entry, &mine) {
                self.number_taken(now)
            } else {
                membership.rumour(mine.number)
            };
        }
        if entry.version < mine.version {
            return;
        }
        // Two nodes of one name: the one that was there first stays.
        let elsewhere = entry.place.address != mine.place.address && entry.incarnation != incarnation;
        if elsewhere && !entry.left && entry.incarnation < incarnation {
            self.tell(now, NodeEventKind::NotJoined(JoinFailure::NameInUse(mine.place.name)));
            self.end_at = Some((now, "name-in-use"));
            return;
        }
        membership.version = entry.version.saturating_add(1);
        let mine = membership.entry(mine.number, incarnation);
        membership.directory.learn(&mine);
        membership.rumour(mine.number);
        self.sessions.settle(&mine);
    }

    /// A member says that it leaves. False in a cluster that is not open.
    pub(super) fn farewell_of(&mut self, now: u64, member: Pid, incarnation: u64) -> bool {
        let Some(membership) = self.membership.as_deref() else { return false };
        let known = membership.directory.get(member).filter(|entry| entry.incarnation == incarnation);
        if let Some(entry) = known.map(|entry| DirectoryEntry { left: true, ..entry.clone() }) {
            self.learn(now, &entry, true);
        }
        true
    }

    /// Passes news on to a few members.
    fn pass_on(&mut self, now: u64) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        if now < membership.rumour_at || membership.rumours.is_empty() {
            return;
        }
        membership.rumour_at = now + RUMOURS;
        let open: Vec<Pid> = self.sessions.open_with().iter().collect();
        if open.is_empty() {
            return;
        }
        let chosen: Vec<Pid> = (0..FANOUT).filter_map(|_| membership.random.choice(&open).copied()).collect();
        let mut entries = Vec::new();
        // What was told the least often goes first, as much as there is room for.
        membership.rumours.sort_by_key(|(_, rounds)| std::cmp::Reverse(*rounds));
        let mut room = ROOM - 1;
        for (member, rounds) in &mut membership.rumours {
            let Some(entry) = membership.directory.get(*member) else {
                *rounds = 0;
                continue;
            };
            let Some(left) = room.checked_sub(DirectoryEntry::LONGEST) else { break };
            room = left;
            *rounds -= 1;
            entries.push(entry.clone());
        }
        membership.rumours.retain(|(_, rounds)| *rounds > 0);
        for to in chosen {
            self.send_entries(now, to, &entries);
        }
    }

    /// Compares all with one member, now and then with a seed: one that has started anew must not stay alone.
    fn compare(&mut self, now: u64) {
        let Some((membership, me)) = self.membership.as_deref_mut().zip(self.me) else { return };
        if now < membership.digest_at || membership.joining.is_some() {
            return;
        }
        membership.digest_at = now + COMPARE / 2 + membership.random.u64(..COMPARE);
        let counters = &self.counters;
        let there = |entry: &&DirectoryEntry| {
            entry.number != me && !entry.left && !counters.is_suspected(entry.number)
        };
        let members: Vec<Pid> = membership.directory.iter().filter(there).map(|entry| entry.number).collect();
        let seeds: Vec<Pid> =
            (0..membership.seeds).filter_map(Pid::member).filter(|seed| *seed != me).collect();
        // All members together ask the seeds at most about 16 times in a second.
        let share = (members.len().max(1) as f64 / 16.0).max(4.0);
        let ask_seed = membership.random.f64() * share < 1.0;
        let from = if ask_seed && !seeds.is_empty() { &seeds } else { &members };
        if let Some(member) = membership.random.choice(from).copied() {
            self.send_digest(now, member, true);
        }
    }

    fn sweep(&mut self, now: u64) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        if now < membership.sweep_at {
            return;
        }
        membership.sweep_at = now + SWEEP;
        let counters = &self.counters;
        let me = self.me;
        let gone =
            membership.directory.drop_gone(now, |member| Some(member) != me && counters.is_suspected(member));
        for member in gone {
            self.peers.remove(member);
            self.sessions.forget(member);
        }
    }

    /// Sends a digest of all that is known, if a session is open or as soon as one is.
    pub(super) fn send_digest(&mut self, now: u64, to: Pid, ask: bool) {
        if !self.reach(now, to) {
            return;
        }
        let Some(membership) = self.membership.as_deref() else { return };
        let mut body = vec![if ask { ASKING } else { ANSWERING }];
        body.extend(membership.directory.digest().iter().flat_map(|hash| hash.to_be_bytes()));
        self.send_directory(now, to, &body);
    }

    fn send_entries(&mut self, now: u64, to: Pid, entries: &[DirectoryEntry]) {
        let mut body = vec![ENTRIES];
        for entry in entries {
            entry.write(&mut body);
            if body.len() + DirectoryEntry::LONGEST > ROOM {
                self.send_directory(now, to, &body);
                body.truncate(1);
            }
        }
        if body.len() > 1 {
            self.send_directory(now, to, &body);
        }
    }

    fn send_directory(&mut self, now: u64, to: Pid, body: &[u8]) {
        let mut datagram = vec![0; HEADER_LEN + STAMP_LEN];
        datagram.extend_from_slice(body);
        datagram.resize(datagram.len() + TAG_LEN, 0);
        self.send_in_session(now, DatagramKind::Directory, to, false, &mut datagram);
    }

    /// A member tells what it knows.
    pub(super) fn told(&mut self, now: u64, from: Pid, body: &[u8]) {
        let read = match body.split_first() {
            Some((&ENTRIES, rest)) => entries(rest).map(|entries| {
                // To whoever has just started all is new that others have known for long.
                let pass_on = now.saturating_sub(self.started) >= FRESH || entries.len() <= FEW;
                entries.iter().for_each(|entry| self.learn(now, entry, pass_on));
                self.settled(now, entries.len());
            }),
            Some((&(ASKING | ANSWERING), rest)) => {
                digest(rest).map(|theirs| self.compared(now, from, &theirs, body[0] == ASKING))
            }
            _ => None,
        };
        match read {
            Some(()) => self.counters.greetings.add(1),
            None => self.refuse(DatagramRefusal::Malformed),
        }
    }

    /// A seed that was told of members need not wait any longer for those who know of them.
    fn settled(&mut self, now: u64, told: usize) {
        let numbering = self.membership.as_deref_mut().and_then(|membership| membership.numbering.as_mut());
        if let Some(numbering) = numbering.filter(|_| told > 1) {
            // The rest comes with the same answer.
            numbering.settled_at = numbering.settled_at.min(now + RUMOURS);
        }
    }

    fn compared(&mut self, now: u64, from: Pid, theirs: &Digest, asked: bool) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let mut differing: Vec<DirectoryEntry> =
            membership.directory.differing(theirs).into_iter().cloned().collect();
        let differs = membership.directory.digest() != *theirs;
        // Of more than one comparison can tell, each time others.
        membership.random.shuffle(&mut differing);
        differing.truncate(MOST_PARTS * (ROOM / DirectoryEntry::LONGEST));
        self.send_entries(now, from, &differing);
        if asked && differs {
            self.send_digest(now, from, false);
        } else if asked {
            self.send_bare(now, DatagramKind::Begin, from);
        }
    }
}

fn entries(mut bytes: &[u8]) -> Option<Vec<DirectoryEntry>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        entries.push(DirectoryEntry::read(&mut bytes)?);
    }
    Some(entries)
}

fn digest(bytes: &[u8]) -> Option<Digest> {
    let (hashes, []) = bytes.as_chunks::<8>() else { return None };
    let hashes: &[[u8; 8]; CLASSES] = hashes.try_into().ok()?;
    Some(hashes.map(u64::from_be_bytes))
}
