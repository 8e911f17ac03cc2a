//! Where a recorded run leaves the model, and which assumption of the model it broke there. Every sentence has
//! what was measured beside what is allowed, and says what to do next.

use strum::IntoStaticStr;
use thiserror::Error;
use watchkeeper_core::{Pid, Trace};

/// The first step of a recorded run that the model does not allow.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("step {number} of the run, step {step} of {process} ({action}): {}", broken.sentence(*tick))]
pub struct Deviation {
    /// Whose step it is.
    pub process: Pid,
    /// In which of its incarnations.
    pub incarnation: u64,
    /// The place of the step in the recording of that incarnation, counted from 1.
    pub step: usize,
    /// Its place in the whole run, counted from 1.
    pub number: usize,
    /// When it was taken, in nanoseconds of its node's clock.
    pub at: u64,
    /// What it was, as a person reads it.
    pub action: String,
    /// The assumption that it broke.
    pub broken: BrokenAssumption,
    /// Nanoseconds per unit of the model's time.
    pub tick: u64,
    /// By how much a step may have been late, in nanoseconds.
    pub precision: u64,
    /// The run up to there.
    pub trace: Trace,
}

/// An assumption of a model that a recorded run broke. Durations are in nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum BrokenAssumption {
    /// A message was on its way for longer than it may be.
    Delay {
        /// What it says.
        message: String,
        /// Its number among what its sender's incarnation sent to the destination.
        number: u64,
        /// Its sender.
        from: Pid,
        /// Its destination.
        to: Pid,
        /// How long it took.
        took: i64,
        /// Whether both ends were read from one clock; if not, it took at least so long.
        measured: bool,
        /// How long it may take.
        most: i64,
    },
    /// A message and the reply to it together took longer than they may.
    RoundTrip {
        /// What the reply says.
        message: String,
        /// The number of the reply.
        number: u64,
        /// Who replied.
        from: Pid,
        /// Who had asked.
        to: Pid,
        /// How long it took from the sending of the request to the arrival of the reply.
        took: i64,
        /// Whether both ends were read from one clock; if not, it took at least so long.
        measured: bool,
        /// How long it may take.
        most: i64,
    },
    /// Something happened sooner than it may.
    TooEarly {
        /// What it was.
        what: String,
        /// How long it took.
        took: i64,
        /// How long it must take.
        least: i64,
    },
    /// A process did something later than it must.
    Speed {
        /// The process.
        process: Pid,
        /// What it should have done.
        what: String,
        /// By how much it was late.
        late: i64,
        /// By how much it may be.
        allowed: i64,
        /// For how long it had recorded that it could do nothing.
        stall: Option<u64>,
    },
    /// More messages were lost than may be.
    Loss {
        /// What the first one too many says.
        message: String,
        /// Its number; `None` if it could not even be sent.
        number: Option<u64>,
        /// Its sender.
        from: Pid,
        /// Its destination.
        to: Pid,
        /// How many may be lost.
        allowed: u32,
    },
    /// A message overtook another one of its channel.
    Order {
        /// What it says.
        message: String,
        /// Its number.
        number: u64,
        /// What the other one says.
        overtaken: String,
        /// Its number.
        overtaken_number: u64,
        /// The sender of both.
        from: Pid,
        /// The destination of both.
        to: Pid,
    },
    /// A process crashed that may not, or one too many.
    Crashes {
        /// The process.
        process: Pid,
        /// How many crashes there may be.
        allowed: u32,
    },
    /// A process started again, and that once too often.
    Recoveries {
        /// The process.
        process: Pid,
        /// How often processes may start again.
        allowed: u32,
    },
    /// A channel held more messages than it can.
    Capacity {
        /// The sender.
        from: Pid,
        /// The destination.
        to: Pid,
        /// What the model does instead.
        why: String,
    },
    /// The step is not what the protocol does.
    Protocol {
        /// What differs.
        why: String,
    },
    /// A message was received that no recording has sent.
    Forged {
        /// Who is said to have sent it.
        from: Pid,
        /// Who received it.
        to: Pid,
        /// Its number.
        number: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A message was received that its sender sent after the end of its recording.
    Recording {
        /// Whose recording has no end.
        process: Pid,
        /// Of which of its incarnations.
        incarnation: u64,
        /// How many steps of it are recorded; `None` if there is no recording of it.
        steps: Option<usize>,
        /// Who received the message.
        to: Pid,
        /// Its number.
        number: u64,
    },
    /// The incarnations of a process cannot be what they were.
    #[strum(serialize = "lives")]
    Incarnations {
        /// The process.
        process: Pid,
        /// What it did.
        why: String,
    },
    /// The run could be shown to follow the model in one way and not in the other: a mistake of the checker.
    Unconfirmed {
        /// What it said.
        why: String,
    },
}

impl BrokenAssumption {
    /// The name of the assumption, in one word.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// What was measured and what is allowed, where the assumption is about a duration.
    pub fn measured(&self) -> Option<(i64, i64)> {
        match *self {
            BrokenAssumption::Delay { took, most, .. } | BrokenAssumption::RoundTrip { took, most, .. } => {
                Some((took, most))
            }
            BrokenAssumption::TooEarly { took, least, .. } => Some((took, least)),
            BrokenAssumption::Speed { late, allowed, .. } => Some((late, allowed)),
            _ => None,
        }
    }

    /// What was broken, for a tick of so many nanoseconds.
    pub fn sentence(&self, tick: u64) -> String {
        let span = |ns: i64| format!("{} ({})", millis(ns), ticks(ns, tick));
        let least = |measured: bool| if measured { "" } else { "at least " };
        match self {
            BrokenAssumption::Delay { message, number, from, to, took, measured, most } => format!(
                "{message} (number {number}) from {from} to {to} took {}{}, and the model allows a message \
                 {}. Look at the network and the load between the two, or check and replay with a --delay \
                 that allows {}",
                least(*measured),
                span(*took),
                span(*most),
                ticks_up(*took, tick)
            ),
            BrokenAssumption::RoundTrip { message, number, from, to, took, measured, most } => format!(
                "{message} (number {number}), the reply of {from} to {to}, arrived {}{} after its request was \
                 sent, and the model allows a message and its reply {} together. Look at the network and the \
                 load between the two, or check and replay with --round-trip {}",
                least(*measured),
                span(*took),
                span(*most),
                ticks_up(*took, tick)
            ),
            BrokenAssumption::TooEarly { what, took, least } => format!(
                "{what} after {}, and the model has it take at least {}. Check and replay with a bound that \
                 begins lower, or see whether the clocks of the recordings are what they are called",
                span(*took),
                span(*least)
            ),
            BrokenAssumption::Speed { process, what, late, allowed, stall } => {
                let stalled = stall.map(|ns| {
                    let lasted = i64::try_from(ns).unwrap_or(i64::MAX);
                    format!("; it has recorded a stall of {}", span(lasted))
                });
                format!(
                    "{process} was too slow: {what} was late by {}, and --precision allows {}{}. Give the node \
                     more of its processor, choose a longer tick, or replay with a larger --precision; \
                     --time untimed asks only whether the steps are possible in this order",
                    span(*late),
                    span(*allowed),
                    stalled.unwrap_or_default()
                )
            }
            BrokenAssumption::Loss { message, number, from, to, allowed } => {
                let which = number.map_or("which could not be sent".to_string(), |n| format!("number {n}"));
                format!(
                    "{message} ({which}) from {from} to {to} never arrived, and the model allows {} to be \
                     lost. If the network may lose messages, check and replay with --loss any",
                    messages(*allowed)
                )
            }
            BrokenAssumption::Order { message, number, overtaken, overtaken_number, from, to } => format!(
                "{message} (number {number}) from {from} to {to} overtook {overtaken} (number \
                 {overtaken_number}), and the channels of the model are FIFO. Datagrams may overtake each \
                 other: check and replay with --order any"
            ),
            BrokenAssumption::Crashes { process, allowed } => format!(
                "{process} ended before the run did, which is a crash, and {} allowed, of processes that may \
                 crash. Check and replay with more --crashes, or name it in --crashable; if it did not crash, the end of \
                 its recording is missing",
                match allowed {
                    1 => "1 is".to_string(),
                    most => format!("{most} are"),
                }
            ),
            BrokenAssumption::Recoveries { process, allowed } => format!(
                "{process} started again, and {} allowed. Check and replay with more --recoveries",
                match allowed {
                    1 => "1 recovery is".to_string(),
                    most => format!("{most} recoveries are"),
                }
            ),
            BrokenAssumption::Capacity { from, to, why } => format!(
                "the channel from {from} to {to} held more messages than it can: {why}. A network of \
                 datagrams holds any number: check and replay with --channel unbounded"
            ),
            BrokenAssumption::Protocol { why } => format!(
                "this is not what the protocol does: {why}. The node ran other code or other parameters \
                 than are checked here: replay with the version and the parameters that it had"
            ),
            BrokenAssumption::Forged { from, to, number, why } => format!(
                "{to} received a message (number {number}) from {from} that is in no recording: {why}. See \
                 that the recordings are those of this run and were not changed; if so, somebody else has the key"
            ),
            BrokenAssumption::Recording { process, incarnation, steps: Some(steps), to, number } => format!(
                "the end of the recording of {process} (incarnation {incarnation}) is missing: it stops after \
                 {steps} without saying why, and {to} received a later message (number {number}). The node \
                 was killed before it had written everything down, its disk was full, or it still ran when the \
                 recording was read. {}",
                without(*process),
                steps = if *steps == 1 { "1 step".to_string() } else { format!("{steps} steps") }
            ),
            BrokenAssumption::Recording { process, incarnation, steps: None, to, number } => format!(
                "there is no recording of incarnation {incarnation} of {process}, and {to} received a message \
                 (number {number}) from it. Give the recordings of all incarnations of all nodes; if it was \
                 killed before it had written anything down, there is none. {}",
                without(*process)
            ),
            BrokenAssumption::Incarnations { process, why } => format!(
                "{process} {why}. See that no two nodes run under one number, and that the recordings are \
                 complete"
            ),
            BrokenAssumption::Unconfirmed { why } => format!(
                "the run has times that keep all bounds, and yet the interpreter of the model refuses it: \
                 {why}. This is a mistake of the checker: please report it with the recordings"
            ),
        }
    }
}

/// What to do if a recording of a process is not all there.
fn without(process: Pid) -> String {
    format!(
        "Nothing before this step departs from the model; to ask about the others beyond it, replay without the \
         recordings of {process}. If nothing is missing, somebody else has the key"
    )
}

fn messages(most: u32) -> String {
    match most {
        0 => "no message".to_string(),
        1 => "1 message".to_string(),
        most => format!("{most} messages"),
    }
}

/// Nanoseconds as milliseconds, to the microsecond.
fn millis(ns: i64) -> String {
    format!("{} ms", decimal(ns as f64 / 1e6))
}

fn ticks(ns: i64, tick: u64) -> String {
    let count = decimal(ns as f64 / tick.max(1) as f64);
    if count == "1" { "1 tick".to_string() } else { format!("{count} ticks") }
}

fn ticks_up(ns: i64, tick: u64) -> i64 {
    let tick = i64::try_from(tick.max(1)).unwrap_or(i64::MAX);
    ns.div_euclid(tick) + i64::from(ns.rem_euclid(tick) > 0)
}

/// A number with at most three decimals.
pub(super) fn decimal(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}
