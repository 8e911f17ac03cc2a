//! The values of variables that make a condition true. What is not known yet is a value of its own: the condition is evaluated
//! with it, and what is left of the condition tells which values are worth trying. So functions of the specification can bound
//! a variable as well as an operator can.

use super::bounds::Range;
use super::code::{Body, RewriteProgram};
use super::elements::MAX_ELEMENTS;
use super::error::EvaluationError;
use super::machine::{Evaluated, RewriteMachine};
use super::store::{ValueHead, ValueId};
use crate::error::{LONGEST, LONGEST_NAME, shortened};
use crate::syntax::Container;
use crate::typing::{SortId, SortKind};

/// How many assignments are looked at.
const MAX_TRIED: u64 = 5_000_000;

/// How many assignments of finite sorts are tried one by one without asking what is left of the condition.
const FEW: usize = 32;

/// How many values of an infinite sort are tried when one is enough.
const GUESSES: i128 = 200;

/// How many constructors deep an infinite sort is tried.
const MAX_UNFOLDED: u32 = 64;

/// What is looked for.
pub(super) struct ConditionQuestion<'q> {
    pub(super) body: &'q Body,
    pub(super) captured: &'q [ValueId],
    /// Whether the body must hold or must not.
    pub(super) wanted: bool,
    /// Whether one answer is enough.
    pub(super) one: bool,
}

/// Values for the parameters, in which some parts are not known.
struct Assignment {
    values: Vec<ValueId>,
    unknown: Vec<(ValueId, SortId)>,
    /// How many constructors were tried for something of an infinite sort.
    unfolded: u32,
}

impl RewriteMachine {
    /// Whether a body holds for some values of its parameters, or for all.
    pub(super) fn quantify(
        &mut self,
        p: &RewriteProgram,
        exists: bool,
        body: u32,
        captured: &[ValueId],
    ) -> Evaluated<bool> {
        let body = &p.bodies[body as usize];
        let question = ConditionQuestion { body, captured, wanted: exists, one: true };
        let found = !self.answers(p, &question)?.is_empty();
        Ok(found == exists)
    }

    /// The values of the parameters that answer a question, in their order.
    pub(super) fn answers(
        &mut self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
    ) -> Evaluated<Vec<Vec<ValueId>>> {
        let sorts: Vec<_> = question.body.parameters.iter().map(|(_, sort)| *sort).collect();
        if let Some(tuples) = self.tuples(p, &sorts, FEW)? {
            return self.answers_among(p, question, tuples);
        }
        let first = self.next_unknown;
        let mut values = Vec::new();
        let mut unknown = Vec::new();
        for sort in sorts {
            let value = self.unknown();
            values.push(value);
            unknown.push((value, sort));
        }
        let mut answers = Vec::new();
        let mut guessed = None;
        let mut open = vec![Assignment { values, unknown, unfolded: 0 }];
        while let Some(assignment) = open.pop() {
            self.tried += 1;
            if self.tried > MAX_TRIED {
                return Err(self.unbounded(p, question, &assignment, guessed));
            }
            let left = self.evaluate_body(p, question, &assignment.values)?;
            match left.as_truth() {
                Some(truth) if truth != question.wanted => continue,
                Some(_) if assignment.unknown.is_empty() || question.one => {
                    answers.push(assignment.values);
                    if question.one {
                        break;
                    }
                }
                None if assignment.unknown.is_empty() => return Err(self.undecided(p, question, left)),
                _ => self.branch(p, question, assignment, left, &mut open, &mut guessed)?,
            }
        }
        self.next_unknown = first;
        match (guessed, answers.is_empty()) {
            // Some values were never tried.
            (Some(sort), true) => Err(self.never_tried(p, question, sort)),
            _ => Ok(answers),
        }
    }

    fn answers_among(
        &mut self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        tuples: Vec<Vec<ValueId>>,
    ) -> Evaluated<Vec<Vec<ValueId>>> {
        let mut answers = Vec::new();
        let mut undecided = None;
        for tuple in tuples {
            let value = self.evaluate_body(p, question, &tuple)?;
            match value.as_truth() {
                Some(truth) if truth == question.wanted => {
                    answers.push(tuple);
                    if question.one {
                        return Ok(answers);
                    }
                }
                Some(_) => {}
                None => undecided = Some(value),
            }
        }
        match undecided {
            Some(value) => Err(self.undecided(p, question, value)),
            None => Ok(answers),
        }
    }

    fn evaluate_body(
        &mut self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        values: &[ValueId],
    ) -> Evaluated {
        let base = self.stack.len();
        self.stack.extend_from_slice(question.captured);
        self.stack.extend_from_slice(values);
        self.stack.resize(base + question.body.frame, ValueId::FALSE);
        let value = self.eval(p, &question.body.code, base)?;
        self.stack.truncate(base);
        Ok(value)
    }

    /// Tries the values of the part that has the fewest.
    fn branch(
        &mut self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        assignment: Assignment,
        left: ValueId,
        open: &mut Vec<Assignment>,
        guessed: &mut Option<SortId>,
    ) -> Evaluated<()> {
        let mut best: Option<(usize, Vec<ValueId>)> = None;
        for (place, (unknown, sort)) in assignment.unknown.iter().enumerate() {
            let range = self.store.range(left, question.wanted, *unknown);
            let Some(candidates) = self.candidates(p, *sort, range)? else { continue };
            if best.as_ref().is_none_or(|(_, known)| candidates.len() < known.len()) {
                best = Some((place, candidates));
            }
        }
        if let Some((place, candidates)) = best {
            for candidate in candidates.into_iter().rev() {
                open.push(self.with(p, &assignment, place, candidate, &[]));
            }
            return Ok(());
        }
        self.unfold(p, question, assignment, left, open, guessed)
    }

    /// The values that are worth trying, if they are finitely many.
    fn candidates(
        &mut self,
        p: &RewriteProgram,
        sort: SortId,
        range: Range,
    ) -> Evaluated<Option<Vec<ValueId>>> {
        if let Some(listed) = range.listed {
            return Ok(Some(listed.into_iter().filter(|value| self.contains(p, sort, *value)).collect()));
        }
        if !sort.is_number() {
            return Ok(self.elements(p, sort)?.map(|elements| elements.to_vec()));
        }
        if sort == SortId::REAL {
            return Ok(None);
        }
        let (Some(low), Some(high)) = (range.least(sort), range.high) else { return Ok(None) };
        if high - low >= MAX_ELEMENTS as i128 {
            return Ok(None);
        }
        Ok(Some((low..=high).map(|number| self.store.of_integer(number)).collect()))
    }

    /// Tries the constructors of something of an infinite sort, or the first numbers if one answer is enough.
    fn unfold(
        &mut self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        assignment: Assignment,
        left: ValueId,
        open: &mut Vec<Assignment>,
        guessed: &mut Option<SortId>,
    ) -> Evaluated<()> {
        let decided = left.as_truth().is_some();
        for (place, (unknown, sort)) in assignment.unknown.iter().enumerate() {
            if decided || assignment.unfolded >= MAX_UNFOLDED {
                break;
            }
            match p.sorts.kind(*sort) {
                SortKind::Declared(number) => {
                    let constructors = p.sorts.declared_sort(*number).constructors.clone();
                    for constructor in constructors.into_iter().rev() {
                        let domain = &p.function(constructor).domain;
                        let parts: Vec<_> = domain.iter().map(|sort| (self.unknown(), *sort)).collect();
                        let arguments: Vec<_> = parts.iter().map(|(value, _)| *value).collect();
                        let value = self.store.value(ValueHead::Function(constructor), &arguments);
                        open.push(self.with(p, &assignment, place, value, &parts));
                    }
                    return Ok(());
                }
                SortKind::Container(Container::List, element) => {
                    let element = *element;
                    let range = self.store.range(left, question.wanted, *unknown);
                    let (low, high) = match range.high {
                        Some(high) if high <= i128::from(MAX_UNFOLDED) => {
                            (range.low.unwrap_or(0).max(0), high)
                        }
                        _ => {
                            self.unfold_list(p, &assignment, place, (element, *sort), open);
                            return Ok(());
                        }
                    };
                    for length in (low..=high).rev() {
                        let parts: Vec<_> = (0..length).map(|_| (self.unknown(), element)).collect();
                        let values: Vec<_> = parts.iter().map(|(value, _)| *value).collect();
                        let nil = self.store.nil();
                        let list = self.store.list(&values, nil);
                        open.push(self.with(p, &assignment, place, list, &parts));
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
        let number =
            assignment.unknown.iter().position(|(_, sort)| sort.is_number() && *sort != SortId::REAL);
        match number {
            Some(place) if question.one => {
                let (unknown, sort) = assignment.unknown[place];
                *guessed = Some(sort);
                let range = self.store.range(left, question.wanted, unknown);
                let low = range.least(sort).unwrap_or(-GUESSES / 2);
                for number in (low..low + GUESSES).rev() {
                    let value = self.store.of_integer(number);
                    open.push(self.with(p, &assignment, place, value, &[]));
                }
                Ok(())
            }
            _ => Err(self.unbounded(p, question, &assignment, *guessed)),
        }
    }

    /// The empty list, and one more element.
    fn unfold_list(
        &mut self,
        p: &RewriteProgram,
        assignment: &Assignment,
        place: usize,
        (element, sort): (SortId, SortId),
        open: &mut Vec<Assignment>,
    ) {
        let (head, tail) = (self.unknown(), self.unknown());
        let pair = self.store.value(ValueHead::Cons, &[head, tail]);
        open.push(self.with(p, assignment, place, pair, &[(head, element), (tail, sort)]));
        let nil = self.store.nil();
        open.push(self.with(p, assignment, place, nil, &[]));
    }

    /// An assignment with a value for one of its unknown parts, which may have unknown parts in turn.
    fn with(
        &mut self,
        p: &RewriteProgram,
        assignment: &Assignment,
        place: usize,
        value: ValueId,
        parts: &[(ValueId, SortId)],
    ) -> Assignment {
        let (unknown, sort) = assignment.unknown[place];
        let values = assignment.values.iter().map(|old| self.replaced(*old, unknown, value)).collect();
        let mut rest = assignment.unknown.clone();
        rest.splice(place..=place, parts.iter().copied());
        let infinite = !parts.is_empty() && !super::elements::is_finite(p, sort, &mut Vec::new());
        Assignment { values, unknown: rest, unfolded: assignment.unfolded + u32::from(infinite) }
    }

    /// A value in which an unknown part is known.
    fn replaced(&mut self, value: ValueId, unknown: ValueId, known: ValueId) -> ValueId {
        if value == unknown {
            return known;
        }
        if self.store.is_plain(value) {
            return value;
        }
        let (Some(head), parts) = (self.store.head(value), self.store.parts(value).to_vec()) else {
            return value;
        };
        let parts: Vec<_> = parts.into_iter().map(|part| self.replaced(part, unknown, known)).collect();
        self.store.value(head, &parts)
    }

    fn unknown(&mut self) -> ValueId {
        let number = self.next_unknown;
        self.next_unknown += 1;
        self.store.value(ValueHead::Unknown(number), &[])
    }

    fn undecided(
        &self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        value: ValueId,
    ) -> Box<EvaluationError> {
        let value = shortened(&self.store.print(p, value), LONGEST);
        Box::new(EvaluationError::Undecided { span: question.body.span, value })
    }

    fn unbounded(
        &self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        assignment: &Assignment,
        guessed: Option<SortId>,
    ) -> Box<EvaluationError> {
        let infinite = |sort: SortId| !super::elements::is_finite(p, sort, &mut Vec::new());
        let open = assignment.unknown.iter().map(|(_, sort)| *sort).find(|sort| infinite(*sort));
        match open.or(guessed) {
            Some(sort) => self.never_tried(p, question, sort),
            None => {
                let sort = question.body.parameters.first().map_or(SortId::NONE, |(_, sort)| *sort);
                let (span, sort) = (question.body.span, shortened(&p.sorts.print(sort), LONGEST_NAME));
                Box::new(EvaluationError::TooMany { span, sort, limit: MAX_TRIED as usize })
            }
        }
    }

    fn never_tried(
        &self,
        p: &RewriteProgram,
        question: &ConditionQuestion<'_>,
        sort: SortId,
    ) -> Box<EvaluationError> {
        let parameters = &question.body.parameters;
        let infinite = |sort: SortId| !super::elements::is_finite(p, sort, &mut Vec::new());
        let variable = parameters
            .iter()
            .find(|(_, known)| *known == sort)
            .or_else(|| parameters.iter().find(|(_, known)| infinite(*known)));
        let (name, sort) =
            variable.map_or((String::new(), sort), |(name, sort)| (shortened(name, LONGEST_NAME), *sort));
        let sort = shortened(&p.sorts.print(sort), LONGEST_NAME);
        Box::new(EvaluationError::Unbounded { span: question.body.span, variable: name, sort })
    }
}
