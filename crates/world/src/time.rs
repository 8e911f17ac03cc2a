//! When things happen: the time models of a world and their options. Plain data; what a bound comes to in
//! each model is in `remaining`, and what may happen at a moment in `expand`.

use crate::{SpecError, Synchrony};
use strum::{Display, EnumString, IntoStaticStr};
use watchkeeper_core::Bound;

/// How time passes in a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Time {
    /// Not at all: every pending obligation may happen at any moment, or never.
    #[default]
    Untimed,
    /// One tick at a time, while nothing is overdue.
    Ticks(Timing),
    /// Continuously, all moments at once in zones.
    Dense(Timing),
}

impl Time {
    /// The options of a timed world.
    pub fn timing(self) -> Option<Timing> {
        match self {
            Time::Untimed => None,
            Time::Ticks(timing) | Time::Dense(timing) => Some(timing),
        }
    }

    /// The same way to pass, with other options; an untimed world has none.
    #[must_use]
    pub fn with_timing(self, timing: Timing) -> Time {
        match self {
            Time::Untimed => Time::Untimed,
            Time::Ticks(_) => Time::Ticks(timing),
            Time::Dense(_) => Time::Dense(timing),
        }
    }

    /// The bound that a timer keeps that a process arms for this one.
    pub(crate) fn timer(self, bound: Bound) -> Bound {
        self.timing().map_or(bound, |timing| timing.slowed(bound))
    }

    /// `untimed`, `ticks` or `dense`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The options of a timed world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// How long messages are on their way.
    pub delay: Delay,
    /// How long a process takes to handle a message that has arrived; the two add up. Only where the delay
    /// is per message: a round trip has the time at both ends in it.
    pub processing: Bound,
    /// What comes first of things that fall on the same moment.
    pub simultaneous: Simultaneous,
    /// How slow a process may be, from 1 on: a timer that it arms for `[lo, hi]` fires within
    /// `[lo, speed * hi]`. This holds from the start, whatever the synchrony.
    pub speed: u32,
    /// Since when the bounds on messages hold.
    pub synchrony: Synchrony,
}

impl Timing {
    /// Each message takes this long; nothing else takes time, and simultaneous events come in any order.
    pub fn per_message(delay: Bound) -> Timing {
        Timing {
            delay: Delay::PerMessage(delay),
            processing: Bound::exactly(0),
            simultaneous: Simultaneous::AnyOrder,
            speed: 1,
            synchrony: Synchrony::Always,
        }
    }

    /// A message and its reply together take at most this long.
    pub fn round_trip(most: u32) -> Timing {
        Timing { delay: Delay::RoundTrip(most), ..Timing::per_message(Bound::exactly(0)) }
    }

    /// This timing with due deliveries before timeouts.
    #[must_use]
    pub fn deliveries_first(self) -> Timing {
        Timing { simultaneous: Simultaneous::DeliveriesFirst, ..self }
    }
}

/// How long messages are on their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delay {
    /// Each message on its own.
    PerMessage(Bound),
    /// A message takes at most this long, and a reply only what its request has left of it.
    RoundTrip(u32),
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
