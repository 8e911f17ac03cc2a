//! The picture of regions: the pieces of two parameters as half-planes, and of three as a few slices. Numbers become
//! inexact here, and nothing but the picture is made of them.

use watchkeeper::Problem;
use watchkeeper::regions::{RegionAnswer, RegionQuestion};
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};
use watchkeeper_report::{Area, AreaMap, AreaPanel, AreaSide, HalfPlane, RegionReport};

/// Where a third parameter is cut, before constants ask for more.
const SLICES: [i64; 3] = [2, 5, 8];

/// The largest value that a picture shows, unless a corner lies beyond.
const USUAL: f64 = 10.0;
const FARTHEST: f64 = 1e6;

/// Refuses what a picture cannot show, before anything is searched.
pub(super) fn drawable(question: &RegionQuestion) -> Result<(), Problem> {
    match question.unknown.len() {
        2 | 3 => Ok(()),
        0 | 1 => Err(Problem::Usage(
            "a picture shows two unknown parameters; name one more with --param NAME, or leave out --svg"
                .to_string(),
        )),
        more => Err(Problem::Usage(format!(
            "a picture shows two unknown parameters, or three in slices, and here are {more}; fix the others with \
             --param NAME=VALUE, or leave out --svg"
        ))),
    }
}

/// The pieces of one property, each with its side.
pub(super) fn pieces(found: &RegionAnswer) -> Vec<(AreaSide, Polyhedron)> {
    let sides = [
        (AreaSide::Holds, &found.holds),
        (AreaSide::Fails, &found.fails),
        (AreaSide::Undecided, &found.undecided),
    ];
    sides
        .into_iter()
        .flat_map(|(side, pieces)| pieces.iter().map(move |piece| (side, piece.clone())))
        .collect()
}

/// The picture of these properties, each with its pieces.
pub(super) fn picture(reports: &[RegionReport], regions: &[Vec<(AreaSide, Polyhedron)>]) -> String {
    let Some(first) = reports.first() else { return String::new() };
    let third = first.parameters.get(2);
    let cuts: Vec<Option<i64>> = match third {
        None => vec![None],
        Some(_) => {
            let scale = regions.iter().flatten().map(|(_, piece)| scale(piece)).max().unwrap_or(1);
            SLICES.iter().map(|value| Some(value * scale)).collect()
        }
    };
    let mut panels = Vec::new();
    for (report, pieces) in reports.iter().zip(regions) {
        for &cut in &cuts {
            let areas = pieces.iter().filter_map(|(side, piece)| area(*side, piece, cut)).collect();
            let name = match (third, cut) {
                (Some(third), Some(value)) => format!("{}, {third} = {value}", report.property),
                _ => report.property.clone(),
            };
            let caption = if reports.len() > 1 { report.answer() } else { String::new() };
            panels.push(AreaPanel { name, areas, caption });
        }
    }
    let title = match reports {
        [only] => only.headline(),
        _ => {
            let names: Vec<&str> = reports.iter().map(|report| report.name.as_str()).collect();
            format!("{}, for all {} with {}", names.join(", "), first.parameters.join(" and "), first.domain)
        }
    };
    let axes = [first.parameters[0].clone(), first.parameters[1].clone()];
    AreaMap { title, axes, most: most(&panels), panels }.svg()
}

/// How far apart slices should be: where constants are large, so is the third parameter that matters.
fn scale(piece: &Polyhedron) -> i64 {
    let each = |constraint: &Constraint| {
        let factor = constraint.coefficients()[2].unsigned_abs().max(1);
        i64::try_from(constraint.constant().unsigned_abs() / factor / 5).unwrap_or(1)
    };
    piece.constraints().iter().map(each).max().unwrap_or(1).max(1)
}

/// A piece, or a slice of it; `None` if nothing of it is there.
fn area(side: AreaSide, piece: &Polyhedron, cut: Option<i64>) -> Option<Area> {
    let mut bounds = Vec::new();
    for constraint in piece.constraints().iter().flat_map(Constraint::inequalities) {
        let factor = |at: usize| constraint.coefficients().get(at).map_or(0.0, |&factor| factor as f64);
        let strict = constraint.relation() == Relation::Above;
        let c = constraint.constant() as f64 + factor(2) * cut.unwrap_or(0) as f64;
        let bound = HalfPlane { a: factor(0), b: factor(1), c, strict };
        if bound.a != 0.0 || bound.b != 0.0 {
            bounds.push(bound);
        } else if c < 0.0 || c == 0.0 && strict {
            return None;
        }
    }
    Some(Area { side, bounds })
}

/// A value beyond all corners of the areas.
fn most(panels: &[AreaPanel]) -> u32 {
    let mut farthest: f64 = 0.0;
    for panel in panels {
        let planes: Vec<&HalfPlane> = panel.areas.iter().flat_map(|area| &area.bounds).collect();
        for (at, p) in planes.iter().enumerate() {
            for q in &planes[at + 1..] {
                let determinant = p.a * q.b - p.b * q.a;
                let (x, y) = ((p.b * q.c - q.b * p.c) / determinant, (q.a * p.c - p.a * q.c) / determinant);
                if determinant != 0.0 && x >= 0.0 && y >= 0.0 && x.max(y) <= FARTHEST {
                    farthest = farthest.max(x).max(y);
                }
            }
        }
    }
    let wanted = (farthest * 1.5).max(USUAL);
    ((wanted / 5.0).ceil() * 5.0) as u32
}
