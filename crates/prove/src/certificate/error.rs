//! Why a certificate is not accepted. None of these is a verdict about the proof: the file is not one.

use crate::sexpr::SexprError;
use crate::solver::SolverError;
use std::fmt;

/// Why a file is no certificate, or could not be rechecked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertificateError {
    /// The text is not SMT-LIB.
    Syntax(SexprError),
    /// The first command is not the mark of a certificate.
    NotACertificate,
    /// A format that is not known.
    Format(String),
    /// A kind that is not known.
    Kind(String),
    /// A command is not the one that the format has there.
    Command {
        /// Which command, from 1.
        at: usize,
        /// What it is.
        found: String,
        /// What it should be.
        wanted: String,
    },
    /// A declaration, a definition or a lemma makes no sense.
    Definition {
        /// Which command, from 1.
        at: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A beginning does not give every variable a value.
    Beginning(String),
    /// The file has more or fewer obligations than its definitions require.
    Obligations {
        /// How many the file has.
        stated: usize,
        /// How many are required.
        required: usize,
    },
    /// What would be written is not read as the same.
    NotItself,
    /// The solver failed.
    Solver(SolverError),
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::Syntax(error) => write!(f, "the certificate is not SMT-LIB: {error}"),
            CertificateError::NotACertificate => f.write_str(
                "this is no certificate: the first command must be (set-info :watchkeeper-certificate 1)",
            ),
            CertificateError::Format(found) => {
                write!(f, "the certificate has format {found}: this version reads format {}", super::FORMAT)
            }
            CertificateError::Kind(found) => {
                write!(f, "the certificate is of kind \"{found}\": this version reads induction and lemmas")
            }
            CertificateError::Command { at, found, wanted } => {
                write!(f, "command {at} of the certificate is {found}, and should be {wanted}: write the file anew")
            }
            CertificateError::Definition { at, why } => {
                write!(f, "command {at} of the certificate makes no sense: {why}: write the file anew")
            }
            CertificateError::Beginning(name) => {
                write!(f, "the beginning \"{name}\" does not give every variable a value: write the file anew")
            }
            CertificateError::Obligations { stated, required } => write!(
                f,
                "the certificate states {stated} obligations, and its definitions require {required}: it is cut off or \
                 was changed, write the file anew"
            ),
            CertificateError::NotItself => f.write_str(
                "the system has names or terms that a certificate cannot hold: give them names of letters and digits",
            ),
            CertificateError::Solver(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CertificateError {}

impl From<SolverError> for CertificateError {
    fn from(error: SolverError) -> CertificateError {
        CertificateError::Solver(error)
    }
}
