//! What the names of a specification mean: its sorts, its functions, its equations, and the sort of every expression. Numbers
//! widen from `Pos` over `Nat` and `Int` to `Real`, and finite sets and bags to any. A value is the same whatever sort it is
//! widened to, so a widening leaves no trace in a [`DataTerm`].

mod apply;
mod collections;
mod declare;
mod equations;
mod infer;
mod natives;
mod operators;
mod scope;
mod signature;
mod sorts;
mod term;

pub use equations::TypedEquation;
pub use scope::{Scope, VariableId};
pub use signature::{FunctionId, FunctionInfo, FunctionRole, Signature};
pub use sorts::{DeclaredSort, SortId, SortKind, SortTable};
pub use term::{DataTerm, DataTermKind, Operation};
