//! Regular formulas and the action formulas in them. From weak to strong: `+`, `.`, the repetitions `*` and `+`, and then what
//! belongs to action formulas: quantifiers, `=>`, `||`, `&&`, `@`, `!`.
//!
//! A bracket may belong to either, so both are read as regular formulas, and what stands under an operator of action formulas
//! must turn out to be one.

use super::super::lexer::LexemeKind;
use super::cursor::WordCursor;
use super::formulas::CONNECTIVES;
use crate::LanguageError;
use crate::syntax::{ActionFormula, ActionFormulaKind, Connective, RegularFormula, RegularFormulaKind};

impl WordCursor<'_> {
    pub(super) fn regular_formula(&mut self) -> Result<RegularFormula, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let mut left = words.regular_sequence()?;
            loop {
                let height = words.height();
                if !words.take("+") {
                    return Ok(left);
                }
                let right = words.regular_sequence()?;
                words.grow(height.max(words.height()))?;
                let kind = RegularFormulaKind::Choice(Box::new([left, right]));
                left = RegularFormula { kind, span: words.since(begin) };
            }
        })
    }

    fn regular_sequence(&mut self) -> Result<RegularFormula, LanguageError> {
        let mut parts = vec![self.repetition()?];
        let mut height = self.height();
        while self.take(".") {
            parts.push(self.repetition()?);
            height = height.max(self.height()) + 1;
            self.grow(height)?;
        }
        let mut right = parts.pop().unwrap_or_else(|| unreachable!("a sequence has a first part"));
        while let Some(left) = parts.pop() {
            let span = left.span.to(right.span);
            let kind = RegularFormulaKind::Sequence(Box::new([left, right]));
            right = RegularFormula { kind, span };
        }
        Ok(right)
    }

    fn repetition(&mut self) -> Result<RegularFormula, LanguageError> {
        let begin = self.span();
        let mut formula = self.connected_actions(&CONNECTIVES)?;
        loop {
            let kind = if self.take("*") {
                RegularFormulaKind::Star(Box::new(formula))
            } else if self.is("+") && !self.begins_action_formula(1) {
                self.advance();
                RegularFormulaKind::Plus(Box::new(formula))
            } else {
                return Ok(formula);
            };
            self.grow(self.height())?;
            formula = RegularFormula { kind, span: self.since(begin) };
        }
    }

    /// Whether a formula begins that many places ahead: then a `+` before it is a choice.
    fn begins_action_formula(&self, places: usize) -> bool {
        const SIGNS: [&str; 5] = ["(", "!", "forall", "exists", "tau"];
        self.is_name_ahead(places) || SIGNS.iter().any(|sign| self.is_ahead(places, sign))
    }

    fn connected_actions(&mut self, levels: &[Connective]) -> Result<RegularFormula, LanguageError> {
        let Some((connective, stronger)) = levels.split_first() else { return self.timed_actions() };
        let first = self.connected_actions(stronger)?;
        if !self.is(connective.sign()) {
            return Ok(first);
        }
        let mut operands = vec![self.action_of(first)?];
        let mut height = self.height();
        while self.take(connective.sign()) {
            let operand = self.connected_actions(stronger)?;
            operands.push(self.action_of(operand)?);
            height = height.max(self.height()) + 1;
            self.grow(height)?;
        }
        let mut right = operands.pop().unwrap_or_else(|| unreachable!("a formula has a first operand"));
        while let Some(left) = operands.pop() {
            let span = left.span.to(right.span);
            let kind = ActionFormulaKind::Connective(*connective, Box::new([left, right]));
            right = ActionFormula { kind, span };
        }
        Ok(regular(right))
    }

    /// The action formula that this is, which stands under an operator of such.
    fn action_of(&self, formula: RegularFormula) -> Result<ActionFormula, LanguageError> {
        match formula.kind {
            RegularFormulaKind::Action(action) => Ok(action),
            _ => {
                let found = "a regular formula under an operator of action formulas".to_owned();
                Err(LanguageError::syntax(formula.span, found, "an action formula".into()))
            }
        }
    }

    fn timed_actions(&mut self) -> Result<RegularFormula, LanguageError> {
        let begin = self.span();
        let mut formula = self.unary_actions()?;
        while self.take("@") {
            let timed = self.action_of(formula)?;
            let height = self.height();
            // A unit, as in processes: `>` and `+` behind it belong to the formula.
            let time = self.unit()?;
            self.grow(height.max(self.height()))?;
            let kind = ActionFormulaKind::At(Box::new(timed), Box::new(time));
            formula = regular(ActionFormula { kind, span: self.since(begin) });
        }
        Ok(formula)
    }

    fn unary_actions(&mut self) -> Result<RegularFormula, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let kind = match words.next().text {
                "(" => {
                    words.advance();
                    let inner = words.regular_formula()?;
                    if !words.take(")") {
                        return Err(words.unexpected("an operator or ')'"));
                    }
                    return Ok(inner);
                }
                "!" => {
                    words.advance();
                    let operand = words.unary_actions()?;
                    ActionFormulaKind::Not(Box::new(words.action_of(operand)?))
                }
                "forall" | "exists" => {
                    let (quantifier, variables) = words.formula_quantifier()?;
                    let body = words.connected_actions(&CONNECTIVES)?;
                    ActionFormulaKind::Quantified(quantifier, variables, Box::new(words.action_of(body)?))
                }
                "true" => {
                    words.advance();
                    ActionFormulaKind::True
                }
                "false" => {
                    words.advance();
                    ActionFormulaKind::False
                }
                "tau" => {
                    words.advance();
                    ActionFormulaKind::MultiAction(Vec::new())
                }
                "nil" if !words.is_ahead(1, "(") && words.next().kind == LexemeKind::Name => {
                    words.advance();
                    return Ok(RegularFormula { kind: RegularFormulaKind::Nil, span: words.since(begin) });
                }
                "val" => ActionFormulaKind::Data(Box::new(words.data_value()?)),
                _ => words.multi_action()?,
            };
            Ok(regular(ActionFormula { kind, span: words.since(begin) }))
        })
    }

    /// `a(e, ..) | b | ..`.
    fn multi_action(&mut self) -> Result<ActionFormulaKind, LanguageError> {
        let mut actions = Vec::new();
        let mut height = 0;
        loop {
            let name = self.name("an action formula")?;
            self.leaf();
            let arguments = if self.take("(") { self.data_until(")")? } else { Vec::new() };
            height = height.max(self.height());
            actions.push((name, arguments));
            if !self.take("|") {
                self.grow(height)?;
                return Ok(ActionFormulaKind::MultiAction(actions));
            }
        }
    }
}

fn regular(action: ActionFormula) -> RegularFormula {
    RegularFormula { span: action.span, kind: RegularFormulaKind::Action(action) }
}
