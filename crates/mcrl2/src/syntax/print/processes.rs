//! Process expressions as texts.

use std::fmt::{self, Display, Formatter};

use super::{bracketed, list};
use crate::syntax::{DataExpr, DataExprKind, Ident, ProcessExpr, ProcessExprKind};

const CHOICE: u8 = 1;
const SUM: u8 = 2;
const PARALLEL: u8 = 3;
const LEFT_MERGE: u8 = 4;
const IF: u8 = 6;
const UNTIL: u8 = 8;
const SEQUENCE: u8 = 9;
const AT: u8 = 10;
const SYNC: u8 = 11;
const ATOM: u8 = 12;

impl ProcessExpr {
    fn strength(&self) -> u8 {
        match &self.kind {
            ProcessExprKind::Choice(_) => CHOICE,
            ProcessExprKind::Sum(..) | ProcessExprKind::Dist(..) => SUM,
            ProcessExprKind::Parallel(_) => PARALLEL,
            ProcessExprKind::LeftMerge(_) => LEFT_MERGE,
            ProcessExprKind::If(..) => IF,
            ProcessExprKind::Until(_) => UNTIL,
            ProcessExprKind::Sequence(_) => SEQUENCE,
            ProcessExprKind::At(..) => AT,
            ProcessExprKind::Sync(_) => SYNC,
            _ => ATOM,
        }
    }
}

/// What stands under an operator, in brackets unless it binds more strongly.
fn part(f: &mut Formatter<'_>, strength: u8, part: &ProcessExpr) -> fmt::Result {
    bracketed(f, part.strength() <= strength, part)
}

fn chain(f: &mut Formatter<'_>, sign: &str, strength: u8, parts: &[ProcessExpr]) -> fmt::Result {
    for (i, process) in parts.iter().enumerate() {
        if i > 0 {
            write!(f, " {sign} ")?;
        }
        part(f, strength, process)?;
    }
    Ok(())
}

/// A condition or a time, in brackets unless it is a name or a number.
fn unit(f: &mut Formatter<'_>, unit: &DataExpr) -> fmt::Result {
    let plain = matches!(unit.kind, DataExprKind::Name(_) | DataExprKind::Number(_));
    bracketed(f, !plain, unit)
}

fn names(f: &mut Formatter<'_>, names: &[Ident], separator: &str) -> fmt::Result {
    for (i, name) in names.iter().enumerate() {
        write!(f, "{}{}", if i > 0 { separator } else { "" }, name.name)?;
    }
    Ok(())
}

impl Display for ProcessExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ProcessExprKind::Delta => f.write_str("delta"),
            ProcessExprKind::Tau => f.write_str("tau"),
            ProcessExprKind::Call(name, arguments) => {
                f.write_str(&name.name)?;
                if arguments.is_empty() {
                    return Ok(());
                }
                f.write_str("(")?;
                list(f, arguments, |f, argument| write!(f, "{argument}"))?;
                f.write_str(")")
            }
            ProcessExprKind::Instance(name, assignments) => {
                write!(f, "{}(", name.name)?;
                list(f, assignments, |f, assignment| write!(f, "{assignment}"))?;
                f.write_str(")")
            }
            ProcessExprKind::Choice(parts) => chain(f, "+", CHOICE, parts),
            ProcessExprKind::Sequence(parts) => chain(f, ".", SEQUENCE, parts),
            ProcessExprKind::Parallel(parts) => chain(f, "||", PARALLEL, parts),
            ProcessExprKind::Sync(parts) => chain(f, "|", SYNC, parts),
            ProcessExprKind::LeftMerge(parts) => chain(f, "||_", LEFT_MERGE, &parts[..]),
            ProcessExprKind::Until(parts) => chain(f, "<<", UNTIL, &parts[..]),
            ProcessExprKind::If(condition, then, otherwise) => {
                unit(f, condition)?;
                f.write_str(" -> ")?;
                part(f, IF, then)?;
                match otherwise {
                    Some(otherwise) => {
                        f.write_str(" <> ")?;
                        part(f, IF, otherwise)
                    }
                    None => Ok(()),
                }
            }
            ProcessExprKind::Sum(variables, body) => {
                f.write_str("sum ")?;
                list(f, variables, |f, variable| write!(f, "{variable}"))?;
                f.write_str(" . ")?;
                part(f, SUM, body)
            }
            ProcessExprKind::Dist(variables, distribution, body) => {
                f.write_str("dist ")?;
                list(f, variables, |f, variable| write!(f, "{variable}"))?;
                write!(f, " [{distribution}] . ")?;
                part(f, SUM, body)
            }
            ProcessExprKind::At(body, time) => {
                part(f, AT, body)?;
                f.write_str(" @ ")?;
                unit(f, time)
            }
            ProcessExprKind::Block(actions, body) => {
                f.write_str("block({")?;
                names(f, actions, ", ")?;
                write!(f, "}}, {body})")
            }
            ProcessExprKind::Hide(actions, body) => {
                f.write_str("hide({")?;
                names(f, actions, ", ")?;
                write!(f, "}}, {body})")
            }
            ProcessExprKind::Rename(pairs, body) => {
                f.write_str("rename({")?;
                list(f, pairs, |f, (from, to)| write!(f, "{} -> {}", from.name, to.name))?;
                write!(f, "}}, {body})")
            }
            ProcessExprKind::Allow(multi_actions, body) => {
                f.write_str("allow({")?;
                list(f, multi_actions, |f, actions| names(f, actions, "|"))?;
                write!(f, "}}, {body})")
            }
            ProcessExprKind::Comm(communications, body) => {
                f.write_str("comm({")?;
                list(f, communications, |f, (actions, result)| {
                    names(f, actions, "|")?;
                    write!(f, " -> {}", result.name)
                })?;
                write!(f, "}}, {body})")
            }
        }
    }
}
