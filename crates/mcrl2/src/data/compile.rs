//! From typed expressions and equations to what the machine works on.

use std::collections::HashMap;

use super::code::{Body, CompiledTerm, Comprehended, DataCode, Pattern, Quantified, RewriteProgram, Rule};
use super::number::Rational;
use super::store::{PatternKey, ValueHead, ValueId, ValueStore};
use crate::LanguageError;
use crate::syntax::{DataBinder, Span};
use crate::typing::{
    DataTerm, DataTermKind, FunctionId, Operation, Signature, SortId, TypedEquation, VariableId,
};

/// The compilation of one expression or equation.
pub(super) struct Compilation<'c> {
    signature: &'c Signature,
    program: &'c mut RewriteProgram,
    store: &'c mut ValueStore,
    slots: HashMap<VariableId, u32>,
    next: u32,
    /// The largest frame so far.
    frame: u32,
}

impl<'c> Compilation<'c> {
    pub(super) fn new(
        signature: &'c Signature,
        program: &'c mut RewriteProgram,
        store: &'c mut ValueStore,
    ) -> Self {
        Self { signature, program, store, slots: HashMap::new(), next: 0, frame: 0 }
    }

    /// An expression whose parameters are the first slots of its frame.
    pub(super) fn term(
        mut self,
        term: &DataTerm,
        parameters: &[VariableId],
    ) -> Result<CompiledTerm, LanguageError> {
        parameters.iter().for_each(|parameter| {
            self.slot(*parameter);
        });
        let code = self.code(term)?;
        Ok(CompiledTerm {
            parameters: parameters.len(),
            frame: self.frame as usize,
            code,
            sort: term.sort,
            span: term.span,
        })
    }

    fn slot(&mut self, variable: VariableId) -> u32 {
        let slot = self.next;
        self.slots.insert(variable, slot);
        self.next += 1;
        self.frame = self.frame.max(self.next);
        slot
    }

    fn codes(&mut self, terms: &[DataTerm]) -> Result<Box<[DataCode]>, LanguageError> {
        terms.iter().map(|term| self.code(term)).collect()
    }

    fn code(&mut self, term: &DataTerm) -> Result<DataCode, LanguageError> {
        Ok(match &term.kind {
            DataTermKind::Variable(variable) => match self.slots.get(variable) {
                Some(slot) => DataCode::Slot(*slot),
                None => {
                    let name = self.signature.variable_name(*variable);
                    let what = format!("the variable '{name}', which has no value here,");
                    return Err(LanguageError::unsupported(term.span, what));
                }
            },
            DataTermKind::Truth(truth) => DataCode::Constant(ValueId::truth(*truth)),
            DataTermKind::Number(digits) => DataCode::Constant(self.store.of_number(Rational::parse(digits))),
            DataTermKind::Function(function) => self.function(*function),
            DataTermKind::Apply(function, arguments) => self.apply(function, arguments)?,
            DataTermKind::Operation(operation, over, operands) => {
                self.operation(*operation, *over, operands)?
            }
            DataTermKind::List(elements) => {
                let nil = DataCode::Constant(self.store.nil());
                let codes = self.codes(elements)?;
                codes.into_vec().into_iter().rev().fold(nil, |rest, element| {
                    self.folded(DataCode::Native(Operation::Cons, SortId::NONE, Box::new([element, rest])))
                })
            }
            DataTermKind::Set(elements) if elements.is_empty() => {
                DataCode::Constant(self.store.value(ValueHead::FiniteSet, &[]))
            }
            DataTermKind::Set(elements) => DataCode::Set(self.codes(elements)?),
            DataTermKind::Bag(elements) if elements.is_empty() => {
                DataCode::Constant(self.store.value(ValueHead::FiniteBag, &[]))
            }
            DataTermKind::Bag(elements) => DataCode::Bag(
                elements
                    .iter()
                    .map(|(element, count)| Ok((self.code(element)?, self.code(count)?)))
                    .collect::<Result<_, LanguageError>>()?,
            ),
            DataTermKind::Comprehension(variable, body) => {
                let kind = if body.sort == SortId::BOOL { Comprehended::Set } else { Comprehended::Bag };
                let (body, captures) = self.body(&[*variable], body, term)?;
                DataCode::Comprehension(kind, body, captures)
            }
            DataTermKind::Bind(binder, variables, body) => {
                let (body, captures) = self.body(variables, body, term)?;
                match binder {
                    DataBinder::Lambda => DataCode::Lambda(body, captures),
                    DataBinder::Forall => DataCode::Quantifier(Quantified::Forall, body, captures),
                    DataBinder::Exists => DataCode::Quantifier(Quantified::Exists, body, captures),
                }
            }
            DataTermKind::Where(assignments, body) => {
                let mut values = Vec::new();
                for (_, value) in assignments {
                    values.push(self.code(value)?);
                }
                let slots: Vec<_> = assignments.iter().map(|(variable, _)| self.slot(*variable)).collect();
                let body = self.code(body)?;
                DataCode::Let(slots.into_iter().zip(values).collect(), Box::new(body))
            }
        })
    }

    fn function(&mut self, function: FunctionId) -> DataCode {
        let info = self.signature.function(function);
        if info.domain.is_empty()
            && self.program.function(function).rules.iter().any(|set| set.arguments == 0)
        {
            DataCode::Call(function, Box::new([]))
        } else {
            DataCode::Constant(self.store.value(ValueHead::Function(function), &[]))
        }
    }

    fn apply(&mut self, function: &DataTerm, arguments: &[DataTerm]) -> Result<DataCode, LanguageError> {
        let codes = self.codes(arguments)?;
        if let DataTermKind::Function(function) = function.kind
            && self.signature.function(function).domain.len() == codes.len()
        {
            return Ok(self.folded(DataCode::Call(function, codes)));
        }
        Ok(DataCode::Apply(Box::new(self.code(function)?), codes))
    }

    fn operation(
        &mut self,
        operation: Operation,
        over: SortId,
        operands: &[DataTerm],
    ) -> Result<DataCode, LanguageError> {
        let codes = self.codes(operands)?;
        let mut operands = codes.into_vec();
        Ok(match operation {
            Operation::Not => {
                let [operand] = parts(operands);
                DataCode::Not(Box::new(operand))
            }
            Operation::And => DataCode::And(Box::new(parts(operands))),
            Operation::Or => DataCode::Or(Box::new(parts(operands))),
            Operation::Implies => DataCode::Implies(Box::new(parts(operands))),
            Operation::If => DataCode::If(Box::new(parts(operands))),
            // Every integer is a rational number with the same value.
            Operation::ToReal => operands.remove(0),
            _ => self.folded(DataCode::Native(operation, over, operands.into())),
        })
    }

    /// Values that are made of values by constructors alone are values.
    fn folded(&mut self, code: DataCode) -> DataCode {
        let constants = |codes: &[DataCode]| {
            codes
                .iter()
                .map(|code| match code {
                    DataCode::Constant(value) => Some(*value),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()
        };
        match &code {
            DataCode::Native(Operation::Cons, _, parts) => constants(parts)
                .map_or(code, |parts| DataCode::Constant(self.store.value(ValueHead::Cons, &parts))),
            DataCode::Call(function, parts)
                if self.store.constructors.get(function.0 as usize) == Some(&true)
                    && self.program.function(*function).rules.is_empty() =>
            {
                let head = ValueHead::Function(*function);
                constants(parts).map_or(code, |parts| DataCode::Constant(self.store.value(head, &parts)))
            }
            _ => code,
        }
    }

    /// A body of its own, and the slots here whose values it uses.
    fn body(
        &mut self,
        variables: &[VariableId],
        body: &DataTerm,
        whole: &DataTerm,
    ) -> Result<(u32, Box<[u32]>), LanguageError> {
        let free = whole.free_variables();
        let captures =
            free.iter().map(|variable| self.slots.get(variable).copied()).collect::<Option<Vec<_>>>();
        let Some(captures) = captures else {
            let unknown = free.iter().find(|variable| !self.slots.contains_key(variable));
            let name = unknown.map_or("", |variable| self.signature.variable_name(*variable));
            let what = format!("the variable '{name}', which has no value here,");
            return Err(LanguageError::unsupported(whole.span, what));
        };
        let mut inner = Compilation::new(self.signature, self.program, self.store);
        for variable in free.iter().chain(variables) {
            inner.slot(*variable);
        }
        let code = inner.code(body)?;
        let frame = inner.frame as usize;
        let name = |variable: &VariableId| self.signature.variable_name(*variable).to_owned();
        let parameters = variables
            .iter()
            .map(|variable| (name(variable), self.signature.variable_sort(*variable)))
            .collect();
        // A function is told by what it does, so that the same text in two places is the same function.
        let is_function =
            !matches!(whole.kind, DataTermKind::Bind(DataBinder::Forall | DataBinder::Exists, ..));
        let sorts: Vec<_> =
            variables.iter().map(|variable| self.signature.variable_sort(*variable)).collect();
        let key = format!("{:?}", (captures.len(), sorts, &code));
        if let (true, Some(known)) = (is_function, self.program.body_numbers.get(&key)) {
            return Ok((*known, captures.into()));
        }
        let number = self.program.bodies.len() as u32;
        if is_function {
            self.program.body_numbers.insert(key, number);
        }
        self.program.bodies.push(Body {
            captures: captures.len(),
            parameters,
            frame,
            code,
            span: whole.span,
            text: super::text::term(self.signature, body),
            capture_names: free.iter().map(name).collect(),
        });
        Ok((number, captures.into()))
    }

    /// The parts of an equation: what it is for, and the rule.
    pub(super) fn rule(mut self, equation: &TypedEquation) -> Result<(Rewritten, Rule), LanguageError> {
        let (rewritten, arguments) = self.rewritten(&equation.left)?;
        // The arguments are the first slots.
        self.next = arguments.len() as u32;
        self.frame = self.next;
        let mut patterns = Vec::new();
        for (place, (argument, sort)) in arguments.iter().enumerate() {
            patterns.push(self.pattern(argument, *sort, Some(place as u32))?);
        }
        let condition = match &equation.condition {
            Some(condition) => Some(self.code(condition)?),
            None => None,
        };
        let right = self.code(&equation.right)?;
        let rule = Rule { patterns: patterns.into(), frame: self.frame as usize, condition, right };
        Ok((rewritten, rule))
    }

    /// What the left side of an equation is for, and all arguments with the sorts of their places.
    fn rewritten<'t>(&self, left: &'t DataTerm) -> Result<(Rewritten, Places<'t>), LanguageError> {
        match &left.kind {
            DataTermKind::Function(function) => Ok((Rewritten::Function(*function), Vec::new())),
            DataTermKind::Apply(function, arguments) => {
                let (rewritten, mut all) = self.rewritten(function)?;
                let sorts = match self.signature.sorts().kind(function.sort) {
                    crate::typing::SortKind::Function(domain, _) => domain.to_vec(),
                    _ => arguments.iter().map(|argument| argument.sort).collect(),
                };
                all.extend(arguments.iter().zip(sorts));
                Ok((rewritten, all))
            }
            DataTermKind::Operation(operation, over, operands) => {
                let arguments = operands.iter().map(|operand| (operand, operand.sort)).collect();
                Ok((Rewritten::Native(*operation, *over), arguments))
            }
            _ => {
                let what = "an equation whose left side is no function applied to arguments";
                Err(LanguageError::unsupported(left.span, what))
            }
        }
    }

    fn pattern(
        &mut self,
        term: &DataTerm,
        place: SortId,
        slot: Option<u32>,
    ) -> Result<Pattern, LanguageError> {
        match &term.kind {
            DataTermKind::Variable(variable) => {
                if let Some(known) = self.slots.get(variable) {
                    return Ok(Pattern::Same(*known));
                }
                let narrow = term.sort != place;
                if let (Some(slot), false) = (slot, narrow) {
                    self.slots.insert(*variable, slot);
                    return Ok(Pattern::Any);
                }
                let slot = self.slot(*variable);
                Ok(if narrow { Pattern::Narrow(slot, term.sort) } else { Pattern::Bind(slot) })
            }
            DataTermKind::Truth(truth) => Ok(Pattern::Constant(ValueId::truth(*truth))),
            DataTermKind::Number(digits) => {
                Ok(Pattern::Constant(self.store.of_number(Rational::parse(digits))))
            }
            DataTermKind::Function(function) => {
                Ok(Pattern::Constant(self.store.value(ValueHead::Function(*function), &[])))
            }
            DataTermKind::Apply(function, arguments) => {
                let DataTermKind::Function(head) = function.kind else { return Err(no_pattern(term.span)) };
                let domain = self.signature.function(head).domain.clone();
                if domain.len() != arguments.len() {
                    return Err(no_pattern(term.span));
                }
                let parts = arguments.iter().zip(&domain);
                let parts = parts.map(|(argument, sort)| self.pattern(argument, *sort, None));
                Ok(Pattern::Build(ValueHead::Function(head), parts.collect::<Result<_, _>>()?))
            }
            DataTermKind::Operation(Operation::Cons, element, operands) => {
                let head = self.pattern(&operands[0], *element, None)?;
                let tail = self.pattern(&operands[1], operands[1].sort, None)?;
                Ok(Pattern::Build(ValueHead::Cons, Box::new([head, tail])))
            }
            DataTermKind::Operation(Operation::Negate, _, operands) => match &operands[0].kind {
                DataTermKind::Number(digits) => {
                    let number = Rational::parse(digits).negated();
                    Ok(Pattern::Constant(self.store.of_number(number)))
                }
                _ => Err(no_pattern(term.span)),
            },
            DataTermKind::List(elements) => {
                let element_sort = elements.first().map_or(SortId::NONE, |element| element.sort);
                let mut list = Pattern::Constant(self.store.nil());
                let mut patterns = Vec::new();
                for element in elements {
                    patterns.push(self.pattern(element, element_sort.max(element.sort), None)?);
                }
                while let Some(pattern) = patterns.pop() {
                    list = Pattern::Build(ValueHead::Cons, Box::new([pattern, list]));
                }
                Ok(list)
            }
            DataTermKind::Set(elements) if elements.is_empty() => {
                Ok(Pattern::Constant(self.store.value(ValueHead::FiniteSet, &[])))
            }
            DataTermKind::Bag(elements) if elements.is_empty() => {
                Ok(Pattern::Constant(self.store.value(ValueHead::FiniteBag, &[])))
            }
            _ => Err(no_pattern(term.span)),
        }
    }
}

/// Arguments, each with the sort of its place.
type Places<'t> = Vec<(&'t DataTerm, SortId)>;

/// What an equation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rewritten {
    Function(FunctionId),
    Native(Operation, SortId),
}

/// What a pattern can be told by at a glance, if it is not any value.
pub(super) fn pattern_key(store: &ValueStore, pattern: &Pattern) -> Option<PatternKey> {
    match pattern {
        Pattern::Constant(value) => Some(store.key(*value)),
        Pattern::Build(head, _) => Some(PatternKey::Head(*head)),
        Pattern::Any | Pattern::Bind(_) | Pattern::Narrow(..) | Pattern::Same(_) => None,
    }
}

fn no_pattern(span: Span) -> LanguageError {
    let what = "this in the left side of an equation, where only variables, constructors and literals can be matched,";
    LanguageError::unsupported(span, what)
}

/// The operands of an operation that has a known number of them.
fn parts<const N: usize>(operands: Vec<DataCode>) -> [DataCode; N] {
    operands.try_into().unwrap_or_else(|_| unreachable!("typing has checked how many operands there are"))
}
