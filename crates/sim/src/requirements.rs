//! The requirements of a protocol, asked of a run: observers see what happened in the order in which it did. Their deadlines
//! count in real time, and a step may be late by as much as a replay allows.

use crate::plan::SimulationPlan;
use crate::simulation::SimulatedRun;
use crate::subject::{SimulatedRequirement, SimulatedSubject};
use crate::truth::{LogItem, MessageTruth};
use std::collections::HashSet;
use watchkeeper_automaton::{CallId, MsgId, OutputId, RawObservation};
use watchkeeper_core::{Deadlines, Judgement, Pid, RecordedInput, RecordedStep, Recording};

/// How many requirements were asked of a run, and which of them it violates.
pub(crate) fn violated(
    subject: &SimulatedSubject,
    run: &SimulatedRun,
    plan: &SimulationPlan,
    follows: bool,
) -> (usize, Option<String>) {
    // What was not taken down cannot be observed.
    if !run.truth.incomplete.is_empty() {
        return (0, None);
    }
    // Where only messages relate the clocks, and some are missing, the run that a replay has found may be in another order.
    let unsent = |recording: &Recording| {
        recording.steps.iter().flat_map(|step| &step.sends).any(|send| send.number.is_none())
    };
    let undisturbed = plan.faults.is_empty() && run.truth.late_starts.is_empty();
    let related = plan.one_clock || undisturbed && !run.recordings.iter().any(unsent);
    let follows = follows && related;
    let begun = run.truth.log.first().map_or(0, |entry| entry.at);
    let asked = |requirement: &&SimulatedRequirement| follows || requirement.always;
    let mut watchers: Vec<RequirementWatcher<'_>> = subject
        .requirements
        .iter()
        .filter(asked)
        .map(|requirement| RequirementWatcher::new(requirement, subject, begun))
        .collect();
    let count = watchers.len();
    if watchers.is_empty() {
        return (0, None);
    }
    let in_time = |message: &&MessageTruth| {
        let so_far = plan.lasts.saturating_sub(message.sent);
        let overdue = subject.delay().1.is_some_and(|most| so_far > most);
        !message.is_gone() && (message.took().is_some() || !overdue)
    };
    let key = |message: &MessageTruth| (message.from, message.incarnation, message.to, message.number);
    let arrives: HashSet<MessageKey> = run.truth.messages.iter().filter(in_time).map(key).collect();
    let mut seen = Vec::new();
    for entry in &run.truth.log {
        seen.clear();
        match &entry.item {
            LogItem::Step { recording, step } => {
                let recording = &run.recordings[*recording];
                observe(subject, recording, &recording.steps[*step], &arrives, &mut seen);
            }
            LogItem::Crashed(process) => seen.push(RawObservation::Crashed { process: *process }),
            LogItem::Recovered(process) => seen.push(RawObservation::Recovered { process: *process }),
            // As in the model, a message is lost as soon as it is sent.
            LogItem::Lost(_) => continue,
        }
        if let Some(what) = watchers.iter_mut().find_map(|watcher| watcher.see(entry.at, &seen)) {
            return (count, Some(what));
        }
    }
    (count, watchers.iter_mut().find_map(|watcher| watcher.pass(plan.lasts)))
}

/// A message by its sender, the sender's incarnation, its destination and its number.
type MessageKey = (Pid, u64, Pid, u64);

/// What observers see of a step; of its messages also that they do not arrive.
fn observe(
    subject: &SimulatedSubject,
    recording: &Recording,
    step: &RecordedStep,
    arrives: &HashSet<MessageKey>,
    seen: &mut Vec<RawObservation>,
) {
    let by = recording.process;
    let automaton = subject.automaton();
    let message = |bytes: &[u8]| automaton.messages().read(bytes).ok().map(MsgId);
    match &step.input {
        RecordedInput::Start => {}
        RecordedInput::Receive { from, msg, .. } => {
            seen.extend(message(msg).map(|msg| RawObservation::Received { by, from: *from, msg }));
        }
        RecordedInput::Fire { slot, .. } => seen.push(RawObservation::Fired { by, slot: *slot }),
        RecordedInput::Call { call } => {
            let call = automaton.calls().read(call).ok().map(CallId);
            seen.extend(call.map(|call| RawObservation::Called { by, call }));
        }
    }
    for send in &step.sends {
        let Some(msg) = message(&send.msg) else { continue };
        seen.push(RawObservation::Sent { by, to: send.to, msg });
        let key = |number| (by, recording.incarnation, send.to, number);
        if !send.number.is_some_and(|number| arrives.contains(&key(number))) {
            seen.push(RawObservation::Lost { from: by, to: send.to, msg });
        }
    }
    for output in &step.outputs {
        let output = automaton.outputs().read(output).ok().map(OutputId);
        seen.extend(output.map(|output| RawObservation::Emitted { by, output }));
    }
}

/// One requirement along a run.
struct RequirementWatcher<'a> {
    requirement: &'a SimulatedRequirement,
    tick: u64,
    precision: u64,
    state: Vec<u8>,
    /// The deadlines that run, and after which moment each has expired.
    running: Vec<(usize, u64)>,
    settled: bool,
}

impl<'a> RequirementWatcher<'a> {
    fn new(
        requirement: &'a SimulatedRequirement,
        subject: &SimulatedSubject,
        begun: u64,
    ) -> RequirementWatcher<'a> {
        let mut deadlines = Deadlines::default();
        let state = requirement.observer.start(&mut deadlines);
        let mut watcher = RequirementWatcher {
            requirement,
            tick: subject.tick,
            precision: subject.precision(),
            state,
            running: Vec::new(),
            settled: false,
        };
        watcher.carry_out(begun, &deadlines);
        watcher
    }

    /// Sees what happens at a moment; says what is violated.
    fn see(&mut self, at: u64, seen: &[RawObservation]) -> Option<String> {
        if let Some(what) = self.pass(at) {
            return Some(what);
        }
        if self.settled || seen.is_empty() {
            return None;
        }
        let mut deadlines = Deadlines::default();
        self.state = self.requirement.observer.see(&self.state, seen, &mut deadlines);
        self.carry_out(at, &deadlines);
        self.judge()
    }

    /// Lets deadlines expire up to a moment.
    fn pass(&mut self, at: u64) -> Option<String> {
        while let Some(place) = self.running.iter().position(|(_, end)| *end < at).filter(|_| !self.settled) {
            let (deadline, end) = self.running.remove(place);
            let mut deadlines = Deadlines::default();
            self.state = self.requirement.observer.expired(&self.state, deadline, &mut deadlines);
            self.carry_out(end, &deadlines);
            if let Some(what) = self.judge() {
                return Some(what);
            }
        }
        None
    }

    fn judge(&mut self) -> Option<String> {
        match self.requirement.observer.judge(&self.state) {
            Judgement::Open => None,
            Judgement::Settled => {
                self.settled = true;
                None
            }
            Judgement::Violated(why) => Some(format!("{}: {why}", self.requirement.name)),
        }
    }

    fn carry_out(&mut self, at: u64, deadlines: &Deadlines) {
        for &(deadline, bound) in deadlines.orders() {
            self.running.retain(|(other, _)| *other != deadline);
            if let Some(bound) = bound {
                let end = at + u64::from(bound).saturating_mul(self.tick) + self.precision;
                self.running.push((deadline, end));
            }
        }
    }
}
