//! Time: worlds counted by hand, and ticks, zones and no time at all compared on worlds made at random.

mod differential;
pub(crate) mod draw;
mod early;
mod eventual;
mod examples;
mod keeper;
mod locks;
mod named;
mod observers;
mod reach;
mod recordings;
mod recovery;
mod refused;
mod replays;
mod script;
mod speed;
mod starts;
mod symmetric;
mod tellings;
mod threads;
mod unknown;
mod windows;
