//! What to search for, how, and within which limits.

use crate::breadth::{Failure, Found, breadth};
use crate::covering::covering;
use crate::erased::Erased;
use crate::folded::Folded;
use crate::live;
use crate::partial::{self, Reduction};
use crate::shorten::shorten;
use crate::verdict::verdict;
use crate::walks::walks;
use crate::{ExploreError, Monitored, Symmetric};
use watchkeeper_logic::{Invariant, Limit, Outcome, Question, Verdict};
use watchkeeper_space::Space;

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Search {
    /// Which states to look at, and in what order.
    pub strategy: Strategy,
    /// The number of threads.
    pub workers: usize,
    /// Search one state of each set of states that are renamings of each other.
    pub symmetry: bool,
    /// Which steps to leave out.
    pub reduction: Reduction,
    /// The most distinct states to keep.
    pub max_states: Option<u64>,
    /// The most bytes to hold.
    pub max_bytes: Option<u64>,
    /// The seed of searches that choose at random.
    pub seed: u64,
}

/// Which states to look at, and in what order.
#[derive(Clone, PartialEq, Debug)]
pub enum Strategy {
    /// All states, nearest first; only to a depth, if one is given. In a space with zones a state that a
    /// known one covers is not looked at.
    Breadth {
        /// The greatest depth.
        max_depth: Option<u64>,
    },
    /// Nearest first, but at each depth only the most promising `width` states, by the guide of the space
    /// and at random among equals.
    Beam {
        /// The number of states kept at each depth.
        width: usize,
        /// The greatest depth.
        max_depth: u64,
    },
    /// Random runs from the start.
    Walks {
        /// The number of runs.
        count: u64,
        /// The length of a run.
        max_depth: u64,
    },
}

impl Default for Search {
    fn default() -> Search {
        Search {
            strategy: Strategy::Breadth { max_depth: None },
            workers: 1,
            symmetry: false,
            reduction: Reduction::None,
            max_states: None,
            max_bytes: None,
            seed: 1,
        }
    }
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Distinct states so far.
    pub distinct_states: u64,
    /// Transitions so far.
    pub transitions: u64,
    /// The depth that is being expanded.
    pub depth: u64,
    /// States that are known and wait to be expanded.
    pub queue: u64,
    /// Bytes held.
    pub bytes: u64,
}

/// Whether to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop, for this reason.
    Stop(Limit),
}

/// Who is told how far a search is, many times a second, and may stop it. Has the clock, if anyone has.
pub trait Watch: Sync {
    /// Looks at the progress.
    fn look(&self, progress: &Progress) -> Flow;
}

/// The watch that never stops anything.
pub struct Quiet;

impl Watch for Quiet {
    fn look(&self, _: &Progress) -> Flow {
        Flow::Continue
    }
}

/// Searches a space for an answer to a question.
pub fn check<S: Space>(
    space: &S,
    question: &Question,
    search: &Search,
    watch: &impl Watch,
) -> Result<Verdict, ExploreError> {
    let erased = Erased::new(space);
    sound(&erased)?;
    partial::asked(&erased, question, search)?;
    let search = &Search { workers: search.workers.max(1), ..search.clone() };
    if !question.temporal.is_empty() {
        return on_runs(&erased, question, search, watch);
    }
    observed(&erased, question, search, watch)
}

/// The same as [`check`], by a copy of the engine that is compiled for this kind of space. It pays where a
/// step of the space costs no more than the call of a function does, and makes programs longer to build.
pub fn check_compiled<S: Space>(
    space: &S,
    question: &Question,
    search: &Search,
    watch: &impl Watch,
) -> Result<Verdict, ExploreError> {
    let erased = Erased::new(space);
    sound(&erased)?;
    partial::asked(&erased, question, search)?;
    let search = &Search { workers: search.workers.max(1), ..search.clone() };
    if !question.temporal.is_empty() {
        return on_runs(&erased, question, search, watch);
    }
    let plain = question.monitor.is_none() && !search.symmetry && erased.shape().zone.is_none();
    if !plain || !matches!(search.strategy, Strategy::Breadth { .. }) {
        return observed(&erased, question, search, watch);
    }
    match breadth::<S, u64>(space, question, search, watch) {
        Ok(found) => told(&erased, question, found, search.reduction == Reduction::None),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::TooWide) => widening(&erased, question, search, watch),
    }
}

/// Answers what is asked of single states first, if anything is, and then what is asked of infinite runs.
fn on_runs(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Verdict, ExploreError> {
    let states = Question { temporal: Vec::new(), fairness: Vec::new(), ..question.clone() };
    let mut warnings = Vec::new();
    if states != Question::default() {
        let verdict = observed(space, &states, search, watch)?;
        if !matches!(verdict.outcome, Outcome::Holds) {
            return Ok(verdict);
        }
        warnings = verdict.warnings;
    }
    let mut verdict = live::answer(space, question, search, watch)?;
    verdict.warnings.splice(0..0, warnings);
    Ok(verdict)
}

/// Whether there is anything to search.
fn sound(space: &Erased<'_>) -> Result<(), ExploreError> {
    match space.initial().is_empty() {
        true => Err(ExploreError::Space("it has no initial state".into())),
        false => Ok(()),
    }
}

/// Searches the product with the monitor, if there is one.
fn observed(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Verdict, ExploreError> {
    let Some(monitor) = &question.monitor else {
        return reduced(space, question, search, watch);
    };
    let product = Monitored::new(space, monitor);
    let mut question = question.clone();
    let ok = Invariant { name: monitor.name.clone(), when: None, then: product.ok() };
    question.invariants.push(ok);
    question.monitor = None;
    reduced(&Erased::new(&product), &question, search, watch)
}

/// Searches up to renaming, if that is asked for.
fn reduced(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Verdict, ExploreError> {
    // A walk keeps nothing that could be kept once for all renamings.
    if !search.symmetry || matches!(search.strategy, Strategy::Walks { .. }) {
        return widening(space, question, search, watch);
    }
    if space.symmetries() < 2 {
        let why = "no renaming of processes leaves this scenario as it is; let every process crash alike, \
                   or search without it";
        return Err(ExploreError::Asymmetric(why.to_string()));
    }
    if let Some(atom) = question.asymmetric_atom(space.shape()) {
        let why = format!("the property speaks of {atom}, which names a process; search without it");
        return Err(ExploreError::Asymmetric(why));
    }
    let symmetric = Symmetric::new(space);
    symmetric.audit()?;
    widening(&Erased::new(&symmetric), question, search, watch)
}

/// Searches with the narrowest keys that do. Ids stay known to the space from one try to the next, so a
/// second try begins with the widths that the first one learnt.
fn widening(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Verdict, ExploreError> {
    if let Strategy::Walks { count, max_depth } = search.strategy {
        return told(space, question, walks(space, question, search, (count, max_depth), watch), false);
    }
    let shortest = finds_shortest(search);
    if let Some(zone_slot) = space.shape().zone.filter(|_| shortest) {
        return told(space, question, covering(space, question, search, zone_slot, watch), true);
    }
    let mut found = breadth::<_, u64>(space, question, search, watch);
    if let Err(Failure::TooWide) = found {
        found = breadth::<_, u128>(space, question, search, watch);
    }
    match found {
        Ok(found) => told(space, question, found, shortest),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::TooWide) => folding(space, question, search, watch),
    }
}

/// Whether what a search finds first is nearest.
fn finds_shortest(search: &Search) -> bool {
    matches!(search.strategy, Strategy::Breadth { .. }) && search.reduction == Reduction::None
}

/// Searches with rows folded to a few slots.
fn folding(
    space: &Erased<'_>,
    question: &Question,
    search: &Search,
    watch: &dyn Watch,
) -> Result<Verdict, ExploreError> {
    let folded = Folded::new(space);
    let folded = Erased::new(&folded);
    let shortest = finds_shortest(search);
    match breadth::<_, u128>(&folded, question, search, watch) {
        Ok(found) => told(&folded, question, found, shortest),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::TooWide) => Err(ExploreError::Space("it has too many different parts to number".into())),
    }
}

/// The verdict on what was found; a run that may not be the shortest is shortened first.
fn told(
    space: &Erased<'_>,
    question: &Question,
    mut found: Found,
    shortest: bool,
) -> Result<Verdict, ExploreError> {
    if !shortest {
        found.fault = found.fault.map(|(fault, path)| {
            let path = shorten(space, question, &fault, path);
            (fault, path)
        });
    }
    let shortest = shortest && !found.cut && !space.shape().some_runs;
    verdict(space, question, found, shortest)
}
