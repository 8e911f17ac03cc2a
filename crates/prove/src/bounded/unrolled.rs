//! Copies of the variables for each state of a run, and the formulas that tie each state to the one before.
//! Formulas only: no solver is asked here.

use crate::solver::SolverError;
use crate::{Path, SmtQuery, System, SystemError, Term, TermSort};

/// A system ready to be unrolled.
pub(super) struct Unrolled<'a> {
    pub(super) system: &'a System,
    pub(super) beginnings: Vec<Path>,
    pub(super) paths: Vec<Path>,
}

impl<'a> Unrolled<'a> {
    /// The system, unless it or one of the formulas has what cannot be unrolled.
    pub(super) fn new(system: &'a System, formulas: &[&Term]) -> Result<Unrolled<'a>, BoundedError> {
        system.checked()?;
        if let Some(set) = system.variables.iter().find(|variable| variable.sort == TermSort::Set) {
            return Err(BoundedError::Sets(set.name.clone()));
        }
        let (beginnings, paths) = (system.beginnings(), system.paths());
        let unrolled = Unrolled { system, beginnings, paths };
        let choices = unrolled.moves().flat_map(|path| &path.choices).map(|choice| choice.name.as_str());
        let parameters = system.parameters.iter().map(|parameter| parameter.name.as_str());
        let variables = system.variables.iter().map(|variable| variable.name.as_str());
        if let Some(name) = parameters.chain(variables).chain(choices).find(|name| name.contains('@')) {
            return Err(BoundedError::Name(name.to_string()));
        }
        let of_paths = unrolled.moves().flat_map(|path| path.guard.iter().chain(path.updates.values()));
        let all = system.assumptions.iter().chain(of_paths).chain(formulas.iter().copied());
        for term in all {
            let query = SmtQuery { asserted: vec![term.clone()], ..SmtQuery::default() };
            if query.is_quantified() {
                return Err(BoundedError::Quantified(term.to_string()));
            }
        }
        Ok(unrolled)
    }

    fn moves(&self) -> impl Iterator<Item = &Path> {
        self.beginnings.iter().chain(&self.paths)
    }

    /// The ways to arrive in state `k`.
    pub(super) fn ways(&self, k: usize) -> &[Path] {
        if k == 0 { &self.beginnings } else { &self.paths }
    }

    /// The parameters, which all states share.
    pub(super) fn parameters(&self) -> Vec<(String, TermSort)> {
        self.system.unknowns(None, false)
    }

    /// What is declared for state `k`: the variables, and what was chosen on the way there.
    pub(super) fn unknowns(&self, k: usize) -> Vec<(String, TermSort)> {
        let variables = self.system.variables.iter();
        let mut all: Vec<(String, TermSort)> = variables.map(|v| (copy(&v.name, k), v.sort)).collect();
        for (way, path) in self.ways(k).iter().enumerate() {
            all.push((taken(way, k), TermSort::Bool));
            for choice in &path.choices {
                // Paths may share the name of a choice; one of them is taken, so they may share the unknown.
                let named = (copy(&choice.name, k), TermSort::Number);
                if !all.contains(&named) {
                    all.push(named);
                }
            }
        }
        all
    }

    /// A formula about a state, as one about state `k`.
    pub(super) fn at(&self, term: &Term, k: usize) -> Term {
        term.replaced(&|name| self.system.named(name).map(|_| Term::Name(copy(name, k))))
    }

    /// How state `k` comes from the one before, or, for the first, how a run begins: one way is taken, its guard
    /// is true, and every variable has the value that it gives.
    pub(super) fn arrival(&self, k: usize) -> Vec<Term> {
        let ways = self.ways(k);
        let mut all = vec![Term::or((0..ways.len()).map(|way| Term::Name(taken(way, k))))];
        for (way, path) in ways.iter().enumerate() {
            let before = |term: &Term| {
                term.replaced(&|name| {
                    if path.choices.iter().any(|choice| choice.name == name) {
                        Some(Term::Name(copy(name, k)))
                    } else {
                        self.system.named(name).map(|_| Term::Name(copy(name, k.saturating_sub(1))))
                    }
                })
            };
            let guards = path.guard.iter().map(before);
            let values = self.system.variables.iter().map(|variable| {
                Term::Name(copy(&variable.name, k)).equals(before(&path.after(&variable.name)))
            });
            let happens: Vec<Term> = guards.chain(values).collect();
            all.push(Term::and(happens).given(Term::Name(taken(way, k))));
        }
        all
    }

    /// Two states are not the same.
    pub(super) fn differs(&self, one: usize, other: usize) -> Term {
        Term::or(self.system.variables.iter().map(|variable| {
            Term::Name(copy(&variable.name, one)).equals(Term::Name(copy(&variable.name, other))).negated()
        }))
    }
}

/// The copy of a name for state `k`.
pub(super) fn copy(name: &str, k: usize) -> String {
    format!("{name}@{k}")
}

/// Whether a way was taken to state `k`. No copy of a name has two signs.
pub(super) fn taken(way: usize, k: usize) -> String {
    format!("path{way}@@{k}")
}

/// Why a bounded search cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoundedError {
    /// A variable is a set.
    #[error(
        "`{0}` is a set, and runs with sets are not unrolled: search an instance with fixed parameters, or use the \
         abstraction of the system without sets"
    )]
    Sets(String),
    /// A formula has a quantifier.
    #[error("`{0}` has a quantifier, and runs are unrolled without: write it without `all`")]
    Quantified(String),
    /// A name has the sign that marks copies.
    #[error("`{0}` has an `@`, which marks the copies of a variable: give it another name")]
    Name(String),
    /// What the solver gave as a run is none; the step where it goes wrong.
    #[error(
        "the solver gave a run whose step {0} the system does not have: try another solver, and report this"
    )]
    NotARun(usize),
    /// The system has no meaning.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}
