//! The ring of three processes and its channels as a Stateright model: one channel for each ordered pair and
//! kind of message, of which only the fill matters. The model must stay step for step the one in
//! `models/ring.pml`; the tests hold both against published counts.

use crate::local::{Kind, Local, PROCESSES, Point, successor};
use stateright::{Model, Property};

/// The process that may crash.
pub const MORTAL: u8 = 1;

/// What a send into a full channel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The send happens and the message is lost.
    Ignore,
    /// The send has to wait.
    #[cfg_attr(not(test), allow(dead_code, reason = "the tests hold this variant against published counts"))]
    Block,
}

/// When process 1 crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// It has crashed before the first step.
    AtStart,
    /// At any time, or never.
    #[cfg_attr(not(test), allow(dead_code, reason = "the tests hold this variant against published counts"))]
    AnyTime,
}

/// The ring with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// How many messages a channel holds, at most `Ring::MAX_BUFFER`.
    pub buffer: u8,
    /// What a full channel does.
    pub when_full: WhenFull,
    /// When process 1 crashes.
    pub crash: Crash,
}

/// A state of the ring, packed in two words so that it is cheap to copy and to hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: u64,
    channels: u64,
}

/// A step of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    process: u8,
    kind: StepKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
    Ask,
    Suspect,
    Take(u8, Kind),
    Reply,
    Trust,
    TrustAll,
    Handle,
    Crash,
}

impl Ring {
    /// The largest buffer: a channel has four bits.
    pub const MAX_BUFFER: u8 = 15;

    /// Every state without a successor is a deadlock, named so in Stateright's discoveries.
    pub const DEADLOCK: &'static str = "no deadlock";

    fn may_send(&self, state: &State, from: u8, to: u8, kind: Kind) -> bool {
        from != to && (self.when_full == WhenFull::Ignore || state.fill(from, to, kind) < self.buffer)
    }

    fn send(&self, state: &mut State, from: u8, to: u8, kind: Kind) {
        if state.fill(from, to, kind) < self.buffer {
            state.channels += 1 << slot(from, to, kind);
        }
    }

    fn main_steps(&self, state: &State, me: u8, local: &Local, mut push: impl FnMut(StepKind)) {
        if !local.sent && self.may_send(state, me, local.target, Kind::Query) {
            push(StepKind::Ask);
        }
        if local.sent && !local.received {
            push(StepKind::Suspect);
        }
        if !local.holding {
            for from in (0..PROCESSES).filter(|&from| from != me) {
                for kind in [Kind::Query, Kind::Reply] {
                    if state.fill(from, me, kind) > 0 {
                        push(StepKind::Take(from, kind));
                    }
                }
            }
        } else if local.message == Some(Kind::Query) {
            if self.may_send(state, me, local.from, Kind::Reply) {
                push(StepKind::Reply);
            }
        } else if local.suspects(local.from) {
            push(StepKind::Trust);
        } else {
            push(StepKind::Handle);
        }
        if me == MORTAL {
            push(StepKind::Crash);
        }
    }
}

impl Model for Ring {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let mut state = State { processes: 0, channels: 0 };
        for me in 0..PROCESSES {
            let dead = me == MORTAL && self.crash == Crash::AtStart;
            state.set_local(me, if dead { Local::CRASHED } else { Local::initial(me) });
        }
        vec![state]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        for process in 0..PROCESSES {
            let local = state.local(process).resumed();
            let mut push = |kind| steps.push(Step { process, kind });
            match local.point {
                Point::Main => self.main_steps(state, process, &local, push),
                Point::Replied => push(StepKind::Trust),
                Point::Stopping => push(StepKind::TrustAll),
                Point::Crashed => {}
            }
        }
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut next = *state;
        let me = step.process;
        let local = state.local(me).resumed();
        let after = match step.kind {
            StepKind::Ask => {
                self.send(&mut next, me, local.target, Kind::Query);
                local.asked()
            }
            StepKind::Suspect => local.suspecting(),
            StepKind::Take(from, kind) => {
                next.channels -= 1 << slot(from, me, kind);
                local.taken(from, kind)
            }
            StepKind::Reply => {
                self.send(&mut next, me, local.from, Kind::Reply);
                local.replied()
            }
            StepKind::Trust => local.trusting(),
            StepKind::TrustAll => local.trusting_all(),
            StepKind::Handle => local.answered(),
            StepKind::Crash => Local::CRASHED,
        };
        next.set_local(me, after);
        Some(next)
    }

    /// Stateright looks at states without successors only for a property of this kind.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::eventually(Ring::DEADLOCK, |_, _| false)]
    }
}

impl State {
    /// The variables of `process`.
    pub fn local(&self, process: u8) -> Local {
        Local::unpack(self.processes >> (u32::from(process) * Local::BITS))
    }

    /// How many messages of this kind are on the way.
    pub fn fill(&self, from: u8, to: u8, kind: Kind) -> u8 {
        (self.channels >> slot(from, to, kind) & 15) as u8
    }

    fn set_local(&mut self, process: u8, local: Local) {
        let shift = u32::from(process) * Local::BITS;
        let mask = (1u64 << Local::BITS) - 1;
        self.processes = self.processes & !(mask << shift) | local.pack() << shift;
    }
}

/// Where the four bits of a channel begin.
fn slot(from: u8, to: u8, kind: Kind) -> u32 {
    let pair = 2 * from + u8::from(to != successor(from));
    u32::from(6 * (kind as u8 - 1) + pair) * 4
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
