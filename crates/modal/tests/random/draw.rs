//! Random graphs and formulas.

use super::naive::SmallGraph;
use super::residues::{Residues, Term};
use fastrand::Rng;
use watchkeeper_modal::{
    ActionPattern, FixedPointSign, FormulaPlace, FormulaTerm, FormulaVariable, LabelFormula, ModalFormula,
    RegularSteps,
};
use watchkeeper_space::{DataAction, DataLabel};

/// The arguments of labels are below this number.
const ARGUMENTS: u32 = 3;

/// The propositions of a graph.
const ATOMS: usize = 2;

/// A graph of at most 9 states, not all of which need be reachable.
pub fn graph(rng: &mut Rng) -> SmallGraph {
    let states = rng.usize(1..10);
    let per_state = rng.usize(1..4);
    let steps = (0..rng.usize(0..=states * per_state))
        .map(|_| (rng.u32(0..states as u32), label(rng), rng.u32(0..states as u32)))
        .collect();
    let atoms = (0..ATOMS).map(|_| (0..states).map(|_| rng.bool()).collect()).collect();
    SmallGraph { states, steps, atoms, any_of_several: rng.u32(0..4) == 0 }
}

fn label(rng: &mut Rng) -> DataLabel {
    let mut number = || rng.u32(0..ARGUMENTS).to_string();
    let mut actions = vec![
        DataAction::new("a", [""; 0]),
        DataAction::new("b", [number()]),
        DataAction::new("c", [number(), number()]),
    ];
    match rng.u32(0..12) {
        0..4 => actions.truncate(1),
        4..8 => actions = vec![actions.remove(1)],
        8..10 => actions = vec![actions.remove(2)],
        10 => actions.truncate(2),
        _ => actions.clear(),
    }
    DataLabel { actions }
}

/// A fixed point around the place: its name, its number of parameters, and whether it is under a negation.
type Scope = (String, usize, bool);

/// Draws a formula.
pub struct Draw<'a> {
    rng: &'a mut Rng,
    data: &'a mut Residues,
    scopes: Vec<Scope>,
    variables: Vec<FormulaVariable>,
    next: FormulaVariable,
    unguarded: bool,
    /// Whether leaves are variables of fixed points as often as possible.
    eager: bool,
}

impl<'a> Draw<'a> {
    pub fn new(rng: &'a mut Rng, data: &'a mut Residues) -> Draw<'a> {
        let unguarded = rng.bool();
        Draw { rng, data, scopes: Vec::new(), variables: Vec::new(), next: 0, unguarded, eager: false }
    }

    /// A formula that is so deep, with so many fixed points inside each other.
    pub fn formula(&mut self, depth: usize, fixed_points: usize, negated: bool) -> ModalFormula {
        if depth == 0 {
            return self.leaf(negated);
        }
        let two = |draw: &mut Self, left_negated: bool| {
            let left = Box::new(draw.formula(depth - 1, fixed_points, left_negated));
            (left, Box::new(draw.formula(depth - 1, fixed_points, negated)))
        };
        match self.rng.u32(0..24) {
            0..3 => {
                let (left, right) = two(self, negated);
                ModalFormula::And(left, right)
            }
            3..6 => {
                let (left, right) = two(self, negated);
                ModalFormula::Or(left, right)
            }
            6 => {
                let (left, right) = two(self, !negated);
                ModalFormula::Implies(left, right)
            }
            7 => self.formula(depth - 1, fixed_points, !negated).negated(),
            8..10 => {
                let count = self.variables.len();
                let variables: Vec<FormulaVariable> =
                    (0..self.rng.usize(1..3)).map(|_| self.fresh()).collect();
                let inner = Box::new(self.formula(depth - 1, fixed_points, negated));
                self.variables.truncate(count);
                let exists = self.rng.bool();
                if exists {
                    ModalFormula::Exists(variables, inner)
                } else {
                    ModalFormula::Forall(variables, inner)
                }
            }
            10..13 => {
                let steps = self.steps(2);
                ModalFormula::must(steps, self.formula(depth - 1, fixed_points, negated))
            }
            13..16 => {
                let steps = self.steps(2);
                ModalFormula::may(steps, self.formula(depth - 1, fixed_points, negated))
            }
            16..23 if fixed_points > 0 => self.fixed_point(depth, fixed_points, negated),
            _ => self.leaf(negated),
        }
    }

    /// Fixed points inside each other whose signs alternate, around a formula of this depth.
    pub fn alternating(&mut self, depth: usize, fixed_points: usize) -> ModalFormula {
        let first = self.rng.bool();
        self.eager = true;
        for name in &["X", "Y", "Z"][..fixed_points] {
            self.scopes.push((name.to_string(), 0, false));
        }
        let mut formula = self.formula(depth, 0, false);
        self.scopes.clear();
        for (at, name) in ["X", "Y", "Z"][..fixed_points].iter().enumerate().rev() {
            let least = (at % 2 == 0) == first;
            let sign = if least { FixedPointSign::Least } else { FixedPointSign::Greatest };
            formula = ModalFormula::fixed_point(sign, name, formula);
        }
        formula
    }

    fn fixed_point(&mut self, depth: usize, fixed_points: usize, negated: bool) -> ModalFormula {
        let sign = if self.rng.bool() { FixedPointSign::Least } else { FixedPointSign::Greatest };
        // Few names, so that one may hide another.
        let name = ["X", "Y", "Z"][self.rng.usize(0..3)].to_string();
        let number = self.rng.usize(0..5).saturating_sub(2);
        let values: Vec<FormulaTerm> = (0..number).map(|_| self.number()).collect();
        let count = self.variables.len();
        let variables: Vec<FormulaVariable> = (0..number).map(|_| self.fresh()).collect();
        self.scopes.push((name.clone(), number, negated));
        let body = Box::new(self.formula(depth - 1, fixed_points - 1, negated));
        self.scopes.pop();
        self.variables.truncate(count);
        let parameters = variables.into_iter().zip(values).collect();
        ModalFormula::FixedPoint { sign, name, parameters, body, place: FormulaPlace::default() }
    }

    fn leaf(&mut self, negated: bool) -> ModalFormula {
        let mut usable: Vec<(String, usize)> = Vec::new();
        for (at, (name, number, under)) in self.scopes.iter().enumerate() {
            let hidden = self.scopes[at + 1..].iter().any(|(other, ..)| other == name);
            if !hidden && *under == negated {
                usable.push((name.clone(), *number));
            }
        }
        let choice = self.rng.u32(0..10);
        if (choice < 6 || self.eager && choice < 9) && !usable.is_empty() {
            let (name, number) = usable.swap_remove(self.rng.usize(0..usable.len()));
            let arguments = (0..number).map(|_| self.number()).collect();
            let variable = ModalFormula::Variable { name, arguments, place: FormulaPlace::default() };
            if self.unguarded {
                return variable;
            }
            let steps = RegularSteps::Step(self.labels(1));
            return if self.rng.bool() {
                ModalFormula::must(steps, variable)
            } else {
                ModalFormula::may(steps, variable)
            };
        }
        match choice {
            0..2 => ModalFormula::Constant(self.rng.bool()),
            2..4 => ModalFormula::may(self.steps(1), ModalFormula::Constant(true)),
            4..6 => ModalFormula::must(self.steps(1), ModalFormula::Constant(false)),
            6..8 => ModalFormula::Atom(self.rng.usize(0..ATOMS)),
            _ => ModalFormula::Data(self.condition()),
        }
    }

    fn steps(&mut self, depth: usize) -> RegularSteps {
        let inner = |draw: &mut Self| Box::new(draw.steps(depth - 1));
        match self.rng.u32(0..16) {
            0..2 if depth > 0 => RegularSteps::Star(inner(self)),
            2 if depth > 0 => RegularSteps::Plus(inner(self)),
            3..5 if depth > 0 => RegularSteps::Then(inner(self), inner(self)),
            5 if depth > 0 => RegularSteps::Either(inner(self), inner(self)),
            6 if depth > 0 => RegularSteps::Nothing,
            _ => RegularSteps::Step(self.labels(2)),
        }
    }

    fn labels(&mut self, depth: usize) -> LabelFormula {
        let inner = |draw: &mut Self| Box::new(draw.labels(depth - 1));
        match self.rng.u32(0..20) {
            0..3 => LabelFormula::Constant(true),
            3 if depth > 0 => LabelFormula::Not(inner(self)),
            4 if depth > 0 => LabelFormula::And(inner(self), inner(self)),
            5..7 if depth > 0 => LabelFormula::Or(inner(self), inner(self)),
            7 if depth > 0 => LabelFormula::Implies(inner(self), inner(self)),
            8..11 if depth > 0 => {
                let count = self.variables.len();
                let variables = vec![self.fresh()];
                let inner = inner(self);
                self.variables.truncate(count);
                let exists = self.rng.u32(0..3) > 0;
                if exists {
                    LabelFormula::Exists(variables, inner)
                } else {
                    LabelFormula::Forall(variables, inner)
                }
            }
            11 => LabelFormula::Data(self.condition()),
            12..15 => LabelFormula::Actions(vec![self.pattern("a", 0)]),
            15..17 => LabelFormula::Actions(vec![self.pattern("b", 1)]),
            17 => LabelFormula::Actions(vec![self.pattern("c", 2)]),
            18 => LabelFormula::Actions(vec![self.pattern("b", 1), self.pattern("a", 0)]),
            _ => LabelFormula::Actions(Vec::new()),
        }
    }

    fn pattern(&mut self, name: &str, arguments: usize) -> ActionPattern {
        let arguments = (0..arguments).map(|_| self.number()).collect();
        ActionPattern { name: name.to_string(), arguments }
    }

    fn condition(&mut self) -> FormulaTerm {
        let (left, right) = (self.number(), self.number());
        let mut term =
            self.data.term(if self.rng.bool() { Term::Equal(left, right) } else { Term::Less(left, right) });
        if self.rng.u32(0..4) == 0 {
            let (left, right) = (self.number(), self.number());
            let other = self.data.term(Term::Less(left, right));
            term = self.data.term(Term::Both(term, other));
        }
        if self.rng.u32(0..3) == 0 { self.data.term(Term::Not(term)) } else { term }
    }

    fn number(&mut self) -> FormulaTerm {
        if self.variables.is_empty() || self.rng.u32(0..5) == 0 {
            let number = self.rng.u32(0..ARGUMENTS);
            return self.data.term(Term::Number(number));
        }
        let variable = self.variables[self.rng.usize(0..self.variables.len())];
        let variable = self.data.term(Term::Variable(variable));
        if self.rng.u32(0..4) > 0 {
            return variable;
        }
        let more = self.rng.u32(1..3);
        self.data.term(Term::Plus(variable, more))
    }

    fn fresh(&mut self) -> FormulaVariable {
        self.next += 1;
        self.variables.push(self.next - 1);
        self.next - 1
    }
}
