//! Algorithm 11 in stages: each round has three in which a process can wait, and what is said in one of them is heard
//! in a later one. Only the coordinator is ever in the first or the third.

use super::{Rotating, RotatingCourse, RotatingFlaw, RotatingMsg, RotatingState, RotatingTask};
use watchkeeper_core::{Pid, Stage, Staged};

/// The phases in which a process waits: 2, 3 and 4 of the paper.
const GATHER: u8 = 0;
const LISTEN: u8 = 1;
const COUNT: u8 = 2;

impl Staged for Rotating {
    fn stage(&self, _: Pid, state: &RotatingState) -> Option<Stage> {
        match &state.course {
            RotatingCourse::Idle => Some(Stage { round: 0, phase: 0 }),
            RotatingCourse::Underway { own, task } => {
                let phase = match task {
                    RotatingTask::Gather { .. } => GATHER,
                    RotatingTask::Listen => LISTEN,
                    RotatingTask::Count { .. } => COUNT,
                };
                Some(Stage { round: own.round, phase })
            }
            RotatingCourse::Decided(_) => None,
        }
    }

    fn stage_of(&self, msg: &RotatingMsg) -> Option<Stage> {
        match *msg {
            RotatingMsg::Estimate { round, .. } => Some(Stage { round, phase: GATHER }),
            RotatingMsg::Proposal { round, .. } => Some(Stage { round, phase: LISTEN }),
            RotatingMsg::Ack { round } | RotatingMsg::Nack { round } => Some(Stage { round, phase: COUNT }),
            RotatingMsg::Decide { .. } => None,
        }
    }

    fn cycle(&self) -> Option<u64> {
        Some(self.n as u64)
    }

    fn rounds_in(&self, state: &RotatingState) -> Vec<u64> {
        match &state.course {
            RotatingCourse::Underway { own, task: RotatingTask::Gather { stamp, .. } } => {
                vec![own.round, own.stamp, *stamp]
            }
            RotatingCourse::Underway { own, .. } => vec![own.round, own.stamp],
            _ => Vec::new(),
        }
    }

    fn rounds_in_message(&self, msg: &RotatingMsg) -> Vec<u64> {
        match *msg {
            RotatingMsg::Estimate { round, stamp, .. } => vec![round, stamp],
            RotatingMsg::Proposal { round, .. }
            | RotatingMsg::Ack { round }
            | RotatingMsg::Nack { round } => {
                vec![round]
            }
            RotatingMsg::Decide { .. } => Vec::new(),
        }
    }

    fn renumber(&self, state: &RotatingState, to: &dyn Fn(u64) -> u64) -> RotatingState {
        let mut renamed = state.clone();
        if let RotatingCourse::Underway { own, task } = &mut renamed.course {
            (own.round, own.stamp) = (to(own.round), to(own.stamp));
            if let RotatingTask::Gather { stamp, .. } = task {
                *stamp = to(*stamp);
            }
        }
        renamed
    }

    fn renumber_message(&self, msg: &RotatingMsg, to: &dyn Fn(u64) -> u64) -> RotatingMsg {
        let mut renamed = *msg;
        match &mut renamed {
            RotatingMsg::Estimate { round, stamp, .. } => (*round, *stamp) = (to(*round), to(*stamp)),
            RotatingMsg::Proposal { round, .. }
            | RotatingMsg::Ack { round }
            | RotatingMsg::Nack { round } => {
                *round = to(*round);
            }
            RotatingMsg::Decide { .. } => {}
        }
        renamed
    }

    fn waits_for(&self, _: Pid, state: &RotatingState, whom: Pid) -> bool {
        match &state.course {
            RotatingCourse::Underway { own, task: RotatingTask::Listen } => {
                self.coordinator(own.round) == whom && !self.has(RotatingFlaw::Deaf)
            }
            _ => false,
        }
    }
}
