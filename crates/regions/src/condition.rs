//! A condition on parameters: a disjunction of conjunctions of linear constraints, as people write it. It is read
//! (`reading`), written down and turned into polyhedra here; what the simplest one is, is decided in `formula`.

use std::fmt::Write;

use watchkeeper_polyhedra::{Constraint, Overflow, Polyhedron, Relation};

/// A disjunction of conjunctions of constraints over parameters, such as `tmin = tmax or 2*tmin > tmax`.
///
/// ```
/// use watchkeeper_regions::Condition;
///
/// let parameters = ["tmin".to_string(), "tmax".to_string()];
/// let condition = Condition::parse("tmax/2 < tmin <= tmax", &parameters)?;
/// assert_eq!(condition.text(&parameters), "2*tmin > tmax and tmin <= tmax");
/// # Ok::<(), watchkeeper_regions::ConditionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    dimension: usize,
    /// No constraint holds everywhere or nowhere. An empty conjunction stands alone.
    conjunctions: Vec<Vec<Constraint>>,
}

impl Condition {
    /// What holds everywhere.
    pub fn always(dimension: usize) -> Condition {
        Condition { dimension, conjunctions: vec![Vec::new()] }
    }

    /// What holds nowhere.
    pub fn never(dimension: usize) -> Condition {
        Condition { dimension, conjunctions: Vec::new() }
    }

    /// The disjunction of these conjunctions. Constraints that hold everywhere are left out, and so are conjunctions that have
    /// one that holds nowhere.
    pub fn any(dimension: usize, conjunctions: Vec<Vec<Constraint>>) -> Condition {
        let mut kept: Vec<Vec<Constraint>> = Vec::new();
        for mut conjunction in conjunctions {
            if conjunction.iter().any(Constraint::is_contradiction) {
                continue;
            }
            let mut seen: Vec<Constraint> = Vec::new();
            conjunction.retain(|constraint| {
                let fresh = !constraint.is_trivial() && !seen.contains(constraint);
                seen.extend(fresh.then(|| constraint.clone()));
                fresh
            });
            if conjunction.is_empty() {
                return Condition::always(dimension);
            }
            if !kept.contains(&conjunction) {
                kept.push(conjunction);
            }
        }
        Condition { dimension, conjunctions: kept }
    }

    /// The condition that is true in these polyhedra and nowhere else.
    pub fn exactly(pieces: &[Polyhedron], dimension: usize) -> Condition {
        let full = pieces.iter().filter(|piece| !piece.is_empty());
        Condition::any(dimension, full.map(|piece| piece.constraints().to_vec()).collect())
    }

    /// The conjunctions, one of which must hold. There is none in `never`, and an empty one in `always`.
    pub fn conjunctions(&self) -> &[Vec<Constraint>] {
        &self.conjunctions
    }

    /// The number of parameters it is about.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether it holds everywhere.
    pub fn is_always(&self) -> bool {
        self.conjunctions.iter().any(Vec::is_empty)
    }

    /// Whether it holds nowhere by its form: it has no conjunction.
    pub fn is_never(&self) -> bool {
        self.conjunctions.is_empty()
    }

    /// Where it holds: a polyhedron for each conjunction that some point satisfies.
    pub fn regions(&self) -> Result<Vec<Polyhedron>, Overflow> {
        let mut regions = Vec::with_capacity(self.conjunctions.len());
        for conjunction in &self.conjunctions {
            let region = Polyhedron::of(self.dimension, conjunction)?;
            if !region.is_empty() {
                regions.push(region);
            }
        }
        Ok(regions)
    }

    /// The condition in words, which [`Condition::parse`] reads again; the parameters are named in the order of coordinates.
    /// Constraints that all conjunctions share are written once: `a > 0 and (b > a or c > a)`.
    ///
    /// A constraint has positive terms on both sides. The side of one term stands on the left, and a number alone on
    /// the right; where that leaves a choice, the parameter that comes first in the list is on the left.
    pub fn text(&self, parameters: &[String]) -> String {
        if self.is_always() {
            return "always".to_string();
        }
        if self.is_never() {
            return "never".to_string();
        }
        let shared = self.shared();
        let joined = |conjunction: &[Constraint], left_out: &[Constraint]| {
            let rest = conjunction.iter().filter(|constraint| !left_out.contains(constraint));
            rest.map(|constraint| constraint_text(constraint, parameters)).collect::<Vec<_>>().join(" and ")
        };
        let mut rests: Vec<String> = Vec::new();
        for conjunction in &self.conjunctions {
            let rest = joined(conjunction, &shared);
            if !rests.contains(&rest) {
                rests.push(rest);
            }
        }
        let shared_text = joined(&shared, &[]);
        // A conjunction with nothing but what is shared includes all others.
        if rests.iter().any(String::is_empty) {
            return shared_text;
        }
        match (shared_text.is_empty(), rests.len()) {
            (true, _) => rests.join(" or "),
            (false, 1) => format!("{shared_text} and {}", rests[0]),
            (false, _) => format!("{shared_text} and ({})", rests.join(" or ")),
        }
    }

    /// The constraints that all conjunctions have, if there are several; a lone conjunction is not taken apart.
    fn shared(&self) -> Vec<Constraint> {
        let Some((first, others)) = self.conjunctions.split_first() else { return Vec::new() };
        if others.is_empty() {
            return Vec::new();
        }
        let everywhere = |constraint: &&Constraint| others.iter().all(|other| other.contains(constraint));
        first.iter().filter(everywhere).cloned().collect()
    }
}

/// One side of a written constraint.
struct Side {
    text: String,
    terms: usize,
    /// Whether it has a constant or no parameter at all.
    number: bool,
}

/// A constraint with positive terms on both sides.
fn constraint_text(constraint: &Constraint, parameters: &[String]) -> String {
    let sides = [side(constraint, parameters, 1), side(constraint, parameters, -1)];
    // A number alone goes last, a lone term first; then the order of the parameters decides.
    let first = constraint.coefficients().iter().position(|&coefficient| coefficient != 0);
    let named_first = |sign: i64| first.is_some_and(|at| constraint.coefficients()[at].signum() == sign);
    let key = |side: &Side, sign: i64| (side.terms == 0, side.terms != 1 || side.number, !named_first(sign));
    let turned = key(&sides[1], -1) < key(&sides[0], 1);
    let relation = match (constraint.relation(), turned) {
        (Relation::Equal, _) => "=",
        (Relation::AtLeast, false) => ">=",
        (Relation::AtLeast, true) => "<=",
        (Relation::Above, false) => ">",
        (Relation::Above, true) => "<",
    };
    let (left, right) = if turned { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
    format!("{} {relation} {}", left.text, right.text)
}

/// The terms of one sign.
fn side(constraint: &Constraint, parameters: &[String], sign: i64) -> Side {
    let mut side = Side { text: String::new(), terms: 0, number: false };
    for (coefficient, parameter) in constraint.coefficients().iter().zip(parameters) {
        if coefficient.signum() != sign {
            continue;
        }
        if side.terms > 0 {
            side.text.push_str(" + ");
        }
        side.terms += 1;
        if coefficient.unsigned_abs() != 1 {
            // Writing to a text cannot fail.
            let _ = write!(side.text, "{}*", coefficient.unsigned_abs());
        }
        side.text.push_str(&written(parameter));
    }
    let constant = constraint.constant();
    side.number = constant.signum() == sign;
    if side.number || side.terms == 0 {
        let constant = if side.number { constant.unsigned_abs() } else { 0 };
        let plus = if side.terms > 0 { " + " } else { "" };
        let _ = write!(side.text, "{plus}{constant}");
    }
    side
}

/// The name of a parameter within a condition, where a hyphen would be a minus.
pub(crate) fn written(parameter: &str) -> String {
    parameter.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(condition: &str, parameters: &[&str]) -> String {
        let parameters: Vec<String> = parameters.iter().map(|name| name.to_string()).collect();
        Condition::parse(condition, &parameters).unwrap().text(&parameters)
    }

    #[test]
    fn constraints_are_written_as_people_write_them() {
        let network = ["h", "eps", "d", "ttl"];
        assert_eq!(text("h + eps + d - ttl < 0", &network), "ttl > h + eps + d");
        assert_eq!(text("0 <= 2*h - 2*d - 2*eps", &network), "h >= eps + d");
        assert_eq!(text("h + eps >= d + ttl", &network), "h + eps >= d + ttl");
        assert_eq!(text("d + ttl > h + eps", &network), "h + eps < d + ttl");
        assert_eq!(text("-h - d > -7", &network), "h + d < 7");
        assert_eq!(text("-h > -7/2", &network), "2*h < 7");
        assert_eq!(text("3 + h > d", &network), "d < h + 3");
        let round = ["tmin", "tmax"];
        assert_eq!(text("tmax < 2*tmin", &round), "2*tmin > tmax");
        assert_eq!(text("tmax > tmin", &round), "tmin < tmax");
        assert_eq!(text("tmax == tmin", &round), "tmin = tmax");
        assert_eq!(text("tmax = tmin + 1", &round), "tmax = tmin + 1");
        assert_eq!(text("0 < tmin", &round), "tmin > 0");
        assert_eq!(text("max_delta > 1", &["max-delta"]), "max_delta > 1");
    }

    #[test]
    fn alternatives_share_what_they_have_in_common() {
        let names = ["a", "b", "c"];
        assert_eq!(text("a > 0 and b > a or c > a and a > 0", &names), "a > 0 and (a < b or a < c)");
        assert_eq!(text("a > 0 and b > a or a > 0", &names), "a > 0");
        assert_eq!(text("(a > 0 or b > 0) and c > 0", &names), "c > 0 and (a > 0 or b > 0)");
        assert_eq!(text("a > 0 and b > 0 or c > 0", &names), "a > 0 and b > 0 or c > 0");
        assert_eq!(text("a > 0 or 1 > 0", &names), "always");
        assert_eq!(text("a > 0 and 1 < 0", &names), "never");
    }

    #[test]
    fn what_holds_nowhere_has_no_region() {
        let names = ["a".to_string()];
        let nowhere = Condition::parse("a > 1 and a < 1", &names).unwrap();
        assert!(!nowhere.is_never() && nowhere.regions().unwrap().is_empty());
        assert!(Condition::never(1).regions().unwrap().is_empty());
        assert_eq!(Condition::always(1).regions(), Ok(vec![Polyhedron::universe(1)]));
    }
}
