//! What can be wrong with a scenario. Each message says what to change.

use crate::MAX_CAPACITY;
use crate::record::MAX_CHOICES;
use thiserror::Error;
use watchkeeper_core::{MAX_PROCESSES, Pid, ProcSet};

/// A word of a scenario that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// Not the name of a channel.
    #[error(
        "`{0}` is not a channel: write block:N, drop:N or report:N, after what it does when it holds N messages, or \
         unbounded:CAP"
    )]
    Channel(String),
    /// A channel without a proper size.
    #[error("`{0}` has no size: write a number from 1 to {MAX_CAPACITY} after the colon")]
    ChannelSize(String),
    /// Not an order.
    #[error("`{0}` is not an order: write any or fifo")]
    Order(String),
    /// Not a way to share channels.
    #[error("`{0}` does not say which messages share a channel: write per-pair or per-kind")]
    Lanes(String),
    /// Not an order of simultaneous events.
    #[error("`{0}` does not say what comes first of simultaneous events: write any or deliveries-first")]
    Simultaneous(String),
    /// Not an abstract failure detector.
    #[error(
        "`{0}` is not an oracle: write P, <>P, S, <>S or none, with :momentary behind it if its suspicions last one step \
         only, or :lasting; behind P also :mistakes=1, or as many as it is granted"
    )]
    Oracle(String),
    /// An eventually perfect failure detector with a number of mistakes.
    #[error(
        "`{0}`: a detector that makes a limited number of mistakes is perfect but for those: write {perfect}, or <>P for \
         any number of them",
        perfect = .0.trim_start_matches("<>").trim_start_matches('◇')
    )]
    OracleMistakes(String),
}

/// A scenario that no world can be built for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Too few or too many processes.
    #[error("n is {0}: there must be from 2 to {MAX_PROCESSES} processes")]
    Processes(usize),
    /// A channel capacity or cap out of range.
    #[error("channel size {0}: a channel must hold from 1 to {MAX_CAPACITY} messages")]
    Capacity(u32),
    /// A set speaks of processes that do not exist.
    #[error("{option} names {strangers}, but with n = {n} the processes are p0 to p{}", n - 1)]
    Unknown {
        /// The option that gave the set.
        option: &'static str,
        /// Those of its members that do not exist.
        strangers: ProcSet,
        /// The number of processes.
        n: usize,
    },
    /// More crashes than processes that can crash.
    #[error("{}", too_many_crashes(*crashes, *able, *again))]
    Crashes {
        /// The crashes allowed.
        crashes: u32,
        /// The processes that may crash and have not at the start, or have and may recover.
        able: ProcSet,
        /// How often one of them may recover and crash again.
        again: u32,
    },
    /// No process is left at the start.
    #[error("crashed-at-start names every process: leave at least one alive")]
    AllCrashed,
    /// A call to a process that does not exist.
    #[error("a call goes to {process}, but with n = {n} the processes are p0 to p{}", n - 1)]
    Call {
        /// The process.
        process: Pid,
        /// The number of processes.
        n: usize,
    },
    /// What processes send at the start is more than the cap of an unbounded channel.
    #[error(
        "the messages sent at the start do not fit into channels with cap {cap}: raise it with channel unbounded:{}",
        cap.saturating_mul(2).min(MAX_CAPACITY)
    )]
    StartBeyondCap {
        /// The cap.
        cap: u32,
    },
    /// A process sends to itself, or to a process that does not exist, at the start.
    #[error(
        "{from} sends to itself or to a process that does not exist when it starts: the protocol must send to other \
         processes only, and know their number"
    )]
    StartMisdirected {
        /// The process.
        from: Pid,
    },
    /// A process arms a timer for too long when it starts.
    #[error(
        "{process} arms a timer for longer than {MAX_DURATION} when it starts: count in coarser units of time"
    )]
    StartTimer {
        /// The process.
        process: Pid,
    },
    /// A process can start in too many ways.
    #[error(
        "{process} picks in more than {MAX_CHOICES} different ways when it starts: let it pick among fewer"
    )]
    StartChoices {
        /// The process.
        process: Pid,
    },
    /// The protocol has more timer slots than a world can keep.
    #[error("the protocol has {0} timer slots: a world can keep {MAX_TIMERS}")]
    Timers(usize),
    /// The protocol has more kinds of messages, timers and calls than a report can count.
    #[error(
        "the protocol has kinds of messages, timers and calls for {0} classes of actions: a report can count 256"
    )]
    Classes(usize),
    /// A world that cannot be searched in stages, and why.
    #[error("this world cannot be searched in stages, because {0}: search all interleavings, or change that")]
    NoStages(&'static str),
    /// A round-trip bound together with channels that block.
    #[error(
        "a round-trip bound and channels that block do not go together, since a reply that waits for room would use up \
         its request's time: choose drop, report or unbounded channels, or a delay per message"
    )]
    RoundTripBlocks,
    /// A round-trip bound together with a processing delay.
    #[error(
        "a round-trip bound has the time for processing in it: leave the processing delay out, or give a delay per message"
    )]
    RoundTripProcessing,
    /// Processes that are faster than they should be, or stand still.
    #[error("speed is {0}: it says how many times too slow a process may be; write 1 or more")]
    Speed(u32),
    /// Bounds that hold only eventually, in dense time.
    #[error(
        "bounds that hold only eventually are searched tick by tick: choose ticks, or bounds that hold from the start"
    )]
    EventualDense,
    /// Bounds that hold only eventually, on round trips.
    #[error(
        "bounds that hold only eventually are bounds on single messages: give a delay per message instead of a round trip, \
         or bounds that hold from the start"
    )]
    EventualRoundTrip,
    /// A protocol that leaves messages lying, in a world with time.
    #[error(
        "the protocol takes only the messages that it wants and leaves the others lying, and a world with time hands over \
         every message when it is due: give the protocol a mailbox (`Mailbox` of the protocols), or choose an untimed world"
    )]
    SelectiveTimed,
    /// A protocol that leaves messages lying, with channels that do not.
    #[error(
        "the protocol takes only the messages that it wants and leaves the others lying, so channels must keep any number \
         of them in any order: choose order any and channel unbounded:8, or give the protocol a mailbox (`Mailbox` of the \
         protocols)"
    )]
    SelectiveChannels,
    /// An oracle in a world with time.
    #[error(
        "an oracle is an abstract failure detector for untimed worlds: leave time out, or put the protocol on a detector \
         that keeps time"
    )]
    OracleTimed,
    /// An oracle together with recoveries.
    #[error(
        "the classes of failure detectors are about processes that crash for ever: leave recoveries out, or the oracle"
    )]
    OracleRecovers,
    /// An oracle whose suspicions last, for too many processes.
    #[error(
        "n is {n}, and the lasting suspicions of more than {most} processes are more than a search can keep: choose an \
         oracle whose suspicions are momentary, or fewer processes"
    )]
    OracleProcesses {
        /// The number of processes.
        n: usize,
        /// The most there may be.
        most: usize,
    },
    /// Mistakes that are counted, of an oracle whose suspicions are momentary.
    #[error(
        "a mistake that lasts is as good as many that do not, so momentary ones are not counted: write :lasting behind the \
         mistakes, or choose <>P, S or <>S"
    )]
    OracleMistakes,
    /// A process is past the horizon of the search when it starts.
    #[error("a process is past the horizon of the search ({horizon}) when it starts: raise it")]
    StartBeyondHorizon {
        /// The horizon.
        horizon: String,
    },
    /// A family of worlds with names for more or fewer of them.
    #[error("there are {names} names for {worlds} worlds: give each world one")]
    Names {
        /// The number of worlds.
        worlds: usize,
        /// The number of names.
        names: usize,
    },
    /// A family of worlds without a world.
    #[error("there are no bounds to choose from: widen the range of delays or of speeds")]
    NoWorlds,
    /// Worlds that cannot be one family.
    #[error(
        "the worlds of a family differ in their bounds alone, or in what is called, but number {world} differs from the \
         first in {what}: build all of them from one scenario, with the same calls, observers and atoms"
    )]
    Unlike {
        /// Which of them, counted from 0, is not like the first.
        world: usize,
        /// What differs.
        what: &'static str,
    },
    /// A bound on time that is larger than a world can count.
    #[error("{what} of {bound} is too long: a world counts up to {MAX_DURATION}")]
    Duration {
        /// What the bound is on.
        what: &'static str,
        /// The bound.
        bound: u32,
    },
    /// An observer that sets deadlines in a world without time.
    #[error("{observer} speaks of durations, and an untimed world has none: choose ticks or dense time")]
    Deadline {
        /// The observer.
        observer: String,
    },
}

/// The longest time that a world can count.
pub const MAX_DURATION: u32 = 1 << 26;

/// The most timer slots of a protocol.
pub const MAX_TIMERS: usize = 1 << crate::transition::WHICH;

fn too_many_crashes(crashes: u32, able: ProcSet, again: u32) -> String {
    let count = able.len();
    match again {
        0 => format!(
            "crashes is {crashes}, but only the {count} processes of {able} may crash: lower crashes, or name more \
             processes as crashable"
        ),
        _ => format!(
            "crashes is {crashes}, but the {count} processes of {able} can crash no more than {} times with recoveries \
             {again}: lower crashes, raise recoveries, or name more processes as crashable",
            count + again as usize
        ),
    }
}
