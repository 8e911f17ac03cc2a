//! Proofs for all parameters at once. A [`System`] is a transition system over numbers, truth values and sets of numbers,
//! with symbolic parameters. One definition serves a search with fixed parameters ([`SystemSpace`]) and a proof for all of
//! them, by an inductive invariant that SMT solvers check obligation by obligation ([`Theorem`]). A proof can be written to
//! a file and verified again ([`Certificate`], [`recheck`]). Nothing here knows a protocol, and nothing here prints.
//!
//! ```
//! use std::time::Duration;
//! use watchkeeper_prove::{Claim, ObligationStatus, System, SystemInstance, assign, assume, check_all, solver};
//!
//! let system = System::new("counter")
//!     .parameter("n", "where it ends")
//!     .assuming("n >= 1")
//!     .number("x", 0, "the count")
//!     .initially([assign("x", "0")])
//!     .step("count", [assume("x < n"), assign("x", "x + 1")])
//!     .finished()?;
//! let property = Claim::new("bounded", system.formula("x <= n")?);
//! // One instance, searched: the counter takes the values 0 to 3.
//! let instance = SystemInstance::new(&system, &[3])?;
//! assert_eq!(instance.reachable(100)?.map(|states| states.len()), Some(4));
//! // All instances, proven by induction, if Z3 or cvc5 is installed.
//! let obligations = system.obligations(&[property.clone()], &property);
//! for solver in solver::found() {
//!     let checked = check_all(&system, &obligations, &solver, Duration::from_secs(20), |_| {})?;
//!     assert!(checked.iter().all(|one| one.outcome == ObligationStatus::Discharged));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod sexpr;
pub mod solver;

mod bounded;
mod certificate;
mod code;
mod horn;
mod houdini;
mod induction;
mod instance;
mod obligation;
mod parse;
mod path;
mod simulation;
mod smtlib;
mod sorts;
mod space;
mod synthesis;
mod system;
mod template;
mod term;
mod theorem;
mod witness;

pub use bounded::{
    BoundedError, BoundedResult, BoundedRun, BoundedState, KInductionResult, bounded, k_induction,
    k_induction_obligations,
};
pub use certificate::{
    Certificate, CertificateError, CertificateKind, CertificateOrigin, FORMAT, RecheckResult,
    RecheckedObligation, RecheckedPremise, property_differences, recheck, system_differences,
};
pub use horn::{HornError, HornResult, Spacer, horn, horn_clauses, spacer_answer};
pub use houdini::{HoudiniProgress, HoudiniResult, inductive_subset, is_proof, minimised};
pub use induction::{CheckedObligation, Counterexample, ObligationChecker, ObligationStatus, check_all};
pub use instance::{InstanceError, InstanceTransition, State, SystemInstance};
pub use obligation::{Claim, Obligation, ObligationKind, numbered};
pub use parse::{TermSyntaxError, term};
pub use path::{Choice, Draw, Path};
pub use simulation::{ABSTRACT, Reply, Simulation, SimulationError};
pub use smtlib::SmtQuery;
pub use space::{SystemSpace, SystemSpaceError};
pub use synthesis::{FoundInvariant, InvariantProgress, NoInvariant, find, sampled};
pub use system::{
    Alternative, Block, Parameter, ParsedStatement, Statement, System, SystemError, SystemStep, Variable,
    assign, assume, choose, either, redraw, when,
};
pub use template::{CandidateTable, Grammar, Sample, candidates};
pub use term::{Term, TermSort};
pub use theorem::{ProofAttempt, ProofError, ProofGoal, ProofOptions, Refutation, Theorem};
pub use witness::{Auxiliary, ParametricWitness, WitnessError, WitnessPhase, WitnessStep};
