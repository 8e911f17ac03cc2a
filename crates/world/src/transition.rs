//! What can happen in a world, and how an engine's small action number says it. The number speaks of
//! channels, places and choices, never of interned ids, so it means the same in every run.

use crate::{Capacity, OracleAccuracy, Scenario, SuspicionMemory, Timing, WhenFull, WorldTime};
use watchkeeper_automaton::Facts;
use watchkeeper_space::{Action, ActionClass, ClassId, Role};

/// Bits of an action's code for where it happens, and for which message or timer; the rest is the choice.
pub(crate) const WHERE: u32 = 20;
pub(crate) const WHICH: u32 = 12;

/// Something that can happen. A message is named by its place in its channel: its place in the sequence of a
/// FIFO channel, or its rank among the different messages of a channel in any order, by their packed bytes. A
/// choice is the rank of the run of the protocol among all runs that differ in what it picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transition {
    /// A message arrives and is handled.
    Deliver { channel: usize, place: usize, choice: usize },
    /// A message arrives at a crashed process.
    Swallow { channel: usize, place: usize },
    /// A timer fires.
    Fire { process: usize, slot: usize, choice: usize },
    /// A client asks.
    Call { entry: usize, choice: usize },
    /// A process that waits for room sends on.
    Unblock { process: usize },
    /// A process crashes.
    Crash { process: usize },
    /// A process that has crashed starts again.
    Recover { process: usize, choice: usize },
    /// The network loses a message.
    Lose { channel: usize, place: usize },
    /// The network makes a copy of a message.
    Duplicate { channel: usize, place: usize },
    /// In ticks: one unit of time passes.
    Tick,
    /// In dense time: the timer may fire from now on, and need not.
    EnableTimer { process: usize, slot: usize },
    /// In dense time: the message may arrive from now on, and need not.
    EnableMessage { channel: usize, place: usize },
    /// In dense time: more than the bounds of some deadlines have passed, all at the same moment. Bit `i` is the
    /// `i`-th deadline that runs, in the order of the observers and of their deadlines.
    Expire { deadlines: usize },
    /// From now on the bounds on messages hold.
    Stabilise,
    /// The oracle tells a process something of another one.
    Tell { process: usize, peer: usize, news: News, choice: usize },
    /// The oracle settles, and leaves this process alone from now on if its class says so.
    Settle { immune: Option<usize> },
}

/// What the oracle tells, and whether it may or must.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// It may suspect.
    Suspect,
    /// It may end a suspicion.
    Trust,
    /// It has settled, and must suspect who has crashed.
    Detect,
    /// It has settled, and must end a suspicion of one that it leaves alone.
    Relent,
}

/// The code of an action.
pub(crate) fn code(at: usize, which: usize, choice: usize) -> u64 {
    debug_assert!(at < 1 << WHERE && which < 1 << WHICH);
    (choice as u64) << (WHERE + WHICH) | (which as u64) << WHERE | at as u64
}

/// The classes of actions of one world: those that can happen in it, and no others, since a report warns
/// of what was declared and never happened.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) list: Vec<ActionClass>,
    /// The class for kind 0; the others follow.
    deliver: usize,
    fire: usize,
    /// The class of the firing of the timer in each slot.
    kinds: Vec<usize>,
    call: usize,
    pub(crate) swallow: Option<ClassId>,
    pub(crate) unblock: Option<ClassId>,
    pub(crate) crash: Option<ClassId>,
    pub(crate) recover: Option<ClassId>,
    pub(crate) lose: Option<ClassId>,
    pub(crate) duplicate: Option<ClassId>,
    /// What is counted when a message finds its channel full.
    pub(crate) full: Option<ClassId>,
    pub(crate) tick: Option<ClassId>,
    pub(crate) enable_timer: Option<ClassId>,
    pub(crate) enable_message: Option<ClassId>,
    pub(crate) expire: Option<ClassId>,
    pub(crate) stabilise: Option<ClassId>,
    pub(crate) suspect: Option<ClassId>,
    pub(crate) trust: Option<ClassId>,
    pub(crate) detect: Option<ClassId>,
    pub(crate) relent: Option<ClassId>,
    pub(crate) settle: Option<ClassId>,
}

impl Classes {
    /// The classes for a protocol in a scenario, with calls or without; their number if there are too many.
    pub(crate) fn new(facts: &Facts, scenario: &Scenario, calls: bool) -> Result<Classes, usize> {
        let mut list: Vec<ActionClass> = Vec::new();
        let mut family = |verb: &str, names: &[&str], role| {
            let base = list.len();
            list.extend(names.iter().map(|name| ActionClass { name: format!("{verb} {name}"), role }));
            base
        };
        let deliver = family("deliver", facts.message_kinds, Role::Message);
        let fire = family("fire", facts.timer_kinds, Role::Timer);
        let call = family("call", if calls { facts.call_kinds } else { &[] }, Role::Other);
        let (network, faults) = (&scenario.network, &scenario.faults);
        let mut one = |when: bool, name: &str, role| {
            when.then(|| {
                list.push(ActionClass { name: name.to_string(), role });
                (list.len() - 1) as ClassId
            })
        };
        let crashes = !faults.mortal().is_empty();
        let dead = crashes || !faults.crashed_at_start.is_empty();
        let bounded = matches!(network.capacity, Capacity::Bounded(_));
        let full = match network.when_full {
            WhenFull::Block => "block",
            WhenFull::Drop => "drop (full)",
            WhenFull::Report => "overflow",
        };
        let swallow = one(dead && !facts.selective && !scenario.swallows_at_once(), "swallow", Role::Other);
        let unblock = one(bounded && network.when_full == WhenFull::Block, "unblock", Role::Other);
        let crash = one(crashes, "crash", Role::Fault);
        let recover = one(faults.recoveries > 0, "recover", Role::Fault);
        let before = scenario.time.timing().and_then(Timing::before);
        let orphaned = faults.crash_loses && crashes;
        let lost = network.losses > 0 || orphaned || before.is_some_and(|before| before.losses);
        let lose = one(lost, "lose", Role::Fault);
        let duplicate = one(network.duplications > 0, "duplicate", Role::Fault);
        let full = one(bounded, full, Role::Other);
        let dense = matches!(scenario.time, WorldTime::Dense(_));
        let tick = one(matches!(scenario.time, WorldTime::Ticks(_)), "tick", Role::Other);
        let enable_timer = one(dense, "timer becomes enabled", Role::Other);
        let enable_message = one(dense, "message becomes enabled", Role::Other);
        let expire = one(dense, "deadline passes", Role::Other);
        let stabilise = one(before.is_some(), "stabilise", Role::Other);
        let lasting = scenario.oracle.is_some_and(|oracle| oracle.memory == SuspicionMemory::Lasting);
        let accuracy = scenario.oracle.map(|oracle| oracle.accuracy);
        let perfect = matches!(accuracy, Some(OracleAccuracy::Strong { .. }));
        let errs = accuracy.is_some_and(|accuracy| !perfect || accuracy.mistakes() > 0);
        let yields =
            matches!(accuracy, Some(OracleAccuracy::EventuallyWeak | OracleAccuracy::EventuallyStrong));
        let suspect = one(errs, "suspect", Role::Fault);
        let trust = one(lasting && !perfect, "trust", Role::Fault);
        let detect = one(scenario.oracle.is_some() && dead, "detect", Role::Other);
        let relent = one(lasting && errs && (perfect || yields), "relent", Role::Other);
        let settle = one(scenario.oracle.is_some() && !perfect, "settle", Role::Other);
        if list.len() > 256 {
            return Err(list.len());
        }
        Ok(Classes {
            list,
            deliver,
            fire,
            kinds: facts.timers.iter().map(|(_, kind)| fire + kind).collect(),
            call,
            swallow,
            unblock,
            crash,
            recover,
            lose,
            duplicate,
            full,
            tick,
            enable_timer,
            enable_message,
            expire,
            stabilise,
            suspect,
            trust,
            detect,
            relent,
            settle,
        })
    }

    /// The classes of steps that cannot be put off for ever.
    pub(crate) fn justice(&self) -> Vec<ClassId> {
        [self.stabilise, self.detect, self.relent, self.settle].into_iter().flatten().collect()
    }

    /// The class of what the oracle tells.
    pub(crate) fn news(&self, news: News) -> Option<ClassId> {
        match news {
            News::Suspect => self.suspect,
            News::Trust => self.trust,
            News::Detect => self.detect,
            News::Relent => self.relent,
        }
    }

    /// The class of the delivery of a message of this kind.
    pub(crate) fn deliver(&self, kind: usize) -> ClassId {
        (self.deliver + kind) as ClassId
    }

    /// The class of the firing of the timer in this slot.
    pub(crate) fn fire(&self, slot: usize) -> ClassId {
        self.kinds[slot] as ClassId
    }

    /// The class of a call of this kind.
    pub(crate) fn call(&self, kind: usize) -> ClassId {
        (self.call + kind) as ClassId
    }

    /// What an action number says; `None` if it says nothing.
    pub(crate) fn transition(&self, action: Action) -> Option<Transition> {
        let (class, code) = (action.class(), action.code());
        let (at, which) = (code & ((1 << WHERE) - 1), code >> WHERE & ((1 << WHICH) - 1));
        let (at, which) = (at as usize, which as usize);
        let choice = (code >> (WHERE + WHICH)) as usize;
        let (channel, place, process) = (at, which, at);
        match usize::from(class) {
            c if c < self.fire => Some(Transition::Deliver { channel, place, choice }),
            c if c < self.call => Some(Transition::Fire { process, slot: which, choice }),
            _ if Some(class) == self.swallow => Some(Transition::Swallow { channel, place }),
            _ if Some(class) == self.unblock => Some(Transition::Unblock { process }),
            _ if Some(class) == self.crash => Some(Transition::Crash { process }),
            _ if Some(class) == self.recover => Some(Transition::Recover { process, choice }),
            _ if Some(class) == self.lose => Some(Transition::Lose { channel, place }),
            _ if Some(class) == self.duplicate => Some(Transition::Duplicate { channel, place }),
            _ if Some(class) == self.full => None,
            _ if Some(class) == self.tick => Some(Transition::Tick),
            _ if Some(class) == self.enable_timer => Some(Transition::EnableTimer { process, slot: which }),
            _ if Some(class) == self.enable_message => Some(Transition::EnableMessage { channel, place }),
            _ if Some(class) == self.expire => Some(Transition::Expire { deadlines: at }),
            _ if Some(class) == self.stabilise => Some(Transition::Stabilise),
            _ if Some(class) == self.settle => Some(Transition::Settle { immune: at.checked_sub(1) }),
            _ if self.told(class).is_some() => {
                self.told(class).map(|news| Transition::Tell { process, peer: which, news, choice })
            }
            c if c < self.list.len() => Some(Transition::Call { entry: at, choice }),
            _ => None,
        }
    }

    /// What is told in steps of a class.
    fn told(&self, class: ClassId) -> Option<News> {
        let all = [News::Suspect, News::Trust, News::Detect, News::Relent];
        all.into_iter().find(|&news| self.news(news) == Some(class))
    }
}
