//! The failure detector NFD-E of Chen, Toueg and Aguilera: as NFD-S, but the observer has no common clock with the sender.
//! It estimates when the next heartbeat should arrive from those that have arrived.
//!
//! W. Chen, S. Toueg and M. K. Aguilera, "On the Quality of Service of Failure Detectors", IEEE Transactions on Computers
//! 51 (5), 2002, pages 561 to 580, section 6.
//!
//! # The algorithm
//! Heartbeats have numbers and go out every `eta`. Of the last `window` heartbeats in the order of their numbers let A be the
//! time of arrival and s the number. The mean of `A - eta * s` says when number 0 would have arrived, so number l + 1 is expected
//! at `EA = mean + (l + 1) * eta`, where l is the greatest number that has arrived. The peer is suspected at the freshness
//! point `EA + alpha`, unless a greater number has arrived by then.
//!
//! # How a process measures time
//! It has no clock. A timer fires every `grain`, and the time between two arrivals is the number of times that it fired
//! between them. For any two arrivals, however far apart, that is at most one grain from the real time. So a freshness
//! point is at most a grain from where the paper has it, and then rounded up to a whole unit of time. Nothing in the
//! state is a moment: what is kept of a heartbeat is how much later or earlier than it, by its number, the newest came.
//!
//! # Where the paper leaves a choice
//! - The paper has one process that watches another. Here all watch each other.
//! - The first number is 0, sent at the start. Everybody is trusted until `eta + alpha` after the start.
//! - A heartbeat that arrives at a freshness point is in time if the environment lets it arrive first.
//! - The numbers of the paper have no end. Here they are counted modulo [`NfdEConfig::numbers`]. A number in the next half
//!   of the circle is a greater one; all others are old, and ignored.
//! - The paper has processes that crash for good. Here one may start again, and then it counts from 0 at a moment that has nothing
//!   to do with its numbers before. Where number 0 is in the next half of the circle it is a greater one, and seems to come
//!   far too early. So of the window only those heartbeats are kept by which the newest came at most `eta + alpha` too early;
//!   the others are of a life before. Nobody is then trusted for longer than `2 * (eta + alpha)` after a heartbeat, whatever
//!   the numbers say. Within one life nothing is dropped while delays vary by less than `eta + alpha`, a grain included.
//! - After a silence of `numbers / 2 - 1` periods a process forgets what it knew of a peer, and the next heartbeat is a new
//!   beginning, whatever its number. So a process that starts again is trusted after that time at the latest, or, if its numbers
//!   pass the last one that was heard before, up to `window` periods later.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Never, Pack, PeerState, PerProc, Pid, ProcSet,
    Promises, Protocol, Slot, Suspicion, Symmetry, packed,
};

/// The most heartbeats of a window.
const MAX_WINDOW: u32 = 4096;

/// The most numbers.
const MAX_NUMBERS: u32 = 1 << 16;

/// What a detector is made of. Durations are in units of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NfdEConfig {
    /// The time between two heartbeats.
    pub eta: u32,
    /// The time that a heartbeat has beyond the moment at which it is expected.
    pub alpha: u32,
    /// The number of heartbeats by which the next one is expected.
    pub window: u32,
    /// The time by which intervals are counted.
    pub grain: u32,
    /// How many numbers heartbeats have, before the first comes again.
    pub numbers: u32,
}

/// The detector, for `n` processes.
///
/// It announces a [`Suspicion`] whenever [`NfdE::suspects`] changes. Messages that claim to come from the process itself,
/// or from outside the system, are ignored, and so are numbers that are outside of the circle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NfdE {
    n: usize,
    config: NfdEConfig,
}

impl NfdE {
    /// The detector of so many processes.
    pub fn new(n: usize, config: NfdEConfig) -> Result<NfdE, NfdEError> {
        let NfdEConfig { eta, alpha, window, grain, numbers } = config;
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(NfdEError::Size { n });
        }
        if eta == 0 {
            return Err(NfdEError::NoEta);
        }
        if grain == 0 || grain > eta {
            return Err(NfdEError::Grain { eta });
        }
        if !(1..=MAX_WINDOW).contains(&window) {
            return Err(NfdEError::Window { window });
        }
        if !(4..=MAX_NUMBERS).contains(&numbers) || !numbers.is_multiple_of(2) {
            return Err(NfdEError::Numbers { numbers });
        }
        let most = eta.checked_mul(numbers / 2 - 1).ok_or(NfdEError::EtaTooLong { numbers })?;
        if alpha >= most {
            return Err(NfdEError::AlphaTooLong { most });
        }
        Ok(NfdE { n, config })
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// What it is made of.
    pub fn config(&self) -> NfdEConfig {
        self.config
    }

    /// The suspects of process `me`.
    pub fn suspects(&self, me: Pid, state: &NfdEState) -> ProcSet {
        state.suspects.intersection(ProcSet::first(self.n)).without(me)
    }

    /// All others, in the order of their ids.
    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> {
        Pid::all(self.n).filter(move |&peer| peer != me)
    }

    /// The silence, in grains, after which a peer is forgotten.
    fn forgotten(&self) -> u32 {
        (self.config.eta * (self.config.numbers / 2 - 1)).div_ceil(self.config.grain)
    }

    /// The next heartbeat, to all others.
    fn beat(&self, me: Pid, state: &mut NfdEState, fx: &mut impl Effects<NfdE>) {
        self.peers(me).for_each(|peer| fx.send(peer, NfdEMsg::Heartbeat { number: state.next }));
        state.next = if state.next >= self.config.numbers - 1 { 0 } else { state.next + 1 };
        fx.arm(NfdETimer::Beat, Bound::exactly(self.config.eta));
    }

    /// One grain of time has passed.
    fn count(&self, me: Pid, state: &mut NfdEState, fx: &mut impl Effects<NfdE>) {
        for peer in self.peers(me) {
            let Some(known) = state.known.get_mut(peer) else { continue };
            if let Some(heard) = known {
                heard.silence = heard.silence.saturating_add(1);
                if heard.silence >= self.forgotten() {
                    *known = None;
                }
            }
        }
        fx.arm(NfdETimer::Grain, Bound::exactly(self.config.grain));
    }

    /// The freshness point of a peer has passed.
    fn suspect(&self, peer: Pid, state: &mut NfdEState, fx: &mut impl Effects<NfdE>) {
        if !state.suspects.contains(peer) {
            state.suspects.insert(peer);
            fx.emit(Suspicion::Suspect(peer));
        }
    }

    /// A heartbeat of a peer: if its number is the greatest so far, the next freshness point follows from it.
    fn hear(&self, peer: Pid, number: u32, state: &mut NfdEState, fx: &mut impl Effects<NfdE>) {
        let Some(known) = state.known.get_mut(peer).filter(|_| number < self.config.numbers) else { return };
        match known {
            None => *known = Some(HeardHeartbeats { number, silence: 0, leads: Vec::new() }),
            Some(heard) => {
                if !self.accept(heard, number) {
                    return;
                }
            }
        }
        let Some(wait) = known.as_ref().and_then(|heard| self.wait(heard)) else {
            fx.disarm(NfdETimer::Wait(peer));
            return self.suspect(peer, state, fx);
        };
        if state.suspects.contains(peer) {
            state.suspects.remove(peer);
            fx.emit(Suspicion::Trust(peer));
        }
        fx.arm(NfdETimer::Wait(peer), Bound::exactly(wait));
    }

    /// Takes a heartbeat to those of the window, unless its number is an old one, and drops those of a life before.
    fn accept(&self, heard: &mut HeardHeartbeats, number: u32) -> bool {
        let NfdEConfig { eta, alpha, window, grain, numbers } = self.config;
        let ahead = (number + numbers - heard.number % numbers) % numbers;
        if ahead == 0 || ahead >= numbers / 2 {
            return false;
        }
        let later = i64::from(heard.silence) * i64::from(grain) - i64::from(eta) * i64::from(ahead);
        heard.leads.push(0);
        heard.leads.iter_mut().for_each(|lead| *lead = lead.saturating_add(later));
        let surplus = (heard.leads.len() + 1).saturating_sub(window as usize);
        heard.leads.drain(..surplus);
        let earliest = -(i64::from(eta) + i64::from(alpha));
        heard.leads.retain(|lead| *lead >= earliest);
        heard.number = number;
        heard.silence = 0;
        true
    }

    /// The time from the newest heartbeat, which has just arrived, to the next freshness point; `None` if that has passed.
    fn wait(&self, heard: &HeardHeartbeats) -> Option<u32> {
        let count = heard.leads.len() as i128 + 1;
        let sum: i128 = heard.leads.iter().map(|lead| i128::from(*lead)).sum();
        let wait = i128::from(self.config.eta) + i128::from(self.config.alpha) - sum.div_euclid(count);
        if wait > 0 { Some(u32::try_from(wait).unwrap_or(u32::MAX)) } else { None }
    }
}

impl Protocol for NfdE {
    type State = NfdEState;
    type Msg = NfdEMsg;
    type Timer = NfdETimer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> NfdEState {
        let mut state = NfdEState { next: 0, suspects: ProcSet::EMPTY, known: PerProc::new(self.n, None) };
        self.beat(me, &mut state, fx);
        fx.arm(NfdETimer::Grain, Bound::exactly(self.config.grain));
        let first = Bound::exactly(self.config.eta.saturating_add(self.config.alpha));
        self.peers(me).for_each(|peer| fx.arm(NfdETimer::Wait(peer), first));
        state
    }

    fn step(&self, me: Pid, state: &mut NfdEState, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let stranger = |peer: Pid| peer == me || peer.index() >= self.n;
        match input {
            Input::Fire(NfdETimer::Beat) => self.beat(me, state, fx),
            Input::Fire(NfdETimer::Grain) => self.count(me, state, fx),
            Input::Fire(NfdETimer::Wait(peer)) | Input::Receive { from: peer, .. } if stranger(peer) => {}
            Input::Fire(NfdETimer::Wait(peer)) => self.suspect(peer, state, fx),
            Input::Receive { from, msg: NfdEMsg::Heartbeat { number } } => {
                self.hear(from, *number, state, fx)
            }
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl Promises for NfdE {
    fn about(&self, me: Pid, state: &NfdEState, whom: Pid) -> Option<PeerState<NfdETimer>> {
        if whom == me {
            let timers = vec![NfdETimer::Beat, NfdETimer::Grain];
            return Some(PeerState { state: packed(&state.next), timers });
        }
        let known = (state.suspects.contains(whom), state.known.get(whom).cloned());
        Some(PeerState { state: packed(&known), timers: vec![NfdETimer::Wait(whom)] })
    }

    fn reaches(&self, me: Pid, _: &NfdEState) -> ProcSet {
        self.peers(me).collect()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The local state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct NfdEState {
    /// The number of the next heartbeat.
    next: u32,
    suspects: ProcSet,
    /// What is known of the heartbeats of each peer.
    known: PerProc<Option<HeardHeartbeats>>,
}

/// The heartbeats of one peer that are in the window.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct HeardHeartbeats {
    /// The number of the newest.
    number: u32,
    /// The grains since it arrived.
    silence: u32,
    /// Of each of the others, the oldest first: by how much the newest came later than that one and their numbers say, in
    /// units of time.
    leads: Vec<i64>,
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum NfdEMsg {
    /// That the sender was alive when it was time for this number.
    #[kind("heartbeat")]
    Heartbeat {
        /// The number, modulo the numbers that there are.
        number: u32,
    },
}

/// The timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum NfdETimer {
    /// The next heartbeat.
    #[slot("beat")]
    Beat,
    /// One more grain of time has passed.
    #[slot("grain")]
    Grain,
    /// The next freshness point of this peer.
    #[slot("freshness point of")]
    Wait(Pid),
}

/// An invalid configuration of the detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NfdEError {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// Heartbeats follow each other without time between them.
    #[error("an eta of 0 sends heartbeats without end at one moment: choose 1 or more")]
    NoEta,
    /// Intervals cannot be counted so.
    #[error("intervals are counted in grains from 1 to eta, which is {eta}")]
    Grain {
        /// The time between two heartbeats.
        eta: u32,
    },
    /// The window is not possible.
    #[error("a window of {window} heartbeats is not possible: choose from 1 to {max}", max = MAX_WINDOW)]
    Window {
        /// The window that was asked for.
        window: u32,
    },
    /// The numbers cannot be counted so.
    #[error("{numbers} numbers of heartbeats are not possible: choose an even number from 4 to {max}", max = MAX_NUMBERS)]
    Numbers {
        /// How many were asked for.
        numbers: u32,
    },
    /// The time of half the numbers cannot be counted.
    #[error("with {numbers} numbers eta is too long: choose a shorter one, or fewer numbers")]
    EtaTooLong {
        /// The numbers.
        numbers: u32,
    },
    /// A heartbeat has longer than the numbers that there are.
    #[error("alpha is below {most}, or there are too few numbers")]
    AlphaTooLong {
        /// What it has to be below.
        most: u32,
    },
}
