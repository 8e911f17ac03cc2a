//! Random formulas as texts in the language of mCRL2, whose numbers are those of a sort of the text's own, or natural numbers
//! below a bound.

use super::residues::{Residues, Term};
use watchkeeper_modal::{
    ActionPattern, FixedPointSign, FormulaTerm, FormulaVariable, LabelFormula, ModalFormula, RegularSteps,
};

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// `r0`, `r1`: a structured sort `Res`, with a function `next`.
    Structured,
    /// `0`, `1`: natural numbers, which quantifiers keep below the bound.
    Natural,
}

/// Writes formulas; what is bound is `p` or `q` by its number.
pub struct Text<'a> {
    pub data: &'a Residues,
    pub numbers: Numbers,
    /// The names of the propositions, as formulas.
    pub atoms: &'a [&'a str],
}

impl Text<'_> {
    /// The declarations that a text needs, as those of a specification.
    pub fn declarations(&self) -> String {
        let sort = self.sort();
        let actions = format!("act a; b: {sort}; c: {sort} # {sort}; p; q;\n");
        if self.numbers == Numbers::Natural {
            return actions;
        }
        let names: Vec<String> = (0..self.data.bound).map(|number| format!("r{number}")).collect();
        let next = (0..self.data.bound).map(|n| format!("next(r{n}) = r{};", (n + 1) % self.data.bound));
        let next: Vec<String> = next.collect();
        format!(
            "sort Res = struct {};\nmap next: Res -> Res;\neqn {}\n{actions}",
            names.join(" | "),
            next.join(" ")
        )
    }

    pub fn number(&self, number: u32) -> String {
        if self.numbers == Numbers::Structured { format!("r{number}") } else { number.to_string() }
    }

    fn sort(&self) -> &'static str {
        if self.numbers == Numbers::Structured { "Res" } else { "Nat" }
    }

    fn term(&self, term: FormulaTerm) -> String {
        let of = |term: FormulaTerm| self.term(term);
        match self.data.get(term) {
            Term::Variable(variable) => format!("x{variable}"),
            Term::Number(number) => self.number(number),
            Term::Plus(inner, more) if self.numbers == Numbers::Structured => {
                (0..more).fold(of(inner), |text, _| format!("next({text})"))
            }
            Term::Plus(inner, more) => format!("(({} + {more}) mod {})", of(inner), self.data.bound),
            Term::Equal(left, right) => format!("({} == {})", of(left), of(right)),
            Term::Less(left, right) => format!("({} < {})", of(left), of(right)),
            Term::Not(inner) => format!("!{}", of(inner)),
            Term::Both(left, right) => format!("({} && {})", of(left), of(right)),
        }
    }

    /// A quantifier, and the condition that keeps its variables below the bound.
    fn quantified(&self, exists: bool, variables: &[FormulaVariable], inner: &str) -> String {
        let names: Vec<String> = variables.iter().map(|variable| format!("x{variable}")).collect();
        let word = if exists { "exists" } else { "forall" };
        let declared = format!("{word} {}: {}", names.join(", "), self.sort());
        if self.numbers == Numbers::Structured {
            return format!("({declared}. ({inner}))");
        }
        let below: Vec<String> = names.iter().map(|name| format!("{name} < {}", self.data.bound)).collect();
        let sign = if exists { "&&" } else { "=>" };
        format!("({declared}. (val({}) {sign} ({inner})))", below.join(" && "))
    }

    pub fn formula(&self, formula: &ModalFormula) -> String {
        let of = |inner: &ModalFormula| self.formula(inner);
        match formula {
            ModalFormula::Constant(value) => value.to_string(),
            ModalFormula::Atom(atom) => self.atoms[*atom].to_string(),
            ModalFormula::Data(term) => format!("val({})", self.term(*term)),
            ModalFormula::Not(inner) => format!("!({})", of(inner)),
            ModalFormula::And(left, right) => format!("({} && {})", of(left), of(right)),
            ModalFormula::Or(left, right) => format!("({} || {})", of(left), of(right)),
            ModalFormula::Implies(left, right) => format!("({} => {})", of(left), of(right)),
            ModalFormula::Forall(variables, inner) => self.quantified(false, variables, &of(inner)),
            ModalFormula::Exists(variables, inner) => self.quantified(true, variables, &of(inner)),
            ModalFormula::Must(steps, then) => format!("[{}]({})", self.steps(steps), of(then)),
            ModalFormula::May(steps, then) => format!("<{}>({})", self.steps(steps), of(then)),
            ModalFormula::FixedPoint { sign, name, parameters, body, .. } => {
                let word = if *sign == FixedPointSign::Least { "mu" } else { "nu" };
                let declared = parameters
                    .iter()
                    .map(|&(variable, term)| format!("x{variable}: {} = {}", self.sort(), self.term(term)));
                let declared: Vec<String> = declared.collect();
                let declared =
                    if declared.is_empty() { String::new() } else { format!("({})", declared.join(", ")) };
                format!("({word} {name}{declared}. ({}))", of(body))
            }
            ModalFormula::Variable { name, arguments, .. } => format!("{name}{}", self.arguments(arguments)),
        }
    }

    fn arguments(&self, arguments: &[FormulaTerm]) -> String {
        if arguments.is_empty() {
            return String::new();
        }
        let texts: Vec<String> = arguments.iter().map(|&term| self.term(term)).collect();
        format!("({})", texts.join(", "))
    }

    fn steps(&self, steps: &RegularSteps) -> String {
        match steps {
            RegularSteps::Nothing => "nil".to_string(),
            RegularSteps::Step(labels) => self.labels(labels),
            RegularSteps::Then(first, second) => format!("({}).({})", self.steps(first), self.steps(second)),
            RegularSteps::Either(left, right) => format!("({})+({})", self.steps(left), self.steps(right)),
            RegularSteps::Star(inner) => format!("({})*", self.steps(inner)),
            RegularSteps::Plus(inner) => format!("({})+", self.steps(inner)),
        }
    }

    fn labels(&self, labels: &LabelFormula) -> String {
        let of = |inner: &LabelFormula| self.labels(inner);
        match labels {
            LabelFormula::Constant(value) => value.to_string(),
            LabelFormula::Actions(patterns) if patterns.is_empty() => "tau".to_string(),
            LabelFormula::Actions(patterns) => {
                let pattern = |pattern: &ActionPattern| {
                    format!("{}{}", pattern.name, self.arguments(&pattern.arguments))
                };
                patterns.iter().map(pattern).collect::<Vec<_>>().join("|")
            }
            LabelFormula::Data(term) => format!("val({})", self.term(*term)),
            LabelFormula::Not(inner) => format!("!({})", of(inner)),
            LabelFormula::And(left, right) => format!("({} && {})", of(left), of(right)),
            LabelFormula::Or(left, right) => format!("({} || {})", of(left), of(right)),
            LabelFormula::Implies(left, right) => format!("({} => {})", of(left), of(right)),
            LabelFormula::Forall(variables, inner) => self.quantified(false, variables, &of(inner)),
            LabelFormula::Exists(variables, inner) => self.quantified(true, variables, &of(inner)),
        }
    }
}
