//! Worlds whose protocols stand on an abstract detector, leave messages lying, or have a horizon: counted by hand, and
//! held against what Chandra and Toueg say of the classes.

mod beyond;
mod class;
mod families;
mod perfect;
mod refused;
mod selective;
mod told;
mod waiter;
mod walk;
