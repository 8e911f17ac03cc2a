//! Of things that fall on the same moment, due deliveries before timeouts: which messages were due when a timer
//! fired, and what their times must therefore be.

use super::bonds::{Bond, Why, letter_bound};
use super::fates::{Item, Timed};
use std::collections::BTreeSet;
use watchkeeper_core::RecordedInput;

/// One bond for each message that was due when a timer fired before it arrived. An order by times has what can
/// come first before the timers of the same moment, so these could not: the timers must be earlier.
pub(crate) fn too_late(run: &Timed<'_>, items: &[Item], lost: &[bool]) -> Vec<Bond> {
    let mut bonds = Vec::new();
    // The messages on their way, by the moment at which they are due.
    let mut due: BTreeSet<(i64, usize)> = BTreeSet::new();
    let bound = |letter: usize| {
        let hi = letter_bound(run.scenario, run.roots[letter] != run.letters.list[letter].by).hi()?;
        Some(i64::from(hi).saturating_mul(run.lives.tick))
    };
    let key = |letter: usize, hi: i64| (run.times[run.roots[letter]].saturating_add(hi), letter);
    for item in items {
        let Item::Step(step) = *item else { continue };
        if let Some((letter, hi)) = run.letters.read[step].and_then(|letter| Some((letter, bound(letter)?))) {
            due.remove(&key(letter, hi));
        }
        if matches!(run.lives.step(step).input, RecordedInput::Fire { .. }) {
            while let Some(&(moment, letter)) = due.first().filter(|(moment, _)| *moment <= run.times[step]) {
                due.remove(&(moment, letter));
                let most = bound(letter).unwrap_or(0) - 1;
                bonds.push(Bond::steps(step, run.roots[letter], most, Why::DueFirst { letter }));
            }
        }
        for letter in run.letters.sent(step) {
            if run.letters.list[letter].received.is_some() && !lost[letter] {
                due.extend(bound(letter).map(|hi| key(letter, hi)));
            }
        }
    }
    bonds
}
