//! Numbers below a bound, as the data of random formulas.

use watchkeeper_modal::{
    Binding, DataError, ExceptionalValues, FormulaData, FormulaTerm, FormulaValue, FormulaVariable,
};

/// A term. Truth values are 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    Variable(FormulaVariable),
    Number(u32),
    Plus(FormulaTerm, u32),
    Equal(FormulaTerm, FormulaTerm),
    Less(FormulaTerm, FormulaTerm),
    Not(FormulaTerm),
    Both(FormulaTerm, FormulaTerm),
}

/// The numbers below `bound`, with addition modulo `bound`. If they are `endless`, nobody is told what all of them are, as
/// if there were infinitely many.
#[derive(Clone, Debug)]
pub struct Residues {
    pub bound: u32,
    pub endless: bool,
    terms: Vec<(Term, Vec<FormulaVariable>)>,
}

impl Residues {
    pub fn new(bound: u32, endless: bool) -> Residues {
        Residues { bound, endless, terms: Vec::new() }
    }

    pub fn term(&mut self, term: Term) -> FormulaTerm {
        let mut free: Vec<FormulaVariable> = match term {
            Term::Variable(variable) => vec![variable],
            Term::Number(_) => Vec::new(),
            Term::Plus(inner, _) | Term::Not(inner) => self.terms[inner as usize].1.clone(),
            Term::Equal(left, right) | Term::Less(left, right) | Term::Both(left, right) => {
                [self.terms[left as usize].1.clone(), self.terms[right as usize].1.clone()].concat()
            }
        };
        free.sort_unstable();
        free.dedup();
        self.terms.push((term, free));
        (self.terms.len() - 1) as FormulaTerm
    }

    pub fn get(&self, term: FormulaTerm) -> Term {
        self.terms[term as usize].0
    }

    /// The value of a term, where `value` tells those of variables.
    pub fn value(&self, term: FormulaTerm, value: &dyn Fn(FormulaVariable) -> u32) -> u32 {
        match self.get(term) {
            Term::Variable(variable) => value(variable),
            Term::Number(number) => number,
            Term::Plus(inner, number) => (self.value(inner, value) + number) % self.bound,
            Term::Equal(left, right) => u32::from(self.value(left, value) == self.value(right, value)),
            Term::Less(left, right) => u32::from(self.value(left, value) < self.value(right, value)),
            Term::Not(inner) => 1 - self.value(inner, value),
            Term::Both(left, right) => self.value(left, value) & self.value(right, value),
        }
    }
}

impl FormulaData for Residues {
    fn evaluate(&self, term: FormulaTerm, binding: &Binding) -> Result<FormulaValue, DataError> {
        Ok(self.value(term, &|variable| binding.get(variable).expect("all variables of the term are bound")))
    }

    fn is_true(&self, value: FormulaValue) -> bool {
        value == 1
    }

    fn variables(&self, term: FormulaTerm) -> &[FormulaVariable] {
        &self.terms[term as usize].1
    }

    fn as_variable(&self, term: FormulaTerm) -> Option<FormulaVariable> {
        match self.get(term) {
            Term::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    fn describe(&self, variable: FormulaVariable) -> String {
        format!("x{variable}")
    }

    fn values_of(&self, _: FormulaVariable) -> Result<Option<Vec<FormulaValue>>, DataError> {
        Ok((!self.endless).then(|| (0..self.bound).collect()))
    }

    fn argument(&self, text: &str, _: FormulaTerm) -> Result<Option<FormulaValue>, DataError> {
        Ok(text.parse().ok().filter(|number| *number < self.bound))
    }

    fn fits(&self, value: FormulaValue, _: FormulaVariable) -> Result<Option<FormulaValue>, DataError> {
        Ok(Some(value))
    }

    fn whole_number(&self, number: i128, _: FormulaVariable) -> Option<FormulaValue> {
        u32::try_from(number).ok().filter(|number| *number < self.bound)
    }

    fn exceptions(
        &self,
        condition: FormulaTerm,
        variable: FormulaVariable,
        usual: bool,
        binding: &Binding,
    ) -> Result<ExceptionalValues, DataError> {
        use ExceptionalValues::{Among, Between, Unlimited};
        let known = |term: FormulaTerm| {
            let free = self.variables(term);
            let all = free.iter().all(|&other| binding.get(other).is_some());
            all.then(|| self.value(term, &|other| binding.get(other).expect("it is known")))
        };
        if let Some(value) = known(condition) {
            return Ok(if self.is_true(value) == usual { Among(Vec::new()) } else { Unlimited });
        }
        Ok(match self.get(condition) {
            Term::Not(inner) => self.exceptions(inner, variable, !usual, binding)?,
            Term::Both(left, right) if !usual => match self.exceptions(left, variable, usual, binding)? {
                Unlimited => self.exceptions(right, variable, usual, binding)?,
                found => found,
            },
            Term::Equal(left, right) if !usual => {
                match (self.as_variable(left) == Some(variable), known(right)) {
                    (true, Some(value)) => Among(vec![value]),
                    _ => Unlimited,
                }
            }
            Term::Less(left, right) if !usual => {
                match (self.as_variable(left) == Some(variable), known(right)) {
                    (true, Some(value)) => Between(Some(0), Some(i128::from(value) - 1)),
                    _ => Unlimited,
                }
            }
            _ => Unlimited,
        })
    }
}
