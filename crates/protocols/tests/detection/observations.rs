//! Observations of a ring, which suspects, and of a heartbeat protocol, which stops.

pub use crate::effects::p;

use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Perm, Suspicion};
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatOutput, HeartbeatVariant};
use watchkeeper_protocols::ring::Ring;

/// Something that happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Suspects(usize, usize),
    Trusts(usize, usize),
    Crashes(usize),
    Recovers(usize),
    /// More than the bound has passed.
    Deadline,
}

impl Seen {
    /// The same with processes renamed.
    pub fn renamed(self, perm: &Perm) -> Seen {
        let turned = |number: usize| perm.apply(p(number)).index();
        match self {
            Seen::Suspects(by, of) => Seen::Suspects(turned(by), turned(of)),
            Seen::Trusts(by, of) => Seen::Trusts(turned(by), turned(of)),
            Seen::Crashes(process) => Seen::Crashes(turned(process)),
            Seen::Recovers(process) => Seen::Recovers(turned(process)),
            Seen::Deadline => Seen::Deadline,
        }
    }
}

/// What an observer of a ring remembers after these, and whether its deadline then runs.
pub fn followed<O: Observer<Ring>>(observer: &O, seen: &[Seen]) -> (O::State, bool) {
    let mut deadlines = Deadlines::default();
    let mut state = observer.start(&mut deadlines);
    for one in seen {
        match *one {
            Seen::Suspects(by, of) => {
                let output = Suspicion::Suspect(p(of));
                observer.see(
                    &mut state,
                    &Observation::Emitted { by: p(by), output: &output },
                    &mut deadlines,
                );
            }
            Seen::Trusts(by, of) => {
                let output = Suspicion::Trust(p(of));
                observer.see(
                    &mut state,
                    &Observation::Emitted { by: p(by), output: &output },
                    &mut deadlines,
                );
            }
            Seen::Crashes(process) => {
                observer.see(&mut state, &Observation::Crashed { process: p(process) }, &mut deadlines);
            }
            Seen::Recovers(process) => {
                observer.see(&mut state, &Observation::Recovered { process: p(process) }, &mut deadlines);
            }
            Seen::Deadline => {
                deadlines.stop(0);
                observer.expired(&mut state, 0, &mut deadlines);
            }
        }
    }
    let running = deadlines.orders().last().is_some_and(|(_, bound)| bound.is_some());
    (state, running)
}

/// What an observer of a ring says after these; nothing if it leaves it open.
pub fn said(observer: &impl Observer<Ring>, seen: &[Seen]) -> Option<String> {
    match observer.judge(&followed(observer, seen).0) {
        Judgement::Violated(how) => Some(how),
        Judgement::Open | Judgement::Settled => None,
    }
}

/// What an observer of a heartbeat protocol says after crashes of some and then stops of others.
pub fn said_of_beats(
    observer: &impl Observer<Heartbeat>,
    crashes: &[usize],
    stops: &[usize],
    deadline: bool,
) -> Option<String> {
    let mut deadlines = Deadlines::default();
    let mut state = observer.start(&mut deadlines);
    for &process in crashes {
        observer.see(&mut state, &Observation::Crashed { process: p(process) }, &mut deadlines);
    }
    for &by in stops {
        let output = HeartbeatOutput::Inactivated;
        observer.see(&mut state, &Observation::Emitted { by: p(by), output: &output }, &mut deadlines);
    }
    if deadline {
        observer.expired(&mut state, 0, &mut deadlines);
    }
    match observer.judge(&state) {
        Judgement::Violated(how) => Some(how),
        Judgement::Open | Judgement::Settled => None,
    }
}

pub fn ring(n: usize) -> Ring {
    Ring::new(n, 4).expect("a ring")
}

pub fn beats(participants: usize) -> Heartbeat {
    Heartbeat::new(HeartbeatVariant::Static, 2, 8, participants).expect("a heartbeat protocol")
}
