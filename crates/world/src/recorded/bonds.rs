//! What ties the times of the steps of a run together: the clocks they were read from, the order of each node,
//! timers and messages with their bounds. They are differences, so a solver finds times that keep them all,
//! or a cycle of them that nothing can keep.

use super::conduct::Conduct;
use super::letters::Letters;
use super::lives::Lives;
use super::order::Sequence;
use crate::world::message_bound;
use crate::{Delay, Scenario};
use watchkeeper_core::Bound;
use watchkeeper_zones::{Clash, Span, timetable};

/// A moment: the beginning of a clock, or a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Point {
    Clock(usize),
    Step(usize),
}

/// What a bond says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// A step is as late as its clock said, or up to the precision earlier.
    Clock,
    /// A node takes one step after the other.
    Order,
    /// A life begins after the one before it has ended.
    Lives,
    /// Lives that begin with the run begin at one moment.
    Together { life: usize },
    /// A timer is not overdue.
    Timer { slot: usize, fired: bool },
    /// A timer does not fire too early.
    TimerEarly { slot: usize },
    /// A message does not take too long.
    Delay { letter: usize },
    /// A message does not take too little.
    Early { letter: usize },
    /// A message arrives after it was sent.
    Causal { letter: usize },
    /// A message was sent when the life that received it had begun.
    Begun { letter: usize },
    /// A message that never arrived could still be on its way.
    OnItsWay { letter: usize },
    /// A timer did not fire while a message was due.
    DueFirst { letter: usize },
}

/// The time of `a` minus that of `b` is at most so many nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bond {
    pub(crate) a: Point,
    pub(crate) b: Point,
    pub(crate) most: i64,
    pub(crate) why: Why,
}

impl Bond {
    pub(crate) fn steps(a: usize, b: usize, most: i64, why: Why) -> Bond {
        Bond { a: Point::Step(a), b: Point::Step(b), most, why }
    }

    /// The later of its steps in an order; the first of all if it has none.
    pub(crate) fn last(&self, place: &[usize]) -> usize {
        let place = |point| if let Point::Step(step) = point { place[step] } else { 0 };
        place(self.a).max(place(self.b))
    }
}

/// Bonds that hold of every run, whatever the model: clocks, nodes, and that nothing arrives before it was sent.
/// With `own` every life has a clock of its own.
pub(crate) fn recorded(lives: &Lives<'_>, letters: &Letters, own: bool) -> Vec<Bond> {
    let mut bonds = Vec::with_capacity(4 * lives.steps());
    for step in 0..lives.steps() {
        let clock = Point::Clock(if own { lives.clocks + lives.life(step) } else { lives.clock(step) });
        let (at, here) = (lives.at(step), Point::Step(step));
        bonds.push(Bond { a: here, b: clock, most: at, why: Why::Clock });
        bonds.push(Bond { a: clock, b: here, most: lives.precision - at, why: Why::Clock });
        if !lives.is_last(step) {
            bonds.push(Bond::steps(step, step + 1, 0, Why::Order));
        }
        if let Some(letter) = letters.read[step] {
            bonds.push(Bond::steps(letters.list[letter].by, step, 0, Why::Causal { letter }));
        }
    }
    for life in 0..lives.list.len() {
        if let Some(next) = lives.next(life) {
            bonds.push(Bond::steps(lives.last(life), lives.start(next), 0, Why::Lives));
        }
    }
    bonds
}

/// Bonds on lives that do not begin with the run: each began before what it received was sent.
pub(crate) fn begun(lives: &Lives<'_>, letters: &Letters, together: &[bool]) -> Vec<Bond> {
    let mut bonds = Vec::new();
    for step in 0..lives.steps() {
        let life = lives.life(step);
        if let Some(letter) = letters.read[step].filter(|_| !together[life]) {
            let by = letters.list[letter].by;
            bonds.push(Bond::steps(lives.start(life), by, 0, Why::Begun { letter }));
        }
    }
    bonds
}

/// Bonds on the lives that begin with the run: they begin at one moment, and nobody begins before.
pub(crate) fn together(lives: &Lives<'_>, together: &[bool]) -> Vec<Bond> {
    let first = (0..together.len()).filter(|&life| together[life]).map(|life| lives.start(life));
    let Some(first) = first.min_by_key(|&start| (lives.at(start), start)) else { return Vec::new() };
    let mut bonds = Vec::new();
    for life in (0..together.len()).filter(|&life| lives.is_first(life) && lives.start(life) != first) {
        let (start, why) = (lives.start(life), Why::Together { life });
        bonds.push(Bond::steps(first, start, 0, Why::Order));
        if together[life] {
            bonds.push(Bond::steps(start, first, 0, why));
        }
    }
    bonds
}

/// From when on the bound on each message counts: a reply under a round-trip bound has what its request left.
pub(crate) fn roots(scenario: &Scenario, letters: &Letters, sequence: &Sequence) -> Vec<usize> {
    let mut roots: Vec<usize> = letters.list.iter().map(|letter| letter.by).collect();
    let round_trip = |timing: crate::Timing| matches!(timing.delay, Delay::RoundTrip(_));
    if !scenario.time.timing().is_some_and(round_trip) {
        return roots;
    }
    for &step in &sequence.steps {
        let Some(request) = letters.read[step] else { continue };
        for reply in letters.sent(step) {
            if letters.list[reply].reply && letters.list[reply].to == letters.list[request].from {
                roots[reply] = roots[request];
            }
        }
    }
    roots
}

/// The bound on a message whose time counts from another step than the one that sent it.
pub(crate) fn letter_bound(scenario: &Scenario, inherits: bool) -> Bound {
    let bound = message_bound(scenario, true);
    match bound.hi() {
        Some(hi) if inherits => Bound::within(hi),
        _ => bound,
    }
}

/// The bonds of the model's timers and messages.
pub(crate) fn modelled(
    scenario: &Scenario,
    lives: &Lives<'_>,
    conduct: &Conduct,
    letters: &Letters,
    roots: &[usize],
) -> Vec<Bond> {
    let mut bonds = Vec::new();
    let ns = |units: u32| i64::from(units).saturating_mul(lives.tick);
    for wait in &conduct.timers {
        let (armed, slot, bound) = (wait.timer.by, wait.timer.slot, scenario.time.timer(wait.timer.bound));
        if let Some(hi) = bound.hi() {
            bonds.push(Bond::steps(wait.step, armed, ns(hi), Why::Timer { slot, fired: wait.fired }));
        }
        if wait.fired {
            let lo = ns(bound.lo());
            bonds.push(Bond::steps(armed, wait.step, -lo, Why::TimerEarly { slot }));
        }
    }
    for (life, open) in conduct.open.iter().enumerate() {
        for timer in open {
            let why = Why::Timer { slot: timer.slot, fired: false };
            let last = lives.last(life);
            let bound = scenario.time.timer(timer.bound);
            bonds.extend(bound.hi().map(|hi| Bond::steps(last, timer.by, ns(hi), why)));
        }
    }
    for (letter, sent) in letters.list.iter().enumerate() {
        let (Some(step), root) = (sent.received, roots[letter]) else { continue };
        let bound = letter_bound(scenario, root != sent.by);
        bonds.extend(bound.hi().map(|hi| Bond::steps(step, root, ns(hi), Why::Delay { letter })));
        if bound.lo() > 0 {
            bonds.push(Bond::steps(root, step, -ns(bound.lo()), Why::Early { letter }));
        }
    }
    bonds
}

/// Times of all steps that keep all bonds: the latest, so that none is after what its clock said by more than
/// any other must be. `place` says which steps are close to each other.
pub(crate) fn solve(lives: &Lives<'_>, bonds: &[Bond], place: &[usize]) -> Result<Vec<i64>, Clash> {
    let clocks = lives.clocks + lives.list.len();
    let event = |point| match point {
        Point::Clock(clock) => (clock, 0),
        Point::Step(step) => (clocks + place[step], lives.at(step)),
    };
    // Times count from what the clocks said, so that a run that is as it should be is nearly solved from the
    // start.
    let span = |bond: &Bond| {
        let ((a, a_at), (b, b_at)) = (event(bond.a), event(bond.b));
        Span::new(a, b, bond.most.saturating_sub(a_at).saturating_add(b_at))
    };
    let spans: Vec<Span> = bonds.iter().map(span).collect();
    let times = timetable(clocks + lives.steps(), &spans)?;
    Ok((0..lives.steps()).map(|step| times[clocks + place[step]] + lives.at(step)).collect())
}

/// The first step of an order up to which not all bonds can be kept, and the cycle of those that clash there.
pub(crate) fn first_clash(
    lives: &Lives<'_>,
    bonds: &[Bond],
    sequence: &Sequence,
) -> Option<(usize, Vec<Bond>, i64)> {
    let mut sorted: Vec<(usize, Bond)> =
        bonds.iter().map(|bond| (bond.last(&sequence.place), *bond)).collect();
    sorted.sort_by_key(|(last, _)| *last);
    let prefix = |last: usize| {
        let count = sorted.partition_point(|(other, _)| *other <= last);
        let bonds: Vec<Bond> = sorted[..count].iter().map(|(_, bond)| *bond).collect();
        let clash = solve(lives, &bonds, &sequence.place).err()?;
        let cycle = clash.cycle().iter().map(|&place| bonds[place]).collect();
        Some((cycle, clash.excess()))
    };
    let (mut low, mut high) = (0, lives.steps().checked_sub(1)?);
    let mut found: (Vec<Bond>, i64) = prefix(high)?;
    while low < high {
        let middle = low + (high - low) / 2;
        match prefix(middle) {
            Some(earlier) => (high, found) = (middle, earlier),
            None => low = middle + 1,
        }
    }
    Some((sequence.steps[low], found.0, found.1))
}
