//! What a failure detector should guarantee, as observers: fed with hand-written observations, under renamings, and
//! a protocol whose processes begin late.

mod accuracy;
mod completeness;
#[path = "../environment/effects.rs"]
mod effects;
mod mistakes;
mod observations;
mod staggered;
