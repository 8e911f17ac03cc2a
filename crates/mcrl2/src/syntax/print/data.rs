//! Data expressions as texts.

use std::fmt::{self, Display, Formatter};

use super::{bracketed, list};
use crate::syntax::{Assignment, DataExpr, DataExprKind};

/// How strongly binders, prefix operators and what comes behind an expression bind, on the scale of the infix operators.
const WHERE: u8 = 0;
const BIND: u8 = 1;
const PREFIX: u8 = 13;
const POSTFIX: u8 = 14;
const ATOM: u8 = 15;

impl DataExpr {
    fn strength(&self) -> u8 {
        match &self.kind {
            DataExprKind::Where(..) => WHERE,
            DataExprKind::Bind(..) => BIND,
            DataExprKind::Binary(operator, _) => operator.strength(),
            DataExprKind::Unary(..) => PREFIX,
            DataExprKind::Apply(..) | DataExprKind::Update(_) => POSTFIX,
            _ => ATOM,
        }
    }

    /// Whether it ends with a binder, whose body would go on into what follows.
    fn ends_open(&self) -> bool {
        match &self.kind {
            DataExprKind::Bind(..) => true,
            DataExprKind::Unary(_, operand) => operand.ends_open(),
            DataExprKind::Binary(_, operands) => operands[1].ends_open(),
            _ => false,
        }
    }

    fn at_least(&self, f: &mut Formatter<'_>, strength: u8) -> fmt::Result {
        bracketed(f, self.strength() < strength, self)
    }
}

impl Display for DataExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DataExprKind::Name(name) => f.write_str(name),
            DataExprKind::Number(digits) => f.write_str(digits),
            DataExprKind::List(elements) => {
                f.write_str("[")?;
                list(f, elements, |f, element| write!(f, "{element}"))?;
                f.write_str("]")
            }
            DataExprKind::Set(elements) => {
                f.write_str("{")?;
                list(f, elements, |f, element| write!(f, "{element}"))?;
                f.write_str("}")
            }
            DataExprKind::Bag(elements) if elements.is_empty() => f.write_str("{:}"),
            DataExprKind::Bag(elements) => {
                f.write_str("{")?;
                list(f, elements, |f, (element, count)| {
                    // A name before a colon and a sort would begin a comprehension.
                    bracketed(f, matches!(element.kind, DataExprKind::Name(_)), element)?;
                    write!(f, ": {count}")
                })?;
                f.write_str("}")
            }
            DataExprKind::Comprehension(variable, body) => write!(f, "{{{variable} | {body}}}"),
            DataExprKind::Apply(function, arguments) => {
                function.at_least(f, POSTFIX)?;
                f.write_str("(")?;
                list(f, arguments, |f, argument| write!(f, "{argument}"))?;
                f.write_str(")")
            }
            DataExprKind::Update(parts) => {
                parts[0].at_least(f, POSTFIX)?;
                write!(f, "[{} -> {}]", parts[1], parts[2])
            }
            DataExprKind::Unary(operator, operand) => {
                f.write_str(operator.sign())?;
                let brackets = operand.strength() < PREFIX && operand.strength() != BIND;
                bracketed(f, brackets, operand)
            }
            DataExprKind::Binary(operator, operands) => {
                let strength = operator.strength();
                let (left, right) = if operator.is_right_associative() {
                    (strength + 1, strength)
                } else {
                    (strength, strength + 1)
                };
                bracketed(f, operands[0].strength() < left || operands[0].ends_open(), &operands[0])?;
                write!(f, " {} ", operator.sign())?;
                let brackets = operands[1].strength() < right && operands[1].strength() != BIND;
                bracketed(f, brackets, &operands[1])
            }
            DataExprKind::Bind(binder, variables, body) => {
                write!(f, "{} ", binder.keyword())?;
                list(f, variables, |f, variable| write!(f, "{variable}"))?;
                f.write_str(" . ")?;
                body.at_least(f, BIND)
            }
            DataExprKind::Where(body, assignments) => {
                write!(f, "{body} whr ")?;
                list(f, assignments, |f, assignment| write!(f, "{assignment}"))?;
                f.write_str(" end")
            }
        }
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name.name, self.value)
    }
}
