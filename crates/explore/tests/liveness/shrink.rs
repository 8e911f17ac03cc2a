//! Makes a question smaller while something stays wrong with it.

use crate::draw::Case;
use watchkeeper_logic::{ActionSelection, Fairness, FairnessStrength, FairnessUnit, Formula};
use watchkeeper_space::ActionLabel;

use crate::table::State;

/// The smallest question that can be found from this one of which `wrong` still says something.
pub fn smallest(mut case: Case, wrong: impl Fn(&Case) -> bool) -> Case {
    while let Some(smaller) = smaller(&case).into_iter().find(|smaller| *smaller != case && wrong(smaller)) {
        case = smaller;
    }
    case
}

fn smaller(case: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut with = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        cases.push(smaller);
    };
    for i in 0..case.fairness.len() {
        with(&|case| {
            case.fairness.remove(i);
        });
    }
    for i in 0..case.table.steps.len() {
        with(&|case| {
            case.table.steps.remove(i);
        });
    }
    for claim in simpler(&case.claim) {
        with(&|case| case.claim = claim.clone());
    }
    for (i, state) in case.table.states.iter().enumerate() {
        let State { start, atoms, .. } = *state;
        with(&|case| case.table.states[i] = State { start, atoms, ..State::default() });
        with(&|case| case.table.states[i].start = i == 0);
        for atom in (0..3).filter(|atom| atoms >> atom & 1 != 0) {
            with(&|case| case.table.states[i].atoms &= !(1 << atom));
        }
    }
    for i in 0..case.table.steps.len() {
        with(&|case| case.table.steps[i].label = ActionLabel::default());
        with(&|case| case.table.steps[i].label.which = 0);
        with(&|case| case.table.steps[i].label.peer = None);
    }
    for (i, Fairness { of, strength, .. }) in case.fairness.iter().enumerate() {
        with(&|case| case.fairness[i].each = FairnessUnit::Together);
        with(&|case| case.fairness[i].of = ActionSelection::classes(of.classes.iter().copied().take(1)));
        if *strength == FairnessStrength::Strong {
            with(&|case| case.fairness[i].strength = FairnessStrength::Weak);
        }
    }
    with(&|case| case.table.shape.faults_are_progress = false);
    with(&|case| case.table.shape.time = None);
    with(&|case| case.table.shape.justice.clear());
    cases
}

/// Formulas with one part less.
fn simpler(formula: &Formula) -> Vec<Formula> {
    let mut all = vec![];
    match formula {
        Formula::True | Formula::False => return all,
        Formula::Atom(_) => {}
        Formula::Not(a) => {
            all.push((**a).clone());
            all.extend(simpler(a).into_iter().map(Formula::not));
        }
        Formula::Next(a) => {
            all.push((**a).clone());
            all.extend(simpler(a).into_iter().map(Formula::next));
        }
        Formula::And(a, b) => in_either(&mut all, a, b, Formula::and),
        Formula::Or(a, b) => in_either(&mut all, a, b, Formula::or),
        Formula::Until(a, b) => in_either(&mut all, a, b, Formula::until),
        Formula::Release(a, b) => in_either(&mut all, a, b, Formula::release),
    }
    all.extend([Formula::True, Formula::False]);
    all
}

fn in_either(all: &mut Vec<Formula>, a: &Formula, b: &Formula, join: fn(Formula, Formula) -> Formula) {
    all.extend([a.clone(), b.clone()]);
    all.extend(simpler(a).into_iter().map(|a| join(a, b.clone())));
    all.extend(simpler(b).into_iter().map(|b| join(a.clone(), b)));
}
