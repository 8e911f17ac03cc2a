//! Every interleaving of a few threads on the engines' table, and every value that a weak memory order lets them see, by
//! `loom`. What is checked is the very source of `explore/src/store`, compiled here with loom's atomics and with memory for
//! a handful of places; a copy would prove nothing about the original.

#[allow(dead_code)]
#[path = "../../explore/src/layout.rs"]
mod layout;
pub mod models;
mod store;
#[allow(dead_code)]
#[path = "../../explore/src/threads.rs"]
mod threads;
