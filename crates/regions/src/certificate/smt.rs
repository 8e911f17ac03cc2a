//! Constraints as SMT-LIB. The names of variables are made here, so that nothing of a file is ever a command to a solver.

use super::write::sign;
use std::fmt::Write;
use watchkeeper_polyhedra::Constraint;

/// A list of constraints and the name of each column.
#[derive(Clone, Copy)]
pub(super) struct Conjunction<'a> {
    pub(super) rows: &'a [Constraint],
    pub(super) columns: &'a [String],
}

/// A question that must have no answer: variables, formulas that hold, and some of which none may hold.
#[derive(Default)]
pub(super) struct QuestionScript {
    out: String,
}

impl QuestionScript {
    /// Real variables of these names.
    pub(super) fn declare<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            let _ = writeln!(self.out, "(declare-const {name} Real)");
        }
    }

    /// All constraints hold.
    pub(super) fn assert(&mut self, all: Conjunction<'_>) {
        for row in all.rows {
            let _ = writeln!(self.out, "(assert {})", formula(row, all.columns));
        }
    }

    /// Some constraint of each does not hold: the goal is that this cannot be.
    pub(super) fn deny(&mut self, all: Conjunction<'_>) {
        let rows: Vec<String> = all.rows.iter().map(|row| formula(row, all.columns)).collect();
        let _ = match &rows[..] {
            [] => writeln!(self.out, "(assert false)"),
            [one] => writeln!(self.out, "(assert (not {one}))"),
            several => writeln!(self.out, "(assert (not (and {})))", several.join(" ")),
        };
    }

    pub(super) fn text(self) -> String {
        self.out
    }
}

fn formula(row: &Constraint, columns: &[String]) -> String {
    let mut terms = Vec::new();
    for (&factor, name) in row.coefficients().iter().zip(columns) {
        match factor {
            0 => {}
            1 => terms.push(name.clone()),
            factor => terms.push(format!("(* {} {name})", literal(factor))),
        }
    }
    if row.constant() != 0 || terms.is_empty() {
        terms.push(literal(row.constant()));
    }
    let sum = if terms.len() == 1 { terms.concat() } else { format!("(+ {})", terms.join(" ")) };
    format!("({} {sum} 0.0)", sign(row.relation()))
}

fn literal(number: i64) -> String {
    let size = number.unsigned_abs();
    if number < 0 { format!("(- {size}.0)") } else { format!("{size}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_polyhedra::Relation;

    #[test]
    fn constraints_are_written_with_every_number() {
        let columns = ["p0", "p1", "b0"].map(str::to_string);
        let row = |coefficients: [i64; 3], constant, relation| {
            formula(&Constraint::new(coefficients.to_vec(), constant, relation), &columns)
        };
        assert_eq!(row([2, -1, 0], 0, Relation::Above), "(> (+ (* 2.0 p0) (* (- 1.0) p1)) 0.0)");
        assert_eq!(row([0, 0, 1], -3, Relation::AtLeast), "(>= (+ b0 (- 3.0)) 0.0)");
        assert_eq!(row([0, 0, 5], 0, Relation::Equal), "(= b0 0.0)");
        assert_eq!(row([0, 0, 0], -1, Relation::AtLeast), "(>= (- 1.0) 0.0)");
        let least = row([i64::MIN, 1, 0], 0, Relation::AtLeast);
        assert_eq!(least, "(>= (+ (* (- 9223372036854775808.0) p0) p1) 0.0)");
    }

    #[test]
    fn what_is_denied_is_one_formula_and_an_empty_list_holds_always() {
        let columns = ["p0".to_string()];
        let rows = [1, 2].map(|constant| Constraint::new(vec![1], constant, Relation::Above));
        let denied = |rows: &[Constraint]| {
            let mut script = QuestionScript::default();
            script.deny(Conjunction { rows, columns: &columns });
            script.text()
        };
        assert_eq!(denied(&[]), "(assert false)\n");
        assert_eq!(denied(&rows[..1]), "(assert (not (> (+ p0 1.0) 0.0)))\n");
        assert_eq!(denied(&rows), "(assert (not (and (> (+ p0 1.0) 0.0) (> (+ p0 2.0) 0.0))))\n");
    }
}
