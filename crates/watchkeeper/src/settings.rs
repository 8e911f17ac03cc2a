//! What somebody asks for, as values, each with who said it, so that a problem names its origin. A test says it by
//! calls, a command line by flags, variables and files. Whether it all fits together is for the plan to say.

use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::{FairnessRule, PropertySpec};
use crate::quantities::{MemoryLimit, TimeSpan, Workers};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{Bound, ProcSet};
use watchkeeper_explore::Reduction;
use watchkeeper_world::{
    Channel, DeliveryOrder, Lanes, Oracle, OracleAccuracy, Simultaneous, SuspicionMemory as Suspicions,
};

/// A value, and who gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Who gave it.
    pub origin: SettingOrigin,
}

impl<T> Sourced<T> {
    /// The problem that this value cannot be used.
    pub fn refused(&self, why: impl fmt::Display) -> Problem {
        self.origin.refused(why)
    }
}

impl Sourced<String> {
    /// The value that the text stands for.
    pub fn parsed<T: FromStr<Err: fmt::Display>>(&self) -> Result<T, Problem> {
        self.value.trim().parse().map_err(|why: T::Err| self.refused(why))
    }

    /// The values that the text stands for, separated by commas.
    pub fn parsed_list<T: FromStr<Err: fmt::Display>>(&self) -> Result<Vec<T>, Problem> {
        let items = self.value.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.map(|item| item.parse().map_err(|why: T::Err| self.refused(why))).collect()
    }
}

/// Everything that was said about a check. What nobody says is as the protocol has it, or else as usual.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    /// How many there are of what the protocol counts.
    pub n: Option<Sourced<u64>>,
    /// How many processes may crash.
    pub crashes: Option<Sourced<u32>>,
    /// Which processes may crash.
    pub crashable: Option<Sourced<ProcSet>>,
    /// Which processes have crashed before the start.
    pub crashed_at_start: Option<Sourced<ProcSet>>,
    /// How often a process that has crashed may start again.
    pub recoveries: Option<Sourced<u32>>,
    /// Whether what a process had sent may be lost once it has crashed.
    pub crash_loses: Option<Sourced<bool>>,
    /// The abstract failure detector below the protocol.
    pub oracle: Option<Sourced<OracleChoice>>,
    /// What a channel holds, and what it does when it is full.
    pub channel: Option<Sourced<Channel>>,
    /// Whether messages may overtake each other.
    pub order: Option<Sourced<DeliveryOrder>>,
    /// Which messages share a channel.
    pub lanes: Option<Sourced<Lanes>>,
    /// How many messages may be lost.
    pub loss: Option<Sourced<u32>>,
    /// How many messages may be delivered twice.
    pub duplicate: Option<Sourced<u32>>,
    /// How time passes.
    pub time: Option<Sourced<TimeModel>>,
    /// How long a message is on its way.
    pub delay: Option<Sourced<Bound>>,
    /// How long a message and the reply to it take together at most.
    pub round_trip: Option<Sourced<u32>>,
    /// How long a process takes to handle a message.
    pub processing: Option<Sourced<Bound>>,
    /// What comes first of what falls on the same moment.
    pub simultaneous: Option<Sourced<Simultaneous>>,
    /// How many times too slow a process may be.
    pub speed: Option<Sourced<u32>>,
    /// SynchronyModel when the bounds hold.
    pub synchrony: Option<Sourced<SynchronyModel>>,
    /// How long a message takes that is sent before the bounds hold.
    pub before_delay: Option<Sourced<Bound>>,
    /// Whether messages may be lost before the bounds hold.
    pub before_loss: Option<Sourced<bool>>,
    /// What is asked, by name.
    pub property: Option<Sourced<Vec<PropertySpec>>>,
    /// What is asked in temporal logic.
    pub ltl: Option<Sourced<Vec<String>>>,
    /// Which infinite runs count.
    pub fairness: Option<Sourced<Vec<FairnessRule>>>,
    /// Which orders of steps are searched.
    pub interleaving: Option<Sourced<Interleaving>>,
    /// Whether one state stands for all its renamings.
    pub symmetry: Option<Sourced<bool>>,
    /// Which steps are left out.
    pub reduce: Option<Sourced<Reduction>>,
    /// Which states are looked at.
    pub search: Option<Sourced<SearchMethod>>,
    /// The most steps from the start.
    pub max_depth: Option<Sourced<u64>>,
    /// The most distinct states.
    pub max_states: Option<Sourced<u64>>,
    /// The most memory.
    pub max_memory: Option<Sourced<MemoryLimit>>,
    /// The longest time.
    pub timeout: Option<Sourced<TimeSpan>>,
    /// The number of threads.
    pub workers: Option<Sourced<Workers>>,
    /// The seed of what is chosen at random.
    pub seed: Option<Sourced<u64>>,
    /// How long after the first the last process may begin.
    pub stagger: u32,
    /// The parameters of the protocol, by name.
    pub params: BTreeMap<String, Sourced<String>>,
}

/// How time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeModel {
    /// Not at all: whatever is pending may happen at any moment.
    Untimed,
    /// One unit after the other.
    Ticks,
    /// Continuously.
    Dense,
}

/// SynchronyModel when bounds on messages hold, and whether the protocol knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SynchronyModel {
    /// From the start.
    Always,
    /// From some moment on.
    Eventual,
    /// From the start, and they are unknown: those that are given are the largest there may be.
    Unknown,
}

/// Which orders of steps are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interleaving {
    /// Of all that no process can tell apart one, stage by stage.
    Stages,
    /// All.
    All,
}

/// Which states a search looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchMethod {
    /// All, nearest first.
    Breadth,
    /// At each depth only so many.
    Beam(usize),
    /// So many random runs.
    Walks(u64),
}

/// An abstract failure detector; how long its suspicions last may be left to the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleChoice {
    /// Whom it may suspect.
    pub accuracy: OracleAccuracy,
    /// How long a suspicion lasts.
    pub memory: Option<Suspicions>,
}

impl From<Oracle> for OracleChoice {
    fn from(oracle: Oracle) -> OracleChoice {
        OracleChoice { accuracy: oracle.accuracy, memory: Some(oracle.memory) }
    }
}
