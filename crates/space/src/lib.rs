//! What a search engine may see of a model, and nothing more. A global state is a row of small ids, one
//! for each part of the system; a step is an edit of a few of them. Engines pack, store and compare rows
//! without knowing what an id stands for. This room holds the interface only: no engine, no model.

mod action;
mod admission;
mod capabilities;
mod graph;
mod shape;
mod space;
mod successors;
mod trail;

pub use action::{Action, Class, ClassId, Doing, Role};
pub use admission::{Asked, AskedClaim, Given, Refusal, Unreduced};
pub use capabilities::{ActionLabels, AmpleSets, Narration, Symmetries, Zones};
pub use graph::Graph;
pub use shape::{Atom, AtomId, Cap, Shape};
pub use space::{Id, Space, Stuck, admits_by_default, admits_renaming};
pub use successors::{Edit, Successors};
pub use trail::{Mismatch, Steps, Trail, apply, name_steps, steps, successors};

// What a verdict and a monitor need of the contract, so that rooms behind this one need no arrow to it.
pub use watchkeeper_core::{Event, MessageId, Pid, Step, Tone, Trace, Value, View};
