//! What the terms of a formula in the language of mCRL2 mean, by its evaluator.

use super::TypedFormula;
use super::condition::ConditionParts;
use crate::data::{Binding, DataError, ExceptionalValues, FormulaData, FormulaValue};
use crate::formula::{FormulaTerm, FormulaVariable};
use crate::labels::both;
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::data::{CompiledCondition, CompiledTerm, EvaluationError, Rewriter, ValueId};
use watchkeeper_mcrl2::syntax::{Span, parse_data_expression};
use watchkeeper_mcrl2::typing::{DataTerm, DataTermKind, Operation, Scope, Signature, SortId, VariableId};

/// The meaning of the terms of a formula.
#[derive(Debug)]
pub struct LanguageData {
    terms: Vec<MeantTerm>,
    /// For each term of sort `Bool` that is one of the formula's own, the condition that it is.
    conditions: Vec<ConditionParts>,
    variables: Vec<VariableId>,
    sorts: Vec<SortId>,
    machine: RefCell<LanguageMachine>,
}

#[derive(Debug)]
struct MeantTerm {
    compiled: CompiledTerm,
    term: DataTerm,
    /// Its free variables, in the order of its parameters; whether it has others, which a quantifier within binds.
    free: Vec<FormulaVariable>,
    foreign: bool,
    variable: Option<FormulaVariable>,
    sort: SortId,
}

#[derive(Debug)]
struct LanguageMachine {
    signature: Signature,
    rewriter: Rewriter,
    /// The values of label arguments that were read, for each text and sort.
    arguments: HashMap<SortId, HashMap<String, Option<FormulaValue>>>,
    /// Conditions that are asked for the values of a variable: the term, the variable, and whether they are negated.
    asked: HashMap<(FormulaTerm, FormulaVariable, bool), CompiledCondition>,
}

impl LanguageData {
    /// The meaning of a formula's terms.
    ///
    /// # Errors
    /// An equation of the specification that the evaluator cannot work with.
    pub fn new(formula: &TypedFormula) -> Result<LanguageData, LanguageError> {
        let signature = formula.signature.clone();
        let rewriter = Rewriter::new(&signature)?;
        let machine =
            LanguageMachine { signature, rewriter, arguments: HashMap::new(), asked: HashMap::new() };
        let mut data = LanguageData {
            terms: Vec::new(),
            conditions: Vec::new(),
            sorts: Vec::new(),
            variables: formula.variables.clone(),
            machine: RefCell::new(machine),
        };
        data.sorts = {
            let machine = data.machine.borrow();
            data.variables.iter().map(|&variable| machine.signature.variable_sort(variable)).collect()
        };
        for known in &formula.terms {
            data.add(&known.term, known.sort)?;
        }
        for known in &formula.terms {
            let mut failed = None;
            let condition = if known.sort == SortId::BOOL {
                ConditionParts::of(&known.term, &mut |part| match data.add(part, part.sort) {
                    Ok(term) => term,
                    Err(why) => {
                        failed = Some(why);
                        0
                    }
                })
            } else {
                ConditionParts::None
            };
            if let Some(why) = failed {
                return Err(why);
            }
            data.conditions.push(condition);
        }
        Ok(data)
    }

    fn add(&mut self, term: &DataTerm, sort: SortId) -> Result<FormulaTerm, LanguageError> {
        let parameters = term.free_variables();
        let number = |variable: &VariableId| self.variables.iter().position(|known| known == variable);
        let free: Vec<FormulaVariable> =
            parameters.iter().filter_map(number).map(|number| number as FormulaVariable).collect();
        let variable = match &term.kind {
            DataTermKind::Variable(variable) => number(variable).map(|number| number as FormulaVariable),
            _ => None,
        };
        let mut machine = self.machine.borrow_mut();
        let LanguageMachine { signature, rewriter, .. } = &mut *machine;
        let compiled = rewriter.compile(signature, term, &parameters)?;
        drop(machine);
        let foreign = free.len() < parameters.len();
        self.terms.push(MeantTerm { compiled, term: term.clone(), free, foreign, variable, sort });
        Ok((self.terms.len() - 1) as FormulaTerm)
    }

    fn of(&self, term: FormulaTerm) -> &MeantTerm {
        &self.terms[term as usize]
    }

    /// The value of a term whose variables are all known.
    pub(super) fn known(
        &self,
        term: FormulaTerm,
        binding: &Binding,
    ) -> Result<Option<FormulaValue>, DataError> {
        let known = self.of(term);
        if known.foreign || known.free.iter().any(|&variable| binding.get(variable).is_none()) {
            return Ok(None);
        }
        self.evaluate(term, binding).map(Some)
    }

    /// Whether the term is this variable.
    pub(super) fn is_variable(&self, term: FormulaTerm, variable: FormulaVariable) -> bool {
        self.of(term).variable == Some(variable)
    }

    /// The least whole number that a variable can be, if there is one.
    pub(super) fn least(&self, variable: FormulaVariable) -> Option<i128> {
        match self.sorts[variable as usize] {
            SortId::NAT => Some(0),
            SortId::POS => Some(1),
            _ => None,
        }
    }

    /// Whether all values of a variable are whole numbers.
    pub(super) fn is_whole(&self, variable: FormulaVariable) -> bool {
        matches!(self.sorts[variable as usize], SortId::POS | SortId::NAT | SortId::INT)
    }

    /// A value as a whole number, if it is one.
    pub(super) fn whole(&self, value: FormulaValue) -> Option<i128> {
        self.machine.borrow().rewriter.to_integer(ValueId::from_raw(value)).map(i128::from)
    }

    /// The values of a variable for which a part of a condition may differ from `usual`.
    pub(super) fn of_part(
        &self,
        part: FormulaTerm,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Result<ExceptionalValues, DataError> {
        let known = self.of(part);
        if known.foreign || !known.free.contains(&variable) {
            return Ok(match self.known(part, binding)? {
                Some(value) if self.is_true(value) == usual => ExceptionalValues::Among(Vec::new()),
                _ => ExceptionalValues::Unlimited,
            });
        }
        if self.machine.borrow().rewriter.is_finite(self.sorts[variable as usize]) {
            return Ok(ExceptionalValues::Unlimited);
        }
        let found = self.solutions(part, variable, usual, binding);
        Ok(found.map_or(ExceptionalValues::Unlimited, ExceptionalValues::Among))
    }

    /// The values of a variable for which a condition, all of whose other variables are known, differs from `usual`, as the
    /// evaluator finds them.
    fn solutions(
        &self,
        condition: FormulaTerm,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Option<Vec<FormulaValue>> {
        let known = self.of(condition);
        let others: Vec<FormulaVariable> =
            known.free.iter().copied().filter(|&other| other != variable).collect();
        let arguments: Option<Vec<ValueId>> =
            others.iter().map(|&other| binding.get(other).map(ValueId::from_raw)).collect();
        let arguments = arguments?;
        let mut machine = self.machine.borrow_mut();
        let LanguageMachine { signature, rewriter, asked, .. } = &mut *machine;
        let key = (condition, variable, usual);
        let question = match asked.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let term = match usual {
                    false => known.term.clone(),
                    true => DataTerm {
                        kind: DataTermKind::Operation(Operation::Not, SortId::BOOL, vec![known.term.clone()]),
                        sort: SortId::BOOL,
                        span: known.term.span,
                    },
                };
                let parameters: Vec<VariableId> =
                    others.iter().map(|&other| self.variables[other as usize]).collect();
                let variables = [self.variables[variable as usize]];
                let compiled = rewriter.compile_condition(signature, &term, &parameters, &variables);
                place.insert(compiled.ok()?)
            }
        };
        let found = rewriter.solutions(question, &arguments).ok()?;
        Some(found.into_iter().filter_map(|values| values.first().map(|value| value.raw())).collect())
    }
}

impl FormulaData for LanguageData {
    fn evaluate(&self, term: FormulaTerm, binding: &Binding) -> Result<FormulaValue, DataError> {
        let known = self.of(term);
        let value = |variable: &FormulaVariable| {
            let missing = || DataError::Other(format!("{} has no value here", self.describe(*variable)));
            binding.get(*variable).map(ValueId::from_raw).ok_or_else(missing)
        };
        let arguments: Vec<ValueId> = known.free.iter().map(value).collect::<Result<_, _>>()?;
        let mut machine = self.machine.borrow_mut();
        let value = machine.rewriter.evaluate(&known.compiled, &arguments).map_err(|why| failed(&why))?;
        if known.sort == SortId::BOOL && value.as_truth().is_none() {
            let value = machine.rewriter.print(value);
            return Err(failed(&EvaluationError::Undecided { span: known.term.span, value }));
        }
        Ok(value.raw())
    }

    fn is_true(&self, value: FormulaValue) -> bool {
        ValueId::from_raw(value) == ValueId::TRUE
    }

    fn variables(&self, term: FormulaTerm) -> &[FormulaVariable] {
        &self.of(term).free
    }

    fn as_variable(&self, term: FormulaTerm) -> Option<FormulaVariable> {
        self.of(term).variable
    }

    fn describe(&self, variable: FormulaVariable) -> String {
        let machine = self.machine.borrow();
        let name = machine.signature.variable_name(self.variables[variable as usize]);
        let sort = machine.signature.sorts().print(self.sorts[variable as usize]);
        format!("{name} of sort {sort}")
    }

    fn values_of(&self, variable: FormulaVariable) -> Result<Option<Vec<FormulaValue>>, DataError> {
        let sort = self.sorts[variable as usize];
        let mut machine = self.machine.borrow_mut();
        if !machine.rewriter.is_finite(sort) {
            return Ok(None);
        }
        let LanguageMachine { signature, rewriter, .. } = &mut *machine;
        let name = signature.variable_name(self.variables[variable as usize]).to_string();
        let values = rewriter.elements(signature, sort, Span::default(), &name);
        let values = values.map_err(|why| failed(&why))?;
        Ok(Some(values.iter().map(|value| value.raw()).collect()))
    }

    fn argument(&self, text: &str, pattern: FormulaTerm) -> Result<Option<FormulaValue>, DataError> {
        let sort = self.of(pattern).sort;
        let mut machine = self.machine.borrow_mut();
        if let Some(known) = machine.arguments.get(&sort).and_then(|known| known.get(text)) {
            return Ok(*known);
        }
        let value = machine.read(text, sort).map_err(|why| failed(&why))?;
        machine.arguments.entry(sort).or_default().insert(text.to_string(), value);
        Ok(value)
    }

    fn fits(
        &self,
        value: FormulaValue,
        variable: FormulaVariable,
    ) -> Result<Option<FormulaValue>, DataError> {
        let machine = self.machine.borrow();
        let fits = machine.rewriter.contains(self.sorts[variable as usize], ValueId::from_raw(value));
        Ok(fits.then_some(value))
    }

    fn whole_number(&self, number: i128, variable: FormulaVariable) -> Option<FormulaValue> {
        let number = i64::try_from(number).ok()?;
        let mut machine = self.machine.borrow_mut();
        let value = machine.rewriter.integer(number);
        machine.rewriter.contains(self.sorts[variable as usize], value).then_some(value.raw())
    }

    fn exceptions(
        &self,
        condition: FormulaTerm,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Result<ExceptionalValues, DataError> {
        if !self.of(condition).free.contains(&variable) {
            return Ok(match self.known(condition, binding)? {
                Some(value) if self.is_true(value) == usual => ExceptionalValues::Among(Vec::new()),
                _ => ExceptionalValues::Unlimited,
            });
        }
        let found = match self.conditions.get(condition as usize) {
            Some(parts) => parts.exceptions(self, variable, usual, binding)?,
            None => ExceptionalValues::Unlimited,
        };
        let least = self.least(variable).map(|least| ExceptionalValues::Between(Some(least), None));
        let found = match found {
            ExceptionalValues::Between(..) => both(found, least.unwrap_or(ExceptionalValues::Unlimited)),
            found => found,
        };
        let unlimited = matches!(
            found,
            ExceptionalValues::Unlimited
                | ExceptionalValues::Between(None, _)
                | ExceptionalValues::Between(_, None)
        );
        if unlimited && !self.machine.borrow().rewriter.is_finite(self.sorts[variable as usize]) {
            let exact = self.solutions(condition, variable, usual, binding);
            return Ok(exact.map_or(found, ExceptionalValues::Among));
        }
        Ok(found)
    }
}

impl LanguageMachine {
    /// A text as a value of a sort, if it is one.
    fn read(&mut self, text: &str, sort: SortId) -> Result<Option<FormulaValue>, EvaluationError> {
        let Ok(written) = parse_data_expression(text) else { return Ok(None) };
        let Ok(typed) = self.signature.typed(&Scope::new(), &written, Some(sort)) else { return Ok(None) };
        let Ok(compiled) = self.rewriter.compile(&self.signature, &typed, &[]) else { return Ok(None) };
        self.rewriter.evaluate(&compiled, &[]).map(|value| Some(value.raw()))
    }
}

fn failed(why: &EvaluationError) -> DataError {
    DataError::Other(why.to_string())
}
