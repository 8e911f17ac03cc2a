//! Subprocesses, and what they cost. Every checker is measured here and only here, by what the kernel charges
//! to the finished process: its own figures are never used.

use crate::failure::Failure;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a finished process printed and cost.
#[derive(Debug)]
pub struct Finished {
    /// Standard output.
    pub output: String,
    /// User and system time of all its threads.
    pub cpu: Duration,
    /// From start to end.
    pub wall: Duration,
    /// The most memory that was resident at a time, in bytes.
    pub peak: u64,
}

/// Runs `command` to its end and measures it. What it prints goes through files in `scratch`, so that a full
/// pipe never makes it wait.
pub fn measure(command: &mut Command, scratch: &Path) -> Result<Finished, Failure> {
    measure_ending(command, scratch, &[0])
}

/// The same for a command that tells its verdict by its exit code: all of `codes` are as good as success.
pub fn measure_ending(command: &mut Command, scratch: &Path, codes: &[i32]) -> Result<Finished, Failure> {
    let shown = show(command);
    let out_path = scratch.join("stdout");
    let err_path = scratch.join("stderr");
    let out = File::create(&out_path).map_err(|e| Failure::file(&out_path, e))?;
    let err = File::create(&err_path).map_err(|e| Failure::file(&err_path, e))?;

    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .map_err(|e| Failure::command(&shown, e.to_string()))?;
    let used = child.wait4().map_err(|e| Failure::command(&shown, e.to_string()))?;
    let wall = start.elapsed();

    let output = read(&out_path)?;
    if !used.status.code().is_some_and(|code| codes.contains(&code)) {
        let errors = read(&err_path)?;
        let said = if errors.trim().is_empty() { &output } else { &errors };
        return Err(Failure::command(shown, format!("{}\n{}", used.status, last_lines(said))));
    }
    Ok(Finished { output, cpu: used.rusage.utime + used.rusage.stime, wall, peak: used.rusage.maxrss })
}

/// Runs `command`, which is not measured, and returns its standard output.
pub fn capture(command: &mut Command) -> Result<String, Failure> {
    let shown = show(command);
    let result =
        command.stdin(Stdio::null()).output().map_err(|e| Failure::command(&shown, e.to_string()))?;
    let output = String::from_utf8_lossy(&result.stdout).into_owned();
    if result.status.success() {
        return Ok(output);
    }
    let errors = String::from_utf8_lossy(&result.stderr);
    let said = if errors.trim().is_empty() { &output } else { &*errors };
    Err(Failure::command(shown, format!("{}\n{}", result.status, last_lines(said))))
}

/// The command as one would type it, without the directory of the program.
pub fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn read(path: &Path) -> Result<String, Failure> {
    let bytes = fs::read(path).map_err(|e| Failure::file(path, e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn last_lines(text: &str) -> String {
    let lines: Vec<_> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
