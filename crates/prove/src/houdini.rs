//! Houdini: it finds an inductive subset of the candidates that implies a property. A candidate is dropped when a
//! step breaks it from a state in which all candidates are true. The search works on demand: it looks at the
//! candidates that the property needs, then at those that these need, and tells a solver only the candidates that
//! exclude its counterexample. If some subset of the candidates is inductive and implies the property, it finds
//! one.

mod evaluator;
mod linear;

use crate::induction::ObligationChecker;
use crate::obligation::Claim;
use crate::smtlib::SmtQuery;
use crate::solver::{CheckedCommand, Solver, SolverAnswer, SolverError};
use crate::{Path, System, Term};
use evaluator::{Evaluator, ModelPoint};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How far Houdini has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoudiniProgress {
    /// Candidates that are left.
    pub left: usize,
    /// Candidates that are needed, as far as is known.
    pub needed: usize,
    /// Counterexamples to induction so far.
    pub counterexamples: usize,
    /// Questions to the solver so far.
    pub questions: usize,
}

/// The result of Houdini.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HoudiniResult {
    /// These are inductive and imply the property, which is among them.
    Enough(Vec<Claim>),
    /// No part of the candidates is enough.
    Nothing,
    /// There was not enough time.
    Time,
}

/// The most states that a choice among candidates looks at.
const REMEMBERED: usize = 64;

/// How many candidates are told at once to exclude a state.
const AT_ONCE: usize = 3;

/// A part of the candidates that is inductive and implies the property. The first candidate is the property. An
/// undecided question counts as broken, so that what is found is inductive at any rate.
pub fn inductive_subset(
    system: &System,
    candidates: &[Claim],
    solver: &Solver,
    limit: Duration,
    until: Instant,
    heard: impl FnMut(&HoudiniProgress),
) -> Result<HoudiniResult, SolverError> {
    let mut houdini = Houdini::new(system, candidates, solver, limit, heard)?;
    let mut open: Vec<usize> = vec![0];
    while let Some(goal) = open.pop() {
        if !houdini.alive[goal] {
            continue;
        }
        if Instant::now() >= until {
            return Ok(HoudiniResult::Time);
        }
        let dropped = houdini.pursue(goal, until)?;
        if !houdini.alive[0] {
            return Ok(HoudiniResult::Nothing);
        }
        for goal in houdini.unsettled(&dropped) {
            if !open.contains(&goal) {
                open.insert(0, goal);
            }
        }
    }
    houdini.trim(until)?;
    let needed = houdini.needed();
    Ok(HoudiniResult::Enough(needed.iter().map(|i| candidates[*i].clone()).collect()))
}

struct Houdini<'a, F> {
    system: &'a System,
    candidates: &'a [Claim],
    judge: ObligationChecker<'a>,
    beginnings: Vec<Path>,
    paths: Vec<Path>,
    evaluator: Evaluator,
    alive: Vec<bool>,
    /// For each goal that was reached: what each path needs to keep it.
    support: BTreeMap<usize, Vec<BTreeSet<usize>>>,
    /// For states that some candidate had to exclude: which candidates are false there.
    excluded: VecDeque<Vec<usize>>,
    /// For each candidate in how many of these states it is false.
    excludes: Vec<usize>,
    /// What was told last about a goal and a path, in case the question comes again.
    told: BTreeMap<(usize, usize), Vec<usize>>,
    /// What the solver is told of each candidate that it was told of.
    commands: BTreeMap<usize, CheckedCommand>,
    /// What is needed, until that changes.
    needed: Option<BTreeSet<usize>>,
    counterexamples: usize,
    questions: usize,
    heard: F,
}

impl<'a, F: FnMut(&HoudiniProgress)> Houdini<'a, F> {
    fn new(
        system: &'a System,
        candidates: &'a [Claim],
        solver: &Solver,
        limit: Duration,
        heard: F,
    ) -> Result<Houdini<'a, F>, SolverError> {
        let (beginnings, paths) = (system.beginnings(), system.paths());
        Ok(Houdini {
            system,
            candidates,
            judge: ObligationChecker::with_cores(system, solver, limit)?,
            evaluator: Evaluator::new(system, candidates, beginnings.iter().chain(&paths)),
            beginnings,
            paths,
            alive: vec![true; candidates.len()],
            support: BTreeMap::new(),
            excluded: VecDeque::new(),
            excludes: vec![0; candidates.len()],
            told: BTreeMap::new(),
            commands: BTreeMap::new(),
            needed: None,
            counterexamples: 0,
            questions: 0,
            heard,
        })
    }

    /// All that is needed so far.
    fn needed(&mut self) -> &BTreeSet<usize> {
        let Houdini { support, alive, needed, .. } = self;
        needed.get_or_insert_with(|| {
            let all = support.values().flatten().flatten().chain(support.keys());
            all.copied().filter(|&i| alive[i]).collect()
        })
    }

    /// What is needed may have changed.
    fn support(&mut self) -> &mut BTreeMap<usize, Vec<BTreeSet<usize>>> {
        self.needed = None;
        &mut self.support
    }

    /// The solver's answer to a question with these candidates asserted; with no question, to the one before with
    /// these as well.
    fn answer(&mut self, query: Option<&SmtQuery>, told: &[usize]) -> Result<SolverAnswer, SolverError> {
        self.questions += 1;
        for &i in told {
            if !self.commands.contains_key(&i) {
                self.commands.insert(i, self.judge.naming(i, &self.candidates[i])?);
            }
        }
        let commands = told.iter().filter_map(|i| self.commands.get(i));
        match query {
            Some(query) => self.judge.ask_with(query, commands),
            None => self.judge.ask_also(commands),
        }
    }

    /// The goals that are not settled: needed and never reached, or resting on what was dropped.
    fn unsettled(&mut self, dropped: &BTreeSet<usize>) -> Vec<usize> {
        let rests = |sets: &Vec<BTreeSet<usize>>| sets.iter().any(|set| !set.is_disjoint(dropped));
        let again: Vec<usize> =
            self.support.iter().filter(|(_, sets)| rests(sets)).map(|(goal, _)| *goal).collect();
        again.iter().chain(dropped).for_each(|goal| {
            self.support().remove(goal);
        });
        let needed = self.needed().clone();
        let unreached = needed.into_iter().filter(|i| !self.support.contains_key(i));
        let mut all: BTreeSet<usize> = unreached.chain(again).filter(|&i| self.alive[i]).collect();
        if self.alive[0] && !self.support.contains_key(&0) {
            all.insert(0);
        }
        // What nobody needs any more is forgotten.
        self.forget();
        all.into_iter().collect()
    }

    /// Keeps the support only of what the property rests on.
    fn forget(&mut self) {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(goal) = open.pop() {
            for &next in self.support.get(&goal).into_iter().flatten().flatten() {
                if reached.insert(next) {
                    open.push(next);
                }
            }
        }
        self.support().retain(|goal, _| reached.contains(goal));
    }

    /// Leaves out one needed candidate after the other, the richest first, where the steps that rest on it can do
    /// with the others.
    fn trim(&mut self, until: Instant) -> Result<(), SolverError> {
        for candidate in self.needed().clone().into_iter().rev().filter(|&i| i != 0) {
            if Instant::now() >= until || !self.support.contains_key(&candidate) {
                continue;
            }
            let others: Vec<usize> = self.needed().iter().copied().filter(|&i| i != candidate).collect();
            let rests =
                self.support.iter().filter(|(goal, _)| **goal != candidate).flat_map(|(goal, sets)| {
                    let at = sets.iter().enumerate().filter(|(_, set)| set.contains(&candidate));
                    at.map(|(at, _)| (*goal, at)).collect::<Vec<_>>()
                });
            let mut instead = Vec::new();
            let mut is_needed = false;
            for (goal, at) in rests.collect::<Vec<_>>() {
                let formula = &self.candidates[goal].formula;
                let query = self.system.step_query(&self.paths[at], &[], Some(formula), true);
                let answer = self.answer(Some(&query), &others)?;
                is_needed = answer != SolverAnswer::Unsat;
                if !is_needed {
                    instead.push((goal, at, self.judge.core_of()?));
                }
                self.judge.end(&answer)?;
                if is_needed {
                    break;
                }
            }
            if !is_needed {
                for (goal, at, core) in instead {
                    if let Some(sets) = self.support().get_mut(&goal) {
                        sets[at] = core.into_iter().collect();
                    }
                }
                self.support().remove(&candidate);
                self.forget();
            }
        }
        Ok(())
    }

    /// Looks for what every path needs to keep a goal. Gives what was dropped on the way.
    fn pursue(&mut self, goal: usize, until: Instant) -> Result<BTreeSet<usize>, SolverError> {
        let mut dropped = BTreeSet::new();
        for i in 0..self.beginnings.len() {
            self.keep(goal, i, false, until, &mut dropped)?;
            if !self.alive[goal] {
                return Ok(dropped);
            }
        }
        let mut sets = Vec::with_capacity(self.paths.len());
        for i in 0..self.paths.len() {
            match self.keep(goal, i, true, until, &mut dropped)? {
                Some(set) => sets.push(set),
                None => return Ok(dropped),
            }
        }
        self.support().insert(goal, sets);
        Ok(dropped)
    }

    /// What one path needs to keep a goal; `None` if it does not keep it, or there was no time to find out.
    fn keep(
        &mut self,
        goal: usize,
        at: usize,
        from_state: bool,
        until: Instant,
        dropped: &mut BTreeSet<usize>,
    ) -> Result<Option<BTreeSet<usize>>, SolverError> {
        let path = if from_state { self.paths[at].clone() } else { self.beginnings[at].clone() };
        let formula = &self.candidates[goal].formula;
        if from_state && path.before(formula) == *formula {
            return Ok(Some(BTreeSet::from([goal])));
        }
        let query = self.system.step_query(&path, &[], Some(formula), from_state);
        let mut told: BTreeSet<usize> = if from_state { self.needed().clone() } else { BTreeSet::new() };
        if from_state {
            told.insert(goal);
            let before = self.told.get(&(goal, at)).into_iter().flatten();
            told.extend(before.copied().filter(|&i| self.alive[i]));
        }
        let mut told: Vec<usize> = told.into_iter().collect();
        // How many of them the solver knows already.
        let mut known = None;
        loop {
            if Instant::now() >= until {
                if known.is_some() {
                    self.judge.done()?;
                }
                return Ok(None);
            }
            let asked = if known.is_none() { Some(&query) } else { None };
            match self.answer(asked, &told[known.unwrap_or(0)..])? {
                SolverAnswer::Unsat => {
                    let core = self.judge.core_of()?;
                    self.judge.done()?;
                    self.told.insert((goal, at), core.clone());
                    return Ok(Some(core.into_iter().collect()));
                }
                SolverAnswer::Unknown(_) => {
                    self.judge.renew()?;
                    self.drop_one(goal, dropped);
                    return Ok(None);
                }
                SolverAnswer::Sat => {
                    let place = if from_state { self.beginnings.len() + at } else { at };
                    let values = self.evaluator.values(&mut self.judge, &query)?;
                    // Of a state with numbers that are too large nothing can be said but that it breaks the goal.
                    let Some(values) = values else {
                        self.judge.done()?;
                        self.drop_one(goal, dropped);
                        return Ok(None);
                    };
                    let excluding = if from_state { self.excluding(&values) } else { Vec::new() };
                    if !excluding.is_empty() {
                        known = Some(told.len());
                        told.extend(excluding);
                        continue;
                    }
                    self.judge.done()?;
                    self.told.insert((goal, at), told.clone());
                    self.counterexamples += 1;
                    if let Some(after) = self.evaluator.after(place, &values) {
                        let broken = self.evaluator.broken(&after, &self.alive);
                        broken.into_iter().for_each(|i| self.drop_one(i, dropped));
                    }
                    // The solver and the evaluator cannot differ; if they do, nothing more is built on it.
                    self.drop_one(goal, dropped);
                    let left = self.alive.iter().filter(|alive| **alive).count();
                    let needed = self.needed().len();
                    let (counterexamples, questions) = (self.counterexamples, self.questions);
                    (self.heard)(&HoudiniProgress { left, needed, counterexamples, questions });
                    return Ok(None);
                }
            }
        }
    }

    fn drop_one(&mut self, candidate: usize, dropped: &mut BTreeSet<usize>) {
        if std::mem::replace(&mut self.alive[candidate], false) {
            self.needed = None;
            dropped.insert(candidate);
        }
    }

    /// Candidates that are false in this state, a few: those that exclude most of the states seen lately, and of
    /// these the first, since candidates are ordered from simple to rich.
    fn excluding(&mut self, values: &ModelPoint) -> Vec<usize> {
        if self.excluded.len() == REMEMBERED {
            self.excluded.pop_front().into_iter().flatten().for_each(|i| self.excludes[i] -= 1);
        }
        let broken = self.evaluator.broken(values, &self.alive);
        broken.iter().for_each(|&i| self.excludes[i] += 1);
        let mut ranked: Vec<(std::cmp::Reverse<usize>, usize)> =
            broken.iter().map(|&i| (std::cmp::Reverse(self.excludes[i]), i)).collect();
        self.excluded.push_back(broken);
        ranked.sort_unstable();
        ranked.into_iter().take(AT_ONCE).map(|(_, i)| i).collect()
    }
}

/// What can be left out of claims that are inductive and imply the property is left out, one after the other.
pub fn minimised(
    system: &System,
    claims: &[Claim],
    property: &Claim,
    solver: &Solver,
    limit: Duration,
) -> Result<Vec<Claim>, SolverError> {
    let mut judge = ObligationChecker::new(system, solver, limit)?;
    let mut left = claims.to_vec();
    let mut i = left.len();
    while i > 0 {
        i -= 1;
        let mut fewer = left.clone();
        fewer.remove(i);
        if is_proof(&mut judge, system, &fewer, property)? {
            left = fewer;
        }
    }
    Ok(left)
}

/// Whether claims are inductive and imply the property.
pub fn is_proof(
    judge: &mut ObligationChecker<'_>,
    system: &System,
    claims: &[Claim],
    property: &Claim,
) -> Result<bool, SolverError> {
    for obligation in system.obligations(claims, property).iter().rev() {
        if obligation.query.asserted.contains(&Term::Bool(false)) {
            continue;
        }
        if judge.decide(&obligation.query)? != SolverAnswer::Unsat {
            return Ok(false);
        }
    }
    Ok(true)
}
