//! The one way in which an exact operation can fail: its numbers do not fit. It never shows as a wrong answer.

use std::error::Error;
use std::fmt;

/// A number in the computation did not fit. Nothing was rounded and nothing was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the coefficients of a polyhedron became too large; use smaller constants or fewer variables",
        )
    }
}

impl Error for Overflow {}
