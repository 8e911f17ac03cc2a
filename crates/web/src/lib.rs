//! The explorer behind the page: the states, steps, runs and charts of a space as a browser asks for them, searches that
//! run beside, and who may ask at all. Everything is a function of a request; sockets, files and the protocols
//! themselves are elsewhere.

mod alternatives;
mod answer;
mod assets;
mod changes;
mod chart;
mod explorer;
mod guard;
mod jobs;
mod link;
mod opened;
mod run;
mod searching;
mod static_page;
mod step_through;

pub use alternatives::FoundAlternatives;
pub use answer::{Answered, WebProblem};
pub use assets::{ASSETS, Asset, CONTENT_POLICY, asset};
pub use explorer::Explorer;
pub use guard::{PageGuard, RequestHead, TOKEN_HEADER, names_loopback};
pub use jobs::{JobProgress, Jobs};
pub use link::LinkKey;
pub use opened::OpenedSpace;
pub use run::{Run, ToldSteps};
pub use static_page::StaticPage;
