//! Membership as it stands on a real network: on links that send again what is not acknowledged, and all of that on
//! heartbeats to all. Members pass on what the faulty have said, and look for those who are there and not with them.

use super::fulfilled::{MERGING, REQUIREMENTS, merging, observed};
use super::{ASK, CLIQUES, FLAW, LEAVERS, SPEAKERS, WORDS, calls, membership};
use crate::grouping::Grouping;
use crate::problem::Problem;
use crate::subject::{Claim, Clients, Param, Params, Subject};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::membership::{GroupCall, Membership};
use watchkeeper_protocols::stack::{Layer, Reliable, ReliableError, Stack};
use watchkeeper_runtime::Assumption;
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Time, Timing, World, WorldError};

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

impl Subject for MembershipLive {
    const NAME: &'static str = "membership-live";

    const ABOUT: &'static str =
        "Group membership on resent messages and on heartbeats to all, for networks that lose and come apart";

    const SIZES: (usize, usize) = (2, super::MOST);

    const PARAMS: &'static [Param] = &[
        CLIQUES,
        ASK,
        Param { name: "gather", about: "how long the first stage of a join lasts", default: "10" },
        Param {
            name: "probe",
            about: "the time between two looks for those who are there and not in the view",
            default: "20",
        },
        Param { name: "period", about: "the time between two beats of the detector", default: "2" },
        Param { name: "timeout", about: "how long it waits for a peer at first", default: "20" },
        Param { name: "growth", about: "how much a timeout grows that was too short", default: "10" },
        Param { name: "cap", about: "the longest that a timeout may become", default: "120" },
        Param {
            name: "resend",
            about: "the time after which what is not acknowledged is sent again",
            default: "4",
        },
        WORDS,
        SPEAKERS,
        LEAVERS,
        FLAW,
    ];

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &REQUIREMENTS;

    const CLAIMS: &'static [Claim] = &[MERGING];

    const ENDS: bool = true;

    const GROUPING: Option<Grouping<MembershipLive>> = Some(Grouping::new(raised));

    const RESTARTS: bool = false;

    fn build(n: usize, params: &Params) -> Result<MembershipLive, Problem> {
        let group = membership(n, params)?.relaying();
        let group = group.timed(lasting(params, "gather")?, Some(lasting(params, "probe")?));
        let links = Reliable::new(group, n, params.get("resend")?).map_err(|why| match why {
            ReliableError::NoPause => params.refuse("resend", why),
            _ => Problem::Usage(format!("--n: {why}")),
        })?;
        Ok(Stack::new(links, ChandraToueg::build(n, params)?))
    }

    /// One crashes, messages take up to 4, and any of them may be lost.
    fn surroundings(&self, n: usize) -> Scenario {
        let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
        let capacity = Capacity::Unbounded { cap: super::CAP };
        let network = Network { capacity, losses: ANY_NUMBER, ..Network::default() };
        let time = Time::Ticks(Timing::per_message(Bound::within(DELAY)));
        Scenario { network, faults, time, ..Scenario::new(n) }
    }

    fn observed(
        world: World<MembershipLive>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<MembershipLive>>, WorldError> {
        observed(world, requirement, of)
    }

    /// Only how soon all are in one view rests on the network: what is said in it rests on nothing that could be
    /// measured.
    fn promises(&self, _: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
        vec![("merging", vec![Assumption::Delay, Assumption::Speed])]
    }

    /// Leaves the group, and stays until the others have heard of it.
    fn leaving(&self, _: Pid) -> Option<(Self::Call, u32)> {
        Some((raised(GroupCall::Leave), self.above().resend().saturating_mul(GOODBYES)))
    }

    fn calls(&self, n: usize) -> Vec<(Pid, Self::Call, u32)> {
        Pid::all(n).map(|p| (p, raised(GroupCall::Say(0)), 1)).collect()
    }

    fn clients(&self, n: usize, params: &Params) -> Result<Vec<Clients<Self::Call>>, Problem> {
        let calls = calls(n, params)?.into_iter().map(|(p, call, budget)| (p, raised(call), budget));
        Ok(vec![Clients { name: String::new(), calls: calls.collect() }])
    }

    fn told(world: World<MembershipLive>) -> World<MembershipLive> {
        merging(world)
    }

    fn absent(&self) -> Vec<&'static str> {
        let mut absent = super::ABSENT.to_vec();
        absent.extend(self.below().absent());
        absent
    }
}
