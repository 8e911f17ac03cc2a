//! The keys of which a link is made. A key stands for a step by the bytes of the state that it leads to, never by an id, so
//! that a link means the same on another machine and after a restart.

use std::fmt;
use std::str::FromStr;
use watchkeeper_space::{Action, Id, Space};

/// The digits of a key: those of base64 for addresses.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The digits of one key.
const LENGTH: usize = 8;

/// 48 bits that stand for a step or for an initial state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LinkKey(u64);

impl LinkKey {
    /// The key of an initial state.
    pub fn of_state(space: &dyn Space, row: &[Id]) -> LinkKey {
        let mut bytes = Vec::new();
        space.pack(row, &mut bytes);
        LinkKey::of_bytes(&bytes)
    }

    /// The key of a step: the state that it leads to, and who does what.
    pub fn of_step(space: &dyn Space, from: &[Id], action: Action, to: &[Id]) -> LinkKey {
        let mut bytes = Vec::new();
        space.pack(to, &mut bytes);
        bytes.extend_from_slice(space.shape().classes[usize::from(action.class())].name.as_bytes());
        let label = space.action_labels().map(|labels| labels.action_label(from, action)).unwrap_or_default();
        for end in [label.process, label.peer] {
            bytes.push(end.map_or(u8::MAX, |process| process.index() as u8));
        }
        LinkKey::of_bytes(&bytes)
    }

    /// The key of one more step from the same state that has this one.
    pub(crate) fn next(self) -> LinkKey {
        LinkKey::of_bytes(&self.0.to_be_bytes())
    }

    /// FNV-1a, and then a mix of all bits into those that are kept.
    fn of_bytes(bytes: &[u8]) -> LinkKey {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
        let hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        LinkKey((hash ^ (hash >> 29)) & ((1 << 48) - 1))
    }
}

impl fmt::Display for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in (0..LENGTH).rev() {
            let six = (self.0 >> (6 * digit)) & 63;
            write!(f, "{}", char::from(DIGITS[six as usize]))?;
        }
        Ok(())
    }
}

impl FromStr for LinkKey {
    type Err = String;

    fn from_str(text: &str) -> Result<LinkKey, String> {
        let wrong = || {
            let quoted: String = text.chars().take(2 * LENGTH).collect();
            let more = if quoted.len() < text.len() { "..." } else { "" };
            format!("`{}{more}` is no key of a link; copy the whole address", quoted.escape_debug())
        };
        if text.len() != LENGTH {
            return Err(wrong());
        }
        let mut key = 0;
        for byte in text.bytes() {
            let digit = DIGITS.iter().position(|digit| *digit == byte).ok_or_else(wrong)?;
            key = key << 6 | digit as u64;
        }
        Ok(LinkKey(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        for bytes in [&b""[..], b"a", b"packed state", &[0; 100]] {
            let key = LinkKey::of_bytes(bytes);
            assert_eq!(key.to_string().parse(), Ok(key));
            assert_eq!(key.to_string().len(), LENGTH);
        }
        assert_ne!(LinkKey::of_bytes(b"a"), LinkKey::of_bytes(b"b"));
        for wrong in ["", "short", "ninechars", "AAAA AAA", "AAAAAAÄ"] {
            assert!(wrong.parse::<LinkKey>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_stay_what_they_are_from_version_to_version() {
        assert_eq!(LinkKey::of_bytes(b"").to_string(), "UtNFfRPD");
    }

    #[test]
    fn one_more_step_to_the_same_state_has_a_key_of_its_own() {
        let key = LinkKey::of_bytes(b"packed state");
        assert_eq!(key.next(), key.next());
        let all = [key, key.next(), key.next().next()];
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
    }
}
