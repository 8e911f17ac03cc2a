//! How far the search for an invariant is, on standard error: drawn again in its place on a terminal, and now and then
//! as a line in a log.

use crate::clock::Showing;
use crate::outputs::to_stderr;
use std::time::{Duration, Instant};
use watchkeeper_prove::InvariantProgress;
use watchkeeper_report::{duration, thousands};

/// Shows the progress of one theorem.
pub(super) struct Ticker {
    showing: Showing,
    name: String,
    started: Instant,
    shown: Option<Instant>,
    candidates: usize,
}

impl Ticker {
    /// A ticker that begins now.
    pub(super) fn new(showing: Showing, name: &str) -> Ticker {
        Ticker { showing, name: name.to_string(), started: Instant::now(), shown: None, candidates: 0 }
    }

    /// Hears of progress, and shows it if it is time.
    pub(super) fn hear(&mut self, progress: &InvariantProgress) {
        let line = match progress {
            InvariantProgress::Sampled { instances, states } => {
                format!("{} states of {instances} small instances", thousands(*states as u64))
            }
            InvariantProgress::Candidates { candidates, .. } => {
                self.candidates = *candidates;
                format!("{} candidates", thousands(*candidates as u64))
            }
            InvariantProgress::Sifted(sifted) => format!(
                "{} of {} candidates, {} needed so far, {} counterexamples to induction",
                thousands(sifted.left as u64),
                thousands(self.candidates as u64),
                sifted.needed,
                thousands(sifted.counterexamples as u64)
            ),
            InvariantProgress::Inductive { conjuncts } => {
                format!("{conjuncts} inductive conjuncts, now fewer of them")
            }
        };
        self.show(&line);
    }

    /// Shows a line, if it is time.
    pub(super) fn show(&mut self, line: &str) {
        let pause = match self.showing {
            Showing::Nothing => return,
            Showing::InPlace => Duration::from_millis(200),
            Showing::Lines | Showing::Often => Duration::from_secs(10),
        };
        let last = match self.showing {
            Showing::Lines => Some(self.shown.unwrap_or(self.started)),
            _ => self.shown,
        };
        if last.is_some_and(|last| last.elapsed() < pause) {
            return;
        }
        let line = format!("{}: {line}, {}", self.name, duration(self.started.elapsed().as_secs_f64()));
        match self.showing {
            Showing::InPlace => to_stderr(&format!("\r\x1b[K{line}")),
            _ => to_stderr(&format!("{line}\n")),
        }
        self.shown = Some(Instant::now());
    }
}

impl Drop for Ticker {
    /// Wipes the line away, so that a report can begin at its place.
    fn drop(&mut self) {
        if self.showing == Showing::InPlace && self.shown.is_some() {
            to_stderr("\r\x1b[K");
        }
    }
}
