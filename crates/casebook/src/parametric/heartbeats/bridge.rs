//! The bridge to the code: for small tmin and tmax the parametric systems reach the same states as the deployable
//! protocol in its world of ticks, and break the same requirements. Both sides are projected onto one image, which leaves
//! out ghosts, why a process is down, and what is on its way to one that is.

use super::{HeartbeatForm, HeartbeatQuestion, system};
use crate::heartbeats::{calls, environment};
use std::collections::BTreeSet;
use watchkeeper_core::{Value, View};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_prove::{State, SystemInstance, SystemSpace};
use watchkeeper_space::{Id, Narration, Space, Steps, steps};
use watchkeeper_world::{TypedWorld, WorldTime};

/// What p0, p1 and the channels between them are, on both sides.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Image {
    /// Whether p0 counts p1, whether it has heard it, how long it waits for it, and what is left of its round.
    p0: Option<(bool, bool, i64, i64)>,
    /// What p1 is up to, what is left of its patience, and when it next asks to join.
    p1: Option<(&'static str, Option<i64>, Option<i64>)>,
    /// What is left of the time of each message: beats to p1, and answers and requests to p0.
    to_p1: Vec<i64>,
    to_p0: Vec<(&'static str, i64)>,
}

impl Image {
    /// Without what is on its way to a process that is down, which the world forgets if it has crashed.
    fn settled(mut self) -> Image {
        self.to_p1.retain(|_| self.p1.is_some());
        self.to_p0.retain(|_| self.p0.is_some());
        self.to_p1.sort_unstable();
        self.to_p0.sort_unstable();
        self
    }
}

/// The image of a state of a parametric system.
fn of_state(form: HeartbeatForm, instance: &SystemInstance, state: &State) -> Image {
    let variables = &instance.system().variables;
    let number = |name: &str| variables.iter().position(|variable| variable.name == name).map(|at| state[at]);
    let is = |name: &str| number(name) == Some(1);
    let tmin = instance.parameters()[0];
    let there = |name: &str| number(name).filter(|left| *left >= 0);
    let (joins, trip) = (form.variant.expects_joins(), there("trip"));
    let counted = !joins || is("counted");
    let p0 = is("up0").then(|| {
        let left = |name: &str| number(name).expect("a variable of the system");
        (counted, counted && !is("awaited"), left("wait"), left("round"))
    });
    let doing = if is("joining") {
        "Joining"
    } else if is("leaving") {
        "Leaving"
    } else {
        "Joined"
    };
    let patience = number("patience").filter(|_| !is("leaving"));
    let p1 = is("up1").then(|| (doing, patience, number("join").filter(|_| is("joining"))));
    let mut to_p1: Vec<i64> = trip.filter(|_| is("asked")).into_iter().collect();
    to_p1.extend(is("old_beat").then_some(0));
    let said = if is("leaves") { "leave" } else { "beat" };
    let mut to_p0: Vec<(&str, i64)> =
        trip.filter(|_| !is("asked")).map(|left| (said, left)).into_iter().collect();
    to_p0.extend(is("old_answer").then_some(("beat", 0)));
    to_p0.extend(is("old_leave").then_some(("leave", 0)));
    to_p0.extend(there("request").map(|left| ("beat", left)));
    to_p0.extend(is("more").then_some(("beat", tmin)));
    Image { p0, p1, to_p1, to_p0 }.settled()
}

fn field<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    let Value::Record(fields) = record else { return None };
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

fn texts<'a>(value: Option<&'a Value>) -> Vec<&'a str> {
    let (Some(Value::List(all)) | Some(Value::Set(all))) = value else { return Vec::new() };
    let text = |value: &'a Value| match value {
        Value::Str(text) => Some(text.as_str()),
        _ => None,
    };
    all.iter().filter_map(text).collect()
}

/// The number at the end of a text: what is left of a timer or a message.
fn left(text: &str) -> i64 {
    text.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number at the end")
}

/// What is left of an armed timer.
fn timer(process: &Value, name: &str) -> Option<i64> {
    texts(field(process, "timers")).into_iter().find(|text| text.starts_with(name)).map(left)
}

/// The image of a state of the world.
fn of_view(view: &View) -> Image {
    let named = |name: &str| {
        view.iter().find(|(field, _)| field == name).map(|(_, value)| value).expect("a variable")
    };
    let (p0, p1, channels) = (named("p0"), named("p1"), named("channels"));
    let p0 = field(p0, "tm").map(|tm| {
        let Value::List(waits) = tm else { unreachable!("a list of waits") };
        let Value::Int(wait) = waits[0] else { unreachable!("a wait") };
        let holds = |set: &str| texts(field(p0, set)).contains(&"p1");
        (holds("counted"), holds("received"), wait, timer(p0, "Round").expect("a round"))
    });
    let p1 = match field(p1, "state") {
        Some(Value::Str(state)) => ["Joining", "Joined", "Leaving"].into_iter().find(|known| known == state),
        _ => None,
    }
    .map(|doing| (doing, timer(p1, "GiveUp"), timer(p1, "Join")));
    let to_p1: Vec<i64> = texts(field(channels, "p0->p1")).into_iter().map(left).collect();
    let kind = |text: &str| if text.starts_with("leave") { "leave" } else { "beat" };
    let to_p0: Vec<(&str, i64)> =
        texts(field(channels, "p1->p0")).into_iter().map(|text| (kind(text), left(text))).collect();
    Image { p0, p1, to_p1, to_p0 }.settled()
}

fn rows(space: &impl Space) -> Vec<Vec<Id>> {
    let mut rows = space.initial();
    let mut seen: BTreeSet<Vec<Id>> = rows.iter().cloned().collect();
    let mut at = 0;
    while at < rows.len() {
        let Steps { next, cut, .. } = steps(space, &rows[at]);
        // Where the observers have made up their minds runs end, and nothing else is asked here.
        let caps = &space.shape().caps;
        assert!(cut.iter().all(|&cap| !caps[cap].spares.is_empty()), "a cap was reached");
        for (_, next) in next {
            if seen.insert(next.clone()) {
                rows.push(next);
            }
        }
        at += 1;
    }
    rows
}

/// The deployable protocol in its environment, in ticks.
fn world(form: HeartbeatForm, (tmin, tmax): (u32, u32), participants: usize) -> TypedWorld<Heartbeat> {
    let heartbeat = Heartbeat::new(form.variant, tmin, tmax, participants).expect("a protocol");
    let heartbeat = if form.corrected { heartbeat.corrected() } else { heartbeat };
    let mut scenario = environment(&heartbeat);
    scenario.time = WorldTime::Ticks(scenario.time.timing().expect("a timed world"));
    let world = TypedWorld::new(heartbeat, scenario).expect("a world");
    world.with_calls(calls(&heartbeat)).expect("calls")
}

fn images_of_world(form: HeartbeatForm, point: (u32, u32), participants: usize) -> BTreeSet<Image> {
    let world = world(form, point, participants);
    rows(&*world).iter().map(|row| of_view(&world.view(row))).collect()
}

/// The parametric system at a point, and whether its property holds there as its only atom.
fn searched(
    form: HeartbeatForm,
    question: HeartbeatQuestion,
    (tmin, tmax): (u32, u32),
    property: &str,
) -> SystemSpace {
    let instance =
        SystemInstance::new(&system(form, question), &[tmin.into(), tmax.into()]).expect("an instance");
    let property = instance.system().formula(property).expect("a property");
    SystemSpace::new(instance, &[("property".to_string(), property)]).expect("a space")
}

fn images_of_system(form: HeartbeatForm, question: HeartbeatQuestion, point: (u32, u32)) -> BTreeSet<Image> {
    let searched = searched(form, question, point, "true");
    rows(&searched).iter().map(|row| of_state(form, searched.instance(), &searched.state(row))).collect()
}

fn points(largest: u32) -> impl Iterator<Item = (u32, u32)> {
    (1..=largest).flat_map(|tmax| (1..=tmax).map(move |tmin| (tmin, tmax)))
}

/// Whether a requirement holds in the world, and in the parametric system.
fn verdicts(
    form: HeartbeatForm,
    question: HeartbeatQuestion,
    point: (u32, u32),
    participants: usize,
) -> (bool, bool) {
    let requirement = match question {
        HeartbeatQuestion::R1 => HeartbeatRequirement::R1,
        HeartbeatQuestion::R2 => HeartbeatRequirement::R2,
        _ => HeartbeatRequirement::R3,
    };
    let world = world(form, point, participants);
    let monitor = HeartbeatObserver::new(requirement, world.protocol());
    let bound = i64::from(world.protocol().coordinator_bound());
    let world = world.observed_by(monitor).expect("an observer");
    let atom = world.shape().atom(requirement.name()).expect("the observer's");
    let in_world = rows(&*world).iter().all(|row| world.atom(atom, row));
    let property = if question == HeartbeatQuestion::R1 {
        format!("silence <= {bound}")
    } else {
        "not wrong".to_string()
    };
    let searched = searched(form, question, point, &property);
    let in_system = rows(&searched).iter().all(|row| searched.atom(0, row));
    (in_world, in_system)
}

fn is_bridged(variant: HeartbeatVariant, largest: u32) {
    for form in [false, true].map(|corrected| HeartbeatForm { variant, corrected }) {
        for point in points(largest) {
            let (mine, theirs) =
                (images_of_system(form, HeartbeatQuestion::Slots, point), images_of_world(form, point, 1));
            let missing = theirs.difference(&mine).next();
            assert_eq!(missing, None, "{form} at {point:?}: the world can, the system cannot");
            let extra = mine.difference(&theirs).next();
            assert_eq!(extra, None, "{form} at {point:?}: the system can, the world cannot");
            for question in [HeartbeatQuestion::R1, HeartbeatQuestion::R2, HeartbeatQuestion::R3] {
                let (in_world, in_system) = verdicts(form, question, point, 1);
                assert_eq!(in_world, in_system, "{form} at {point:?}: {question}");
            }
        }
    }
}

#[test]
fn the_binary_protocols_reach_the_same_states_and_verdicts_as_in_the_world() {
    for variant in [HeartbeatVariant::Binary, HeartbeatVariant::Revised, HeartbeatVariant::TwoPhase] {
        is_bridged(variant, 6);
    }
}

#[test]
fn the_expanding_protocol_reaches_the_same_states_and_verdicts_as_in_the_world() {
    is_bridged(HeartbeatVariant::Expanding, 5);
}

#[test]
fn the_dynamic_protocol_reaches_the_same_states_and_verdicts_as_in_the_world() {
    is_bridged(HeartbeatVariant::Dynamic, 4);
}

#[test]
fn one_of_two_participants_of_the_static_protocol_does_what_one_among_others_can() {
    for form in [false, true].map(|corrected| HeartbeatForm { variant: HeartbeatVariant::Static, corrected })
    {
        for point in points(3) {
            let mine = images_of_system(form, HeartbeatQuestion::R3, point);
            let missing = images_of_world(form, point, 2).difference(&mine).next().cloned();
            assert_eq!(missing, None, "{form} at {point:?}: the world can, the system cannot");
            for question in [HeartbeatQuestion::R1, HeartbeatQuestion::R2, HeartbeatQuestion::R3] {
                let (in_world, in_system) = verdicts(form, question, point, 2);
                assert_eq!(in_world, in_system, "{form} at {point:?}: {question}");
            }
        }
    }
}

/// The comparison would show it if a system did not do what its protocol does.
#[test]
fn a_system_with_another_priority_is_not_bridged() {
    let [original, corrected] =
        [false, true].map(|corrected| HeartbeatForm { variant: HeartbeatVariant::Expanding, corrected });
    let theirs = images_of_world(corrected, (2, 2), 1);
    assert_eq!(images_of_system(corrected, HeartbeatQuestion::Slots, (2, 2)), theirs);
    assert!(!images_of_system(original, HeartbeatQuestion::Slots, (2, 2)).is_subset(&theirs));
}
