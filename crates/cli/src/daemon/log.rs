//! The log: one line for each event, as text or as JSON, on standard error. Lines are written by a thread of their own,
//! so that a reader who does not read holds nothing up; what finds no room is counted and told.

use crate::node_file::{LogFormat, LogLevel};
use crate::outputs::to_stderr;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use watchkeeper_core::Pid;

/// How many lines may wait to be written.
const WAITING: usize = 1024;

/// How long the last lines may take to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct LogLine {
    pub(super) level: LogLevel,
    /// What happened, in one word that programs can rely on.
    pub(super) event: &'static str,
    /// The same for people.
    pub(super) message: String,
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl LogLine {
    pub(super) fn new(level: LogLevel, event: &'static str, message: String) -> LogLine {
        LogLine { level, event, message, fields: Vec::new() }
    }

    pub(super) fn error(event: &'static str, message: String) -> LogLine {
        LogLine::new(LogLevel::Error, event, message)
    }

    pub(super) fn warn(event: &'static str, message: String) -> LogLine {
        LogLine::new(LogLevel::Warn, event, message)
    }

    pub(super) fn info(event: &'static str, message: String) -> LogLine {
        LogLine::new(LogLevel::Info, event, message)
    }

    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: Value) -> LogLine {
        self.fields.push((name, value));
        self
    }

    /// The line as it is written at a moment, since 1970, for a process of a cluster.
    fn rendered(&self, format: LogFormat, at: Duration, process: Pid, cluster: &str) -> String {
        let time = moment(at);
        match format {
            LogFormat::Text => {
                let level = self.level.name().to_uppercase();
                let mut out = format!("{time} {level:5} {process} {}: {}", self.event, self.message);
                for (i, (name, value)) in self.fields.iter().enumerate() {
                    let gap = if i == 0 { "  " } else { " " };
                    out.push_str(&format!("{gap}{name}={}", plain(value)));
                }
                out.replace('\n', " ") + "\n"
            }
            LogFormat::Json => {
                let first = [
                    ("time", json!(time)),
                    ("level", json!(self.level.name())),
                    ("cluster", json!(cluster)),
                    ("process", json!(process.to_string())),
                    ("event", json!(self.event)),
                    ("message", json!(self.message)),
                ];
                let all = first.iter().chain(&self.fields);
                let members: Vec<String> = all.map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}\n", members.join(","))
            }
        }
    }
}

/// A value as text has it: in quotes only where it would be misread.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && !text.contains([' ', '"', '=', '\n', '\\']) => {
            text.clone()
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// The log of a daemon. Cheap to clone.
#[derive(Clone)]
pub(super) struct Log {
    lines: SyncSender<String>,
    written: Arc<Mutex<Receiver<()>>>,
    lost: Arc<AtomicU64>,
    format: LogFormat,
    level: LogLevel,
    process: Pid,
    cluster: Arc<str>,
}

impl Log {
    /// Begins a log.
    pub(super) fn start(format: LogFormat, level: LogLevel, process: Pid, cluster: &str) -> Log {
        let (lines, waiting) = sync_channel::<String>(WAITING);
        let (done, written) = sync_channel(1);
        // An empty line marks the end. Without a thread nothing is written, and that cannot be told anywhere.
        let _ = std::thread::Builder::new().name("log".to_string()).spawn(move || {
            for line in waiting.iter().take_while(|line| !line.is_empty()) {
                to_stderr(&line);
            }
            let _ = done.send(());
        });
        let (written, lost) = (Arc::new(Mutex::new(written)), Arc::default());
        Log { lines, written, lost, format, level, process, cluster: cluster.into() }
    }

    /// Writes a line, if its level is wanted.
    pub(super) fn write(&self, line: LogLine) {
        if line.level > self.level {
            return;
        }
        let lost = self.lost.swap(0, Relaxed);
        if lost > 0 {
            let message = format!("{lost} lines of this log are gone: nobody read them in time");
            if self.lines.try_send(self.rendered(&LogLine::warn("log-lost", message))).is_err() {
                self.lost.fetch_add(lost, Relaxed);
            }
        }
        if self.lines.try_send(self.rendered(&line)).is_err() {
            self.lost.fetch_add(1, Relaxed);
        }
    }

    /// Waits until all is written, but not for ever.
    pub(super) fn finish(&self) {
        if self.lines.try_send(String::new()).is_ok()
            && let Ok(written) = self.written.lock()
        {
            let _ = written.recv_timeout(PATIENCE);
        }
    }

    fn rendered(&self, line: &LogLine) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        line.rendered(self.format, now, self.process, &self.cluster)
    }
}

/// A moment since 1970 as RFC 3339 writes it, in UTC.
fn moment(since: Duration) -> String {
    let (mut days, of_day) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.005Z"),
            (951_782_399, "2000-02-28T23:59:59.005Z"),
            (951_782_400, "2000-02-29T00:00:00.005Z"),
            (951_868_800, "2000-03-01T00:00:00.005Z"),
            (1_735_689_599, "2024-12-31T23:59:59.005Z"),
            (1_767_323_045, "2026-01-02T03:04:05.005Z"),
            (4_107_542_400, "2100-03-01T00:00:00.005Z"),
        ] {
            assert_eq!(moment(Duration::from_secs(seconds) + Duration::from_millis(5)), text);
        }
    }

    #[test]
    fn a_line_says_the_same_as_text_and_as_json() {
        let line = LogLine::warn("suspects", "p1 suspects p2\nnow".to_string())
            .with("peer", json!("p2"))
            .with("late_ms", json!(0.5))
            .with("cause", json!("timer Round"))
            .with("keys", json!([1, 2]));
        let text = line.rendered(LogFormat::Text, Duration::ZERO, Pid::at(1), "demo");
        assert_eq!(
            text,
            "1970-01-01T00:00:00.000Z WARN  p1 suspects: p1 suspects p2 now  peer=p2 late_ms=0.5 \
             cause=\"timer Round\" keys=1,2\n"
        );
        let text = line.rendered(LogFormat::Json, Duration::ZERO, Pid::at(1), "de\"mo");
        assert_eq!(
            text,
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"warn\",\"cluster\":\"de\\\"mo\",\"process\":\"p1\",\
             \"event\":\"suspects\",\"message\":\"p1 suspects p2\\nnow\",\"peer\":\"p2\",\"late_ms\":0.5,\
             \"cause\":\"timer Round\",\"keys\":[1,2]}\n"
        );
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }
}
