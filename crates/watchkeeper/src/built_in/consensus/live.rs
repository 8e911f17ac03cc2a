//! Algorithm 11 as it stands on a real network: on links that send again what is not acknowledged, and all of that on
//! heartbeats to all. It is checked, run and replayed like any other; only its network may lose what it likes.

use super::fulfilled::with_consensus;
use super::values::{DOMAIN, VALUES, assigned, domain};
use super::{CAP, crashing, opaque, rotating, theorems};
use crate::built_in::chandra_toueg;
use crate::deciding::Deciding;
use crate::description::{Clients, Described, Description, Live};
use crate::params::Params;
use crate::problem::Problem;
use watchkeeper_core::{Assumption, Bound};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, Rotating};
use watchkeeper_protocols::stack::{Layer, Mailbox, Reliable, ReliableError, Stack};
use watchkeeper_world::{ANY_NUMBER, Capacity, Network, Scenario, Timing, WorldTime};

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
pub(super) fn raised<C>(all: Vec<Clients<ConsensusCall>>) -> Vec<Clients<Layer<ConsensusCall, C>>> {
    let above = |(process, call, budget)| (process, Layer::Above(call), budget);
    let one = |Clients { name, calls }| Clients { name, calls: calls.into_iter().map(above).collect() };
    all.into_iter().map(one).collect()
}

fn build(n: usize, params: &Params) -> Result<ConsensusLive, Problem> {
    let consensus = Mailbox::new(rotating(n, params)?);
    let links = Reliable::new(consensus, n, params.get("resend")?).map_err(|why| match why {
        ReliableError::NoPause => params.refuse("resend", why),
        _ => Problem::Usage(format!("--n: {why}")),
    })?;
    Ok(Stack::new(links, chandra_toueg::build(n, params)?))
}

/// Fewer than half crash, messages take up to 4, and any of them may be lost.
fn environment(n: usize) -> Scenario {
    let faults = crashing(n, minority(n));
    let network =
        Network { capacity: Capacity::Unbounded { cap: CAP }, losses: ANY_NUMBER, ..Network::default() };
    let time = WorldTime::Ticks(Timing::per_message(Bound::within(DELAY)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

impl Described for ConsensusLive {
    fn description() -> Description<ConsensusLive> {
        let about = "Consensus with a rotating coordinator, on resent messages and on heartbeats to all, for networks that \
                     lose";
        let live = Live {
            // Only how soon there is a decision rests on the network: agreement, integrity and validity rest on nothing
            // that could be measured.
            promises: |_, _| vec![("termination", vec![Assumption::Delay, Assumption::Speed])],
            deciding: Some(Deciding::new(propose, domain, minority)),
            restarts: false,
            ..Live::default()
        };
        with_consensus(Description::new("consensus-live", about, build))
            .params(&[VALUES, DOMAIN])
            .param("rounds", "the last round of consensus to search, or any", "any")
            .param("flaw", "a planted mistake, as in consensus-rotating", "none")
            .duration("period", "the time between two beats of the detector", "3")
            .duration("timeout", "the initial timeout for a peer", "12")
            .duration("growth", "the increment of a timeout that was too short", "6")
            .duration("cap", "the largest timeout", "120")
            .duration("resend", "the time after which an unacknowledged message is sent again", "10")
            .environment(|_, n| environment(n))
            .clients(|live, n, params| {
                Ok(raised(assigned(n, params, opaque(live.above().protocol().protocol()))?))
            })
            .cautions(|_, around| theorems::of_minority(around))
            .live(live)
    }
}
