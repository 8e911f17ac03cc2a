//! The reasons for dropping a datagram. Every dropped datagram has exactly one reason, and the reasons are few and fixed, so
//! that they can be counted.

use strum::{Display, EnumMessage, IntoStaticStr, VariantArray};

/// The reason for dropping a datagram.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Display,
    EnumMessage,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum DatagramRefusal {
    /// Fewer bytes than the smallest datagram has.
    #[strum(message = "It has fewer bytes than any datagram of a node, so it came from something else.")]
    TooShort,
    /// More bytes than the largest datagram has.
    #[strum(message = "It has more bytes than any datagram of a node, so it came from something else.")]
    TooLong,
    /// Another version of the format.
    #[strum(message = "It is of another version of the format: run the same release on all nodes.")]
    Version,
    /// Another cluster.
    #[strum(message = "It belongs to another cluster: compare the names of the clusters and the addresses.")]
    Cluster,
    /// A kind that this version does not know.
    #[strum(message = "Its kind is not known to this version: run the same release on all nodes.")]
    Kind,
    /// A key that is not on the ring.
    #[strum(message = "It names a key that this node does not have: add that key to this node's ring.")]
    UnknownKey,
    /// Another receiver.
    #[strum(
        message = "It names another receiver: compare the addresses of the peers on its sender; in an open cluster its \
                   sender does not know yet who is here now."
    )]
    NotForMe,
    /// A sender that is not one of the peers.
    #[strum(
        message = "Its sender is not one of this node's peers: compare the lists of peers; in an open cluster another \
                   member has its number, or it does not know yet that this node started anew."
    )]
    UnknownSender,
    /// Not sealed with the key it names, or changed since.
    #[strum(message = "It was not sealed with the key it names, or changed on its way: compare the keys.")]
    Forged,
    /// Not from the address of a peer.
    #[strum(
        message = "It comes from an address that is no peer's: compare the addresses, or filter the port."
    )]
    Stranger,
    /// Of an incarnation that is far ahead of the clock.
    #[strum(
        message = "Its sender's incarnation is more than a year ahead of this node's clock: set the clocks."
    )]
    FarAhead,
    /// Of a session that is not open, or is over.
    #[strum(
        message = "Its session is over or not open yet: one of the two nodes has started anew, or it was replayed."
    )]
    Unfamiliar,
    /// Seen before.
    #[strum(message = "It was received before: the network duplicated it, or somebody replays it.")]
    Replayed,
    /// So far behind that it cannot be told whether it was seen before.
    #[strum(message = "It is more than a window of numbers late, so whether it is new cannot be told.")]
    TooOld,
    /// Authentic and new, but its body is no message.
    #[strum(message = "Its body is no message of the protocol: run the same protocol on all nodes.")]
    Malformed,
}

impl DatagramRefusal {
    /// All reasons, in the order of [`index`](DatagramRefusal::index).
    pub const ALL: &[DatagramRefusal] = DatagramRefusal::VARIANTS;

    /// The place of this reason in [`ALL`](DatagramRefusal::ALL), to index counters with.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name of this reason, as metrics label it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it means, and where to look if it is unexpected: one sentence.
    pub fn about(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_place_a_name_and_one_sentence() {
        for (place, refusal) in DatagramRefusal::ALL.iter().copied().enumerate() {
            assert_eq!(refusal.index(), place);
            assert!(refusal.name().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{refusal}");
            assert_eq!(refusal.about().matches('.').count(), 1, "{refusal}");
            assert!(refusal.about().ends_with('.'), "{refusal}");
        }
        assert_eq!(
            DatagramRefusal::ALL.iter().map(|refusal| refusal.name()).collect::<BTreeSet<_>>().len(),
            15
        );
    }
}
