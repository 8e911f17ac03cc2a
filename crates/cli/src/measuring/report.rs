//! The figures of a measurement, for people and for machines.

use super::contender::{Contender, Measured};
use super::flags::NetworkFlags;
use serde_json::{Map, Value, json as value};
use watchkeeper_core::Completeness;
use watchkeeper_logic::Limit;
use watchkeeper_report::{TextTable, duration, thousands};
use watchkeeper_sim::Nanos;
use watchkeeper_sim::quality::{Estimate, QualityOfService};

/// The report for people.
pub(crate) fn text(
    contender: &Contender<'_>,
    measured: &Measured,
    network: &NetworkFlags,
    again: &str,
) -> String {
    let found = &measured.found;
    let confidence = percent(contender.plan.confidence);
    let title = format!("{}, n={}, {}", contender.name(), contender.plan.subject.n, on(network));
    let interval = format!("{confidence} interval");
    let mut table = TextTable::new(title, &["figure", "mean", &interval, "median", "99th percentile"]);
    let mut row =
        |name: &str, estimate: &Estimate, percentiles: [Option<f64>; 2], show: fn(f64) -> String| {
            let cell = |value: Option<f64>| value.map_or(String::new(), show);
            table.rows.push(vec![
                name.to_string(),
                cell(estimate.mean),
                ends(estimate, show),
                cell(percentiles[0]),
                cell(percentiles[1]),
            ]);
        };
    row("detection time", &found.detection, found.detection_percentiles(), time);
    row("mistake recurrence", &found.mistake_recurrence, found.recurrence_percentiles, time);
    row("mistake duration", &found.mistake_duration, found.duration_percentiles(), time);
    row("query accuracy", &found.query_accuracy, [None; 2], probability);
    if contender.plan.slow.is_some() {
        let [healthy, slow] = &found.mistakes_by_health;
        row("mistakes/s, healthy about healthy", &healthy[0], [None; 2], figure);
        row("mistakes/s, slow about healthy", &slow[0], [None; 2], figure);
        row("mistakes/s, healthy about slow", &healthy[1], [None; 2], figure);
        row("mistakes/s, slow about slow", &slow[1], [None; 2], figure);
    }
    let plain = |value: f64| Estimate { mean: Some(value), ..Estimate::default() };
    row("messages per node and second", &plain(found.messages), [None; 2], figure);
    row("bytes per node and second", &plain(found.bytes), [None; 2], figure);
    table.notes = notes(contender, measured);
    format!("{}\nAgain (version {})\n  {again}\n", table.text(), env!("CARGO_PKG_VERSION"))
}

/// What the figures mean, and what they rest on.
fn notes(contender: &Contender<'_>, Measured { found, limit, seconds, bound }: &Measured) -> Vec<String> {
    let plan = &contender.plan;
    let mut notes = Vec::new();
    match bound.as_ref().map(|bound| (&bound.found, &bound.rests_on)) {
        Some((Ok(bound), rests_on)) => {
            notes.push(format!("Proved: every crash is detected within {}, if {rests_on}", time(*bound)));
        }
        Some((Err(why), _)) => notes.push(format!("Proved bound on detection: none: {why}")),
        None => {}
    }
    if let Some(class) = bound.as_ref().and_then(|bound| bound.class.as_ref()) {
        notes.push(format!(
            "Class of Chandra and Toueg, under the same bound on delays and without losses: {class}"
        ));
    }
    if plan.subject.completeness == Completeness::Weak {
        notes.push("Detection is that of the first process that suspects the crashed one: the detector promises no more".to_string());
    }
    let (detected, undetected) = found.crashes;
    if undetected > 0 {
        notes.push(format!(
            "{} of {} detections did not happen within {}, and are in no figure",
            thousands(undetected),
            thousands(detected + undetected),
            Nanos(plan.horizon)
        ));
    }
    if found.mistakes == 0 {
        let confidence = percent(plan.confidence);
        let lasting = found.query_accuracy.mean.is_some_and(|share| share < 1.0);
        notes.push(match lasting {
            true => "No mistake began, but some were there all the time: the detector is wrong without an end".to_string(),
            false => {
                format!("No mistake was seen: its recurrence is above the lower end, at a confidence of {confidence}")
            }
        });
    }
    if found.unfinished {
        notes.push(
            "Mistakes are rare, and the time was up before any were found by splitting: give --timeout more, or --lasts less"
                .to_string(),
        );
    }
    if let Some(splitting) = found.splitting {
        let saving = splitting.saving.map_or(String::new(), |saving| {
            format!("; plain runs would need {} times the events", thousands(saving.round() as u64))
        });
        notes.push(format!(
            "Mistakes are rare: found by splitting at {} levels in {} batches{saving}. The percentiles of their recurrence are those \
             of a Poisson process",
            splitting.levels,
            thousands(splitting.batches)
        ));
    }
    notes.push(format!(
        "{} mistakes and {} detections in {} batches, {} simulated, {} events, {}",
        thousands(found.mistakes),
        thousands(detected),
        thousands(found.batches),
        duration(found.simulated),
        thousands(found.events),
        duration(*seconds)
    ));
    match limit {
        Some(Limit::Interrupted) => {
            notes.push("It was interrupted: this is what was known by then".to_string())
        }
        Some(_) => notes
            .push(format!("The time was up before every interval was within {}", percent(plan.precision))),
        None => {}
    }
    notes
}

/// The report for machines.
pub(crate) fn json(
    contender: &Contender<'_>,
    measured: &Measured,
    network: &NetworkFlags,
    again: &str,
) -> Value {
    let Measured { found, limit, seconds, bound } = measured;
    let plan = &contender.plan;
    let params: Map<String, Value> =
        contender.given.iter().map(|(name, given)| (name.clone(), value!(given.value))).collect();
    let network: Map<String, Value> =
        network.words().into_iter().map(|(name, text)| (name.to_string(), value!(text))).collect();
    let with = |estimate: &Estimate, [p50, p99]: [Option<f64>; 2]| value!({ "mean": estimate.mean, "low": estimate.low, "high": estimate.high, "p50": p50, "p99": p99 });
    let plain =
        |estimate: &Estimate| value!({ "mean": estimate.mean, "low": estimate.low, "high": estimate.high });
    let [healthy, slow] = &found.mistakes_by_health;
    let ended = match limit {
        None if plan.batches.is_some() => "batches",
        None => "precision",
        Some(Limit::Interrupted) => "interrupted",
        Some(_) => "timeout",
    };
    value!({
        "watchkeeper": "measurement",
        "version": 1,
        "program": env!("CARGO_PKG_VERSION"),
        "protocol": contender.entry.name(),
        "params": params,
        "n": plan.subject.n,
        "pairs": plan.subject.n * (plan.subject.n - 1),
        "tick": plan.subject.tick as f64 / 1e9,
        "network": network,
        "fifo": plan.network.fifo,
        "detection": with(&found.detection, found.detection_percentiles()),
        "mistake_recurrence": with(&found.mistake_recurrence, found.recurrence_percentiles),
        "mistake_duration": with(&found.mistake_duration, found.duration_percentiles()),
        "query_accuracy": plain(&found.query_accuracy),
        "detected_by": if plan.subject.completeness == Completeness::Weak { "first" } else { "each" },
        "detections": found.crashes.0,
        "undetected": found.crashes.1,
        "mistakes": found.mistakes,
        "mistakes_per_second": {
            "healthy_about_healthy": plain(&healthy[0]),
            "healthy_about_slow": plain(&healthy[1]),
            "slow_about_healthy": plain(&slow[0]),
            "slow_about_slow": plain(&slow[1]),
        },
        "messages_per_second": found.messages,
        "bytes_per_second": found.bytes,
        "bound": bound.as_ref().map(|bound| value!({
            "detection": bound.found.as_ref().ok(),
            "n": bound.n,
            "rests_on": bound.rests_on,
            "class": bound.class,
            "why_none": bound.found.as_ref().err(),
        })),
        "confidence": plan.confidence,
        "precision": plan.precision,
        "precise": found.is_precise(),
        "ended_by": ended,
        "seed": plan.seed,
        "batches": found.batches,
        "splitting": found.splitting.map(|splitting| value!({
            "levels": splitting.levels,
            "hits": splitting.hits,
            "batches": splitting.batches,
            "saving": splitting.saving,
        })),
        "simulated_seconds": found.simulated,
        "events": found.events,
        "seconds": seconds,
        "again": again,
    })
}

/// The network in words.
pub(super) fn on(network: &NetworkFlags) -> String {
    let mut words: Vec<String> =
        network.words().iter().map(|(name, text)| format!("{name} {text}")).collect();
    words.extend(network.fifo.then(|| "fifo".to_string()));
    words.join(", ")
}

/// The interval, if there is one.
fn ends(estimate: &Estimate, show: fn(f64) -> String) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!("{} to {}", show(low), show(high)),
        (Some(low), None) => format!("above {}", show(low)),
        (None, Some(high)) => format!("below {}", show(high)),
        (None, None) => String::new(),
    }
}

/// A time in seconds, to four digits.
pub(crate) fn time(seconds: f64) -> String {
    format!("{} s", figure(seconds))
}

/// A number, to four digits.
pub(crate) fn figure(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return "0".to_string();
    }
    let digits = 3 - number.abs().log10().floor() as i32;
    match digits {
        -5..=0 => thousands(number.round() as u64),
        1..=9 => format!("{number:.*}", digits as usize),
        _ => format!("{number:.3e}"),
    }
}

/// A probability near 1 by how much it lacks.
pub(super) fn probability(share: f64) -> String {
    let lacks = 1.0 - share;
    if lacks <= 0.0 || lacks > 1e-6 { format!("{share:.7}") } else { format!("1 - {lacks:.3e}") }
}

fn percent(share: f64) -> String {
    format!("{}%", (share * 1e6).round() / 1e4)
}

/// The median detection time and the like, for a table of several.
pub(super) fn cell(value: Option<f64>, show: fn(f64) -> String) -> String {
    value.map_or("-".to_string(), show)
}

/// The least that is known of the recurrence of mistakes, if its mean is not.
pub(super) fn recurrence(found: &QualityOfService) -> String {
    match (found.mistake_recurrence.mean, found.mistake_recurrence.low) {
        (Some(mean), _) => time(mean),
        (None, Some(low)) => format!("> {}", time(low)),
        (None, None) => "-".to_string(),
    }
}
