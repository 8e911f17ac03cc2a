//! What one node did in one incarnation, from its start to its end, as it took it down itself. A run of a cluster is
//! the recordings of its nodes; whether it is a path of the model is asked elsewhere. Values are in their
//! packed form, so that a recording can be read before its protocol is known.

use crate::Pid;

/// What one node did in one incarnation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// Which process it was.
    pub process: Pid,
    /// Which of its incarnations. The number is a label: a later incarnation usually has a greater one, but not if the
    /// wall clock was set back in between. Incarnations that name the same clock have the order of that clock.
    pub incarnation: u64,
    /// The name of the clock that `at` was read from. Times of recordings that name the same clock can be
    /// compared; others only by the messages between them.
    pub clock: String,
    /// The steps of its protocol, first to last; the first is its start.
    pub steps: Vec<RecordedStep>,
    /// When it was stopped or starved, and for how long, in nanoseconds; its timers stood still meanwhile.
    pub stalls: Vec<Stall>,
    /// When it ended as it was told to, by its clock; `None` if it ended without a word, or still runs.
    pub ended: Option<u64>,
}

/// One step of a recorded node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedStep {
    /// When it was taken, in nanoseconds of the node's clock.
    pub at: u64,
    /// What happened to the process.
    pub input: RecordedInput,
    /// What it picked, in the order of asking.
    pub picks: Vec<usize>,
    /// What it sent, in order.
    pub sends: Vec<RecordedSend>,
    /// What it announced, in order, packed.
    pub outputs: Vec<Vec<u8>>,
    /// Its state afterwards, packed.
    pub state: Vec<u8>,
}

/// What happened to a recorded process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedInput {
    /// It started.
    Start,
    /// A message arrived.
    Receive {
        /// Its sender.
        from: Pid,
        /// The sender's incarnation.
        incarnation: u64,
        /// Its number among what that incarnation sent to this process.
        number: u64,
        /// The message, packed.
        msg: Vec<u8>,
    },
    /// A timer fired.
    Fire {
        /// The place of its slot.
        slot: usize,
        /// When it should have fired, by the node's clock.
        due: u64,
    },
    /// A client asked.
    Call {
        /// What it asked, packed.
        call: Vec<u8>,
    },
}

/// A message that a recorded step sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedSend {
    /// Its destination.
    pub to: Pid,
    /// Its number among what this incarnation sent to the destination; `None` if it could not be sent at all.
    pub number: Option<u64>,
    /// Whether it answers the message that was being handled.
    pub reply: bool,
    /// The message, packed.
    pub msg: Vec<u8>,
}

/// A time in which a node could do nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stall {
    /// When it found out, by its clock.
    pub at: u64,
    /// For how long it had done nothing, in nanoseconds.
    pub lasted: u64,
}
