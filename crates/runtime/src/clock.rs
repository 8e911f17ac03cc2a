//! The clocks that the shells read: nanoseconds that never go back, the wall clock only to see it jump, and how long the
//! machine was suspended. A protocol never sees any of them.

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use watchkeeper_node::SystemClocks;

/// Reads the time, in nanoseconds since the machine was started. All processes of one machine read the same
/// clock, so their recordings can be compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeClock {
    origin: Instant,
    origin_ns: u64,
}

impl NodeClock {
    pub(crate) fn new() -> NodeClock {
        NodeClock { origin_ns: since_start(), origin: Instant::now() }
    }

    pub(crate) fn now(&self) -> u64 {
        self.origin_ns + self.origin.elapsed().as_nanos() as u64
    }

    /// The moment that this clock shows so.
    pub(crate) fn instant(&self, ns: u64) -> Instant {
        let ahead = std::time::Duration::from_nanos(ns.saturating_sub(self.origin_ns));
        self.origin.checked_add(ahead).unwrap_or(self.origin)
    }

    /// What the other clocks show.
    pub(crate) fn reading(&self) -> SystemClocks {
        SystemClocks { wall: wall(), suspended: suspended() }
    }
}

/// The reading of the monotonic clock that all processes of this machine share. Elsewhere than on Unix there is none, so
/// the clock of a node begins with it; its [`name`] then is that of the process, and no other recording has it.
fn since_start() -> u64 {
    #[cfg(unix)]
    {
        reading(ClockId::Monotonic)
    }
    #[cfg(not(unix))]
    0
}

#[cfg(unix)]
fn reading(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// How long the machine has been suspended, where that can be told.
#[cfg(target_os = "linux")]
fn suspended() -> u64 {
    reading(ClockId::Boottime).saturating_sub(since_start())
}

#[cfg(not(target_os = "linux"))]
fn suspended() -> u64 {
    0
}

/// Nanoseconds of the wall clock since 1970, or before.
fn wall() -> i128 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    }
}

/// The name of this machine's clock: it begins anew with every start of the machine.
pub(crate) fn name() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    id.map_or_else(|_| format!("process {}", std::process::id()), |id| format!("boot {}", id.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_readings_agree() {
        let clock = NodeClock::new();
        let now = clock.now();
        assert!(clock.instant(now + 1_000_000) > clock.instant(now));
        assert!(clock.instant(now) <= Instant::now());
        assert!(clock.reading().wall > 0 && !name().is_empty());
    }
}
