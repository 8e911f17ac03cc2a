//! What happened, step by step. A checker's counterexample and a recorded run have this one form, so
//! that either can be drawn, written to a file, or replayed against the model.

use crate::{Pid, View};

/// One message of a trace. Every send, and every copy a network makes, has a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageId(pub u32);

/// A run from an initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The names of the processes, in the order of their ids.
    pub processes: Vec<String>,
    /// The initial state.
    pub start: View,
    /// What processes do when they start, before the first step. Whoever has crashed from the start has a
    /// crash here, ahead of everything else.
    pub opening: Vec<Event>,
    /// The steps, first to last.
    pub steps: Vec<Step>,
    /// For an infinite run: after the last step it goes on from the state before this step.
    pub loops_to: Option<usize>,
}

/// One step: the action that the environment chose, what came of it, and the state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The action, as a person reads it.
    pub action: String,
    /// When it happened, where time is known.
    pub at: Option<String>,
    /// What a chart draws, in order.
    pub events: Vec<Event>,
    /// The state after the step.
    pub after: View,
}

/// How a chart should colour what a process announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Bad news: a suspicion begins, something that was asked is refused.
    Alarm,
    /// Good news: a suspicion ends, something that was asked has come about.
    Relief,
    /// Neither.
    Plain,
}

/// Something that a chart draws.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A message leaves its sender and is on its way.
    Send {
        /// The message.
        message: MessageId,
        /// Its sender.
        from: Pid,
        /// Its destination.
        to: Pid,
        /// What it says.
        label: String,
    },
    /// A message arrives and is handled.
    Receive {
        /// The message.
        message: MessageId,
    },
    /// A message arrives at a process that has crashed, and nothing comes of it; or it was for an incarnation of its
    /// destination that is over when that starts again.
    Swallow {
        /// The message.
        message: MessageId,
    },
    /// The network loses a message that was on its way.
    Lose {
        /// The message.
        message: MessageId,
    },
    /// The network makes a second message of one that is on its way.
    Duplicate {
        /// The message.
        message: MessageId,
        /// Its copy.
        copy: MessageId,
    },
    /// A message finds its channel full and is ignored: it never is on its way.
    Ignore {
        /// Its sender.
        from: Pid,
        /// Its destination.
        to: Pid,
        /// What it said.
        label: String,
    },
    /// A message finds its channel full, and the channel reports that as an error.
    Overflow {
        /// Its sender.
        from: Pid,
        /// Its destination.
        to: Pid,
        /// What it said.
        label: String,
    },
    /// A process waits for room in a full channel and takes no input until it has sent this.
    Block {
        /// The process that waits.
        process: Pid,
        /// The destination of the blocked message.
        to: Pid,
        /// The blocked message.
        label: String,
    },
    /// A timer fires.
    Fire {
        /// The process whose timer it is.
        process: Pid,
        /// The name of the slot.
        timer: String,
    },
    /// A client asks something of a process.
    Call {
        /// The process that is asked.
        process: Pid,
        /// What is asked.
        label: String,
    },
    /// A process stops: for ever, unless it recovers.
    Crash {
        /// The process.
        process: Pid,
    },
    /// A process that has crashed starts again, and remembers nothing.
    Recover {
        /// The process.
        process: Pid,
    },
    /// A process announces something.
    Output {
        /// The process.
        process: Pid,
        /// What it announces.
        label: String,
        /// How to colour it.
        tone: Tone,
    },
    /// A remark beside a process.
    Note {
        /// The process.
        process: Pid,
        /// The remark.
        text: String,
    },
    /// A remark on the whole system: an observer moved, or the run ends here and why.
    Remark {
        /// The remark.
        text: String,
    },
}
