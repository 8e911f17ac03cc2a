//! How members of an open cluster learn of each other: news goes to a few others at once, which pass it on. Sessions are
//! made with whom the protocol sends to, when it does.

use super::comparing::{FRESH, ROOM};
use super::{MS, Node};
use crate::directory::{Learnt, birth, gives_way, same_life, supersedes};
use crate::event::{JoinFailure, NodeEventKind};
use crate::wire::{DatagramKind, DirectoryEntry, MemberName};
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

    /// A member has shown that it is there, and said who it is. What others have said of it may be too new for its own
    /// entry to be believed: then it is made anew, and its member told.
    pub(super) fn introduced_itself(&mut self, now: u64, entry: &DirectoryEntry) {
        let Some(membership) = self.membership.as_deref() else { return };
        let revived = membership.directory.revived(entry);
        self.learn(now, revived.as_ref().unwrap_or(entry), true);
        if let Some(revived) = revived {
            self.send_entries(now, entry.number, &[revived]);
        }
        self.met_namesake(now, entry);
    }

    /// Takes in what is said of a member, and passes it on if it is new and asked to.
    pub(super) fn learn(&mut self, now: u64, entry: &DirectoryEntry, pass_on: bool) {
        if Some(entry.number) == self.me {
            return self.contradicted(now, entry);
        }
        if let Some(gone) = self.own_past(entry) {
            return self.take_in(now, &gone, true);
        }
        self.take_in(now, entry, pass_on);
    }

    /// What to say of an entry that is of this node under a number that it does not have: there is nobody of that number.
    fn own_past(&self, entry: &DirectoryEntry) -> Option<DirectoryEntry> {
        let (membership, me) = self.membership.as_deref().zip(self.me)?;
        let mine = membership.entry(me, self.sessions.incarnation());
        let is_past = entry.place == mine.place && !entry.left && membership.joining.is_none();
        let version = entry.version.saturating_add(1);
        is_past.then(|| DirectoryEntry { left: true, version, ..entry.clone() })
    }

    fn take_in(&mut self, now: u64, entry: &DirectoryEntry, pass_on: bool) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let before = match membership.directory.learn(entry) {
            Learnt::Nothing => return,
            Learnt::New => None,
            Learnt::Instead(before) => Some(before),
        };
        if pass_on {
            membership.rumour(entry.number);
        }
        let is_namesake = entry.place.name == membership.place.name;
        // Who has left before it was known is kept, so that nobody else gets its number, and that is all.
        if entry.left && before.is_none() {
            return;
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
        let moved = before.is_none_or(|before| !same_life(&before, entry));
        if entry.left && !had_left {
            self.tell(now, NodeEventKind::PeerLeft { peer: member });
        } else if !entry.left && (moved || had_left) {
            let (peer, incarnation) = (member, entry.incarnation);
            let (name, address) = (place.name.clone(), place.address);
            self.tell(now, NodeEventKind::MemberLearnt { peer, name, address, incarnation });
        }
        if is_namesake && !entry.left {
            self.reach(now, member);
        }
    }

    /// A session has opened with a member. If it has the name of this node and was there first, this node has to go.
    fn met_namesake(&mut self, now: u64, entry: &DirectoryEntry) {
        let incarnation = self.sessions.incarnation();
        let Some(membership) = self.membership.as_deref().filter(|known| known.joining.is_none()) else {
            return;
        };
        let is_namesake = entry.place.name == membership.place.name && Some(entry.number) != self.me;
        if is_namesake
            && (birth(entry.incarnation), entry.number)
                < (birth(incarnation), self.me.unwrap_or(entry.number))
        {
            self.name_in_use(now);
        }
    }

    fn name_in_use(&mut self, now: u64) {
        let Some(membership) = self.membership.as_deref().filter(|_| self.end_at.is_none()) else { return };
        let name = membership.place.name.clone();
        self.tell(now, NodeEventKind::NotJoined(JoinFailure::NameInUse(name)));
        self.end_at = Some((now, "name-in-use"));
    }

    /// Others say something of this node itself that is not so.
    fn contradicted(&mut self, now: u64, entry: &DirectoryEntry) {
        let incarnation = self.sessions.incarnation();
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let mine = membership.entry(entry.number, incarnation);
        if *entry == mine || membership.joining.is_some() {
            return;
        }
        if !supersedes(entry, &mine) {
            if entry.version == mine.version || entry.place.name != mine.place.name {
                membership.rumour(mine.number);
            }
            return;
        }
        if !gives_way(entry, &mine) {
            return self.number_taken(now);
        }
        let confirms = same_life(entry, &mine) && !entry.left;
        // Two nodes of one name: the one that was there first stays.
        let elsewhere = entry.place.address != mine.place.address && entry.incarnation != incarnation;
        if elsewhere && !entry.left && birth(entry.incarnation) < birth(incarnation) {
            return self.name_in_use(now);
        }
        membership.version = entry.version.saturating_add(u32::from(!confirms));
        let mine = membership.entry(mine.number, incarnation);
        membership.directory.learn(&mine);
        membership.rumour(mine.number);
        self.sessions.settle(&mine);
    }

    /// What is known of the peers begins anew, and the directory goes on to say who has left.
    pub(super) fn mark_left(&mut self) {
        let Some(membership) = self.membership.as_deref() else { return };
        for gone in membership.directory.iter().filter(|entry| entry.left) {
            self.peers.get_mut(gone.number).into_iter().for_each(|peer| peer.left = true);
        }
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
}
