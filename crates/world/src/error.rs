//! What can be wrong with a scenario. Each message says what to change.

use crate::MAX_CAPACITY;
use crate::record::MAX_CHOICES;
use std::fmt;
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// A word of a scenario that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpecError {
    /// Not the name of a channel.
    Channel(String),
    /// A channel without a proper size.
    ChannelSize(String),
    /// Not an order.
    Order(String),
    /// Not a way to share channels.
    Lanes(String),
    /// Not an order of simultaneous events.
    Simultaneous(String),
    /// Not an abstract failure detector.
    Oracle(String),
    /// An eventually perfect failure detector with a number of mistakes.
    OracleMistakes(String),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Channel(text) => write!(
                f,
                "`{text}` is not a channel: write block:N, drop:N or report:N, after what it does when it \
                 holds N messages, or unbounded:CAP"
            ),
            SpecError::ChannelSize(text) => {
                write!(f, "`{text}` has no size: write a number from 1 to {MAX_CAPACITY} after the colon")
            }
            SpecError::Order(text) => write!(f, "`{text}` is not an order: write any or fifo"),
            SpecError::Lanes(text) => {
                write!(f, "`{text}` does not say which messages share a channel: write per-pair or per-kind")
            }
            SpecError::Oracle(text) => write!(
                f,
                "`{text}` is not an oracle: write P, <>P, S, <>S or none, with :momentary behind it if its suspicions \
                 last one step only, or :lasting; behind P also :mistakes=1, or as many as it is granted"
            ),
            SpecError::OracleMistakes(text) => write!(
                f,
                "`{text}`: a detector that makes a limited number of mistakes is perfect but for those: write {}, or \
                 <>P for any number of them",
                text.trim_start_matches("<>").trim_start_matches('◇')
            ),
            SpecError::Simultaneous(text) => write!(
                f,
                "`{text}` does not say what comes first of simultaneous events: write any or deliveries-first"
            ),
        }
    }
}

impl std::error::Error for SpecError {}

/// A scenario that no world can be built for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorldError {
    /// Too few or too many processes.
    Processes(usize),
    /// A channel capacity or cap out of range.
    Capacity(u32),
    /// A set speaks of processes that do not exist.
    Unknown {
        /// The option that gave the set.
        option: &'static str,
        /// Those of its members that do not exist.
        strangers: ProcSet,
        /// The number of processes.
        n: usize,
    },
    /// More crashes than processes that can crash.
    Crashes {
        /// The crashes allowed.
        crashes: u32,
        /// The processes that may crash and have not at the start, or have and may recover.
        able: ProcSet,
        /// How often one of them may recover and crash again.
        again: u32,
    },
    /// No process is left at the start.
    AllCrashed,
    /// A call to a process that does not exist.
    Call {
        /// The process.
        process: Pid,
        /// The number of processes.
        n: usize,
    },
    /// What processes send at the start is more than the cap of an unbounded channel.
    StartBeyondCap {
        /// The cap.
        cap: u32,
    },
    /// A process sends to itself, or to a process that does not exist, at the start.
    StartMisdirected {
        /// The process.
        from: Pid,
    },
    /// A process arms a timer for too long when it starts.
    StartTimer {
        /// The process.
        process: Pid,
    },
    /// A process can start in too many ways.
    StartChoices {
        /// The process.
        process: Pid,
    },
    /// The protocol has more timer slots than a world can keep.
    Timers(usize),
    /// The protocol has more kinds of messages, timers and calls than a report can count.
    Classes(usize),
    /// A round-trip bound together with channels that block.
    RoundTripBlocks,
    /// A world that cannot be searched in stages, and why.
    NoStages(&'static str),
    /// A round-trip bound together with a processing delay.
    RoundTripProcessing,
    /// Processes that are faster than they should be, or stand still.
    Speed(u32),
    /// Bounds that hold only eventually, in dense time.
    EventualDense,
    /// Bounds that hold only eventually, on round trips.
    EventualRoundTrip,
    /// A protocol that leaves messages lying, in a world with time.
    SelectiveTimed,
    /// A protocol that leaves messages lying, with channels that do not.
    SelectiveChannels,
    /// An oracle in a world with time.
    OracleTimed,
    /// An oracle together with recoveries.
    OracleRecovers,
    /// An oracle whose suspicions last, for too many processes.
    OracleProcesses {
        /// The number of processes.
        n: usize,
        /// The most there may be.
        most: usize,
    },
    /// Mistakes that are counted, of an oracle whose suspicions are momentary.
    OracleMistakes,
    /// A process is past the horizon of the search when it starts.
    StartBeyondHorizon {
        /// The horizon.
        horizon: String,
    },
    /// A family of worlds with names for more or fewer of them.
    Names {
        /// The number of worlds.
        worlds: usize,
        /// The number of names.
        names: usize,
    },
    /// A family of worlds without a world.
    NoWorlds,
    /// Worlds that cannot be one family.
    Unlike {
        /// Which of them, counted from 0, is not like the first.
        world: usize,
        /// What differs.
        what: &'static str,
    },
    /// A bound on time that is larger than a world can count.
    Duration {
        /// What the bound is on.
        what: &'static str,
        /// The bound.
        bound: u32,
    },
    /// An observer that starts deadlines in a world without time.
    Deadline {
        /// The observer.
        observer: String,
    },
}

/// The longest time that a world can count.
pub const MAX_DURATION: u32 = 1 << 26;

/// The most timer slots of a protocol.
pub const MAX_TIMERS: usize = 1 << crate::transition::WHICH;

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorldError::Processes(n) => {
                write!(f, "n is {n}: there must be from 2 to {MAX_PROCESSES} processes")
            }
            WorldError::Capacity(size) => {
                write!(f, "channel size {size}: a channel must hold from 1 to {MAX_CAPACITY} messages")
            }
            WorldError::Unknown { option, strangers, n } => {
                write!(f, "{option} names {strangers}, but with n = {n} the processes are p0 to p{}", n - 1)
            }
            WorldError::Crashes { crashes, able, again } if *again > 0 => write!(
                f,
                "crashes is {crashes}, but the {} processes of {able} can crash no more than {} times with \
                 recoveries {again}: lower crashes, raise recoveries, or name more processes as crashable",
                able.len(),
                able.len() + *again as usize
            ),
            WorldError::Crashes { crashes, able, .. } => write!(
                f,
                "crashes is {crashes}, but only the {} processes of {able} may crash: lower crashes, or \
                 name more processes as crashable",
                able.len()
            ),
            WorldError::AllCrashed => {
                f.write_str("crashed-at-start names every process: leave at least one alive")
            }
            WorldError::Call { process, n } => {
                write!(f, "a call goes to {process}, but with n = {n} the processes are p0 to p{}", n - 1)
            }
            WorldError::StartBeyondCap { cap } => write!(
                f,
                "the messages sent at the start do not fit into channels with cap {cap}: raise it with \
                 channel unbounded:{}",
                cap.saturating_mul(2).min(MAX_CAPACITY)
            ),
            WorldError::StartMisdirected { from } => write!(
                f,
                "{from} sends to itself or to a process that does not exist when it starts: the protocol \
                 must send to other processes only, and know their number"
            ),
            WorldError::StartTimer { process } => write!(
                f,
                "{process} arms a timer for longer than {MAX_DURATION} when it starts: count in coarser \
                 units of time"
            ),
            WorldError::StartChoices { process } => write!(
                f,
                "{process} picks in more than {MAX_CHOICES} different ways when it starts: let it \
                 pick among fewer"
            ),
            WorldError::Timers(slots) => {
                write!(f, "the protocol has {slots} timer slots: a world can keep {MAX_TIMERS}")
            }
            WorldError::Classes(classes) => write!(
                f,
                "the protocol has kinds of messages, timers and calls for {classes} classes of actions: \
                 a report can count 256"
            ),
            WorldError::NoStages(why) => write!(
                f,
                "this world cannot be searched in stages, because {why}: search all interleavings, or change that"
            ),
            WorldError::RoundTripBlocks => f.write_str(
                "a round-trip bound and channels that block do not go together, since a reply that waits \
                 for room would use up its request's time: choose drop, report or unbounded channels, or \
                 a delay per message",
            ),
            WorldError::RoundTripProcessing => f.write_str(
                "a round-trip bound has the time for processing in it: leave the processing delay out, or \
                 give a delay per message",
            ),
            WorldError::Speed(speed) => {
                write!(
                    f,
                    "speed is {speed}: it says how many times too slow a process may be; write 1 or more"
                )
            }
            WorldError::EventualDense => f.write_str(
                "bounds that hold only eventually are searched tick by tick: choose ticks, or bounds that \
                 hold from the start",
            ),
            WorldError::EventualRoundTrip => f.write_str(
                "bounds that hold only eventually are bounds on single messages: give a delay per message \
                 instead of a round trip, or bounds that hold from the start",
            ),
            WorldError::SelectiveTimed => f.write_str(
                "the protocol takes only the messages that it wants and leaves the others lying, and a world with time \
                 hands over every message when it is due: give the protocol a mailbox (`Mailbox` of the protocols), or \
                 choose an untimed world",
            ),
            WorldError::SelectiveChannels => f.write_str(
                "the protocol takes only the messages that it wants and leaves the others lying, so channels must keep \
                 any number of them in any order: choose order any and channel unbounded:8, or give the protocol a \
                 mailbox (`Mailbox` of the protocols)",
            ),
            WorldError::OracleTimed => f.write_str(
                "an oracle is an abstract failure detector for untimed worlds: leave time out, or put the protocol on a \
                 detector that keeps time",
            ),
            WorldError::OracleRecovers => f.write_str(
                "the classes of failure detectors are about processes that crash for ever: leave recoveries out, or the \
                 oracle",
            ),
            WorldError::OracleProcesses { n, most } => write!(
                f,
                "n is {n}, and the lasting suspicions of more than {most} processes are more than a search can keep: \
                 choose an oracle whose suspicions are momentary, or fewer processes"
            ),
            WorldError::OracleMistakes => f.write_str(
                "a mistake that lasts is as good as many that do not, so momentary ones are not counted: write :lasting \
                 behind the mistakes, or choose <>P, S or <>S",
            ),
            WorldError::StartBeyondHorizon { horizon } => {
                write!(f, "a process is past the horizon of the search ({horizon}) when it starts: raise it")
            }
            WorldError::Names { worlds, names } => {
                write!(f, "there are {names} names for {worlds} worlds: give each world one")
            }
            WorldError::NoWorlds => {
                f.write_str("there are no bounds to choose from: widen the range of delays or of speeds")
            }
            WorldError::Unlike { world, what } => write!(
                f,
                "the worlds of a family differ in their bounds alone, or in what is called, but number {world} differs \
                 from the first in {what}: build all of them from one scenario, with the same calls, observers and atoms"
            ),
            WorldError::Duration { what, bound } => {
                write!(f, "{what} of {bound} is too long: a world counts up to {MAX_DURATION}")
            }
            WorldError::Deadline { observer } => write!(
                f,
                "{observer} speaks of durations, and an untimed world has none: choose ticks or dense time"
            ),
        }
    }
}

impl std::error::Error for WorldError {}
