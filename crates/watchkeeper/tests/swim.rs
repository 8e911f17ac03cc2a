//! SWIM and Lifeguard with the durations of memberlist: what holds, in how many states; what does not, by the shortest run;
//! and every planted mistake is found.

use watchkeeper::DetectorClass;
use watchkeeper::protocols::lifeguard::Lifeguard;
use watchkeeper::protocols::swim::{
    FirstMembers, PlainSwim, ProbeOrder, SuspectSet, Swim, SwimConfig, SwimFlaw, SwimPolicy,
};
use watchkeeper::{CheckBuilder, TimeModel, check};
use watchkeeper_core::Bound;

/// An incarnation that nobody reaches with so few losses.
const CAP: u32 = 6;

fn config() -> SwimConfig {
    SwimConfig { cap: CAP, ..SwimConfig::default() }
}

fn built<P: SwimPolicy>(n: usize, config: SwimConfig, policy: P) -> Swim<P> {
    Swim::new(n, config, policy).expect("a group")
}

fn swim(config: SwimConfig) -> CheckBuilder {
    check(built(3, config, PlainSwim))
}

fn lifeguard(config: SwimConfig) -> CheckBuilder {
    check(built(3, config, Lifeguard::new(8, 6, 2)))
}

/// The news travels only with other messages, as in the paper.
fn piggybacked() -> SwimConfig {
    SwimConfig { spread: 0, ..config() }
}

fn states(asked: &CheckBuilder) -> u64 {
    asked.assert_holds().stats.distinct_states
}

#[test]
fn without_losses_it_is_perfect_and_finds_out_within_121_units() {
    assert_eq!(states(&swim(config()).property("accuracy")), 7_329);
    assert_eq!(states(&lifeguard(config()).property("accuracy")), 54_585);
    swim(config()).assert_class(DetectorClass::P);
    lifeguard(config()).assert_class(DetectorClass::P);
    // A probe of the crashed member can begin two periods after the crash; then come the suspicion, 80, and the last delay.
    let dense = swim(config()).time(TimeModel::Dense).delay(Bound::within(1));
    assert_eq!(states(&dense.clone().property("detection:121")), 6_221);
    dense.property("detection:120").assert_violated();
}

#[test]
fn one_lost_message_is_made_good_in_ticks_and_in_zones() {
    let asked = swim(config()).loss(1).property("accuracy");
    assert_eq!(states(&asked), 109_236);
    assert_eq!(states(&asked.time(TimeModel::Dense).delay(Bound::within(1))), 41_622);
}

#[test]
fn two_lost_messages_need_news_that_does_not_wait_for_probes() {
    let shortest =
        |asked: CheckBuilder| asked.loss(2).property("accuracy").assert_violated().trace.steps.len();
    assert_eq!(shortest(swim(piggybacked())), 172);
    assert_eq!(shortest(lifeguard(piggybacked())), 169);
    assert_eq!(states(&swim(config()).loss(2).property("accuracy")), 763_545);
}

#[test]
fn an_answer_is_no_refutation_among_two() {
    let config = SwimConfig { suspicion: 2, grain: 10, retransmit: 1, ..piggybacked() };
    let asked = check(built(2, config, PlainSwim)).n(2).crashes(0).property("accuracy");
    asked.clone().loss(1).assert_holds();
    let found = asked.loss(2).assert_violated();
    assert_eq!(found.trace.steps.len(), 102);
}

#[test]
fn a_group_that_forms_by_a_seed_is_complete_and_accurate() {
    let asked = swim(SwimConfig { start: FirstMembers::Seed, ..config() });
    assert_eq!(states(&asked.clone().property("accuracy")), 11_596);
    asked.property("strong-completeness").assert_holds();
}

#[test]
fn a_group_that_turns_to_members_at_random_is_complete_and_accurate() {
    let config = SwimConfig { order: ProbeOrder::Random, ..config() };
    let asked = check(built(2, config, PlainSwim)).n(2);
    assert_eq!(states(&asked.clone().property("accuracy")), 950);
    asked.property("strong-completeness").assert_holds();
}

#[test]
fn whoever_leaves_is_not_declared_dead_and_those_who_stay_find_out_about_crashes() {
    let asked = swim(config()).param("leavers", "p1");
    assert_eq!(states(&asked.clone().property("accuracy")), 168_741);
    // Alone, it can come to probe the crashed member a period later than one of two does.
    asked.clone().property("detection:140:p2:p0").assert_holds();
    asked.property("detection:139:p2:p0").assert_violated();
}

#[test]
fn suspicions_are_sooner_and_more_often_wrong_than_deaths() {
    let asked = swim(SwimConfig { suspects: SuspectSet::Suspected, ..config() });
    asked.clone().property("accuracy").assert_holds();
    // Two periods until the probe has failed, and the delay of the news.
    asked.clone().property("detection:41").assert_holds();
    asked.clone().property("detection:40").assert_violated();
    assert_eq!(asked.loss(1).property("accuracy").assert_violated().trace.steps.len(), 48);
}

#[test]
fn whoever_starts_again_has_forgotten_what_others_know() {
    let config = SwimConfig { suspicion: 1, cap: 4, ..piggybacked() };
    let asked = check(built(2, config, PlainSwim)).n(2).crashes(2).recoveries(2);
    asked.assert_holds();
    asked.property("known-incarnations").assert_violated();
}

#[test]
fn every_planted_mistake_is_found() {
    let asked = |flaw| swim(SwimConfig { flaw, ..config() }).crashes(0).loss(2);
    for property in ["accuracy", "incarnations", "known-incarnations", "sure-of-itself", "below-cap"] {
        asked(None).property(property).assert_holds();
    }
    for &flaw in SwimFlaw::ALL {
        let (property, shortest) = match flaw {
            SwimFlaw::NoRefutation => ("accuracy", 203),
            SwimFlaw::SameIncarnation => ("accuracy", 209),
            SwimFlaw::StaleIncarnation => ("incarnations", 57),
            other => panic!("{other} has no property that finds it"),
        };
        let found = asked(Some(flaw)).property(property).assert_violated();
        assert_eq!(found.trace.steps.len(), shortest, "{flaw}");
    }
}

#[test]
fn two_that_hold_each_other_for_dead_come_back_if_the_dead_are_asked() {
    let two = |reclaim| {
        let config = SwimConfig { suspicion: 1, reclaim, ..piggybacked() };
        check(built(2, config, PlainSwim)).n(2).crashes(0).loss(4)
    };
    two(true).property("below-cap").assert_holds();
    two(true).property("eventual-strong-accuracy").assert_holds();
    two(false).property("eventual-strong-accuracy").assert_violated();
}
