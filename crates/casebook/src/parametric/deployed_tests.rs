//! The bridge to the code that runs: for small parameters every step of the deployed detector in its world is a
//! step of the parametric system, or changes nothing that the system knows. The relation is built on the way,
//! from the initial states on, so nothing is left out.

use super::deployed;
use std::collections::{BTreeSet, VecDeque};
use watchkeeper_core::{Bound, Pid, ProcSet, Value, View};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_prove::{State, System, SystemInstance};
use watchkeeper_space::{Narration, Space, successors};
use watchkeeper_world::{Capacity, Faults, Network, Scenario, Timing, TypedWorld, WorldTime};

/// What is common to both: when p0 beats next, the age of its oldest message, what is left of p1's patience, p1's
/// timeout, and whether p0 is suspected and has crashed.
type Image = (i64, i64, i64, i64, bool, bool);

fn of_state(system: &System, state: &State) -> Image {
    let number = |name: &str| {
        let at = system.variables.iter().position(|variable| variable.name == name);
        state[at.expect("a variable of the system")]
    };
    let is = |name: &str| number(name) != 0;
    (number("beat"), number("age"), number("left"), number("timeout"), is("suspected"), is("crashed"))
}

fn field<'a>(record: &'a Value, name: &str) -> Option<&'a Value> {
    let Value::Record(fields) = record else { return None };
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::List(all) | Value::Set(all)) => all
            .iter()
            .filter_map(|value| if let Value::Str(text) = value { Some(text.clone()) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}

/// What is left of a timer or a message: the number at the end of its text.
fn left(text: &str) -> i64 {
    text.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number at the end")
}

fn of_view(view: &View, delay: i64) -> Image {
    let named = |name: &str| {
        view.iter().find(|(field, _)| field == name).map(|(_, value)| value).expect("a variable")
    };
    let (p0, p1, channels) = (named("p0"), named("p1"), named("channels"));
    let timer = |process: &Value, name: &str| {
        texts(field(process, "timers")).iter().find(|text| text.starts_with(name)).map(|text| left(text))
    };
    let beat = timer(p0, "beat");
    let ages = texts(field(channels, "p0->p1")).iter().map(|text| delay - left(text)).max();
    let patience = timer(p1, "wait p0");
    let Some(Value::Str(timeouts)) = field(p1, "timeouts") else { panic!("timeouts in {p1:?}") };
    let first = timeouts.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    let timeout = first.and_then(|number| number.parse().ok()).expect("the timeout for p0");
    let suspected = texts(field(p1, "suspects")).iter().any(|peer| peer == "p0");
    (beat.unwrap_or(0), ages.unwrap_or(-1), patience.unwrap_or(0), timeout, suspected, beat.is_none())
}

/// The world of a pair, in which p0 may crash.
fn world(period: u32, delay: u32, first: u32) -> TypedWorld<ChandraToueg> {
    let detector =
        ChandraToueg::new(2, period, first).and_then(|one| one.capped(first.max(period + delay + 1)));
    let scenario = Scenario {
        n: 2,
        network: Network { capacity: Capacity::Unbounded { cap: 16 }, ..Network::default() },
        faults: Faults { crashable: ProcSet::only(Pid::at(0)), crashes: 1, ..Faults::default() },
        time: WorldTime::Ticks(Timing::per_message(Bound::within(delay))),
        oracle: None,
    };
    TypedWorld::new(detector.expect("a detector"), scenario).expect("a world")
}

#[test]
fn every_step_of_the_deployed_detector_is_a_step_of_the_system() {
    let system = deployed::system(false);
    let mut pairs = 0;
    for (period, delay, first) in [(1, 0, 1), (1, 2, 2), (2, 1, 3), (2, 1, 4), (3, 2, 2), (2, 3, 6)] {
        let point = [period, delay, first, 1].map(i64::from);
        let instance = SystemInstance::new(&system, &point).expect("an instance");
        let world = world(period, delay, first);
        let image = |row: &[u32]| of_view(&world.view(row), delay.into());
        let mut open: VecDeque<(Vec<u32>, State)> = VecDeque::new();
        let mut seen = BTreeSet::new();
        for row in world.initial() {
            let begun = instance.beginnings().expect("small numbers");
            let like = begun.iter().find(|turn| of_state(&system, &turn.after) == image(&row));
            open.push_back((row.clone(), like.expect("the system begins like the world").after.clone()));
        }
        while let Some((row, state)) = open.pop_front() {
            if !seen.insert((row.clone(), state.clone())) {
                continue;
            }
            let turns = instance.turns(&state).expect("small numbers");
            for (action, next) in successors(&*world, &row) {
                let wanted = image(&next);
                let mut replies: Vec<State> = turns
                    .iter()
                    .map(|turn| turn.after.clone())
                    .filter(|s| of_state(&system, s) == wanted)
                    .collect();
                if of_state(&system, &state) == wanted {
                    replies.push(state.clone());
                }
                let label = world.label(&row, action);
                assert!(!replies.is_empty(), "{point:?}: {label} from {:?} to {wanted:?}", image(&row));
                // Any one reply will do, as long as it can go on; the oldest that stays unknown is the last sent.
                open.push_back((next, replies.swap_remove(0)));
            }
        }
        pairs += seen.len();
    }
    assert!(pairs > 1_000, "{pairs} pairs of states");
}
