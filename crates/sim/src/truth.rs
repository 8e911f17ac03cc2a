//! What really happened in a simulated run, as nobody in it can know: the fate of every message, who was stopped and when,
//! and the order of all steps. Recordings and verdicts are held against it.

use crate::oracle::RunOracle;
use watchkeeper_core::{Pid, ProcSet};

/// What really happened in a run. Times are in nanoseconds since its beginning.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GroundTruth {
    /// All messages, in the order of sending.
    pub messages: Vec<MessageTruth>,
    /// Steps, crashes and losses, in their order.
    pub log: Vec<LogEntry>,
    /// Who was stopped: from when until when.
    pub stalls: Vec<(Pid, u64, u64)>,
    /// Whose recordings lack lines.
    pub incomplete: ProcSet,
    /// Whose clocks ran at a wrong rate.
    pub drifted: ProcSet,
    /// Who began after the run did.
    pub late_starts: ProcSet,
    /// Who began when a message arrived that had been sent before.
    pub called: ProcSet,
    /// Whose wall clocks were set back.
    pub set_back: ProcSet,
    /// How many datagrams arrived at processes.
    pub arrived: u64,
    /// What an oracle saw go wrong while it happened.
    pub wrong: Vec<(RunOracle, String)>,
}

/// What really became of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageTruth {
    /// Its sender.
    pub from: Pid,
    /// The sender's incarnation.
    pub incarnation: u64,
    /// Its destination.
    pub to: Pid,
    /// Its number.
    pub number: u64,
    /// The message, packed.
    pub msg: Vec<u8>,
    /// When it was sent.
    pub sent: u64,
    /// What became of it.
    pub fate: MessageFate,
}

impl MessageTruth {
    /// How long it took until its destination took it in.
    pub fn took(&self) -> Option<u64> {
        match self.fate {
            MessageFate::Delivered(at) => Some(at - self.sent),
            _ => None,
        }
    }

    /// Whether it will never be taken in.
    pub fn is_gone(&self) -> bool {
        !matches!(self.fate, MessageFate::OnItsWay | MessageFate::Delivered(_))
    }
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MessageFate {
    /// It was on its way when the run ended.
    OnItsWay,
    /// Its destination took it in.
    Delivered(u64),
    /// The network was cut.
    Cut,
    /// The network lost it.
    Lost,
    /// It found the buffer of a stopped process full.
    Overflow,
    /// The incarnation that it was sent to was not there, or not any more.
    NobodyThere,
    /// Its destination did not take it.
    Refused,
}

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// When.
    pub at: u64,
    /// What.
    pub item: LogItem,
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LogItem {
    /// A step, by its recording and its place there.
    Step {
        /// The place of the recording.
        recording: usize,
        /// The place of the step.
        step: usize,
    },
    /// A process crashed, or was down when the run began.
    Crashed(Pid),
    /// A process started that had been down.
    Recovered(Pid),
    /// A message was lost, by its place.
    Lost(usize),
}

impl GroundTruth {
    /// The message that an incarnation sent under a number.
    pub fn message(&self, from: Pid, incarnation: u64, to: Pid, number: u64) -> Option<&MessageTruth> {
        self.messages.iter().find(|message| {
            (message.from, message.incarnation, message.to, message.number) == (from, incarnation, to, number)
        })
    }

    /// How many crashes there were, of processes that had begun.
    pub fn crashes(&self) -> usize {
        let crashed = |entry: &&LogEntry| entry.at > 0 && matches!(entry.item, LogItem::Crashed(_));
        self.log.iter().filter(crashed).count()
    }
}
