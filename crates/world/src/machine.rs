//! One process as the search sees it: its local states, the messages that can arrive at it, and how it
//! reacts, each worked out once and then looked up. A step of a protocol is a pure function of the local
//! state and the input, which is why it may be remembered at all.

use crate::World;
use crate::intern::Interner;
use crate::lane::Messages;
use crate::local::{Armed, Local, LocalOf};
use crate::memo::Memo;
use crate::record::{Recorder, Run, runs};
use std::hash::Hash;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use watchkeeper_core::{Input, Kind, Pid, Protocol, Slot, packed};
use watchkeeper_space::{ClassId, Id};

/// The cap on misdirected messages: a step that sends one is cut.
pub(crate) const MISDIRECTED: usize = 0;
/// The cap on the number of choices in one step.
pub(crate) const CHOICES: usize = 1;
/// The cap of unbounded channels; only there if they are.
pub(crate) const CHANNEL: usize = 2;

/// What is known of one process.
pub(crate) struct Machine<P: Protocol> {
    pub(crate) locals: Interner<LocalOf<P>, LocalMemo>,
    pub(crate) arrivals: Interner<Arrival<P::Msg>, ArrivalMemo>,
    /// From a local state and an input to a list of outcomes.
    steps: Memo,
    /// The local state of having crashed, if this process can have.
    pub(crate) crashed: Option<Id>,
}

/// What is remembered about a local state.
pub(crate) struct LocalMemo {
    pub(crate) packed: Box<[u8]>,
    pub(crate) mode: Mode,
    /// What comes of sending on, for a blocked process.
    unblock: OnceLock<Outcome>,
}

/// What a process can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Nothing but swallow messages.
    Crashed,
    /// Nothing but send on.
    Blocked,
    /// Take any input; these timers are armed.
    Ready(Armed),
}

/// A message on its way: what is in a lane.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Arrival<M> {
    pub(crate) lane: usize,
    pub(crate) msg: M,
}

/// What is remembered about a message on its way.
pub(crate) struct ArrivalMemo {
    pub(crate) packed: Box<[u8]>,
    pub(crate) class: ClassId,
}

impl<M: Eq + Hash> Messages for Interner<Arrival<M>, ArrivalMemo> {
    fn packed(&self, arrival: Id) -> &[u8] {
        &self.get(arrival).memo.packed
    }

    fn class(&self, arrival: Id) -> ClassId {
        self.get(arrival).memo.class
    }
}

/// What comes of a step for one choice, before the network has its say.
pub(crate) struct Outcome {
    /// The local state afterwards, if everything can be sent.
    pub(crate) local: Id,
    /// What is sent, in order.
    pub(crate) sends: Box<[Send]>,
    /// The cap that this step is beyond.
    pub(crate) cut: Option<usize>,
    /// The local states of waiting for room for each of the sends.
    waiting: Box<[OnceLock<Id>]>,
}

/// A message and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Send {
    pub(crate) lane: u32,
    pub(crate) arrival: Id,
}

impl<P: Protocol> Machine<P> {
    /// A process that may crash, or not.
    pub(crate) fn new(mortal: bool) -> Machine<P> {
        let mut machine =
            Machine { locals: Interner::new(), arrivals: Interner::new(), steps: Memo::new(), crashed: None };
        if mortal {
            machine.crashed = Some(machine.local(Local::Crashed));
        }
        machine
    }

    /// The id of a local state.
    pub(crate) fn local(&self, local: LocalOf<P>) -> Id {
        self.locals.intern(local, |local| {
            let mut bytes = Vec::new();
            local.pack(&mut bytes);
            let mode = match local {
                Local::Crashed => Mode::Crashed,
                Local::Up { outbox, .. } if !outbox.is_empty() => Mode::Blocked,
                Local::Up { armed, .. } => Mode::Ready(*armed),
            };
            let heap = 2 * bytes.len();
            (LocalMemo { packed: bytes.into(), mode, unblock: OnceLock::new() }, heap)
        })
    }

    #[inline]
    pub(crate) fn mode(&self, local: Id) -> Mode {
        self.locals.get(local).memo.mode
    }

    pub(crate) fn bytes(&self) -> usize {
        self.locals.bytes() + self.arrivals.bytes() + self.steps.bytes()
    }
}

impl<P: Protocol> World<P> {
    /// The id of a message on its way in a lane.
    pub(crate) fn arrival(&self, lane: usize, msg: P::Msg) -> Id {
        let (_, to, _) = self.routes.ends(lane);
        self.machines[to.index()].arrivals.intern(Arrival { lane, msg }, |arrival| {
            let bytes = packed(&arrival.msg);
            let heap = 2 * bytes.len();
            (ArrivalMemo { packed: bytes.into(), class: self.classes.deliver(arrival.msg.kind()) }, heap)
        })
    }

    /// What comes of the arrival of a message.
    pub(crate) fn received(&self, process: usize, local: Id, arrival: Id) -> &[Outcome] {
        let input = (P::Timer::NAMES.len() + self.calls.len()) as Id + arrival;
        self.steps(process, local, input, |fx, state| {
            let arrival = &self.machines[process].arrivals.get(arrival).value;
            let (from, _, _) = self.routes.ends(arrival.lane);
            let input = Input::Receive { from, msg: &arrival.msg };
            self.protocol.step(Pid::at(process), state, input, fx);
        })
    }

    /// What comes of the firing of a timer.
    pub(crate) fn fired(&self, process: usize, local: Id, slot: usize) -> &[Outcome] {
        self.steps(process, local, slot as Id, |fx, state| {
            let timer = P::Timer::from_index(slot).expect("only slots that exist are armed");
            self.protocol.step(Pid::at(process), state, Input::Fire(timer), fx);
        })
    }

    /// What comes of a call.
    pub(crate) fn called(&self, process: usize, local: Id, entry: usize) -> &[Outcome] {
        let input = (P::Timer::NAMES.len() + entry) as Id;
        self.steps(process, local, input, |fx, state| {
            let input = Input::Call(&self.calls[entry].call);
            self.protocol.step(Pid::at(process), state, input, fx);
        })
    }

    /// What comes of sending on, for a process that is blocked.
    pub(crate) fn unblocked(&self, process: usize, local: Id) -> &Outcome {
        let entry = self.machines[process].locals.get(local);
        entry.memo.unblock.get_or_init(|| match &*entry.value {
            Local::Up { state, armed, outbox } => {
                let run = Run { state: state.clone(), armed: *armed, sends: outbox.clone() };
                self.outcome(Pid::at(process), run)
            }
            Local::Crashed => unreachable!("a crashed process waits for nothing"),
        })
    }

    /// The local state of a process that waits for room for its `at`-th send of this outcome.
    pub(crate) fn waiting(&self, process: usize, outcome: &Outcome, at: usize) -> Id {
        *outcome.waiting[at].get_or_init(|| {
            let machine = &self.machines[process];
            let Local::Up { state, armed, .. } = &*machine.locals.get(outcome.local).value else {
                unreachable!("no step of a protocol ends in a crash")
            };
            let unsent = outcome.sends[at..].iter().map(|send| {
                let (_, to, _) = self.routes.ends(send.lane as usize);
                let arrival = self.machines[to.index()].arrivals.get(send.arrival);
                (to, arrival.value.msg.clone())
            });
            machine.local(Local::Up { state: state.clone(), armed: *armed, outbox: unsent.collect() })
        })
    }

    /// What one run of a step comes to.
    pub(crate) fn outcome(&self, me: Pid, run: Run<P>) -> Outcome {
        let mut sends = Vec::with_capacity(run.sends.len());
        for (to, msg) in run.sends {
            match self.routes.lane(me, to, msg.kind()) {
                Some(lane) => sends.push(Send { lane: lane as u32, arrival: self.arrival(lane, msg) }),
                None => return Outcome::beyond(MISDIRECTED),
            }
        }
        let local = Local::Up { state: run.state, armed: run.armed, outbox: Vec::new() };
        let cells = if self.classes.unblock.is_some() { sends.len() } else { 0 };
        Outcome {
            local: self.machines[me.index()].local(local),
            sends: sends.into(),
            cut: None,
            waiting: (0..cells).map(|_| OnceLock::new()).collect(),
        }
    }

    #[inline]
    fn steps(
        &self,
        process: usize,
        local: Id,
        input: Id,
        step: impl Fn(&mut Recorder<P>, &mut P::State),
    ) -> &[Outcome] {
        let memo = &self.machines[process].steps;
        let known = memo.get(local, input).unwrap_or_else(|| {
            let outcomes = self.all_outcomes(process, local, input, step);
            let sends: usize = outcomes.iter().map(|outcome| outcome.sends.len()).sum();
            let heap = size_of_val(&*outcomes) + sends * (size_of::<Send>() + size_of::<OnceLock<Id>>());
            self.heap.fetch_add(heap, Ordering::Relaxed);
            // Two threads may work out the same step; the one that is written down first stands.
            memo.insert(local, input, self.outcomes.push(outcomes))
        });
        self.outcomes.get(known)
    }

    fn all_outcomes(
        &self,
        process: usize,
        local: Id,
        input: Id,
        step: impl Fn(&mut Recorder<P>, &mut P::State),
    ) -> Box<[Outcome]> {
        let Local::Up { state, armed, .. } = &*self.machines[process].locals.get(local).value else {
            unreachable!("a crashed process takes no input")
        };
        let mut armed = *armed;
        if (input as usize) < P::Timer::NAMES.len() {
            armed.disarm(input as usize);
        }
        let (all, complete) = runs(armed, |fx| {
            let mut state = state.clone();
            step(fx, &mut state);
            state
        });
        let mut outcomes: Vec<Outcome> =
            all.into_iter().map(|run| self.outcome(Pid::at(process), run)).collect();
        if !complete {
            outcomes.push(Outcome::beyond(CHOICES));
        }
        outcomes.into()
    }
}

impl Outcome {
    /// A step that is left out.
    fn beyond(cap: usize) -> Outcome {
        Outcome { local: 0, sends: Box::default(), cut: Some(cap), waiting: Box::default() }
    }
}
