//! What a node of an open cluster knows beside what every node knows: who it is, how far it has got in joining, who else
//! there is, and what is to be told of them.

use crate::config::OpenMember;
use crate::directory::Directory;
use crate::held::HeldMessages;
use crate::numbering::{AnswerBudget, Numbering};
use crate::settling::Settling;
use crate::wire::{Challenge, DirectoryEntry, JoinRequest, MemberPlace};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use watchkeeper_core::Pid;

const MS: u64 = 1_000_000;

/// The state of a node in an open cluster.
#[derive(Debug)]
pub(crate) struct OpenMembership {
    pub(crate) place: MemberPlace,
    /// The number that it would like to have.
    pub(crate) wish: Option<Pid>,
    /// The version of its own entry.
    pub(crate) version: u32,
    /// How many seeds the cluster has; their numbers are the first.
    pub(crate) seeds: usize,
    /// Of a seed alone.
    pub(crate) numbering: Option<Numbering>,
    /// The addresses that were configured: of all seeds in their order on a seed, of whom to ask on others.
    pub(crate) configured: Vec<SocketAddr>,
    /// Whether it knows of all members.
    pub(crate) settling: Settling,
    /// On a seed: members that it has not heard of for long, and since when that was noticed.
    pub(crate) silent: BTreeMap<Pid, u64>,
    /// Until the node is a member.
    pub(crate) joining: Option<Joining>,
    pub(crate) directory: Directory,
    pub(crate) held: HeldMessages,
    pub(crate) budget: AnswerBudget,
    /// What is to be told, and how many more times.
    pub(crate) rumours: Vec<(Pid, u32)>,
    pub(crate) rumour_at: u64,
    pub(crate) digest_at: u64,
    pub(crate) sweep_at: u64,
    /// For choices among equals; nothing secret is made of it.
    pub(crate) random: fastrand::Rng,
}

/// How far a node has got in becoming a member.
#[derive(Debug)]
pub(crate) struct Joining {
    /// Whom to ask, in turn: those that were configured, and those that they named.
    ask: Vec<SocketAddr>,
    next: usize,
    pub(crate) ask_at: u64,
    /// Of the requests since the last number.
    pub(crate) nonce: Challenge,
    pub(crate) since: u64,
    pub(crate) until: u64,
    /// How many answers there were, and how many of them had a number.
    pub(crate) answers: u32,
    pub(crate) numbers: u32,
    pub(crate) tell_at: u64,
    /// The seed that has given a number, and since when it is greeted.
    pub(crate) greeting: Option<(Pid, u64)>,
}

impl OpenMembership {
    pub(crate) fn new(now: u64, member: OpenMember, patience: u64, random: u64) -> OpenMembership {
        let numbering = member.place().map(|(place, seeds)| Numbering::new(place, seeds));
        let until = if patience == 0 { u64::MAX } else { now.saturating_add(patience) };
        let configured = member.seeds.clone();
        let joining = Joining {
            ask: member.seeds,
            next: 0,
            ask_at: now,
            nonce: Challenge::NONE,
            since: now,
            until,
            answers: 0,
            numbers: 0,
            tell_at: now + 2000 * MS,
            greeting: None,
        };
        OpenMembership {
            place: MemberPlace { address: crate::peers::canonical(member.address), name: member.name },
            wish: member.wish,
            version: 1,
            seeds: numbering.as_ref().map_or(0, |numbering| numbering.seeds),
            joining: numbering.is_none().then_some(joining),
            settling: Settling::new(now, numbering.is_some()),
            silent: BTreeMap::new(),
            numbering,
            configured,
            directory: Directory::default(),
            held: HeldMessages::default(),
            budget: AnswerBudget::new(now),
            rumours: Vec::new(),
            rumour_at: now,
            digest_at: now + 1000 * MS,
            sweep_at: now,
            random: fastrand::Rng::with_seed(random),
        }
    }

    /// The entry of the node itself, under this number.
    pub(crate) fn entry(&self, number: Pid, incarnation: u64) -> DirectoryEntry {
        let (version, place) = (self.version, self.place.clone());
        DirectoryEntry { number, version, incarnation, left: false, place }
    }

    /// Whether a request is answered now. One that a member has made before can be a replay, and must not keep newcomers
    /// from being answered.
    pub(crate) fn may_answer(&mut self, now: u64, request: &JoinRequest) -> bool {
        let known = self.directory.named(&request.place.name);
        let is_new = known.is_none_or(|known| request.incarnation > known.incarnation);
        self.budget.may_answer(now, &request.place.name, request.incarnation, is_new)
    }

    /// Something is to be told of a member, to a few others, and by them to others again.
    pub(crate) fn rumour(&mut self, member: Pid) {
        let rounds = usize::BITS - self.directory.len().leading_zeros() + 2;
        self.rumours.retain(|(other, _)| *other != member);
        self.rumours.push((member, rounds));
    }
}

impl Joining {
    /// The next to be asked.
    pub(crate) fn next(&mut self) -> Option<SocketAddr> {
        let next = self.ask.get(self.next % self.ask.len().max(1)).copied();
        self.next += 1;
        next
    }

    /// Whoever was asked has named a seed, which is asked next.
    pub(crate) fn named(&mut self, seed: SocketAddr) {
        const MOST: usize = 128;
        let place = self.ask.iter().position(|known| *known == seed);
        if place.is_none() && self.ask.len() < MOST {
            self.ask.push(seed);
        }
        self.next = place.unwrap_or(self.ask.len().saturating_sub(1));
    }
}
