//! The settings of a check, as values, each with its origin, so that an error names it. A test gives them by calls, a
//! command line by flags, variables and files. [`Settings`] is the only definition of every setting; the plan decides
//! whether all of them fit together.

mod store;
mod values;

pub use store::StoreChoice;
pub use values::{AtMost, Formulas, Interval, SettingValue, Slowness, ValueShape};

use crate::check::CheckBuilder;
use crate::erased::ProtocolOutline;
use crate::problem::{Problem, SettingOrigin};
use crate::property_spec::{FairnessRule, PropertySpec};
use crate::quantities::{DiskLimit, MemoryLimit, TimeSpan, Workers};
use crate::regions::RegionsBuilder;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;
use strum::{EnumString, IntoStaticStr, VariantNames};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_derive::SettingsTable;
use watchkeeper_explore::Reduction;
use watchkeeper_world::{
    Channel, DeliveryOrder, Lanes, Oracle, OracleAccuracy, Simultaneous, SuspicionMemory,
};

/// A value, and its origin.
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

/// One row of the table of settings, which [`Settings::TABLE`] is.
#[derive(Debug)]
#[non_exhaustive]
pub struct SettingRow {
    /// The flag without its dashes, and the key of a scenario file.
    pub name: &'static str,
    /// The short help, in one line.
    pub help: &'static str,
    /// What the long help adds: paragraphs, and lists whose items are written `- \`VALUE\`: meaning`.
    pub details: &'static str,
    /// The heading of the help that it belongs to.
    pub heading: Heading,
    /// The name of its value in the help.
    pub value_name: &'static str,
    /// The environment variable that sets it, if there is one.
    pub variable: Option<&'static str>,
    /// Whether it is one value, a list or a switch.
    pub shape: ValueShape,
    /// The values that the key of a scenario file takes.
    pub toml: &'static str,
    /// The protocols that have it, if not all do.
    pub only: Option<fn(&ProtocolOutline) -> bool>,
    /// Reads a text into the settings.
    pub read: fn(&Sourced<String>, &mut Settings) -> Result<(), Problem>,
    /// The value as it is written, if the settings have one.
    pub write: fn(&Settings) -> Option<String>,
}

/// A heading of the help.
#[derive(Clone, Copy, PartialEq, Eq, Debug, IntoStaticStr)]
#[non_exhaustive]
pub enum Heading {
    /// The processes and their faults.
    Scenario,
    /// The properties that are checked.
    Property,
    /// The channels.
    Network,
    /// Durations and bounds.
    Time,
    /// The method of the search.
    Search,
    /// The limits of the search.
    Limits,
}

impl Settings {
    /// The row of this name.
    pub fn row(name: &str) -> Option<&'static SettingRow> {
        Settings::TABLE.iter().find(|row| row.name == name)
    }
}

/// All settings of a check. A setting that nobody gives is as the protocol describes it, or has its default.
#[derive(Clone, PartialEq, Debug, Default, SettingsTable)]
#[settings(builder = CheckBuilder, builder = RegionsBuilder)]
pub struct Settings {
    /// The number of processes, at least 2. The heartbeat protocols count their participants, and have p0 in addition
    /// [default: the protocol chooses].
    #[setting(heading = Scenario, value = "N")]
    pub n: Option<Sourced<usize>>,

    /// How many processes may crash, at any moment [default: 0, or all of --crashable].
    #[setting(heading = Scenario, value = "K")]
    pub crashes: Option<Sourced<u32>>,

    /// The processes that may crash, such as p1,p2 [default: all].
    #[setting(heading = Scenario, value = "PROCESSES", collect = Pid)]
    pub crashable: Option<Sourced<ProcSet>>,

    /// The processes that have crashed before the first step, such as p1 [default: none].
    #[setting(heading = Scenario, value = "PROCESSES", collect = Pid)]
    pub crashed_at_start: Option<Sourced<ProcSet>>,

    /// How often a crashed process may start again, with an empty memory [default: 0].
    ///
    /// A recovered process may crash again, so --crashes then counts crashes. With `any`, neither crashes nor recoveries
    /// are counted, and --crashes limits how many processes may be down at once, beyond those of the start.
    #[setting(heading = Scenario, value = "K|any", through = AtMost)]
    pub recoveries: Option<Sourced<u32>>,

    /// The network may lose messages of a crashed process that have not arrived yet [default: off; on for consensus].
    ///
    /// A crash in the middle of sending to several processes is one such loss. `--crash-loses=false` switches it off.
    #[setting(heading = Scenario, value = "true|false")]
    pub crash_loses: Option<Sourced<bool>>,

    /// The class of the abstract failure detector (oracle) below the protocol. It does everything that its class allows
    /// [default: S for consensus-strong, <>S for consensus-rotating, both momentary].
    ///
    /// - `P`: every crash is suspected in the end, and no process is suspected before it crashes. `P:mistakes=K` allows K
    ///   wrong suspicions in a run, each of which ends
    /// - `<>P`: the same as P from some moment on; before it any process may be suspected
    /// - `S`: every crash is suspected in the end; one correct process is never suspected
    /// - `<>S`: the same, but that process is free of suspicion only from some moment on
    /// - `none`: every crash is suspected in the end, and any other process may be suspected too
    ///
    /// A suspicion lasts one step with `:momentary`, and until the oracle ends it with `:lasting`.
    #[setting(
        heading = Scenario,
        value = "CLASS[:mistakes=K][:MEMORY]",
        from = impl Into<OracleChoice>,
        only = ProtocolOutline::hears_oracle
    )]
    pub oracle: Option<Sourced<OracleChoice>>,

    /// The capacity of each channel, and what a full channel does with one more message [default: block:1].
    ///
    /// - `block:N`: the sender waits, and takes no input while it waits
    /// - `drop:N`: the channel loses the message
    /// - `report:N`: the message is an error; it violates the property within-capacity
    /// - `unbounded[:CAP]`: the message always fits. A search that reaches the cap (8 unless given) cannot answer `holds`
    #[setting(heading = Network, value = "SPEC")]
    pub channel: Option<Sourced<Channel>>,

    /// The order of delivery in a channel: any, or fifo [default: any].
    #[setting(heading = Network, value = "ORDER")]
    pub order: Option<Sourced<DeliveryOrder>>,

    /// The messages that share a channel: all from one process to another (per-pair), or only those of one kind
    /// (per-kind) [default: per-pair].
    #[setting(heading = Network, value = "LANES")]
    pub lanes: Option<Sourced<Lanes>>,

    /// How many messages the network may lose [default: 0].
    #[setting(heading = Network, value = "K|any", through = AtMost)]
    pub loss: Option<Sourced<u32>>,

    /// How many messages the network may deliver twice [default: 0].
    #[setting(heading = Network, value = "K|any", through = AtMost)]
    pub duplicate: Option<Sourced<u32>>,

    /// The model of time [default: untimed; dense for the heartbeat protocols].
    ///
    /// - `untimed`: time does not pass; every pending event may happen at any moment, or never
    /// - `ticks`: time passes one unit at a time
    /// - `dense`: time is continuous; the states are zones, which hold all moments at once
    #[setting(heading = Time, value = "MODEL", env = "WATCHKEEPER_TIME")]
    pub time: Option<Sourced<TimeModel>>,

    /// The delay of a message, such as 1..3, 2 or 1.. [default: the protocol chooses].
    #[setting(heading = Time, value = "LO..HI", through = Interval)]
    pub delay: Option<Sourced<Bound>>,

    /// The longest time that a message and its reply take together, in place of --delay.
    #[setting(heading = Time, value = "T")]
    pub round_trip: Option<Sourced<u32>>,

    /// The time that a process takes to handle a message; it is added to --delay [default: 0].
    #[setting(heading = Time, value = "LO..HI", through = Interval)]
    pub processing: Option<Sourced<Bound>>,

    /// The order of simultaneous events [default: any].
    ///
    /// - `any`: every order is possible
    /// - `deliveries-first`: a message that must arrive now arrives before any timer fires, at any process
    #[setting(heading = Time, value = "ORDER")]
    pub simultaneous: Option<Sourced<Simultaneous>>,

    /// The bound on relative speed: a timer of at most T fires after at most PHI times T, and never early [default: 1].
    #[setting(heading = Time, value = "PHI", through = Slowness)]
    pub speed: Option<Sourced<u32>>,

    /// When the bounds on messages hold, and whether they are known (partial synchrony) [default: always].
    ///
    /// - `always`: from the start
    /// - `eventual`: from some moment on, in every run; for --time ticks
    /// - `unknown`: from the start, but the protocol does not know them; --delay and --speed are the largest possible ones
    #[setting(heading = Time, value = "WHEN")]
    pub synchrony: Option<Sourced<SynchronyModel>>,

    /// The delay of a message that is sent before the bounds hold, with --synchrony eventual [default: 0..inf].
    #[setting(heading = Time, value = "LO..HI", through = Interval)]
    pub before_delay: Option<Sourced<Bound>>,

    /// The network may lose any number of messages before the bounds hold, with --synchrony eventual.
    #[setting(heading = Time, value = "true|false")]
    pub before_loss: Option<Sourced<bool>>,

    /// The properties to check, separated by commas [default: deadlock, and all properties of the protocol].
    ///
    /// - `deadlock`: while some process has not crashed, something can still happen
    /// - `within-capacity`: no message finds its channel full; checked whenever channels report
    /// - `oscillation:K[:pX:pY]`: pX does not stop suspecting pY K times after the crash of pY
    #[setting(heading = Property, value = "NAMES", push = impl Into<PropertySpec>)]
    pub property: Option<Sourced<Vec<PropertySpec>>>,

    /// A formula of linear temporal logic about all fair infinite runs, such as 'G F suspects(p0,p1)'; `;` separates
    /// several.
    ///
    /// Operators: G F X U R W, ! & | -> <-> ~> (leads to), `all p: ...`, `some p != q: ...`. Atoms: crashed(p1),
    /// suspects(p0,p1), stable and those of the protocol. A formula needs --fairness or --time ticks.
    #[setting(heading = Property, value = "FORMULA", through = Formulas, push = impl Into<String>)]
    pub ltl: Option<Sourced<Vec<String>>>,

    /// The fairness of infinite runs, separated by commas [default: none].
    ///
    /// - `steps`: weak fairness of every step: timers fire and messages arrive
    /// - `processes`: weak fairness of every process: it takes steps if it can keep taking them
    /// - `timers`: a timer that stays armed fires
    /// - `messages`: every message is delivered, or its receiver crashes
    /// - `links`: if a kind of message is sent infinitely often, it is delivered infinitely often
    /// - `weak:NAME[@pX]`: weak fairness of a message, a timer or a class of actions [of pX]
    /// - `strong:NAME[@pX]`: strong fairness of it
    #[setting(heading = Property, value = "NAMES", push = FairnessRule)]
    pub fairness: Option<Sourced<Vec<FairnessRule>>>,

    /// The interleavings to explore [default: stages where the protocol and the scenario allow them].
    ///
    /// - `stages`: explore one interleaving per class of indistinguishable runs, stage by stage, for every number of
    ///   rounds
    /// - `all`: explore every interleaving
    #[setting(heading = Search, value = "stages|all", only = ProtocolOutline::has_stages)]
    pub interleaving: Option<Sourced<Interleaving>>,

    /// The search method [default: breadth].
    ///
    /// - `breadth`: breadth-first search of all states; the only search that can answer `holds`
    /// - `beam:WIDTH`: beam search: at each depth only the most promising WIDTH states; finds deep violations
    /// - `walks:COUNT`: COUNT random walks
    #[setting(heading = Search, value = "SEARCH")]
    pub search: Option<Sourced<SearchMethod>>,

    /// The seed of the random choices [default: 1].
    #[setting(heading = Search, value = "NUMBER", env = "WATCHKEEPER_SEED")]
    pub seed: Option<Sourced<u64>>,

    /// The largest depth, in steps from the start [default: none; 1000 for beam and walks].
    #[setting(heading = Limits, value = "STEPS")]
    pub max_depth: Option<Sourced<u64>>,

    /// Symmetry reduction: explore one state of each set of states that differ only by a renaming of processes.
    #[setting(heading = Search, value = "true|false")]
    pub symmetry: Option<Sourced<bool>>,

    /// The reduction of the interleavings [default: none].
    ///
    /// - `none`: no reduction
    /// - `order`: partial-order reduction: skip all but one order of independent steps. It needs an untimed scenario, and
    ///   properties of states or requirements on runs so far. A violation is real, but need not be the shortest
    #[setting(heading = Search, value = "none|order")]
    pub reduce: Option<Sourced<Reduction>>,

    /// The largest number of distinct states.
    #[setting(heading = Limits, value = "STATES")]
    pub max_states: Option<Sourced<u64>>,

    /// The most memory for the search, such as 4GiB; auto is three quarters of the free memory [default: auto].
    ///
    /// The limits of the system (ulimit, control groups) hold in addition.
    #[setting(heading = Limits, value = "auto|SIZE", env = "WATCHKEEPER_MAX_MEMORY", from = u64)]
    pub max_memory: Option<Sourced<MemoryLimit>>,

    /// Where a search keeps its states [default: memory].
    ///
    /// - `memory`: in memory, which is quickest
    /// - `disk:DIR`: in files in this directory, which must be empty or new; they are removed at the end
    /// - `auto[:DIR]`: in memory up to the memory limit, and then the search begins again on disk; without DIR, in a fresh
    ///   directory among the temporary files of the system
    ///
    /// On disk a search visits all states breadth-first; beams, walks, formulas, --time dense and --reduce order are searched
    /// in memory only.
    #[setting(heading = Search, value = "STORE", from = impl Into<StoreChoice>)]
    pub store: Option<Sourced<StoreChoice>>,

    /// The most bytes of files for a search that keeps its states on disk, such as 100GiB [default: what the disk has].
    #[setting(heading = Limits, value = "SIZE", from = u64)]
    pub max_disk: Option<Sourced<DiskLimit>>,

    /// The longest time to search, such as 90s or 10min.
    #[setting(heading = Limits, value = "TIME", env = "WATCHKEEPER_TIMEOUT", from = Duration)]
    pub timeout: Option<Sourced<TimeSpan>>,

    /// The number of threads; auto is one for each core [default: auto].
    #[setting(heading = Search, value = "auto|N", env = "WATCHKEEPER_WORKERS", from = NonZeroUsize)]
    pub workers: Option<Sourced<Workers>>,

    /// The longest time between the starts of the first and the last process.
    pub stagger: u32,

    /// The parameters of the protocol, by name.
    pub params: BTreeMap<String, Sourced<String>>,
}

/// A model of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum TimeModel {
    /// Time does not pass: every pending event may happen at any moment.
    Untimed,
    /// Time passes one unit at a time.
    Ticks,
    /// Time is continuous.
    Dense,
}

/// When the bounds on messages hold, and whether the protocol knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum SynchronyModel {
    /// From the start.
    Always,
    /// From some moment on.
    Eventual,
    /// From the start, and they are unknown: the given bounds are the largest possible ones.
    Unknown,
}

/// The interleavings that a search explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Interleaving {
    /// One per class of indistinguishable runs, stage by stage.
    Stages,
    /// All.
    All,
}

/// A search method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SearchMethod {
    /// Breadth-first search of all states.
    Breadth,
    /// Beam search with this many states at each depth.
    Beam(usize),
    /// This many random walks.
    Walks(u64),
}

/// An abstract failure detector; the protocol may choose how long its suspicions last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleChoice {
    /// The processes that it may suspect.
    pub accuracy: OracleAccuracy,
    /// How long a suspicion lasts.
    pub memory: Option<SuspicionMemory>,
}

impl From<Oracle> for OracleChoice {
    fn from(oracle: Oracle) -> OracleChoice {
        OracleChoice { accuracy: oracle.accuracy, memory: Some(oracle.memory) }
    }
}
