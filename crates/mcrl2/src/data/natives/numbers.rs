//! Arithmetic: with machine words while the numbers are small, exactly in any case.

use super::super::machine::RewriteMachine;
use super::super::number::Rational;
use super::super::store::ValueId;
use crate::typing::Operation;

/// How many bits the operands of an operation may have.
const MAX_BITS: usize = 1 << 18;

impl RewriteMachine {
    pub(super) fn number_operation(
        &mut self,
        operation: Operation,
        a: ValueId,
        b: ValueId,
    ) -> Option<ValueId> {
        let binary = matches!(
            operation,
            Operation::Plus
                | Operation::Minus
                | Operation::Times
                | Operation::Divide
                | Operation::Div
                | Operation::Mod
                | Operation::Power
                | Operation::Max
                | Operation::Min
        );
        match (self.store.integer(a), self.store.integer(b)) {
            (Some(a), Some(b)) if binary => match small(operation, i128::from(a), i128::from(b)) {
                Some(value) => Some(self.store.of_integer(value)),
                None => self.large(operation, Rational::integer(a.into()), Some(Rational::integer(b.into()))),
            },
            (Some(a), _) if !binary => match small_unary(operation, i128::from(a)) {
                Some(value) => Some(self.store.of_integer(value)),
                None => self.large(operation, Rational::integer(a.into()), None),
            },
            _ => {
                let a = self.store.number(a)?;
                let b = if binary { Some(self.store.number(b)?) } else { None };
                self.large(operation, a, b)
            }
        }
    }

    fn large(&mut self, operation: Operation, a: Rational, b: Option<Rational>) -> Option<ValueId> {
        // Arithmetic on what is larger takes longer than anybody waits.
        if a.bits() + b.as_ref().map_or(0, Rational::bits) > MAX_BITS {
            return None;
        }
        let result = match b {
            Some(b) => large_binary(operation, a, b)?,
            None => large_unary(operation, a)?,
        };
        Some(self.store.of_number(result))
    }
}

/// The result for integers of at most 64 bits, if it is an integer.
fn small(operation: Operation, a: i128, b: i128) -> Option<i128> {
    match operation {
        Operation::Plus => Some(a + b),
        Operation::Minus => Some(a - b),
        Operation::Times => Some(a * b),
        Operation::Div if b > 0 => Some(a.div_euclid(b)),
        Operation::Mod if b > 0 => Some(a.rem_euclid(b)),
        Operation::Max => Some(a.max(b)),
        Operation::Min => Some(a.min(b)),
        _ => None,
    }
}

fn small_unary(operation: Operation, a: i128) -> Option<i128> {
    match operation {
        Operation::Negate => Some(-a),
        Operation::Abs => Some(a.abs()),
        Operation::Succ => Some(a + 1),
        Operation::Pred => Some(a - 1),
        Operation::Floor | Operation::Ceil | Operation::Round | Operation::ToInt => Some(a),
        Operation::ToPos => (a > 0).then_some(a),
        Operation::ToNat => (a >= 0).then_some(a),
        _ => None,
    }
}

fn large_binary(operation: Operation, a: Rational, b: Rational) -> Option<Rational> {
    let positive = !b.is_negative() && !b.is_zero();
    match operation {
        Operation::Plus => Some(a.plus(&b)),
        Operation::Minus => Some(a.minus(&b)),
        Operation::Times => Some(a.times(&b)),
        Operation::Divide => a.divided_by(&b),
        Operation::Div if positive => Some(a.divided_by(&b)?.floor()),
        Operation::Mod if positive => Some(a.minus(&a.divided_by(&b)?.floor().times(&b))),
        Operation::Power => a.power(&b),
        Operation::Max => Some(a.max(b)),
        Operation::Min => Some(a.min(b)),
        _ => None,
    }
}

fn large_unary(operation: Operation, a: Rational) -> Option<Rational> {
    let one = Rational::integer(1);
    let positive = !a.is_negative() && !a.is_zero();
    match operation {
        Operation::Negate => Some(a.negated()),
        Operation::Abs => Some(if a.is_negative() { a.negated() } else { a }),
        Operation::Succ => Some(a.plus(&one)),
        Operation::Pred => Some(a.minus(&one)),
        Operation::Floor => Some(a.floor()),
        Operation::Ceil => Some(a.negated().floor().negated()),
        // Halves are rounded up.
        Operation::Round => Some(a.plus(&one.divided_by(&Rational::integer(2))?).floor()),
        Operation::Sqrt if a.is_integer() && !a.is_negative() => Some(a.square_root()),
        Operation::ToPos if a.is_integer() && positive => Some(a),
        Operation::ToNat if a.is_integer() && !a.is_negative() => Some(a),
        Operation::ToInt if a.is_integer() => Some(a),
        Operation::ToReal => Some(a),
        _ => None,
    }
}
