//! The effects of one step: messages packed straight into the buffer they are sent from, timers, announcements. No
//! effect happens before the step is over, and all memory is kept for the next step.

use crate::wire::{HEADER_LEN, STAMP_LEN, TAG_LEN};
use watchkeeper_core::{Bound, Effects, Kind, Pack, Pid, Protocol, Slot};

/// The room before each packed message, for what the datagram carries beside it.
const ROOM: usize = HEADER_LEN + STAMP_LEN;

/// A message that a step sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sending {
    /// The process that it is for.
    pub to: Pid,
    pub(crate) reply: bool,
    /// The name of its kind.
    pub(crate) kind: &'static str,
    /// Where its datagram begins in the buffer, and where it ends, with the room for its tag.
    pub(crate) from: usize,
    pub(crate) end: usize,
}

impl Sending {
    /// The length of its datagram on a network.
    pub fn datagram_len(&self) -> usize {
        self.end - self.from
    }
}

/// The effects of one step but its announcements, in the order in which they were asked for.
pub struct Outbox {
    pub(crate) buffer: Vec<u8>,
    pub(crate) sends: Vec<Sending>,
    pub(crate) timers: Vec<(usize, Option<Bound>)>,
    pub(crate) picks: Vec<usize>,
    /// For choices among equals; nothing secret is made of it.
    random: fastrand::Rng,
}

impl Outbox {
    /// An empty one, whose choices are drawn from this seed.
    pub fn new(seed: u64) -> Outbox {
        Outbox {
            buffer: Vec::with_capacity(16 * 1024),
            sends: Vec::with_capacity(64),
            timers: Vec::with_capacity(16),
            picks: Vec::with_capacity(16),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Forgets the last step.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
        self.sends.clear();
        self.timers.clear();
        self.picks.clear();
    }

    /// Draws all further choices from this seed.
    pub fn reseed(&mut self, seed: u64) {
        self.random.seed(seed);
    }

    /// What the last step sends.
    pub fn sends(&self) -> &[Sending] {
        &self.sends
    }

    /// The timers that the last step arms, each by its slot and for how long, or disarms.
    pub fn timers(&self) -> &[(usize, Option<Bound>)] {
        &self.timers
    }

    /// The packed message of a datagram.
    pub fn message(&self, sending: &Sending) -> &[u8] {
        &self.buffer[sending.from + ROOM..sending.end - TAG_LEN]
    }

    /// The datagram itself: header and stamp are still to be written, and the tag.
    pub(crate) fn datagram(&mut self, sending: &Sending) -> &mut [u8] {
        &mut self.buffer[sending.from..sending.end]
    }

    /// A number within a bound, at random.
    pub fn within(&mut self, bound: Bound) -> u32 {
        match bound.hi() {
            Some(hi) if hi > bound.lo() => self.random.u32(bound.lo()..=hi),
            _ => bound.lo(),
        }
    }

    fn put<M: Pack + Kind>(&mut self, to: Pid, msg: &M, reply: bool) {
        let from = self.buffer.len();
        self.buffer.resize(from + ROOM, 0);
        msg.pack(&mut self.buffer);
        self.buffer.resize(self.buffer.len() + TAG_LEN, 0);
        self.sends.push(Sending { to, reply, kind: M::KINDS[msg.kind()], from, end: self.buffer.len() });
    }

    fn pick(&mut self, ways: usize) -> usize {
        let way = self.random.usize(..ways.max(1));
        self.picks.push(way);
        way
    }
}

/// Collects the effects of a step of the protocol `P`.
pub(crate) struct StepEffects<'a, P: Protocol> {
    pub(crate) outbox: &'a mut Outbox,
    pub(crate) outputs: &'a mut Vec<P::Output>,
}

impl<P: Protocol> Effects<P> for StepEffects<'_, P> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.outbox.put(to, &msg, false);
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.outbox.put(to, &msg, true);
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound) {
        self.outbox.timers.push((timer.index(), Some(bound)));
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.outbox.timers.push((timer.index(), None));
    }

    fn emit(&mut self, output: P::Output) {
        self.outputs.push(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.outbox.pick(ways)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_protocols::ring::{Ring, RingMsg, RingTimer};

    #[test]
    fn effects_are_kept_in_their_order_and_messages_where_they_are_sent_from() {
        let (mut outbox, mut outputs) = (Outbox::new(1), Vec::new());
        let mut fx: StepEffects<'_, Ring> = StepEffects { outbox: &mut outbox, outputs: &mut outputs };
        fx.send(Pid::at(1), RingMsg::AreYouAlive);
        fx.reply(Pid::at(2), RingMsg::IAmAlive);
        fx.arm(RingTimer::Round, Bound::exactly(3));
        fx.disarm(RingTimer::Round);
        assert_eq!(
            outbox.sends.iter().map(|s| (s.to.index(), s.reply)).collect::<Vec<_>>(),
            [(1, false), (2, true)]
        );
        let messages: Vec<&[u8]> = outbox.sends.iter().map(|sending| outbox.message(sending)).collect();
        assert_eq!(messages, [[0u8], [1u8]]);
        assert_eq!(outbox.timers, [(0, Some(Bound::exactly(3))), (0, None)]);
        outbox.clear();
        assert!(outbox.sends.is_empty() && outbox.buffer.is_empty());
    }

    #[test]
    fn choices_are_within_their_ways_and_reach_all_of_them() {
        let mut outbox = Outbox::new(7);
        let mut seen = [false; 5];
        (0..200).for_each(|_| seen[outbox.pick(5)] = true);
        assert_eq!(seen, [true; 5]);
        let bound = Bound::new(3, 4).expect("a bound");
        assert!((0..50).all(|_| (3..=4).contains(&outbox.within(bound))));
        assert_eq!(outbox.within(Bound::at_least(9)), 9);
    }
}
