//! Whole specifications as they are written. Sections may come in any order and more than once; here they are collected.

use super::{DataExpr, Ident, ProcessExpr, SortExpr, Span, StateFormula, VariableDeclaration};

/// A process specification as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// Sorts, constructors, mappings and equations.
    pub data: DataDeclarations,
    /// `glob`: variables whose value does not matter.
    pub globals: Vec<VariableDeclaration>,
    /// `act`, one for each name; a name may be declared with several lists of sorts.
    pub actions: Vec<ActionDeclaration>,
    /// `proc`.
    pub processes: Vec<ProcessDeclaration>,
    /// `init`.
    pub init: ProcessExpr,
}

/// A formula file as it is written: a formula, and what it declares for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaSpecification {
    /// Sorts, constructors, mappings and equations beside those of the specification.
    pub data: DataDeclarations,
    /// Actions beside those of the specification.
    pub actions: Vec<ActionDeclaration>,
    /// The formula.
    pub formula: StateFormula,
}

/// What `sort`, `cons`, `map` and `eqn` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataDeclarations {
    /// `sort S;` and `sort S = ..;`.
    pub sorts: Vec<SortDeclaration>,
    /// `cons`, one for each name.
    pub constructors: Vec<FunctionDeclaration>,
    /// `map`, one for each name.
    pub mappings: Vec<FunctionDeclaration>,
    /// `eqn`, with the variables before it.
    pub equations: Vec<EquationGroup>,
}

/// A sort, with what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortDeclaration {
    /// Its name.
    pub name: Ident,
    /// The right side of `sort S = ..;`.
    pub definition: Option<SortExpr>,
}

/// A constructor or a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDeclaration {
    /// Its name.
    pub name: Ident,
    /// Its sort.
    pub sort: SortExpr,
}

/// One `eqn` section with the `var` section before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquationGroup {
    /// The variables.
    pub variables: Vec<VariableDeclaration>,
    /// The equations.
    pub equations: Vec<Equation>,
}

/// `condition -> left = right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// When it may be used.
    pub condition: Option<DataExpr>,
    /// What it rewrites.
    pub left: DataExpr,
    /// What that becomes.
    pub right: DataExpr,
    /// Where it stands.
    pub span: Span,
}

/// An action with the sorts of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionDeclaration {
    /// Its name.
    pub name: Ident,
    /// The sorts of its arguments.
    pub sorts: Vec<SortExpr>,
}

/// `P(x: S, ..) = p;`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDeclaration {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub parameters: Vec<VariableDeclaration>,
    /// Its body.
    pub body: ProcessExpr,
}
