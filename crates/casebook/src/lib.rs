//! Published models, written down as they were printed, and published tables, computed again: the printed figures
//! beside the figures of a search, with the reason where they differ. A model lives here when its steps are
//! not those of a protocol in a world; nothing here is ever deployed.
//!
//! Each case has a module: the choices that the publication varies, a space to search, and a function `table` that
//! computes the published table again as a [`table::PublishedTable`].
//!
//! ```
//! use watchkeeper_casebook::chandra_toueg::{ChandraTouegCase, ChandraTouegProperty, Encoding};
//! use watchkeeper_explore::{NoCallback, Search, check};
//!
//! // One sender and one receiver: messages take at most 2 global steps, a process acts at least once in 4,
//! // and the receiver waits for 3 of its own steps before it suspects. That is too short.
//! let case = ChandraTouegCase::new(2, 4, 3, Encoding::Counter)?;
//! let space = case.space();
//! let question = ChandraTouegProperty::StrongAccuracy.question(&space);
//! let verdict = check(&space, &question, &Search::default(), &NoCallback)?;
//! assert_eq!(verdict.trace().map(|trace| trace.steps.len()), Some(42)); // as printed in Table 2
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod chandra_toueg;
pub mod consensus;
pub mod heartbeats;
mod labels;
pub mod membership;
mod names;
pub mod parametric;
mod published_ring;
mod replay;
pub mod ring;
pub mod ring_refinement;
pub mod ring_timed;
pub mod specifications;
pub mod table;

pub use names::{OutOfRange, UnknownName};
