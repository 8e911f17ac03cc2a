//! Stores of visited states. All are exact: what a place holds, and where it stands, tell the whole packed
//! state and the depth at which it was found. So nothing is ever taken for something else, and the way
//! back to the start needs no memory of its own.

mod atomics;
mod form;
mod key;
mod memory;
mod place;
mod table;

pub(crate) use form::Form;
pub(crate) use key::Key;
pub(crate) use place::Insert;
pub(crate) use table::StateTable;
