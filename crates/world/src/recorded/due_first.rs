//! Of things that fall on the same moment, due deliveries before timeouts: which messages were due when a timer
//! fired, and what their times must therefore be.

use super::constraints::{Cause, RecordedConstraint, message_bound_of};
use super::outcomes::{RunItem, TimedRun};
use std::collections::BTreeSet;
use watchkeeper_core::RecordedInput;

/// One constraint for each message that was due when a timer fired before it arrived. An order by times has what can
/// come first before the timers of the same moment, so these could not: the timers must be earlier.
pub(crate) fn too_late(run: &TimedRun<'_>, items: &[RunItem], lost: &[bool]) -> Vec<RecordedConstraint> {
    let mut constraints = Vec::new();
    // The messages on their way, by the moment at which they are due.
    let mut due: BTreeSet<(i64, usize)> = BTreeSet::new();
    let bound = |message: usize| {
        let hi = message_bound_of(run.scenario, run.roots[message] != run.messages.list[message].by).hi()?;
        Some(i64::from(hi).saturating_mul(run.incarnations.tick))
    };
    let key = |message: usize, hi: i64| (run.times[run.roots[message]].saturating_add(hi), message);
    for item in items {
        let RunItem::Step(step) = *item else { continue };
        if let Some((message, hi)) =
            run.messages.read[step].and_then(|message| Some((message, bound(message)?)))
        {
            due.remove(&key(message, hi));
        }
        if matches!(run.incarnations.step(step).input, RecordedInput::Fire { .. }) {
            while let Some(&(moment, message)) = due.first().filter(|(moment, _)| *moment <= run.times[step])
            {
                due.remove(&(moment, message));
                let most = bound(message).unwrap_or(0) - 1;
                constraints.push(RecordedConstraint::steps(
                    step,
                    run.roots[message],
                    most,
                    Cause::DueFirst { message },
                ));
            }
        }
        for message in run.messages.sent(step) {
            if run.messages.list[message].received.is_some() && !lost[message] {
                due.extend(bound(message).map(|hi| key(message, hi)));
            }
        }
    }
    constraints
}
