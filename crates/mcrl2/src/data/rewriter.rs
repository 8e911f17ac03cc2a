//! The evaluator as others see it.

use std::collections::HashMap;
use std::sync::Arc;

use super::code::{Body, CompiledTerm, FunctionCode, RewriteProgram, RuleSet};
use super::compile::{Compilation, Rewritten, pattern_key};
use super::elements;
use super::error::EvaluationError;
use super::machine::RewriteMachine;
use super::search::ConditionQuestion;
use super::store::{ValueHead, ValueId};
use crate::LanguageError;
use crate::error::{LONGEST, shortened};
use crate::syntax::Span;
use crate::typing::{DataTerm, FunctionId, FunctionRole, Operation, Signature, SortId, VariableId};

/// Evaluates data expressions by the equations of a specification.
///
/// Values are kept for as long as it lives, so it only grows.
#[derive(Debug)]
pub struct Rewriter {
    program: RewriteProgram,
    machine: RewriteMachine,
    /// How many equations are compiled.
    equations: usize,
}

/// A condition on some variables, ready to be asked for their values.
#[derive(Clone, Debug)]
pub struct CompiledCondition {
    body: Arc<Body>,
}

impl Rewriter {
    /// Compiles the equations of a specification.
    ///
    /// # Errors
    /// An equation that this program cannot work with.
    pub fn new(signature: &Signature) -> Result<Self, LanguageError> {
        let program = RewriteProgram {
            functions: Vec::new(),
            bodies: Vec::new(),
            body_numbers: HashMap::new(),
            sorts: signature.sorts().clone(),
            natives: Vec::new(),
        };
        let mut rewriter = Self { program, machine: RewriteMachine::new(), equations: 0 };
        rewriter.update(signature)?;
        Ok(rewriter)
    }

    /// Learns what was added to the specification since.
    ///
    /// # Errors
    /// An equation that this program cannot work with.
    pub fn update(&mut self, signature: &Signature) -> Result<(), LanguageError> {
        if self.program.sorts.len() != signature.sorts().len() {
            self.program.sorts = signature.sorts().clone();
        }
        for (_, info) in signature.functions().skip(self.program.functions.len()) {
            self.program.functions.push(FunctionCode {
                name: info.name.clone(),
                span: info.span,
                role: info.role.clone(),
                domain: info.domain.clone(),
                rules: Vec::new(),
                remembered: false,
            });
            self.machine.store.constructors.push(info.role == FunctionRole::Constructor);
            self.machine.constants.push(None);
        }
        let new = &signature.equations()[self.equations..];
        if new.is_empty() {
            return Ok(());
        }
        // Which functions have equations must be known before any is compiled.
        for equation in new {
            self.announce(&equation.left);
        }
        for equation in new {
            let compilation = Compilation::new(signature, &mut self.program, &mut self.machine.store);
            let (rewritten, rule) = compilation.rule(equation)?;
            let arguments = rule.patterns.len();
            match rewritten {
                Rewritten::Function(function) => {
                    let code = &mut self.program.functions[function.0 as usize];
                    rules_for(&mut code.rules, arguments).add(rule);
                }
                // What these say is computed without them.
                Rewritten::Native(
                    Operation::If | Operation::Not | Operation::And | Operation::Or | Operation::Implies,
                    _,
                ) => {}
                Rewritten::Native(operation, over) => {
                    let key = (operation, over);
                    let natives = &mut self.program.natives;
                    let place = natives.iter().position(|(known, _)| *known == key).unwrap_or(natives.len());
                    if place == natives.len() {
                        natives.push((key, RuleSet { arguments, ..RuleSet::default() }));
                    }
                    natives[place].1.add(rule);
                }
            }
        }
        self.equations = signature.equations().len();
        let store = &self.machine.store;
        let functions = self.program.functions.iter_mut().flat_map(|function| &mut function.rules);
        for rules in functions.chain(self.program.natives.iter_mut().map(|(_, rules)| rules)) {
            rules.decide(|pattern| pattern_key(store, pattern));
        }
        for function in &mut self.program.functions {
            function.remembered = function.rules.iter().any(RuleSet::calls);
        }
        self.machine.memo.clear();
        self.machine.constants.iter_mut().for_each(|constant| *constant = None);
        Ok(())
    }

    /// Notes that a function has equations for a number of arguments.
    fn announce(&mut self, left: &DataTerm) {
        use crate::typing::DataTermKind;
        let mut arguments = 0;
        let mut head = left;
        while let DataTermKind::Apply(function, applied) = &head.kind {
            arguments += applied.len();
            head = function;
        }
        if let DataTermKind::Function(function) = head.kind {
            rules_for(&mut self.program.functions[function.0 as usize].rules, arguments);
        }
    }

    /// Makes an expression ready to be evaluated for values of these variables.
    ///
    /// # Errors
    /// A variable in it that is none of them, or an equation that this program cannot work with.
    pub fn compile(
        &mut self,
        signature: &Signature,
        term: &DataTerm,
        parameters: &[VariableId],
    ) -> Result<CompiledTerm, LanguageError> {
        self.update(signature)?;
        Compilation::new(signature, &mut self.program, &mut self.machine.store).term(term, parameters)
    }

    /// The value of an expression for values of its parameters.
    ///
    /// # Errors
    /// Why no value is found.
    ///
    /// # Panics
    /// If there are more or fewer values than parameters.
    pub fn evaluate(
        &mut self,
        term: &CompiledTerm,
        arguments: &[ValueId],
    ) -> Result<ValueId, EvaluationError> {
        assert_eq!(arguments.len(), term.parameters(), "a value for each parameter");
        let program = &self.program;
        let found = self.machine.run(|machine| machine.eval_with(program, &term.code, arguments, term.frame));
        found.map_err(|error| self.machine.explained(program, *error))
    }

    /// Whether a condition holds for values of its parameters.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn holds(
        &mut self,
        condition: &CompiledTerm,
        arguments: &[ValueId],
    ) -> Result<bool, EvaluationError> {
        let value = self.evaluate(condition, arguments)?;
        value.as_truth().ok_or_else(|| EvaluationError::Undecided {
            span: condition.span(),
            value: shortened(&self.print(value), LONGEST),
        })
    }

    /// Makes a condition ready to be asked for the values of some variables, for values of other ones.
    ///
    /// # Errors
    /// A variable in it that is none of them, or an equation that this program cannot work with.
    pub fn compile_condition(
        &mut self,
        signature: &Signature,
        condition: &DataTerm,
        parameters: &[VariableId],
        variables: &[VariableId],
    ) -> Result<CompiledCondition, LanguageError> {
        let all: Vec<_> = parameters.iter().chain(variables).copied().collect();
        let compiled = self.compile(signature, condition, &all)?;
        let name = |variable: &VariableId| signature.variable_name(*variable).to_owned();
        let parameter = |variable: &VariableId| (name(variable), signature.variable_sort(*variable));
        let body = Body {
            captures: parameters.len(),
            parameters: variables.iter().map(parameter).collect(),
            frame: compiled.frame,
            code: compiled.code,
            span: condition.span,
            text: super::text::term(signature, condition),
            capture_names: parameters.iter().map(name).collect(),
        };
        Ok(CompiledCondition { body: Arc::new(body) })
    }

    /// All values of the variables of a condition that make it true, in their order.
    ///
    /// # Errors
    /// A variable of an infinite sort that the condition does not bound, or why the condition has no value.
    ///
    /// # Panics
    /// If there are more or fewer values than parameters.
    pub fn solutions(
        &mut self,
        condition: &CompiledCondition,
        arguments: &[ValueId],
    ) -> Result<Vec<Vec<ValueId>>, EvaluationError> {
        let body = Arc::clone(&condition.body);
        assert_eq!(arguments.len(), body.captures, "a value for each parameter");
        let question = ConditionQuestion { body: &body, captured: arguments, wanted: true, one: false };
        let program = &self.program;
        let found = self.machine.run(|machine| machine.answers(program, &question));
        found.map_err(|error| self.machine.explained(program, *error))
    }

    /// All values of a sort in their order.
    ///
    /// # Errors
    /// That they are infinitely many or too many. It points at `span`, and calls what ranges over them `variable`.
    pub fn elements(
        &mut self,
        signature: &Signature,
        sort: SortId,
        span: Span,
        variable: &str,
    ) -> Result<Arc<[ValueId]>, EvaluationError> {
        if self.program.sorts.len() != signature.sorts().len() {
            self.program.sorts = signature.sorts().clone();
        }
        let program = &self.program;
        let found = self.machine.run(|machine| machine.elements_or_error(program, sort, span, variable));
        found.map_err(|error| self.machine.explained(program, *error))
    }

    /// Whether a sort has finitely many values.
    pub fn is_finite(&self, sort: SortId) -> bool {
        elements::is_finite(&self.program, sort, &mut Vec::new())
    }

    /// Whether a value is of a sort: a number may be too small for it, or no integer.
    pub fn contains(&self, sort: SortId, value: ValueId) -> bool {
        self.machine.contains(&self.program, sort, value)
    }

    /// Whether a value is built by constructors alone, so that it differs from every other value of that kind.
    pub fn is_plain(&self, value: ValueId) -> bool {
        self.machine.store.is_plain(value)
    }

    /// Whether two values of a sort are equal, which may not be known for functions and for what is not defined.
    ///
    /// # Errors
    /// Why an evaluation that this needs has no end.
    pub fn are_equal(
        &mut self,
        sort: SortId,
        a: ValueId,
        b: ValueId,
    ) -> Result<Option<bool>, EvaluationError> {
        let program = &self.program;
        let found = self.machine.run(|machine| machine.equal(program, sort, a, b));
        found.map_err(|error| self.machine.explained(program, *error))
    }

    /// Which of two values comes first.
    pub fn compare(&self, a: ValueId, b: ValueId) -> std::cmp::Ordering {
        self.machine.store.compare(a, b)
    }

    /// The value of an integer.
    pub fn integer(&mut self, value: i64) -> ValueId {
        self.machine.store.of_integer(value.into())
    }

    /// The integer that a value is, if it is one of 64 bits.
    pub fn to_integer(&self, value: ValueId) -> Option<i64> {
        self.machine.store.integer(value)
    }

    /// A number as numerator and denominator, if both have at most 63 bits.
    pub fn to_fraction(&self, value: ValueId) -> Option<(i64, i64)> {
        match self.to_integer(value) {
            Some(integer) => Some((integer, 1)),
            None => self.machine.store.large_number(value)?.fraction(),
        }
    }

    /// The function that a value is made by and its arguments, if it is made by one of the specification.
    pub fn made_by(&self, value: ValueId) -> Option<(FunctionId, &[ValueId])> {
        match self.machine.store.head(value)? {
            ValueHead::Function(function) => Some((function, self.machine.store.parts(value))),
            _ => None,
        }
    }

    /// A value as mCRL2 writes it in the labels of state spaces.
    pub fn print(&self, value: ValueId) -> String {
        self.machine.store.print(&self.program, value)
    }

    /// How many equations were used so far.
    pub fn steps(&self) -> u64 {
        self.machine.steps
    }

    /// How many equations may be used for one expression before it counts as endless.
    pub fn limit_steps(&mut self, steps: u64) {
        self.machine.max_steps = steps;
    }

    /// How many values are stored.
    pub fn stored_values(&self) -> usize {
        self.machine.store.len()
    }
}

fn rules_for(rules: &mut Vec<RuleSet>, arguments: usize) -> &mut RuleSet {
    let place = rules.iter().position(|rules| rules.arguments == arguments).unwrap_or(rules.len());
    if place == rules.len() {
        rules.push(RuleSet { arguments, ..RuleSet::default() });
    }
    &mut rules[place]
}
