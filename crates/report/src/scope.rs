//! What a theorem is about: all values of its parameters, under its assumptions. Whoever says that something is proven
//! says it with this, so that no assumption is left out.

use crate::width::tame;
use std::fmt;

/// All values of some parameters that some assumptions allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TheoremScope {
    parameters: Vec<String>,
    assumptions: Vec<String>,
}

impl TheoremScope {
    /// All values of these parameters for which all of these formulas are true. A formula that binds looser than
    /// `and` is given in parentheses.
    pub fn new(parameters: Vec<String>, assumptions: Vec<String>) -> TheoremScope {
        TheoremScope { parameters, assumptions }
    }

    /// The names of the parameters.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// What is assumed of them.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// The assumptions as one formula; empty if there is none.
    pub(crate) fn condition(&self) -> String {
        tame(&self.assumptions.join(" and "))
    }
}

/// `for all tmin and tmax with 1 <= tmin and tmin < tmax`.
impl fmt::Display for TheoremScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.parameters[..] {
            [] => f.write_str("in every state")?,
            [one] => write!(f, "for all {}", tame(one))?,
            [before @ .., last] => write!(f, "for all {} and {}", tame(&before.join(", ")), tame(last))?,
        }
        if self.assumptions.is_empty() { Ok(()) } else { write!(f, " with {}", self.condition()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assumption_is_said() {
        let scope = |parameters: &[&str], assumptions: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(ToString::to_string).collect();
            TheoremScope::new(owned(parameters), owned(assumptions)).to_string()
        };
        assert_eq!(scope(&[], &[]), "in every state");
        assert_eq!(scope(&["T"], &[]), "for all T");
        assert_eq!(
            scope(&["a", "b", "c"], &["a < b", "(b < c or a = c)"]),
            "for all a, b and c with a < b and (b < c or a = c)"
        );
        assert_eq!(scope(&["T"], &["1 <= T\nPROVEN"]), "for all T with 1 <= T PROVEN");
    }
}
