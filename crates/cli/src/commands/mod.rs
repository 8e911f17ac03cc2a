//! The commands, one to a file: from their arguments to an exit code.

pub(crate) mod casebook;
pub(crate) mod check;
pub(crate) mod list;
pub(crate) mod sweep;
