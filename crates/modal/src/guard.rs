//! Fixed points that are reached from themselves without a step are refused: such a formula says less than its author meant.

use crate::formula::ModalFormula;
use crate::normal::FormulaError;

/// Refuses a formula in which a variable is reached from its fixed point without a step.
pub fn refuse_unguarded(formula: &ModalFormula) -> Result<(), FormulaError> {
    guarded(formula, &mut Vec::new())
}

/// `reached` holds the variables that lead back to their fixed points without a step; an inner one hides an outer one of its
/// name.
fn guarded<'f>(formula: &'f ModalFormula, reached: &mut Vec<(&'f str, bool)>) -> Result<(), FormulaError> {
    match formula {
        ModalFormula::Constant(_) | ModalFormula::Atom(_) | ModalFormula::Data(_) => Ok(()),
        ModalFormula::Not(inner) | ModalFormula::Forall(_, inner) | ModalFormula::Exists(_, inner) => {
            guarded(inner, reached)
        }
        ModalFormula::And(left, right)
        | ModalFormula::Or(left, right)
        | ModalFormula::Implies(left, right) => {
            guarded(left, reached)?;
            guarded(right, reached)
        }
        ModalFormula::Must(steps, then) | ModalFormula::May(steps, then) => {
            if steps.may_be_empty() {
                return guarded(then, reached);
            }
            let before = reached.clone();
            reached.iter_mut().for_each(|(_, unguarded)| *unguarded = false);
            guarded(then, reached)?;
            *reached = before;
            Ok(())
        }
        ModalFormula::FixedPoint { name, body, .. } => {
            reached.push((name, true));
            guarded(body, reached)?;
            reached.pop();
            Ok(())
        }
        ModalFormula::Variable { name, place, .. } => {
            let known = reached.iter().rev().find(|(known, _)| known == name);
            match known {
                Some((_, true)) => Err(FormulaError::Unguarded { name: name.clone(), place: *place }),
                _ => Ok(()),
            }
        }
    }
}
