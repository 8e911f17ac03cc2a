//! What the network sees of datagrams, and what must be true of them: no nonce comes twice under one key, and a process
//! takes in only what a process with a current key has sent to this incarnation of it, each at most once.

use crate::truth::{MessageFate, MessageTruth};
use std::collections::HashSet;
use watchkeeper_node::wire::{DatagramHeader, DatagramKind, HEADER_LEN, SALT_LEN};

/// The keystreams that datagrams were sealed with.
#[derive(Debug, Default)]
pub(crate) struct WireTruth {
    /// The first eight bytes of each.
    keystreams: HashSet<u64>,
    /// The first that came twice.
    pub(crate) reused: Option<String>,
}

impl WireTruth {
    /// Sees a datagram that a node sends when its clock shows `sent`. That reading is the first that is sealed, and the
    /// ciphers add a keystream, so its first bytes are known whatever the nonce was made of.
    pub(crate) fn sees(&mut self, datagram: &[u8], sent: u64) {
        let Some(header) = DatagramHeader::seen(datagram) else { return };
        let salt = if header.kind == DatagramKind::Hello { SALT_LEN } else { 0 };
        let sealed = datagram.get(HEADER_LEN + salt..).and_then(|sealed| sealed.first_chunk());
        let Some(sealed) = sealed else { return };
        if !self.keystreams.insert(u64::from_be_bytes(*sealed) ^ sent) {
            let what = format!(
                "{} sealed a datagram ({:?} to {}, number {}) of key {} and session {:x} with a nonce that was used before",
                header.sender, header.kind, header.receiver, header.number, header.key.0, header.session
            );
            self.reused.get_or_insert(what);
        }
    }
}

/// What a delivery is like: the message that was on its way, when the receiver's incarnation began, and whether the
/// receiver has the key.
pub(crate) struct Delivery<'a> {
    pub(crate) message: Option<&'a MessageTruth>,
    pub(crate) from: watchkeeper_core::Pid,
    pub(crate) incarnation: u64,
    pub(crate) number: u64,
    pub(crate) born: u64,
    /// The incarnation of the sender that was heard last, and when what was heard of it was sent.
    pub(crate) heard: (u64, u64),
    pub(crate) has_key: bool,
}

impl Delivery<'_> {
    /// Why it should not have been taken in.
    pub(crate) fn wrong(&self) -> Option<String> {
        let named = format!("message {} of {} (incarnation {})", self.number, self.from, self.incarnation);
        let Some(message) = self.message else {
            return Some(format!("{named} was taken in, and nobody has sent it"));
        };
        if (message.from, message.incarnation, message.number) != (self.from, self.incarnation, self.number) {
            return Some(format!(
                "{named} was taken in, and that datagram was message {} of {}",
                message.number, message.from
            ));
        }
        if matches!(message.fate, MessageFate::Delivered(_)) {
            return Some(format!("{named} was taken in twice"));
        }
        if message.sent < self.born {
            return Some(format!("{named} was taken in by an incarnation that began after it was sent"));
        }
        let (last, sent) = self.heard;
        if last != message.incarnation && message.sent < sent {
            return Some(format!(
                "{named} was taken in after a message of incarnation {last}, which is later"
            ));
        }
        (!self.has_key).then(|| format!("{named} was taken in, and its key had been taken out of use"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::{Pid, ProcSet};
    use watchkeeper_node::wire::{ClusterId, Sessions, Stamp};
    use watchkeeper_node::{ClusterKey, KeyId, KeyRing};

    /// Two greetings of one incarnation, sealed at these times.
    fn greetings(sent: [u64; 2]) -> [Vec<u8>; 2] {
        let (me, to) = (Pid::at(0), Pid::at(1));
        let keys = KeyRing::new((KeyId(1), ClusterKey::from_bytes([7; 32]).expect("a key")));
        let cluster = ClusterId::of_name("test");
        let mut sessions = Sessions::new(cluster, &keys, me, 1, ProcSet::only(to), [3; 32]);
        sent.map(|sent| {
            let (key, hello) = sessions.greetings_to(to).into_iter().flatten().next().expect("a greeting");
            let stamp = Stamp { sent, ..Stamp::default() };
            sessions.greeting(to, key, &stamp, &hello).expect("numbers are left").to_vec()
        })
    }

    #[test]
    fn every_number_has_a_keystream_of_its_own() {
        let [first, second] = greetings([5, 9]);
        let mut wire = WireTruth::default();
        wire.sees(&first, 5);
        wire.sees(&second, 9);
        assert_eq!(wire.reused, None);
    }

    #[test]
    fn a_keystream_that_comes_again_is_found_whatever_the_header_says() {
        let [first, second] = greetings([5, 9]);
        // Sealed with the nonce of the first, under the header of the second.
        let mut again = second.clone();
        for (place, byte) in (5u64 ^ 9).to_be_bytes().into_iter().enumerate() {
            let place = HEADER_LEN + SALT_LEN + place;
            again[place] = first[place] ^ byte;
        }
        let mut wire = WireTruth::default();
        wire.sees(&first, 5);
        wire.sees(&again, 9);
        assert!(wire.reused.is_some_and(|what| what.contains("number 2")));
    }

    #[test]
    fn an_earlier_incarnation_is_not_heard_after_a_later_one() {
        let from = Pid::at(1);
        let fate = MessageFate::OnItsWay;
        let old =
            MessageTruth { from, incarnation: 7, to: Pid::at(0), number: 3, msg: vec![], sent: 50, fate };
        let delivery = |heard| Delivery {
            message: Some(&old),
            from,
            incarnation: 7,
            number: 3,
            born: 0,
            heard,
            has_key: true,
        };
        assert_eq!(delivery((0, 0)).wrong(), None);
        assert_eq!(delivery((7, 60)).wrong(), None, "its own later message may overtake it");
        assert_eq!(delivery((6, 40)).wrong(), None, "the one before is over");
        assert!(delivery((8, 60)).wrong().is_some_and(|what| what.contains("incarnation 8")));
    }
}
