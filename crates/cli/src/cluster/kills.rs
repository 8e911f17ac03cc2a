//! Kills at random: who, and when, drawn from a seed before anything starts, so that the same seed kills the same nodes
//! at the same moments.

use std::time::Duration;
use watchkeeper_core::Pid;

/// From the start of the nodes on, all kills happen within this time: some before the protocol has begun, some while
/// it is at work, some when all is over.
const WITHIN: Duration = Duration::from_secs(1);

/// A node that will be killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kill {
    pub(crate) process: Pid,
    /// How long after the start of the nodes.
    pub(crate) at: Duration,
}

/// `count` of `n` processes, each with its moment, the first to be killed first.
pub(crate) fn drawn(n: usize, count: usize, seed: u64) -> Vec<Kill> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut left: Vec<Pid> = (0..n).filter_map(Pid::member).collect();
    let mut kills: Vec<Kill> = (0..count.min(n))
        .map(|_| {
            let process = left.swap_remove(random.usize(..left.len()));
            Kill { process, at: Duration::from_micros(random.u64(..WITHIN.as_micros() as u64)) }
        })
        .collect();
    kills.sort_by_key(|kill| kill.at);
    kills
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::ProcSet;

    #[test]
    fn a_seed_kills_the_same_nodes_at_the_same_moments_and_nobody_twice() {
        for seed in 0..50 {
            let kills = drawn(5, 2, seed);
            assert_eq!(kills, drawn(5, 2, seed));
            let who: ProcSet = kills.iter().map(|kill| kill.process).collect();
            assert_eq!((kills.len(), who.len()), (2, 2));
            assert!(kills[0].at <= kills[1].at && kills[1].at < WITHIN);
        }
        let victims: ProcSet = (0..50).map(|seed| drawn(5, 1, seed)[0].process).collect();
        assert_eq!(victims, ProcSet::first(5));
        assert_eq!(drawn(3, 0, 1), []);
    }
}
