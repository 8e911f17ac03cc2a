//! Whether two systems are equivalent, and if not, what shows it: a trace that only one of them has, or a formula that is true of
//! one and false of the other. A formula is evaluated on both systems as they were given before anybody sees it.

use crate::determinise::{SubsetLimit, Subsets};
use crate::distinguish::Distinguisher;
use crate::formula::Evaluation;
use crate::lts::Lts;
use crate::partition::{RefinementTask, partition};
use crate::reduction::{Equivalence, reduce};
use crate::tau::{Acyclic, without_tau_cycles};
use std::collections::HashMap;
use watchkeeper_logic::Limit;

/// The longest formula that is written, in bytes.
const LONGEST: usize = 1 << 20;

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LtsComparison {
    /// They are equivalent; so many states has the smallest system that is equivalent to both.
    Equivalent(usize),
    /// They are not.
    Different(LtsDifference),
}

/// What two systems that are not equivalent differ in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LtsDifference {
    /// The first has this sequence of labels, and the second has not; or the other way round. It is a shortest one.
    Trace {
        /// Whether the first has it.
        first_has_it: bool,
        /// The labels.
        trace: Vec<String>,
    },
    /// A formula of the modal µ-calculus that is true of the first and false of the second.
    Formula(String),
    /// They differ, and a formula that says how would be too long, or too deeply nested, to be read.
    Unspoken,
}

/// A formula that does not do what it was made for: a mistake in this program, never in the systems.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "internal error, please report it: the formula that was to tell the spaces apart does not; no answer is given"
)]
pub struct WrongFormula;

/// Compares two systems modulo an equivalence. The limit ends subset constructions, which trace equivalences need.
pub fn compare(
    one: &Lts,
    other: &Lts,
    modulo: Equivalence,
    limit: SubsetLimit<'_>,
) -> Result<Result<LtsComparison, Limit>, WrongFormula> {
    if modulo.is_of_traces() {
        return Ok(of_traces(one, other, modulo, limit));
    }
    let least = |lts: &Lts| reduce(lts, modulo, limit);
    let (first, second) = match (least(one), least(other)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(limit), _) | (_, Err(limit)) => return Ok(Err(limit)),
    };
    let (both, start) = first.beside(&second);
    let branching = modulo != Equivalence::Strong;
    let (lts, starts, divergent) = match branching {
        false => (both, (first.initial(), start), Vec::new()),
        true => {
            let Acyclic { lts, component, divergent } = without_tau_cycles(&both);
            let starts = (component[first.initial() as usize], component[start as usize]);
            (lts, starts, divergent)
        }
    };
    let divergent = Some(&*divergent).filter(|_| modulo == Equivalence::DivergencePreservingBranching);
    let found = partition(RefinementTask { lts: &lts, branching, divergent, remember: true });
    if found.block[starts.0 as usize] == found.block[starts.1 as usize] {
        return Ok(Ok(LtsComparison::Equivalent(first.states())));
    }
    for brief in [true, false] {
        let mut made = Distinguisher::new(&lts, &found, branching, divergent, brief);
        let Some(formula) = made.formula(starts.0, starts.1) else {
            return Ok(Ok(LtsComparison::Different(LtsDifference::Unspoken)));
        };
        let formulas = made.formulas;
        let holds = |lts: &Lts| Evaluation::new(lts, &formulas).holds(formula, lts.initial());
        if holds(one) && !holds(other) {
            let text = formulas.text(formula, LONGEST);
            let difference = text.map_or(LtsDifference::Unspoken, LtsDifference::Formula);
            return Ok(Ok(LtsComparison::Different(difference)));
        }
    }
    Err(WrongFormula)
}

/// Follows both systems at once through all traces, shortest first, as sets of states.
fn of_traces(
    one: &Lts,
    other: &Lts,
    modulo: Equivalence,
    limit: SubsetLimit<'_>,
) -> Result<LtsComparison, Limit> {
    let weak = modulo == Equivalence::WeakTrace;
    let coarser = if weak { Equivalence::Branching } else { Equivalence::Strong };
    let (one, other) = (reduce(one, coarser, limit)?, reduce(other, coarser, limit)?);
    // The number that each label of the first has in the second.
    let number: Vec<Option<u32>> = one.labels().iter().map(|text| other.labels().find(text)).collect();
    let mut sets = [Subsets::new(&one, weak, limit)?, Subsets::new(&other, weak, limit)?];
    let mut pairs: Vec<((u32, u32), u32, String)> = vec![((0, 0), 0, String::new())];
    let mut known = HashMap::from([((0u32, 0u32), ())]);
    let mut next = 0;
    while next < pairs.len() {
        let (first, second) = pairs[next].0;
        let (mine, theirs) = (sets[0].next(first)?, sets[1].next(second)?);
        let different = |first_has_it: bool, label: &str| {
            let (mut trace, mut at) = (Vec::new(), next as u32);
            while at != 0 {
                let (_, before, label) = &pairs[at as usize];
                trace.push(label.clone());
                at = *before;
            }
            trace.reverse();
            trace.push(label.to_string());
            Ok(LtsComparison::Different(LtsDifference::Trace { first_has_it, trace }))
        };
        let theirs: HashMap<u32, u32> = theirs.into_iter().collect();
        let mut found = Vec::new();
        for &(label, to) in &mine {
            match number[label as usize].and_then(|number| Some((number, *theirs.get(&number)?))) {
                None => return different(true, one.labels().text(label)),
                Some((_, also)) => found.push((label, (to, also))),
            }
        }
        if found.len() < theirs.len() {
            let matched: Vec<Option<u32>> = mine.iter().map(|(label, _)| number[*label as usize]).collect();
            let mut missing: Vec<&str> = theirs
                .keys()
                .filter(|label| !matched.contains(&Some(**label)))
                .map(|&label| other.labels().text(label))
                .collect();
            missing.sort_unstable();
            return different(false, missing[0]);
        }
        for (label, pair) in found {
            if known.insert(pair, ()).is_none() {
                pairs.push((pair, next as u32, one.labels().text(label).to_string()));
            }
        }
        next += 1;
    }
    let least = reduce(&one, modulo, limit)?;
    Ok(LtsComparison::Equivalent(least.states()))
}
