//! Formulas as texts.

use std::fmt::{self, Display, Formatter};

use super::{bracketed, list};
use crate::syntax::{
    ActionFormula, ActionFormulaKind, Connective, Fixpoint, FixpointParameter, FormulaQuantifier, Ident,
    RegularFormula, RegularFormulaKind, StateFormula, StateFormulaKind, VariableDeclaration,
};

const BIND: u8 = 0;
const UNARY: u8 = 4;
const ATOM: u8 = 5;

impl Connective {
    fn strength(self) -> u8 {
        match self {
            Self::Implies => 1,
            Self::Or => 2,
            Self::And => 3,
        }
    }
}

impl Display for FormulaQuantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
        })
    }
}

fn quantified(
    f: &mut Formatter<'_>,
    quantifier: FormulaQuantifier,
    variables: &[VariableDeclaration],
) -> fmt::Result {
    write!(f, "{quantifier} ")?;
    list(f, variables, |f, variable| write!(f, "{variable}"))?;
    f.write_str(" . ")
}

fn call(f: &mut Formatter<'_>, name: &Ident, arguments: &[crate::syntax::DataExpr]) -> fmt::Result {
    f.write_str(&name.name)?;
    if arguments.is_empty() {
        return Ok(());
    }
    f.write_str("(")?;
    list(f, arguments, |f, argument| write!(f, "{argument}"))?;
    f.write_str(")")
}

impl StateFormula {
    fn strength(&self) -> u8 {
        match &self.kind {
            StateFormulaKind::Quantified(..) | StateFormulaKind::Fixpoint(..) => BIND,
            StateFormulaKind::Connective(connective, _) => connective.strength(),
            StateFormulaKind::Not(_) | StateFormulaKind::Box(..) | StateFormulaKind::Diamond(..) => UNARY,
            StateFormulaKind::Delay(Some(_)) | StateFormulaKind::Yaled(Some(_)) => BIND,
            _ => ATOM,
        }
    }
}

impl Display for StateFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let under =
            |f: &mut Formatter<'_>, part: &Self, strength: u8| bracketed(f, part.strength() < strength, part);
        match &self.kind {
            StateFormulaKind::True => f.write_str("true"),
            StateFormulaKind::False => f.write_str("false"),
            StateFormulaKind::Data(expression) => write!(f, "val({expression})"),
            StateFormulaKind::Variable(name, arguments) => call(f, name, arguments),
            StateFormulaKind::Not(operand) => {
                f.write_str("!")?;
                under(f, operand, UNARY)
            }
            StateFormulaKind::Connective(connective, operands) => {
                under(f, &operands[0], connective.strength() + 1)?;
                write!(f, " {} ", connective.sign())?;
                under(f, &operands[1], connective.strength())
            }
            StateFormulaKind::Quantified(quantifier, variables, body) => {
                quantified(f, *quantifier, variables)?;
                write!(f, "{body}")
            }
            StateFormulaKind::Box(steps, body) => {
                write!(f, "[{steps}]")?;
                under(f, body, UNARY)
            }
            StateFormulaKind::Diamond(steps, body) => {
                write!(f, "<{steps}>")?;
                under(f, body, UNARY)
            }
            StateFormulaKind::Fixpoint(fixpoint, name, parameters, body) => {
                let keyword = if *fixpoint == Fixpoint::Least { "mu" } else { "nu" };
                write!(f, "{keyword} {}", name.name)?;
                if !parameters.is_empty() {
                    f.write_str("(")?;
                    list(f, parameters, |f, parameter| write!(f, "{parameter}"))?;
                    f.write_str(")")?;
                }
                write!(f, " . {body}")
            }
            StateFormulaKind::Delay(None) => f.write_str("delay"),
            StateFormulaKind::Delay(Some(time)) => write!(f, "delay @ {time}"),
            StateFormulaKind::Yaled(None) => f.write_str("yaled"),
            StateFormulaKind::Yaled(Some(time)) => write!(f, "yaled @ {time}"),
        }
    }
}

impl Display for FixpointParameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.name.name, self.sort, self.initial)
    }
}

impl RegularFormula {
    fn strength(&self) -> u8 {
        match &self.kind {
            RegularFormulaKind::Choice(_) => 1,
            RegularFormulaKind::Sequence(_) => 2,
            RegularFormulaKind::Star(_) | RegularFormulaKind::Plus(_) => 3,
            RegularFormulaKind::Action(action) if action.strength() == BIND => 4,
            RegularFormulaKind::Action(_) | RegularFormulaKind::Nil => 5,
        }
    }
}

impl Display for RegularFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let under =
            |f: &mut Formatter<'_>, part: &Self, strength: u8| bracketed(f, part.strength() < strength, part);
        match &self.kind {
            RegularFormulaKind::Nil => f.write_str("nil"),
            RegularFormulaKind::Action(action) => write!(f, "{action}"),
            RegularFormulaKind::Sequence(parts) => {
                under(f, &parts[0], 3)?;
                f.write_str(" . ")?;
                under(f, &parts[1], 2)
            }
            RegularFormulaKind::Choice(parts) => {
                under(f, &parts[0], 1)?;
                f.write_str(" + ")?;
                under(f, &parts[1], 2)
            }
            RegularFormulaKind::Star(body) => {
                under(f, body, 3)?;
                f.write_str("*")
            }
            RegularFormulaKind::Plus(body) => {
                // `++` would be one word.
                let strength = if matches!(body.kind, RegularFormulaKind::Plus(_)) { 4 } else { 3 };
                under(f, body, strength)?;
                f.write_str("+")
            }
        }
    }
}

impl ActionFormula {
    fn strength(&self) -> u8 {
        match &self.kind {
            ActionFormulaKind::Quantified(..) | ActionFormulaKind::At(..) => BIND,
            ActionFormulaKind::Connective(connective, _) => connective.strength(),
            ActionFormulaKind::Not(_) => UNARY,
            _ => ATOM,
        }
    }
}

impl Display for ActionFormula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let under =
            |f: &mut Formatter<'_>, part: &Self, strength: u8| bracketed(f, part.strength() < strength, part);
        match &self.kind {
            ActionFormulaKind::True => f.write_str("true"),
            ActionFormulaKind::False => f.write_str("false"),
            ActionFormulaKind::Data(expression) => write!(f, "val({expression})"),
            ActionFormulaKind::MultiAction(actions) if actions.is_empty() => f.write_str("tau"),
            ActionFormulaKind::MultiAction(actions) => {
                for (i, (name, arguments)) in actions.iter().enumerate() {
                    f.write_str(if i > 0 { "|" } else { "" })?;
                    call(f, name, arguments)?;
                }
                Ok(())
            }
            ActionFormulaKind::Not(operand) => {
                f.write_str("!")?;
                under(f, operand, UNARY)
            }
            ActionFormulaKind::Connective(connective, operands) => {
                under(f, &operands[0], connective.strength() + 1)?;
                write!(f, " {} ", connective.sign())?;
                under(f, &operands[1], connective.strength())
            }
            ActionFormulaKind::Quantified(quantifier, variables, body) => {
                quantified(f, *quantifier, variables)?;
                write!(f, "{body}")
            }
            ActionFormulaKind::At(body, time) => {
                under(f, body, UNARY)?;
                write!(f, " @ ({time})")
            }
        }
    }
}
