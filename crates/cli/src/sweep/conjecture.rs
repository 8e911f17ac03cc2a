//! The simplest linear conditions that tell where a property holds in a grid, as a conjecture. A pure
//! function of what was found: it never looks beyond the grid, and a condition that is wrong in one cell is
//! none.

use std::collections::HashSet;
use std::fmt;
use watchkeeper_report::Border;

/// The largest factor of a parameter, and the largest number beside two of them.
const MOST: i64 = 4;

/// A cell that is decided: the values of its parameters, and whether the property holds. Where there is one
/// parameter, `y` is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GridPoint {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) holds: bool,
}

/// Where a property holds, perhaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinearConjecture {
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
    /// Where this is true.
    Where(PlaneCondition),
    /// Where both are true.
    Both(PlaneCondition, PlaneCondition),
    /// Where one of them is true.
    Either(PlaneCondition, PlaneCondition),
}

/// That a·x + b·y + c is so related to 0. The first factor that is not 0 is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlaneCondition {
    a: i64,
    b: i64,
    c: i64,
    relation: Relation,
}

/// In the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Relation {
    Equal,
    Above,
    Below,
    AtLeast,
    AtMost,
}

impl Relation {
    const ALL: [Relation; 5] =
        [Relation::Equal, Relation::Above, Relation::Below, Relation::AtLeast, Relation::AtMost];

    fn sign(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Above => ">",
            Relation::Below => "<",
            Relation::AtLeast => ">=",
            Relation::AtMost => "<=",
        }
    }
}

/// The simplest conjecture that is right in all these cells: fewest conditions first, then those without a
/// number of their own, then the smallest factors. `None` if none is right, or if there is no cell.
pub(crate) fn conjecture(points: &[GridPoint]) -> Option<LinearConjecture> {
    let truth = Cells::of(points, |point| point.holds);
    match points.iter().filter(|point| point.holds).count() {
        _ if points.is_empty() => return None,
        0 => return Some(LinearConjecture::Never),
        all if all == points.len() => return Some(LinearConjecture::Always),
        _ => {}
    }
    let candidates = candidates(points);
    if let Some((condition, _)) = candidates.iter().find(|(_, cells)| *cells == truth) {
        return Some(LinearConjecture::Where(*condition));
    }
    let wider: Vec<_> = candidates.iter().filter(|(_, cells)| truth.within(cells)).collect();
    let narrower: Vec<_> = candidates.iter().filter(|(_, cells)| cells.within(&truth)).collect();
    let both = simplest(&wider, |one, other| one.meets(other, &truth));
    let either = simplest(&narrower, |one, other| one.joins(other, &truth));
    match (both, either) {
        (Some((cost, _)), Some((less, (p, q)))) if less < cost => Some(LinearConjecture::Either(p, q)),
        (Some((_, (p, q))), _) => Some(LinearConjecture::Both(p, q)),
        (None, Some((_, (p, q)))) => Some(LinearConjecture::Either(p, q)),
        (None, None) => None,
    }
}

type Cost = (i64, i64, i64, Relation, Relation);

/// The cheapest pair that is right.
fn simplest(
    known: &[&(PlaneCondition, Cells)],
    right: impl Fn(&Cells, &Cells) -> bool,
) -> Option<(Cost, (PlaneCondition, PlaneCondition))> {
    let mut best: Option<(Cost, (PlaneCondition, PlaneCondition))> = None;
    for (i, (p, one)) in known.iter().enumerate() {
        for (q, other) in &known[i + 1..] {
            let (m, n) = (p.cost(), q.cost());
            let cost = (m.0 + n.0, m.1 + n.1, m.2 + n.2, m.3, n.3);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) && right(one, other) {
                best = Some((cost, (*p, *q)));
            }
        }
    }
    best
}

/// Every condition that says something about these cells, simplest first; of those that say the same, one.
fn candidates(points: &[GridPoint]) -> Vec<(PlaneCondition, Cells)> {
    let span = |of: fn(&GridPoint) -> i64| {
        let values = points.iter().map(of);
        (values.clone().min().unwrap_or(0), values.max().unwrap_or(0))
    };
    let mut all = Vec::new();
    for relation in Relation::ALL {
        for (a, b) in (0..=MOST).flat_map(|a| (-MOST..=MOST).map(move |b| (a, b))) {
            let numbers = match (a, b) {
                (1, 0) => -span(|point| point.x).1..=-span(|point| point.x).0,
                (0, 1) => -span(|point| point.y).1..=-span(|point| point.y).0,
                (_, 0) | (0, _) => continue,
                _ => -MOST..=MOST,
            };
            let reduced = |c: &i64| gcd(gcd(a, b), *c) == 1;
            all.extend(numbers.filter(reduced).map(|c| PlaneCondition { a, b, c, relation }));
        }
    }
    all.sort_by_key(PlaneCondition::cost);
    let mut known = HashSet::new();
    let cells = |condition: &PlaneCondition| Cells::of(points, |point| condition.holds(point.x, point.y));
    let fresh = |condition: PlaneCondition| {
        let cells = cells(&condition);
        known.insert(cells.clone()).then_some((condition, cells))
    };
    all.into_iter().filter_map(fresh).collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// A set of cells.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Cells(Vec<u64>);

impl Cells {
    fn of(points: &[GridPoint], has: impl Fn(&GridPoint) -> bool) -> Cells {
        let word = |chunk: &[GridPoint]| {
            chunk.iter().enumerate().fold(0, |word, (i, point)| word | u64::from(has(point)) << i)
        };
        Cells(points.chunks(64).map(word).collect())
    }

    fn within(&self, other: &Cells) -> bool {
        self.0.iter().zip(&other.0).all(|(own, its)| own & !its == 0)
    }

    fn meets(&self, other: &Cells, in_these: &Cells) -> bool {
        self.0.iter().zip(&other.0).zip(&in_these.0).all(|((own, its), these)| own & its == *these)
    }

    fn joins(&self, other: &Cells, to_these: &Cells) -> bool {
        self.0.iter().zip(&other.0).zip(&to_these.0).all(|((own, its), these)| own | its == *these)
    }
}

impl PlaneCondition {
    fn holds(&self, x: i64, y: i64) -> bool {
        let value = self.a * x + self.b * y + self.c;
        match self.relation {
            Relation::Equal => value == 0,
            Relation::Above => value > 0,
            Relation::Below => value < 0,
            Relation::AtLeast => value >= 0,
            Relation::AtMost => value <= 0,
        }
    }

    fn cost(&self) -> (i64, i64, i64, Relation) {
        (i64::from(self.c != 0), self.a.abs() + self.b.abs(), self.c.abs(), self.relation)
    }

    /// The line between the values that satisfy it and those next to them that do not.
    fn border(&self) -> Border {
        let aside = match self.relation {
            Relation::Equal => 0,
            Relation::Above | Relation::AtMost => -1,
            Relation::Below | Relation::AtLeast => 1,
        };
        Border { a: 2 * self.a, b: 2 * self.b, c: 2 * self.c + aside }
    }

    fn told(&self, x: &str, y: &str) -> String {
        let terms = [(self.a, Some(x)), (self.b, Some(y)), (self.c, None)];
        let side = |sign: i64| {
            let here = terms.iter().filter(|(factor, _)| factor * sign > 0);
            let words: Vec<String> = here.map(|(factor, name)| term(factor * sign, *name)).collect();
            if words.is_empty() { "0".to_string() } else { words.join(" + ") }
        };
        format!("{} {} {}", side(1), self.relation.sign(), side(-1))
    }
}

fn term(factor: i64, name: Option<&str>) -> String {
    match (factor, name) {
        (factor, None) => factor.to_string(),
        (1, Some(name)) => name.to_string(),
        (factor, Some(name)) => format!("{factor}*{name}"),
    }
}

impl LinearConjecture {
    /// As a person writes it, with the names of the parameters.
    pub(crate) fn told(&self, x: &str, y: &str) -> String {
        match self {
            LinearConjecture::Always => "always".to_string(),
            LinearConjecture::Never => "never".to_string(),
            LinearConjecture::Where(condition) => condition.told(x, y),
            LinearConjecture::Both(p, q) => format!("{} and {}", p.told(x, y), q.told(x, y)),
            LinearConjecture::Either(p, q) => format!("{} or {}", p.told(x, y), q.told(x, y)),
        }
    }

    /// The borders of the region.
    pub(crate) fn borders(&self) -> Vec<Border> {
        match self {
            LinearConjecture::Always | LinearConjecture::Never => Vec::new(),
            LinearConjecture::Where(condition) => vec![condition.border()],
            LinearConjecture::Both(p, q) | LinearConjecture::Either(p, q) => vec![p.border(), q.border()],
        }
    }
}

impl fmt::Display for LinearConjecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told("x", "y"))
    }
}

#[cfg(test)]
#[path = "conjecture_tests.rs"]
mod tests;
