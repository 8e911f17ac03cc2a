//! What surrounds the processes: how many there are, what the network does, what may fail. Plain data,
//! read from flags or a file; whether it makes sense together is decided where a world is built.

use crate::{Oracle, SpecError, WorldTime};
use std::fmt;
use std::str::FromStr;
use strum::{Display, EnumString};
use watchkeeper_core::{ProcSet, Time};

/// The largest capacity or cap of a channel.
pub const MAX_CAPACITY: u32 = 4095;

/// A budget of faults without a limit; the search then keeps no count of them.
pub const ANY_NUMBER: u32 = u32::MAX;

/// Everything about a world but its protocol, with durations `T`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario<T = u32> {
    /// The number of processes.
    pub n: usize,
    /// What happens to messages.
    pub network: Network,
    /// What happens to processes.
    pub faults: Faults,
    /// When things happen.
    pub time: WorldTime<T>,
    /// The abstract failure detector under the protocol, if it stands on one that is not part of it.
    pub oracle: Option<Oracle>,
}

impl Scenario {
    /// `n` processes, the default network, and no faults; untimed.
    pub fn new(n: usize) -> Scenario {
        Scenario {
            n,
            network: Network::default(),
            faults: Faults::default(),
            time: WorldTime::Untimed,
            oracle: None,
        }
    }
}

impl<T: Time> Scenario<T> {
    /// This scenario with another time, whose durations may be of another type.
    #[must_use]
    pub fn with_time<U>(self, time: WorldTime<U>) -> Scenario<U> {
        let Scenario { n, network, faults, oracle, .. } = self;
        Scenario { n, network, faults, time, oracle }
    }

    /// Whether a message to a process that has crashed is gone at once. In a timed world each message on its
    /// way has a clock, and those that nobody will hear need none; where channels have a limit, they still
    /// take up room until they arrive.
    pub fn swallows_at_once(&self) -> bool {
        self.time.timing().is_some() && matches!(self.network.capacity, Capacity::Unbounded { .. })
    }
}

/// What happens to messages between their sending and their arrival.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// In which order the messages of one channel arrive.
    pub order: DeliveryOrder,
    /// How many messages a channel holds.
    pub capacity: Capacity,
    /// What a full channel does; without meaning where the capacity is unbounded.
    pub when_full: WhenFull,
    /// Which messages share a channel.
    pub lanes: Lanes,
    /// How many messages the network may lose in one run; [`ANY_NUMBER`] without a limit.
    pub losses: u32,
    /// How many messages the network may duplicate in one run. In a FIFO channel a copy follows its
    /// original at once, so that duplication never reorders.
    pub duplications: u32,
}

impl Network {
    /// The capacity and what happens beyond it.
    pub fn channel(&self) -> Channel {
        match (self.capacity, self.when_full) {
            (Capacity::Unbounded { cap }, _) => Channel::Unbounded(cap),
            (Capacity::Bounded(size), WhenFull::Block) => Channel::Block(size),
            (Capacity::Bounded(size), WhenFull::Drop) => Channel::Drop(size),
            (Capacity::Bounded(size), WhenFull::Report) => Channel::Report(size),
        }
    }

    /// This network with other channels.
    #[must_use]
    pub fn with_channel(self, channel: Channel) -> Network {
        let (capacity, when_full) = match channel {
            Channel::Block(size) => (Capacity::Bounded(size), WhenFull::Block),
            Channel::Drop(size) => (Capacity::Bounded(size), WhenFull::Drop),
            Channel::Report(size) => (Capacity::Bounded(size), WhenFull::Report),
            // What a full channel of no limit would do does not matter; one value keeps equal networks equal.
            Channel::Unbounded(cap) => (Capacity::Unbounded { cap }, WhenFull::Block),
        };
        Network { capacity, when_full, ..self }
    }
}

/// Channels in any order, of capacity 1, that block their sender when full; one for each ordered pair of
/// processes; nothing is lost or duplicated.
impl Default for Network {
    fn default() -> Network {
        Network {
            order: DeliveryOrder::AnyOrder,
            capacity: Capacity::Bounded(1),
            when_full: WhenFull::Block,
            lanes: Lanes::PerPair,
            losses: 0,
            duplications: 0,
        }
    }
}

/// In which order the messages of one channel arrive. Written `any` or `fifo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = SpecError, parse_err_fn = unknown_delivery_order)]
pub enum DeliveryOrder {
    /// In any order: a channel is a multiset.
    #[strum(serialize = "any")]
    AnyOrder,
    /// In the order in which they were sent: a channel is a sequence.
    Fifo,
}

fn unknown_delivery_order(text: &str) -> SpecError {
    SpecError::Order(text.to_string())
}

/// How many messages a channel holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capacity {
    /// So many; what happens beyond is the network's.
    Bounded(u32),
    /// Any number. A search needs an end all the same: steps beyond the cap are cut, and a search that
    /// cut one cannot say `holds`.
    Unbounded {
        /// The most messages a search puts into one channel.
        cap: u32,
    },
}

impl Capacity {
    /// The most messages that a channel of the model ever holds.
    pub fn limit(self) -> u32 {
        match self {
            Capacity::Bounded(capacity) => capacity,
            Capacity::Unbounded { cap } => cap,
        }
    }
}

/// What a full channel does to one more message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Its sender waits, and takes no input until the message has gone through.
    Block,
    /// The message is ignored.
    Drop,
    /// The run ends there, and the atom `within-capacity` is false.
    Report,
}

/// Which messages share a channel. Written `per-pair` or `per-kind`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = SpecError, parse_err_fn = unknown_lanes)]
pub enum Lanes {
    /// All from one process to another.
    PerPair,
    /// All of one kind from one process to another.
    PerKind,
}

fn unknown_lanes(text: &str) -> SpecError {
    SpecError::Lanes(text.to_string())
}

/// A channel as one word, such as `drop:2`: how many messages it holds, and what it does with one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    /// The sender waits.
    Block(u32),
    /// The message is lost.
    Drop(u32),
    /// It is told as a violation.
    Report(u32),
    /// There is no limit, and a search that meets this many can no longer say `holds`.
    Unbounded(u32),
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Channel::Block(size) => write!(f, "block:{size}"),
            Channel::Drop(size) => write!(f, "drop:{size}"),
            Channel::Report(size) => write!(f, "report:{size}"),
            Channel::Unbounded(cap) => write!(f, "unbounded:{cap}"),
        }
    }
}

impl FromStr for Channel {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Channel, SpecError> {
        let (word, number) = text.split_once(':').ok_or_else(|| SpecError::Channel(text.to_string()))?;
        let make: fn(u32) -> Channel = match word {
            "block" => Channel::Block,
            "drop" => Channel::Drop,
            "report" => Channel::Report,
            "unbounded" => Channel::Unbounded,
            _ => return Err(SpecError::Channel(text.to_string())),
        };
        match number.parse() {
            Ok(size) if (1..=MAX_CAPACITY).contains(&size) => Ok(make(size)),
            _ => Err(SpecError::ChannelSize(text.to_string())),
        }
    }
}

/// What happens to processes. Messages to a crashed process still arrive, and nothing comes of them.
///
/// A process that recovers starts again as it started at first, and remembers nothing. What was on its way to
/// it is gone at that moment, since it was meant for the incarnation before; what that incarnation sent is still on
/// its way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// The processes that may crash in a run.
    pub crashable: ProcSet,
    /// How many crashes there may be in a run. Whoever recovers may crash again, which is one more; but where
    /// recoveries have no limit they are not counted, and this is how many more processes than at the start
    /// may be down at once.
    pub crashes: u32,
    /// The processes that have crashed before the run begins; they do not count as crashes of the run.
    pub crashed_at_start: ProcSet,
    /// How often in a run a process that has crashed may start again; [`ANY_NUMBER`] without a limit.
    pub recoveries: u32,
    /// Whether what a process had sent and what has not arrived may be lost once it has crashed: a crash in the
    /// middle of sending to several is one of these. Without it channels are reliable also for the dead.
    pub crash_loses: bool,
}

impl Faults {
    /// The processes that can crash in a run: none without a crash to spend. Where recoveries have no limit, whoever
    /// recovers leaves room for another to be down, so a process that is down at the start is such a crash.
    pub fn mortal(&self) -> ProcSet {
        let makes_room = self.recoveries == ANY_NUMBER && !self.crashed_at_start.is_empty();
        if self.crashes > 0 || makes_room { self.crashable } else { ProcSet::EMPTY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_written_as_they_are_read() {
        for text in ["block:1", "drop:2", "report:17", "unbounded:8", "block:4095"] {
            assert_eq!(text.parse::<Channel>().map(|channel| channel.to_string()).as_deref(), Ok(text));
        }
        for text in ["any", "fifo"] {
            assert_eq!(text.parse::<DeliveryOrder>().map(|order| order.to_string()).as_deref(), Ok(text));
        }
        for text in ["per-pair", "per-kind"] {
            assert_eq!(text.parse::<Lanes>().map(|lanes| lanes.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_wrong_with_a_channel_is_said_with_what_to_write() {
        let wrong = |text: &str| text.parse::<Channel>().unwrap_err().to_string();
        for text in ["blok:1", "block", "", ":", "1"] {
            assert_eq!(
                wrong(text),
                format!(
                    "`{text}` is not a channel: write block:N, drop:N or report:N, after what it does when \
                     it holds N messages, or unbounded:CAP"
                )
            );
        }
        for text in ["block:0", "drop:-1", "report:x", "unbounded:", "block:4096", "block:99999999999"] {
            assert_eq!(
                wrong(text),
                format!("`{text}` has no size: write a number from 1 to 4095 after the colon")
            );
        }
        assert_eq!(
            "lifo".parse::<DeliveryOrder>().unwrap_err().to_string(),
            "`lifo` is not an order: write any or fifo"
        );
        assert_eq!(
            "one".parse::<Lanes>().unwrap_err().to_string(),
            "`one` does not say which messages share a channel: write per-pair or per-kind"
        );
    }
}
