//! From a text to its tree: recursive descent, with precedence climbing for operators. How deeply a text nests is limited, so
//! that no text exhausts the stack, here or in whatever walks the tree later.

mod cursor;
mod data;
mod declarations;
mod formulas;
mod processes;
mod regular;
mod sorts;

use self::cursor::WordCursor;
use super::{DataExpr, FormulaSpecification, ProcessExpr, SortExpr, Specification};
use crate::LanguageError;

/// Reads a process specification.
///
/// # Errors
/// The first place where the text is not one, and what could stand there.
pub fn parse_specification(text: &str) -> Result<Specification, LanguageError> {
    WordCursor::of(text)?.specification()
}

/// Reads a formula file: a state formula, or sections with a `form`.
///
/// # Errors
/// The first place where the text is not one, and what could stand there.
pub fn parse_formula(text: &str) -> Result<FormulaSpecification, LanguageError> {
    WordCursor::of(text)?.formula_specification()
}

/// Reads a data expression.
///
/// # Errors
/// The first place where the text is not one, and what could stand there.
pub fn parse_data_expression(text: &str) -> Result<DataExpr, LanguageError> {
    let mut words = WordCursor::of(text)?;
    let expression = words.data()?;
    words.finish()?;
    Ok(expression)
}

/// Reads a process expression.
///
/// # Errors
/// The first place where the text is not one, and what could stand there.
pub fn parse_process_expression(text: &str) -> Result<ProcessExpr, LanguageError> {
    let mut words = WordCursor::of(text)?;
    let expression = words.process()?;
    words.finish()?;
    Ok(expression)
}

/// Reads a sort expression.
///
/// # Errors
/// The first place where the text is not one, and what could stand there.
pub fn parse_sort_expression(text: &str) -> Result<SortExpr, LanguageError> {
    let mut words = WordCursor::of(text)?;
    let expression = words.sort()?;
    words.finish()?;
    Ok(expression)
}
