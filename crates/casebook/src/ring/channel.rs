//! The twelve channels of the ring. Of what is in a channel only the number matters: all messages of a
//! kind are alike, and a later one may overtake an earlier one without anyone noticing.

pub(super) use crate::published_ring::{MORTAL, Message, PROCESSES, pred, succ};
use watchkeeper_core::Pid;

/// The channel from one process to another for one kind of message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RingChannel {
    pub(super) from: Pid,
    pub(super) to: Pid,
    pub(super) message: Message,
}

impl RingChannel {
    pub(super) const COUNT: usize = PROCESSES * (PROCESSES - 1) * Message::ALL.len();

    pub(super) const fn new(from: Pid, to: Pid, message: Message) -> RingChannel {
        RingChannel { from, to, message }
    }

    /// All channels, in the order of their indices.
    pub(super) fn all() -> impl Iterator<Item = RingChannel> {
        Pid::all(PROCESSES).flat_map(|from| {
            others(from).flat_map(move |to| {
                Message::ALL.into_iter().map(move |kind| RingChannel::new(from, to, kind))
            })
        })
    }

    /// All channels to this process.
    pub(super) fn all_to(to: Pid) -> impl Iterator<Item = RingChannel> {
        others(to)
            .flat_map(move |from| Message::ALL.into_iter().map(move |kind| RingChannel::new(from, to, kind)))
    }

    /// Its place in [`RingChannel::all`].
    pub(super) fn index(self) -> usize {
        RingChannel::all().position(|channel| channel == self).expect("there is no channel to oneself")
    }

    /// Its name in views and reports.
    pub(super) fn name(self) -> String {
        format!("{} {} to {}", self.message.name(), self.from, self.to)
    }
}

/// Everyone but `me`.
pub(super) fn others(me: Pid) -> impl Iterator<Item = Pid> {
    Pid::all(PROCESSES).filter(move |&p| p != me)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_twelve_channels_and_each_knows_its_place() {
        let all: Vec<RingChannel> = RingChannel::all().collect();
        assert_eq!(all.len(), RingChannel::COUNT);
        assert_eq!(RingChannel::COUNT, 12);
        for (i, channel) in all.iter().enumerate() {
            assert_eq!(channel.index(), i);
            assert!(RingChannel::all_to(channel.to).any(|other| other == *channel));
        }
    }
}
