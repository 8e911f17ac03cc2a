//! What else could have happened: for each step of a run the other steps that were enabled there, and whether the question
//! can still be violated after each. The engines answer it, of the runs that begin in that way.

use crate::answer::WebProblem;
use crate::jobs::JobProgress;
use crate::opened::OpenedSpace;
use crate::run::Run;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use watchkeeper_explore::{Continuations, Progress, ProgressCallback, Search, check};
use watchkeeper_logic::{Limit, Outcome, Question};
use watchkeeper_report::thousands;
use watchkeeper_space::StatePath;

/// The most states of one search, and of all searches about a run.
const EACH: u64 = 200_000;
const ALL: u64 = 10_000_000;

/// What else could have happened in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundAlternatives {
    /// For each step of the run, in order, the other steps that were enabled: `at` and `alternatives`.
    pub places: Vec<Json>,
    /// Why steps at the beginning are missing, if some are.
    pub note: Option<String>,
}

/// Lets a search go on until the page has had enough of it.
struct UntilCancelled<'a>(&'a JobProgress);

impl ProgressCallback for UntilCancelled<'_> {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        if self.0.is_cancelled() { ControlFlow::Break(Limit::Interrupted) } else { ControlFlow::Continue(()) }
    }
}

/// What is known of the runs that begin in one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Afterwards {
    /// Violated on the way there already, so what comes after says nothing.
    Before,
    /// Violated after so many more steps.
    Violated(usize),
    Holds,
    Unknown,
}

impl OpenedSpace {
    /// For each step of a run what else could have happened there, from the end on, as long as the budget lasts.
    pub fn alternatives(&self, body: &Json, progress: &JobProgress) -> Result<FoundAlternatives, WebProblem> {
        let run = Run::of(body)?;
        let question = self.question().filter(|question| **question != Question::default());
        let question = question.ok_or_else(|| {
            WebProblem::impossible(
                "nothing is asked that could fail here: open the scenario with one property",
            )
        })?;
        let (states, whole) = (self.states_of(&run)?, self.path(&run)?);
        // Without observers and claims the states behind a step decide, however the run came there.
        let of_states = question.monitor.is_none() && question.temporal.is_empty();
        let mut known: HashMap<usize, Afterwards> = HashMap::new();
        let (mut places, mut note, mut left) = (Vec::new(), None, ALL);
        for at in (0..run.steps.len()).rev() {
            let done = (run.steps.len() - at - 1) as f64 / run.steps.len() as f64;
            progress.tell(format!("instead of step {} of {}", at + 1, run.steps.len()), Some(done));
            let row = self.row(states[at])?;
            let steps = self.steps(states[at])?;
            let mut alternatives = Vec::new();
            for (place, step) in steps.list.iter().enumerate().filter(|(place, _)| *place != run.steps[at]) {
                let found = match known.get(&step.to).filter(|_| of_states) {
                    Some(found) => *found,
                    None => {
                        let mut path = begin(&whole, at);
                        path.rows.push(self.row(step.to)?.to_vec());
                        path.actions.push(step.action);
                        let (found, visited) = self.afterwards(question, &path, progress)?;
                        left = left.saturating_sub(visited);
                        found
                    }
                };
                // What failed on the way says nothing of the state, to which other ways may lead.
                if found != Afterwards::Before {
                    known.insert(step.to, found);
                }
                alternatives.push(told(place, &self.space().label(&row, step.action), found));
            }
            if progress.is_cancelled() || left == 0 {
                let why = if left == 0 { "the searches became too many" } else { "cancelled" };
                note = Some(format!("{why}: of the steps before step {} nothing is known", at + 2));
                break;
            }
            places.push(json!({ "at": at, "alternatives": alternatives }));
        }
        places.reverse();
        Ok(FoundAlternatives { places, note })
    }

    /// Whether a run that begins with a path can violate the question, and how many states that took.
    fn afterwards(
        &self,
        question: &Question,
        path: &StatePath,
        progress: &JobProgress,
    ) -> Result<(Afterwards, u64), WebProblem> {
        let space = Continuations::new(self.space(), path);
        let search = Search { max_states: Some(EACH + path.rows.len() as u64), ..Search::default() };
        let verdict = check(&space, question, &search, &UntilCancelled(progress));
        let verdict = verdict.map_err(|why| WebProblem::impossible(why.to_string()))?;
        let found = match &verdict.outcome {
            Outcome::Violated(violation) => {
                let more = violation.trace.steps.len().checked_sub(path.actions.len());
                more.map_or(Afterwards::Before, Afterwards::Violated)
            }
            Outcome::Holds(_) => Afterwards::Holds,
            Outcome::Unknown(_) => Afterwards::Unknown,
        };
        Ok((found, verdict.stats.distinct_states))
    }
}

/// The first steps of a path.
fn begin(path: &StatePath, steps: usize) -> StatePath {
    StatePath { rows: path.rows[..=steps].to_vec(), actions: path.actions[..steps].to_vec() }
}

fn told(place: usize, label: &str, found: Afterwards) -> Json {
    let (verdict, steps, text) = match found {
        Afterwards::Before => ("violated", None, "it has failed before".to_string()),
        Afterwards::Violated(0) => ("violated", Some(0), "it fails at once".to_string()),
        Afterwards::Violated(1) => ("violated", Some(1), "it can still fail, after 1 more step".to_string()),
        Afterwards::Violated(more) => {
            ("violated", Some(more), format!("it can still fail, after {more} more steps"))
        }
        Afterwards::Holds => ("holds", None, "it cannot fail any more".to_string()),
        Afterwards::Unknown => {
            ("unknown", None, format!("no failure found in the nearest {} states", thousands(EACH)))
        }
    };
    json!({ "step": place, "label": label, "verdict": verdict, "steps": steps, "text": text })
}
