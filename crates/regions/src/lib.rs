//! For which timeouts is a protocol right? A protocol whose durations are unknown ([`Linear`]) is searched symbolically: a
//! state is a discrete part and a convex polyhedron over the parameters and the remaining times of all obligations.
//! The answer is the exact region of parameters in which the property holds, and the region in which it fails.
//!
//! Nothing here runs a protocol with numbers, and nothing here prints. What is found can be held against `check` at every
//! point, and written down as a certificate that needs no trust in this search.

mod answer;
mod certificate;
mod condition;
mod config;
mod cover;
mod decisions;
mod edge;
mod facets;
mod formula;
mod linear;
mod model;
mod reading;
mod search;
mod step;
mod symmetry;
mod transition;
mod widening;

pub use answer::{RegionAnswer, RegionLimits};
pub use certificate::{
    REGION_FORMAT, RegionCertificate, RegionCertificateError, RegionDuty, RegionObligation,
};
pub use condition::Condition;
pub use decisions::{Branch, Trouble, branches, durations};
pub use edge::Edge;
pub use facets::{FacetPoints, beside_facets};
pub use formula::{same_region, simplest};
pub use linear::{Linear, LinearError};
pub use model::{Model, ModelError, TypedModel};
pub use reading::ConditionError;
pub use search::{FailingPiece, RegionCallback, RegionProgress};
