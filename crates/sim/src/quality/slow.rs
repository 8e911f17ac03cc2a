//! Members that are too slow: a process that is blocked now and then, and handles what has arrived, and the timers that are
//! due, when it wakes; or one whose timers fire in time while its messages wait, in and out. This second one is how the
//! Lifeguard paper (Dadgar, Phillips and Currey 2018) disturbs members.

use crate::distribution::DelayDistribution;
use fastrand::Rng;

/// Which members are slow, and how.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlowMembers {
    /// How many; they are those with the lowest numbers.
    pub count: usize,
    /// How long such a member is blocked each time.
    pub blocked: DelayDistribution,
    /// How long it runs in between.
    pub normal: DelayDistribution,
    /// Whether its timers fire while it is blocked, so that only messages wait: those that it sends as well.
    pub timers_run: bool,
}

/// The phases of one slow member.
#[derive(Clone, Debug)]
pub(super) struct Phases {
    of: SlowMembers,
    blocked: bool,
    /// When the present phase ends.
    until: u64,
    pub(super) random: Rng,
}

impl Phases {
    /// A member that runs at first.
    pub(super) fn new(of: SlowMembers, mut random: Rng) -> Phases {
        let until = of.normal.draw(&mut random);
        Phases { of, blocked: false, until, random }
    }

    /// The same phase, after which others come.
    pub(super) fn fork(&self, random: Rng) -> Phases {
        Phases { random, ..*self }
    }

    /// Whether timers fire while the member is blocked.
    pub(super) fn timers_run(&self) -> bool {
        self.of.timers_run
    }

    /// The first moment from this one on at which the member runs.
    pub(super) fn awake(&mut self, now: u64) -> u64 {
        while self.until <= now {
            self.blocked = !self.blocked;
            let length = if self.blocked { self.of.blocked } else { self.of.normal };
            self.until += length.draw(&mut self.random).max(1);
        }
        if self.blocked { self.until } else { now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_member_runs_in_its_normal_phases_and_wakes_at_the_end_of_the_others() {
        let of = SlowMembers {
            count: 1,
            blocked: DelayDistribution::Constant(10),
            normal: DelayDistribution::Constant(5),
            timers_run: false,
        };
        let mut phases = Phases::new(of, Rng::with_seed(1));
        let awake: Vec<u64> =
            [0, 4, 5, 14, 15, 19, 20, 100].into_iter().map(|now| phases.awake(now)).collect();
        assert_eq!(awake, [0, 4, 15, 15, 15, 19, 30, 105]);
    }
}
