//! The verdict for people: the answer in plain words first, then the run that shows it, then what the
//! answer rests on, how much was seen, what it cost, and the command that gives it again.

use crate::beam;
use crate::chart::Chart;
use crate::numbers::{bytes, counted, duration, rate, thousands};
use crate::style::{Ink, Style};
use crate::verdict_json::RunFacts;
use crate::warnings::warnings;
use crate::width::{columns, tame, wrapped};
use watchkeeper_logic::{Limit, Outcome, Question, Stats, Verdict, ViolationKind};
use watchkeeper_space::{Role, Trace};

/// The whole report, with a line break at the end.
pub fn render_verdict(verdict: &Verdict, run: &RunFacts, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    page.answer(verdict);
    if let Some(trace) = verdict.trace() {
        page.out.push('\n');
        page.out.push_str(&Chart::of(trace).text(style));
    }
    let warnings = warnings(verdict);
    if !warnings.is_empty() {
        page.section("Warnings");
        for warning in &warnings {
            page.bullet("!", Ink::Caution, warning);
        }
    }
    if !verdict.assumptions.is_empty() {
        page.section("Rests on");
        for assumption in &verdict.assumptions {
            page.bullet("-", Ink::Faint, assumption);
        }
    }
    coverage(verdict, &mut page);
    page.section("Search");
    for line in figures(verdict, run) {
        page.bullet("", Ink::Plain, &line);
    }
    page.section("Again");
    // Never wrapped: it is there to be copied.
    page.out.push_str(&format!("  {}\n", tame(&run.command)));
    page.out
}

/// The verdict in one line.
pub fn headline(verdict: &Verdict) -> String {
    let property = tame(&verdict.property);
    match &verdict.outcome {
        Outcome::Holds(seen) if seen.strategy().is_some() => {
            let positions = counted(seen.strategy().unwrap_or_default(), "position");
            format!("HOLDS: {property}, by a strategy that was verified at {positions}")
        }
        Outcome::Holds(_) => {
            let (states, noun) = (verdict.stats.distinct_states, verdict.stats.unit.noun());
            let all = if states == 1 {
                format!("in the only {noun}")
            } else {
                format!("in all {} {noun}s", thousands(states))
            };
            let word = if property == Question::NOTHING { "COUNTED" } else { "HOLDS" };
            format!("{word}: {property}, {all}")
        }
        Outcome::Violated(violation) => {
            let what = match violation.finding {
                ViolationKind::Deadlock => "deadlock".to_string(),
                ViolationKind::Timelock => "time-lock".to_string(),
                ViolationKind::Safety | ViolationKind::Liveness => tame(&violation.what),
            };
            let when = match violation.trace.steps.len() as u64 {
                0 => "in the initial state".to_string(),
                steps => format!("after {}", counted(steps, "step")),
            };
            let at = violation.trace.steps.last().and_then(|step| step.at.as_deref());
            let when = at.map_or(when.clone(), |at| format!("{when}, at time {}", tame(at)));
            let shortest = match (violation.trace.steps.is_empty(), violation.shortest) {
                (true, _) => "",
                (_, true) => " (no shorter run exists)",
                (_, false) => " (a shorter run may exist)",
            };
            if let Some((stem, lap)) = lasso(&violation.trace) {
                return format!("VIOLATED: {what}: {}{shortest}", for_ever(stem, lap));
            }
            format!("VIOLATED: {what} {when}{shortest}")
        }
        Outcome::Unknown(limit) => {
            let Stats { distinct_states, transitions, unit, .. } = verdict.stats;
            let seen = match verdict.stats.walks {
                None => counted(distinct_states, unit.noun()),
                Some(walks) => {
                    format!("{} with {}", counted(walks.runs, "run"), counted(transitions, "step"))
                }
            };
            format!("UNKNOWN: {property}; {}, after {seen} without a violation", reason(limit))
        }
    }
}

/// A run without end, in words.
fn for_ever(stem: u64, lap: u64) -> String {
    match (stem, lap) {
        (0, 0) => "a run in which nothing ever happens".to_string(),
        (_, 0) => format!("a run of {}, after which nothing happens any more", counted(stem, "step")),
        (0, _) => format!("a run that is a loop of {} for ever", counted(lap, "step")),
        (_, _) => {
            format!("a run of {} and then a loop of {} for ever", counted(stem, "step"), thousands(lap))
        }
    }
}

/// For a run without end, the number of steps before its loop and in it.
pub(crate) fn lasso(trace: &Trace) -> Option<(u64, u64)> {
    let steps = trace.steps.len();
    let stem = trace.loops_to?.min(steps);
    Some((stem as u64, (steps - stem) as u64))
}

fn reason(limit: &Limit) -> String {
    match limit {
        Limit::States(most) => format!("the limit of {} was reached", counted(*most, "state")),
        Limit::Memory(most) => format!("the memory limit of {} leaves no room to go on", bytes(*most)),
        Limit::OutOfMemory(held) => {
            format!("the operating system gave no more memory, with {} held", bytes(*held))
        }
        Limit::Time(most) => format!("the time limit of {} was reached", tame(most)),
        Limit::Depth(most) => format!("the depth limit of {} was reached", thousands(*most)),
        Limit::Incomplete(search) => format!("{} sees only a part of the states", tame(search)),
        Limit::Cap(cap) => format!("the model left steps out beyond a cap: {}", tame(cap)),
        Limit::DiskFull(what) => format!("the disk leaves no room to go on ({})", tame(what)),
        Limit::DiskFailed(what) => format!("the disk failed ({})", tame(what)),
        Limit::Interrupted => "the search was interrupted".to_string(),
    }
}

fn next_step(limit: &Limit) -> &'static str {
    match limit {
        Limit::States(_) => {
            "raise --max-states, or make the scenario smaller (fewer processes, faults or places in channels)"
        }
        Limit::Memory(_) | Limit::OutOfMemory(_) => {
            "raise --max-memory, use a symmetry reduction if the model has one, or make the scenario smaller"
        }
        Limit::Time(_) => "raise --timeout, add --workers, or make the scenario smaller",
        Limit::Depth(_) => "raise the depth limit, or leave it out to search everything",
        Limit::Incomplete(_) => {
            "this kind of search can only find violations: try another seed or more of it, or search \
             breadth-first to show that there is none"
        }
        Limit::Cap(_) => "raise the cap, or bound what grows (give the channels a capacity)",
        Limit::DiskFull(_) => {
            "free some space, name a directory on a larger disk with --store disk:DIR, raise --max-disk if it was given, \
             or make the scenario smaller"
        }
        Limit::DiskFailed(_) => {
            "run it again, with a directory on another disk (--store disk:DIR); if that happens again, look after the \
             disk and what else writes there"
        }
        Limit::Interrupted => "run it again, with --timeout or --max-states if it should end by itself",
    }
}

fn coverage(verdict: &Verdict, page: &mut Page<'_>) {
    if verdict.coverage.is_empty() {
        return;
    }
    page.section("Coverage");
    let counts: Vec<String> = verdict.coverage.iter().map(|class| thousands(class.count)).collect();
    let widest = counts.iter().map(String::len).max().unwrap_or(0);
    for (class, count) in verdict.coverage.iter().zip(&counts) {
        let line = format!("{count:>widest$}  {}", tame(&class.name));
        let never = class.count == 0 && class.role != Role::Other;
        let line = if never { page.style.paint(Ink::Caution, &format!("{line}  never")) } else { line };
        page.out.push_str(&format!("  {line}\n"));
    }
}

pub(crate) fn figures(verdict: &Verdict, run: &RunFacts) -> Vec<String> {
    let stats = &verdict.stats;
    let noun = stats.unit.noun();
    let mut counts = match stats.walks {
        None => vec![
            counted(stats.distinct_states, &format!("distinct {noun}")),
            counted(stats.transitions, "transition"),
        ],
        Some(walks) => vec![
            counted(walks.runs, "run"),
            counted(stats.transitions, "step"),
            format!("{} checked, repeated visits included", counted(walks.visits, noun)),
        ],
    };
    if !stats.level_sizes.is_empty() {
        counts.push(counted(stats.level_sizes.len() as u64, "level"));
    }
    let mut speed = vec![format!("{} on {}", duration(run.seconds), counted(stats.workers as u64, "thread"))];
    if run.seconds > 0.0 {
        let states = stats.walks.map_or(stats.distinct_states, |walks| walks.visits);
        speed.push(format!("{} {noun}s/s", rate(states as f64 / run.seconds)));
        speed.push(format!("{} transitions/s", rate(stats.transitions as f64 / run.seconds)));
    }
    let mut memory = Vec::new();
    if stats.peak_bytes > 0 {
        memory.push(format!("{} for the search", bytes(stats.peak_bytes)));
    }
    if stats.bytes_per_state > 0.0 {
        memory.push(format!("{:.1} bytes per {noun}", stats.bytes_per_state));
    }
    if run.peak_bytes > 0 {
        memory.push(format!("{} for the whole process", bytes(run.peak_bytes)));
    }
    let mut disk = Vec::new();
    if stats.disk_written > 0 {
        let each = stats.disk_written as f64 / (stats.distinct_states as f64).max(1.0);
        disk.push(format!("{} on disk", bytes(stats.disk_bytes)));
        disk.push(format!("{} written there, {each:.1} bytes per {noun}", bytes(stats.disk_written)));
    }
    let lines = [counts, speed, memory, disk];
    let lines = lines.into_iter().filter(|line| !line.is_empty()).map(|line| line.join(", "));
    lines.chain(beam::figures(stats)).collect()
}

/// A report that is being written.
pub(crate) struct Page<'a> {
    pub(crate) out: String,
    pub(crate) style: &'a Style,
}

impl Page<'_> {
    /// The first line, and what to do next where there is no answer.
    pub(crate) fn answer(&mut self, verdict: &Verdict) {
        let ink = match verdict.outcome {
            Outcome::Holds(_) => Ink::Relief,
            Outcome::Violated(_) => Ink::Alarm,
            Outcome::Unknown(_) => Ink::Caution,
        };
        let line = headline(verdict);
        let (word, rest) = line.split_once(':').unwrap_or((&line, ""));
        self.out.push_str(&format!("{}:{rest}\n", self.style.paint(ink, word)));
        if let Outcome::Unknown(limit) = &verdict.outcome {
            if let Some(share) = verdict.stats.narrowest() {
                self.bullet("beam:", Ink::Strong, &beam::smallest(&share, verdict.stats.unit));
            }
            self.bullet("next:", Ink::Strong, next_step(limit));
        }
    }

    pub(crate) fn section(&mut self, title: &str) {
        self.out.push_str(&format!("\n{}\n", self.style.paint(Ink::Strong, title)));
    }

    pub(crate) fn bullet(&mut self, bullet: &str, ink: Ink, text: &str) {
        let indent = if bullet.is_empty() { 2 } else { 3 + columns(bullet) };
        let room = self.style.width.saturating_sub(indent).max(20);
        for (i, line) in wrapped(&tame(text), room, &columns).iter().enumerate() {
            if i == 0 && !bullet.is_empty() {
                self.out.push_str(&format!("  {} {line}\n", self.style.paint(ink, bullet)));
            } else {
                self.out.push_str(&format!("{}{line}\n", " ".repeat(indent)));
            }
        }
    }
}
