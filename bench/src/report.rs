//! The results as text for readers and as JSON with every single run. It only renders: it measures nothing and
//! judges nothing.

use crate::contest::{self, Entry, Role, Summary};
use crate::failure::Failure;
use crate::figures::{grouped, mebibytes, run_json};
use crate::host::Host;
use crate::options::Options;
use crate::zones::Zones;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything that was found out.
pub struct Report {
    /// The day.
    pub date: String,
    /// The machine.
    pub host: Host,
    /// The settings.
    pub options: Options,
    /// The checkers with their runs.
    pub entries: Vec<Entry>,
    /// The large run, if there was one.
    pub large: Option<Entry>,
    /// Dense time, if it was measured.
    pub zones: Option<Zones>,
}

impl Report {
    /// Whether nothing was measured at all.
    pub fn is_empty(&self) -> bool {
        !self.compared() && self.large.is_none() && self.zones.is_none()
    }

    /// The tables, in Markdown.
    pub fn text(&self) -> String {
        let mut text = heading(&self.date, &self.host);
        if self.compared() {
            text += &self.comparison();
            text += &self.ratios();
            text += &self.workers();
        }
        text += &self.large();
        text += &self.zones.as_ref().map(Zones::text).unwrap_or_default();
        text += &self.tools();
        text
    }

    /// Every run, for other programs.
    pub fn json(&self) -> Value {
        let entries: Vec<_> = self.entries.iter().chain(&self.large).map(entry_json).collect();
        json!({
            "date": self.date,
            "host": host_json(&self.host),
            "model": {
                "name": "ring, process-algebra",
                "channel": "ignore",
                "buffer": self.options.buffer,
                "crash": "at-start",
            },
            "checkers": entries,
            "zones": self.zones.as_ref().map(Zones::json),
        })
    }

    /// Writes both files into the directory of the options and returns the path of the text.
    pub fn save(&self) -> Result<PathBuf, Failure> {
        let stem = format!("{}-{}", self.date, self.host.name);
        save(&self.options.out, &stem, &self.text(), &self.json())
    }

    fn compared(&self) -> bool {
        self.entries.iter().any(|entry| !entry.runs.is_empty())
    }

    fn comparison(&self) -> String {
        let mut text = format!(
            "\n## One thread, the same model\n\n\
             Ring detector of three processes, process-algebra model, channels that ignore when full, buffer {}, \
             process 1\ncrashed from the start. Whole state space, deadlock detection on. Medians, runs of each: {}, \
             interleaved; memory is the\npeak resident set of the process.\n\n\
             | checker | distinct states | transitions | CPU s (min to max) | states per CPU s | peak MiB \
             | bytes per state | keeps |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
            self.options.buffer, self.options.runs
        );
        for entry in self.entries.iter().filter(|entry| entry.role != Role::OwnTwoWorkers) {
            let Some(summary) = entry.summary() else { continue };
            text += &format!(
                "| {} | {} | {} | {:.2} ({:.2} to {:.2}) | {} | {:.0} | {:.1} | {} |\n",
                entry.peer.name(),
                grouped(summary.states),
                grouped(summary.transitions),
                summary.cpu,
                summary.cpu_range.0,
                summary.cpu_range.1,
                grouped(summary.rate() as u64),
                mebibytes(summary.peak),
                summary.bytes_per_state(),
                entry.peer.store(),
            );
        }
        let remarks = [contest::transition_remark(&self.entries), contest::busy_remark(&self.entries)];
        for remark in remarks.into_iter().flatten() {
            text += &format!("\n{remark}");
        }
        text
    }

    fn ratios(&self) -> String {
        let Some(own) = self.summary(Role::Own) else { return String::new() };
        let mut rows = String::new();
        for entry in self.entries.iter().filter(|entry| entry.role == Role::Peer) {
            let Some(peer) = entry.summary() else { continue };
            rows += &format!(
                "| {} | {:.2} | {:.2} |\n",
                entry.peer.name(),
                own.rate() / peer.rate(),
                own.bytes_per_state() / peer.bytes_per_state(),
            );
        }
        if rows.is_empty() {
            return rows;
        }
        format!(
            "\nThis project divided by each peer:\n\n\
             | peer | states per CPU s | bytes per state |\n| --- | ---: | ---: |\n{rows}"
        )
    }

    fn workers(&self) -> String {
        let (Some(one), Some(two)) = (self.summary(Role::Own), self.summary(Role::OwnTwoWorkers)) else {
            return String::new();
        };
        format!(
            "\n## Two workers\n\n\
             | workers | wall-clock s | CPU s | peak MiB |\n| --- | ---: | ---: | ---: |\n\
             | 1 | {:.2} | {:.2} | {:.0} |\n| 2 | {:.2} | {:.2} | {:.0} |\n\n\
             Two workers are {:.2} times as fast as one by the clock.\n",
            one.wall,
            one.cpu,
            mebibytes(one.peak),
            two.wall,
            two.cpu,
            mebibytes(two.peak),
            one.wall / two.wall,
        )
    }

    fn large(&self) -> String {
        let Some(summary) = self.large.as_ref().and_then(Entry::summary) else { return String::new() };
        format!(
            "\n## The large run\n\n\
             The same ring with a crash at any time, buffer 1, two workers, this project alone: {} distinct states,\n\
             {} transitions, {:.1} s by the clock, {:.1} CPU s, {} states per wall-clock second, {:.0} MiB at the \
             peak,\n{:.1} bytes per state.\n",
            grouped(summary.states),
            grouped(summary.transitions),
            summary.wall,
            summary.cpu,
            grouped((summary.states as f64 / summary.wall) as u64),
            mebibytes(summary.peak),
            summary.bytes_per_state(),
        )
    }

    fn tools(&self) -> String {
        let mut text = String::new();
        for entry in self.entries.iter().chain(&self.large) {
            if text.is_empty() {
                text += "\n## Tools\n";
            }
            text += &format!("\n{}: {}\n\n", entry.peer.name(), entry.peer.version());
            for command in entry.peer.commands() {
                text += &format!("    {command}\n");
            }
        }
        text
    }

    fn summary(&self, role: Role) -> Option<Summary> {
        self.entries.iter().find(|entry| entry.role == role)?.summary()
    }
}

/// The day and the machine, above everything else.
pub fn heading(date: &str, host: &Host) -> String {
    format!(
        "# Benchmark of {date}\n\nHost: {}, {}, {} threads, {}, {}.\n",
        host.name, host.cpu, host.cores, host.memory, host.system
    )
}

/// The machine, for other programs.
pub fn host_json(host: &Host) -> Value {
    json!({
        "name": host.name,
        "cpu": host.cpu,
        "threads": host.cores,
        "memory": host.memory,
        "system": host.system,
    })
}

/// Writes the text and the JSON under a stem that is not taken, and returns the path of the text.
pub fn save(directory: &Path, stem: &str, text: &str, json: &Value) -> Result<PathBuf, Failure> {
    fs::create_dir_all(directory).map_err(|e| Failure::file(directory, e))?;
    let stem = free_stem(directory, stem);
    let text_path = directory.join(format!("{stem}.md"));
    let json_path = directory.join(format!("{stem}.json"));
    fs::write(&text_path, text).map_err(|e| Failure::file(&text_path, e))?;
    fs::write(&json_path, format!("{json:#}\n")).map_err(|e| Failure::file(&json_path, e))?;
    Ok(text_path)
}

fn entry_json(entry: &Entry) -> Value {
    let runs: Vec<_> = entry.runs.iter().map(run_json).collect();
    json!({
        "name": entry.peer.name(),
        "version": entry.peer.version(),
        "commands": entry.peer.commands(),
        "store": entry.peer.store(),
        "runs": runs,
    })
}

/// A second run on the same day does not overwrite the first.
fn free_stem(directory: &Path, stem: &str) -> String {
    let taken = |stem: &str| directory.join(format!("{stem}.md")).exists();
    if !taken(stem) {
        return stem.to_owned();
    }
    (2u32..)
        .map(|number| format!("{stem}-{number}"))
        .find(|stem| !taken(stem))
        .unwrap_or_else(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_never_overwritten() {
        let scratch = crate::scratch::Scratch::create().unwrap();
        assert_eq!(free_stem(scratch.path(), "day-host"), "day-host");
        fs::write(scratch.path().join("day-host.md"), "").unwrap();
        assert_eq!(free_stem(scratch.path(), "day-host"), "day-host-2");
    }
}
