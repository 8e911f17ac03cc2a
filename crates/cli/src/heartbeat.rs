//! What the heartbeat protocols say of themselves on the command line: six names for one family, each with
//! its usual surroundings and its three requirements. They go the way of every user's protocol.

use crate::problem::Problem;
use crate::subject::{Form, Param, Params, Stopped, Subject};
use watchkeeper_casebook::heartbeats;
use watchkeeper_core::{MAX_PROCESSES, Pid};
use watchkeeper_protocols::detection::Completeness;
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatCall, HeartbeatError, Monitor, Requirement, Variant,
};
use watchkeeper_runtime::Assumption;
use watchkeeper_world::{MAX_DURATION, Scenario, World, WorldError};

/// The most participants, beside p0.
const MOST: usize = MAX_PROCESSES - 1;

const fn form(
    variant: Variant,
    about: &'static str,
    settled: &'static [(&'static str, &'static str)],
    processes: usize,
) -> Form {
    let most = if variant.takes_many() { MOST } else { 1 };
    Form { name: variant.name(), about, settled, processes, sizes: (1, most) }
}

impl Subject for Heartbeat {
    const NAME: &'static str = "heartbeat";

    const ABOUT: &'static str = "The accelerated heartbeat protocols (Gouda and McGuire 1998)";

    const PROCESSES: usize = 1;

    const SIZES: (usize, usize) = (1, MOST);

    const COUNTED: &'static str = "participants";

    const FORMS: &'static [Form] = &[
        form(
            Variant::Binary,
            "Accelerated heartbeats: p0 and one participant (Gouda and McGuire 1998)",
            &[("variant", "binary")],
            1,
        ),
        form(
            Variant::Revised,
            "Accelerated heartbeats: p0 and one participant, and p0 sends its first beat at once",
            &[("variant", "revised")],
            1,
        ),
        form(
            Variant::TwoPhase,
            "Accelerated heartbeats: p0 and one participant, and silence shortens a round to tmin at once",
            &[("variant", "two-phase")],
            1,
        ),
        form(
            Variant::Static,
            "Accelerated heartbeats: p0 and participants that are known from the start",
            &[("variant", "static")],
            2,
        ),
        form(
            Variant::Expanding,
            "Accelerated heartbeats: p0 and participants that ask to join",
            &[("variant", "expanding")],
            1,
        ),
        form(
            Variant::Dynamic,
            "Accelerated heartbeats: p0 and participants that ask to join and may leave",
            &[("variant", "dynamic")],
            1,
        ),
    ];

    const PARAMS: &'static [Param] = &[
        Param { name: "tmin", about: "the shortest round, and the longest round trip", default: "1" },
        Param { name: "tmax", about: "the longest round", default: "10" },
        Param {
            name: "corrected",
            about: "bounds as they should be, due deliveries first",
            default: "false",
        },
        Param { name: "variant", about: "which protocol of the family", default: "binary" },
    ];

    const REQUIREMENTS: &'static [(&'static str, &'static str)] = &[
        ("R1", "p0 gives up in time if a participant is silent; R1:p2 asks it of p2 alone"),
        ("R2", "no participant gives up while all are up and nothing was lost; also R2:p2"),
        ("R3", "p0 does not give up while all are up and nothing was lost"),
    ];

    const ENDS: bool = true;

    const SYMMETRIC: bool = true;

    const COMPLETENESS: Option<Completeness> = Some(Completeness::Strong);

    const STOPPED: Option<Stopped<Heartbeat>> = Some(|_, _, state| !state.is_active());

    fn build(n: usize, params: &Params) -> Result<Heartbeat, Problem> {
        let variant = params.get("variant")?;
        // The longest time that any of the family or its requirements counts is below 3 tmax.
        if params.get::<u32>("tmax")? > MAX_DURATION / 3 {
            let why = format!(
                "a check counts up to {MAX_DURATION}, and 3 tmax must fit; choose {} at most",
                MAX_DURATION / 3
            );
            return Err(params.refuse("tmax", why));
        }
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

    fn surroundings(&self, _: usize) -> Scenario {
        heartbeats::surroundings(self)
    }

    fn absent(&self) -> Vec<&'static str> {
        let leaves = self.variant() == Variant::Dynamic;
        let joins = self.variant().expects_joins();
        [("deliver leave", leaves), ("fire Join", joins)]
            .into_iter()
            .filter(|(_, used)| !used)
            .map(|(name, _)| name)
            .collect()
    }

    fn promises(&self, _: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
        // R2 and R3 say nothing of a run in which a message was lost, so they rest on that even where the network
        // may lose some.
        let rests = || vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed, Assumption::Loss];
        vec![("R1", vec![Assumption::Speed]), ("R2", rests()), ("R3", rests())]
    }

    fn leaving(&self, me: Pid) -> Option<(HeartbeatCall, u32)> {
        let (_, call) = Heartbeat::calls(self).into_iter().find(|(participant, _)| *participant == me)?;
        // p0's next beat comes within tmax, and the answer to it takes at most tmin.
        Some((call, self.tmax() + self.tmin()))
    }

    fn calls(&self, _: usize) -> Vec<(Pid, HeartbeatCall, u32)> {
        heartbeats::calls(self)
    }

    fn observed(
        world: World<Heartbeat>,
        requirement: &str,
        of: Option<Pid>,
    ) -> Result<Option<World<Heartbeat>>, WorldError> {
        let Some(requirement) = Requirement::ALL.into_iter().find(|known| known.name() == requirement) else {
            return Ok(None);
        };
        let monitor = Monitor::new(requirement, world.protocol());
        let monitor = match of {
            None => Some(monitor),
            // R3 is about p0 and nobody else.
            Some(_) if requirement == Requirement::R3 => None,
            Some(participant) => monitor.only(participant),
        };
        monitor.map(|monitor| world.observed_by(monitor)).transpose()
    }
}
