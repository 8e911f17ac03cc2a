//! A failure detector with one timer for each peer. Every process sends heartbeats to all others. A process suspects a
//! peer that was silent for longer than the timeout, and trusts it again when it hears from it.

#[cfg(feature = "check")]
mod description;
#[cfg(all(test, feature = "check"))]
mod tests;

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Meaning, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot, Symmetry,
};

/// The detector: its configuration, which never changes while it runs.
#[derive(Clone, Debug)]
pub struct Sentinel {
    /// The number of processes.
    pub n: usize,
    /// The time between two heartbeats, in ticks.
    pub period: u32,
    /// The longest silence of a peer that is not suspected, in ticks.
    pub timeout: u32,
}

/// The messages.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Message {
    /// The sender is alive.
    Heartbeat,
}

/// The timers of one process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Timer {
    /// It is time to send heartbeats.
    Send,
    /// This peer was silent for too long. Each peer has a timer of its own.
    Silence(Pid),
}

/// The announcements of a process to its user.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Announcement {
    /// This peer seems to have crashed.
    #[kind("down")]
    Down(Pid),
    /// This peer is alive after all.
    #[kind("up")]
    Up(Pid),
}

impl Sentinel {
    /// The longest time from sending to arrival that the timeout of [`Sentinel::new`] allows for, in ticks.
    pub const DELAY: u32 = 1;

    /// The detector for `n` processes: its timeout is longer than a period and a delay together.
    pub fn new(n: usize) -> Sentinel {
        Sentinel { n, period: 2, timeout: 2 + Sentinel::DELAY + 1 }
    }

    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> + use<> {
        Pid::all(self.n).filter(move |peer| *peer != me)
    }

    fn send_heartbeats(&self, me: Pid, fx: &mut impl Effects<Self>) {
        self.peers(me).for_each(|peer| fx.send(peer, Message::Heartbeat));
        fx.arm(Timer::Send, Bound::exactly(self.period));
    }
}

impl Protocol for Sentinel {
    /// The peers that this process suspects.
    type State = ProcSet;
    type Msg = Message;
    type Timer = Timer;
    type Call = Never;
    type Output = Announcement;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> ProcSet {
        self.send_heartbeats(me, fx);
        self.peers(me).for_each(|peer| fx.arm(Timer::Silence(peer), Bound::exactly(self.timeout)));
        ProcSet::EMPTY
    }

    fn step(&self, me: Pid, suspects: &mut ProcSet, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Fire(Timer::Send) => self.send_heartbeats(me, fx),
            Input::Fire(Timer::Silence(peer)) => {
                suspects.insert(peer);
                fx.emit(Announcement::Down(peer));
            }
            Input::Receive { from, msg: Message::Heartbeat } => {
                if suspects.contains(from) {
                    suspects.remove(from);
                    fx.emit(Announcement::Up(from));
                }
                fx.arm(Timer::Silence(from), Bound::exactly(self.timeout));
            }
            Input::Call(_) | Input::Notice(_) => {}
        }
    }

    fn meaning(&self, announcement: &Announcement) -> Meaning {
        match *announcement {
            Announcement::Down(peer) => Meaning::Suspects(peer),
            Announcement::Up(peer) => Meaning::Trusts(peer),
        }
    }
}

/// All processes behave alike: who renames the processes renames their timers with them.
impl Promises for Sentinel {
    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}
