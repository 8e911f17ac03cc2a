//! The clock of a node: nanoseconds that never go back, and the wall clock only to see it jump. A protocol
//! never sees either.

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// By how much the wall clock may drift against the monotonic one between two looks before it has jumped.
const JUMP: i128 = 500_000_000;

/// Reads the time, in nanoseconds since the machine was started. All processes of one machine read the same
/// clock, so their recordings can be compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeClock {
    origin: Instant,
    origin_ns: u64,
    /// The wall clock minus this one, at the last look.
    ahead: i128,
    /// For how long the machine has been suspended since it was started, at the last look.
    suspended: u64,
}

impl NodeClock {
    pub(crate) fn new() -> NodeClock {
        let origin_ns = since_start();
        let origin = Instant::now();
        let ahead = wall() - i128::from(origin_ns);
        NodeClock { origin, origin_ns, ahead, suspended: suspended() }
    }

    pub(crate) fn now(&self) -> u64 {
        self.origin_ns + self.origin.elapsed().as_nanos() as u64
    }

    /// The moment that this clock shows so.
    pub(crate) fn instant(&self, ns: u64) -> Instant {
        let ahead = Duration::from_nanos(ns.saturating_sub(self.origin_ns));
        self.origin.checked_add(ahead).unwrap_or(self.origin)
    }

    /// For how long the machine was suspended since the last look; this clock stood still meanwhile.
    pub(crate) fn slept(&mut self) -> u64 {
        let total = suspended();
        let slept = total.saturating_sub(self.suspended);
        self.suspended = total.max(self.suspended);
        slept
    }

    /// By how many nanoseconds the wall clock has jumped since the last look, if it has.
    pub(crate) fn jumped(&mut self, now: u64) -> Option<i64> {
        let ahead = wall() - i128::from(now);
        let by = ahead - self.ahead;
        self.ahead = ahead;
        (by.abs() > JUMP).then(|| by.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
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

/// Nanoseconds of the wall clock.
fn wall() -> i128 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    }
}

/// The number of an incarnation that begins now: a later one has a greater number, unless the wall clock was set back,
/// and two that begin in the same microsecond differ all the same.
pub(crate) fn new_incarnation(random: u64) -> u64 {
    let micros = (wall() / 1000).clamp(1, (1 << 52) - 1) as u64;
    micros << 12 | random & 0xfff
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
    fn later_incarnations_have_greater_numbers_and_equal_moments_differ() {
        let first = new_incarnation(0xfff);
        // The next microsecond is not far.
        assert!((0..1_000_000).any(|_| new_incarnation(0) > first));
    }

    #[test]
    fn a_jump_is_told_once_and_drift_is_not() {
        let mut clock = NodeClock::new();
        assert_eq!(clock.jumped(clock.now()), None);
        clock.ahead -= 3_000_000_000;
        let by = clock.jumped(clock.now()).expect("a jump");
        assert!((2_500_000_000..3_500_000_000).contains(&by), "{by}");
        assert_eq!(clock.jumped(clock.now()), None);
    }

    #[test]
    fn a_machine_that_slept_is_noticed_once() {
        let mut clock = NodeClock::new();
        assert!(clock.slept() < 1_000_000);
        clock.suspended = clock.suspended.saturating_sub(7_000_000_000);
        // Where the machine was never suspended there is nothing to take back.
        let slept = clock.slept();
        assert!(slept <= 7_001_000_000 && clock.slept() < 1_000_000, "{slept}");
    }

    #[test]
    fn moments_and_readings_agree() {
        let clock = NodeClock::new();
        let now = clock.now();
        assert!(clock.instant(now + 1_000_000) > clock.instant(now));
        assert!(clock.instant(now) <= Instant::now());
    }
}
