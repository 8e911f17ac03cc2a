//! Members of clusters that grow while they run, as messages and states name them.

use crate::{Malformed, Pack, Perm, Pid, Reader};
use std::fmt;

/// A process that may be one of more than [`MAX_PROCESSES`](crate::MAX_PROCESSES). In small systems its bytes are those
/// of a [`Pid`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member(pub Pid);

impl From<Pid> for Member {
    fn from(p: Pid) -> Member {
        Member(p)
    }
}

impl From<Member> for Pid {
    fn from(member: Member) -> Pid {
        member.0
    }
}

impl Pack for Member {
    fn pack(&self, out: &mut Vec<u8>) {
        (self.0.index() as u16).pack(out);
    }

    fn unpack(bytes: &mut Reader<'_>) -> Result<Member, Malformed> {
        let number = u16::unpack(bytes)?;
        Pid::member(usize::from(number)).map(Member).ok_or(Malformed("no such member"))
    }

    fn rename(&self, perm: &Perm) -> Member {
        Member(perm.apply(self.0))
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MAX_MEMBERS, packed, unpacked};

    #[test]
    fn a_member_of_a_small_system_has_the_bytes_of_a_process() {
        for p in Pid::all(64) {
            assert_eq!(packed(&Member(p)), packed(&p));
        }
    }

    #[test]
    fn every_member_is_read_as_written_and_no_other() {
        for number in 0..MAX_MEMBERS {
            let member = Member(Pid::member(number).expect("a member"));
            assert_eq!(unpacked::<Member>(&packed(&member)), Ok(member));
        }
        assert!(unpacked::<Member>(&packed(&(MAX_MEMBERS as u16))).is_err());
    }
}
