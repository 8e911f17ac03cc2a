//! The language of mCRL2: specifications and formulas are read, their data is typed and evaluated.
//!
//! The way of a text:
//!
//! ```text
//! text -> syntax::parse_specification -> Specification        trees with places
//! DataDeclarations -> typing::Signature::of                   sorts, functions, equations; typed
//! Scope (names -> VariableId), DataExpr -> signature.typed(&scope, &expr, Some(sort)) -> Term
//! Signature -> data::Rewriter::new(signature)                 equations compiled
//! Term, &[VariableId] -> rewriter.compile(&term, &parameters) -> CompiledTerm
//! CompiledTerm, &[ValueId] -> rewriter.evaluate(&compiled, &arguments) -> Result<ValueId, EvaluationError>
//! rewriter.solutions(..)                                      all values of variables that make a condition true
//! rewriter.elements(sort), signature.is_finite(sort), rewriter.contains(sort, value)
//! rewriter.print(value)                                       as in the labels of mCRL2's state spaces
//! ```
//!
//! A `ValueId` is a `u32`: equal values have equal ids. Numbers are the same value whatever their sort.

pub mod data;
mod error;
pub mod syntax;
pub mod typing;

pub use error::LanguageError;
