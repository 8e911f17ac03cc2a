//! Why a certificate is not accepted. None of these is a verdict about the proof: the file is not one.

use super::FORMAT;
use crate::sexpr::SexprError;
use crate::solver::SolverError;

/// Why a file is no certificate, or could not be rechecked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// The text is not SMT-LIB.
    #[error("the certificate is not SMT-LIB: {0}")]
    Syntax(SexprError),
    /// The first command is not the mark of a certificate.
    #[error("this is no certificate: the first command must be (set-info :watchkeeper-certificate 1)")]
    NotACertificate,
    /// A format that is not known.
    #[error("the certificate has format {0}: this version reads format {FORMAT}")]
    Format(String),
    /// A kind that is not known.
    #[error("the certificate is of kind \"{0}\": this version reads induction and lemmas")]
    Kind(String),
    /// A command is not the one that the format has there.
    #[error("command {at} of the certificate is {found}, and should be {wanted}: write the file anew")]
    Command {
        /// Which command, from 1.
        at: usize,
        /// What it is.
        found: String,
        /// What it should be.
        wanted: String,
    },
    /// A declaration, a definition or a lemma makes no sense.
    #[error("command {at} of the certificate makes no sense: {why}: write the file anew")]
    Definition {
        /// Which command, from 1.
        at: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A beginning does not give every variable a value.
    #[error("the beginning \"{0}\" does not give every variable a value: write the file anew")]
    Beginning(String),
    /// The file has more or fewer obligations than its definitions require.
    #[error(
        "the certificate states {stated} obligations, and its definitions require {required}: it is cut off or was changed, \
         write the file anew"
    )]
    Obligations {
        /// How many the file has.
        stated: usize,
        /// How many are required.
        required: usize,
    },
    /// What would be written is not read as the same.
    #[error(
        "the system has names or terms that a certificate cannot hold: give them names of letters and digits"
    )]
    NotItself,
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}
