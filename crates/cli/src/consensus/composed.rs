//! Algorithm 11 on the detectors of this project, in a world with time: what an oracle did in its place, messages and
//! timeouts do. What the detector says of itself stays what it says.

use super::fulfilled::{REQUIREMENTS, TERMINATION, deciding, observed};
use super::theorems;
use super::values::{DOMAIN, VALUES, assigned, usual_calls};
use crate::deciding::Deciding;
use crate::problem::Problem;
use crate::subject::{Claim, Clients, Param, Params, Subject};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{ConsensusCall, Rotating, RotatingFlaw};
use watchkeeper_protocols::ring::{Ring, StrongCompleteness};
use watchkeeper_protocols::stack::{Layer, Mailbox, Stack};
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Time, Timing, World, WorldError};

/// Algorithm 11 on a detector.
pub type RotatingOn<D> = Stack<Mailbox<Rotating>, D>;

/// A detector that the command line puts below Algorithm 11.
pub trait Below: Subject {
    /// The name of the two together.
    const TOGETHER: &'static str;

    /// What that is, in one line.
    const WHAT: &'static str;

    /// The parameters of both. Those of the detector have defaults with which it suspects nobody wrongly where
    /// messages take up to 1.
    const BOTH: &'static [Param];
}

const ROUNDS: Param = Param {
    name: "rounds",
    about: "the last round of consensus to search, or any; a search that would go on cannot say `holds`",
    default: "4",
};

const FLAW: Param =
    Param { name: "flaw", about: "a mistake to plant, as in consensus-rotating", default: "none" };

const fn param(name: &'static str, about: &'static str, default: &'static str) -> Param {
    Param { name, about, default }
}

impl Below for Ring<StrongCompleteness> {
    const TOGETHER: &'static str = "rotating-on-ring";

    const WHAT: &'static str =
        "Consensus with coordinators in turn, on the ring detector with strong completeness";

    const BOTH: &'static [Param] = &[
        VALUES,
        DOMAIN,
        ROUNDS,
        FLAW,
        param("round", "how long the first round of the detector lasts", "3"),
        param("timeouts", "which of its timeouts grow: fixed for none, candidate or all", "fixed"),
        param("max-delta", "the longest that they may become; a search needs an end to it", "none"),
        param("candidate", "the process that all try to trust first", "p0"),
    ];
}

impl Below for ChandraToueg {
    const TOGETHER: &'static str = "rotating-on-chandra-toueg";

    const WHAT: &'static str =
        "Consensus with coordinators in turn, on heartbeats to all with timeouts that grow";

    const BOTH: &'static [Param] = &[
        VALUES,
        DOMAIN,
        ROUNDS,
        FLAW,
        param("period", "the time between two beats of the detector", "2"),
        param("timeout", "how long it waits for a peer at first", "4"),
        param("growth", "how much a timeout grows that was too short", "1"),
        param("cap", "the longest that a timeout may become; as long as the first, it is fixed", "4"),
    ];
}

impl<D: Below> Subject for RotatingOn<D> {
    const NAME: &'static str = D::TOGETHER;

    const ABOUT: &'static str = D::WHAT;

    const SIZES: (usize, usize) = D::SIZES;

    const PARAMS: &'static [Param] = D::BOTH;

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &REQUIREMENTS;

    const CLAIMS: &'static [Claim] = &[TERMINATION];

    const ENDS: bool = true;

    const RESTARTS: bool = false;

    const DECIDING: Option<Deciding<RotatingOn<D>>> =
        Some(Deciding::new(super::live::propose, super::values::domain, super::live::minority));

    fn build(n: usize, params: &Params) -> Result<RotatingOn<D>, Problem> {
        Ok(Stack::new(Mailbox::new(super::rotating(n, params)?), D::build(n, params)?))
    }

    /// Time in ticks, messages that take up to 1, and fewer than half that crash.
    fn surroundings(&self, n: usize) -> Scenario {
        let crashes = (n - 1) / 2;
        let faults = Faults {
            crashable: if crashes == 0 { ProcSet::EMPTY } else { ProcSet::first(n) },
            crashes: crashes as u32,
            crash_loses: true,
            ..Faults::default()
        };
        let network = Network { capacity: Capacity::Unbounded { cap: super::CAP }, ..Network::default() };
        // Messages that take no time would let processes that suspect each other go through any number of rounds
        // at one moment.
        let time = Time::Ticks(Timing::per_message(Bound::exactly(1)));
        Scenario { network, faults, time, ..Scenario::new(n) }
    }

    fn observed(
        world: World<RotatingOn<D>>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<RotatingOn<D>>>, WorldError> {
        observed(world, requirement, of)
    }

    fn calls(&self, n: usize) -> Vec<(Pid, Self::Call, u32)> {
        usual_calls(n).into_iter().map(above).collect()
    }

    fn clients(&self, n: usize, params: &Params) -> Result<Vec<Clients<Self::Call>>, Problem> {
        let flaw = self.above().protocol().flaw();
        let all = assigned(n, params, flaw != Some(RotatingFlaw::Merges))?.into_iter();
        Ok(all
            .map(|Clients { name, calls }| Clients { name, calls: calls.into_iter().map(above).collect() })
            .collect())
    }

    fn told(world: World<RotatingOn<D>>) -> World<RotatingOn<D>> {
        deciding(world)
    }

    fn absent(&self) -> Vec<&'static str> {
        self.below().absent()
    }

    fn cautions(&self, around: &Scenario) -> Vec<(&'static str, String)> {
        theorems::minority(around).into_iter().map(|warning| ("termination", warning)).collect()
    }
}

/// A call of the layer above.
fn above<C>((process, call, budget): (Pid, ConsensusCall, u32)) -> (Pid, Layer<ConsensusCall, C>, u32) {
    (process, Layer::Above(call), budget)
}
