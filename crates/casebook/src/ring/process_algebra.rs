//! The mCRL2 specification: appendix A of the report, D.1 of the thesis.
//!
//! How it is read, so that it has the states that the mCRL2 toolset finds in it:
//! - A message is taken into `q` and `m` when `rcvdFlag` is off, and handled in a later step. In between
//!   the process may send and suspect: that is what is left of the two tasks.
//! - After I-AM-ALIVE was sent there is a point of its own, with all variables kept. From there follows
//!   stopSuspect if `q` is suspected; otherwise every step of the main point with `rcvdFlag` off, and only
//!   that step leads back to the main point. `q` and `m` keep their values when the flag goes off.
//! - Between two stopSuspect actions there is a state in which only `q` and the second process matter.
//! - There is no channel to oneself, so a process that is its own target cannot send.
//! - p1 may crash wherever the main point's steps are possible. A crashed process takes nothing: its
//!   messages stay in their channels.

use super::automaton::{
    ChartRemark, ProcessModel, ProcessStep, RingAction, optional, process, processes, written,
};
use super::channel::{Message, RingChannel, pred, succ};
use watchkeeper_core::{Pid, ProcSet, Value};

/// The model.
pub(super) struct ProcessAlgebra;

/// Where a process stands in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Point {
    Main,
    Replied,
    Stopping,
    Crashed,
}

/// The parameters of P, and the point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AlgebraState {
    point: Point,
    target: Pid,
    sent: bool,
    received: bool,
    suspects: ProcSet,
    q: Pid,
    m: Option<Message>,
    rcvd_flag: bool,
}

const CRASHED: AlgebraState = AlgebraState {
    point: Point::Crashed,
    target: Pid::at(0),
    sent: false,
    received: false,
    suspects: ProcSet::EMPTY,
    q: Pid::at(0),
    m: None,
    rcvd_flag: false,
};

impl AlgebraState {
    /// P(p, q, false, true, suspects, 0, NULL, false): how every end of a suspicion goes on.
    fn watching(&self, suspects: ProcSet) -> AlgebraState {
        AlgebraState { point: Point::Main, target: self.q, received: true, suspects, ..CRASHED }
    }

    /// The action stopSuspect(p, q).
    fn stop_suspect(&self) -> ProcessStep<AlgebraState> {
        let rest = self.suspects.without(self.q);
        let next = if rest.contains(pred(self.target)) {
            AlgebraState { point: Point::Stopping, target: self.target, q: self.q, ..CRASHED }
        } else {
            self.watching(rest)
        };
        ProcessStep::new(RingAction::Trust(self.q), next).saying(ChartRemark::Trust(self.q))
    }

    fn task1(&self, me: Pid) -> Option<ProcessStep<AlgebraState>> {
        let target = self.target;
        if !self.sent && target != me {
            let next = AlgebraState { sent: true, received: false, ..self.clone() };
            Some(ProcessStep::new(RingAction::Put(RingChannel::new(me, target, Message::AreYouAlive)), next))
        } else if self.sent && !self.received {
            let suspects = self.suspects.with(target);
            let next = AlgebraState { sent: false, suspects, target: succ(target), ..self.clone() };
            Some(
                ProcessStep::new(RingAction::Suspect(target), next)
                    .noting("timeout")
                    .saying(ChartRemark::Suspect(target)),
            )
        } else {
            None
        }
    }

    /// The message in hand, handled.
    fn task2(&self, me: Pid) -> Option<ProcessStep<AlgebraState>> {
        let done = AlgebraState { rcvd_flag: false, ..self.clone() };
        let q = self.q;
        match self.m? {
            Message::AreYouAlive => {
                let next = AlgebraState { point: Point::Replied, ..self.clone() };
                Some(ProcessStep::new(RingAction::Put(RingChannel::new(me, q, Message::IAmAlive)), next))
            }
            Message::IAmAlive if self.suspects.contains(q) => Some(self.stop_suspect()),
            Message::IAmAlive if q == self.target => {
                let next = AlgebraState { sent: false, received: true, ..done };
                Some(
                    ProcessStep::new(RingAction::ReplyReceived(q), next)
                        .noting(format!("I-AM-ALIVE of {q} processed")),
                )
            }
            Message::IAmAlive => Some(
                ProcessStep::new(RingAction::Discard(q), done).noting(format!("I-AM-ALIVE of {q} discarded")),
            ),
        }
    }

    fn main_steps(&self, me: Pid) -> Vec<ProcessStep<AlgebraState>> {
        let mut steps: Vec<ProcessStep<AlgebraState>> = self.task1(me).into_iter().collect();
        if self.rcvd_flag {
            steps.extend(self.task2(me));
        } else {
            steps.extend(RingChannel::all_to(me).map(|channel| {
                let (q, m) = (channel.from, Some(channel.message));
                ProcessStep::new(
                    RingAction::Take(channel),
                    AlgebraState { q, m, rcvd_flag: true, ..self.clone() },
                )
            }));
        }
        steps
    }

    /// As the steps see it: after a reply to a process that is not suspected, the main point.
    fn resumed(&self) -> AlgebraState {
        if self.point == Point::Replied && !self.suspects.contains(self.q) {
            AlgebraState { point: Point::Main, rcvd_flag: false, ..self.clone() }
        } else {
            self.clone()
        }
    }
}

impl ProcessModel for ProcessAlgebra {
    type Local = AlgebraState;

    fn initial(&self, me: Pid) -> AlgebraState {
        AlgebraState { point: Point::Main, target: succ(me), ..CRASHED }
    }

    fn crashed(&self) -> AlgebraState {
        CRASHED
    }

    fn can_crash(&self, local: &AlgebraState) -> bool {
        local.resumed().point == Point::Main
    }

    fn steps(&self, me: Pid, local: &AlgebraState) -> Vec<ProcessStep<AlgebraState>> {
        let local = local.resumed();
        match local.point {
            Point::Main => local.main_steps(me),
            Point::Replied => vec![local.stop_suspect()],
            Point::Stopping => {
                let other = pred(local.target);
                let next = local.watching(ProcSet::EMPTY);
                vec![ProcessStep::new(RingAction::Trust(other), next).saying(ChartRemark::Trust(other))]
            }
            Point::Crashed => Vec::new(),
        }
    }

    fn suspects(&self, local: &AlgebraState) -> ProcSet {
        match local.point {
            Point::Stopping => ProcSet::only(pred(local.target)),
            _ => local.suspects,
        }
    }

    fn variables(&self, _: Pid, local: &AlgebraState) -> Vec<(&'static str, Value)> {
        vec![
            ("point", Value::str(format!("{:?}", local.point).to_lowercase())),
            ("target", process(local.target)),
            ("sent", Value::Bool(local.sent)),
            ("received", Value::Bool(local.received)),
            ("L", processes(self.suspects(local))),
            ("q", process(local.q)),
            ("m", optional(local.m.map(|m| Value::str(m.name())))),
            ("rcvdFlag", Value::Bool(local.rcvd_flag)),
        ]
    }

    fn label(&self, me: Pid, action: RingAction) -> String {
        let channel = |RingChannel { from, to, message }| {
            [message.name().to_string(), from.index().to_string(), to.index().to_string()]
        };
        written(me, action, ["send", "receive"], channel, |action, arguments| {
            format!("{action}({})", arguments.join(", "))
        })
    }

    fn after_crash(&self) -> &'static str {
        "A crashed process takes nothing: messages to it stay in their channels."
    }
}
