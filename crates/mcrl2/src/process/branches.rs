//! Control points. Where a sequential component stands is a stack of points with values for their parameters: a process
//! of the specification with its arguments, an action that is next with its arguments, or a part of a process text with the
//! values of the variables in it. This module finds the points of a text.
//!
//! Which states are one state is the choice of the mCRL2 tools, so that the numbers of states are theirs:
//! - the arguments of what follows an action are evaluated at once;
//! - `a . (c -> p <> q)` as an alternative, or below a sum, decides before the action: it is `c -> a . p` and `!c -> a . q`,
//!   and has no state between; anywhere else, and with something behind it, the condition is a point of its own;
//! - what follows a process that cannot end is dropped;
//! - two parts of a text that look the same, with the same variables in scope, are one point.

use super::model::{BoundTerm, ProcKind, ResolvedModel, ResolvedProcess, variable_term};
use super::model_error::ProcessError;
use super::substitution::{Substitution, substituted_term};
use super::values::ProcessVariable;
use crate::syntax::Span;
use std::collections::{BTreeSet, HashMap};

/// The number of a point.
pub(crate) type PointId = u32;

/// The point of `delta`, where nothing can happen.
pub(crate) const DELTA: PointId = 0;

/// The point behind an action whose condition was false: where nothing can happen either, but another one.
const NOWHERE: PointId = 1;

/// A point with expressions for its parameters.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Call {
    pub(crate) point: PointId,
    pub(crate) arguments: Vec<BoundTerm>,
    pub(crate) span: Span,
}

/// What a branch begins with.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Head {
    /// A multi-action; without actions it is tau.
    Actions(Vec<(usize, Vec<BoundTerm>)>),
    /// What another point does.
    Call(Call),
}

/// What can happen at a point.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Branches {
    Choice(Vec<Branches>),
    Sum(Vec<ProcessVariable>, Box<Branches>),
    If(BoundTerm, bool, Box<Branches>),
    Sequence(Head, Vec<Call>, Span),
}

impl Branches {
    /// No branch at all.
    pub(crate) fn nothing() -> Branches {
        Branches::Choice(Vec::new())
    }

    /// Adds the variables that are free in it.
    fn variables(&self, found: &mut BTreeSet<ProcessVariable>) {
        let of_terms = |terms: &[BoundTerm], found: &mut BTreeSet<ProcessVariable>| {
            terms.iter().for_each(|term| found.extend(term.variables.iter().cloned()));
        };
        match self {
            Branches::Choice(branches) => branches.iter().for_each(|branch| branch.variables(found)),
            Branches::Sum(bound, inner) => {
                let mut own = BTreeSet::new();
                inner.variables(&mut own);
                found.extend(own.into_iter().filter(|variable| !bound.contains(variable)));
            }
            Branches::If(condition, _, inner) => {
                found.extend(condition.variables.iter().cloned());
                inner.variables(found);
            }
            Branches::Sequence(head, tail, _) => {
                match head {
                    Head::Actions(actions) => actions.iter().for_each(|(_, terms)| of_terms(terms, found)),
                    Head::Call(call) => of_terms(&call.arguments, found),
                }
                tail.iter().for_each(|call| of_terms(&call.arguments, found));
            }
        }
    }
}

/// A control point.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// How it is called in a view of a state.
    pub(crate) title: String,
    pub(crate) parameters: Vec<ProcessVariable>,
    pub(crate) branches: Branches,
    pub(crate) terminates: bool,
}

/// All points of a specification.
#[derive(Debug)]
pub(crate) struct Points {
    pub(crate) all: Vec<Point>,
    /// The point of each process of the specification that is sequential.
    pub(crate) processes: Vec<Option<PointId>>,
}

impl Points {
    /// The points that are found from these sequential processes and expressions, each with the variables in scope; and for
    /// each the point where it begins.
    pub(crate) fn find(
        model: &ResolvedModel,
        begins: &[(&ResolvedProcess, Vec<ProcessVariable>)],
    ) -> Result<(Points, Vec<Call>), ProcessError> {
        let terminating = terminating(model);
        let nowhere = |title: &str| Point {
            title: title.to_string(),
            parameters: Vec::new(),
            branches: Branches::nothing(),
            terminates: false,
        };
        let points = Points {
            all: vec![nowhere("delta"), nowhere("delta@0")],
            processes: vec![None; model.processes.len()],
        };
        let mut finder = Finder {
            model,
            terminating,
            points,
            actions: HashMap::new(),
            texts: HashMap::new(),
            waiting: Vec::new(),
        };
        let mut calls = Vec::new();
        for (process, scope) in begins {
            calls.push(finder.later(process, scope)?);
        }
        while let Some(process) = finder.waiting.pop() {
            let declared = &model.processes[process];
            let branches = finder.branches(&declared.body, Level::Choice, &declared.parameters)?;
            if let Some(point) = finder.points.processes[process] {
                finder.points.all[point as usize].branches = branches;
            }
        }
        Ok((finder.points, calls))
    }
}

/// How deep in an alternative a process expression stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Choice,
    Sum,
    Sequence,
}

struct Finder<'a> {
    model: &'a ResolvedModel,
    terminating: Vec<bool>,
    points: Points,
    actions: HashMap<Vec<usize>, PointId>,
    texts: HashMap<String, PointId>,
    waiting: Vec<usize>,
}

impl Finder<'_> {
    /// What can happen at the beginning of an expression.
    fn branches(
        &mut self,
        process: &ResolvedProcess,
        level: Level,
        scope: &[ProcessVariable],
    ) -> Result<Branches, ProcessError> {
        let span = process.span;
        match &process.kind {
            ProcKind::Delta => Ok(Branches::nothing()),
            ProcKind::Choice(parts) if level <= Level::Choice => {
                let parts = parts.iter().map(|part| self.branches(part, Level::Choice, scope));
                Ok(Branches::Choice(parts.collect::<Result<_, _>>()?))
            }
            ProcKind::Sum(bound, inner) if level <= Level::Sum => {
                let scope = [scope, bound].concat();
                Ok(Branches::Sum(bound.clone(), Box::new(self.branches(inner, Level::Sum, &scope)?)))
            }
            ProcKind::If(condition, then, None) if level <= Level::Sum => {
                let then = self.branches(then, Level::Sequence, scope)?;
                Ok(Branches::If(condition.clone(), true, Box::new(then)))
            }
            ProcKind::If(condition, then, Some(otherwise)) if level <= Level::Choice => {
                let then = self.branches(then, Level::Sequence, scope)?;
                let otherwise = self.branches(otherwise, Level::Sequence, scope)?;
                Ok(either(condition, then, otherwise))
            }
            ProcKind::Choice(_) | ProcKind::Sum(..) | ProcKind::If(..) => {
                let call = self.text(process, scope)?;
                Ok(Branches::Sequence(Head::Call(call), Vec::new(), span))
            }
            ProcKind::Sequence(parts) if level <= Level::Sequence => self.sequence(parts, level, scope),
            ProcKind::Sequence(_) => {
                let call = self.text(process, scope)?;
                Ok(Branches::Sequence(Head::Call(call), Vec::new(), span))
            }
            _ => {
                let head = self.head(process, scope)?;
                Ok(head.map_or_else(Branches::nothing, |head| Branches::Sequence(head, Vec::new(), span)))
            }
        }
    }

    fn sequence(
        &mut self,
        parts: &[ResolvedProcess],
        level: Level,
        scope: &[ProcessVariable],
    ) -> Result<Branches, ProcessError> {
        let Some((first, rest)) = parts.split_first() else { return Ok(Branches::nothing()) };
        let Some(head) = self.head(first, scope)? else { return Ok(Branches::nothing()) };
        if !self.terminates(first) {
            return Ok(Branches::Sequence(head, Vec::new(), first.span));
        }
        if let [ResolvedProcess { kind: ProcKind::If(..), .. }] = rest
            && level <= Level::Sum
        {
            return self.decided(&head, &rest[0], first.span, scope);
        }
        Ok(Branches::Sequence(head, self.tail(rest, scope)?, first.span))
    }

    /// A head, and behind it a condition that is decided before.
    fn decided(
        &mut self,
        head: &Head,
        rest: &ResolvedProcess,
        span: Span,
        scope: &[ProcessVariable],
    ) -> Result<Branches, ProcessError> {
        let ProcKind::If(condition, then, otherwise) = &rest.kind else {
            let tail = self.tail(std::slice::from_ref(rest), scope)?;
            return Ok(Branches::Sequence(head.clone(), tail, span));
        };
        let then = self.decided(head, then, span, scope)?;
        let otherwise = match otherwise {
            Some(otherwise) => self.decided(head, otherwise, span, scope)?,
            None => {
                let nowhere = Call { point: NOWHERE, arguments: Vec::new(), span };
                Branches::Sequence(head.clone(), vec![nowhere], span)
            }
        };
        Ok(either(condition, then, otherwise))
    }

    /// The head that a part of a sequence is; none for `delta`.
    fn head(
        &mut self,
        process: &ResolvedProcess,
        scope: &[ProcessVariable],
    ) -> Result<Option<Head>, ProcessError> {
        Ok(match &process.kind {
            ProcKind::Delta => None,
            ProcKind::Tau => Some(Head::Actions(Vec::new())),
            ProcKind::Actions(actions) => Some(Head::Actions(actions.clone())),
            _ => Some(Head::Call(self.later(process, scope)?)),
        })
    }

    /// The points of what follows, up to the first that never ends.
    fn tail(
        &mut self,
        parts: &[ResolvedProcess],
        scope: &[ProcessVariable],
    ) -> Result<Vec<Call>, ProcessError> {
        let mut calls = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            if let (ProcKind::Sequence(inner), true) = (&part.kind, i + 1 == parts.len()) {
                calls.extend(self.tail(inner, scope)?);
                return Ok(calls);
            }
            calls.push(self.later(part, scope)?);
            if !self.terminates(part) {
                break;
            }
        }
        Ok(calls)
    }

    /// The point of something that is not at the beginning.
    fn later(&mut self, process: &ResolvedProcess, scope: &[ProcessVariable]) -> Result<Call, ProcessError> {
        let span = process.span;
        match &process.kind {
            ProcKind::Delta => Ok(Call { point: DELTA, arguments: Vec::new(), span }),
            ProcKind::Tau => Ok(Call { point: self.action(&[], span)?, arguments: Vec::new(), span }),
            ProcKind::Actions(actions) => {
                let numbers: Vec<usize> = actions.iter().map(|(action, _)| *action).collect();
                let arguments = actions.iter().flat_map(|(_, arguments)| arguments.iter().cloned()).collect();
                Ok(Call { point: self.action(&numbers, span)?, arguments, span })
            }
            ProcKind::Call(process, arguments) => {
                let (process, arguments) = self.named(*process, arguments, scope);
                Ok(Call { point: self.process(process), arguments, span })
            }
            ProcKind::Choice(_) | ProcKind::Sum(..) | ProcKind::If(..) | ProcKind::Sequence(_) => {
                self.text(process, scope)
            }
            ProcKind::Refused(why) => Err(ProcessError::Refused { why: why.clone(), span }),
            ProcKind::Parallel(_) | ProcKind::Operator(..) => Err(ProcessError::Refused {
                why: "parallel composition and the operators on multi-actions stand outside of what goes on step by \
                      step: use them in `init`, or in a process without recursion that `init` uses in the same way"
                    .to_string(),
                span,
            }),
        }
    }

    /// A process that is nothing but another name for another one with its arguments is that one.
    fn named(
        &self,
        mut process: usize,
        arguments: &[BoundTerm],
        scope: &[ProcessVariable],
    ) -> (usize, Vec<BoundTerm>) {
        let mut arguments = arguments.to_vec();
        for _ in 0..self.model.processes.len() {
            let declared = &self.model.processes[process];
            let ProcKind::Call(inner, given) = &declared.body.kind else { break };
            let by: Substitution = (declared.parameters.iter().zip(&arguments))
                .map(|(parameter, argument)| (parameter.id, (*argument.typed).clone()))
                .collect();
            let given = given.iter().map(|term| substituted_term(&self.model.data, term, &by, scope));
            arguments = given.collect();
            process = *inner;
        }
        (process, arguments)
    }

    fn process(&mut self, process: usize) -> PointId {
        if let Some(point) = self.points.processes[process] {
            return point;
        }
        let declared = &self.model.processes[process];
        let point = self.add(Point {
            title: declared.name.clone(),
            parameters: declared.parameters.clone(),
            branches: Branches::nothing(),
            terminates: self.terminating[process],
        });
        self.points.processes[process] = Some(point);
        self.waiting.push(process);
        point
    }

    fn action(&mut self, numbers: &[usize], span: Span) -> Result<PointId, ProcessError> {
        if let Some(&point) = self.actions.get(numbers) {
            return Ok(point);
        }
        let mut parameters = Vec::new();
        let mut actions = Vec::new();
        for (i, &number) in numbers.iter().enumerate() {
            let copy = numbers[..i].iter().filter(|&&other| other == number).count();
            let Some(own) = self.model.argument_variables(number, copy) else {
                let why =
                    "the same action occurs too often in this multi-action; write a smaller one".to_string();
                return Err(ProcessError::Refused { why, span });
            };
            actions.push((number, own.iter().map(variable_term).collect()));
            parameters.extend(own.iter().cloned());
        }
        let names: Vec<&str> =
            numbers.iter().map(|&number| self.model.actions[number].name.as_str()).collect();
        let title = if names.is_empty() { "tau".to_string() } else { names.join("|") };
        let branches = Branches::Sequence(Head::Actions(actions), Vec::new(), span);
        let point = self.add(Point { title, parameters, branches, terminates: true });
        self.actions.insert(numbers.to_vec(), point);
        Ok(point)
    }

    /// The point of a part of a text.
    fn text(&mut self, process: &ResolvedProcess, scope: &[ProcessVariable]) -> Result<Call, ProcessError> {
        let span = process.span;
        let branches = self.branches(process, Level::Choice, scope)?;
        let mut free = BTreeSet::new();
        branches.variables(&mut free);
        let parameters: Vec<ProcessVariable> =
            scope.iter().filter(|variable| free.contains(variable)).cloned().collect();
        let arguments = parameters.iter().map(variable_term).collect();
        if let Some(&point) = self.texts.get(&self.model.text(&branches, scope)) {
            return Ok(Call { point, arguments, span });
        }
        let text = self.model.text(&branches, &parameters);
        let terminates = self.terminates(process);
        let title = format!("line {}:{}", span.line, span.column);
        let point = self.add(Point { title, parameters, branches, terminates });
        self.texts.insert(text, point);
        Ok(Call { point, arguments, span })
    }

    fn add(&mut self, point: Point) -> PointId {
        self.points.all.push(point);
        self.points.all.len() as PointId - 1
    }

    fn terminates(&self, process: &ResolvedProcess) -> bool {
        can_end(process, &self.terminating)
    }
}

fn either(condition: &BoundTerm, then: Branches, otherwise: Branches) -> Branches {
    Branches::Choice(vec![
        Branches::If(condition.clone(), true, Box::new(then)),
        Branches::If(condition.clone(), false, Box::new(otherwise)),
    ])
}

/// Which processes can end.
fn terminating(model: &ResolvedModel) -> Vec<bool> {
    let mut known = vec![false; model.processes.len()];
    loop {
        let next: Vec<bool> = model.processes.iter().map(|process| can_end(&process.body, &known)).collect();
        if next == known {
            return known;
        }
        known = next;
    }
}

fn can_end(process: &ResolvedProcess, known: &[bool]) -> bool {
    match &process.kind {
        ProcKind::Tau | ProcKind::Actions(_) => true,
        ProcKind::Delta | ProcKind::Refused(_) => false,
        ProcKind::Call(process, _) => known[*process],
        ProcKind::Choice(parts) => parts.iter().any(|part| can_end(part, known)),
        ProcKind::Sequence(parts) | ProcKind::Parallel(parts) => {
            parts.iter().all(|part| can_end(part, known))
        }
        ProcKind::Sum(_, inner) | ProcKind::Operator(_, inner) => can_end(inner, known),
        ProcKind::If(_, then, otherwise) => {
            can_end(then, known) || otherwise.as_ref().is_some_and(|other| can_end(other, known))
        }
    }
}
