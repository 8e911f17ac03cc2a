//! What can happen in each sub-round, and how reports name it.

use watchkeeper_core::Pid;
use watchkeeper_space::{ActionClass, ActionLabel, ClassId, Role};

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
pub(super) enum SubRoundAction {
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

impl SubRoundAction {
    pub(super) const ALL: [SubRoundAction; 18] = [
        SubRoundAction::SenderActs,
        SubRoundAction::SenderRests,
        SubRoundAction::ReceiverActs,
        SubRoundAction::ReceiverRests,
        SubRoundAction::Age,
        SubRoundAction::Send,
        SubRoundAction::NoSend,
        SubRoundAction::Wait,
        SubRoundAction::NoWait,
        SubRoundAction::Deliver,
        SubRoundAction::Miss,
        SubRoundAction::NoReceive,
        SubRoundAction::Bide,
        SubRoundAction::Suspect,
        SubRoundAction::StillSuspect,
        SubRoundAction::NoCompute,
        SubRoundAction::Crash,
        SubRoundAction::NoCrash,
    ];

    pub(super) const fn class(self) -> ClassId {
        self as ClassId
    }

    /// The deed of a class, if there is one.
    pub(super) fn of(class: ClassId) -> Option<SubRoundAction> {
        SubRoundAction::ALL.get(usize::from(class)).copied()
    }

    /// The classes of a model; those of a crash only if there is one.
    pub(super) fn classes(crash: bool) -> Vec<ActionClass> {
        let of_crash = |action: &&SubRoundAction| {
            crash || !matches!(action, SubRoundAction::Crash | SubRoundAction::NoCrash)
        };
        SubRoundAction::ALL.iter().filter(of_crash).map(|action| action.described()).collect()
    }

    fn described(self) -> ActionClass {
        let role = match self {
            SubRoundAction::Crash => Role::Fault,
            SubRoundAction::Deliver => Role::Message,
            _ => Role::Other,
        };
        ActionClass { name: self.name().to_string(), role }
    }

    /// Its name in coverage.
    const fn name(self) -> &'static str {
        match self {
            SubRoundAction::SenderActs => "SSched: sender acts",
            SubRoundAction::SenderRests => "SSched: sender rests",
            SubRoundAction::ReceiverActs => "RSched: receiver acts",
            SubRoundAction::ReceiverRests => "RSched: receiver rests",
            SubRoundAction::Age => "IncMsgAge",
            SubRoundAction::Send => "SSnd: send alive",
            SubRoundAction::NoSend => "SSnd: nothing",
            SubRoundAction::Wait => "RNoSnd: wait",
            SubRoundAction::NoWait => "RNoSnd: nothing",
            SubRoundAction::Deliver => "deliver alive",
            SubRoundAction::Miss => "RRcv: no message",
            SubRoundAction::NoReceive => "RRcv: nothing",
            SubRoundAction::Bide => "RComp: wait",
            SubRoundAction::Suspect => "RComp: suspect",
            SubRoundAction::StillSuspect => "RComp: still suspect",
            SubRoundAction::NoCompute => "RComp: nothing",
            SubRoundAction::Crash => "crash",
            SubRoundAction::NoCrash => "SCrash: nothing",
        }
    }

    /// As a person reads it.
    pub(super) const fn label(self) -> &'static str {
        match self {
            SubRoundAction::SenderActs => "SSched: the sender acts in this step",
            SubRoundAction::SenderRests => "SSched: the sender rests in this step",
            SubRoundAction::ReceiverActs => "RSched: the receiver acts in this step",
            SubRoundAction::ReceiverRests => "RSched: the receiver rests in this step",
            SubRoundAction::Age => "IncMsgAge: messages get older",
            SubRoundAction::Send => "SSnd: the sender sends alive",
            SubRoundAction::NoSend => "SSnd: nothing is sent",
            SubRoundAction::Wait => "RNoSnd: the receiver waits",
            SubRoundAction::NoWait => "RNoSnd: not the receiver's task",
            SubRoundAction::Deliver => "RRcv: the receiver receives alive",
            SubRoundAction::Miss => "RRcv: the receiver receives nothing",
            SubRoundAction::NoReceive => "RRcv: not the receiver's task",
            SubRoundAction::Bide => "RComp: the timeout is not reached",
            SubRoundAction::Suspect => "RComp: the receiver begins to suspect the sender",
            SubRoundAction::StillSuspect => "RComp: the receiver still suspects the sender",
            SubRoundAction::NoCompute => "RComp: not the receiver's task",
            SubRoundAction::Crash => "SCrash: the sender crashes",
            SubRoundAction::NoCrash => "SCrash: the sender does not crash in this step",
        }
    }

    /// What a claim of fairness may say of it.
    pub(super) fn action_label(self, code: u64) -> ActionLabel {
        let process = match self {
            SubRoundAction::SenderActs
            | SubRoundAction::SenderRests
            | SubRoundAction::Send
            | SubRoundAction::NoSend
            | SubRoundAction::Crash
            | SubRoundAction::NoCrash => Some(SENDER),
            SubRoundAction::Age => None,
            _ => Some(RECEIVER),
        };
        let peer = (self == SubRoundAction::Deliver).then_some(SENDER);
        ActionLabel { process, peer, which: code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_lists() {
        for (i, action) in SubRoundAction::ALL.iter().enumerate() {
            assert_eq!((usize::from(action.class()), SubRoundAction::of(i as ClassId)), (i, Some(*action)));
        }
        for (i, sub_round) in SubRound::ALL.iter().enumerate() {
            assert_eq!(*sub_round as usize, i);
        }
        assert_eq!((SubRoundAction::classes(false).len(), SubRoundAction::classes(true).len()), (16, 18));
        assert_eq!(SubRoundAction::of(18), None);
    }
}
