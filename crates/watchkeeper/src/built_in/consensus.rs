//! What the consensus protocols of Chandra and Toueg say of themselves: what is around them, what they should fulfil, and
//! where the theorems about them end.

mod composed;
mod fulfilled;
mod live;
mod theorems;
mod values;

pub use composed::{Below, RotatingOn};
pub use live::ConsensusLive;

use crate::description::{Described, Description, Live};
use crate::params::Params;
use crate::problem::Problem;
use fulfilled::with_consensus;
use values::{DOMAIN, VALUES, assigned, domain};
use watchkeeper_core::{ProcSet, Promises};
use watchkeeper_protocols::consensus::{ConsensusError, Rotating, RotatingFlaw, Strong, StrongFlaw};
use watchkeeper_world::{
    Capacity, Faults, Network, Oracle, OracleAccuracy, Scenario, StageRules, SuspicionMemory,
};

/// The protocol that runs where these ask an oracle.
const LIVE: &str = "consensus-live";

/// How many messages a search puts into one channel: more than are ever on their way in stages.
const CAP: u32 = 16;

/// What the sources suppose: nothing is lost but by those that have crashed, and a detector of this accuracy.
fn environment(n: usize, crashes: usize, accuracy: OracleAccuracy) -> Scenario {
    let faults = Faults { crash_loses: true, ..crashing(n, crashes) };
    let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
    let oracle = Some(Oracle { accuracy, memory: SuspicionMemory::Momentary });
    Scenario { network, faults, oracle, ..Scenario::new(n) }
}

/// So many of so many may crash.
fn crashing(n: usize, crashes: usize) -> Faults {
    let crashable = if crashes == 0 { ProcSet::EMPTY } else { ProcSet::first(n) };
    Faults { crashable, crashes: crashes as u32, ..Faults::default() }
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

fn strong(n: usize, params: &Params) -> Result<Strong, Problem> {
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

impl Described for Strong {
    fn description() -> Description<Strong> {
        let about = "Consensus on a detector of class S, for any number of crashes (Chandra and Toueg 1996)";
        let flaws = "a planted mistake: one-round-less, no-exchange, no-forwarding, hasty, own-value or deaf";
        with_consensus(Description::new("consensus-strong", about, strong))
            .params(&[VALUES, DOMAIN])
            .param("flaw", flaws, "none")
            .stages(StageRules::of())
            .environment(|_, n| environment(n, n - 1, OracleAccuracy::Weak))
            .clients(|_, n, params| assigned(n, params, true))
            .absent(|strong| {
                let never = [
                    ("deliver flood", strong.rounds() == 0),
                    ("deliver exchange", strong.flaw() == Some(StrongFlaw::NoExchange)),
                ];
                never.into_iter().filter(|(_, never)| *never).map(|(name, _)| name.to_string()).collect()
            })
            .cautions(|_, around| theorems::of_strong(around).into_iter().collect())
            .live(Live { instead: Some(LIVE), ..Live::default() })
    }
}

impl Described for Rotating {
    fn description() -> Description<Rotating> {
        let about = "Consensus on a detector of class ◇S, with a rotating coordinator and a majority (Chandra and Toueg \
                     1996)";
        let flaws = "a planted mistake: no-lock, small-majority, stale-stamp, keeps-estimate, hasty-proposal, \
                     hasty-decision, nacks-count, merges, decides-again, no-relay, deaf or no-nack";
        with_consensus(Description::new("consensus-rotating", about, rotating))
            .params(&[VALUES, DOMAIN])
            .param("rounds", "the last round to search; any in stages", "any")
            .param("flaw", flaws, "none")
            .stages(StageRules::of())
            // Fewer than half of the processes crash.
            .environment(|_, n| environment(n, (n - 1) / 2, OracleAccuracy::EventuallyWeak))
            .clients(|rotating, n, params| assigned(n, params, opaque(rotating)))
            // With a detector that leaves someone alone from the start, all wait for it in its round, and it decides.
            .endless(|rotating, around| {
                let accuracy = around.oracle.map(|oracle| oracle.accuracy);
                let accurate =
                    matches!(accuracy, Some(OracleAccuracy::Weak | OracleAccuracy::Strong { mistakes: 0 }));
                rotating.horizon().is_none() && !accurate
            })
            .absent(|rotating| match rotating.flaw() {
                Some(RotatingFlaw::NoNack) => vec!["deliver nack".to_string()],
                _ => Vec::new(),
            })
            .cautions(|_, around| theorems::of_rotating(around))
            .live(Live { instead: Some(LIVE), ..Live::default() })
    }
}

/// Whether values are only compared: whoever adds them up can tell them apart.
fn opaque(rotating: &Rotating) -> bool {
    rotating.flaw() != Some(RotatingFlaw::Merges)
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
