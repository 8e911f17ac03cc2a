//! The requests of a page about spaces: states, runs, charts, walks and columns. Long ones become jobs.

use crate::answer::{Answered, WebProblem, maybe_number, maybe_texts, number, text};
use crate::chart::{ChartPart, chart, part};
use crate::jobs::Jobs;
use crate::opened::OpenedSpace;
use crate::run::Run;
use crate::searching;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use watchkeeper_logic::parse;
use watchkeeper_report::{Style, itf};
use watchkeeper_space::{TimeWindow, Trace};

/// The most spaces that are open at once; the one that was asked for longest ago makes room.
const OPEN: usize = 24;

/// The most steps that are drawn at once: the time for a chart grows faster than its steps.
const DRAWN: usize = 10_000;

/// The most columns of one request.
const COLUMNS: usize = 32;

/// The spaces that pages look at, and the jobs that they have begun.
#[derive(Default)]
pub struct Explorer {
    spaces: Mutex<SpaceList>,
    /// All long searches.
    pub jobs: Jobs,
}

#[derive(Default)]
struct SpaceList {
    next: usize,
    clock: u64,
    open: BTreeMap<usize, (u64, Arc<OpenedSpace>)>,
}

/// A run as it is drawn, and the windows of its times where time is dense.
pub(crate) struct DrawnRun {
    pub(crate) trace: Trace,
    pub(crate) windows: Option<Vec<TimeWindow>>,
}

impl Explorer {
    /// Opens a space, and gives its number.
    pub fn open(&self, space: OpenedSpace) -> usize {
        let mut list = self.list();
        let number = list.next;
        list.next += 1;
        if list.open.len() >= OPEN
            && let Some(oldest) =
                list.open.iter().min_by_key(|(_, (used, _))| *used).map(|(number, _)| *number)
        {
            list.open.remove(&oldest);
        }
        let now = list.tick();
        list.open.insert(number, (now, Arc::new(space)));
        number
    }

    /// The space of a number.
    pub fn space(&self, number: usize) -> Result<Arc<OpenedSpace>, WebProblem> {
        let mut list = self.list();
        let now = list.tick();
        let Some((used, space)) = list.open.get_mut(&number) else {
            let why = format!("the space {number} is not open any more: open it again by its address");
            return Err(WebProblem::gone(why));
        };
        *used = now;
        Ok(Arc::clone(space))
    }

    /// Whether a number still stands for a space.
    pub fn is_open(&self, number: usize) -> bool {
        self.list().open.contains_key(&number)
    }

    /// The numbers, keys and labels of the initial states of a space, for the answer that opens it.
    pub fn initial(&self, number: usize) -> Answered {
        let initial = self.space(number)?.initial()?;
        let one = |(state, key): &(usize, crate::LinkKey)| json!({ "state": state, "key": key.to_string(), "label": "" });
        Ok(initial.iter().map(one).collect())
    }

    /// The answer to a request; `None` if it is not about a space or a job.
    pub fn answer(&self, path: &str, body: &Json) -> Option<Answered> {
        if let Some(rest) = path.strip_prefix("/api/job/") {
            return Some(self.job(rest));
        }
        Some(match path {
            "/api/state" => self.of(body).and_then(|space| space.state(number(body, "state")?)),
            "/api/resolve" => self.of(body).and_then(|space| space.resolved(text(body, "run")?)),
            "/api/run" => self.of(body).and_then(|space| space.run_told(&Run::of(body)?)),
            "/api/walk" => self.of(body).and_then(|space| {
                let seed = body.get("seed").and_then(Json::as_u64).unwrap_or(1);
                space.walk(number(body, "state")?, maybe_number(body, "count")?.unwrap_or(20), seed)
            }),
            "/api/chart" => self.of(body).and_then(|space| charted(&space, body)),
            "/api/columns" => self.of(body).and_then(|space| columns(&space, body)),
            "/api/until" => self.of(body).and_then(|space| searching::until(&self.jobs, space, body)),
            "/api/graph" => self.of(body).and_then(|space| searching::state_graph(&self.jobs, space, body)),
            _ => return None,
        })
    }

    /// The space that a request is about.
    pub fn of(&self, body: &Json) -> Result<Arc<OpenedSpace>, WebProblem> {
        self.space(number(body, "space")?)
    }

    fn job(&self, rest: &str) -> Answered {
        let (job, cancel) = rest.strip_suffix("/cancel").map_or((rest, false), |job| (job, true));
        let job = job.parse().map_err(|_| WebProblem::missing("a search is asked for by its number"))?;
        if cancel { self.jobs.cancel(job) } else { self.jobs.look(job) }
    }

    fn list(&self) -> MutexGuard<'_, SpaceList> {
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpaceList {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

/// The run of a request as a trace, with the times that were picked.
pub(crate) fn drawn(space: &OpenedSpace, body: &Json) -> Result<DrawnRun, WebProblem> {
    let run = Run::of(body)?;
    let path = space.path(&run)?;
    let picks = picks(body)?;
    if !space.initial()?.iter().any(|(first, _)| *first == run.start) {
        return Err(WebProblem::impossible(
            "a run is drawn from an initial state on, so that every message of it was sent: begin it there",
        ));
    }
    let (mut trace, windows) = match space.space().run_times() {
        Some(times) => {
            let timed =
                times.at_times(&path, &picks).map_err(|why| WebProblem::impossible(why.to_string()))?;
            (timed.trace, Some(timed.windows))
        }
        None if !picks.is_empty() => {
            return Err(WebProblem::impossible(
                "times are picked in dense time only: open it with time=dense",
            ));
        }
        None => {
            let trace = space.space().replay(&path);
            (trace.map_err(|why| WebProblem::new(500, why.to_string()))?, None)
        }
    };
    trace.loops_to = maybe_number(body, "loop")?.filter(|&first| first < trace.steps.len());
    Ok(DrawnRun { trace, windows })
}

/// A step, counted from 1, and the moment that was picked for it as a fraction.
type Pick = (usize, (i64, i64));

/// The moments that a user has picked: the step, counted from 1, and the time as a fraction.
fn picks(body: &Json) -> Result<Vec<Pick>, WebProblem> {
    let wrong = || WebProblem::bad("picks are pairs of a step and a time, such as [4, \"7/2\"]");
    let Some(list) = body.get("picks").filter(|picks| !picks.is_null()) else { return Ok(Vec::new()) };
    let pick = |pick: &Json| -> Option<Pick> {
        let step = usize::try_from(pick.get(0)?.as_u64()?).ok()?;
        Some((step, moment(pick.get(1)?.as_str()?)?))
    };
    list.as_array().ok_or_else(wrong)?.iter().map(|one| pick(one).ok_or_else(wrong)).collect()
}

/// A time as people write it: `3`, `7/2` or `3.5`.
fn moment(text: &str) -> Option<(i64, i64)> {
    let text = text.trim();
    if let Some((above, below)) = text.split_once('/') {
        let (above, below) = (above.trim().parse().ok()?, below.trim().parse().ok()?);
        return (below > 0).then_some((above, below));
    }
    let Some((whole, part)) = text.split_once('.') else { return Some((text.parse().ok()?, 1)) };
    if part.is_empty() || part.len() > 6 || !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let scale = 10_i64.pow(part.len() as u32);
    let whole: i64 = whole.parse().ok().filter(|whole| *whole >= 0)?;
    Some((whole.checked_mul(scale)?.checked_add(part.parse().ok()?)?, scale))
}

fn shown(body: &Json, total: usize) -> Result<ChartPart, WebProblem> {
    let (from, to) = (maybe_number(body, "from")?.unwrap_or(0), maybe_number(body, "to")?.unwrap_or(total));
    let to = to.min(total);
    if to.saturating_sub(from) > DRAWN {
        let why = format!("a chart has at most {DRAWN} steps: ask for a part of the run with from and to");
        return Err(WebProblem::impossible(why));
    }
    Ok(ChartPart { from, to, only: maybe_texts(body, "only")?.filter(|only| !only.is_empty()) })
}

fn charted(space: &OpenedSpace, body: &Json) -> Answered {
    let run = drawn(space, body)?;
    let total = run.trace.steps.len();
    let part = shown(body, total)?;
    let times = run.windows.as_ref().map(|windows| windows.iter().map(window).collect::<Vec<_>>());
    let ticked =
        || run.trace.steps.iter().map(|step| step.at.as_ref().map(|at| json!({ "at": at }))).collect();
    let times: Option<Vec<Json>> = times.or_else(ticked);
    Ok(json!({
        "svg": chart(&run.trace, &part).svg("Message sequence chart of the run"),
        "from": part.from.min(part.to),
        "to": part.to,
        "total": total,
        "times": times,
    }))
}

fn window(window: &TimeWindow) -> Json {
    json!({
        "at": window.at,
        "least": window.least,
        "least_is_open": window.least_is_open,
        "most": window.most,
        "most_is_open": window.most_is_open,
    })
}

/// For each expression over atoms its value in every state of a run.
fn columns(space: &OpenedSpace, body: &Json) -> Answered {
    let expressions = maybe_texts(body, "expressions")?.unwrap_or_default();
    if expressions.len() > COLUMNS {
        return Err(WebProblem::bad(format!("at most {COLUMNS} columns at once")));
    }
    let states = space.states_of(&Run::of(body)?)?;
    let rows = states.iter().map(|&state| space.row(state)).collect::<Result<Vec<_>, _>>()?;
    let column = |expression: &String| match state_formula(space, expression) {
        Err(why) => json!({ "expression": expression, "error": why, "values": [] }),
        Ok(formula) => {
            let holds = |row: &std::sync::Arc<[u32]>| formula.holds(&|atom| space.space().atom(atom, row));
            json!({ "expression": expression, "error": null, "values": rows.iter().map(holds).collect::<Vec<_>>() })
        }
    };
    Ok(json!({ "columns": expressions.iter().map(column).collect::<Vec<_>>() }))
}

/// A formula about one state.
pub(crate) fn state_formula(space: &OpenedSpace, text: &str) -> Result<watchkeeper_logic::Formula, String> {
    let formula =
        parse(text, &(space.space().shape(), space.processes().len())).map_err(|wrong| wrong.render(text))?;
    match formula.is_of_a_state() {
        true => Ok(formula),
        false => {
            Err("this speaks of a run; write a formula about one state, without G, F, X, U, R and ~>"
                .to_string())
        }
    }
}

impl OpenedSpace {
    /// All that the page shows of a state.
    pub fn shown_state(&self, number: usize) -> Answered {
        self.state(number)
    }

    /// The chart of the run of a request.
    pub fn shown_chart(&self, body: &Json) -> Answered {
        charted(self, body)
    }

    /// A run of a request in a format that other programs read: its text and the ending of its file.
    pub fn exported(
        &self,
        body: &Json,
        title: &str,
        form: &str,
    ) -> Result<(String, &'static str), WebProblem> {
        let run = drawn(self, body)?;
        let shown = shown(body, run.trace.steps.len())?;
        Ok(match form {
            "svg" => (chart(&run.trace, &shown).svg(title), "svg"),
            "mermaid" => (chart(&run.trace, &shown).mermaid(), "mmd"),
            "text" => (chart(&run.trace, &shown).text(&Style::default()), "txt"),
            "itf" => (itf(&part(&run.trace, &ChartPart { only: None, ..shown }).0, title), "itf.json"),
            _ => return Err(WebProblem::bad("form is none of svg, mermaid, text and itf")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        for (text, read) in [
            ("3", Some((3, 1))),
            (" 7/2 ", Some((7, 2))),
            ("3.25", Some((325, 100))),
            ("0.5", Some((5, 10))),
            ("7/0", None),
            ("x", None),
            ("1.", None),
            ("1.2345678", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(moment(text), read, "{text}");
        }
    }
}
