//! The failure detector NFD-S of Chen, Toueg and Aguilera: heartbeats at the moments of a common clock, and freshness
//! points, at each of which a peer is suspected unless a heartbeat has arrived that is young enough.
//!
//! W. Chen, S. Toueg and M. K. Aguilera, "On the Quality of Service of Failure Detectors", IEEE Transactions on Computers
//! 51 (5), 2002, pages 561 to 580, figure 6.
//!
//! # The algorithm
//! Heartbeat number i goes to all others at `i * eta`. The freshness point of number i is `delta` later. From that point to
//! the next one a process trusts a peer if it has received a heartbeat of it with number i or a later one, and suspects
//! it otherwise. What decides is when a heartbeat was sent, not how long ago one arrived: a heartbeat that took long does
//! not make the next one look early. So a crash is suspected within `delta + eta`, however long messages take.
//!
//! # What it supposes
//! All processes begin at one moment, and their clocks run alike: the observer knows when a heartbeat was sent because it
//! would have sent its own then. A process that starts again is out of step for good.
//!
//! # Where the paper leaves a choice
//! - The paper has one process that watches another. Here all watch each other, and since all begin together one timer
//!   for the freshness points serves all peers.
//! - The paper counts from 1 and suspects everybody before the first freshness point. Here the first number is 0, sent at the
//!   start, and until its freshness point everybody is trusted, as every detector of this crate begins.
//! - A heartbeat that arrives at a freshness point is in time: the paper trusts at the moment t if a heartbeat was received
//!   by t. Which of the two happens first is for the environment to say. Where the freshness point comes first, the peer is
//!   suspected and trusted again at the same moment.
//! - The numbers of the paper have no end. Here they are counted modulo [`NfdS::numbers`], 256 by default, and a number is
//!   read as the one of the next half of the circle if it is there, and as an old one otherwise. So a heartbeat that takes
//!   `delta + (numbers / 2 + 1) * eta` or longer is taken for a young one. Any other is read as it was meant.
//!
//! # What it survives
//! A lost or late heartbeat costs a mistake that ends with the next one that is in time.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Never, Pack, PeerState, PerProc, Pid, ProcSet,
    Promises, Protocol, Slot, Suspicion, Symmetry, Time, packed,
};

/// The numbers of heartbeats, if nothing else is said.
const NUMBERS: u32 = 256;

/// The most numbers: a lead over the circle is counted without overflow.
const MAX_NUMBERS: u32 = 1 << 16;

/// The detector, for `n` processes, with durations `T`.
///
/// It announces a [`Suspicion`] whenever [`NfdS::suspects`] changes. Messages that claim to come from the process itself,
/// or from outside the system, are ignored, and so are numbers that are outside of the circle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NfdS<T = u32> {
    n: usize,
    eta: T,
    delta: T,
    numbers: u32,
}

impl<T: Time> NfdS<T> {
    /// The detector that sends a heartbeat every `eta`, and gives each one `delta` to arrive, with 256 numbers.
    pub fn new(n: usize, eta: T, delta: T) -> Result<NfdS<T>, NfdSError<T>> {
        NfdS::with_numbers(n, eta, delta, NUMBERS)
    }

    /// The same with so many numbers of heartbeats: an even number, and so many that a heartbeat which took no time at
    /// all is in the half of the circle ahead.
    pub fn with_numbers(n: usize, eta: T, delta: T, numbers: u32) -> Result<NfdS<T>, NfdSError<T>> {
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(NfdSError::Size { n });
        }
        if eta.is_zero() {
            return Err(NfdSError::NoEta);
        }
        if !(4..=MAX_NUMBERS).contains(&numbers) || !numbers.is_multiple_of(2) {
            return Err(NfdSError::Numbers { numbers });
        }
        let ahead = eta.scaled(numbers / 2 - 1, 1);
        if ahead.at_most(delta) {
            return Err(NfdSError::DeltaTooLong { delta, ahead });
        }
        Ok(NfdS { n, eta, delta, numbers })
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The time between two heartbeats.
    pub fn eta(&self) -> T {
        self.eta
    }

    /// The time from the sending of a heartbeat to its freshness point.
    pub fn delta(&self) -> T {
        self.delta
    }

    /// How many numbers heartbeats have, before the first comes again.
    pub fn numbers(&self) -> u32 {
        self.numbers
    }

    /// The suspects of process `me`.
    pub fn suspects(&self, me: Pid, state: &NfdSState) -> ProcSet {
        self.peers(me).filter(|&peer| state.leads.get(peer) == Some(&0)).collect()
    }

    /// All others, in the order of their ids.
    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> {
        Pid::all(self.n).filter(move |&peer| peer != me)
    }

    /// The number after this one.
    fn after(&self, number: u32) -> u32 {
        if number >= self.numbers - 1 { 0 } else { number + 1 }
    }

    /// The next heartbeat, to all others.
    fn beat(&self, me: Pid, state: &mut NfdSState, fx: &mut impl Effects<NfdS<T>, T>) {
        self.peers(me).for_each(|peer| fx.send(peer, NfdSMsg::Heartbeat { number: state.next }));
        state.next = self.after(state.next);
        fx.arm(NfdSTimer::Beat, Bound::exactly(self.eta));
    }

    /// The next freshness point: whoever has no heartbeat of this number or a later one is suspected.
    fn pass(&self, me: Pid, state: &mut NfdSState, fx: &mut impl Effects<NfdS<T>, T>) {
        state.point = self.after(state.point);
        for peer in self.peers(me) {
            let Some(lead) = state.leads.get_mut(peer).filter(|lead| **lead > 0) else { continue };
            *lead -= 1;
            if *lead == 0 {
                fx.emit(Suspicion::Suspect(peer));
            }
        }
        fx.arm(NfdSTimer::Point, Bound::exactly(self.eta));
    }

    /// A heartbeat of a peer: it counts if it is not older than the last freshness point asks.
    fn hear(&self, peer: Pid, number: u32, state: &mut NfdSState, fx: &mut impl Effects<NfdS<T>, T>) {
        if number >= self.numbers || state.point >= self.numbers {
            return;
        }
        let ahead = (number + self.numbers - state.point) % self.numbers;
        let Some(lead) = state.leads.get_mut(peer) else { return };
        if ahead >= self.numbers / 2 || *lead > ahead {
            return;
        }
        if *lead == 0 {
            fx.emit(Suspicion::Trust(peer));
        }
        *lead = ahead + 1;
    }
}

impl<T: Time> Protocol<T> for NfdS<T> {
    type State = NfdSState;
    type Msg = NfdSMsg;
    type Timer = NfdSTimer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> NfdSState {
        // The freshness point before the first has passed, and everybody was fresh there.
        let mut leads = PerProc::new(self.n, 1);
        if let Some(own) = leads.get_mut(me) {
            *own = 0;
        }
        let mut state = NfdSState { next: 0, point: self.numbers - 1, leads };
        self.beat(me, &mut state, fx);
        fx.arm(NfdSTimer::Point, Bound::exactly(self.delta));
        state
    }

    fn step(
        &self,
        me: Pid,
        state: &mut NfdSState,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        match input {
            Input::Fire(NfdSTimer::Beat) => self.beat(me, state, fx),
            Input::Fire(NfdSTimer::Point) => self.pass(me, state, fx),
            Input::Receive { from, .. } if from == me || from.index() >= self.n => {}
            Input::Receive { from, msg: NfdSMsg::Heartbeat { number } } => {
                self.hear(from, *number, state, fx);
            }
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl<T: Time> Promises<T> for NfdS<T> {
    fn about(&self, me: Pid, state: &NfdSState, whom: Pid) -> Option<PeerState<NfdSTimer>> {
        if whom == me {
            let timers = vec![NfdSTimer::Beat, NfdSTimer::Point];
            return Some(PeerState { state: packed(&(state.next, state.point)), timers });
        }
        Some(PeerState { state: packed(&state.leads.get(whom).copied()), timers: Vec::new() })
    }

    fn reaches(&self, me: Pid, _: &NfdSState) -> ProcSet {
        self.peers(me).collect()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The local state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct NfdSState {
    /// The number of the next heartbeat.
    next: u32,
    /// The number of the last freshness point.
    point: u32,
    /// For each peer, for how many freshness points from the last one on its heartbeats are young enough: 0 for a suspect,
    /// and for the process itself.
    leads: PerProc<u32>,
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum NfdSMsg {
    /// That the sender was alive when it was time for this number.
    #[kind("heartbeat")]
    Heartbeat {
        /// The number, modulo the numbers that there are.
        number: u32,
    },
}

/// The timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum NfdSTimer {
    /// The next heartbeat.
    #[slot("beat")]
    Beat,
    /// The next freshness point.
    #[slot("freshness point")]
    Point,
}

/// An invalid configuration of the detector, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NfdSError<T = u32> {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// Heartbeats follow each other without time between them.
    #[error("an eta of 0 sends heartbeats without end at one moment: choose 1 or more")]
    NoEta,
    /// The numbers cannot be counted so.
    #[error("{numbers} numbers of heartbeats are not possible: choose an even number from 4 to {max}", max = MAX_NUMBERS)]
    Numbers {
        /// How many were asked for.
        numbers: u32,
    },
    /// A heartbeat is too far ahead of its freshness point for the numbers that there are.
    #[error("with so few numbers a delta of {delta} is too long: choose less than {ahead}, or more numbers")]
    DeltaTooLong {
        /// The delta.
        delta: T,
        /// What it has to be below.
        ahead: T,
    },
}
