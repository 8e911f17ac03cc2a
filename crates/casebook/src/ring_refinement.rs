//! The deployable ring detector, held against the automata of its tasks (figures 6.6 to 6.8 of Atif's thesis): does
//! it announce nothing that they could not announce? And the check that the authors' FDR2 script makes of their own
//! model, again. Nothing is compared but what can be seen from outside: suspicions, their ends, and the crash.

mod claims;
mod hasty;
mod spec1;
mod table;
mod visible;
mod witness;

pub use claims::{Pairing, ProofMethod, RefinementClaim, claims};
pub use hasty::Hasty;
pub use spec1::Spec1;
pub use table::table;
pub use visible::{Environment, alphabet};
pub use witness::RingWitness;

#[cfg(test)]
mod tests;
