//! Numbers as people read them. The machine formats never go through here.

use std::time::Duration;

/// A number with commas between groups of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An amount of memory in the largest binary unit of which there is at least one.
pub fn bytes(amount: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut scaled = amount as f64;
    let mut unit = "bytes";
    for larger in UNITS {
        if scaled < 1024.0 {
            break;
        }
        scaled /= 1024.0;
        unit = larger;
    }
    match unit {
        "bytes" => format!("{amount} bytes"),
        unit if scaled < 10.0 => format!("{scaled:.2} {unit}"),
        unit => format!("{scaled:.1} {unit}"),
    }
}

/// A span of time, in the units that suit its length. Anything that is no span of time is `0 ms`.
pub fn duration(seconds: f64) -> String {
    let seconds = Duration::try_from_secs_f64(seconds).map_or(0.0, |span| span.as_secs_f64());
    if seconds < 0.0995 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {rest:02} s") }
}

/// How many a second, in three digits.
pub(crate) fn rate(per_second: f64) -> String {
    match per_second {
        r if !r.is_finite() || r < 0.0 => "-".to_string(),
        r if r < 999.5 => format!("{r:.0}"),
        r if r < 999_500.0 => in_three_digits(r / 1e3, "k"),
        r if r < 999_500_000.0 => in_three_digits(r / 1e6, "M"),
        r => in_three_digits(r / 1e9, "G"),
    }
}

fn in_three_digits(scaled: f64, unit: &str) -> String {
    match scaled {
        s if s < 9.995 => format!("{s:.2} {unit}"),
        s if s < 99.95 => format!("{s:.1} {unit}"),
        s => format!("{s:.0} {unit}"),
    }
}

/// A count with its noun, which takes an `s` unless there is one.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1000), "1,000");
        assert_eq!(thousands(385_861_073), "385,861,073");
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn memory() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1024), "1.00 KiB");
        assert_eq!(bytes(6_500_000_000), "6.05 GiB");
        assert_eq!(bytes(500 << 20), "500.0 MiB");
    }

    #[test]
    fn spans_of_time() {
        assert_eq!(duration(0.0124), "12 ms");
        assert_eq!(duration(0.0999), "0.1 s");
        assert_eq!(duration(59.96), "1 min 00 s");
        assert_eq!(duration(185.2), "3 min 05 s");
        assert_eq!(duration(7384.0), "2 h 03 min");
        assert_eq!(duration(f64::NAN), "0 ms");
        assert_eq!(duration(-1.0), "0 ms");
    }

    #[test]
    fn rates_keep_three_digits() {
        assert_eq!(rate(0.4), "0");
        assert_eq!(rate(999.6), "1.00 k");
        assert_eq!(rate(12_345.0), "12.3 k");
        assert_eq!(rate(3_850_000.0), "3.85 M");
        assert_eq!(rate(999_600_000.0), "1.00 G");
        assert_eq!(rate(f64::INFINITY), "-");
    }
}
