//! The messages on their way. The place of one that has arrived is used again, with its memory, so that a run of any length
//! allocates nothing after its beginning.

/// A message on its way.
#[derive(Clone, Debug, Default)]
pub(super) struct MessageUnderWay {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) sent: u64,
    /// When it leaves its sender, which may be blocked.
    pub(super) leaves: u64,
    /// It will never arrive; it is kept where fates are drawn anew.
    pub(super) lost: bool,
    /// It waits until its receiver can take it, or until its sender can send it.
    pub(super) waits: bool,
    /// Whether this place is in use.
    used: bool,
    pub(super) bytes: Vec<u8>,
}

/// All of them, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct MessagesUnderWay {
    all: Vec<MessageUnderWay>,
    free: Vec<u32>,
}

impl MessagesUnderWay {
    pub(super) fn put(&mut self, (from, to): (u32, u32), sent: u64, bytes: &[u8]) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(MessageUnderWay::default());
            (self.all.len() - 1) as u32
        });
        let message = &mut self.all[number as usize];
        (message.from, message.to, message.sent, message.used) = (from, to, sent, true);
        (message.lost, message.waits) = (false, false);
        message.bytes.clear();
        message.bytes.extend_from_slice(bytes);
        number
    }

    pub(super) fn get(&self, number: u32) -> &MessageUnderWay {
        &self.all[number as usize]
    }

    pub(super) fn get_mut(&mut self, number: u32) -> &mut MessageUnderWay {
        &mut self.all[number as usize]
    }

    /// Frees the place of a message.
    pub(super) fn done(&mut self, number: u32) {
        self.all[number as usize].used = false;
        self.free.push(number);
    }

    /// The numbers of all that are on their way, lost ones included.
    pub(super) fn under_way(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.all.len() as u32).filter(|number| self.get(*number).used)
    }
}
