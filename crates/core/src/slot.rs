//! The slots that timers live in. Environments keep timers in a table indexed by slot, and reports name them.

use crate::{MAX_PROCESSES, Never, Perm, Pid};
use std::fmt::Debug;
use std::hash::Hash;

/// A timer slot. At most one timer is armed in each, so re-arming replaces and no timer is ever stale.
///
/// Derive it for an enum. The fields of a variant are slots themselves, so that there can be a timer for each peer:
///
/// ```
/// use watchkeeper_core::{Pid, Slot};
///
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
/// enum Timer {
///     Beat,
///     Suspect(Pid),
/// }
///
/// assert_eq!(Timer::Suspect(Pid::at(3)).name(), "Suspect p3");
/// ```
pub trait Slot: Copy + Eq + Hash + Send + Sync + Debug {
    /// How many slots there are.
    const COUNT: usize;

    /// What reports count by: the variants, however many slots each has.
    const KINDS: &'static [&'static str];

    /// The place of this slot, below [`Slot::COUNT`].
    fn index(self) -> usize;

    /// The slot at this place.
    fn from_index(index: usize) -> Option<Self>;

    /// The place of its kind in [`Slot::KINDS`].
    fn kind(self) -> usize;

    /// How reports and charts call it.
    fn name(self) -> String;

    /// This slot in a system whose processes have changed their names: a timer about a process goes with it.
    fn rename(self, _perm: &Perm) -> Self {
        self
    }

    /// All slots, in the order of their places.
    fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).filter_map(Self::from_index)
    }
}

/// A slot for each process.
impl Slot for Pid {
    const COUNT: usize = MAX_PROCESSES;
    const KINDS: &'static [&'static str] = &["process"];

    fn index(self) -> usize {
        Pid::index(self)
    }

    fn from_index(index: usize) -> Option<Pid> {
        Pid::new(index)
    }

    fn kind(self) -> usize {
        0
    }

    fn name(self) -> String {
        self.to_string()
    }

    fn rename(self, perm: &Perm) -> Pid {
        perm.apply(self)
    }
}

/// Two slots.
impl Slot for bool {
    const COUNT: usize = 2;
    const KINDS: &'static [&'static str] = &["false", "true"];

    fn index(self) -> usize {
        usize::from(self)
    }

    fn from_index(index: usize) -> Option<bool> {
        [false, true].get(index).copied()
    }

    fn kind(self) -> usize {
        self.index()
    }

    fn name(self) -> String {
        self.to_string()
    }
}

impl Slot for Never {
    const COUNT: usize = 0;
    const KINDS: &'static [&'static str] = &[];

    fn index(self) -> usize {
        match self {}
    }

    fn from_index(_: usize) -> Option<Never> {
        None
    }

    fn kind(self) -> usize {
        match self {}
    }

    fn name(self) -> String {
        match self {}
    }
}
