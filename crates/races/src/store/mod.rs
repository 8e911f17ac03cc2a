//! The store of the engines with other atomics and other memory. Everything else is the engines' own source.
#![allow(dead_code)]

mod atomics;
#[path = "../../../explore/src/store/form.rs"]
mod form;
#[path = "../../../explore/src/store/key.rs"]
mod key;
mod memory;
#[path = "../../../explore/src/store/place.rs"]
mod place;
#[path = "../../../explore/src/store/table.rs"]
mod table;

pub(crate) use key::Key;
pub(crate) use memory::{SHARD_BITS, SMALLEST_BITS};
pub(crate) use place::Insert;
pub(crate) use table::StateTable;
