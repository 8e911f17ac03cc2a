//! The options of a search, and `check`, which answers a question.

use crate::admission::{Admitted, admitted};
use crate::breadth::{Failure, breadth};
use crate::collapse::Collapsed;
use crate::distributed::{self, Exchange, SearchPeers, Travelling, distributed};
use crate::external::{DiskKey, claim, external};
use crate::hooks::{Hooks, KeyWidth};
use crate::journal::{Checkpoints, SearchJournal};
use crate::live;
use crate::search_result::{SearchEnd, SearchResult};
use crate::shorten::shorten;
use crate::subsumption::subsumption;
use crate::verdict::verdict;
use crate::walks::walks;
use crate::{ExploreError, Monitored, Symmetric};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use watchkeeper_logic::{Invariant, Limit, Question, Shortfall, Verdict};
use watchkeeper_space::{Space, SpaceQuery, Symmetries};

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
    /// Where to keep the states.
    pub store: Store,
    /// The seed of searches that choose at random.
    pub seed: u64,
    /// Where to leave checkpoints, if anywhere; what was left there before is gone on with.
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// The other workers, if processes or machines search together; [`Search::workers`] then counts for nothing.
    pub peers: Option<SearchPeers>,
    /// For tests.
    #[doc(hidden)]
    pub hooks: Hooks,
}

/// Where a search keeps its states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Store {
    /// In memory.
    #[default]
    Memory,
    /// On disk.
    Disk(DiskStore),
    /// In memory as long as they fit, and then on disk.
    Auto(DiskStore),
}

/// A place on disk for the states of a search, which removes its files at the end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiskStore {
    /// A directory that is empty or new; none for a fresh one among the temporary files of the system.
    pub directory: Option<PathBuf>,
    /// Whether other searches use the directory too: then each takes a fresh one in it.
    pub shared: bool,
    /// The most bytes of files.
    pub max_bytes: Option<u64>,
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
            store: Store::Memory,
            seed: 1,
            checkpoints: None,
            peers: None,
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
    let verdict = match &search.peers {
        Some(peers) => together(space, question, admitted, callback, peers),
        None if question.temporal.is_empty() => {
            Query { question, admitted, callback, line: None }.observed(space)
        }
        None => on_runs(space, question, admitted, callback),
    };
    let mut verdict = verdict?;
    verdict.warnings.extend(search.checkpoints.iter().flat_map(|checkpoints| checkpoints.warnings()));
    Ok(verdict)
}

/// Searches on several workers, of which this is one.
fn together(
    space: &dyn Space,
    question: &Question,
    admitted: Admitted,
    callback: &dyn ProgressCallback,
    peers: &SearchPeers,
) -> Result<Verdict, ExploreError> {
    distributed::admits(space, question, &admitted.search)?;
    let (mut admitted, mut verdict) = (Some(admitted), None);
    let connected = peers.0.with(&mut |exchange| {
        let line = RefCell::new(exchange);
        if let Some(admitted) = admitted.take() {
            verdict = Some(Query { question, admitted, callback, line: Some(&line) }.observed(space));
        }
    });
    connected.map_err(ExploreError::Distributed)?;
    verdict.unwrap_or_else(|| {
        Err(ExploreError::Distributed("the line to the other workers was not used".into()))
    })
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
        let verdict = Query { question: &states, admitted, callback, line: None }.observed(space)?;
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
struct Query<'q, 'l> {
    question: &'q Question,
    admitted: Admitted,
    callback: &'q dyn ProgressCallback,
    /// The line to the other workers, if there are any.
    line: Option<&'q RefCell<&'l mut (dyn Exchange + 'l)>>,
}

/// The form in which a space is searched.
struct Form<'s> {
    space: &'s dyn Space,
    /// The renamings up to which its states are told apart.
    symmetry: Option<&'s dyn Symmetries>,
    /// Whether what was searched so far can be relied upon: only then is a journal committed.
    sound: &'s dyn Fn() -> bool,
}

impl<'s> Form<'s> {
    /// Each state for itself.
    fn plain(space: &'s dyn Space) -> Form<'s> {
        Form { space, symmetry: None, sound: &|| true }
    }
}

impl Query<'_, '_> {
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
            return self.widening(&Form::plain(space), question);
        }
        match self.renamed(space, question) {
            Err(ExploreError::Asymmetric(why)) if symmetry == SymmetryReduction::WherePossible => {
                let mut verdict = self.widening(&Form::plain(space), question)?;
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
        self.agreed(symmetric.audit(&asked))?;
        symmetric.admits(&asked)?;
        // A checkpoint is not to hide that the promise was broken before it.
        let sound = || symmetric.audited().is_ok();
        let form = Form { space: &symmetric, symmetry: Some(symmetry), sound: &sound };
        let verdict = self.widening(&form, question);
        self.agreed(symmetric.audited())?;
        let mut verdict = verdict?;
        verdict.stats.renamings = symmetry.symmetries() as u64;
        Ok(verdict)
    }

    /// What all workers say of the promise of symmetry: it is broken if one of them has seen that.
    fn agreed(&self, seen: Result<(), ExploreError>) -> Result<(), ExploreError> {
        let Some(line) = self.line else { return seen };
        let complaint = seen.err().map(|error| match error {
            ExploreError::Asymmetric(why) => why,
            error => error.to_string(),
        });
        match distributed::agreed(*line.borrow_mut(), complaint) {
            Some(why) => Err(ExploreError::Asymmetric(why)),
            None => Ok(()),
        }
    }

    /// Searches with the narrowest keys that suffice. The space remembers its ids from one try to the next, so a second try
    /// begins with the widths that the first one learnt.
    fn widening(&self, form: &Form<'_>, question: &Question) -> Result<Verdict, ExploreError> {
        let space = form.space;
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
        let alone = self.line.is_none();
        let mut journal = SearchJournal::of(&self.admitted, space, question, (form.sound, alone))?;
        let collapsed = search.hooks.keys == KeyWidth::Collapsed || self.is_collapsed(&journal)?;
        let mut found = Err(Failure::TooWide);
        if search.hooks.keys == KeyWidth::Narrowest && !collapsed {
            found = self.breadth_first::<u64>(form, question, &mut journal);
        }
        if let (Err(Failure::TooWide), false) = (&found, collapsed) {
            found = self.breadth_first::<u128>(form, question, &mut journal);
        }
        match found {
            Ok(found) => self.told(space, question, found),
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::TooWide) => self.collapsed(form, question, journal),
        }
    }

    /// Whether the rows of the checkpoint are collapsed, so that others need not be tried.
    fn is_collapsed(&self, journal: &SearchJournal<'_>) -> Result<bool, ExploreError> {
        match (journal, self.line) {
            (SearchJournal::Together(journal), Some(line)) => {
                distributed::is_collapsed(*line.borrow_mut(), journal)
            }
            (SearchJournal::Alone(journal), _) => Ok(journal.is_collapsed()),
            _ => Ok(false),
        }
    }

    /// Searches breadth-first, here or on several workers, where the states are to be kept.
    fn breadth_first<K: DiskKey>(
        &self,
        form: &Form<'_>,
        question: &Question,
        journal: &mut SearchJournal<'_>,
    ) -> Result<SearchResult, Failure> {
        let (space, admitted, callback) = (form.space, &self.admitted, self.callback);
        let (mut journal, team) = match journal {
            SearchJournal::Without => (None, None),
            SearchJournal::Alone(journal) => (Some(journal), None),
            SearchJournal::Together(journal) => (None, Some(journal)),
        };
        if let Some(line) = self.line {
            let travelling = Travelling { space, symmetry: form.symmetry };
            return distributed::<K>(*line.borrow_mut(), travelling, question, admitted, (callback, team));
        }
        let store = match &admitted.search.store {
            Store::Memory => return breadth::<K>(space, question, admitted, callback, journal),
            Store::Disk(store) | Store::Auto(store) => store,
        };
        // A directory that cannot be used is told before anything is searched.
        let directory = claim(store).map_err(Failure::Error)?;
        if matches!(admitted.search.store, Store::Auto(_)) {
            let found = breadth::<K>(space, question, admitted, callback, journal.as_deref_mut())?;
            let SearchEnd::Short(Shortfall::Limit(Limit::Memory(_) | Limit::OutOfMemory(_))) = found.end
            else {
                return Ok(found);
            };
        }
        external::<K>(space, question, admitted, &directory, (callback, journal))
    }

    /// Searches with rows collapsed to a few slots.
    fn collapsed(
        &self,
        form: &Form<'_>,
        question: &Question,
        mut journal: SearchJournal<'_>,
    ) -> Result<Verdict, ExploreError> {
        if let (Some(_), Some(_)) = (self.line, form.symmetry) {
            return Err(distributed::refused(
                "its states are too long to be searched up to renaming; say --symmetry=false",
            ));
        }
        let folded = Collapsed::new(form.space);
        journal.collapse();
        match self.breadth_first::<u128>(&Form::plain(&folded), question, &mut journal) {
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
