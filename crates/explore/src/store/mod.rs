//! Stores of visited states. All are exact: a place holds the whole packed state and the depth at which
//! it was found, so that nothing is ever taken for something else, and the way back to the start needs
//! no memory of its own.

mod key;
mod memory;
mod table;

pub(crate) use key::Key;
pub(crate) use table::Table;
