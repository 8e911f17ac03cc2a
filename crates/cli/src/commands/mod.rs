//! The commands, one to a file: from their arguments to an exit code.

pub(crate) mod bound;
pub(crate) mod call;
pub(crate) mod casebook;
pub(crate) mod check;
pub(crate) mod choose;
pub(crate) mod classify;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod cutoff;
pub(crate) mod explore;
pub(crate) mod key;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod measure;
pub(crate) mod prove;
pub(crate) mod recheck;
pub(crate) mod reenact;
pub(crate) mod regions;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod simulate;
pub(crate) mod status;
pub(crate) mod sweep;
