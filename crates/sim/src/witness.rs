//! What the simulator knows of a run and nobody in it can: whether a datagram that was taken in is what it seems, and in
//! the end who was down, and since when.

use crate::distribution::DelayDistribution;
use crate::oracle::RunOracle;
use crate::plan::{FaultAction, FaultFamily, PlannedFault};
use crate::process::{Drained, DrainedLine, Parcel, ParcelLoad};
use crate::simulation::{Running, SimulatedRun, SimulationDepth};
use crate::truth::{LogEntry, LogItem, MessageFate};
use crate::wire_truth::Delivery;
use watchkeeper_core::{Pid, ProcSet, RecordedInput, RecordedStep};
use watchkeeper_node::wire::{DatagramHeader, GREETING_LEN, LEAST_DATAGRAM};
use watchkeeper_node::{Assumption, Breach, Measurement};

/// How long it takes at most until two nodes have a session: greetings are a second apart, and so are renewals.
const PEACE: u64 = 5_000_000_000;

/// More datagrams without a message than a node has reason to send to a peer within a second: it answers greetings every 20 ms
/// at most.
const WORDS: usize = 100;

impl Running<'_> {
    /// Compares what a process made of a datagram with what the datagram was.
    pub(crate) fn handed_over(&mut self, process: Pid, parcel: &Parcel, drained: &Drained) {
        self.complains(process, parcel, &drained.breaches);
        let taken_in = drained.lines.iter().find_map(|line| match line {
            DrainedLine::Step(RecordedStep {
                input: RecordedInput::Receive { from, incarnation, number, .. },
                ..
            }) => Some((*from, *incarnation, *number)),
            _ => None,
        });
        let machine = &self.machines[process.index()];
        // Without a recording there is no line to see; the node does the same as with one.
        if machine.disk_is_gone {
            let delivered = MessageFate::Delivered(self.now);
            if let Some(message) = parcel.message.map(|message| &mut self.truth.messages[message]) {
                message.fate = if message.fate == MessageFate::OnItsWay { delivered } else { message.fate };
            }
            return;
        }
        let Some((from, incarnation, number)) = taken_in else {
            self.is_deaf(process, parcel);
            self.settle(parcel, MessageFate::Refused);
            if let ParcelLoad::Datagram { hostile: true, bytes, .. } = &parcel.load {
                let answered: usize = drained.sends.iter().map(|send| send.bytes.len()).sum();
                // A greeting that somebody brings sooner than the network does opens its session. The answer says so, two words
                // follow in it, and where it was the last session that was missing, each peer is told.
                let words = if bytes.len() == GREETING_LEN { self.machines.len() + 1 } else { 0 };
                let most = bytes.len() + words * LEAST_DATAGRAM;
                if drained.lines.is_empty() && answered > most {
                    let what = format!("{process} answered {} hostile bytes with {answered}", bytes.len());
                    self.wrong(RunOracle::Limits, what);
                }
            }
            return;
        };
        let has_key = match &parcel.load {
            ParcelLoad::Message { .. } => true,
            ParcelLoad::Datagram { bytes, .. } => DatagramHeader::seen(bytes)
                .is_some_and(|header| self.keys.ring(machine.rotated).ids().any(|id| id == header.key)),
        };
        let message = parcel.message.map(|message| &self.truth.messages[message]);
        // Of processes without sessions, those that begin together hear each other from the first moment on.
        let born = if self.depth == SimulationDepth::Bare { 0 } else { machine.born };
        let heard = if self.depth == SimulationDepth::Bare { (0, 0) } else { machine.heard[from.index()] };
        let delivery = Delivery { message, from, incarnation, number, born, heard, has_key };
        if let Some(what) = delivery.wrong() {
            self.wrong(RunOracle::Wire, format!("{process}: {what}"));
        }
        if let Some(message) = parcel.message {
            let sent = self.truth.messages[message].sent;
            self.machines[process.index()].heard[from.index()] = (incarnation, sent);
            self.truth.messages[message].fate = MessageFate::Delivered(self.now);
            let begins = drained.lines.iter().any(|line| matches!(line, DrainedLine::Begin { .. }));
            let begun = if begins { self.now } else { self.machines[process.index()].begun };
            if self.truth.messages[message].sent < begun {
                self.truth.called.insert(process);
            }
        }
    }

    /// Whoever says that a datagram was slow must not mean the time for which it waited in its own socket, beyond what it may
    /// be stopped without noticing.
    fn complains(&mut self, process: Pid, parcel: &Parcel, breaches: &[Breach]) {
        let Some(message) = parcel.message.filter(|_| self.truth.drifted.is_empty()) else { return };
        let took = parcel.arrived.saturating_sub(self.truth.messages[message].sent);
        // A node looks around once a tick, and may be late by half of one.
        let unnoticed = self.subject.tick.max(10_000_000) / 2 * 3;
        for breach in breaches.iter().filter(|breach| breach.assumption == Assumption::Delay) {
            if let Measurement::Took { measured, .. } = breach.measurement
                && measured.as_nanos() > u128::from(took + unnoticed)
            {
                let what = format!("{process} says that {breach}, and it took {:.3} ms", took as f64 / 1e6);
                self.wrong(RunOracle::Stall, what);
            }
        }
    }

    /// Two that were left in peace for a while must have a session, whatever had happened before: a message that arrives
    /// then is taken in.
    fn is_deaf(&mut self, process: Pid, parcel: &Parcel) {
        let (Some(place), ParcelLoad::Datagram { hostile: false, .. }) = (parcel.message, &parcel.load)
        else {
            return;
        };
        let message = &self.truth.messages[place];
        let (here, there) = (&self.machines[process.index()], &self.machines[parcel.from.index()]);
        let Some(peace) = message.sent.checked_sub(PEACE) else { return };
        let known = here.born.max(there.born) <= peace && there.incarnation == message.incarnation;
        // Whoever takes a greeting for one from the future, or has no key in common, may refuse it.
        let agreed = here.rotated == there.rotated && !self.plan.has(FaultFamily::Clock);
        let usual = self.subject.delay().1.is_some_and(
            |most| matches!(self.plan.delay, DelayDistribution::Uniform(_, longest) if longest <= most),
        );
        let over = |planned: &PlannedFault| match planned.fault {
            FaultAction::Stall { lasts, .. } => planned.at + lasts <= peace,
            fault => fault.until().unwrap_or(planned.at) <= peace,
        };
        let calm = self.plan.faults.iter().all(|planned| planned.at > self.now || over(planned));
        if message.fate == MessageFate::OnItsWay && known && agreed && usual && calm {
            let what = format!(
                "{process} refused message {} of {}, and nothing has gone wrong for {} s",
                message.number,
                parcel.from,
                PEACE / 1_000_000_000
            );
            self.wrong(RunOracle::Wire, what);
        }
    }

    /// A node says little to a peer beside messages, whatever strangers send it.
    pub(crate) fn says_little(&mut self, from: Pid, to: Pid, number: Option<u64>) {
        let second = self.now / 1_000_000_000;
        let (last, count) = &mut self.machines[from.index()].words[to.index()];
        if number.is_none() {
            *count = if *last == second { *count + 1 } else { 1 };
            *last = second;
            if *count == WORDS {
                let what = format!("{from} sent {to} {WORDS} greetings and other words within a second");
                self.wrong(RunOracle::Limits, what);
            }
        }
    }

    /// The run, with those marked who began after it did.
    pub(crate) fn finish(mut self) -> SimulatedRun {
        if let Some(what) = self.wire.reused.take() {
            self.truth.wrong.push((RunOracle::Nonces, what));
        }
        let mut begun = ProcSet::EMPTY;
        let mut first = None;
        let mut late = Vec::new();
        for (place, entry) in self.truth.log.iter().enumerate() {
            let LogItem::Step { recording, step: 0 } = entry.item else { continue };
            let process = self.recordings[recording].process;
            let first = *first.get_or_insert(entry.at);
            if !begun.contains(process) && entry.at - first > self.subject.precision() / 2 {
                late.push((place, entry.at, process));
            }
            begun.insert(process);
        }
        // Whoever begins late was down before, as far as the model is concerned.
        for &(place, at, process) in late.iter().rev() {
            self.truth.late_starts.insert(process);
            self.truth.log.insert(place, LogEntry { at, item: LogItem::Recovered(process) });
        }
        let never = ProcSet::first(self.subject.processes()).difference(begun);
        let down = never.iter().chain(late.iter().map(|(_, _, process)| *process));
        let at = first.unwrap_or(0);
        let down: Vec<LogEntry> =
            down.map(|process| LogEntry { at, item: LogItem::Crashed(process) }).collect();
        // Nobody has begun before that, and whoever crashed has not crashed as far as the model is concerned.
        let begins = self.truth.log.iter().position(|entry| entry.at >= at).unwrap_or(0);
        self.truth.log.splice(0..begins, down);
        self.never_went_on();
        SimulatedRun { recordings: self.recordings, truth: self.truth }
    }

    /// Whoever takes no step after a stop has crashed as far as anyone can know.
    fn never_went_on(&mut self) {
        for (place, machine) in self.machines.iter().enumerate() {
            let process = Pid::at(place);
            let step = |entry: &&LogEntry| match entry.item {
                LogItem::Step { recording, .. } => self.recordings[recording].process == process,
                _ => false,
            };
            let last_step = self.truth.log.iter().rev().find(step).map_or(0, |entry| entry.at);
            // Of stops that overlap, the first.
            let mut stops = self.truth.stalls.iter();
            let last = stops.find(|(who, from, _)| *who == process && *from >= last_step);
            if let Some(&(_, from, _)) = last.filter(|_| machine.process.is_some()) {
                let place = self.truth.log.partition_point(|entry| entry.at <= from);
                self.truth.log.insert(place, LogEntry { at: from, item: LogItem::Crashed(process) });
            }
        }
    }
}
