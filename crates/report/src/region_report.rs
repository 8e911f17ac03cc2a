//! Regions for people and for machines: for which parameters a property holds, where it fails and by which run, and what
//! is undecided. It is given texts and numbers and judges nothing.

use crate::numbers::{counted, duration, thousands};
use crate::style::{Ink, Style};
use crate::verdict_json::RunFacts;
use crate::verdict_text::Page;
use crate::width::tame;
use serde_json::{Map, Value as Json, json};

/// The sum of the parameters times their coefficients, plus a constant, is above 0 if it is strict, else at least 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegionConstraint {
    /// The parameters that have a coefficient, in their order.
    pub coefficients: Vec<(String, i64)>,
    /// The constant.
    pub constant: i64,
    /// Whether the border is excluded.
    pub strict: bool,
}

/// A piece of the parameters for which the property fails.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FailingRegion {
    /// The piece as a condition.
    pub condition: String,
    /// A point of whole numbers in it, if there is one.
    pub point: Option<Vec<(String, i64)>>,
    /// What is wrong there.
    pub reason: String,
    /// The steps of the symbolic run that showed it.
    pub steps: Vec<String>,
    /// The command that checks that point, if there is one.
    pub command: Option<String>,
    /// The chart of the run that it finds, as text.
    pub chart: Option<String>,
}

/// Regions held against checks of whole numbers, at points on both sides of every facet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PointComparison {
    /// The facets of the region in which the property holds.
    pub facets: usize,
    /// The points at which both answered.
    pub points: usize,
    /// Those of them that were compared at a multiple of the point, since halves are rounded at the point itself.
    pub scaled: usize,
    /// The points that were not compared, since one of the two did not decide.
    pub open: usize,
    /// A point at which they disagree.
    pub disagreement: Option<PointDisagreement>,
}

/// A point at which the regions and a check disagree: one of the two is wrong.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PointDisagreement {
    /// The point.
    pub point: Vec<(String, i64)>,
    /// What the regions say.
    pub regions: String,
    /// What the check says.
    pub check: String,
    /// The command of the check, if it could be asked.
    pub command: Option<String>,
}

/// The regions of one property.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RegionReport {
    /// The protocol and the property.
    pub name: String,
    /// The property.
    pub property: String,
    /// The parameters.
    pub parameters: Vec<String>,
    /// What is assumed of them, as a condition.
    pub domain: String,
    /// The same as conjunctions.
    pub domain_region: Vec<Vec<RegionConstraint>>,
    /// The condition under which the property holds.
    pub holds_iff: String,
    /// Where it holds: a list of conjunctions.
    pub holds: Vec<Vec<RegionConstraint>>,
    /// Where it fails.
    pub fails: Vec<Vec<RegionConstraint>>,
    /// Where that is undecided.
    pub undecided: Vec<Vec<RegionConstraint>>,
    /// What is undecided, as a condition.
    pub open: Option<String>,
    /// What would decide it.
    pub hint: Option<String>,
    /// The pieces where it fails.
    pub failing: Vec<FailingRegion>,
    /// Symbolic states of the largest search, and discrete states.
    pub states: (usize, usize),
    /// Whether what holds needed widening.
    pub widened: bool,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
    /// What to know before believing it.
    pub warnings: Vec<String>,
    /// How the regions compare with checks, if that was asked.
    pub points: Option<PointComparison>,
    /// How long the search took.
    pub seconds: f64,
}

impl PointComparison {
    /// What came out, in one line.
    fn line(&self, property: &str) -> String {
        let mut text = format!(
            "{property}: {} beside {}",
            counted(self.points as u64, "point"),
            counted(self.facets as u64, "facet")
        );
        if self.scaled > 0 {
            text.push_str(&format!(", {} of them scaled", thousands(self.scaled as u64)));
        }
        if self.open > 0 {
            text.push_str(&format!(", {} more not decided", thousands(self.open as u64)));
        }
        match &self.disagreement {
            None => text.push_str(", no disagreement"),
            Some(apart) => {
                let point = at_point(&apart.point);
                text.push_str(&format!(
                    "; at {point} the regions say {}, and a check says {}",
                    apart.regions, apart.check
                ));
            }
        }
        text
    }

    fn object(&self) -> Json {
        let disagreement = self.disagreement.as_ref().map(|apart| {
            json!({
                "point": point_object(&apart.point),
                "regions": apart.regions,
                "check": apart.check,
                "command": apart.command,
            })
        });
        json!({
            "compared": self.points,
            "facets": self.facets,
            "scaled": self.scaled,
            "undecided": self.open,
            "disagreement": disagreement,
        })
    }
}

/// `tmin = 1, tmax = 2`.
fn at_point(point: &[(String, i64)]) -> String {
    let values: Vec<String> =
        point.iter().map(|(name, value)| format!("{name} = {}", thousands_of(*value))).collect();
    values.join(", ")
}

fn point_object(point: &[(String, i64)]) -> Json {
    Json::Object(point.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

impl RegionReport {
    /// The exit code of this answer.
    pub fn exit_code(&self) -> u8 {
        let apart = self.points.as_ref().is_some_and(|points| points.disagreement.is_some());
        match (apart, self.open.is_some()) {
            (true, _) => 255,
            (false, true) => 153,
            (false, false) => 0,
        }
    }

    /// The first line of a report.
    pub fn headline(&self) -> String {
        let whole = self.parameters.join(" and ");
        format!("{}: {}, for all {whole} with {}", self.answer(), self.name, self.domain)
    }

    /// Where the property holds, in words.
    pub fn answer(&self) -> String {
        match (self.open.is_some(), self.holds_iff.as_str()) {
            (true, "never") => "UNDECIDED where it is not known to fail".to_string(),
            (true, condition) => format!("UNDECIDED in part, HOLDS IF {condition}"),
            (false, "always") => "HOLDS ALWAYS".to_string(),
            (false, "never") => "FAILS ALWAYS".to_string(),
            (false, condition) => format!("HOLDS IFF {condition}"),
        }
    }

    /// `holds`, `violated` or `regions`; `unknown` if something is undecided.
    fn word(&self) -> &'static str {
        match (self.open.is_some(), self.holds_iff.as_str()) {
            (true, _) => "unknown",
            (false, "always") => "holds",
            (false, "never") => "violated",
            (false, _) => "regions",
        }
    }

    fn object(&self, run: &RunFacts) -> Json {
        json!({
            "tool": "watchkeeper",
            "version": env!("CARGO_PKG_VERSION"),
            "verdict": self.word(),
            "property": self.property,
            "limit": self.open.as_ref().map(|open| json!({ "kind": "undecided", "value": open })),
            "distinct_states": self.states.0,
            "seconds": self.seconds,
            "peak_bytes": run.peak_bytes,
            "assumptions": self.assumptions,
            "warnings": self.warnings,
            "exit_code": self.exit_code(),
            "command": run.command,
            "unit": "symbolic states",
            "parameters": self.parameters,
            "domain": self.domain,
            "holds_iff": self.holds_iff,
            "holds": pieces(&self.holds),
            "fails": pieces(&self.fails),
            "undecided": pieces(&self.undecided),
            "widened": self.widened,
            "hint": self.hint,
            "domain_region": pieces(&self.domain_region),
            "witnesses": self.failing.iter().map(witness).collect::<Vec<_>>(),
            "points": self.points.as_ref().map(PointComparison::object),
        })
    }
}

/// The conjunctions of a region.
fn pieces(pieces: &[Vec<RegionConstraint>]) -> Vec<Vec<Json>> {
    let object = |constraint: &RegionConstraint| {
        let coefficients: Map<String, Json> =
            constraint.coefficients.iter().map(|(name, factor)| (name.clone(), json!(factor))).collect();
        json!({ "coefficients": coefficients, "constant": constraint.constant, "strict": constraint.strict })
    };
    pieces.iter().map(|piece| piece.iter().map(object).collect()).collect()
}

fn witness(piece: &FailingRegion) -> Json {
    let point = piece.point.as_ref().map(|point| point_object(point));
    json!({
        "condition": piece.condition,
        "point": point,
        "reason": piece.reason,
        "steps": piece.steps,
        "command": piece.command,
    })
}

/// The regions of one property or of several as JSON, with a line break at the end.
pub fn regions_json(reports: &[RegionReport], run: &RunFacts) -> String {
    if let [only] = reports {
        return format!("{:#}\n", only.object(run));
    }
    let undecided = reports.iter().any(|report| report.open.is_some());
    let object = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": if undecided { "unknown" } else { "regions" },
        "exit_code": reports.iter().map(RegionReport::exit_code).max(),
        "seconds": reports.iter().map(|report| report.seconds).sum::<f64>(),
        "command": run.command,
        "verdicts": reports.iter().map(|report| report.object(run)).collect::<Vec<_>>(),
    });
    format!("{object:#}\n")
}

/// The whole report, with a line break at the end.
pub fn render_regions(reports: &[RegionReport], run: &RunFacts, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    for report in reports {
        let ink = if report.open.is_some() { Ink::Caution } else { Ink::Relief };
        page.out.push_str(&style.paint(ink, &tame(&report.headline())));
        page.out.push('\n');
        if let (Some(open), Some(hint)) = (&report.open, &report.hint) {
            page.out.push_str(&format!("  undecided: {open}\n  {hint}\n"));
        } else if let Some(open) = &report.open {
            page.out.push_str(&format!("  undecided: {open}\n"));
        }
    }
    for report in reports {
        for piece in &report.failing {
            failing(report, piece, &mut page);
        }
    }
    let warned: Vec<String> = reports
        .iter()
        .flat_map(|report| report.warnings.iter().map(move |text| format!("{}: {text}", report.property)))
        .collect();
    if !warned.is_empty() {
        page.section("Warnings");
        warned.iter().for_each(|warning| page.bullet("!", Ink::Caution, warning));
    }
    let mut rests: Vec<&String> = Vec::new();
    for assumption in reports.iter().flat_map(|report| &report.assumptions) {
        if !rests.contains(&assumption) {
            rests.push(assumption);
        }
    }
    page.section("Rests on");
    rests.iter().for_each(|assumption| page.bullet("-", Ink::Plain, assumption));
    page.section("Search");
    for report in reports {
        let (symbolic, discrete) = report.states;
        let widened = if report.widened { ", closed by widening" } else { "" };
        let line = format!(
            "{}: {} of {}{widened}, {}",
            report.property,
            counted(symbolic as u64, "symbolic state"),
            counted(discrete as u64, "discrete state"),
            duration(report.seconds)
        );
        page.bullet("", Ink::Plain, &line);
    }
    if reports.iter().any(|report| report.points.is_some()) {
        page.section("Checked points");
    }
    for report in reports {
        let Some(points) = &report.points else { continue };
        let ink = if points.disagreement.is_some() { Ink::Alarm } else { Ink::Plain };
        page.bullet("", ink, &points.line(&report.property));
        if let Some(command) = points.disagreement.as_ref().and_then(|apart| apart.command.as_ref()) {
            page.out.push_str(&format!("  {}\n", tame(command)));
        }
    }
    page.section("Again");
    page.out.push_str(&format!("  {}\n", tame(&run.command)));
    page.out
}

/// The section of a piece where the property fails.
fn failing(report: &RegionReport, piece: &FailingRegion, page: &mut Page<'_>) {
    page.section(&format!("{} fails where {}", tame(&report.property), tame(&piece.condition)));
    match &piece.point {
        Some(point) => {
            page.bullet("", Ink::Plain, &format!("at {}: {}", at_point(point), piece.reason));
        }
        None => {
            let why = format!("no point of whole numbers was found in it; {}", piece.reason);
            page.bullet("", Ink::Plain, &why);
            page.bullet("", Ink::Plain, &piece.steps.join("; "));
        }
    }
    if let Some(command) = &piece.command {
        page.out.push_str(&format!("  {}\n", tame(command)));
    }
    if let Some(chart) = &piece.chart {
        page.out.push('\n');
        page.out.push_str(chart);
    }
}

fn thousands_of(value: i64) -> String {
    u64::try_from(value).map_or_else(|_| value.to_string(), thousands)
}
