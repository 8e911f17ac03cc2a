//! Refinement: whether everything that one space can be seen to do, another one can be seen to do too. The
//! specification is normalised on the fly and the implementation searched beside it, breadth-first; or a
//! refinement mapping names the state of the specification for each state of the implementation, which scales to specifications
//! too large to normalise and can only answer that it holds. Only the events of the alphabets are compared.

mod budget;
mod events;
mod labelled;
mod mapping;
mod normal;
mod product;
mod rows;
mod tracker;
mod verdict;

pub use mapping::{RefinementMapping, SlotCondition};

use crate::admission::admitted_events;
use crate::{ExploreError, ProgressCallback, Search, Strategy};
use budget::{Budget, Comparing};
use events::{EventTable, MOST_EVENTS};
use labelled::Labelled;
use mapping::MappingTracker;
use normal::Normal;
use product::RefinementProduct;
use tracker::Tracker;
use verdict::ComparisonReport;
use watchkeeper_logic::{Alphabet, Refinement, RefinementSizes, Semantics};
use watchkeeper_space::Space;

/// A space, what can be seen of it, and what a report calls it.
#[derive(Clone, Copy)]
pub struct RefinementSide<'a> {
    /// The space.
    pub space: &'a dyn Space,
    /// What can be seen of it.
    pub alphabet: &'a Alphabet,
    /// Its name.
    pub name: &'a str,
}

/// Whether the implementation refines the specification. Exact: `Holds` and `Violated` are both certain, and
/// the run that shows a violation has the fewest steps. The limits of the search hold for the states of either
/// space and for the pairs of the two.
pub fn refines(
    implementation: RefinementSide<'_>,
    specification: RefinementSide<'_>,
    semantics: Semantics,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Refinement, ExploreError> {
    compare(implementation, specification, semantics, None, search, callback)
}

/// Whether the implementation refines the specification, shown by a witness. `Holds` is certain; a witness that
/// fails somewhere leaves it unknown, and the violation says where.
pub fn refines_by(
    implementation: RefinementSide<'_>,
    specification: RefinementSide<'_>,
    semantics: Semantics,
    witness: &dyn RefinementMapping,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Refinement, ExploreError> {
    compare(implementation, specification, semantics, Some(witness), search, callback)
}

fn compare(
    implementation: RefinementSide<'_>,
    specification: RefinementSide<'_>,
    semantics: Semantics,
    witness: Option<&dyn RefinementMapping>,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Refinement, ExploreError> {
    if semantics == Semantics::FailuresDivergences {
        let why = "divergences are compared in labelled transition systems only; choose stable failures";
        return Err(ExploreError::Space(why.into()));
    }
    let max_depth = sound(&implementation, &specification, search)?;
    let Some(events) = EventTable::of([implementation.alphabet, specification.alphabet]) else {
        let why = format!("more than {MOST_EVENTS} different events cannot be compared; leave some out");
        return Err(ExploreError::Space(why));
    };
    let mut cx = Comparing { events, budget: Budget::new(search, callback) };
    let mut graph = Labelled::new(implementation.space, implementation.alphabet, &cx.events);
    let mut tracker: Box<dyn Tracker + '_> = match witness {
        None => Box::new(Normal::new(Labelled::new(specification.space, specification.alphabet, &cx.events))),
        Some(witness) => {
            Box::new(MappingTracker::new(specification.space, specification.alphabet, &cx.events, witness))
        }
    };
    let asked = (semantics, max_depth);
    let comparison = RefinementProduct::new(&mut graph, tracker.as_mut(), &mut cx, asked).run();
    let sizes = RefinementSizes {
        implementation: graph.rows.len() as u64,
        specification: tracker.states(),
        sets: tracker.sets(),
        pairs: comparison.pairs,
    };
    let told = ComparisonReport {
        implementation,
        specification,
        semantics,
        witnessed: witness.is_some(),
        events: &cx.events,
        comparison,
        sizes,
        peak_bytes: cx.budget.peak,
        counts: &graph.counts,
        cuts: [&graph.cuts, tracker.cuts()],
    };
    told.refinement()
}

/// Whether the two can be compared in this way; the depth limit, if there is one.
fn sound(
    implementation: &RefinementSide<'_>,
    specification: &RefinementSide<'_>,
    search: &Search,
) -> Result<Option<u64>, ExploreError> {
    for side in [implementation, specification] {
        let name = side.name;
        admitted_events(side.space, search).map_err(|error| match error {
            ExploreError::Dense => ExploreError::Space(format!(
                "{name} is in dense time, and refinement compares single states; choose ticks"
            )),
            ExploreError::Space(why) => ExploreError::Space(format!("{name}: {why}")),
            error => error,
        })?;
        if let Some(event) = side.alphabet.foreign(side.space.shape()) {
            let why = format!("the event {event} stands on an atom or a class that {name} does not have");
            return Err(ExploreError::Space(why));
        }
    }
    match search.strategy {
        Strategy::Breadth { max_depth } => Ok(max_depth),
        _ => Err(ExploreError::Space(
            "refinement is searched breadth-first only; leave the strategy out".into(),
        )),
    }
}
