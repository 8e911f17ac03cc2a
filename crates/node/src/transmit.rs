//! The datagrams that a node wants to send, in one buffer that is used again and again.

use std::net::SocketAddr;
use watchkeeper_core::Pid;

/// The most datagrams that wait to be sent: whoever polls after each call never comes near it.
const MOST: usize = 4096;

/// A datagram to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmit<'a> {
    /// Where to.
    pub to: SocketAddr,
    /// Whose address that is; `None` where a number is being asked for or given.
    pub peer: Option<Pid>,
    /// What.
    pub datagram: &'a [u8],
}

/// The datagrams that were not polled yet.
#[derive(Debug)]
pub(crate) struct TransmitQueue {
    buffer: Vec<u8>,
    /// Of each datagram: to whom, and where it ends in the buffer.
    list: Vec<(SocketAddr, Option<Pid>, usize)>,
    /// How many were polled.
    polled: usize,
}

impl TransmitQueue {
    pub(crate) fn new() -> TransmitQueue {
        let (buffer, list) = (Vec::with_capacity(64 * 1024), Vec::with_capacity(256));
        TransmitQueue { buffer, list, polled: 0 }
    }

    /// Takes a datagram in; false if too many wait.
    pub(crate) fn push(&mut self, peer: Option<Pid>, to: SocketAddr, datagram: &[u8]) -> bool {
        if self.polled == self.list.len() {
            self.buffer.clear();
            self.list.clear();
            self.polled = 0;
        }
        let room = self.list.len() < MOST;
        if room {
            self.buffer.extend_from_slice(datagram);
            self.list.push((to, peer, self.buffer.len()));
        }
        room
    }

    /// Those that were not polled yet, first to last.
    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = Transmit<'_>> {
        (self.polled..self.list.len()).map(|at| self.at(at))
    }

    /// So many of those that wait were taken.
    pub(crate) fn polled(&mut self, count: usize) {
        self.polled = (self.polled + count).min(self.list.len());
    }

    /// Takes the next.
    pub(crate) fn next(&mut self) -> Option<Transmit<'_>> {
        let at = self.polled;
        self.polled(1);
        (at < self.list.len()).then(|| self.at(at))
    }

    fn at(&self, at: usize) -> Transmit<'_> {
        let (to, peer, end) = self.list[at];
        let from = at.checked_sub(1).map_or(0, |before| self.list[before].2);
        Transmit { to, peer, datagram: &self.buffer[from..end] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_come_out_as_they_went_in_and_the_buffer_is_used_again() {
        let to = SocketAddr::from(([127, 0, 0, 1], 9));
        let mut queue = TransmitQueue::new();
        assert_eq!(queue.next(), None);
        for round in 0..3u8 {
            for length in 0..5 {
                assert!(queue.push(Pid::new(length), to, &vec![round; length]));
            }
            assert_eq!(queue.waiting().map(|t| t.datagram.len()).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
            queue.polled(3);
            assert_eq!(queue.waiting().len(), 2);
            for length in 3..5 {
                let transmit = queue.next().expect("one more");
                assert_eq!((transmit.peer, transmit.datagram), (Pid::new(length), &vec![round; length][..]));
            }
            assert_eq!(queue.next(), None);
            assert_eq!(queue.waiting().len(), 0);
        }
        assert_eq!(queue.buffer.len(), 10);
    }

    #[test]
    fn nothing_grows_if_nobody_polls() {
        let to = SocketAddr::from(([127, 0, 0, 1], 9));
        let mut queue = TransmitQueue::new();
        let taken = (0..2 * MOST).filter(|_| queue.push(Pid::new(0), to, &[1; 80])).count();
        assert_eq!((taken, queue.list.len()), (MOST, MOST));
    }
}
