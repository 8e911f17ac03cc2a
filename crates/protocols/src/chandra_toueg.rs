//! The eventually perfect failure detector of Chandra and Toueg: every process tells all others again and
//! again that it is alive, suspects a peer that it has not heard for a timeout of that peer's own, and on
//! hearing a suspect trusts it again and is more patient with it from then on. No process ever looks at what
//! it thinks of one peer to judge another.
//!
//! T. D. Chandra and S. Toueg, "Unreliable Failure Detectors for Reliable Distributed Systems", Journal of the
//! ACM 43 (2), 1996, pages 225 to 267, figure 10. It is Algorithm 1 of T.-H. Tran, I. Konnov and J. Widder, "A
//! Case Study on Parametric Verification of Failure Detectors", 2022, called C here.
//!
//! # The three tasks
//! - Task 1, the beat: ALIVE goes to all others at the start and then every `period`.
//! - Task 2, the suspicion: a process that a peer has not been heard from for `timeout` suspects it. The paper
//!   lets a loop look at all peers again and again; here each peer has a timer, which is armed anew whenever
//!   the peer is heard and fires at the moment at which such a loop could first find the peer late.
//! - Task 3, the trust: a message from a suspect ends the suspicion, and its timeout grows by `growth`. So for
//!   every peer that does not crash, timeouts in the end are long enough wherever some bound holds, known or
//!   not.
//!
//! While a peer is suspected nothing waits for it: there is nothing more to find out by waiting.
//!
//! # Where the sources leave a choice
//! - In C a process also receives what it sends to itself. Here nobody sends to itself, and nobody suspects
//!   itself, because a process that could be late for itself would not be there to notice.
//! - The paper's timeouts grow for ever. Here they may have a cap, without which the states are infinitely
//!   many and no search can be whole; a timeout at its cap can be seen ([`ChandraToueg::at_cap`]). A cap that
//!   is the first timeout makes timeouts fixed, and the states as few as they can be: enough for an untimed
//!   world, in which nothing looks at the length of a timeout.
//!
//! # What it survives
//! A lost message is made good by the next beat. A process that starts again is trusted by whoever hears it,
//! and starts with short timeouts. So unlike the ring detectors this one recovers from any number of
//! losses, late messages and restarts, as soon as there are no more; it pays with n(n-1) messages a period.

mod timer;

pub use timer::ChandraTouegTimer;

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Never, Pack, PeerState, PerProc, Pid, ProcSet,
    Promises, Protocol, Suspicion, Symmetry, Time, packed,
};

/// The detector, for `n` processes, with durations `T`.
///
/// It announces a [`Suspicion`] whenever [`ChandraToueg::suspects`] changes, and never one about the process
/// itself. Messages that claim to come from the process itself, or from outside the system, are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChandraToueg<T = u32> {
    n: usize,
    period: T,
    timeout: T,
    growth: T,
    cap: Option<T>,
}

impl<T: Time> ChandraToueg<T> {
    /// The detector that beats every `period` and at first waits `timeout` for each peer. Timeouts grow by one
    /// unit and without end.
    pub fn new(n: usize, period: T, timeout: T) -> Result<ChandraToueg<T>, ChandraTouegError<T>> {
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(ChandraTouegError::Size { n });
        }
        if period.is_zero() {
            return Err(ChandraTouegError::NoPeriod);
        }
        if timeout.is_zero() {
            return Err(ChandraTouegError::NoTimeout);
        }
        Ok(ChandraToueg { n, period, timeout, growth: T::from(1), cap: None })
    }

    /// This detector with timeouts that grow by so much at a time.
    pub fn growing_by(self, growth: T) -> Result<ChandraToueg<T>, ChandraTouegError<T>> {
        if growth.is_zero() { Err(ChandraTouegError::NoGrowth) } else { Ok(ChandraToueg { growth, ..self }) }
    }

    /// This detector with timeouts that never become longer than `cap`.
    pub fn capped(self, cap: T) -> Result<ChandraToueg<T>, ChandraTouegError<T>> {
        if cap.less(self.timeout) {
            return Err(ChandraTouegError::Cap { cap, timeout: self.timeout });
        }
        Ok(ChandraToueg { cap: Some(cap), ..self })
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The time between two beats.
    pub fn period(&self) -> T {
        self.period
    }

    /// How long each peer is waited for at first.
    pub fn first_timeout(&self) -> T {
        self.timeout
    }

    /// How much a timeout grows that was too short.
    pub fn growth(&self) -> T {
        self.growth
    }

    /// The longest that a timeout can come to be; `None` if timeouts grow without end, so that there are
    /// infinitely many states and no search of them can be whole.
    pub fn timeout_cap(&self) -> Option<T> {
        self.cap
    }

    /// How long a process in this state waits for `peer`.
    pub fn timeout(&self, peer: Pid, state: &ChandraTouegState<T>) -> T {
        let remembered = state.timeouts.get(peer);
        remembered.map_or(self.timeout, |timeout| self.at_most_cap(self.timeout.longer(*timeout)))
    }

    /// The peers with which process `me` cannot become more patient: their timeouts stand at the cap. What is
    /// found out about a system in which there are such may be due to the cap.
    pub fn at_cap(&self, me: Pid, state: &ChandraTouegState<T>) -> ProcSet {
        let Some(cap) = self.cap else { return ProcSet::EMPTY };
        self.peers(me).filter(|&peer| self.timeout(peer, state) == cap).collect()
    }

    /// The suspects of process `me`. A state that came from outside may name the process itself, or one that
    /// the system does not have; nobody suspects those.
    pub fn suspects(&self, me: Pid, state: &ChandraTouegState<T>) -> ProcSet {
        state.suspects.intersection(ProcSet::first(self.n)).without(me)
    }

    /// This timeout, or the cap if that is shorter.
    fn at_most_cap(&self, timeout: T) -> T {
        self.cap.map_or(timeout, |cap| timeout.shorter(cap))
    }

    /// All others, in the order of their ids.
    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> {
        Pid::all(self.n).filter(move |&peer| peer != me)
    }

    /// Task 1 of the paper.
    fn beat(&self, me: Pid, fx: &mut impl Effects<ChandraToueg<T>, T>) {
        self.peers(me).for_each(|peer| fx.send(peer, ChandraTouegMsg::Alive));
        fx.arm(ChandraTouegTimer::Beat, Bound::exactly(self.period));
    }

    /// Waits for a peer from now on.
    fn wait(&self, peer: Pid, state: &ChandraTouegState<T>, fx: &mut impl Effects<ChandraToueg<T>, T>) {
        fx.arm(ChandraTouegTimer::Wait(peer), Bound::exactly(self.timeout(peer, state)));
    }

    /// Task 2 of the paper: this peer has not been heard for as long as it has.
    fn suspect(
        &self,
        peer: Pid,
        state: &mut ChandraTouegState<T>,
        fx: &mut impl Effects<ChandraToueg<T>, T>,
    ) {
        if !state.suspects.contains(peer) {
            state.suspects.insert(peer);
            fx.emit(Suspicion::Suspect(peer));
        }
    }

    /// Task 3 of the paper: this peer is heard.
    fn hear(&self, peer: Pid, state: &mut ChandraTouegState<T>, fx: &mut impl Effects<ChandraToueg<T>, T>) {
        if state.suspects.contains(peer) {
            state.suspects.remove(peer);
            let longer = self.at_most_cap(self.timeout(peer, state).plus(self.growth));
            if let Some(timeout) = state.timeouts.get_mut(peer) {
                *timeout = longer;
            }
            fx.emit(Suspicion::Trust(peer));
        }
        self.wait(peer, state, fx);
    }
}

impl<T: Time> Protocol<T> for ChandraToueg<T> {
    type State = ChandraTouegState<T>;
    type Msg = ChandraTouegMsg;
    type Timer = ChandraTouegTimer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> ChandraTouegState<T> {
        let state =
            ChandraTouegState { suspects: ProcSet::EMPTY, timeouts: PerProc::new(self.n, self.timeout) };
        self.beat(me, fx);
        self.peers(me).for_each(|peer| self.wait(peer, &state, fx));
        state
    }

    fn step(
        &self,
        me: Pid,
        state: &mut ChandraTouegState<T>,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        let stranger = |peer: Pid| peer == me || peer.index() >= self.n;
        match input {
            Input::Fire(ChandraTouegTimer::Beat) => self.beat(me, fx),
            Input::Fire(ChandraTouegTimer::Wait(peer)) | Input::Receive { from: peer, .. }
                if stranger(peer) => {}
            Input::Fire(ChandraTouegTimer::Wait(peer)) => self.suspect(peer, state, fx),
            Input::Receive { from, msg: ChandraTouegMsg::Alive } => self.hear(from, state, fx),
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl<T: Time> Promises<T> for ChandraToueg<T> {
    fn about(
        &self,
        me: Pid,
        state: &ChandraTouegState<T>,
        whom: Pid,
    ) -> Option<PeerState<ChandraTouegTimer>> {
        let timer = if whom == me { ChandraTouegTimer::Beat } else { ChandraTouegTimer::Wait(whom) };
        let known = (state.suspects.contains(whom), state.timeouts.get(whom).copied());
        Some(PeerState { state: packed(&known), timers: vec![timer] })
    }

    fn reaches(&self, me: Pid, _: &ChandraTouegState<T>) -> ProcSet {
        self.peers(me).collect()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The local state: for each peer, whether it is suspected, and its timeout, with durations `T`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct ChandraTouegState<T: Time = u32> {
    suspects: ProcSet,
    timeouts: PerProc<T>,
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum ChandraTouegMsg {
    /// That the sender is alive.
    #[kind("ALIVE")]
    Alive,
}

/// An invalid configuration of the detector, with durations `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChandraTouegError<T = u32> {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// The period is 0.
    #[error("a period of 0 beats without end at one moment: choose 1 or more")]
    NoPeriod,
    /// The timeout is 0.
    #[error("a timeout of 0 suspects before a message can come: choose 1 or more")]
    NoTimeout,
    /// Timeouts grow by 0.
    #[error("timeouts that grow by 0 are fixed: choose 1 or more, or a cap that is the first timeout")]
    NoGrowth,
    /// Timeouts may not become as long as they are at first.
    #[error("a cap of {cap} is below the first timeout: choose {timeout} or more")]
    Cap {
        /// The cap.
        cap: T,
        /// The first timeout.
        timeout: T,
    },
}
