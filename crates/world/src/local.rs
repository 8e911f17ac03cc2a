//! What one process is at one moment, as a plain value: its protocol state, its armed timers, and what it
//! has yet to send. The time model meets the processes here, in what an armed timer remembers of its bound.

use crate::remaining::Remaining;
use watchkeeper_automaton::{MsgId, ProtocolAutomaton, StateId};
use watchkeeper_core::{Pack, Perm, Pid};

/// The place of a timer slot. A world has at most [`MAX_TIMERS`](crate::error::MAX_TIMERS) of them.
pub(crate) type SlotIndex = u16;

/// The armed timers of a process, in the order of their slots, each with what it remembers of its bound.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ArmedTimers(Vec<(SlotIndex, Remaining)>);

impl ArmedTimers {
    /// Arms a slot, in place of what was armed there.
    pub(crate) fn arm(&mut self, slot: usize, remaining: Remaining) {
        self.disarm(slot);
        let at = self.0.partition_point(|&(other, _)| usize::from(other) < slot);
        self.0.insert(at, (slot as SlotIndex, remaining));
    }

    pub(crate) fn disarm(&mut self, slot: usize) {
        self.0.retain(|&(other, _)| usize::from(other) != slot);
    }

    /// What the timer in a slot remembers, if it is armed.
    pub(crate) fn get(&self, slot: usize) -> Option<Remaining> {
        self.0.iter().find(|&&(other, _)| usize::from(other) == slot).map(|&(_, remaining)| remaining)
    }

    /// The slots and what their timers remember, in the order of the slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Remaining)> {
        self.0.iter().map(|&(slot, remaining)| (usize::from(slot), remaining))
    }

    /// The timers that may fire, as far as they alone can say.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = SlotIndex> {
        self.0.iter().filter(|(_, remaining)| remaining.is_enabled()).map(|&(slot, _)| slot)
    }

    /// In dense time: the timers that have clocks.
    pub(crate) fn clocked(&self) -> impl Iterator<Item = SlotIndex> {
        self.0.iter().filter(|(_, remaining)| remaining.has_clock()).map(|&(slot, _)| slot)
    }

    /// In ticks: the timers one tick later; `None` if one of them must fire before.
    pub(crate) fn ticked(&self) -> Option<ArmedTimers> {
        self.0
            .iter()
            .map(|&(slot, remaining)| Some((slot, remaining.ticked()?)))
            .collect::<Option<_>>()
            .map(ArmedTimers)
    }

    /// The timers in other slots: each moves from its slot to the one that `slots` has there.
    fn moved(&self, slots: &[SlotIndex]) -> ArmedTimers {
        let moved = self.0.iter().map(|&(slot, remaining)| (slots[usize::from(slot)], remaining));
        let mut moved: Vec<(SlotIndex, Remaining)> = moved.collect();
        moved.sort_unstable_by_key(|&(slot, _)| slot);
        ArmedTimers(moved)
    }

    /// Appends which of so many slots are armed, 64 to a number, and what their timers remember.
    fn pack(&self, slots: usize, out: &mut Vec<u8>) {
        let mut words = vec![0u64; slots.div_ceil(64).max(1)];
        self.0.iter().for_each(|&(slot, _)| words[usize::from(slot) / 64] |= 1 << (slot % 64));
        words.iter().for_each(|word| word.pack(out));
        self.0.iter().for_each(|(_, remaining)| remaining.pack(out));
    }
}

/// One process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum LocalState {
    /// It has crashed. What it was does not matter any more.
    Crashed,
    /// It has not.
    Up {
        /// What the protocol remembers.
        state: StateId,
        /// Its armed timers.
        timers: ArmedTimers,
        /// What it has yet to send, in order. While there is anything, it is blocked.
        outbox: Vec<(Pid, MsgId)>,
    },
}

impl LocalState {
    /// What the protocol remembers, unless the process has crashed.
    pub(crate) fn state(&self) -> Option<StateId> {
        match self {
            LocalState::Up { state, .. } => Some(*state),
            LocalState::Crashed => None,
        }
    }

    /// Appends bytes that are equal for equal values, whatever numbers a run gave them.
    pub(crate) fn pack(&self, automaton: &dyn ProtocolAutomaton, out: &mut Vec<u8>) {
        match self {
            // Among equally good states the smallest bytes are told, and what needs no crash says more.
            LocalState::Crashed => out.push(1),
            LocalState::Up { state, timers, outbox } => {
                out.push(0);
                out.extend_from_slice(automaton.states().packed(state.0));
                timers.pack(automaton.facts().timers.len(), out);
                (outbox.len() as u64).pack(out);
                for (to, msg) in outbox {
                    to.pack(out);
                    out.extend_from_slice(automaton.messages().packed(msg.0));
                }
            }
        }
    }

    /// The process renamed, its timers in the slots that they go to.
    pub(crate) fn rename(
        &self,
        automaton: &dyn ProtocolAutomaton,
        perm: &Perm,
        slots: &[SlotIndex],
    ) -> LocalState {
        match self {
            LocalState::Crashed => LocalState::Crashed,
            LocalState::Up { state, timers, outbox } => {
                let sent = |msg: &MsgId| MsgId(automaton.messages().renamed(msg.0, perm));
                LocalState::Up {
                    state: StateId(automaton.states().renamed(state.0, perm)),
                    timers: timers.moved(slots),
                    outbox: outbox.iter().map(|(to, msg)| (perm.apply(*to), sent(msg))).collect(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::samples::{Token, TokenRing};
    use watchkeeper_automaton::TypedAutomaton;

    #[test]
    fn slots_are_armed_once_and_listed_in_order() {
        let mut timers = ArmedTimers::default();
        for slot in [63, 5, 0, 5, 300] {
            timers.arm(slot, Remaining::Free);
        }
        assert_eq!(timers.enabled().collect::<Vec<_>>(), [0, 5, 63, 300]);
        timers.disarm(5);
        timers.disarm(7);
        timers.arm(63, Remaining::Stage);
        timers.disarm(300);
        assert_eq!(timers.iter().collect::<Vec<_>>(), [(0, Remaining::Free), (63, Remaining::Stage)]);
        assert_eq!((timers.get(63), timers.get(5)), (Some(Remaining::Stage), None));
        assert_eq!(timers.enabled().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_tick_waits_for_the_timer_that_is_due() {
        let left = |lo, hi| Remaining::Left { lo, hi: Some(hi) };
        let mut timers = ArmedTimers::default();
        timers.arm(0, left(1, 1));
        timers.arm(1, left(0, 2));
        let later = timers.ticked().expect("there is room");
        assert_eq!(later.iter().collect::<Vec<_>>(), [(0, left(0, 0)), (1, left(0, 1))]);
        assert_eq!(later.ticked(), None);
    }

    #[test]
    fn different_timers_have_different_bytes() {
        let armed = |slots: &[usize]| {
            let mut timers = ArmedTimers::default();
            slots.iter().for_each(|&slot| timers.arm(slot, Remaining::Free));
            timers
        };
        let bytes = |timers: &ArmedTimers| {
            let mut out = Vec::new();
            timers.pack(200, &mut out);
            out
        };
        let all = [armed(&[]), armed(&[0]), armed(&[64]), armed(&[128]), armed(&[0, 64]), armed(&[199])];
        for a in &all {
            for b in &all {
                assert_eq!(a == b, bytes(a) == bytes(b));
            }
        }
    }

    #[test]
    fn different_locals_have_different_bytes() {
        let automaton = TypedAutomaton::new(TokenRing { n: 2 });
        let [no, yes] = [false, true].map(|token| StateId(automaton.states.number(token)));
        let token = MsgId(automaton.messages.number(Token::Token));
        let bytes = |local: &LocalState| {
            let mut out = Vec::new();
            local.pack(&automaton, &mut out);
            out
        };
        let up = |state, outbox| LocalState::Up { state, timers: ArmedTimers::default(), outbox };
        let all = [LocalState::Crashed, up(no, vec![]), up(no, vec![(Pid::at(1), token)]), up(yes, vec![])];
        for a in &all {
            for b in &all {
                assert_eq!(a == b, bytes(a) == bytes(b));
            }
        }
    }
}
