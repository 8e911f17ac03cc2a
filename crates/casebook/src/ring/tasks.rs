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

use super::automaton::{Automaton, Deed, Move, Said, optional, process, processes};
use super::channel::{Channel, Message, pred, succ};
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
pub(super) struct Process {
    task1: Task1,
    task2: Task2,
    target: Pid,
    received: bool,
    suspects: ProcSet,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Local {
    Alive(Process),
    Crashed,
}

impl Process {
    /// Whether `mutex[p]` is true.
    fn mutex(&self) -> bool {
        !matches!(self.task1, Task1::Wait(_)) && matches!(self.task2, Task2::Initial | Task2::Wait(..))
    }

    /// The edges of Task1: never more than one place to go to.
    fn task1(&self, me: Pid) -> Vec<Move<Process>> {
        let at = |task1| Process { task1, ..self.clone() };
        match self.task1 {
            Task1::Initial if self.mutex() && self.target != me => {
                let deed = Deed::Proceed("Task1: initial to wait");
                vec![Move::new(deed, at(Task1::Wait(self.target))).noting("Task1 holds the mutex")]
            }
            Task1::Wait(target) => {
                let next = Process { received: false, ..at(Task1::Delay(target)) };
                send(Channel::new(me, target, Message::AreYouAlive), next)
            }
            Task1::Delay(_) if self.mutex() && self.received => {
                vec![Move::new(Deed::Proceed("Task1: delay to initial"), at(Task1::Initial))]
            }
            Task1::Delay(target) if self.mutex() => {
                let suspects = self.suspects.with(target);
                let next = Process { suspects, target: succ(target), ..at(Task1::Initial) };
                vec![Move::new(Deed::Suspect(target), next).noting("timeout").saying(Said::Suspect(target))]
            }
            _ => Vec::new(),
        }
    }

    /// The edges of Task2 that need a message or the mutex.
    fn task2(&self, me: Pid) -> Vec<Move<Process>> {
        let at = |task2| Process { task2, ..self.clone() };
        match self.task2 {
            Task2::Initial => Channel::all_to(me)
                .map(|channel| {
                    let next = at(Task2::Wait(channel.from, channel.message));
                    Move::new(Deed::Take(channel), next).noting("received by Task2, waits for the mutex")
                })
                .collect(),
            Task2::Wait(q, message) if self.mutex() => {
                let note = format!("Task2 holds the mutex and processes {} of {q}", message.name());
                let deed = Deed::Proceed("Task2: wait to case");
                vec![Move::new(deed, at(Task2::Case(q, message))).noting(note)]
            }
            Task2::Case(q, Message::AreYouAlive) => {
                send(Channel::new(me, q, Message::IAmAlive), at(Task2::ReplySent(q)))
            }
            _ => Vec::new(),
        }
    }

    /// The edges of Task2 that need nothing but its turn: always one.
    fn task2_passes(&self) -> Option<Move<Process>> {
        let at = |task2| Process { task2, ..self.clone() };
        let to = |place, task2| Some(Move::new(Deed::Proceed(place), at(task2)));
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
                let next = Process { received: true, ..at(Task2::Initial) };
                Some(Move::new(Deed::ReplyReceived(q), next).noting("reply received"))
            }
            Task2::NotSuspected(q) => {
                Some(Move::new(Deed::Discard(q), at(Task2::Initial)).noting("discarded"))
            }
            Task2::StopSus(q) => Some(self.stop_suspecting(q)),
            _ => None,
        }
    }

    /// `stopSuspect(q, target[p])` and what is written beside it.
    fn stop_suspecting(&self, q: Pid) -> Move<Process> {
        let ended = ProcSet::arc(q, pred(self.target), super::channel::PROCESSES);
        let suspects = self.suspects.difference(ended);
        let next = Process { task2: Task2::Initial, target: q, received: true, suspects, ..self.clone() };
        let trusted = self.suspects.intersection(ended);
        trusted.iter().fold(Move::new(Deed::Trust(q), next), |step, p| step.saying(Said::Trust(p)))
    }

    /// The next send sets `received` before anything reads it.
    fn forgetful(mut self) -> Process {
        if matches!(self.task1, Task1::Initial | Task1::Wait(_)) {
            self.received = false;
        }
        self
    }
}

/// A message goes into its channel, or into the hand of a receiver that has crashed.
fn send(channel: Channel, next: Process) -> Vec<Move<Process>> {
    vec![Move::new(Deed::Put(channel), next.clone()), Move::new(Deed::Hand(channel), next)]
}

/// A step together with all that follows from it alone.
fn carried_on(mut step: Move<Process>) -> Move<Process> {
    while let Some(more) = step.next.task2_passes() {
        let inner = matches!(step.deed, Deed::Proceed(_)) && !matches!(more.deed, Deed::Proceed(_));
        step.deed = if inner { more.deed } else { step.deed };
        step.says.extend(more.says);
        step.next = more.next;
    }
    step
}

impl Automaton for Tasks {
    type Local = Local;

    fn initial(&self, me: Pid) -> Local {
        Local::Alive(Process {
            task1: Task1::Initial,
            task2: Task2::Initial,
            target: succ(me),
            received: false,
            suspects: ProcSet::EMPTY,
        })
    }

    fn crashed(&self) -> Local {
        Local::Crashed
    }

    fn can_crash(&self, local: &Local) -> bool {
        *local != Local::Crashed
    }

    fn steps(&self, me: Pid, local: &Local) -> Vec<Move<Local>> {
        let Local::Alive(process) = local else { return Vec::new() };
        let mut steps = process.task1(me);
        steps.extend(process.task2(me));
        steps.extend(process.task2_passes());
        let whole = |step| match self.grain {
            Grain::Edge => step,
            Grain::Atomic => carried_on(step),
        };
        let alive = |Move { deed, says, next }: Move<Process>| Move {
            deed,
            says,
            next: Local::Alive(next.forgetful()),
        };
        steps.into_iter().map(whole).map(alive).collect()
    }

    fn suspects(&self, local: &Local) -> ProcSet {
        match local {
            Local::Alive(process) => process.suspects,
            Local::Crashed => ProcSet::EMPTY,
        }
    }

    fn variables(&self, _: Pid, local: &Local) -> Vec<(&'static str, Value)> {
        let alive = match local {
            Local::Alive(process) => Some(process),
            Local::Crashed => None,
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
            ("mutex", Value::Bool(alive.is_some_and(Process::mutex))),
        ]
    }

    fn label(&self, me: Pid, deed: Deed) -> String {
        let message = |action: &str, Channel { from, to, message }: Channel| {
            format!("{action}_{}[{from}][{to}]", message.identifier())
        };
        match deed {
            Deed::Put(channel) => message("send", channel),
            Deed::Hand(channel) => format!("{} to the crashed Task1", message("send", channel)),
            Deed::Take(channel) => message("rcv", channel),
            Deed::Suspect(q) => format!("{me}: L[{me}][{q}]=true"),
            Deed::Trust(q) => format!("{me}: stopSuspect({q},target[{me}])"),
            Deed::ReplyReceived(_) => format!("{me}: received[{me}]=true"),
            Deed::Discard(q) => format!("{me}: I-AM-ALIVE of {q} discarded"),
            Deed::Proceed(what) => format!("{me}: {what}"),
            Deed::Crash => format!("crash[{me}]"),
        }
    }

    fn while_blocked(&self, _: &Local) -> Option<&'static str> {
        Some("holds the mutex while it waits")
    }

    fn after_crash(&self) -> &'static str {
        "A crashed process takes messages from the hands of their senders; what is in its channels stays there."
    }
}
