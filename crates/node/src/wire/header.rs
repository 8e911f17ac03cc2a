//! The bytes that every datagram begins with. They are readable by everybody and authenticated as they stand; reading
//! them checks what can be checked without a key, the cheapest first, and believes none of it.

use super::{ClusterId, DatagramRefusal, KeyId};
use watchkeeper_core::Pid;

/// The version of the format that this release speaks, and the only one that it takes.
pub const VERSION: u8 = 3;

/// How many bytes a header has.
pub const HEADER_LEN: usize = 31;

const KIND: usize = 1;
const KEY: usize = 2;
const SENDER: usize = 3;
const RECEIVER: usize = 5;
const CLUSTER: usize = 7;
const SESSION: usize = 15;
const NUMBER: usize = 23;

/// What a datagram is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, strum::FromRepr, strum::VariantArray)]
#[repr(u8)]
#[non_exhaustive]
pub enum DatagramKind {
    /// It carries a message of the protocol.
    Message = 1,
    /// It greets: it opens a session, or asks for one. It is sealed with a cluster key, as requests to join and their answers
    /// are.
    Hello,
    /// It says that its sender ends as it was told to.
    Farewell,
    /// It says that its sender's protocol begins, or has begun.
    Begin,
    /// It says that its sender has found all of its peers, and waits for the first of them to begin.
    Ready,
    /// It says that its sender has not found all of its peers yet.
    Waiting,
    /// A node asks to become a member of an open cluster. Nobody has a number in it yet.
    Join,
    /// The answer to that.
    Answer,
    /// It tells what its sender knows of the members of an open cluster.
    Directory,
}

impl DatagramKind {
    /// All kinds.
    pub const ALL: &[DatagramKind] = <DatagramKind as strum::VariantArray>::VARIANTS;
}

/// Who sends what to whom. Version and cluster are added and checked where it is written and read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DatagramHeader {
    /// What the datagram is for.
    pub kind: DatagramKind,
    /// The cluster key that it is sealed with, or that its session comes from.
    pub key: KeyId,
    /// Who sends it.
    pub sender: Pid,
    /// Who is to receive it.
    pub receiver: Pid,
    /// The session that it belongs to; 0 in a greeting.
    pub session: u64,
    /// Its number among all that its sender has sent to the receiver in this incarnation, from 1; of a greeting, among
    /// all greetings of its sender.
    pub number: u64,
}

impl DatagramHeader {
    /// The header that anybody sees who sees the datagram, whoever it is for; `None` if it is no datagram of this version.
    pub fn seen(datagram: &[u8]) -> Option<DatagramHeader> {
        let head = datagram.first_chunk::<HEADER_LEN>().filter(|head| head[0] == VERSION)?;
        Some(DatagramHeader {
            kind: DatagramKind::from_repr(head[KIND])?,
            key: KeyId(head[KEY]),
            sender: process(head, SENDER)?,
            receiver: process(head, RECEIVER)?,
            session: number(head, SESSION),
            number: number(head, NUMBER),
        })
    }

    pub(super) fn write(&self, cluster: ClusterId, head: &mut [u8; HEADER_LEN]) {
        head[0] = VERSION;
        head[KIND] = self.kind as u8;
        head[KEY] = self.key.0;
        for (at, process) in [(SENDER, self.sender), (RECEIVER, self.receiver)] {
            head[at..at + 2].copy_from_slice(&(process.index() as u16).to_be_bytes());
        }
        for (at, value) in [(CLUSTER, cluster.bits()), (SESSION, self.session), (NUMBER, self.number)] {
            head[at..at + 8].copy_from_slice(&value.to_be_bytes());
        }
    }

    /// The kind of a datagram of this cluster.
    pub(super) fn kind(head: &[u8; HEADER_LEN], cluster: ClusterId) -> Result<DatagramKind, DatagramRefusal> {
        if head[0] != VERSION {
            return Err(DatagramRefusal::Version);
        }
        if number(head, CLUSTER) != cluster.bits() {
            return Err(DatagramRefusal::Cluster);
        }
        DatagramKind::from_repr(head[KIND]).ok_or(DatagramRefusal::Kind)
    }

    /// The header of a datagram for `me` in this cluster; nothing is for a node that has no number yet.
    pub(super) fn read(
        head: &[u8; HEADER_LEN],
        cluster: ClusterId,
        me: Option<Pid>,
    ) -> Result<DatagramHeader, DatagramRefusal> {
        let kind = DatagramHeader::kind(head, cluster)?;
        let me = process(head, RECEIVER).filter(|to| Some(*to) == me).ok_or(DatagramRefusal::NotForMe)?;
        let sender = process(head, SENDER).ok_or(DatagramRefusal::UnknownSender)?;
        let (session, number) = (number(head, SESSION), number(head, NUMBER));
        Ok(DatagramHeader { kind, key: KeyId(head[KEY]), sender, receiver: me, session, number })
    }
}

/// The header of a request to join or of the answer to it: nobody has a number.
pub(super) fn write_join(
    kind: DatagramKind,
    key: KeyId,
    cluster: ClusterId,
    number: u64,
    head: &mut [u8; HEADER_LEN],
) {
    *head = [0; HEADER_LEN];
    head[..3].copy_from_slice(&[VERSION, kind as u8, key.0]);
    head[SENDER..CLUSTER].fill(0xff);
    head[CLUSTER..SESSION].copy_from_slice(&cluster.bits().to_be_bytes());
    head[NUMBER..].copy_from_slice(&number.to_be_bytes());
}

/// Its key and its number.
pub(super) fn read_join(head: &[u8; HEADER_LEN]) -> Option<(KeyId, u64)> {
    let nobody = head[SENDER..CLUSTER].iter().all(|byte| *byte == 0xff);
    nobody.then(|| (KeyId(head[KEY]), number(head, NUMBER)))
}

fn process(head: &[u8; HEADER_LEN], at: usize) -> Option<Pid> {
    Pid::member(usize::from(u16::from_be_bytes([head[at], head[at + 1]])))
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
            key: KeyId(5),
            sender: Pid::member(0x0203).expect("a member"),
            receiver: Pid::at(2),
            session: 0x0102_0304_0506_0708,
            number: 10,
        }
    }

    fn written() -> [u8; HEADER_LEN] {
        let mut head = [0; HEADER_LEN];
        header().write(HERE, &mut head);
        head
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(DatagramHeader::read(&written(), HERE, Some(Pid::at(2))), Ok(header()));
        assert_eq!(DatagramHeader::seen(&written()), Some(header()));
        assert_eq!(DatagramHeader::seen(&written()[1..]), None);
        assert_eq!(written()[..7], [3, 3, 5, 2, 3, 0, 2]);
        assert_eq!(written()[SESSION..NUMBER], [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_first_reason_to_refuse_is_the_one_that_is_given() {
        // Everything is wrong at first; each mistake that is put right brings the next reason.
        let mut head = [0xff; HEADER_LEN];
        let right = written();
        for (refusal, repaired) in [
            (DatagramRefusal::Version, 0..1),
            (DatagramRefusal::Cluster, CLUSTER..SESSION),
            (DatagramRefusal::Kind, KIND..KEY),
            (DatagramRefusal::NotForMe, RECEIVER..CLUSTER),
            (DatagramRefusal::UnknownSender, SENDER..RECEIVER),
        ] {
            assert_eq!(DatagramHeader::read(&head, HERE, Some(Pid::at(2))), Err(refusal));
            head[repaired.clone()].copy_from_slice(&right[repaired]);
        }
        assert!(DatagramHeader::read(&head, HERE, Some(Pid::at(2))).is_ok());
    }
}
