//! What a measurement depends on, and detectors other than NFD-S.

use super::{EXP, MS, measured, network, nfd_s, subject};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use watchkeeper_core::Completeness;
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::ring::Ring;
use watchkeeper_sim::DelayDistribution;
use watchkeeper_sim::quality::{
    BurstLoss, DelaySource, DelayTrace, Estimate, MeasureError, MeasurePlan, MeasureProgress, NetworkProfile,
    RareMistakes, SlowMembers,
};

/// The heartbeats of two processes every 100 ms, with a timeout that does not grow.
fn chandra_toueg(n: usize, timeout: u32, network: Arc<NetworkProfile>) -> MeasurePlan {
    let detector = ChandraToueg::new(n, 10, timeout).and_then(|detector| detector.capped(timeout));
    let subject = subject(detector.expect("a detector"), n, u64::from(timeout.max(10)) * 10 * MS);
    MeasurePlan { rare: RareMistakes::Never, batches: Some(40), ..MeasurePlan::new(subject, network, 1) }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let plan = |seed, workers| MeasurePlan { batches: Some(40), workers, ..nfd_s(5, EXP, 0.01, seed) };
    let figures = |plan: MeasurePlan| {
        let found = measured(&plan);
        (found.mistake_recurrence, found.detection, found.events, found.detections)
    };
    let alone = figures(plan(7, 1));
    assert_eq!(alone, figures(plan(7, 3)));
    assert_ne!(alone, figures(plan(8, 1)));
    // The same holds where runs are split.
    let split = |workers| {
        let found = measured(&MeasurePlan { batches: Some(70), workers, ..nfd_s(305, EXP, 0.01, 7) });
        (found.mistake_recurrence, found.splitting.map(|splitting| splitting.levels), found.events)
    };
    assert_eq!(split(1), split(2));
}

/// A measurement that is ended gives what its first batches give.
#[test]
fn what_is_ended_is_had_again_by_its_number_of_batches() {
    let plan = MeasurePlan { precision: 1e-6, workers: 2, ..nfd_s(5, EXP, 0.01, 3) };
    let events = AtomicU64::new(0);
    let ended = plan.measure(&|progress: &MeasureProgress| {
        events.store(progress.events, Ordering::Relaxed);
        if progress.batches >= 11 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let ended = ended.expect("some batches");
    assert!((2..=13).contains(&ended.batches) && !ended.is_precise());
    let again = measured(&MeasurePlan { batches: Some(ended.batches), ..plan.clone() });
    assert_eq!(
        (again.mistake_recurrence, again.query_accuracy),
        (ended.mistake_recurrence, ended.query_accuracy)
    );
    let at_once = plan.measure(&|_: &MeasureProgress| ControlFlow::Break(()));
    assert_eq!(at_once.err(), Some(MeasureError::TooShort));
}

/// With no loss and a constant delay nobody is ever suspected; the timeout counts from the last heartbeat, which is up to 100 ms
/// old when its sender crashes.
#[test]
fn where_nothing_goes_wrong_there_is_no_mistake_and_a_bound_says_how_rare_they_are() {
    let plan = chandra_toueg(2, 30, network(DelayDistribution::Constant(20 * MS), 0.0));
    let found = measured(&plan);
    assert_eq!(
        (found.mistakes, found.mistake_recurrence.mean, found.mistake_recurrence.high),
        (0, None, None)
    );
    // Nobody knows whether both pairs would err together, so they count as one.
    let observed = 40.0 * plan.lasts as f64 / 1e9;
    let low = found.mistake_recurrence.low.expect("a bound");
    assert!((low / (observed / 100f64.ln()) - 1.0).abs() < 1e-9, "{low}");
    assert_eq!(found.query_accuracy.mean, Some(1.0));
    assert!(found.query_accuracy.low.is_some_and(|low| low > 0.85 && low < 1.0));
    // From 220 to 320 ms after the crash.
    let mean = found.detection.mean.expect("detections");
    assert!((mean - 0.27).abs() < 0.002, "{mean}");
    let [median, high] = found.detection_percentiles().map(|time| time.expect("detections"));
    assert!((median - 0.27).abs() < 0.004 && (high - 0.319).abs() < 0.004, "{median} {high}");
}

/// A timeout of 150 ms forgives no loss: each makes one mistake, which ends with the next heartbeat.
#[test]
fn every_loss_is_a_mistake_where_the_timeout_is_short() {
    let found = measured(&chandra_toueg(2, 15, network(DelayDistribution::Constant(20 * MS), 0.05)));
    // A mistake begins with a loss after an arrival: 0.05 * 0.95 for each heartbeat.
    let recurrence = 0.1 / (0.05 * 0.95);
    let estimate = found.mistake_recurrence;
    assert!(
        estimate.low <= Some(recurrence) && Some(recurrence) <= estimate.high,
        "{estimate:?} {recurrence}"
    );
    // It lasts 50 ms, and 100 ms more for each further loss.
    let duration = 0.05 + 0.1 * 0.05 / 0.95;
    let estimate = found.mistake_duration;
    assert!(estimate.low <= Some(duration) && Some(duration) <= estimate.high, "{estimate:?} {duration}");
}

#[test]
fn losses_in_bursts_last_longer_than_as_many_by_themselves() {
    let burst = BurstLoss { to_bad: 0.01, to_good: 0.2, loss_good: 0.0, loss_bad: 1.0 };
    let delay = DelaySource::Drawn(DelayDistribution::Constant(20 * MS));
    let bursts = NetworkProfile { delay, loss: 0.0, burst: Some(burst), fifo: false };
    let bursts = measured(&chandra_toueg(2, 15, Arc::new(bursts)));
    let single =
        measured(&chandra_toueg(2, 15, network(DelayDistribution::Constant(20 * MS), burst.share())));
    let (long, short) = (bursts.mistake_duration.mean, single.mistake_duration.mean);
    assert!(long > short.map(|short| 4.0 * short), "{long:?} {short:?}");
}

/// Every tenth message is lost, so that there is a mistake each second.
#[test]
fn a_trace_says_what_is_lost() {
    let delays = (0..10).map(|place| (place > 0).then_some(20 * MS)).collect();
    let delay = DelaySource::Trace(Arc::new(DelayTrace::of(delays).expect("a trace")));
    let found = measured(&chandra_toueg(
        2,
        15,
        Arc::new(NetworkProfile { delay, loss: 0.0, burst: None, fifo: false }),
    ));
    let mean = found.mistake_recurrence.mean.expect("mistakes");
    assert!((mean - 1.0).abs() < 1e-3, "{mean}");
    assert!((found.mistake_duration.mean.expect("mistakes") - 0.05).abs() < 1e-6);
}

/// Only the slow one, and only its silence, is suspected: a blocked process does not suspect, and is not heard.
#[test]
fn a_slow_member_is_suspected_and_suspects() {
    let mut plan = chandra_toueg(3, 30, network(DelayDistribution::Constant(20 * MS), 0.0));
    plan.slow = Some(SlowMembers {
        count: 1,
        blocked: DelayDistribution::Constant(2000 * MS),
        normal: DelayDistribution::Constant(3000 * MS),
        timers_run: false,
    });
    let found = measured(&plan);
    let rate = |estimate: Estimate| estimate.mean.unwrap_or(0.0);
    let [[healthy, about_slow], [by_slow, _]] = found.mistakes_by_health.map(|by| by.map(rate));
    assert_eq!(healthy, 0.0);
    // Two observers, once in each phase of 5 s.
    assert!((about_slow - 0.4).abs() < 0.01, "{about_slow}");
    assert_eq!(by_slow, 0.0, "what waited in the inbox is handled before the timers");
    assert!(found.query_accuracy.mean < Some(1.0));
}

/// Whose timers run while its messages wait suspects all others as soon as it is blocked for longer than its timeout, and is
/// suspected by them.
#[test]
fn a_member_whose_messages_wait_suspects_all_others() {
    let mut plan = chandra_toueg(3, 30, network(DelayDistribution::Constant(20 * MS), 0.0));
    plan.slow = Some(SlowMembers {
        count: 1,
        blocked: DelayDistribution::Constant(2000 * MS),
        normal: DelayDistribution::Constant(3000 * MS),
        timers_run: true,
    });
    let rate = |estimate: Estimate| estimate.mean.unwrap_or(0.0);
    let [[healthy, about_slow], [by_slow, _]] = measured(&plan).mistakes_by_health.map(|by| by.map(rate));
    assert_eq!(healthy, 0.0);
    // Two pairs each way, once in each phase of 5 s.
    assert!((about_slow - 0.4).abs() < 0.01, "{about_slow}");
    assert!((by_slow - 0.4).abs() < 0.01, "{by_slow}");
}

/// What a blocked process has not sent yet dies with it: whoever suspects it already does so for good.
#[test]
fn a_process_that_crashes_while_it_is_blocked_sends_nothing_more() {
    let mut plan = chandra_toueg(2, 30, network(DelayDistribution::Constant(20 * MS), 0.0));
    plan.subject.victims = vec![0];
    plan.slow = Some(SlowMembers {
        count: 1,
        blocked: DelayDistribution::Constant(200_000 * MS),
        normal: DelayDistribution::Constant(5_000 * MS),
        timers_run: true,
    });
    let [median, _] = measured(&plan).detection_percentiles();
    assert!(median.expect("detections") < 0.01, "{median:?}");
}

/// The period of 1 s does not divide the timeout of 1.5 s; a crash comes at a random moment of the period all the same.
#[test]
fn one_crash_in_a_batch_comes_at_any_moment() {
    let detector = ChandraToueg::new(3, 100, 150).and_then(|detector| detector.capped(150));
    let subject = subject(detector.expect("a detector"), 3, 1500 * MS);
    let net = network(DelayDistribution::Constant(20 * MS), 0.0);
    let plan = MeasurePlan {
        batches: Some(2000),
        crashes: 1,
        lasts: 30_000 * MS,
        rare: RareMistakes::Never,
        ..MeasurePlan::new(subject, net, 1)
    };
    let found = measured(&plan).detection;
    assert!(found.low <= Some(1.02) && Some(1.02) <= found.high && found.is_within(0.03), "{found:?}");
}

#[test]
fn whoever_crashes_before_it_begins_never_does_and_is_never_a_victim() {
    let mut plan = nfd_s(50, EXP, 0.0, 1);
    (plan.stagger, plan.warm_up, plan.lasts) = (60_000 * MS, 0, 60_000 * MS);
    (plan.batches, plan.crashes) = (Some(4), 40);
    assert_eq!(measured(&plan).crashes, (160, 0));
}

/// A trace is the same for all runs that were split, so none is.
#[test]
fn traces_are_never_split() {
    let delays = (0..1000).map(|place| (place % 500 > 1).then_some(20 * MS)).collect();
    let delay = DelaySource::Trace(Arc::new(DelayTrace::of(delays).expect("a trace")));
    let profile = Arc::new(NetworkProfile { delay, loss: 0.0, burst: None, fifo: false });
    let plan = MeasurePlan { rare: RareMistakes::Always, ..chandra_toueg(2, 25, profile) };
    assert!(measured(&MeasurePlan { batches: Some(80), ..plan }).splitting.is_none());
}

/// In a ring the neighbour detects a crash; who else does is not promised.
#[test]
fn the_first_counts_where_no_more_is_promised() {
    let mut subject = subject(Ring::new(3, 4).expect("a ring"), 3, 40 * MS);
    subject.completeness = Completeness::Weak;
    let net = network(DelayDistribution::Constant(MS), 0.0);
    let plan = MeasurePlan { batches: Some(8), crashes: 16, ..MeasurePlan::new(subject, net, 1) };
    let found = measured(&plan);
    assert_eq!(found.crashes, (8 * 16, 0), "one for each crash");
}
