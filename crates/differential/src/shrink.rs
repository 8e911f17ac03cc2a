//! Makes a case smaller that two programs disagree about: whatever can be left out is, as long as they still do.

use crate::case::Case;
use crate::compare::{Disagreement, Scope, compare};
use crate::table::Rule;
use crate::tally::Tally;
use std::sync::Arc;
use watchkeeper_core::ProcSet;
use watchkeeper_world::Scenario;

/// The smallest case that is found in which the disagreement is still there, and what it is then.
pub fn shrink(case: &Case, found: &Disagreement, scope: &Scope) -> (Case, Disagreement) {
    let scope = Scope { only: vec![found.mode], ..scope.clone() };
    let mut best = (case.clone(), found.clone());
    loop {
        let before = best.0.clone();
        for smaller in candidates(&best.0) {
            try_it(smaller, &scope, &mut best);
        }
        for key in 0..best.0.rules.rules.len() {
            if !best.0.rules.rules[key].ways.is_empty() {
                try_it(with_rule(&best.0, key, Rule::default()), &scope, &mut best);
            }
        }
        for key in 0..best.0.rules.rules.len() {
            fewer_deeds(key, &scope, &mut best);
        }
        if best.0 == before {
            return best;
        }
    }
}

fn try_it(smaller: Case, scope: &Scope, best: &mut (Case, Disagreement)) {
    if smaller == best.0 {
        return;
    }
    if let Err(disagreement) = compare(&smaller, scope, &mut Tally::default()) {
        *best = (smaller, disagreement);
    }
}

fn with_rule(case: &Case, key: usize, rule: Rule) -> Case {
    let mut rules = (*case.rules).clone();
    rules.rules[key] = rule;
    Case { rules: Arc::new(rules), ..case.clone() }
}

/// Leaves out single ways and deeds of a rule.
fn fewer_deeds(key: usize, scope: &Scope, best: &mut (Case, Disagreement)) {
    let parts = |rule: &Rule| rule.ways.iter().map(|way| 1 + way.deeds.len()).sum::<usize>();
    for part in (0..parts(&best.0.rules.rules[key])).rev() {
        let mut rule = best.0.rules.rules[key].clone();
        let mut left = part;
        for at in 0..rule.ways.len() {
            let deeds = rule.ways[at].deeds.len();
            if left < deeds {
                rule.ways[at].deeds.remove(left);
                break;
            }
            if left == deeds {
                if rule.ways.len() > 1 {
                    rule.ways.remove(at);
                } else {
                    rule.ways[at].mark = false;
                    rule.ways[at].friend = None;
                }
                break;
            }
            left -= deeds + 1;
        }
        try_it(with_rule(&best.0, key, rule), scope, best);
    }
}

/// The case with something of what surrounds the protocol left out.
fn candidates(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    let mut changed = |change: &dyn Fn(&mut Scenario)| {
        let mut smaller = case.clone();
        smaller.scenarios.iter_mut().for_each(change);
        found.push(smaller);
    };
    changed(&|scenario| scenario.network.losses = 0);
    changed(&|scenario| scenario.network.duplications = 0);
    changed(&|scenario| scenario.faults.recoveries = 0);
    changed(&|scenario| scenario.faults.crashes = scenario.faults.crashes.saturating_sub(1));
    changed(&|scenario| scenario.faults.crashed_at_start = ProcSet::EMPTY);
    changed(&|scenario| scenario.faults.crash_loses = false);
    changed(&|scenario| scenario.oracle = None);
    for at in 0..case.scenarios.len().min(4) {
        found.push(Case { scenarios: vec![case.scenarios[at].clone()], ..case.clone() });
    }
    for at in 0..case.asks.len() {
        found.push(Case { asks: vec![case.asks[at].clone()], ..case.clone() });
    }
    for at in 0..case.claims.len() {
        found.push(Case { claims: vec![case.claims[at].clone()], ..case.clone() });
    }
    found.push(Case { calls: Vec::new(), ..case.clone() });
    for role in 0..case.rules.starts.len() {
        for way in 0..case.rules.starts[role].ways.len() {
            for deed in 0..case.rules.starts[role].ways[way].deeds.len() {
                let mut rules = (*case.rules).clone();
                rules.starts[role].ways[way].deeds.remove(deed);
                found.push(Case { rules: Arc::new(rules), ..case.clone() });
            }
        }
    }
    if let Some(fuel) = case.rules.fuel.filter(|fuel| *fuel > 1) {
        let mut rules = (*case.rules).clone();
        rules.fuel = Some(fuel - 1);
        found.push(Case { rules: Arc::new(rules), ..case.clone() });
    }
    found
}
