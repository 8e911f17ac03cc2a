//! What sessions must decide, written so that it is plainly right: it remembers every number that it has admitted, and
//! every one that it has sent. It shares no code with what it is a model of.

use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_runtime::wire::{Admitted, Header, Hint, Refusal, Refused, WINDOW};

/// The sessions of one node.
pub(crate) struct Model {
    life: u64,
    peers: ProcSet,
    /// For each peer, the numbers that were admitted of each of its lives.
    admitted: BTreeMap<Pid, BTreeMap<u64, BTreeSet<u64>>>,
    sent: BTreeMap<Pid, u64>,
}

impl Model {
    /// The node is process 0.
    pub(crate) fn new(life: u64, peers: ProcSet) -> Model {
        let peers = peers.without(Pid::at(0));
        Model { life, peers, admitted: BTreeMap::new(), sent: BTreeMap::new() }
    }

    pub(crate) fn admit(&mut self, header: &Header) -> Result<Admitted, Refused> {
        let refused = |refusal, hint| Err(Refused { refusal, hint });
        if !self.peers.contains(header.sender) {
            return refused(Refusal::UnknownSender, Hint::Nothing);
        }
        let lives = self.admitted.entry(header.sender).or_default();
        let latest = lives.last_key_value().map_or(0, |(life, _)| *life);
        let familiar = header.peer_life == self.life;
        if header.life == 0 || header.life < latest {
            let booted_in_the_past = header.life != 0 && !familiar;
            return refused(
                Refusal::StaleLife,
                if booted_in_the_past { Hint::Introduce } else { Hint::Nothing },
            );
        }
        if header.peer_life > self.life {
            return refused(Refusal::Unfamiliar, Hint::Outlived(header.peer_life));
        }
        if !familiar {
            return refused(Refusal::Unfamiliar, Hint::Introduce);
        }
        let numbers = lives.get(&header.life);
        let highest = numbers.and_then(|numbers| numbers.last()).copied().unwrap_or(0);
        if header.number == 0 || u128::from(header.number) + u128::from(WINDOW) <= u128::from(highest) {
            return refused(Refusal::TooOld, Hint::Nothing);
        }
        if numbers.is_some_and(|numbers| numbers.contains(&header.number)) {
            return refused(Refusal::Replayed, Hint::Nothing);
        }
        let new = numbers.is_none();
        lives.entry(header.life).or_default().insert(header.number);
        Ok(if new { Admitted::New } else { Admitted::Known })
    }

    /// Holds a header that the node has given out to what it must say.
    pub(crate) fn sent(&mut self, header: &Header) {
        let number = self.sent.entry(header.receiver).or_insert(0);
        *number += 1;
        assert_eq!((header.sender, header.life, header.number), (Pid::at(0), self.life, *number));
        let lives = self.admitted.get(&header.receiver);
        let known = lives.and_then(|lives| lives.last_key_value()).map_or(0, |(life, _)| *life);
        assert!(header.peer_life >= known, "what is known of a peer is not forgotten");
    }
}
