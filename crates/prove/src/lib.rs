//! All parameters at once. A [`System`] is a transition system over numbers, truth values and sets of numbers,
//! with symbolic parameters; one definition is searched for fixed parameters, as a `Space`, and proven for all of
//! them by an SMT solver. Nothing here knows a protocol, and nothing here prints.

pub mod sexpr;
pub mod solver;

mod bounded;
mod certificate;
mod code;
mod finding;
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
mod system;
mod template;
mod term;
mod theorem;
mod witness;

pub use bounded::{
    Bounded, BoundedError, Inducted, Moment, Run, bounded, k_induction, k_induction_obligations,
};
pub use certificate::{
    Answered, Certificate, CertificateError, FORMAT, Kind, Origin, Premise, Rechecked, property_differences,
    recheck, system_differences,
};
pub use finding::{Found, NotFound, Progress, Search, find, sampled};
pub use horn::{Horn, HornError, Spacer, horn, horn_clauses, spacer_answer};
pub use houdini::{Sieve, Sifted, is_proof, minimised, sift};
pub use induction::{Counterexample, Judge, Judged, Outcome, judge_all};
pub use instance::{Instance, InstanceError, State, Turn};
pub use obligation::{Claim, Duty, Obligation, numbered};
pub use parse::{ParseError, term};
pub use path::{Choice, Draw, Path};
pub use simulation::{ABSTRACT, Reply, Simulation, SimulationError};
pub use smtlib::Query;
pub use space::{Searched, Unsearchable};
pub use system::{
    Alternative, Block, Parameter, Said, Statement, Step, System, SystemError, Variable, assign, assume,
    choose, either, redraw, when,
};
pub use template::{Grammar, Sample, candidates};
pub use term::{Sort, Term};
pub use theorem::{Case, Effort, Refutation, Shown, Theorem, Trouble};
pub use witness::{Act, Auxiliary, Move, Witness, WitnessError};
