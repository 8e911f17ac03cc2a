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

use super::automaton::{Automaton, Deed, Move, Said, optional, process, processes};
use super::channel::{Channel, Message, others, pred, succ};
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
pub(super) enum Local {
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
    fn watching(q: Pid, suspects: ProcSet) -> Local {
        Local::Proc(Proc { target: q, sent: false, received: true, suspects })
    }

    fn task1(&self, me: Pid) -> Option<Move<Local>> {
        let target = self.target;
        if !self.sent && target != me {
            let next = Local::Proc(Proc { sent: true, received: false, ..self.clone() });
            Some(Move::new(Deed::Put(Channel::new(me, target, Message::AreYouAlive)), next))
        } else if self.sent && !self.received {
            let suspects = self.suspects.with(target);
            let next = Local::Proc(Proc { target: succ(target), sent: false, received: false, suspects });
            Some(Move::new(Deed::Suspect(target), next).noting("timeout").saying(Said::Suspect(target)))
        } else {
            None
        }
    }

    fn task2(&self, me: Pid, q: Pid) -> [Move<Local>; 2] {
        let proc = self.clone();
        let take = |message| Deed::Take(Channel::new(q, me, message));
        let asked = Move::new(take(Message::AreYouAlive), Local::Replying { q, proc: proc.clone() });
        let taken = take(Message::IAmAlive);
        let answered = if self.suspects.contains(q) {
            Move::new(taken, Local::StopSus { q, proc })
        } else if q == self.target {
            let next = Proc { sent: false, received: true, ..proc };
            Move::new(taken, Local::Proc(next)).noting("reply received")
        } else {
            Move::new(taken, Local::Proc(proc)).noting("discarded")
        };
        [asked, answered]
    }
}

impl Automaton for Csp {
    type Local = Local;

    fn initial(&self, me: Pid) -> Local {
        Local::Proc(Proc { target: succ(me), sent: false, received: false, suspects: ProcSet::EMPTY })
    }

    fn crashed(&self) -> Local {
        Local::Crashed
    }

    fn can_crash(&self, local: &Local) -> bool {
        matches!(local, Local::Proc(_))
    }

    fn steps(&self, me: Pid, local: &Local) -> Vec<Move<Local>> {
        match local {
            Local::Proc(proc) => {
                let task2 = others(me).flat_map(|q| proc.task2(me, q));
                proc.task1(me).into_iter().chain(task2).collect()
            }
            Local::Replying { q, proc } => {
                let next = if proc.suspects.contains(*q) {
                    Local::StopSus { q: *q, proc: proc.clone() }
                } else {
                    Local::Proc(Proc { received: true, ..proc.clone() })
                };
                vec![Move::new(Deed::Put(Channel::new(me, *q, Message::IAmAlive)), next)]
            }
            Local::StopSus { q, proc } => {
                let (rest, other) = (proc.suspects.without(*q), pred(proc.target));
                let next = if rest.contains(other) {
                    Local::Stopping { q: *q, other }
                } else {
                    Proc::watching(*q, rest)
                };
                vec![Move::new(Deed::Trust(*q), next).saying(Said::Trust(*q))]
            }
            Local::Stopping { q, other } => {
                let next = Proc::watching(*q, ProcSet::EMPTY);
                vec![Move::new(Deed::Trust(*other), next).saying(Said::Trust(*other))]
            }
            Local::Crashed => {
                Channel::all_to(me).map(|channel| Move::new(Deed::Take(channel), Local::Crashed)).collect()
            }
        }
    }

    fn suspects(&self, local: &Local) -> ProcSet {
        match local {
            Local::Proc(proc) | Local::Replying { proc, .. } | Local::StopSus { proc, .. } => proc.suspects,
            Local::Stopping { other, .. } => ProcSet::only(*other),
            Local::Crashed => ProcSet::EMPTY,
        }
    }

    fn variables(&self, _: Pid, local: &Local) -> Vec<(&'static str, Value)> {
        let (point, q, proc) = match local {
            Local::Proc(proc) => ("Proc", None, Some(proc)),
            Local::Replying { q, proc } => ("replying", Some(*q), Some(proc)),
            Local::StopSus { q, proc } => ("StopSus", Some(*q), Some(proc)),
            Local::Stopping { q, .. } => ("stopping", Some(*q), None),
            Local::Crashed => ("CrashedProc", None, None),
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

    fn label(&self, me: Pid, deed: Deed) -> String {
        let me = me.index();
        let message = |event: &str, channel: Channel| {
            let Channel { from, to, message } = channel;
            format!("{event}.{}.{}.{}", from.index(), to.index(), message.identifier())
        };
        match deed {
            Deed::Put(channel) | Deed::Hand(channel) => message("sendToChannel", channel),
            Deed::Take(channel) => message("rcvAtProc", channel),
            Deed::Suspect(q) => format!("suspect.{me}.{}", q.index()),
            Deed::Trust(q) => format!("stopSuspect.{me}.{}", q.index()),
            Deed::ReplyReceived(q) => format!("replyRcvd.{}.{me}", q.index()),
            Deed::Discard(q) => format!("discardMsg.{}.{me}", q.index()),
            Deed::Proceed(what) => format!("{what}.{me}"),
            Deed::Crash => format!("crash.{me}"),
        }
    }

    fn after_crash(&self) -> &'static str {
        "A crashed process takes every message to it and does nothing with it."
    }
}
