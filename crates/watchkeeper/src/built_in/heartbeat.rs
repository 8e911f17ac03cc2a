//! The descriptions of the heartbeat protocols: six names for one family, each with its default environment and its
//! three requirements.

use crate::description::{Clients, Described, Description, Detector, Live, Requirement as Required};
use crate::params::{Params, ProtocolForm};
use crate::problem::Problem;
use crate::regions::{Parametric, ParametricDescription, RequirementQuery};
use watchkeeper_core::{Assumption, Completeness, MAX_PROCESSES, Pid, ProcSet, Time};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatCall, HeartbeatError, HeartbeatObserver, HeartbeatRequirement, HeartbeatState,
    HeartbeatVariant,
};
use watchkeeper_regions::{Linear, TypedModel};
use watchkeeper_world::{
    ANY_NUMBER, Capacity, Faults, MAX_DURATION, Network, Scenario, Timing, TypedWorld, WorldError, WorldTime,
};

/// The process that all others answer.
const COORDINATOR: Pid = Pid::at(0);

/// The most participants, beside p0.
const MOST: usize = MAX_PROCESSES - 1;

/// The most messages that a search puts into one channel. Nothing that these protocols do comes near it: a
/// message lives at most tmin, and nobody sends two in less.
const CAP: u32 = 8;

/// The six protocols.
const FORMS: [ProtocolForm; 6] = [
    form(
        HeartbeatVariant::Binary,
        "Accelerated heartbeats: p0 and one participant (Gouda and McGuire 1998)",
        &[("variant", "binary")],
        1,
    ),
    form(
        HeartbeatVariant::Revised,
        "Accelerated heartbeats: p0 and one participant, and p0 sends its first beat at once",
        &[("variant", "revised")],
        1,
    ),
    form(
        HeartbeatVariant::TwoPhase,
        "Accelerated heartbeats: p0 and one participant, and silence shortens a round to tmin at once",
        &[("variant", "two-phase")],
        1,
    ),
    form(
        HeartbeatVariant::Static,
        "Accelerated heartbeats: p0 and participants that are known from the start",
        &[("variant", "static")],
        2,
    ),
    form(
        HeartbeatVariant::Expanding,
        "Accelerated heartbeats: p0 and participants that ask to join",
        &[("variant", "expanding")],
        1,
    ),
    form(
        HeartbeatVariant::Dynamic,
        "Accelerated heartbeats: p0 and participants that ask to join and may leave",
        &[("variant", "dynamic")],
        1,
    ),
];

const fn form(
    variant: HeartbeatVariant,
    about: &'static str,
    settled: &'static [(&'static str, &'static str)],
    processes: usize,
) -> ProtocolForm {
    let most = if variant.takes_many() { MOST } else { 1 };
    ProtocolForm { name: variant.name(), about, settled, processes, sizes: (1, most) }
}

/// The protocol with these parameters, in whole units of time that a check can count.
fn counted(n: usize, params: &Params) -> Result<Heartbeat, Problem> {
    // The longest time that any of the family or its requirements counts is below 3 tmax.
    if params.get::<u32>("tmax")? > MAX_DURATION / 3 {
        let why = format!(
            "a check counts up to {MAX_DURATION}, and 3 tmax must fit; choose {} at most",
            MAX_DURATION / 3
        );
        return Err(params.refuse("tmax", why));
    }
    build(n, params)
}

/// The protocol with these parameters and durations `T`, for `n` participants.
pub fn build<T: Time>(n: usize, params: &Params) -> Result<Heartbeat<T>, Problem> {
    let variant = params.get("variant")?;
    let built = Heartbeat::new(variant, params.get("tmin")?, params.get("tmax")?, n);
    let heartbeat = built.map_err(|why| match why {
        HeartbeatError::NoTmin => params.refuse("tmin", why),
        HeartbeatError::TminAboveTmax { .. } if params.named("tmin") => params.refuse("tmin", why),
        HeartbeatError::TminAboveTmax { .. } | HeartbeatError::TmaxTooLong { .. } => {
            params.refuse("tmax", why)
        }
        HeartbeatError::Participants { .. } | HeartbeatError::OnlyOne { .. } => {
            Problem::Usage(format!("--n: {why}"))
        }
    })?;
    Ok(if params.get("corrected")? { heartbeat.corrected() } else { heartbeat })
}

/// The environment of a heartbeat protocol in the thesis: any message may be lost, every process may crash, a message
/// and its reply together take at most tmin. Time is dense; of simultaneous events the corrected protocols need due
/// deliveries first.
pub fn environment<T: Time>(heartbeat: &Heartbeat<T>) -> Scenario<T> {
    let n = heartbeat.processes();
    let timing = Timing::round_trip(heartbeat.tmin());
    let timing = if heartbeat.is_corrected() { timing.deliveries_first() } else { timing };
    Scenario {
        n,
        network: Network {
            capacity: Capacity::Unbounded { cap: CAP },
            losses: ANY_NUMBER,
            ..Network::default()
        },
        faults: Faults { crashable: ProcSet::first(n), crashes: n as u32, ..Faults::default() },
        time: WorldTime::Dense(timing),
        oracle: None,
    }
}

/// What clients ask: each participant of the dynamic protocol may be told once to leave.
pub fn calls<T: Time>(heartbeat: &Heartbeat<T>) -> Vec<(Pid, HeartbeatCall, u32)> {
    heartbeat.calls().into_iter().map(|(participant, call)| (participant, call, 1)).collect()
}

/// What a configuration never uses.
fn absent(heartbeat: &Heartbeat) -> Vec<String> {
    let variant = heartbeat.variant();
    let used =
        [("deliver leave", variant == HeartbeatVariant::Dynamic), ("fire Join", variant.expects_joins())];
    used.iter().filter(|(_, used)| !used).map(|(name, _)| name.to_string()).collect()
}

fn promises() -> Vec<(&'static str, Vec<Assumption>)> {
    // R2 and R3 say nothing of a run in which a message was lost, so they rest on that even where the network
    // may lose some.
    let rests = || vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed, Assumption::Loss];
    vec![("R1", vec![Assumption::Speed]), ("R2", rests()), ("R3", rests())]
}

fn leaving(heartbeat: &Heartbeat, me: Pid) -> Option<(HeartbeatCall, u32)> {
    let (_, call) = heartbeat.calls().into_iter().find(|(participant, _)| *participant == me)?;
    // p0's next beat comes within tmax, and the answer to it takes at most tmin.
    Some((call, heartbeat.tmax() + heartbeat.tmin()))
}

fn observed(
    requirement: HeartbeatRequirement,
    world: TypedWorld<Heartbeat>,
    of: Option<Pid>,
) -> Result<Option<TypedWorld<Heartbeat>>, WorldError> {
    let observer = observer(requirement, world.protocol(), of);
    observer.map(|observer| world.observed_by(observer)).transpose()
}

/// The observer of a requirement, for what it says of one participant if one is named.
fn observer<T: Time>(
    requirement: HeartbeatRequirement,
    heartbeat: &Heartbeat<T>,
    of: Option<Pid>,
) -> Option<HeartbeatObserver<T>> {
    let observer = HeartbeatObserver::new(requirement, heartbeat);
    match of {
        None => Some(observer),
        // R3 is about p0 and nobody else.
        Some(_) if requirement == HeartbeatRequirement::R3 => None,
        Some(participant) => observer.only(participant),
    }
}

/// The model with the observer of a requirement. Only R1 has a bound.
fn observed_with(
    requirement: HeartbeatRequirement,
    model: TypedModel<Heartbeat<Linear>>,
    query: RequirementQuery,
) -> Option<TypedModel<Heartbeat<Linear>>> {
    let observer = observer(requirement, model.protocol(), query.of)?;
    match (query.bound, requirement) {
        (None, _) => Some(model.observed_by(observer)),
        (Some(bound), HeartbeatRequirement::R1) => Some(model.observed_by(observer.within(bound))),
        (Some(_), _) => None,
    }
}

/// What a process is to the protocol.
type Part = fn(&HeartbeatState) -> bool;

/// The world with propositions for each process: that it has stopped of its own accord, and for a participant that it has
/// joined, that it leaves, and that p0 counts it. One that has crashed is none of these.
fn taking_part(mut world: TypedWorld<Heartbeat>) -> TypedWorld<Heartbeat> {
    let parts: [(&str, Part); 3] = [
        ("stopped", |state| !state.is_active()),
        ("joined", HeartbeatState::is_joined),
        ("left", HeartbeatState::is_leaving),
    ];
    for p in Pid::all(world.scenario().n) {
        for (name, part) in parts.into_iter().filter(|(name, _)| *name == "stopped" || p != COORDINATOR) {
            world = world
                .with_atom(format!("{name}({p})"), false, move |global| global.state(p).is_some_and(part));
        }
        if p != COORDINATOR {
            world = world.with_atom(format!("counted({p})"), false, move |global| {
                global.state(COORDINATOR).is_some_and(|state| state.counted().contains(p))
            });
        }
    }
    world
}

impl Parametric for Heartbeat<Linear> {
    fn parametric() -> ParametricDescription<Heartbeat<Linear>> {
        ParametricDescription::new("heartbeat", build)
            .environment(|heartbeat, _| environment(heartbeat))
            .calls(|heartbeat, _| calls(heartbeat))
            .requirement("R1", |model, query| observed_with(HeartbeatRequirement::R1, model, query))
            .requirement("R2", |model, query| observed_with(HeartbeatRequirement::R2, model, query))
            .requirement("R3", |model, query| observed_with(HeartbeatRequirement::R3, model, query))
            .complete(Completeness::Strong)
    }
}

impl Described for Heartbeat {
    fn description() -> Description<Heartbeat> {
        let about = "The accelerated heartbeat protocols (Gouda and McGuire 1998)";
        let detector = Detector::<Heartbeat>::default().stopping(|_, _, state| !state.is_active());
        let description = Description::new("heartbeat", about, counted)
            .processes(1)
            .sizes(1, MOST)
            .counted("participants")
            .duration("tmin", "the shortest round, and the longest round trip", "1")
            .duration("tmax", "the longest round", "10")
            .param("corrected", "the corrected bounds, and due deliveries before timers", "false")
            .param("variant", "which protocol of the family", "binary")
            .requirement(Required {
                name: "R1",
                about: "p0 gives up in time if a participant is silent; R1:p2 asks it of p2 alone",
                observed: |world, of| observed(HeartbeatRequirement::R1, world, of),
            })
            .requirement(Required {
                name: "R2",
                about: "no participant gives up while all are up and nothing was lost; also R2:p2",
                observed: |world, of| observed(HeartbeatRequirement::R2, world, of),
            })
            .requirement(Required {
                name: "R3",
                about: "p0 does not give up while all are up and nothing was lost",
                observed: |world, of| observed(HeartbeatRequirement::R3, world, of),
            })
            .parametric::<Heartbeat<Linear>>()
            .atoms(taking_part)
            .ends()
            .symmetric()
            .detector(detector.complete(Completeness::Strong))
            .environment(|heartbeat, _| environment(heartbeat))
            .clients(|heartbeat, _, _| Ok(vec![Clients::of(calls(heartbeat))]))
            .absent(absent)
            .live(Live { promises: |_, _| promises(), leaving, ..Live::default() });
        FORMS.into_iter().fold(description, Description::form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_participants_of_the_dynamic_protocol_leave() {
        let heartbeat = |variant| Heartbeat::new(variant, 2, 8, 1).expect("a protocol");
        let linger = |variant, me| leaving(&heartbeat(variant), Pid::at(me)).map(|(_, linger)| linger);
        assert_eq!(linger(HeartbeatVariant::Dynamic, 1), Some(10));
        assert_eq!(linger(HeartbeatVariant::Dynamic, 0), None);
        assert_eq!(linger(HeartbeatVariant::Static, 1), None);
    }
}
