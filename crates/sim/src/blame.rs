//! Whether an assumption that a replay says was broken really was. The simulator knows how long every message took, what
//! was lost and who was stopped, so a replay that blames the innocent is found out.

use crate::plan::{FaultFamily, SimulationPlan};
use crate::simulation::SimulatedRun;
use crate::subject::SimulatedSubject;
use crate::truth::{GroundTruth, MessageFate, MessageTruth};
use watchkeeper_core::Pid;
use watchkeeper_world::{BrokenAssumption, Capacity, Deviation};

/// Why the blame is wrong; `None` if it is deserved.
pub(crate) fn wrongly_blamed(
    subject: &SimulatedSubject,
    plan: &SimulationPlan,
    run: &SimulatedRun,
    deviation: &Deviation,
) -> Option<String> {
    let case = BlameCase { subject, plan, truth: &run.truth, deviation };
    let deserved = case.deserved();
    (!deserved).then(|| format!("{deviation}\nand that is not what happened: {}", case.truly()))
}

/// A deviation and what really happened.
struct BlameCase<'a> {
    subject: &'a SimulatedSubject,
    plan: &'a SimulationPlan,
    truth: &'a GroundTruth,
    deviation: &'a Deviation,
}

impl BlameCase<'_> {
    fn deserved(&self) -> bool {
        let truth = self.truth;
        // Clocks at wrong rates make everything that they measure look too long or too short.
        let drifts = !truth.drifted.is_empty();
        // Where clocks are compared by messages alone, one of several messages is named, and it need not be the slow one.
        let compared = !self.plan.one_clock;
        let slow = |message: &MessageTruth| self.is_slow(message);
        let astray = |message: &MessageTruth| self.is_slow(message) || self.is_fast(message);
        let somebody = compared && (self.anyone_late() || truth.messages.iter().any(astray));
        // Whoever begins after what it receives was sent is late, and so may others look who are not.
        let somebody = somebody || !truth.called.is_empty();
        match &self.deviation.broken {
            BrokenAssumption::Delay { from, to, number, .. } => {
                drifts || self.named(*from, *to, *number).any(slow) || somebody
            }
            BrokenAssumption::RoundTrip { .. } => {
                drifts || truth.messages.iter().any(slow) || self.anyone_late()
            }
            BrokenAssumption::TooEarly { .. } => drifts || truth.messages.iter().any(astray) || somebody,
            BrokenAssumption::Speed { process, .. } => {
                let late = truth.late_starts.union(truth.incomplete).contains(*process);
                drifts || self.stopped(Some(*process)) || late || somebody
            }
            BrokenAssumption::Loss { from, to, number: Some(number), .. } => {
                let missing = |message: &MessageTruth| message.is_gone() || self.is_overdue(message);
                truth.incomplete.contains(*to) || self.named(*from, *to, *number).any(missing)
            }
            // Whoever has not been found cannot be sent to: greetings were lost, late, or slower than nodes wait, or a process
            // started when the others had just stopped waiting for it.
            BrokenAssumption::Loss { number: None, .. } => {
                let late = !truth.late_starts.is_empty() || self.started_apart();
                !self.plan.faults.is_empty() || late || !self.plan.fast_greetings
            }
            BrokenAssumption::Order { .. } => self.plan.has(FaultFamily::Reorder),
            BrokenAssumption::Capacity { from, to, .. } => self.crowded(*from, *to),
            BrokenAssumption::Recording { process, .. } => truth.incomplete.contains(*process),
            // Clocks that contradict each other leave no order in which everything was sent before it arrived.
            BrokenAssumption::Incarnations { .. } => {
                drifts
                    || !truth.incomplete.is_empty()
                    || !truth.set_back.is_empty()
                    || !truth.called.is_empty()
            }
            _ => false,
        }
    }

    /// The messages of all incarnations of a sender under a number.
    fn named(&self, from: Pid, to: Pid, number: u64) -> impl Iterator<Item = &MessageTruth> {
        let same =
            move |message: &&MessageTruth| (message.from, message.to, message.number) == (from, to, number);
        self.truth.messages.iter().filter(same)
    }

    fn is_slow(&self, message: &MessageTruth) -> bool {
        self.subject.delay().1.is_some_and(|most| message.took().is_some_and(|took| took > most))
    }

    /// Whether it was still on its way at the end, for longer than it may be.
    fn is_overdue(&self, message: &MessageTruth) -> bool {
        let so_far = self.plan.lasts.saturating_sub(message.sent);
        message.fate == MessageFate::OnItsWay && self.subject.delay().1.is_some_and(|most| so_far > most)
    }

    fn is_fast(&self, message: &MessageTruth) -> bool {
        message.took().is_some_and(|took| took < self.subject.delay().0)
    }

    /// Whether anyone was stopped, or began after the others.
    fn anyone_late(&self) -> bool {
        self.stopped(None) || !self.truth.late_starts.is_empty()
    }

    /// Whether some process started when others had been waiting for it.
    fn started_apart(&self) -> bool {
        let starts = &self.plan.starts;
        let (first, last) = (starts.iter().min().unwrap_or(&0), starts.iter().max().unwrap_or(&0));
        last - first > self.subject.precision()
    }

    /// Whether a process was stopped, or anyone.
    fn stopped(&self, process: Option<Pid>) -> bool {
        self.truth.stalls.iter().any(|(who, ..)| process.is_none_or(|process| process == *who))
    }

    /// Whether there were ever more messages on their way between two than a channel holds.
    fn crowded(&self, from: Pid, to: Pid) -> bool {
        let Capacity::Bounded(most) = self.subject.world.scenario().network.capacity else { return false };
        let between = |message: &&MessageTruth| message.from == from && message.to == to;
        let all: Vec<&MessageTruth> = self.truth.messages.iter().filter(between).collect();
        all.iter().any(|one| {
            let there = |other: &&&MessageTruth| {
                other.sent <= one.sent && other.took().is_none_or(|took| other.sent + took > one.sent)
            };
            all.iter().filter(there).count() > most as usize
        })
    }

    /// What really happened, in a line.
    fn truly(&self) -> String {
        let truth = self.truth;
        let slowest = truth.messages.iter().filter_map(MessageTruth::took).max().unwrap_or(0);
        let gone = truth.messages.iter().filter(|message| message.is_gone()).count();
        format!(
            "no message took longer than {:.3} ms, {gone} of {} were lost or had nobody to receive them, \
             processes were stopped {} times, {} clocks had wrong rates, {} recordings lack lines",
            slowest as f64 / 1e6,
            truth.messages.len(),
            truth.stalls.len(),
            truth.drifted.len(),
            truth.incomplete.len(),
        )
    }
}
