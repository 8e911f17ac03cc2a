//! Data expressions. `whr` binds least, then the binders, whose body goes as far as it can, then the infix operators by their
//! strength, then the prefix operators, then application and update.

use super::super::lexer::LexemeKind;
use super::cursor::WordCursor;
use crate::LanguageError;
use crate::syntax::{
    Assignment, BinaryOperator, DataBinder, DataExpr, DataExprKind, UnaryOperator, VariableDeclaration,
};

/// How many digits a number may have.
const MAX_DIGITS: usize = 10_000;

const BINDERS: [DataBinder; 3] = [DataBinder::Forall, DataBinder::Exists, DataBinder::Lambda];
const PREFIXES: [UnaryOperator; 3] = [UnaryOperator::Not, UnaryOperator::Minus, UnaryOperator::Size];

impl WordCursor<'_> {
    pub(super) fn data(&mut self) -> Result<DataExpr, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let mut expression = words.operators(0)?;
            while words.take("whr") {
                let height = words.height();
                let assignments = words.assignments()?;
                words.expect("end")?;
                words.grow(height.max(words.height()))?;
                let kind = DataExprKind::Where(Box::new(expression), assignments);
                expression = DataExpr { kind, span: words.since(begin) };
            }
            Ok(expression)
        })
    }

    /// `e, ..` up to a closing bracket, which is read as well.
    pub(super) fn data_until(&mut self, close: &str) -> Result<Vec<DataExpr>, LanguageError> {
        let mut height = 0;
        let mut list = Vec::new();
        loop {
            list.push(self.data()?);
            height = height.max(self.height());
            if !self.take(",") {
                break;
            }
        }
        if !self.take(close) {
            return Err(self.unexpected(&format!("an operator, ',' or '{close}'")));
        }
        self.grow(height)?;
        Ok(list)
    }

    /// `x = e, ..`.
    pub(super) fn assignments(&mut self) -> Result<Vec<Assignment>, LanguageError> {
        let mut height = 0;
        let mut assignments = Vec::new();
        loop {
            let name = self.name("a name with its value")?;
            self.expect("=")?;
            assignments.push(Assignment { name, value: self.data()? });
            height = height.max(self.height());
            if !self.take(",") {
                self.grow(height)?;
                return Ok(assignments);
            }
        }
    }

    /// An expression of operators that bind at least that strongly.
    fn operators(&mut self, weakest: u8) -> Result<DataExpr, LanguageError> {
        let begin = self.span();
        let mut left = self.prefixed()?;
        loop {
            let Some(operator) = self.infix() else { return Ok(left) };
            let strength = operator.strength();
            if strength < weakest {
                return Ok(left);
            }
            let mut height = self.height();
            if operator.is_right_associative() {
                let mut operands = vec![left];
                while self.take(operator.sign()) {
                    operands.push(self.operators(strength + 1)?);
                    height = height.max(self.height()) + 1;
                    self.grow(height)?;
                }
                left = Self::fold_right(operator, operands);
                continue;
            }
            self.advance();
            let right = self.operators(strength + 1)?;
            self.grow(height.max(self.height()))?;
            let kind = DataExprKind::Binary(operator, Box::new([left, right]));
            left = DataExpr { kind, span: self.since(begin) };
        }
    }

    /// Operands of one operator, which binds to the right.
    fn fold_right(operator: BinaryOperator, mut operands: Vec<DataExpr>) -> DataExpr {
        let mut right = operands.pop().unwrap_or_else(|| unreachable!("an operator has operands"));
        while let Some(left) = operands.pop() {
            let span = left.span.to(right.span);
            let kind = DataExprKind::Binary(operator, Box::new([left, right]));
            right = DataExpr { kind, span };
        }
        right
    }

    fn infix(&self) -> Option<BinaryOperator> {
        let word = self.next();
        if word.kind == LexemeKind::End { None } else { BinaryOperator::of_sign(word.text) }
    }

    fn prefixed(&mut self) -> Result<DataExpr, LanguageError> {
        let begin = self.span();
        if let Some(binder) = BINDERS.into_iter().find(|binder| self.is(binder.keyword())) {
            self.advance();
            let variables = self.variables()?;
            self.expect(".")?;
            let body = self.nested(|words| words.operators(0))?;
            let kind = DataExprKind::Bind(binder, variables, Box::new(body));
            return Ok(DataExpr { kind, span: self.since(begin) });
        }
        if let Some(prefix) = PREFIXES.into_iter().find(|prefix| self.is(prefix.sign())) {
            self.advance();
            let operand = self.nested(Self::prefixed)?;
            let kind = DataExprKind::Unary(prefix, Box::new(operand));
            return Ok(DataExpr { kind, span: self.since(begin) });
        }
        self.postfixed()
    }

    fn postfixed(&mut self) -> Result<DataExpr, LanguageError> {
        let begin = self.span();
        let mut expression = self.primary()?;
        loop {
            let height = self.height();
            if self.take("(") {
                let arguments = self.data_until(")")?;
                self.grow(height.max(self.height()))?;
                let kind = DataExprKind::Apply(Box::new(expression), arguments);
                expression = DataExpr { kind, span: self.since(begin) };
            } else if self.take("[") {
                let argument = self.data()?;
                let height = height.max(self.height());
                self.expect("->")?;
                let value = self.data()?;
                self.expect("]")?;
                self.grow(height.max(self.height()))?;
                let kind = DataExprKind::Update(Box::new([expression, argument, value]));
                expression = DataExpr { kind, span: self.since(begin) };
            } else {
                return Ok(expression);
            }
        }
    }

    pub(super) fn primary(&mut self) -> Result<DataExpr, LanguageError> {
        let begin = self.span();
        let word = self.next();
        let kind = match (word.kind, word.text) {
            (LexemeKind::Number, digits) => {
                if digits.len() > MAX_DIGITS {
                    let what = format!("a number of {} digits, more than {MAX_DIGITS},", digits.len());
                    return Err(LanguageError::unsupported(begin, what));
                }
                self.advance();
                self.leaf();
                DataExprKind::Number(digits.to_owned())
            }
            (LexemeKind::Name, name) if self.is_name() => {
                self.advance();
                self.leaf();
                DataExprKind::Name(name.to_owned())
            }
            (_, "(") => {
                self.advance();
                let inner = self.data()?;
                if !self.take(")") {
                    return Err(self.unexpected("an operator or ')'"));
                }
                return Ok(inner);
            }
            (_, "[") => {
                self.advance();
                self.leaf();
                let elements = if self.take("]") { Vec::new() } else { self.data_until("]")? };
                DataExprKind::List(elements)
            }
            (_, "{") => {
                self.advance();
                self.braces()?
            }
            _ => return Err(self.unexpected("a data expression")),
        };
        Ok(DataExpr { kind, span: self.since(begin) })
    }

    /// What begins with `{`, which is read: a set, a bag or a comprehension.
    fn braces(&mut self) -> Result<DataExprKind, LanguageError> {
        self.leaf();
        if self.take("}") {
            return Ok(DataExprKind::Set(Vec::new()));
        }
        if self.is(":") && self.is_ahead(1, "}") {
            self.advance();
            self.advance();
            return Ok(DataExprKind::Bag(Vec::new()));
        }
        if self.is_name()
            && self.is_ahead(1, ":")
            && let Some(kind) = self.comprehension()?
        {
            return Ok(kind);
        }
        let first = self.data()?;
        let mut height = self.height();
        if !self.is(":") {
            let mut elements = vec![first];
            if self.take(",") {
                elements.extend(self.data_until("}")?);
                height = height.max(self.height());
            } else if !self.take("}") {
                return Err(self.unexpected("an operator, ',', ':' or '}'"));
            }
            self.grow(height)?;
            return Ok(DataExprKind::Set(elements));
        }
        let mut elements = Vec::new();
        let mut element = first;
        loop {
            self.expect(":")?;
            let count = self.data()?;
            height = height.max(self.height());
            elements.push((element, count));
            if !self.take(",") {
                break;
            }
            element = self.data()?;
            height = height.max(self.height());
        }
        if !self.take("}") {
            return Err(self.unexpected("',' or '}'"));
        }
        self.grow(height)?;
        Ok(DataExprKind::Bag(elements))
    }

    /// `x: S | e }`. What begins with a name and a colon may be a bag as well: then nothing is read.
    fn comprehension(&mut self) -> Result<Option<DataExprKind>, LanguageError> {
        let begin = self.mark();
        let name = self.name("a variable")?;
        self.expect(":")?;
        let Ok(sort) = self.sort() else {
            self.back_to(begin);
            return Ok(None);
        };
        if !self.take("|") {
            self.back_to(begin);
            return Ok(None);
        }
        let body = self.data()?;
        if !self.take("}") {
            return Err(self.unexpected("an operator or '}'"));
        }
        self.grow(self.height())?;
        Ok(Some(DataExprKind::Comprehension(Box::new(VariableDeclaration { name, sort }), Box::new(body))))
    }
}
