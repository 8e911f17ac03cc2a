//! Which channels there are. A channel is one channel: from one process to another, and of one message kind
//! if every kind has channels of its own. Channels are numbered by their destination first, so that all that
//! can reach a process is one run of numbers.

use crate::Lanes;
use std::ops::Range;
use watchkeeper_core::Pid;

/// The channels of a world, and their numbers.
#[derive(Clone, Debug)]
pub struct Routes {
    n: usize,
    /// The channels from one process to another.
    per_pair: usize,
    /// The names of the kinds, if each has its own channels.
    kinds: Option<&'static [&'static str]>,
}

impl Routes {
    /// The channels among `n` processes for messages of these kinds. A protocol without messages has none.
    pub fn new(n: usize, lanes: Lanes, kinds: &'static [&'static str]) -> Routes {
        match lanes {
            Lanes::PerPair => Routes { n, per_pair: kinds.len().min(1), kinds: None },
            Lanes::PerKind => Routes { n, per_pair: kinds.len(), kinds: Some(kinds) },
        }
    }

    /// How many channels there are.
    pub fn len(&self) -> usize {
        self.n * (self.n - 1) * self.per_pair
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The channel for a message of this kind; `None` if there is no channel between the two.
    pub fn channel(&self, from: Pid, to: Pid, kind: usize) -> Option<usize> {
        let (from, to) = (from.index(), to.index());
        if from == to || from >= self.n || to >= self.n {
            return None;
        }
        let rank = if from < to { from } else { from - 1 };
        let kind = if self.kinds.is_some() { kind } else { 0 };
        Some((to * (self.n - 1) + rank) * self.per_pair + kind)
    }

    /// The sender and the destination of a channel, and the kind of its messages or 0.
    pub fn ends(&self, channel: usize) -> (Pid, Pid, usize) {
        let (pair, kind) = (channel / self.per_pair, channel % self.per_pair);
        let (to, rank) = (pair / (self.n - 1), pair % (self.n - 1));
        let from = if rank < to { rank } else { rank + 1 };
        (Pid::at(from), Pid::at(to), kind)
    }

    /// The destination of a channel.
    pub fn receiver(&self, channel: usize) -> Pid {
        self.ends(channel).1
    }

    /// All channels to one process.
    #[inline]
    pub fn inbound(&self, to: usize) -> Range<usize> {
        let width = (self.n - 1) * self.per_pair;
        to * width..(to + 1) * width
    }

    /// How a reader finds this channel again: `p0->p1`, or with the kind.
    pub fn name(&self, channel: usize) -> String {
        let (from, to, kind) = self.ends(channel);
        match self.kinds {
            Some(kinds) => format!("{from}->{to} {}", kinds[kind]),
            None => format!("{from}->{to}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_has_one_number() {
        for channels in [Lanes::PerPair, Lanes::PerKind] {
            let routes = Routes::new(4, channels, &["A", "B", "C"]);
            let width = if channels == Lanes::PerKind { 3 } else { 1 };
            assert_eq!(routes.len(), 12 * width);
            for channel in 0..routes.len() {
                let (from, to, kind) = routes.ends(channel);
                assert_eq!(routes.channel(from, to, kind), Some(channel));
                assert!(routes.inbound(to.index()).contains(&channel));
            }
            for p in Pid::all(4) {
                assert_eq!(routes.channel(p, p, 0), None, "no channel to oneself");
                assert_eq!(routes.channel(p, Pid::at(4), 0), None, "no channel to nobody");
            }
        }
    }

    #[test]
    fn a_protocol_without_messages_has_no_channels() {
        assert_eq!(Routes::new(3, Lanes::PerPair, &[]).len(), 0);
        assert_eq!(Routes::new(3, Lanes::PerKind, &[]).len(), 0);
        assert_eq!(Routes::new(3, Lanes::PerKind, &[]).inbound(1), 0..0);
    }

    #[test]
    fn names_say_who_and_what() {
        assert_eq!(Routes::new(3, Lanes::PerPair, &["A", "B"]).name(0), "p1->p0");
        assert_eq!(Routes::new(3, Lanes::PerKind, &["A", "B"]).name(1), "p1->p0 B");
    }
}
