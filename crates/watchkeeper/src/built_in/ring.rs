//! What the ring detectors say of themselves: one name for each policy, and one for a policy that asks its suspects again.

use crate::description::{Described, Description, Detector, Live, StateProperty, TimeoutGrowth};
use crate::params::{Param, Params, ProtocolForm};
use crate::problem::Problem;
use crate::quantities::ProcessName;
use crate::regions::{Parametric, ParametricDescription};
use watchkeeper_core::{Assumption, Completeness, MAX_PROCESSES, Pid, Time};
use watchkeeper_protocols::ring::{
    Ring, RingError, RingPolicy, StrongAccuracy, StrongCompleteness, TimeoutAdaptation as Timeouts,
    WeakAccuracy, WeakCompleteness,
};
use watchkeeper_regions::Linear;
use watchkeeper_world::{Global, Scenario};

/// A detector of the family, by its policy, with durations `T`.
pub trait DescribedPolicy<T: Time = u32>: RingPolicy<T> + Clone + Send + 'static {
    /// The same policy with unknown durations.
    type Unknown: DescribedPolicy<Linear>;

    /// Its name on the command line.
    const NAME: &'static str;

    /// What it is, in one line.
    const ABOUT: &'static str;

    /// Its parameters, `round` among them.
    const PARAMS: &'static [Param];

    /// Whether its timeouts may grow.
    const ADAPTS: bool;

    /// Its names, if it has several: what each of them settles.
    const FORMS: &'static [ProtocolForm] = &[];

    /// Who has to find out about a crash.
    const COMPLETENESS: Completeness = Completeness::Weak;

    /// The policy with these parameters.
    fn policy(params: &Params) -> Result<Self, Problem>;
}

const ROUND: Param = Param {
    name: "round",
    about: "how long the first round lasts; an untimed check ignores it",
    default: "1",
};

const MAX_DELTA: Param = Param {
    name: "max-delta",
    about: "the largest timeout; a search needs one where timeouts grow",
    default: "none",
};

const CANDIDATE: Param =
    Param { name: "candidate", about: "the process that all try to trust first", default: "p0" };

/// Whom a process asks in a round.
pub(super) const ASKS: Param = Param {
    name: "asks",
    about: "whom a process asks in a round: its target, or its suspects too",
    default: "target",
};

const fn form(
    name: &'static str,
    about: &'static str,
    settled: &'static [(&'static str, &'static str)],
) -> ProtocolForm {
    ProtocolForm { name, about, settled, processes: 3, sizes: (2, MAX_PROCESSES) }
}

impl<T: Time> DescribedPolicy<T> for WeakCompleteness {
    type Unknown = WeakCompleteness;

    const NAME: &'static str = "ring";
    const ABOUT: &'static str =
        "Failure detector on a ring, weak completeness (Larrea, Arévalo, Fernández 1999)";
    const PARAMS: &'static [Param] = &[ROUND];
    const ADAPTS: bool = false;

    fn policy(_: &Params) -> Result<WeakCompleteness, Problem> {
        Ok(WeakCompleteness)
    }
}

impl<T: Time> DescribedPolicy<T> for WeakAccuracy<T> {
    type Unknown = WeakAccuracy<Linear>;

    const NAME: &'static str = "ring-weak-accuracy";
    const ABOUT: &'static str =
        "Failure detector on a ring, with timeouts that grow for a candidate: weak accuracy";
    const PARAMS: &'static [Param] = &[ROUND, MAX_DELTA, CANDIDATE];
    const ADAPTS: bool = true;

    fn policy(params: &Params) -> Result<WeakAccuracy<T>, Problem> {
        Ok(WeakAccuracy::new(candidate(params)?, Some(max_delta(params)?)))
    }
}

impl<T: Time> DescribedPolicy<T> for StrongAccuracy<T> {
    type Unknown = StrongAccuracy<Linear>;

    const NAME: &'static str = "ring-strong-accuracy";
    const ABOUT: &'static str =
        "Failure detector on a ring, with timeouts that grow for everyone: strong accuracy";
    const PARAMS: &'static [Param] = &[ROUND, MAX_DELTA];
    const ADAPTS: bool = true;

    fn policy(params: &Params) -> Result<StrongAccuracy<T>, Problem> {
        Ok(StrongAccuracy::new(Some(max_delta(params)?)))
    }
}

impl<T: Time> DescribedPolicy<T> for StrongCompleteness<T> {
    type Unknown = StrongCompleteness<Linear>;

    const NAME: &'static str = "ring-strong-completeness";
    const ABOUT: &'static str =
        "Failure detector on a ring whose questions carry suspects: strong completeness";
    const PARAMS: &'static [Param] = &[
        ROUND,
        Param {
            name: "timeouts",
            about: "which of them grow: fixed for none, candidate or all",
            default: "fixed",
        },
        MAX_DELTA,
        CANDIDATE,
        ASKS,
    ];
    const FORMS: &'static [ProtocolForm] = &[
        form(
            <StrongCompleteness<T> as DescribedPolicy<T>>::NAME,
            <StrongCompleteness<T> as DescribedPolicy<T>>::ABOUT,
            &[("asks", "target")],
        ),
        form(
            "ring-asking-again",
            "Failure detector on a ring that also asks its suspects again: wrong suspicions end",
            &[("asks", "suspects")],
        ),
    ];
    const ADAPTS: bool = true;
    const COMPLETENESS: Completeness = Completeness::Strong;

    fn policy(params: &Params) -> Result<StrongCompleteness<T>, Problem> {
        let patience = match params.text("timeouts") {
            "fixed" => Timeouts::Fixed,
            "candidate" => {
                Timeouts::ForCandidate { candidate: candidate(params)?, max_delta: Some(max_delta(params)?) }
            }
            "all" => Timeouts::ForAll { max_delta: Some(max_delta(params)?) },
            other => {
                let why =
                    format!("`{other}` does not say which timeouts grow; write fixed, candidate or all");
                return Err(params.refuse("timeouts", why));
            }
        };
        let policy = StrongCompleteness::new(patience);
        match params.text("asks") {
            "target" => Ok(policy),
            "suspects" => Ok(policy.asking_again()),
            other => {
                let why = format!("`{other}` does not say whom a process asks; write target or suspects");
                Err(params.refuse("asks", why))
            }
        }
    }
}

/// The cap of timeouts that grow. Without one a ring has infinitely many states.
fn max_delta<T: Time>(params: &Params) -> Result<T, Problem> {
    if params.text("max-delta") == "none" {
        let why = "a timeout that grows without end has infinitely many values, which no search can go \
                   through; give it a cap, such as --param max-delta=3";
        return Err(params.refuse("max-delta", why));
    }
    params.get("max-delta")
}

fn candidate(params: &Params) -> Result<Pid, Problem> {
    params.get::<ProcessName>("candidate").map(|ProcessName(p)| p)
}

fn below_max_delta<D: DescribedPolicy>(ring: &Ring<D>, global: &Global<'_, Ring<D>>) -> bool {
    global.processes().all(|p| global.state(p).is_none_or(|state| ring.at_cap(p, state).is_empty()))
}

/// The detector of this policy with these parameters and durations `T`, for a ring of `n` processes.
pub fn build<D: DescribedPolicy<T>, T: Time>(n: usize, params: &Params) -> Result<Ring<D, T>, Problem> {
    Ring::with_policy(D::policy(params)?, n, params.get("round")?).map_err(|why| match why {
        RingError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        RingError::NoTimeout => params.refuse("round", why),
        RingError::Candidate { .. } => params.refuse("candidate", why),
        RingError::Cap { .. } => params.refuse("max-delta", why),
    })
}

/// The timeouts of a ring in which they may grow.
fn waits<D: DescribedPolicy>(ring: &Ring<D>) -> Vec<u32> {
    let cap = ring.timeout_cap().unwrap_or(0);
    if cap > ring.first_timeout() { (ring.first_timeout()..=cap).collect() } else { Vec::new() }
}

fn promises<D: DescribedPolicy>(around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    let mut and_arrives = in_time.clone();
    and_arrives.extend((around.network.losses == 0).then_some(Assumption::Loss));
    // A lost answer makes the wrong ones wait longer, and a lost question tells nobody of a suspect: only the
    // plain ring finds out as soon whatever is lost.
    let detection = if D::ADAPTS { and_arrives.clone() } else { in_time };
    vec![("detection", detection), ("accuracy", and_arrives)]
}

impl<D: DescribedPolicy<Linear>> Parametric for Ring<D, Linear> {
    fn parametric() -> ParametricDescription<Ring<D, Linear>> {
        ParametricDescription::new(D::NAME, build).complete(D::COMPLETENESS)
    }
}

impl<D: DescribedPolicy> Described for Ring<D> {
    fn description() -> Description<Ring<D>> {
        let detector = Detector::default().suspecting(Ring::suspects).complete(D::COMPLETENESS);
        let live = Live { promises: |_, around| promises::<D>(around), ..Live::default() };
        let description = Description::new(D::NAME, D::ABOUT, build)
            .params(D::PARAMS)
            .durations(&["round", "max-delta"])
            .parametric::<Ring<D::Unknown, Linear>>()
            .live(live);
        let description = D::FORMS.iter().copied().fold(description, Description::form);
        if !D::ADAPTS {
            return description.detector(detector);
        }
        // A timeout grows as the suspicion begins.
        let patience = TimeoutGrowth::<Ring<D>> {
            next: |ring, _, state, of| ring.timeout(of, state),
            all: |ring, _| waits(ring),
        };
        let about = "no timeout stands at max-delta; by request only";
        description
            .detector(detector.learning(patience))
            .property(StateProperty::always("below-max-delta", about, below_max_delta).by_request())
    }
}
