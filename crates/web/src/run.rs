//! Runs of an opened space: by the numbers that the page has, by the keys of a link, or by what a file tells. All of them
//! come to a path that the space has.

use crate::answer::{Answered, WebProblem, number};
use crate::link::LinkKey;
use crate::opened::OpenedSpace;
use serde_json::{Value as Json, json};
use watchkeeper_explore::{FollowedRun, ToldRun, follow};
use watchkeeper_space::{Action, Id, Space, StatePath, View};

/// The longest run that is looked at.
pub(crate) const LONGEST: usize = 100_000;

/// A run: its first state, and of each state the place of the step that is taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// The number of the first state.
    pub start: usize,
    /// The places of the steps.
    pub steps: Vec<usize>,
}

/// What a file or a test tells of a run: the labels of its steps and, where they are known, tests on its states.
pub struct ToldSteps<'a> {
    /// The space in which it is looked for.
    pub space: &'a dyn Space,
    /// The labels of the steps.
    pub labels: Vec<String>,
    /// Whether the state after so many steps may look like this.
    pub looks: &'a dyn Fn(usize, &View) -> bool,
    /// Whether that alone tells a step, where no label does.
    pub by_states: bool,
    /// Whether to go on looking.
    pub goes_on: &'a dyn Fn() -> bool,
}

impl ToldRun for ToldSteps<'_> {
    fn steps(&self) -> usize {
        self.labels.len()
    }

    fn begins(&self, row: &[Id]) -> bool {
        self.looks_like(0, row)
    }

    fn takes(&self, step: usize, from: &[Id], action: Action, to: &[Id]) -> bool {
        // Most steps have other labels, and it is the view of a state that takes long.
        self.space.label(from, action) == self.labels[step] && self.goes_on() && self.looks_like(step + 1, to)
    }

    fn may_take(&self, step: usize, _: &[Id], _: Action, to: &[Id]) -> bool {
        self.by_states && self.goes_on() && self.looks_like(step + 1, to)
    }

    fn goes_on(&self) -> bool {
        (self.goes_on)()
    }
}

impl ToldSteps<'_> {
    fn looks_like(&self, at: usize, row: &[Id]) -> bool {
        (self.looks)(at, &self.space.view(row))
    }
}

impl Run {
    /// The run of a request.
    pub(crate) fn of(body: &Json) -> Result<Run, WebProblem> {
        let wrong = || WebProblem::bad("the key steps must be a list of whole numbers");
        let steps = body.get("steps").and_then(Json::as_array).ok_or_else(wrong)?;
        if steps.len() > LONGEST {
            return Err(WebProblem::new(413, format!("a run has at most {LONGEST} steps here")));
        }
        let steps = steps.iter().map(|step| step.as_u64().and_then(|step| usize::try_from(step).ok()));
        Ok(Run { start: number(body, "start")?, steps: steps.collect::<Option<_>>().ok_or_else(wrong)? })
    }
}

impl OpenedSpace {
    /// The numbers of the states of a run.
    pub(crate) fn states_of(&self, run: &Run) -> Result<Vec<usize>, WebProblem> {
        self.row(run.start)?;
        let mut states = vec![run.start];
        for (at, &place) in run.steps.iter().enumerate() {
            let steps = self.steps(states[at])?;
            let step = steps.list.get(place).ok_or_else(|| {
                let many = steps.list.len();
                WebProblem::missing(format!(
                    "step {}: there is no step {place}, {many} are enabled there",
                    at + 1
                ))
            })?;
            states.push(step.to);
        }
        Ok(states)
    }

    /// The run as a path of the space.
    pub(crate) fn path(&self, run: &Run) -> Result<StatePath, WebProblem> {
        let states = self.states_of(run)?;
        let rows = states.iter().map(|&state| self.row(state).map(|row| row.to_vec()));
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let action =
            |(&state, &place): (&usize, &usize)| self.steps(state).map(|steps| steps.list[place].action);
        let actions = states.iter().zip(&run.steps).map(action).collect::<Result<Vec<_>, _>>()?;
        Ok(StatePath { rows, actions })
    }

    /// The run along a path of the space.
    pub fn run_of(&self, path: &StatePath) -> Result<Run, WebProblem> {
        let first = path.rows.first().cloned().ok_or_else(|| WebProblem::bad("the run has no state"))?;
        let mut run = Run { start: self.number(first)?, steps: Vec::new() };
        let mut state = run.start;
        for (action, row) in path.actions.iter().zip(&path.rows[1..]) {
            let (to, steps) = (self.number(row.clone())?, self.steps(state)?);
            let place = steps.list.iter().position(|step| step.action == *action && step.to == to);
            run.steps.push(place.ok_or_else(|| WebProblem::new(500, "the run is none of this space"))?);
            state = to;
        }
        Ok(run)
    }

    /// The keys of a run, as a link has them.
    pub fn link(&self, run: &Run) -> Result<String, WebProblem> {
        let keys = self.keys(run)?;
        Ok(keys.iter().map(LinkKey::to_string).collect::<Vec<_>>().join("."))
    }

    fn keys(&self, run: &Run) -> Result<Vec<LinkKey>, WebProblem> {
        let states = self.states_of(run)?;
        let mut keys = vec![LinkKey::of_state(self.space(), &self.row(run.start)?)];
        for (&state, &place) in states.iter().zip(&run.steps) {
            keys.push(self.steps(state)?.list[place].key);
        }
        Ok(keys)
    }

    /// What the page knows of a run: its states, keys and labels.
    pub(crate) fn run_told(&self, run: &Run) -> Answered {
        self.told(run, Json::Null)
    }

    fn told(&self, run: &Run, missing: Json) -> Answered {
        let states = self.states_of(run)?;
        let label = |(&state, &place): (&usize, &usize)| {
            Ok(self.space().label(&self.row(state)?, self.steps(state)?.list[place].action))
        };
        let labels = states.iter().zip(&run.steps).map(label).collect::<Result<Vec<_>, WebProblem>>()?;
        let keys: Vec<String> = self.keys(run)?.iter().map(LinkKey::to_string).collect();
        Ok(json!({
            "start": run.start,
            "steps": run.steps,
            "states": states,
            "keys": keys,
            "labels": labels,
            "missing": missing,
        }))
    }

    /// The run of a link; where a step of it is not there, the run up to that step.
    pub fn resolved(&self, link: &str) -> Answered {
        let keys = link.split('.').map(|key| key.parse::<LinkKey>().map_err(WebProblem::bad));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.len() > LONGEST {
            return Err(WebProblem::new(413, format!("a run has at most {LONGEST} steps here")));
        }
        let initial = self.initial()?;
        let Some(&(start, _)) = initial.iter().find(|(_, key)| *key == keys[0]) else {
            let why = "the run of this link begins in a state that this protocol does not begin in: it comes from other \
                       settings or from another version";
            let Some(&(start, _)) = initial.first() else { return Err(WebProblem::impossible(why)) };
            let missing = json!({ "step": 0, "key": keys[0].to_string(), "why": why, "enabled": [] });
            return self.told(&Run { start, steps: Vec::new() }, missing);
        };
        let (mut run, mut state) = (Run { start, steps: Vec::new() }, start);
        for (at, key) in keys.iter().enumerate().skip(1) {
            let steps = self.steps(state)?;
            let Some(place) = steps.list.iter().position(|step| step.key == *key) else {
                let row = self.row(state)?;
                let enabled: Vec<String> =
                    steps.list.iter().map(|step| self.space().label(&row, step.action)).collect();
                let why = format!(
                    "step {at} of the link does not exist here: it comes from other settings or from another version; \
                     the run is shown up to there"
                );
                return self.told(
                    &run,
                    json!({ "step": at, "key": key.to_string(), "why": why, "enabled": enabled }),
                );
            };
            run.steps.push(place);
            state = steps.list[place].to;
        }
        self.told(&run, Json::Null)
    }

    /// What the page knows of the run of a request.
    pub fn told_run(&self, body: &Json) -> Answered {
        self.run_told(&Run::of(body)?)
    }

    /// Finds a run that a file tells, as long as it goes on.
    pub fn follow(
        &self,
        labels: Vec<String>,
        by_states: bool,
        looks: &dyn Fn(usize, &View) -> bool,
        goes_on: &dyn Fn() -> bool,
    ) -> FollowedRun {
        follow(self.space(), &ToldSteps { space: self.space(), labels, looks, by_states, goes_on })
    }

    /// The labels of the steps that leave a row.
    pub fn enabled(&self, row: &[Id]) -> Vec<String> {
        watchkeeper_space::successors(self.space(), row)
            .into_iter()
            .map(|(action, _)| self.space().label(row, action))
            .collect()
    }

    /// A random walk from a state: faults are a tenth as likely as other steps, or hardly anything else would be seen.
    pub(crate) fn walk(&self, from: usize, count: usize, seed: u64) -> Answered {
        if count > LONGEST {
            return Err(WebProblem::bad(format!("a random walk has at most {LONGEST} steps")));
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut state, mut run) = (from, Run { start: from, steps: Vec::new() });
        let progress = self.space().shape().progress();
        let mut ended = None;
        while run.steps.len() < count {
            let steps = self.steps(state)?;
            let weight = |action: Action| if progress[usize::from(action.class())] { 10 } else { 1 };
            let all: u64 = steps.list.iter().map(|step| weight(step.action)).sum();
            if all == 0 || steps.stuck {
                ended = self.stuck(&steps, &self.row(state)?.clone()).or(Some("cut"));
                break;
            }
            let mut drawn = random.u64(..all);
            let place = steps.list.iter().position(|step| {
                let hit = drawn < weight(step.action);
                drawn = drawn.saturating_sub(weight(step.action));
                hit
            });
            let place = place.unwrap_or(0);
            run.steps.push(place);
            state = steps.list[place].to;
        }
        self.onwards(&run, json!({ "ended": ended }))
    }

    /// A run that goes on from a state: its steps, and the states, keys and labels after each.
    pub(crate) fn onwards(&self, run: &Run, more: Json) -> Answered {
        let mut told = self.run_told(run)?;
        for list in ["states", "keys"] {
            if let Some(list) = told.get_mut(list).and_then(Json::as_array_mut) {
                list.remove(0);
            }
        }
        let (told, more) = (told.as_object_mut(), more.as_object().cloned().unwrap_or_default());
        let mut told = told.cloned().unwrap_or_default();
        told.remove("missing");
        told.extend(more);
        Ok(Json::Object(told))
    }
}
