//! Messages that wait for a session with their receiver to open. In an open cluster sessions are made on demand, and the
//! message that demanded one should not be lost by it. Few wait, and not for long: the rest is loss.

use crate::outbox::Sending;
use std::collections::VecDeque;
use watchkeeper_core::Pid;

/// The most messages that wait, for all members together, and for one.
const MOST: usize = 512;
const MOST_FOR_ONE: usize = 8;

/// A message that waits, with the room for all that its datagram has.
#[derive(Debug)]
pub(crate) struct HeldMessage {
    pub(crate) to: Pid,
    pub(crate) number: u64,
    pub(crate) reply: bool,
    pub(crate) datagram: Vec<u8>,
    since: u64,
}

/// The messages that wait, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct HeldMessages(VecDeque<HeldMessage>);

impl HeldMessages {
    /// Lets a message wait; how many are given up for that.
    pub(crate) fn hold(&mut self, now: u64, sending: &Sending, number: u64, datagram: &[u8]) -> usize {
        let Sending { to, reply, .. } = *sending;
        self.0.push_back(HeldMessage { to, number, reply, datagram: datagram.to_vec(), since: now });
        let first = self.0.iter().position(|held| held.to == to);
        let many = self.0.iter().filter(|held| held.to == to).count() > MOST_FOR_ONE;
        match first.filter(|_| many).or((self.0.len() > MOST).then_some(0)) {
            None => 0,
            Some(place) => self.0.remove(place).map_or(0, |_| 1),
        }
    }

    /// Takes out what waits for a member, first to last.
    pub(crate) fn release(&mut self, to: Pid) -> Vec<HeldMessage> {
        let (ready, others) = std::mem::take(&mut self.0).into_iter().partition(|held| held.to == to);
        self.0 = others;
        Vec::from_iter::<VecDeque<HeldMessage>>(ready)
    }

    /// Gives up what has waited longer than `most`; says how many that were.
    pub(crate) fn expire(&mut self, now: u64, most: u64) -> usize {
        let before = self.0.len();
        self.0.retain(|held| now.saturating_sub(held.since) <= most);
        before - self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(to: usize) -> Sending {
        Sending { to: Pid::at(to), reply: false, kind: "word", from: 0, end: 0 }
    }

    #[test]
    fn few_wait_and_come_out_in_their_order() {
        let mut held = HeldMessages::default();
        let given_up: usize = (0..12).map(|i| held.hold(i, &sending(i as usize % 2), i, &[i as u8])).sum();
        assert_eq!(given_up, 0);
        assert_eq!((0..5).map(|i| held.hold(20, &sending(1), 20 + i, &[])).sum::<usize>(), 3);
        let numbers: Vec<u64> = held.release(Pid::at(1)).iter().map(|held| held.number).collect();
        assert_eq!(numbers, [7, 9, 11, 20, 21, 22, 23, 24]);
        assert_eq!(held.expire(30, 24), 3);
        assert_eq!(held.release(Pid::at(0)).len(), 3);
        assert_eq!(held.release(Pid::at(1)).len(), 0);
        let given_up: usize = (0..600).map(|i| held.hold(0, &sending(i % 64), 0, &[])).sum();
        assert_eq!(given_up, 600 - MOST);
    }
}
