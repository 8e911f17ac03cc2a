//! State formulas, regular formulas and action formulas as they are written.

use super::{DataExpr, Ident, SortExpr, Span, VariableDeclaration};

/// A state formula as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateFormula {
    /// What it is.
    pub kind: StateFormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What a state formula is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateFormulaKind {
    /// `true`.
    True,
    /// `false`.
    False,
    /// `val(e)`.
    Data(Box<DataExpr>),
    /// `X`, `X(e, ..)`.
    Variable(Ident, Vec<DataExpr>),
    /// `!f`.
    Not(Box<StateFormula>),
    /// `f && g`, `f || g`, `f => g`.
    Connective(Connective, Box<[StateFormula; 2]>),
    /// `forall x: S . f` and `exists x: S . f`.
    Quantified(FormulaQuantifier, Vec<VariableDeclaration>, Box<StateFormula>),
    /// `[R] f`.
    Box(Box<RegularFormula>, Box<StateFormula>),
    /// `<R> f`.
    Diamond(Box<RegularFormula>, Box<StateFormula>),
    /// `mu X(..) . f` and `nu X(..) . f`.
    Fixpoint(Fixpoint, Ident, Vec<FixpointParameter>, Box<StateFormula>),
    /// `delay` and `delay @ t`.
    Delay(Option<Box<DataExpr>>),
    /// `yaled` and `yaled @ t`.
    Yaled(Option<Box<DataExpr>>),
}

/// What connects two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `=>`.
    Implies,
}

impl Connective {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Implies => "=>",
        }
    }
}

/// A quantifier of a state formula or an action formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormulaQuantifier {
    /// For all values.
    Forall,
    /// For some value.
    Exists,
}

/// Which fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fixpoint {
    /// The least one, `mu`.
    Least,
    /// The greatest one, `nu`.
    Greatest,
}

/// `x: S = e`: a parameter of a fixed point and the value it begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixpointParameter {
    /// The parameter.
    pub name: Ident,
    /// Its sort.
    pub sort: SortExpr,
    /// The value it begins with.
    pub initial: DataExpr,
}

/// A regular formula as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegularFormula {
    /// What it is.
    pub kind: RegularFormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What a regular formula is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegularFormulaKind {
    /// `nil`: the empty sequence.
    Nil,
    /// One step that an action formula admits.
    Action(ActionFormula),
    /// `R . S`.
    Sequence(Box<[RegularFormula; 2]>),
    /// `R + S`.
    Choice(Box<[RegularFormula; 2]>),
    /// `R*`.
    Star(Box<RegularFormula>),
    /// `R+`.
    Plus(Box<RegularFormula>),
}

/// An action formula as it is written: a set of multi-actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionFormula {
    /// What it is.
    pub kind: ActionFormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What an action formula is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionFormulaKind {
    /// `true`: every multi-action.
    True,
    /// `false`: none.
    False,
    /// `val(e)`: every multi-action if `e` holds.
    Data(Box<DataExpr>),
    /// `a(e, ..) | b | ..`: exactly this multi-action. `tau` is the one without actions.
    MultiAction(Vec<(Ident, Vec<DataExpr>)>),
    /// `!f`.
    Not(Box<ActionFormula>),
    /// `f && g`, `f || g`, `f => g`.
    Connective(Connective, Box<[ActionFormula; 2]>),
    /// `forall x: S . f` and `exists x: S . f`.
    Quantified(FormulaQuantifier, Vec<VariableDeclaration>, Box<ActionFormula>),
    /// `f @ t`.
    At(Box<ActionFormula>, Box<DataExpr>),
}
