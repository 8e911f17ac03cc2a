//! A failure detector with a timer for each peer: everyone beats, whoever is silent for too long is suspected,
//! and whoever is heard again is trusted again.

#[cfg(test)]
mod tests;

use watchkeeper_core::{
    Bound, Effects, Input, Kind, Meaning, Never, Pack, Pid, ProcSet, Promises, Protocol, Slot, Symmetry,
};

/// The longest that a message takes, in units of time: what the timeout of [`Sentinel::new`] is made for.
pub const DELAY: u32 = 1;

/// The protocol.
#[derive(Clone, Debug)]
pub struct Sentinel {
    /// How many processes there are.
    pub n: usize,
    /// How long it is from one beat to the next.
    pub period: u32,
    /// How long a peer may be silent.
    pub timeout: u32,
}

/// The messages.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum Msg {
    /// I am here.
    Alive,
}

/// The timers of a process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
pub enum Timer {
    /// Time to beat.
    Beat,
    /// This peer was silent for too long.
    Suspect(Pid),
}

/// The announcements.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
pub enum News {
    /// This peer seems to have crashed.
    #[kind("down")]
    Down(Pid),
    /// This peer is there after all.
    #[kind("up")]
    Up(Pid),
}

impl Sentinel {
    /// One for so many processes, which waits a little longer than a beat can take.
    pub fn new(n: usize) -> Sentinel {
        let period = 2;
        Sentinel { n, period, timeout: period + DELAY + 1 }
    }

    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> + use<> {
        Pid::all(self.n).filter(move |peer| *peer != me)
    }

    fn beat(&self, me: Pid, fx: &mut impl Effects<Self>) {
        self.peers(me).for_each(|peer| fx.send(peer, Msg::Alive));
        fx.arm(Timer::Beat, Bound::exactly(self.period));
    }
}

impl Protocol for Sentinel {
    /// Whom it suspects.
    type State = ProcSet;
    type Msg = Msg;
    type Timer = Timer;
    type Call = Never;
    type Output = News;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> ProcSet {
        self.beat(me, fx);
        self.peers(me).for_each(|peer| fx.arm(Timer::Suspect(peer), Bound::exactly(self.timeout)));
        ProcSet::EMPTY
    }

    fn step(&self, me: Pid, suspects: &mut ProcSet, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Fire(Timer::Beat) => self.beat(me, fx),
            Input::Fire(Timer::Suspect(peer)) => {
                suspects.insert(peer);
                fx.emit(News::Down(peer));
            }
            Input::Receive { from, msg: Msg::Alive } => {
                if suspects.contains(from) {
                    suspects.remove(from);
                    fx.emit(News::Up(from));
                }
                fx.arm(Timer::Suspect(from), Bound::exactly(self.timeout));
            }
            Input::Call(_) | Input::Notice(_) => {}
        }
    }

    fn meaning(&self, news: &News) -> Meaning {
        match *news {
            News::Down(peer) => Meaning::Suspects(peer),
            News::Up(peer) => Meaning::Trusts(peer),
        }
    }
}

/// Nobody is special: whoever renames the processes renames their timers with them.
impl Promises for Sentinel {
    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}
