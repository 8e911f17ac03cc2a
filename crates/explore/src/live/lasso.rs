//! A lasso that breaks a claim: replayed by the space, and judged once more by other means than the search: the formula by
//! its definition on the sequence of states, fairness on the steps of the loop.

use super::cycles::{LassoEdge, Via};
use super::emptiness::NodeLasso;
use super::state_graph::{StateGraph, rests};
use crate::store::Key;
use std::collections::BTreeSet;
use watchkeeper_logic::{Fairness, FairnessStrength, Formula, Shortcut, holds_on_lasso, shortcuts};
use watchkeeper_space::{
    Action, ActionLabel, ClassId, Event, Id, Mismatch, Role, Space, StatePath, Step, Successors, Trace, steps,
};

/// A run as rows and what is done between them; nothing, where it is still.
pub(crate) struct Lasso {
    /// The states; with a loop the last one is where the loop began.
    pub rows: Vec<Vec<Id>>,
    /// How each is left.
    pub actions: Vec<Option<Action>>,
    /// Where the loop begins, if there is one.
    pub loops_to: Option<usize>,
}

impl Lasso {
    /// The run that was caught, in rows.
    pub fn of<K: Key>(state_graph: &StateGraph<'_, K>, lasso: &NodeLasso) -> Lasso {
        let cycle = lasso.cycle.as_deref().unwrap_or_default();
        let edges: Vec<LassoEdge> = lasso.stem.iter().chain(cycle).copied().collect();
        let mut rows: Vec<Vec<Id>> = edges.iter().map(|(state, _)| state_graph.row(*state)).collect();
        rows.push(state_graph.row(lasso.end));
        let mut actions = Vec::new();
        for (i, (_, via)) in edges.iter().enumerate() {
            actions.push(match via {
                Via::Still => None,
                Via::Action(action) => Some(*action),
                Via::Any => {
                    let moves = steps(state_graph.space, &rows[i]).next;
                    moves.into_iter().find(|(_, row)| *row == rows[i + 1]).map(|(action, _)| action)
                }
            });
        }
        Lasso { rows, actions, loops_to: lasso.cycle.as_ref().map(|_| lasso.stem.len()) }
    }

    /// The run as a trace, after the space has executed it again. A rest for ever is a loop without steps.
    pub fn trace(&self, space: &dyn Space) -> Result<Trace, Mismatch> {
        let moving: Vec<usize> = (0..self.actions.len()).filter(|&i| self.actions[i].is_some()).collect();
        let mut path = vec![self.rows[0].clone()];
        path.extend(moving.iter().map(|&i| self.rows[i + 1].clone()));
        let lifted = space.lift(&path)?;
        let actions = moving.iter().filter_map(|&i| self.actions[i]).collect();
        let mut trace = space.replay(&StatePath { rows: lifted.rows, actions })?;
        let Some(loops_to) = self.loops_to else { return Ok(trace) };
        let rests = self.actions[loops_to..].iter().all(Option::is_none);
        let told = if rests { loops_to } else { self.actions.len() };
        for still in (0..told).filter(|&i| self.actions[i].is_none()) {
            let after = match still {
                0 => trace.start.clone(),
                at => trace.steps[at - 1].after.clone(),
            };
            let text = match space.shape().time {
                Some(_) => "time passes, and nothing changes".to_string(),
                None => "for a while, nothing happens".to_string(),
            };
            let events = vec![Event::Remark { text: text.clone() }];
            trace.steps.insert(still, Step { action: text, at: None, events, after });
        }
        trace.loops_to = Some(loops_to);
        Ok(trace)
    }

    /// The cap that has cut a step away in a state of the loop, where fairness matters: the step may have been one
    /// that a fair run must take, so that nobody can say whether this one is fair.
    pub fn cut(&self, space: &dyn Space, fairness: &[Fairness]) -> Option<String> {
        let start = self.loops_to?;
        if fairness.is_empty() && Fairness::of_space(space.shape()).is_empty() {
            return None;
        }
        let mut found = Successors::new();
        self.rows[start..].iter().for_each(|row| space.expand(row, &mut found));
        found.cuts().first().map(|&cap| space.shape().caps[cap].name.clone())
    }

    /// Whether the run breaks the claim and is fair, by the definitions.
    pub fn judge(&self, space: &dyn Space, claim: &Formula, fairness: &[Fairness]) -> Result<(), Mismatch> {
        let wrong = |step: usize, why: &str| Err(Mismatch { step, why: why.to_string() });
        let end = self.rows.len() - 1;
        for (i, _) in self.actions.iter().enumerate().filter(|(_, label)| label.is_none()) {
            let moves = steps(space, &self.rows[i]).next;
            let fault =
                |action: &Action| space.shape().classes[usize::from(action.class())].role == Role::Fault;
            let only_faults = moves.iter().all(|(action, _)| fault(action));
            if self.rows[i] != self.rows[i + 1] || !rests(space, &self.rows[i], false, only_faults) {
                return wrong(i, "it stays where it is, where something must happen");
            }
        }
        let Some(start) = self.loops_to else {
            let broken = |part: &Shortcut| match part {
                Shortcut::Always(p) => !p.holds(&|atom| space.atom(atom, &self.rows[end])),
                _ => false,
            };
            let found = shortcuts(claim).iter().any(broken);
            return if found {
                Ok(())
            } else {
                wrong(end, "the last state breaks nothing that should always hold")
            };
        };
        if self.rows[start] != self.rows[end] {
            return wrong(end, "the loop does not come back to where it began");
        }
        let atom = |position: usize, atom| space.atom(atom, &self.rows[position]);
        if holds_on_lasso(claim, end, start, &atom) {
            return wrong(end, "the claim is right of this run");
        }
        for rule in fairness.iter().chain(&Fairness::of_space(space.shape())) {
            if !self.meets(space, rule, start) {
                return wrong(end, &format!("the run does not meet: {}", rule.name));
            }
        }
        Ok(())
    }

    fn meets(&self, space: &dyn Space, rule: &Fairness, start: usize) -> bool {
        let shape = space.shape();
        type Known = BTreeSet<(Option<ClassId>, ActionLabel)>;
        let (mut everywhere, mut somewhere, mut taken): (Option<Known>, Known, Known) =
            (None, Known::new(), Known::new());
        let mut still = false;
        for i in start..self.actions.len() {
            let moves = steps(space, &self.rows[i]);
            let mut here = Known::new();
            for (action, row) in &moves.next {
                let label = space.action_label(&self.rows[i], *action);
                if rule.of.has(shape, action.class(), &label) {
                    let key = rule.each.key(action.class(), &label);
                    here.insert(key);
                    if self.actions[i] == Some(*action) && *row == self.rows[i + 1] {
                        taken.insert(key);
                    }
                }
            }
            let fault = |action: &Action| shape.classes[usize::from(action.class())].role == Role::Fault;
            let only_faults = moves.next.iter().all(|(action, _)| fault(action));
            still |= self.actions[i].is_none() && rests(space, &self.rows[i], false, only_faults);
            somewhere.extend(&here);
            everywhere = Some(match everywhere {
                None => here,
                Some(all) => all.intersection(&here).copied().collect(),
            });
        }
        match rule.strength {
            FairnessStrength::Weak => everywhere.unwrap_or_default().is_subset(&taken),
            FairnessStrength::Strong => somewhere.is_subset(&taken),
            FairnessStrength::Always => {
                !taken.is_empty() || still && rule.of.classes.first() == shape.time.as_ref()
            }
        }
    }
}
