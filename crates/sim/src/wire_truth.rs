//! What the network sees of datagrams, and what must be true of them: no nonce comes twice under one key, and a process
//! takes in only what a process with a current key has sent to this incarnation of it, each at most once.

use crate::truth::{MessageFate, MessageTruth};
use std::collections::HashSet;
use watchkeeper_node::wire::{DatagramHeader, DatagramKind, HEADER_LEN, SALT_LEN};

/// The most bytes that wait in a node to be sent after one datagram has been taken in from a stranger: as many as it had.
#[derive(Debug, Default)]
pub(crate) struct WireTruth {
    nonces: HashSet<(u8, [u8; SALT_LEN], u64)>,
    /// What is wrong, first to last.
    pub(crate) reused: Option<String>,
}

impl WireTruth {
    /// Sees a datagram that a node sends.
    pub(crate) fn sees(&mut self, datagram: &[u8]) {
        let Some(header) = DatagramHeader::seen(datagram) else { return };
        let mut salt = [0; SALT_LEN];
        if header.kind == DatagramKind::Hello {
            let Some(drawn) = datagram.get(HEADER_LEN..HEADER_LEN + SALT_LEN) else { return };
            salt.copy_from_slice(drawn);
        } else {
            // Of a session both ends have the key, and the sender is a part of the nonce.
            salt[..8].copy_from_slice(&header.session.to_be_bytes());
            salt[8] = header.sender.index() as u8;
            salt[9] = 1;
        }
        if !self.nonces.insert((header.key.0, salt, header.number)) {
            let what = format!(
                "{} sealed a second datagram ({:?} to {}) with number {} of key {} and session {:x}",
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
        (!self.has_key).then(|| format!("{named} was taken in, and its key had been taken out of use"))
    }
}
