//! The simplest formula for a table of numbers over Δ and Φ, as a conjecture. A pure function of what was
//! found: it never looks beyond the table, and a formula that is wrong in one cell is none.

use std::fmt;

/// The largest factor of Φ.
const MOST_PHI: i64 = 6;

/// The largest period in Δ, and the largest factor of a period.
const MOST_PERIOD: i64 = 4;

/// A number of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeoutCell {
    /// Δ.
    pub delta: i64,
    /// Φ.
    pub phi: i64,
    /// The number.
    pub value: i64,
}

/// A formula that is right in every cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjecture {
    /// The formula for all Φ from the second part of each pair on, up to the next; the first is for all others.
    parts: Vec<(i64, Part)>,
}

/// The largest of one or two terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    one: Term,
    other: Option<Term>,
}

/// `phi`·Φ + `factor`·⌊(Δ + `shift`) / `period`⌋ + `constant`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Term {
    phi: i64,
    factor: i64,
    period: i64,
    shift: i64,
    constant: i64,
}

/// The simplest formula that is right in all cells: one term, or the larger of two, for all Φ; or one such for
/// small Φ and one for the others. `None` if there is none, or if there are too few cells to say.
pub fn conjecture(cells: &[TimeoutCell]) -> Option<Conjecture> {
    if cells.len() < 4 {
        return None;
    }
    let first = cells.iter().map(|cell| cell.phi).min()?;
    if let Some(part) = simplest(cells) {
        return Some(Conjecture { parts: vec![(first, part)] });
    }
    let last = cells.iter().map(|cell| cell.phi).max()?;
    (first + 1..=last).find_map(|from| {
        let (large, small): (Vec<TimeoutCell>, Vec<TimeoutCell>) =
            cells.iter().partition(|cell| cell.phi >= from);
        Some(Conjecture { parts: vec![(first, simplest(&small)?), (from, simplest(&large)?)] })
    })
}

/// One term, or else the larger of two.
fn simplest(cells: &[TimeoutCell]) -> Option<Part> {
    let mut terms = touching(cells);
    terms.sort_by_key(|term| (term.cost(), *term));
    let is_right = |value: &dyn Fn(&TimeoutCell) -> i64| cells.iter().all(|cell| value(cell) == cell.value);
    if let Some(&one) = terms.iter().find(|term| is_right(&|cell| term.at(cell))) {
        return Some(Part { one, other: None });
    }
    let mut best: Option<(i64, Part)> = None;
    for (i, &one) in terms.iter().enumerate() {
        for &other in &terms[i + 1..] {
            let cost = one.cost() + other.cost();
            if best.as_ref().is_none_or(|(least, _)| cost < *least)
                && is_right(&|cell| one.at(cell).max(other.at(cell)))
            {
                // Told with the larger part of phi first.
                let (one, other) = if one.phi >= other.phi { (one, other) } else { (other, one) };
                best = Some((cost, Part { one, other: Some(other) }));
            }
        }
    }
    best.map(|(_, part)| part)
}

/// Every term of each shape that is nowhere above the table and somewhere on it: no other one can be the only
/// term, or matter in a maximum.
fn touching(cells: &[TimeoutCell]) -> Vec<Term> {
    let mut terms = Vec::new();
    for phi in 0..=MOST_PHI {
        for period in 1..=MOST_PERIOD {
            for (factor, shift) in (0..=MOST_PERIOD).flat_map(|factor| (0..period).map(move |r| (factor, r)))
            {
                if factor == 0 && period > 1 {
                    continue;
                }
                let term = Term { phi, factor, period, shift, constant: 0 };
                let constant = cells.iter().map(|cell| cell.value - term.at(cell)).min();
                terms.extend(constant.map(|constant| Term { constant, ..term }));
            }
        }
    }
    terms
}

impl Term {
    fn at(&self, cell: &TimeoutCell) -> i64 {
        self.phi * cell.phi + self.factor * (cell.delta + self.shift).div_euclid(self.period) + self.constant
    }

    fn cost(&self) -> i64 {
        self.phi + self.factor + (self.period - 1) + self.shift + self.constant.abs()
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let delta = match (self.period, self.shift) {
            (1, _) => "delta".to_string(),
            (period, 0) => format!("floor(delta/{period})"),
            (period, shift) => format!("floor((delta + {shift})/{period})"),
        };
        let mut words = Vec::new();
        for (factor, name) in [(self.phi, "phi"), (self.factor, delta.as_str())] {
            match factor {
                0 => {}
                1 => words.push(name.to_string()),
                factor => words.push(format!("{factor}*{name}")),
            }
        }
        let sum = words.join(" + ");
        match (sum.is_empty(), self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => f.write_str(&sum),
            (false, constant) => {
                write!(f, "{sum} {} {}", if constant < 0 { "-" } else { "+" }, constant.abs())
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.other {
            None => self.one.fmt(f),
            Some(other) => write!(f, "max({}, {other})", self.one),
        }
    }
}

impl fmt::Display for Conjecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts.as_slice() {
            [(first, small), (from, large)] => {
                let below = from - 1;
                let small_phi =
                    if below == *first { format!("phi = {first}") } else { format!("phi <= {below}") };
                write!(f, "{large} for phi >= {from}, and {small} for {small_phi}")
            }
            parts => parts.iter().try_for_each(|(_, part)| part.fmt(f)),
        }
    }
}

impl Conjecture {
    /// What it says of a pair of bounds.
    pub fn at(&self, delta: i64, phi: i64) -> Option<i64> {
        let (_, part) = self.parts.iter().rev().find(|(from, _)| phi >= *from)?;
        let cell = TimeoutCell { delta, phi, value: 0 };
        let one = part.one.at(&cell);
        Some(part.other.map_or(one, |other| one.max(other.at(&cell))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(value: impl Fn(i64, i64) -> i64) -> Vec<TimeoutCell> {
        let cells = (0..=8).flat_map(|delta| (1..=8).map(move |phi| (delta, phi)));
        cells.map(|(delta, phi)| TimeoutCell { delta, phi, value: value(delta, phi) }).collect()
    }

    fn told(cells: &[TimeoutCell]) -> Option<String> {
        conjecture(cells).map(|formula| formula.to_string())
    }

    #[test]
    fn what_made_a_table_is_found_again() {
        assert_eq!(told(&table(|delta, phi| 6 * phi + delta)).as_deref(), Some("6*phi + delta"));
        assert_eq!(told(&table(|_, _| 7)).as_deref(), Some("7"));
        assert_eq!(
            told(&table(|delta, phi| 2 * phi + 3 * ((delta + 1) / 2) - 4)).as_deref(),
            Some("2*phi + 3*floor((delta + 1)/2) - 4")
        );
        assert_eq!(
            told(&table(|delta, phi| (3 * phi).max(2 * delta + 1))).as_deref(),
            Some("max(3*phi, 2*delta + 1)")
        );
        let split = |delta, phi| if phi == 1 { delta + 3 } else { 3 * phi };
        assert_eq!(told(&table(split)).as_deref(), Some("3*phi for phi >= 2, and delta + 3 for phi = 1"));
    }

    #[test]
    fn one_wrong_cell_is_enough_to_have_none() {
        let mut cells = table(|delta, phi| 3 * phi + delta);
        cells[40].value += 1;
        assert_eq!(told(&cells), None);
        assert_eq!(told(&cells[..3]), None, "too few to say");
        assert_eq!(told(&table(|delta, phi| delta * phi * phi)), None);
    }

    #[test]
    fn every_conjecture_is_right_in_every_cell() {
        for seed in 0..40 {
            let cells = table(|delta, phi| (seed * delta + 3 * phi).max(7 * phi - seed) / (1 + seed % 3));
            let Some(formula) = conjecture(&cells) else { continue };
            for cell in &cells {
                assert_eq!(formula.at(cell.delta, cell.phi), Some(cell.value), "{formula} at {cell:?}");
            }
        }
    }
}
