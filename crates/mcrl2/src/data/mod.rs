//! Evaluation: equations are compiled, expressions come down to values, and equal values are equal numbers.

mod bounds;
mod code;
mod compile;
mod deep;
mod elements;
mod error;
mod machine;
mod matching;
mod memo;
mod natives;
mod natural;
mod number;
mod order;
mod print;
mod rewriter;
mod search;
mod store;
mod text;

pub use code::CompiledTerm;
pub use error::EvaluationError;
pub use rewriter::{CompiledCondition, Rewriter};
pub use store::ValueId;
