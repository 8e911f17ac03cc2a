//! Simulation: one system follows another with the same parameters, for all of them. For every step of the concrete
//! system the abstract system has a step to a related state. The proof is a list of obligations, one for each path.
//! That every reachable concrete state has a related abstract state is not among them; it is stated as an
//! assumption.

mod instances;

use crate::obligation::{Claim, Obligation, ObligationKind};
use crate::smtlib::SmtQuery;
use crate::sorts::expect;
use crate::{Path, System, SystemError, Term, TermSort};
use instances::{elements, instances};
use std::collections::{BTreeMap, BTreeSet};

/// The mark on a name of the abstract system: `age@b` is its `age` before a step, `age@b'` after it.
pub const ABSTRACT: &str = "@b";

/// How the abstract system goes along with one path of the concrete one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// By one of its own paths.
    Path {
        /// The name of the path.
        name: String,
        /// Its choices, as terms over the concrete state before, the choices and draws of the concrete path, and
        /// the abstract states before and after. A choice that is not here is the concrete one of the same name.
        choices: Vec<(String, Term)>,
    },
    /// Not at all: its state stays what it is.
    Stay,
}

impl Reply {
    /// The path of this name, with the choices of the concrete path.
    pub fn by(name: &str) -> Reply {
        Reply::Path { name: name.to_string(), choices: Vec::new() }
    }

    /// With a term for a choice.
    #[must_use]
    pub fn choosing(mut self, choice: &str, term: Term) -> Reply {
        if let Reply::Path { choices, .. } = &mut self {
            choices.push((choice.to_string(), term));
        }
        self
    }
}

/// A claim that one system simulates another.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    concrete: &'a System,
    abstracted: &'a System,
    relation: Term,
    known: Vec<Claim>,
    replies: BTreeMap<String, Vec<Reply>>,
}

impl<'a> Simulation<'a> {
    /// `abstracted` goes along with `concrete` in states that `relation` relates: a formula over the names of the
    /// concrete system and those of the abstract one with [`ABSTRACT`]. A path without a reply is answered by the path
    /// of the same name.
    pub fn new(
        concrete: &'a System,
        abstracted: &'a System,
        relation: Term,
    ) -> Result<Simulation<'a>, SimulationError> {
        let simulation =
            Simulation { concrete, abstracted, relation, known: Vec::new(), replies: BTreeMap::new() };
        simulation.checked()?;
        Ok(simulation)
    }

    /// With an invariant of the concrete system, which is shown elsewhere.
    #[must_use]
    pub fn knowing(mut self, claim: Claim) -> Simulation<'a> {
        self.known.push(claim);
        self
    }

    /// With the ways to go along with a path, or with a beginning: in every state one of them must do.
    #[must_use]
    pub fn replying(mut self, path: &str, replies: impl IntoIterator<Item = Reply>) -> Simulation<'a> {
        self.replies.entry(path.to_string()).or_default().extend(replies);
        self
    }

    /// What the simulation rests on beside its obligations.
    pub fn rests_on(&self) -> Vec<String> {
        let mut all = vec![format!(
            "Every reachable state of {} is related to some state of {}: not among the obligations.",
            self.concrete.name, self.abstracted.name
        )];
        all.extend(self.known.iter().map(|claim| {
            format!("{} is an invariant of {}: {}", claim.name, self.concrete.name, claim.formula)
        }));
        all
    }

    fn checked(&self) -> Result<(), SimulationError> {
        let names = |system: &System| system.parameters.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
        if names(self.concrete) != names(self.abstracted) || self.concrete.dense != self.abstracted.dense {
            return Err(SimulationError::Parameters);
        }
        let mut sorts = self.concrete.sorts();
        if let Some(marked) = sorts.keys().find(|name| name.contains(ABSTRACT)) {
            return Err(SimulationError::Marked(marked.clone()));
        }
        let marked = self.abstracted.variables.iter();
        sorts.extend(marked.map(|variable| (format!("{}{ABSTRACT}", variable.name), variable.sort)));
        expect(&self.relation, TermSort::Bool, &sorts)?;
        if let Some(set) = self.abstracted.variables.iter().find(|variable| variable.sort == TermSort::Set) {
            return Err(SimulationError::Sets(set.name.clone()));
        }
        let paths: Vec<Path> = self.concrete.beginnings().into_iter().chain(self.concrete.paths()).collect();
        let choices = paths.iter().flat_map(|path| path.choices.iter().map(|choice| choice.name.clone()));
        let draws = paths.iter().flat_map(|path| path.draws.iter().map(|draw| draw.name.clone()));
        let choices: Vec<String> = choices.chain(draws).collect();
        if let Some(marked) = choices.iter().find(|name| name.contains(ABSTRACT)) {
            return Err(SimulationError::Marked(marked.clone()));
        }
        // What a quantifier binds must not be what is put into the formula.
        let free: BTreeSet<String> = sorts.into_keys().chain(choices).collect();
        let formulas = self.known.iter().map(|claim| &claim.formula).chain([&self.relation]);
        match formulas.flat_map(elements).find(|element| free.contains(*element)) {
            Some(element) => Err(SimulationError::Captured(element.to_string())),
            None => Ok(()),
        }
    }

    /// What has to be shown: related states begin together, and every path of the concrete system is answered.
    pub fn obligations(&self) -> Result<Vec<Obligation>, SimulationError> {
        self.checked()?;
        let (beginnings, paths) = (self.abstracted.beginnings(), self.abstracted.paths());
        let known_paths: Vec<Path> =
            self.concrete.beginnings().into_iter().chain(self.concrete.paths()).collect();
        if let Some(unknown) = self.replies.keys().find(|name| !known_paths.iter().any(|p| p.name == **name))
        {
            return Err(SimulationError::Path { name: unknown.clone(), system: self.concrete.name.clone() });
        }
        let mut all: Vec<Obligation> = Vec::new();
        for assumption in &self.abstracted.assumptions {
            if !self.concrete.assumptions.contains(assumption) {
                all.push(self.assumed(assumption));
            }
        }
        for path in self.concrete.beginnings() {
            let goal = self.answered(&path, &beginnings, false)?;
            all.push(self.owed(&path, goal, false));
        }
        for path in self.concrete.paths() {
            let goal = self.answered(&path, &paths, true)?;
            all.push(self.owed(&path, goal, true));
        }
        Ok(all)
    }

    /// That a property of the abstract system carries over: where it holds, the concrete one does, in related
    /// states.
    pub fn carries(&self, concrete: &Claim, abstracted: &Claim) -> Obligation {
        let mut asserted = self.concrete.assumptions.clone();
        asserted.extend(self.known.iter().map(|claim| claim.formula.clone()));
        asserted.push(self.relation.clone());
        asserted.push(self.marked(&abstracted.formula, ABSTRACT));
        asserted.push(concrete.formula.clone().negated());
        let mut unknowns = self.concrete.unknowns(None, true);
        unknowns.extend(self.copies(ABSTRACT));
        Obligation {
            kind: ObligationKind::Lemma,
            name: format!("{} carries over to {}", abstracted.name, self.concrete.name),
            path: None,
            goal: concrete.clone(),
            query: SmtQuery { unknowns, draws: Vec::new(), asserted },
        }
    }

    /// The formula that one of the replies to a path does.
    fn answered(&self, path: &Path, theirs: &[Path], from_state: bool) -> Result<Term, SimulationError> {
        // A beginning may be answered by any beginning, a step by the step of the same name.
        let usual: Vec<Reply> = if from_state {
            vec![Reply::by(&path.name)]
        } else {
            theirs.iter().map(|path| Reply::by(&path.name)).collect()
        };
        let replies = self.replies.get(&path.name).unwrap_or(&usual);
        let mut ways = Vec::new();
        for reply in replies {
            let (name, choices) = match reply {
                Reply::Path { name, choices } => (name, choices),
                Reply::Stay if from_state => {
                    ways.push(self.is_after(|variable| self.marked(&Term::name(variable), ABSTRACT)));
                    continue;
                }
                Reply::Stay => return Err(SimulationError::NoBeginning(path.name.clone())),
            };
            // Alternatives without a name make several paths of one name.
            let named: Vec<&Path> = theirs.iter().filter(|path| path.name == *name).collect();
            if named.is_empty() {
                return Err(SimulationError::Path {
                    name: name.clone(),
                    system: self.abstracted.name.clone(),
                });
            }
            for reply in named {
                ways.push(self.taken(path, reply, choices, from_state)?);
            }
        }
        Ok(Term::or(ways))
    }

    /// The formula that a path of the abstract system is possible, with these choices, and leads to the state after.
    fn taken(
        &self,
        path: &Path,
        reply: &Path,
        choices: &[(String, Term)],
        from_state: bool,
    ) -> Result<Term, SimulationError> {
        if let Some(draw) = reply.draws.first() {
            return Err(SimulationError::Sets(draw.name.clone()));
        }
        let scope = self.scope(path, from_state);
        let mut chosen: BTreeMap<&str, Term> = BTreeMap::new();
        for choice in &reply.choices {
            let given = choices.iter().find(|(name, _)| *name == choice.name).map(|(_, term)| term.clone());
            let shared = path.choices.iter().any(|ours| ours.name == choice.name);
            let Some(term) = given.or_else(|| shared.then(|| Term::name(&choice.name))) else {
                let (path, reply, choice) = (path.name.clone(), reply.name.clone(), choice.name.clone());
                return Err(SimulationError::Choice { path, reply, choice });
            };
            expect(&term, TermSort::Number, &scope)?;
            chosen.insert(&choice.name, term);
        }
        let put = |term: &Term| {
            term.replaced(&|word| {
                let of_state =
                    || self.abstracted.named(word).map(|_| Term::Name(format!("{word}{ABSTRACT}")));
                chosen.get(word).cloned().or_else(of_state)
            })
        };
        let then = self.is_after(|variable| put(&reply.after(variable)));
        Ok(Term::and(reply.guard.iter().map(put).chain([then])))
    }

    /// The names that a term for a choice may have.
    fn scope(&self, path: &Path, from_state: bool) -> BTreeMap<String, TermSort> {
        let mut scope: BTreeMap<String, TermSort> =
            self.concrete.unknowns(Some(path), from_state).into_iter().collect();
        scope.extend(self.copies(&format!("{ABSTRACT}'")));
        if from_state {
            scope.extend(self.copies(ABSTRACT));
        }
        scope
    }

    /// That the abstract state after has these values.
    fn is_after(&self, value: impl Fn(&str) -> Term) -> Term {
        let variables = self.abstracted.variables.iter();
        Term::and(variables.map(|v| Term::Name(format!("{}{ABSTRACT}'", v.name)).equals(value(&v.name))))
    }

    fn owed(&self, path: &Path, goal: Term, from_state: bool) -> Obligation {
        let after = format!("{ABSTRACT}'");
        let mut unknowns = self.concrete.unknowns(Some(path), from_state);
        let mut asserted = self.concrete.assumptions.clone();
        if from_state {
            unknowns.extend(self.copies(ABSTRACT));
            asserted.extend(self.known.iter().map(|claim| claim.formula.clone()));
            asserted.push(self.relation.clone());
        }
        unknowns.extend(self.copies(&after));
        asserted.extend(path.guard.iter().cloned());
        // The relation in the states after: the concrete one as the path makes it, the abstract one by its names.
        let primed = self.relation.replaced(&|word| {
            let theirs = word.strip_suffix(ABSTRACT).filter(|name| self.abstracted.named(name).is_some());
            theirs.map(|name| Term::Name(format!("{name}{after}")))
        });
        asserted.push(path.before(&primed));
        asserted.extend(instances(&asserted, &path.draws, &goal));
        asserted.push(goal.clone().negated());
        let name = if from_state {
            format!("\"{}\" is answered", path.name)
        } else {
            format!("\"{}\" begins in both", path.name)
        };
        Obligation {
            kind: if from_state { ObligationKind::Consecution } else { ObligationKind::Initiation },
            goal: Claim { name: name.clone(), formula: goal },
            name,
            path: Some(path.clone()),
            query: SmtQuery { unknowns, draws: path.draws.clone(), asserted },
        }
    }

    /// That what the abstract system assumes of the parameters follows from what the concrete one does.
    fn assumed(&self, assumption: &Term) -> Obligation {
        let mut asserted = self.concrete.assumptions.clone();
        asserted.push(assumption.clone().negated());
        let name = format!("{} may assume {assumption}", self.abstracted.name);
        Obligation {
            kind: ObligationKind::Initiation,
            goal: Claim { name: name.clone(), formula: assumption.clone() },
            name,
            path: None,
            query: SmtQuery { unknowns: self.concrete.unknowns(None, false), draws: Vec::new(), asserted },
        }
    }

    fn copies(&self, mark: &str) -> Vec<(String, TermSort)> {
        let variables = self.abstracted.variables.iter();
        variables.map(|variable| (format!("{}{mark}", variable.name), variable.sort)).collect()
    }

    /// A term of the abstract system, with marked names.
    fn marked(&self, term: &Term, mark: &str) -> Term {
        term.replaced(&|word| self.abstracted.named(word).map(|_| Term::Name(format!("{word}{mark}"))))
    }
}

/// Why a simulation has no meaning.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The systems have different parameters.
    #[error("the two systems differ in their parameters or kinds of numbers: give both the same")]
    Parameters,
    /// The relation, or the term of a choice, is not one over the names of both systems.
    #[error(transparent)]
    Relation(#[from] SystemError),
    /// A name of the concrete system has the mark of the abstract one.
    #[error("`{0}` has `{ABSTRACT}`, which marks names of the abstract system: give it another name")]
    Marked(String),
    /// The abstract system has a set.
    #[error("`{0}` is a set of the abstract system: a simulation is shown for one without sets")]
    Sets(String),
    /// A quantifier binds what is a name elsewhere.
    #[error("`all {0} in ..` binds what is a name of the system: give the element another name")]
    Captured(String),
    /// There is no such path.
    #[error("{system} has no path \"{name}\"")]
    Path {
        /// Its name.
        name: String,
        /// The system that does not have it.
        system: String,
    },
    /// A choice of the answering path is not given.
    #[error("the reply \"{reply}\" to \"{path}\" chooses `{choice}`: say which term it is")]
    Choice {
        /// The path of the concrete system.
        path: String,
        /// The path that answers it.
        reply: String,
        /// The choice.
        choice: String,
    },
    /// A beginning cannot be answered by staying.
    #[error("the beginning \"{0}\" is answered by staying, but there is no state yet: name a beginning")]
    NoBeginning(String),
}
