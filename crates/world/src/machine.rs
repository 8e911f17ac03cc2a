//! One process as the search sees it: its local states, the messages that can arrive at it, and how it
//! reacts, each worked out once and then looked up. A step of a protocol is a pure function of the local
//! state and the input, which is why it may be remembered at all.

use crate::channel::ChannelMessages;
use crate::local::{ArmedTimers, LocalState, SlotIndex};
use crate::machine_input::MachineInput;
use crate::memo::Memo;
use crate::observation::NOTHING;
use crate::record::{Effect, StepRun, runs};
use crate::remaining::Remaining;
use crate::{Delay, World};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use watchkeeper_automaton::{
    Interner, MsgId, OutputId, ProtocolAutomaton, RawObservation, StateId, Stimulus,
};
use watchkeeper_core::{Pid, Reception};
use watchkeeper_space::{ClassId, Id};

/// The cap on misdirected messages: a step that sends one is cut.
pub(crate) const MISDIRECTED: usize = 0;
/// The cap on the number of choices in one step.
pub(crate) const CHOICES: usize = 1;
/// The cap on how long a timer can be armed for.
pub(crate) const DURATION: usize = 2;
/// The cap on observers that start deadlines where there is no time.
pub(crate) const UNTIMED_DEADLINE: usize = 3;
/// The cap on deadlines that run at once in dense time.
pub(crate) const DEADLINES: usize = 4;
/// The cap of unbounded channels; only there if they are.
pub(crate) const CHANNEL: usize = 5;

/// What is known of one process.
pub(crate) struct Machine {
    automaton: Arc<dyn ProtocolAutomaton>,
    pub(crate) locals: Interner<LocalState, LocalMemo>,
    pub(crate) flights: Interner<InFlight, InFlightMemo>,
    /// From a local state and an input to a list of outcomes.
    steps: Memo,
    /// The local state of having crashed, if this process can have.
    pub(crate) crashed: Option<Id>,
    /// The ways in which it can start again after a crash.
    pub(crate) recovered: OnceLock<Box<[StepOutcome]>>,
}

/// What is remembered about a local state.
pub(crate) struct LocalMemo {
    pub(crate) packed: Box<[u8]>,
    /// A number that the packed bytes decide.
    pub(crate) rank: u64,
    pub(crate) mode: ProcessMode,
    /// The slots whose timers may fire, unless their clocks or the moment say otherwise.
    pub(crate) enabled: Box<[SlotIndex]>,
    /// In dense time: the slots whose timers have clocks.
    clocks: Box<[SlotIndex]>,
    /// In ticks: the local state one tick later; `None` if something must happen before.
    ticked: OnceLock<Option<Id>>,
    /// What comes of sending on, for a blocked process.
    unblock: OnceLock<StepOutcome>,
}

/// What a process can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProcessMode {
    /// Nothing but swallow messages.
    Crashed,
    /// Nothing but send on.
    Blocked,
    /// Take any input.
    Ready,
}

/// A message on its way: what is in a channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct InFlight {
    pub(crate) channel: usize,
    pub(crate) msg: MsgId,
    pub(crate) remaining: Remaining,
}

/// What is remembered about a message on its way.
pub(crate) struct InFlightMemo {
    pub(crate) packed: Box<[u8]>,
    pub(crate) class: ClassId,
    /// What observers see when it is lost.
    lost: OnceLock<Id>,
    /// In ticks: the message one tick later; `None` if it must arrive before.
    ticked: OnceLock<Option<Id>>,
}

impl ChannelMessages for Interner<InFlight, InFlightMemo> {
    fn packed(&self, flight: Id) -> &[u8] {
        &self.get(flight).memo.packed
    }

    fn class(&self, flight: Id) -> ClassId {
        self.get(flight).memo.class
    }

    fn remaining(&self, flight: Id) -> Remaining {
        self.get(flight).value.remaining
    }
}

/// What comes of a step for one choice, before the network has its say.
pub(crate) struct StepOutcome {
    /// The local state afterwards, if everything can be sent.
    pub(crate) local: Id,
    /// What is sent, in order.
    pub(crate) sends: Box<[Send]>,
    /// In dense time: the timers that were armed, with the values at which their clocks begin.
    pub(crate) fresh: Box<[(SlotIndex, i32)]>,
    /// What it announces, in order.
    pub(crate) outputs: Box<[OutputId]>,
    /// What observers see.
    pub(crate) observation: Id,
    /// The cap that this step is beyond.
    pub(crate) cut: Option<usize>,
    /// Whether a process was told something, and nothing came of it.
    pub(crate) idle: bool,
    /// The local states of waiting for room for each of the sends.
    waiting: Box<[OnceLock<Id>]>,
}

/// A message and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Send {
    pub(crate) channel: u32,
    pub(crate) flight: Id,
    /// Whether it has the clock of the message that is being handled.
    pub(crate) inherits: bool,
}

impl Machine {
    /// A process that may crash, or not.
    pub(crate) fn new(automaton: Arc<dyn ProtocolAutomaton>, mortal: bool) -> Machine {
        let mut machine = Machine {
            automaton,
            locals: Interner::new(),
            flights: Interner::new(),
            steps: Memo::new(),
            crashed: None,
            recovered: OnceLock::new(),
        };
        if mortal {
            machine.crashed = Some(machine.local(LocalState::Crashed));
        }
        machine
    }

    /// The id of a local state.
    pub(crate) fn local(&self, local: LocalState) -> Id {
        self.locals.intern(local, |local| {
            let mut bytes = Vec::new();
            local.pack(&*self.automaton, &mut bytes);
            let (mut enabled, mut clocks, mut mode) = (Vec::new(), Vec::new(), ProcessMode::Crashed);
            if let LocalState::Up { timers, outbox, .. } = local {
                mode = if outbox.is_empty() { ProcessMode::Ready } else { ProcessMode::Blocked };
                enabled = timers.enabled().collect();
                clocks = timers.clocked().collect();
            }
            let heap = 2 * bytes.len() + size_of::<SlotIndex>() * (enabled.len() + clocks.len());
            let memo = LocalMemo {
                rank: rank(&bytes),
                packed: bytes.into(),
                mode,
                enabled: enabled.into(),
                clocks: clocks.into(),
                ticked: OnceLock::new(),
                unblock: OnceLock::new(),
            };
            (memo, heap)
        })
    }

    /// In ticks: a local state one tick later; `None` if something must happen before.
    #[inline]
    pub(crate) fn ticked(&self, local: Id) -> Option<Id> {
        let entry = self.locals.get(local);
        *entry.memo.ticked.get_or_init(|| match &*entry.value {
            LocalState::Crashed => Some(local),
            LocalState::Up { state, timers, outbox } => {
                let (state, outbox) = (*state, outbox.clone());
                Some(self.local(LocalState::Up { state, timers: timers.ticked()?, outbox }))
            }
        })
    }

    /// In dense time: the slots whose timers have clocks, in order.
    #[inline]
    pub(crate) fn clocks(&self, local: Id) -> &[SlotIndex] {
        &self.locals.get(local).memo.clocks
    }

    /// What the timer in a slot remembers of its bound.
    pub(crate) fn remaining(&self, local: Id, slot: usize) -> Option<Remaining> {
        match &*self.locals.get(local).value {
            LocalState::Up { timers, .. } => timers.get(slot),
            LocalState::Crashed => None,
        }
    }

    /// The slots whose timers may fire, in order.
    #[inline]
    pub(crate) fn enabled(&self, local: Id) -> &[SlotIndex] {
        &self.locals.get(local).memo.enabled
    }

    #[inline]
    pub(crate) fn mode(&self, local: Id) -> ProcessMode {
        self.locals.get(local).memo.mode
    }

    /// The steps that are known: local states and inputs.
    pub(crate) fn known_steps(&self) -> Vec<(Id, Id)> {
        self.steps.pairs()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.locals.bytes() + self.flights.bytes() + self.steps.bytes()
    }
}

impl World {
    /// The id of a message on its way in a channel.
    pub(crate) fn flight(&self, channel: usize, msg: MsgId, remaining: Remaining) -> Id {
        self.machines[self.routes.receiver(channel).index()].flights.intern(
            InFlight { channel, msg, remaining },
            |_| {
                let messages = self.automaton.messages();
                let mut bytes = messages.packed(msg.0).to_vec();
                remaining.pack(&mut bytes);
                let heap = 2 * bytes.len();
                let class = self.classes.deliver(messages.kind(msg.0));
                let (lost, ticked) = (OnceLock::new(), OnceLock::new());
                (InFlightMemo { packed: bytes.into(), class, lost, ticked }, heap)
            },
        )
    }

    /// A message in flight in a channel, by its id.
    pub(crate) fn in_flight(&self, channel: usize, flight: Id) -> &InFlight {
        &self.machines[self.routes.receiver(channel).index()].flights.get(flight).value
    }

    /// In ticks: a message one tick later; `None` if it must arrive before.
    pub(crate) fn ticked_flight(&self, process: usize, flight: Id) -> Option<Id> {
        let entry = self.machines[process].flights.get(flight);
        *entry.memo.ticked.get_or_init(|| {
            let InFlight { channel, msg, remaining } = *entry.value;
            Some(self.flight(channel, msg, remaining.ticked()?))
        })
    }

    /// What observers see when a message is lost.
    pub(crate) fn lost(&self, channel: usize, flight: Id) -> Id {
        if self.observers.is_empty() {
            return NOTHING;
        }
        let (from, to, _) = self.routes.ends(channel);
        let entry = self.machines[to.index()].flights.get(flight);
        *entry.memo.lost.get_or_init(|| {
            self.observations.intern(vec![RawObservation::Lost { from, to, msg: entry.value.msg }])
        })
    }

    /// What comes of the arrival of a message.
    #[inline]
    pub(crate) fn received(&self, process: usize, local: Id, flight: Id) -> &[StepOutcome] {
        let input = self.first_message + flight;
        self.steps(process, local, input, MachineInput::Receive(flight))
    }

    /// What comes of the firing of a timer.
    #[inline]
    pub(crate) fn fired(&self, process: usize, local: Id, slot: usize) -> &[StepOutcome] {
        self.steps(process, local, slot as Id, MachineInput::Fire(slot))
    }

    /// What comes of a call.
    pub(crate) fn called(&self, process: usize, local: Id, entry: usize) -> &[StepOutcome] {
        let input = (self.automaton.facts().timers.len() + entry) as Id;
        self.steps(process, local, input, MachineInput::Call(entry))
    }

    /// What comes of being told that a suspicion begins or ends; or both at once, where it is momentary.
    pub(crate) fn noticed(&self, process: usize, local: Id, whom: usize, begins: bool) -> &[StepOutcome] {
        let input = self.first_message - (2 * whom + usize::from(begins)) as Id - 1;
        self.steps(process, local, input, MachineInput::Notice { whom, begins })
    }

    /// What comes of sending on, for a process that is blocked.
    pub(crate) fn unblocked(&self, process: usize, local: Id) -> &StepOutcome {
        let entry = self.machines[process].locals.get(local);
        entry.memo.unblock.get_or_init(|| match &*entry.value {
            LocalState::Up { state, timers, outbox } => {
                let send = |&(to, msg): &(Pid, MsgId)| Effect::Send { to, msg, reply: false };
                let run = StepRun {
                    state: *state,
                    timers: timers.clone(),
                    fresh: Vec::new(),
                    effects: outbox.iter().map(send).collect(),
                    too_long: false,
                };
                // Observers saw the messages when the process handed them out.
                StepOutcome { observation: NOTHING, ..self.outcome(Pid::at(process), run, None, None) }
            }
            LocalState::Crashed => unreachable!("a crashed process waits for nothing"),
        })
    }

    /// The local state of a process that waits for room for its `at`-th send of this outcome.
    pub(crate) fn waiting(&self, process: usize, outcome: &StepOutcome, at: usize) -> Id {
        *outcome.waiting[at].get_or_init(|| {
            let machine = &self.machines[process];
            let LocalState::Up { state, timers, .. } = &*machine.locals.get(outcome.local).value else {
                unreachable!("no step of a protocol ends in a crash")
            };
            let unsent = outcome.sends[at..].iter().map(|send| {
                let channel = send.channel as usize;
                (self.routes.receiver(channel), self.in_flight(channel, send.flight).msg)
            });
            machine.local(LocalState::Up { state: *state, timers: timers.clone(), outbox: unsent.collect() })
        })
    }

    /// What one run of a step comes to. A reply to `request` inherits what it remembers; `first` is what
    /// observers see before what the run hands out.
    pub(crate) fn outcome(
        &self,
        me: Pid,
        run: StepRun,
        request: Option<(Pid, Remaining)>,
        first: Option<RawObservation>,
    ) -> StepOutcome {
        if run.too_long {
            return StepOutcome::beyond(DURATION);
        }
        if let Some(cap) = self.horizon.filter(|_| self.automaton.beyond(run.state)) {
            return StepOutcome::beyond(cap);
        }
        let observation = self.observation(me, first, &run.effects);
        let mut sends = Vec::with_capacity(run.effects.len());
        let mut outputs = Vec::new();
        for effect in run.effects {
            let (to, msg, reply) = match effect {
                Effect::Send { to, msg, reply } => (to, msg, reply),
                Effect::Emit(output) => {
                    outputs.push(output);
                    continue;
                }
            };
            let Some(channel) = self.routes.channel(me, to, self.automaton.messages().kind(msg.0)) else {
                return StepOutcome::beyond(MISDIRECTED);
            };
            let inherited =
                request.filter(|(from, remaining)| reply && *from == to && *remaining != Remaining::Untimed);
            let remaining = inherited.map_or(self.message_remaining, |(_, remaining)| remaining.inherited());
            let inherits = inherited.is_some() && remaining.has_clock();
            sends.push(Send {
                channel: channel as u32,
                flight: self.flight(channel, msg, remaining),
                inherits,
            });
        }
        let local = LocalState::Up { state: run.state, timers: run.timers, outbox: Vec::new() };
        let cells = if self.classes.unblock.is_some() { sends.len() } else { 0 };
        StepOutcome {
            local: self.machines[me.index()].local(local),
            sends: sends.into(),
            fresh: run.fresh.into(),
            outputs: outputs.into(),
            observation,
            cut: None,
            idle: false,
            waiting: (0..cells).map(|_| OnceLock::new()).collect(),
        }
    }

    /// What observers see of a run.
    fn observation(&self, me: Pid, first: Option<RawObservation>, effects: &[Effect]) -> Id {
        if self.observers.is_empty() {
            return NOTHING;
        }
        let told = effects.iter().map(|effect| match effect {
            Effect::Send { to, msg, .. } => RawObservation::Sent { by: me, to: *to, msg: *msg },
            Effect::Emit(output) => RawObservation::Emitted { by: me, output: *output },
        });
        self.observations.intern(first.into_iter().chain(told).collect())
    }

    #[inline]
    fn steps(&self, process: usize, local: Id, input: Id, cause: MachineInput) -> &[StepOutcome] {
        let memo = &self.machines[process].steps;
        let known = memo.get(local, input).unwrap_or_else(|| {
            let outcomes = self.all_outcomes(process, local, cause);
            if self.auditing.load(Ordering::Relaxed) {
                self.audit(process, local, cause);
            }
            self.weigh(&outcomes);
            // Two threads may work out the same step; the one that is written down first stands.
            memo.insert(local, input, self.outcomes.push(outcomes))
        });
        self.outcomes.get(known)
    }

    /// Counts the bytes of outcomes that will be remembered.
    pub(crate) fn weigh(&self, outcomes: &[StepOutcome]) {
        let sends: usize = outcomes.iter().map(|outcome| outcome.sends.len()).sum();
        let outputs: usize = outcomes.iter().map(|outcome| size_of_val(&*outcome.outputs)).sum();
        let sent = sends * (size_of::<Send>() + size_of::<OnceLock<Id>>());
        let heap = size_of_val(outcomes) + sent + outputs;
        self.heap.fetch_add(heap, Ordering::Relaxed);
    }

    fn all_outcomes(&self, process: usize, local: Id, cause: MachineInput) -> Box<[StepOutcome]> {
        let machine = &self.machines[process];
        let LocalState::Up { state, timers, .. } = &*machine.locals.get(local).value else {
            unreachable!("a crashed process takes no input")
        };
        let (me, state): (Pid, StateId) = (Pid::at(process), *state);
        let mut timers: ArmedTimers = timers.clone();
        let mut request = None;
        let inputs = self.stimuli(process, cause);
        let first = match inputs[0] {
            Stimulus::Fire(slot) => {
                timers.disarm(slot);
                Some(RawObservation::Fired { by: me, slot })
            }
            Stimulus::Call(call) => Some(RawObservation::Called { by: me, call }),
            // Observers see what processes do, not what they are told.
            Stimulus::Notice(_) => None,
            Stimulus::Receive { from, msg } => {
                if self.selective && self.automaton.reception(me, state, from, msg) != Reception::Accepted {
                    return Box::default();
                }
                Some(RawObservation::Received { by: me, from, msg })
            }
        };
        let round_trip =
            self.scenario.time.timing().is_some_and(|it| matches!(it.delay, Delay::RoundTrip(_)));
        if let (MachineInput::Receive(flight), true) = (cause, round_trip) {
            let InFlight { channel, remaining, .. } = *machine.flights.get(flight).value;
            request = Some((self.routes.ends(channel).0, remaining));
        }
        let (all, complete) = runs(self.scenario.time, &timers, |fx| {
            inputs.iter().fold(state, |state, &input| self.automaton.step(me, state, input, fx))
        });
        let outcome = |run: StepRun| {
            let silent = first.is_none() && run.effects.is_empty();
            let outcome = self.outcome(me, run, request, first);
            StepOutcome { idle: silent && outcome.cut.is_none() && outcome.local == local, ..outcome }
        };
        let mut outcomes: Vec<StepOutcome> = all.into_iter().map(outcome).collect();
        if !complete {
            outcomes.push(StepOutcome::beyond(CHOICES));
        }
        outcomes.into()
    }
}

/// A number that bytes decide, the same in every run; nearly always another one for other bytes (FNV-1a).
pub(crate) fn rank(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl StepOutcome {
    /// A step that is left out.
    pub(crate) fn beyond(cap: usize) -> StepOutcome {
        StepOutcome {
            local: 0,
            sends: Box::default(),
            fresh: Box::default(),
            outputs: Box::default(),
            observation: NOTHING,
            cut: Some(cap),
            idle: false,
            waiting: Box::default(),
        }
    }
}
