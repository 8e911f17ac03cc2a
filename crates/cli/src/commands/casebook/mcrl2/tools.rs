//! The tools of mCRL2, where they are on the path: linearise a specification and explore it, and how long the second took.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many clock ticks the system counts in a second.
const TICKS: f64 = 100.0;

/// Where the tools are.
pub(super) struct Tools {
    linearise: PathBuf,
    explore: PathBuf,
}

impl Tools {
    /// The tools on the path, if both are there.
    pub(super) fn find() -> Option<Tools> {
        let path = std::env::var_os("PATH")?;
        let on_path =
            |name: &str| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
        Some(Tools { linearise: on_path("mcrl22lps")?, explore: on_path("lps2lts")? })
    }

    /// The CPU seconds of `lps2lts --cached` without output for this specification.
    pub(super) fn seconds(&self, specification: &Path) -> Option<f64> {
        let linear = std::env::temp_dir().join(format!("watchkeeper-{}.lps", std::process::id()));
        let run = |tool: &Path, arguments: &[&Path]| {
            let mut command = Command::new(tool);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().ok().filter(std::process::ExitStatus::success)
        };
        run(&self.linearise, &[specification, &linear])?;
        let before = children_seconds()?;
        let done = run(&self.explore, &[Path::new("--cached"), &linear]);
        let seconds = children_seconds()? - before;
        let _ = std::fs::remove_file(&linear);
        done.map(|_| seconds)
    }
}

/// The CPU seconds of all children that have ended.
fn children_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // What stands before the last bracket may have blanks in it; the two numbers are the 14th and 15th behind it.
    let behind: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |place: usize| behind.get(place)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS)
}
