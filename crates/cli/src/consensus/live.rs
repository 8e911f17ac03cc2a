//! Algorithm 11 as it stands on a real network: on links that send again what is not acknowledged, and all of that on
//! heartbeats to all. It is checked, run and replayed like any other; only its network may lose what it likes.

use super::fulfilled::{REQUIREMENTS, TERMINATION, deciding, observed};
use super::theorems;
use super::values::{DOMAIN, VALUES, assigned, domain, usual_calls};
use crate::deciding::Deciding;
use crate::problem::Problem;
use crate::subject::{Claim, Clients, Param, Params, Subject};
use watchkeeper_core::{Bound, MAX_PROCESSES, Pid, ProcSet};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, Rotating, RotatingFlaw};
use watchkeeper_protocols::stack::{Layer, Mailbox, Reliable, ReliableError, Stack};
use watchkeeper_runtime::Assumption;
use watchkeeper_world::{ANY_NUMBER, Capacity, Faults, Network, Scenario, Time, Timing, World, WorldError};

/// Algorithm 11 on links that lose nothing, on the detector of Chandra and Toueg.
pub type ConsensusLive = Stack<Reliable<Mailbox<Rotating>>, ChandraToueg>;

/// The most units of time that a message takes where nobody says otherwise.
const DELAY: u32 = 4;

/// How many processes may crash while the others are more than half.
pub(super) fn minority(n: usize) -> usize {
    n.saturating_sub(1) / 2
}

/// The call that proposes a value, on whatever detector.
pub(super) fn propose<C>(value: u64) -> Layer<ConsensusCall, C> {
    Layer::Above(ConsensusCall::Propose(value))
}

/// What clients ask, of the layer above.
fn raised<C>(
    calls: impl IntoIterator<Item = (Pid, ConsensusCall, u32)>,
) -> Vec<(Pid, Layer<ConsensusCall, C>, u32)> {
    calls.into_iter().map(|(process, call, budget)| (process, Layer::Above(call), budget)).collect()
}

impl Subject for ConsensusLive {
    const NAME: &'static str = "consensus-live";

    const ABOUT: &'static str = "Consensus with coordinators in turn, on resent messages and on heartbeats to all, for networks that lose";

    const SIZES: (usize, usize) = (2, MAX_PROCESSES);

    const PARAMS: &'static [Param] = &[
        VALUES,
        DOMAIN,
        Param { name: "rounds", about: "the last round of consensus to search, or any", default: "any" },
        Param { name: "flaw", about: "a mistake to plant, as in consensus-rotating", default: "none" },
        Param { name: "period", about: "the time between two beats of the detector", default: "3" },
        Param { name: "timeout", about: "how long it waits for a peer at first", default: "12" },
        Param { name: "growth", about: "how much a timeout grows that was too short", default: "6" },
        Param { name: "cap", about: "the longest that a timeout may become", default: "120" },
        Param {
            name: "resend",
            about: "the time after which what is not acknowledged is sent again",
            default: "10",
        },
    ];

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &REQUIREMENTS;

    const CLAIMS: &'static [Claim] = &[TERMINATION];

    const ENDS: bool = true;

    const RESTARTS: bool = false;

    const DECIDING: Option<Deciding<ConsensusLive>> = Some(Deciding::new(propose, domain, minority));

    fn build(n: usize, params: &Params) -> Result<ConsensusLive, Problem> {
        let consensus = Mailbox::new(super::rotating(n, params)?);
        let links = Reliable::new(consensus, n, params.get("resend")?).map_err(|why| match why {
            ReliableError::NoPause => params.refuse("resend", why),
            _ => Problem::Usage(format!("--n: {why}")),
        })?;
        Ok(Stack::new(links, ChandraToueg::build(n, params)?))
    }

    /// Fewer than half crash, messages take up to 4, and any of them may be lost.
    fn surroundings(&self, n: usize) -> Scenario {
        let crashes = minority(n);
        let faults = Faults {
            crashable: if crashes == 0 { ProcSet::EMPTY } else { ProcSet::first(n) },
            crashes: crashes as u32,
            ..Faults::default()
        };
        let capacity = Capacity::Unbounded { cap: super::CAP };
        let network = Network { capacity, losses: ANY_NUMBER, ..Network::default() };
        let time = Time::Ticks(Timing::per_message(Bound::within(DELAY)));
        Scenario { network, faults, time, ..Scenario::new(n) }
    }

    fn observed(
        world: World<ConsensusLive>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<ConsensusLive>>, WorldError> {
        observed(world, requirement, of)
    }

    /// Only how soon there is a decision rests on the network: agreement, integrity and validity rest on nothing that
    /// could be measured.
    fn promises(&self, _: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
        vec![("termination", vec![Assumption::Delay, Assumption::Speed])]
    }

    fn calls(&self, n: usize) -> Vec<(Pid, Self::Call, u32)> {
        raised(usual_calls(n))
    }

    fn clients(&self, n: usize, params: &Params) -> Result<Vec<Clients<Self::Call>>, Problem> {
        let flaw = self.above().protocol().protocol().flaw();
        let all = assigned(n, params, flaw != Some(RotatingFlaw::Merges))?.into_iter();
        Ok(all.map(|Clients { name, calls }| Clients { name, calls: raised(calls) }).collect())
    }

    fn told(world: World<ConsensusLive>) -> World<ConsensusLive> {
        deciding(world)
    }

    fn absent(&self) -> Vec<&'static str> {
        self.below().absent()
    }

    fn cautions(&self, around: &Scenario) -> Vec<(&'static str, String)> {
        theorems::minority(around).into_iter().map(|warning| ("termination", warning)).collect()
    }
}
