//! Claims of a common form that need no automaton: an engine has a faster algorithm for each. A recognised form
//! means the same as the claim; any other claim is passed on as it is.

use crate::Formula;
use crate::Formula::{And, False, Or, Release, True, Until};
use crate::automaton::{conjuncts, dual, normal};

/// A claim by its form; all formulas but the general one speak of one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shortcut {
    /// `G p`: it holds in every state of every run.
    Always(Formula),
    /// `F G p`: from some time on it holds for ever.
    EventuallyAlways(Formula),
    /// `G F p`: it holds again and again.
    AlwaysEventually(Formula),
    /// `G (p -> F q)`: whenever the first holds, the second does so then or later.
    LeadsTo(Formula, Formula),
    /// Anything else.
    General(Formula),
}

impl Shortcut {
    /// The claim as a formula.
    pub fn formula(&self) -> Formula {
        match self {
            Shortcut::Always(p) => p.clone().always(),
            Shortcut::EventuallyAlways(p) => p.clone().always().eventually(),
            Shortcut::AlwaysEventually(p) => p.clone().eventually().always(),
            Shortcut::LeadsTo(p, q) => p.clone().leads_to(q.clone()),
            Shortcut::General(formula) => formula.clone(),
        }
    }
}

/// The claim as a conjunction of claims, each by its form. There is none if nothing is claimed, at most one
/// `Always` and at most one `EventuallyAlways`.
pub fn shortcuts(claim: &Formula) -> Vec<Shortcut> {
    let mut found = Vec::new();
    for part in conjuncts(normal(claim)) {
        match part {
            Release(left, right) if *left == False => always(*right, &mut found),
            Until(left, right) if *left == True => found.push(eventually(*right)),
            other => found.push(Shortcut::General(other)),
        }
    }
    found
}

/// `G` of something: of a conjunction it is a conjunction.
fn always(inner: Formula, found: &mut Vec<Shortcut>) {
    match inner {
        state if state.is_of_a_state() => found.push(Shortcut::Always(state)),
        And(a, b) => {
            always(*a, found);
            always(*b, found);
        }
        Until(left, q) if *left == True && q.is_of_a_state() => found.push(Shortcut::AlwaysEventually(*q)),
        Or(..) => found.push(leads_to(inner)),
        other => found.push(Shortcut::General(other.always())),
    }
}

/// `G` of a disjunction.
fn leads_to(inner: Formula) -> Shortcut {
    let opposite = conjuncts(dual(&inner));
    let (now, later): (Vec<_>, Vec<_>) = opposite.into_iter().partition(Formula::is_of_a_state);
    match later.as_slice() {
        [Release(left, no)] if **left == False && no.is_of_a_state() => {
            Shortcut::LeadsTo(Formula::all(now), dual(no))
        }
        _ => Shortcut::General(inner.always()),
    }
}

/// `F` of something.
fn eventually(inner: Formula) -> Shortcut {
    match inner {
        Release(left, p) if *left == False && p.is_of_a_state() => Shortcut::EventuallyAlways(*p),
        other => Shortcut::General(other.eventually()),
    }
}

/// Splits a formula into state formulas that must hold again and again, and the rest: the formula is the conjunction of
/// `G F` of each of the former with the latter.
///
/// An automaton needs a state for every set of things that it waits for. An engine that checks recurrence itself, as it
/// does for fairness, should ask for an automaton of the rest only.
pub fn recurrences(formula: &Formula) -> (Vec<Formula>, Formula) {
    let mut again = Vec::new();
    let mut rest = Formula::True;
    for part in shortcuts(formula) {
        match part {
            Shortcut::AlwaysEventually(p) => again.push(p),
            other => rest = rest.and(other.formula()),
        }
    }
    (again, rest)
}

#[cfg(test)]
mod tests {
    use super::Shortcut::{Always, AlwaysEventually, EventuallyAlways, General, LeadsTo};
    use super::*;
    use crate::holds_on_lasso;
    use crate::random::Random;

    fn p() -> Formula {
        Formula::atom(0)
    }

    fn q() -> Formula {
        Formula::atom(1)
    }

    fn r() -> Formula {
        Formula::atom(2)
    }

    #[test]
    fn the_four_forms_are_recognised() {
        assert_eq!(shortcuts(&p().always()), [Always(p())]);
        assert_eq!(shortcuts(&p().always().eventually()), [EventuallyAlways(p())]);
        assert_eq!(shortcuts(&p().eventually().always()), [AlwaysEventually(p())]);
        assert_eq!(shortcuts(&p().leads_to(q())), [LeadsTo(p(), q())]);
        assert_eq!(shortcuts(&p().and(q()).leads_to(r())), [LeadsTo(p().and(q()), r())]);
    }

    #[test]
    fn they_are_recognised_in_disguise() {
        assert_eq!(shortcuts(&p().not().eventually().not()), [Always(p())]);
        assert_eq!(shortcuts(&p().always().always().eventually().eventually()), [EventuallyAlways(p())]);
        assert_eq!(shortcuts(&p().eventually().always().eventually()), [AlwaysEventually(p())]);
        assert_eq!(shortcuts(&p().and(q().not().always()).eventually().not()), [LeadsTo(p(), q())]);
    }

    #[test]
    fn conjunctions_fall_apart() {
        assert_eq!(shortcuts(&Formula::True), []);
        assert_eq!(shortcuts(&p().always().and(q().always())), [Always(p().and(q()))]);
        assert_eq!(shortcuts(&p().and(q()).always()), [Always(p().and(q()))]);
        let stay = p().always().eventually().and(q().always().eventually());
        assert_eq!(shortcuts(&stay), [EventuallyAlways(p().and(q()))]);
        let recur = p().eventually().and(q().eventually()).always();
        assert_eq!(shortcuts(&recur), [AlwaysEventually(p()), AlwaysEventually(q())]);
        let mixed = p().leads_to(q()).and(r().always());
        assert_eq!(shortcuts(&mixed).len(), 2);
        assert!(shortcuts(&mixed).contains(&LeadsTo(p(), q())));
        assert!(shortcuts(&mixed).contains(&Always(r())));
    }

    #[test]
    fn the_rest_is_general() {
        assert_eq!(shortcuts(&p()), [General(p())]);
        assert_eq!(shortcuts(&Formula::False), [General(Formula::False)]);
        let stays = q().always().eventually();
        for claim in [
            p().implies(stays.clone()).always(),
            p().always().eventually().or(stays),
            p().leads_to(q().leads_to(r())),
            p().eventually(),
            p().until(q()),
            p().next().always(),
        ] {
            assert!(
                matches!(shortcuts(&claim).as_slice(), [General(_)]),
                "{claim:?}: {:?}",
                shortcuts(&claim)
            );
        }
    }

    #[test]
    fn what_recurs_is_told_apart() {
        let claim = Formula::any([p(), q(), r()].map(|atom| atom.always().eventually()));
        let (again, rest) = recurrences(&claim.not());
        assert_eq!((again, rest), (vec![p().not(), q().not(), r().not()], Formula::True));
        let (again, rest) = recurrences(&p().eventually().always().and(q().until(r())));
        assert_eq!((again, rest), (vec![p()], q().until(r())));
    }

    #[test]
    fn the_parts_mean_what_the_whole_means() {
        let mut random = Random::new(2);
        let mut special = 0;
        for _ in 0..20_000 {
            let depth = 1 + random.below(4) as u32;
            let claim = random.formula(3, depth);
            let len = 1 + random.below(5) as usize;
            let loops_to = random.below(len as u64) as usize;
            let letters: Vec<u64> = (0..len).map(|_| random.below(8)).collect();
            let atom = |at: usize, id: usize| letters[at] >> id & 1 == 1;
            let holds = |formula: &Formula| holds_on_lasso(formula, len, loops_to, &atom);
            let parts = shortcuts(&claim);
            assert_eq!(
                parts.iter().all(|part| holds(&part.formula())),
                holds(&claim),
                "{claim:?}: {parts:?}"
            );
            special += parts.iter().filter(|part| !matches!(part, General(_))).count();
            let (again, rest) = recurrences(&claim);
            let recur = again.into_iter().all(|p| holds(&p.eventually().always()));
            assert_eq!(recur && holds(&rest), holds(&claim), "{claim:?}");
        }
        assert!(special > 2_000, "{special}");
    }
}
