//! The phi accrual failure detector: each process keeps the last intervals between the heartbeats of each peer, and
//! suspects a peer when its silence is as improbable as a threshold says. Phi is minus the decimal logarithm of the
//! probability that a heartbeat still comes after so long a silence.
//!
//! N. Hayashibara, X. Défago, R. Yared and T. Katayama, "The φ Accrual Failure Detector", Proceedings of the 23rd IEEE
//! International Symposium on Reliable Distributed Systems, 2004, pages 66 to 78; and three detectors in use that are called by
//! its name.
//!
//! # The forms
//! | form | phi after a silence of t | what it keeps |
//! | --- | --- | --- |
//! | [`PhiForm::Normal`] | the tail of the normal distribution with the mean and the deviation of the window | every interval |
//! | [`PhiForm::Akka`] | a logistic approximation of that tail; a pause is added to the mean; the deviation has a floor | no interval that ended a suspicion; it begins with two, 1/4 below and above an estimate |
//! | [`PhiForm::Cassandra`] | 0.434 t / mean, the exponential distribution | no interval above a limit; it begins with the limit |
//! | [`PhiForm::Chitchat`] | t / mean, where a prior counts as five intervals | no interval above a limit, and nothing from before a suspicion |
//!
//! The forms follow `PhiAccrualFailureDetector.scala` of Akka and Pekko, `FailureDetector.java` of Cassandra and
//! `failure_detector.rs` of chitchat.
//!
//! # How a process measures time
//! It has no clock. A timer fires every `grain`, and an interval is the number of times that it fired between two
//! heartbeats: at most one grain from the real one, and so is the sum of any number of intervals that follow each other.
//! Phi grows with silence, so it is never computed: the silence at which it reaches the threshold is, when a heartbeat
//! arrives, and a timer of the peer waits for it. Where phi counts in deviations, that is the mean plus the deviation times
//! a number that depends on the threshold alone. The silence is rounded up to whole units of time, and is otherwise within
//! one part in a million of what the formula says.
//!
//! # Where the sources leave a choice
//! - The paper says how phi comes about, and leaves the decision to each application. Here it is one threshold, which phi
//!   reaches, as in Akka, or exceeds, as in Cassandra and chitchat.
//! - The start counts as a heartbeat of everybody, and everybody is trusted then; the first heartbeats go out one period
//!   later. Akka and Cassandra do not watch a peer that they have never heard; chitchat suspects it until it has been heard twice.
//! - After a suspicion chitchat trusts a peer only when it knows an interval again: when two heartbeats have come without
//!   too long a silence between them.
//! - The systems ask phi once a second or so. Here the suspicion comes at the moment at which phi is high enough.
//! - Cassandra suspects nobody for a while after its own process was paused. A process here does not know of its pauses.
//!
//! # What it survives
//! A lost message is made good by the next heartbeat; a process that starts again is trusted by whoever hears it. After a pause
//! the heartbeats that were held up arrive as a burst: its intervals of nothing make the mean short and, where deviations
//! count, the deviation large, until the window has forgotten them.

mod form;
mod quantile;

pub use form::PhiForm;

use form::PhiPatience;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Never, Pack, PeerState, PerProc, Pid, ProcSet,
    Promises, Protocol, Slot, Suspicion, Symmetry, packed,
};

/// The most intervals of a window.
const MAX_WINDOW: u32 = 4096;

/// The longest interval, in grains, so that sums of squares can be counted.
const MAX_LONGEST: u32 = 1 << 24;

/// The thresholds that are possible, in thousandths. Below the least the tail of the normal distribution is no longer
/// found as it is here.
const THRESHOLDS: std::ops::RangeInclusive<u32> = 500..=100_000;

/// What a detector is made of. Durations are in units of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhiConfig {
    /// The form.
    pub form: PhiForm,
    /// The time between two heartbeats.
    pub period: u32,
    /// The phi of a suspicion, in thousandths.
    pub threshold: u32,
    /// The number of intervals that are kept of each peer.
    pub window: u32,
    /// The time by which intervals are counted.
    pub grain: u32,
    /// The interval that is expected before one was seen. [`PhiForm::Chitchat`] counts it five times, always.
    pub first: u32,
    /// An interval above this is left out, or is kept as one of this length: see [`PhiForm`].
    pub longest: u32,
    /// The pause that is acceptable beyond the mean: of [`PhiForm::Normal`] and [`PhiForm::Akka`].
    pub pause: u32,
    /// The least standard deviation: of [`PhiForm::Normal`] and [`PhiForm::Akka`].
    pub deviation: u32,
}

/// The detector, for `n` processes.
///
/// It announces a [`Suspicion`] whenever [`Phi::suspects`] changes. Messages that claim to come from the process itself,
/// or from outside the system, are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phi {
    n: usize,
    config: PhiConfig,
    quantile: i128,
}

impl Phi {
    /// The detector of so many processes.
    pub fn new(n: usize, config: PhiConfig) -> Result<Phi, PhiError> {
        if !(2..=MAX_PROCESSES).contains(&n) {
            return Err(PhiError::Size { n });
        }
        if config.period == 0 {
            return Err(PhiError::NoPeriod);
        }
        if config.grain == 0 {
            return Err(PhiError::NoGrain);
        }
        if !THRESHOLDS.contains(&config.threshold) {
            return Err(PhiError::Threshold);
        }
        if !(1..=MAX_WINDOW).contains(&config.window) {
            return Err(PhiError::Window { window: config.window });
        }
        if config.first < config.grain {
            return Err(PhiError::First { grain: config.grain });
        }
        if config.longest < config.first || config.longest / config.grain > MAX_LONGEST {
            let most = config.grain.saturating_mul(MAX_LONGEST);
            return Err(PhiError::Longest { least: config.first, most });
        }
        let quantile = config.form.quantile(config.threshold);
        Ok(Phi { n, config, quantile })
    }

    /// The number of processes.
    pub fn n(&self) -> usize {
        self.n
    }

    /// What it is made of.
    pub fn config(&self) -> &PhiConfig {
        &self.config
    }

    /// The suspects of process `me`.
    pub fn suspects(&self, me: Pid, state: &PhiState) -> ProcSet {
        state.suspects.intersection(ProcSet::first(self.n)).without(me)
    }

    /// How long a process in this state waits after a heartbeat of `peer` until it suspects it, by the intervals that it
    /// knows.
    pub fn patience(&self, peer: Pid, state: &PhiState) -> u32 {
        let PhiConfig { form, threshold, grain, pause, deviation, .. } = self.config;
        let first = self.grains(self.config.first);
        let patience =
            PhiPatience { form, quantile: self.quantile, threshold, grain, first, pause, deviation };
        let known = state.intervals.get(peer).map_or(&[][..], Vec::as_slice);
        let longest = self.grains(self.config.longest);
        patience.silence(known.iter().rev().take(self.config.window as usize).map(|one| (*one).min(longest)))
    }

    /// All others, in the order of their ids.
    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> {
        Pid::all(self.n).filter(move |&peer| peer != me)
    }

    /// How many grains these units are.
    fn grains(&self, units: u32) -> u32 {
        units / self.config.grain
    }

    /// The next heartbeat, one period from now.
    fn wait_to_beat(&self, fx: &mut impl Effects<Phi>) {
        fx.arm(PhiTimer::Beat, Bound::exactly(self.config.period));
    }

    /// Waits for a peer from now on.
    fn wait(&self, peer: Pid, state: &PhiState, fx: &mut impl Effects<Phi>) {
        fx.arm(PhiTimer::Wait(peer), Bound::exactly(self.patience(peer, state)));
    }

    /// One grain of time has passed for everybody whose silence matters.
    fn count(&self, me: Pid, state: &mut PhiState, fx: &mut impl Effects<Phi>) {
        let most = self.grains(self.config.longest) + 1;
        for peer in self.peers(me) {
            let counts = !state.suspects.contains(peer) || self.config.form.counts_suspects();
            if let Some(silence) = state.silences.get_mut(peer).filter(|_| counts) {
                *silence = silence.saturating_add(1).min(most);
            }
        }
        fx.arm(PhiTimer::Grain, Bound::exactly(self.config.grain));
    }

    /// Phi of this peer is high enough.
    fn suspect(&self, peer: Pid, state: &mut PhiState, fx: &mut impl Effects<Phi>) {
        if state.suspects.contains(peer) {
            return;
        }
        state.suspects.insert(peer);
        if let Some(intervals) = state.intervals.get_mut(peer).filter(|_| self.config.form.forgets()) {
            intervals.clear();
        }
        if let Some(silence) = state.silences.get_mut(peer).filter(|_| !self.config.form.counts_suspects()) {
            *silence = 0;
        }
        fx.emit(Suspicion::Suspect(peer));
    }

    /// A heartbeat of this peer.
    fn hear(&self, peer: Pid, state: &mut PhiState, fx: &mut impl Effects<Phi>) {
        let suspected = state.suspects.contains(peer);
        let (Some(silence), Some(intervals)) = (state.silences.get_mut(peer), state.intervals.get_mut(peer))
        else {
            return;
        };
        let silence = std::mem::take(silence);
        if let Some(kept) = self.config.form.kept(silence, self.grains(self.config.longest), suspected) {
            let surplus = (intervals.len() + 1).saturating_sub(self.config.window as usize);
            intervals.drain(..surplus);
            intervals.push(kept);
        }
        if suspected {
            if intervals.is_empty() {
                return;
            }
            state.suspects.remove(peer);
            fx.emit(Suspicion::Trust(peer));
        }
        self.wait(peer, state, fx);
    }
}

impl Protocol for Phi {
    type State = PhiState;
    type Msg = PhiMsg;
    type Timer = PhiTimer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> PhiState {
        let mut opening = self.config.form.opening(self.grains(self.config.first));
        opening.drain(..opening.len().saturating_sub(self.config.window as usize));
        let mut intervals = PerProc::new(self.n, opening);
        if let Some(own) = intervals.get_mut(me) {
            own.clear();
        }
        let state = PhiState { suspects: ProcSet::EMPTY, silences: PerProc::new(self.n, 0), intervals };
        self.wait_to_beat(fx);
        fx.arm(PhiTimer::Grain, Bound::exactly(self.config.grain));
        self.peers(me).for_each(|peer| self.wait(peer, &state, fx));
        state
    }

    fn step(&self, me: Pid, state: &mut PhiState, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        let stranger = |peer: Pid| peer == me || peer.index() >= self.n;
        match input {
            Input::Fire(PhiTimer::Beat) => {
                self.peers(me).for_each(|peer| fx.send(peer, PhiMsg::Heartbeat));
                self.wait_to_beat(fx);
            }
            Input::Fire(PhiTimer::Grain) => self.count(me, state, fx),
            Input::Fire(PhiTimer::Wait(peer)) | Input::Receive { from: peer, .. } if stranger(peer) => {}
            Input::Fire(PhiTimer::Wait(peer)) => self.suspect(peer, state, fx),
            Input::Receive { from, msg: PhiMsg::Heartbeat } => self.hear(from, state, fx),
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl Promises for Phi {
    fn about(&self, me: Pid, state: &PhiState, whom: Pid) -> Option<PeerState<PhiTimer>> {
        if whom == me {
            return Some(PeerState { state: Vec::new(), timers: vec![PhiTimer::Beat, PhiTimer::Grain] });
        }
        let known = (
            state.suspects.contains(whom),
            (state.silences.get(whom).copied(), state.intervals.get(whom).cloned()),
        );
        Some(PeerState { state: packed(&known), timers: vec![PhiTimer::Wait(whom)] })
    }

    fn reaches(&self, me: Pid, _: &PhiState) -> ProcSet {
        self.peers(me).collect()
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }
}

/// The local state: for each peer, whether it is suspected, for how many grains it has been silent, and the intervals that
/// are kept of it, the oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct PhiState {
    suspects: ProcSet,
    silences: PerProc<u32>,
    intervals: PerProc<Vec<u32>>,
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum PhiMsg {
    /// That the sender is alive.
    #[kind("heartbeat")]
    Heartbeat,
}

/// The timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum PhiTimer {
    /// The next heartbeat.
    #[slot("beat")]
    Beat,
    /// One more grain of time has passed.
    #[slot("grain")]
    Grain,
    /// Phi of this peer is high enough.
    #[slot("phi of")]
    Wait(Pid),
}

/// An invalid configuration of the detector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PhiError {
    /// The number of processes is not possible.
    #[error("{n} processes are not possible: choose from 2 to {max}", max = MAX_PROCESSES)]
    Size {
        /// The number that was asked for.
        n: usize,
    },
    /// The period is 0.
    #[error("a period of 0 beats without end at one moment: choose 1 or more")]
    NoPeriod,
    /// The grain is 0.
    #[error("with a grain of 0 no time can be counted: choose 1 or more")]
    NoGrain,
    /// The threshold is not possible.
    #[error("a threshold is from 0.5 to 100")]
    Threshold,
    /// The window is not possible.
    #[error("a window of {window} intervals is not possible: choose from 1 to {max}", max = MAX_WINDOW)]
    Window {
        /// The window that was asked for.
        window: u32,
    },
    /// The first interval has no length that can be counted.
    #[error("the first interval is shorter than a grain: choose {grain} or more")]
    First {
        /// The grain.
        grain: u32,
    },
    /// The longest interval is not possible.
    #[error("the longest interval is from {least}, the first one, to {most}")]
    Longest {
        /// The least that it can be.
        least: u32,
        /// The most that it can be.
        most: u32,
    },
}
