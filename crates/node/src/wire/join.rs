//! How a node asks to become a member of an open cluster, and what it is answered. Both are sealed with a key that comes
//! from a cluster key and is used for nothing else. A request changes nothing by itself: it tells a number, and only the
//! handshake that follows, which cannot be replayed, makes a member of whoever asked.

use super::cipher::RingCipher;
use super::entry::{read_address, take, write_address};
use super::header::{self, DatagramKind};
use super::{
    Challenge, ClusterId, DatagramHeader, DatagramRefusal, DirectoryEntry, HEADER_LEN, KeyId, MemberPlace,
    OpenedDatagram, SALT_LEN, Sessions, TAG_LEN,
};
use std::net::SocketAddr;
use watchkeeper_core::Pid;

/// Where the sealed bytes of a request or an answer begin.
const OPEN_LEN: usize = HEADER_LEN + SALT_LEN;

/// How many sealed bytes a request has, filled up with zeros: no answer is longer, so nobody can be flooded with answers
/// to requests that somebody else replays.
const REQUEST_LEN: usize = 136;

/// How many bytes the datagram of a request has.
pub const JOIN_LEN: usize = OPEN_LEN + REQUEST_LEN + TAG_LEN;

/// A node asks for a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinRequest {
    /// Random bytes that the answer repeats.
    pub nonce: Challenge,
    /// The incarnation of the node.
    pub incarnation: u64,
    /// The number that it would like to have: it gets it if nobody else has it.
    pub wish: Option<Pid>,
    /// Where it is reached, and what it is called. The answer goes there.
    pub place: MemberPlace,
}

/// The answer to a request, or to a greeting under a number that another member has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinAnswer {
    /// The nonce of the request, or the challenge of the greeting.
    pub nonce: Challenge,
    /// What was decided.
    pub verdict: JoinVerdict,
}

/// What was decided on a request to join.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JoinVerdict {
    /// The node gets this number.
    Number {
        /// The number.
        number: Pid,
        /// The version of its entry.
        version: u32,
        /// How many seeds the cluster has; their numbers are the first.
        seeds: u8,
        /// The seed that answers.
        seed: DirectoryEntry,
    },
    /// It cannot be decided yet: ask again soon.
    Wait,
    /// A member that is there has the same name.
    NameInUse,
    /// All numbers are in use.
    Full,
    /// A member has this number, and had it before.
    NumberTaken(Pid),
    /// Whoever was asked is no seed; here is one.
    AskThere(SocketAddr),
}

impl JoinRequest {
    pub(super) fn seal(&self, ring: &RingCipher, sealing: &JoinSealing) -> Vec<u8> {
        let mut body = Vec::with_capacity(REQUEST_LEN);
        body.extend_from_slice(&self.nonce.0);
        body.extend_from_slice(&self.incarnation.to_be_bytes());
        let wish = self.wish.map_or(u16::MAX, |wish| wish.index() as u16);
        body.extend_from_slice(&wish.to_be_bytes());
        self.place.write(&mut body);
        body.resize(REQUEST_LEN, 0);
        sealing.seal(ring, DatagramKind::Join, &body)
    }

    pub(super) fn read(mut body: &[u8]) -> Option<JoinRequest> {
        let nonce = Challenge(*take(&mut body)?);
        let incarnation = u64::from_be_bytes(*take(&mut body)?);
        let wish = Pid::member(usize::from(u16::from_be_bytes(*take(&mut body)?)));
        let place = MemberPlace::read(&mut body)?;
        let known = nonce != Challenge::NONE && incarnation != 0;
        let padded = body.iter().all(|byte| *byte == 0);
        (known && padded).then_some(JoinRequest { nonce, incarnation, wish, place })
    }
}

impl JoinAnswer {
    pub(super) fn seal(&self, ring: &RingCipher, sealing: &JoinSealing) -> Vec<u8> {
        let mut body = self.nonce.0.to_vec();
        match &self.verdict {
            JoinVerdict::Number { number, version, seeds, seed } => {
                body.push(0);
                body.extend_from_slice(&(number.index() as u16).to_be_bytes());
                body.extend_from_slice(&version.to_be_bytes());
                body.push(*seeds);
                seed.write(&mut body);
            }
            JoinVerdict::Wait => body.push(1),
            JoinVerdict::NameInUse => body.push(2),
            JoinVerdict::Full => body.push(3),
            JoinVerdict::NumberTaken(number) => {
                body.push(4);
                body.extend_from_slice(&(number.index() as u16).to_be_bytes());
            }
            JoinVerdict::AskThere(address) => {
                body.push(5);
                write_address(*address, &mut body);
            }
        }
        debug_assert!(body.len() <= REQUEST_LEN, "no answer is longer than a request");
        sealing.seal(ring, DatagramKind::Answer, &body)
    }

    pub(super) fn read(mut body: &[u8]) -> Option<JoinAnswer> {
        let nonce = Challenge(*take(&mut body)?);
        let verdict = match take::<1>(&mut body)?[0] {
            0 => JoinVerdict::Number {
                number: Pid::member(usize::from(u16::from_be_bytes(*take(&mut body)?)))?,
                version: u32::from_be_bytes(*take(&mut body)?),
                seeds: take::<1>(&mut body)?[0],
                seed: DirectoryEntry::read(&mut body)?,
            },
            1 => JoinVerdict::Wait,
            2 => JoinVerdict::NameInUse,
            3 => JoinVerdict::Full,
            4 => JoinVerdict::NumberTaken(Pid::member(usize::from(u16::from_be_bytes(*take(&mut body)?)))?),
            5 => JoinVerdict::AskThere(read_address(&mut body)?),
            _ => return None,
        };
        body.is_empty().then_some(JoinAnswer { nonce, verdict })
    }
}

/// What a request or an answer is sealed under beside its key.
pub(super) struct JoinSealing {
    pub(super) cluster: ClusterId,
    pub(super) salt: [u8; SALT_LEN],
    pub(super) number: u64,
}

impl JoinSealing {
    fn seal(&self, ring: &RingCipher, kind: DatagramKind, body: &[u8]) -> Vec<u8> {
        let mut datagram = vec![0; OPEN_LEN];
        let head = datagram.first_chunk_mut().expect("room for a header");
        header::write_join(kind, ring.id, self.cluster, self.number, head);
        datagram[HEADER_LEN..].copy_from_slice(&self.salt);
        datagram.extend_from_slice(body);
        ring.seal_join(&mut datagram, OPEN_LEN, &self.salt, self.number);
        datagram
    }
}

impl Sessions {
    /// Fresh random bytes, for a request to join.
    pub fn nonce(&mut self) -> Challenge {
        self.drawer.draw()
    }

    /// The bytes of a request to join, sealed with the current key. `None` if all numbers are used up.
    pub fn join_request(&mut self, request: &JoinRequest) -> Option<Vec<u8>> {
        let sealing = self.join_sealing()?;
        Some(request.seal(&self.ring[0], &sealing))
    }

    /// The bytes of an answer, sealed with this key of the ring. `None` if it is not on the ring, or if all numbers are used
    /// up.
    pub fn join_answer(&mut self, key: KeyId, answer: &JoinAnswer) -> Option<Vec<u8>> {
        let sealing = self.join_sealing()?;
        let cipher = self.ring.iter().find(|cipher| cipher.id == key)?;
        Some(answer.seal(cipher, &sealing))
    }

    fn join_sealing(&mut self) -> Option<JoinSealing> {
        let number = self.greeting_number()?;
        Some(JoinSealing { cluster: self.cluster, salt: self.salt.0, number })
    }

    pub(super) fn open_join<'a>(
        &self,
        datagram: &'a mut [u8],
    ) -> Result<OpenedDatagram<'a>, DatagramRefusal> {
        let head = datagram.first_chunk().ok_or(DatagramRefusal::TooShort)?;
        let kind = DatagramHeader::kind(head, self.cluster)?;
        let (key, number) = header::read_join(head).ok_or(DatagramRefusal::Malformed)?;
        let cipher = self.ring.iter().find(|cipher| cipher.id == key);
        let cipher = cipher.ok_or(DatagramRefusal::UnknownKey)?;
        let body = open(cipher, number, datagram).ok_or(DatagramRefusal::Forged)?;
        let opened = match kind {
            DatagramKind::Join => {
                JoinRequest::read(body).map(|request| OpenedDatagram::Join { key, request })
            }
            _ => JoinAnswer::read(body).map(OpenedDatagram::Answer),
        };
        opened.ok_or(DatagramRefusal::Malformed)
    }
}

/// Opens a request or an answer in place; the sealed bytes, or `None` if it is not authentic.
pub(super) fn open<'a>(ring: &RingCipher, number: u64, datagram: &'a mut [u8]) -> Option<&'a [u8]> {
    let salt = *datagram.get(HEADER_LEN..OPEN_LEN)?.first_chunk()?;
    ring.open_join(datagram, OPEN_LEN, &salt, number)
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
