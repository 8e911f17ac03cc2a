//! A part of a recorded run told as a trace while the run goes on: what the nodes did, by their clock. Nothing is asked of it,
//! neither whether it is whole nor whether the model allows it, so it is told in time that grows with the part alone.

use super::local_replay::label;
use crate::World;
use std::collections::{HashMap, HashSet};
use watchkeeper_automaton::OutputId;
use watchkeeper_core::{Event, MessageId, Pid, RecordedInput, RecordedStep, Recording, Step, Trace};

/// A part of a recorded run, of nodes that have one clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedPart {
    /// How many processes there are.
    pub processes: usize,
    /// Of each incarnation what it did in the part; also a little before, for the messages that are on their way when it begins.
    pub recordings: Vec<Recording>,
    /// Who ended, and when.
    pub ends: Vec<(u64, Pid)>,
    /// Who is down when the part begins.
    pub down: Vec<Pid>,
    /// When the part begins.
    pub from: u64,
    /// What was sent before this moment and not received is told as lost. What is sent to a process that is down is swallowed.
    pub awaited: u64,
    /// The moment from which times are told, in seconds.
    pub origin: u64,
}

/// Something that is told.
#[derive(Clone, Copy)]
enum Happening<'a> {
    /// A step of an incarnation.
    Step(&'a Recording, &'a RecordedStep),
    End(u64, Pid),
}

/// A message, by its sender, the incarnation of its sender, its destination and its number.
type Address = (Pid, u64, Pid, u64);

impl World {
    /// Tells a part of a recorded run of this world's protocol.
    pub fn tell(&self, part: &RecordedPart) -> Trace {
        let happenings = in_order(part);
        let received = happenings.iter().filter_map(|happening| happening.receives()).collect();
        let mut telling = Telling {
            world: self,
            part,
            received,
            messages: HashMap::new(),
            next: 0,
            down: vec![false; part.processes],
        };
        telling.tell(&happenings)
    }
}

/// What has been told so far.
struct Telling<'a> {
    world: &'a World,
    part: &'a RecordedPart,
    /// What is received in the part.
    received: HashSet<Address>,
    /// The messages that were told of.
    messages: HashMap<Address, MessageId>,
    next: u32,
    down: Vec<bool>,
}

impl Telling<'_> {
    fn tell(&mut self, happenings: &[Happening<'_>]) -> Trace {
        let n = self.part.processes;
        let mut trace =
            Trace { processes: (0..n).map(|p| Pid::at(p).to_string()).collect(), ..Trace::default() };
        for process in &self.part.down {
            self.down[process.index()] = true;
            trace.opening.push(Event::Crash { process: *process });
        }
        let first = happenings.iter().position(|happening| happening.at() >= self.part.from);
        let (before, part) = happenings.split_at(first.unwrap_or(happenings.len()));
        let seen: HashSet<Address> = part.iter().filter_map(|happening| happening.receives()).collect();
        for happening in before {
            let Happening::Step(recording, step) = happening else { continue };
            for (address, msg) in sends(recording, step).filter(|(address, _)| seen.contains(address)) {
                trace.opening.push(self.sent(address, msg));
            }
        }
        for happening in part {
            if let Some((action, events)) = self.told(*happening) {
                let at = happening.at().saturating_sub(self.part.origin) as f64 / 1e9;
                trace.steps.push(Step { action, at: Some(format!("{at:.3}")), events, after: Vec::new() });
            }
        }
        trace
    }

    /// Something that happens, as a person reads it, and what a chart draws of it.
    fn told(&mut self, happening: Happening<'_>) -> Option<(String, Vec<Event>)> {
        let (recording, step) = match happening {
            // Whoever ends in good order has said so itself, and its end is seen as well.
            Happening::End(_, process) if self.down[process.index()] => return None,
            Happening::End(_, process) => {
                self.down[process.index()] = true;
                return Some((format!("{process} ends"), vec![Event::Crash { process }]));
            }
            Happening::Step(recording, step) => (recording, step),
        };
        let (automaton, process) = (&*self.world.automaton, recording.process);
        let mut events = Vec::new();
        if std::mem::take(&mut self.down[process.index()]) {
            events.push(Event::Recover { process });
        }
        let action = match &step.input {
            RecordedInput::Start => format!("{process} starts"),
            RecordedInput::Receive { from, incarnation, number, msg } => {
                let address = (*from, *incarnation, process, *number);
                if !self.messages.contains_key(&address) {
                    // It was sent before anything of this part, or by somebody who records nothing.
                    events.push(self.sent(address, msg));
                }
                events.push(Event::Receive { message: self.messages[&address] });
                format!("{process} receives {} from {from}", label(automaton.messages(), msg))
            }
            RecordedInput::Fire { slot, .. } => {
                let timers = &automaton.facts().timers;
                let timer =
                    timers.get(*slot).map_or_else(|| format!("timer {slot}"), |(name, _)| name.clone());
                events.push(Event::Fire { process, timer: timer.clone() });
                format!("{process}: {timer} fires")
            }
            RecordedInput::Call { call } => {
                let label = label(automaton.calls(), call);
                events.push(Event::Call { process, label: label.clone() });
                format!("{process} is asked {label}")
            }
        };
        for (address, msg) in sends(recording, step) {
            events.push(self.sent(address, msg));
            if self.received.contains(&address) {
                continue;
            }
            let message = self.messages[&address];
            match self.down.get(address.2.index()) {
                Some(true) => events.push(Event::Swallow { message }),
                _ if step.at < self.part.awaited => events.push(Event::Lose { message }),
                _ => {}
            }
        }
        events.extend(step.outputs.iter().map(|bytes| self.announced(process, bytes)));
        if events.is_empty() {
            events.push(Event::Note { process, text: "starts".to_string() });
        }
        Some((action, events))
    }

    fn sent(&mut self, address: Address, msg: &[u8]) -> Event {
        let message = MessageId(self.next);
        self.next += 1;
        self.messages.insert(address, message);
        let label = label(self.world.automaton.messages(), msg);
        Event::Send { message, from: address.0, to: address.2, label }
    }

    fn announced(&self, process: Pid, bytes: &[u8]) -> Event {
        let automaton = &*self.world.automaton;
        match automaton.outputs().read(bytes) {
            Ok(output) => {
                let tone = automaton.meaning(OutputId(output)).tone();
                Event::Output { process, label: automaton.outputs().label(output), tone }
            }
            Err(_) => Event::Note { process, text: "announces something unknown".to_string() },
        }
    }
}

impl Happening<'_> {
    fn at(&self) -> u64 {
        match self {
            Happening::Step(_, step) => step.at,
            Happening::End(at, _) => *at,
        }
    }

    fn receives(&self) -> Option<Address> {
        let Happening::Step(recording, step) = self else { return None };
        match &step.input {
            RecordedInput::Receive { from, incarnation, number, .. } => {
                Some((*from, *incarnation, recording.process, *number))
            }
            _ => None,
        }
    }
}

/// What a step sends, as far as it went out.
fn sends<'a>(
    recording: &'a Recording,
    step: &'a RecordedStep,
) -> impl Iterator<Item = (Address, &'a [u8])> + use<'a> {
    let (from, incarnation) = (recording.process, recording.incarnation);
    step.sends
        .iter()
        .filter_map(move |send| Some(((from, incarnation, send.to, send.number?), &send.msg[..])))
}

/// All that happens, in the order of the clock; but a message is received after it was sent. A node reads its clock before it
/// looks what has arrived, so the times alone may say otherwise.
fn in_order(part: &RecordedPart) -> Vec<Happening<'_>> {
    let steps = |recording| move |step| Happening::Step(recording, step);
    let mut queues: Vec<Vec<Happening<'_>>> =
        part.recordings.iter().map(|one| one.steps.iter().rev().map(steps(one)).collect()).collect();
    let mut ends: Vec<Happening<'_>> = part.ends.iter().map(|&(at, p)| Happening::End(at, p)).collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.at()));
    queues.push(ends);
    let mut unsent: HashSet<Address> = part
        .recordings
        .iter()
        .flat_map(|one| one.steps.iter().flat_map(|step| sends(one, step)))
        .map(|(address, _)| address)
        .collect();
    let mut order = Vec::new();
    loop {
        let heads = queues.iter().enumerate().filter_map(|(queue, rest)| Some((queue, *rest.last()?)));
        let early = |head: &Happening<'_>| head.receives().is_some_and(|address| unsent.contains(&address));
        let Some((queue, head)) = heads.min_by_key(|(_, head)| (early(head), head.at())) else {
            return order;
        };
        queues[queue].pop();
        if let Happening::Step(recording, step) = head {
            for (address, _) in sends(recording, step) {
                unsent.remove(&address);
            }
        }
        order.push(head);
    }
}
