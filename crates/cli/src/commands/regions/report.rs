//! From regions to what is told of them: the formula, each bad piece with a point of whole numbers, and the check of that
//! point, which must find the violation.

use crate::asking::one;
use crate::clock::{Clock, Showing};
use crate::program::Program;
use crate::registry::ProtocolEntry;
use watchkeeper::regions::{Condition, Model, RegionAnswer, RegionQuestion, holds_iff};
use watchkeeper::search_options::SearchOptions;
use watchkeeper::{Outcome, Problem, PropertySpec};
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};
use watchkeeper_report::{Chart, FailingRegion, RegionConstraint, RegionReport, Style};

/// The largest value of a parameter at which a bad piece is checked.
const MOST: i64 = 200;

/// The doublings of a point that are tried: where a protocol halves, whole units may round at the first.
const DOUBLINGS: u32 = 4;

/// What was asked.
pub(super) struct Asked<'a> {
    pub(super) program: &'a Program,
    pub(super) entry: &'a ProtocolEntry,
    pub(super) question: &'a RegionQuestion,
    pub(super) property: &'a str,
    pub(super) options: &'a SearchOptions,
    pub(super) style: &'a Style,
}

pub(super) fn overflow<E>(_: E) -> Problem {
    Problem::Undecided("the numbers of the answer are too large to be exact".to_string())
}

/// What is told of an answer.
pub(super) fn reported(
    asked: &Asked<'_>,
    models: &[Model],
    found: &RegionAnswer,
) -> Result<RegionReport, Problem> {
    let names = &found.parameters;
    let text = |pieces: &[Polyhedron]| Condition::exactly(pieces, names.len()).text(names);
    let mut report = RegionReport {
        name: format!("{} {}", asked.entry.name(), asked.property),
        property: asked.property.to_string(),
        parameters: names.clone(),
        domain: text(&found.domain),
        domain_region: conjunctions(&found.domain, names),
        holds_iff: holds_iff(found)?,
        holds: conjunctions(&found.gists(&found.holds).map_err(overflow)?, names),
        fails: conjunctions(&found.gists(&found.fails).map_err(overflow)?, names),
        undecided: conjunctions(&found.gists(&found.undecided).map_err(overflow)?, names),
        states: (found.states, found.discrete),
        widened: found.widened,
        assumptions: models.first().map_or(Vec::new(), Model::assumptions),
        ..RegionReport::default()
    };
    if !found.undecided.is_empty() {
        report.open = Some(text(&found.gists(&found.undecided).map_err(overflow)?));
        let limits = found.limits.join("; ");
        let ratios = found.unbounded_ratios().map_err(overflow)?;
        let advice = match ratios.first() {
            Some((above, below)) => format!("try --where '{above} <= 16*{below}'"),
            None => "raise --max-states or --timeout".to_string(),
        };
        report.hint = Some(format!("the search ended at a limit ({limits}); {advice}"));
    }
    let fails = found.gists(&found.fails).map_err(overflow)?;
    for (piece, shown) in found.fails.iter().zip(&fails) {
        let mut failing =
            FailingRegion { condition: text(std::slice::from_ref(shown)), ..FailingRegion::default() };
        let known = found.failing.iter().find(|known| piece.includes(&known.region).unwrap_or(false));
        if let Some(known) = known.or(found.failing.first()) {
            failing.reason.clone_from(&known.reason);
            failing.steps.clone_from(&known.steps);
        }
        let confirmed = confirm(asked, piece, &mut failing)?;
        if let Some(warning) = confirmed {
            report.warnings.push(warning);
        }
        report.failing.push(failing);
    }
    Ok(report)
}

/// Checks a point of a bad piece, and takes the chart; says what is odd about it, if anything is.
fn confirm(
    asked: &Asked<'_>,
    piece: &Polyhedron,
    failing: &mut FailingRegion,
) -> Result<Option<String>, Problem> {
    let Some(point) = piece.integer_point(MOST).map_err(overflow)? else { return Ok(None) };
    let values = |scale: i64| -> Vec<i64> { point.iter().map(|value| value * scale).collect() };
    failing.point = Some(asked.question.named(&point));
    for doubling in 0..=DOUBLINGS {
        let point = values(1 << doubling);
        let ratios: Vec<_> = point.iter().map(|&value| value.into()).collect();
        if !piece.contains(&ratios).map_err(overflow)? {
            break;
        }
        let Some((settings, property)) = asked.question.at(&point, asked.property) else { return Ok(None) };
        let plan = match asked.entry.protocol.plan(&settings) {
            Ok(plan) => plan,
            // The point is outside of what whole units allow.
            Err(_) => continue,
        };
        let spec: PropertySpec = property.as_str().into();
        let clock = Clock::start(asked.options.timeout, Showing::Nothing);
        let (verdict, run) = one(asked.program, asked.entry, &plan, spec, asked.options, &clock)?;
        if let Outcome::Violated(_) = verdict.outcome {
            failing.point = Some(asked.question.named(&point));
            failing.command = Some(run.command);
            failing.chart = verdict.trace().map(|trace| Chart::of(trace).text(asked.style));
            return Ok(None);
        }
    }
    Ok(Some(format!(
        "no check with whole units found the violation where {}: halves are rounded there",
        failing.condition
    )))
}

/// The constraints of each piece; an equality is two of them.
fn conjunctions(pieces: &[Polyhedron], names: &[String]) -> Vec<Vec<RegionConstraint>> {
    let told = |sign: i64, constraint: &Constraint| {
        let coefficients = names.iter().zip(constraint.coefficients()).filter(|(_, factor)| **factor != 0);
        RegionConstraint {
            coefficients: coefficients.map(|(name, factor)| (name.clone(), sign * factor)).collect(),
            constant: sign * constraint.constant(),
            strict: constraint.relation() == Relation::Above,
        }
    };
    let each = |constraint: &Constraint| match constraint.relation() {
        Relation::Equal => vec![told(1, constraint), told(-1, constraint)],
        Relation::AtLeast | Relation::Above => vec![told(1, constraint)],
    };
    pieces.iter().map(|piece| piece.constraints().iter().flat_map(each).collect()).collect()
}
