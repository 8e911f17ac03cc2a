//! All parameters at once. A [`System`] is a transition system over numbers, truth values and sets of numbers,
//! with symbolic parameters; one definition is searched for fixed parameters, as a `Space`, and proven for all of
//! them by an SMT solver. Nothing here knows a protocol, and nothing here prints.

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
pub use synthesis::{FoundInvariant, InvariantProgress, InvariantSearch, NoInvariant, find, sampled};
pub use system::{
    Alternative, Block, Parameter, ParsedStatement, Statement, System, SystemError, SystemStep, Variable,
    assign, assume, choose, either, redraw, when,
};
pub use template::{Grammar, Sample, candidates};
pub use term::{Term, TermSort};
pub use theorem::{ProofAttempt, ProofError, ProofGoal, ProofOptions, Refutation, Theorem};
pub use witness::{Auxiliary, ParametricWitness, WitnessError, WitnessPhase, WitnessStep};
