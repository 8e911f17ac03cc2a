//! The last seconds of a running cluster as a chart, drawn from the ends of its recordings.

use super::desk::LiveCluster;
use crate::cluster::changes::span;
use crate::raw_settings::RawSettings;
use crate::recording_file::{self, RecordingEnd, heard_of};
use crate::registry::ProtocolEntry;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use watchkeeper::Problem;
use watchkeeper_core::{Event, MAX_PROCESSES, Pid, Trace};
use watchkeeper_report::Chart;
use watchkeeper_world::RecordedPart;

/// The most steps that are drawn: the last ones.
const SHOWN: usize = 300;

/// How long a message is awaited at least before it is drawn as lost.
const AWAITED: Duration = Duration::from_secs(1);

/// Draws the last seconds.
pub(crate) struct LiveChart {
    entry: ProtocolEntry,
    dir: PathBuf,
    /// How many nodes there were at first.
    n: usize,
    /// How long a message is awaited.
    awaited: Duration,
    /// When the nodes were started.
    began: OnceLock<u64>,
    /// Who has ended, and when.
    ended: Mutex<Vec<(u64, Pid)>>,
}

impl LiveChart {
    pub(crate) fn new(cluster: &LiveCluster) -> LiveChart {
        let bound = |name: &str| cluster.assumptions[name]["seconds"].as_f64();
        let bound = bound("delay").or(bound("round_trip")).map(Duration::try_from_secs_f64);
        let awaited = bound.and_then(Result::ok).map_or(AWAITED, |bound| bound.max(AWAITED));
        LiveChart {
            entry: cluster.entry.clone(),
            dir: cluster.dir.clone(),
            n: cluster.n,
            awaited,
            began: OnceLock::new(),
            ended: Mutex::default(),
        }
    }

    /// The nodes are started.
    pub(crate) fn begin(&self) {
        let _ = self.began.set(now());
    }

    /// A node has ended; what it could not record itself is drawn all the same.
    pub(crate) fn ended(&self, process: Pid) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push((now(), process));
    }

    /// The last seconds, as `svg`, and a `note` on what is not drawn, or why nothing is.
    pub(crate) fn draw(&self, seconds: f64) -> Value {
        match self.drawn(seconds) {
            Ok((svg, note)) => json!({ "svg": svg, "note": note }),
            Err(why) => json!({ "svg": "", "note": why }),
        }
    }

    fn drawn(&self, seconds: f64) -> Result<(String, Option<String>), String> {
        let (now, awaited) = (now(), nanoseconds(self.awaited));
        let asked = Duration::try_from_secs_f64(seconds).map_or(0, nanoseconds);
        let origin = self.began.get().copied().unwrap_or(now);
        let from = now.saturating_sub(asked).max(origin);
        let ends = recording_file::ends(&self.dir, from.saturating_sub(awaited))
            .map_err(|why| format!("the recordings cannot be read: {why}"))?;
        let mut steps: Vec<u64> =
            ends.iter().flat_map(|end| &end.recording.steps).map(|step| step.at).collect();
        steps.retain(|at| *at >= from);
        steps.sort_unstable();
        let cut = steps.len().checked_sub(SHOWN + 1).map(|at| steps[at + 1]);
        let part = self.part(ends.as_slice(), cut.unwrap_or(from), origin, now.saturating_sub(awaited))?;
        let trace = self.told(&ends, &part).map_err(|problem| problem.to_string())?;
        let mut notes = Vec::new();
        if let Some(cut) = cut {
            let shown = span(Duration::from_nanos(now.saturating_sub(cut)));
            notes.push(format!("Only the last {SHOWN} steps are drawn, of {shown}."));
        }
        if trace.steps.iter().flat_map(|step| &step.events).any(|event| matches!(event, Event::Lose { .. })) {
            notes.push(format!(
                "A message that nobody has received after {} is drawn as lost.",
                span(self.awaited)
            ));
        }
        let title = format!("The last {} of {}", span(Duration::from_nanos(asked)), self.entry.name());
        Ok((Chart::of(&trace).svg(&title), (!notes.is_empty()).then(|| notes.join(" "))))
    }

    /// What is told of these recordings from a moment on.
    fn part(
        &self,
        ends: &[RecordingEnd],
        from: u64,
        origin: u64,
        awaited: u64,
    ) -> Result<RecordedPart, String> {
        let heard = ends.iter().flat_map(|end| heard_of(&end.recording)).map(|process| process.index() + 1);
        let processes = heard.max().ok_or("no node has begun to record")?.max(self.n);
        if processes > MAX_PROCESSES {
            return Err(format!("no chart is drawn of more than {MAX_PROCESSES} nodes"));
        }
        let mut over = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        over.extend(ends.iter().filter_map(|end| Some((end.recording.ended?, end.recording.process))));
        over.retain(|(_, process)| process.index() < processes);
        let is_down = |process: &Pid| {
            let began = ends.iter().filter(|end| end.recording.process == *process);
            let began = began.filter_map(|end| end.began.filter(|began| *began < from)).max();
            let last =
                over.iter().filter(|(at, ended)| ended == process && *at < from).map(|(at, _)| *at).max();
            match began {
                Some(began) => last.is_some_and(|last| last >= began),
                // Who is there from the start is drawn so, though no two begin at one moment.
                None => process.index() >= self.n || last.is_some(),
            }
        };
        let down = (0..processes).map(Pid::at).filter(is_down).collect();
        let recordings = ends.iter().map(|end| end.recording.clone()).collect();
        over.retain(|(at, _)| *at >= from);
        Ok(RecordedPart { processes, recordings, ends: over, down, from, awaited, origin })
    }

    fn told(&self, ends: &[RecordingEnd], part: &RecordedPart) -> Result<Trace, Problem> {
        let Some(RecordingEnd { header, path, .. }) = ends.first() else { return Ok(Trace::default()) };
        let mut header = header.clone();
        if header.name.is_some() {
            // Nobody knew how many would join.
            header.n = part.processes.max(2) as u64;
        }
        let settings = header.below(RawSettings::default(), path)?.read()?;
        self.entry.protocol.tell(&self.entry.protocol.plan(&settings)?, part)
    }
}

/// The clock that the nodes of this machine record by.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    nanoseconds(Duration::new(now.tv_sec as u64, now.tv_nsec as u32))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
