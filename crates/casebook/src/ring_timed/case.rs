//! Which detector, on which channels, with which reading of the clocks: the choices that the figures leave
//! open or that the document varies. Capacity and maxDelta are checked when a case is made, so every case has a space.

use super::space::TimedRing;
use crate::names::{OutOfRange, UnknownName};
use crate::ring::Crash;
use std::fmt;
use strum::{Display, EnumString, VariantArray, VariantNames};
use watchkeeper_world::Simultaneous;

/// Which of the four detectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<TimedVariant>)]
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

/// In what order messages arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<MessageOrder>)]
pub enum MessageOrder {
    /// In any order: each ordered pair of processes has a channel for each kind of message, as in figure 6.8.
    Any,
    /// In the order in which they were sent: each ordered pair has one queue for both kinds. The channel of
    /// figure 6.8 holds messages that are all alike, so that only between the kinds is there an order at all.
    Fifo,
}

/// From when the bound maxDelta on a round trip counts: how the clock `waiting[p][q]` is read, which the
/// timeout of p and everything that is under way between a question of p and its answer share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<ClockReading>)]
pub enum ClockReading {
    /// From the last question that p has sent to q, as figure 6.9 is drawn: a resend sets the clock back,
    /// and with it the deadline of every earlier question and answer.
    EveryResend,
    /// From the oldest question that has not been answered: each question and its answer have maxDelta
    /// together, however often p asks again.
    OldestUnanswered,
}

/// How far a timeout grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum DeltaGrowth {
    /// To maxDelta: the text beside figure 6.9 lets it grow while it is below.
    ToMaxDelta,
    /// Past maxDelta: section 6.3.3 gives the edge no guard. One unit past it is as far as it is followed.
    PastMaxDelta,
}

/// One choice of everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingTimedCase {
    /// The detector.
    pub variant: TimedVariant,
    /// The order of messages.
    pub order: MessageOrder,
    /// The reading of the clock.
    pub clock: ClockReading,
    /// How far a timeout grows.
    pub growth: DeltaGrowth,
    /// When p1 crashes.
    pub crash: Crash,
    /// What comes first of things that fall on the same moment. With due deliveries first no timeout comes while
    /// something has used up maxDelta, anywhere.
    pub simultaneous: Simultaneous,
    pub(super) capacity: u8,
    pub(super) max_delta: u8,
}

impl RingTimedCase {
    /// The largest capacity of a channel.
    pub const MAX_CAPACITY: u8 = 4;

    /// The largest bound on a round trip.
    pub const MAX_DELTA: u8 = 8;

    /// A case in which p1 has crashed before the first step, as in figure 6.13, a timeout grows to maxDelta,
    /// and what falls on the same moment comes in any order. A channel has room for 1 to
    /// [`RingTimedCase::MAX_CAPACITY`] messages; `max_delta` is the bound on a round trip, from 1 to
    /// [`RingTimedCase::MAX_DELTA`], where the first timeout is 1.
    pub fn new(
        variant: TimedVariant,
        order: MessageOrder,
        capacity: u32,
        max_delta: u32,
        clock: ClockReading,
    ) -> Result<RingTimedCase, OutOfRange> {
        let capacity = OutOfRange::check("buffer", capacity, 1, RingTimedCase::MAX_CAPACITY.into())? as u8;
        let max_delta = OutOfRange::check("max-delta", max_delta, 1, RingTimedCase::MAX_DELTA.into())? as u8;
        let (growth, crash) = (DeltaGrowth::ToMaxDelta, Crash::AtStart);
        let simultaneous = Simultaneous::AnyOrder;
        Ok(RingTimedCase { variant, order, clock, growth, crash, simultaneous, capacity, max_delta })
    }

    /// The number of messages that a channel has room for.
    pub const fn capacity(&self) -> u8 {
        self.capacity
    }

    /// The bound on a round trip, and the longest timeout.
    pub const fn max_delta(&self) -> u8 {
        self.max_delta
    }

    /// The longest timeout that is told apart.
    pub const fn longest(&self) -> u8 {
        match self.growth {
            DeltaGrowth::ToMaxDelta => self.max_delta,
            DeltaGrowth::PastMaxDelta => self.max_delta + 1,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn case(capacity: u32, max_delta: u32) -> Result<RingTimedCase, OutOfRange> {
        let (order, clock) = (MessageOrder::Any, ClockReading::EveryResend);
        RingTimedCase::new(TimedVariant::WeakAccuracy, order, capacity, max_delta, clock)
    }

    #[test]
    fn capacities_and_bounds_that_cannot_be_are_refused_with_advice() {
        for given in [0, 5, 256, u32::MAX] {
            assert_eq!(case(given, 2), Err(OutOfRange { parameter: "buffer", given, least: 1, most: 4 }));
        }
        for given in [0, 9, 258, u32::MAX] {
            assert_eq!(case(1, given), Err(OutOfRange { parameter: "max-delta", given, least: 1, most: 8 }));
        }
        let told = case(1, 9).map_err(|error| error.to_string());
        assert_eq!(told, Err("a max-delta of 9 is not possible: give 1 to 8".to_string()));
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
        fn reread<T: VariantArray + PartialEq + ToString + std::str::FromStr<Err = UnknownName>>() {
            assert!(T::VARIANTS.iter().all(|choice| choice.to_string().parse().as_ref() == Ok(choice)));
        }
        reread::<TimedVariant>();
        reread::<MessageOrder>();
        reread::<ClockReading>();
        let told = "lifo".parse::<MessageOrder>().map_err(|error| error.to_string());
        assert_eq!(told, Err("there is no `lifo`: choose one of any, fifo".to_string()));
    }
}
