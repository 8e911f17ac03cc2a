//! Names of two closed sets, one behind the other, put together at compile time: reports and tables index
//! them, and want one list.

/// The most names that a joined list can have: an environment keeps that many timer slots.
pub(super) const MOST: usize = 64;

/// The names of the first list, then those of the second, and behind them nothing that anyone reads.
pub(super) const fn joined(first: &[&'static str], second: &[&'static str]) -> [&'static str; MOST] {
    assert!(
        first.len() + second.len() <= MOST,
        "the layers together have more than 64 timer slots or kinds of value: choose layers with fewer"
    );
    let mut names = [""; MOST];
    let mut at = 0;
    while at < first.len() + second.len() {
        names[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
        at += 1;
    }
    names
}
