//! What can be wrong with a text, each with the place where it is wrong and what to do about it.

use crate::syntax::Span;

/// What is wrong with a specification, an expression or a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LanguageError {
    /// The text is none of the language.
    #[error("{span}: expected {expected}, but found {found}")]
    Syntax {
        /// Where.
        span: Span,
        /// What stands there.
        found: String,
        /// What could stand there.
        expected: String,
    },
    /// The text is of the language, but this program cannot work with it.
    #[error("{span}: {what} is not supported")]
    Unsupported {
        /// Where.
        span: Span,
        /// What it is.
        what: String,
    },
    /// A name that nothing has.
    #[error("{span}: there is no {kind} '{name}'{}", hint(.similar))]
    Unknown {
        /// Where.
        span: Span,
        /// What kind of thing it should be.
        kind: &'static str,
        /// The name.
        name: String,
        /// A name that exists and looks like it.
        similar: Option<String>,
    },
    /// A name that two things have.
    #[error("{span}: {kind} '{name}' is declared twice; the first time in {first}")]
    Twice {
        /// Where the second one is.
        span: Span,
        /// What kind of thing it is.
        kind: &'static str,
        /// The name.
        name: String,
        /// Where the first one is.
        first: Span,
    },
    /// An expression of the wrong sort.
    #[error("{span}: {message}")]
    Sort {
        /// Where.
        span: Span,
        /// What was expected and what is there.
        message: String,
    },
}

/// How much of a name or of a sentence is shown; whoever made them longer knows the rest.
pub(crate) const LONGEST_NAME: usize = 80;
pub(crate) const LONGEST: usize = 800;

/// The beginning of a text that is too long to be shown.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

fn hint(similar: &Option<String>) -> String {
    similar.as_ref().map_or_else(String::new, |name| format!("; did you mean '{name}'?"))
}

impl LanguageError {
    /// Where it is wrong.
    pub fn span(&self) -> Span {
        match self {
            Self::Syntax { span, .. }
            | Self::Unsupported { span, .. }
            | Self::Unknown { span, .. }
            | Self::Twice { span, .. }
            | Self::Sort { span, .. } => *span,
        }
    }

    pub(crate) fn syntax(span: Span, found: String, expected: String) -> Self {
        Self::Syntax { span, found: shortened(&found, LONGEST), expected: shortened(&expected, LONGEST) }
    }

    pub(crate) fn unsupported(span: Span, what: impl Into<String>) -> Self {
        Self::Unsupported { span, what: shortened(&what.into(), LONGEST) }
    }

    pub(crate) fn sort(span: Span, message: impl Into<String>) -> Self {
        Self::Sort { span, message: shortened(&message.into(), LONGEST) }
    }

    /// A name that is none of those that exist.
    pub fn unknown<'n>(
        span: Span,
        kind: &'static str,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        // A name that nobody would type is compared with nothing.
        let short = |name: &str| name.len() <= LONGEST_NAME;
        let similar = names
            .into_iter()
            .filter(|known| short(known) && short(name))
            .map(|known| (strsim::damerau_levenshtein(known, name), known))
            .filter(|(distance, known)| {
                let shorter = known.chars().count().min(name.chars().count());
                *distance < shorter && *distance <= 1 + shorter / 4
            })
            .min()
            .map(|(_, known)| known.to_owned());
        Self::Unknown { span, kind, name: shortened(name, LONGEST_NAME), similar }
    }

    pub(crate) fn twice(span: Span, kind: &'static str, name: &str, first: Span) -> Self {
        Self::Twice { span, kind, name: shortened(name, LONGEST_NAME), first }
    }
}
