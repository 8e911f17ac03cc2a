//! The reports of a node: events with their evidence, breaches of assumptions, its status.

use super::Node;
use crate::assumptions::{Breach, BreachReport};
use crate::event::{Announcement, Evidence, NodeEvent, NodeEventKind, PeerEvidence, StepCause};
use crate::peers::ago;
use crate::status::{NodePhase, PeerStatus, Status};
use std::time::Duration;
use watchkeeper_core::{Meaning, Pid};

/// How many events wait to be polled before the oldest are dropped.
const EVENTS: usize = 1024;

/// How many breaches a status shows.
pub(super) const BREACHES: usize = 16;

/// What "in the last minute" means, at least.
const MINUTE: u64 = 60_000_000_000;

/// The latest that a node was in the last minute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateness {
    since: u64,
    worst: u64,
    worst_before: u64,
}

impl Lateness {
    pub(super) fn new(now: u64) -> Lateness {
        Lateness { since: now, worst: 0, worst_before: 0 }
    }

    pub(super) fn saw(&mut self, now: u64, late: u64) {
        if now.saturating_sub(self.since) > MINUTE {
            *self = Lateness { since: now, worst: 0, worst_before: self.worst };
        }
        self.worst = self.worst.max(late);
    }

    pub(super) fn worst(&self) -> Duration {
        Duration::from_nanos(self.worst.max(self.worst_before))
    }
}

impl Node {
    /// Tells whoever polls events.
    pub(super) fn tell(&mut self, now: u64, kind: NodeEventKind<Announcement>) {
        if self.events.len() == EVENTS {
            self.events.pop_front();
            self.missed += 1;
        }
        self.events.push_back(NodeEvent { at: ago(now, self.started), kind });
    }

    /// Announces what the step announced.
    pub(super) fn announce(&mut self, now: u64, late: u64, cause: &StepCause) {
        for output in 0..self.host.outputs() {
            let meaning = self.host.meaning(output);
            let evidence = self.evidence(now, late, cause.clone(), meaning);
            self.opinion(now, meaning);
            let output = self.host.announcement(output);
            self.tell(now, NodeEventKind::Announced { output, meaning, evidence });
        }
    }

    fn evidence(&self, now: u64, late: u64, cause: StepCause, meaning: Meaning) -> Evidence {
        let about = match meaning {
            Meaning::Suspects(peer) | Meaning::Trusts(peer) => {
                let name = self.name(peer).cloned();
                self.peers.get(peer).map(|known| PeerEvidence { name, ..known.about(peer, now) })
            }
            Meaning::Stops | Meaning::Other(_) => None,
        };
        Evidence { cause, late: Duration::from_nanos(late), worst_late: self.lateness.worst(), about }
    }

    fn opinion(&mut self, now: u64, meaning: Meaning) {
        let counters = &self.counters;
        let mut since = |peer: Pid, suspected: Option<u64>| {
            if let Some(known) = self.peers.get_mut(peer) {
                known.suspected = suspected;
            }
        };
        match meaning {
            Meaning::Suspects(peer) => {
                counters.suspicions.add(1);
                counters.suspect(peer, true);
                since(peer, Some(now));
            }
            Meaning::Trusts(peer) => {
                counters.withdrawn.add(1);
                counters.suspect(peer, false);
                since(peer, None);
            }
            Meaning::Stops => counters.set_phase(NodePhase::Stopped),
            Meaning::Other(_) => {}
        }
    }

    /// Tells of an assumption that was found broken.
    pub(super) fn judge(&mut self, now: u64, verdict: Option<BreachReport>) {
        let assumption = match &verdict {
            None => return,
            Some(BreachReport::Repeated(assumption)) => *assumption,
            Some(BreachReport::First(breach)) => breach.assumption,
        };
        self.counters.breaches[assumption as usize].add(1);
        if let Some(BreachReport::First(breach)) = verdict {
            self.remember(now, breach.clone());
            self.tell(now, NodeEventKind::Broken(breach));
        }
    }

    fn remember(&mut self, now: u64, breach: Breach) {
        if self.breaches.len() == BREACHES {
            self.breaches.pop_front();
        }
        self.breaches.push_back((now, breach));
    }

    /// What the node says of itself. Where it listens and where it records, only its shell knows.
    pub fn status(&self, now: u64) -> Status {
        let recent = |at: &u64| now.saturating_sub(*at) <= MINUTE;
        let breaches = self.breaches.iter().rev().filter(|(at, _)| recent(at));
        let timers = self.timers.armed();
        let name = |slot: usize| self.timers.name(slot).to_string();
        Status {
            process: self.me,
            name: self.membership.as_ref().map(|membership| membership.place.name.to_string()),
            cluster: self.cluster.clone(),
            incarnation: self.sessions.incarnation(),
            address: None,
            phase: self.counters.phase(),
            uptime: ago(now, self.started),
            tick: Duration::from_nanos(self.tick),
            suspects: self.counters.suspects(),
            peers: self.peers.iter().map(|(peer, _)| self.peer_status(now, peer)).collect(),
            timers: timers.map(|(slot, due)| (name(slot), ago(due, now))).collect(),
            timeouts: self
                .timers
                .timeouts()
                .map(|(slot, lasts)| (name(slot), Duration::from_nanos(lasts)))
                .collect(),
            keys: self.sessions.keys().collect(),
            state: self.host.state_text(),
            worst_late: self.lateness.worst(),
            stalled: Duration::from_nanos(self.counters.stalled.get()),
            breaches: breaches.map(|(at, breach)| (ago(now, *at), breach.clone())).collect(),
            recording: None,
        }
    }

    fn peer_status(&self, now: u64, peer: Pid) -> PeerStatus {
        let known = self.peers.get(peer).expect("the peer is one of the list");
        let about = known.about(peer, now);
        PeerStatus {
            peer,
            name: self.name(peer).map(|name| name.to_string()),
            address: known.address,
            found: self.sessions.is_open(peer),
            incarnation: self.sessions.peer_incarnation(peer),
            left: known.left,
            suspected: known.suspected.map(|since| ago(now, since)),
            heard: about.heard,
            probed: about.probed,
            round_trip: known.round_trip.map(|times| times.map(Duration::from_nanos)),
            worst_delay: known.worst_delay.map(Duration::from_nanos),
            lost: known.lost,
            overtaken: known.gaps.as_ref().map_or(0, |gaps| gaps.out_of_order()),
        }
    }
}
