//! A run before it happens: how large the cluster is, how its network behaves, and what goes wrong when. A plan is data:
//! it can be written, read, compared and shortened, and a run is a function of the protocol and its plan alone.

use crate::distribution::DelayDistribution;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use watchkeeper_core::{Pid, ProcSet};

/// A run before it happens. Times are in nanoseconds since its beginning.
#[derive(Clone, PartialEq, Debug)]
pub struct SimulationPlan {
    /// Decides whatever is drawn while the run happens.
    pub seed: u64,
    /// The number that `--n` would have.
    pub n: usize,
    /// How long the run lasts.
    pub lasts: u64,
    /// How long messages are on their way.
    pub delay: DelayDistribution,
    /// Whether greetings of nodes take a sixteenth of a tick at most, so that all begin together, or as long as messages do.
    pub fast_greetings: bool,
    /// By how much a process may wake up later than it asked to.
    pub late: u64,
    /// Whether all processes are on one machine, whose clock they read.
    pub one_clock: bool,
    /// When each process starts.
    pub starts: Vec<u64>,
    /// What clients ask: when, of whom, and which of the things that can be asked.
    pub calls: Vec<PlannedCall>,
    /// What goes wrong, in the order of time.
    pub faults: Vec<PlannedFault>,
}

/// A client's request in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedCall {
    /// When.
    pub at: u64,
    /// Of whom.
    pub process: Pid,
    /// Its place in the list of what can be asked.
    pub call: usize,
}

/// One thing that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedFault {
    /// When it begins.
    pub at: u64,
    /// What it is.
    pub fault: FaultAction,
}

/// Something that goes wrong. Durations are in nanoseconds, shares in parts of a million.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultAction {
    /// Messages from some to some take longer by so much.
    Slow {
        /// Their senders.
        from: ProcSet,
        /// Their destinations.
        to: ProcSet,
        /// Until when.
        until: u64,
        /// By how much.
        by: u64,
    },
    /// Some messages are lost.
    Lose {
        /// Their senders.
        from: ProcSet,
        /// Their destinations.
        to: ProcSet,
        /// Until when.
        until: u64,
        /// How many of a million.
        share: u32,
    },
    /// Some datagrams arrive twice.
    Duplicate {
        /// Until when.
        until: u64,
        /// How many of a million.
        share: u32,
        /// How much later the copy arrives at most.
        by: u64,
    },
    /// Some messages are overtaken by others: they take longer.
    Reorder {
        /// Until when.
        until: u64,
        /// How many of a million.
        share: u32,
        /// By how much at most.
        by: u64,
    },
    /// Nothing gets from some to some.
    Cut {
        /// The senders.
        from: ProcSet,
        /// The destinations.
        to: ProcSet,
        /// Until when.
        until: u64,
        /// Whether nothing gets back either.
        both: bool,
    },
    /// A clock runs at another rate from now on.
    Rate {
        /// Whose.
        process: Pid,
        /// By how many parts of a million it is too fast.
        ppm: i32,
    },
    /// A wall clock is set.
    Jump {
        /// Whose.
        process: Pid,
        /// By how many nanoseconds, back if negative.
        by: i64,
    },
    /// A process is stopped or starved, and goes on later.
    Stall {
        /// Who.
        process: Pid,
        /// For how long.
        lasts: u64,
    },
    /// A process ends without a word.
    Crash {
        /// Who.
        process: Pid,
    },
    /// A process that is down starts again.
    Restart {
        /// Who.
        process: Pid,
    },
    /// Each line of a recording takes a while to write.
    SlowDisk {
        /// Whose.
        process: Pid,
        /// Until when.
        until: u64,
        /// How long.
        by: u64,
    },
    /// No line of a recording can be written any more.
    FullDisk {
        /// Whose.
        process: Pid,
    },
    /// The machine of a process loses power: the process ends, and the last lines of its recording are gone.
    LostTail {
        /// Whose.
        process: Pid,
        /// How many lines.
        lines: u32,
    },
    /// A process takes one step of a rotation of keys.
    Keys {
        /// Who.
        process: Pid,
        /// Which step.
        step: RotationStep,
    },
    /// A stranger sends many datagrams.
    Flood {
        /// To whom.
        to: Pid,
        /// What kind of datagrams.
        kind: FloodKind,
        /// From whose address; its own if none.
        from: Option<Pid>,
        /// How many.
        count: u32,
        /// Until when, evenly spread.
        until: u64,
    },
}

/// One step of a rotation of keys, as the documentation of the wire tells operators to take them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum RotationStep {
    /// The new key opens what arrives, and the old one still seals.
    Add,
    /// The new key seals, and the old one still opens.
    Switch,
    /// The old key is gone.
    Remove,
}

/// What a stranger sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum FloodKind {
    /// Random bytes.
    Random,
    /// Datagrams that were on the network before.
    Replay,
    /// Such datagrams with some bytes changed.
    Mutant,
    /// Datagrams sealed with a key that was taken out of use.
    Leaked,
}

/// A family of faults, as a nemesis is told to mix them.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum FaultFamily {
    /// Messages that take longer than they may.
    Delay,
    /// Messages that are lost.
    Loss,
    /// Datagrams that arrive twice.
    Duplicate,
    /// Messages that overtake others.
    Reorder,
    /// Nothing gets through, one way or both.
    Partition,
    /// Clocks that run fast or slow, or are set.
    Clock,
    /// Processes that are stopped for a while.
    Stall,
    /// Processes that end, and start again.
    Crash,
    /// Disks that are slow, full, or lose what was written last.
    Disk,
    /// Rotations of keys that are half done.
    Keys,
    /// Floods of hostile datagrams.
    Flood,
}

impl FaultFamily {
    /// All of them.
    pub const ALL: &[FaultFamily] = <FaultFamily as VariantArray>::VARIANTS;

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it does anything to processes that have no datagrams, no keys and no files.
    pub fn concerns_bare(self) -> bool {
        !matches!(self, FaultFamily::Duplicate | FaultFamily::Disk | FaultFamily::Keys | FaultFamily::Flood)
    }
}

impl FaultAction {
    /// The family that it belongs to.
    pub fn family(&self) -> FaultFamily {
        match self {
            FaultAction::Slow { .. } => FaultFamily::Delay,
            FaultAction::Lose { .. } => FaultFamily::Loss,
            FaultAction::Duplicate { .. } => FaultFamily::Duplicate,
            FaultAction::Reorder { .. } => FaultFamily::Reorder,
            FaultAction::Cut { .. } => FaultFamily::Partition,
            FaultAction::Rate { .. } | FaultAction::Jump { .. } => FaultFamily::Clock,
            FaultAction::Stall { .. } => FaultFamily::Stall,
            FaultAction::Crash { .. } | FaultAction::Restart { .. } => FaultFamily::Crash,
            FaultAction::SlowDisk { .. } | FaultAction::FullDisk { .. } | FaultAction::LostTail { .. } => {
                FaultFamily::Disk
            }
            FaultAction::Keys { .. } => FaultFamily::Keys,
            FaultAction::Flood { .. } => FaultFamily::Flood,
        }
    }

    /// The processes that it names.
    pub fn names(&self) -> ProcSet {
        match *self {
            FaultAction::Slow { from, to, .. }
            | FaultAction::Lose { from, to, .. }
            | FaultAction::Cut { from, to, .. } => from.union(to),
            FaultAction::Duplicate { .. } | FaultAction::Reorder { .. } => ProcSet::EMPTY,
            FaultAction::Rate { process, .. }
            | FaultAction::Jump { process, .. }
            | FaultAction::Stall { process, .. }
            | FaultAction::Crash { process }
            | FaultAction::Restart { process }
            | FaultAction::SlowDisk { process, .. }
            | FaultAction::FullDisk { process }
            | FaultAction::LostTail { process, .. }
            | FaultAction::Keys { process, .. } => ProcSet::only(process),
            FaultAction::Flood { to, from, .. } => from.into_iter().fold(ProcSet::only(to), ProcSet::with),
        }
    }

    /// Until when it lasts; `None` if it is over at once, or never.
    pub fn until(&self) -> Option<u64> {
        match *self {
            FaultAction::Slow { until, .. }
            | FaultAction::Lose { until, .. }
            | FaultAction::Duplicate { until, .. }
            | FaultAction::Reorder { until, .. }
            | FaultAction::Cut { until, .. }
            | FaultAction::SlowDisk { until, .. }
            | FaultAction::Flood { until, .. } => Some(until),
            _ => None,
        }
    }
}

impl SimulationPlan {
    /// Whether a fault of this family is in it.
    pub fn has(&self, family: FaultFamily) -> bool {
        self.faults.iter().any(|planned| planned.fault.family() == family)
    }

    /// The faults of this kind that are going on at a moment.
    pub(crate) fn active(&self, at: u64) -> impl Iterator<Item = &FaultAction> {
        let goes_on = move |planned: &&PlannedFault| {
            planned.at <= at && planned.fault.until().is_some_and(|until| at < until)
        };
        self.faults.iter().filter(goes_on).map(|planned| &planned.fault)
    }
}
