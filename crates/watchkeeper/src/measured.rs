//! From settings to a subject whose quality of service can be measured: the protocol without its types, and who has to detect
//! a crash. No model is built, so that a subject may be larger than what can be searched.

use crate::description::{Described, Description};
use crate::params::Params;
use crate::problem::Problem;
use std::sync::Arc;
use watchkeeper_core::{MAX_PROCESSES, ProcSet};
use watchkeeper_node::hosted;
use watchkeeper_sim::quality::MeasuredSubject;

/// The parameter by which a detector says how many intervals it remembers.
const WINDOW: &str = "window";

/// Where no parameter is a duration, a unit of time is short and so many are a while.
const A_WHILE: u64 = 20;

/// The subject of a measurement of `n` processes of this protocol, whose unit of time is so many nanoseconds.
pub(crate) fn subject<P: Described>(
    name: &str,
    description: &Description<P>,
    protocol: P,
    (n, params): (usize, &Params),
    tick: u64,
) -> Result<MeasuredSubject, Problem> {
    let refused = |why: &str| Problem::Usage(format!("{name} has no quality of service: {why}"));
    let Some(detector) = description.detector else {
        return Err(refused(
            "it is no failure detector, so it has no suspect set; `list` shows those that have one",
        ));
    };
    if detector.suspects.is_none() {
        let why = "its processes stop for good instead of suspecting each other, so that it has no suspect set and its \
                   mistakes never end; `bound` and `check` answer for it";
        return Err(refused(why));
    }
    let Some(completeness) = detector.completeness else {
        return Err(refused(
            "its processes do not announce whom they suspect, so that nothing can be counted",
        ));
    };
    let live = &description.live;
    if live.only_checked.is_some() || P::SELECTIVE_RECEIVE.is_some() {
        return Err(refused("it is a model for `check` only"));
    }
    // A name that is a duration in one form of a protocol may be unknown in another.
    let known = description.params.iter().filter(|param| description.durations.contains(&param.name));
    let lengths = known.filter_map(|param| params.text(param.name).parse::<u64>().ok());
    let longest = tick.saturating_mul(lengths.max().unwrap_or(A_WHILE).max(1));
    let remembers = description.params.iter().any(|param| param.name == WINDOW);
    let memory = remembers.then(|| params.text(WINDOW).parse().ok()).flatten().unwrap_or(0);
    // A world has no room for clusters that are as large as they may be here.
    let around = (n <= MAX_PROCESSES).then(|| (description.environment)(&protocol, n));
    let (n, crashable) = around.map_or((n, ProcSet::EMPTY), |around| (around.n, around.faults.crashable));
    let protocol = Arc::new(protocol);
    Ok(MeasuredSubject {
        hosts: Arc::new(move || hosted(Arc::clone(&protocol))),
        n,
        tick,
        completeness,
        victims: crashable.iter().map(|process| process.index() as u32).collect(),
        longest,
        memory,
    })
}
