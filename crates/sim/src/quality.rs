//! The quality of service of failure detectors, after Chen, Toueg and Aguilera (IEEE Transactions on Computers 51(5), 2002),
//! measured in virtual time: detection time, mistake recurrence, mistake duration and query accuracy, of any
//! protocol that announces whom it suspects, on a network given by distributions or by a trace.
//!
//! Unlike the simulations that are held against the model, runs keep nothing of their past, so that they can be as long and
//! as large as mistakes are rare and clusters are large. Nothing here has a clock.

mod batch;
mod cluster;
mod figures;
mod interval;
mod link;
mod measuring;
mod queue;
mod slow;
mod splitting;
mod spread;
mod tally;
mod trace;
mod under_way;

pub use cluster::HostMaker;
pub use figures::{QualityOfService, SplittingFigures};
pub use interval::Estimate;
pub use link::{BurstLoss, DelaySource, NetworkProfile};
pub use measuring::{MeasureError, MeasurePlan, MeasureProgress, MeasuredSubject, RareMistakes};
pub use slow::SlowMembers;
pub use spread::DurationSpread;
pub use trace::{DelayTrace, TraceError};
