//! Parametric witnesses: one run for each choice of the parameters, written down once. A step is a path with its
//! choices as terms; a repetition gives the state after so many rounds in closed form. A list of obligations
//! without quantifiers shows that this is a run of the system and that the property is false at its end.

use crate::instance::{InstanceError, InstanceTransition, State, SystemInstance, evaluated};
use crate::obligation::{Claim, Obligation};
use crate::smtlib::SmtQuery;
use crate::{Path, System, Term, TermSort};
use std::collections::BTreeMap;

/// One path taken, with what is chosen and drawn in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessStep {
    /// The name of the path.
    pub path: String,
    /// The choices and draws, as terms over the parameters, the counter of the repetition and the state before.
    pub picks: Vec<(String, Term)>,
}

/// A phase of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WitnessPhase {
    /// One move.
    Step(WitnessStep),
    /// Moves that are made again and again.
    Repeat {
        /// How often.
        count: Term,
        /// The name of the number of rounds made so far.
        counter: String,
        /// The state after so many rounds, in closed form; a variable that is not here keeps its value.
        state: Vec<(String, Term)>,
        /// The moves of one round.
        moves: Vec<WitnessStep>,
    },
    /// Moves that are made again and again until a condition holds, however often that is.
    Until {
        /// When to stop: a formula about the state.
        done: Term,
        /// What is true of the state before and after each round.
        invariant: Term,
        /// A number of at least 0 before each round, and at least 1 less after it.
        rank: Term,
        /// The moves of one round.
        moves: Vec<WitnessStep>,
    },
}

/// A number that a witness needs and that the parameters determine, such as a half.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Auxiliary {
    /// Its name.
    pub name: String,
    /// The least it can be, a term over the parameters.
    pub low: Term,
    /// The most it can be.
    pub high: Term,
    /// What it is.
    pub given: Term,
}

/// A run for every choice of the parameters that fulfils the condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParametricWitness {
    /// What must be true of the parameters, beside the assumptions of the system.
    pub condition: Vec<Term>,
    /// Numbers that exist for all such parameters.
    pub auxiliaries: Vec<Auxiliary>,
    /// The way through the initial block.
    pub start: WitnessStep,
    /// The run.
    pub acts: Vec<WitnessPhase>,
}

/// Why a witness is not one of the system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WitnessError {
    /// There is no such path.
    #[error("the system has no path \"{0}\"")]
    Path(String),
    /// A choice or a draw of a path is not given.
    #[error("the witness does not say what `{pick}` is in \"{path}\"")]
    Pick {
        /// The path.
        path: String,
        /// The choice.
        pick: String,
    },
    /// The run cannot go on at this move, for these parameters.
    #[error("the witness is not a run of the system: move {at}, \"{path}\", is not possible")]
    Stuck {
        /// The move, counted from 1.
        at: usize,
        /// Its path.
        path: String,
    },
    /// The parameters are not possible.
    #[error("{0}")]
    Parameters(String),
    /// A repetition does not come nearer to its end, by this rank.
    #[error("a repetition does not make `{0}` smaller")]
    Endless(String),
    /// A closed form is given for what is no variable.
    #[error("`{0}` is no variable of the system")]
    Variable(String),
    /// A repetition with a count, in a system of real numbers.
    #[error("rounds cannot be counted in real numbers: take the system in integers, or go on until")]
    Dense,
}

/// The values of the variables at a point of the run, as terms over the parameters.
type Symbolic = BTreeMap<String, Term>;

/// Collects obligations on the way.
struct Walk<'a> {
    system: &'a System,
    paths: Vec<Path>,
    /// What is known at this point: the condition, and where the counter stands.
    known: Vec<Term>,
    /// The numbers that are not known, beside the parameters.
    unknowns: Vec<(String, TermSort)>,
    found: Vec<Obligation>,
}

impl ParametricWitness {
    /// What has to be shown: every move is possible, repetitions are as their closed forms say, and in the end the
    /// property is false.
    pub fn obligations(&self, system: &System, property: &Claim) -> Result<Vec<Obligation>, WitnessError> {
        let mut known = system.assumptions.clone();
        known.extend(self.condition.iter().cloned());
        let (unknowns, found) = (Vec::new(), Vec::new());
        let mut walk = Walk { system, paths: system.beginnings(), known, unknowns, found };
        for auxiliary in &self.auxiliaries {
            walk.introduced(auxiliary);
        }
        let mut state = walk.moved(&Symbolic::new(), &self.start, "the beginning")?;
        walk.paths = system.paths();
        for (i, act) in self.acts.iter().enumerate() {
            let part = format!("part {}", i + 1);
            match act {
                WitnessPhase::Step(step) => state = walk.moved(&state, step, &part)?,
                WitnessPhase::Repeat { count, counter, state: closed, moves } => {
                    state = walk.repeated(&state, (count, counter), closed, moves, &part)?;
                }
                WitnessPhase::Until { done, invariant, rank, moves } => {
                    state = walk.iterated(&state, [done, invariant, rank], moves, &part)?;
                }
            }
        }
        let wrong = property.formula.replaced(&|name| state.get(name).cloned()).negated();
        walk.owes(&format!("the end breaks {}", property.name), wrong, &[]);
        Ok(walk.found)
    }

    /// The run at one point: the paths that are taken and the states they lead to, the initial one first.
    pub fn run(&self, instance: &SystemInstance) -> Result<Vec<(String, State)>, WitnessError> {
        let system = instance.system();
        let mut names = instance.parameter_names();
        for auxiliary in &self.auxiliaries {
            let mut found = None;
            for number in value(&auxiliary.low, &names)?..=value(&auxiliary.high, &names)? {
                names.insert(auxiliary.name.clone(), number);
                if value(&auxiliary.given, &names)? != 0 {
                    found = Some(number);
                    break;
                }
            }
            if found.is_none() {
                return Err(WitnessError::Parameters(format!("there is no `{}`", auxiliary.name)));
            }
        }
        for condition in &self.condition {
            if value(condition, &names)? == 0 {
                return Err(WitnessError::Parameters(format!("these parameters break `{condition}`")));
            }
        }
        let beginnings = system.beginnings();
        let begun = instance.beginnings().map_err(refused)?;
        let first = taken(&beginnings, &begun, &self.start, &names, 0)?.after;
        let mut run = vec![(self.start.path.clone(), first.clone())];
        let paths = system.paths();
        let mut make = |step: &WitnessStep, names: &BTreeMap<String, i64>| {
            let now = run.last().map(|(_, state)| state.clone()).unwrap_or_default();
            let names = system.with_state(names, &now);
            let turns = instance.turns(&now).map_err(refused)?;
            let turn = taken(&paths, &turns, step, &names, run.len())?;
            run.push((step.path.clone(), turn.after.clone()));
            Ok::<State, WitnessError>(turn.after)
        };
        let mut now = first;
        for act in &self.acts {
            match act {
                WitnessPhase::Step(step) => now = make(step, &names)?,
                WitnessPhase::Repeat { count, counter, moves, .. } => {
                    for round in 0..value(count, &names)? {
                        let mut inner = names.clone();
                        inner.insert(counter.clone(), round);
                        for step in moves {
                            now = make(step, &inner)?;
                        }
                    }
                }
                WitnessPhase::Until { done, rank, moves, .. } => {
                    while value(done, &system.with_state(&names, &now))? == 0 {
                        let before = value(rank, &system.with_state(&names, &now))?;
                        for step in moves {
                            now = make(step, &names)?;
                        }
                        if moves.is_empty() || value(rank, &system.with_state(&names, &now))? >= before {
                            return Err(WitnessError::Endless(rank.to_string()));
                        }
                    }
                }
            }
        }
        Ok(run)
    }
}

/// The transition that a step of the witness names.
fn taken(
    paths: &[Path],
    turns: &[InstanceTransition],
    step: &WitnessStep,
    names: &BTreeMap<String, i64>,
    at: usize,
) -> Result<InstanceTransition, WitnessError> {
    let path = named(paths, step)?;
    let picked = step.picks.iter().map(|(name, term)| Ok((name.as_str(), value(term, names)?)));
    let picked: BTreeMap<&str, i64> = picked.rev().collect::<Result<_, WitnessError>>()?;
    let wanted = |name: &str| picked.get(name).copied();
    let fits = |turn: &&InstanceTransition| {
        let mut draws = path.draws.iter();
        turn.ways == path.ways
            && turn.picks.iter().all(|(name, chosen)| {
                let is_choice = path.choices.iter().any(|choice| choice.name == *name);
                let name =
                    if is_choice { Some(name.as_str()) } else { draws.next().map(|d| d.name.as_str()) };
                name.and_then(wanted) == Some(*chosen)
            })
    };
    let stuck = || WitnessError::Stuck { at, path: step.path.clone() };
    turns.iter().find(fits).cloned().ok_or_else(stuck)
}

fn named<'a>(paths: &'a [Path], step: &WitnessStep) -> Result<&'a Path, WitnessError> {
    let path = paths.iter().find(|path| path.name == step.path);
    path.ok_or_else(|| WitnessError::Path(step.path.clone()))
}

fn value(term: &Term, names: &BTreeMap<String, i64>) -> Result<i64, WitnessError> {
    evaluated(term, names).map_err(refused)
}

fn refused(error: InstanceError) -> WitnessError {
    WitnessError::Parameters(error.to_string())
}

impl Walk<'_> {
    /// The state after a move; that it is possible is owed.
    fn moved(&mut self, state: &Symbolic, step: &WitnessStep, part: &str) -> Result<Symbolic, WitnessError> {
        let path = named(&self.paths, step)?.clone();
        let mut names = state.clone();
        let needed =
            path.choices.iter().map(|choice| &choice.name).chain(path.draws.iter().map(|draw| &draw.name));
        for pick in needed {
            let given = step.picks.iter().find(|(name, _)| name == pick);
            let missing = || WitnessError::Pick { path: path.name.clone(), pick: pick.clone() };
            let given = &given.ok_or_else(missing)?.1;
            names.insert(pick.clone(), given.replaced(&|name| state.get(name).cloned()));
        }
        let put = |term: &Term| term.replaced(&|name| names.get(name).cloned());
        let guard = Term::and(path.guard.iter().map(put));
        self.owes(&format!("{part}: \"{}\" is possible", path.name), guard, &[]);
        for draw in &path.draws {
            let element = Term::name("some element");
            let at_element = |name: &str| (name == draw.element).then(|| element.clone());
            let within = element.clone().within(put(&draw.low), put(&draw.high));
            let given = put(&draw.given.replaced(&at_element));
            let outside = element.clone().is_in(put(&Term::name(&draw.name))).negated();
            let goal = Term::choice(within, given, outside);
            self.owes(&format!("{part}: \"{}\" can draw this set", path.name), goal, &["some element"]);
        }
        let variables = self.system.variables.iter();
        Ok(variables.map(|variable| (variable.name.clone(), put(&path.after(&variable.name)))).collect())
    }

    fn repeated(
        &mut self,
        state: &Symbolic,
        (count, counter): (&Term, &str),
        closed: &[(String, Term)],
        moves: &[WitnessStep],
        part: &str,
    ) -> Result<Symbolic, WitnessError> {
        // In a dense system nobody could say that the number of rounds is whole.
        if self.system.dense {
            return Err(WitnessError::Dense);
        }
        if let Some((name, _)) = closed.iter().find(|(name, _)| self.system.named(name).is_none()) {
            return Err(WitnessError::Variable(name.clone()));
        }
        let at = |round: Term| {
            let mut then = state.clone();
            for (name, term) in closed {
                let term = term.replaced(&|word| (word == counter).then(|| round.clone()));
                then.insert(name.clone(), term);
            }
            then
        };
        self.owes(&format!("{part}: it is made 0 times or more"), Term::Number(0).le(count.clone()), &[]);
        self.same(&format!("{part} begins where the part before ends"), state, &at(Term::Number(0)));
        let round = Term::name(counter);
        let known = self.known.len();
        self.known.push(Term::Number(0).le(round.clone()));
        self.known.push(round.clone().lt(count.clone()));
        self.unknowns.push((counter.to_string(), TermSort::Number));
        let mut now = at(round.clone());
        for step in moves {
            now = self.moved(&now, step, &format!("{part}, in each round"))?;
        }
        self.same(
            &format!("{part}: each round ends where the next begins"),
            &now,
            &at(round.plus(Term::Number(1))),
        );
        self.known.truncate(known);
        self.unknowns.pop();
        Ok(at(count.clone()))
    }

    fn iterated(
        &mut self,
        state: &Symbolic,
        [done, invariant, rank]: [&Term; 3],
        moves: &[WitnessStep],
        part: &str,
    ) -> Result<Symbolic, WitnessError> {
        let at = |term: &Term, state: &Symbolic| term.replaced(&|name| state.get(name).cloned());
        self.owes(&format!("{part} begins with its invariant"), at(invariant, state), &[]);
        let any = self.any_state(part);
        let known = self.known.len();
        self.known.push(at(invariant, &any));
        self.known.push(at(done, &any).negated());
        let mut now = any.clone();
        for step in moves {
            now = self.moved(&now, step, &format!("{part}, in each round"))?;
        }
        self.owes(&format!("{part}: each round keeps the invariant"), at(invariant, &now), &[]);
        let (before, after) = (at(rank, &any), at(rank, &now));
        let falls = Term::and([Term::Number(0).le(before.clone()), after.plus(Term::Number(1)).le(before)]);
        self.owes(&format!("{part}: each round comes nearer to the end"), falls, &[]);
        self.known.truncate(known);
        self.known.push(at(invariant, &any));
        self.known.push(at(done, &any));
        Ok(any)
    }

    /// A state of which nothing is known.
    fn any_state(&mut self, part: &str) -> Symbolic {
        let system = self.system;
        let named = system.variables.iter().map(|variable| {
            let name = format!("{} after {part}", variable.name);
            self.unknowns.push((name.clone(), variable.sort));
            (variable.name.clone(), Term::Name(name))
        });
        named.collect()
    }

    /// That an auxiliary number exists is owed, and from then on it is known.
    fn introduced(&mut self, auxiliary: &Auxiliary) {
        let none = Term::All(
            auxiliary.name.clone(),
            Box::new(auxiliary.low.clone()),
            Box::new(auxiliary.high.clone()),
            Box::new(auxiliary.given.clone().negated()),
        );
        self.owes(&format!("there is a number `{}`", auxiliary.name), none.negated(), &[]);
        self.unknowns.push((auxiliary.name.clone(), TermSort::Number));
        let name = Term::name(&auxiliary.name);
        self.known.push(auxiliary.low.clone().le(name.clone()));
        self.known.push(name.le(auxiliary.high.clone()));
        self.known.push(auxiliary.given.clone());
    }

    /// Two ways to write down one state are the same.
    fn same(&mut self, name: &str, one: &Symbolic, other: &Symbolic) {
        let mut equal = Vec::new();
        for variable in &self.system.variables {
            let (Some(a), Some(b)) = (one.get(&variable.name), other.get(&variable.name)) else { continue };
            if variable.sort == TermSort::Set {
                let element = Term::name("some element");
                let goal = element.clone().is_in(a.clone()).equals(element.is_in(b.clone()));
                self.owes(&format!("{name} ({})", variable.name), goal, &["some element"]);
            } else {
                equal.push(a.clone().equals(b.clone()));
            }
        }
        self.owes(name, Term::and(equal), &[]);
    }

    fn owes(&mut self, name: &str, goal: Term, more: &[&str]) {
        if goal == Term::Bool(true) {
            return;
        }
        let mut unknowns = self.system.unknowns(None, false);
        unknowns.extend(self.unknowns.iter().cloned());
        unknowns.extend(more.iter().map(|name| (name.to_string(), TermSort::Number)));
        let query = SmtQuery { unknowns, asserted: self.known.clone(), ..SmtQuery::default() };
        self.found.push(Obligation::lemma(name.to_string(), goal, query));
    }
}
