//! Why a datagram is dropped. Every dropped datagram has exactly one reason, and the reasons are few and fixed, so
//! that they can be counted.

use std::fmt;

/// Why a datagram is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Refusal {
    /// Fewer bytes than the smallest datagram has.
    TooShort,
    /// More bytes than the largest datagram has.
    TooLong,
    /// Another version of the format.
    Version,
    /// Another cluster.
    Cluster,
    /// A kind that this version does not know.
    Kind,
    /// A key that is not on the ring.
    UnknownKey,
    /// Another receiver.
    NotForMe,
    /// A sender that is not one of the peers.
    UnknownSender,
    /// Not sealed with the key it names, or changed since.
    Forged,
    /// From a life of the sender that is over.
    StaleLife,
    /// From a sender that does not know this life of the receiver.
    Unfamiliar,
    /// Seen before.
    Replayed,
    /// So far behind that it cannot be told whether it was seen before.
    TooOld,
    /// Authentic and new, but its body is no message.
    Malformed,
}

impl Refusal {
    /// All reasons, in the order of [`index`](Refusal::index).
    pub const ALL: [Refusal; 14] = [
        Refusal::TooShort,
        Refusal::TooLong,
        Refusal::Version,
        Refusal::Cluster,
        Refusal::Kind,
        Refusal::UnknownKey,
        Refusal::NotForMe,
        Refusal::UnknownSender,
        Refusal::Forged,
        Refusal::StaleLife,
        Refusal::Unfamiliar,
        Refusal::Replayed,
        Refusal::TooOld,
        Refusal::Malformed,
    ];

    /// The place of this reason in [`ALL`](Refusal::ALL), to index counters with.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name of this reason, as metrics label it.
    pub const fn name(self) -> &'static str {
        match self {
            Refusal::TooShort => "too_short",
            Refusal::TooLong => "too_long",
            Refusal::Version => "version",
            Refusal::Cluster => "cluster",
            Refusal::Kind => "kind",
            Refusal::UnknownKey => "unknown_key",
            Refusal::NotForMe => "not_for_me",
            Refusal::UnknownSender => "unknown_sender",
            Refusal::Forged => "forged",
            Refusal::StaleLife => "stale_life",
            Refusal::Unfamiliar => "unfamiliar",
            Refusal::Replayed => "replayed",
            Refusal::TooOld => "too_old",
            Refusal::Malformed => "malformed",
        }
    }

    /// What it means, and where to look if it is unexpected: one sentence.
    pub const fn about(self) -> &'static str {
        match self {
            Refusal::TooShort => {
                "It has fewer bytes than any datagram of a node, so it came from something else."
            }
            Refusal::TooLong => {
                "It has more bytes than any datagram of a node, so it came from something else."
            }
            Refusal::Version => "It is of another version of the format: run the same release on all nodes.",
            Refusal::Cluster => {
                "It belongs to another cluster: compare the names of the clusters and the addresses."
            }
            Refusal::Kind => "Its kind is not known to this version: run the same release on all nodes.",
            Refusal::UnknownKey => {
                "It names a key that this node does not have: add that key to this node's ring."
            }
            Refusal::NotForMe => {
                "It names another receiver: compare the addresses of the peers on its sender."
            }
            Refusal::UnknownSender => {
                "Its sender is not one of this node's peers: compare the lists of peers."
            }
            Refusal::Forged => {
                "It was not sealed with the key it names, or changed on its way: compare the keys."
            }
            Refusal::StaleLife => "It comes from an earlier life of its sender, so it was late or replayed.",
            Refusal::Unfamiliar => "Its sender does not know this life of the node yet, or it was replayed.",
            Refusal::Replayed => "It was received before: the network duplicated it, or somebody replays it.",
            Refusal::TooOld => {
                "It is more than a window of numbers late, so whether it is new cannot be told."
            }
            Refusal::Malformed => {
                "Its body is no message of the protocol: run the same protocol on all nodes."
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_place_a_name_and_one_sentence() {
        for (place, refusal) in Refusal::ALL.into_iter().enumerate() {
            assert_eq!(refusal.index(), place);
            assert!(refusal.name().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{refusal}");
            assert_eq!(refusal.about().matches('.').count(), 1, "{refusal}");
            assert!(refusal.about().ends_with('.'), "{refusal}");
        }
        assert_eq!(Refusal::ALL.map(Refusal::name).into_iter().collect::<BTreeSet<_>>().len(), 14);
    }
}
