//! The steps of the search: what can happen in a state, and what comes of it. Clocks are ages here, and a
//! resend that sets a clock back makes everything young again that the clock bounds.

use super::message::{CANDIDATE, Deed, MORTAL, Message, PROCESSES, Place, succ};
use super::state::{Busy, Letter, Process, Queue, State, Task1, channel, side};
use super::{Case, Clock, Order, Variant};
use crate::ring::Crash;
use watchkeeper_core::Pid;
use watchkeeper_world::Simultaneous;

/// All steps that leave `state`, but for the passing of time: whose step, what, and where to.
pub(super) fn steps(case: &Case, state: &State, mut take: impl FnMut(Pid, Deed, &State)) {
    for me in Pid::all(PROCESSES) {
        if state.processes[me.index()].is_crashed() {
            continue;
        }
        let mut turn = Turn { case, before: state, me, take: &mut take };
        turn.task1();
        turn.task2();
        if me == MORTAL && case.crash() == Crash::AnyTime {
            turn.step(Deed::Crash, |after, _| after.crash());
        }
    }
}

/// The state after one unit of time, if every deadline has room for it.
pub(super) fn tick(case: &Case, state: &State) -> Option<State> {
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
    for letter in after.channels.iter_mut().flat_map(Queue::letters_mut) {
        if letter.age == due {
            return None;
        }
        letter.age += 1;
    }
    Some(after)
}

/// Whether some step other than the passing of time is possible, now or after some time: what UPPAAL calls
/// not being in a deadlock.
pub(super) fn can_act(case: &Case, state: &State) -> bool {
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
pub(super) fn answer_is_blocked(case: &Case, state: &State, me: Pid) -> bool {
    match state.processes[me.index()].task2 {
        Some(Busy { place: Place::Case(Message::AreYouAlive), q, .. }) => {
            !state.processes[q.index()].is_crashed() && !has_room(case, state, me, q, Message::IAmAlive)
        }
        _ => false,
    }
}

/// Whether something under way or being handled has used up maxDelta.
fn is_due(case: &Case, state: &State) -> bool {
    let due = case.max_delta();
    let mut under_way = state.channels.iter().flat_map(Queue::letters);
    let mut handled = state.processes.iter().filter_map(|process| process.task2);
    under_way.any(|letter| letter.age == due) || handled.any(|busy| busy.age == due)
}

fn has_room(case: &Case, state: &State, from: Pid, to: Pid, message: Message) -> bool {
    let queue = &state.channels[channel(case.order(), from, to, message)];
    queue.letters().len() < usize::from(case.capacity())
}

/// The turn of one process.
struct Turn<'a, F> {
    case: &'a Case,
    before: &'a State,
    me: Pid,
    take: &'a mut F,
}

impl<F: FnMut(Pid, Deed, &State)> Turn<'_, F> {
    fn process(&self) -> &Process {
        &self.before.processes[self.me.index()]
    }

    /// One step, by what it changes in the state and in this process.
    fn step(&mut self, deed: Deed, change: impl FnOnce(&mut State, usize)) {
        let mut after = *self.before;
        change(&mut after, self.me.index());
        (self.take)(self.me, deed, &after);
    }

    fn task1(&mut self) {
        let (me, process) = (self.me, *self.process());
        match process.task1 {
            Task1::Initial if process.mutex() && process.target != me => {
                self.step(Deed::Begin, |after, me| after.processes[me].task1 = Task1::Wait);
            }
            Task1::Wait => self.ask(process.target),
            Task1::Delay(q, clock) if process.mutex() && clock == process.delta(me, q) => {
                if self.case.simultaneous() == Simultaneous::DeliveriesFirst && is_due(self.case, self.before)
                {
                    return;
                }
                if process.received {
                    self.step(Deed::Answered(q), |after, me| {
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
        let deed = if crashed { Deed::AskCrashed(q) } else { Deed::Ask(q) };
        self.step(deed, |after, me| {
            if case.clock() == Clock::EveryResend {
                rejuvenate(case, after, from, q);
            }
            after.processes[me].task1 = Task1::Delay(q, 0);
            if !crashed {
                put(case, after, from, q, Letter { message: Message::AreYouAlive, age: 0 });
            }
        });
    }

    /// The edges from `delay` by which a target comes to be suspected. A target that has crashed is known to
    /// have: its edge is another one, on which no timeout grows and nothing enters G.
    fn suspect(&mut self, q: Pid) {
        let crashed = self.before.processes[q.index()].is_crashed();
        let grows = !crashed
            && match self.case.variant() {
                Variant::WeakCompleteness => false,
                Variant::WeakAccuracy => CANDIDATE == succ(self.me) || CANDIDATE == q,
                Variant::StrongAccuracy | Variant::StrongCompleteness => true,
            };
        let delta = self.process().delta(self.me, q);
        let longer = if grows { self.case.longest().min(delta + 1) } else { delta };
        let deed = if longer > delta { Deed::SuspectLonger(q) } else { Deed::Suspect(q) };
        let (shares, from) = (self.case.variant() == Variant::StrongCompleteness, self.me);
        self.step(deed, |after, me| {
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
        let shares = self.case.variant() == Variant::StrongCompleteness;
        match place {
            Place::Wait(message) => {
                if process.mutex() {
                    self.step(Deed::Handle(q, message), |after, me| {
                        after.processes[me].task2 = to(Place::Case(message));
                    });
                }
            }
            Place::Case(Message::AreYouAlive) => self.answer(q, age),
            Place::Case(Message::IAmAlive) => self.proceed(Place::ReplyRcvd),
            Place::ReplySent | Place::ReplyRcvd => {
                let suspected = process.suspects(me).contains(q);
                let next = match (suspected, place.message()) {
                    (true, message) => Some(Place::StopSus(message)),
                    (false, Message::AreYouAlive) => None,
                    (false, Message::IAmAlive) => Some(Place::NotSuspected),
                };
                let (asked, from) = (place == Place::ReplySent, me);
                let deed = next.map_or(Deed::Release, Deed::Proceed);
                self.step(deed, |after, me| {
                    after.processes[me].task2 = next.and_then(to);
                    if shares && asked {
                        after.global = after.global.without(from).without(q);
                    }
                });
            }
            Place::NotSuspected => {
                let counts = q == process.target;
                let deed = if counts { Deed::Received(q) } else { Deed::Discard(q) };
                self.step(deed, |after, me| {
                    let process = &mut after.processes[me];
                    process.task2 = None;
                    process.received =
                        process.received || counts && matches!(process.task1, Task1::Delay(..));
                });
            }
            Place::StopSus(_) => self.step(Deed::Trust(q), |after, me| {
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
    fn proceed(&mut self, place: Place) {
        self.step(Deed::Proceed(place), |after, me| {
            if let Some(busy) = &mut after.processes[me].task2 {
                busy.place = place;
            }
        });
    }

    /// The edges from the initial location of Task2.
    fn receive(&mut self) {
        let (order, to) = (self.case.order(), self.me);
        for from in Pid::all(PROCESSES).filter(|&from| from != to) {
            let kinds: &[Message] = if order == Order::Fifo { &Message::ALL[..1] } else { &Message::ALL };
            for &kind in kinds {
                let place = channel(order, from, to, kind);
                let letters = self.before.channels[place].letters();
                let heads = if order == Order::Fifo { 1.min(letters.len()) } else { letters.len() };
                for i in (0..heads).filter(|&i| i == 0 || letters[i - 1] != letters[i]) {
                    let Letter { message, age } = letters[i];
                    self.step(Deed::Take(from, message, age), |after, me| {
                        after.channels[place].remove(i);
                        let busy = Busy { place: Place::Wait(message), q: from, age };
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
        let deed = if crashed { Deed::AnswerCrashed(q) } else { Deed::Answer(q) };
        self.step(deed, |after, me| {
            after.processes[me].task2 = Some(Busy { place: Place::ReplySent, q, age });
            if !crashed {
                put(case, after, from, q, Letter { message: Message::IAmAlive, age });
            }
        });
    }
}

fn put(case: &Case, state: &mut State, from: Pid, to: Pid, letter: Letter) {
    let queue = &mut state.channels[channel(case.order(), from, to, letter.message)];
    queue.push(letter);
    if case.order() == Order::Any {
        queue.sort();
    }
}

/// Sets the clock `waiting[p][q]` back: the questions of p to q, the answers to them, and what the two make
/// of these are all as young as the question that is sent now.
fn rejuvenate(case: &Case, state: &mut State, p: Pid, q: Pid) {
    let exchange = [(p, q, Message::AreYouAlive), (q, p, Message::IAmAlive)];
    for (from, to, message) in exchange {
        let queue = &mut state.channels[channel(case.order(), from, to, message)];
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
