//! What a failure detector should guarantee, as observers: fed with hand-written observations, under renamings, and
//! a protocol whose processes begin late.

mod accuracy;
mod completeness;
mod observations;
mod staggered;
