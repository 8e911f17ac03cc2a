//! Whether a question may be asked, before anything is searched: by the engines, whose ways of leaving states out keep
//! some questions only, and by the space ([`Space::admits`]). Every engine begins here; nothing else decides.

use crate::{ExploreError, Reduction, Search, Store, Strategy, SymmetryReduction};
use watchkeeper_logic::Question;
use watchkeeper_space::{FullyExpanded, Space, SpaceQuery};

/// What an engine asks of a space that has admitted it.
pub(crate) struct Admitted {
    /// What is asked.
    pub asked: SpaceQuery,
    /// How to search: there are workers, and the symmetry reduction is on or off.
    pub search: Search,
}

impl Admitted {
    /// What steps may be left out for, if any may.
    pub fn in_part(&self) -> Option<&SpaceQuery> {
        Some(&self.asked).filter(|asked| asked.partial_order)
    }
}

/// Asks the engines and the space whether a question may be put to a search, and settles what the search left open.
pub(crate) fn admitted(
    space: &dyn Space,
    question: &Question,
    search: &Search,
) -> Result<Admitted, ExploreError> {
    within_reason(space, search)?;
    leaves_checkpoints(space, question, search)?;
    let in_part = search.reduction == Reduction::PartialOrder;
    if search.store != Store::Memory
        && let Some(what) = in_memory_only(space, question, search)
    {
        return Err(ExploreError::InMemoryOnly(what));
    }
    // A walk keeps nothing that could be kept once for all renamings.
    let walks = matches!(search.strategy, Strategy::Walks { .. });
    let asked = SpaceQuery { partial_order: in_part, ..question.query() };
    let renamed = SpaceQuery { symmetry: true, ..asked.clone() };
    if in_part && let Some(why) = unreduced(space, question, search) {
        return Err(ExploreError::FullyExpanded(why));
    }
    let symmetry = match search.symmetry {
        SymmetryReduction::On if !walks => SymmetryReduction::On,
        SymmetryReduction::WherePossible if !walks && space.admits(&renamed).is_ok() => {
            SymmetryReduction::WherePossible
        }
        _ => SymmetryReduction::Off,
    };
    let asked = if symmetry == SymmetryReduction::Off { asked } else { renamed };
    space.admits(&asked)?;
    let search = Search { workers: search.workers.max(1), symmetry, ..search.clone() };
    Ok(Admitted { asked, search })
}

/// The same for engines that look at every state of a space, each by itself, and at nothing else: no monitor and no
/// claim about infinite runs.
pub(crate) fn admitted_plainly(
    space: &dyn Space,
    question: &Question,
    search: &Search,
) -> Result<(), ExploreError> {
    let whole = Search { reduction: Reduction::None, symmetry: SymmetryReduction::Off, ..search.clone() };
    if question.monitor.is_some() || !question.temporal.is_empty() {
        let why = "this plain search answers neither monitors nor claims about infinite runs; use `check`";
        return Err(ExploreError::Space(why.into()));
    }
    unjournaled(search)?;
    admitted(space, question, &whole).map(|_| ())
}

/// The same for a comparison of the events of two spaces.
pub(crate) fn admitted_events(space: &dyn Space, search: &Search) -> Result<(), ExploreError> {
    within_reason(space, search)?;
    unjournaled(search)?;
    if search.store != Store::Memory {
        return Err(ExploreError::InMemoryOnly("a comparison of events (refinement)"));
    }
    if search.reduction == Reduction::PartialOrder {
        return Err(ExploreError::FullyExpanded(FullyExpanded::Runs));
    }
    let renamed = search.symmetry == SymmetryReduction::On;
    Ok(space.admits(&SpaceQuery { events: true, symmetry: renamed, ..SpaceQuery::default() })?)
}

/// What keeps a search from storing its states on disk.
fn in_memory_only(space: &dyn Space, question: &Question, search: &Search) -> Option<&'static str> {
    match () {
        () if !question.temporal.is_empty() => Some("a search for claims about infinite runs"),
        () if matches!(search.strategy, Strategy::Beam { .. }) => Some("a beam"),
        () if matches!(search.strategy, Strategy::Walks { .. }) => Some("a random walk"),
        () if search.reduction == Reduction::PartialOrder => Some("partial-order reduction"),
        () if space.shape().zone.is_some() => Some("a search of zones (--time dense)"),
        () => None,
    }
}

/// Why a search cannot leave out steps, whatever the space is.
fn unreduced(space: &dyn Space, question: &Question, search: &Search) -> Option<FullyExpanded> {
    match () {
        () if !question.temporal.is_empty() => Some(FullyExpanded::Runs),
        () if !matches!(search.strategy, Strategy::Breadth { .. }) => Some(FullyExpanded::Strategy),
        () if question.monitor.is_some() => Some(FullyExpanded::Monitor),
        () if space.shape().zone.is_some() => Some(FullyExpanded::Time),
        () => None,
    }
}

/// Refuses checkpoints where the engine of a search leaves none.
fn leaves_checkpoints(space: &dyn Space, question: &Question, search: &Search) -> Result<(), ExploreError> {
    let why = match () {
        () if search.checkpoints.is_none() => return Ok(()),
        () if !matches!(search.strategy, Strategy::Breadth { .. }) => {
            "a beam or a random walk leaves no checkpoints"
        }
        () if space.shape().zone.is_some() => {
            "a search of zones, as in dense time, leaves no checkpoints; in ticks it does"
        }
        () if question.temporal.len() > 1 => {
            "a search for several claims about infinite runs leaves no checkpoints; ask them one by one"
        }
        () if space.parts().is_none() => {
            "this space cannot write its states down, so a search of it leaves no checkpoints"
        }
        () => return Ok(()),
    };
    Err(no_checkpoints(why))
}

/// Refuses checkpoints of a search that leaves none.
fn unjournaled(search: &Search) -> Result<(), ExploreError> {
    let why = "this kind of search leaves no checkpoints";
    search.checkpoints.as_ref().map_or(Ok(()), |_| Err(no_checkpoints(why)))
}

fn no_checkpoints(why: &str) -> ExploreError {
    ExploreError::Checkpoint(format!(
        "{why}\n  Nothing was searched. Search without a directory for checkpoints."
    ))
}

/// Whether there is anything to search, and limits that leave room for it.
fn within_reason(space: &dyn Space, search: &Search) -> Result<(), ExploreError> {
    if search.max_states == Some(0) {
        return Err(ExploreError::NoRoom("a limit of 0 states"));
    }
    if search.max_bytes == Some(0) {
        return Err(ExploreError::NoRoom("a limit of 0 bytes"));
    }
    match space.initial().is_empty() {
        true => Err(ExploreError::Space("it has no initial state".into())),
        false => Ok(()),
    }
}
