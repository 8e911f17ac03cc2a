//! Membership as it stands on a real network: on links that send again what is not acknowledged, and all of that on
//! heartbeats to all. Members pass on what the faulty have said, and look for those who are there and not with them.

use super::fulfilled::with_group;
use super::{ASK, CLIQUES, FLAW, LEAVERS, MOST, SPEAKERS, WORDS, absent, calls, membership};
use crate::built_in::chandra_toueg;
use crate::description::{Clients, Described, Description, Live};
use crate::grouping::Grouping;
use crate::params::Params;
use crate::problem::Problem;
use watchkeeper_core::{Assumption, Bound, ProcSet};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::membership::{GroupCall, Membership};
use watchkeeper_protocols::stack::{Layer, Reliable, ReliableError, Stack};
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// Membership on links that lose nothing, on the detector of Chandra and Toueg.
pub type MembershipLive = Stack<Reliable<Membership>, ChandraToueg>;

/// The most units of time that a message takes where nobody says otherwise.
const DELAY: u32 = 4;

/// How many times what is not acknowledged is sent again before a node that leaves ends.
const GOODBYES: u32 = 4;

/// A call of the layer above.
fn raised<C>(call: GroupCall) -> Layer<GroupCall, C> {
    Layer::Above(call)
}

/// A number of units of time, of which there is at least one.
fn lasting(params: &Params, name: &str) -> Result<u32, Problem> {
    match params.get(name)? {
        0 => Err(params.refuse(name, "0 units of time are no time at all; choose 1 or more")),
        units => Ok(units),
    }
}

fn build(n: usize, params: &Params) -> Result<MembershipLive, Problem> {
    let group = membership(n, params)?.relaying();
    let group = group.timed(lasting(params, "gather")?, Some(lasting(params, "probe")?));
    let links = Reliable::new(group, n, params.get("resend")?).map_err(|why| match why {
        ReliableError::NoPause => params.refuse("resend", why),
        _ => Problem::Usage(format!("--n: {why}")),
    })?;
    Ok(Stack::new(links, chandra_toueg::build(n, params)?))
}

/// One crashes, messages take up to 4, and any of them may be lost.
fn environment(n: usize) -> Scenario {
    let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
    let capacity = Capacity::Unbounded { cap: super::CAP };
    let network = Network { capacity, losses: ANY_NUMBER, ..Network::default() };
    let time = WorldTime::Ticks(Timing::per_message(Bound::within(DELAY)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

impl Described for MembershipLive {
    fn description() -> Description<MembershipLive> {
        let about = "Group membership on resent messages and on heartbeats to all, for networks that lose and come apart";
        let live: Live<MembershipLive> = Live {
            // Only how soon all are in one view rests on the network: what is said in it rests on nothing that could be
            // measured.
            promises: |_, _| vec![("merging", vec![Assumption::Delay, Assumption::Speed])],
            // Leaves the group, and stays until the others have heard of it.
            leaving: |live, _| {
                Some((raised(GroupCall::Leave), live.above().resend().saturating_mul(GOODBYES)))
            },
            grouping: Some(Grouping::new(raised)),
            restarts: false,
            ..Live::default()
        };
        with_group(Description::new("membership-live", about, build))
            .sizes(2, MOST)
            .params(&[CLIQUES, ASK])
            .duration("gather", "how long the first stage of a join lasts", "10")
            .duration("probe", "the time between two searches for processes outside of the view", "20")
            .duration("period", "the time between two beats of the detector", "2")
            .duration("timeout", "the initial timeout for a peer", "20")
            .duration("growth", "the increment of a timeout that was too short", "10")
            .duration("cap", "the largest timeout", "120")
            .duration("resend", "the time after which an unacknowledged message is sent again", "4")
            .params(&[WORDS, SPEAKERS, LEAVERS, FLAW])
            .environment(|_, n| environment(n))
            .clients(|_, n, params| {
                let calls = calls(n, params)?.into_iter();
                Ok(vec![Clients::of(calls.map(|(p, call, budget)| (p, raised(call), budget)).collect())])
            })
            .absent(|_| absent())
            .live(live)
    }
}
