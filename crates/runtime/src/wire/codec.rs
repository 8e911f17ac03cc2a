//! Seals and opens datagrams, in place and without allocating. What cannot be opened is refused with one reason and
//! left as it was; of a datagram that is not authentic no byte is decrypted.

use super::header::NONCE_LEN;
use super::{ClusterId, DatagramHeader, DatagramRefusal, HEADER_LEN, KeyId, KeyRing, STAMP_LEN, Stamp};
use chacha20poly1305::{AeadInPlace, KeyInit, XChaCha20Poly1305};
use std::fmt;
use watchkeeper_core::Pid;

/// How many bytes authenticate a datagram, at its end.
pub const TAG_LEN: usize = 16;

/// The most bytes of a datagram: what goes through an Ethernet in one piece, with room for tunnels around it.
pub const MAX_DATAGRAM: usize = 1400;

/// The fewest bytes of a datagram: one without a body.
pub const LEAST_DATAGRAM: usize = HEADER_LEN + STAMP_LEN + TAG_LEN;

/// Seals what one node sends and opens what it receives.
#[derive(Clone)]
pub struct Codec {
    cluster: ClusterId,
    me: Pid,
    /// The ciphers of the ring, that of the current key first.
    ciphers: Vec<(KeyId, XChaCha20Poly1305)>,
}

impl Codec {
    /// For the node `me` of a cluster that shares these keys.
    pub fn new(cluster: ClusterId, keys: KeyRing, me: Pid) -> Codec {
        let cipher =
            |(id, key): (KeyId, &super::ClusterKey)| (id, XChaCha20Poly1305::new(key.bytes().into()));
        Codec { cluster, me, ciphers: keys.keys().map(cipher).collect() }
    }

    /// Seals a datagram in place with the current key. From offset `from` to its end, `buffer` holds
    /// [`HEADER_LEN`] and [`STAMP_LEN`] reserved bytes and then the body; header and stamp are written into the
    /// reserved bytes, stamp and body are encrypted, and the tag is appended. Nothing is allocated if the buffer has
    /// room for the tag. A buffer that is refused is left as it was.
    ///
    /// The header must be one that [`Sessions`](super::Sessions) has given out, each once: sealing two bodies under one
    /// number gives both away.
    ///
    /// # Panics
    /// If the buffer does not have the reserved bytes: a broken invariant of the caller.
    pub fn seal(
        &self,
        header: &DatagramHeader,
        stamp: &Stamp,
        buffer: &mut Vec<u8>,
        from: usize,
    ) -> Result<(), DatagramTooLong> {
        let bytes = buffer.len().saturating_sub(from) + TAG_LEN;
        if bytes > MAX_DATAGRAM {
            return Err(DatagramTooLong { bytes });
        }
        buffer.resize(buffer.len() + TAG_LEN, 0);
        self.seal_slice(header, stamp, &mut buffer[from..])
    }

    /// The same for a datagram that has the bytes for its tag at its end already.
    ///
    /// # Panics
    /// If the datagram does not have the reserved bytes: a broken invariant of the caller.
    pub fn seal_slice(
        &self,
        header: &DatagramHeader,
        stamp: &Stamp,
        datagram: &mut [u8],
    ) -> Result<(), DatagramTooLong> {
        let bytes = datagram.len();
        assert!(bytes >= LEAST_DATAGRAM, "header, stamp and tag have their places in the buffer");
        if bytes > MAX_DATAGRAM {
            return Err(DatagramTooLong { bytes });
        }
        let (id, cipher) = &self.ciphers[0];
        let reserved = "header, stamp and tag have their places in the buffer";
        let (head, rest) = datagram.split_first_chunk_mut::<HEADER_LEN>().expect(reserved);
        let (body, tag) = rest.split_last_chunk_mut::<TAG_LEN>().expect(reserved);
        header.write(*id, self.cluster, head);
        stamp.write(body.first_chunk_mut::<STAMP_LEN>().expect(reserved));
        let nonce: [u8; NONCE_LEN] = header.nonce(self.cluster);
        let sealed = cipher.encrypt_in_place_detached(&nonce.into(), head, body);
        *tag = sealed.expect("the cipher takes far more than a datagram").into();
        Ok(())
    }

    /// Opens a datagram in place: length, version, cluster, kind, receiver, sender, key and authenticity are checked
    /// in that order, and the first that is wrong is the reason for the refusal. Returned are header, stamp and body.
    ///
    /// To find datagrams that are too long, receive into a buffer of at least one byte more than [`MAX_DATAGRAM`].
    pub fn open<'a>(
        &self,
        datagram: &'a mut [u8],
    ) -> Result<(DatagramHeader, Stamp, &'a [u8]), DatagramRefusal> {
        if datagram.len() < LEAST_DATAGRAM {
            return Err(DatagramRefusal::TooShort);
        }
        if datagram.len() > MAX_DATAGRAM {
            return Err(DatagramRefusal::TooLong);
        }
        let (head, rest) = datagram.split_first_chunk_mut::<HEADER_LEN>().ok_or(DatagramRefusal::TooShort)?;
        let (sealed, tag) = rest.split_last_chunk_mut::<TAG_LEN>().ok_or(DatagramRefusal::TooShort)?;
        let (key, header) = DatagramHeader::read(head, self.cluster, self.me)?;
        let (_, cipher) =
            self.ciphers.iter().find(|(id, _)| *id == key).ok_or(DatagramRefusal::UnknownKey)?;
        let nonce: [u8; NONCE_LEN] = header.nonce(self.cluster);
        cipher
            .decrypt_in_place_detached(&nonce.into(), head, sealed, (&*tag).into())
            .map_err(|_| DatagramRefusal::Forged)?;
        let (stamp, body) = sealed.split_first_chunk::<STAMP_LEN>().ok_or(DatagramRefusal::TooShort)?;
        Ok((header, Stamp::read(stamp), body))
    }
}

impl fmt::Debug for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<KeyId> = self.ciphers.iter().map(|(id, _)| *id).collect();
        f.debug_struct("Codec")
            .field("cluster", &self.cluster)
            .field("me", &self.me)
            .field("keys", &keys)
            .finish()
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

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
