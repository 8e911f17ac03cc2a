//! The options of a search, and `check`, which answers a question.

use crate::admission::{Admitted, admitted};
use crate::breadth::{Failure, breadth};
use crate::collapse::Collapsed;
use crate::hooks::{Hooks, KeyWidth};
use crate::journal::{Checkpoints, Journal};
use crate::live;
use crate::search_result::{SearchEnd, SearchResult};
use crate::shorten::shorten;
use crate::subsumption::subsumption;
use crate::verdict::verdict;
use crate::walks::walks;
use crate::{ExploreError, Monitored, Symmetric};
use std::ops::ControlFlow;
use std::sync::Arc;
use watchkeeper_logic::{Invariant, Limit, Question, Verdict};
use watchkeeper_space::{Space, SpaceQuery};

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Search {
    /// Which states to visit, and in what order.
    pub strategy: Strategy,
    /// The number of threads.
    pub workers: usize,
    /// Whether to search one state of each set of states that are renamings of each other.
    pub symmetry: SymmetryReduction,
    /// Which steps to leave out.
    pub reduction: Reduction,
    /// The most distinct states to keep.
    pub max_states: Option<u64>,
    /// The most bytes to hold.
    pub max_bytes: Option<u64>,
    /// The seed of searches that choose at random.
    pub seed: u64,
    /// Where to leave checkpoints, if anywhere; what was left there before is gone on with.
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// For tests.
    #[doc(hidden)]
    pub hooks: Hooks,
}

/// Whether states that are renamings of each other are searched once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SymmetryReduction {
    /// Each of them is searched.
    #[default]
    Off,
    /// One of them is searched; where that would not be sound there is an error and no verdict.
    On,
    /// One of them is searched where that is sound, and each of them elsewhere. If the model turns out to break its
    /// promise of symmetry, the search begins anew without it, and a warning on the verdict says so.
    WherePossible,
}

/// Which steps a search may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// None.
    #[default]
    None,
    /// Partial-order reduction: all orders of independent steps but one. A counterexample is real, but need not be the
    /// shortest.
    PartialOrder,
}

impl From<bool> for SymmetryReduction {
    fn from(on: bool) -> SymmetryReduction {
        if on { SymmetryReduction::On } else { SymmetryReduction::Off }
    }
}

/// Which states to visit, and in what order.
#[derive(Clone, PartialEq, Debug)]
pub enum Strategy {
    /// All states, nearest first; only to a depth, if one is given. In a space with zones, a state that a known one
    /// subsumes is not visited.
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
            symmetry: SymmetryReduction::Off,
            reduction: Reduction::None,
            max_states: None,
            max_bytes: None,
            seed: 1,
            checkpoints: None,
            hooks: Hooks::default(),
        }
    }
}

/// The progress of a search.
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

/// Receives the progress of a search many times a second, and may stop it. A search reads no clock: a timeout is a
/// callback that breaks when its time has passed.
pub trait ProgressCallback: Sync {
    /// Looks at the progress; a break stops every worker, and its limit becomes the reason in the verdict.
    fn on_progress(&self, progress: &Progress) -> ControlFlow<Limit>;

    /// Whether it is time for the next checkpoint; true once, until it is time again. Only searches that leave
    /// checkpoints ask.
    fn checkpoint_due(&self) -> bool {
        false
    }
}

/// The no-op callback: it never stops a search.
pub struct NoCallback;

impl ProgressCallback for NoCallback {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        ControlFlow::Continue(())
    }
}

/// Searches a space for an answer to a question. A question that the space does not preserve
/// ([`Space::admits`]) is an error.
pub fn check(
    space: &dyn Space,
    question: &Question,
    search: &Search,
    callback: &dyn ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let admitted = admitted(space, question, search)?;
    let verdict = match question.temporal.is_empty() {
        true => Query { question, admitted, callback }.observed(space),
        false => on_runs(space, question, admitted, callback),
    };
    let mut verdict = verdict?;
    verdict.warnings.extend(search.checkpoints.iter().flat_map(|checkpoints| checkpoints.warnings()));
    Ok(verdict)
}

/// Answers the part of the question about single states first, if there is one, and then the claims about infinite runs.
fn on_runs(
    space: &dyn Space,
    question: &Question,
    admitted: Admitted,
    callback: &dyn ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let search = admitted.search.clone();
    let states = Question { temporal: Vec::new(), fairness: Vec::new(), ..question.clone() };
    let mut warnings = Vec::new();
    if states != Question::default() {
        let verdict = Query { question: &states, admitted, callback }.observed(space)?;
        if !verdict.holds() {
            return Ok(verdict);
        }
        warnings = verdict.warnings;
    }
    let mut verdict = live::answer(space, question, &search, callback)?;
    verdict.warnings.splice(0..0, warnings);
    Ok(verdict)
}

/// An admitted question, on its way through the spaces around a space to an engine.
struct Query<'q> {
    question: &'q Question,
    admitted: Admitted,
    callback: &'q dyn ProgressCallback,
}

impl Query<'_> {
    /// Searches the product with the monitor, if there is one.
    fn observed(&self, space: &dyn Space) -> Result<Verdict, ExploreError> {
        let Some(monitor) = &self.question.monitor else {
            return self.reduced(space, self.question);
        };
        let product = Monitored::new(space, monitor);
        let mut question = self.question.clone();
        let ok = Invariant { name: monitor.name.clone(), when: None, then: product.ok() };
        question.invariants.push(ok);
        question.monitor = None;
        self.reduced(&product, &question)
    }

    /// Searches with symmetry reduction, if that is wanted.
    fn reduced(&self, space: &dyn Space, question: &Question) -> Result<Verdict, ExploreError> {
        let symmetry = self.admitted.search.symmetry;
        if symmetry == SymmetryReduction::Off {
            return self.widening(space, question, &|| true);
        }
        match self.renamed(space, question) {
            Err(ExploreError::Asymmetric(why)) if symmetry == SymmetryReduction::WherePossible => {
                let mut verdict = self.widening(space, question, &|| true)?;
                verdict.warnings.push(format!("searched without the symmetry reduction: {why}"));
                Ok(verdict)
            }
            verdict => verdict,
        }
    }

    /// Searches with symmetry reduction. The verdict counts only if the model kept its promise of symmetry.
    fn renamed(&self, space: &dyn Space, question: &Question) -> Result<Verdict, ExploreError> {
        let Some(symmetry) = space.symmetry() else {
            let why = "the space knows no renamings; search without it".to_string();
            return Err(ExploreError::Asymmetric(why));
        };
        let symmetric = Symmetric::new(symmetry);
        let asked = SpaceQuery { partial_order: self.admitted.asked.partial_order, ..question.query() };
        symmetric.audit(&asked)?;
        symmetric.admits(&asked)?;
        // A checkpoint is not to hide that the promise was broken before it.
        let sound = || symmetric.audited().is_ok();
        let verdict = self.widening(&symmetric, question, &sound);
        symmetric.audited()?;
        let mut verdict = verdict?;
        verdict.stats.renamings = symmetry.symmetries() as u64;
        Ok(verdict)
    }

    /// Searches with the narrowest keys that suffice. The space remembers its ids from one try to the next, so a second try
    /// begins with the widths that the first one learnt. A journal is committed only while the search is `sound`.
    fn widening(
        &self,
        space: &dyn Space,
        question: &Question,
        sound: &dyn Fn() -> bool,
    ) -> Result<Verdict, ExploreError> {
        let search = &self.admitted.search;
        if let Strategy::Walks { count, max_depth } = search.strategy {
            return self.told(
                space,
                question,
                walks(space, question, search, (count, max_depth), self.callback),
            );
        }
        let breadth_first = matches!(search.strategy, Strategy::Breadth { .. });
        if let (Some(slot), Some(zones), true) = (space.shape().zone, space.zones(), breadth_first) {
            let found = subsumption(space, (slot, zones), question, search, self.callback);
            return self.told(space, question, found);
        }
        let mut journal = Journal::of(&self.admitted, space, question, sound)?;
        let collapsed = search.hooks.keys == KeyWidth::Collapsed
            || journal.as_ref().is_some_and(|journal| journal.is_collapsed());
        let mut found = Err(Failure::TooWide);
        if search.hooks.keys == KeyWidth::Narrowest && !collapsed {
            found = breadth::<u64>(space, question, &self.admitted, self.callback, journal.as_mut());
        }
        if let (Err(Failure::TooWide), false) = (&found, collapsed) {
            found = breadth::<u128>(space, question, &self.admitted, self.callback, journal.as_mut());
        }
        match found {
            Ok(found) => self.told(space, question, found),
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::TooWide) => self.collapsed(space, question, journal),
        }
    }

    /// Searches with rows collapsed to a few slots.
    fn collapsed(
        &self,
        space: &dyn Space,
        question: &Question,
        mut journal: Option<Journal<'_>>,
    ) -> Result<Verdict, ExploreError> {
        let folded = Collapsed::new(space);
        if let Some(journal) = &mut journal {
            journal.collapse();
        }
        match breadth::<u128>(&folded, question, &self.admitted, self.callback, journal.as_mut()) {
            Ok(found) => self.told(&folded, question, found),
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::TooWide) => {
                Err(ExploreError::Space("it has too many different parts to number".into()))
            }
        }
    }

    /// The verdict on a result; a counterexample that may not be the shortest is shortened first.
    fn told(
        &self,
        space: &dyn Space,
        question: &Question,
        mut found: SearchResult,
    ) -> Result<Verdict, ExploreError> {
        let search = &self.admitted.search;
        let nearest_first =
            matches!(search.strategy, Strategy::Breadth { .. }) && search.reduction == Reduction::None;
        if let (SearchEnd::Violation(bad, path), false) = (&mut found.end, nearest_first) {
            *path = shorten(space, question, bad, std::mem::take(path));
        }
        let shortest = nearest_first && !found.cut && !space.shape().some_runs;
        verdict(space, question, found, shortest)
    }
}
