//! The two ways in which datagrams are sealed: greetings with a key of the ring, everything else with the key of a
//! session. Both work in place, and nothing but the writing of a greeting allocates; of a datagram that is not authentic no byte is decrypted.
//!
//! # Nonces
//! A greeting's nonce is the salt of its sender's incarnation, 16 random bytes, and the number of the greeting. Within a
//! session the nonce is the sender and the number of the datagram, and numbers count up for each receiver through a whole
//! incarnation. A session key comes from fresh randomness of both incarnations, so whoever starts again has other keys.

use super::{Challenge, ClusterId, ClusterKey, DatagramHeader, HEADER_LEN, KeyId, STAMP_LEN, Stamp};
use chacha20poly1305::{AeadInPlace, ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use hkdf::Hkdf;
use sha2::Sha256;
use std::fmt;
use watchkeeper_core::Pid;
use zeroize::Zeroizing;

/// How many bytes authenticate a datagram, at its end.
pub const TAG_LEN: usize = 16;

/// The most bytes of a datagram: what goes through an Ethernet in one piece, with room for tunnels around it.
pub const MAX_DATAGRAM: usize = 1400;

/// The fewest bytes of a datagram: one without a body.
pub const LEAST_DATAGRAM: usize = HEADER_LEN + STAMP_LEN + TAG_LEN;

/// How many random bytes an incarnation puts before the number of a greeting.
pub const SALT_LEN: usize = 16;

/// How many bytes a greeting has; in an open cluster the introduction of its sender follows.
pub const GREETING_LEN: usize = HEADER_LEN + SALT_LEN + STAMP_LEN + Hello::LEN + TAG_LEN;

const BROKEN: &str = "header, stamp and tag have their places in the buffer";
const SHORT: &str = "the cipher takes far more than a datagram";

/// What a greeting says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    /// The incarnation of its sender.
    pub incarnation: u64,
    /// The sender's challenge: whoever repeats it has seen this greeting.
    pub mine: Challenge,
    /// The receiver's challenge, as the sender has heard it; nothing if it has heard none.
    pub yours: Challenge,
    /// Whether the sender has opened the session of these two challenges.
    pub open: bool,
}

impl Hello {
    /// How many bytes it has.
    pub const LEN: usize = 8 + 2 * Challenge::LEN + 1;

    fn write(&self, bytes: &mut [u8; Hello::LEN]) {
        bytes[..8].copy_from_slice(&self.incarnation.to_be_bytes());
        bytes[8..24].copy_from_slice(&self.mine.0);
        bytes[24..40].copy_from_slice(&self.yours.0);
        bytes[40] = u8::from(self.open);
    }

    fn read(bytes: &[u8; Hello::LEN]) -> Hello {
        let mut incarnation = [0; 8];
        let (mut mine, mut yours) = (Challenge::NONE, Challenge::NONE);
        incarnation.copy_from_slice(&bytes[..8]);
        mine.0.copy_from_slice(&bytes[8..24]);
        yours.0.copy_from_slice(&bytes[24..40]);
        Hello { incarnation: u64::from_be_bytes(incarnation), mine, yours, open: bytes[40] != 0 }
    }
}

/// A cluster key as a node uses it: greetings are sealed with one key that comes from it, and sessions come from
/// another, so that nothing is sealed with the key itself.
#[derive(Clone)]
pub(super) struct RingCipher {
    pub(super) id: KeyId,
    key: ClusterKey,
    greetings: XChaCha20Poly1305,
    joins: XChaCha20Poly1305,
}

impl RingCipher {
    pub(super) fn new(id: KeyId, key: &ClusterKey) -> RingCipher {
        let cipher = |purpose: &[u8]| {
            let mut derived = Zeroizing::new([0; 32]);
            expand(key, purpose, &[], &mut *derived);
            XChaCha20Poly1305::new((&*derived).into())
        };
        RingCipher { id, key: key.clone(), greetings: cipher(b"greetings"), joins: cipher(b"joins") }
    }

    /// Whether this is the same key under the same id.
    pub(super) fn is(&self, other: &RingCipher) -> bool {
        self.id == other.id && self.key.bytes() == other.key.bytes()
    }

    /// The cipher of a session and its name on the wire.
    pub(super) fn session(&self, parts: &SessionParts) -> (u64, SessionCipher) {
        let mut derived = Zeroizing::new([0; 40]);
        expand(&self.key, b"session", &parts.bytes(), &mut *derived);
        let (name, key) = derived.split_first_chunk::<8>().expect("40 bytes");
        // 0 is the session of greetings.
        let name = u64::from_be_bytes(*name).max(1);
        (name, SessionCipher(ChaCha20Poly1305::new(key.into())))
    }

    /// The bytes of a greeting. In an open cluster its sender introduces itself.
    pub(super) fn seal_greeting(
        &self,
        (cluster, salt): (ClusterId, &[u8; SALT_LEN]),
        header: &DatagramHeader,
        stamp: &Stamp,
        hello: &Hello,
        introduction: &[u8],
    ) -> Vec<u8> {
        let mut datagram = vec![0; GREETING_LEN + introduction.len()];
        let (open, rest) = datagram.split_first_chunk_mut::<{ HEADER_LEN + SALT_LEN }>().expect(BROKEN);
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>().expect(BROKEN);
        header.write(cluster, open.first_chunk_mut().expect(BROKEN));
        open[HEADER_LEN..].copy_from_slice(salt);
        let (first, second) = body.split_first_chunk_mut::<STAMP_LEN>().expect(BROKEN);
        stamp.write(first);
        let (second, third) = second.split_first_chunk_mut().expect(BROKEN);
        hello.write(second);
        third.copy_from_slice(introduction);
        let nonce = greeting_nonce(salt, header.number);
        let sealed = self.greetings.encrypt_in_place_detached(&nonce.into(), open, body);
        *tag = sealed.expect(SHORT).into();
        datagram
    }

    /// Opens a greeting; `None` if it is not authentic. What follows it is how its sender introduces itself.
    pub(super) fn open_greeting<'a>(
        &self,
        header: &DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Option<(Stamp, Hello, &'a [u8])> {
        let (open, rest) = datagram.split_first_chunk_mut::<{ HEADER_LEN + SALT_LEN }>()?;
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>()?;
        let nonce = greeting_nonce(open.last_chunk()?, header.number);
        self.greetings.decrypt_in_place_detached(&nonce.into(), open, body, (&*tag).into()).ok()?;
        let (stamp, rest) = body.split_first_chunk::<STAMP_LEN>()?;
        let (hello, introduction) = rest.split_first_chunk()?;
        Some((Stamp::read(stamp), Hello::read(hello), introduction))
    }

    /// Seals a request to join, or the answer to one, behind its first `open` bytes, and adds its tag.
    pub(super) fn seal_join(&self, datagram: &mut Vec<u8>, open: usize, salt: &[u8; SALT_LEN], number: u64) {
        let (open, body) = datagram.split_at_mut(open);
        let nonce = greeting_nonce(salt, number);
        let tag = self.joins.encrypt_in_place_detached(&nonce.into(), open, body).expect(SHORT);
        datagram.extend_from_slice(&tag);
    }

    /// Opens it again; `None` if it is not authentic.
    pub(super) fn open_join<'a>(
        &self,
        datagram: &'a mut [u8],
        open: usize,
        salt: &[u8; SALT_LEN],
        number: u64,
    ) -> Option<&'a [u8]> {
        let (open, rest) = datagram.split_at_mut_checked(open)?;
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>()?;
        let nonce = greeting_nonce(salt, number);
        self.joins.decrypt_in_place_detached(&nonce.into(), open, body, (&*tag).into()).ok()?;
        Some(body)
    }
}

/// What a session key comes from beside the cluster key. Both ends have the same, in the order of their ids.
pub(super) struct SessionParts {
    pub(super) cluster: ClusterId,
    pub(super) ends: [(Pid, Challenge, u64); 2],
}

impl SessionParts {
    fn bytes(&self) -> [u8; 60] {
        let mut ends = self.ends;
        ends.sort_by_key(|(end, ..)| *end);
        let mut bytes = [0; 60];
        bytes[..8].copy_from_slice(&self.cluster.bits().to_be_bytes());
        for (place, (end, challenge, incarnation)) in bytes[8..].chunks_exact_mut(26).zip(ends) {
            place[..2].copy_from_slice(&(end.index() as u16).to_be_bytes());
            place[2..18].copy_from_slice(&challenge.0);
            place[18..].copy_from_slice(&incarnation.to_be_bytes());
        }
        bytes
    }
}

/// Seals and opens the datagrams of one session.
#[derive(Clone)]
pub(super) struct SessionCipher(ChaCha20Poly1305);

impl SessionCipher {
    /// Seals a datagram in place that has the bytes for header, stamp and tag already.
    pub(super) fn seal(
        &self,
        cluster: ClusterId,
        header: &DatagramHeader,
        stamp: &Stamp,
        datagram: &mut [u8],
    ) -> Result<(), DatagramTooLong> {
        let bytes = datagram.len();
        assert!(bytes >= LEAST_DATAGRAM, "{BROKEN}");
        if bytes > MAX_DATAGRAM {
            return Err(DatagramTooLong { bytes });
        }
        let (head, rest) = datagram.split_first_chunk_mut::<HEADER_LEN>().expect(BROKEN);
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>().expect(BROKEN);
        header.write(cluster, head);
        stamp.write(body.first_chunk_mut::<STAMP_LEN>().expect(BROKEN));
        let sealed = self.0.encrypt_in_place_detached(&session_nonce(header).into(), head, body);
        *tag = sealed.expect(SHORT).into();
        Ok(())
    }

    /// Opens a datagram in place; `None` if it is not authentic.
    pub(super) fn open<'a>(
        &self,
        header: &DatagramHeader,
        datagram: &'a mut [u8],
    ) -> Option<(Stamp, &'a [u8])> {
        let (head, rest) = datagram.split_first_chunk_mut::<HEADER_LEN>()?;
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>()?;
        self.0.decrypt_in_place_detached(&session_nonce(header).into(), head, body, (&*tag).into()).ok()?;
        let (stamp, body) = body.split_first_chunk::<STAMP_LEN>()?;
        Some((Stamp::read(stamp), body))
    }
}

impl fmt::Debug for SessionCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionCipher(not shown)")
    }
}

impl fmt::Debug for RingCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.id, f)
    }
}

/// A message that does not fit into a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a datagram of {bytes} bytes is longer than {MAX_DATAGRAM}: let the protocol send its message in parts, or make its \
     lists shorter"
)]
pub struct DatagramTooLong {
    /// How many bytes the datagram would have.
    pub bytes: usize,
}

/// HKDF with SHA-256 (RFC 5869): a key for a purpose and a context.
fn expand(key: &ClusterKey, purpose: &[u8], context: &[u8], derived: &mut [u8]) {
    let derive = Hkdf::<Sha256>::new(Some(b"watchkeeper wire 3"), key.bytes());
    let done = derive.expand_multi_info(&[purpose, b":", context], derived);
    done.expect("a few bytes are within the limit of the derivation");
}

fn greeting_nonce(salt: &[u8; SALT_LEN], number: u64) -> [u8; 24] {
    let mut nonce = [0; 24];
    nonce[..SALT_LEN].copy_from_slice(salt);
    nonce[SALT_LEN..].copy_from_slice(&number.to_be_bytes());
    nonce
}

/// Both ends seal with the same key, so the sender is a part of the nonce.
fn session_nonce(header: &DatagramHeader) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..2].copy_from_slice(&(header.sender.index() as u16).to_be_bytes());
    nonce[4..].copy_from_slice(&header.number.to_be_bytes());
    nonce
}

#[cfg(test)]
#[path = "cipher_tests.rs"]
mod tests;
