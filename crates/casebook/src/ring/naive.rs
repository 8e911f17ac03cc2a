//! The same networks once more, in the plainest way: local states as they are, a count for each channel,
//! the automaton asked anew at every step. It exists to be obviously right; it shares no table and no
//! rule of the channels with the space that is searched, and replay and tests go by it.

use super::automaton::{ProcessModel, ProcessStep, RingAction};
use super::channel::{MORTAL, PROCESSES, RingChannel};
use super::{Crash, FullChannel, RingCase};
use watchkeeper_core::Pid;
use watchkeeper_space::Id;

/// A model in a case.
pub(super) struct NaiveRing<A: ProcessModel> {
    pub(super) automaton: A,
    pub(super) case: RingCase,
}

/// One state of the whole ring.
#[derive(Clone, PartialEq)]
pub(super) struct NaiveState<L> {
    pub(super) locals: Vec<L>,
    /// The number of messages in each channel.
    pub(super) messages: Vec<Id>,
    /// Whether a full channel has reported.
    pub(super) overflow: bool,
}

/// One step of the whole ring.
pub(super) struct NaiveStep<L> {
    /// Whose step it is, and which of its moves.
    pub(super) me: Pid,
    pub(super) number: usize,
    pub(super) taken: ProcessStep<L>,
    /// What became of the message, if it is a send.
    pub(super) fate: SendOutcome,
    pub(super) after: NaiveState<L>,
}

/// What becomes of a message that is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SendOutcome {
    /// Nothing is sent into a channel, or the message has found room.
    Well,
    /// The channel is full and ignores it.
    Ignored,
    /// The channel is full and reports it.
    Reported,
}

impl<A: ProcessModel> NaiveRing<A> {
    pub(super) fn new(automaton: A, case: RingCase) -> NaiveRing<A> {
        NaiveRing { automaton, case }
    }

    /// The initial state.
    pub(super) fn start(&self) -> NaiveState<A::Local> {
        let local = |p: Pid| match self.case.crash {
            Crash::AtStart if p == MORTAL => self.automaton.crashed(),
            _ => self.automaton.initial(p),
        };
        NaiveState {
            locals: Pid::all(PROCESSES).map(local).collect(),
            messages: vec![0; RingChannel::COUNT],
            overflow: false,
        }
    }

    /// The moves of one process: those of its automaton, and last the crash, if it may.
    pub(super) fn moves(&self, me: Pid, local: &A::Local) -> Vec<ProcessStep<A::Local>> {
        let mut moves = self.automaton.steps(me, local);
        if self.case.crash == Crash::AnyTime && me == MORTAL && self.automaton.can_crash(local) {
            moves.push(ProcessStep::new(RingAction::Crash, self.automaton.crashed()));
        }
        moves
    }

    /// All steps of a state.
    pub(super) fn turns(&self, state: &NaiveState<A::Local>) -> Vec<NaiveStep<A::Local>> {
        let mut turns = Vec::new();
        if state.overflow {
            return turns;
        }
        for me in Pid::all(PROCESSES) {
            for (number, taken) in self.moves(me, &state.locals[me.index()]).into_iter().enumerate() {
                let mut after = state.clone();
                after.locals[me.index()] = taken.next.clone();
                if let Some(fate) = self.deliver(state, taken.action, &mut after) {
                    turns.push(NaiveStep { me, number, taken, fate, after });
                }
            }
        }
        turns
    }

    /// What a action does to the channels; `None` if it is not possible.
    fn deliver(
        &self,
        state: &NaiveState<A::Local>,
        action: RingAction,
        after: &mut NaiveState<A::Local>,
    ) -> Option<SendOutcome> {
        match action {
            RingAction::Put(channel) => {
                if self.is_full(state, channel) {
                    match self.case.when_full {
                        FullChannel::Block => return None,
                        FullChannel::Ignore => return Some(SendOutcome::Ignored),
                        FullChannel::Report => {
                            after.overflow = true;
                            return Some(SendOutcome::Reported);
                        }
                    }
                }
                after.messages[channel.index()] += 1;
            }
            RingAction::Take(channel) => {
                let count = &mut after.messages[channel.index()];
                *count = count.checked_sub(1)?;
            }
            RingAction::Hand(channel) if state.locals[channel.to.index()] != self.automaton.crashed() => {
                return None;
            }
            _ => {}
        }
        Some(SendOutcome::Well)
    }

    /// Whether a channel has no room.
    pub(super) fn is_full(&self, state: &NaiveState<A::Local>, channel: RingChannel) -> bool {
        state.messages[channel.index()] >= Id::from(self.case.buffer())
    }

    /// The local states of one process in the order that gives them their ids: breadth-first from the
    /// initial one, along the moves in their order.
    pub(super) fn numbered(&self, me: Pid) -> Vec<A::Local> {
        let mut known = vec![self.start().locals[me.index()].clone()];
        let mut next = 0;
        while next < known.len() {
            for step in self.moves(me, &known[next].clone()) {
                if !known.contains(&step.next) {
                    known.push(step.next);
                }
            }
            next += 1;
        }
        known
    }

    /// The row of a state, given the local states of each process by number.
    pub(super) fn row(&self, state: &NaiveState<A::Local>, numbers: &[Vec<A::Local>]) -> Vec<Id> {
        let id = |(local, numbers): (&A::Local, &Vec<A::Local>)| {
            let number = numbers.iter().position(|other| other == local);
            number.expect("the numbered states are closed under moves") as Id
        };
        let mut row: Vec<Id> = state.locals.iter().zip(numbers).map(id).collect();
        row.extend(&state.messages);
        if self.case.when_full == FullChannel::Report {
            row.push(Id::from(state.overflow));
        }
        row
    }
}
