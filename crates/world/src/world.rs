//! Processes, a network and faults as one space. Here it is put together and its fixed parts are named;
//! how it begins is in `start`, what can happen in it in `expand`, what did happen in `replay`.

use crate::channel::ChannelContents;
use crate::error::{MAX_DURATION, MAX_TIMERS};
use crate::global::{AtomTest, BuiltIn};
use crate::labels::LabelNames;
use crate::machine::{Machine, StepOutcome};
use crate::observation::ObservationLists;
use crate::observer::ObserverMachine;
use crate::remaining::{Remaining, clock_start};
use crate::renaming::Renamings;
use crate::route::Routes;
use crate::row::RowLayout;
use crate::selective::{self, Unwanted};
use crate::stability::Stability;
use crate::transition::Classes;
use crate::zone_ids::ZoneIds;
use crate::{
    ANY_NUMBER, Capacity, Delay, MAX_CAPACITY, Oracle, Scenario, WhenFull, WorldError, WorldTime, assumptions,
};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, OnceLock};
use watchkeeper_automaton::{Arena, CallId, ErasedObserver, Facts, ProtocolAutomaton, RawObservation};
use watchkeeper_core::{Bound, MAX_PROCESSES, Pid, ProcSet, Symmetry};
use watchkeeper_space::{Atom, AtomId, Id, Shape};
use watchkeeper_zones::Source;

/// N machines of a protocol with a network between them, over numbers: it does not know the types of the protocol, and is
/// compiled once for all. Give it to an engine as a [`Space`](watchkeeper_space::Space);
/// [`TypedWorld`](crate::TypedWorld) makes one.
///
/// # What is one step
/// One process takes one input, and everything that it sends in answer is sent; or a process crashes; or one
/// that has crashed starts again, and everything that it sends at once is sent; or the network loses a message
/// or makes a copy of one. What processes send when they start at first is on its way in the initial state.
///
/// # When it happens
/// Untimed, an armed timer may fire and a message may arrive at any moment, or never. In ticks a step more
/// is that one unit of time passes, which it cannot while anything must happen before. In dense time a
/// state stands for all moments of a zone, and the passing of time is no step. Crashes, recoveries, losses,
/// copies and calls may happen at any moment in all three.
///
/// # What must be true of runs
/// [`TypedWorld::observed_by`](crate::TypedWorld::observed_by) adds an observer, which sees everything that happens and may say that it is
/// wrong, or that more than some time has passed.
///
/// # When a channel is full
/// A process whose send blocks keeps that message and those that follow it in its outbox. Its timers and
/// its state are already those after the step. It takes no input until the outbox is empty, but it may
/// crash, and then the outbox is gone. Once there is room, sending on is a step of its own, which goes as
/// far as there is room. A channel that reports ends the run: the message and those after it are not
/// sent, nothing happens any more, and `within-capacity` is false.
///
/// # Propositions
/// Every world has `crashed(p0)`, `crashed(p1)`, ..., `blocked(p0)`, `blocked(p1)`, ..., `within-capacity`
/// and `time-can-pass`, which is false where something is due that cannot be done; an observer adds one of
/// its own name, and [`TypedWorld::with_atom`](crate::TypedWorld::with_atom) adds more. Where bounds on messages hold only eventually there is
/// `stable`, which is true once they do; where there is an oracle, `settled`, which is true once it has.
///
/// # Since when bounds hold
/// From the start, or from a moment on that the adversary picks ([`Synchrony`](crate::Synchrony)): then a step
/// more, `stabilise`, is possible at any moment until it has been taken, and no run can put it off for ever. For
/// bounds that hold from the start and are unknown, see [`Worlds`](crate::Worlds).
///
/// # What a process is told
/// Under an [`Oracle`] there are more steps: it tells a process that a suspicion begins or ends, or settles.
///
/// # What a process takes
/// A protocol that leaves messages lying ([`Protocol::SELECTIVE_RECEIVE`](watchkeeper_core::Protocol::SELECTIVE_RECEIVE)) is handed only those that it wants. What it will
/// never want is gone in the step after which that is so, or in which it is sent, and so is what is on its way to
/// a process that has crashed.
///
/// # Symmetry
/// The renamings are those that the protocol promises and the scenario leaves. A protocol that sends the
/// same to several processes in the order of their ids is not symmetric where channels block or report:
/// the order shows in who is still waiting.
pub struct World {
    pub(crate) automaton: Arc<dyn ProtocolAutomaton>,
    /// Whether the protocol leaves messages lying that it does not want yet.
    pub(crate) selective: bool,
    pub(crate) scenario: Scenario,
    pub(crate) calls: Vec<CallEntry>,
    /// The entries of `calls` for each process.
    pub(crate) calls_of: Vec<Vec<usize>>,
    pub(crate) routes: Routes,
    pub(crate) layout: RowLayout,
    pub(crate) classes: Classes,
    pub(crate) shape: Shape,
    pub(crate) tests: Vec<AtomTest>,
    pub(crate) machines: Vec<Machine>,
    pub(crate) channels: Vec<ChannelContents>,
    pub(crate) outcomes: Arena<Box<[StepOutcome]>>,
    /// The bytes that outcomes hold beside their own.
    pub(crate) heap: AtomicUsize,
    pub(crate) starts: Vec<Vec<Id>>,
    pub(crate) observers: Vec<ObserverMachine>,
    pub(crate) observations: ObservationLists,
    /// What observers see when each process crashes.
    pub(crate) crash_observations: Vec<Id>,
    /// What a message remembers that is sent now and answers nothing, and where its clock begins.
    pub(crate) message_remaining: Remaining,
    pub(crate) fresh_message: Source,
    pub(crate) zones: ZoneIds,
    /// Where the bounds on messages hold only eventually.
    pub(crate) stability: Option<Stability>,
    /// Of a protocol that leaves messages lying.
    pub(crate) unwanted: Unwanted,
    /// The number of the first message among the inputs of a process; timers, calls and notices come before.
    pub(crate) first_message: Id,
    /// The cap on states past the horizon, if the protocol has one.
    pub(crate) horizon: Option<usize>,
    /// The cap on states in which all observers have made up their minds, if there are observers.
    pub(crate) settled: Option<usize>,
    /// Whether every step of the protocol is held against its renamings, and how the first one differs that does.
    pub(crate) auditing: AtomicBool,
    pub(crate) broken: OnceLock<String>,
    pub(crate) renamings: OnceLock<Renamings>,
    /// What labels of steps call things; worked out when the first is asked for.
    pub(crate) label_names: OnceLock<LabelNames>,
}

/// A call that clients may issue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CallEntry {
    pub(crate) process: Pid,
    pub(crate) call: CallId,
    /// How often in one run.
    pub(crate) budget: u32,
}

impl World {
    /// The world of an automaton in a scenario.
    pub(crate) fn new(
        automaton: Arc<dyn ProtocolAutomaton>,
        scenario: Scenario,
    ) -> Result<World, WorldError> {
        validate(automaton.facts(), &scenario)?;
        World::build(automaton, scenario, Vec::new(), Vec::new(), Vec::new())
    }

    /// This world with other clients.
    pub(crate) fn with_entries(self, calls: Vec<(Pid, CallId, u32)>) -> Result<World, WorldError> {
        let entries = call_entries(self.scenario.n, calls)?;
        let custom = custom(self.shape.atoms, self.tests);
        World::build(self.automaton, self.scenario, entries, custom, self.observers)
    }

    /// Adds one more proposition.
    pub(crate) fn add_test(&mut self, name: String, symmetric: bool, test: AtomTest) {
        self.shape.atoms.push(Atom { name, symmetric });
        self.tests.push(test);
    }

    /// This world with one more observer.
    pub(crate) fn with_observer(self, observer: ObserverMachine) -> Result<World, WorldError> {
        let mut observers = self.observers;
        observers.push(observer);
        let custom = custom(self.shape.atoms, self.tests);
        World::build(self.automaton, self.scenario, self.calls, custom, observers)
    }

    /// What surrounds the protocol.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The protocol without its types.
    pub fn automaton(&self) -> &Arc<dyn ProtocolAutomaton> {
        &self.automaton
    }

    /// The same protocol in another scenario, without clients, propositions and observers. Values keep their numbers.
    pub fn around(&self, scenario: Scenario) -> Result<World, WorldError> {
        World::new(Arc::clone(&self.automaton), scenario)
    }

    /// The observers of this world, for runs that are not searched.
    pub fn into_observers(self) -> Vec<Box<dyn ErasedObserver>> {
        self.observers.into_iter().map(ObserverMachine::into_observer).collect()
    }

    fn build(
        automaton: Arc<dyn ProtocolAutomaton>,
        scenario: Scenario,
        calls: Vec<CallEntry>,
        custom: Vec<(Atom, AtomTest)>,
        observers: Vec<ObserverMachine>,
    ) -> Result<World, WorldError> {
        let facts = automaton.facts().clone();
        if facts.timers.len() > MAX_TIMERS {
            return Err(WorldError::Timers(facts.timers.len()));
        }
        let n = scenario.n;
        let classes = Classes::new(&facts, &scenario, !calls.is_empty()).map_err(WorldError::Classes)?;
        let routes = Routes::new(n, scenario.network.lanes, facts.message_kinds);
        let label =
            |entry: &CallEntry| format!("calls {} {}", entry.process, automaton.calls().label(entry.call.0));
        let called: Vec<String> = calls.iter().map(label).collect();
        let names: Vec<String> = observers.iter().map(ObserverMachine::name).collect();
        let layout = RowLayout::new(&scenario, &routes, &called, &names);
        let observer_names = names.join(", ");
        let (mut atoms, mut tests) = (Vec::new(), Vec::new());
        for built_in in BuiltIn::all(n, layout.stable.is_some(), layout.oracle.is_some()) {
            atoms.push(built_in.atom());
            tests.push(AtomTest::BuiltIn(built_in));
        }
        for (k, name) in names.into_iter().enumerate() {
            let symmetric = observers[k].symmetry() != Symmetry::None;
            atoms.push(Atom { name, symmetric });
            tests.push(AtomTest::Observer(k));
        }
        for (atom, test) in custom {
            atoms.push(atom);
            tests.push(test);
        }
        let told: Vec<(Pid, CallId, u32)> =
            calls.iter().map(|entry| (entry.process, entry.call, entry.budget)).collect();
        let mut sentences = assumptions::assumptions(&*automaton, &scenario, &told, &observer_names);
        sentences.extend(facts.horizon.clone().map(assumptions::horizon));
        let mut caps = assumptions::caps(&scenario, facts.horizon.clone());
        let horizon = facts.horizon.as_ref().map(|_| caps.len() - 1);
        let settled = (!observers.is_empty()).then_some(caps.len());
        let observing = tests.iter().enumerate().filter(|(_, test)| matches!(test, AtomTest::Observer(_)));
        let observing: Vec<AtomId> = observing.map(|(atom, _)| atom).collect();
        caps.extend(settled.map(|_| assumptions::settled(observing)));
        let shape = Shape {
            faults_are_progress: false,
            some_runs: false,
            zone: layout.zone,
            time: classes.tick,
            justice: classes.justice(),
            slots: layout.names.clone(),
            classes: classes.list.clone(),
            atoms,
            caps,
            assumptions: sentences,
        };
        let notices = if scenario.oracle.is_some() { 2 * n } else { 0 };
        let faults = &scenario.faults;
        let mortal = faults.mortal().union(faults.crashed_at_start);
        let entries_of = |p: Pid| (0..calls.len()).filter(|&e| calls[e].process == p).collect();
        let message = message_bound(&scenario, true);
        let observations = ObservationLists::new();
        let crash = |process| observations.intern(vec![RawObservation::Crashed { process }]);
        let mut world = World {
            crash_observations: Pid::all(n).map(crash).collect(),
            message_remaining: Remaining::new(scenario.time, message),
            fresh_message: Source::Fresh(clock_start(message)),
            zones: ZoneIds::new(),
            stability: Stability::of(&scenario),
            unwanted: Unwanted::new(facts.selective, n, routes.len()),
            first_message: (facts.timers.len() + calls.len() + notices) as Id,
            horizon,
            settled,
            auditing: AtomicBool::new(false),
            broken: OnceLock::new(),
            observers,
            observations,
            calls_of: Pid::all(n).map(entries_of).collect(),
            machines: Pid::all(n).map(|p| Machine::new(Arc::clone(&automaton), mortal.contains(p))).collect(),
            channels: (0..routes.len()).map(|_| ChannelContents::new()).collect(),
            outcomes: Arena::new(),
            heap: AtomicUsize::new(0),
            starts: Vec::new(),
            renamings: OnceLock::new(),
            label_names: OnceLock::new(),
            selective: facts.selective,
            automaton,
            scenario,
            calls,
            routes,
            layout,
            classes,
            shape,
            tests,
        };
        world.starts = world.all_starts()?;
        Ok(world)
    }

    /// The channel that has overflowed in this row.
    pub(crate) fn overflow(&self, row: &[Id]) -> Option<usize> {
        self.layout.overflowed(row)
    }

    pub(crate) fn is_crashed(&self, process: usize, row: &[Id]) -> bool {
        self.machines[process].crashed == Some(row[process])
    }

    /// Whether one more process may crash. Only crashes of the run count: of those that are down, but for
    /// the ones of the start, and of those that have recovered.
    pub(crate) fn crashes_left(&self, row: &[Id]) -> bool {
        let down = (0..self.scenario.n).filter(|&p| self.is_crashed(p, row)).count();
        let recovered = self.layout.recoveries.map_or(0, |slot| row[slot] as usize);
        let faults = &self.scenario.faults;
        down + recovered < faults.crashed_at_start.len() + faults.crashes as usize
    }

    /// Whether one more process may recover.
    pub(crate) fn recoveries_left(&self, row: &[Id]) -> bool {
        self.layout.recoveries.is_none_or(|slot| row[slot] < self.scenario.faults.recoveries)
    }

    pub(crate) fn may_crash(&self, process: usize, row: &[Id]) -> bool {
        self.scenario.faults.crashable.contains(Pid::at(process)) && self.immune(row) != Some(process)
    }
}

/// The propositions that a user has added.
fn custom(atoms: Vec<Atom>, tests: Vec<AtomTest>) -> Vec<(Atom, AtomTest)> {
    atoms.into_iter().zip(tests).filter(|(_, test)| matches!(test, AtomTest::Custom(..))).collect()
}

/// The bound on a message that is sent now and answers nothing, once the network has stabilised or before.
pub(crate) fn message_bound(scenario: &Scenario, stable: bool) -> Bound {
    let Some(timing) = scenario.time.timing() else { return Bound::at_least(0) };
    match timing.delay {
        Delay::RoundTrip(most) => Bound::within(most),
        Delay::PerMessage(delay) => {
            let delay = timing.before().filter(|_| !stable).map_or(delay, |before| before.delay);
            let (lo, more) = (delay.lo() + timing.processing.lo(), timing.processing.hi());
            let hi = delay.hi().zip(more).map(|(hi, more)| hi + more);
            hi.and_then(|hi| Bound::new(lo, hi)).unwrap_or(Bound::at_least(lo))
        }
    }
}

fn validate_time(scenario: &Scenario) -> Result<(), WorldError> {
    let Some(timing) = scenario.time.timing() else { return Ok(()) };
    let longest = |bound: Bound| bound.hi().unwrap_or(bound.lo());
    if timing.speed == 0 {
        return Err(WorldError::Speed(timing.speed));
    }
    if timing.before().is_some() {
        match (scenario.time, timing.delay) {
            (WorldTime::Dense(_), _) => return Err(WorldError::EventualDense),
            (_, Delay::RoundTrip(_)) => return Err(WorldError::EventualRoundTrip),
            _ => {}
        }
    }
    let bounds = match timing.delay {
        Delay::RoundTrip(most) => vec![("a round trip", most)],
        Delay::PerMessage(delay) => {
            vec![("a message delay", longest(delay)), ("a processing delay", longest(timing.processing))]
        }
    };
    if let Some(&(what, bound)) = bounds.iter().find(|(_, bound)| *bound > MAX_DURATION) {
        return Err(WorldError::Duration { what, bound });
    }
    let early =
        timing.before().map(|before| longest(before.delay).saturating_add(longest(timing.processing)));
    if let Some(bound) = early.filter(|&bound| bound > MAX_DURATION) {
        return Err(WorldError::Duration { what: "a message delay before the network stabilises", bound });
    }
    let together = bounds.iter().map(|(_, bound)| bound).sum();
    if together > MAX_DURATION {
        return Err(WorldError::Duration { what: "a message delay with its processing", bound: together });
    }
    if matches!(timing.delay, Delay::RoundTrip(_)) {
        let network = &scenario.network;
        if timing.processing != Bound::exactly(0) {
            return Err(WorldError::RoundTripProcessing);
        }
        if network.when_full == WhenFull::Block && matches!(network.capacity, Capacity::Bounded(_)) {
            return Err(WorldError::RoundTripBlocks);
        }
    }
    Ok(())
}

/// One entry for each call of each process, with all its budgets.
pub(crate) fn call_entries(n: usize, calls: Vec<(Pid, CallId, u32)>) -> Result<Vec<CallEntry>, WorldError> {
    let mut entries: Vec<CallEntry> = Vec::new();
    for (process, call, budget) in calls {
        if process.index() >= n {
            return Err(WorldError::Call { process, n });
        }
        match entries.iter_mut().find(|entry| entry.process == process && entry.call == call) {
            Some(entry) => entry.budget = entry.budget.saturating_add(budget),
            None => entries.push(CallEntry { process, call, budget }),
        }
    }
    Ok(entries)
}

/// Whether an automaton with these facts can be in this scenario.
pub(crate) fn validate(facts: &Facts, scenario: &Scenario) -> Result<(), WorldError> {
    validate_scenario(scenario)?;
    Oracle::validate(scenario)?;
    selective::validate(facts, scenario)
}

fn validate_scenario(scenario: &Scenario) -> Result<(), WorldError> {
    validate_time(scenario)?;
    let Scenario { n, network, faults, .. } = scenario;
    if !(2..=MAX_PROCESSES).contains(n) {
        return Err(WorldError::Processes(*n));
    }
    let (Capacity::Bounded(size) | Capacity::Unbounded { cap: size }) = network.capacity;
    if !(1..=MAX_CAPACITY).contains(&size) {
        return Err(WorldError::Capacity(size));
    }
    let all = ProcSet::first(*n);
    for (option, set) in [("crashable", faults.crashable), ("crashed-at-start", faults.crashed_at_start)] {
        if !set.is_subset(all) {
            return Err(WorldError::Unknown { option, strangers: set.difference(all), n: *n });
        }
    }
    if faults.crashed_at_start == all {
        return Err(WorldError::AllCrashed);
    }
    // Whoever recovers may crash once more. Without a count of that, crashes say how many may be down at once.
    let (able, again) = match faults.recoveries {
        0 => (faults.crashable.difference(faults.crashed_at_start), 0),
        ANY_NUMBER => (faults.crashable, 0),
        _ if faults.crashable.is_empty() => (ProcSet::EMPTY, 0),
        most => (faults.crashable.difference(faults.crashed_at_start), most),
    };
    if faults.crashes > again.saturating_add(able.len() as u32) {
        return Err(WorldError::Crashes { crashes: faults.crashes, able, again });
    }
    Ok(())
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("scenario", &self.scenario).finish_non_exhaustive()
    }
}
