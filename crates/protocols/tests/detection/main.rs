//! What a failure detector should guarantee, as observers: fed with hand-written sights, under renamings, and
//! a protocol whose processes begin late.

mod accuracy;
mod completeness;
mod sights;
mod staggered;
