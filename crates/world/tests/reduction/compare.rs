//! The same question asked twice, of all interleavings and of some.

use watchkeeper_explore::{ExploreError, NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Invariant, Limit, Outcome, Question, Verdict};
use watchkeeper_space::{FullyExpanded, Space};
use watchkeeper_world::World;

/// What came of many comparisons.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Worlds that were asked something.
    pub worlds: u64,
    pub asked: u64,
    pub refused: u64,
    /// Worlds with too many states to be asked anything.
    pub large: u64,
    pub holds: u64,
    pub violated: u64,
    /// Endings that were looked for.
    pub endings: u64,
    /// Searches that ended before their time.
    pub open: u64,
    /// Searches in which some state was expanded in part.
    pub in_part: u64,
    /// Searches that saw fewer states than the full one, of those that saw all.
    pub fewer: u64,
    pub states: u64,
    pub full_states: u64,
}

/// The question about one atom, by its name; where another one holds, if that is given.
pub fn invariant(world: &World, when: Option<&str>, then: &str) -> Question {
    let atom = |name: &str| world.shape().atom(name).unwrap_or_else(|| panic!("there is no atom {name}"));
    let invariant = Invariant { name: then.to_string(), when: when.map(atom), then: atom(then) };
    Question { invariants: vec![invariant], ..Question::default() }
}

/// Asks of some interleavings what has been answered of all, and says what differs that must not.
pub fn compare<S: Space>(
    space: &S,
    question: &Question,
    all: &Verdict,
    tally: &mut Tally,
) -> Result<(), String> {
    let reduced = Search { reduction: Reduction::PartialOrder, ..Search::default() };
    let some = match check(space, question, &reduced, &NoCallback) {
        Err(ExploreError::FullyExpanded(FullyExpanded::Atom(_) | FullyExpanded::Recoveries)) => {
            tally.refused += 1;
            return Ok(());
        }
        other => other.map_err(|why| why.to_string())?,
    };
    tally.asked += 1;
    let in_part = some.stats.partial.ok_or("a reduced search says how much it left out")?.in_part;
    tally.in_part += u64::from(in_part > 0);
    let shown = |verdict: &Verdict| match &verdict.outcome {
        Outcome::Violated(violation) => format!("violated: {} ({:?})", violation.what, violation.finding),
        other => format!("{other:?}"),
    };
    let differ = || Err(format!("{}: all {}, some {}", question.name(), shown(all), shown(&some)));
    match (&all.outcome, &some.outcome) {
        (Outcome::Holds(_), Outcome::Holds(_)) => {
            tally.holds += 1;
            tally.states += some.stats.distinct_states;
            tally.full_states += all.stats.distinct_states;
            tally.fewer += u64::from(some.stats.distinct_states < all.stats.distinct_states);
            if some.stats.distinct_states > all.stats.distinct_states {
                return Err(format!("{}: some states are more than all", question.name()));
            }
            Ok(())
        }
        (Outcome::Violated(mine), Outcome::Violated(theirs)) => {
            tally.violated += 1;
            if theirs.shortest || theirs.trace.steps.len() < mine.trace.steps.len() {
                return Err(format!("{}: no run can be shorter than the shortest", question.name()));
            }
            Ok(())
        }
        // A search that cuts does not say that anything holds, and the plain one does not tell that it cut. One that leaves
        // out interleavings may get by without its cap.
        (_, Outcome::Unknown(Limit::Cap(_))) | (Outcome::Unknown(Limit::Cap(_)), Outcome::Holds(_)) => {
            tally.open += 1;
            Ok(())
        }
        _ => differ(),
    }
}
