//! When things happen: the time models of a world and their options. Plain data; what a bound comes to in
//! each model is in `remaining`, and what may happen at a moment in `expand`.

use crate::{SpecError, Synchrony};
use strum::{Display, EnumString, IntoStaticStr};
use watchkeeper_core::{Bound, Time};

/// How time passes in a world, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum WorldTime<T = u32> {
    /// Not at all: every pending obligation may happen at any moment, or never.
    #[default]
    Untimed,
    /// One tick at a time, while nothing is overdue.
    Ticks(Timing<T>),
    /// Continuously, all moments at once in zones.
    Dense(Timing<T>),
}

impl<T: Time> WorldTime<T> {
    /// The options of a timed world.
    pub fn timing(self) -> Option<Timing<T>> {
        match self {
            WorldTime::Untimed => None,
            WorldTime::Ticks(timing) | WorldTime::Dense(timing) => Some(timing),
        }
    }

    /// The same way to pass, with other options; an untimed world has none.
    #[must_use]
    pub fn with_timing(self, timing: Timing<T>) -> WorldTime<T> {
        match self {
            WorldTime::Untimed => WorldTime::Untimed,
            WorldTime::Ticks(_) => WorldTime::Ticks(timing),
            WorldTime::Dense(_) => WorldTime::Dense(timing),
        }
    }

    /// The bound that a timer keeps that a process arms for this one.
    pub fn timer(self, bound: Bound<T>) -> Bound<T> {
        self.timing().map_or(bound, |timing| timing.slowed(bound))
    }

    /// `untimed`, `ticks` or `dense`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The options of a timed world, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing<T = u32> {
    /// How long messages are on their way.
    pub delay: Delay<T>,
    /// How long a process takes to handle a message that has arrived; the two add up. Only where the delay
    /// is per message: a round trip has the time at both ends in it.
    pub processing: Bound<T>,
    /// What comes first of things that fall on the same moment.
    pub simultaneous: Simultaneous,
    /// How slow a process may be, from 1 on: a timer that it arms for `[lo, hi]` fires within
    /// `[lo, speed * hi]`. This holds from the start, whatever the synchrony.
    pub speed: u32,
    /// Since when the bounds on messages hold.
    pub synchrony: Synchrony,
}

impl<T: Time> Timing<T> {
    /// Each message takes this long; nothing else takes time, and simultaneous events come in any order.
    pub fn per_message(delay: Bound<T>) -> Timing<T> {
        Timing {
            delay: Delay::PerMessage(delay),
            processing: Bound::exactly(T::from(0)),
            simultaneous: Simultaneous::AnyOrder,
            speed: 1,
            synchrony: Synchrony::Always,
        }
    }

    /// A message and its reply together take at most this long.
    pub fn round_trip(most: T) -> Timing<T> {
        Timing { delay: Delay::RoundTrip(most), ..Timing::per_message(Bound::exactly(T::from(0))) }
    }

    /// This timing with due deliveries before timeouts.
    #[must_use]
    pub fn deliveries_first(self) -> Timing<T> {
        Timing { simultaneous: Simultaneous::DeliveriesFirst, ..self }
    }
}

/// How long messages are on their way, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delay<T = u32> {
    /// Each message on its own.
    PerMessage(Bound<T>),
    /// A message takes at most this long, and a reply only what its request has left of it.
    RoundTrip(T),
}

/// What comes first of things that fall on the same moment. Written `any` or `deliveries-first`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, EnumString)]
#[strum(serialize_all = "kebab-case", parse_err_ty = SpecError, parse_err_fn = unknown_order)]
pub enum Simultaneous {
    /// Either.
    #[default]
    #[strum(serialize = "any")]
    AnyOrder,
    /// A message that must arrive now arrives before any timer fires, anywhere: no process can know that
    /// it has seen everything of this moment by looking at its own messages alone.
    DeliveriesFirst,
}

fn unknown_order(text: &str) -> SpecError {
    SpecError::Simultaneous(text.to_string())
}
