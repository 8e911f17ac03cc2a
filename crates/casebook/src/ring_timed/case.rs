//! Which detector, on which channels, with which reading of the clocks: the choices that the figures leave
//! open or that the document varies. A case is checked when it is made, so every case has a space.

use super::space::TimedRing;
use crate::names::{UnknownName, named};
use crate::ring::Crash;
use std::fmt;
use std::str::FromStr;
use watchkeeper_world::Simultaneous;

/// Which of the four detectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimedVariant {
    /// Timeouts of one length.
    WeakCompleteness,
    /// The timeout for a target grows if the candidate p2 is that target or is passed over: figure 6.9.
    WeakAccuracy,
    /// The timeout for every target that is suspected grows: section 6.3.3.
    StrongAccuracy,
    /// As strong accuracy, with one list G of suspects that all processes share: section 6.3.4.
    StrongCompleteness,
}

impl TimedVariant {
    /// All variants.
    pub const ALL: [TimedVariant; 4] = [
        TimedVariant::WeakCompleteness,
        TimedVariant::WeakAccuracy,
        TimedVariant::StrongAccuracy,
        TimedVariant::StrongCompleteness,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            TimedVariant::WeakCompleteness => "weak-completeness",
            TimedVariant::WeakAccuracy => "weak-accuracy",
            TimedVariant::StrongAccuracy => "strong-accuracy",
            TimedVariant::StrongCompleteness => "strong-completeness",
        }
    }
}

/// In what order messages arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageOrder {
    /// In any order: each ordered pair of processes has a channel for each kind of message, as in figure 6.8.
    Any,
    /// In the order in which they were sent: each ordered pair has one queue for both kinds. The channel of
    /// figure 6.8 holds messages that are all alike, so that only between the kinds is there an order at all.
    Fifo,
}

impl MessageOrder {
    /// All orders.
    pub const ALL: [MessageOrder; 2] = [MessageOrder::Any, MessageOrder::Fifo];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            MessageOrder::Any => "any",
            MessageOrder::Fifo => "fifo",
        }
    }
}

/// From when the bound maxDelta on a round trip counts: how the clock `waiting[p][q]` is read, which the
/// timeout of p and everything that is under way between a question of p and its answer share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockReading {
    /// From the last question that p has sent to q, as figure 6.9 is drawn: a resend sets the clock back,
    /// and with it the deadline of every earlier question and answer.
    EveryResend,
    /// From the oldest question that has not been answered: each question and its answer have maxDelta
    /// together, however often p asks again.
    OldestUnanswered,
}

impl ClockReading {
    /// All readings.
    pub const ALL: [ClockReading; 2] = [ClockReading::EveryResend, ClockReading::OldestUnanswered];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ClockReading::EveryResend => "every-resend",
            ClockReading::OldestUnanswered => "oldest-unanswered",
        }
    }
}

/// How far a timeout grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeoutGrowth {
    /// To maxDelta: the text beside figure 6.9 lets it grow while it is below.
    ToMaxDelta,
    /// Past maxDelta: section 6.3.3 gives the edge no guard. One unit past it is as far as it is followed.
    PastMaxDelta,
}

impl TimeoutGrowth {
    /// All choices.
    pub const ALL: [TimeoutGrowth; 2] = [TimeoutGrowth::ToMaxDelta, TimeoutGrowth::PastMaxDelta];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            TimeoutGrowth::ToMaxDelta => "to-max-delta",
            TimeoutGrowth::PastMaxDelta => "past-max-delta",
        }
    }
}

/// One choice of everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingTimedCase {
    variant: TimedVariant,
    order: MessageOrder,
    capacity: u8,
    max_delta: u8,
    clock: ClockReading,
    growth: TimeoutGrowth,
    crash: Crash,
    simultaneous: Simultaneous,
}

impl RingTimedCase {
    /// The largest number of messages that a channel can be given room for.
    pub const MAX_CAPACITY: u8 = 4;

    /// The largest bound on a round trip.
    pub const MAX_DELTA: u8 = 8;

    /// A case in which p1 has crashed before the first step, as in figure 6.13, a timeout grows to maxDelta,
    /// and what falls on the same moment comes in any order. A channel has room for 1 to [`RingTimedCase::MAX_CAPACITY`] messages; `max_delta` is the bound on a
    /// round trip, from 1 to [`RingTimedCase::MAX_DELTA`], where the first timeout is 1.
    pub fn new(
        variant: TimedVariant,
        order: MessageOrder,
        capacity: u32,
        max_delta: u32,
        clock: ClockReading,
    ) -> Result<RingTimedCase, RingTimedCaseError> {
        let small = |given: u32, most: u8| u8::try_from(given).ok().filter(|n| (1..=most).contains(n));
        let capacity =
            small(capacity, RingTimedCase::MAX_CAPACITY).ok_or(RingTimedCaseError::Capacity(capacity))?;
        let max_delta =
            small(max_delta, RingTimedCase::MAX_DELTA).ok_or(RingTimedCaseError::MaxDelta(max_delta))?;
        let (growth, crash, simultaneous) =
            (TimeoutGrowth::ToMaxDelta, Crash::AtStart, Simultaneous::AnyOrder);
        Ok(RingTimedCase { variant, order, capacity, max_delta, clock, growth, crash, simultaneous })
    }

    /// The same case with another crash.
    #[must_use]
    pub const fn with_crash(self, crash: Crash) -> RingTimedCase {
        RingTimedCase { crash, ..self }
    }

    /// The same case with another end of the growth.
    #[must_use]
    pub const fn with_growth(self, growth: TimeoutGrowth) -> RingTimedCase {
        RingTimedCase { growth, ..self }
    }

    /// The same case with another order of what falls on the same moment. With due deliveries first no
    /// timeout comes while something has used up maxDelta, anywhere.
    #[must_use]
    pub const fn with_simultaneous(self, simultaneous: Simultaneous) -> RingTimedCase {
        RingTimedCase { simultaneous, ..self }
    }

    /// The detector.
    pub const fn variant(&self) -> TimedVariant {
        self.variant
    }

    /// The order of messages.
    pub const fn order(&self) -> MessageOrder {
        self.order
    }

    /// The number of messages that a channel has room for.
    pub const fn capacity(&self) -> u8 {
        self.capacity
    }

    /// The bound on a round trip, and the longest timeout.
    pub const fn max_delta(&self) -> u8 {
        self.max_delta
    }

    /// The reading of the clock.
    pub const fn clock(&self) -> ClockReading {
        self.clock
    }

    /// How far a timeout grows.
    pub const fn growth(&self) -> TimeoutGrowth {
        self.growth
    }

    /// When p1 crashes.
    pub const fn crash(&self) -> Crash {
        self.crash
    }

    /// What comes first of things that fall on the same moment.
    pub const fn simultaneous(&self) -> Simultaneous {
        self.simultaneous
    }

    /// The longest timeout that is told apart.
    pub const fn longest(&self) -> u8 {
        match self.growth {
            TimeoutGrowth::ToMaxDelta => self.max_delta,
            TimeoutGrowth::PastMaxDelta => self.max_delta + 1,
        }
    }

    /// The space of this case.
    pub fn space(&self) -> TimedRing {
        TimedRing::new(*self)
    }
}

impl fmt::Display for RingTimedCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RingTimedCase { variant, order, capacity, max_delta, clock, growth, crash, simultaneous } = self;
        write!(f, "{variant}, maxDelta {max_delta}, {order} order, capacity {capacity}, ")?;
        write!(f, "clock {clock}, timeouts {growth}, crash of p1 {crash}, simultaneous {simultaneous}")
    }
}

/// A choice that is not in the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RingTimedCaseError {
    /// A channel cannot have this much room.
    Capacity(u32),
    /// A round trip cannot have this bound.
    MaxDelta(u32),
    /// There is no such name.
    Name(UnknownName),
}

impl From<UnknownName> for RingTimedCaseError {
    fn from(unknown: UnknownName) -> RingTimedCaseError {
        RingTimedCaseError::Name(unknown)
    }
}

impl fmt::Display for RingTimedCaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RingTimedCaseError::Capacity(given) => {
                write!(f, "a capacity of {given} is not possible: give 1 to {}", RingTimedCase::MAX_CAPACITY)
            }
            RingTimedCaseError::MaxDelta(given) => {
                write!(f, "a maxDelta of {given} is not possible: give 1 to {}", RingTimedCase::MAX_DELTA)
            }
            RingTimedCaseError::Name(unknown) => unknown.fmt(f),
        }
    }
}

impl std::error::Error for RingTimedCaseError {}

impl FromStr for TimedVariant {
    type Err = RingTimedCaseError;

    fn from_str(text: &str) -> Result<TimedVariant, RingTimedCaseError> {
        Ok(named("variant", text, &TimedVariant::ALL, TimedVariant::name)?)
    }
}

impl FromStr for MessageOrder {
    type Err = RingTimedCaseError;

    fn from_str(text: &str) -> Result<MessageOrder, RingTimedCaseError> {
        Ok(named("order", text, &MessageOrder::ALL, MessageOrder::name)?)
    }
}

impl FromStr for ClockReading {
    type Err = RingTimedCaseError;

    fn from_str(text: &str) -> Result<ClockReading, RingTimedCaseError> {
        Ok(named("clock", text, &ClockReading::ALL, ClockReading::name)?)
    }
}

impl FromStr for TimeoutGrowth {
    type Err = RingTimedCaseError;

    fn from_str(text: &str) -> Result<TimeoutGrowth, RingTimedCaseError> {
        Ok(named("growth", text, &TimeoutGrowth::ALL, TimeoutGrowth::name)?)
    }
}

impl fmt::Display for TimedVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for MessageOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for ClockReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for TimeoutGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(capacity: u32, max_delta: u32) -> Result<RingTimedCase, RingTimedCaseError> {
        RingTimedCase::new(
            TimedVariant::WeakAccuracy,
            MessageOrder::Any,
            capacity,
            max_delta,
            ClockReading::EveryResend,
        )
    }

    #[test]
    fn capacities_and_bounds_that_cannot_be_are_refused_with_advice() {
        for given in [0, 5, 256, u32::MAX] {
            assert_eq!(case(given, 2), Err(RingTimedCaseError::Capacity(given)));
        }
        for given in [0, 9, 258, u32::MAX] {
            assert_eq!(case(1, given), Err(RingTimedCaseError::MaxDelta(given)));
        }
        assert_eq!(
            RingTimedCaseError::Capacity(0).to_string(),
            "a capacity of 0 is not possible: give 1 to 4"
        );
        assert_eq!(
            RingTimedCaseError::MaxDelta(9).to_string(),
            "a maxDelta of 9 is not possible: give 1 to 8"
        );
        assert_eq!(
            case(1, 2).map(|case| case.to_string()).as_deref(),
            Ok(
                "weak-accuracy, maxDelta 2, any order, capacity 1, clock every-resend, timeouts to-max-delta, \
                crash of p1 at-start, simultaneous any"
            )
        );
    }

    #[test]
    fn names_are_read_as_they_are_written_and_others_are_told_what_there_is() {
        assert!(TimedVariant::ALL.iter().all(|choice| choice.to_string().parse() == Ok(*choice)));
        assert!(MessageOrder::ALL.iter().all(|choice| choice.to_string().parse() == Ok(*choice)));
        assert!(ClockReading::ALL.iter().all(|choice| choice.to_string().parse() == Ok(*choice)));
        assert!(TimeoutGrowth::ALL.iter().all(|choice| choice.to_string().parse() == Ok(*choice)));
        let told = "lifo".parse::<MessageOrder>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no order `lifo`: choose one of any, fifo".to_string()));
    }
}
