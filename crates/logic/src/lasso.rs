//! The truth of a formula on a lasso, a run that ends in a loop, by the definition, position by position. It shares
//! no code with the automata, so that it can judge the runs that they find.

use crate::Formula;
use watchkeeper_space::AtomId;

/// Whether a formula holds of the run whose states stand at the positions below `len` and go round from the last
/// one to `loops_to`. `atom` says whether an atom holds at a position.
///
/// # Panics
/// If there is no position, or `loops_to` is none.
pub fn holds_on_lasso(
    formula: &Formula,
    len: usize,
    loops_to: usize,
    atom: &impl Fn(usize, AtomId) -> bool,
) -> bool {
    assert!(loops_to < len, "a lasso has a loop");
    Lasso { len, loops_to }.truths(formula, atom)[0]
}

/// The shape of the run.
struct Lasso {
    len: usize,
    loops_to: usize,
}

impl Lasso {
    /// For each position whether the formula holds of the run from there on.
    fn truths(&self, formula: &Formula, atom: &impl Fn(usize, AtomId) -> bool) -> Vec<bool> {
        let pair = |a: &Formula, b: &Formula, join: fn(bool, bool) -> bool| -> Vec<bool> {
            let (a, b) = (self.truths(a, atom), self.truths(b, atom));
            a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
        };
        match formula {
            Formula::True => vec![true; self.len],
            Formula::False => vec![false; self.len],
            Formula::Atom(id) => (0..self.len).map(|position| atom(position, *id)).collect(),
            Formula::Not(inner) => self.truths(inner, atom).into_iter().map(|truth| !truth).collect(),
            Formula::And(a, b) => pair(a, b, |a, b| a && b),
            Formula::Or(a, b) => pair(a, b, |a, b| a || b),
            Formula::Next(inner) => {
                let inner = self.truths(inner, atom);
                (0..self.len).map(|position| inner[self.after(position)]).collect()
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.truths(a, atom), self.truths(b, atom));
                self.fixpoint(false, |position, later| b[position] || a[position] && later)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.truths(a, atom), self.truths(b, atom));
                self.fixpoint(true, |position, later| b[position] && (a[position] || later))
            }
        }
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 == self.len { self.loops_to } else { position + 1 }
    }

    /// The truths that agree with what `step` makes of the truth one position later: of all such truths those
    /// that are nearest to `from` everywhere, the least for false and the greatest for true.
    fn fixpoint(&self, from: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truths = vec![from; self.len];
        loop {
            let mut changed = false;
            for position in (0..self.len).rev() {
                let truth = step(position, truths[self.after(position)]);
                changed |= truth != truths[position];
                truths[position] = truth;
            }
            if !changed {
                return truths;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions as letters: `p` and `q` say which of the two atoms hold.
    fn holds(formula: &Formula, positions: &[&str], loops_to: usize) -> bool {
        let atom = |position: usize, id: AtomId| positions[position].contains(["p", "q"][id]);
        holds_on_lasso(formula, positions.len(), loops_to, &atom)
    }

    fn p() -> Formula {
        Formula::atom(0)
    }

    fn q() -> Formula {
        Formula::atom(1)
    }

    #[test]
    fn the_loop_goes_on_for_ever() {
        assert!(holds(&p().eventually().always(), &["", "p", ""], 1));
        assert!(!holds(&p().eventually().always(), &["", "p", ""], 2));
        assert!(!holds(&p().always().eventually(), &["", "p", ""], 1));
        assert!(holds(&p().always().eventually(), &["", "p", "p"], 1));
    }

    #[test]
    fn next_goes_round() {
        assert!(holds(&p().next(), &["", "p"], 1));
        assert!(holds(&p().next().next(), &["p", ""], 0));
        assert!(!holds(&p().next(), &["p", ""], 0));
        assert!(holds(&p().next(), &["p"], 0));
    }

    #[test]
    fn until_wants_its_end_and_release_does_not() {
        assert!(holds(&p().until(q()), &["p", "p", "q"], 2));
        assert!(!holds(&p().until(q()), &["p", "p", "p"], 0));
        assert!(!holds(&p().until(q()), &["p", "", "q"], 0));
        assert!(holds(&q().release(p()), &["p", "p", "p"], 0));
        assert!(holds(&q().release(p()), &["p", "pq", ""], 2));
        assert!(!holds(&q().release(p()), &["p", "q", ""], 2));
    }

    #[test]
    fn an_answer_may_come_in_the_next_round_only() {
        assert!(holds(&p().leads_to(q()), &["p", "q", "p"], 1));
        assert!(!holds(&p().leads_to(q()), &["q", "p", ""], 1));
    }
}
