//! The same case for the engines: worlds with the propositions of the case, and its questions in their words.

use crate::ask::{CaseQuery, DrawnClaim, Minded, Mon, MonitorGuard, Prop, glance, marks_last};
use crate::naive::{ActionKind, NaiveFairness, NaiveProcess, WholeOf};
use crate::observer::RandomObserver;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use watchkeeper_core::{Kind, Pid, Promises, Slot};
use watchkeeper_logic::{
    Fairness, Formula, Guard, Invariant, Monitor, MonitorEdge, Question, TemporalProperty,
};
use watchkeeper_space::{AtomId, ClassId, Shape};
use watchkeeper_world::{DeliveryOrder, Global, Scenario, TypedWorld, WorldError};

/// The states that an engine has looked at, each as a number for what can be seen of it.
pub type Looks = Arc<Mutex<HashSet<u64>>>;

/// The name of the proposition that is always true and takes down which states were looked at.
pub const LOOK: &str = "look";

/// What a world is made of.
pub struct WorldParts<'a, P: Promises> {
    /// The protocol.
    pub protocol: &'a P,
    /// What clients may ask.
    pub calls: &'a [(Pid, P::Call, u32)],
    /// Who watches.
    pub watchers: &'a [RandomObserver],
    /// The propositions.
    pub props: &'a [Prop],
}

impl<P: Promises<State: Minded, Msg: Ord> + Clone + 'static> WorldParts<'_, P> {
    /// The world of a scenario.
    pub fn world(&self, scenario: &Scenario, looks: &Looks) -> Result<TypedWorld<P>, WorldError> {
        let mut world =
            TypedWorld::new(self.protocol.clone(), scenario.clone())?.with_calls(self.calls.to_vec())?;
        for watcher in self.watchers {
            world = world.observed_by(watcher.clone())?;
        }
        for prop in self.props.iter().filter(|prop| !prop.is_built_in()) {
            let (name, symmetric, prop) = (prop.name(), prop.is_symmetric(), prop.clone());
            world = match &prop {
                _ if prop.is_about_moods() => {
                    world.with_glancing_atom(name, symmetric, glance::<P::State>, move |moods| {
                        prop.of_moods(moods)
                    })
                }
                Prop::SomeoneUnmarked if marks_last(scenario) => {
                    world.with_lasting_atom(name, symmetric, move |global| prop.of_global(global))
                }
                _ => world.with_atom(name, symmetric, move |global| prop.of_global(global)),
            };
        }
        let (looks, order) = (Arc::clone(looks), scenario.network.order);
        Ok(world.with_lasting_atom(LOOK, true, move |global| {
            looks.lock().expect("nobody panics here").insert(look(global, order));
            true
        }))
    }
}

/// One process as it is seen, and one message.
type Seen<'s, S, M> = Option<(&'s S, Vec<bool>, Vec<(Pid, &'s M)>)>;

fn digest<S: Hash, M: Hash + Ord>(
    processes: &[Seen<'_, S, M>],
    mut lanes: Vec<(Pid, Pid, &M)>,
    order: DeliveryOrder,
) -> u64 {
    let mut hasher = DefaultHasher::new();
    processes.hash(&mut hasher);
    match order {
        DeliveryOrder::AnyOrder => lanes.sort(),
        // Channels of several kinds stand in some order, and the messages of each in theirs.
        DeliveryOrder::Fifo => lanes.sort_by_key(|(from, to, _)| (*from, *to)),
    }
    lanes.hash(&mut hasher);
    hasher.finish()
}

/// What can be seen of a state of a world.
fn look<P: Promises>(global: &Global<'_, P>, order: DeliveryOrder) -> u64
where
    P::Msg: Ord,
{
    let slots = 0..P::Timer::COUNT;
    let armed = |p: Pid| {
        let timers = slots.clone().filter_map(P::Timer::from_index);
        timers.map(|timer| global.armed(p, timer)).collect::<Vec<bool>>()
    };
    let process = |p: Pid| global.state(p).map(|state| (state, armed(p), global.outbox(p).collect()));
    let processes: Vec<_> = global.processes().map(process).collect();
    digest(&processes, by_kind(global.in_flight().collect()), order)
}

/// What can be seen of a state of the naive explorer.
pub fn look_at_naive<P: Promises>(whole: &WholeOf<P>, order: DeliveryOrder) -> u64
where
    P::Msg: Ord,
{
    let slots = 0..P::Timer::COUNT;
    let processes: Vec<_> = whole
        .processes
        .iter()
        .map(|process| match process {
            NaiveProcess::Up { state, timers, outbox } => {
                let armed = slots.clone().map(|slot| timers.contains_key(&slot)).collect::<Vec<bool>>();
                Some((state, armed, outbox.iter().map(|(to, msg)| (*to, msg)).collect()))
            }
            _ => None,
        })
        .collect();
    let messages = whole.lanes.iter();
    let messages =
        messages.flat_map(|(&(from, to, _), list)| list.iter().map(move |(msg, _)| (from, to, msg)));
    digest(&processes, by_kind(messages.collect()), order)
}

/// Messages of one pair and different kinds may be listed channel by channel or not: by kind, in their order.
fn by_kind<M: Kind>(mut list: Vec<(Pid, Pid, &M)>) -> Vec<(Pid, Pid, &M)> {
    list.sort_by_key(|(from, to, _)| (*from, *to));
    list
}

/// The place of a class among those of a world, by its name.
fn class<P: Promises>(shape: &Shape, sort: ActionKind) -> Option<ClassId> {
    let name = match sort {
        ActionKind::Deliver(kind) => format!("deliver {}", P::Msg::KINDS.get(kind)?),
        ActionKind::Fire(slot) => format!("fire {}", P::Timer::from_index(slot)?.name()),
        ActionKind::Call(kind) => format!("call {}", P::Call::KINDS.get(kind)?),
        other => format!("{other:?}").to_lowercase(),
    };
    shape.classes.iter().position(|class| class.name == name).map(|at| at as ClassId)
}

fn atom(shape: &Shape, prop: &Prop) -> AtomId {
    shape.atom(&prop.name()).expect("every proposition of a case is one of its world")
}

/// What is asked, as a question about a space with this shape.
pub fn question<P: Promises>(shape: &Shape, props: &[Prop], ask: &CaseQuery) -> Question {
    let at = |place: usize| atom(shape, &props[place]);
    let invariant = |(when, then): &(Option<usize>, usize)| Invariant {
        name: props[*then].name(),
        when: when.map(at),
        then: at(*then),
    };
    Question {
        deadlock: ask.deadlock,
        timelock: ask.timelock.map(at),
        invariants: ask.invariants.iter().map(invariant).collect(),
        monitor: ask.monitor.as_ref().map(|mon| monitor::<P>(shape, props, mon)),
        ..Question::default()
    }
}

/// A question that takes down every state.
pub fn looking(shape: &Shape) -> Question {
    let then = shape.atom(LOOK).expect("every world of a case has it");
    let invariant = Invariant { name: LOOK.to_string(), when: None, then };
    Question { invariants: vec![invariant], ..Question::default() }
}

fn monitor<P: Promises>(shape: &Shape, props: &[Prop], mon: &Mon) -> Monitor {
    let edge = |(from, when, to): &(u32, MonitorGuard, u32)| MonitorEdge {
        from: *from,
        guard: guard::<P>(shape, props, when),
        to: *to,
    };
    Monitor {
        name: "monitor".to_string(),
        states: (0..mon.states).map(|state| state.to_string()).collect(),
        edges: mon.edges.iter().map(edge).collect(),
        errors: vec![(mon.error, "it came to its end".to_string())],
    }
}

fn guard<P: Promises>(shape: &Shape, props: &[Prop], when: &MonitorGuard) -> Guard {
    let both =
        |a: &MonitorGuard, b: &MonitorGuard| vec![guard::<P>(shape, props, a), guard::<P>(shape, props, b)];
    match when {
        MonitorGuard::True => Guard::True,
        MonitorGuard::Prop(at) => Guard::Atom(atom(shape, &props[*at])),
        // What cannot happen has no class.
        MonitorGuard::ActionKind(sort) => {
            class::<P>(shape, *sort).map_or(Guard::True.negated(), Guard::Class)
        }
        MonitorGuard::Not(a) => guard::<P>(shape, props, a).negated(),
        MonitorGuard::And(a, b) => Guard::All(both(a, b)),
        MonitorGuard::Or(a, b) => Guard::Any(both(a, b)),
    }
}

/// A claim in the words of the engines.
pub fn temporal(shape: &Shape, props: &[Prop], claim: &DrawnClaim) -> TemporalProperty {
    TemporalProperty { name: "claim".to_string(), formula: formula(shape, props, claim), premise: None }
}

fn formula(shape: &Shape, props: &[Prop], claim: &DrawnClaim) -> Formula {
    let of = |claim: &DrawnClaim| formula(shape, props, claim);
    match claim {
        DrawnClaim::Is(true) => Formula::True,
        DrawnClaim::Is(false) => Formula::False,
        DrawnClaim::Prop(at) => Formula::atom(atom(shape, &props[*at])),
        DrawnClaim::Not(a) => of(a).not(),
        DrawnClaim::And(a, b) => of(a).and(of(b)),
        DrawnClaim::Or(a, b) => of(a).or(of(b)),
        DrawnClaim::Next(a) => of(a).next(),
        DrawnClaim::Until(a, b) => of(a).until(of(b)),
        DrawnClaim::Release(a, b) => of(a).release(of(b)),
    }
}

/// A rule in the words of the engines; a world without such actions has none.
pub fn fairness(shape: &Shape, rule: NaiveFairness) -> Option<Fairness> {
    match rule {
        NaiveFairness::Steps => Some(Fairness::steps()),
        NaiveFairness::Processes => Some(Fairness::processes()),
        NaiveFairness::Timers => Fairness::timers(shape),
        NaiveFairness::Messages => Fairness::messages(shape),
        NaiveFairness::Links => Fairness::links(shape),
        NaiveFairness::Owed => None,
    }
}
