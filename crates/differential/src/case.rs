//! One case: a table, what surrounds it, who watches, and what is asked. Everything follows from a seed and a number, and
//! nothing from the cases before.

use crate::ask::{CaseQuery, DrawnClaim, Minded, Mon, Prop};
use crate::dice::Dice;
use crate::ladder::{self, Climb};
use crate::naive::NaiveFairness as Fair;
use crate::observer::RandomObserver;
use crate::table::{self, Bell, Mind, TableRules};
use std::fmt;
use std::sync::Arc;
use watchkeeper_core::{Bound, Pid, ProcSet, Slot, Symmetry};
use watchkeeper_world::{
    ANY_NUMBER, BeforeStable, Capacity, Delay, DeliveryOrder, Faults, Lanes, Network, Oracle, OracleAccuracy,
    Scenario, Simultaneous, SuspicionMemory, Synchrony, Timing, WhenFull, WorldTime, unknown_bounds,
};

/// A case.
#[derive(Clone, PartialEq, Debug)]
pub struct RandomCase {
    /// The table.
    pub rules: Arc<TableRules>,
    /// Whether the protocol leaves messages lying.
    pub selective: bool,
    /// What surrounds it; several of which one is picked where bounds are unknown.
    pub scenarios: Vec<Scenario>,
    /// What clients may ask.
    pub calls: Vec<(Pid, table::ClientCall, u32)>,
    /// Who watches.
    pub watchers: Vec<RandomObserver>,
    /// The propositions that are asked about.
    pub props: Vec<Prop>,
    /// What is asked of single states, each by itself.
    pub asks: Vec<CaseQuery>,
    /// What is asked of runs, and which runs count.
    pub claims: Vec<(DrawnClaim, Vec<Fair>)>,
    /// A ladder instead of the table.
    pub climb: Option<Climb>,
    /// What decides how the engines are to search.
    pub searches: u64,
}

impl Minded for Mind {
    fn mood(&self) -> u8 {
        self.mood
    }

    fn marked(&self) -> bool {
        self.marked
    }
}

impl RandomCase {
    /// The case of this number.
    pub fn draw(seed: u64, number: u64) -> RandomCase {
        let mut dice = Dice::new(seed).mix(number);
        let n = if dice.chance(3) { 3 } else { 2 };
        let timed = dice.roll(20) < 9;
        let selective = !timed && dice.chance(8);
        let symmetry = match dice.roll(9) {
            0 | 1 => Symmetry::Full,
            2 => Symmetry::Rotations,
            3 => Symmetry::Fixing(Pid::at(dice.roll(n as u64) as usize)),
            _ => Symmetry::None,
        };
        let fuel = fuel(&mut dice, n);
        let scenario = scenario(&mut dice, &Frame { n, timed, selective, symmetry, fuel });
        let shows = scenario.network.when_full != WhenFull::Drop
            && matches!(scenario.network.capacity, Capacity::Bounded(_));
        let ordered = shows && symmetry != Symmetry::None;
        let rules = table::draw(&mut dice, table::Wish { n, symmetry, fuel, ordered, timed });
        let scenarios = members(&mut dice, scenario);
        let calls = calls(&mut dice, n, symmetry);
        let watchers = watchers(&mut dice, n, symmetry, timed);
        let props = props(&mut dice, n, rules.moods, &scenarios[0], &watchers);
        let asks = asks(&mut dice, &props, timed);
        let claims =
            (0..2).map(|_| (DrawnClaim::draw(&mut dice, props.len()), fairness(&mut dice))).collect();
        let climb = dice.chance(12).then(|| ladder::draw(&mut dice));
        let (rules, searches) = (Arc::new(rules), dice.roll(u64::MAX));
        RandomCase { rules, selective, scenarios, calls, watchers, props, asks, claims, climb, searches }
    }

    /// Whether it is about a protocol in stages.
    pub fn is_ladder(&self) -> bool {
        self.climb.is_some()
    }

    /// Whether time passes.
    pub fn is_timed(&self) -> bool {
        self.scenarios[0].time != WorldTime::Untimed
    }
}

/// What a scenario is drawn for.
struct Frame {
    n: usize,
    timed: bool,
    selective: bool,
    symmetry: Symmetry,
    fuel: Option<u8>,
}

fn fuel(dice: &mut Dice, n: usize) -> Option<u8> {
    match (n, dice.roll(8)) {
        (2, 0..3) | (_, 0) => None,
        (2, _) => Some(1 + dice.roll(3) as u8),
        _ => Some(1 + u8::from(dice.chance(5))),
    }
}

fn scenario(dice: &mut Dice, frame: &Frame) -> Scenario {
    let Frame { n, timed, selective, symmetry, fuel } = *frame;
    let all = ProcSet::first(n);
    let unbounded = selective || if fuel.is_some() { dice.chance(2) } else { dice.chance(8) };
    let size = 1 + u32::from(dice.chance(4));
    let cap = 2 + dice.roll(4) as u32;
    let round_trip = timed && dice.chance(6);
    let blocks = if round_trip { WhenFull::Drop } else { WhenFull::Block };
    let network = Network {
        order: if selective || dice.chance(2) { DeliveryOrder::AnyOrder } else { DeliveryOrder::Fifo },
        capacity: if unbounded { Capacity::Unbounded { cap } } else { Capacity::Bounded(size) },
        when_full: dice.one(&[blocks, blocks, WhenFull::Drop, WhenFull::Report]),
        lanes: if dice.chance(4) { Lanes::PerKind } else { Lanes::PerPair },
        losses: budget(dice, 5),
        duplications: budget(dice, 8),
    };
    let oracle = (!timed && dice.chance(4)).then(|| oracle(dice));
    let even = symmetry != Symmetry::None && !dice.chance(4);
    let some = ProcSet::from_bits(1 + dice.roll((1 << n) - 1));
    let mut faults = Faults {
        crashable: if even || dice.chance(2) { all } else { some },
        crashes: 0,
        crashed_at_start: if !even && dice.chance(8) {
            ProcSet::only(Pid::at(dice.roll(n as u64) as usize))
        } else {
            ProcSet::EMPTY
        },
        recoveries: if oracle.is_none() { budget(dice, 6) } else { 0 },
        crash_loses: dice.chance(6),
    };
    let able = faults.crashable.difference(faults.crashed_at_start).len() as u32;
    if dice.chance(2) {
        faults.crashes = dice.roll(u64::from(able) + 1) as u32;
        if ![0, ANY_NUMBER].contains(&faults.recoveries) && able > 0 {
            faults.crashes += dice.roll(2) as u32;
        }
    }
    let time = if timed { WorldTime::Ticks(timing(dice, round_trip)) } else { WorldTime::Untimed };
    Scenario { n, network, faults, time, oracle }
}

/// Mostly nothing, sometimes one, rarely any number.
fn budget(dice: &mut Dice, one_in: u64) -> u32 {
    match dice.roll(one_in) {
        0 if dice.chance(4) => ANY_NUMBER,
        0 => 1,
        _ => 0,
    }
}

fn timing(dice: &mut Dice, round_trip: bool) -> Timing {
    let eventual = !round_trip && dice.chance(6);
    let before = BeforeStable { delay: table::bound(dice), losses: dice.chance(3) };
    let delay = if dice.chance(2) { Bound::within(dice.roll(3) as u32) } else { table::bound(dice) };
    Timing {
        delay: if round_trip { Delay::RoundTrip(1 + dice.roll(3) as u32) } else { Delay::PerMessage(delay) },
        processing: if !round_trip && dice.chance(5) { table::bound(dice) } else { Bound::exactly(0) },
        simultaneous: if dice.chance(4) { Simultaneous::DeliveriesFirst } else { Simultaneous::AnyOrder },
        speed: 1 + u32::from(dice.chance(6)),
        synchrony: if eventual { Synchrony::Eventual(before) } else { Synchrony::Always },
    }
}

/// A scenario, or several where its bounds are unknown.
fn members(dice: &mut Dice, scenario: Scenario) -> Vec<Scenario> {
    let always = scenario.time.timing().is_some_and(|timing| timing.synchrony == Synchrony::Always);
    if !always || !dice.chance(8) {
        return vec![scenario];
    }
    let several = unknown_bounds(&scenario, 1..=2, 1..=1 + dice.roll(2) as u32);
    if several.is_empty() { vec![scenario] } else { several }
}

fn oracle(dice: &mut Dice) -> Oracle {
    let accuracy = match dice.roll(6) {
        0 => OracleAccuracy::Weak,
        1 => OracleAccuracy::EventuallyWeak,
        2 => OracleAccuracy::None,
        3 => OracleAccuracy::EventuallyStrong,
        4 => OracleAccuracy::Strong { mistakes: 1 },
        _ => OracleAccuracy::Strong { mistakes: 0 },
    };
    let counted = accuracy == OracleAccuracy::Strong { mistakes: 1 };
    Oracle {
        accuracy,
        memory: if counted || dice.chance(2) { SuspicionMemory::Lasting } else { SuspicionMemory::Momentary },
    }
}

fn calls(dice: &mut Dice, n: usize, symmetry: Symmetry) -> Vec<(Pid, table::ClientCall, u32)> {
    match dice.roll(6) {
        0 => Pid::all(n).map(|p| (p, table::ClientCall::Please, 1)).collect(),
        1 if symmetry == Symmetry::None => vec![(Pid::at(0), table::ClientCall::Please, 2)],
        2 => vec![(Pid::at(1), table::ClientCall::Know(Pid::at(0)), 1)],
        3 => Pid::all(n).map(|p| (p, table::ClientCall::Know(p), 1)).collect(),
        _ => Vec::new(),
    }
}

fn watchers(dice: &mut Dice, n: usize, symmetry: Symmetry, timed: bool) -> Vec<RandomObserver> {
    let count = dice.roll(5).saturating_sub(2);
    let names = ["first watcher", "second watcher"];
    let symmetric = symmetry != Symmetry::None && !dice.chance(4);
    names
        .iter()
        .take(count as usize)
        .map(|name| RandomObserver::draw(dice, name, n, symmetric, timed))
        .collect()
}

fn props(
    dice: &mut Dice,
    n: usize,
    moods: u8,
    scenario: &Scenario,
    watchers: &[RandomObserver],
) -> Vec<Prop> {
    let mut mood = || dice.roll(u64::from(moods)) as u8;
    let (a, b, c, d) = (mood(), mood(), mood(), mood());
    let (p, q) = (Pid::at(0), Pid::at(n - 1));
    let mut props = vec![
        Prop::TimeCanPass,
        Prop::NotIn(q, a),
        Prop::NotBoth(p, b, q, c),
        Prop::AtMostOne(d),
        Prop::SomeoneUnmarked,
        Prop::FewerOnTheWay(1 + dice.roll(4) as usize),
        Prop::Unarmed(dice.roll(Bell::COUNT as u64) as usize),
        Prop::Crashed(Pid::at(dice.roll(n as u64) as usize)),
        Prop::Blocked(Pid::at(dice.roll(n as u64) as usize)),
        Prop::WithinCapacity,
    ];
    let eventual = scenario.time.timing().is_some_and(|timing| timing.synchrony != Synchrony::Always);
    props.extend(eventual.then_some(Prop::Stable));
    props.extend(scenario.oracle.map(|_| Prop::Settled));
    props.extend(watchers.iter().enumerate().map(|(k, watcher)| Prop::Watched(k, watcher.name.clone())));
    props
}

fn asks(dice: &mut Dice, props: &[Prop], timed: bool) -> Vec<CaseQuery> {
    let any = |dice: &mut Dice| dice.roll(props.len() as u64) as usize;
    let timelock = timed.then_some(0);
    let places = || 0..props.len();
    let symmetric: Vec<usize> = places().filter(|&at| props[at].is_symmetric()).collect();
    let watched: Vec<usize> = places().filter(|&at| matches!(props[at], Prop::Watched(..))).collect();
    let mut asks = vec![
        CaseQuery { deadlock: true, timelock, ..CaseQuery::default() },
        CaseQuery { invariants: vec![(None, dice.one(&symmetric))], ..CaseQuery::default() },
        CaseQuery { invariants: vec![(None, any(dice))], ..CaseQuery::default() },
        CaseQuery { invariants: vec![(Some(any(dice)), any(dice))], ..CaseQuery::default() },
        CaseQuery { monitor: Some(Mon::draw(dice, props.len())), ..CaseQuery::default() },
        CaseQuery {
            invariants: vec![(None, 1 + dice.roll(3) as usize), (None, 4)],
            deadlock: dice.chance(3),
            timelock,
            monitor: None,
        },
    ];
    if !watched.is_empty() {
        let all = watched.iter().map(|&at| (None, at)).collect();
        asks.push(CaseQuery { invariants: all, deadlock: dice.chance(3), ..CaseQuery::default() });
    }
    asks
}

fn fairness(dice: &mut Dice) -> Vec<Fair> {
    let all = [Fair::Steps, Fair::Steps, Fair::Processes, Fair::Timers, Fair::Messages, Fair::Links];
    (0..1 + dice.roll(2)).map(|_| dice.one(&all)).collect()
}

impl fmt::Display for RandomCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(climb) = &self.climb {
            return climb.fmt(f);
        }
        write!(f, "{}{}", if self.selective { "selective, " } else { "" }, self.rules)?;
        for scenario in &self.scenarios {
            writeln!(f, "{scenario:?}")?;
        }
        writeln!(f, "calls: {:?}", self.calls)?;
        for watcher in &self.watchers {
            writeln!(f, "{watcher:?}")?;
        }
        for (at, prop) in self.props.iter().enumerate() {
            writeln!(f, "proposition {at}: {}", prop.name())?;
        }
        for ask in &self.asks {
            writeln!(f, "{ask:?}")?;
        }
        for (claim, fair) in &self.claims {
            writeln!(f, "{claim:?} under {fair:?}")?;
        }
        Ok(())
    }
}
