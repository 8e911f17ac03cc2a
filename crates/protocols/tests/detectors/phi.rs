//! The phi detectors run, heartbeat by heartbeat: how long each waits, what it keeps, and what a burst does to it. Moments
//! are milliseconds.

use crate::effects::p;
use crate::watcher::Watcher;
use proptest::prelude::*;
use watchkeeper_core::Suspicion;
use watchkeeper_protocols::phi::{Phi, PhiConfig, PhiError, PhiForm, PhiMsg};

/// A form as the systems have it: a heartbeat a second, and their limits. The grain is 10 ms.
pub fn config(form: PhiForm) -> PhiConfig {
    let usual = PhiConfig {
        form,
        period: 1000,
        threshold: 8000,
        window: 1000,
        grain: 10,
        first: 1000,
        longest: 100_000,
        pause: 0,
        deviation: 10,
    };
    match form {
        PhiForm::Akka => PhiConfig { pause: 3000, deviation: 100, ..usual },
        PhiForm::Cassandra => PhiConfig { first: 2000, longest: 2000, ..usual },
        PhiForm::Chitchat => PhiConfig { first: 5000, longest: 10_000, ..usual },
        _ => usual,
    }
}

fn watcher(config: PhiConfig) -> Watcher<Phi> {
    Watcher::new(Phi::new(2, config).expect("a detector"))
}

/// After heartbeats at these intervals, over and over, and then none: the silence until the suspicion.
fn silence(config: PhiConfig, intervals: &[u64], heartbeats: usize) -> u64 {
    let mut watcher = watcher(config);
    let mut last = 0;
    for interval in intervals.iter().cycle().take(heartbeats) {
        last += interval;
        watcher.hear(last, p(1), &PhiMsg::Heartbeat);
    }
    assert_eq!(watcher.announced, [], "nobody is suspected while heartbeats come");
    watcher.pass(last + 200_000);
    let [(at, Suspicion::Suspect(_))] = watcher.announced[..] else { panic!("{:?}", watcher.announced) };
    at - last
}

/// With a mean of 1 s and the defaults of each system: Akka and Pekko 4.52 s, Cassandra 18.4 s, 27.6 s with a threshold
/// of 12, chitchat about 8 s. The paper's form has no floor of the deviation but the grain.
#[test]
fn the_silence_at_a_phi_of_8() {
    let measured = PhiForm::ALL.map(|form| silence(config(form), &[1000], 1100));
    assert_eq!(measured, [1057, 4523, 18_421, 8160]);
    let patient = PhiConfig { threshold: 12_000, ..config(PhiForm::Cassandra) };
    assert_eq!(silence(patient, &[1000], 1100), 27_632);
}

/// Intervals of 0.9 s and 1.1 s by turns have a deviation of 0.1 s, which is Akka's floor.
#[test]
fn the_silence_grows_with_the_deviation() {
    let measured = PhiForm::ALL.map(|form| silence(config(form), &[900, 1100], 1100));
    assert_eq!(measured, [1562, 4523, 18_421, 8160]);
    let wide = PhiForm::ALL.map(|form| silence(config(form), &[500, 1500], 1100));
    assert_eq!(wide, [3807, 6613, 18_421, 8160]);
}

/// Before there is a history: Akka's two guesses deviate by a quarter of a second, Cassandra's first interval is 2 s, and
/// chitchat has its prior alone.
#[test]
fn the_silence_after_the_start() {
    let measured = PhiForm::ALL.map(|form| silence(config(form), &[], 0));
    assert_eq!(measured, [1057, 5307, 36_842, 40_001]);
}

proptest! {
    /// The silence is that of the formula in floating point, rounded up, for intervals that are whole grains.
    #[test]
    fn the_silence_is_that_of_the_formula(
        intervals in prop::collection::vec(50..150u64, 1..20),
        threshold in 500..30_000u32,
    ) {
        let all: Vec<u64> = intervals.iter().map(|grains| grains * 10).collect();
        let (n, x) = (all.len() as f64, all.iter().map(|ms| *ms as f64));
        let mean = x.clone().sum::<f64>() / n;
        let deviation = (x.map(|ms| (ms - mean) * (ms - mean)).sum::<f64>() / n).sqrt();
        let phi = f64::from(threshold) / 1000.0;
        for form in PhiForm::ALL {
            // So patient that no interval is a suspicion, and the window is filled several times.
            let config = PhiConfig { threshold, pause: 2000, window: all.len() as u32, ..config(form) };
            let expected = match form {
                PhiForm::Normal => mean + 2000.0 + deviation.max(10.0) * quantile(phi, normal),
                PhiForm::Akka => mean + 2000.0 + deviation.max(100.0) * quantile(phi, logistic),
                PhiForm::Cassandra => phi * 10f64.ln() * mean,
                _ => phi * (mean * n + 25_000.0) / (n + 5.0),
            };
            if expected < 1600.0 {
                continue;
            }
            let measured = silence(config, &all, 4 * all.len()) as f64;
            prop_assert!((measured - expected).abs() <= 1.001, "{:?}: {} for {}", form, measured, expected);
        }
    }
}

/// The least y with a phi of at least this.
fn quantile(phi: f64, of: fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (-5.0, 20.0);
    for _ in 0..80 {
        let middle = (below + above) / 2.0;
        if of(middle) >= phi { above = middle } else { below = middle }
    }
    above
}

fn logistic(y: f64) -> f64 {
    (y * (1.5976 + 0.070566 * y * y)).exp().ln_1p() / 10f64.ln()
}

/// By integrating the density from y on, in steps.
fn normal(y: f64) -> f64 {
    let (steps, far) = (4000, 12.0);
    let width = far / f64::from(steps);
    // Divided by the density at y, so that nothing underflows.
    let density = |x: f64| (-(x * x + 2.0 * x * y) / 2.0).exp();
    let simpson = |step: i32| {
        let x = f64::from(step) * width;
        density(x) + 4.0 * density(x + width / 2.0) + density(x + width)
    };
    let tail: f64 = (0..steps).map(simpson).sum::<f64>() * width / 6.0;
    (y * y / 2.0 + std::f64::consts::TAU.sqrt().ln() - tail.ln()) / 10f64.ln()
}

/// A heartbeat a second, then a pause, and then what was held up arrives at once.
fn after_a_burst(form: PhiForm, window: u32, pause: u64) -> (Vec<(u64, Suspicion)>, u32) {
    let mut watcher = watcher(PhiConfig { window, ..config(form) });
    for beat in 1..=2000 {
        watcher.hear(1000 * beat, p(1), &PhiMsg::Heartbeat);
    }
    let end = 2_000_000 + 1000 * pause;
    for _ in 0..pause {
        watcher.hear(end, p(1), &PhiMsg::Heartbeat);
    }
    let patience = watcher.detector.patience(p(1), &watcher.state);
    watcher.pass(end + 900);
    let after = watcher.announced.iter().map(|(at, said)| (at - 2_000_000, *said)).collect();
    (after, patience)
}

/// In a window of ten intervals, a burst of eleven heartbeats leaves Cassandra with a mean of nothing, and it suspects a peer
/// that has just spoken. With its window of a thousand the same burst costs two tenths of a second.
#[test]
fn a_burst_after_a_pause_makes_cassandra_hasty() {
    let suspect = Suspicion::Suspect(p(1));
    assert_eq!(after_a_burst(PhiForm::Cassandra, 10, 11), (vec![(11_001, suspect)], 1));
    assert_eq!(after_a_burst(PhiForm::Cassandra, 1000, 11), (vec![], 18_237));
}

/// Akka suspects at the pause, does not keep the interval that ended it, and keeps the nothings that follow: a
/// shorter mean, and a deviation that more than makes up for it.
#[test]
fn a_burst_after_a_pause_makes_akka_patient() {
    let (suspect, trust) = (Suspicion::Suspect(p(1)), Suspicion::Trust(p(1)));
    assert_eq!(after_a_burst(PhiForm::Akka, 10, 10), (vec![(4523, suspect), (10_000, trust)], 4668));
    assert_eq!(after_a_burst(PhiForm::Akka, 1000, 10), (vec![(4523, suspect), (10_000, trust)], 4514));
}

/// The paper's form keeps the pause too, and is more patient for as long as the window remembers it.
#[test]
fn a_burst_after_a_pause_makes_the_normal_form_patient() {
    let (said, patience) = after_a_burst(PhiForm::Normal, 1000, 10);
    assert_eq!(said, [(1057, Suspicion::Suspect(p(1))), (10_000, Suspicion::Trust(p(1)))]);
    assert_eq!(patience, 2684);
    assert_eq!(after_a_burst(PhiForm::Normal, 10, 10).1, 17_837);
}

/// Chitchat forgets a suspect, and trusts it when it knows an interval again. One that was too long is none.
#[test]
fn chitchat_trusts_a_suspect_at_its_second_heartbeat() {
    let mut watcher = watcher(config(PhiForm::Chitchat));
    watcher.hear(60_000, p(1), &PhiMsg::Heartbeat);
    watcher.hear(61_000, p(1), &PhiMsg::Heartbeat);
    assert_eq!(watcher.announced, [(40_001, Suspicion::Suspect(p(1))), (61_000, Suspicion::Trust(p(1)))]);
    assert_eq!(watcher.detector.patience(p(1), &watcher.state), 8 * 26_000 / 6 + 1);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |change: fn(&mut PhiConfig)| {
        let mut config = config(PhiForm::Akka);
        change(&mut config);
        Phi::new(2, config).err()
    };
    assert_eq!(refused(|_| {}), None);
    assert_eq!(refused(|config| config.period = 0), Some(PhiError::NoPeriod));
    assert_eq!(refused(|config| config.grain = 0), Some(PhiError::NoGrain));
    assert_eq!(refused(|config| config.threshold = 499), Some(PhiError::Threshold));
    assert_eq!(refused(|config| config.window = 0), Some(PhiError::Window { window: 0 }));
    assert_eq!(refused(|config| config.first = 9), Some(PhiError::First { grain: 10 }));
    let longest = Some(PhiError::Longest { least: 1000, most: 10 << 24 });
    assert_eq!(refused(|config| config.longest = 999), longest);
    assert_eq!(Phi::new(65, config(PhiForm::Akka)), Err(PhiError::Size { n: 65 }));
}
