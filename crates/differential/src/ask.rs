//! What is asked of a case, as data of its own: propositions, invariants, monitors and claims about runs. The naive
//! explorer reads them as they are; `engines` turns them into questions.

use crate::dice::Dice;
use crate::naive::{ActionKind, NaiveGraph, NaiveProcess};
use watchkeeper_core::{Judgement, Observer, Pid, Promises};
use watchkeeper_world::{Global, Scenario};

/// A state of a protocol of which something can be said.
pub trait Minded {
    /// A small number that changes.
    fn mood(&self) -> u8;
    /// Something that is never taken back.
    fn marked(&self) -> bool;
}

/// The mood of whoever has crashed.
const DEAD: u8 = 9;

/// A proposition about one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Prop {
    /// The process is not in this mood.
    NotIn(Pid, u8),
    /// It is not so that the first is in one mood and the second in another.
    NotBoth(Pid, u8, Pid, u8),
    /// At most one process is in this mood.
    AtMostOne(u8),
    /// No two processes are in different moods below two: what they decided.
    Agreement,
    /// Nobody is in this mood.
    Nobody(u8),
    /// Someone is up and has no mark. Where nobody recovers this stays false once it is.
    SomeoneUnmarked,
    /// Fewer messages are on their way.
    FewerOnTheWay(usize),
    /// Nobody has this timer armed.
    Unarmed(usize),
    /// The process has crashed.
    Crashed(Pid),
    /// The process waits for room.
    Blocked(Pid),
    /// No channel has reported that it is full.
    WithinCapacity,
    /// It is not so that something is due and nothing can happen.
    TimeCanPass,
    /// The bounds on messages hold.
    Stable,
    /// The oracle has settled.
    Settled,
    /// The watcher of this number has seen nothing wrong.
    Watched(usize, String),
}

impl Prop {
    /// Its name in a world.
    pub fn name(&self) -> String {
        match self {
            Prop::NotIn(p, mood) => format!("{p} not in {mood}"),
            Prop::NotBoth(p, a, q, b) => format!("not {p} in {a} and {q} in {b}"),
            Prop::AtMostOne(mood) => format!("at most one in {mood}"),
            Prop::Agreement => "agreement".to_string(),
            Prop::Nobody(mood) => format!("nobody in {mood}"),
            Prop::SomeoneUnmarked => "someone unmarked".to_string(),
            Prop::FewerOnTheWay(count) => format!("fewer than {count} on the way"),
            Prop::Unarmed(slot) => format!("{slot} unarmed"),
            Prop::Crashed(p) => format!("crashed({p})"),
            Prop::Blocked(p) => format!("blocked({p})"),
            Prop::WithinCapacity => "within-capacity".to_string(),
            Prop::TimeCanPass => "time-can-pass".to_string(),
            Prop::Stable => "stable".to_string(),
            Prop::Settled => "settled".to_string(),
            Prop::Watched(_, name) => name.clone(),
        }
    }

    /// Whether it says the same of renamed states.
    pub fn is_symmetric(&self) -> bool {
        use Prop::{Agreement, AtMostOne, FewerOnTheWay, Nobody, SomeoneUnmarked, Unarmed};
        matches!(self, Agreement | Nobody(_) | AtMostOne(_) | FewerOnTheWay(_) | SomeoneUnmarked | Unarmed(_))
    }

    /// Whether a world has it without being told.
    pub fn is_built_in(&self) -> bool {
        use Prop::{Blocked, Crashed, Settled, Stable, TimeCanPass, Watched, WithinCapacity};
        matches!(
            self,
            Crashed(_) | Blocked(_) | WithinCapacity | TimeCanPass | Stable | Settled | Watched(..)
        )
    }

    /// What it says, given the moods of all, whether they are marked, how many messages are on their way, and which
    /// timers are armed.
    fn says(&self, moods: &[u8], marks: &[bool], on_the_way: usize, armed: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Prop::NotIn(p, mood) => moods[p.index()] != *mood,
            Prop::NotBoth(p, a, q, b) => moods[p.index()] != *a || moods[q.index()] != *b,
            Prop::AtMostOne(mood) => moods.iter().filter(|other| *other == mood).count() < 2,
            Prop::Agreement => !(moods.contains(&0) && moods.contains(&1)),
            Prop::Nobody(mood) => !moods.contains(mood),
            Prop::SomeoneUnmarked => marks.iter().any(|marked| !marked),
            Prop::FewerOnTheWay(count) => on_the_way < *count,
            Prop::Unarmed(slot) => !armed(*slot),
            _ => true,
        }
    }

    /// What it says of a state that a world shows.
    pub fn of_global<P>(&self, global: &Global<'_, P>) -> bool
    where
        P: Promises,
        P::State: Minded,
    {
        let (moods, marks) = moods(global.n(), &|p| global.state(p));
        let armed = |slot: usize| {
            let timer = <P::Timer as watchkeeper_core::Slot>::from_index(slot);
            timer.is_some_and(|timer| global.processes().any(|p| global.armed(p, timer)))
        };
        self.says(&moods, &marks, global.in_flight().count(), &armed)
    }

    /// What it says of the moods of all alone, for one that looks at nothing else.
    pub fn of_moods(&self, moods: &[u64]) -> bool {
        let moods: Vec<u8> = moods.iter().map(|&mood| mood as u8).collect();
        self.says(&moods, &[], 0, &|_| false)
    }

    /// Whether it looks at nothing but moods.
    pub fn is_about_moods(&self) -> bool {
        use Prop::{Agreement, AtMostOne, Nobody, NotBoth, NotIn};
        matches!(self, NotIn(..) | NotBoth(..) | AtMostOne(_) | Agreement | Nobody(_))
    }

    /// What it says of a state of the naive explorer.
    pub fn of_naive<P>(&self, graph: &NaiveGraph<'_, P>, at: usize) -> bool
    where
        P: Promises,
        P::Msg: Ord,
        P::State: Minded,
    {
        let whole = &graph.states[at];
        let state = |p: Pid| match &whole.processes[p.index()] {
            NaiveProcess::Up { state, .. } => Some(state),
            _ => None,
        };
        match self {
            Prop::Crashed(p) => return whole.processes[p.index()].is_crashed(),
            Prop::Blocked(p) => {
                let process = &whole.processes[p.index()];
                return !process.is_crashed() && !process.is_ready();
            }
            Prop::WithinCapacity => return whole.overflow.is_none(),
            Prop::TimeCanPass => return !graph.locked[at],
            Prop::Stable => return whole.stable,
            Prop::Settled => return whole.oracle.as_ref().is_some_and(|stance| stance.settled),
            Prop::Watched(k, _) => {
                let watcher = &graph.member(at).watchers[*k];
                let judgement = Observer::<P>::judge(watcher, &whole.watching[*k].memory);
                return !matches!(judgement, Judgement::Violated(_));
            }
            _ => {}
        }
        let (moods, marks) = moods(whole.processes.len(), &state);
        let armed = |slot: usize| {
            let has = |process: &NaiveProcess<P::State, P::Msg>| matches!(process, NaiveProcess::Up { timers, .. } if timers.contains_key(&slot));
            whole.processes.iter().any(has)
        };
        self.says(&moods, &marks, whole.lanes.values().map(Vec::len).sum(), &armed)
    }
}

/// The mood of a process, as a number that an atom may glance at.
pub fn glance<S: Minded>(_: Pid, state: Option<&S>) -> u64 {
    u64::from(state.map_or(DEAD, S::mood))
}

fn moods<'s, S: Minded + 's>(n: usize, state: &dyn Fn(Pid) -> Option<&'s S>) -> (Vec<u8>, Vec<bool>) {
    let mood = |p| state(p).map_or(DEAD, S::mood);
    let marked = |p| state(p).is_none_or(S::marked);
    (Pid::all(n).map(mood).collect(), Pid::all(n).map(marked).collect())
}

/// What is asked in one search; propositions by their places in the list of the case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CaseQuery {
    /// Whether nothing may be stuck.
    pub deadlock: bool,
    /// Whether time may always pass; the place of that proposition.
    pub timelock: Option<usize>,
    /// What must hold, where something else does if that is given.
    pub invariants: Vec<(Option<usize>, usize)>,
    /// A monitor.
    pub monitor: Option<Mon>,
}

/// A monitor: edges from, when, to, of which the first is taken that can be; it begins in 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mon {
    /// The number of its states.
    pub states: u32,
    /// Its edges, in order of preference.
    pub edges: Vec<(u32, MonitorGuard, u32)>,
    /// The state that is an error.
    pub error: u32,
}

/// A condition on a step and the state after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MonitorGuard {
    /// Always.
    True,
    /// The proposition at this place holds afterwards.
    Prop(usize),
    /// The step was of this sort.
    ActionKind(ActionKind),
    /// Not so.
    Not(Box<MonitorGuard>),
    /// Both.
    And(Box<MonitorGuard>, Box<MonitorGuard>),
    /// One of the two.
    Or(Box<MonitorGuard>, Box<MonitorGuard>),
}

impl MonitorGuard {
    /// Whether it is so.
    pub fn is(&self, prop: &dyn Fn(usize) -> bool, sort: Option<ActionKind>) -> bool {
        match self {
            MonitorGuard::True => true,
            MonitorGuard::Prop(at) => prop(*at),
            MonitorGuard::ActionKind(wanted) => sort == Some(*wanted),
            MonitorGuard::Not(a) => !a.is(prop, sort),
            MonitorGuard::And(a, b) => a.is(prop, sort) && b.is(prop, sort),
            MonitorGuard::Or(a, b) => a.is(prop, sort) || b.is(prop, sort),
        }
    }

    fn draw(dice: &mut Dice, props: usize, deep: u32) -> MonitorGuard {
        let sorts = [
            ActionKind::Deliver(0),
            ActionKind::Deliver(1),
            ActionKind::Fire(0),
            ActionKind::Crash,
            ActionKind::Lose,
            ActionKind::Tick,
            ActionKind::Recover,
            ActionKind::Suspect,
            ActionKind::Settle,
        ];
        match dice.roll(if deep == 0 { 6 } else { 10 }) {
            0..3 => MonitorGuard::Prop(dice.roll(props as u64) as usize),
            3 => MonitorGuard::Not(Box::new(MonitorGuard::Prop(dice.roll(props as u64) as usize))),
            4 => MonitorGuard::ActionKind(dice.one(&sorts)),
            5 => MonitorGuard::True,
            6 => MonitorGuard::Not(Box::new(MonitorGuard::draw(dice, props, deep - 1))),
            7 | 8 => MonitorGuard::And(
                Box::new(MonitorGuard::draw(dice, props, deep - 1)),
                Box::new(MonitorGuard::draw(dice, props, deep - 1)),
            ),
            _ => MonitorGuard::Or(
                Box::new(MonitorGuard::draw(dice, props, deep - 1)),
                Box::new(MonitorGuard::draw(dice, props, deep - 1)),
            ),
        }
    }
}

impl Mon {
    /// One over so many propositions.
    pub fn draw(dice: &mut Dice, props: usize) -> Mon {
        let states = 2 + dice.roll(3) as u32;
        let count = 2 + dice.roll(4);
        let edge = |dice: &mut Dice| {
            let (from, to) = (dice.roll(u64::from(states)) as u32, dice.roll(u64::from(states)) as u32);
            (from, MonitorGuard::draw(dice, props, 2), to)
        };
        Mon { states, edges: (0..count).map(|_| edge(dice)).collect(), error: states - 1 }
    }

    /// Where it goes.
    pub fn next(&self, state: u32, prop: &dyn Fn(usize) -> bool, sort: Option<ActionKind>) -> u32 {
        let taken = self.edges.iter().find(|(from, when, _)| *from == state && when.is(prop, sort));
        taken.map_or(state, |(_, _, to)| *to)
    }
}

/// A claim about infinite runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DrawnClaim {
    /// Always so, or never.
    Is(bool),
    /// The proposition at this place holds now.
    Prop(usize),
    /// Not so.
    Not(Box<DrawnClaim>),
    /// Both.
    And(Box<DrawnClaim>, Box<DrawnClaim>),
    /// One of the two.
    Or(Box<DrawnClaim>, Box<DrawnClaim>),
    /// From the next state on.
    Next(Box<DrawnClaim>),
    /// The second at some time, and the first until then.
    Until(Box<DrawnClaim>, Box<DrawnClaim>),
    /// The second up to and including the first time that the first holds, or for ever.
    Release(Box<DrawnClaim>, Box<DrawnClaim>),
}

impl DrawnClaim {
    fn eventually(self) -> DrawnClaim {
        DrawnClaim::Until(Box::new(DrawnClaim::Is(true)), Box::new(self))
    }

    fn always(self) -> DrawnClaim {
        DrawnClaim::Release(Box::new(DrawnClaim::Is(false)), Box::new(self))
    }

    /// One over so many propositions: mostly of the usual forms, sometimes of any.
    pub fn draw(dice: &mut Dice, props: usize) -> DrawnClaim {
        let state = |dice: &mut Dice| {
            let prop = DrawnClaim::Prop(dice.roll(props as u64) as usize);
            if dice.chance(2) { DrawnClaim::Not(Box::new(prop)) } else { prop }
        };
        let (a, b) = (state(dice), state(dice));
        match dice.roll(10) {
            0 => a.always(),
            1 => a.eventually(),
            2 | 3 => a.eventually().always(),
            4 => a.always().eventually(),
            5 | 6 => {
                DrawnClaim::Or(Box::new(DrawnClaim::Not(Box::new(a))), Box::new(b.eventually())).always()
            }
            7 => {
                let often = Box::new(a.eventually().always());
                DrawnClaim::Or(Box::new(DrawnClaim::Not(often)), Box::new(b.eventually().always()))
            }
            _ => DrawnClaim::any(dice, props, 3),
        }
    }

    fn any(dice: &mut Dice, props: usize, deep: u32) -> DrawnClaim {
        if deep == 0 || dice.chance(5) {
            return DrawnClaim::Prop(dice.roll(props as u64) as usize);
        }
        let mut one = || Box::new(DrawnClaim::any(dice, props, deep - 1));
        let (a, b) = (one(), one());
        match dice.roll(6) {
            0 => DrawnClaim::Not(a),
            1 => DrawnClaim::And(a, b),
            2 => DrawnClaim::Or(a, b),
            3 => DrawnClaim::Next(a),
            4 => DrawnClaim::Until(a, b),
            _ => DrawnClaim::Release(a, b),
        }
    }
}

/// Whether a claim that no mark is taken back is true of a scenario.
pub fn marks_last(scenario: &Scenario) -> bool {
    scenario.faults.recoveries == 0
}
