//! Amounts as people write them: `4GiB`, `90s`, `auto`. Nothing here looks at a clock or at the machine,
//! apart from the one question how much there is of what `auto` asks for.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;
use watchkeeper_core::Pid;

/// An amount of memory, or what the machine can spare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryLimit {
    /// Three quarters of what is free when the search begins.
    Auto,
    /// So many bytes.
    Bytes(u64),
}

const UNITS: [(&str, u64); 9] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

impl From<u64> for MemoryLimit {
    fn from(bytes: u64) -> MemoryLimit {
        MemoryLimit::Bytes(bytes)
    }
}

/// An amount of disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskLimit(pub u64);

impl From<u64> for DiskLimit {
    fn from(bytes: u64) -> DiskLimit {
        DiskLimit(bytes)
    }
}

impl FromStr for DiskLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<DiskLimit, String> {
        match bytes(text) {
            Some(0) => Err("a limit of no disk lets nothing be stored; give at least 1MiB".to_string()),
            Some(bytes) => Ok(DiskLimit(bytes)),
            None => Err(format!("`{text}` is not an amount of disk; write a size like 100GiB or 500MB")),
        }
    }
}

impl fmt::Display for DiskLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MemoryLimit::Bytes(self.0).fmt(f)
    }
}

/// The bytes of a text such as `4GiB`.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(name, unit)| {
        let head = text.get(..text.len().checked_sub(name.len())?)?;
        text[head.len()..].eq_ignore_ascii_case(name).then_some((head.trim(), *unit))
    })?;
    scaled(number, unit)
}

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<MemoryLimit, String> {
        if text == "auto" {
            return Ok(MemoryLimit::Auto);
        }
        let wrong =
            || format!("`{text}` is not an amount of memory; write `auto` or a size like 4GiB or 500MB");
        let bytes = bytes(text).ok_or_else(wrong)?;
        if bytes == 0 {
            return Err("a limit of no memory lets nothing be searched; give at least 1MiB".to_string());
        }
        Ok(MemoryLimit::Bytes(bytes))
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryLimit::Bytes(bytes) = *self else {
            return f.write_str("auto");
        };
        let whole = UNITS[..4].iter().rev().find(|(_, unit)| bytes >= *unit && bytes % unit == 0);
        match whole {
            Some((name, unit)) => write!(f, "{}{name}", bytes / unit),
            None => write!(f, "{bytes}B"),
        }
    }
}

/// A span of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSpan(pub Duration);

impl From<Duration> for TimeSpan {
    fn from(duration: Duration) -> TimeSpan {
        TimeSpan(duration)
    }
}

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpan, String> {
        let wrong = || format!("`{text}` is not a span of time; write one like 500ms, 90s, 10min or 2h");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = text.split_at(digits);
        const MS: u64 = 1_000_000;
        let unit = match unit.trim() {
            "ms" => MS,
            "s" => 1_000 * MS,
            "m" | "min" => 60_000 * MS,
            "h" => 3_600_000 * MS,
            _ => return Err(wrong()),
        };
        let nanos = scaled(number, unit).ok_or_else(wrong)?;
        if nanos == 0 {
            return Err("no time at all is not enough here; give at least 1ms".to_string());
        }
        Ok(TimeSpan(Duration::from_nanos(nanos)))
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        match millis {
            _ if !self.0.subsec_nanos().is_multiple_of(1_000_000) => {
                write!(f, "{}ms", self.0.as_nanos() as f64 / 1e6)
            }
            _ if millis.is_multiple_of(3_600_000) => write!(f, "{}h", millis / 3_600_000),
            _ if millis.is_multiple_of(60_000) => write!(f, "{}min", millis / 60_000),
            _ if millis.is_multiple_of(1_000) => write!(f, "{}s", millis / 1_000),
            _ => write!(f, "{millis}ms"),
        }
    }
}

/// A number of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Workers {
    /// One for each core.
    Auto,
    /// So many.
    Exactly(NonZeroUsize),
}

impl Workers {
    /// More threads than any machine of today has cores are a slip of the hand.
    const MOST: usize = 1024;

    /// How many that are here.
    pub fn count(self) -> usize {
        match self {
            Workers::Auto => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            Workers::Exactly(count) => count.get(),
        }
    }
}

impl From<NonZeroUsize> for Workers {
    fn from(count: NonZeroUsize) -> Workers {
        Workers::Exactly(count)
    }
}

impl FromStr for Workers {
    type Err = String;

    fn from_str(text: &str) -> Result<Workers, String> {
        if text == "auto" {
            return Ok(Workers::Auto);
        }
        let count = text.parse().ok().filter(|count: &NonZeroUsize| count.get() <= Workers::MOST);
        let most = Workers::MOST;
        let wrong =
            || format!("`{text}` is not a number of threads; write `auto` or a number from 1 to {most}");
        count.map(Workers::Exactly).ok_or_else(wrong)
    }
}

/// A process as users write it: `p2`, or only its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessName(pub Pid);

impl FromStr for ProcessName {
    type Err = String;

    fn from_str(text: &str) -> Result<ProcessName, String> {
        let number = text.strip_prefix('p').unwrap_or(text).parse().ok();
        let wrong = || format!("`{text}` is not a process; write p0, p1 and so on");
        number.and_then(Pid::new).map(ProcessName).ok_or_else(wrong)
    }
}

/// `number` times `unit`, where the number may have a decimal point.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit);
    }
    let value = number.parse::<f64>().ok()? * unit as f64;
    // Above 2^53 a decimal fraction has no meaning any more.
    (value.is_finite() && (0.0..9.0e15).contains(&value)).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_and_written_in_powers_of_two() {
        assert_eq!("4GiB".parse(), Ok(MemoryLimit::Bytes(4 << 30)));
        assert_eq!("1.5 kib".parse(), Ok(MemoryLimit::Bytes(1536)));
        assert_eq!("500MB".parse(), Ok(MemoryLimit::Bytes(500_000_000)));
        assert_eq!("auto".parse(), Ok(MemoryLimit::Auto));
        assert_eq!(MemoryLimit::Bytes(4 << 30).to_string(), "4GiB");
        assert_eq!(MemoryLimit::Bytes(1500).to_string(), "1500B");
        for wrong in ["", "4", "GiB", "-1GiB", "0B", "4 gigs", "é", "99999999999TiB", "nanB", "infB"] {
            assert!(wrong.parse::<MemoryLimit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_amount_of_disk_is_a_size() {
        assert_eq!("1.5TiB".parse(), Ok(DiskLimit(3 << 39)));
        assert_eq!(DiskLimit(500 << 30).to_string(), "500GiB");
        for wrong in ["", "auto", "0B", "5", "GiB"] {
            assert!(wrong.parse::<DiskLimit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn spans_of_time_need_a_unit() {
        assert_eq!("90s".parse(), Ok(TimeSpan(Duration::from_secs(90))));
        assert_eq!("1.5min".parse(), Ok(TimeSpan(Duration::from_secs(90))));
        assert_eq!(TimeSpan(Duration::from_secs(120)).to_string(), "2min");
        for exact in ["250ms", "2.5ms", "90s", "1min", "3h"] {
            assert_eq!(exact.parse::<TimeSpan>().map(|span| span.to_string()).as_deref(), Ok(exact));
        }
        for wrong in ["", "90", "s", "0s", "1e3s", "-1s", "1 week"] {
            assert!(wrong.parse::<TimeSpan>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn workers_are_at_least_one() {
        assert_eq!("auto".parse(), Ok(Workers::Auto));
        assert_eq!("2".parse().map(Workers::count), Ok(2));
        for wrong in ["0", "-1", "many", "100000"] {
            assert!(wrong.parse::<Workers>().is_err(), "{wrong}");
        }
    }
}
