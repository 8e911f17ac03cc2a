//! Which labels a label formula means, and for which values of a variable it may mean one: so quantifiers over sorts without
//! end are decided by the arguments of the labels that there are.

use crate::data::{Binding, DataError, ExceptionalValues, FormulaData};
use crate::formula::{ActionPattern, FormulaTerm, FormulaVariable, LabelFormula};
use watchkeeper_space::{DataAction, DataLabel};

/// The most values of a quantified variable that are tried one by one.
const MOST_VALUES: i128 = 1_000_000;

/// How many numbers are tried where any may matter.
const FIRST_VALUES: i128 = 32;

/// Label formulas with the meaning of their data.
#[derive(Clone, Copy)]
pub(crate) struct LabelMeaning<'a> {
    pub(crate) data: &'a dyn FormulaData,
    /// Whether actions mean every label that has them among others.
    pub(crate) any_of_several: bool,
}

impl LabelMeaning<'_> {
    /// Whether the label is one of those that the formula means. All variables that are free in it have values.
    pub(crate) fn holds(
        &self,
        formula: &LabelFormula,
        label: &DataLabel,
        binding: &mut Binding,
    ) -> Result<bool, DataError> {
        Ok(match formula {
            &LabelFormula::Constant(value) => value,
            LabelFormula::Actions(patterns) => {
                let mut found = false;
                self.alignments(patterns, &label.actions, binding, None, &mut |_| found = true)?;
                found
            }
            &LabelFormula::Data(term) => self.data.is_true(self.data.evaluate(term, binding)?),
            LabelFormula::Not(inner) => !self.holds(inner, label, binding)?,
            LabelFormula::And(left, right) => {
                self.holds(left, label, binding)? && self.holds(right, label, binding)?
            }
            LabelFormula::Or(left, right) => {
                self.holds(left, label, binding)? || self.holds(right, label, binding)?
            }
            LabelFormula::Implies(left, right) => {
                !self.holds(left, label, binding)? || self.holds(right, label, binding)?
            }
            LabelFormula::Forall(variables, inner) => {
                !self.some_value(variables, inner, label, false, binding)?
            }
            LabelFormula::Exists(variables, inner) => {
                self.some_value(variables, inner, label, true, binding)?
            }
        })
    }

    /// Whether the formula has this truth for some values of these variables.
    fn some_value(
        &self,
        variables: &[FormulaVariable],
        inner: &LabelFormula,
        label: &DataLabel,
        wanted: bool,
        binding: &mut Binding,
    ) -> Result<bool, DataError> {
        let Some((&variable, others)) = variables.split_first() else {
            return Ok(self.holds(inner, label, binding)? == wanted);
        };
        let exceptions = self.exceptions(inner, label, variable, !wanted, binding)?;
        let tried = TriedValues::of(self.data, exceptions, variable)?;
        for &value in &tried.values {
            binding.set(variable, value);
            let found = self.some_value(others, inner, label, wanted, binding);
            binding.forget(variable);
            if found? {
                return Ok(true);
            }
        }
        tried.exhausted(self.data, variable, false)
    }

    /// The values of a variable for which the truth of the formula at this label may differ from `usual`, whatever the values
    /// of unknown variables are.
    pub(crate) fn exceptions(
        &self,
        formula: &LabelFormula,
        label: &DataLabel,
        variable: FormulaVariable,
        usual: bool,
        binding: &mut Binding,
    ) -> Result<ExceptionalValues, DataError> {
        let none = ExceptionalValues::Among(Vec::new());
        Ok(match formula {
            &LabelFormula::Constant(value) if value == usual => none,
            LabelFormula::Constant(_) => ExceptionalValues::Unlimited,
            LabelFormula::Actions(_) if usual => ExceptionalValues::Unlimited,
            LabelFormula::Actions(patterns) => {
                let mut found = none;
                self.alignments(patterns, &label.actions, binding, Some(variable), &mut |value| {
                    let these = match value {
                        Some(value) => ExceptionalValues::Among(vec![value]),
                        None => ExceptionalValues::Unlimited,
                    };
                    found = either(std::mem::replace(&mut found, ExceptionalValues::Unlimited), these);
                })?;
                found
            }
            &LabelFormula::Data(term) => self.data.exceptions(term, variable, usual, binding)?,
            LabelFormula::Not(inner) => self.exceptions(inner, label, variable, !usual, binding)?,
            LabelFormula::And(left, right) => {
                let left = self.exceptions(left, label, variable, usual, binding)?;
                let right = self.exceptions(right, label, variable, usual, binding)?;
                if usual { either(left, right) } else { both(left, right) }
            }
            LabelFormula::Or(left, right) => {
                let left = self.exceptions(left, label, variable, usual, binding)?;
                let right = self.exceptions(right, label, variable, usual, binding)?;
                if usual { both(left, right) } else { either(left, right) }
            }
            LabelFormula::Implies(left, right) => {
                let left = self.exceptions(left, label, variable, !usual, binding)?;
                let right = self.exceptions(right, label, variable, usual, binding)?;
                if usual { both(left, right) } else { either(left, right) }
            }
            LabelFormula::Forall(_, inner) | LabelFormula::Exists(_, inner) => {
                self.exceptions(inner, label, variable, usual, binding)?
            }
        })
    }

    /// The ways in which all patterns can be actions of a label, one each: all of them, or any of several. `solved` is an unknown variable; each way
    /// comes with the value that it takes then, if the way tells it.
    fn alignments(
        &self,
        patterns: &[ActionPattern],
        actions: &[DataAction],
        binding: &Binding,
        solved: Option<FormulaVariable>,
        found: &mut dyn FnMut(Option<u32>),
    ) -> Result<(), DataError> {
        let fits = match self.any_of_several && !patterns.is_empty() {
            true => patterns.len() <= actions.len(),
            false => patterns.len() == actions.len(),
        };
        if !fits {
            return Ok(());
        }
        let mut used = vec![false; actions.len()];
        self.align(patterns, actions, &mut used, (binding, solved), None, found)
    }

    fn align(
        &self,
        patterns: &[ActionPattern],
        actions: &[DataAction],
        used: &mut [bool],
        (binding, solved): (&Binding, Option<FormulaVariable>),
        value: Option<u32>,
        found: &mut dyn FnMut(Option<u32>),
    ) -> Result<(), DataError> {
        let Some((pattern, others)) = patterns.split_first() else {
            found(value);
            return Ok(());
        };
        for (at, action) in actions.iter().enumerate() {
            if used[at] || action.name != pattern.name || action.arguments.len() != pattern.arguments.len() {
                continue;
            }
            let arguments = pattern.arguments.iter().zip(&action.arguments);
            let mut value = value;
            let mut fits = true;
            for (&term, text) in arguments {
                fits = self.argument(term, text, binding, solved, &mut value)?;
                if !fits {
                    break;
                }
            }
            if fits {
                used[at] = true;
                self.align(others, actions, used, (binding, solved), value, found)?;
                used[at] = false;
            }
        }
        Ok(())
    }

    /// Whether an argument can be the value of a term; learns the value of the variable that is looked for.
    fn argument(
        &self,
        term: FormulaTerm,
        text: &str,
        binding: &Binding,
        solved: Option<FormulaVariable>,
        value: &mut Option<u32>,
    ) -> Result<bool, DataError> {
        let Some(given) = self.data.argument(text, term)? else { return Ok(false) };
        if let (Some(variable), true) = (solved, self.data.as_variable(term) == solved) {
            let Some(given) = self.data.fits(given, variable)? else { return Ok(false) };
            return Ok(*value.get_or_insert(given) == given);
        }
        if self.data.variables(term).iter().any(|&variable| binding.get(variable).is_none()) {
            return Ok(true);
        }
        Ok(self.data.evaluate(term, binding)? == given)
    }
}

/// Values of a quantified variable to be tried one by one.
pub(crate) struct TriedValues {
    pub(crate) values: Vec<u32>,
    /// Whether no other value matters. If some may, one of these can still decide the quantifier.
    pub(crate) complete: bool,
}

impl TriedValues {
    /// The values that matter, or the first ones of a sort of numbers.
    pub(crate) fn of(
        data: &dyn FormulaData,
        values: ExceptionalValues,
        variable: FormulaVariable,
    ) -> Result<TriedValues, DataError> {
        let all = |values| Ok(TriedValues { values, complete: true });
        match values {
            ExceptionalValues::Among(mut values) => {
                values.sort_unstable();
                values.dedup();
                let mut fitting = Vec::with_capacity(values.len());
                for value in values {
                    fitting.extend(data.fits(value, variable)?);
                }
                all(fitting)
            }
            ExceptionalValues::Between(Some(least), Some(most))
                if most.saturating_sub(least) < MOST_VALUES =>
            {
                all((least..=most).filter_map(|number| data.whole_number(number, variable)).collect())
            }
            ExceptionalValues::Between(..) | ExceptionalValues::Unlimited => {
                match data.values_of(variable)? {
                    Some(values) => all(values),
                    None => {
                        let values =
                            (0..FIRST_VALUES).filter_map(|number| data.whole_number(number, variable));
                        Ok(TriedValues { values: values.collect(), complete: false })
                    }
                }
            }
        }
    }

    /// The answer where none of the values decided the quantifier.
    pub(crate) fn exhausted<T>(
        &self,
        data: &dyn FormulaData,
        variable: FormulaVariable,
        answer: T,
    ) -> Result<T, DataError> {
        if self.complete { Ok(answer) } else { Err(DataError::Endless { variable: data.describe(variable) }) }
    }
}

/// The values that are exceptional in either of two conditions.
pub(crate) fn either(left: ExceptionalValues, right: ExceptionalValues) -> ExceptionalValues {
    use ExceptionalValues::{Among, Between, Unlimited};
    match (left, right) {
        (Among(none), other) | (other, Among(none)) if none.is_empty() => other,
        (Among(mut left), Among(right)) => {
            left.extend(right);
            Among(left)
        }
        (Between(least, most), Between(other_least, other_most)) => Between(
            least.zip(other_least).map(|(one, other)| one.min(other)),
            most.zip(other_most).map(|(one, other)| one.max(other)),
        ),
        _ => Unlimited,
    }
}

/// The values that are exceptional in both of two conditions, or a few more.
pub(crate) fn both(left: ExceptionalValues, right: ExceptionalValues) -> ExceptionalValues {
    use ExceptionalValues::{Among, Between, Unlimited};
    match (left, right) {
        (Unlimited, other) | (other, Unlimited) => other,
        (Among(mut left), Among(right)) => {
            left.retain(|value| right.contains(value));
            Among(left)
        }
        (Between(least, most), Between(other_least, other_most)) => {
            let tighter = |one: Option<i128>, other: Option<i128>, choose: fn(i128, i128) -> i128| {
                one.zip(other).map(|(one, other)| choose(one, other)).or(one).or(other)
            };
            Between(tighter(least, other_least, i128::max), tighter(most, other_most, i128::min))
        }
        (Among(values), Between(..)) | (Between(..), Among(values)) => Among(values),
    }
}
