//! A running cluster as a page shows it, and what the page may do to it. Whoever serves the page holds a [`LiveDesk`]; the
//! session that runs the cluster answers it. Nothing here knows HTTP, and nothing here touches a node itself.

mod acts;
mod chart;
mod desk;
mod view;

pub(crate) use acts::{LiveAct, LiveRefusal};
pub(crate) use desk::{LiveCluster, LiveDesk, LiveRequest};
pub(crate) use view::{LiveNode, LiveView};
