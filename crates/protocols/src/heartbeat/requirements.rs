//! What a heartbeat protocol should guarantee, as observers of its runs: R1, R2 and R3 of chapter 3 of the
//! thesis of M. Atif, for every variant and any number of participants. They judge by what can be seen from
//! outside and never look into a state of the protocol.
//!
//! # How they are read
//! - A beat that is lost excuses everything in R2 and R3, a request to join like any other message.
//! - A process is up until it crashes or is inactivated. R2 and R3 blame the protocol for an inactivation only
//!   while all others concerned are up: so the thesis says it, and so its tables have it. (A participant
//!   that has been inactivated takes p0 with it; that failure is R2's, and R3 does not count it again.)
//! - A participant concerns the others while p0 counts it: always, or in the expanding and dynamic protocols
//!   from the first beat that p0 receives of it until p0 receives that it leaves. So the crash of a participant
//!   that has decided to leave, but whose answer p0 has not yet received, is the crash of a participant.
//! - The thesis knows no recovery. The crash of p0, or of a participant that p0 counts, excuses for ever, also
//!   when the process starts again; a participant that crashed before p0 counted it is up once it has recovered.
//! - In R1 a bound is exceeded once more than it has passed.

use super::{Heartbeat, HeartbeatMsg, P0};
use strum::{Display, IntoStaticStr};
use watchkeeper_core::{
    Deadlines, Judgement, Observation, Observer, Pack, Perm, Pid, ProcSet, Symmetry, Time,
};

/// One of the three requirements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, IntoStaticStr)]
pub enum HeartbeatRequirement {
    /// If p0 receives no beat of a participant that it counts for as long as
    /// [`coordinator_bound`](Heartbeat::coordinator_bound) says, then it is no longer active.
    R1,
    /// No participant is inactivated while p0 and all other participants that p0 counts are up, and no
    /// message has been lost.
    R2,
    /// p0 is not inactivated while all participants that it counts are up, and no message has been lost.
    R3,
}

impl HeartbeatRequirement {
    /// All of them.
    pub const ALL: [HeartbeatRequirement; 3] =
        [HeartbeatRequirement::R1, HeartbeatRequirement::R2, HeartbeatRequirement::R3];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The observer of a requirement on runs of a heartbeat protocol with durations `T`.
///
/// For R1 it has one deadline for each participant, numbered from 0 for p1. R2 and R3 have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeartbeatObserver<T = u32> {
    requirement: HeartbeatRequirement,
    participants: ProcSet,
    counted_at_first: ProcSet,
    bound: T,
    only: Option<Pid>,
}

impl<T: Time> HeartbeatObserver<T> {
    /// The observer of this requirement, for all participants.
    pub fn new(requirement: HeartbeatRequirement, heartbeat: &Heartbeat<T>) -> HeartbeatObserver<T> {
        HeartbeatObserver {
            requirement,
            participants: heartbeat.everyone(),
            counted_at_first: heartbeat.counted_at_first(),
            bound: heartbeat.coordinator_bound(),
            only: None,
        }
    }

    /// This observer for what the requirement says of one participant; `None` if there is no such
    /// participant. Participants are alike, so if nothing is wrong with one of them nothing is wrong with any,
    /// and R1 then costs one deadline. R3 does not speak of a single participant, and stays what it is.
    #[must_use]
    pub fn only(self, participant: Pid) -> Option<HeartbeatObserver<T>> {
        let known = self.participants.contains(participant);
        let speaks = self.requirement != HeartbeatRequirement::R3;
        known.then_some(HeartbeatObserver { only: speaks.then_some(participant), ..self })
    }

    /// This observer with another bound for R1 than the protocol promises.
    #[must_use]
    pub fn within(self, bound: T) -> HeartbeatObserver<T> {
        HeartbeatObserver { bound, ..self }
    }

    /// The requirement.
    pub fn requirement(&self) -> HeartbeatRequirement {
        self.requirement
    }

    /// The participants for which the requirement is judged.
    fn judged(&self) -> ProcSet {
        self.only.map_or(self.participants, ProcSet::only)
    }

    fn see_r1(
        &self,
        state: &mut HeartbeatObserverState,
        observation: &Observation<'_, Heartbeat<T>, T>,
        deadlines: &mut Deadlines<T>,
    ) {
        match *observation {
            Observation::Received { by: P0, from, msg } if self.judged().contains(from) => match msg {
                HeartbeatMsg::Beat => deadlines.start(deadline(from), self.bound),
                HeartbeatMsg::Leave => deadlines.stop(deadline(from)),
            },
            Observation::Crashed { process: P0 } | Observation::Emitted { by: P0, .. } => {
                for p in self.judged().iter() {
                    deadlines.stop(deadline(p));
                }
                *state = HeartbeatObserverState::Settled;
            }
            _ => {}
        }
    }

    /// R2 and R3 see the same things and differ in what they make of an inactivation.
    fn see_excuses(
        &self,
        state: &mut HeartbeatObserverState,
        observation: &Observation<'_, Heartbeat<T>, T>,
    ) {
        let HeartbeatObserverState::Open { counted, down, leaving } = state else { return };
        let mut fallen = None;
        match *observation {
            Observation::Received { by: P0, from, msg: HeartbeatMsg::Beat } => counted.insert(from),
            Observation::Received { by: P0, from, msg: HeartbeatMsg::Leave } => counted.remove(from),
            Observation::Sent { by, msg: HeartbeatMsg::Leave, .. } => leaving.insert(by),
            Observation::Lost { .. } | Observation::Crashed { process: P0 } => {
                *state = HeartbeatObserverState::Settled
            }
            Observation::Crashed { process } => down.insert(process),
            Observation::Recovered { process } => down.remove(process),
            Observation::Emitted { by, .. } => {
                let excused = !counted.intersection(down.without(by)).is_empty();
                down.insert(by);
                fallen = Some((by, excused));
            }
            _ => {}
        }
        if let Some((by, excused)) = fallen {
            let spoken_of = match self.requirement {
                HeartbeatRequirement::R1 => false,
                HeartbeatRequirement::R2 => self.judged().contains(by),
                HeartbeatRequirement::R3 => by == P0,
            };
            if spoken_of && !excused {
                *state = HeartbeatObserverState::Violated(ProcSet::only(by));
            }
        }
        if self.is_settled(state) {
            *state = HeartbeatObserverState::Settled;
        }
    }

    /// Whether nothing that follows could be wrong.
    fn is_settled(&self, state: &HeartbeatObserverState) -> bool {
        let HeartbeatObserverState::Open { counted, down, leaving } = *state else { return false };
        // Whoever went down and never said that it leaves will be counted for ever.
        let for_good = counted.intersection(down).difference(leaving);
        let nobody_left = self.requirement == HeartbeatRequirement::R2 && self.judged().is_subset(down);
        down.contains(P0) || !for_good.is_empty() || nobody_left
    }
}

/// The number of the deadline for a participant.
fn deadline(participant: Pid) -> usize {
    participant.index().saturating_sub(1)
}

/// The participant that the deadline of this number is for.
fn watched(deadline: usize) -> Option<Pid> {
    deadline.checked_add(1).and_then(Pid::new)
}

impl<T: Time> Observer<Heartbeat<T>, T> for HeartbeatObserver<T> {
    type State = HeartbeatObserverState;

    fn name(&self) -> String {
        match self.only {
            Some(participant) => format!("{} for {participant}", self.requirement),
            None => self.requirement.to_string(),
        }
    }

    fn start(&self, deadlines: &mut Deadlines<T>) -> HeartbeatObserverState {
        let mut counted = self.counted_at_first;
        if self.requirement == HeartbeatRequirement::R1 {
            for p in counted.intersection(self.judged()).iter() {
                deadlines.start(deadline(p), self.bound);
            }
            // The deadlines that run say whom p0 counts.
            counted = ProcSet::EMPTY;
        }
        HeartbeatObserverState::Open { counted, down: ProcSet::EMPTY, leaving: ProcSet::EMPTY }
    }

    fn see(
        &self,
        state: &mut HeartbeatObserverState,
        observation: &Observation<'_, Heartbeat<T>, T>,
        deadlines: &mut Deadlines<T>,
    ) {
        if !matches!(state, HeartbeatObserverState::Open { .. }) {
            return;
        }
        match self.requirement {
            HeartbeatRequirement::R1 => self.see_r1(state, observation, deadlines),
            HeartbeatRequirement::R2 | HeartbeatRequirement::R3 => self.see_excuses(state, observation),
        }
    }

    fn expired(&self, state: &mut HeartbeatObserverState, deadline: usize, _: &mut Deadlines<T>) {
        let overdue = watched(deadline).filter(|&p| self.judged().contains(p));
        // Of those that are overdue at the same moment none is the first.
        *state = match (*state, overdue) {
            (HeartbeatObserverState::Open { .. }, Some(participant)) => {
                HeartbeatObserverState::Violated(ProcSet::only(participant))
            }
            (HeartbeatObserverState::Violated(others), Some(participant)) => {
                HeartbeatObserverState::Violated(others.with(participant))
            }
            (other, _) => other,
        };
    }

    fn judge(&self, state: &HeartbeatObserverState) -> Judgement {
        let by = match state {
            HeartbeatObserverState::Open { .. } => return Judgement::Open,
            HeartbeatObserverState::Settled => return Judgement::Settled,
            HeartbeatObserverState::Violated(by) => {
                by.iter().map(|p| p.to_string()).collect::<Vec<_>>().join(" and ")
            }
        };
        Judgement::Violated(match self.requirement {
            HeartbeatRequirement::R1 => {
                format!("p0 has received no beat of {by} for more than {}, and is still active", self.bound)
            }
            HeartbeatRequirement::R2 => {
                format!(
                    "{by} is inactivated, though p0 and all others it counts are up and no message was lost"
                )
            }
            HeartbeatRequirement::R3 => {
                format!("{by} is inactivated, though all whom it counts are up and no message was lost")
            }
        })
    }

    fn symmetry(&self) -> Symmetry {
        match self.only {
            Some(participant) => Symmetry::FixingAll(ProcSet::only(P0).with(participant)),
            None => Symmetry::Fixing(P0),
        }
    }

    fn rename_deadline(&self, number: usize, perm: &Perm) -> usize {
        watched(number).map_or(number, |participant| deadline(perm.apply(participant)))
    }
}

/// The state of the observer: only what can still change its judgement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub enum HeartbeatObserverState {
    /// Nothing is wrong so far.
    Open {
        /// The participants that p0 counts.
        counted: ProcSet,
        /// Who has crashed or been inactivated.
        down: ProcSet,
        /// Who has sent an answer that it leaves.
        leaving: ProcSet,
    },
    /// Nothing can be wrong any more.
    Settled,
    /// It is wrong because of these processes, all at the same moment.
    Violated(ProcSet),
}
