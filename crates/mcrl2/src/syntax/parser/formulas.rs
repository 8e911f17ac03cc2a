//! State formulas. From weak to strong: `mu`, `nu` and the quantifiers, `=>`, `||`, `&&`, then modalities and `!`.

use super::cursor::WordCursor;
use crate::LanguageError;
use crate::syntax::{
    Connective, Fixpoint, FixpointParameter, FormulaQuantifier, StateFormula, StateFormulaKind,
};

/// What belongs to formulas whose value is a number.
const QUANTITATIVE: [&str; 3] = ["inf", "sup", "sum"];

/// The connectives from weak to strong, each of which binds to the right.
pub(super) const CONNECTIVES: [Connective; 3] = [Connective::Implies, Connective::Or, Connective::And];

impl WordCursor<'_> {
    pub(super) fn state_formula(&mut self) -> Result<StateFormula, LanguageError> {
        self.connected_state(&CONNECTIVES)
    }

    fn connected_state(&mut self, levels: &[Connective]) -> Result<StateFormula, LanguageError> {
        let Some((connective, stronger)) = levels.split_first() else { return self.unary_state() };
        let mut operands = vec![self.connected_state(stronger)?];
        let mut height = self.height();
        while self.take(connective.sign()) {
            operands.push(self.connected_state(stronger)?);
            height = height.max(self.height()) + 1;
            self.grow(height)?;
        }
        let mut right = operands.pop().unwrap_or_else(|| unreachable!("a formula has a first operand"));
        while let Some(left) = operands.pop() {
            let span = left.span.to(right.span);
            let kind = StateFormulaKind::Connective(*connective, Box::new([left, right]));
            right = StateFormula { kind, span };
        }
        Ok(right)
    }

    fn unary_state(&mut self) -> Result<StateFormula, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let kind = words.unary_state_kind()?;
            Ok(match kind {
                Ok(kind) => StateFormula { kind, span: words.since(begin) },
                Err(bracketed) => bracketed,
            })
        })
    }

    /// What is read, or the formula in brackets, which keeps its own place.
    fn unary_state_kind(&mut self) -> Result<Result<StateFormulaKind, StateFormula>, LanguageError> {
        if QUANTITATIVE.iter().any(|word| self.is(word)) || self.is("-") {
            let found = format!("'{}', which belongs to formulas whose value is a number,", self.next().text);
            return Err(LanguageError::unsupported(self.span(), found));
        }
        let word = self.next().text;
        let kind = match word {
            "(" => {
                self.advance();
                let inner = self.state_formula()?;
                if !self.take(")") {
                    return Err(self.unexpected("an operator or ')'"));
                }
                return Ok(Err(inner));
            }
            "!" => {
                self.advance();
                StateFormulaKind::Not(Box::new(self.unary_state()?))
            }
            "[" => {
                self.advance();
                let steps = self.regular_formula()?;
                if !self.take("]") {
                    return Err(self.unexpected("an operator or ']'"));
                }
                StateFormulaKind::Box(Box::new(steps), Box::new(self.unary_state()?))
            }
            "<" => {
                self.advance();
                let steps = self.regular_formula()?;
                if !self.take(">") {
                    return Err(self.unexpected("an operator or '>'"));
                }
                StateFormulaKind::Diamond(Box::new(steps), Box::new(self.unary_state()?))
            }
            "forall" | "exists" => {
                let (quantifier, variables) = self.formula_quantifier()?;
                StateFormulaKind::Quantified(quantifier, variables, Box::new(self.state_formula()?))
            }
            "mu" | "nu" => {
                self.advance();
                let fixpoint = if word == "mu" { Fixpoint::Least } else { Fixpoint::Greatest };
                let name = self.name("the variable of the fixed point")?;
                let parameters = if self.take("(") { self.fixpoint_parameters()? } else { Vec::new() };
                self.expect(".")?;
                StateFormulaKind::Fixpoint(fixpoint, name, parameters, Box::new(self.state_formula()?))
            }
            "true" => {
                self.advance();
                StateFormulaKind::True
            }
            "false" => {
                self.advance();
                StateFormulaKind::False
            }
            "val" => StateFormulaKind::Data(Box::new(self.data_value()?)),
            "delay" | "yaled" => {
                self.advance();
                let time = if self.take("@") { Some(Box::new(self.data()?)) } else { None };
                if word == "delay" { StateFormulaKind::Delay(time) } else { StateFormulaKind::Yaled(time) }
            }
            _ => {
                let name = self.name("a state formula; data stands in val(..)")?;
                let arguments = if self.take("(") { self.data_until(")")? } else { Vec::new() };
                StateFormulaKind::Variable(name, arguments)
            }
        };
        Ok(Ok(kind))
    }

    /// `forall x: S .` and `exists x: S .`.
    pub(super) fn formula_quantifier(
        &mut self,
    ) -> Result<(FormulaQuantifier, Vec<crate::syntax::VariableDeclaration>), LanguageError> {
        let quantifier =
            if self.is("forall") { FormulaQuantifier::Forall } else { FormulaQuantifier::Exists };
        self.advance();
        let variables = self.variables()?;
        self.expect(".")?;
        Ok((quantifier, variables))
    }

    /// `val(e)`.
    pub(super) fn data_value(&mut self) -> Result<crate::syntax::DataExpr, LanguageError> {
        self.advance();
        self.expect("(")?;
        let expression = self.data()?;
        if !self.take(")") {
            return Err(self.unexpected("an operator or ')'"));
        }
        Ok(expression)
    }

    fn fixpoint_parameters(&mut self) -> Result<Vec<FixpointParameter>, LanguageError> {
        let mut parameters = Vec::new();
        loop {
            let name = self.name("a parameter")?;
            self.expect(":")?;
            let sort = self.sort()?;
            self.expect("=")?;
            parameters.push(FixpointParameter { name, sort, initial: self.data()? });
            if !self.take(",") {
                break;
            }
        }
        if !self.take(")") {
            return Err(self.unexpected("an operator, ',' or ')'"));
        }
        Ok(parameters)
    }
}
