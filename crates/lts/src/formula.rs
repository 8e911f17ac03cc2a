//! Formulas of Hennessy-Milner logic, and of its extension by "along internal steps", with the text that the modal µ-calculus has
//! for them, and their evaluation on a system by definition.

use crate::labels::TAU_TEXT;
use crate::lts::Lts;
use std::collections::HashMap;
use std::fmt::Write;

/// The number of a formula in its list.
pub(crate) type FormulaId = u32;

/// A formula over the numbers of smaller ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum StepFormula {
    /// True of every state.
    True,
    /// Not this.
    Not(FormulaId),
    /// All of these.
    And(Vec<FormulaId>),
    /// Some step with this label leads to a state of which this is true.
    Step(Box<str>, FormulaId),
    /// Internal steps through states of which the first is true lead to a step with this label to a state of which the second is;
    /// for the internal step, to such a state itself.
    Along(FormulaId, Box<str>, FormulaId),
    /// Internal steps can go on for ever through states of which this is true.
    ForEver(FormulaId),
}

/// Formulas, each after those that it is made of.
#[derive(Default)]
pub(crate) struct FormulaList {
    formulas: Vec<StepFormula>,
    known: HashMap<StepFormula, FormulaId>,
}

impl FormulaList {
    /// The number of a formula.
    pub fn number(&mut self, formula: StepFormula) -> FormulaId {
        if let Some(&known) = self.known.get(&formula) {
            return known;
        }
        let number = self.formulas.len() as FormulaId;
        self.formulas.push(formula.clone());
        self.known.insert(formula, number);
        number
    }

    /// That all of these hold.
    pub fn all(&mut self, mut of: Vec<FormulaId>) -> FormulaId {
        of.sort_unstable();
        of.dedup();
        match of.as_slice() {
            [] => self.number(StepFormula::True),
            [one] => *one,
            _ => self.number(StepFormula::And(of)),
        }
    }

    /// That this does not hold.
    pub fn not(&mut self, of: FormulaId) -> FormulaId {
        match self.formulas[of as usize] {
            StepFormula::Not(inner) => inner,
            _ => self.number(StepFormula::Not(of)),
        }
    }

    /// The formula as the µ-calculus writes it; `None` if that is longer than so many bytes.
    pub fn text(&self, of: FormulaId, longest: usize) -> Option<String> {
        let mut writer = Writer { formulas: &self.formulas, out: String::new(), variables: 0, longest };
        writer.write(of, false)?;
        Some(writer.out)
    }

    fn is_true(&self, of: FormulaId) -> bool {
        self.formulas[of as usize] == StepFormula::True
    }
}

struct Writer<'a> {
    formulas: &'a [StepFormula],
    out: String,
    variables: u32,
    longest: usize,
}

impl Writer<'_> {
    /// Writes a formula, in brackets where it is a part of another one and needs them.
    fn write(&mut self, of: FormulaId, part: bool) -> Option<()> {
        if self.out.len() > self.longest {
            return None;
        }
        let is_true = |of: FormulaId| self.formulas[of as usize] == StepFormula::True;
        match &self.formulas[of as usize] {
            StepFormula::True => self.out.push_str("true"),
            StepFormula::Not(inner) => match &self.formulas[*inner as usize] {
                StepFormula::True => self.out.push_str("false"),
                StepFormula::Step(label, then) => {
                    let _ = write!(self.out, "[{}]", action(label));
                    self.write_not(*then)?;
                }
                StepFormula::Along(through, label, then) if is_true(*through) => {
                    let _ = write!(self.out, "[{}]", along(label));
                    self.write_not(*then)?;
                }
                _ => {
                    self.out.push('!');
                    self.write(*inner, true)?;
                }
            },
            StepFormula::And(of) => {
                self.open(part);
                for (at, &inner) in of.iter().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { " && " });
                    self.write(inner, true)?;
                }
                self.close(part);
            }
            StepFormula::Step(label, then) => {
                let _ = write!(self.out, "<{}>", action(label));
                self.write(*then, true)?;
            }
            StepFormula::Along(through, label, then) if is_true(*through) => {
                let _ = write!(self.out, "<{}>", along(label));
                self.write(*then, true)?;
            }
            StepFormula::Along(through, label, then) => {
                let variable = self.variable();
                let _ = write!(self.out, "(mu {variable}. (");
                if &**label != TAU_TEXT {
                    self.write(*through, true)?;
                    let _ = write!(self.out, " && (<{}>", action(label));
                    self.write(*then, true)?;
                    let _ = write!(self.out, " || <tau>{variable})))");
                } else {
                    self.write(*then, true)?;
                    self.out.push_str(" || (");
                    self.write(*through, true)?;
                    let _ = write!(self.out, " && <tau>{variable})))");
                }
            }
            StepFormula::ForEver(through) => {
                let variable = self.variable();
                let _ = write!(self.out, "(nu {variable}. (");
                if !is_true(*through) {
                    self.write(*through, true)?;
                    self.out.push_str(" && ");
                }
                let _ = write!(self.out, "<tau>{variable}))");
            }
        }
        Some(())
    }

    fn write_not(&mut self, of: FormulaId) -> Option<()> {
        match &self.formulas[of as usize] {
            StepFormula::True => self.out.push_str("false"),
            StepFormula::Not(inner) => return self.write(*inner, true),
            _ => {
                self.out.push('!');
                return self.write(of, true);
            }
        }
        Some(())
    }

    fn open(&mut self, part: bool) {
        self.out.push_str(if part { "(" } else { "" });
    }

    fn close(&mut self, part: bool) {
        self.out.push_str(if part { ")" } else { "" });
    }

    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("X{}", self.variables)
    }
}

/// Any number of internal steps, and then one with this label, as a regular formula.
fn along(label: &str) -> String {
    if label == TAU_TEXT { "tau*".to_string() } else { format!("tau* . {}", action(label)) }
}

/// A label as an action formula: one that is no term of names, numbers and brackets stands in quotation marks.
fn action(label: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_'(),|[]{}-+:* ".contains(c);
    let begins = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let spaced = label.split(['(', '|']).any(|part| !part.contains(')') && part.trim().contains(' '));
    match label.chars().all(plain)
        && !spaced
        && crate::labels::split_outside(label, '|').into_iter().all(begins)
    {
        true => label.to_string(),
        false => format!("\"{label}\""),
    }
}

/// The truth of formulas in the states of one system. It shares nothing with what made the formulas: it takes steps.
pub(crate) struct Evaluation<'a> {
    lts: &'a Lts,
    formulas: &'a FormulaList,
    known: HashMap<(FormulaId, u32), bool>,
}

impl<'a> Evaluation<'a> {
    /// Nothing is known yet.
    pub fn new(lts: &'a Lts, formulas: &'a FormulaList) -> Evaluation<'a> {
        Evaluation { lts, formulas, known: HashMap::new() }
    }

    /// Whether a formula is true of a state.
    pub fn holds(&mut self, of: FormulaId, state: u32) -> bool {
        if let Some(&known) = self.known.get(&(of, state)) {
            return known;
        }
        let formulas = self.formulas;
        let truth = match &formulas.formulas[of as usize] {
            StepFormula::True => true,
            StepFormula::Not(inner) => !self.holds(*inner, state),
            StepFormula::And(all) => all.iter().all(|&inner| self.holds(inner, state)),
            StepFormula::Step(label, then) => self.steps(label, *then, state),
            StepFormula::Along(through, label, then) => self.along(*through, label, *then, state),
            StepFormula::ForEver(through) => self.for_ever(*through, state),
        };
        self.known.insert((of, state), truth);
        truth
    }

    fn steps(&mut self, label: &str, then: FormulaId, state: u32) -> bool {
        let lts = self.lts;
        let Some(label) = lts.labels().find(label) else { return false };
        lts.with(state, label).iter().any(|edge| self.holds(then, edge.to))
    }

    fn along(&mut self, through: FormulaId, label: &str, then: FormulaId, state: u32) -> bool {
        let lts = self.lts;
        let silent = label == TAU_TEXT;
        let (mut found, mut seen) = (vec![state], std::collections::HashSet::from([state]));
        while let Some(at) = found.pop() {
            if silent && self.holds(then, at) {
                return true;
            }
            if !self.formulas.is_true(through) && !self.holds(through, at) {
                continue;
            }
            if !silent && self.steps(label, then, at) {
                return true;
            }
            found.extend(lts.silently(at).iter().map(|edge| edge.to).filter(|&to| seen.insert(to)));
        }
        false
    }

    /// Follows internal steps through states of which the formula is true, until one comes again that is on the way.
    fn for_ever(&mut self, through: FormulaId, state: u32) -> bool {
        let lts = self.lts;
        let mut way: Vec<(u32, usize)> = Vec::new();
        let mut on_way: HashMap<u32, bool> = HashMap::new();
        let mut enter = Some(state);
        loop {
            if let Some(at) = enter.take() {
                match on_way.get(&at) {
                    Some(true) => return true,
                    Some(false) => {}
                    None if self.holds(through, at) => {
                        on_way.insert(at, true);
                        way.push((at, 0));
                    }
                    None => drop(on_way.insert(at, false)),
                }
            }
            let Some((at, next)) = way.last_mut() else { return false };
            match lts.silently(*at).get(*next) {
                Some(edge) => {
                    *next += 1;
                    enter = Some(edge.to);
                }
                None => {
                    on_way.insert(*at, false);
                    way.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_written_as_the_mu_calculus_writes_them() {
        let mut list = FormulaList::default();
        let yes = list.number(StepFormula::True);
        let a = list.number(StepFormula::Step("a(1,p0)".into(), yes));
        let no_a = list.not(a);
        let along = list.number(StepFormula::Along(yes, "b".into(), no_a));
        let both = list.all(vec![a, along]);
        let through = list.number(StepFormula::Along(no_a, "b".into(), both));
        let silent = list.number(StepFormula::Along(a, "tau".into(), no_a));
        let ever = list.number(StepFormula::ForEver(a));
        let told = list.number(StepFormula::Step("p0 sends beat".into(), ever));
        let never = list.not(told);
        let text = |of| list.text(of, 1000).expect("short");
        assert_eq!(text(no_a), "[a(1,p0)]false");
        assert_eq!(text(both), "<a(1,p0)>true && <tau* . b>[a(1,p0)]false");
        assert_eq!(
            text(through),
            "(mu X1. ([a(1,p0)]false && (<b>(<a(1,p0)>true && <tau* . b>[a(1,p0)]false) || <tau>X1)))"
        );
        assert_eq!(text(silent), "(mu X1. ([a(1,p0)]false || (<a(1,p0)>true && <tau>X1)))");
        assert_eq!(text(never), "[\"p0 sends beat\"]!(nu X1. (<a(1,p0)>true && <tau>X1))");
        assert_eq!(list.text(through, 10), None);
    }
}
