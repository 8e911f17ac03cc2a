//! What one process is at one moment, as a plain value: its protocol state, its armed timers, and what it
//! has yet to send. The time model meets the processes here: untimed, an armed timer remembers nothing
//! but that it is armed, because no bound on it can be observed and states that behave alike must be equal.

use watchkeeper_core::{Pack, Perm, Pid, Protocol};

/// The timer slots that are armed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Armed(u64);

impl Armed {
    pub(crate) fn arm(&mut self, slot: usize) {
        self.0 |= 1 << slot;
    }

    pub(crate) fn disarm(&mut self, slot: usize) {
        self.0 &= !(1 << slot);
    }

    pub(crate) fn contains(self, slot: usize) -> bool {
        self.0 >> slot & 1 == 1
    }

    /// The armed slots in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let slot = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(slot)
        })
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
        armed: Armed,
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
            Local::Crashed => out.push(0),
            Local::Up { state, armed, outbox } => {
                out.push(1);
                state.pack(out);
                armed.0.pack(out);
                (outbox.len() as u64).pack(out);
                for (to, msg) in outbox {
                    to.pack(out);
                    msg.pack(out);
                }
            }
        }
    }

    /// This local in a world whose processes have changed their names.
    pub(crate) fn rename(&self, perm: &Perm) -> Local<S, M> {
        match self {
            Local::Crashed => Local::Crashed,
            Local::Up { state, armed, outbox } => Local::Up {
                state: state.rename(perm),
                armed: *armed,
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
        for slot in [63, 5, 0, 5] {
            armed.arm(slot);
        }
        armed.disarm(5);
        armed.disarm(7);
        assert_eq!(armed.iter().collect::<Vec<_>>(), [0, 63]);
        assert!(armed.contains(63) && !armed.contains(5));
    }

    #[test]
    fn different_locals_have_different_bytes() {
        let bytes = |local: &Local<u8, u8>| {
            let mut out = Vec::new();
            local.pack(&mut out);
            out
        };
        let up = |state, outbox| Local::Up { state, armed: Armed::default(), outbox };
        let all = [Local::Crashed, up(0, vec![]), up(0, vec![(Pid::at(1), 0)]), up(1, vec![])];
        for a in &all {
            for b in &all {
                assert_eq!(a == b, bytes(a) == bytes(b));
            }
        }
    }
}
