//! Processes: a specification as a space that every engine can search. The names of its processes are resolved, its sequential
//! components are told apart, and what they can do together is found from action names before the search begins.

mod branches;
mod choices;
mod composition;
mod constants;
mod expression;
mod joint;
mod local_state;
mod memory;
mod model;
mod model_error;
mod naive;
mod offer;
mod parts;
mod process_space;
mod resolver;
mod retelling;
mod solver;
mod step_table;
mod substitution;
mod summand;
mod synchronisation;
mod system;
mod values;

pub use model_error::ProcessError;
pub use process_space::{ProcessSpace, SpaceFailure};

#[cfg(test)]
mod tests;
