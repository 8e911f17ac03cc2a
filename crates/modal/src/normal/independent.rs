//! What does not depend on a quantified variable is taken out of its quantifier: `forall x. f(x) && g` is `(forall x. f(x)) && g`,
//! and `exists x. f(x) || g` is `(exists x. f(x)) || g`, since no sort is empty. So `g` says nothing about which values matter.

use super::{Position, PositionId};
use crate::formula::FormulaVariable;

/// Takes the parts out; `needs` has the variables that each position depends on.
pub(super) fn take_out(
    positions: &mut Vec<Position>,
    within: &mut Vec<usize>,
    mut needs: Vec<Vec<FormulaVariable>>,
) {
    for number in 0..positions.len() {
        let Position::Quantified { any, variables, body } = &positions[number] else { continue };
        let (any, variables, body) = (*any, variables.clone(), *body);
        let parts = flat(positions, body, any);
        let depends =
            |part: &PositionId| needs[*part as usize].iter().any(|variable| variables.contains(variable));
        let (dependent, independent): (Vec<PositionId>, Vec<PositionId>) =
            parts.into_iter().partition(depends);
        if independent.is_empty() {
            continue;
        }
        let mut all = independent;
        if !dependent.is_empty() {
            let body = positions.len() as PositionId;
            needs.push(dependent.iter().flat_map(|&part| needs[part as usize].clone()).collect());
            positions.push(joined(any, dependent));
            all.push(body + 1);
            needs.push(needs[number].clone());
            positions.push(Position::Quantified { any, variables, body });
            within.extend([within[number]; 2]);
        }
        positions[number] = joined(any, all);
    }
}

/// The parts of a position that are joined as the quantifier joins its values.
fn flat(positions: &[Position], body: PositionId, any: bool) -> Vec<PositionId> {
    let (mut parts, mut open) = (Vec::new(), vec![body]);
    while let Some(position) = open.pop() {
        match &positions[position as usize] {
            Position::Any(inner) if any => open.extend(inner.iter().rev()),
            Position::All(inner) if !any => open.extend(inner.iter().rev()),
            _ => parts.push(position),
        }
    }
    parts
}

fn joined(any: bool, parts: Vec<PositionId>) -> Position {
    if any { Position::Any(parts) } else { Position::All(parts) }
}
