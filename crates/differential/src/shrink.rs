//! Makes a case smaller that two programs disagree about: whatever can be left out is, as long as they still do.

use crate::case::RandomCase;
use crate::compare::{CompareScope, Disagreement, compare};
use crate::table::Reaction;
use crate::tally::CaseTally;
use std::sync::Arc;
use watchkeeper_core::ProcSet;
use watchkeeper_world::Scenario;

/// The smallest case that is found in which the disagreement is still there, and what it is then.
pub fn shrink(case: &RandomCase, found: &Disagreement, scope: &CompareScope) -> (RandomCase, Disagreement) {
    let scope = CompareScope { only: vec![found.mode], ..scope.clone() };
    let mut best = (case.clone(), found.clone());
    loop {
        let before = best.0.clone();
        for smaller in candidates(&best.0) {
            try_it(smaller, &scope, &mut best);
        }
        for key in 0..best.0.rules.rules.len() {
            if !best.0.rules.rules[key].ways.is_empty() {
                try_it(with_rule(&best.0, key, Reaction::default()), &scope, &mut best);
            }
        }
        for key in 0..best.0.rules.rules.len() {
            fewer_effects(key, &scope, &mut best);
        }
        if best.0 == before {
            return best;
        }
    }
}

fn try_it(smaller: RandomCase, scope: &CompareScope, best: &mut (RandomCase, Disagreement)) {
    if smaller == best.0 {
        return;
    }
    if let Err(disagreement) = compare(&smaller, scope, &mut CaseTally::default()) {
        *best = (smaller, disagreement);
    }
}

fn with_rule(case: &RandomCase, key: usize, rule: Reaction) -> RandomCase {
    let mut rules = (*case.rules).clone();
    rules.rules[key] = rule;
    RandomCase { rules: Arc::new(rules), ..case.clone() }
}

/// Leaves out single ways and effects of a rule.
fn fewer_effects(key: usize, scope: &CompareScope, best: &mut (RandomCase, Disagreement)) {
    let parts = |rule: &Reaction| rule.ways.iter().map(|way| 1 + way.effects.len()).sum::<usize>();
    for part in (0..parts(&best.0.rules.rules[key])).rev() {
        let mut rule = best.0.rules.rules[key].clone();
        let mut left = part;
        for at in 0..rule.ways.len() {
            let effects = rule.ways[at].effects.len();
            if left < effects {
                rule.ways[at].effects.remove(left);
                break;
            }
            if left == effects {
                if rule.ways.len() > 1 {
                    rule.ways.remove(at);
                } else {
                    rule.ways[at].mark = false;
                    rule.ways[at].friend = None;
                }
                break;
            }
            left -= effects + 1;
        }
        try_it(with_rule(&best.0, key, rule), scope, best);
    }
}

/// The case with something of what surrounds the protocol left out.
fn candidates(case: &RandomCase) -> Vec<RandomCase> {
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
        found.push(RandomCase { scenarios: vec![case.scenarios[at].clone()], ..case.clone() });
    }
    for at in 0..case.asks.len() {
        found.push(RandomCase { asks: vec![case.asks[at].clone()], ..case.clone() });
    }
    for at in 0..case.claims.len() {
        found.push(RandomCase { claims: vec![case.claims[at].clone()], ..case.clone() });
    }
    found.push(RandomCase { calls: Vec::new(), ..case.clone() });
    for role in 0..case.rules.starts.len() {
        for way in 0..case.rules.starts[role].ways.len() {
            for effect in 0..case.rules.starts[role].ways[way].effects.len() {
                let mut rules = (*case.rules).clone();
                rules.starts[role].ways[way].effects.remove(effect);
                found.push(RandomCase { rules: Arc::new(rules), ..case.clone() });
            }
        }
    }
    if let Some(fuel) = case.rules.fuel.filter(|fuel| *fuel > 1) {
        let mut rules = (*case.rules).clone();
        rules.fuel = Some(fuel - 1);
        found.push(RandomCase { rules: Arc::new(rules), ..case.clone() });
    }
    found
}
