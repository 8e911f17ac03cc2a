//! What a model says of one process: where it starts, which steps it has, and how its variables are
//! shown. An automaton knows no channel's content and no other process; whether a step of its is possible
//! is for the network to say.

use super::channel::RingChannel;
use watchkeeper_core::{Pid, ProcSet, Value};

/// One process of a published model, for each of the three alike.
pub(super) trait ProcessModel: Send + Sync {
    /// The variables of a process and its place in the text.
    type Local: Clone + PartialEq + Send + Sync;

    /// How process `me` begins.
    fn initial(&self, me: Pid) -> Self::Local;

    /// The one state of a process that has crashed.
    fn crashed(&self) -> Self::Local;

    /// Whether a process may crash here.
    fn can_crash(&self, local: &Self::Local) -> bool;

    /// The steps of process `me` other than a crash, in an order that depends on nothing else.
    fn steps(&self, me: Pid, local: &Self::Local) -> Vec<ProcessStep<Self::Local>>;

    /// Whom the process suspects.
    fn suspects(&self, local: &Self::Local) -> ProcSet;

    /// The variables of process `me`, always the same ones in the same order.
    fn variables(&self, me: Pid, local: &Self::Local) -> Vec<(&'static str, Value)>;

    /// A step of process `me` in the notation of the source.
    fn label(&self, me: Pid, action: RingAction) -> String;

    /// What to remark of a process that waits here for room in a channel.
    fn while_blocked(&self, _local: &Self::Local) -> Option<&'static str> {
        None
    }

    /// What becomes of messages to a crashed process, in one sentence.
    fn after_crash(&self) -> &'static str;
}

/// One step of a process.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ProcessStep<L> {
    /// What it does.
    pub(super) action: RingAction,
    /// What else a chart should show of it.
    pub(super) says: Vec<ChartRemark>,
    /// The process afterwards.
    pub(super) next: L,
}

impl<L> ProcessStep<L> {
    pub(super) fn new(action: RingAction, next: L) -> ProcessStep<L> {
        ProcessStep { action, says: Vec::new(), next }
    }

    #[must_use]
    pub(super) fn saying(mut self, said: ChartRemark) -> ProcessStep<L> {
        self.says.push(said);
        self
    }

    #[must_use]
    pub(super) fn noting(self, text: impl Into<String>) -> ProcessStep<L> {
        self.saying(ChartRemark::Note(text.into()))
    }
}

/// What a process does in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RingAction {
    /// Puts a message into a channel.
    Put(RingChannel),
    /// Hands a message to a receiver that has crashed, past the channel.
    Hand(RingChannel),
    /// Takes a message from a channel.
    Take(RingChannel),
    /// Begins to suspect.
    Suspect(Pid),
    /// Stops suspecting.
    Trust(Pid),
    /// Counts a message from here as the answer.
    ReplyReceived(Pid),
    /// Throws a message from here away.
    Discard(Pid),
    /// Moves on inside, from one place of its text to another.
    Proceed(&'static str),
    /// Stops for ever.
    Crash,
}

/// What a chart shows beside a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ChartRemark {
    /// It begins to suspect this process.
    Suspect(Pid),
    /// It stops suspecting this process.
    Trust(Pid),
    /// A remark.
    Note(String),
}

/// A process as a value.
pub(super) fn process(p: Pid) -> Value {
    Value::str(p.to_string())
}

/// A set of processes as a value.
pub(super) fn processes(set: ProcSet) -> Value {
    Value::set(set.iter().map(process))
}

/// Something that may be absent, as a value.
pub(super) fn optional(value: Option<Value>) -> Value {
    value.unwrap_or_else(|| Value::str("none"))
}

/// A step of process `me` in a text with named actions: `names` are those of sending and receiving, and `write`
/// puts an action and its arguments together.
pub(super) fn written(
    me: Pid,
    action: RingAction,
    names: [&str; 2],
    channel: impl Fn(RingChannel) -> [String; 3],
    write: impl Fn(&str, &[String]) -> String,
) -> String {
    let (me, number) = (me.index().to_string(), |q: Pid| q.index().to_string());
    match action {
        RingAction::Put(to) | RingAction::Hand(to) => write(names[0], &channel(to)),
        RingAction::Take(from) => write(names[1], &channel(from)),
        RingAction::Suspect(q) => write("suspect", &[me, number(q)]),
        RingAction::Trust(q) => write("stopSuspect", &[me, number(q)]),
        RingAction::ReplyReceived(q) => write("replyRcvd", &[number(q), me]),
        RingAction::Discard(q) => write("discardMsg", &[number(q), me]),
        RingAction::Proceed(what) => write(what, &[me]),
        RingAction::Crash => write("crash", &[me]),
    }
}
