//! Words whose every access loom sees, and a pause that lets another thread go on.
//!
//! loom tries another order of two steps only if it takes them for dependent, and of the accesses to a word it remembers the last
//! one alone: where a thread loads a word and then exchanges it, its own load hides that another thread had loaded the word
//! before, and the order in which the exchange comes first is never tried. Tables do just that. So every access first
//! takes a turn at one word that all share: turns depend on each other, hence all orders of accesses are tried. A turn is
//! relaxed and orders nothing else, so what a weak memory lets a thread see stays as weak as it was.

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::Ordering;
use std::ops::Deref;

loom::lazy_static! {
    static ref TURN: loom::sync::atomic::AtomicUsize = loom::sync::atomic::AtomicUsize::new(0);
}

fn turn() {
    TURN.fetch_add(1, Ordering::Relaxed);
}

/// An atomic whose every access takes a turn first.
pub(crate) struct Turned<T>(T);

impl<T> Deref for Turned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        turn();
        &self.0
    }
}

/// A word.
pub(crate) type AtomicU64 = Turned<loom::sync::atomic::AtomicU64>;

impl AtomicU64 {
    pub fn new(value: u64) -> AtomicU64 {
        Turned(loom::sync::atomic::AtomicU64::new(value))
    }
}

/// Half a word.
pub(crate) type AtomicU32 = Turned<loom::sync::atomic::AtomicU32>;

impl AtomicU32 {
    pub fn new(value: u32) -> AtomicU32 {
        Turned(loom::sync::atomic::AtomicU32::new(value))
    }
}
