//! What stands where in a row: processes first, then channels, then the budgets that have been used, whether the
//! network has stabilised, what the oracle has decided, its mistakes and whom it suspects, the channel that overflowed,
//! the calls, the observers, and in dense time the zone. Budgets that are zero or without a limit and errors that
//! cannot happen have no slot.

use crate::route::Routes;
use crate::{ANY_NUMBER, Capacity, Scenario, SuspicionMemory, WhenFull, WorldTime};
use watchkeeper_core::Pid;
use watchkeeper_space::{Edit, Id};

/// The slots of a row.
#[derive(Clone, Debug)]
pub(crate) struct RowLayout {
    pub(crate) names: Vec<String>,
    channels: usize,
    /// How many messages have been lost.
    pub(crate) losses: Option<usize>,
    /// How many messages have been duplicated.
    pub(crate) duplications: Option<usize>,
    /// How often a process has recovered. Whoever is down and whoever has recovered has crashed, so this is
    /// also all that it takes to count crashes.
    pub(crate) recoveries: Option<usize>,
    /// Whether the network has stabilised, where it has to: 0 or 1.
    pub(crate) stable: Option<usize>,
    /// Whom the oracle leaves alone, and whether it has settled, where there is one.
    pub(crate) oracle: Option<usize>,
    /// How many mistakes the oracle has made, where they are counted.
    pub(crate) mistakes: Option<usize>,
    /// Whom the first process suspects, and after it the others, where suspicions last.
    suspects: Option<usize>,
    calls: usize,
    /// 0, or one more than the channel that overflowed.
    overflow: Option<usize>,
    observers: usize,
    /// The set of moments that a state of dense time stands for.
    pub(crate) zone: Option<usize>,
}

impl RowLayout {
    pub(crate) fn new(
        scenario: &Scenario,
        routes: &Routes,
        calls: &[String],
        observers: &[String],
    ) -> RowLayout {
        let network = &scenario.network;
        let mut names: Vec<String> = Pid::all(scenario.n).map(|p| p.to_string()).collect();
        let channels = names.len();
        names.extend((0..routes.len()).map(|channel| routes.name(channel)));
        let counted = |budget: u32| budget > 0 && budget != ANY_NUMBER;
        let mut one = |when: bool, name: &str| {
            when.then(|| {
                names.push(name.to_string());
                names.len() - 1
            })
        };
        let losses = one(counted(network.losses), "losses");
        let duplications = one(counted(network.duplications), "duplications");
        let recoveries = one(counted(scenario.faults.recoveries), "recoveries");
        let stable = one(scenario.time.timing().is_some_and(|timing| timing.before().is_some()), "stable");
        let oracle = one(scenario.oracle.is_some(), "oracle");
        let mistakes = one(scenario.oracle.is_some_and(|oracle| oracle.accuracy.mistakes() > 0), "mistakes");
        let lasting = scenario.oracle.is_some_and(|oracle| oracle.memory == SuspicionMemory::Lasting);
        let mut suspects = None;
        for p in Pid::all(scenario.n) {
            let slot = one(lasting, &format!("suspects {p}"));
            suspects = suspects.or(slot);
        }
        let reports =
            network.when_full == WhenFull::Report && matches!(network.capacity, Capacity::Bounded(_));
        let overflow = one(reports, "overflow");
        let first = names.len();
        names.extend(calls.iter().cloned());
        let first_observer = names.len();
        names.extend(observers.iter().cloned());
        let zone = matches!(scenario.time, WorldTime::Dense(_)).then(|| {
            names.push("zone".to_string());
            names.len() - 1
        });
        RowLayout {
            names,
            channels,
            losses,
            duplications,
            recoveries,
            stable,
            oracle,
            mistakes,
            suspects,
            calls: first,
            overflow,
            observers: first_observer,
            zone,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The slot of a channel.
    #[inline]
    pub(crate) fn channel(&self, channel: usize) -> usize {
        self.channels + channel
    }

    /// The slot that counts how often a call was issued.
    pub(crate) fn call(&self, entry: usize) -> usize {
        self.calls + entry
    }

    /// The slot of whom a process suspects, where suspicions last.
    pub(crate) fn suspects(&self, process: usize) -> Option<usize> {
        self.suspects.map(|first| first + process)
    }

    /// The slot of an observer.
    #[inline]
    pub(crate) fn observer(&self, observer: usize) -> usize {
        self.observers + observer
    }

    /// The edit that says which channel overflowed.
    pub(crate) fn overflow(&self, channel: usize) -> Edit {
        let slot = self.overflow.expect("only channels that report overflow");
        Edit::new(slot, channel as Id + 1)
    }

    /// The channel that has overflowed.
    #[inline]
    pub(crate) fn overflowed(&self, row: &[Id]) -> Option<usize> {
        let id = row[self.overflow?];
        (id > 0).then(|| id as usize - 1)
    }

    /// The slot of the overflow, if there is one.
    pub(crate) fn overflow_slot(&self) -> Option<usize> {
        self.overflow
    }
}
