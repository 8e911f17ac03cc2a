//! What one process is at one moment, as a plain value: its protocol state, its armed timers, and what it
//! has yet to send. The time model meets the processes here, in what an armed timer remembers of its bound.

use crate::due::Due;
use watchkeeper_core::{Pack, Perm, Pid, Protocol, Slot};

/// The name of the timer slot at this place.
pub(crate) fn name<P: Protocol>(slot: usize) -> String {
    P::Timer::from_index(slot).map(Slot::name).unwrap_or_default()
}

/// A set of timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Armed(u128);

impl Armed {
    pub(crate) fn arm(&mut self, slot: usize) {
        self.0 |= 1 << slot;
    }

    /// The slots in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let slot = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(slot)
        })
    }
}

/// The armed timers of a process, in the order of their slots, each with what it remembers of its bound.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Timers(Vec<(u8, Due)>);

impl Timers {
    /// Arms a slot, in place of what was armed there.
    pub(crate) fn arm(&mut self, slot: usize, due: Due) {
        self.disarm(slot);
        let at = self.0.partition_point(|&(other, _)| usize::from(other) < slot);
        self.0.insert(at, (slot as u8, due));
    }

    pub(crate) fn disarm(&mut self, slot: usize) {
        self.0.retain(|&(other, _)| usize::from(other) != slot);
    }

    /// What the timer in a slot remembers, if it is armed.
    pub(crate) fn get(&self, slot: usize) -> Option<Due> {
        self.0.iter().find(|&&(other, _)| usize::from(other) == slot).map(|&(_, due)| due)
    }

    /// The slots and what their timers remember, in the order of the slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Due)> {
        self.0.iter().map(|&(slot, due)| (usize::from(slot), due))
    }

    /// The timers that may fire, as far as they alone can say.
    pub(crate) fn ripe(&self) -> Armed {
        let mut armed = Armed::default();
        self.iter().filter(|(_, due)| due.is_ripe()).for_each(|(slot, _)| armed.arm(slot));
        armed
    }

    /// In ticks: the timers one tick later; `None` if one of them must fire before.
    pub(crate) fn ticked(&self) -> Option<Timers> {
        self.0.iter().map(|&(slot, due)| Some((slot, due.ticked()?))).collect::<Option<_>>().map(Timers)
    }

    /// The timers in other slots: each moves from its slot to the one that `slots` has there.
    fn moved(&self, slots: &[u8]) -> Timers {
        let moved = self.0.iter().map(|&(slot, due)| (slots[usize::from(slot)], due));
        let mut moved: Vec<(u8, Due)> = moved.collect();
        moved.sort_unstable_by_key(|&(slot, _)| slot);
        Timers(moved)
    }

    fn pack(&self, out: &mut Vec<u8>) {
        let mut slots = self.0.iter().fold(0u128, |slots, &(slot, _)| slots | 1 << slot);
        while slots >= 0x80 {
            out.push(slots as u8 | 0x80);
            slots >>= 7;
        }
        out.push(slots as u8);
        self.0.iter().for_each(|(_, due)| due.pack(out));
    }
}

/// One process: `S` is its protocol state, `M` a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Local<S, M> {
    /// It has crashed. What it was does not matter any more.
    Crashed,
    /// It has not.
    Up {
        /// What the protocol remembers.
        state: S,
        /// Its armed timers.
        timers: Timers,
        /// What it has yet to send, in order. While there is anything, it is blocked.
        outbox: Vec<(Pid, M)>,
    },
}

/// The local of a protocol.
pub(crate) type LocalOf<P> = Local<<P as Protocol>::State, <P as Protocol>::Msg>;

impl<S: Pack, M: Pack> Local<S, M> {
    /// Appends its canonical bytes.
    pub(crate) fn pack(&self, out: &mut Vec<u8>) {
        match self {
            // Among equally good states the smallest bytes are told, and what needs no crash says more.
            Local::Crashed => out.push(1),
            Local::Up { state, timers, outbox } => {
                out.push(0);
                state.pack(out);
                timers.pack(out);
                (outbox.len() as u64).pack(out);
                for (to, msg) in outbox {
                    to.pack(out);
                    msg.pack(out);
                }
            }
        }
    }

    /// This local in a world whose processes have changed their names, and its timers their slots.
    pub(crate) fn rename(&self, perm: &Perm, slots: &[u8]) -> Local<S, M> {
        match self {
            Local::Crashed => Local::Crashed,
            Local::Up { state, timers, outbox } => Local::Up {
                state: state.rename(perm),
                timers: timers.moved(slots),
                outbox: outbox.iter().map(|(to, msg)| (perm.apply(*to), msg.rename(perm))).collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_armed_once_and_listed_in_order() {
        let mut armed = Armed::default();
        let mut timers = Timers::default();
        for slot in [63, 5, 0, 5] {
            armed.arm(slot);
            timers.arm(slot, Due::Free);
        }
        assert_eq!(armed.iter().collect::<Vec<_>>(), [0, 5, 63]);
        assert_eq!(timers.ripe(), armed);
        timers.disarm(5);
        timers.disarm(7);
        timers.arm(63, Due::Stage);
        assert_eq!(timers.iter().collect::<Vec<_>>(), [(0, Due::Free), (63, Due::Stage)]);
        assert_eq!((timers.get(63), timers.get(5)), (Some(Due::Stage), None));
        assert_eq!(timers.ripe().iter().collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn a_tick_waits_for_the_timer_that_is_due() {
        let left = |lo, hi| Due::Left { lo, hi: Some(hi) };
        let mut timers = Timers::default();
        timers.arm(0, left(1, 1));
        timers.arm(1, left(0, 2));
        let later = timers.ticked().expect("there is room");
        assert_eq!(later.iter().collect::<Vec<_>>(), [(0, left(0, 0)), (1, left(0, 1))]);
        assert_eq!(later.ticked(), None);
    }

    #[test]
    fn different_locals_have_different_bytes() {
        let bytes = |local: &Local<u8, u8>| {
            let mut out = Vec::new();
            local.pack(&mut out);
            out
        };
        let up = |state, outbox| Local::Up { state, timers: Timers::default(), outbox };
        let all = [Local::Crashed, up(0, vec![]), up(0, vec![(Pid::at(1), 0)]), up(1, vec![])];
        for a in &all {
            for b in &all {
                assert_eq!(a == b, bytes(a) == bytes(b));
            }
        }
    }
}
