//! The keys that a cluster shares. A node seals with one of them and opens with any, so that keys can be replaced
//! while the cluster runs. A key is never shown, neither by `Debug` nor in an error.

use std::fmt;
use std::str::FromStr;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The most keys of one ring.
pub const MAX_KEYS: usize = 8;

const KEY_LEN: usize = 32;

/// A secret of 32 bytes that all nodes of a cluster share. It is wiped from memory when it is dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct ClusterKey([u8; KEY_LEN]);

impl ClusterKey {
    /// The key of these bytes, which are best drawn at random. 32 zeros are what a file has that was never written,
    /// and no key.
    pub fn from_bytes(bytes: [u8; KEY_LEN]) -> Result<ClusterKey, KeyError> {
        if bytes == [0; KEY_LEN] { Err(KeyError::Zero) } else { Ok(ClusterKey(bytes)) }
    }

    /// The key as 64 hexadecimal digits, to be written where only the nodes can read it.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn bytes(&self) -> &[u8; KEY_LEN] {
        &self.0
    }
}

impl FromStr for ClusterKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<ClusterKey, KeyError> {
        let found = text.chars().count();
        if found != 2 * KEY_LEN {
            return Err(KeyError::Length { found });
        }
        let mut bytes = [0; KEY_LEN];
        for (place, digit) in text.chars().enumerate() {
            let value = digit.to_digit(16).ok_or(KeyError::NotHex { place: place + 1 })?;
            bytes[place / 2] = bytes[place / 2] << 4 | value as u8;
        }
        ClusterKey::from_bytes(bytes)
    }
}

impl fmt::Debug for ClusterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClusterKey(not shown)")
    }
}

/// The name of a key, which datagrams carry so that a receiver knows which one to open them with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeyId(pub u8);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {}", self.0)
    }
}

/// One key to seal with, and up to seven more to open with.
#[derive(Clone, Debug)]
pub struct KeyRing {
    /// The current key is the first.
    keys: Vec<(KeyId, ClusterKey)>,
}

impl KeyRing {
    /// The ring with this key alone, which is the current one.
    pub fn new(current: (KeyId, ClusterKey)) -> KeyRing {
        KeyRing { keys: vec![current] }
    }

    /// This ring and a key that is only opened with.
    pub fn with(mut self, id: KeyId, key: ClusterKey) -> Result<KeyRing, KeyError> {
        if self.keys.iter().any(|(other, _)| *other == id) {
            return Err(KeyError::SameId(id));
        }
        if self.keys.len() == MAX_KEYS {
            return Err(KeyError::TooMany);
        }
        self.keys.push((id, key));
        Ok(self)
    }

    /// The id of the key that is sealed with.
    pub fn current(&self) -> KeyId {
        self.keys[0].0
    }

    /// The ids of all keys, the current one first.
    pub fn ids(&self) -> impl Iterator<Item = KeyId> + '_ {
        self.keys.iter().map(|(id, _)| *id)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = (KeyId, &ClusterKey)> {
        self.keys.iter().map(|(id, key)| (*id, key))
    }
}

/// The reason why a text is no key, or keys are no ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text has another length than a key has.
    #[error("a key has 64 hexadecimal digits, and this text has {found} characters: copy all of it")]
    Length {
        /// How many characters it has.
        found: usize,
    },
    /// A character of the text is no hexadecimal digit.
    #[error("character {place} of the key is no hexadecimal digit: a key has 0-9 and a-f only")]
    NotHex {
        /// Its place, counted from 1.
        place: usize,
    },
    /// The key is all zeros.
    #[error("a key of zeros is no secret: make one with `watchkeeper key`")]
    Zero,
    /// Two keys of one ring have this id.
    #[error("{0} is there twice: give the newer one an id that no key of the ring has")]
    SameId(KeyId),
    /// The ring has more keys than it may.
    #[error("a ring has at most {MAX_KEYS} keys: remove those that no node seals with any more")]
    TooMany,
    /// The system has no randomness to make a key of.
    #[error("the system gives no random bytes: make the key on another machine and copy it")]
    NoEntropy,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> ClusterKey {
        ClusterKey([byte; KEY_LEN])
    }

    #[test]
    fn a_key_is_written_and_read_but_never_shown() {
        let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";
        let read: ClusterKey = text.parse().expect("a key");
        assert_eq!(read.bytes()[30..], [0x1e, 0xff]);
        assert_eq!(read.to_hex(), text);
        assert_eq!(text.to_uppercase().parse::<ClusterKey>().expect("a key").to_hex(), text);
        let ring = KeyRing::new((KeyId(7), key(0xab)));
        for shown in [format!("{:?}", key(0xab)), format!("{ring:?}")] {
            assert!(
                shown.contains("not shown") && !shown.contains("ab") && !shown.contains("171"),
                "{shown}"
            );
        }
    }

    #[test]
    fn texts_that_are_no_keys_are_refused_without_repeating_them() {
        let refused = |text: &str| text.parse::<ClusterKey>().map(|key| key.to_hex()).expect_err("no key");
        assert_eq!(refused(""), KeyError::Length { found: 0 });
        assert_eq!(refused(&"a".repeat(63)), KeyError::Length { found: 63 });
        assert_eq!(refused(&"ä".repeat(32)), KeyError::Length { found: 32 });
        assert_eq!(refused(&("a".repeat(63) + "ä")), KeyError::NotHex { place: 64 });
        assert_eq!(refused(&("+".to_string() + &"a".repeat(63))), KeyError::NotHex { place: 1 });
        assert!(!refused(&("b".repeat(63) + "x")).to_string().contains("bb"));
    }

    #[test]
    fn zeros_are_no_key() {
        assert_eq!("0".repeat(64).parse::<ClusterKey>().map(|key| key.to_hex()), Err(KeyError::Zero));
        assert_eq!(ClusterKey::from_bytes([0; KEY_LEN]).map(|key| key.to_hex()), Err(KeyError::Zero));
        assert!(ClusterKey::from_bytes([1; KEY_LEN]).is_ok());
    }

    #[test]
    fn a_ring_has_one_to_eight_keys_with_distinct_ids() {
        let mut ring = KeyRing::new((KeyId(0), key(10)));
        for id in 1..MAX_KEYS as u8 {
            assert_eq!(ring.clone().with(KeyId(0), key(9)).expect_err("twice"), KeyError::SameId(KeyId(0)));
            ring = ring.with(KeyId(id), key(id)).expect("room for one more");
        }
        assert_eq!(ring.clone().with(KeyId(8), key(8)).expect_err("nine"), KeyError::TooMany);
        assert_eq!(ring.current(), KeyId(0));
        assert_eq!(ring.keys().count(), 8);
    }
}
