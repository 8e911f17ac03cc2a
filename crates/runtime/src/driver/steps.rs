//! The steps of the protocol: an input goes in, and when the step is over its effects happen, in their order:
//! timers, the line of the recording, datagrams, events.

use super::Driver;
use super::datagrams::transmit;
use crate::event::StepCause;
use crate::hosted::AnyCall;
use crate::record;
use crate::wire::{DatagramHeader, DatagramKind};

/// A step that is being taken.
struct Taken<'a> {
    /// When.
    now: u64,
    /// The moment that its timers count from.
    base: u64,
    /// How late it is.
    late: u64,
    cause: StepCause,
    input: record::StepInput<'a>,
}

impl Driver {
    pub(super) fn start(&mut self, now: u64) {
        self.host.begin(&mut self.outbox);
        self.finish(&Taken {
            now,
            base: now,
            late: 0,
            cause: StepCause::Start,
            input: record::StepInput::Start,
        });
    }

    /// Takes the step for the message that was read.
    pub(super) fn receive(&mut self, now: u64, header: &DatagramHeader, body: &[u8]) {
        let from = header.sender;
        let kind = self.host.receive(from, &mut self.outbox);
        if let Some(peer) = self.peers.get_mut(from) {
            peer.heard = Some((kind, now));
        }
        let input = record::StepInput::Receive {
            from,
            incarnation: header.incarnation,
            number: header.number,
            msg: body,
        };
        self.finish(&Taken { now, base: now, late: 0, cause: StepCause::Message { from, kind }, input });
    }

    pub(super) fn fire(&mut self, now: u64, slot: usize, due: u64) {
        let late = now.saturating_sub(due);
        self.shared.counters.fired.add(1);
        self.shared.counters.late(late);
        self.host.fire(slot, &mut self.outbox);
        // Rounds that follow each other do not drift: the next begins when this one should have ended. Only
        // if the node was so late that it cannot be made up for, time starts anew.
        let base = if late <= self.monitor.lateness { due } else { now };
        let timer = self.timers.name(slot).clone();
        let input = record::StepInput::Fire { slot, timer: &timer, due };
        self.finish(&Taken { now, base, late, cause: StepCause::Timer(timer.clone()), input });
    }

    pub(super) fn call(&mut self, now: u64, call: &AnyCall) {
        if !self.host.has_begun() {
            return;
        }
        let cause = StepCause::Call(self.host.call(call, &mut self.outbox));
        // Calls are rare, and only a recording needs their bytes.
        let call = if self.recording.is_some() { self.host.packed_call(call) } else { Vec::new() };
        self.finish(&Taken { now, base: now, late: 0, cause, input: record::StepInput::Call { call } });
    }

    /// Lets the effects of a step happen.
    fn finish(&mut self, taken: &Taken<'_>) {
        self.shared.counters.steps.add(1);
        for i in 0..self.outbox.timers.len() {
            match self.outbox.timers[i] {
                (slot, None) => self.timers.disarm(slot),
                (slot, Some(bound)) => {
                    let ticks = u64::from(self.outbox.within(bound));
                    self.timers.arm(slot, taken.base.saturating_add(ticks.saturating_mul(self.tick)));
                }
            }
        }
        self.address_messages();
        self.take_down(taken);
        self.send_messages(taken.now);
        self.announce(taken.now, taken.late, &taken.cause);
    }

    /// Gives each message of the step its number, if its destination has been found.
    fn address_messages(&mut self) {
        self.headers.clear();
        self.numbers.clear();
        for sending in &self.outbox.sends {
            let found = self.peers.get(sending.to).is_some() && self.sessions.is_open(sending.to);
            let header = found.then(|| self.sessions.next(DatagramKind::Message, sending.to));
            self.numbers.push(header.as_ref().map(|header| header.number));
            self.headers.push(header);
        }
    }

    /// Takes the step down before anyone else can learn of it.
    fn take_down(&mut self, taken: &Taken<'_>) {
        let Some(recording) = &mut self.recording else { return };
        let Taken { now, input, .. } = taken;
        let written = recording.step(self.me, *now, input, &self.outbox, &self.numbers, &*self.host);
        self.keep_recording(written);
    }

    fn send_messages(&mut self, now: u64) {
        for i in 0..self.outbox.sends.len() {
            let (sending, header) = (self.outbox.sends[i], self.headers[i]);
            let Some(header) = header else {
                self.shared.counters.unsent.add(1);
                continue;
            };
            let stamp = match self.peers.get_mut(sending.to) {
                Some(peer) => {
                    peer.probed = Some((sending.kind, now));
                    peer.stamped(self.clock.now(), sending.reply)
                }
                None => continue,
            };
            let datagram = self.outbox.datagram(&sending);
            if self.codec.seal_slice(&header, &stamp, datagram).is_ok() {
                transmit(&self.plain, &self.peers, &self.shared.counters, sending.to, datagram);
            } else {
                self.shared.counters.send_errors.add(1);
            }
        }
    }
}
