//! The accelerated heartbeat protocols of Gouda and McGuire: a coordinator asks its participants for a
//! sign of life, ever more often while one of them is silent, and if the silence lasts, every process stops
//! of its own accord. A process that has stopped never does anything again, and nobody stops because of a
//! participant that has left.
//!
//! M. G. Gouda and T. M. McGuire, "Accelerated Heartbeat Protocols", ICDCS 1998, pages 202 to 209; T. M.
//! McGuire and M. G. Gouda, "The Austin Protocol Compiler", Springer 2005, for the revised form. Six
//! protocols have one skeleton, which is [`Heartbeat`]; what differs between them is a [`HeartbeatVariant`]. What
//! they should guarantee is in [`HeartbeatRequirement`]. They are read as in chapter 3 of the thesis of M. Atif
//! (Eindhoven 2011), which found that they do not guarantee it, and repaired them.
//!
//! # The skeleton
//! p0 is the coordinator, p1 to pn are the participants. p0 waits for `t`, first `tmax`, then sends a beat to
//! every participant that it counts, and each answers with a beat. For a participant that was heard in a
//! round p0 would wait `tmax` in the next one, for a silent one half of what it has waited, and `t` is the
//! least of these waits; once it would be below `tmin`, p0 stops. A participant that hears nothing of p0 for
//! its [`patience`](Heartbeat::patience) stops too. All of this relies on messages that take at most `tmin`
//! there and back.
//!
//! # The correction
//! The thesis names two causes of the failures, and [`Heartbeat::corrected`] repairs what of them is the
//! protocol's: the patience, and the bound that p0 may promise
//! ([`coordinator_bound`](Heartbeat::coordinator_bound)). p0 itself needs no other timer for that, since its
//! rounds end in time. The second cause is the environment's: of things that fall on the same moment, due
//! deliveries must come before timeouts, everywhere and not only at the process that times out. No process
//! can see to that, so a world, a simulation or a run must.
//!
//! # Where the sources leave a choice
//! - Halving is integer division where durations are whole units. p0 starts as if everyone had just been heard.
//! - The end of p0 in the two-phase protocol is open in the sources. Here it stops exactly where the binary
//!   protocol does, when half of its last wait is below `tmin`; otherwise `tmin` is its next wait. So it
//!   never waits longer than the binary protocol, and what the correction promises holds for it too: at
//!   most `2 tmax + tmin`, which is no more than `3 tmax - tmin` where `2 tmin <= tmax`, and `2 tmax`
//!   elsewhere.
//! - The first request to join is sent `tmin` after the start, and the next ones every `tmin`, until p0's
//!   beat arrives.
//! - A participant that has decided to leave tells p0 so in every answer from then on, and does not stop.
//!   p0 counts it no more from the first such answer on, and does not answer it; should an older beat of it
//!   arrive late, p0 counts it until it has said so again. Nobody joins a second time.

mod error;
mod requirements;
mod state;
mod variant;

pub use error::HeartbeatError;
pub use requirements::{HeartbeatObserver, HeartbeatObserverState, HeartbeatRequirement};
pub use state::HeartbeatState;
pub use variant::{HeartbeatVariant, UnknownHeartbeatVariant};

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Pack, PerProc, Pid, ProcSet, Promises, Protocol,
    Slot, Symmetry, Time,
};

/// The coordinator.
const P0: Pid = Pid::at(0);

/// One of the heartbeat protocols, for a coordinator and its participants, with durations `T`.
///
/// A process that stops without having crashed announces [`Inactivated`](HeartbeatOutput::Inactivated) and
/// ignores everything from then on. Messages that a process cannot have been sent by this protocol are
/// ignored too.
///
/// # Renaming
/// Participants are alike. Only the order in which p0 hands out its beats follows their numbers, which no
/// network can show that has a channel for each participant and never makes p0 wait for room in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heartbeat<T = u32> {
    variant: HeartbeatVariant,
    tmin: T,
    tmax: T,
    participants: usize,
    corrected: bool,
}

impl<T: Time> Heartbeat<T> {
    /// The protocol as it was published. Rounds of p0 last between `tmin` and `tmax`; a message and the
    /// answer to it must together take at most `tmin`.
    pub fn new(
        variant: HeartbeatVariant,
        tmin: T,
        tmax: T,
        participants: usize,
    ) -> Result<Heartbeat<T>, HeartbeatError<T>> {
        if tmin.is_zero() {
            return Err(HeartbeatError::NoTmin);
        }
        if tmax.less(tmin) {
            return Err(HeartbeatError::TminAboveTmax { tmin, tmax });
        }
        if !tmax.fits(3) {
            return Err(HeartbeatError::TmaxTooLong { tmax });
        }
        if participants == 0 || participants >= MAX_PROCESSES {
            return Err(HeartbeatError::Participants { n: participants });
        }
        if participants > 1 && !variant.takes_many() {
            return Err(HeartbeatError::OnlyOne { variant, n: participants });
        }
        Ok(Heartbeat { variant, tmin, tmax, participants, corrected: false })
    }

    /// This protocol with the bounds that the thesis found to be right.
    #[must_use]
    pub fn corrected(self) -> Heartbeat<T> {
        Heartbeat { corrected: true, ..self }
    }

    /// Which of the protocols this is.
    pub fn variant(&self) -> HeartbeatVariant {
        self.variant
    }

    /// The shortest round of p0, and the most that a message and its answer may take.
    pub fn tmin(&self) -> T {
        self.tmin
    }

    /// The longest round of p0.
    pub fn tmax(&self) -> T {
        self.tmax
    }

    /// The number of participants.
    pub fn participants(&self) -> usize {
        self.participants
    }

    /// The number of processes: the participants and p0.
    pub fn processes(&self) -> usize {
        self.participants + 1
    }

    /// Whether the bounds are the corrected ones.
    pub fn is_corrected(&self) -> bool {
        self.corrected
    }

    /// How long a participant waits for a beat of p0 before it stops.
    pub fn patience(&self) -> T {
        match (self.corrected, self.variant.expects_joins()) {
            (false, _) => self.tmax.scaled(3, 1).minus(self.tmin),
            (true, false) => self.tmax.scaled(2, 1),
            (true, true) => self.tmax.scaled(2, 1).plus(self.tmin),
        }
    }

    /// The longest that p0 promises to go on without a beat of a participant that it counts.
    pub fn coordinator_bound(&self) -> T {
        if self.corrected && self.tmin.scaled(2, 1).at_most(self.tmax) {
            self.tmax.scaled(3, 1).minus(self.tmin)
        } else {
            self.tmax.scaled(2, 1)
        }
    }

    /// What clients may ask, and of whom: a participant of the dynamic protocol may be told to leave.
    pub fn calls(&self) -> Vec<(Pid, HeartbeatCall)> {
        let leaving =
            if self.variant == HeartbeatVariant::Dynamic { self.everyone() } else { ProcSet::EMPTY };
        leaving.iter().map(|p| (p, HeartbeatCall::Leave)).collect()
    }

    /// All participants.
    fn everyone(&self) -> ProcSet {
        ProcSet::first(self.processes()).without(P0)
    }

    /// The participants that p0 counts at the start.
    fn counted_at_first(&self) -> ProcSet {
        if self.variant.expects_joins() { ProcSet::EMPTY } else { self.everyone() }
    }

    /// The next wait for a participant that was silent for this one; `None` if p0 should stop.
    fn shortened(&self, wait: T) -> Option<T> {
        let half = wait.halved();
        match self.variant {
            _ if half.less(self.tmin) => None,
            HeartbeatVariant::TwoPhase => Some(self.tmin),
            _ => Some(half),
        }
    }

    /// The end of a round of p0: what it makes of the silent ones, and the next round unless it stops.
    fn end_round(&self, state: &mut HeartbeatState<T>, fx: &mut impl Effects<Heartbeat<T>, T>) {
        let HeartbeatState::Coordinator { counted, received, tm } = state else { return };
        let counted = counted.intersection(self.everyone());
        for p in counted.difference(*received).iter() {
            let Some(wait) = tm.get_mut(p) else { continue };
            match self.shortened(*wait) {
                Some(shorter) => *wait = shorter,
                None => return stop(state, fx),
            }
        }
        *received = ProcSet::EMPTY;
        for p in counted.iter() {
            fx.send(p, HeartbeatMsg::Beat);
        }
        // Whoever is not counted has a wait of tmax.
        let t = tm.iter().map(|(_, wait)| *wait).reduce(least).unwrap_or(self.tmax);
        fx.arm(HeartbeatTimer::Round, Bound::exactly(t));
    }

    /// What p0 makes of a message of a participant.
    fn collect(&self, state: &mut HeartbeatState<T>, from: Pid, msg: HeartbeatMsg) {
        let HeartbeatState::Coordinator { counted, received, tm } = state else { return };
        let Some(wait) = tm.get_mut(from) else { return };
        // It does not matter any more how long the participant had been silent.
        *wait = self.tmax;
        match msg {
            HeartbeatMsg::Beat => {
                counted.insert(from);
                received.insert(from);
            }
            HeartbeatMsg::Leave => {
                counted.remove(from);
                received.remove(from);
            }
        }
    }

    /// How a participant takes a beat of p0.
    fn answer(&self, state: &mut HeartbeatState<T>, fx: &mut impl Effects<Heartbeat<T>, T>) {
        match state {
            HeartbeatState::Joining => {
                *state = HeartbeatState::Joined;
                fx.disarm(HeartbeatTimer::Join);
                self.stay(fx);
            }
            HeartbeatState::Joined => self.stay(fx),
            HeartbeatState::Leaving => fx.reply(P0, HeartbeatMsg::Leave),
            HeartbeatState::Coordinator { .. } | HeartbeatState::Inactive => {}
        }
    }

    fn stay(&self, fx: &mut impl Effects<Heartbeat<T>, T>) {
        fx.arm(HeartbeatTimer::GiveUp, Bound::exactly(self.patience()));
        fx.reply(P0, HeartbeatMsg::Beat);
    }

    /// How a participant takes one of its timers.
    fn wake(
        &self,
        state: &mut HeartbeatState<T>,
        timer: HeartbeatTimer,
        fx: &mut impl Effects<Heartbeat<T>, T>,
    ) {
        match (timer, &state) {
            (HeartbeatTimer::GiveUp, HeartbeatState::Joining) => {
                fx.disarm(HeartbeatTimer::Join);
                stop(state, fx);
            }
            (HeartbeatTimer::GiveUp, HeartbeatState::Joined) => stop(state, fx),
            (HeartbeatTimer::Join, HeartbeatState::Joining) => {
                fx.send(P0, HeartbeatMsg::Beat);
                fx.arm(HeartbeatTimer::Join, Bound::exactly(self.tmin));
            }
            _ => {}
        }
    }
}

/// The shorter of two waits. Equal ones need no comparison.
fn least<T: Time>(one: T, other: T) -> T {
    if one == other { one } else { one.shorter(other) }
}

/// The process stops because of what it has, or has not, heard.
fn stop<T: Time>(state: &mut HeartbeatState<T>, fx: &mut impl Effects<Heartbeat<T>, T>) {
    *state = HeartbeatState::Inactive;
    fx.emit(HeartbeatOutput::Inactivated);
}

impl<T: Time> Protocol<T> for Heartbeat<T> {
    type State = HeartbeatState<T>;
    type Msg = HeartbeatMsg;
    type Timer = HeartbeatTimer;
    type Call = HeartbeatCall;
    type Output = HeartbeatOutput;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> HeartbeatState<T> {
        if me != P0 {
            fx.arm(HeartbeatTimer::GiveUp, Bound::exactly(self.patience()));
            if !self.variant.expects_joins() {
                return HeartbeatState::Joined;
            }
            fx.arm(HeartbeatTimer::Join, Bound::exactly(self.tmin));
            return HeartbeatState::Joining;
        }
        let counted = self.counted_at_first();
        let tm = PerProc::new(self.processes(), self.tmax);
        let mut state = HeartbeatState::Coordinator { counted, received: counted, tm };
        match self.variant {
            // As if a round had just ended in which everyone was heard.
            HeartbeatVariant::Revised => self.end_round(&mut state, fx),
            _ => fx.arm(HeartbeatTimer::Round, Bound::exactly(self.tmax)),
        }
        state
    }

    fn step(
        &self,
        me: Pid,
        state: &mut HeartbeatState<T>,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        match input {
            Input::Receive { msg: HeartbeatMsg::Leave, .. } if self.variant != HeartbeatVariant::Dynamic => {}
            Input::Receive { from, msg } if me == P0 && self.everyone().contains(from) => {
                self.collect(state, from, *msg);
            }
            Input::Receive { from: P0, msg: HeartbeatMsg::Beat } if me != P0 => self.answer(state, fx),
            Input::Receive { .. } => {}
            Input::Fire(HeartbeatTimer::Round) if me == P0 => self.end_round(state, fx),
            Input::Fire(timer) if me != P0 => self.wake(state, timer, fx),
            Input::Fire(_) | Input::Notice(_) => {}
            Input::Call(HeartbeatCall::Leave) => {
                if self.variant == HeartbeatVariant::Dynamic && *state == HeartbeatState::Joined {
                    *state = HeartbeatState::Leaving;
                    fx.disarm(HeartbeatTimer::GiveUp);
                }
            }
        }
    }

    fn meaning(&self, output: &HeartbeatOutput) -> Meaning {
        match output {
            HeartbeatOutput::Inactivated => Meaning::Stops,
        }
    }
}

impl<T: Time> Promises<T> for Heartbeat<T> {
    fn reaches(&self, _: Pid, state: &HeartbeatState<T>) -> ProcSet {
        match state {
            HeartbeatState::Coordinator { .. } => self.everyone(),
            HeartbeatState::Joining | HeartbeatState::Joined | HeartbeatState::Leaving => ProcSet::only(P0),
            HeartbeatState::Inactive => ProcSet::EMPTY,
        }
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Fixing(P0)
    }
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum HeartbeatMsg {
    /// A sign of life: p0's question, a participant's answer, and also its request to join.
    #[kind("beat")]
    Beat,
    /// The answer of a participant that leaves. Only the dynamic protocol has it.
    #[kind("leave")]
    Leave,
}

/// The timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum HeartbeatTimer {
    /// The end of a round of p0.
    Round,
    /// The end of a participant's patience.
    GiveUp,
    /// When a participant next asks to join.
    Join,
}

/// The requests of a client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum HeartbeatCall {
    /// Leave. Heeded by a participant of the dynamic protocol that has joined, and by nobody else.
    #[kind("leave")]
    Leave,
}

/// The announcements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum HeartbeatOutput {
    /// It stops, not because it has crashed or left, but because the protocol says so.
    #[kind("inactivated")]
    Inactivated,
}
