//! What a process remembers of one peer: what it has sent and does not know to have arrived, and what it
//! expects next. Numbers that a correct peer would never send are ignored, and no arithmetic on them can
//! overflow.

use super::ReliableMsg;
use watchkeeper_core::Pack;

/// One end of the two links between a process and a peer, for messages `M`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Link<M> {
    /// The number of the first message that waits, or of the next one if none does.
    first: u64,
    waiting: Vec<M>,
    heard: u64,
}

impl<M> Default for Link<M> {
    fn default() -> Link<M> {
        Link { first: 0, waiting: Vec::new(), heard: 0 }
    }
}

impl<M> Link<M> {
    /// What is not acknowledged, the oldest first: what is on the wire, and behind it what waits for its
    /// turn.
    pub fn waiting(&self) -> &[M] {
        &self.waiting
    }

    /// How many messages were put on this link that need not be sent any more.
    pub fn done(&self) -> u64 {
        self.first
    }

    /// The number of the message that is expected next.
    pub fn expects(&self) -> u64 {
        self.heard
    }

    /// Whether the message with this number has been handed over or passed by.
    pub(super) fn has_heard(&self, number: u64) -> bool {
        number < self.heard
    }

    /// Takes note of a message that has come; whether it is in turn, and so to be handed over now.
    pub(super) fn in_turn(&mut self, number: u64, behind: u64) -> bool {
        // What its sender cannot send again will not come.
        self.heard = self.heard.max(number.saturating_sub(behind));
        let next = self.heard.checked_add(1).filter(|_| number == self.heard);
        self.heard = next.unwrap_or(self.heard);
        next.is_some()
    }

    /// What tells the peer how far it has been heard, and nothing else.
    pub(super) fn acknowledgement(&self) -> ReliableMsg<M> {
        ReliableMsg::Received { expects: self.heard }
    }
}

impl<M: Clone> Link<M> {
    /// Puts a message on the link. It is sent at once if the window has room.
    pub(super) fn put(&mut self, msg: M, window: usize, most: usize) -> Option<ReliableMsg<M>> {
        let given_up = (self.waiting.len() + 1).saturating_sub(most);
        self.pass_by(given_up);
        self.waiting.push(msg);
        let place = self.waiting.len() - 1;
        (place < window).then(|| self.numbered(place))
    }

    /// What is on the wire, the oldest first.
    pub(super) fn on_the_wire(&self, window: usize) -> impl Iterator<Item = ReliableMsg<M>> {
        (0..self.waiting.len().min(window)).map(|place| self.numbered(place))
    }

    /// The peer expects this number next, so that what was sent before it has arrived. What has room in the
    /// window only now is sent.
    pub(super) fn acknowledged(&mut self, expects: u64, window: usize, mut send: impl FnMut(ReliableMsg<M>)) {
        let flying = self.waiting.len().min(window);
        let arrived = expects.checked_sub(self.first).and_then(|count| usize::try_from(count).ok());
        let Some(arrived) = arrived.filter(|&count| count <= flying) else { return };
        self.pass_by(arrived);
        (flying - arrived..self.waiting.len().min(window)).for_each(|place| send(self.numbered(place)));
    }

    /// Forgets the oldest.
    fn pass_by(&mut self, count: usize) {
        self.waiting.drain(..count);
        self.first = self.first.saturating_add(count as u64);
    }

    fn numbered(&self, place: usize) -> ReliableMsg<M> {
        let (behind, msg) = (place as u64, self.waiting[place].clone());
        ReliableMsg::Data { number: self.first.saturating_add(behind), behind, expects: self.heard, msg }
    }
}
