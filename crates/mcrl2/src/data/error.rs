//! What can go wrong in an evaluation, each with the place of the cause and what to do about it.

use crate::syntax::Span;

/// Why an expression has no value that this program finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The equations go on for ever, or too long.
    #[error(
        "{span}: the equations of '{function}' were used without an end in sight, {steps} steps for one expression; \
         let one argument become smaller in each step"
    )]
    Endless {
        /// The function whose equation was used last.
        function: String,
        /// Where the function is declared.
        span: Span,
        /// How many steps there were.
        steps: u64,
    },
    /// The equations nest too deeply.
    #[error(
        "{span}: the equations of '{function}' nest too deeply, probably without an end; \
         let one argument become smaller in each step"
    )]
    TooDeep {
        /// The function whose equation was used last.
        function: String,
        /// Where the function is declared.
        span: Span,
    },
    /// A variable ranges over infinitely many values.
    #[error(
        "{span}: the variable '{variable}' of sort {sort} ranges over infinitely many values; \
         bound it by a condition such as {variable} < 10"
    )]
    Unbounded {
        /// What binds the variable.
        span: Span,
        /// The variable.
        variable: String,
        /// Its sort.
        sort: String,
    },
    /// A variable ranges over more values than are worth looking at.
    #[error(
        "{span}: there are too many values of sort {sort}, more than {limit}; use a smaller sort or a condition"
    )]
    TooMany {
        /// What asks for the values.
        span: Span,
        /// The sort.
        sort: String,
        /// How many would have been looked at.
        limit: usize,
    },
    /// A condition is neither true nor false.
    #[error("{span}: this condition is neither true nor false: it comes down to {value}")]
    Undecided {
        /// The condition.
        span: Span,
        /// What it comes down to.
        value: String,
    },
    /// A sort whose values cannot be listed, since nothing makes them.
    #[error(
        "{span}: the values of sort {sort} cannot be listed; give it constructors, or make it a structured sort"
    )]
    NoConstructors {
        /// What asks for the values.
        span: Span,
        /// The sort.
        sort: String,
    },
}

impl EvaluationError {
    /// Where the cause is.
    pub fn span(&self) -> Span {
        match self {
            Self::Endless { span, .. }
            | Self::TooDeep { span, .. }
            | Self::Unbounded { span, .. }
            | Self::TooMany { span, .. }
            | Self::Undecided { span, .. }
            | Self::NoConstructors { span, .. } => *span,
        }
    }
}
