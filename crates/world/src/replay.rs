//! Trails told as traces. Every action of a trail is executed by the interpreter, and every row of it is
//! compared with what the execution came to; a trail that differs anywhere has no trace.

use crate::interpreter::timeline::Timeline;
use crate::interpreter::{Done, Interpreter, Start};
use crate::snapshot::Snapshot;
use crate::transition::Transition;
use crate::{World, WorldTime};
use watchkeeper_core::{Event, Pid, Step, Trace};
use watchkeeper_space::{Action, Id, Mismatch, StatePath};

/// Why a step of dense time is none.
pub(crate) const NO_MOMENT: &str = "there is no moment at which it can happen";

impl World {
    pub(crate) fn replayed(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.executed(trail, |mut trace, timeline| {
            if matches!(self.scenario.time, WorldTime::Dense(_)) {
                let times = timeline.solved().map_err(|step| Mismatch { step, why: NO_MOMENT.into() })?;
                for (i, step) in trace.steps.iter_mut().enumerate() {
                    step.at = Some(times.time(i + 1).to_string());
                }
            }
            Ok(trace)
        })
    }

    /// What `finish` makes of the execution of a trail, which in dense time has no times yet.
    pub(crate) fn executed<T, E: From<Mismatch>>(
        &self,
        trail: &StatePath,
        finish: impl Fn(Trace, &Timeline) -> Result<T, E>,
    ) -> Result<T, E> {
        let wrong = |step: usize, why: String| E::from(Mismatch { step, why });
        if trail.rows.len() != trail.actions.len() + 1 {
            let (rows, actions) = (trail.rows.len(), trail.actions.len());
            return Err(wrong(0, format!("{rows} states cannot be joined by {actions} actions")));
        }
        let interpreter = Interpreter::new(self);
        let start = self.told(&trail.rows[0]).map_err(|why| wrong(0, why))?;
        let starts = interpreter.starts().map_err(|why| wrong(0, why))?;
        // In dense time initial states may differ in their clocks alone, which only the times of the run tell apart.
        let mut found = starts.into_iter().filter(|(config, _)| interpreter.settled(config) == start);
        let first =
            found.next().ok_or_else(|| wrong(0, "the first state is not an initial one".to_string()))?;
        let from = |begun: Start| {
            let (trace, timeline) = self.executed_from(&interpreter, begun, &start, trail)?;
            finish(trace, &timeline)
        };
        from(first).or_else(|why| found.find_map(|begun| from(begun).ok()).ok_or(why))
    }

    /// A trail as a trace, from one of the initial states that look like its first row, with its bounds in dense time.
    fn executed_from(
        &self,
        interpreter: &Interpreter<'_>,
        (mut config, at_start): Start,
        start: &Snapshot,
        trail: &StatePath,
    ) -> Result<(Trace, Timeline), Mismatch> {
        let wrong = |step: usize, why: String| Mismatch { step, why };
        let dead = self.scenario.faults.crashed_at_start;
        let dead = Pid::all(self.scenario.n).filter(|&process| dead.contains(process));
        let mut trace = Trace {
            processes: Pid::all(self.scenario.n).map(|p| p.to_string()).collect(),
            start: self.variables(start),
            opening: dead.map(|process| Event::Crash { process }).chain(at_start).collect(),
            steps: Vec::new(),
            loops_to: None,
        };
        for (i, &action) in trail.actions.iter().enumerate() {
            let here = |why| wrong(i + 1, why);
            let transition = self.classes.transition(action);
            let transition =
                transition.ok_or_else(|| here(format!("{action:?} is no action of this world")))?;
            let done = interpreter.apply(&mut config, transition).map_err(here)?;
            self.same_class(action, transition, &done).map_err(here)?;
            let expected = self.told(&trail.rows[i + 1]).map_err(here)?;
            let reached = interpreter.settled(&config);
            if reached != expected {
                return Err(here(self.difference(&done.label, &reached, &expected)));
            }
            let at =
                matches!(self.scenario.time, WorldTime::Ticks(_)).then(|| config.timeline.tick().to_string());
            trace.steps.push(Step {
                action: done.label,
                at,
                events: done.events,
                after: self.variables(&reached),
            });
        }
        Ok((trace, config.timeline))
    }

    /// An action of a row as a person reads it.
    pub(crate) fn described(&self, row: &[Id], action: Action) -> String {
        let interpreter = Interpreter::new(self);
        let done = self.classes.transition(action).zip(self.snapshot(row)).map(|(transition, snapshot)| {
            if let Transition::Expire { deadlines } = transition {
                return self.described_expiry(&snapshot, deadlines);
            }
            interpreter.apply(&mut interpreter.unsettled(&snapshot), transition).map(|done| done.label)
        });
        match done {
            Some(Ok(label)) => label,
            Some(Err(why)) => format!("impossible: {why}"),
            None => format!("impossible: {action:?} is no action of this world"),
        }
    }

    /// A row of dense time has the clock of a deadline that passes, and not how long it was: only a run tells.
    fn described_expiry(&self, state: &Snapshot, deadlines: usize) -> Result<String, String> {
        let watchers = self.observers.iter().zip(&state.observers);
        let mut running =
            watchers.flat_map(|(observer, memory)| memory.running.iter().map(|_| observer.name()));
        let name = running.nth(deadlines.trailing_zeros() as usize);
        name.map(|name| format!("{name}: a deadline passes")).ok_or("no deadline runs out".to_string())
    }

    fn told(&self, row: &[Id]) -> Result<Snapshot, String> {
        self.snapshot(row).ok_or_else(|| format!("{row:?} is no state of this world"))
    }

    /// The class is what coverage counts and monitors see, so it must fit what happened.
    fn same_class(&self, action: Action, transition: Transition, done: &Done) -> Result<(), String> {
        let expected = match (transition, done.kind) {
            (Transition::Deliver { .. }, Some(kind)) => self.classes.deliver(kind),
            (Transition::Fire { slot, .. }, _) => self.classes.fire(slot),
            (Transition::Call { .. }, Some(kind)) => self.classes.call(kind),
            _ => return Ok(()),
        };
        if action.class() == expected {
            return Ok(());
        }
        let name = |class: u8| &self.classes.list[usize::from(class)].name;
        Err(format!("`{}` is not of the class `{}`", done.label, name(action.class())))
    }

    /// The first variable that differs.
    fn difference(&self, action: &str, reached: &Snapshot, expected: &Snapshot) -> String {
        let (reached, expected) = (self.variables(reached), self.variables(expected));
        let differs = reached.iter().zip(&expected).find(|(a, b)| a != b);
        match differs {
            Some(((name, is), (_, said))) => format!("after `{action}` {name} is {is}, not {said}"),
            None => format!("after `{action}` the state is another one, though it prints the same"),
        }
    }
}
