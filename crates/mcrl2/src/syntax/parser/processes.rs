//! Process expressions. From weak to strong: `+`, `sum` and `dist`, `||`, `||_`, `->` and `<>`, `<<`, `.`, `@`, `|`. The condition
//! before `->` is a unit: a name, a number, an application, something in brackets, or a prefix operator before such.

use super::super::lexer::LexemeKind;
use super::cursor::WordCursor;
use crate::LanguageError;
use crate::syntax::{DataExpr, DataExprKind, Ident, ProcessExpr, ProcessExprKind, UnaryOperator};

/// The operators that are chains, weakest first, with their strengths.
const CHAINS: [(&str, u8, Chain); 4] = [
    ("+", 1, ProcessExprKind::Choice),
    ("||", 3, ProcessExprKind::Parallel),
    (".", 9, ProcessExprKind::Sequence),
    ("|", 11, ProcessExprKind::Sync),
];

/// How strongly the body of `sum` and `dist` binds.
const SUM: u8 = 2;
const LEFT_MERGE: u8 = 4;
const IF: u8 = 6;
const UNTIL: u8 = 8;
const AT: u8 = 10;

type Chain = fn(Vec<ProcessExpr>) -> ProcessExprKind;

impl WordCursor<'_> {
    pub(super) fn process(&mut self) -> Result<ProcessExpr, LanguageError> {
        self.composed(0)
    }

    /// An expression of operators that bind at least that strongly.
    fn composed(&mut self, weakest: u8) -> Result<ProcessExpr, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let mut left = words.operand()?;
            loop {
                let height = words.height();
                if let Some((sign, strength, chain)) =
                    CHAINS.into_iter().find(|(sign, strength, _)| *strength >= weakest && words.is(sign))
                {
                    let mut parts = vec![left];
                    let mut highest = height;
                    while words.take(sign) {
                        parts.push(words.composed(strength + 1)?);
                        highest = highest.max(words.height());
                    }
                    words.grow(highest)?;
                    left = ProcessExpr { kind: chain(parts), span: words.since(begin) };
                } else if LEFT_MERGE >= weakest && words.take("||_") {
                    let right = words.composed(LEFT_MERGE)?;
                    words.grow(height.max(words.height()))?;
                    let kind = ProcessExprKind::LeftMerge(Box::new([left, right]));
                    left = ProcessExpr { kind, span: words.since(begin) };
                } else if UNTIL >= weakest && words.take("<<") {
                    let right = words.composed(UNTIL + 1)?;
                    words.grow(height.max(words.height()))?;
                    let kind = ProcessExprKind::Until(Box::new([left, right]));
                    left = ProcessExpr { kind, span: words.since(begin) };
                } else if AT >= weakest && words.take("@") {
                    let time = words.unit()?;
                    words.grow(height.max(words.height()))?;
                    let kind = ProcessExprKind::At(Box::new(left), Box::new(time));
                    left = ProcessExpr { kind, span: words.since(begin) };
                } else {
                    return Ok(left);
                }
            }
        })
    }

    fn operand(&mut self) -> Result<ProcessExpr, LanguageError> {
        let begin = self.span();
        let kind = if self.take("sum") {
            let variables = self.variables()?;
            self.expect(".")?;
            ProcessExprKind::Sum(variables, Box::new(self.composed(SUM)?))
        } else if self.take("dist") {
            let variables = self.variables()?;
            self.expect("[")?;
            let distribution = self.data()?;
            self.expect("]")?;
            self.expect(".")?;
            ProcessExprKind::Dist(variables, Box::new(distribution), Box::new(self.composed(SUM)?))
        } else if self.behind_unit(0).is_some_and(|places| self.is_ahead(places, "->")) {
            self.conditional()?
        } else {
            return self.process_primary();
        };
        self.grow(self.height())?;
        Ok(ProcessExpr { kind, span: self.since(begin) })
    }

    fn conditional(&mut self) -> Result<ProcessExprKind, LanguageError> {
        let condition = Box::new(self.unit()?);
        self.expect("->")?;
        let then = Box::new(self.composed(IF)?);
        let otherwise = if self.take("<>") { Some(Box::new(self.composed(IF)?)) } else { None };
        Ok(ProcessExprKind::If(condition, then, otherwise))
    }

    fn process_primary(&mut self) -> Result<ProcessExpr, LanguageError> {
        let begin = self.span();
        let kind = match self.next().text {
            "(" => {
                self.advance();
                let inner = self.process()?;
                if self.take(")") {
                    return Ok(inner);
                }
                let expected = if self.is("<>") {
                    "an operator or ')'; put brackets around what stands between '->' and '<>'"
                } else {
                    "an operator or ')'"
                };
                return Err(self.unexpected(expected));
            }
            "delta" => {
                self.advance();
                self.leaf();
                ProcessExprKind::Delta
            }
            "tau" => {
                self.advance();
                self.leaf();
                ProcessExprKind::Tau
            }
            "block" => {
                let names = self.operator_set(|words| words.name("an action"))?;
                ProcessExprKind::Block(names, self.operator_body()?)
            }
            "hide" => {
                let names = self.operator_set(|words| words.name("an action"))?;
                ProcessExprKind::Hide(names, self.operator_body()?)
            }
            "allow" => {
                let names = self.operator_set(Self::multi_action_name)?;
                ProcessExprKind::Allow(names, self.operator_body()?)
            }
            "rename" => {
                let pairs = self.operator_set(|words| {
                    let from = words.name("an action")?;
                    words.expect("->")?;
                    Ok((from, words.name("an action")?))
                })?;
                ProcessExprKind::Rename(pairs, self.operator_body()?)
            }
            "comm" => {
                let communications = self.operator_set(|words| {
                    let parts = words.multi_action_name()?;
                    if parts.len() < 2 {
                        return Err(words.unexpected("'|' and another action that takes part"));
                    }
                    words.expect("->")?;
                    Ok((parts, words.name("an action")?))
                })?;
                ProcessExprKind::Comm(communications, self.operator_body()?)
            }
            _ => self.call()?,
        };
        Ok(ProcessExpr { kind, span: self.since(begin) })
    }

    /// An action or a process, with arguments or assignments.
    fn call(&mut self) -> Result<ProcessExprKind, LanguageError> {
        let name = self.name("a process expression")?;
        self.leaf();
        if !self.take("(") {
            return Ok(ProcessExprKind::Call(name, Vec::new()));
        }
        if self.take(")") {
            return Ok(ProcessExprKind::Instance(name, Vec::new()));
        }
        if self.is_name() && self.is_ahead(1, "=") {
            let assignments = self.assignments()?;
            if !self.take(")") {
                return Err(self.unexpected("an operator, ',' or ')'"));
            }
            return Ok(ProcessExprKind::Instance(name, assignments));
        }
        Ok(ProcessExprKind::Call(name, self.data_until(")")?))
    }

    /// The operator, and its set up to the comma.
    fn operator_set<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<T, LanguageError>,
    ) -> Result<Vec<T>, LanguageError> {
        self.advance();
        self.expect("(")?;
        self.expect("{")?;
        let mut elements = Vec::new();
        if !self.take("}") {
            loop {
                elements.push(element(self)?);
                if !self.take(",") {
                    break;
                }
            }
            if !self.take("}") {
                return Err(self.unexpected("',' or '}'"));
            }
        }
        self.expect(",")?;
        Ok(elements)
    }

    fn operator_body(&mut self) -> Result<Box<ProcessExpr>, LanguageError> {
        let body = self.process()?;
        if !self.take(")") {
            return Err(self.unexpected("an operator or ')'"));
        }
        Ok(Box::new(body))
    }

    /// `a | b | ..`.
    fn multi_action_name(&mut self) -> Result<Vec<Ident>, LanguageError> {
        let mut names = vec![self.name("an action")?];
        while self.take("|") {
            names.push(self.name("an action")?);
        }
        Ok(names)
    }

    /// The place behind the unit that begins that many places ahead, if one does.
    fn behind_unit(&self, places: usize) -> Option<usize> {
        let mut places = places;
        while ["!", "-", "#"].iter().any(|prefix| self.is_ahead(places, prefix)) {
            places += 1;
        }
        let mut behind = if self.is_ahead(places, "(") {
            self.behind_partner(places)?
        } else if self.is_name_ahead(places) || self.ahead(places).kind == LexemeKind::Number {
            places + 1
        } else {
            return None;
        };
        while self.is_ahead(behind, "(") {
            behind = self.behind_partner(behind)?;
        }
        Some(behind)
    }

    /// A condition or a time.
    pub(super) fn unit(&mut self) -> Result<DataExpr, LanguageError> {
        let begin = self.span();
        for prefix in [UnaryOperator::Not, UnaryOperator::Minus, UnaryOperator::Size] {
            if self.take(prefix.sign()) {
                let operand = self.nested(Self::unit)?;
                let kind = DataExprKind::Unary(prefix, Box::new(operand));
                return Ok(DataExpr { kind, span: self.since(begin) });
            }
        }
        let mut unit = self.unit_primary()?;
        while self.take("(") {
            let height = self.height();
            let arguments = self.data_until(")")?;
            self.grow(height.max(self.height()))?;
            let kind = DataExprKind::Apply(Box::new(unit), arguments);
            unit = DataExpr { kind, span: self.since(begin) };
        }
        Ok(unit)
    }

    fn unit_primary(&mut self) -> Result<DataExpr, LanguageError> {
        if self.take("(") {
            let inner = self.data()?;
            if !self.take(")") {
                return Err(self.unexpected("an operator or ')'"));
            }
            return Ok(inner);
        }
        if self.next().kind == LexemeKind::Number || self.is_name() {
            return self.primary();
        }
        Err(self.unexpected("a name, a number or an expression in brackets"))
    }
}
