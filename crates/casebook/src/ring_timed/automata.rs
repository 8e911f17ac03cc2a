//! The automata of figures 6.6 to 6.9 with all their variables, as they are drawn: locations, guards,
//! updates, invariants. Time is a date, a clock is the date of its last reset, and messages are one list in
//! the order in which they were sent. Runs are told by this account, and the search is held against it; it
//! shares no step with the search.

use super::message::{CANDIDATE, MORTAL, Message, PROCESSES, Task2Location, TimedAction, succ};
use super::state::{self, AgedMessage, Busy, MessageQueue, TimedState};
use super::{ClockReading, MessageOrder, RingTimedCase, TimedVariant};
use crate::ring::Crash;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_world::Simultaneous;

/// A location of Task1. `noReply` is committed, so that its two edges are one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At1 {
    Initial,
    Wait,
    Delay,
    Crashed,
}

/// A location of Task2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At2 {
    Initial,
    Wait,
    Case,
    ReplySent,
    ReplyRcvd,
    NotSuspected,
    StopSus,
    Crashed,
}

/// The variables of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AutomatonVariables {
    pub(super) task1: At1,
    pub(super) my_target: Pid,
    pub(super) t_out: u32,
    pub(super) task2: At2,
    /// The message that Task2 has taken last: `q`, `MsgType`, and which one it is.
    pub(super) taken: SentMessage,
    pub(super) mutex: bool,
    pub(super) target: Pid,
    pub(super) received: bool,
    pub(super) suspects: [bool; PROCESSES],
    pub(super) delta: [u32; PROCESSES],
    /// When each clock `waiting[p][q]` was last reset.
    reset: [u32; PROCESSES],
}

/// A message that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SentMessage {
    pub(super) from: Pid,
    pub(super) to: Pid,
    pub(super) message: Message,
    /// When the question was sent that this is, or that it answers.
    asked: u32,
    /// Its number in the run.
    pub(super) number: u32,
}

/// The whole network of automata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Automata {
    case: RingTimedCase,
    pub(super) processes: [AutomatonVariables; PROCESSES],
    /// What is in the channels, in the order in which it was sent.
    under_way: Vec<SentMessage>,
    global: [bool; PROCESSES],
    /// The number of messages sent so far.
    pub(super) sent: u32,
    pub(super) now: u32,
}

/// One step.
pub(super) struct AutomataStep {
    pub(super) me: Pid,
    pub(super) action: TimedAction,
    pub(super) after: Automata,
}

impl Automata {
    /// `initAll()`.
    pub(super) fn initial(case: &RingTimedCase) -> Automata {
        let processes = [0, 1, 2].map(|i| {
            let me = Pid::at(i);
            let dead = case.crash == Crash::AtStart && me == MORTAL;
            AutomatonVariables {
                task1: if dead { At1::Crashed } else { At1::Initial },
                my_target: succ(me),
                t_out: 0,
                task2: if dead { At2::Crashed } else { At2::Initial },
                taken: SentMessage {
                    from: succ(me),
                    to: me,
                    message: Message::AreYouAlive,
                    asked: 0,
                    number: 0,
                },
                mutex: true,
                target: succ(me),
                received: false,
                suspects: [false; PROCESSES],
                delta: [1; PROCESSES],
                reset: [0; PROCESSES],
            }
        });
        Automata {
            case: *case,
            processes,
            under_way: Vec::new(),
            global: [false; PROCESSES],
            sent: 0,
            now: 0,
        }
    }

    /// All edges that can be taken, the passing of a unit of time last.
    pub(super) fn edges(&self) -> Vec<AutomataStep> {
        let mut found = Vec::new();
        for me in Pid::all(PROCESSES) {
            self.task1(me, &mut found);
            self.task2(me, &mut found);
            if me == MORTAL && self.case.crash == Crash::AnyTime && !self.crash_proc(me) {
                let mut after = self.clone();
                after.of(me).task1 = At1::Crashed;
                after.of(me).task2 = At2::Crashed;
                found.push(AutomataStep { me, action: TimedAction::Crash, after });
            }
        }
        found.extend(self.later().map(|after| AutomataStep {
            me: Pid::at(0),
            action: TimedAction::Tick,
            after,
        }));
        found
    }

    /// A unit of time later, if every invariant allows it.
    pub(super) fn later(&self) -> Option<Automata> {
        let after = Automata { now: self.now + 1, ..self.clone() };
        after.invariants().then_some(after)
    }

    /// Whether a process waits for room for a message, and which.
    pub(super) fn wants_room(&self, me: Pid) -> Option<(Pid, Message)> {
        let p = &self.processes[me.index()];
        let wanted = match (p.task1, p.task2) {
            (At1::Wait, _) => (p.my_target, Message::AreYouAlive),
            (_, At2::Case) if p.taken.message == Message::AreYouAlive => (p.taken.from, Message::IAmAlive),
            _ => return None,
        };
        self.full(me, wanted.0, wanted.1).then_some(wanted)
    }

    fn of(&mut self, p: Pid) -> &mut AutomatonVariables {
        &mut self.processes[p.index()]
    }

    fn crash_proc(&self, p: Pid) -> bool {
        self.processes[p.index()].task1 == At1::Crashed
    }

    fn full(&self, from: Pid, to: Pid, message: Message) -> bool {
        let alike = |sent: &&SentMessage| {
            let kind = self.case.order == MessageOrder::Fifo || sent.message == message;
            sent.from == from && sent.to == to && kind
        };
        !self.crash_proc(to) && self.under_way.iter().filter(alike).count() >= self.case.capacity().into()
    }

    /// The clock that bounds a message: `waiting[p][q]` for the questions of p to q and the answers of q to
    /// p, or the time since the one question.
    fn clock(&self, sent: &SentMessage) -> u32 {
        let (p, q) = match sent.message {
            Message::AreYouAlive => (sent.from, sent.to),
            Message::IAmAlive => (sent.to, sent.from),
        };
        match self.case.clock {
            ClockReading::EveryResend => self.now - self.processes[p.index()].reset[q.index()],
            ClockReading::OldestUnanswered => self.now - sent.asked,
        }
    }

    fn waiting(&self, p: Pid) -> u32 {
        let variables = &self.processes[p.index()];
        self.now - variables.reset[variables.my_target.index()]
    }

    /// Whether a timeout may come at this moment. The figures never forbid it.
    fn may_time_out(&self) -> bool {
        match self.case.simultaneous {
            Simultaneous::AnyOrder => true,
            Simultaneous::DeliveriesFirst => self.bounded().all(|sent| self.clock(sent) < self.due()),
        }
    }

    /// What must be done before its clock passes maxDelta: what a channel carries, and what Task2 has not
    /// done with. What is in a channel to a crashed process stays there, and nobody waits for it.
    fn bounded(&self) -> impl Iterator<Item = &SentMessage> {
        let handles = |p: &&AutomatonVariables| !matches!(p.task2, At2::Initial | At2::Crashed);
        let handled = self.processes.iter().filter(handles).map(|p| &p.taken);
        self.under_way.iter().filter(|sent| !self.crash_proc(sent.to)).chain(handled)
    }

    fn due(&self) -> u32 {
        self.case.max_delta().into()
    }

    fn invariants(&self) -> bool {
        let delays = Pid::all(PROCESSES).all(|p| {
            let variables = &self.processes[p.index()];
            variables.task1 != At1::Delay || self.waiting(p) <= variables.t_out
        });
        delays && self.bounded().all(|sent| self.clock(sent) <= self.due())
    }

    /// Sends a message into its channel, or into the hand of a crashed receiver.
    fn send(&mut self, from: Pid, to: Pid, message: Message, asked: u32) {
        let number = self.sent;
        self.sent += 1;
        if !self.crash_proc(to) {
            self.under_way.push(SentMessage { from, to, message, asked, number });
        }
    }

    fn task1(&self, me: Pid, found: &mut Vec<AutomataStep>) {
        let p = &self.processes[me.index()];
        let mut after = self.clone();
        let next = after.of(me);
        let action = match p.task1 {
            At1::Initial if p.mutex && p.target != me => {
                next.task1 = At1::Wait;
                next.mutex = false;
                next.my_target = p.target;
                TimedAction::Begin
            }
            At1::Wait if !self.full(me, p.my_target, Message::AreYouAlive) => {
                let q = p.my_target;
                next.task1 = At1::Delay;
                next.t_out = p.delta[q.index()];
                next.received = false;
                next.mutex = true;
                next.reset[q.index()] = self.now;
                after.send(me, q, Message::AreYouAlive, self.now);
                if self.crash_proc(q) { TimedAction::AskCrashed(q) } else { TimedAction::Ask(q) }
            }
            At1::Delay if p.mutex && self.waiting(me) == p.t_out && self.may_time_out() => {
                next.task1 = At1::Initial;
                if p.received { TimedAction::Answered(p.my_target) } else { after.no_answer(me) }
            }
            _ => return,
        };
        found.push(AutomataStep { me, action, after });
    }

    /// From `delay` to `initial`, through `noReply` if the target has not crashed.
    fn no_answer(&mut self, me: Pid) -> TimedAction {
        let (case, q) = (self.case, self.processes[me.index()].my_target);
        let mut grown = false;
        if !self.crash_proc(q) {
            let candidate = CANDIDATE == succ(me) || CANDIDATE == self.processes[me.index()].target;
            let (grows, enters) = match case.variant {
                TimedVariant::WeakCompleteness => (false, false),
                TimedVariant::WeakAccuracy => (candidate, false),
                TimedVariant::StrongAccuracy => (true, false),
                TimedVariant::StrongCompleteness => (true, true),
            };
            let delta = &mut self.of(me).delta[q.index()];
            if grows && *delta < u32::from(case.longest()) {
                *delta += 1;
                grown = true;
            }
            if enters {
                self.global[q.index()] = true;
            }
        }
        let next = self.of(me);
        next.suspects[q.index()] = true;
        next.target = succ(q);
        if grown { TimedAction::SuspectLonger(q) } else { TimedAction::Suspect(q) }
    }

    fn task2(&self, me: Pid, found: &mut Vec<AutomataStep>) {
        let p = &self.processes[me.index()];
        let (q, message) = (p.taken.from, p.taken.message);
        let suspected = p.suspects[q.index()];
        let shares = self.case.variant == TimedVariant::StrongCompleteness;
        let mut after = self.clone();
        let next = after.of(me);
        let action = match p.task2 {
            At2::Initial => return self.receive(me, found),
            At2::Wait if p.mutex => {
                next.task2 = At2::Case;
                next.mutex = false;
                TimedAction::Handle(q, message)
            }
            At2::Case if message == Message::IAmAlive => {
                next.task2 = At2::ReplyRcvd;
                TimedAction::Proceed(Task2Location::ReplyRcvd)
            }
            At2::Case if !self.full(me, q, Message::IAmAlive) => {
                next.task2 = At2::ReplySent;
                after.send(me, q, Message::IAmAlive, p.taken.asked);
                if self.crash_proc(q) { TimedAction::AnswerCrashed(q) } else { TimedAction::Answer(q) }
            }
            At2::ReplySent => {
                next.task2 = if suspected { At2::StopSus } else { At2::Initial };
                next.mutex = !suspected;
                if shares {
                    after.global[q.index()] = false;
                    after.global[me.index()] = false;
                }
                if suspected {
                    TimedAction::Proceed(Task2Location::StopSus(message))
                } else {
                    TimedAction::Release
                }
            }
            At2::ReplyRcvd => {
                next.task2 = if suspected { At2::StopSus } else { At2::NotSuspected };
                TimedAction::Proceed(if suspected {
                    Task2Location::StopSus(message)
                } else {
                    Task2Location::NotSuspected
                })
            }
            At2::NotSuspected => {
                next.task2 = At2::Initial;
                next.mutex = true;
                next.received = p.received || q == p.target;
                if q == p.target { TimedAction::Received(q) } else { TimedAction::Discard(q) }
            }
            At2::StopSus => {
                // stopSuspect(q, target[p]): out of L with q and all that follow it before the target.
                let mut r = q;
                while r != p.target {
                    next.suspects[r.index()] = false;
                    r = succ(r);
                }
                next.task2 = At2::Initial;
                next.target = q;
                next.received = true;
                next.mutex = true;
                if shares {
                    after.global[q.index()] = false;
                }
                TimedAction::Trust(q)
            }
            At2::Wait | At2::Case | At2::Crashed => return,
        };
        found.push(AutomataStep { me, action, after });
    }

    /// Task2 takes a message: the first of a pair of processes, or any. Of messages between which no clock
    /// can tell it takes the one that was sent first.
    fn receive(&self, me: Pid, found: &mut Vec<AutomataStep>) {
        let mut seen: Vec<(Pid, Message, u32)> = Vec::new();
        for (i, sent) in self.under_way.iter().enumerate().filter(|(_, sent)| sent.to == me) {
            let fifo = self.case.order == MessageOrder::Fifo;
            let alike = (sent.from, sent.message, self.clock(sent));
            if seen.iter().any(|other| if fifo { other.0 == alike.0 } else { *other == alike }) {
                continue;
            }
            seen.push(alike);
            let mut after = self.clone();
            after.under_way.remove(i);
            let next = after.of(me);
            next.task2 = At2::Wait;
            next.taken = *sent;
            found.push(AutomataStep {
                me,
                action: TimedAction::Take(sent.from, sent.message, alike.2 as u8),
                after,
            });
        }
    }

    /// What the search keeps of this.
    pub(super) fn state(&self) -> TimedState {
        let mut state = TimedState::initial(false);
        for me in Pid::all(PROCESSES) {
            if self.crash_proc(me) {
                state.crash();
                continue;
            }
            let p = &self.processes[me.index()];
            let kept = &mut state.processes[me.index()];
            kept.task1 = match p.task1 {
                At1::Wait => state::Task1::Wait,
                At1::Delay => state::Task1::Delay(p.my_target, self.waiting(me) as u8),
                At1::Initial | At1::Crashed => state::Task1::Initial,
            };
            let message = p.taken.message;
            let place = match p.task2 {
                At2::Initial | At2::Crashed => None,
                At2::Wait => Some(Task2Location::Wait(message)),
                At2::Case => Some(Task2Location::Case(message)),
                At2::ReplySent => Some(Task2Location::ReplySent),
                At2::ReplyRcvd => Some(Task2Location::ReplyRcvd),
                At2::NotSuspected => Some(Task2Location::NotSuspected),
                At2::StopSus => Some(Task2Location::StopSus(message)),
            };
            let age = |sent| self.clock(sent) as u8;
            kept.task2 = place.map(|place| Busy { place, q: p.taken.from, age: age(&p.taken) });
            kept.target = p.target;
            kept.received = p.task1 == At1::Delay && p.received;
            kept.delta = super::message::others(me).map(|q| p.delta[q.index()] as u8);
        }
        let mut queues = [MessageQueue::EMPTY; state::CHANNELS];
        for sent in self.under_way.iter().filter(|sent| !self.crash_proc(sent.to)) {
            let channel = state::channel(self.case.order, sent.from, sent.to, sent.message);
            queues[channel].push(AgedMessage { message: sent.message, age: self.clock(sent) as u8 });
            if self.case.order == MessageOrder::Any {
                queues[channel].sort();
            }
        }
        state.channels = queues;
        state.global = Pid::all(PROCESSES).filter(|p| self.global[p.index()]).collect::<ProcSet>();
        state
    }

    /// The list L of a process.
    pub(super) fn suspects(&self, me: Pid) -> ProcSet {
        let list = &self.processes[me.index()].suspects;
        Pid::all(PROCESSES).filter(|q| list[q.index()] && !self.crash_proc(me)).collect()
    }
}
