//! A path told again: the naive rules take every step of it by its multi-action, and only a path that they can follow is told.

use super::memory::Memory;
use super::model_error::ProcessError;
use super::naive::{NaiveTerm, Rules, TermAction};
use super::values::ValueId;
use watchkeeper_space::{Event, Id, Mismatch, Pid, StatePath, Step, Tone, Trace};

/// How many processes a chart has lanes for.
const LANES: usize = 64;

/// The path as a trace, or where the rules cannot follow it.
pub(crate) fn retell(memory: &Memory, path: &StatePath) -> Result<Trace, Mismatch> {
    let system = &memory.system;
    let mut terms = Rules::new(&system.model, Vec::new()).start().map(|start| vec![start]).map_err(at(0))?;
    let first = path.rows.first().ok_or(Mismatch { step: 0, why: "the path is empty".to_string() })?;
    if *first != memory.initial() {
        return Err(Mismatch { step: 0, why: "the path does not begin in the initial state".to_string() });
    }
    let mut steps = Vec::new();
    for (i, (&action, rows)) in path.actions.iter().zip(path.rows.windows(2)).enumerate() {
        let number = i + 1;
        let unknown = || Mismatch { step: number, why: "the step has no multi-action".to_string() };
        let (label, text) = memory.label(action).ok_or_else(unknown)?;
        let mut candidates: Vec<ValueId> = label.iter().flat_map(|action| action.arguments.clone()).collect();
        rows.iter().for_each(|row| values_of(memory, row, &mut candidates));
        let mut wanted: Vec<TermAction> = label
            .iter()
            .map(|action| (system.model.names[action.name as usize].clone(), action.arguments.clone()))
            .collect();
        wanted.sort();
        terms = followed(memory, &terms, &wanted, candidates).map_err(at(number))?;
        if terms.is_empty() {
            return Err(Mismatch { step: number, why: format!("the rules allow no {text} here") });
        }
        let action = text.to_string();
        steps.push(Step {
            events: events(&rows[0], &rows[1], &action),
            action,
            at: None,
            after: memory.view(&rows[1]),
        });
    }
    let processes = match system.components.len() {
        few if few <= LANES => system.components.iter().map(|component| component.name.clone()).collect(),
        _ => vec!["system".to_string()],
    };
    Ok(Trace { processes, start: memory.view(first), opening: Vec::new(), steps, loops_to: None })
}

fn at(step: usize) -> impl Fn(ProcessError) -> Mismatch {
    move |error| Mismatch { step, why: error.to_string() }
}

/// The terms that these become by a multi-action.
fn followed<'a>(
    memory: &'a Memory,
    terms: &[NaiveTerm<'a>],
    wanted: &[TermAction],
    mut candidates: Vec<ValueId>,
) -> Result<Vec<NaiveTerm<'a>>, ProcessError> {
    let model = &memory.system.model;
    // What one component offers another may take, also where neither the label nor the states show it.
    for _ in 0..2 {
        let mut offered = Vec::new();
        let rules = Rules::new(model, candidates.clone());
        for term in terms {
            rules.offered(term, &mut offered)?;
        }
        candidates.extend(offered);
        candidates.sort_unstable();
        candidates.dedup();
    }
    let rules = Rules::new(model, candidates);
    let mut next: Vec<NaiveTerm<'a>> = Vec::new();
    for term in terms {
        for (actions, after) in rules.steps(term)? {
            if actions == wanted && !next.contains(&after) {
                next.push(after);
            }
        }
    }
    Ok(next)
}

fn values_of(memory: &Memory, row: &[Id], found: &mut Vec<ValueId>) {
    for (slot, &id) in row.iter().enumerate() {
        for frame in &memory.local(slot, id).frames {
            found.extend(frame.values.iter().copied());
        }
    }
}

/// What a chart draws: the multi-action beside every component that moves.
fn events(before: &[Id], after: &[Id], action: &str) -> Vec<Event> {
    let moved: Vec<usize> = (0..before.len()).filter(|&slot| before[slot] != after[slot]).collect();
    if before.len() > LANES || moved.is_empty() {
        return vec![Event::Remark { text: action.to_string() }];
    }
    let output =
        |slot| Event::Output { process: Pid::at(slot), label: action.to_string(), tone: Tone::Plain };
    moved.into_iter().map(output).collect()
}
