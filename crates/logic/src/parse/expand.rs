//! From the syntax tree to a formula: names become atoms, quantifiers become conjunctions and disjunctions over the
//! processes, and comparisons become true or false.

use super::surface::{Argument, Binder, Named, Surface};
use super::token::{Infix, Prefix, Quantifier};
use super::{AtomNames, SyntaxError, cut, quoted, spelling};
use crate::Formula;
use std::ops::Range;

/// A formula may have this many operators and atoms.
const LARGEST: usize = 20_000;
/// The joints of a long conjunction are nested, too.
const LONGEST_CHAIN: usize = 8;

/// The formula that a tree stands for.
pub fn expand(surface: &Surface, context: &impl AtomNames) -> Result<Formula, SyntaxError> {
    Expansion { context, bound: Vec::new(), size: 0, near: 0..0 }.formula(surface)
}

struct Expansion<'a, N> {
    context: &'a N,
    /// The variables that have a meaning here, the innermost last, and their processes.
    bound: Vec<(String, usize)>,
    size: usize,
    /// The innermost quantifier, to be blamed for the size.
    near: Range<usize>,
}

impl<N: AtomNames> Expansion<'_, N> {
    fn formula(&mut self, surface: &Surface) -> Result<Formula, SyntaxError> {
        self.grow(1)?;
        match surface {
            Surface::Constant(true) => Ok(Formula::True),
            Surface::Constant(false) => Ok(Formula::False),
            Surface::Quoted(name, at) => match self.context.atom(name) {
                Some(atom) => Ok(Formula::atom(atom)),
                None => Err(self.unknown(name, at)),
            },
            Surface::Atom { name, arguments, at } => self.atom(name, arguments, at),
            Surface::Compare { equal, left, right } => {
                let same = self.process(left)? == self.process(right)?;
                Ok(if same == *equal { Formula::True } else { Formula::False })
            }
            Surface::Prefix(prefix, inner) => {
                let inner = self.formula(inner)?;
                Ok(match prefix {
                    Prefix::Not => inner.not(),
                    Prefix::Always => inner.always(),
                    Prefix::Eventually => inner.eventually(),
                    Prefix::Next => inner.next(),
                })
            }
            Surface::Infix(infix, left, right) => self.infix(*infix, left, right),
            Surface::Quantified { quantifier, binders, body, at } => {
                if self.context.processes() == 0 {
                    let message =
                        "there are no processes here that `all` or `some` could speak of: name the atoms";
                    return Err(SyntaxError::new(at.clone(), message));
                }
                self.near = at.clone();
                let mut cases = Vec::new();
                let depth = self.bound.len();
                self.cases(binders, body, &mut cases)?;
                self.bound.truncate(depth);
                let neutral = if *quantifier == Quantifier::All { Formula::True } else { Formula::False };
                cases.retain(|case| *case != neutral);
                Ok(join(*quantifier, &cases))
            }
        }
    }

    fn grow(&mut self, by: usize) -> Result<(), SyntaxError> {
        self.size += by;
        if self.size <= LARGEST {
            return Ok(());
        }
        let message = format!(
            "for {} processes this formula has more than {LARGEST} parts: use fewer variables or processes",
            self.context.processes()
        );
        Err(SyntaxError::new(self.near.clone(), message))
    }

    fn infix(&mut self, infix: Infix, left: &Surface, right: &Surface) -> Result<Formula, SyntaxError> {
        let before = self.size;
        let a = self.formula(left)?;
        // What a comparison rules out need not have a meaning: nobody suspects itself.
        let settled = match infix {
            Infix::And => a == Formula::False,
            Infix::Or => a == Formula::True,
            Infix::Implies => a == Formula::False,
            _ => false,
        };
        if settled && compares(left) {
            return Ok(if infix == Infix::And { Formula::False } else { Formula::True });
        }
        let b = self.formula(right)?;
        if matches!(infix, Infix::Iff | Infix::Unless) {
            self.grow(self.size - before)?;
        }
        Ok(match infix {
            Infix::And => a.and(b),
            Infix::Or => a.or(b),
            Infix::Implies => a.implies(b),
            Infix::Iff => a.clone().implies(b.clone()).and(b.implies(a)),
            Infix::LeadsTo => a.leads_to(b),
            Infix::Until => a.until(b),
            Infix::Releases => a.release(b),
            Infix::Unless => b.clone().release(a.or(b)),
        })
    }

    /// The body for all values of the variables, appended in order.
    fn cases(
        &mut self,
        binders: &[Binder],
        body: &Surface,
        cases: &mut Vec<Formula>,
    ) -> Result<(), SyntaxError> {
        let Some((binder, rest)) = binders.split_first() else {
            cases.push(self.formula(body)?);
            return Ok(());
        };
        self.check(&binder.variable)?;
        for value in 0..self.context.processes() {
            let depth = self.bound.len();
            self.bound.push((binder.variable.0.clone(), value));
            match &binder.differs {
                None => self.cases(rest, body, cases)?,
                // `all p != q` binds both, unless q has a meaning already.
                Some(other) if other.0 == binder.variable.0 => {
                    return Err(SyntaxError::new(
                        other.1.clone(),
                        "no process differs from itself: name another variable",
                    ));
                }
                Some(other) if self.value(&other.0).is_some() => {
                    if self.process(other)? != value {
                        self.cases(rest, body, cases)?;
                    }
                }
                Some(other) => {
                    self.check(other)?;
                    for second in (0..self.context.processes()).filter(|&second| second != value) {
                        self.bound.push((other.0.clone(), second));
                        self.cases(rest, body, cases)?;
                        self.bound.pop();
                    }
                }
            }
            self.bound.truncate(depth);
        }
        Ok(())
    }

    /// A variable must not look like a process, or hide another variable.
    fn check(&self, variable: &Named) -> Result<(), SyntaxError> {
        let (name, at) = variable;
        if process_number(name).is_some() {
            let message = format!("{} is a process and cannot be a variable: write `p` or `q`", quoted(name));
            return Err(SyntaxError::new(at.clone(), message));
        }
        if self.bound.iter().any(|(bound, _)| bound == name) {
            let message =
                format!("the variable {} has a meaning here already: take another name", quoted(name));
            return Err(SyntaxError::new(at.clone(), message));
        }
        Ok(())
    }

    /// The number of the process that a name stands for, whether or not there is one.
    fn value(&self, name: &str) -> Option<usize> {
        let bound = self.bound.iter().rev().find(|(bound, _)| bound == name).map(|(_, value)| *value);
        bound.or_else(|| process_number(name))
    }

    fn process(&self, (name, at): &Named) -> Result<usize, SyntaxError> {
        let count = self.context.processes();
        match self.value(name) {
            Some(value) if value < count => Ok(value),
            Some(_) if count == 0 => Err(SyntaxError::new(at.clone(), "there are no processes here")),
            Some(_) => {
                let message = format!("there is no {}: the processes are p0 to p{}", quoted(name), count - 1);
                Err(SyntaxError::new(at.clone(), message))
            }
            None => {
                let name = cut(name);
                let message = format!(
                    "`{name}` is neither a process nor a variable: write `all {name}: ...` or `some {name}: ...` around it"
                );
                Err(SyntaxError::new(at.clone(), message))
            }
        }
    }

    fn atom(&self, name: &str, arguments: &[Argument], at: &Range<usize>) -> Result<Formula, SyntaxError> {
        let bound = |argument: &str| self.bound.iter().rev().find(|(bound, _)| bound == argument);
        let replaced =
            |argument: &str| bound(argument).map_or(argument.to_string(), |(_, value)| format!("p{value}"));
        let mut written = Vec::new();
        for argument in arguments {
            written.push(match argument {
                Argument::One(name) => replaced(name),
                Argument::Set(members) => self.set(members)?,
            });
        }
        let whole = match arguments {
            [] => name.to_string(),
            _ => format!("{name}({})", written.join(",")),
        };
        let names: Vec<&str> = arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::One(name) => Some(name.as_str()),
                Argument::Set(_) => None,
            })
            .collect();
        match self.context.atom(&whole) {
            Some(atom) => Ok(Formula::atom(atom)),
            None if names.iter().any(|argument| bound(argument).is_some()) => {
                let mut error = self.unknown(&whole, at);
                let twice = names.iter().enumerate().any(|(i, one)| {
                    names[..i].iter().any(|other| other != one && replaced(other) == replaced(one))
                });
                if twice {
                    error.message = format!(
                        "there is no atom {}, but variables may stand for the same process here: write `all p != q: ...`",
                        quoted(&whole)
                    );
                }
                Err(error)
            }
            None => Err(self.unknown(&whole, at)),
        }
    }

    /// A set of processes as atoms write it: in the order of their numbers, each once.
    fn set(&self, members: &[Named]) -> Result<String, SyntaxError> {
        let mut numbers = members.iter().map(|member| self.process(member)).collect::<Result<Vec<_>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        let names: Vec<String> = numbers.into_iter().map(|number| format!("p{number}")).collect();
        Ok(["{", &names.join(","), "}"].concat())
    }

    fn unknown(&self, name: &str, at: &Range<usize>) -> SyntaxError {
        let known = self.context.known();
        let operator =
            ["G", "F", "X", "U", "R", "W"].into_iter().find(|sign| sign.eq_ignore_ascii_case(name));
        let variable = name.split_once('(').and_then(|(_, arguments)| {
            let mut arguments = arguments.trim_end_matches(')').split(',');
            arguments.find(|name| name.len() == 1 && !name.starts_with(|c: char| c.is_ascii_digit()))
        });
        let quote = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(" or ");
        let near = spelling::nearest(name, &known);
        let advice = match (operator, variable) {
            (Some(sign), _) => format!("operators are capital letters: write `{sign}`"),
            (_, Some(variable)) => {
                format!(
                    "`{variable}` is no variable here: write `all {variable}: ...` or `some {variable}: ...` around it"
                )
            }
            _ if !near.is_empty() => format!("did you mean {}?", quote(&near)),
            _ if known.is_empty() => "this model has no atoms".to_string(),
            _ if known.len() <= 6 => format!("the atoms are {}", known.join(", ")),
            _ => format!("the atoms are {} and {} more", known[..5].join(", "), known.len() - 5),
        };
        SyntaxError::new(at.clone(), format!("there is no atom {}: {advice}", quoted(name)))
    }
}

/// The number in `p0`, `p1` and so on.
fn process_number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('p')?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Whether a comparison of processes may have settled it.
fn compares(surface: &Surface) -> bool {
    match surface {
        Surface::Compare { .. } => true,
        Surface::Prefix(_, inner) => compares(inner),
        Surface::Infix(_, left, right) => compares(left) || compares(right),
        Surface::Quantified { body, .. } => compares(body),
        Surface::Constant(_) | Surface::Quoted(..) | Surface::Atom { .. } => false,
    }
}

/// All or one of the cases. A long list is joined as a balanced tree, because a recursive walk goes as deep as a formula
/// is nested.
fn join(quantifier: Quantifier, cases: &[Formula]) -> Formula {
    if cases.len() > LONGEST_CHAIN {
        let (left, right) = cases.split_at(cases.len() / 2);
        let (left, right) = (join(quantifier, left), join(quantifier, right));
        return match quantifier {
            Quantifier::All => left.and(right),
            Quantifier::Some => left.or(right),
        };
    }
    match quantifier {
        Quantifier::All => Formula::all(cases.iter().cloned()),
        Quantifier::Some => Formula::any(cases.iter().cloned()),
    }
}
