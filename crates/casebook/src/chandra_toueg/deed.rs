//! What can happen in each sub-round, and how reports name it.

use watchkeeper_core::Pid;
use watchkeeper_space::{Class, ClassId, Doing, Role};

/// The sender; the other one is the [`RECEIVER`].
pub(super) const SENDER: Pid = Pid::at(0);

/// The receiver.
pub(super) const RECEIVER: Pid = Pid::at(1);

/// The names of the two processes, in the order of their ids.
pub(super) const NAMES: [&str; 2] = ["sender", "receiver"];

/// A sub-round: what the environment does next. Its number is the id of the slot `ePC`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum SubRound {
    SSched,
    RSched,
    IncMsgAge,
    SSnd,
    RNoSnd,
    RRcv,
    RComp,
    /// Only where the sender may crash, and first there.
    SCrash,
}

impl SubRound {
    pub(super) const ALL: [SubRound; 8] = [
        SubRound::SSched,
        SubRound::RSched,
        SubRound::IncMsgAge,
        SubRound::SSnd,
        SubRound::RNoSnd,
        SubRound::RRcv,
        SubRound::RComp,
        SubRound::SCrash,
    ];

    /// As the paper writes it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            SubRound::SSched => "SSched",
            SubRound::RSched => "RSched",
            SubRound::IncMsgAge => "IncMsgAge",
            SubRound::SSnd => "SSnd",
            SubRound::RNoSnd => "RNoSnd",
            SubRound::RRcv => "RRcv",
            SubRound::RComp => "RComp",
            SubRound::SCrash => "SCrash",
        }
    }
}

/// One step. Its number is its class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(super) enum Deed {
    SenderActs,
    SenderRests,
    ReceiverActs,
    ReceiverRests,
    Age,
    Send,
    NoSend,
    /// The receiver does its Task 1, in which it only waits.
    Wait,
    NoWait,
    /// Some messages are received; those that stay under way are the code of the action.
    Deliver,
    /// The receiver does its Task 2, and nothing is received.
    Miss,
    NoReceive,
    /// The receiver does its Task 3, and the timeout is not reached.
    Bide,
    Suspect,
    StillSuspect,
    NoCompute,
    Crash,
    NoCrash,
}

impl Deed {
    pub(super) const ALL: [Deed; 18] = [
        Deed::SenderActs,
        Deed::SenderRests,
        Deed::ReceiverActs,
        Deed::ReceiverRests,
        Deed::Age,
        Deed::Send,
        Deed::NoSend,
        Deed::Wait,
        Deed::NoWait,
        Deed::Deliver,
        Deed::Miss,
        Deed::NoReceive,
        Deed::Bide,
        Deed::Suspect,
        Deed::StillSuspect,
        Deed::NoCompute,
        Deed::Crash,
        Deed::NoCrash,
    ];

    pub(super) const fn class(self) -> ClassId {
        self as ClassId
    }

    /// The deed of a class, if there is one.
    pub(super) fn of(class: ClassId) -> Option<Deed> {
        Deed::ALL.get(usize::from(class)).copied()
    }

    /// The classes of a model; those of a crash only if there is one.
    pub(super) fn classes(crash: bool) -> Vec<Class> {
        let of_crash = |deed: &&Deed| crash || !matches!(deed, Deed::Crash | Deed::NoCrash);
        Deed::ALL.iter().filter(of_crash).map(|deed| deed.described()).collect()
    }

    fn described(self) -> Class {
        let role = match self {
            Deed::Crash => Role::Fault,
            Deed::Deliver => Role::Message,
            _ => Role::Other,
        };
        Class { name: self.name().to_string(), role }
    }

    /// Its name in coverage.
    const fn name(self) -> &'static str {
        match self {
            Deed::SenderActs => "SSched: sender acts",
            Deed::SenderRests => "SSched: sender rests",
            Deed::ReceiverActs => "RSched: receiver acts",
            Deed::ReceiverRests => "RSched: receiver rests",
            Deed::Age => "IncMsgAge",
            Deed::Send => "SSnd: send alive",
            Deed::NoSend => "SSnd: nothing",
            Deed::Wait => "RNoSnd: wait",
            Deed::NoWait => "RNoSnd: nothing",
            Deed::Deliver => "deliver alive",
            Deed::Miss => "RRcv: no message",
            Deed::NoReceive => "RRcv: nothing",
            Deed::Bide => "RComp: wait",
            Deed::Suspect => "RComp: suspect",
            Deed::StillSuspect => "RComp: still suspect",
            Deed::NoCompute => "RComp: nothing",
            Deed::Crash => "crash",
            Deed::NoCrash => "SCrash: nothing",
        }
    }

    /// As a person reads it.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Deed::SenderActs => "SSched: the sender acts in this step",
            Deed::SenderRests => "SSched: the sender rests in this step",
            Deed::ReceiverActs => "RSched: the receiver acts in this step",
            Deed::ReceiverRests => "RSched: the receiver rests in this step",
            Deed::Age => "IncMsgAge: messages get older",
            Deed::Send => "SSnd: the sender sends alive",
            Deed::NoSend => "SSnd: nothing is sent",
            Deed::Wait => "RNoSnd: the receiver waits",
            Deed::NoWait => "RNoSnd: not the receiver's task",
            Deed::Deliver => "RRcv: the receiver receives alive",
            Deed::Miss => "RRcv: the receiver receives nothing",
            Deed::NoReceive => "RRcv: not the receiver's task",
            Deed::Bide => "RComp: the timeout is not reached",
            Deed::Suspect => "RComp: the receiver begins to suspect the sender",
            Deed::StillSuspect => "RComp: the receiver still suspects the sender",
            Deed::NoCompute => "RComp: not the receiver's task",
            Deed::Crash => "SCrash: the sender crashes",
            Deed::NoCrash => "SCrash: the sender does not crash in this step",
        }
    }

    /// What a claim of fairness may say of it.
    pub(super) fn doing(self, code: u64) -> Doing {
        let process = match self {
            Deed::SenderActs
            | Deed::SenderRests
            | Deed::Send
            | Deed::NoSend
            | Deed::Crash
            | Deed::NoCrash => Some(SENDER),
            Deed::Age => None,
            _ => Some(RECEIVER),
        };
        let peer = (self == Deed::Deliver).then_some(SENDER);
        Doing { process, peer, which: code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_lists() {
        for (i, deed) in Deed::ALL.iter().enumerate() {
            assert_eq!((usize::from(deed.class()), Deed::of(i as ClassId)), (i, Some(*deed)));
        }
        for (i, sub_round) in SubRound::ALL.iter().enumerate() {
            assert_eq!(*sub_round as usize, i);
        }
        assert_eq!((Deed::classes(false).len(), Deed::classes(true).len()), (16, 18));
        assert_eq!(Deed::of(18), None);
    }
}
