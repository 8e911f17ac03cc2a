//! How a node becomes a member of an open cluster, and how seeds give out numbers. A request is answered to the address
//! that it names, by a datagram that is no longer; whoever asked becomes a member when it opens a session with the seed,
//! which nothing that was recorded can do.

use super::{MS, Node};
use crate::directory::{gives_way, supersedes};
use crate::event::{JoinFailure, NodeEventKind};
use crate::numbering::Decision;
use crate::settling::Settling;
use crate::status::NodePhase;
use crate::wire::{Challenge, DirectoryEntry, Hello, JoinAnswer, JoinRequest, JoinVerdict, KeyId};
use std::net::SocketAddr;
use watchkeeper_core::Pid;

/// How often a node asks for a number.
const ASK: u64 = 250 * MS;

/// How long the seed that gave a number has to open a session before others are asked.
const GREETING: u64 = 2000 * MS;

/// How often it is told that nobody has given a number yet.
const PROGRESS: u64 = 2000 * MS;

impl Node {
    /// The beginning: a seed founds the cluster under its own number, everybody else has to ask for one.
    pub(super) fn enter(&mut self, now: u64) {
        let Some(membership) = &self.membership else { return };
        self.counters.set_phase(NodePhase::Joining);
        let Some(numbering) = &membership.numbering else { return };
        let (place, addresses) = (numbering.place, membership.configured.clone());
        let Some(me) = Pid::member(place) else { return };
        self.settle(me);
        self.enter_itself(me);
        // The other seeds are known by their addresses, and looked for all the time.
        for (number, address) in addresses.into_iter().enumerate().filter(|(number, _)| *number != place) {
            let Some(seed) = Pid::member(number) else { continue };
            self.peers.settle(seed, address);
            self.sessions.add(seed);
            if let Some(peer) = self.peers.get_mut(seed) {
                peer.wanted_until = u64::MAX;
            }
        }
        self.hello_at = now;
    }

    /// The node has this number.
    fn settle(&mut self, me: Pid) {
        let incarnation = self.sessions.incarnation();
        let Some(membership) = &mut self.membership else { return };
        self.me = Some(me);
        self.counters.set_process(me);
        self.sessions.settle(&membership.entry(me, incarnation));
    }

    /// The node is in its own directory from now on. Not before it is a member: the next number it is given may be
    /// another.
    fn enter_itself(&mut self, me: Pid) {
        let incarnation = self.sessions.incarnation();
        if let Some(membership) = &mut self.membership {
            let entry = membership.entry(me, incarnation);
            membership.directory.learn(&entry);
        }
    }

    /// Asks for a number when it is time to, and gives up when it has asked for long enough.
    pub(super) fn ask(&mut self, now: u64) {
        let Some(joining) = self.membership.as_mut().and_then(|membership| membership.joining.as_mut())
        else {
            return;
        };
        let lasted = std::time::Duration::from_nanos(now.saturating_sub(joining.since));
        if now >= joining.until {
            let failure = match (joining.answers, joining.numbers) {
                (0, _) => JoinFailure::Unanswered(lasted),
                (_, 0) => JoinFailure::Undecided(lasted),
                _ => JoinFailure::NoSession(lasted),
            };
            return self.not_joined(now, failure);
        }
        if joining.greeting.is_some_and(|(_, since)| now.saturating_sub(since) < GREETING)
            || now < joining.ask_at
        {
            return;
        }
        // One nonce until a number comes, which may take longer than until the next request.
        if joining.greeting.take().is_some() || joining.nonce == Challenge::NONE {
            joining.nonce = self.sessions.nonce();
        }
        joining.ask_at = now + ASK;
        let Some(at) = joining.next() else { return };
        let (nonce, answers, tell) = (joining.nonce, joining.answers, now >= joining.tell_at);
        if tell {
            joining.tell_at = now + PROGRESS;
        }
        let incarnation = self.sessions.incarnation();
        let Some(membership) = &self.membership else { return };
        let request =
            JoinRequest { nonce, incarnation, wish: membership.wish, place: membership.place.clone() };
        if let Some(datagram) = self.sessions.join_request(&request) {
            self.transmit(None, Some(at), &datagram);
        }
        if tell {
            self.tell(now, NodeEventKind::Asking { at, lasted, answers });
        }
    }

    fn not_joined(&mut self, now: u64, failure: JoinFailure) {
        self.tell(now, NodeEventKind::NotJoined(failure));
        self.end_at = Some((now, "not-joined"));
    }

    /// Somebody asks for a number.
    pub(super) fn asked(&mut self, now: u64, key: KeyId, request: &JoinRequest) {
        self.counters.greetings.add(1);
        let incarnation = self.sessions.incarnation();
        let Some((membership, me)) = self.membership.as_deref_mut().zip(self.me) else { return };
        if membership.joining.is_some()
            || request.place.address == membership.place.address
            || !membership.may_answer(now, request)
        {
            return;
        }
        let mine = membership.entry(me, incarnation);
        let Some(numbering) = &mut membership.numbering else {
            // One of the seeds, each of them now and then.
            let seeds = (0..membership.seeds).filter_map(Pid::member);
            let known: Vec<SocketAddr> =
                seeds.filter_map(|seed| Some(membership.directory.get(seed)?.place.address)).collect();
            let from = if known.is_empty() { &membership.configured } else { &known };
            if let Some(seed) = membership.random.choice(from).copied() {
                self.answer(key, request, JoinVerdict::AskThere(seed));
            }
            return;
        };
        // Before it knows of all members, it might give a number that another has.
        if !membership.settling.is_settled(now) {
            return self.answer(key, request, JoinVerdict::Wait);
        }
        let peers = &self.peers;
        let seen = |member: Pid| if member == me { Some(now) } else { peers.get(member)?.seen };
        let seeds = numbering.seeds as u8;
        match numbering.decide(now, request, &membership.directory, seen) {
            Decision::Number(number, version) => {
                self.answer(key, request, JoinVerdict::Number { number, version, seeds, seed: mine });
            }
            Decision::Wait => self.answer(key, request, JoinVerdict::Wait),
            Decision::Ask(member) => {
                self.send_digest(now, member, true);
                self.answer(key, request, JoinVerdict::Wait);
            }
            Decision::InUse => self.answer(key, request, JoinVerdict::NameInUse),
            Decision::Full => self.answer(key, request, JoinVerdict::Full),
        }
    }

    fn answer(&mut self, key: KeyId, request: &JoinRequest, verdict: JoinVerdict) {
        let answer = JoinAnswer { nonce: request.nonce, verdict };
        if let Some(datagram) = self.sessions.join_answer(key, &answer) {
            self.transmit(None, Some(request.place.address), &datagram);
        }
    }

    /// A request of this node was answered, or a greeting under a number that is not its own.
    pub(super) fn answered(&mut self, now: u64, answer: JoinAnswer) {
        self.counters.greetings.add(1);
        let Some(membership) = self.membership.as_deref_mut() else { return };
        if let JoinVerdict::NumberTaken(number) = answer.verdict {
            if Some(number) == self.me && self.sessions.has_given(answer.nonce) {
                self.number_taken(now);
            }
            return;
        }
        let Some(joining) = membership.joining.as_mut().filter(|joining| joining.nonce == answer.nonce)
        else {
            return;
        };
        match answer.verdict {
            JoinVerdict::Number { number, version, seeds, seed } => {
                if seed.number == number || joining.greeting.is_some() {
                    return;
                }
                joining.greeting = Some((seed.number, now));
                joining.answers += 1;
                joining.numbers += 1;
                (membership.version, membership.seeds) = (version, usize::from(seeds));
                self.settle(number);
                self.learn(now, &seed, false);
                self.reach(now, seed.number);
            }
            JoinVerdict::NameInUse => {
                let name = membership.place.name.clone();
                self.not_joined(now, JoinFailure::NameInUse(name));
            }
            JoinVerdict::Full => self.not_joined(now, JoinFailure::Full),
            JoinVerdict::Wait => joining.answers += 1,
            JoinVerdict::AskThere(seed) => {
                joining.answers += 1;
                joining.named(seed);
                joining.ask_at = now;
            }
            JoinVerdict::NumberTaken(_) => {}
        }
    }

    /// Somebody else has this node's number. If the protocol has begun under it, that is the end; if not, the node asks
    /// for another.
    pub(super) fn number_taken(&mut self, now: u64) {
        let Some(joining) = self.membership.as_mut().and_then(|membership| membership.joining.as_mut())
        else {
            let taken = self.me.map(|me| NodeEventKind::NotJoined(JoinFailure::NumberTaken(me)));
            if let Some(taken) = taken.filter(|_| self.end_at.is_none()) {
                self.tell(now, taken);
                self.end_at = Some((now, "number-taken"));
            }
            return;
        };
        joining.greeting = None;
        joining.nonce = Challenge::NONE;
        joining.answers += 1;
        // What was said of this number can be said again, and must not count for the next one.
        self.sessions.start_over();
    }

    /// Whether a greeting may be looked at: then there is a place for its sender, whose challenge has to be kept. Whoever
    /// greets under a number that another member has is told so.
    pub(super) fn introduced(
        &mut self,
        now: u64,
        key: KeyId,
        hello: &Hello,
        introduction: Option<&DirectoryEntry>,
    ) -> bool {
        let Some(membership) = self.membership.as_deref_mut() else { return true };
        let Some(entry) = introduction else { return false };
        let known = membership.directory.get(entry.number);
        let other = known.is_some_and(|known| !gives_way(known, entry) && !supersedes(entry, known));
        if Some(entry.number) == self.me || other {
            if other && membership.budget.may_answer(now, &entry.place.name, entry.incarnation, false) {
                let verdict = JoinVerdict::NumberTaken(entry.number);
                let answer = JoinAnswer { nonce: hello.mine, verdict };
                if let Some(datagram) = self.sessions.join_answer(key, &answer) {
                    self.transmit(None, Some(entry.place.address), &datagram);
                }
            }
            return false;
        }
        self.sessions.add(entry.number);
        if self.peers.get(entry.number).is_none() {
            self.peers.settle(entry.number, entry.place.address);
        }
        true
    }

    /// A session has opened. If it is with the seed that gave this node its number, the node is a member now.
    pub(super) fn joined_by(&mut self, now: u64, peer: Pid) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let by = membership.joining.as_ref().and_then(|joining| joining.greeting);
        if by.is_some_and(|(seed, _)| seed == peer) {
            membership.joining = None;
            // However long it has asked, it knows of nobody yet.
            membership.settling = Settling::new(now, false);
            self.begin_as_member(now, peer);
        }
    }

    /// The node is a member: its protocol begins.
    pub(super) fn begin_as_member(&mut self, now: u64, by: Pid) {
        let Some((membership, me)) = self.membership.as_deref_mut().zip(self.me) else { return };
        let giver = membership.directory.get(by).map_or(&membership.place.name, |entry| &entry.place.name);
        let joined = NodeEventKind::Joined { process: me, by: giver.clone() };
        self.enter_itself(me);
        if let Some(membership) = self.membership.as_deref_mut() {
            membership.rumour(me);
        }
        self.tell(now, joined);
        self.begin(now);
        if let Some(call) = self.meeting.take().filter(|_| by != me).map(|meeting| meeting.by(by)) {
            self.call(now, &call);
        }
    }
}
