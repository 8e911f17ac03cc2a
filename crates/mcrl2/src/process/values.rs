//! The data of a specification as the processes need it: expressions compiled and evaluated, conditions solved, values printed.
//! All that the processes know of data they know through this module.

use super::model::BoundTerm;
use super::model_error::ProcessError;
use crate::data::{CompiledCondition, EvaluationError, Rewriter};
pub(crate) use crate::data::{CompiledTerm, ValueId};
use crate::syntax::Span;
use crate::typing::{
    DataTerm, DataTermKind, FunctionId, FunctionRole, Operation, Signature, SortId, VariableId,
};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) type Sort = SortId;
pub(crate) type Typed = Arc<DataTerm>;

/// A variable with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct ProcessVariable {
    pub(crate) id: VariableId,
    pub(crate) sort: Sort,
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
}

impl PartialEq for ProcessVariable {
    fn eq(&self, other: &ProcessVariable) -> bool {
        self.id == other.id
    }
}

impl Eq for ProcessVariable {}

impl PartialOrd for ProcessVariable {
    fn partial_cmp(&self, other: &ProcessVariable) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ProcessVariable {
    fn cmp(&self, other: &ProcessVariable) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl Hash for ProcessVariable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// The form of an expression, as far as it matters for solving.
pub(crate) enum TermForm<'a> {
    Variable(VariableId),
    Constructor(FunctionId, Vec<&'a DataTerm>),
    Not(&'a DataTerm),
    And(&'a DataTerm, &'a DataTerm),
    Or(&'a DataTerm, &'a DataTerm),
    Equal(&'a DataTerm, &'a DataTerm),
    Unequal(&'a DataTerm, &'a DataTerm),
    Other,
}

/// A condition to be asked for the values of some variables, for values of some parameters.
pub(crate) struct AskedCondition {
    pub(crate) condition: DataTerm,
    pub(crate) parameters: Vec<VariableId>,
    pub(crate) variables: Vec<VariableId>,
}

/// Sorts, functions and equations, ready to be used.
pub(crate) struct DataSide {
    signature: Mutex<Signature>,
    rewriter: Mutex<Rewriter>,
    /// Conditions that were asked for the values of variables, by the conditions and the slots of the variables.
    asked: Mutex<HashMap<AskedKey, Arc<CompiledCondition>>>,
}

/// The places of some conditions in memory, where they stay, with their truth values; and some slots.
pub(crate) type AskedKey = (Vec<(usize, bool)>, Vec<usize>);

impl fmt::Debug for DataSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataSide").finish_non_exhaustive()
    }
}

impl DataSide {
    pub(crate) fn new(signature: Signature) -> Result<DataSide, ProcessError> {
        let rewriter = Mutex::new(Rewriter::new(&signature)?);
        Ok(DataSide { signature: Mutex::new(signature), rewriter, asked: Mutex::default() })
    }

    pub(crate) fn signature(&self) -> MutexGuard<'_, Signature> {
        self.signature.lock().expect("no evaluation panics")
    }

    /// Another variable of the same name and sort.
    pub(crate) fn fresh(&self, variable: &ProcessVariable) -> ProcessVariable {
        let id = self.signature().new_variable(&variable.name, variable.sort);
        ProcessVariable { id, ..variable.clone() }
    }

    /// The name of a variable.
    pub(crate) fn variable_name(&self, variable: VariableId) -> String {
        self.signature().variable_name(variable).to_string()
    }

    /// The value of an expression without variables as it is written, if it has one.
    pub(crate) fn closed_value(&self, term: &DataTerm) -> Option<String> {
        if !term.free_variables().is_empty() {
            return None;
        }
        let compiled = self.compile(term, &[]).ok()?;
        let value = self.evaluate(&compiled, &[]).ok()?;
        Some(self.print(value))
    }

    fn rewriter(&self) -> MutexGuard<'_, Rewriter> {
        self.rewriter.lock().expect("no evaluation panics")
    }

    /// A variable as an expression.
    pub(crate) fn variable(variable: &ProcessVariable) -> Typed {
        Arc::new(DataTerm {
            kind: DataTermKind::Variable(variable.id),
            sort: variable.sort,
            span: variable.span,
        })
    }

    pub(crate) fn compile(
        &self,
        term: &DataTerm,
        parameters: &[VariableId],
    ) -> Result<CompiledTerm, ProcessError> {
        let signature = self.signature();
        Ok(self.rewriter().compile(&signature, term, parameters)?)
    }

    pub(crate) fn evaluate(
        &self,
        compiled: &CompiledTerm,
        arguments: &[ValueId],
    ) -> Result<ValueId, ProcessError> {
        Ok(self.rewriter().evaluate(compiled, arguments)?)
    }

    /// The value of an expression whose variables all have values.
    pub(crate) fn value_of(
        &self,
        term: &BoundTerm,
        lookup: &dyn Fn(&ProcessVariable) -> Option<ValueId>,
    ) -> Result<ValueId, ProcessError> {
        let known: Vec<(VariableId, ValueId)> =
            term.variables.iter().filter_map(|variable| Some((variable.id, lookup(variable)?))).collect();
        let (parameters, arguments): (Vec<VariableId>, Vec<ValueId>) = known.into_iter().unzip();
        self.evaluate(&self.compile(&term.typed, &parameters)?, &arguments)
    }

    pub(crate) fn print(&self, value: ValueId) -> String {
        self.rewriter().print(value)
    }

    pub(crate) fn contains(&self, sort: Sort, value: ValueId) -> bool {
        self.rewriter().contains(sort, value)
    }

    /// The values of a finite sort.
    pub(crate) fn elements(&self, sort: Sort) -> Option<Vec<ValueId>> {
        let signature = self.signature();
        let mut rewriter = self.rewriter();
        if !rewriter.is_finite(sort) {
            return None;
        }
        let found = rewriter.elements(&signature, sort, Span::default(), "");
        found.ok().map(|elements| elements.to_vec())
    }

    /// The arguments of a constructor that made a value.
    pub(crate) fn arguments_of(&self, value: ValueId, constructor: FunctionId) -> Option<Vec<ValueId>> {
        let rewriter = self.rewriter();
        let (made_by, arguments) = rewriter.made_by(value)?;
        (made_by == constructor).then(|| arguments.to_vec())
    }

    /// The values of some variables that make a condition true, for values of the others; nothing if there is no end to them.
    /// The condition is made at the first time.
    pub(crate) fn solutions(
        &self,
        key: AskedKey,
        condition: &dyn Fn() -> Option<AskedCondition>,
        arguments: &[ValueId],
    ) -> Result<Option<Vec<Vec<ValueId>>>, ProcessError> {
        let known = self.asked.lock().expect("no evaluation panics").get(&key).cloned();
        let compiled = match known {
            Some(compiled) => compiled,
            None => {
                let Some(AskedCondition { condition, parameters, variables }) = condition() else {
                    return Ok(None);
                };
                let signature = self.signature();
                let compiled =
                    self.rewriter().compile_condition(&signature, &condition, &parameters, &variables)?;
                let compiled = Arc::new(compiled);
                self.asked.lock().expect("no evaluation panics").insert(key, Arc::clone(&compiled));
                compiled
            }
        };
        match self.rewriter().solutions(&compiled, arguments) {
            Ok(solutions) => Ok(Some(solutions)),
            Err(EvaluationError::Unbounded { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A number.
    #[cfg(test)]
    pub(crate) fn number(&self, number: i64) -> ValueId {
        self.rewriter().integer(number)
    }

    pub(crate) fn form<'a>(&self, term: &'a DataTerm) -> TermForm<'a> {
        match &term.kind {
            DataTermKind::Variable(variable) => TermForm::Variable(*variable),
            DataTermKind::Function(function) if self.is_constructor(*function) => {
                TermForm::Constructor(*function, Vec::new())
            }
            DataTermKind::Apply(applied, arguments) => match &applied.kind {
                DataTermKind::Function(function) if self.is_constructor(*function) => {
                    TermForm::Constructor(*function, arguments.iter().collect())
                }
                _ => TermForm::Other,
            },
            DataTermKind::Operation(operation, _, operands) => match (operation, &operands[..]) {
                (Operation::Not, [inner]) => TermForm::Not(inner),
                (Operation::And, [left, right]) => TermForm::And(left, right),
                (Operation::Or, [left, right]) => TermForm::Or(left, right),
                (Operation::Equal, [left, right]) => TermForm::Equal(left, right),
                (Operation::Unequal, [left, right]) => TermForm::Unequal(left, right),
                _ => TermForm::Other,
            },
            _ => TermForm::Other,
        }
    }

    /// A sort as a specification would define it.
    pub(crate) fn definition(&self, sort: Sort) -> String {
        let signature = self.signature();
        let sorts = signature.sorts();
        let Some(declared) = sorts.declared(sort) else { return sorts.print(sort) };
        let constructor = |constructor: &FunctionId| {
            let function = signature.function(*constructor);
            match &*function.domain {
                [] => function.name.clone(),
                domain => {
                    let domain: Vec<String> = domain.iter().map(|&sort| sorts.print(sort)).collect();
                    format!("{}({})", function.name, domain.join(", "))
                }
            }
        };
        let constructors: Vec<String> = declared.constructors.iter().map(constructor).collect();
        if constructors.is_empty() { String::new() } else { format!("struct {}", constructors.join(" | ")) }
    }

    fn is_constructor(&self, function: FunctionId) -> bool {
        self.signature().function(function).role == FunctionRole::Constructor
    }
}
