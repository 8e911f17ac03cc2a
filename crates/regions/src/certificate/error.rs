//! Why a certificate of regions cannot be written, read or put to a solver. Whether it is right is no error: that is what
//! its obligations are for.

use crate::decisions::Trouble;

/// Why there is no certificate, or none that can be verified.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RegionCertificateError {
    /// There is nothing to certify.
    #[error("the property is not known to hold anywhere, so there is nothing to certify")]
    NothingHolds,
    /// What was written is not read as the same.
    #[error(
        "this certificate would not be read as what it is; parameters must have names of letters, digits and _, each its own"
    )]
    NotItself,
    /// Another kind of file.
    #[error(
        "this is no certificate of regions: its first line is not `{opening} {format}`; write one with regions --certificate FILE"
    )]
    Opening {
        /// The first words.
        opening: &'static str,
        /// The number of the format.
        format: u32,
    },
    /// A format that is not known.
    #[error("this certificate has format `{found}`, and this program reads format {known}; write it again")]
    Format {
        /// The format of the file.
        found: String,
        /// The format that is read.
        known: u32,
    },
    /// A line that is not what it should be.
    #[error("line {line} of this certificate is damaged: {why}; write the certificate again")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The file ends too early.
    #[error("this certificate is cut off: it ends without its last line, `end`; write it again")]
    CutOff,
    /// The models have other parameters.
    #[error(
        "this certificate is about the parameters {}, and the model has {}: it belongs to another model",
        told.join(", "), known.join(", ")
    )]
    Parameters {
        /// Those of the file.
        told: Vec<String>,
        /// Those of the models.
        known: Vec<String>,
    },
    /// There are too few models.
    #[error(
        "this certificate is about model {wanted}, and there are {there}: it belongs to another protocol"
    )]
    Models {
        /// The number of the model, from 1.
        wanted: usize,
        /// How many there are.
        there: usize,
    },
    /// A state has other variables than the file says.
    #[error(
        "this certificate gives a state {told} variables, and it has {known}: it belongs to another model, or is damaged"
    )]
    Variables {
        /// As the file says.
        told: usize,
        /// As it is.
        known: usize,
    },
    /// The edges of a model cannot be had.
    #[error(transparent)]
    Trouble(#[from] Trouble),
}
