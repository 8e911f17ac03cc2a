//! The detector, checked: the very value that `main` runs, and what becomes of it with less patience.

use crate::{DELAY, Sentinel};
use watchkeeper::{
    Channel, CheckBuilder, Described, Description, Detector, DetectorClass, PropertySpec, TimeModel,
};
use watchkeeper_core::{Bound, Completeness};

impl Described for Sentinel {
    fn description() -> Description<Sentinel> {
        Description::new("sentinel", "everyone beats, and whoever is silent is suspected", |n, params| {
            Ok(Sentinel { n, period: params.get("period")?, timeout: params.get("timeout")? })
        })
        .param("period", "how long it is from one beat to the next", "2")
        .param("timeout", "how long a peer may be silent", "4")
        .detector(Detector::default().suspecting(|_, _, suspects| *suspects).complete(Completeness::Strong))
    }
}

const ACCURACY: PropertySpec = PropertySpec::Accuracy { of: None };

/// One process may crash.
fn check(sentinel: Sentinel) -> CheckBuilder {
    watchkeeper::check(sentinel.clone()).n(sentinel.n).crashes(1).channel(Channel::Drop(1))
}

/// The same, and no message takes longer than it may.
fn timed(sentinel: Sentinel, time: TimeModel) -> CheckBuilder {
    check(sentinel).time(time).delay(Bound::within(DELAY))
}

/// One that waits no longer than a beat can take.
fn hasty(n: usize) -> Sentinel {
    let sentinel = Sentinel::new(n);
    Sentinel { timeout: sentinel.period + DELAY, ..sentinel }
}

#[test]
fn it_is_never_stuck_however_long_messages_take() {
    check(Sentinel::new(3)).property(PropertySpec::Deadlock).assert_holds();
}

#[test]
fn only_the_dead_are_suspected_unless_it_is_hasty() {
    timed(Sentinel::new(3), TimeModel::Dense).property(ACCURACY).assert_holds();
    timed(hasty(3), TimeModel::Dense).property(ACCURACY).assert_violated();
}

#[test]
fn a_crash_is_found_out_within_a_timeout_and_a_delay() {
    timed(Sentinel::new(2), TimeModel::Dense).assert_bound(4 + DELAY);
}

#[test]
fn it_is_perfect_unless_it_is_hasty() {
    timed(Sentinel::new(2), TimeModel::Ticks).assert_class(DetectorClass::P);
    let classified = timed(hasty(2), TimeModel::Ticks).classify().expect("an answer");
    assert_eq!(classified.names(), "none");
}

#[test]
fn timers_go_with_their_process_so_a_state_stands_for_its_renamings() {
    let accurate = timed(Sentinel::new(3), TimeModel::Ticks).property(ACCURACY);
    let states = |renamed| accurate.clone().symmetry(renamed).assert_holds().stats.distinct_states;
    assert_eq!((states(false), states(true)), (16_813, 2_964));
}

/// There is a slot for each of 64 processes, and the timers of all but a few are never armed.
#[test]
fn nobody_is_warned_of_the_timer_of_a_peer_that_does_not_exist() {
    let verdict = timed(Sentinel::new(2), TimeModel::Ticks).property(ACCURACY).assert_holds();
    let timers: Vec<&str> = verdict
        .coverage
        .iter()
        .map(|class| class.name.as_str())
        .filter(|name| name.starts_with("fire"))
        .collect();
    assert_eq!(timers, ["fire Beat", "fire Suspect"]);
    assert!(
        verdict.warnings.iter().all(|warning| !warning.contains("never fired")),
        "{:?}",
        verdict.warnings
    );
}
