//! What can happen at a point, one summand each: variables to choose, conditions, a multi-action, and what comes next. Calls at
//! the beginning of a branch are replaced by what the called process does.
//!
//! What comes next is one point, also where several processes follow each other: such a sequence is a point of its own, with
//! the variables that its arguments are made of. Two sequences are the same point if they read the same, as with the mCRL2
//! tools. Where a recursion makes sequences without end, they are stacks of points with values instead.

use super::branches::{Branches, Call, Head, Point, PointId, Points};
use super::expression::Expression;
use super::model::{BoundTerm, variable_term};
use super::model_error::ProcessError;
use super::substitution::{Substitution, substituted_term, written};
use super::values::{DataSide, ProcessVariable, Sort};
use crate::syntax::Span;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// With more points than this, or longer sequences or texts of them, sequences are stacks.
const MOST: usize = 2_000;
const LONGEST: usize = 24;
const WIDEST: usize = 4_000;

/// What has to be done, in this order, before the action.
#[derive(Clone, Debug)]
pub(crate) enum Precondition {
    /// Any value of a sort.
    Sum { slot: usize, sort: Sort, name: String, span: Span },
    /// A condition has this truth value.
    If(Arc<Expression>, bool),
}

/// Points, each with expressions for its parameters: what comes next.
pub(crate) type NextPoints = Vec<(PointId, Vec<Arc<Expression>>)>;

/// One summand of a point.
#[derive(Clone, Debug)]
pub(crate) struct Summand {
    /// The length of the row. The parameters of the point come first.
    pub(crate) slots: usize,
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) actions: Vec<(usize, Vec<Arc<Expression>>)>,
    pub(crate) next: NextPoints,
}

/// The summands of each point. Sequences become further points.
pub(crate) fn summands(points: &mut Points, data: &DataSide) -> Result<Vec<Vec<Summand>>, ProcessError> {
    let count = points.all.len();
    for stacks in [false, true] {
        points.all.truncate(count);
        let mut normal = NormalForm {
            points,
            data,
            known: HashMap::new(),
            done: HashMap::new(),
            busy: Vec::new(),
            stacks,
            endless: false,
        };
        let mut all = Vec::new();
        while all.len() < normal.points.all.len() && !normal.endless {
            let point = all.len() as PointId;
            let parameters = normal.points.all[point as usize].parameters.clone();
            let branches = normal.of(point, false)?;
            all.push(branches.iter().map(|one| one.compiled(data, &parameters)).collect::<Result<_, _>>()?);
        }
        if !normal.endless {
            return Ok(all);
        }
    }
    // Stacks make no further points, so the second round always ends.
    Ok(Vec::new())
}

/// One branch of a point, down to its action.
#[derive(Clone, Debug)]
struct Branch {
    steps: Vec<BranchStep>,
    actions: Vec<(usize, Vec<BoundTerm>)>,
    next: Vec<Call>,
    span: Span,
}

#[derive(Clone, Debug)]
enum BranchStep {
    Sum(ProcessVariable),
    If(BoundTerm, bool),
}

impl Branch {
    /// The variables that its sums bind.
    fn bound(&self) -> impl Iterator<Item = &ProcessVariable> {
        self.steps.iter().filter_map(|step| match step {
            BranchStep::Sum(variable) => Some(variable),
            BranchStep::If(..) => None,
        })
    }

    fn compiled(&self, data: &DataSide, parameters: &[ProcessVariable]) -> Result<Summand, ProcessError> {
        let scope: Vec<&ProcessVariable> = parameters.iter().chain(self.bound()).collect();
        let slot = |variable| scope.iter().rposition(|other| other.id == variable);
        let one = |term: &BoundTerm| Expression::new(data, &term.typed, &slot);
        let all = |terms: &[BoundTerm]| terms.iter().map(one).collect::<Result<Vec<_>, _>>();
        let mut summand = Summand {
            slots: parameters.len(),
            preconditions: Vec::new(),
            actions: Vec::new(),
            next: Vec::new(),
        };
        for step in &self.steps {
            summand.preconditions.push(match step {
                BranchStep::If(condition, expected) => Precondition::If(one(condition)?, *expected),
                BranchStep::Sum(variable) => {
                    summand.slots += 1;
                    let (slot, name) = (summand.slots - 1, variable.name.to_string());
                    Precondition::Sum { slot, sort: variable.sort, name, span: variable.span }
                }
            });
        }
        for (action, arguments) in &self.actions {
            summand.actions.push((*action, all(arguments)?));
        }
        for call in &self.next {
            summand.next.push((call.point, all(&call.arguments)?));
        }
        Ok(summand)
    }
}

struct NormalForm<'a> {
    points: &'a mut Points,
    data: &'a DataSide,
    /// The points of sequences, by what they read.
    known: HashMap<String, PointId>,
    done: HashMap<(PointId, bool), Arc<Vec<Branch>>>,
    /// The points that are being replaced by what they do.
    busy: Vec<PointId>,
    /// Whether sequences are left as they are.
    stacks: bool,
    /// Whether sequences seem to become longer without end.
    endless: bool,
}

impl NormalForm<'_> {
    /// The branches of a point over its parameters. If `apart`, what comes next is left as the calls that it consists of, for
    /// more to follow.
    fn of(&mut self, point: PointId, apart: bool) -> Result<Arc<Vec<Branch>>, ProcessError> {
        if let Some(done) = self.done.get(&(point, apart)) {
            return Ok(Arc::clone(done));
        }
        let Point { parameters, branches, .. } = self.points.all[point as usize].clone();
        self.busy.push(point);
        let found = Arc::new(self.branches(&branches, &parameters, apart)?);
        self.busy.pop();
        self.done.insert((point, apart), Arc::clone(&found));
        Ok(found)
    }

    /// What branches come down to; `scope` has the variables around them.
    fn branches(
        &mut self,
        branches: &Branches,
        scope: &[ProcessVariable],
        apart: bool,
    ) -> Result<Vec<Branch>, ProcessError> {
        match branches {
            Branches::Choice(all) => {
                let mut found = Vec::new();
                for branch in all {
                    found.extend(self.branches(branch, scope, apart)?);
                }
                Ok(found)
            }
            Branches::Sum(variables, inner) => {
                let inner = self.branches(inner, &[scope, variables].concat(), apart)?;
                let sums = || variables.iter().cloned().map(BranchStep::Sum);
                Ok(before(inner, sums))
            }
            Branches::If(condition, expected, inner) => {
                let inner = self.branches(inner, scope, apart)?;
                Ok(before(inner, || std::iter::once(BranchStep::If(condition.clone(), *expected))))
            }
            Branches::Sequence(Head::Actions(actions), tail, span) => {
                let next = self.next(tail.clone(), scope, *span, apart);
                Ok(vec![Branch { steps: Vec::new(), actions: actions.clone(), next, span: *span }])
            }
            Branches::Sequence(Head::Call(call), tail, _) => self.called(call, tail, scope, apart),
        }
    }

    /// What a called process does, and behind it what follows the call.
    fn called(
        &mut self,
        call: &Call,
        tail: &[Call],
        scope: &[ProcessVariable],
        apart: bool,
    ) -> Result<Vec<Branch>, ProcessError> {
        if self.busy.contains(&call.point) {
            let name = self.points.all[call.point as usize].title.clone();
            return Err(ProcessError::Unguarded { name, span: call.span });
        }
        let inner = self.of(call.point, apart || !tail.is_empty())?;
        let parameters = self.points.all[call.point as usize].parameters.clone();
        let arguments: Substitution = (parameters.iter().zip(&call.arguments))
            .map(|(parameter, argument)| (parameter.id, (*argument.typed).clone()))
            .collect();
        let mut found = Vec::new();
        for branch in inner.iter() {
            let mut by = arguments.clone();
            let mut scope = scope.to_vec();
            let mut steps = Vec::new();
            for step in &branch.steps {
                steps.push(match step {
                    BranchStep::Sum(variable) => BranchStep::Sum(self.bound(variable, &mut by, &mut scope)),
                    BranchStep::If(condition, expected) => {
                        BranchStep::If(self.term(condition, &by, &scope), *expected)
                    }
                });
            }
            let all = |terms: &[BoundTerm]| terms.iter().map(|term| self.term(term, &by, &scope)).collect();
            let actions = branch.actions.iter().map(|(action, terms)| (*action, all(terms))).collect();
            let mut next: Vec<Call> = (branch.next.iter())
                .map(|call| Call { arguments: all(&call.arguments), ..call.clone() })
                .collect();
            next.extend(tail.iter().cloned());
            let next = self.next(next, &scope, branch.span, apart);
            found.push(Branch { steps, actions, next, span: branch.span });
        }
        Ok(found)
    }

    /// The variable of a sum in another scope: the same text may stand there already, and then it is another variable.
    fn bound(
        &self,
        variable: &ProcessVariable,
        by: &mut Substitution,
        scope: &mut Vec<ProcessVariable>,
    ) -> ProcessVariable {
        by.remove(&variable.id);
        let own = match scope.contains(variable) {
            true => {
                let fresh = self.data.fresh(variable);
                by.insert(variable.id, (*DataSide::variable(&fresh)).clone());
                fresh
            }
            false => variable.clone(),
        };
        scope.push(own.clone());
        own
    }

    fn term(&self, term: &BoundTerm, by: &Substitution, scope: &[ProcessVariable]) -> BoundTerm {
        substituted_term(self.data, term, by, scope)
    }

    /// What comes next: calls up to the first that never ends, as one point.
    fn next(
        &mut self,
        mut calls: Vec<Call>,
        scope: &[ProcessVariable],
        span: Span,
        apart: bool,
    ) -> Vec<Call> {
        let endless = calls.iter().position(|call| !self.points.all[call.point as usize].terminates);
        if let Some(last) = endless {
            calls.truncate(last + 1);
        }
        if apart || self.stacks {
            return calls;
        }
        while let Some((from, name)) = self.named_end(&calls) {
            calls.truncate(from);
            calls.push(Call { point: name, arguments: Vec::new(), span });
        }
        if calls.len() >= 2 {
            calls = vec![self.sequence(calls, scope, span)];
        }
        calls
    }

    /// Where a sequence ends with all that a process is a name for, and that process: it has no parameters, and is nothing but a
    /// sequence of calls of processes.
    fn named_end(&self, calls: &[Call]) -> Option<(usize, PointId)> {
        self.points.processes.iter().flatten().find_map(|&name| {
            let point = &self.points.all[name as usize];
            let Branches::Sequence(Head::Call(first), tail, _) = &point.branches else { return None };
            let from = calls.len().checked_sub(tail.len() + 1)?;
            let is_process = |call: &Call| self.points.processes.contains(&Some(call.point));
            let same = |(own, other): (&Call, &Call)| {
                let (mine, theirs) = (own.arguments.iter(), other.arguments.iter());
                let equal = |(mine, theirs): (&BoundTerm, &BoundTerm)| {
                    written(self.data, &mine.typed) == written(self.data, &theirs.typed)
                };
                own.point == other.point && is_process(own) && mine.zip(theirs).all(equal)
            };
            let fits = point.parameters.is_empty() && !tail.is_empty();
            let ends = || std::iter::once(first).chain(tail).zip(&calls[from..]).all(same);
            (fits && ends()).then_some((from, name))
        })
    }

    fn sequence(&mut self, calls: Vec<Call>, scope: &[ProcessVariable], span: Span) -> Call {
        let free: BTreeSet<&ProcessVariable> =
            calls.iter().flat_map(|call| &call.arguments).flat_map(|term| term.variables.iter()).collect();
        let parameters: Vec<ProcessVariable> =
            scope.iter().filter(|variable| free.contains(variable)).cloned().collect();
        let arguments = parameters.iter().map(variable_term).collect();
        let mut text: String =
            parameters.iter().map(|variable| format!("{}:{:?} ", variable.name, variable.sort)).collect();
        let mut title = Vec::new();
        for call in &calls {
            let terms: Vec<String> =
                call.arguments.iter().map(|term| written(self.data, &term.typed)).collect();
            text.push_str(&format!("{}({});", call.point, terms.join(";")));
            title.push(self.points.all[call.point as usize].title.clone());
        }
        if let Some(&point) = self.known.get(&text) {
            return Call { point, arguments, span };
        }
        self.endless |= calls.len() > LONGEST || text.len() > WIDEST || self.known.len() > MOST;
        let terminates = calls.iter().all(|call| self.points.all[call.point as usize].terminates);
        let mut calls = calls.into_iter();
        let branches = match calls.next() {
            Some(first) => Branches::Sequence(Head::Call(first), calls.collect(), span),
            None => Branches::nothing(),
        };
        let point = self.points.all.len() as PointId;
        self.points.all.push(Point { title: title.join("."), parameters, branches, terminates });
        self.known.insert(text, point);
        Call { point, arguments, span }
    }
}

/// Branches with something to be done before them.
fn before<I: Iterator<Item = BranchStep>>(branches: Vec<Branch>, steps: impl Fn() -> I) -> Vec<Branch> {
    let one = |branch: Branch| Branch { steps: steps().chain(branch.steps).collect(), ..branch };
    branches.into_iter().map(one).collect()
}
