//! The bytes that every datagram begins with. They are readable by everybody and authenticated as they stand; reading
//! them checks what can be checked without a key, the cheapest first, and believes none of it.

use super::{ClusterId, DatagramRefusal, KeyId};
use watchkeeper_core::Pid;

/// The version of the format that this release speaks, and the only one that it takes.
pub const VERSION: u8 = 1;

/// How many bytes a header has.
pub const HEADER_LEN: usize = 37;

const KIND: usize = 1;
const KEY: usize = 2;
const SENDER: usize = 3;
const RECEIVER: usize = 4;
const CLUSTER: usize = 5;
const INCARNATION: usize = 13;
const PEER_INCARNATION: usize = 21;
const NUMBER: usize = 29;

/// How many bytes a nonce has.
pub(super) const NONCE_LEN: usize = 24;

/// What a datagram is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::FromRepr, strum::VariantArray)]
#[repr(u8)]
#[non_exhaustive]
pub enum DatagramKind {
    /// It carries a message of the protocol.
    Message = 1,
    /// It tells the receiver which incarnation its sender is in.
    Hello,
    /// It says that its sender ends as it was told to.
    Farewell,
    /// It says that its sender's protocol begins, or has begun.
    Begin,
    /// It says that its sender has found all of its peers, and waits for the first of them to begin.
    Ready,
}

impl DatagramKind {
    /// All kinds.
    pub const ALL: &[DatagramKind] = <DatagramKind as strum::VariantArray>::VARIANTS;
}

/// Who sends what to whom. Version, cluster and key are added and checked by the [`Codec`](super::Codec).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DatagramHeader {
    /// What the datagram is for.
    pub kind: DatagramKind,
    /// Who sends it.
    pub sender: Pid,
    /// Who is to receive it.
    pub receiver: Pid,
    /// The incarnation that the sender is in.
    pub incarnation: u64,
    /// The incarnation that the sender believes the receiver to be in; 0 if it knows of none.
    pub peer_incarnation: u64,
    /// The number among all that this incarnation of the sender has sent to the receiver, from 1.
    pub number: u64,
}

impl DatagramHeader {
    pub(super) fn write(&self, key: KeyId, cluster: ClusterId, head: &mut [u8; HEADER_LEN]) {
        head[0] = VERSION;
        head[KIND] = self.kind as u8;
        head[KEY] = key.0;
        head[SENDER] = self.sender.index() as u8;
        head[RECEIVER] = self.receiver.index() as u8;
        for (at, value) in [
            (CLUSTER, cluster.bits()),
            (INCARNATION, self.incarnation),
            (PEER_INCARNATION, self.peer_incarnation),
            (NUMBER, self.number),
        ] {
            head[at..at + 8].copy_from_slice(&value.to_be_bytes());
        }
    }

    /// The header for `me` in this cluster, and the key that it names.
    pub(super) fn read(
        head: &[u8; HEADER_LEN],
        cluster: ClusterId,
        me: Pid,
    ) -> Result<(KeyId, DatagramHeader), DatagramRefusal> {
        if head[0] != VERSION {
            return Err(DatagramRefusal::Version);
        }
        if number(head, CLUSTER) != cluster.bits() {
            return Err(DatagramRefusal::Cluster);
        }
        let kind = DatagramKind::from_repr(head[KIND]).ok_or(DatagramRefusal::Kind)?;
        if usize::from(head[RECEIVER]) != me.index() {
            return Err(DatagramRefusal::NotForMe);
        }
        let sender = Pid::new(usize::from(head[SENDER])).ok_or(DatagramRefusal::UnknownSender)?;
        let header = DatagramHeader {
            kind,
            sender,
            receiver: me,
            incarnation: number(head, INCARNATION),
            peer_incarnation: number(head, PEER_INCARNATION),
            number: number(head, NUMBER),
        };
        Ok((KeyId(head[KEY]), header))
    }

    /// The nonce of the datagram with this header: no other of the same key has it (see the module's comment).
    /// The last five bytes keep clusters apart that were given the same key.
    pub(super) fn nonce(&self, cluster: ClusterId) -> [u8; NONCE_LEN] {
        let mut nonce = [0; NONCE_LEN];
        nonce[..8].copy_from_slice(&self.incarnation.to_be_bytes());
        nonce[8..16].copy_from_slice(&self.number.to_be_bytes());
        nonce[16] = self.sender.index() as u8;
        nonce[17] = self.receiver.index() as u8;
        nonce[18] = self.kind as u8;
        nonce[19..].copy_from_slice(&cluster.bits().to_be_bytes()[3..]);
        nonce
    }
}

fn number(head: &[u8; HEADER_LEN], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&head[at..at + 8]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: ClusterId = ClusterId::of_name("here");

    fn header() -> DatagramHeader {
        DatagramHeader {
            kind: DatagramKind::Farewell,
            sender: Pid::at(63),
            receiver: Pid::at(2),
            incarnation: 0x0102_0304_0506_0708,
            peer_incarnation: 9,
            number: 10,
        }
    }

    fn written() -> [u8; HEADER_LEN] {
        let mut head = [0; HEADER_LEN];
        header().write(KeyId(5), HERE, &mut head);
        head
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(DatagramHeader::read(&written(), HERE, Pid::at(2)), Ok((KeyId(5), header())));
        assert_eq!(written()[..5], [1, 3, 5, 63, 2]);
        assert_eq!(written()[INCARNATION..PEER_INCARNATION], [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_first_reason_to_refuse_is_the_one_that_is_given() {
        // Everything is wrong at first; each mistake that is put right brings the next reason.
        let mut head = [0xff; HEADER_LEN];
        let right = written();
        for (refusal, repaired) in [
            (DatagramRefusal::Version, 0..1),
            (DatagramRefusal::Cluster, CLUSTER..INCARNATION),
            (DatagramRefusal::Kind, KIND..KEY),
            (DatagramRefusal::NotForMe, RECEIVER..CLUSTER),
            (DatagramRefusal::UnknownSender, SENDER..RECEIVER),
        ] {
            assert_eq!(DatagramHeader::read(&head, HERE, Pid::at(2)), Err(refusal));
            head[repaired.clone()].copy_from_slice(&right[repaired]);
        }
        assert!(DatagramHeader::read(&head, HERE, Pid::at(2)).is_ok());
    }

    #[test]
    fn each_part_of_the_nonce_makes_it_another() {
        let nonce = header().nonce(HERE);
        let others = [
            DatagramHeader { kind: DatagramKind::Hello, ..header() }.nonce(HERE),
            DatagramHeader { sender: Pid::at(3), ..header() }.nonce(HERE),
            DatagramHeader { receiver: Pid::at(3), ..header() }.nonce(HERE),
            DatagramHeader { incarnation: 1, ..header() }.nonce(HERE),
            DatagramHeader { number: 11, ..header() }.nonce(HERE),
            header().nonce(ClusterId::of_name("there")),
        ];
        assert!(others.iter().all(|other| *other != nonce));
        assert_eq!(DatagramHeader { peer_incarnation: 1, ..header() }.nonce(HERE), nonce);
    }
}
