//! Algorithm 11 on the detectors of this project, in a world with time: what an oracle did in its place, messages and
//! timeouts do. What the detector says of itself stays what it says.

use super::fulfilled::with_consensus;
use super::live::{minority, propose, raised};
use super::values::{DOMAIN, VALUES, assigned, domain};
use super::{CAP, crashing, opaque, rotating, theorems};
use crate::built_in::ring::ASKS;
use crate::deciding::Deciding;
use crate::description::{Described, Description, Live};
use crate::params::Param;
use watchkeeper_core::Bound;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::Rotating;
use watchkeeper_protocols::ring::{Ring, StrongCompleteness};
use watchkeeper_protocols::stack::{Mailbox, Stack};
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, WorldTime};

/// Algorithm 11 on a detector.
pub type RotatingOn<D> = Stack<Mailbox<Rotating>, D>;

/// A detector that is put below Algorithm 11.
pub trait Below: Described {
    /// The name of the two together.
    const TOGETHER: &'static str;

    /// What that is, in one line.
    const WHAT: &'static str;

    /// The parameters of the detector, with defaults with which it suspects no process wrongly where messages take up
    /// to 1.
    const PARAMS: &'static [Param];
}

const ROUNDS: Param = Param {
    name: "rounds",
    about: "the last round of consensus to search, or any; a search that would go on cannot say `holds`",
    default: "4",
};

const FLAW: Param =
    Param { name: "flaw", about: "a planted mistake, as in consensus-rotating", default: "none" };

const fn param(name: &'static str, about: &'static str, default: &'static str) -> Param {
    Param { name, about, default }
}

impl Below for Ring<StrongCompleteness> {
    const TOGETHER: &'static str = "rotating-on-ring";

    const WHAT: &'static str =
        "Consensus with a rotating coordinator, on the ring detector with strong completeness";

    const PARAMS: &'static [Param] = &[
        param("round", "how long the first round of the detector lasts", "3"),
        param("timeouts", "which of its timeouts grow: fixed for none, candidate or all", "fixed"),
        param("max-delta", "the largest timeout; a search needs one where timeouts grow", "none"),
        param("candidate", "the process that all try to trust first", "p0"),
        ASKS,
    ];
}

impl Below for ChandraToueg {
    const TOGETHER: &'static str = "rotating-on-chandra-toueg";

    const WHAT: &'static str =
        "Consensus with a rotating coordinator, on heartbeats to all with timeouts that grow";

    const PARAMS: &'static [Param] = &[
        param("period", "the time between two beats of the detector", "2"),
        param("timeout", "the initial timeout for a peer", "4"),
        param("growth", "the increment of a timeout that was too short", "1"),
        param("cap", "the largest timeout; equal to the initial one, timeouts are fixed", "4"),
    ];
}

/// Time in ticks, messages that take up to 1, and fewer than half that crash.
fn environment(n: usize) -> Scenario {
    let faults = Faults { crash_loses: true, ..crashing(n, minority(n)) };
    let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
    // Messages that take no time would let processes that suspect each other go through any number of rounds
    // at one moment.
    let time = WorldTime::Ticks(Timing::per_message(Bound::exactly(1)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

impl<D: Below> Described for RotatingOn<D> {
    fn description() -> Description<RotatingOn<D>> {
        let (least, most) = D::description().sizes;
        let live = Live {
            deciding: Some(Deciding::new(propose, domain, minority)),
            restarts: false,
            ..Live::default()
        };
        let description = Description::new(D::TOGETHER, D::WHAT, |n, params| {
            let below = (D::description().build)(n, params)?;
            Ok(Stack::new(Mailbox::new(rotating(n, params)?), below))
        });
        with_consensus(description)
            .sizes(least, most)
            .params(&[VALUES, DOMAIN, ROUNDS, FLAW])
            .params(D::PARAMS)
            .durations(&D::description().durations)
            .environment(|_, n| environment(n))
            .clients(|both, n, params| Ok(raised(assigned(n, params, opaque(both.above().protocol()))?)))
            .absent(|both| (D::description().absent)(both.below()))
            .cautions(|_, around| theorems::of_minority(around))
            .live(live)
    }
}
