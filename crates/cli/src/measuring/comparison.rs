//! Several measurements on one network, with the same seeds: one table, one plot, one document.

use super::contender::{Contender, Measured};
use super::flags::{MeasurementFlags, NetworkFlags};
use super::report::{cell, figure, json, on, probability, recurrence, time};
use crate::interrupt;
use crate::program::Program;
use serde_json::{Value, json as value};
use watchkeeper::Problem;
use watchkeeper_logic::{ExitCode, Limit};
use watchkeeper_report::{Plot, PlotPoint, TextTable};

/// Detectors with their figures.
pub(crate) struct DetectorComparison<'a> {
    pub(crate) rows: Vec<(Contender<'a>, Measured)>,
    /// What the rows are called, beside their names.
    pub(crate) title: String,
    /// The parameter in which they differ, if it is one.
    varied: Option<String>,
}

impl<'a> DetectorComparison<'a> {
    /// Measures one after the other, until the user has had enough.
    pub(crate) fn measured(
        program: &Program,
        contenders: Vec<Contender<'a>>,
        title: String,
        varied: Option<String>,
        (measurement, quiet): (&MeasurementFlags, bool),
    ) -> Result<DetectorComparison<'a>, Problem> {
        let mut rows = Vec::new();
        for contender in contenders {
            let measured = match contender.measured(program, measurement, quiet) {
                // What is known of the others is told.
                Err(_) if interrupt::asked() && !rows.is_empty() => break,
                measured => measured?,
            };
            rows.push((contender, measured));
            if interrupt::asked() {
                break;
            }
        }
        Ok(DetectorComparison { rows, title, varied })
    }

    /// The exit code: whether the user has ended it.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if interrupt::asked() { ExitCode::UNKNOWN } else { ExitCode::HOLDS }
    }

    /// One row for each.
    pub(crate) fn table(&self, network: &NetworkFlags) -> TextTable {
        let header = [
            "detector",
            "detection, median",
            "99th percentile",
            "mistake recurrence",
            "query accuracy",
            "messages/node/s",
            "proved bound",
            "class",
        ];
        let mut table = TextTable::new(format!("{}, {}", self.title, on(network)), &header);
        for (contender, Measured { found, bound, .. }) in &self.rows {
            let [median, high] = found.detection_percentiles();
            let proved = bound.as_ref().and_then(|bound| {
                let text = time(*bound.found.as_ref().ok()?);
                let same = bound.n == contender.plan.subject.n;
                Some(if same { text } else { format!("{text} (n={})", bound.n) })
            });
            let class = bound.as_ref().and_then(|bound| bound.class.clone());
            table.rows.push(vec![
                contender.name(),
                cell(median, time),
                cell(high, time),
                recurrence(found),
                cell(found.query_accuracy.mean, probability),
                figure(found.messages),
                proved.unwrap_or_else(|| "-".to_string()),
                class.unwrap_or_else(|| "-".to_string()),
            ]);
        }
        table.notes = self.notes();
        table
    }

    /// What tells a row from the others.
    fn point_name(&self, contender: &Contender<'_>) -> String {
        let value = |name: &String| Some(format!("{name}={}", contender.given.get(name)?.value));
        self.varied.as_ref().and_then(value).unwrap_or_else(|| contender.name())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (contender, Measured { found, bound, limit, .. }) in &self.rows {
            let name = contender.name();
            match bound.as_ref().map(|bound| (&bound.found, &bound.rests_on)) {
                Some((Ok(_), rests_on)) => notes.push(format!("{name}: the bound holds if {rests_on}")),
                Some((Err(why), _)) => notes.push(format!("{name}: no bound is proved: {why}")),
                None => {}
            }
            if found.crashes.1 > 0 {
                notes.push(format!("{name}: {} detections did not happen in time", found.crashes.1));
            }
            match limit {
                Some(Limit::Interrupted) => notes.push(format!("{name}: interrupted")),
                Some(_) => notes
                    .push(format!("{name}: the time was up before all intervals were as narrow as asked")),
                None => {}
            }
        }
        notes
    }

    /// All rows, each with all of its figures.
    pub(crate) fn json(
        &self,
        program: &Program,
        (network, measurement): (&NetworkFlags, &MeasurementFlags),
        again: &str,
    ) -> String {
        let row = |(contender, measured): &(Contender<'_>, Measured)| {
            let again = contender.again(program, (network, measurement), measured.found.batches);
            json(contender, measured, network, &again)
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let document = value!({
            "watchkeeper": "comparison",
            "version": 1,
            "program": env!("CARGO_PKG_VERSION"),
            "title": self.title,
            "rows": rows,
            "again": again,
        });
        format!("{document:#}\n")
    }

    /// Accuracy against detection: a point for each, with the interval of its recurrence and the bound on its detection.
    pub(crate) fn plot(&self, network: &NetworkFlags) -> Plot {
        let point = |(contender, Measured { found, bound, .. }): &(Contender<'_>, Measured)| {
            let estimate = found.mistake_recurrence;
            let high = estimate.mean.or(estimate.low)?;
            Some(PlotPoint {
                name: self.point_name(contender),
                at: (found.detection.mean?, high),
                interval: estimate.low.zip(estimate.high),
                open: estimate.mean.is_none(),
                limit: bound.as_ref().and_then(|bound| bound.found.as_ref().ok().copied()),
            })
        };
        Plot {
            title: format!("{}, {}", self.title, on(network)),
            axes: ["mean detection time in seconds".to_string(), "mean mistake recurrence in seconds".to_string()],
            decades: true,
            points: self.rows.iter().filter_map(point).collect(),
            joined: self.varied.is_some(),
            notes: vec![
                "Farther left is sooner, higher up is more accurate. A vertical line is the interval of a recurrence; an arrow says \
                 that no mistake was seen. A dotted line ends at the proved bound on detection."
                    .to_string(),
            ],
            ..Plot::default()
        }
    }
}
