//! What all published models of the ring detectors have in common: how many processes there are, which of them
//! may crash, and what they tell each other. Nothing here says what a process does.

use watchkeeper_core::Pid;

/// The number of processes in every published model of the ring.
pub(crate) const PROCESSES: usize = 3;

/// The only process that may crash.
pub(crate) const MORTAL: Pid = Pid::at(1);

/// A kind of message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Message {
    AreYouAlive,
    IAmAlive,
}

impl Message {
    pub(crate) const ALL: [Message; 2] = [Message::AreYouAlive, Message::IAmAlive];

    /// As the algorithm writes it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Message::AreYouAlive => "ARE-YOU-ALIVE",
            Message::IAmAlive => "I-AM-ALIVE",
        }
    }

    /// As the formal texts write it.
    pub(crate) const fn identifier(self) -> &'static str {
        match self {
            Message::AreYouAlive => "Are_You_Alive",
            Message::IAmAlive => "I_Am_Alive",
        }
    }
}

/// The next process around the ring.
pub(crate) const fn succ(p: Pid) -> Pid {
    p.succ(PROCESSES)
}

/// The previous process around the ring.
pub(crate) const fn pred(p: Pid) -> Pid {
    p.pred(PROCESSES)
}
