//! The words that threads share, as the machine has them. The crate `races` compiles the other files of this directory
//! with a model checker's atomics in place of this module and of [`memory`](super::memory), so nothing here or there may take
//! its atomics from anywhere else.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
