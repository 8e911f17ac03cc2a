//! Searches over the states of an opened space that a page asks for: the nearest state in which a formula holds, and the
//! graph of a small space. They visit all states, nearest first, on one thread; verdicts are given by the engines alone.

use crate::answer::{Answered, WebProblem, maybe_number, number, text};
use crate::explorer::state_formula;
use crate::jobs::{JobProgress, Jobs};
use crate::opened::OpenedSpace;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use watchkeeper_explore::{Traversal, TraversalEnd};
use watchkeeper_report::thousands;
use watchkeeper_space::{Action, Id};

/// The most states that a search of a page visits, and how many it visits if the page says nothing.
const MOST_VISITED: usize = 5_000_000;
const VISITED: usize = 1_000_000;

/// The most bytes that the states of one search may hold, and what a state holds beside its ids.
const BYTES: usize = 1 << 29;
const BESIDE: usize = 96;

/// The most states that are drawn, and how many are drawn if the page says nothing.
const MOST_DRAWN: usize = 20_000;
const DRAWN: usize = 3_000;

/// The walk to the nearest state in which a formula holds: `POST /api/until`.
pub(crate) fn until(jobs: &Jobs, space: Arc<OpenedSpace>, body: &Json) -> Answered {
    let (state, formula) = (number(body, "state")?, text(body, "formula")?);
    let row = space.row(state)?;
    let goal = state_formula(&space, formula).map_err(WebProblem::bad)?;
    let most = room(&space, maybe_number(body, "most")?.unwrap_or(VISITED).min(MOST_VISITED));
    let work = move |progress: &JobProgress| {
        let mut found = Traversal::new(space.space());
        let holds = |row: &[Id]| goal.holds(&|atom| space.space().atom(atom, row));
        let end = found.run((vec![row.to_vec()], most), &holds, &mut |_, _, _| {}, progress);
        let visited = thousands(found.rows().len() as u64);
        let none = match end {
            TraversalEnd::Goal(goal) => {
                let path = space.space().lift(&found.way(goal));
                let path = path.map_err(|why| WebProblem::new(500, why.to_string()))?;
                return space.onwards(&space.run_of(&path)?, json!({ "none": null }));
            }
            TraversalEnd::All if found.is_cut() => format!(
                "It holds in none of the {visited} states that can be reached from here; the model has caps that cut \
                 steps away, so there may be others."
            ),
            TraversalEnd::All => {
                format!("It holds in no state that can be reached from here; there are {visited}.")
            }
            TraversalEnd::Most => format!(
                "It holds in none of the {visited} nearest states, and there are more: check its negation as `--ltl 'G \
                 !(...)'` in the tab Verdict, which goes further."
            ),
            TraversalEnd::Stopped => format!("Cancelled; it holds in none of the {visited} nearest states."),
        };
        Ok(json!({ "steps": [], "states": [], "keys": [], "labels": [], "none": none }))
    };
    jobs.begin("until", work)
}

/// The states on each level, and of a small space all states and steps: `POST /api/graph`.
pub(crate) fn state_graph(jobs: &Jobs, space: Arc<OpenedSpace>, body: &Json) -> Answered {
    let most = maybe_number(body, "most")?.unwrap_or(DRAWN);
    if !(1..=MOST_DRAWN).contains(&most) {
        return Err(WebProblem::bad(format!(
            "a graph has 1 to {MOST_DRAWN} states; of a larger space the levels are told"
        )));
    }
    jobs.begin("graph", move |progress| {
        let mut found = Traversal::new(space.space());
        let (mut stuck, mut drawn) = (Vec::new(), Vec::new());
        // What is drawn is taken down as long as there is little of it.
        let mut draw = |number: u32, is_stuck: bool, steps: &[(Action, u32)]| {
            if (number as usize) < most {
                stuck.push(is_stuck);
                drawn.extend(steps.iter().map(|&(action, to)| (number, action, to)));
            }
        };
        let end =
            found.run((space.space().initial(), room(&space, VISITED)), &|_| false, &mut draw, progress);
        let whole = end == TraversalEnd::All;
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        if whole && found.rows().len() <= most {
            let numbers = found.rows().iter().map(|row| space.number(row.to_vec()));
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            let levels = found.levels().iter().enumerate();
            let levels = levels.flat_map(|(level, count)| std::iter::repeat_n(level, *count));
            for (at, level) in levels.enumerate() {
                let why = stuck[at].then(|| space.why_stuck(&found.rows()[at]));
                nodes.push(json!({ "state": numbers[at], "level": level, "stuck": why }));
            }
            for &(from, action, to) in &drawn {
                let label = space.space().label(&found.rows()[from as usize], action);
                edges.push(json!([numbers[from as usize], numbers[to as usize], label]));
            }
        }
        Ok(json!({
            "complete": whole && !found.is_cut(),
            "states": found.rows().len(),
            "levels": found.levels(),
            "nodes": nodes,
            "edges": edges,
        }))
    })
}

/// How many states may be visited where they are this long.
fn room(space: &OpenedSpace, most: usize) -> usize {
    most.min(BYTES / (size_of::<Id>() * space.space().shape().slots.len() + BESIDE))
}
