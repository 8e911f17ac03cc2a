//! How members of an open cluster compare all that they know: by digests, and by the entries of the classes in which these
//! differ. What was missed of the news is made good so, and a seed that has forgotten learns of all members again.

use super::{MS, Node};
use crate::directory::{CLASSES, Digest, KEPT};
use crate::wire::{
    DatagramKind, DatagramRefusal, DirectoryEntry, HEADER_LEN, MAX_DATAGRAM, STAMP_LEN, TAG_LEN,
};
use watchkeeper_core::Pid;

/// The longest time between two comparisons.
const COMPARE: u64 = 1000 * MS;

/// The same for a node that knows less than others.
const CATCH_UP: u64 = 200 * MS;

/// How many datagrams of entries one comparison sends at most.
const MOST_PARTS: usize = 32;

/// How often all members together ask the seeds in a round of comparisons, if there are that many.
const ASKED: f64 = 16.0;

/// For how long a node that has started compares all that it knows with whomever it meets.
pub(super) const FRESH: u64 = 10_000 * MS;

/// As many entries as one datagram of news has at most, if not all of them are what all others know.
const FEW: usize = 8;

/// How often it is looked whether members are long gone, and how many silent ones are then asked.
const SWEEP: u64 = 10_000 * MS;
const SILENT: usize = 64;

/// How many bytes the body of a datagram has at most.
pub(super) const ROOM: usize = MAX_DATAGRAM - HEADER_LEN - STAMP_LEN - TAG_LEN;

/// What the first byte of a body says: entries; a digest that asks to be answered, or one that does not; or that a digest
/// says what the sender knows. The second byte of all but the first is whether the sender knows of all members.
const ENTRIES: u8 = 0;
const ASKING: u8 = 1;
const ANSWERING: u8 = 2;
const AGREEING: u8 = 3;

impl Node {
    /// Compares all with one member, and with seeds: one that has started anew must not stay alone. All members together
    /// ask the seeds at most about 16 times in a round, so in a small cluster everybody asks all of them.
    pub(super) fn compare(&mut self, now: u64) {
        let Some((membership, me)) = self.membership.as_deref_mut().zip(self.me) else { return };
        if now < membership.digest_at || membership.joining.is_some() {
            return;
        }
        let hurries = membership.settling.is_catching_up(now);
        let pause = COMPARE / 2 + membership.random.u64(..=COMPARE / 2);
        membership.digest_at = now + if hurries { CATCH_UP } else { pause };
        let (counters, sessions) = (&self.counters, &self.sessions);
        let there = |entry: &&DirectoryEntry| {
            entry.number != me && !entry.left && !counters.is_suspected(entry.number)
        };
        let members: Vec<Pid> = membership.directory.iter().filter(there).map(|entry| entry.number).collect();
        let mut seeds: Vec<Pid> =
            (0..membership.seeds).filter_map(Pid::member).filter(|seed| *seed != me).collect();
        membership.random.shuffle(&mut seeds);
        seeds.truncate((ASKED / members.len().max(1) as f64 + membership.random.f64()) as usize);
        let near: Vec<Pid> = members.iter().copied().filter(|member| sessions.is_open(*member)).collect();
        let from = if hurries && !near.is_empty() { &near } else { &members };
        let member = membership.random.choice(from).filter(|member| !seeds.contains(member));
        for to in member.copied().into_iter().chain(seeds) {
            self.send_digest(now, to, true);
        }
    }

    /// Drops what is long gone.
    pub(super) fn sweep(&mut self, now: u64) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        if now < membership.sweep_at {
            return;
        }
        membership.sweep_at = now + SWEEP;
        let (counters, me, seeds) = (&self.counters, self.me, membership.seeds);
        let suspected = |member| Some(member) != me && counters.is_suspected(member);
        for member in membership.directory.drop_gone(now, seeds, suspected) {
            self.peers.remove(member);
            self.sessions.forget(member);
        }
        // Whoever greeted once and became no member leaves nothing behind.
        let directory = &membership.directory;
        let idle = |(member, peer): (Pid, &crate::peers::Peer)| {
            let nobody = member.index() >= seeds && directory.get(member).is_none();
            (nobody && peer.wanted_until <= now).then_some(member)
        };
        for member in self.peers.iter().filter_map(idle).collect::<Vec<_>>() {
            self.peers.remove(member);
            self.sessions.remove(member);
        }
        self.look_after_silent(now);
    }

    /// A seed asks for the members that it has let in and not heard of for long. The protocol need not know of them: one
    /// that died before its first message is suspected by nobody.
    fn look_after_silent(&mut self, now: u64) {
        let Some((membership, me)) = self.membership.as_deref_mut().zip(self.me) else { return };
        let Some(numbering) = &membership.numbering else { return };
        let (peers, counters) = (&self.peers, &self.counters);
        let seen = |member| peers.get(member).and_then(|peer| peer.seen);
        let is_silent = |entry: &&DirectoryEntry| {
            entry.number != me
                && entry.number.index() >= numbering.seeds
                && entry.number.index() % numbering.seeds == numbering.place
                && !(entry.left || counters.is_suspected(entry.number))
                && seen(entry.number).is_none_or(|at| now.saturating_sub(at) > KEPT / 2)
        };
        let silent: Vec<DirectoryEntry> = membership.directory.iter().filter(is_silent).cloned().collect();
        let before = std::mem::take(&mut membership.silent);
        let since = |member: Pid| before.get(&member).copied().unwrap_or(now);
        membership.silent = silent.iter().map(|entry| (entry.number, since(entry.number))).collect();
        let mut asked: Vec<Pid> = silent.iter().map(|entry| entry.number).collect();
        membership.random.shuffle(&mut asked);
        let over = |entry: &&DirectoryEntry| now.saturating_sub(since(entry.number)) >= KEPT;
        for gone in silent.iter().filter(over) {
            self.learn(now, &DirectoryEntry { left: true, ..gone.clone() }, true);
        }
        for member in asked.into_iter().take(SILENT) {
            self.send_digest(now, member, true);
        }
    }

    /// Sends a digest of all that is known, if a session is open or as soon as one is.
    pub(super) fn send_digest(&mut self, now: u64, to: Pid, ask: bool) {
        if !self.reach(now, to) {
            return;
        }
        let Some(membership) = self.membership.as_deref() else { return };
        let knows = membership.settling.is_settled(now);
        let mut body = vec![if ask { ASKING } else { ANSWERING }, u8::from(knows)];
        body.extend(membership.directory.digest().iter().flat_map(|hash| hash.to_be_bytes()));
        self.send_directory(now, to, &body);
    }

    pub(super) fn send_entries(&mut self, now: u64, to: Pid, entries: &[DirectoryEntry]) {
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
        let read = match body {
            [ENTRIES, rest @ ..] => entries(rest).map(|entries| {
                // To whoever has just started all is new that others have known for long.
                let pass_on = now.saturating_sub(self.started) >= FRESH || entries.len() <= FEW;
                entries.iter().for_each(|entry| self.learn(now, entry, pass_on));
            }),
            [kind @ (ASKING | ANSWERING), knows @ (0 | 1), rest @ ..] => {
                digest(rest).map(|theirs| self.compared(now, from, &theirs, (*knows == 1, *kind == ASKING)))
            }
            [AGREEING, knows @ (0 | 1)] => self
                .membership
                .as_deref_mut()
                .map(|membership| membership.settling.compared(*knows == 1, true)),
            _ => None,
        };
        match read {
            Some(()) => self.counters.greetings.add(1),
            None => self.refuse(DatagramRefusal::Malformed),
        }
    }

    fn compared(&mut self, now: u64, from: Pid, theirs: &Digest, (they_know, asked): (bool, bool)) {
        let Some(membership) = self.membership.as_deref_mut() else { return };
        let mut differing: Vec<DirectoryEntry> =
            membership.directory.differing(theirs).into_iter().cloned().collect();
        let differs = membership.directory.digest() != *theirs;
        membership.settling.compared(they_know, !differs);
        // Of more than one comparison can tell, each time others; and of few classes all, which then differ no more.
        let first = membership.random.usize(..CLASSES);
        membership.random.shuffle(&mut differing);
        differing.sort_by_key(|entry| (entry.number.index() + first) % CLASSES);
        differing.truncate(MOST_PARTS * (ROOM / DirectoryEntry::LONGEST));
        let knows = u8::from(membership.settling.is_settled(now));
        self.send_entries(now, from, &differing);
        if asked && differs {
            self.send_digest(now, from, false);
        } else if asked {
            self.send_directory(now, from, &[AGREEING, knows]);
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
