//! The language as it is written: specifications, expressions and formulas as trees whose nodes know where they stand, and the
//! way from a text to them and back. Nothing here knows what a name means.

mod data;
mod formula;
mod lexer;
mod parser;
mod print;
mod process;
mod sort;
mod span;
mod specification;

pub use data::{Assignment, BinaryOperator, DataBinder, DataExpr, DataExprKind, UnaryOperator};
pub use formula::{
    ActionFormula, ActionFormulaKind, Connective, Fixpoint, FixpointParameter, FormulaQuantifier,
    RegularFormula, RegularFormulaKind, StateFormula, StateFormulaKind,
};
pub use parser::{
    parse_data_expression, parse_formula, parse_process_expression, parse_sort_expression,
    parse_specification,
};
pub use process::{ProcessExpr, ProcessExprKind};
pub use sort::{Container, Ident, SortExpr, SortExprKind, StructConstructor, VariableDeclaration};
pub use span::Span;
pub use specification::{
    ActionDeclaration, DataDeclarations, Equation, EquationGroup, FormulaSpecification, FunctionDeclaration,
    ProcessDeclaration, SortDeclaration, Specification,
};
