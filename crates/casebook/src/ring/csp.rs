//! The FDR2 specification: appendix B of the report, D.2 of the thesis.
//!
//! How it is read, and what differs from the process algebra:
//! - A message is taken and handled at once. After ARE-YOU-ALIVE there is one state in which nothing is
//!   possible but to send I-AM-ALIVE; there the process can neither suspect nor crash.
//! - ARE-YOU-ALIVE from a process that is not suspected sets `received`, whoever it is from.
//! - I-AM-ALIVE from anyone else than the target or a suspect changes nothing.
//! - A state is a process term with its parameters, as printed: StopSus has `sent` and `received` too,
//!   though it never reads them. Without them a process would have three states less.
//! - A crashed process takes every message to it and does nothing with it.

use super::automaton::{
    ChartRemark, ProcessModel, ProcessStep, RingAction, optional, process, processes, written,
};
use super::channel::{Message, RingChannel, others, pred, succ};
use watchkeeper_core::{Pid, ProcSet, Value};

/// The model.
pub(super) struct Csp;

/// The parameters of Proc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Proc {
    target: Pid,
    sent: bool,
    received: bool,
    suspects: ProcSet,
}

/// A process term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CspTerm {
    /// Proc(target, sent, received, L).
    Proc(Proc),
    /// ARE-YOU-ALIVE was taken from `q`, and I-AM-ALIVE is to be sent to it.
    Replying { q: Pid, proc: Proc },
    /// StopSus(p, q, target, sent, received, L).
    StopSus { q: Pid, proc: Proc },
    /// After the first stopSuspect, before the second, which speaks of `other`.
    Stopping { q: Pid, other: Pid },
    /// CrashedProc(p).
    Crashed,
}

impl Proc {
    /// Proc(q, false, true, suspects): how every end of a suspicion goes on.
    fn watching(q: Pid, suspects: ProcSet) -> CspTerm {
        CspTerm::Proc(Proc { target: q, sent: false, received: true, suspects })
    }

    fn task1(&self, me: Pid) -> Option<ProcessStep<CspTerm>> {
        let target = self.target;
        if !self.sent && target != me {
            let next = CspTerm::Proc(Proc { sent: true, received: false, ..self.clone() });
            Some(ProcessStep::new(RingAction::Put(RingChannel::new(me, target, Message::AreYouAlive)), next))
        } else if self.sent && !self.received {
            let suspects = self.suspects.with(target);
            let next = CspTerm::Proc(Proc { target: succ(target), sent: false, received: false, suspects });
            Some(
                ProcessStep::new(RingAction::Suspect(target), next)
                    .noting("timeout")
                    .saying(ChartRemark::Suspect(target)),
            )
        } else {
            None
        }
    }

    fn task2(&self, me: Pid, q: Pid) -> [ProcessStep<CspTerm>; 2] {
        let proc = self.clone();
        let take = |message| RingAction::Take(RingChannel::new(q, me, message));
        let asked = ProcessStep::new(take(Message::AreYouAlive), CspTerm::Replying { q, proc: proc.clone() });
        let taken = take(Message::IAmAlive);
        let answered = if self.suspects.contains(q) {
            ProcessStep::new(taken, CspTerm::StopSus { q, proc })
        } else if q == self.target {
            let next = Proc { sent: false, received: true, ..proc };
            ProcessStep::new(taken, CspTerm::Proc(next)).noting("reply received")
        } else {
            ProcessStep::new(taken, CspTerm::Proc(proc)).noting("discarded")
        };
        [asked, answered]
    }
}

impl ProcessModel for Csp {
    type Local = CspTerm;

    fn initial(&self, me: Pid) -> CspTerm {
        CspTerm::Proc(Proc { target: succ(me), sent: false, received: false, suspects: ProcSet::EMPTY })
    }

    fn crashed(&self) -> CspTerm {
        CspTerm::Crashed
    }

    fn can_crash(&self, local: &CspTerm) -> bool {
        matches!(local, CspTerm::Proc(_))
    }

    fn steps(&self, me: Pid, local: &CspTerm) -> Vec<ProcessStep<CspTerm>> {
        match local {
            CspTerm::Proc(proc) => {
                let task2 = others(me).flat_map(|q| proc.task2(me, q));
                proc.task1(me).into_iter().chain(task2).collect()
            }
            CspTerm::Replying { q, proc } => {
                let next = if proc.suspects.contains(*q) {
                    CspTerm::StopSus { q: *q, proc: proc.clone() }
                } else {
                    CspTerm::Proc(Proc { received: true, ..proc.clone() })
                };
                vec![ProcessStep::new(RingAction::Put(RingChannel::new(me, *q, Message::IAmAlive)), next)]
            }
            CspTerm::StopSus { q, proc } => {
                let (rest, other) = (proc.suspects.without(*q), pred(proc.target));
                let next = if rest.contains(other) {
                    CspTerm::Stopping { q: *q, other }
                } else {
                    Proc::watching(*q, rest)
                };
                vec![ProcessStep::new(RingAction::Trust(*q), next).saying(ChartRemark::Trust(*q))]
            }
            CspTerm::Stopping { q, other } => {
                let next = Proc::watching(*q, ProcSet::EMPTY);
                vec![ProcessStep::new(RingAction::Trust(*other), next).saying(ChartRemark::Trust(*other))]
            }
            CspTerm::Crashed => RingChannel::all_to(me)
                .map(|channel| ProcessStep::new(RingAction::Take(channel), CspTerm::Crashed))
                .collect(),
        }
    }

    fn suspects(&self, local: &CspTerm) -> ProcSet {
        match local {
            CspTerm::Proc(proc) | CspTerm::Replying { proc, .. } | CspTerm::StopSus { proc, .. } => {
                proc.suspects
            }
            CspTerm::Stopping { other, .. } => ProcSet::only(*other),
            CspTerm::Crashed => ProcSet::EMPTY,
        }
    }

    fn variables(&self, _: Pid, local: &CspTerm) -> Vec<(&'static str, Value)> {
        let (point, q, proc) = match local {
            CspTerm::Proc(proc) => ("Proc", None, Some(proc)),
            CspTerm::Replying { q, proc } => ("replying", Some(*q), Some(proc)),
            CspTerm::StopSus { q, proc } => ("StopSus", Some(*q), Some(proc)),
            CspTerm::Stopping { q, .. } => ("stopping", Some(*q), None),
            CspTerm::Crashed => ("CrashedProc", None, None),
        };
        vec![
            ("point", Value::str(point)),
            ("target", optional(proc.map(|proc| process(proc.target)))),
            ("sent", Value::Bool(proc.is_some_and(|proc| proc.sent))),
            ("received", Value::Bool(proc.is_some_and(|proc| proc.received))),
            ("L", processes(self.suspects(local))),
            ("q", optional(q.map(process))),
        ]
    }

    fn label(&self, me: Pid, action: RingAction) -> String {
        let channel = |RingChannel { from, to, message }| {
            [from.index().to_string(), to.index().to_string(), message.identifier().to_string()]
        };
        written(me, action, ["sendToChannel", "rcvAtProc"], channel, |action, arguments| {
            format!("{action}.{}", arguments.join("."))
        })
    }

    fn after_crash(&self) -> &'static str {
        "A crashed process takes every message to it and does nothing with it."
    }
}
