//! The steps of the protocol: an input goes in, and when the step is over its effects happen, in their order:
//! timers, the line of the recording, datagrams, events.

use super::Node;
use crate::event::StepCause;
use crate::outbox::Sending;
use crate::recording_line::{HexBytes, InputLine, RecordLine, SendLine, StepLine};
use crate::wire::{DatagramHeader, DatagramKind};
use watchkeeper_core::Pid;

/// A step that is being taken.
struct StepTaken<'a> {
    /// When.
    now: u64,
    /// The moment that its timers count from.
    base: u64,
    /// How late it is.
    late: u64,
    cause: StepCause,
    /// What the recording says that it reacted to. Made only where something is recorded.
    input: &'a dyn Fn() -> InputLine,
}

impl Node {
    pub(super) fn start(&mut self, now: u64, me: Pid) {
        self.host.begin(me, &mut self.outbox);
        let input = &|| InputLine::Start;
        self.finish(&StepTaken { now, base: now, late: 0, cause: StepCause::Start, input });
    }

    /// Takes the step for the message that was read.
    pub(super) fn receive(&mut self, now: u64, header: &DatagramHeader, incarnation: u64, body: &[u8]) {
        let (from, number) = (header.sender, header.number);
        let kind = self.host.receive(from, &mut self.outbox);
        if let Some(peer) = self.peers.get_mut(from) {
            let before = peer.heard.replace((kind, now));
            if let Some((_, before)) = before {
                let counted = peer.counted.get_or_insert_with(|| self.counters.count_peer(from));
                counted.interarrival.saw(now.saturating_sub(before));
            }
        }
        let input = &|| InputLine::Receive { from, incarnation, number, msg: HexBytes(body.to_vec()) };
        self.finish(&StepTaken { now, base: now, late: 0, cause: StepCause::Message { from, kind }, input });
    }

    pub(super) fn fire(&mut self, now: u64, slot: usize, due: u64) {
        let late = now.saturating_sub(due);
        self.counters.fired.add(1);
        self.counters.late(late);
        self.host.fire(slot, &mut self.outbox);
        // Rounds that follow each other do not drift: the next begins when this one should have ended. Only
        // if the node was so late that it cannot be made up for, time starts anew.
        let base = if late <= self.monitor.lateness { due } else { now };
        let timer = self.timers.name(slot).clone();
        let input = &|| InputLine::Fire { slot, timer: timer.to_string(), due };
        self.finish(&StepTaken { now, base, late, cause: StepCause::Timer(timer.clone()), input });
    }

    /// Takes the step for a call; false if the bytes are none.
    pub(super) fn call(&mut self, now: u64, call: &[u8]) -> bool {
        if !self.host.has_begun() {
            return true;
        }
        let Some(kind) = self.host.call(call, &mut self.outbox) else { return false };
        let input = &|| InputLine::Call { call: HexBytes(call.to_vec()) };
        self.finish(&StepTaken { now, base: now, late: 0, cause: StepCause::Call(kind), input });
        true
    }

    /// Lets the effects of a step happen.
    fn finish(&mut self, taken: &StepTaken<'_>) {
        self.counters.steps.add(1);
        for i in 0..self.outbox.timers.len() {
            match self.outbox.timers[i] {
                (slot, None) => self.timers.disarm(slot),
                (slot, Some(bound)) => {
                    let ticks = u64::from(self.outbox.within(bound));
                    self.timers.arm(slot, taken.base, ticks.saturating_mul(self.tick));
                }
            }
        }
        self.number_messages(taken.now);
        self.take_down(taken);
        self.send_messages(taken.now);
        self.announce(taken.now, taken.late, &taken.cause);
    }

    /// Gives each message of the step its number, if its destination has been found. In an open cluster it need only be
    /// known: a message waits a moment for a session.
    fn number_messages(&mut self, now: u64) {
        self.numbers.clear();
        for i in 0..self.outbox.sends.len() {
            let to = self.outbox.sends[i].to;
            let number = if self.membership.is_none() {
                self.peers.get(to).and_then(|_| self.sessions.number(to))
            } else if self.reach(now, to) {
                self.sessions.number_ahead(to)
            } else {
                None
            };
            self.numbers.push(number);
        }
    }

    /// Takes the step down before anyone else can learn of it.
    fn take_down(&mut self, taken: &StepTaken<'_>) {
        if !self.is_recording {
            return;
        }
        let (host, outbox) = (&*self.host, &self.outbox);
        let Some(me) = self.me else { return };
        let send = |(sending, number): (&Sending, &Option<u64>)| SendLine {
            to: sending.to,
            number: *number,
            reply: sending.reply,
            msg: HexBytes(outbox.message(sending).to_vec()),
        };
        let input = (taken.input)();
        let mut action = match &input {
            InputLine::Start => format!("{me} starts"),
            InputLine::Receive { from, msg, .. } => {
                format!("{me} receives {} from {from}", host.label(&msg.0))
            }
            InputLine::Fire { timer, .. } => format!("{me}: {timer} fires"),
            InputLine::Call { .. } => format!("{me} is asked"),
        };
        for sending in &outbox.sends {
            action.push_str(&format!(", sends {} to {}", host.label(outbox.message(sending)), sending.to));
        }
        let announced: Vec<_> = (0..host.outputs()).map(|output| host.announcement(output)).collect();
        announced.iter().for_each(|output| action.push_str(&format!(", {}", output.label)));
        let line = StepLine {
            at: taken.now,
            input,
            picks: outbox.picks.clone(),
            sends: outbox.sends.iter().zip(&self.numbers).map(send).collect(),
            outputs: announced.into_iter().map(|output| HexBytes(output.packed)).collect(),
            state: HexBytes(host.packed_state().unwrap_or_default()),
            action,
        };
        self.record(RecordLine::Step(line));
    }

    fn send_messages(&mut self, now: u64) {
        for i in 0..self.outbox.sends.len() {
            let (sending, number) = (self.outbox.sends[i], self.numbers[i]);
            let Some((number, peer)) = number.zip(self.peers.get_mut(sending.to)) else {
                self.counters.unsent.add(1);
                continue;
            };
            peer.probed = Some((sending.kind, now));
            if !self.sessions.is_open(sending.to) {
                self.hold(now, i, number);
                continue;
            }
            let stamp = peer.stamped(now, sending.reply);
            let address = peer.address;
            let datagram = self.outbox.datagram(&sending);
            let sealed =
                self.sessions.seal(DatagramKind::Message, sending.to, number, &stamp, datagram).is_ok();
            if !(sealed
                && address.is_some_and(|address| self.transmits.push(Some(sending.to), address, datagram)))
            {
                self.counters.send_errors.add(1);
            }
        }
    }
}
