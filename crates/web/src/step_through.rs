//! The present state for the page: a panel for each process, messages in flight, and the enabled steps, each with what it
//! will change.

use crate::answer::WebProblem;
use crate::changes::{changes, due_text};
use crate::link::LinkKey;
use crate::opened::{OpenedSpace, StepsFrom};
use serde_json::{Value as Json, json};
use watchkeeper_space::{Action, DueSpan, Id, ProcessPicture, ProcessStatus, Role, StatePicture, Stuck};

impl OpenedSpace {
    /// All that the page shows of a state.
    pub(crate) fn state(&self, number: usize) -> Result<Json, WebProblem> {
        let (row, steps) = (self.row(number)?, self.steps(number)?);
        let space = self.space();
        let picture = space.picture(&row);
        let suspects = self.all_suspects(&row);
        let mut told = Vec::with_capacity(steps.list.len());
        for (at, step) in steps.list.iter().enumerate() {
            let to = self.row(step.to)?;
            let label = space
                .action_labels()
                .map(|labels| labels.action_label(&row, step.action))
                .unwrap_or_default();
            let name =
                |p: Option<watchkeeper_space::Pid>| p.and_then(|p| self.processes().get(p.index()).cloned());
            let pairs: Vec<(String, String)> = suspects.iter().cloned().zip(self.all_suspects(&to)).collect();
            told.push(json!({
                "step": at,
                "key": step.key.to_string(),
                "to": step.to,
                "label": space.label(&row, step.action),
                "process": name(label.process),
                "peer": name(label.peer),
                "kind": self.kind(step.action),
                "class": space.shape().classes[usize::from(step.action.class())].name,
                "changes": changes(&picture, &space.picture(&to), &pairs),
            }));
        }
        let holds = space.shape().atoms.iter().enumerate().filter(|(atom, _)| space.atom(*atom, &row));
        let processes = picture.processes.iter().enumerate().map(|(i, process)| self.panel(i, process, &row));
        let rest =
            picture.rest.iter().map(|(name, value)| json!({ "name": name, "value": value.to_string() }));
        Ok(json!({
            "state": number,
            "key": LinkKey::of_state(space, &row).to_string(),
            "stuck": self.stuck(&steps, &row),
            "processes": processes.collect::<Vec<_>>(),
            "messages": self.messages(&picture),
            "rest": rest.collect::<Vec<_>>(),
            "atoms": holds.map(|(_, atom)| &atom.name).collect::<Vec<_>>(),
            "steps": told,
            "cut": steps.cut.iter().map(|&cap| &space.shape().caps[cap].name).collect::<Vec<_>>(),
        }))
    }

    /// Why nothing more happens in a state, if nothing does.
    pub(crate) fn stuck(&self, steps: &StepsFrom, row: &[Id]) -> Option<&'static str> {
        steps.stuck.then(|| self.why_stuck(row))
    }

    /// Why nothing more happens in a state in which nothing but faults can happen.
    pub(crate) fn why_stuck(&self, row: &[Id]) -> &'static str {
        match self.space().stuck(row) {
            Stuck::Deadlock => "deadlock",
            Stuck::Timelock => "time-lock",
            Stuck::Finished => "finished",
        }
    }

    fn kind(&self, action: Action) -> &'static str {
        let shape = self.space().shape();
        match shape.classes[usize::from(action.class())].role {
            _ if shape.time == Some(action.class()) => "time",
            Role::Fault => "fault",
            Role::Timer => "timer",
            Role::Message => "message",
            Role::Other => "other",
        }
    }

    /// For each process the set of those whom it suspects.
    fn all_suspects(&self, row: &[Id]) -> Vec<String> {
        let set = |process| format!("{{{}}}", self.suspects(process, row).join(", "));
        (0..self.processes().len()).map(set).collect()
    }

    fn panel(&self, at: usize, process: &ProcessPicture, row: &[Id]) -> Json {
        let (status, blocked) = match &process.status {
            ProcessStatus::Up => ("up", None),
            ProcessStatus::Crashed => ("crashed", None),
            ProcessStatus::Blocked(why) => ("blocked", Some(why)),
        };
        let fields =
            process.fields.iter().map(|(name, value)| json!({ "name": name, "value": value.to_string() }));
        let timers = process.timers.iter().map(|timer| json!({ "name": timer.name, "due": due(&timer.due) }));
        json!({
            "name": process.name,
            "status": status,
            "blocked": blocked,
            "suspects": if process.status == ProcessStatus::Crashed { Vec::new() } else { self.suspects(at, row) },
            "fields": fields.collect::<Vec<_>>(),
            "timers": timers.collect::<Vec<_>>(),
            "unsent": process.unsent,
        })
    }

    fn messages(&self, picture: &StatePicture) -> Vec<Json> {
        let name = |p: watchkeeper_space::Pid| {
            self.processes().get(p.index()).cloned().unwrap_or_else(|| p.to_string())
        };
        let message = |message: &watchkeeper_space::MessagePicture| {
            json!({
                "from": name(message.from),
                "to": name(message.to),
                "label": message.label,
                "due": due(&message.due),
            })
        };
        picture.messages.iter().map(message).collect()
    }
}

fn due(due: &Option<DueSpan>) -> Option<Json> {
    due.as_ref().map(|due| {
        json!({
            "least": due.least.to_string(),
            "most": due.most.map(|most| most.to_string()),
            "text": due_text(due),
        })
    })
}
