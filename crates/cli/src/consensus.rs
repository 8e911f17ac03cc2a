//! What the consensus protocols of Chandra and Toueg say of themselves on the command line: what is around them, what
//! they should fulfil, and where the theorems about them end. They go the way of every user's protocol.

mod composed;
mod fulfilled;
mod live;
mod theorems;
mod values;

pub use composed::{Below, RotatingOn};
pub use live::ConsensusLive;

use crate::problem::Problem;
use crate::subject::{Claim, Clients, Param, Params, Subject};
use fulfilled::{REQUIREMENTS, TERMINATION, deciding, observed};
use values::{DOMAIN, VALUES, assigned, domain, usual_calls};
use watchkeeper_core::{Pid, ProcSet, Promises};
use watchkeeper_protocols::consensus::{
    ConsensusCall, ConsensusError, Rotating, RotatingFlaw, Strong, StrongFlaw,
};
use watchkeeper_world::{
    Accuracy, Capacity, Faults, Memory, Network, Oracle, Scenario, StageRules, World, WorldError,
};

/// How many messages a search puts into one channel: more than are ever on their way in stages.
const CAP: u32 = 16;

/// What the sources suppose: nothing is lost but by those that have crashed, and a detector of this accuracy.
fn surroundings(n: usize, crashes: usize, accuracy: Accuracy) -> Scenario {
    let faults = Faults {
        crashable: if crashes == 0 { ProcSet::EMPTY } else { ProcSet::first(n) },
        crashes: crashes as u32,
        crash_loses: true,
        ..Faults::default()
    };
    let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
    let oracle = Some(Oracle { accuracy, memory: Memory::Momentary });
    Scenario { network, faults, oracle, ..Scenario::new(n) }
}

/// The mistake to plant, if one is named.
fn flaw<F: std::str::FromStr<Err: std::fmt::Display>>(params: &Params) -> Result<Option<F>, Problem> {
    if params.text("flaw") == "none" { Ok(None) } else { params.get("flaw").map(Some) }
}

/// The problem that there is no such protocol.
fn impossible(why: ConsensusError, params: &Params) -> Problem {
    match why {
        ConsensusError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        ConsensusError::NoValues => params.refuse("domain", why),
        ConsensusError::NoRounds => params.refuse("rounds", why),
    }
}

impl Subject for Strong {
    const NAME: &'static str = "consensus-strong";

    const ABOUT: &'static str =
        "Consensus on a detector of class S, for any number of crashes (Chandra and Toueg 1996)";

    const PARAMS: &'static [Param] = &[
        VALUES,
        DOMAIN,
        Param {
            name: "flaw",
            about: "a mistake to plant: one-round-less, no-exchange, no-forwarding, hasty, own-value or deaf",
            default: "none",
        },
    ];

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &REQUIREMENTS;

    const CLAIMS: &'static [Claim] = &[TERMINATION];

    const STAGES: Option<StageRules<Strong>> = Some(StageRules::of());

    const ENDS: bool = true;

    const LIVE: Option<&'static str> = Some("consensus-live");

    fn build(n: usize, params: &Params) -> Result<Strong, Problem> {
        let refused = |why| impossible(why, params);
        let mut protocol = Strong::new(n).map_err(refused)?;
        if let Some(most) = domain(params)? {
            protocol = protocol.over(most).map_err(refused)?;
        }
        Ok(match flaw::<StrongFlaw>(params)? {
            Some(flaw) => protocol.flawed(flaw),
            None => protocol,
        })
    }

    fn surroundings(&self, n: usize) -> Scenario {
        surroundings(n, n - 1, Accuracy::Weak)
    }

    fn observed(
        world: World<Strong>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<Strong>>, WorldError> {
        observed(world, requirement, of)
    }

    fn calls(&self, n: usize) -> Vec<(Pid, ConsensusCall, u32)> {
        usual_calls(n)
    }

    fn clients(&self, n: usize, params: &Params) -> Result<Vec<Clients<ConsensusCall>>, Problem> {
        assigned(n, params, true)
    }

    fn told(world: World<Strong>) -> World<Strong> {
        deciding(world)
    }

    fn absent(&self) -> Vec<&'static str> {
        let never = [
            ("deliver flood", self.rounds() == 0),
            ("deliver exchange", self.flaw() == Some(StrongFlaw::NoExchange)),
        ];
        never.into_iter().filter(|(_, never)| *never).map(|(name, _)| name).collect()
    }

    fn cautions(&self, around: &Scenario) -> Vec<(&'static str, String)> {
        theorems::of_strong(around).into_iter().collect()
    }
}

impl Subject for Rotating {
    const NAME: &'static str = "consensus-rotating";

    const ABOUT: &'static str = "Consensus on a detector of class ◇S, with coordinators in turn and a majority (Chandra and Toueg 1996)";

    const PARAMS: &'static [Param] = &[
        VALUES,
        DOMAIN,
        Param { name: "rounds", about: "the last round to search; any in stages", default: "any" },
        Param {
            name: "flaw",
            about: "a mistake to plant: no-lock, small-majority, stale-stamp, keeps-estimate, hasty-proposal, \
                    hasty-decision, nacks-count, merges, decides-again, no-relay, deaf or no-nack",
            default: "none",
        },
    ];

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &REQUIREMENTS;

    const CLAIMS: &'static [Claim] = &[TERMINATION];

    const STAGES: Option<StageRules<Rotating>> = Some(StageRules::of());

    const ENDS: bool = true;

    const LIVE: Option<&'static str> = Some("consensus-live");

    fn build(n: usize, params: &Params) -> Result<Rotating, Problem> {
        rotating(n, params)
    }

    /// Fewer than half of the processes crash.
    fn surroundings(&self, n: usize) -> Scenario {
        surroundings(n, (n - 1) / 2, Accuracy::EventuallyWeak)
    }

    fn observed(
        world: World<Rotating>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<Rotating>>, WorldError> {
        observed(world, requirement, of)
    }

    fn calls(&self, n: usize) -> Vec<(Pid, ConsensusCall, u32)> {
        usual_calls(n)
    }

    /// Whoever adds values up can tell them apart.
    fn clients(&self, n: usize, params: &Params) -> Result<Vec<Clients<ConsensusCall>>, Problem> {
        assigned(n, params, self.flaw() != Some(RotatingFlaw::Merges))
    }

    fn told(world: World<Rotating>) -> World<Rotating> {
        deciding(world)
    }

    /// With a detector that leaves someone alone from the start, all wait for it in its round, and it decides.
    fn endless(&self, around: &Scenario) -> bool {
        let accuracy = around.oracle.map(|oracle| oracle.accuracy);
        let accurate = matches!(accuracy, Some(Accuracy::Weak | Accuracy::Strong { mistakes: 0 }));
        self.horizon().is_none() && !accurate
    }

    fn absent(&self) -> Vec<&'static str> {
        if self.flaw() == Some(RotatingFlaw::NoNack) { vec!["deliver nack"] } else { Vec::new() }
    }

    fn cautions(&self, around: &Scenario) -> Vec<(&'static str, String)> {
        theorems::of_rotating(around)
    }
}

/// Algorithm 11 with these parameters.
fn rotating(n: usize, params: &Params) -> Result<Rotating, Problem> {
    let refused = |why| impossible(why, params);
    let mut protocol = Rotating::new(n).map_err(refused)?;
    if let Some(most) = domain(params)? {
        protocol = protocol.over(most).map_err(refused)?;
    }
    if params.text("rounds") != "any" {
        protocol = protocol.within(params.get("rounds")?).map_err(refused)?;
    }
    Ok(match flaw::<RotatingFlaw>(params)? {
        Some(flaw) => protocol.flawed(flaw),
        None => protocol,
    })
}
