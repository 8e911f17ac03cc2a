//! The steps of the search: what can happen in a state, and what comes of it. Clocks are ages here, and a
//! resend that sets a clock back makes everything young again that the clock bounds.

use super::message::{CANDIDATE, MORTAL, Message, PROCESSES, Task2Location, TimedAction, succ};
use super::state::{AgedMessage, Busy, MessageQueue, Task1, TimedProcess, TimedState, channel, side};
use super::{ClockReading, MessageOrder, RingTimedCase, TimedVariant};
use crate::ring::Crash;
use watchkeeper_core::Pid;
use watchkeeper_world::Simultaneous;

/// All steps that leave `state`, but for the passing of time: whose step, what, and where to.
pub(super) fn steps(
    case: &RingTimedCase,
    state: &TimedState,
    mut take: impl FnMut(Pid, TimedAction, &TimedState),
) {
    for me in Pid::all(PROCESSES) {
        if state.processes[me.index()].is_crashed() {
            continue;
        }
        let mut turn = Turn { case, before: state, me, take: &mut take };
        turn.task1();
        turn.task2();
        if me == MORTAL && case.crash == Crash::AnyTime {
            turn.step(TimedAction::Crash, |after, _| after.crash());
        }
    }
}

/// The state after one unit of time, if every deadline has room for it.
pub(super) fn tick(case: &RingTimedCase, state: &TimedState) -> Option<TimedState> {
    let mut after = *state;
    let due = case.max_delta();
    for (me, process) in Pid::all(PROCESSES).zip(&mut after.processes) {
        if let Task1::Delay(q, clock) = process.task1 {
            if clock == process.delta(me, q) {
                return None;
            }
            process.task1 = Task1::Delay(q, clock + 1);
        }
        if let Some(busy) = &mut process.task2 {
            if busy.age == due {
                return None;
            }
            busy.age += 1;
        }
    }
    for letter in after.channels.iter_mut().flat_map(MessageQueue::letters_mut) {
        if letter.age == due {
            return None;
        }
        letter.age += 1;
    }
    Some(after)
}

/// Whether some step other than the passing of time is possible, now or after some time: what UPPAAL calls
/// not being in a deadlock.
pub(super) fn can_act(case: &RingTimedCase, state: &TimedState) -> bool {
    let mut now = *state;
    loop {
        let mut found = false;
        steps(case, &now, |_, _, _| found = true);
        match tick(case, &now) {
            _ if found => return true,
            Some(later) if later != now => now = later,
            _ => return false,
        }
    }
}

/// Whether Task2 of this process holds the mutex and waits for room for its answer.
pub(super) fn answer_is_blocked(case: &RingTimedCase, state: &TimedState, me: Pid) -> bool {
    match state.processes[me.index()].task2 {
        Some(Busy { place: Task2Location::Case(Message::AreYouAlive), q, .. }) => {
            !state.processes[q.index()].is_crashed() && !has_room(case, state, me, q, Message::IAmAlive)
        }
        _ => false,
    }
}

/// Whether something under way or being handled has used up maxDelta.
fn is_due(case: &RingTimedCase, state: &TimedState) -> bool {
    let due = case.max_delta();
    let mut under_way = state.channels.iter().flat_map(MessageQueue::letters);
    let mut handled = state.processes.iter().filter_map(|process| process.task2);
    under_way.any(|letter| letter.age == due) || handled.any(|busy| busy.age == due)
}

fn has_room(case: &RingTimedCase, state: &TimedState, from: Pid, to: Pid, message: Message) -> bool {
    let queue = &state.channels[channel(case.order, from, to, message)];
    queue.letters().len() < usize::from(case.capacity())
}

/// The turn of one process.
struct Turn<'a, F> {
    case: &'a RingTimedCase,
    before: &'a TimedState,
    me: Pid,
    take: &'a mut F,
}

impl<F: FnMut(Pid, TimedAction, &TimedState)> Turn<'_, F> {
    fn process(&self) -> &TimedProcess {
        &self.before.processes[self.me.index()]
    }

    /// One step, by what it changes in the state and in this process.
    fn step(&mut self, action: TimedAction, change: impl FnOnce(&mut TimedState, usize)) {
        let mut after = *self.before;
        change(&mut after, self.me.index());
        (self.take)(self.me, action, &after);
    }

    fn task1(&mut self) {
        let (me, process) = (self.me, *self.process());
        match process.task1 {
            Task1::Initial if process.mutex() && process.target != me => {
                self.step(TimedAction::Begin, |after, me| after.processes[me].task1 = Task1::Wait);
            }
            Task1::Wait => self.ask(process.target),
            Task1::Delay(q, clock) if process.mutex() && clock == process.delta(me, q) => {
                if self.case.simultaneous == Simultaneous::DeliveriesFirst && is_due(self.case, self.before) {
                    return;
                }
                if process.received {
                    self.step(TimedAction::Answered(q), |after, me| {
                        after.processes[me].task1 = Task1::Initial;
                        after.processes[me].received = false;
                    });
                } else {
                    self.suspect(q);
                }
            }
            _ => {}
        }
    }

    /// The edge from `wait` to `delay`.
    fn ask(&mut self, q: Pid) {
        let (case, from) = (self.case, self.me);
        let crashed = self.before.processes[q.index()].is_crashed();
        if !crashed && !has_room(case, self.before, from, q, Message::AreYouAlive) {
            return;
        }
        let action = if crashed { TimedAction::AskCrashed(q) } else { TimedAction::Ask(q) };
        self.step(action, |after, me| {
            if case.clock == ClockReading::EveryResend {
                rejuvenate(case, after, from, q);
            }
            after.processes[me].task1 = Task1::Delay(q, 0);
            if !crashed {
                put(case, after, from, q, AgedMessage { message: Message::AreYouAlive, age: 0 });
            }
        });
    }

    /// The edges from `delay` by which a target comes to be suspected. A target that has crashed is known to
    /// have: its edge is another one, on which no timeout grows and nothing enters G.
    fn suspect(&mut self, q: Pid) {
        let crashed = self.before.processes[q.index()].is_crashed();
        let grows = !crashed
            && match self.case.variant {
                TimedVariant::WeakCompleteness => false,
                TimedVariant::WeakAccuracy => CANDIDATE == succ(self.me) || CANDIDATE == q,
                TimedVariant::StrongAccuracy | TimedVariant::StrongCompleteness => true,
            };
        let delta = self.process().delta(self.me, q);
        let longer = if grows { self.case.longest().min(delta + 1) } else { delta };
        let action = if longer > delta { TimedAction::SuspectLonger(q) } else { TimedAction::Suspect(q) };
        let (shares, from) = (self.case.variant == TimedVariant::StrongCompleteness, self.me);
        self.step(action, |after, me| {
            let process = &mut after.processes[me];
            process.delta[side(from, q)] = longer;
            process.task1 = Task1::Initial;
            process.target = succ(q);
            if shares && !crashed {
                after.global.insert(q);
            }
        });
    }

    fn task2(&mut self) {
        let (me, process) = (self.me, *self.process());
        let Some(Busy { place, q, age }) = process.task2 else { return self.receive() };
        let to = |place| Some(Busy { place, q, age });
        let shares = self.case.variant == TimedVariant::StrongCompleteness;
        match place {
            Task2Location::Wait(message) => {
                if process.mutex() {
                    self.step(TimedAction::Handle(q, message), |after, me| {
                        after.processes[me].task2 = to(Task2Location::Case(message));
                    });
                }
            }
            Task2Location::Case(Message::AreYouAlive) => self.answer(q, age),
            Task2Location::Case(Message::IAmAlive) => self.proceed(Task2Location::ReplyRcvd),
            Task2Location::ReplySent | Task2Location::ReplyRcvd => {
                let suspected = process.suspects(me).contains(q);
                let next = match (suspected, place.message()) {
                    (true, message) => Some(Task2Location::StopSus(message)),
                    (false, Message::AreYouAlive) => None,
                    (false, Message::IAmAlive) => Some(Task2Location::NotSuspected),
                };
                let (asked, from) = (place == Task2Location::ReplySent, me);
                let action = next.map_or(TimedAction::Release, TimedAction::Proceed);
                self.step(action, |after, me| {
                    after.processes[me].task2 = next.and_then(to);
                    if shares && asked {
                        after.global = after.global.without(from).without(q);
                    }
                });
            }
            Task2Location::NotSuspected => {
                let counts = q == process.target;
                let action = if counts { TimedAction::Received(q) } else { TimedAction::Discard(q) };
                self.step(action, |after, me| {
                    let process = &mut after.processes[me];
                    process.task2 = None;
                    process.received =
                        process.received || counts && matches!(process.task1, Task1::Delay(..));
                });
            }
            Task2Location::StopSus(_) => self.step(TimedAction::Trust(q), |after, me| {
                let process = &mut after.processes[me];
                process.task2 = None;
                process.target = q;
                process.received = matches!(process.task1, Task1::Delay(..));
                if shares {
                    after.global.remove(q);
                }
            }),
        }
    }

    /// A step of Task2 that changes nothing but its place.
    fn proceed(&mut self, place: Task2Location) {
        self.step(TimedAction::Proceed(place), |after, me| {
            if let Some(busy) = &mut after.processes[me].task2 {
                busy.place = place;
            }
        });
    }

    /// The edges from the initial location of Task2.
    fn receive(&mut self) {
        let (order, to) = (self.case.order, self.me);
        for from in Pid::all(PROCESSES).filter(|&from| from != to) {
            let kinds: &[Message] =
                if order == MessageOrder::Fifo { &Message::ALL[..1] } else { &Message::ALL };
            for &kind in kinds {
                let place = channel(order, from, to, kind);
                let letters = self.before.channels[place].letters();
                let heads = if order == MessageOrder::Fifo { 1.min(letters.len()) } else { letters.len() };
                for i in (0..heads).filter(|&i| i == 0 || letters[i - 1] != letters[i]) {
                    let AgedMessage { message, age } = letters[i];
                    self.step(TimedAction::Take(from, message, age), |after, me| {
                        after.channels[place].remove(i);
                        let busy = Busy { place: Task2Location::Wait(message), q: from, age };
                        after.processes[me].task2 = Some(busy);
                    });
                }
            }
        }
    }

    /// The edge from `case` to `replySent`.
    fn answer(&mut self, q: Pid, age: u8) {
        let (case, from) = (self.case, self.me);
        let crashed = self.before.processes[q.index()].is_crashed();
        if !crashed && !has_room(case, self.before, from, q, Message::IAmAlive) {
            return;
        }
        let action = if crashed { TimedAction::AnswerCrashed(q) } else { TimedAction::Answer(q) };
        self.step(action, |after, me| {
            after.processes[me].task2 = Some(Busy { place: Task2Location::ReplySent, q, age });
            if !crashed {
                put(case, after, from, q, AgedMessage { message: Message::IAmAlive, age });
            }
        });
    }
}

fn put(case: &RingTimedCase, state: &mut TimedState, from: Pid, to: Pid, letter: AgedMessage) {
    let queue = &mut state.channels[channel(case.order, from, to, letter.message)];
    queue.push(letter);
    if case.order == MessageOrder::Any {
        queue.sort();
    }
}

/// Sets the clock `waiting[p][q]` back: the questions of p to q, the answers to them, and what the two make
/// of these are all as young as the question that is sent now.
fn rejuvenate(case: &RingTimedCase, state: &mut TimedState, p: Pid, q: Pid) {
    let exchange = [(p, q, Message::AreYouAlive), (q, p, Message::IAmAlive)];
    for (from, to, message) in exchange {
        let queue = &mut state.channels[channel(case.order, from, to, message)];
        for letter in queue.letters_mut().iter_mut().filter(|letter| letter.message == message) {
            letter.age = 0;
        }
        if let Some(busy) = &mut state.processes[to.index()].task2
            && busy.q == from
            && busy.place.message() == message
        {
            busy.age = 0;
        }
    }
}
