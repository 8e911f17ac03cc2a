//! What can happen in each sub-round, and how reports name it.

use strum::{EnumMessage, FromRepr, VariantArray};
use watchkeeper_core::Pid;
use watchkeeper_space::{ActionClass, ActionLabel, ClassId, DataAction, Role};

/// The sender; the other one is the [`RECEIVER`].
pub(super) const SENDER: Pid = Pid::at(0);

/// The receiver.
pub(super) const RECEIVER: Pid = Pid::at(1);

/// The names of the two processes, in the order of their ids.
pub(super) const NAMES: [&str; 2] = ["sender", "receiver"];

/// A sub-round: what the environment does next. Its number is the id of the slot `ePC`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::Display, VariantArray)]
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

/// One step. Its number is its class, its text names it in coverage, and its message is for readers.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::Display, EnumMessage, FromRepr, VariantArray,
)]
#[repr(u8)]
pub(super) enum SubRoundAction {
    #[strum(to_string = "SSched: sender acts", message = "SSched: the sender acts in this step")]
    SenderActs,
    #[strum(to_string = "SSched: sender rests", message = "SSched: the sender rests in this step")]
    SenderRests,
    #[strum(to_string = "RSched: receiver acts", message = "RSched: the receiver acts in this step")]
    ReceiverActs,
    #[strum(to_string = "RSched: receiver rests", message = "RSched: the receiver rests in this step")]
    ReceiverRests,
    #[strum(to_string = "IncMsgAge", message = "IncMsgAge: messages get older")]
    Age,
    #[strum(to_string = "SSnd: send alive", message = "SSnd: the sender sends alive")]
    Send,
    #[strum(to_string = "SSnd: nothing", message = "SSnd: nothing is sent")]
    NoSend,
    /// The receiver does its Task 1, in which it only waits.
    #[strum(to_string = "RNoSnd: wait", message = "RNoSnd: the receiver waits")]
    Wait,
    #[strum(to_string = "RNoSnd: nothing", message = "RNoSnd: not the receiver's task")]
    NoWait,
    /// Some messages are received; those that stay under way are the code of the action.
    #[strum(to_string = "deliver alive", message = "RRcv: the receiver receives alive")]
    Deliver,
    /// The receiver does its Task 2, and nothing is received.
    #[strum(to_string = "RRcv: no message", message = "RRcv: the receiver receives nothing")]
    Miss,
    #[strum(to_string = "RRcv: nothing", message = "RRcv: not the receiver's task")]
    NoReceive,
    /// The receiver does its Task 3, and the timeout is not reached.
    #[strum(to_string = "RComp: wait", message = "RComp: the timeout is not reached")]
    Bide,
    #[strum(to_string = "RComp: suspect", message = "RComp: the receiver begins to suspect the sender")]
    Suspect,
    #[strum(to_string = "RComp: still suspect", message = "RComp: the receiver still suspects the sender")]
    StillSuspect,
    #[strum(to_string = "RComp: nothing", message = "RComp: not the receiver's task")]
    NoCompute,
    #[strum(to_string = "crash", message = "SCrash: the sender crashes")]
    Crash,
    #[strum(to_string = "SCrash: nothing", message = "SCrash: the sender does not crash in this step")]
    NoCrash,
}

impl SubRoundAction {
    pub(super) const fn class(self) -> ClassId {
        self as ClassId
    }

    /// The deed of a class, if there is one.
    pub(super) fn of(class: ClassId) -> Option<SubRoundAction> {
        SubRoundAction::from_repr(class)
    }

    /// The classes of a model; those of a crash only if there is one.
    pub(super) fn classes(crash: bool) -> Vec<ActionClass> {
        let of_crash = |action: &&SubRoundAction| {
            crash || !matches!(action, SubRoundAction::Crash | SubRoundAction::NoCrash)
        };
        SubRoundAction::VARIANTS.iter().filter(of_crash).map(|action| action.described()).collect()
    }

    fn described(self) -> ActionClass {
        let role = match self {
            SubRoundAction::Crash => Role::Fault,
            SubRoundAction::Deliver => Role::Message,
            _ => Role::Other,
        };
        ActionClass { name: self.to_string(), role }
    }

    /// As a person reads it.
    pub(super) fn label(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }

    /// What it is in labels of steps.
    pub(super) fn deed(self) -> DataAction {
        let [sender, receiver] = NAMES;
        let (name, arguments): (&str, &[&str]) = match self {
            SubRoundAction::SenderActs => ("acts", &[sender]),
            SubRoundAction::SenderRests => ("rests", &[sender]),
            SubRoundAction::ReceiverActs => ("acts", &[receiver]),
            SubRoundAction::ReceiverRests => ("rests", &[receiver]),
            SubRoundAction::Age => ("age", &[]),
            SubRoundAction::Send => ("send", &[sender, receiver, "alive"]),
            SubRoundAction::NoSend => ("no_send", &[sender]),
            SubRoundAction::Wait => ("wait", &[receiver]),
            SubRoundAction::NoWait => ("no_wait", &[receiver]),
            SubRoundAction::Deliver => ("receive", &[receiver, sender, "alive"]),
            SubRoundAction::Miss => ("miss", &[receiver]),
            SubRoundAction::NoReceive => ("no_receive", &[receiver]),
            SubRoundAction::Bide => ("bide", &[receiver]),
            SubRoundAction::Suspect => ("suspect", &[receiver, sender]),
            SubRoundAction::StillSuspect => ("still_suspect", &[receiver, sender]),
            SubRoundAction::NoCompute => ("no_compute", &[receiver]),
            SubRoundAction::Crash => ("crash", &[sender]),
            SubRoundAction::NoCrash => ("no_crash", &[sender]),
        };
        DataAction::new(name, arguments.iter().copied())
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
        for (i, action) in SubRoundAction::VARIANTS.iter().enumerate() {
            assert_eq!((usize::from(action.class()), SubRoundAction::of(i as ClassId)), (i, Some(*action)));
        }
        for (i, sub_round) in SubRound::VARIANTS.iter().enumerate() {
            assert_eq!(*sub_round as usize, i);
        }
        assert_eq!((SubRoundAction::classes(false).len(), SubRoundAction::classes(true).len()), (16, 18));
        assert_eq!(SubRoundAction::of(18), None);
    }
}
