//! What the thesis reports in section 5.5.3: of the faults protocol one whole search, of the join protocol how far
//! searches came that had no end.

use super::{MembershipCase, MembershipRequirement};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_report::{duration, thousands};

/// The report on a requirement of a case, about how many states were searched and how long that took with mCRL2 on one
/// core of a Core 2 Quad Q9400 and 3 GB: consensus and virtual synchrony of three processes with a word each,
/// p0 of which may crash, in one configuration, or in two of which p2 is alone in one.
pub fn published(case: &MembershipCase, requirement: MembershipRequirement) -> Option<String> {
    let p0 = ProcSet::only(Pid::at(0));
    let the_same = case.crashable == p0
        && (case.n, case.crashes, case.words) == (3, 1, 1)
        && case.speakers == ProcSet::first(3)
        && case.flaw.is_none()
        && case.mistakes == 0
        && !case.crash_loses;
    let two = [ProcSet::first(2), ProcSet::only(Pid::at(2))];
    match requirement {
        _ if !the_same => None,
        MembershipRequirement::Consensus | MembershipRequirement::Synchrony
            if case.cliques == [ProcSet::first(3)] =>
        {
            let seconds = 28.0 * 60.0 + 55.0;
            Some(format!("holds, {} states, {}", thousands(1_200_000), duration(seconds)))
        }
        MembershipRequirement::Consensus if case.cliques == two => {
            Some(format!("unknown, {} states", thousands(113_000_000)))
        }
        MembershipRequirement::Synchrony if case.cliques == two => {
            Some(format!("unknown, {} states to depth 22", thousands(4_000_000)))
        }
        _ => None,
    }
}
