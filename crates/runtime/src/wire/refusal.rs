//! Why a datagram is dropped. Every dropped datagram has exactly one reason, and the reasons are few and fixed, so
//! that they can be counted.

use std::fmt;

/// Why a datagram is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DatagramRefusal {
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
    /// From an incarnation of the sender that is over.
    StaleIncarnation,
    /// From a sender that does not know this incarnation of the receiver.
    Unfamiliar,
    /// Seen before.
    Replayed,
    /// So far behind that it cannot be told whether it was seen before.
    TooOld,
    /// Authentic and new, but its body is no message.
    Malformed,
}

impl DatagramRefusal {
    /// All reasons, in the order of [`index`](DatagramRefusal::index).
    pub const ALL: [DatagramRefusal; 14] = [
        DatagramRefusal::TooShort,
        DatagramRefusal::TooLong,
        DatagramRefusal::Version,
        DatagramRefusal::Cluster,
        DatagramRefusal::Kind,
        DatagramRefusal::UnknownKey,
        DatagramRefusal::NotForMe,
        DatagramRefusal::UnknownSender,
        DatagramRefusal::Forged,
        DatagramRefusal::StaleIncarnation,
        DatagramRefusal::Unfamiliar,
        DatagramRefusal::Replayed,
        DatagramRefusal::TooOld,
        DatagramRefusal::Malformed,
    ];

    /// The place of this reason in [`ALL`](DatagramRefusal::ALL), to index counters with.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name of this reason, as metrics label it.
    pub const fn name(self) -> &'static str {
        match self {
            DatagramRefusal::TooShort => "too_short",
            DatagramRefusal::TooLong => "too_long",
            DatagramRefusal::Version => "version",
            DatagramRefusal::Cluster => "cluster",
            DatagramRefusal::Kind => "kind",
            DatagramRefusal::UnknownKey => "unknown_key",
            DatagramRefusal::NotForMe => "not_for_me",
            DatagramRefusal::UnknownSender => "unknown_sender",
            DatagramRefusal::Forged => "forged",
            DatagramRefusal::StaleIncarnation => "stale_incarnation",
            DatagramRefusal::Unfamiliar => "unfamiliar",
            DatagramRefusal::Replayed => "replayed",
            DatagramRefusal::TooOld => "too_old",
            DatagramRefusal::Malformed => "malformed",
        }
    }

    /// What it means, and where to look if it is unexpected: one sentence.
    pub const fn about(self) -> &'static str {
        match self {
            DatagramRefusal::TooShort => {
                "It has fewer bytes than any datagram of a node, so it came from something else."
            }
            DatagramRefusal::TooLong => {
                "It has more bytes than any datagram of a node, so it came from something else."
            }
            DatagramRefusal::Version => {
                "It is of another version of the format: run the same release on all nodes."
            }
            DatagramRefusal::Cluster => {
                "It belongs to another cluster: compare the names of the clusters and the addresses."
            }
            DatagramRefusal::Kind => {
                "Its kind is not known to this version: run the same release on all nodes."
            }
            DatagramRefusal::UnknownKey => {
                "It names a key that this node does not have: add that key to this node's ring."
            }
            DatagramRefusal::NotForMe => {
                "It names another receiver: compare the addresses of the peers on its sender."
            }
            DatagramRefusal::UnknownSender => {
                "Its sender is not one of this node's peers: compare the lists of peers."
            }
            DatagramRefusal::Forged => {
                "It was not sealed with the key it names, or changed on its way: compare the keys."
            }
            DatagramRefusal::StaleIncarnation => {
                "It comes from an earlier incarnation of its sender, so it was late or replayed."
            }
            DatagramRefusal::Unfamiliar => {
                "Its sender does not know this incarnation of the node yet, or it was replayed."
            }
            DatagramRefusal::Replayed => {
                "It was received before: the network duplicated it, or somebody replays it."
            }
            DatagramRefusal::TooOld => {
                "It is more than a window of numbers late, so whether it is new cannot be told."
            }
            DatagramRefusal::Malformed => {
                "Its body is no message of the protocol: run the same protocol on all nodes."
            }
        }
    }
}

impl fmt::Display for DatagramRefusal {
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
        for (place, refusal) in DatagramRefusal::ALL.into_iter().enumerate() {
            assert_eq!(refusal.index(), place);
            assert!(refusal.name().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{refusal}");
            assert_eq!(refusal.about().matches('.').count(), 1, "{refusal}");
            assert!(refusal.about().ends_with('.'), "{refusal}");
        }
        assert_eq!(
            DatagramRefusal::ALL.map(DatagramRefusal::name).into_iter().collect::<BTreeSet<_>>().len(),
            14
        );
    }
}
