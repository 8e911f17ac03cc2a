//! The UPPAAL automata of Task1 and Task2: figures 6 to 8 of the report, 6.6 to 6.8 of the thesis.
//!
//! How the drawings are read:
//! - Every edge is one step, but for the two through `noReply`, which are one: that location is committed.
//!   It is the only one of Task1 without a crash edge, though the process may crash at any state. And with
//!   a step of Task2 between its edges, which do not hold the mutex, a process can suspect one that it has
//!   just heard of; then channels of type I deadlock, and the authors found that they do not.
//! - The mutex is held at `wait` of Task1 and, in Task2, from `case` on. The location of Task2 between
//!   `L[p][q]!=true` and the test of the target has no name.
//! - The process may crash at any state, as the text says; Task2 has fewer crash edges than locations.
//! - The loops of `crashed` are labelled `send_...[from][p]?`: a crashed process takes a message from the
//!   hand of its sender, in place of the channel, whether that has room or not. What is in a channel when
//!   its receiver crashes stays there, for Task2 has no such loops.
//! - `MyTarget`, `q`, `MsgType` and `received` are kept only where something may still read them. States
//!   that differ in nothing else behave alike; UPPAAL tells them apart.
//!
//! [`Grain::Atomic`] is a coarser model of the same text, not a published one: all that a task does under
//! the mutex between two messages is one step.

use super::automaton::{ChartRemark, ProcessModel, ProcessStep, RingAction, optional, process, processes};
use super::channel::{Message, RingChannel, pred, succ};
use watchkeeper_core::{Pid, ProcSet, Value};

/// The model, in one of its grains.
pub(super) struct Tasks {
    pub(super) grain: Grain,
}

/// How much is one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    /// One edge of the drawing, or two through a committed location.
    Edge,
    /// All edges up to the next message or the release of the mutex.
    Atomic,
}

/// The location of Task1, and MyTarget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task1 {
    Initial,
    Wait(Pid),
    Delay(Pid),
}

/// The location of Task2, q, and MsgType.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task2 {
    Initial,
    Wait(Pid, Message),
    Case(Pid, Message),
    ReplySent(Pid),
    ReplyRcvd(Pid),
    NotSuspected(Pid),
    StopSus(Pid),
}

/// Both tasks of a process and what they share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TaskVariables {
    task1: Task1,
    task2: Task2,
    target: Pid,
    received: bool,
    suspects: ProcSet,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TaskState {
    Alive(TaskVariables),
    Crashed,
}

impl TaskVariables {
    /// Whether `mutex[p]` is true.
    fn mutex(&self) -> bool {
        !matches!(self.task1, Task1::Wait(_)) && matches!(self.task2, Task2::Initial | Task2::Wait(..))
    }

    /// The edges of Task1: never more than one place to go to.
    fn task1(&self, me: Pid) -> Vec<ProcessStep<TaskVariables>> {
        let at = |task1| TaskVariables { task1, ..self.clone() };
        match self.task1 {
            Task1::Initial if self.mutex() && self.target != me => {
                let action = RingAction::Proceed("Task1: initial to wait");
                vec![ProcessStep::new(action, at(Task1::Wait(self.target))).noting("Task1 holds the mutex")]
            }
            Task1::Wait(target) => {
                let next = TaskVariables { received: false, ..at(Task1::Delay(target)) };
                send(RingChannel::new(me, target, Message::AreYouAlive), next)
            }
            Task1::Delay(_) if self.mutex() && self.received => {
                vec![ProcessStep::new(RingAction::Proceed("Task1: delay to initial"), at(Task1::Initial))]
            }
            Task1::Delay(target) if self.mutex() => {
                let suspects = self.suspects.with(target);
                let next = TaskVariables { suspects, target: succ(target), ..at(Task1::Initial) };
                vec![
                    ProcessStep::new(RingAction::Suspect(target), next)
                        .noting("timeout")
                        .saying(ChartRemark::Suspect(target)),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// The edges of Task2 that need a message or the mutex.
    fn task2(&self, me: Pid) -> Vec<ProcessStep<TaskVariables>> {
        let at = |task2| TaskVariables { task2, ..self.clone() };
        match self.task2 {
            Task2::Initial => RingChannel::all_to(me)
                .map(|channel| {
                    let next = at(Task2::Wait(channel.from, channel.message));
                    ProcessStep::new(RingAction::Take(channel), next)
                        .noting("received by Task2, waits for the mutex")
                })
                .collect(),
            Task2::Wait(q, message) if self.mutex() => {
                let note = format!("Task2 holds the mutex and processes {} of {q}", message.name());
                let action = RingAction::Proceed("Task2: wait to case");
                vec![ProcessStep::new(action, at(Task2::Case(q, message))).noting(note)]
            }
            Task2::Case(q, Message::AreYouAlive) => {
                send(RingChannel::new(me, q, Message::IAmAlive), at(Task2::ReplySent(q)))
            }
            _ => Vec::new(),
        }
    }

    /// The edges of Task2 that need nothing but its turn: always one.
    fn task2_passes(&self) -> Option<ProcessStep<TaskVariables>> {
        let at = |task2| TaskVariables { task2, ..self.clone() };
        let to = |place, task2| Some(ProcessStep::new(RingAction::Proceed(place), at(task2)));
        match self.task2 {
            Task2::Case(q, Message::IAmAlive) => to("Task2: case to replyRcvd", Task2::ReplyRcvd(q)),
            Task2::ReplySent(q) if self.suspects.contains(q) => {
                to("Task2: replySent to stopSus", Task2::StopSus(q))
            }
            Task2::ReplySent(_) => to("Task2: replySent to initial", Task2::Initial),
            Task2::ReplyRcvd(q) if self.suspects.contains(q) => {
                to("Task2: replyRcvd to stopSus", Task2::StopSus(q))
            }
            Task2::ReplyRcvd(q) => to("Task2: replyRcvd to the test of the target", Task2::NotSuspected(q)),
            Task2::NotSuspected(q) if q == self.target => {
                let next = TaskVariables { received: true, ..at(Task2::Initial) };
                Some(ProcessStep::new(RingAction::ReplyReceived(q), next).noting("reply received"))
            }
            Task2::NotSuspected(q) => {
                Some(ProcessStep::new(RingAction::Discard(q), at(Task2::Initial)).noting("discarded"))
            }
            Task2::StopSus(q) => Some(self.stop_suspecting(q)),
            _ => None,
        }
    }

    /// `stopSuspect(q, target[p])` and what is written beside it.
    fn stop_suspecting(&self, q: Pid) -> ProcessStep<TaskVariables> {
        let ended = ProcSet::arc(q, pred(self.target), super::channel::PROCESSES);
        let suspects = self.suspects.difference(ended);
        let next =
            TaskVariables { task2: Task2::Initial, target: q, received: true, suspects, ..self.clone() };
        let trusted = self.suspects.intersection(ended);
        trusted
            .iter()
            .fold(ProcessStep::new(RingAction::Trust(q), next), |step, p| step.saying(ChartRemark::Trust(p)))
    }

    /// The next send sets `received` before anything reads it.
    fn forgetful(mut self) -> TaskVariables {
        if matches!(self.task1, Task1::Initial | Task1::Wait(_)) {
            self.received = false;
        }
        self
    }
}

/// A message goes into its channel, or into the hand of a receiver that has crashed.
fn send(channel: RingChannel, next: TaskVariables) -> Vec<ProcessStep<TaskVariables>> {
    vec![
        ProcessStep::new(RingAction::Put(channel), next.clone()),
        ProcessStep::new(RingAction::Hand(channel), next),
    ]
}

/// A step together with all that follows from it alone.
fn carried_on(mut step: ProcessStep<TaskVariables>) -> ProcessStep<TaskVariables> {
    while let Some(more) = step.next.task2_passes() {
        let inner =
            matches!(step.action, RingAction::Proceed(_)) && !matches!(more.action, RingAction::Proceed(_));
        step.action = if inner { more.action } else { step.action };
        step.says.extend(more.says);
        step.next = more.next;
    }
    step
}

impl ProcessModel for Tasks {
    type Local = TaskState;

    fn initial(&self, me: Pid) -> TaskState {
        TaskState::Alive(TaskVariables {
            task1: Task1::Initial,
            task2: Task2::Initial,
            target: succ(me),
            received: false,
            suspects: ProcSet::EMPTY,
        })
    }

    fn crashed(&self) -> TaskState {
        TaskState::Crashed
    }

    fn can_crash(&self, local: &TaskState) -> bool {
        *local != TaskState::Crashed
    }

    fn steps(&self, me: Pid, local: &TaskState) -> Vec<ProcessStep<TaskState>> {
        let TaskState::Alive(process) = local else { return Vec::new() };
        let mut steps = process.task1(me);
        steps.extend(process.task2(me));
        steps.extend(process.task2_passes());
        let whole = |step| match self.grain {
            Grain::Edge => step,
            Grain::Atomic => carried_on(step),
        };
        let alive = |ProcessStep { action, says, next }: ProcessStep<TaskVariables>| ProcessStep {
            action,
            says,
            next: TaskState::Alive(next.forgetful()),
        };
        steps.into_iter().map(whole).map(alive).collect()
    }

    fn suspects(&self, local: &TaskState) -> ProcSet {
        match local {
            TaskState::Alive(process) => process.suspects,
            TaskState::Crashed => ProcSet::EMPTY,
        }
    }

    fn variables(&self, _: Pid, local: &TaskState) -> Vec<(&'static str, Value)> {
        let alive = match local {
            TaskState::Alive(process) => Some(process),
            TaskState::Crashed => None,
        };
        let (task1, my_target) = match alive.map(|process| process.task1) {
            None => ("crashed", None),
            Some(Task1::Initial) => ("initial", None),
            Some(Task1::Wait(target)) => ("wait", Some(target)),
            Some(Task1::Delay(target)) => ("delay", Some(target)),
        };
        let (task2, q, message) = match alive.map(|process| process.task2) {
            None => ("crashed", None, None),
            Some(Task2::Initial) => ("initial", None, None),
            Some(Task2::Wait(q, message)) => ("wait", Some(q), Some(message)),
            Some(Task2::Case(q, message)) => ("case", Some(q), Some(message)),
            Some(Task2::ReplySent(q)) => ("replySent", Some(q), None),
            Some(Task2::ReplyRcvd(q)) => ("replyRcvd", Some(q), None),
            Some(Task2::NotSuspected(q)) => ("not suspected", Some(q), None),
            Some(Task2::StopSus(q)) => ("stopSus", Some(q), None),
        };
        vec![
            ("Task1", Value::str(task1)),
            ("MyTarget", optional(my_target.map(process))),
            ("Task2", Value::str(task2)),
            ("q", optional(q.map(process))),
            ("MsgType", optional(message.map(|message| Value::str(message.name())))),
            ("target", optional(alive.map(|alive| process(alive.target)))),
            ("received", Value::Bool(alive.is_some_and(|process| process.received))),
            ("L", processes(self.suspects(local))),
            ("mutex", Value::Bool(alive.is_some_and(TaskVariables::mutex))),
        ]
    }

    fn label(&self, me: Pid, action: RingAction) -> String {
        let message = |action: &str, RingChannel { from, to, message }: RingChannel| {
            format!("{action}_{}[{from}][{to}]", message.identifier())
        };
        match action {
            RingAction::Put(channel) => message("send", channel),
            RingAction::Hand(channel) => format!("{} to the crashed Task1", message("send", channel)),
            RingAction::Take(channel) => message("rcv", channel),
            RingAction::Suspect(q) => format!("{me}: L[{me}][{q}]=true"),
            RingAction::Trust(q) => format!("{me}: stopSuspect({q},target[{me}])"),
            RingAction::ReplyReceived(_) => format!("{me}: received[{me}]=true"),
            RingAction::Discard(q) => format!("{me}: I-AM-ALIVE of {q} discarded"),
            RingAction::Proceed(what) => format!("{me}: {what}"),
            RingAction::Crash => format!("crash[{me}]"),
        }
    }

    fn while_blocked(&self, _: &TaskState) -> Option<&'static str> {
        Some("holds the mutex while it waits")
    }

    fn after_crash(&self) -> &'static str {
        "A crashed process takes messages from the hands of their senders; what is in its channels stays there."
    }
}
