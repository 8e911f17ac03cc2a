//! What can be wrong with the processes of a specification, or with a search of its space.

use crate::LanguageError;
use crate::data::EvaluationError;
use crate::syntax::Span;
use thiserror::Error;

/// Why a specification has no space, or its search came to an end.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// It does not mean anything.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// It means something that this program cannot work with.
    #[error("{span}: {why}")]
    Refused {
        /// Why, and what to do.
        why: String,
        /// Where.
        span: Span,
    },
    /// A process calls itself before any action.
    #[error("{span}: {name} calls itself before any action happens; put an action before the call")]
    Unguarded {
        /// The process.
        name: String,
        /// The call.
        span: Span,
    },
    /// Nothing bounds the variable of a sum.
    #[error(
        "{span}: infinite sum without a bound: the sum over {name} has no end; bound it by a condition such as `{name} < 10`, \
         or let a communication give it its value"
    )]
    Unbounded {
        /// The variable.
        name: String,
        /// Where it is declared.
        span: Span,
    },
    /// A data expression has no value.
    #[error(transparent)]
    Data(#[from] EvaluationError),
    /// A condition is neither true nor false.
    #[error("{span}: this condition is neither true nor false; add the equations that decide it")]
    Undecided {
        /// The condition.
        span: Span,
    },
}

impl ProcessError {
    /// Where it is wrong.
    pub fn span(&self) -> Span {
        match self {
            ProcessError::Language(error) => error.span(),
            ProcessError::Data(error) => error.span(),
            ProcessError::Refused { span, .. }
            | ProcessError::Unguarded { span, .. }
            | ProcessError::Unbounded { span, .. }
            | ProcessError::Undecided { span } => *span,
        }
    }
}
