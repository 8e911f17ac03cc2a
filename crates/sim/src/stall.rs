//! A process that was stopped knows nothing about its peers but what waited for it: it must not take its own silence for
//! theirs. A node puts its timers off by as long as it was stopped, and by at least a round trip.

use crate::plan::{FaultAction, SimulationPlan};
use crate::simulation::SimulatedRun;
use crate::subject::SimulatedSubject;
use crate::truth::{LogItem, MessageTruth};
use std::time::Duration;
use watchkeeper_automaton::OutputId;
use watchkeeper_core::{Meaning, Pid, ProcSet, RecordedInput, RecordedStep};
use watchkeeper_node::usual_lateness;

/// Nodes that start within this time find each other before any of them has waited long enough.
const TOGETHER: u64 = 500_000_000;

/// Whom a process suspects wrongly because it was stopped, if it does: within the grace after a stop that it noticed, of a
/// peer that is up, by a timer; or at any time, if nothing but one stop went wrong in the whole run.
pub(crate) fn wrongly_suspected(
    subject: &SimulatedSubject,
    plan: &SimulationPlan,
    run: &SimulatedRun,
) -> Option<String> {
    let truth = &run.truth;
    // A node wakes at least so often, so it notices a stop that lasts longer than it may be late in addition.
    let lateness = subject.assumptions.lateness.unwrap_or(usual_lateness(Duration::from_nanos(subject.tick)));
    let noticeable = lateness.as_nanos() as u64 + subject.tick.clamp(5_000_000, 100_000_000);
    let long = |stall: &&(Pid, u64, u64)| stall.2.saturating_sub(stall.1) > noticeable;
    let &(stopped, from, until) = truth.stalls.iter().find(long)?;
    let noticed =
        run.recordings.iter().any(|recording| recording.process == stopped && !recording.stalls.is_empty());
    if !noticed || !truth.incomplete.is_empty() || !truth.drifted.is_empty() {
        return None;
    }
    // Timers are put off to a moment of their own once; the first stop of a process is the one to ask about.
    let next = truth
        .stalls
        .iter()
        .find(|(who, next, _)| *who == stopped && *next > from)
        .map_or(u64::MAX, |(_, next, _)| *next);
    let grace = grace(subject).min(next.saturating_sub(until));
    let mut alone = is_alone(plan, truth.messages.iter(), subject, stopped);
    let mut down = ProcSet::EMPTY;
    for entry in &truth.log {
        match entry.item {
            LogItem::Crashed(process) => down.insert(process),
            LogItem::Recovered(process) => down.remove(process),
            LogItem::Step { recording, step } => {
                let recording = &run.recordings[recording];
                let step = &recording.steps[step];
                // Who was suspected before the stop, because it began late, may come to be suspected again.
                alone &= entry.at >= from || suspected(subject, step).next().is_none();
                if recording.process != stopped || entry.at < until {
                    continue;
                }
                let by_timer = matches!(step.input, RecordedInput::Fire { .. });
                let soon = entry.at < until.saturating_add(grace) && by_timer;
                if let Some(of) = suspected(subject, step).find(|of| (soon || alone) && !down.contains(*of)) {
                    return Some(format!(
                        "{stopped} was stopped from {:.3} ms to {:.3} ms, and at {:.3} ms suspects {of}, which is up",
                        from as f64 / 1e6,
                        until as f64 / 1e6,
                        entry.at as f64 / 1e6
                    ));
                }
            }
            _ => {}
        }
    }
    None
}

/// For how long after a stop no timer fires that was armed before it.
fn grace(subject: &SimulatedSubject) -> u64 {
    let ticks = |units: u32| u64::from(units) * subject.tick;
    let assumed = &subject.assumptions;
    let grace = assumed.round_trip.map(ticks).or(assumed.delay.map(|delay| 2 * ticks(delay)));
    grace.unwrap_or(subject.tick)
}

/// Whether nothing but stops of one process went wrong, and nothing was lost or late but what waited for it.
fn is_alone<'a>(
    plan: &SimulationPlan,
    mut messages: impl Iterator<Item = &'a MessageTruth>,
    subject: &SimulatedSubject,
    stopped: Pid,
) -> bool {
    let only = plan.faults.len() == 1
        && plan
            .faults
            .iter()
            .all(|planned| matches!(planned.fault, FaultAction::Stall { process, .. } if process == stopped));
    let most = subject.delay().1.unwrap_or(u64::MAX);
    let fine = |message: &MessageTruth| {
        !message.is_gone() && (message.to == stopped || message.took().is_none_or(|took| took <= most))
    };
    // What is asked of the protocol must hold in its model.
    let accurate = subject.requirements.iter().any(|requirement| requirement.name == "accuracy");
    // Who starts so late that nobody waits for it is suspected whoever was stopped.
    let begin =
        |starts: &[u64]| starts.iter().max().zip(starts.iter().min()).map(|(last, first)| last - first);
    let together = begin(&plan.starts).is_some_and(|apart| apart < TOGETHER);
    only && accurate && together && plan.starts.len() == subject.processes() && messages.all(fine)
}

/// Whom a step announces to suspect.
fn suspected<'a>(subject: &'a SimulatedSubject, step: &'a RecordedStep) -> impl Iterator<Item = Pid> + 'a {
    let automaton = subject.automaton();
    step.outputs.iter().filter_map(move |output| {
        let output = automaton.outputs().read(output).ok()?;
        match automaton.meaning(OutputId(output)) {
            Meaning::Suspects(of) => Some(of),
            _ => None,
        }
    })
}
