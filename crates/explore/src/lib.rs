//! Search engines over any [`Space`](watchkeeper_space::Space): breadth-first over all cores with an exact store, beams, random
//! walks, claims about infinite runs, and refinement. In a space with zones the breadth-first search uses subsumption: it keeps
//! for each discrete part only the zones that no other one includes. Engines know rows and ids, never a protocol. They read no
//! clock: a [`ProgressCallback`] receives their progress and may stop them. They never print.
//!
//! ```
//! use watchkeeper_explore::{NoCallback, Search, check};
//! use watchkeeper_logic::Question;
//! use watchkeeper_space::{
//!     Action, ActionClass, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Stuck, Successors, Trace,
//!     View,
//! };
//!
//! /// Two counters that stop at 3.
//! struct Counters(Shape);
//!
//! impl Space for Counters {
//!     fn shape(&self) -> &Shape {
//!         &self.0
//!     }
//!     fn initial(&self) -> Vec<Vec<Id>> {
//!         vec![vec![0, 0]]
//!     }
//!     fn expand(&self, row: &[Id], out: &mut Successors) {
//!         for slot in (0..2).filter(|&slot| row[slot] < 3) {
//!             out.step(Action::new(0, slot as u64), &[Edit::new(slot, row[slot] + 1)]);
//!         }
//!     }
//!     fn stuck(&self, _: &[Id]) -> Stuck {
//!         Stuck::Finished
//!     }
//!     fn atom(&self, _: AtomId, _: &[Id]) -> bool {
//!         true
//!     }
//!     fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
//!         row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
//!     }
//! }
//! # impl Narration for Counters {
//! #     fn view(&self, _: &[Id]) -> View {
//! #         View::new()
//! #     }
//! #     fn label(&self, _: &[Id], _: Action) -> String {
//! #         "increment".into()
//! #     }
//! #     fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
//! #         Ok(Trace::default())
//! #     }
//! # }
//!
//! let classes = vec![ActionClass { name: "increment".into(), role: Role::Other }];
//! let space = Counters(Shape { slots: vec!["a".into(), "b".into()], classes, ..Shape::default() });
//! let question = Question { deadlock: true, ..Question::default() };
//! let verdict = check(&space, &question, &Search::default(), &NoCallback)?;
//! assert!(verdict.holds());
//! assert_eq!(verdict.stats.level_sizes, [1, 2, 3, 4, 3, 2, 1]);
//! # Ok::<(), watchkeeper_explore::ExploreError>(())
//! ```

mod admission;
mod breadth;
mod collapse;
mod continuations;
#[cfg(test)]
mod crowded;
mod dictionary;
mod distributed;
mod error;
mod external;
mod follow;
mod hooks;
mod journal;
mod layout;
mod level_report;
mod listing;
mod live;
mod monitored;
mod naive;
mod naive_liveness;
mod naive_subsumption;
mod reconstruction;
mod refinement;
mod retold;
mod scout;
mod search;
mod search_result;
mod shorten;
mod state_checker;
mod stop_signal;
mod store;
mod subsumption;
mod symmetric;
mod threads;
mod traversal;
mod verdict;
mod visited;
mod walks;
mod worker;

#[doc(hidden)]
pub use collapse::Collapsed;
pub use continuations::Continuations;
pub use dictionary::{BadParts, PartsReader, PartsWriter};
pub use distributed::{Connect, Exchange, Receive, SearchPeers};
pub use error::ExploreError;
pub use follow::{FollowedRun, ToldRun, follow};
#[doc(hidden)]
pub use hooks::{Hooks, KeyWidth};
pub use journal::Checkpoints;
pub use listing::{ListState, StateList, list};
pub use live::{liveness, liveness_eager, liveness_general};
pub use monitored::Monitored;
pub use naive::{graph, naive};
pub use naive_liveness::naive_liveness;
pub use naive_subsumption::naive_subsumption;
pub use refinement::{RefinementMapping, RefinementSide, SlotCondition, refines, refines_by};
#[doc(hidden)]
pub use retold::{Retold, retold};
pub use search::{
    DiskStore, NoCallback, Progress, ProgressCallback, Reduction, Search, Store, Strategy, SymmetryReduction,
    check,
};
#[doc(hidden)]
pub use symmetric::Symmetric;
pub use traversal::{Traversal, TraversalEnd, VisitState};
