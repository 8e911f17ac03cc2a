//! What ties the times of the steps of a run together: the clocks they were read from, the order of each node,
//! timers and messages with their bounds. They are differences, so a solver finds times that keep them all,
//! or a cycle of them that nothing can keep.

use super::incarnations::Incarnations;
use super::local_replay::LocalReplay;
use super::messages::RecordedMessages;
use super::order::Sequence;
use crate::world::message_bound;
use crate::{Delay, Scenario};
use watchkeeper_core::Bound;
use watchkeeper_zones::{DifferenceConstraint, NegativeCycle, timetable};

/// A moment: the beginning of a clock, or a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimePoint {
    Clock(usize),
    Step(usize),
}

/// What a constraint says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// A step is as late as its clock said, or up to the precision earlier.
    Clock,
    /// A node takes one step after the other.
    Order,
    /// An incarnation begins after the one before it has ended.
    Incarnations,
    /// Incarnations that begin with the run begin at one moment.
    Together { incarnation: usize },
    /// A timer is not overdue.
    Timer { slot: usize, fired: bool },
    /// A timer does not fire too early.
    TimerEarly { slot: usize },
    /// A message does not take too long.
    Delay { message: usize },
    /// A message does not take too little.
    Early { message: usize },
    /// A message arrives after it was sent.
    Causal { message: usize },
    /// A message was sent when the incarnation that received it had begun.
    Begun { message: usize },
    /// A message that never arrived could still be on its way.
    OnItsWay { message: usize },
    /// A timer did not fire while a message was due.
    DueFirst { message: usize },
}

/// The time of `a` minus that of `b` is at most so many nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecordedConstraint {
    pub(crate) a: TimePoint,
    pub(crate) b: TimePoint,
    pub(crate) most: i64,
    pub(crate) why: Cause,
}

impl RecordedConstraint {
    pub(crate) fn steps(a: usize, b: usize, most: i64, why: Cause) -> RecordedConstraint {
        RecordedConstraint { a: TimePoint::Step(a), b: TimePoint::Step(b), most, why }
    }

    /// The later of its steps in an order; the first of all if it has none.
    pub(crate) fn last(&self, place: &[usize]) -> usize {
        let place = |point| if let TimePoint::Step(step) = point { place[step] } else { 0 };
        place(self.a).max(place(self.b))
    }
}

/// Constraints that hold of every run, whatever the model: clocks, nodes, and that nothing arrives before it was sent.
/// With `own` every incarnation has a clock of its own.
pub(crate) fn recorded(
    run: &Incarnations<'_>,
    messages: &RecordedMessages<'_>,
    own: bool,
) -> Vec<RecordedConstraint> {
    let mut constraints = Vec::with_capacity(4 * run.steps());
    for step in 0..run.steps() {
        let clock = if own { run.clocks + run.incarnation(step) } else { run.clock(step) };
        let (at, here, clock, why) =
            (run.at(step), TimePoint::Step(step), TimePoint::Clock(clock), Cause::Clock);
        constraints.push(RecordedConstraint { a: here, b: clock, most: at, why });
        constraints.push(RecordedConstraint { a: clock, b: here, most: run.precision - at, why });
        if !run.is_last(step) {
            constraints.push(RecordedConstraint::steps(step, step + 1, 0, Cause::Order));
        }
        if let Some(message) = messages.read[step] {
            constraints.push(RecordedConstraint::steps(
                messages.list[message].by,
                step,
                0,
                Cause::Causal { message },
            ));
        }
    }
    for incarnation in 0..run.list.len() {
        if let Some(next) = run.next(incarnation) {
            constraints.push(RecordedConstraint::steps(
                run.last(incarnation),
                run.start(next),
                0,
                Cause::Incarnations,
            ));
        }
    }
    constraints
}

/// Constraints on incarnations that do not begin with the run: each began before what it received was sent.
pub(crate) fn begun(
    run: &Incarnations<'_>,
    messages: &RecordedMessages<'_>,
    together: &[bool],
) -> Vec<RecordedConstraint> {
    let mut constraints = Vec::new();
    for step in 0..run.steps() {
        let incarnation = run.incarnation(step);
        if let Some(message) = messages.read[step].filter(|_| !together[incarnation]) {
            let by = messages.list[message].by;
            constraints.push(RecordedConstraint::steps(
                run.start(incarnation),
                by,
                0,
                Cause::Begun { message },
            ));
        }
    }
    constraints
}

/// Constraints on the incarnations that begin with the run: they begin at one moment, and nobody begins before.
pub(crate) fn together(run: &Incarnations<'_>, together: &[bool]) -> Vec<RecordedConstraint> {
    let first = (0..together.len())
        .filter(|&incarnation| together[incarnation])
        .map(|incarnation| run.start(incarnation));
    let Some(first) = first.min_by_key(|&start| (run.at(start), start)) else { return Vec::new() };
    let mut constraints = Vec::new();
    for incarnation in (0..together.len())
        .filter(|&incarnation| run.is_first(incarnation) && run.start(incarnation) != first)
    {
        let (start, why) = (run.start(incarnation), Cause::Together { incarnation });
        constraints.push(RecordedConstraint::steps(first, start, 0, Cause::Order));
        if together[incarnation] {
            constraints.push(RecordedConstraint::steps(start, first, 0, why));
        }
    }
    constraints
}

/// From when on the bound on each message counts: a reply under a round-trip bound has what its request left.
pub(crate) fn roots(scenario: &Scenario, messages: &RecordedMessages<'_>, sequence: &Sequence) -> Vec<usize> {
    let mut roots: Vec<usize> = messages.list.iter().map(|message| message.by).collect();
    let round_trip = |timing: crate::Timing| matches!(timing.delay, Delay::RoundTrip(_));
    if !scenario.time.timing().is_some_and(round_trip) {
        return roots;
    }
    for &step in &sequence.steps {
        let Some(request) = messages.read[step] else { continue };
        for reply in messages.sent(step) {
            if messages.list[reply].reply && messages.list[reply].to == messages.list[request].from {
                roots[reply] = roots[request];
            }
        }
    }
    roots
}

/// The bound on a message whose time counts from another step than the one that sent it.
pub(crate) fn message_bound_of(scenario: &Scenario, inherits: bool) -> Bound {
    let bound = message_bound(scenario, true);
    match bound.hi() {
        Some(hi) if inherits => Bound::within(hi),
        _ => bound,
    }
}

/// The constraints of the model's timers and messages.
pub(crate) fn modelled(
    scenario: &Scenario,
    run: &Incarnations<'_>,
    replay: &LocalReplay,
    messages: &RecordedMessages<'_>,
    roots: &[usize],
) -> Vec<RecordedConstraint> {
    let mut constraints = Vec::new();
    let ns = |units: u32| i64::from(units).saturating_mul(run.tick);
    for wait in &replay.timers {
        let (armed, slot, bound) = (wait.timer.by, wait.timer.slot, scenario.time.timer(wait.timer.bound));
        if let Some(hi) = bound.hi() {
            constraints.push(RecordedConstraint::steps(
                wait.step,
                armed,
                ns(hi),
                Cause::Timer { slot, fired: wait.fired },
            ));
        }
        if wait.fired {
            let lo = ns(bound.lo());
            constraints.push(RecordedConstraint::steps(armed, wait.step, -lo, Cause::TimerEarly { slot }));
        }
    }
    for (incarnation, open) in replay.open.iter().enumerate() {
        for timer in open {
            let why = Cause::Timer { slot: timer.slot, fired: false };
            let last = run.last(incarnation);
            let bound = scenario.time.timer(timer.bound);
            constraints.extend(bound.hi().map(|hi| RecordedConstraint::steps(last, timer.by, ns(hi), why)));
        }
    }
    for (message, sent) in messages.list.iter().enumerate() {
        let (Some(step), root) = (sent.received, roots[message]) else { continue };
        let bound = message_bound_of(scenario, root != sent.by);
        constraints.extend(
            bound.hi().map(|hi| RecordedConstraint::steps(step, root, ns(hi), Cause::Delay { message })),
        );
        if bound.lo() > 0 {
            constraints.push(RecordedConstraint::steps(
                root,
                step,
                -ns(bound.lo()),
                Cause::Early { message },
            ));
        }
    }
    constraints
}

/// Times of all steps that keep all constraints: the latest, so that none is after what its clock said by more than
/// any other must be. `place` says which steps are close to each other.
pub(crate) fn solve(
    run: &Incarnations<'_>,
    constraints: &[RecordedConstraint],
    place: &[usize],
) -> Result<Vec<i64>, NegativeCycle> {
    let clocks = run.clocks + run.list.len();
    let event = |point| match point {
        TimePoint::Clock(clock) => (clock, 0),
        TimePoint::Step(step) => (clocks + place[step], run.at(step)),
    };
    // Times count from what the clocks said, so that a run that is as it should be is nearly solved from the
    // start.
    let span = |constraint: &RecordedConstraint| {
        let ((a, a_at), (b, b_at)) = (event(constraint.a), event(constraint.b));
        DifferenceConstraint::new(a, b, constraint.most.saturating_sub(a_at).saturating_add(b_at))
    };
    let spans: Vec<DifferenceConstraint> = constraints.iter().map(span).collect();
    let times = timetable(clocks + run.steps(), &spans)?;
    Ok((0..run.steps()).map(|step| times[clocks + place[step]] + run.at(step)).collect())
}

/// The first step of an order up to which not all constraints can be kept, and the cycle of those that clash there. All
/// together clash in the cycle that is given.
pub(crate) fn first_clash(
    run: &Incarnations<'_>,
    constraints: &[RecordedConstraint],
    sequence: &Sequence,
    all: &NegativeCycle,
) -> Option<(usize, Vec<RecordedConstraint>, i64)> {
    let place = &sequence.place;
    let mut sorted = constraints.to_vec();
    sorted.sort_by_cached_key(|constraint| constraint.last(place));
    let prefix = |last: usize| {
        let count = sorted.partition_point(|other| other.last(place) <= last);
        solve(run, &sorted[..count], place).err()
    };
    // Constraints that clash do so from the last of their steps on. That is often the first step of all.
    let last = |cycle: &[usize], of: &[RecordedConstraint]| {
        cycle.iter().map(|&at| of[at].last(place)).max().unwrap_or(0)
    };
    let (mut low, mut high) = (0, last(all.cycle(), constraints));
    let mut close = true;
    while low < high {
        let middle = if close { high - 1 } else { low + (high - low) / 2 };
        close = !close;
        match prefix(middle) {
            Some(clash) => high = last(clash.cycle(), &sorted),
            None => low = middle + 1,
        }
    }
    let clash = prefix(low)?;
    let cycle = clash.cycle().iter().map(|&at| sorted[at]).collect();
    Some((sequence.steps[low], cycle, clash.excess()))
}
