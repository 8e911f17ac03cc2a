//! A long search of a page as a run of this program by itself: what the page shows is what a terminal would show, a search
//! that runs out of memory takes nothing else with it, and a signal ends it with what it has found.

use crate::arguments::of_search;
use crate::{files, interrupt};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use watchkeeper::Settings;
use watchkeeper_web::{JobProgress, WebProblem};

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long a program that was asked to end has for that.
const FAREWELL: Duration = Duration::from_secs(5);

/// The variable that has progress told often, and the one that names the process without which a search is for nobody.
pub(crate) const PROGRESS: &str = "WATCHKEEPER_PROGRESS";
pub(crate) const PARENT: &str = "WATCHKEEPER_PARENT";

/// What a run of the program has left.
pub(super) struct ChildEnd {
    pub(super) code: Option<i32>,
    pub(super) report: String,
    pub(super) errors: String,
    directory: Scratch,
}

/// A directory for its files, which goes with it.
struct Scratch(PathBuf);

impl ChildEnd {
    /// A file that it was told to write, if it did.
    pub(super) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.directory.0.join(name)).ok()
    }

    /// Why there is nothing to show.
    pub(super) fn problem(&self) -> WebProblem {
        let told = self.errors.trim().strip_prefix("error: ").unwrap_or(self.errors.trim()).to_string();
        match self.code {
            Some(150) => WebProblem::bad(told),
            code => WebProblem::impossible(if told.is_empty() {
                format!("the search ended without an answer (exit code {code:?}); try it in a terminal")
            } else {
                told
            }),
        }
    }
}

/// Runs the program with these words, and with a flag for each file that it shall write.
pub(super) fn run(
    words: &[String],
    files: &[(&str, &str)],
    progress: &JobProgress,
) -> Result<ChildEnd, WebProblem> {
    let failed = |why: std::io::Error| WebProblem::new(503, format!("the search cannot be started: {why}"));
    let directory = Scratch(files::fresh_directory(&std::env::temp_dir(), "search").map_err(failed)?);
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(PROGRESS, "often").env(PARENT, std::process::id().to_string());
    // The words say all of the scenario; the limits of this machine hold for it as for any.
    for variable in Settings::TABLE.iter().filter(|row| !of_search(row)).filter_map(|row| row.variable) {
        command.env_remove(variable);
    }
    for (flag, name) in files {
        command.arg(flag).arg(directory.0.join(name));
    }
    let mut child = command.spawn().map_err(failed)?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        output.map(|mut output| output.read_to_string(&mut text));
        text
    });
    let (send, lines) = channel();
    let listening = std::thread::spawn(move || {
        let lines = errors.map(|errors| BufReader::new(errors).lines().map_while(Result::ok));
        lines.into_iter().flatten().for_each(|line| drop(send.send(line)));
    });
    let mut told = Vec::new();
    let mut asked: Option<Instant> = None;
    let status = loop {
        for line in lines.try_iter() {
            match line.strip_prefix("progress: ") {
                Some(text) => progress.tell(text, fraction(text)),
                None => told.push(line),
            }
        }
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if progress.is_cancelled() || interrupt::asked() {
            match asked {
                None => {
                    signal(&child, Signal::TERM);
                    asked = Some(Instant::now());
                }
                Some(since) if since.elapsed() > FAREWELL => signal(&child, Signal::KILL),
                Some(_) => {}
            }
        }
        std::thread::sleep(LOOK);
    };
    let report = reading.join().unwrap_or_default();
    let _ = listening.join();
    told.extend(lines.try_iter().filter(|line| !line.starts_with("progress: ")));
    Ok(ChildEnd { code: status.code(), report, errors: told.join("\n"), directory })
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Of a text such as `12 of 576 cells` the part that is done.
fn fraction(text: &str) -> Option<f64> {
    let mut words = text.split_whitespace();
    let done: f64 = words.next()?.replace(',', "").parse().ok()?;
    let all: f64 = words
        .next()
        .filter(|word| *word == "of")
        .and_then(|_| words.next()?.replace(',', "").parse().ok())?;
    (all > 0.0).then_some(done / all)
}

/// Lets this process end with the one that began it, if one is named.
pub(crate) fn end_with_parent() {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|parent| parent.parse::<u32>().ok()) else {
        return;
    };
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    }
    if std::os::unix::process::parent_id() != parent {
        std::process::exit(i32::from(watchkeeper_logic::ExitCode::UNKNOWN.0));
    }
}

impl Scratch {
    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_is_done_is_read_off_the_words() {
        assert_eq!(fraction("12 of 48 cells after 3 s"), Some(0.25));
        assert_eq!(fraction("1,200 of 2,400 cells"), Some(0.5));
        assert_eq!(fraction("1,234,567 states, depth 3"), None);
        assert_eq!(fraction(""), None);
    }
}
