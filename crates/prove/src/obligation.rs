//! The proof rule. An invariant holds in the initial states, every path of every step keeps each of its conjuncts,
//! and it implies the property. Each of these obligations has a name and is one question to a solver; the answer
//! "unsat" discharges it.

use crate::smtlib::SmtQuery;
use crate::{Path, System, Term, TermSort};
use strum::{Display, VariantArray};

/// A formula with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// What it says.
    pub formula: Term,
}

impl Claim {
    /// A formula with a name.
    pub fn new(name: &str, formula: Term) -> Claim {
        Claim { name: name.to_string(), formula }
    }
}

/// Formulas, named `prefix` and their place.
pub fn numbered(prefix: &str, formulas: impl IntoIterator<Item = Term>) -> Vec<Claim> {
    let named = formulas.into_iter().enumerate();
    named.map(|(i, formula)| Claim { name: format!("{prefix}{}", i + 1), formula }).collect()
}

/// What an obligation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ObligationKind {
    /// A conjunct holds in every initial state.
    Initiation,
    /// A path keeps a conjunct, if the invariant holds before.
    Consecution,
    /// The invariant implies the property.
    Safety,
    /// Anything else that is asked of a solver and must be unsatisfiable.
    Lemma,
}

impl ObligationKind {
    /// The names of the kinds that occur, each with how often it does.
    pub fn counted(kinds: impl Iterator<Item = ObligationKind> + Clone) -> Vec<(String, usize)> {
        let count = |kind: &ObligationKind| kinds.clone().filter(|other| other == kind).count();
        let named = ObligationKind::VARIANTS.iter().map(|kind| (kind.to_string(), count(kind)));
        named.filter(|(_, count)| *count > 0).collect()
    }
}

/// One thing to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    /// What it is about.
    pub kind: ObligationKind,
    /// Its name: what is to be shown of what.
    pub name: String,
    /// The path, if it is about one.
    pub path: Option<Path>,
    /// What is to be shown, in the state after the path if there is one.
    pub goal: Claim,
    /// The question that must have no answer.
    pub query: SmtQuery,
}

impl Obligation {
    /// A formula that follows from what the query asserts; its opposite is added to these.
    pub(crate) fn lemma(name: String, formula: Term, mut query: SmtQuery) -> Obligation {
        query.asserted.push(formula.clone().negated());
        let goal = Claim { name: name.clone(), formula };
        Obligation { kind: ObligationKind::Lemma, name, path: None, goal, query }
    }
}

impl System {
    /// What is true of every state by the sorts alone: control points are those that there are. It belongs to
    /// every invariant, and is shown like the rest of it.
    pub fn typing(&self) -> Vec<Claim> {
        let controls = self.variables.iter().filter(|variable| !variable.points.is_empty());
        let typed = controls.map(|variable| {
            let points = (0i64..).take(variable.points.len()).map(Term::Number);
            let formula = Term::or(points.map(|point| Term::name(&variable.name).equals(point)));
            Claim { name: format!("{} is a control point", variable.name), formula }
        });
        typed.collect()
    }

    /// Everything known before a step: assumptions on the parameters, and these claims.
    fn known(&self, invariant: &[Claim]) -> Vec<Term> {
        let claims = invariant.iter().map(|claim| claim.formula.clone());
        self.assumptions.iter().cloned().chain(claims).collect()
    }

    /// The unknowns of a path from any state, or of a way to begin.
    pub(crate) fn unknowns(&self, path: Option<&Path>, from_state: bool) -> Vec<(String, TermSort)> {
        let parameters = self.parameters.iter().map(|parameter| (parameter.name.clone(), TermSort::Number));
        let variables = self.variables.iter().filter(|_| from_state);
        let variables = variables.map(|variable| (variable.name.clone(), variable.sort));
        let choices = path.into_iter().flat_map(|path| &path.choices);
        let choices = choices.map(|choice| (choice.name.clone(), TermSort::Number));
        let draws = path.into_iter().flat_map(|path| &path.draws);
        let draws = draws.map(|draw| (draw.name.clone(), TermSort::Set));
        parameters.chain(variables).chain(choices).chain(draws).collect()
    }

    /// The question whether a path from a state with these claims can lead to where `goal` is false.
    pub fn step_query(
        &self,
        path: &Path,
        known: &[Claim],
        goal: Option<&Term>,
        from_state: bool,
    ) -> SmtQuery {
        let mut asserted = if from_state { self.known(known) } else { self.assumptions.clone() };
        asserted.extend(path.guard.iter().cloned());
        asserted.extend(goal.map(|goal| path.before(goal).negated()));
        SmtQuery { unknowns: self.unknowns(Some(path), from_state), draws: path.draws.clone(), asserted }
    }

    /// All that has to be shown for an invariant that implies a property.
    pub fn obligations(&self, invariant: &[Claim], property: &Claim) -> Vec<Obligation> {
        let mut all = Vec::new();
        for path in self.beginnings() {
            for claim in invariant {
                all.push(Obligation {
                    kind: ObligationKind::Initiation,
                    name: format!("initiation of {}", claim.name),
                    query: self.step_query(&path, &[], Some(&claim.formula), false),
                    path: Some(path.clone()),
                    goal: claim.clone(),
                });
            }
        }
        for path in self.paths() {
            for claim in invariant {
                all.push(Obligation {
                    kind: ObligationKind::Consecution,
                    name: format!("consecution of {} under \"{}\"", claim.name, path.name),
                    query: self.step_query(&path, invariant, Some(&claim.formula), true),
                    path: Some(path.clone()),
                    goal: claim.clone(),
                });
            }
        }
        let mut asserted = self.known(invariant);
        asserted.push(property.formula.clone().negated());
        all.push(Obligation {
            kind: ObligationKind::Safety,
            name: format!("safety: the invariant implies {}", property.name),
            path: None,
            goal: property.clone(),
            query: SmtQuery { unknowns: self.unknowns(None, true), asserted, ..SmtQuery::default() },
        });
        all
    }

    /// What must have an answer, lest a proof be about nothing: the system can begin, and every path can be
    /// taken from some state of the invariant.
    pub fn premises(&self, invariant: &[Claim]) -> Vec<(String, SmtQuery)> {
        let begins = self.beginnings().into_iter().map(|path| {
            (format!("the system can begin ({})", path.name), self.step_query(&path, &[], None, false))
        });
        let steps = self.paths().into_iter().map(|path| {
            let name = format!("\"{}\" can happen", path.name);
            (name, self.step_query(&path, invariant, None, true))
        });
        begins.chain(steps).collect()
    }
}
