//! What the thesis reports in section 5.5.3: of the faults protocol one whole search, of the join protocol how far
//! searches came that had no end.

use super::{MembershipCase, MembershipRequirement};
use std::fmt;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_report::{duration, thousands};

/// One reported verification, with mCRL2 on one core of a Core 2 Quad Q9400 and 3 GB.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Published {
    /// About how many states were searched.
    pub states: u64,
    /// The seconds that the whole space took; `None` where it was not exhausted.
    pub exhausted: Option<f64>,
    /// The depth to which the states were searched, where it is told.
    pub depth: Option<u64>,
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = thousands(self.states);
        match (self.exhausted, self.depth) {
            (Some(seconds), _) => write!(f, "holds, {states} states, {}", duration(seconds)),
            (None, Some(depth)) => write!(f, "unknown, {states} states to depth {depth}"),
            (None, None) => write!(f, "unknown, {states} states"),
        }
    }
}

/// What is reported of a requirement of a case: consensus and virtual synchrony of three processes with a word each,
/// p0 of which may crash, in one configuration, or in two of which p2 is alone in one.
pub fn published(case: &MembershipCase, requirement: MembershipRequirement) -> Option<Published> {
    let p0 = ProcSet::only(Pid::at(0));
    let the_same = case.crashable == p0
        && (case.n, case.crashes, case.words) == (3, 1, 1)
        && case.speakers == ProcSet::first(3)
        && case.flaw.is_none()
        && case.mistakes == 0
        && !case.crash_loses;
    let bounded = |states, depth| Some(Published { states, exhausted: None, depth });
    let two = [ProcSet::first(2), ProcSet::only(Pid::at(2))];
    match requirement {
        _ if !the_same => None,
        MembershipRequirement::Consensus | MembershipRequirement::Synchrony
            if case.cliques == [ProcSet::first(3)] =>
        {
            Some(Published { states: 1_200_000, exhausted: Some(28.0 * 60.0 + 55.0), depth: None })
        }
        MembershipRequirement::Consensus if case.cliques == two => bounded(113_000_000, None),
        MembershipRequirement::Synchrony if case.cliques == two => bounded(4_000_000, Some(22)),
        _ => None,
    }
}
