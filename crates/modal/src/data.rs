//! What the data in a formula means. The rest of the crate knows values by number only: equal numbers, equal values.

use crate::formula::{FormulaTerm, FormulaVariable};
use thiserror::Error;

/// The number of a value. The same value of a sort has the same number always.
pub type FormulaValue = u32;

/// The values of variables; those that have none are unknown.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    values: Vec<Option<FormulaValue>>,
}

impl Binding {
    /// The value of a variable, if it is known.
    pub fn get(&self, variable: FormulaVariable) -> Option<FormulaValue> {
        self.values.get(variable as usize).copied().flatten()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: FormulaVariable, value: FormulaValue) {
        let place = variable as usize;
        if place >= self.values.len() {
            self.values.resize(place + 1, None);
        }
        self.values[place] = Some(value);
    }

    /// Makes a variable unknown.
    pub fn forget(&mut self, variable: FormulaVariable) {
        if let Some(value) = self.values.get_mut(variable as usize) {
            *value = None;
        }
    }
}

/// The values of a variable that matter: for all others, the condition has the value that was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExceptionalValues {
    /// Any value may matter.
    Unlimited,
    /// At most these.
    Among(Vec<FormulaValue>),
    /// At most the whole numbers between these two, the bounds included; a missing one is no bound.
    Between(Option<i128>, Option<i128>),
}

/// Why a term has no value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DataError {
    /// The values of a sort cannot be enumerated, and nothing in the formula says which of them matter.
    #[error(
        "the values of {variable} cannot be enumerated, and no action or comparison in the formula limits them; bind {variable} by \
         an argument of an action, compare it with a bound, or take a finite sort"
    )]
    Endless {
        /// The variable, with its sort.
        variable: String,
    },
    /// Another reason, in a sentence.
    #[error("{0}")]
    Other(String),
}

/// The meaning of the terms of a formula.
pub trait FormulaData {
    /// The value of a term whose variables all have values.
    fn evaluate(&self, term: FormulaTerm, binding: &Binding) -> Result<FormulaValue, DataError>;

    /// Whether a value of sort `Bool` is `true`.
    fn is_true(&self, value: FormulaValue) -> bool;

    /// The free variables of a term.
    fn variables(&self, term: FormulaTerm) -> &[FormulaVariable];

    /// The variable, if the term is nothing else.
    fn as_variable(&self, term: FormulaTerm) -> Option<FormulaVariable>;

    /// The name of a variable, with its sort, for messages.
    fn describe(&self, variable: FormulaVariable) -> String;

    /// All values of a variable's sort; `None` if they are too many or cannot be listed.
    fn values_of(&self, variable: FormulaVariable) -> Result<Option<Vec<FormulaValue>>, DataError>;

    /// The value that an argument of a label has where a pattern has this term: the text of the label, read as a term of the
    /// sort of the pattern. `None` if it is no value of that sort.
    fn argument(&self, text: &str, pattern: FormulaTerm) -> Result<Option<FormulaValue>, DataError>;

    /// Whether the value, which some argument of a label or element of a set has, is one of the sort of this variable; as
    /// the value that it is there.
    fn fits(&self, value: FormulaValue, variable: FormulaVariable)
    -> Result<Option<FormulaValue>, DataError>;

    /// The whole number as a value of the sort of this variable, if it is one.
    fn whole_number(&self, number: i128, variable: FormulaVariable) -> Option<FormulaValue>;

    /// The values of the variable for which this condition may differ from `usual`; other variables may be unknown.
    fn exceptions(
        &self,
        condition: FormulaTerm,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Result<ExceptionalValues, DataError>;
}

/// No data at all: formulas without terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoData;

impl FormulaData for NoData {
    fn evaluate(&self, term: FormulaTerm, _: &Binding) -> Result<FormulaValue, DataError> {
        Err(DataError::Other(format!("there is no term number {term}")))
    }

    fn is_true(&self, _: FormulaValue) -> bool {
        false
    }

    fn variables(&self, _: FormulaTerm) -> &[FormulaVariable] {
        &[]
    }

    fn as_variable(&self, _: FormulaTerm) -> Option<FormulaVariable> {
        None
    }

    fn describe(&self, variable: FormulaVariable) -> String {
        format!("variable number {variable}")
    }

    fn values_of(&self, _: FormulaVariable) -> Result<Option<Vec<FormulaValue>>, DataError> {
        Ok(None)
    }

    fn argument(&self, _: &str, _: FormulaTerm) -> Result<Option<FormulaValue>, DataError> {
        Ok(None)
    }

    fn fits(&self, _: FormulaValue, _: FormulaVariable) -> Result<Option<FormulaValue>, DataError> {
        Ok(None)
    }

    fn whole_number(&self, _: i128, _: FormulaVariable) -> Option<FormulaValue> {
        None
    }

    fn exceptions(
        &self,
        _: FormulaTerm,
        _: FormulaVariable,
        _: bool,
        _: &Binding,
    ) -> Result<ExceptionalValues, DataError> {
        Ok(ExceptionalValues::Unlimited)
    }
}
