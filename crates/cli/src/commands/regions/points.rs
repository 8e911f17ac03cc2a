//! Regions held against checks: at points of whole numbers on both sides of every facet, where a wrong border would
//! show, the property is checked in dense time by the search that knows nothing of regions.

use super::report::{Asked, overflow};
use crate::asking::one;
use crate::clock::{Clock, ProgressScreen, Showing};
use crate::interrupt;
use std::time::Duration;
use watchkeeper::regions::{RegionAnswer, beside_facets};
use watchkeeper::{Outcome, Problem, PropertySpec};
use watchkeeper_polyhedra::{Polyhedron, Ratio};
use watchkeeper_report::{PointComparison, PointDisagreement, thousands};

/// Where whole units round a half, the answer at a multiple of the point decides: regions without constants are cones,
/// so that the exact answer is the same there.
const MULTIPLES: [i64; 2] = [16, 256];

/// Checks up to so many points on each side of every facet.
pub(super) fn compared(
    asked: &Asked<'_>,
    found: &RegionAnswer,
    count: usize,
    screen: &ProgressScreen,
) -> Result<PointComparison, Problem> {
    // Facets of two parameters need coordinates as far as there are points.
    let most = i64::try_from(count.saturating_mul(4)).unwrap_or(i64::MAX).clamp(100, 100_000);
    let facets = beside_facets(&found.holds, &found.domain, count, most).map_err(overflow)?;
    let mut comparison = PointComparison { facets: facets.len(), ..PointComparison::default() };
    for beside in &facets {
        for point in beside.inside.iter().chain(&beside.outside) {
            if interrupt::asked() {
                return Err(Problem::Undecided("interrupted before all points were checked".to_string()));
            }
            asked_at(asked, found, point, &mut comparison)?;
            if comparison.disagreement.is_some() {
                screen.finish();
                return Ok(comparison);
            }
            screen.draw(Duration::from_millis(500), |_| {
                format!("{}: {} points checked", asked.property, thousands(comparison.points as u64))
            });
        }
    }
    screen.finish();
    Ok(comparison)
}

/// Compares at a point, or at a multiple of it where whole units round.
fn asked_at(
    asked: &Asked<'_>,
    found: &RegionAnswer,
    point: &[i64],
    comparison: &mut PointComparison,
) -> Result<(), Problem> {
    let Some(expected) = side(found, point)? else {
        comparison.open += 1;
        return Ok(());
    };
    let first = checked(asked, point)?;
    if first.answer == Some(expected) {
        comparison.points += 1;
        return Ok(());
    }
    let cones = [&found.domain, &found.holds, &found.fails].into_iter().flatten().all(is_cone);
    for factor in MULTIPLES.into_iter().filter(|_| cones) {
        let multiple: Vec<i64> = point.iter().map(|value| value * factor).collect();
        if checked(asked, &multiple)?.answer == Some(expected) {
            comparison.points += 1;
            comparison.scaled += 1;
            return Ok(());
        }
    }
    if first.limited {
        comparison.open += 1;
        return Ok(());
    }
    comparison.disagreement = Some(PointDisagreement {
        point: asked.question.named(point),
        regions: if expected { "that it holds" } else { "that it fails" }.to_string(),
        check: first.said,
        command: first.command,
    });
    Ok(())
}

/// Whether the property holds at a point, as far as the regions tell.
fn side(found: &RegionAnswer, point: &[i64]) -> Result<Option<bool>, Problem> {
    let point: Vec<Ratio> = point.iter().map(|&value| value.into()).collect();
    for (pieces, holds) in [(&found.holds, true), (&found.fails, false)] {
        for piece in pieces {
            if piece.contains(&point).map_err(overflow)? {
                return Ok(Some(holds));
            }
        }
    }
    Ok(None)
}

fn is_cone(piece: &Polyhedron) -> bool {
    piece.constraints().iter().all(|constraint| constraint.constant() == 0)
}

/// What a check says at a point.
struct CheckedPoint {
    answer: Option<bool>,
    /// Whether a limit ended the search.
    limited: bool,
    said: String,
    command: Option<String>,
}

fn checked(asked: &Asked<'_>, point: &[i64]) -> Result<CheckedPoint, Problem> {
    let refused = |why: String| CheckedPoint { answer: None, limited: false, said: why, command: None };
    let Some((settings, property)) = asked.question.at(point, asked.property) else {
        return Err(Problem::Usage(format!(
            "--points: `check` cannot be asked for {} with such a parameter; leave out --points, or one of the unknown \
             parameters",
            asked.property
        )));
    };
    let plan = match asked.entry.protocol.plan(&settings) {
        Ok(plan) => plan,
        Err(problem) => return Ok(refused(format!("that it cannot be built: {problem}"))),
    };
    let spec: PropertySpec = property.as_str().into();
    let clock = Clock::start(asked.options.timeout, Showing::Nothing);
    let (verdict, run) = one(asked.program, asked.entry, &plan, spec, asked.options, &clock)?;
    let (answer, said) = match verdict.outcome {
        Outcome::Holds(_) => (Some(true), "that it holds"),
        Outcome::Violated(_) => (Some(false), "that it fails"),
        Outcome::Unknown(_) => (None, "nothing, since it ended at a limit"),
    };
    Ok(CheckedPoint { answer, limited: answer.is_none(), said: said.to_string(), command: Some(run.command) })
}
