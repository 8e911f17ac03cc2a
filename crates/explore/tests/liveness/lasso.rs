//! Judges a counterexample by what it says alone: whether it is a run of the space for ever, whether the run
//! is fair, and whether the claim is wrong of it. It must not ask the engine, nor the slow reference.

use crate::table::{Line, Table};
use std::collections::BTreeSet;
use watchkeeper_logic::{Fairness, FairnessStrength, FairnessUnit, Formula};
use watchkeeper_space::{ActionLabel, Trace, Value, View};

/// The action of a step in which a run stays where it is.
const STILL: [&str; 2] = ["time passes, and nothing changes", "for a while, nothing happens"];

/// Says what is wrong with a counterexample, if something is.
pub fn judge(table: &Table, claim: &Formula, fairness: &[Fairness], trace: &Trace) -> Result<(), String> {
    let run = Run::told(table, trace)?;
    run.is_fair(table, fairness)?;
    match run.holds(table, claim)[0] {
        true => Err("the claim is right of it".into()),
        false => Ok(()),
    }
}

/// A state, and the step of the table that is taken there; none if the run stays.
pub type Move = (usize, Option<usize>);

/// An infinite run.
struct Run {
    moves: Vec<Move>,
    /// Where it goes on after the last move.
    back: usize,
}

impl Run {
    fn told(table: &Table, trace: &Trace) -> Result<Run, String> {
        let (mut moves, last) = walk(table, trace)?;
        let back = trace.loops_to.ok_or("it does not go on for ever")?;
        if back == moves.len() {
            if !table.rests(last) {
                return Err(format!("it rests in {last}, where something must happen"));
            }
            moves.push((last, None));
        } else if moves.get(back).is_none_or(|(state, _)| *state != last) {
            return Err(format!("it does not close: it ends in {last} and goes on from move {back}"));
        }
        Ok(Run { moves, back })
    }

    fn is_fair(&self, table: &Table, fairness: &[Fairness]) -> Result<(), String> {
        let again = &self.moves[self.back..];
        let (shape, reached) = (&table.shape, table.reachable());
        for constraint in fairness {
            let key = |step: usize| {
                let line = &table.steps[step];
                let one = constraint.of.has(shape, line.class, &line.label) && reached[line.from];
                one.then(|| constraint.each.key(line.class, &line.label))
            };
            let mut keys: BTreeSet<_> = (0..table.steps.len()).filter_map(key).collect();
            if constraint.each == FairnessUnit::Together {
                keys.insert(FairnessUnit::Together.key(0, &ActionLabel::default()));
            }
            for one in keys {
                let is = |step: usize| key(step) == Some(one);
                let possible = |state: usize| {
                    (0..table.steps.len()).any(|step| table.steps[step].from == state && is(step))
                };
                let taken = again.iter().any(|(_, step)| step.is_some_and(is));
                let fair = match constraint.strength {
                    FairnessStrength::Weak => taken || again.iter().any(|(state, _)| !possible(*state)),
                    FairnessStrength::Strong => taken || !again.iter().any(|(state, _)| possible(*state)),
                    FairnessStrength::Always => taken,
                };
                if !fair {
                    return Err(format!("it is not fair to {one:?} of `{}`", constraint.name));
                }
            }
        }
        let class = |step: usize| table.steps[step].class;
        if shape
            .time
            .is_some_and(|time| !again.iter().any(|(_, step)| step.is_none_or(|step| class(step) == time)))
        {
            return Err("time stands still in it".into());
        }
        for owed in table.steps.iter().filter(|line| shape.justice.contains(&line.class)) {
            let same = |line: &Line| (line.class, line.label) == (owed.class, owed.label);
            let possible = |state: usize| table.steps.iter().any(|line| line.from == state && same(line));
            let taken = again.iter().any(|(_, step)| step.is_some_and(|step| same(&table.steps[step])));
            if !taken && again.iter().all(|(state, _)| possible(*state)) {
                return Err(format!("it puts off {} for ever", shape.classes[usize::from(owed.class)].name));
            }
        }
        Ok(())
    }

    /// For each moment of the run, whether the claim holds from there on.
    fn holds(&self, table: &Table, claim: &Formula) -> Vec<bool> {
        let moments = self.moves.len();
        let next = |i: usize| if i + 1 < moments { i + 1 } else { self.back };
        let of = |claim: &Formula| self.holds(table, claim);
        let each = |holds: &dyn Fn(usize) -> bool| (0..moments).map(holds).collect();
        // The value from the end backwards, twice round so that it is right in the loop too.
        let settle = |start: bool, now: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; moments];
            for i in (0..moments).rev().chain((0..moments).rev()) {
                values[i] = now(i, values[next(i)]);
            }
            values
        };
        match claim {
            Formula::True => vec![true; moments],
            Formula::False => vec![false; moments],
            Formula::Atom(id) => each(&|i| table.states[self.moves[i].0].atoms >> id & 1 != 0),
            Formula::Not(a) => of(a).into_iter().map(|is| !is).collect(),
            Formula::And(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a && b).collect(),
            Formula::Or(a, b) => of(a).into_iter().zip(of(b)).map(|(a, b)| a || b).collect(),
            Formula::Next(a) => {
                let a = of(a);
                each(&|i| a[next(i)])
            }
            Formula::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                settle(false, &|i, then| b[i] || a[i] && then)
            }
            Formula::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                settle(true, &|i, then| b[i] && (a[i] || then))
            }
        }
    }
}

/// The moves that a trace tells, and the state in which they end.
pub fn walk(table: &Table, trace: &Trace) -> Result<(Vec<Move>, usize), String> {
    let mut at = state_of(&trace.start)?;
    if !table.states.get(at).is_some_and(|state| state.start) {
        return Err(format!("it begins in {at}, which is not initial"));
    }
    let mut moves = Vec::new();
    for step in &trace.steps {
        if STILL.contains(&step.action.as_str()) {
            if state_of(&step.after)? != at || !table.rests(at) {
                return Err(format!("it cannot be still in {at}"));
            }
            moves.push((at, None));
            continue;
        }
        let number = step.action.strip_prefix("step ").and_then(|number| number.parse::<usize>().ok());
        let number = number.ok_or(format!("what is `{}`?", step.action))?;
        let line = table.steps.get(number).filter(|line| line.from == at);
        let line = line.ok_or(format!("step {number} does not leave {at}"))?;
        moves.push((at, Some(number)));
        at = state_of(&step.after)?;
        if line.to != at {
            return Err(format!("step {number} does not lead to {at}"));
        }
    }
    Ok((moves, at))
}

fn state_of(view: &View) -> Result<usize, String> {
    match view.first() {
        Some((_, Value::Int(number))) => Ok(*number as usize),
        _ => Err("a state of another space".into()),
    }
}
