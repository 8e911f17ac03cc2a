//! How the detection times of a measurement are spread, as a plot, with the proved bound as a line.

use super::contender::{Contender, Measured};
use super::flags::NetworkFlags;
use super::report::{on, time};
use watchkeeper_report::{Plot, PlotLine, thousands};

/// How many bars there are.
const BARS: usize = 60;

/// The plot of a measurement.
pub(crate) fn plot(contender: &Contender<'_>, measured: &Measured, network: &NetworkFlags) -> Plot {
    let found = &measured.found;
    let [median, high] = found.detection_percentiles();
    let line = |at: Option<f64>, name: &str, limit: bool| {
        at.map(|at| PlotLine { at, name: format!("{name} {}", time(at)), limit })
    };
    let proved = measured.bound.as_ref().and_then(|bound| bound.found.as_ref().ok().copied());
    let lines = [line(median, "median", false), line(high, "99%", false), line(proved, "proved bound", true)];
    let mut notes = vec![format!("{} detections", thousands(found.crashes.0))];
    if let Some(bound) = measured.bound.as_ref().filter(|bound| bound.found.is_ok()) {
        notes.push(format!("The bound holds if {}", bound.rests_on));
    }
    Plot {
        title: format!(
            "Detection time of {}, n={}, {}",
            contender.name(),
            contender.plan.subject.n,
            on(network)
        ),
        axes: ["seconds from the crash".to_string(), "share of detections".to_string()],
        bars: bars(&found.detections.classes().collect::<Vec<_>>()),
        lines: lines.into_iter().flatten().collect(),
        notes,
        ..Plot::default()
    }
}

/// Bars of one width, from classes of several: what is in a class is spread evenly over it.
fn bars(classes: &[(f64, f64, f64)]) -> Vec<(f64, f64, f64)> {
    let all: f64 = classes.iter().map(|(.., weight)| weight).sum();
    let most = classes.iter().map(|(_, high, _)| *high).fold(0.0, f64::max);
    let width = most / BARS as f64;
    let share = |bar: usize| {
        let (from, to) = (bar as f64 * width, (bar + 1) as f64 * width);
        let within = |&(low, high, weight): &(f64, f64, f64)| {
            weight * (high.min(to) - low.max(from)).max(0.0) / (high - low)
        };
        (from, to, classes.iter().map(within).sum::<f64>() / all)
    };
    if all <= 0.0 { Vec::new() } else { (0..BARS).map(share).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_share_all_that_there_is() {
        let bars = bars(&[(0.0, 0.1, 1.0), (0.5, 1.0, 3.0)]);
        let sum: f64 = bars.iter().map(|(.., high)| high).sum();
        assert!((sum - 1.0).abs() < 1e-9 && bars.len() == BARS);
        assert!((bars[0].2 - 0.25 / 6.0).abs() < 1e-9 && bars[10].2 == 0.0);
        assert!(super::bars(&[]).is_empty());
    }
}
