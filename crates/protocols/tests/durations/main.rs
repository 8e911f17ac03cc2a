//! The protocols with durations that are no whole units of time: halves are exact, and a comparison is asked for only
//! where two durations are different.

mod chandra_toueg;
mod exact;
mod heartbeat;
mod ring;
mod script;
