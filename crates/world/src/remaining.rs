//! What a pending obligation remembers of its bound: nothing in an untimed world, what is left of it in
//! ticks, and in dense time only how wide it is, because its clock, which counts from `-hi` up to 0, is in
//! the zone of the state. Obligations that behave alike are equal.

use crate::WorldTime;
use crate::error::MAX_DURATION;
use watchkeeper_core::{Bound, Pack, Reader};

/// What a message on its way or an armed timer remembers of when it may happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Remaining {
    /// There is no time.
    Untimed,
    /// At any moment from now on, or never.
    Free,
    /// In ticks: not before `lo` more of them, and not after `hi` more.
    Left { lo: u32, hi: Option<u32> },
    /// In dense time: once its clock has reached `-width`, and before it passes 0.
    Clock { width: u32 },
    /// In dense time: when its clock is 0 it becomes free.
    Stage,
}

impl Remaining {
    /// What an obligation that begins now remembers.
    pub(crate) fn new(time: WorldTime, bound: Bound) -> Remaining {
        match (time, bound.hi()) {
            (WorldTime::Untimed, _) => Remaining::Untimed,
            (_, None) if bound.lo() == 0 => Remaining::Free,
            (WorldTime::Ticks(_), hi) => Remaining::Left { lo: bound.lo(), hi },
            (WorldTime::Dense(_), Some(hi)) => Remaining::Clock { width: hi - bound.lo() },
            (WorldTime::Dense(_), None) => Remaining::Stage,
        }
    }

    /// What a reply remembers whose request is handled now: it may arrive at any moment that its request
    /// still could have.
    pub(crate) fn inherited(self) -> Remaining {
        match self {
            Remaining::Left { hi, .. } => Remaining::Left { lo: 0, hi },
            other => other,
        }
    }

    /// In ticks: what a message on its way remembers when the network stabilises, where `fresh` is what one
    /// remembers that is sent at that moment. It arrives no later than that one, and may arrive no later.
    pub(crate) fn hastened(self, fresh: Remaining) -> Remaining {
        let parts = |remaining: Remaining| {
            if let Remaining::Left { lo, hi } = remaining { (lo, hi) } else { (0, None) }
        };
        let ((lo, hi), (fresh_lo, fresh_hi)) = (parts(self), parts(fresh));
        match (lo.min(fresh_lo), [hi, fresh_hi].into_iter().flatten().min()) {
            (0, None) => Remaining::Free,
            (lo, hi) => Remaining::Left { lo, hi },
        }
    }

    /// Whether it may happen at this moment, as far as this alone can say: a clock is asked elsewhere.
    pub(crate) fn is_enabled(self) -> bool {
        match self {
            Remaining::Left { lo, .. } => lo == 0,
            Remaining::Stage => false,
            Remaining::Untimed | Remaining::Free | Remaining::Clock { .. } => true,
        }
    }

    /// Whether a clock of the zone belongs to it.
    pub(crate) fn has_clock(self) -> bool {
        matches!(self, Remaining::Clock { .. } | Remaining::Stage)
    }

    /// In ticks: what it remembers one tick later; `None` if it must happen before.
    pub(crate) fn ticked(self) -> Option<Remaining> {
        match self {
            Remaining::Left { hi: Some(0), .. } => None,
            Remaining::Left { lo: 0 | 1, hi: None } => Some(Remaining::Free),
            Remaining::Left { lo, hi } => {
                Some(Remaining::Left { lo: lo.saturating_sub(1), hi: hi.map(|hi| hi - 1) })
            }
            other => Some(other),
        }
    }

    /// Appends its canonical bytes: none in an untimed world, where nothing is remembered.
    pub(crate) fn pack(self, out: &mut Vec<u8>) {
        match self {
            Remaining::Untimed => {}
            Remaining::Free => out.push(0),
            Remaining::Left { lo, hi: None } => {
                out.push(1);
                lo.pack(out);
            }
            Remaining::Left { lo, hi: Some(hi) } => {
                out.push(2);
                lo.pack(out);
                hi.pack(out);
            }
            Remaining::Clock { width } => {
                out.push(3);
                width.pack(out);
            }
            Remaining::Stage => out.push(4),
        }
    }

    /// What these bytes were packed from in a world with this time; `None` if nothing in it was.
    pub(crate) fn unpack(time: WorldTime, bytes: &mut Reader<'_>) -> Option<Remaining> {
        if time == WorldTime::Untimed {
            return Some(Remaining::Untimed);
        }
        let number = |bytes: &mut Reader<'_>| u32::unpack(bytes).ok().filter(|&n| n <= MAX_DURATION);
        let found = match bytes.byte().ok()? {
            0 => Remaining::Free,
            1 => Remaining::Left { lo: number(bytes)?, hi: None },
            2 => {
                let (lo, hi) = (number(bytes)?, number(bytes)?);
                (lo <= hi).then_some(Remaining::Left { lo, hi: Some(hi) })?
            }
            3 => Remaining::Clock { width: number(bytes)? },
            4 => Remaining::Stage,
            _ => return None,
        };
        let dense = matches!(time, WorldTime::Dense(_));
        let other = if dense { matches!(found, Remaining::Left { .. }) } else { found.has_clock() };
        (!other).then_some(found)
    }

    /// As an addition to the name of the obligation: what is left in ticks, nothing elsewhere.
    pub(crate) fn text(self) -> String {
        match self {
            Remaining::Untimed | Remaining::Free | Remaining::Clock { .. } => String::new(),
            Remaining::Left { lo, hi: None } => format!(" in {lo} or more"),
            Remaining::Left { lo, hi: Some(hi) } if lo == hi => format!(" in {lo}"),
            Remaining::Left { lo, hi: Some(hi) } => format!(" in {lo} to {hi}"),
            Remaining::Stage => " later".to_string(),
        }
    }
}

/// The value of a clock that begins now, for an obligation that has one: it counts up to 0.
pub(crate) fn clock_start(bound: Bound) -> i32 {
    -(bound.hi().unwrap_or(bound.lo()) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timing;

    fn bound(lo: u32, hi: Option<u32>) -> Bound {
        hi.map_or(Bound::at_least(lo), |hi| Bound::new(lo, hi).expect("an interval"))
    }

    #[test]
    fn ticks_use_a_bound_up_and_stop_at_its_end() {
        let ticks = WorldTime::Ticks(Timing::round_trip(1));
        let mut remaining = Remaining::new(ticks, bound(1, Some(3)));
        let mut enabled = Vec::new();
        while let Some(next) = remaining.ticked() {
            enabled.push(remaining.is_enabled());
            remaining = next;
        }
        assert_eq!(enabled, [false, true, true]);
        assert!(remaining.is_enabled());
        let open = Remaining::new(ticks, bound(2, None));
        assert_eq!(open.ticked().and_then(Remaining::ticked), Some(Remaining::Free));
        assert_eq!(Remaining::Free.ticked(), Some(Remaining::Free), "states that behave alike are equal");
        assert_eq!(Remaining::new(ticks, bound(0, None)), Remaining::Free);
    }

    #[test]
    fn what_is_on_its_way_keeps_up_with_what_is_sent_now() {
        let left = |lo, hi| Remaining::Left { lo, hi };
        let fresh = left(1, Some(3));
        for (before, after) in [
            (Remaining::Free, left(0, Some(3))),
            (left(5, None), fresh),
            (left(0, Some(2)), left(0, Some(2))),
            (left(10, Some(20)), fresh),
            (fresh, fresh),
        ] {
            assert_eq!(before.hastened(fresh), after);
        }
        assert_eq!(left(4, None).hastened(Remaining::Free), Remaining::Free);
        assert_eq!(left(4, Some(9)).hastened(Remaining::Free), left(0, Some(9)));
    }

    #[test]
    fn in_dense_time_only_the_width_is_remembered() {
        let dense = WorldTime::Dense(Timing::round_trip(1));
        assert_eq!(Remaining::new(dense, bound(3, Some(5))), Remaining::new(dense, bound(7, Some(9))));
        assert_eq!(clock_start(bound(3, Some(5))), -5);
        assert_eq!(Remaining::new(dense, bound(3, None)), Remaining::Stage);
        assert_eq!(clock_start(bound(3, None)), -3);
    }
}
