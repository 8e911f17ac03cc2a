//! A state of the search, and how it is laid out as a row. Only what can still matter is kept: the mutex,
//! the list L, the timeout of the round and MyTarget follow from the rest, a clock is kept as the age of
//! each message that it bounds, and a crashed process is one value.

use super::message::{MORTAL, Message, PROCESSES, Task2Location, others, pred, succ};
use super::{MessageOrder, RingTimedCase, TimedVariant};
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_space::Id;

/// Where Task1 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task1 {
    Crashed,
    Initial,
    Wait,
    /// It has asked this target this long ago.
    Delay(Pid, u8),
}

/// What Task2 is doing with a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Busy {
    pub(super) place: Task2Location,
    /// Who has sent it.
    pub(super) q: Pid,
    /// How much of maxDelta its round trip has used up.
    pub(super) age: u8,
}

/// Both tasks of a process and what they share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimedProcess {
    pub(super) task1: Task1,
    /// `None` at its initial location.
    pub(super) task2: Option<Busy>,
    pub(super) target: Pid,
    /// Only kept at `delay`: the next question clears it before anyone looks.
    pub(super) received: bool,
    /// The timeouts for the successor and the predecessor.
    pub(super) delta: [u8; 2],
}

/// A message under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct AgedMessage {
    pub(super) message: Message,
    pub(super) age: u8,
}

/// What is in a channel: oldest first where the order counts, sorted where it does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MessageQueue {
    letters: [AgedMessage; RingTimedCase::MAX_CAPACITY as usize],
    len: u8,
}

/// Three processes, their channels, and the list G.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimedState {
    pub(super) processes: [TimedProcess; PROCESSES],
    pub(super) channels: [MessageQueue; CHANNELS],
    pub(super) global: ProcSet,
}

/// One channel for each ordered pair and kind; with FIFO those of the first kind serve both.
pub(super) const CHANNELS: usize = PROCESSES * 2 * Message::ALL.len();

/// The slots of a row: four for each process, the channels, and G.
pub(super) const SLOTS: usize = 4 * PROCESSES + CHANNELS + 1;

impl TimedProcess {
    const CRASHED: TimedProcess =
        TimedProcess { task1: Task1::Crashed, task2: None, target: MORTAL, received: false, delta: [1, 1] };

    /// Process `me` before its first step.
    fn initial(me: Pid) -> TimedProcess {
        TimedProcess { task1: Task1::Initial, target: succ(me), ..TimedProcess::CRASHED }
    }

    pub(super) fn is_crashed(&self) -> bool {
        self.task1 == Task1::Crashed
    }

    /// Whether `mutex[p]` is true.
    pub(super) fn mutex(&self) -> bool {
        self.task1 != Task1::Wait
            && self.task2.is_none_or(|busy| matches!(busy.place, Task2Location::Wait(_)))
    }

    /// The list L: the arc between process `me` and its target.
    pub(super) fn suspects(&self, me: Pid) -> ProcSet {
        let first = succ(me);
        if self.is_crashed() || self.target == first {
            return ProcSet::EMPTY;
        }
        ProcSet::arc(first, pred(self.target), PROCESSES)
    }

    /// Whether it asks another one, and has not waited for longer than its timeout.
    pub(super) fn is_possible(&self, me: Pid) -> bool {
        match self.task1 {
            Task1::Wait => self.target != me,
            Task1::Delay(q, clock) => clock <= self.delta(me, q),
            Task1::Crashed | Task1::Initial => true,
        }
    }

    /// The timeout of process `me` for another.
    pub(super) fn delta(&self, me: Pid, q: Pid) -> u8 {
        self.delta[side(me, q)]
    }
}

/// 0 for the successor, 1 for the predecessor.
pub(super) const fn side(me: Pid, q: Pid) -> usize {
    if q.index() == succ(me).index() { 0 } else { 1 }
}

/// The place of a channel.
pub(super) const fn channel(order: MessageOrder, from: Pid, to: Pid, message: Message) -> usize {
    let kind = match order {
        MessageOrder::Any => message as usize,
        MessageOrder::Fifo => 0,
    };
    (from.index() * 2 + side(from, to)) * Message::ALL.len() + kind
}

impl MessageQueue {
    const NONE: AgedMessage = AgedMessage { message: Message::AreYouAlive, age: 0 };

    pub(super) const EMPTY: MessageQueue =
        MessageQueue { letters: [MessageQueue::NONE; RingTimedCase::MAX_CAPACITY as usize], len: 0 };

    pub(super) fn letters(&self) -> &[AgedMessage] {
        &self.letters[..usize::from(self.len)]
    }

    pub(super) fn letters_mut(&mut self) -> &mut [AgedMessage] {
        &mut self.letters[..usize::from(self.len)]
    }

    pub(super) fn push(&mut self, letter: AgedMessage) {
        self.letters[usize::from(self.len)] = letter;
        self.len += 1;
    }

    /// Takes out the letter at this place.
    pub(super) fn remove(&mut self, place: usize) -> AgedMessage {
        let letter = self.letters()[place];
        self.letters_mut()[place..].rotate_left(1);
        self.len -= 1;
        self.letters[usize::from(self.len)] = MessageQueue::NONE;
        letter
    }

    pub(super) fn sort(&mut self) {
        self.letters_mut().sort_unstable();
    }
}

impl TimedState {
    /// Before the first step; `dead` if p1 has crashed already.
    pub(super) fn initial(dead: bool) -> TimedState {
        let mut processes = [0, 1, 2].map(|i| TimedProcess::initial(Pid::at(i)));
        if dead {
            processes[MORTAL.index()] = TimedProcess::CRASHED;
        }
        TimedState { processes, channels: [MessageQueue::EMPTY; CHANNELS], global: ProcSet::EMPTY }
    }

    /// Stops p1. What is on its way to it will never be looked at again, nor need room.
    pub(super) fn crash(&mut self) {
        self.processes[MORTAL.index()] = TimedProcess::CRASHED;
        for from in others(MORTAL) {
            for message in Message::ALL {
                self.channels[channel(MessageOrder::Any, from, MORTAL, message)] = MessageQueue::EMPTY;
            }
        }
    }
}

/// The numbers by which the parts of a state become ids.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedLayout {
    /// One more than the largest clock of a round.
    rounds: u32,
    /// One more than the largest age.
    ages: u32,
    /// The different timeouts.
    timeouts: u32,
    /// What a place in a channel can hold, nothing included.
    letters: u32,
    fifo: bool,
}

impl TimedLayout {
    pub(super) fn new(case: &RingTimedCase) -> TimedLayout {
        let (longest, ages) = (u32::from(case.longest()), u32::from(case.max_delta()) + 1);
        let fifo = case.order == MessageOrder::Fifo;
        TimedLayout {
            rounds: longest + 1,
            ages,
            timeouts: longest,
            letters: if fifo { 2 * ages } else { ages } + 1,
            fifo,
        }
    }

    /// The names of the slots.
    pub(super) fn slots(case: &RingTimedCase) -> Vec<String> {
        let mut names = Vec::new();
        for p in Pid::all(PROCESSES) {
            names.extend(["Task1", "Task2", "target", "Delta"].map(|part| format!("{p} {part}")));
        }
        for from in Pid::all(PROCESSES) {
            for to in others(from) {
                let kinds = Message::ALL.into_iter();
                names.extend(kinds.map(|message| match (case.order, message) {
                    (MessageOrder::Any, _) => format!("{} {from} to {to}", message.name()),
                    (MessageOrder::Fifo, Message::AreYouAlive) => format!("{from} to {to}"),
                    (MessageOrder::Fifo, Message::IAmAlive) => format!("{from} to {to} (unused)"),
                }));
            }
        }
        names.push(
            if case.variant == TimedVariant::StrongCompleteness { "G" } else { "G (unused)" }.to_string(),
        );
        names
    }

    /// Whether an id may stand in a slot, where a channel has room for so many messages.
    pub(super) fn may_hold(&self, slot: usize, id: Id, capacity: u8) -> bool {
        if (4 * PROCESSES..SLOTS - 1).contains(&slot) {
            let (mut rest, mut held) = (id, 0);
            while rest != 0 && rest % self.letters != 0 {
                (rest, held) = (rest / self.letters, held + 1);
            }
            return rest == 0 && held <= capacity;
        }
        let count = match slot {
            SLOTS.. => 0,
            _ if slot == SLOTS - 1 => 1 << PROCESSES,
            _ => [
                3 + 2 * self.rounds,
                1 + 2 * Task2Location::ALL.len() as Id * self.ages,
                2 * PROCESSES as Id,
                self.timeouts * self.timeouts,
            ][slot % 4],
        };
        id < count
    }

    /// The row of a state.
    pub(super) fn row(&self, state: &TimedState) -> [Id; SLOTS] {
        let mut row = [0; SLOTS];
        for (me, process) in Pid::all(PROCESSES).zip(&state.processes) {
            if process.is_crashed() {
                continue;
            }
            let slots = &mut row[4 * me.index()..];
            slots[0] = match process.task1 {
                Task1::Crashed => 0,
                Task1::Initial => 1,
                Task1::Wait => 2,
                Task1::Delay(q, clock) => 3 + side(me, q) as Id * self.rounds + Id::from(clock),
            };
            slots[1] = process.task2.map_or(0, |Busy { place, q, age }| {
                let place = (side(me, q) * Task2Location::ALL.len() + place.index()) as Id;
                1 + place * self.ages + Id::from(age)
            });
            let steps = (process.target.index() + PROCESSES - me.index()) % PROCESSES;
            slots[2] = 2 * steps as Id + Id::from(process.received);
            let [next, last] = process.delta.map(|delta| Id::from(delta) - 1);
            slots[3] = next + self.timeouts * last;
        }
        for (slot, queue) in row[4 * PROCESSES..].iter_mut().zip(&state.channels) {
            *slot = self.content(queue);
        }
        row[SLOTS - 1] = state.global.bits() as Id;
        row
    }

    /// The state of a row.
    pub(super) fn state(&self, row: &[Id]) -> TimedState {
        let mut state = TimedState::initial(false);
        for me in Pid::all(PROCESSES) {
            let process = &mut state.processes[me.index()];
            let slots = &row[4 * me.index()..];
            if slots[0] == 0 {
                *process = TimedProcess::CRASHED;
                continue;
            }
            let sides = others(me);
            process.task1 = match slots[0] {
                1 => Task1::Initial,
                2 => Task1::Wait,
                code => {
                    let code = code - 3;
                    Task1::Delay(sides[(code / self.rounds) as usize], (code % self.rounds) as u8)
                }
            };
            process.task2 = slots[1].checked_sub(1).map(|code| {
                let place = (code / self.ages) as usize;
                Busy {
                    place: Task2Location::ALL[place % Task2Location::ALL.len()],
                    q: sides[place / Task2Location::ALL.len()],
                    age: (code % self.ages) as u8,
                }
            });
            process.target = Pid::at((me.index() + (slots[2] / 2) as usize) % PROCESSES);
            process.received = slots[2] % 2 == 1;
            process.delta = [slots[3] % self.timeouts, slots[3] / self.timeouts].map(|code| code as u8 + 1);
        }
        for (i, queue) in state.channels.iter_mut().enumerate() {
            let code = row[4 * PROCESSES + i];
            if code != 0 {
                *queue = self.queue(code, Message::ALL[i % Message::ALL.len()]);
            }
        }
        state.global = ProcSet::from_bits(u64::from(row[SLOTS - 1]));
        state
    }

    /// The content of a channel as a number: a digit for each letter, the first letter in the lowest one.
    fn content(&self, queue: &MessageQueue) -> Id {
        let digit = |letter: &AgedMessage| {
            let kind = if self.fifo { letter.message as Id } else { 0 };
            1 + kind * self.ages + Id::from(letter.age)
        };
        queue.letters().iter().rev().fold(0, |code, letter| code * self.letters + digit(letter))
    }

    fn queue(&self, mut code: Id, kind: Message) -> MessageQueue {
        let mut queue = MessageQueue::EMPTY;
        while code != 0 {
            let digit = code % self.letters - 1;
            let message = if self.fifo { Message::ALL[(digit / self.ages) as usize] } else { kind };
            queue.push(AgedMessage { message, age: (digit % self.ages) as u8 });
            code /= self.letters;
        }
        queue
    }
}
