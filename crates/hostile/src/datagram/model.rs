//! What sessions must decide, written so that it is plainly right: it remembers every number that it has admitted, and
//! every one that it has sent. It shares no code with what it is a model of.

use std::collections::{BTreeMap, BTreeSet};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_runtime::wire::{
    Admission, AdmissionError, DatagramHeader, DatagramRefusal, HandshakeHint, WINDOW,
};

/// The sessions of one node.
pub(crate) struct SessionModel {
    incarnation: u64,
    peers: ProcSet,
    /// For each peer, the numbers that were admitted of each of its incarnations.
    admitted: BTreeMap<Pid, BTreeMap<u64, BTreeSet<u64>>>,
    sent: BTreeMap<Pid, u64>,
}

impl SessionModel {
    /// The node is process 0.
    pub(crate) fn new(incarnation: u64, peers: ProcSet) -> SessionModel {
        let peers = peers.without(Pid::at(0));
        SessionModel { incarnation, peers, admitted: BTreeMap::new(), sent: BTreeMap::new() }
    }

    pub(crate) fn admit(&mut self, header: &DatagramHeader) -> Result<Admission, AdmissionError> {
        let refused = |refusal, hint| Err(AdmissionError { refusal, hint });
        if !self.peers.contains(header.sender) {
            return refused(DatagramRefusal::UnknownSender, HandshakeHint::Nothing);
        }
        let incarnations = self.admitted.entry(header.sender).or_default();
        let latest = incarnations.last_key_value().map_or(0, |(incarnation, _)| *incarnation);
        let familiar = header.peer_incarnation == self.incarnation;
        if header.incarnation == 0 || header.incarnation < latest {
            let booted_in_the_past = header.incarnation != 0 && !familiar;
            return refused(
                DatagramRefusal::StaleIncarnation,
                if booted_in_the_past { HandshakeHint::Introduce } else { HandshakeHint::Nothing },
            );
        }
        if header.peer_incarnation > self.incarnation {
            return refused(DatagramRefusal::Unfamiliar, HandshakeHint::Outlived(header.peer_incarnation));
        }
        if !familiar {
            return refused(DatagramRefusal::Unfamiliar, HandshakeHint::Introduce);
        }
        let numbers = incarnations.get(&header.incarnation);
        let highest = numbers.and_then(|numbers| numbers.last()).copied().unwrap_or(0);
        if header.number == 0 || u128::from(header.number) + u128::from(WINDOW) <= u128::from(highest) {
            return refused(DatagramRefusal::TooOld, HandshakeHint::Nothing);
        }
        if numbers.is_some_and(|numbers| numbers.contains(&header.number)) {
            return refused(DatagramRefusal::Replayed, HandshakeHint::Nothing);
        }
        let new = numbers.is_none();
        incarnations.entry(header.incarnation).or_default().insert(header.number);
        Ok(if new { Admission::New } else { Admission::Known })
    }

    /// Holds a header that the node has given out to what it must say.
    pub(crate) fn sent(&mut self, header: &DatagramHeader) {
        let number = self.sent.entry(header.receiver).or_insert(0);
        *number += 1;
        assert_eq!(
            (header.sender, header.incarnation, header.number),
            (Pid::at(0), self.incarnation, *number)
        );
        let incarnations = self.admitted.get(&header.receiver);
        let known = incarnations
            .and_then(|incarnations| incarnations.last_key_value())
            .map_or(0, |(incarnation, _)| *incarnation);
        assert!(header.peer_incarnation >= known, "what is known of a peer is not forgotten");
    }
}
