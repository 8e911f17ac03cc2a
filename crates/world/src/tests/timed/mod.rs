//! Time: worlds counted by hand, and ticks, zones and no time at all compared on worlds made at random.

mod differential;
mod draw;
mod reach;
