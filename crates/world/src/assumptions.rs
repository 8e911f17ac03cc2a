//! What a verdict about a world rests on, in sentences for its reader. Every choice of the scenario that
//! can change a verdict has its sentence here, and every limit of the search its remedy.

use crate::error::MAX_DURATION;
use crate::record::MAX_CHOICES;
use crate::transition::WHERE;
use crate::{
    ANY_NUMBER, Capacity, Delay, DeliveryOrder, Faults, Lanes, MAX_CAPACITY, Network, Oracle, Scenario,
    Simultaneous, Timing, WhenFull, WorldTime,
};
use watchkeeper_automaton::{CallId, ProtocolAutomaton};
use watchkeeper_core::{Bound, Pid, Time};
use watchkeeper_space::{AtomId, Cap};

/// One sentence for each assumption; `observers` are the names of those that deadline, if any do.
pub fn assumptions<T: Time>(
    automaton: &dyn ProtocolAutomaton<T>,
    scenario: &Scenario<T>,
    calls: &[(Pid, CallId, u32)],
    observers: &str,
) -> Vec<String> {
    let Scenario { n, network, faults, .. } = scenario;
    let mut list =
        vec![format!("there are {n} processes"), time(scenario), channels(network), losses(scenario)];
    if let Some(timing) = scenario.time.timing() {
        list.extend(delays(timing));
        list.extend(speed(timing.speed));
        list.push(simultaneous(scenario.time, timing.simultaneous));
    }
    if automaton.facts().selective {
        list.push(
            "a process takes only the messages that it wants: what it wants later waits for it, and what it never \
             will is gone at once"
                .to_string(),
        );
    }
    let mortal = !faults.mortal().is_empty();
    let dead = mortal || !faults.crashed_at_start.is_empty();
    if dead && (automaton.facts().selective || scenario.swallows_at_once()) {
        list.push("a message to a process that has crashed is gone at once".to_string());
    }
    if let Capacity::Unbounded { cap } = network.capacity {
        list.push(format!(
            "no channel holds more than {cap} messages: this is a cap of the search, not of the network"
        ));
    }
    list.push(match faults.crashes {
        _ if !mortal => "no process crashes during a run".to_string(),
        most if faults.recoveries == 0 => {
            format!("at most {most} of the processes {} crash, at any moment and for ever", faults.crashable)
        }
        most => crashes(faults, most),
    });
    if faults.crash_loses && mortal {
        list.push(
            "any part of what a process had sent and what has not arrived may be lost once it has crashed, and does \
             not count as lost by the network"
                .to_string(),
        );
    }
    if !faults.crashed_at_start.is_empty() {
        list.push(format!("the processes {} have crashed before the start", faults.crashed_at_start));
    }
    if faults.recoveries > 0 {
        list.push(recoveries(faults.recoveries));
    }
    list.extend(scenario.oracle.into_iter().flat_map(Oracle::sentences));
    for (process, call, budget) in calls {
        let label = automaton.calls().label(call.0);
        list.push(format!("a client calls {label} of {process} at most {budget} times in a run"));
    }
    if !observers.is_empty() {
        list.push(format!(
            "a run is followed until {observers} cannot be violated any more, and what comes after is not \
             searched: any other property holds only so far"
        ));
    }
    list
}

/// The sentence on the horizon of a protocol, for a search.
pub(crate) fn horizon(name: String) -> String {
    format!("runs are followed up to {name}: this is a limit of the search, not of the protocol")
}

/// The sentence on crashes of processes that may recover.
fn crashes(faults: &Faults, most: u32) -> String {
    let who = faults.crashable;
    let down = most as usize + faults.crashed_at_start.len();
    match (faults.recoveries, most) {
        // Without a count of recoveries there is none of crashes.
        (ANY_NUMBER, _) => {
            format!("the processes {who} crash at any moment, with at most {down} down at once")
        }
        (_, 1) => format!("there is at most 1 crash of the processes {who} in a run, at any moment"),
        _ => format!("there are at most {most} crashes of the processes {who} in a run, at any moment"),
    }
}

fn recoveries(most: u32) -> String {
    let some = match most {
        ANY_NUMBER => "there is any number of recoveries in a run".to_string(),
        1 => "there is at most 1 recovery in a run".to_string(),
        most => format!("there are at most {most} recoveries in a run"),
    };
    format!(
        "{some}, at any moment: a process that has crashed starts again and remembers nothing, what was on its \
         way to it is gone, and what it had sent is still on its way"
    )
}

fn losses<T: Time>(scenario: &Scenario<T>) -> String {
    let counted = faults_of(&scenario.network);
    match scenario.time.timing().and_then(Timing::before) {
        Some(before) if before.losses => {
            format!(
                "until it stabilises, the network loses any number of messages; apart from these, {counted}"
            )
        }
        _ => counted,
    }
}

fn faults_of(network: &Network) -> String {
    let some = |budget: u32| match budget {
        ANY_NUMBER => "any number of".to_string(),
        most => format!("at most {most}"),
    };
    match (network.losses, network.duplications) {
        (0, 0) => "the network neither loses nor duplicates messages".to_string(),
        (lost, 0) => format!("the network loses {} messages in a run, and duplicates none", some(lost)),
        (0, copied) => format!("the network duplicates {} messages in a run, and loses none", some(copied)),
        (lost, copied) => {
            format!("the network loses {} and duplicates {} messages in a run", some(lost), some(copied))
        }
    }
}

fn time<T>(scenario: &Scenario<T>) -> String {
    match &scenario.time {
        WorldTime::Untimed => {
            "time: untimed, so an armed timer may fire and a message may arrive at any moment, or never"
        }
        WorldTime::Ticks(_) => {
            "time: ticks, so everything happens at whole units of time, and a timer fires within its bound"
        }
        WorldTime::Dense(_) => {
            "time: dense, so things happen at any moment, and a timer fires within its bound"
        }
    }
    .to_string()
}

/// The sentences on how long messages take: one; or those for before the network has stabilised and for after.
fn delays<T: Time>(timing: Timing<T>) -> Vec<String> {
    let Some(before) = timing.before() else { return vec![delay(timing)] };
    let exact = |bound: Bound| {
        bound.hi().map_or(Bound::at_least(T::from(bound.lo())), |hi| {
            Bound::new(T::from(bound.lo()), T::from(hi)).unwrap_or(Bound::exactly(T::from(hi)))
        })
    };
    let early = Timing { delay: Delay::PerMessage(exact(before.delay)), ..timing };
    vec![
        format!(
            "the network stabilises at some moment, in every run and whenever the adversary likes; what is sent \
             until then: {}",
            delay(early)
        ),
        format!("what is sent once the network has stabilised: {}", delay(timing)),
        "what is still on its way when the network stabilises arrives no later than what is sent at that moment; \
         timers keep their bounds from the start"
            .to_string(),
    ]
}

fn speed(most: u32) -> Option<String> {
    (most > 1).then(|| {
        format!(
            "a process may be up to {most} times too slow, from the start: a timer armed for [lo, hi] fires \
             within [lo, {most} hi]"
        )
    })
}

fn delay<T: Time>(timing: Timing<T>) -> String {
    let none = Bound::exactly(T::from(0));
    match timing.delay {
        Delay::RoundTrip(most) => {
            format!(
                "a message and its reply together take at most {most}, and any other message at most {most}"
            )
        }
        Delay::PerMessage(delay) if timing.processing == none => format!("a message takes {delay}"),
        Delay::PerMessage(delay) => {
            format!("a message takes {delay}, and its receiver {} more to handle it", timing.processing)
        }
    }
}

fn simultaneous<T>(time: WorldTime<T>, simultaneous: Simultaneous) -> String {
    match (simultaneous, time) {
        (Simultaneous::AnyOrder, _) => "simultaneous events happen in any order".to_string(),
        (Simultaneous::DeliveriesFirst, WorldTime::Ticks(_)) => {
            "a message that is due arrives before any timer fires; in ticks only whole units of time are seen, \
             so a violation between them is missed (dense time finds it)"
                .to_string()
        }
        (Simultaneous::DeliveriesFirst, _) => {
            "a message that is due arrives before any timer fires".to_string()
        }
    }
}

fn channels(network: &Network) -> String {
    let whose = match network.lanes {
        Lanes::PerPair => "each ordered pair of processes has one channel",
        Lanes::PerKind => "each ordered pair of processes has one channel for each kind of message",
    };
    let order = match network.order {
        DeliveryOrder::AnyOrder => "delivers in any order",
        DeliveryOrder::Fifo => "delivers in the order of sending",
    };
    let full = match (network.capacity, network.when_full) {
        (Capacity::Unbounded { .. }, _) => "holds any number of messages".to_string(),
        (Capacity::Bounded(size), WhenFull::Block) => {
            format!("holds {size} and blocks the sender of one more")
        }
        (Capacity::Bounded(size), WhenFull::Drop) => format!("holds {size} and drops one more"),
        (Capacity::Bounded(size), WhenFull::Report) => {
            format!("holds {size} and reports one more as an error")
        }
    };
    format!("{whose}, which {order}, {full}")
}

/// The limits of the search inside a world, in the order of their numbers.
pub(crate) fn caps(scenario: &Scenario, horizon: Option<String>) -> Vec<Cap> {
    let mut caps = vec![
        Cap::new(
            "the protocol sent a message to itself or to a process that does not exist; a world has channels between \
             different processes only, so correct the protocol",
        ),
        Cap::new(format!(
            "a step of the protocol picked in more than {MAX_CHOICES} different ways; let it pick among fewer"
        )),
        Cap::new(format!("a timer was armed for longer than {MAX_DURATION}; count in coarser units of time")),
        Cap::new(
            "an observer speaks of durations, and an untimed world has none; choose ticks or dense time",
        ),
        Cap::new(format!(
            "more than {WHERE} deadlines run at once, which dense time cannot tell apart; ask for fewer (R1:p1 instead of \
             R1), or choose ticks"
        )),
    ];
    if let Capacity::Unbounded { cap } = scenario.network.capacity {
        let more = cap.saturating_mul(2).min(MAX_CAPACITY);
        caps.push(Cap::new(format!("channel cap {cap}; raise it with channel unbounded:{more}")));
    }
    caps.extend(horizon.map(Cap::new));
    caps
}

/// That runs end where no observer can see anything wrong any more, which these atoms of observers do not mind.
pub(crate) fn settled(spares: Vec<AtomId>) -> Cap {
    let name = "runs end where all observers have made up their minds; ask what else there is to ask in a world of its \
                own, without observers";
    Cap { spares, ..Cap::new(name) }
}
