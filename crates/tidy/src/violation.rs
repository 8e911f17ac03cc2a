//! A place where a rule is broken. A violation always names a remedy.

use std::fmt;

/// One place where a rule of the workspace is broken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RuleViolation {
    /// The file, from the root of the workspace.
    pub file: String,
    /// The line, counted from 1, where the violation has one.
    pub line: Option<usize>,
    /// The rule.
    pub rule: String,
    /// What to do.
    pub remedy: String,
}

impl RuleViolation {
    /// A violation by a whole file.
    pub fn of_file(file: &str, rule: impl Into<String>, remedy: impl Into<String>) -> RuleViolation {
        RuleViolation { file: file.to_string(), line: None, rule: rule.into(), remedy: remedy.into() }
    }

    /// A violation in one line of a file.
    pub fn of_line(
        file: &str,
        line: usize,
        rule: impl Into<String>,
        remedy: impl Into<String>,
    ) -> RuleViolation {
        RuleViolation { line: Some(line), ..RuleViolation::of_file(file, rule, remedy) }
    }
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}. {}.", self.rule, self.remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_names_the_file_the_rule_and_the_remedy() {
        let violation = RuleViolation::of_line("crates/x/src/a.rs", 3, "lines end", "End it");
        assert_eq!(violation.to_string(), "crates/x/src/a.rs:3: lines end. End it.");
        assert_eq!(RuleViolation::of_file("LICENSE", "texts exist", "Write it").line, None);
    }
}
