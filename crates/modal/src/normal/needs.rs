//! The variables that positions depend on.

use super::{Position, PositionId};
use crate::data::FormulaData;
use crate::formula::{FormulaVariable, LabelFormula};

/// The positions that a position is made of; a way back to a fixed point is none.
pub(crate) fn children(position: &Position) -> Vec<PositionId> {
    match position {
        Position::Constant(_) | Position::Atom(..) | Position::Data(..) => Vec::new(),
        Position::All(parts) | Position::Any(parts) => parts.clone(),
        &Position::Quantified { body, .. } | &Position::Step { body, .. } | &Position::Fixed(body) => {
            vec![body]
        }
        Position::Enter { target, .. } => vec![*target],
    }
}

/// The variables that each position depends on: the least solution. A parameter that nothing depends on is left out, and
/// so are its values.
pub(super) fn needs(
    positions: &[Position],
    label_needs: &[Vec<FormulaVariable>],
    data: &dyn FormulaData,
) -> Vec<Vec<FormulaVariable>> {
    let mut needs: Vec<Vec<FormulaVariable>> = vec![Vec::new(); positions.len()];
    loop {
        let mut changed = false;
        for (number, position) in positions.iter().enumerate() {
            let mut found: Vec<FormulaVariable> = match position {
                Position::Constant(_) | Position::Atom(..) => Vec::new(),
                &Position::Data(term, _) => data.variables(term).to_vec(),
                Position::Enter { target, parameters, arguments } => {
                    let wanted = &needs[*target as usize];
                    let mut found: Vec<FormulaVariable> =
                        wanted.iter().copied().filter(|variable| !parameters.contains(variable)).collect();
                    for (parameter, &argument) in parameters.iter().zip(arguments) {
                        if wanted.contains(parameter) {
                            found.extend_from_slice(data.variables(argument));
                        }
                    }
                    found
                }
                _ => {
                    let parts = children(position);
                    let mut found: Vec<FormulaVariable> =
                        parts.iter().flat_map(|&part| needs[part as usize].iter().copied()).collect();
                    match position {
                        Position::Quantified { variables, .. } => {
                            found.retain(|variable| !variables.contains(variable));
                        }
                        Position::Step { labels, .. } => found.extend_from_slice(&label_needs[*labels]),
                        _ => {}
                    }
                    found
                }
            };
            found.sort_unstable();
            found.dedup();
            if found != needs[number] {
                needs[number] = found;
                changed = true;
            }
        }
        if !changed {
            return needs;
        }
    }
}

/// The free variables of a label formula.
pub(super) fn free_in_labels(formula: &LabelFormula, data: &dyn FormulaData) -> Vec<FormulaVariable> {
    let mut found = match formula {
        LabelFormula::Constant(_) => Vec::new(),
        LabelFormula::Actions(actions) => {
            let terms = actions.iter().flat_map(|action| action.arguments.iter());
            terms.flat_map(|&term| data.variables(term).iter().copied()).collect()
        }
        &LabelFormula::Data(term) => data.variables(term).to_vec(),
        LabelFormula::Not(inner) => free_in_labels(inner, data),
        LabelFormula::And(left, right)
        | LabelFormula::Or(left, right)
        | LabelFormula::Implies(left, right) => {
            let mut found = free_in_labels(left, data);
            found.extend(free_in_labels(right, data));
            found
        }
        LabelFormula::Forall(variables, inner) | LabelFormula::Exists(variables, inner) => {
            let mut found = free_in_labels(inner, data);
            found.retain(|variable| !variables.contains(variable));
            found
        }
    };
    found.sort_unstable();
    found.dedup();
    found
}
