//! The interface between models and search engines. A global state is a row of small ids, one for each part of the system;
//! a step is an edit of a few of them. Engines pack, store and compare rows without knowing what an id stands for. This crate
//! holds the interface only: no engine, no model.
//!
//! A model implements [`Space`]. This one is a counter that stops at 3:
//!
//! ```
//! use watchkeeper_space::{
//!     Action, ActionClass, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Stuck, Successors, Trace,
//!     Value, View, successors,
//! };
//!
//! struct Counter(Shape);
//!
//! impl Space for Counter {
//!     fn shape(&self) -> &Shape {
//!         &self.0
//!     }
//!     fn initial(&self) -> Vec<Vec<Id>> {
//!         vec![vec![0]]
//!     }
//!     fn expand(&self, row: &[Id], out: &mut Successors) {
//!         if row[0] < 3 {
//!             out.step(Action::new(0, 0), &[Edit::new(0, row[0] + 1)]);
//!         }
//!     }
//!     fn stuck(&self, _: &[Id]) -> Stuck {
//!         Stuck::Finished
//!     }
//!     fn atom(&self, _: AtomId, _: &[Id]) -> bool {
//!         true
//!     }
//!     fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
//!         out.extend_from_slice(&row[0].to_be_bytes());
//!     }
//! }
//!
//! impl Narration for Counter {
//!     fn view(&self, row: &[Id]) -> View {
//!         vec![("count".into(), Value::str(row[0].to_string()))]
//!     }
//!     fn label(&self, _: &[Id], _: Action) -> String {
//!         "increment".into()
//!     }
//!     fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
//!         Ok(Trace::default())
//!     }
//! }
//!
//! let class = ActionClass { name: "increment".into(), role: Role::Other };
//! let counter = Counter(Shape { slots: vec!["count".into()], classes: vec![class], ..Shape::default() });
//! assert_eq!(successors(&counter, &[2]), [(Action::new(0, 0), vec![3])]);
//! assert!(successors(&counter, &[3]).is_empty());
//! ```

mod action;
mod admission;
mod capabilities;
mod data_label;
mod graph;
mod path;
mod picture;
mod shape;
mod space;
mod successors;
mod timed_trace;

pub use action::{Action, ActionClass, ActionLabel, ClassId, Role};
pub use admission::{Expansion, FullyExpanded, QueriedClaim, Refusal, SpaceQuery};
pub use capabilities::{
    ActionLabels, AmpleSets, DataLabels, FixedIds, Narration, Parts, RunTimes, Symmetries, Zones,
};
pub use data_label::{DataAction, DataLabel, Vocabulary};
pub use graph::Graph;
pub use path::{Mismatch, StatePath, Steps, apply, name_steps, steps, successors};
pub use picture::{DueSpan, MessagePicture, ProcessPicture, ProcessStatus, StatePicture, TimerPicture};
pub use shape::{Atom, AtomId, Cap, Shape};
pub use space::{Id, Space, Stuck, admits_by_default, admits_renaming};
pub use successors::{Edit, Successors};
pub use timed_trace::{TimeWindow, TimedTrace, TimesRefused};

// The types of the contract that a verdict and a monitor need, so that crates behind this one need no dependency on core.
pub use watchkeeper_core::{Event, MessageId, Pid, Step, Tone, Trace, Value, View};
