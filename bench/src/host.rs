//! What a reader of the results must know about the machine and the day. Everything here is best effort: what
//! cannot be found out is "unknown", never an error.

use crate::child;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its name, or the one given with `--host`.
    pub name: String,
    /// The processor's own description.
    pub cpu: String,
    /// How many threads can run at a time.
    pub cores: usize,
    /// Memory in GiB.
    pub memory: String,
    /// Kernel and release.
    pub system: String,
}

impl Host {
    /// Looks around.
    pub fn look(name: Option<&str>) -> Host {
        let found = read("/proc/sys/kernel/hostname");
        Host {
            name: file_name_part(name.unwrap_or(found.trim())),
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: field("/proc/meminfo", "MemTotal")
                .and_then(|size| size.trim_end_matches(" kB").parse::<f64>().ok())
                .map_or_else(unknown, |kilobytes| format!("{:.0} GiB", kilobytes / 1024.0 / 1024.0)),
            system: first_line("uname", &["-sr"]),
        }
    }
}

/// The directory of the project, above this one.
pub fn project_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The commit that is checked out, with a mark if files differ from it.
pub fn commit() -> String {
    let mut command = Command::new("git");
    command.args(["describe", "--always", "--dirty", "--abbrev=10"]).current_dir(project_root());
    child::capture(&mut command).map_or_else(|_| unknown(), |text| text.trim().to_owned())
}

/// The first line that a program prints, usually its version.
pub fn first_line(program: &str, arguments: &[&str]) -> String {
    child::capture(Command::new(program).args(arguments))
        .ok()
        .and_then(|text| text.lines().map(str::trim).find(|line| !line.is_empty()).map(String::from))
        .unwrap_or_else(unknown)
}

/// Today in UTC, as year-month-day.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date that lies `days` after 1970-01-01. Counting in years that begin in March puts the leap day last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

fn file_name_part(name: &str) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
    if kept.is_empty() { unknown() } else { kept }
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path);
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn unknown() -> String {
    "unknown".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(789), (1972, 2, 29));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
        assert_eq!(civil(20_818), (2026, 12, 31));
    }

    #[test]
    fn names_fit_in_file_names() {
        assert_eq!(file_name_part("a b/c.d"), "a-b-c-d");
        assert_eq!(file_name_part(""), "unknown");
    }
}
