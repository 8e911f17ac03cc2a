//! Which properties the theorem about two processes covers: those that speak of every pair, or of one pair that
//! stands for all. It must never count a property in that might speak of more than a pair, or of the next step.

use std::cell::RefCell;
use std::collections::BTreeSet;
use watchkeeper::PropertySpec;
use watchkeeper_logic::{AtomNames, Formula, parse};
use watchkeeper_space::AtomId;

/// The properties of detectors that speak of every pair of processes, and of no more than a pair at a time.
const OF_PAIRS: [&str; 3] = ["strong-accuracy", "eventual-strong-accuracy", "strong-completeness"];

/// Whether a property speaks of every pair of processes, or of one pair that stands for all, and of nothing else.
pub(super) fn is_of_pairs(asked: &PropertySpec) -> bool {
    match asked {
        PropertySpec::Accuracy { of } => of.is_none(),
        // Each ordered pair has a count of its own.
        PropertySpec::Mistakes { .. } => true,
        // The time that somebody has to find out begins anew with the crash of a third process.
        PropertySpec::Deadlock | PropertySpec::Detection { .. } => false,
        PropertySpec::Oscillation { watcher, crashed, .. } => watcher != crashed,
        PropertySpec::Named(name) => OF_PAIRS.contains(&name.as_str()),
        PropertySpec::Formula(text) => speaks_of_two(text),
    }
}

/// Whether a formula has no next step and no quantifier, and all its atoms are about the same two processes.
fn speaks_of_two(text: &str) -> bool {
    let names = AnyName::default();
    let Ok(formula) = parse(text, &names) else { return false };
    let mut pair = BTreeSet::new();
    for name in names.0.into_inner() {
        // An atom without processes is one of the whole system.
        let Some(processes) = processes_of(&name) else { return false };
        pair.extend(processes);
    }
    pair.len() == 2 && !has_next(&formula)
}

/// Every name is one of an atom, and is noted. There are no processes to quantify over, so that a formula with a
/// quantifier is refused, even where the quantifier would leave no mark on what is read.
#[derive(Default)]
struct AnyName(RefCell<Vec<String>>);

impl AtomNames for AnyName {
    fn atom(&self, name: &str) -> Option<AtomId> {
        let mut names = self.0.borrow_mut();
        names.push(name.to_string());
        Some(names.len() - 1)
    }

    fn processes(&self) -> usize {
        0
    }

    fn known(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The one or two processes that an atom of this name is about, if it is about processes only.
fn processes_of(name: &str) -> Option<Vec<u32>> {
    let (_, arguments) = name.strip_suffix(')')?.split_once('(')?;
    let processes: Option<Vec<u32>> = arguments.split(',').map(number_of).collect();
    processes.filter(|processes| processes.len() <= 2)
}

/// The number of a process as atoms name it: `p0`, `p1` and so on.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('p')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn has_next(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => false,
        Formula::Next(_) => true,
        Formula::Not(inner) => has_next(inner),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            has_next(a) || has_next(b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_a_pair_is_told_from_what_does_not() {
        let asked = |text: &str| text.parse::<PropertySpec>().expect(text);
        for text in ["accuracy", "mistakes:2", "oscillation:1:p0:p1", "strong-completeness"] {
            assert!(is_of_pairs(&asked(text)), "{text}");
        }
        for text in
            ["deadlock", "accuracy:p1", "detection:8", "detection:8:p0:p1", "within-capacity", "below-cap"]
        {
            assert!(!is_of_pairs(&asked(text)), "{text}");
        }
    }

    #[test]
    fn a_formula_over_two_named_processes_is_covered() {
        for text in [
            "F G (crashed(p1) -> suspects(p0,p1))",
            "FG (crashed(p1) -> suspects(p0, p1))",
            "□ ◇ ¬suspects(p0,p1)",
            "crashed(p1) ~> G suspects(p0,p1)",
            "G !crashed(p0) & G !crashed(p1)",
            "!suspects(p0,p1) W crashed(p1)",
            "G !\"suspects(p1,p0)\"",
        ] {
            assert!(is_of_pairs(&PropertySpec::Formula(text.to_string())), "{text}");
        }
    }

    #[test]
    fn a_formula_that_speaks_of_more_or_less_or_of_the_next_step_is_not() {
        for text in [
            "G (crashed(p1) -> X suspects(p0,p1))",
            "G (crashed(p1) -> next suspects(p0,p1))",
            "GX suspects(p0,p1)",
            "FX suspects(p0,p1)",
            "XX suspects(p0,p1)",
            "G (crashed(p1) -> ○ suspects(p0,p1))",
            "G !suspects(p0,p1) | G !suspects(p0,p2)",
            "G !crashed(p0)",
            "all q: G (crashed(p1) -> suspects(p0,p1) | crashed(q))",
            "G suspects(p0,p1) & (some q: G crashed(q))",
            "G suspects(p0,p1) & (∀ q: true)",
            "all p != q: F G (crashed(q) -> suspects(p,q))",
            "G (stable -> suspects(p0,p1))",
            "G (within-capacity & !suspects(p0,p1))",
            "G F time-can-pass & G !suspects(p0,p1)",
            "G (\"stable\" -> suspects(p0,p1))",
            "G between(p0,p1,p2)",
            "G (counted(p0,3) & crashed(p1))",
            "G stable",
            "true",
            "G (suspects(p0,p1)",
        ] {
            assert!(!is_of_pairs(&PropertySpec::Formula(text.to_string())), "{text}");
        }
    }
}
