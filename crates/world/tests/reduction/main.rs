//! Partial-order reduction held against the full search: on protocols drawn at random, on the protocols of the house,
//! and on what it must refuse.
#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

mod compare;
mod draw;
mod house;
mod observers;
mod promises;
mod random;
mod refused;
#[path = "../../src/tests/samples.rs"]
#[allow(dead_code)]
mod samples;
mod symmetric;
