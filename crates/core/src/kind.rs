//! Small closed sets: the kinds of message a protocol has, and the slots its timers live in. Reports
//! count by kind, networks may give each kind a channel of its own, and environments keep timers in a
//! table indexed by slot.

/// A value of one of a few named kinds, usually the variants of an enum. Derive it.
pub trait Kind {
    /// The names of all kinds, as reports show them.
    const KINDS: &'static [&'static str];

    /// The place of this value's kind in [`Kind::KINDS`].
    fn kind(&self) -> usize;

    /// How a report or a chart writes this value: its kind, and what it carries.
    fn label(&self) -> String {
        Self::KINDS[self.kind()].to_string()
    }
}

/// A timer slot. At most one timer is armed in each, so re-arming replaces and no timer is ever stale.
/// Derive it for an enum without fields.
pub trait Slot: Copy + Eq + std::hash::Hash + Send + Sync + std::fmt::Debug {
    /// The names of all slots, as reports show them.
    const NAMES: &'static [&'static str];

    /// The place of this slot in [`Slot::NAMES`].
    fn index(self) -> usize;

    /// The slot at this place.
    fn from_index(index: usize) -> Option<Self>;
}

/// The set without values: the `Call` of a protocol that nobody calls, the `Timer` of one without timers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Kind for Never {
    const KINDS: &'static [&'static str] = &[];

    fn kind(&self) -> usize {
        match *self {}
    }
}

impl Slot for Never {
    const NAMES: &'static [&'static str] = &[];

    fn index(self) -> usize {
        match self {}
    }

    fn from_index(_: usize) -> Option<Never> {
        None
    }
}
