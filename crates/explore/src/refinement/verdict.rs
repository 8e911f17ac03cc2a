//! From what a comparison found to what is said about it. The run is replayed by the implementation, and what
//! can be seen of it is worked out once more from its states.

use super::RefinementSide;
use super::events::{EventSet, EventTable};
use super::product::{Comparison, ComparisonEnd, Discrepancy, DiscrepancyKind};
use crate::ExploreError;
use crate::search_result::cut_away;
use crate::verdict::{coverage, unknown};
use watchkeeper_logic::{
    Alphabet, Limit, Outcome, Refinement, RefinementFailure, RefinementSizes, RefinementViolation, Semantics,
    Stats, Verdict, Violation, ViolationKind, Visibility,
};
use watchkeeper_space::{Event, Mismatch, Space, SpaceQuery, StatePath, Trace};

/// All data for the verdict on a comparison.
pub(crate) struct ComparisonReport<'a> {
    pub implementation: RefinementSide<'a>,
    pub specification: RefinementSide<'a>,
    pub semantics: Semantics,
    pub witnessed: bool,
    pub events: &'a EventTable,
    pub comparison: Comparison,
    pub sizes: RefinementSizes,
    pub peak_bytes: u64,
    /// How often each class and cap of the implementation was met, and each cap of the specification.
    pub counts: &'a [u64],
    pub cuts: [&'a [u64]; 2],
}

impl ComparisonReport<'_> {
    /// The answer.
    pub fn refinement(self) -> Result<Refinement, ExploreError> {
        let warnings = self.warnings();
        let stats = Stats {
            distinct_states: self.comparison.pairs,
            transitions: self.comparison.transitions,
            level_sizes: self.comparison.level_sizes.clone(),
            peak_bytes: self.peak_bytes,
            bytes_per_state: self.peak_bytes as f64 / (self.comparison.pairs as f64).max(1.0),
            workers: 1,
            ..Stats::default()
        };
        let coverage = coverage(self.implementation.space.shape(), self.counts);
        let (property, assumptions) = (self.property(), self.assumptions());
        let (outcome, violation) = self.outcome()?;
        let verdict = Verdict { outcome, property, assumptions, warnings, coverage, stats };
        Ok(Refinement { verdict, sizes: self.sizes, violation })
    }

    fn property(&self) -> String {
        let (implementation, specification) = (self.implementation.name, self.specification.name);
        format!("{implementation} refines {specification} in {}", self.semantics)
    }

    fn outcome(&self) -> Result<(Outcome, Option<RefinementViolation>), ExploreError> {
        let cut = |side: usize| {
            let shape = [&self.implementation, &self.specification][side].space.shape();
            cut_away(shape, self.cuts[side], &SpaceQuery { events: true, ..SpaceQuery::default() })
        };
        let fault = match &self.comparison.end {
            // What a cap took from a specification could only have allowed more, but for what it refuses.
            ComparisonEnd::Nothing(ledger) => {
                let strict = self.semantics == Semantics::StableFailures;
                let mut ledger = ledger.clone();
                cut(0).or_else(|| cut(1).filter(|_| strict)).into_iter().for_each(|cap| ledger.limits(cap));
                return Ok((ledger.close().map(Outcome::Holds).or_else(unknown)?, None));
            }
            ComparisonEnd::Wrong(fault) => fault,
        };
        let violation = self.violation(fault)?;
        if self.witnessed {
            let why = format!("a witness is one way to match; after {}: {violation}; it", violation.seen());
            return Ok((Outcome::Unknown(Limit::Incomplete(why)), Some(violation)));
        }
        if let Some(limit) = cut(1) {
            return Ok((Outcome::Unknown(limit), Some(violation)));
        }
        let trace = self.trace(&fault.trail, &violation)?;
        let what = format!("{}: {violation}", self.property());
        let (finding, shortest) = (ViolationKind::Safety, cut(0).is_none());
        Ok((Outcome::Violated(Box::new(Violation { finding, what, trace, shortest })), Some(violation)))
    }

    /// What was seen, from the states of the run, and what is wrong with it.
    fn violation(&self, fault: &Discrepancy) -> Result<RefinementViolation, Mismatch> {
        let alphabet = self.implementation.alphabet;
        let mut trace = shown(self.implementation.space, alphabet, &fault.trail);
        let (allowed, owed) = fault.allows.clone().unwrap_or_default();
        let names = |set: EventSet| self.events.names_in(set);
        let wrong = match fault.kind {
            DiscrepancyKind::Start => RefinementFailure::Unmatched(Vec::new()),
            DiscrepancyKind::Step(bag) => {
                let last = trace.pop().unwrap_or_default();
                let (mut seen, mut found) = (self.events.names_of(bag), last.clone());
                seen.sort_unstable();
                found.sort_unstable();
                if seen != found {
                    let why = format!("the step shows {found:?} and not {seen:?}");
                    return Err(Mismatch { step: fault.trail.actions.len(), why });
                }
                if self.witnessed {
                    RefinementFailure::Unmatched(last)
                } else {
                    RefinementFailure::Events(last)
                }
            }
            DiscrepancyKind::Refusal(offered) => RefinementFailure::Refusal {
                offered: names(offered),
                required: owed.into_iter().map(names).collect(),
            },
        };
        trace.retain(|events| !events.is_empty());
        Ok(RefinementViolation { trace, wrong, allowed: names(allowed) })
    }

    /// The run, with a remark on what is wrong at its end.
    fn trace(&self, trail: &StatePath, violation: &RefinementViolation) -> Result<Trace, Mismatch> {
        let mut trace = self.implementation.space.replay(trail)?;
        let text = format!("seen so far: {}; {violation}", violation.seen());
        let last = trace.steps.last_mut().map_or(&mut trace.opening, |step| &mut step.events);
        last.push(Event::Remark { text });
        Ok(trace)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let theirs = self.specification.alphabet.events();
        let mine = self.implementation.alphabet.events();
        for event in mine.iter().filter(|event| !theirs.contains(event)) {
            warnings.push(format!("the specification has no event {event}, so it never allows it"));
        }
        if !self.comparison.is_whole {
            return warnings;
        }
        let seen = self.events.names_in(self.comparison.seen);
        for event in mine.into_iter().filter(|event| !seen.iter().any(|name| name == event)) {
            warnings
                .push(format!("{event} never happens in the implementation, so nothing was checked of it"));
        }
        warnings
    }

    fn assumptions(&self) -> Vec<String> {
        let events = self.events.names_in(EventSet::MAX).join(", ");
        let mut list = vec![
            format!("what can be seen: {events}; every other step is internal"),
            "several events of one step have no order that anyone can see: the specification may have them in any \
             order, with internal steps between"
                .to_string(),
        ];
        if self.semantics == Semantics::StableFailures {
            list.push(
                "a stable state has no internal step, faults are steps like any other, a step with several events \
                 offers each of them, and divergence is not looked at"
                    .to_string(),
            );
        }
        if self.witnessed {
            list.push(
                "a witness names what stands for each state of the implementation; every match is a path of the \
                 specification that was taken"
                    .to_string(),
            );
        }
        for side in [&self.implementation, &self.specification] {
            let told = side.space.shape().assumptions.iter();
            list.extend(told.map(|assumption| format!("{}: {assumption}", side.name)));
        }
        list
    }
}

/// What each step of a run shows: the plain reading of an alphabet.
fn shown(space: &dyn Space, alphabet: &Alphabet, trail: &StatePath) -> Vec<Vec<String>> {
    let steps = trail.actions.iter().zip(trail.rows.windows(2));
    let seen = |(action, rows): (&watchkeeper_space::Action, &[Vec<u32>])| {
        let [before, after] = rows else { unreachable!("windows of two") };
        let entries = alphabet.entries().iter().filter(|entry| {
            let happens = match entry.visibility {
                Visibility::Rise(atom) => !space.atom(atom, before) && space.atom(atom, after),
                Visibility::Fall(atom) => space.atom(atom, before) && !space.atom(atom, after),
                Visibility::Class(class) => action.class() == class,
            };
            happens && entry.unless.is_none_or(|atom| !space.atom(atom, after))
        });
        entries.map(|entry| entry.event.clone()).collect()
    };
    steps.map(seen).collect()
}
