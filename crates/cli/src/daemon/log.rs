//! The log: one line for each event of [`tracing`], as text or as JSON, on standard error. Lines are written by a thread of
//! their own, so that a reader who does not read holds nothing up; what finds no room is counted and told.

use crate::node_file::{LogFormat, LogLevel};
use crate::outputs::to_stderr;
use serde_json::{Value, json};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// How many lines may wait to be written.
const WAITING: usize = 1024;

/// How long the last lines may take to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// The crate whose announcements the daemon words itself, since it knows decisions and groups.
const RUNTIME: &str = "watchkeeper_runtime";

/// The thread that writes the log of a daemon.
pub(super) struct LogWriter {
    lines: SyncSender<String>,
    written: Receiver<()>,
}

impl LogWriter {
    /// Begins the log of this process: whatever the runtime and the daemon tell goes there from now on.
    pub(super) fn start(format: LogFormat, level: LogLevel, process: &str, cluster: &str) -> LogWriter {
        let (lines, waiting) = sync_channel::<String>(WAITING);
        let (done, written) = sync_channel(1);
        // An empty line marks the end. Without a thread nothing is written, and that cannot be told anywhere.
        let _ = std::thread::Builder::new().name("log".to_string()).spawn(move || {
            for line in waiting.iter().take_while(|line| !line.is_empty()) {
                to_stderr(&line);
            }
            let _ = done.send(());
        });
        let (process, cluster) = (process.to_string(), cluster.to_string());
        let layer = LogLayer { lines: lines.clone(), lost: AtomicU64::new(0), format, process, cluster };
        let level = match level {
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        let wanted = Targets::new().with_target("watchkeeper", level);
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(wanted));
        // Whoever embeds the program may have a subscriber of its own, which then gets all of it.
        let _ = tracing::subscriber::set_global_default(subscriber);
        LogWriter { lines, written }
    }

    /// Waits until all is written, but not for ever.
    pub(super) fn finish(&self) {
        if self.lines.try_send(String::new()).is_ok() {
            let _ = self.written.recv_timeout(PATIENCE);
        }
    }
}

/// Turns events into lines.
struct LogLayer {
    lines: SyncSender<String>,
    lost: AtomicU64,
    format: LogFormat,
    process: String,
    cluster: String,
}

impl LogLayer {
    fn rendered(&self, time: &str, level: &str, fields: &LogFields) -> String {
        let LogFields { event, message, others } = fields;
        match self.format {
            LogFormat::Text => {
                let level = level.to_uppercase();
                let mut out = format!("{time} {level:5} {} {event}: {message}", self.process);
                for (i, (name, value)) in others.iter().enumerate() {
                    let gap = if i == 0 { "  " } else { " " };
                    out.push_str(&format!("{gap}{name}={}", plain(value)));
                }
                out.replace('\n', " ") + "\n"
            }
            LogFormat::Json => {
                let first = [
                    ("time", json!(time)),
                    ("level", json!(level)),
                    ("cluster", json!(self.cluster)),
                    ("process", json!(self.process)),
                    ("event", json!(event)),
                    ("message", json!(message)),
                ];
                let all = first
                    .iter()
                    .map(|(name, value)| (*name, value))
                    .chain(others.iter().map(|(n, v)| (*n, v)));
                let members: Vec<String> = all.map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}\n", members.join(","))
            }
        }
    }

    /// Hands a line over, or counts it as lost.
    fn send(&self, line: String) {
        let lost = self.lost.swap(0, Relaxed);
        if lost > 0 {
            let message = format!("{lost} lines of this log are gone: nobody read them in time");
            let fields = LogFields { event: "log-lost".to_string(), message, others: Vec::new() };
            if self.lines.try_send(self.rendered(&now(), "warn", &fields)).is_err() {
                self.lost.fetch_add(lost, Relaxed);
            }
        }
        if self.lines.try_send(line).is_err() {
            self.lost.fetch_add(1, Relaxed);
        }
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = LogFields::default();
        event.record(&mut fields);
        let known = event.metadata();
        if fields.event == "announced" && known.target().starts_with(RUNTIME) {
            return;
        }
        let level = known.level().as_str().to_lowercase();
        self.send(self.rendered(&now(), &level, &fields));
    }
}

/// The fields of an event.
#[derive(Debug, Default)]
struct LogFields {
    /// What happened, in one word that programs can rely on.
    event: String,
    /// The same for people.
    message: String,
    others: Vec<(&'static str, Value)>,
}

impl LogFields {
    fn add(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("event", Value::String(text)) => self.event = text,
            ("message", Value::String(text)) => self.message = text,
            (name, value) => self.others.push((name, value)),
        }
    }
}

impl Visit for LogFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, json!(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, json!(format!("{value:?}")));
    }
}

/// A value as text has it: in quotes only where it would be misread.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() && !text.contains([' ', '"', '=', '\n', '\\']) => {
            text.clone()
        }
        other => other.to_string(),
    }
}

/// This moment as RFC 3339 writes it, in UTC.
fn now() -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut text));
    text
}

/// The lines that are written of what is told, without their times.
#[cfg(test)]
pub(super) fn captured(tell: impl FnOnce()) -> Vec<String> {
    let (lines, waiting) = sync_channel(16);
    let (process, cluster) = ("p1".to_string(), "demo".to_string());
    let layer = LogLayer { lines, lost: AtomicU64::new(0), format: LogFormat::Text, process, cluster };
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), tell);
    waiting
        .try_iter()
        .map(|line| line.split_once(' ').map_or("", |(_, rest)| rest).trim_end().to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(format: LogFormat, cluster: &str) -> (LogLayer, Receiver<String>) {
        let (lines, waiting) = sync_channel(2);
        let (process, cluster) = ("p1".to_string(), cluster.to_string());
        (LogLayer { lines, lost: AtomicU64::new(0), format, process, cluster }, waiting)
    }

    fn told(format: LogFormat, cluster: &str) -> Vec<String> {
        let (layer, waiting) = layer(format, cluster);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let peer = watchkeeper_core::Pid::at(2);
            tracing::warn!(event = "suspects", peer = %peer, late_ms = 0.5, cause = "timer Round", lost = None::<u64>, "p1 suspects p2\nnow");
            tracing::info!(target: "watchkeeper_runtime::trace", event = "announced", "worded elsewhere");
        });
        waiting.try_iter().collect()
    }

    #[test]
    fn a_line_says_the_same_as_text_and_as_json() {
        let text = told(LogFormat::Text, "demo");
        let (time, rest) = text[0].split_once(' ').expect("a time");
        assert!(time.len() == 27 && time.ends_with('Z') && time.contains('T'), "{time}");
        assert_eq!(
            rest,
            "WARN  p1 suspects: p1 suspects p2 now  peer=p2 late_ms=0.5 cause=\"timer Round\"\n"
        );
        assert_eq!(text.len(), 1, "the daemon words announcements itself");
        let mut line: serde_json::Map<String, Value> =
            serde_json::from_str(&told(LogFormat::Json, "de\"mo")[0]).expect("JSON");
        assert!(line.remove("time").is_some_and(|time| time.is_string()));
        let expected = json!({
            "level": "warn", "cluster": "de\"mo", "process": "p1", "event": "suspects",
            "message": "p1 suspects p2\nnow", "peer": "p2", "late_ms": 0.5, "cause": "timer Round",
        });
        assert_eq!(Value::Object(line), expected);
    }

    #[test]
    fn lines_that_find_no_room_are_counted_and_told() {
        let (layer, waiting) = layer(LogFormat::Text, "demo");
        (0..5).for_each(|i| layer.send(format!("{i}\n")));
        assert_eq!(waiting.try_iter().collect::<Vec<_>>(), ["0\n", "1\n"]);
        layer.send("6\n".to_string());
        let lines: Vec<String> = waiting.try_iter().collect();
        assert!(lines[0].contains("WARN  p1 log-lost: 3 lines of this log are gone"), "{lines:?}");
        assert_eq!(lines[1], "6\n");
    }
}
