//! Verdicts. A verdict names its assumptions and says how much of the space was searched. `Holds` is only ever the
//! answer of a search that saw the whole space, and carries the evidence.

use crate::Exhausted;
use watchkeeper_space::{Role, Trace};

/// The process exit codes, after those of TLC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExitCode(pub u8);

impl ExitCode {
    /// The property holds.
    pub const HOLDS: ExitCode = ExitCode(0);
    /// An assumption of the model is broken.
    pub const ASSUMPTION: ExitCode = ExitCode(10);
    /// There is a deadlock.
    pub const DEADLOCK: ExitCode = ExitCode(11);
    /// A safety property is violated.
    pub const SAFETY: ExitCode = ExitCode(12);
    /// A liveness property is violated.
    pub const LIVENESS: ExitCode = ExitCode(13);
    /// A certificate is not one of the theorem that was named, or of none of this program. TLC has no such code.
    pub const ANOTHER_CLAIM: ExitCode = ExitCode(20);
    /// The input or the configuration is wrong.
    pub const BAD_INPUT: ExitCode = ExitCode(150);
    /// The search did not end within its limits.
    pub const UNKNOWN: ExitCode = ExitCode(153);
    /// Something is wrong in this program.
    pub const INTERNAL: ExitCode = ExitCode(255);
}

/// The answer to a question about a space.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Holds, violated or unknown.
    pub outcome: Outcome,
    /// What was asked.
    pub property: String,
    /// What the answer rests on, one sentence each.
    pub assumptions: Vec<String>,
    /// What the reader should know before believing it.
    pub warnings: Vec<String>,
    /// How often each class of action happened in the steps that were taken.
    pub coverage: Vec<Coverage>,
    /// How much was searched.
    pub stats: Stats,
}

/// The three answers.
#[derive(Clone, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// True of the whole space, which the search has exhausted.
    Holds(Exhausted),
    /// False, and here is why.
    Violated(Box<Violation>),
    /// A limit ended the search before it had seen enough.
    Unknown(Limit),
}

/// A property that is false, with a run that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind of thing went wrong.
    pub finding: ViolationKind,
    /// The property that is violated, and how.
    pub what: String,
    /// The run, already replayed.
    pub trace: Trace,
    /// Whether no shorter run shows it.
    pub shortest: bool,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ViolationKind {
    /// An invariant is false or a monitor is in an error.
    Safety,
    /// Nothing can happen any more, though not everyone has crashed.
    Deadlock,
    /// Time cannot pass and nothing can happen: something is due that cannot be done.
    Timelock,
    /// A claim about infinite runs is wrong of a fair one: the trace is a lasso.
    Liveness,
}

/// Why a search ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The number of distinct states.
    States(u64),
    /// The bytes of memory that it may hold, which leave no room to go on.
    Memory(u64),
    /// The operating system gave no more memory; the bytes that the search held.
    OutOfMemory(u64),
    /// The time, as its giver writes it.
    Time(String),
    /// The depth.
    Depth(u64),
    /// The search keeps only some of the states by design; says which search.
    Incomplete(String),
    /// A cap inside the model cut steps away; says which.
    Cap(String),
    /// The disk, or the share of it that the search may use, is full; says where.
    DiskFull(String),
    /// The disk failed, or does not give back what was written; says where.
    DiskFailed(String),
    /// The user asked to stop.
    Interrupted,
}

/// How often a class of actions happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The class.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// How often.
    pub count: u64,
}

/// How much was searched. With a violation, states count up to and including the depth at which it was
/// found and transitions those that lead there, so that the numbers do not depend on luck.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// Distinct states.
    pub distinct_states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// The number of distinct states at each depth, from 0; empty where a search has no depths.
    pub level_sizes: Vec<u64>,
    /// Of those how many a beam kept and went on from; empty where a search keeps all of them by design.
    pub level_kept: Vec<u64>,
    /// The most memory that the search held for states, ways back and the space itself.
    pub peak_bytes: u64,
    /// The bytes of memory for one state in the store, unused places in it included.
    pub bytes_per_state: f64,
    /// The most bytes of files that the search held.
    pub disk_bytes: u64,
    /// The bytes that the search wrote to files, removed ones included.
    pub disk_written: u64,
    /// The threads that searched.
    pub workers: usize,
    /// What a distinct state is.
    pub unit: StateUnit,
    /// The number of renamings up to which states were searched; 0 if each was searched by itself.
    pub renamings: u64,
    /// How many states were expanded in part, if the search left out steps at all.
    pub partial: Option<PartialExpansion>,
    /// The runs of a search by random walks, which stores no states; its steps are the transitions.
    pub walks: Option<RandomWalks>,
}

/// The runs of a search by random walks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomWalks {
    /// The number of runs.
    pub runs: u64,
    /// The number of states that were checked; a state counts each time a run comes to it.
    pub visits: u64,
}

impl Stats {
    /// The figures of two searches, one after the other.
    #[must_use]
    pub fn and(self, other: Stats) -> Stats {
        let partial = match (self.partial, other.partial) {
            (Some(mine), Some(theirs)) => Some(PartialExpansion {
                in_part: mine.in_part + theirs.in_part,
                whole: mine.whole + theirs.whole,
            }),
            (mine, theirs) => mine.or(theirs),
        };
        Stats {
            distinct_states: self.distinct_states + other.distinct_states,
            transitions: self.transitions + other.transitions,
            level_sizes: summed(self.level_sizes, &other.level_sizes),
            level_kept: summed(self.level_kept, &other.level_kept),
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            bytes_per_state: self.bytes_per_state.max(other.bytes_per_state),
            disk_bytes: self.disk_bytes.max(other.disk_bytes),
            disk_written: self.disk_written + other.disk_written,
            workers: self.workers.max(other.workers),
            unit: if self.unit == other.unit { self.unit } else { StateUnit::States },
            renamings: self.renamings.max(other.renamings),
            partial,
            walks: match (self.walks, other.walks) {
                (Some(mine), Some(theirs)) => {
                    Some(RandomWalks { runs: mine.runs + theirs.runs, visits: mine.visits + theirs.visits })
                }
                (mine, theirs) => mine.or(theirs),
            },
        }
    }

    /// The depths at which a beam left states out, nearest first.
    pub fn narrowed(&self) -> impl Iterator<Item = BeamShare> {
        let depths = self.level_sizes.iter().zip(&self.level_kept).enumerate();
        let shares = depths.map(|(depth, (&found, &kept))| BeamShare { depth: depth as u64, found, kept });
        shares.filter(|share| share.kept < share.found)
    }

    /// The depth of which a beam saw least, if it left anything out; the nearest of several.
    pub fn narrowest(&self) -> Option<BeamShare> {
        let part = |share: &BeamShare| u128::from(share.kept);
        let whole = |share: &BeamShare| u128::from(share.found);
        self.narrowed().min_by(|a, b| (part(a) * whole(b)).cmp(&(part(b) * whole(a))))
    }
}

/// How much of a depth a beam saw: of the states found from those that it had kept before, which need not be all that
/// there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BeamShare {
    /// The depth.
    pub depth: u64,
    /// The states that were found there.
    pub found: u64,
    /// Those of them that were kept.
    pub kept: u64,
}

/// How much of a search was expanded in part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartialExpansion {
    /// States of which only some steps were taken.
    pub in_part: u64,
    /// States of which all steps were taken.
    pub whole: u64,
}

/// What a search keeps and counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr)]
pub enum StateUnit {
    /// Single states.
    #[default]
    #[strum(serialize = "state")]
    States,
    /// Zones: sets of states that differ only in what moment it is.
    #[strum(serialize = "zone")]
    Zones,
}

impl StateUnit {
    /// One of them, as a report names it.
    pub fn noun(self) -> &'static str {
        self.into()
    }
}

impl Verdict {
    /// The answer to two questions, or to one question about two spaces: a violation of either, or else what either
    /// could not find out, or else that both hold, with what both have seen and rest on. Nothing that either of
    /// them says of a common answer is left out; a violation or an unknown end keeps the figures of its own search.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        let (Outcome::Holds(mine), Outcome::Holds(theirs)) = (&self.outcome, &other.outcome) else {
            let rank = |verdict: &Verdict| match verdict.outcome {
                Outcome::Violated(_) => 0,
                Outcome::Unknown(_) => 1,
                Outcome::Holds(_) => 2,
            };
            return if rank(&self) <= rank(&other) { self } else { other };
        };
        let outcome = Outcome::Holds(mine.clone().and(theirs.clone()));
        let mut property = self.property;
        if property != other.property {
            property = format!("{property}, {}", other.property);
        }
        let mut coverage = self.coverage;
        for class in other.coverage {
            match coverage.iter_mut().find(|known| known.name == class.name && known.role == class.role) {
                Some(known) => known.count += class.count,
                None => coverage.push(class),
            }
        }
        Verdict {
            outcome,
            property,
            assumptions: united(self.assumptions, other.assumptions),
            warnings: united(self.warnings, other.warnings),
            coverage,
            stats: self.stats.and(other.stats),
        }
    }

    /// Whether it holds.
    pub fn holds(&self) -> bool {
        matches!(self.outcome, Outcome::Holds(_))
    }

    /// The exit code that tells this verdict.
    pub fn exit_code(&self) -> ExitCode {
        match &self.outcome {
            Outcome::Holds(_) => ExitCode::HOLDS,
            Outcome::Violated(violation) => match violation.finding {
                ViolationKind::Safety => ExitCode::SAFETY,
                ViolationKind::Deadlock | ViolationKind::Timelock => ExitCode::DEADLOCK,
                ViolationKind::Liveness => ExitCode::LIVENESS,
            },
            Outcome::Unknown(_) => ExitCode::UNKNOWN,
        }
    }

    /// `holds`, `violated` or `unknown`.
    pub fn word(&self) -> &'static str {
        (&self.outcome).into()
    }

    /// The run that shows the violation, if there is one.
    pub fn trace(&self) -> Option<&Trace> {
        match &self.outcome {
            Outcome::Violated(violation) => Some(&violation.trace),
            _ => None,
        }
    }
}

/// All sentences of both, each once, in their order.
fn united(mut sentences: Vec<String>, more: Vec<String>) -> Vec<String> {
    for sentence in more {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences
}

/// The sums of figures of each depth, of which either search may have more.
fn summed(mut sums: Vec<u64>, more: &[u64]) -> Vec<u64> {
    sums.resize(sums.len().max(more.len()), 0);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    sums
}
