//! SMT solvers as processes: text in, answers out. Z3 and cvc5 are interchangeable. Each is found on the machine
//! and has a time limit for every question; a solver that overruns its limit is stopped and asked nothing more.
//! Nothing here knows a term, a system or a proof, and an error of a solver is never taken for an answer.

mod answer;
mod backend;
mod error;
mod find;
mod group;
mod process;
mod script;
mod session;

pub use crate::sexpr::symbol;
pub use answer::{SmtValue, SolverAnswer, TIME};
pub(crate) use answer::{decimal, gcd};
pub use backend::{Backend, SolverPackage, UnknownBackend};
pub use error::SolverError;
pub use find::{MissingSolver, Solver, TimeLimitRecord, for_tests, found};
pub use group::stop_all;
pub use script::run_script;
pub(crate) use session::CheckedCommand;
pub use session::{SolverOptions, SolverSession};

#[cfg(test)]
mod fake;
#[cfg(test)]
mod find_tests;
#[cfg(test)]
mod session_tests;
