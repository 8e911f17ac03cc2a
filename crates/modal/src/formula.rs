//! Formulas as they are written: state formulas with regular formulas, negation and implication, and data terms by number.
//! What a term means is told by [`FormulaData`](crate::FormulaData); which steps a label formula means, by [`LabelFormula`].

use std::fmt;
use watchkeeper_space::AtomId;

/// The number of a data term.
pub type FormulaTerm = u32;

/// The number of a data variable. Each quantifier and each parameter of a fixed point binds a variable of its own.
pub type FormulaVariable = u32;

/// The proposition that nothing but faults can happen: a run may stay in such a state for ever. Every graph has it.
pub const RESTS: AtomId = AtomId::MAX;

/// The proposition that the state is a deadlock: nothing but faults can happen, and the model says that it is no end.
pub const DEADLOCKED: AtomId = AtomId::MAX - 1;

/// Where something is written, counted from 1; 0 if it is written nowhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FormulaPlace {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for FormulaPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The two fixed points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixedPointSign {
    /// `mu`, the least.
    Least,
    /// `nu`, the greatest.
    Greatest,
}

impl FixedPointSign {
    /// The sign under a negation.
    #[must_use]
    pub fn dual(self) -> FixedPointSign {
        match self {
            FixedPointSign::Least => FixedPointSign::Greatest,
            FixedPointSign::Greatest => FixedPointSign::Least,
        }
    }
}

/// A state formula.
#[derive(Clone, PartialEq, Debug)]
pub enum ModalFormula {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition of the space.
    Atom(AtomId),
    /// `val(b)`.
    Data(FormulaTerm),
    /// `!f`.
    Not(Box<ModalFormula>),
    /// `f && g`.
    And(Box<ModalFormula>, Box<ModalFormula>),
    /// `f || g`.
    Or(Box<ModalFormula>, Box<ModalFormula>),
    /// `f => g`.
    Implies(Box<ModalFormula>, Box<ModalFormula>),
    /// `forall x: D, y: E. f`.
    Forall(Vec<FormulaVariable>, Box<ModalFormula>),
    /// `exists x: D, y: E. f`.
    Exists(Vec<FormulaVariable>, Box<ModalFormula>),
    /// `[R] f`.
    Must(RegularSteps, Box<ModalFormula>),
    /// `<R> f`.
    May(RegularSteps, Box<ModalFormula>),
    /// `mu X(x: D = e). f` or `nu X(x: D = e). f`.
    FixedPoint {
        /// Which of the two.
        sign: FixedPointSign,
        /// The name of its variable.
        name: String,
        /// The parameters, each with its first value.
        parameters: Vec<(FormulaVariable, FormulaTerm)>,
        /// The formula.
        body: Box<ModalFormula>,
        /// Where it is written.
        place: FormulaPlace,
    },
    /// `X(e)`, the variable of a fixed point.
    Variable {
        /// Its name.
        name: String,
        /// The values of the parameters.
        arguments: Vec<FormulaTerm>,
        /// Where it is written.
        place: FormulaPlace,
    },
}

/// A regular formula: a set of finite sequences of steps.
#[derive(Clone, PartialEq, Debug)]
pub enum RegularSteps {
    /// No step at all: `nil`.
    Nothing,
    /// One step.
    Step(LabelFormula),
    /// `R . S`.
    Then(Box<RegularSteps>, Box<RegularSteps>),
    /// `R + S`.
    Either(Box<RegularSteps>, Box<RegularSteps>),
    /// `R*`.
    Star(Box<RegularSteps>),
    /// `R+`.
    Plus(Box<RegularSteps>),
}

/// A set of labels: an action formula.
#[derive(Clone, PartialEq, Debug)]
pub enum LabelFormula {
    /// `true`: every label; or `false`: none.
    Constant(bool),
    /// `a(e)|b`: the label with exactly these actions, or in a graph that takes any of several, with these among them; without
    /// any of them, `tau`.
    Actions(Vec<ActionPattern>),
    /// `val(b)`.
    Data(FormulaTerm),
    /// `!F`.
    Not(Box<LabelFormula>),
    /// `F && G`.
    And(Box<LabelFormula>, Box<LabelFormula>),
    /// `F || G`.
    Or(Box<LabelFormula>, Box<LabelFormula>),
    /// `F => G`.
    Implies(Box<LabelFormula>, Box<LabelFormula>),
    /// `forall x: D. F`.
    Forall(Vec<FormulaVariable>, Box<LabelFormula>),
    /// `exists x: D. F`.
    Exists(Vec<FormulaVariable>, Box<LabelFormula>),
}

/// One action of a label formula.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionPattern {
    /// The name of the action.
    pub name: String,
    /// The values of its arguments.
    pub arguments: Vec<FormulaTerm>,
}

impl ModalFormula {
    /// `f && g`.
    #[must_use]
    pub fn and(self, other: ModalFormula) -> ModalFormula {
        ModalFormula::And(Box::new(self), Box::new(other))
    }

    /// `f || g`.
    #[must_use]
    pub fn or(self, other: ModalFormula) -> ModalFormula {
        ModalFormula::Or(Box::new(self), Box::new(other))
    }

    /// `!f`.
    #[must_use]
    pub fn negated(self) -> ModalFormula {
        ModalFormula::Not(Box::new(self))
    }

    /// `[R] f`.
    #[must_use]
    pub fn must(steps: RegularSteps, then: ModalFormula) -> ModalFormula {
        ModalFormula::Must(steps, Box::new(then))
    }

    /// `<R> f`.
    #[must_use]
    pub fn may(steps: RegularSteps, then: ModalFormula) -> ModalFormula {
        ModalFormula::May(steps, Box::new(then))
    }

    /// A fixed point without parameters.
    #[must_use]
    pub fn fixed_point(sign: FixedPointSign, name: &str, body: ModalFormula) -> ModalFormula {
        let (parameters, place) = (Vec::new(), FormulaPlace::default());
        ModalFormula::FixedPoint { sign, name: name.to_string(), parameters, body: Box::new(body), place }
    }

    /// The variable of a fixed point without parameters.
    #[must_use]
    pub fn variable(name: &str) -> ModalFormula {
        ModalFormula::Variable {
            name: name.to_string(),
            arguments: Vec::new(),
            place: FormulaPlace::default(),
        }
    }
}

impl RegularSteps {
    /// Any one step.
    pub fn any() -> RegularSteps {
        RegularSteps::Step(LabelFormula::Constant(true))
    }

    /// `R*`.
    #[must_use]
    pub fn star(self) -> RegularSteps {
        RegularSteps::Star(Box::new(self))
    }

    /// `R . S`.
    #[must_use]
    pub fn then(self, other: RegularSteps) -> RegularSteps {
        RegularSteps::Then(Box::new(self), Box::new(other))
    }

    /// Whether the empty sequence is one of them.
    pub fn may_be_empty(&self) -> bool {
        match self {
            RegularSteps::Nothing | RegularSteps::Star(_) => true,
            RegularSteps::Step(_) => false,
            RegularSteps::Then(first, second) => first.may_be_empty() && second.may_be_empty(),
            RegularSteps::Either(first, second) => first.may_be_empty() || second.may_be_empty(),
            RegularSteps::Plus(inner) => inner.may_be_empty(),
        }
    }
}
