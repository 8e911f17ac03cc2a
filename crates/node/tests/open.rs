//! Open clusters of nodes that talk through memory, in a time of their own: they are joined by asking a seed, left, and
//! come back to, and nobody gets in who has no key.

#[path = "open/chatter.rs"]
mod chatter;
#[path = "open/field.rs"]
mod field;
#[path = "open/growing.rs"]
mod growing;
#[path = "open/intruders.rs"]
mod intruders;
#[path = "open/returns.rs"]
mod returns;
#[path = "open/seeds.rs"]
mod seeds;
#[path = "open/traces.rs"]
mod traces;
