//! Where a rule is broken. A breach always says what to do about it, because whoever reads it has just
//! written something else.

use std::fmt;

/// One place where a rule of the house is broken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Breach {
    /// The file, from the root of the workspace.
    pub file: String,
    /// The line, counted from 1, where the breach has one.
    pub line: Option<usize>,
    /// The rule.
    pub rule: String,
    /// What to do.
    pub remedy: String,
}

impl Breach {
    /// A breach by a whole file.
    pub fn of_file(file: &str, rule: impl Into<String>, remedy: impl Into<String>) -> Breach {
        Breach { file: file.to_string(), line: None, rule: rule.into(), remedy: remedy.into() }
    }

    /// A breach in one line of a file.
    pub fn of_line(file: &str, line: usize, rule: impl Into<String>, remedy: impl Into<String>) -> Breach {
        Breach { line: Some(line), ..Breach::of_file(file, rule, remedy) }
    }
}

impl fmt::Display for Breach {
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
        let breach = Breach::of_line("crates/x/src/a.rs", 3, "lines end", "End it");
        assert_eq!(breach.to_string(), "crates/x/src/a.rs:3: lines end. End it.");
        assert_eq!(Breach::of_file("LICENSE", "texts exist", "Write it").line, None);
    }
}
