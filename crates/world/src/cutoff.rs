//! Whether a protocol is symmetric and point-to-point in the sense of Tran, Konnov and Widder ("A Case Study on
//! Parametric Verification of Failure Detectors", 2022, sections 3 to 5, called C here), for which they prove
//! that two processes are enough for properties that speak of two. What code can be held to is checked here, on
//! every local state that any network, any order and any timing can lead to; nothing is taken on trust, and
//! nothing is proved that is not checked: the theorem itself is the paper's.
//!
//! # What is looked at
//! The local states of all processes of small systems: those after the start, and those after any armed timer
//! fires or any message arrives that some process in a known local state sends to this one. That is a little
//! more than any world reaches, so what is true of all of these is true of every world.

mod alike;
mod apart;
mod closure;
mod reaction;

use closure::Closure;
use reaction::{CutoffInput, CutoffLocal};
use std::fmt;
use strum::Display;
use watchkeeper_automaton::{ProtocolAutomaton, TypedAutomaton};
use watchkeeper_core::{Pid, Promises};

/// What was found out about a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutoffReport {
    /// The numbers of processes that were looked at.
    pub sizes: Vec<usize>,
    /// The local states of processes, over all sizes.
    pub local_states: u64,
    /// The inputs to them: messages that occur, from every sender, and armed timers; the start is one.
    pub inputs: u64,
    /// The steps that were compared with their renamings.
    pub permutations: u64,
    /// The steps of which it was looked at what they do about each process.
    pub parts: u64,
    /// The answer.
    pub membership: CutoffMembership,
}

/// Whether a protocol is in the class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CutoffMembership {
    /// It is, as far as code can be held to it.
    InClass,
    /// It treats its peers alike. Whether it also keeps them apart it does not tell, so the theorem is not
    /// about it.
    Alike,
    /// It is not.
    Departs(Box<Departure>),
    /// There are more local states than were allowed.
    Unknown {
        /// How many were allowed.
        most: u64,
    },
}

/// Where a protocol leaves the class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// What the class demands.
    pub demand: Demand,
    /// The number of processes.
    pub n: usize,
    /// The process.
    pub process: Pid,
    /// Its state before the step; `None` if the step is the start.
    pub state: Option<String>,
    /// What happens to it.
    pub input: String,
    /// What it does then, and what it should do.
    pub why: String,
}

/// What the class demands of a protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Display)]
pub enum Demand {
    /// Nobody asks a process anything from outside.
    #[strum(to_string = "nobody asks a process anything from outside")]
    Closed,
    /// A step depends on the state and the input alone.
    #[strum(to_string = "steps leave nothing to chance")]
    Deterministic,
    /// Every message goes to another process of the system, and names nobody.
    #[strum(to_string = "messages go to other processes of the system, and name nobody")]
    PointToPoint,
    /// No renaming of processes can be seen.
    #[strum(to_string = "no renaming of the processes can be seen")]
    Alike,
    /// What is kept about each process makes up the whole state.
    #[strum(to_string = "the parts about all processes make up the whole state")]
    Whole,
    /// What comes from a peer, or is about it, changes what is kept about this peer and nothing else.
    #[strum(to_string = "what is about one peer changes nothing about another")]
    Apart,
    /// What becomes of the part about a peer depends on that part, on what is about no peer, and on the input.
    #[strum(to_string = "what is done about one peer does not depend on another")]
    Separate,
    /// What is sent goes to all others alike, at a time that has nothing to do with any peer.
    #[strum(to_string = "what is sent goes to all others alike, and at one's own time")]
    ToAll,
    /// Among more processes a process does the same about a peer as it does among fewer.
    #[strum(to_string = "the number of processes changes nothing between two of them")]
    AnySize,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Departure { demand, n, process, state, input, why } = self;
        write!(f, "the class demands that {demand}; with n = {n}, {process}")?;
        if let Some(state) = state {
            write!(f, " in the state {state}")?;
        }
        write!(f, ", when {input}: {why}")
    }
}

/// Holds a protocol against the class, in systems of these sizes, each with the protocol for it; `most` is the
/// number of local states after which the search gives up.
pub fn membership<P>(systems: &[(usize, &P)], most: u64) -> CutoffReport
where
    P: Promises + Clone,
{
    let systems: Vec<(usize, TypedAutomaton<P>)> =
        systems.iter().map(|&(n, protocol)| (n, TypedAutomaton::new(protocol.clone()))).collect();
    let systems: Vec<(usize, &dyn ProtocolAutomaton)> =
        systems.iter().map(|(n, typed)| (*n, typed as &dyn ProtocolAutomaton)).collect();
    examined(&systems, most)
}

fn examined(systems: &[(usize, &dyn ProtocolAutomaton)], most: u64) -> CutoffReport {
    let mut examiner = Examiner::new(systems.iter().all(|(_, automaton)| tells(*automaton)));
    let mut report = CutoffReport {
        sizes: systems.iter().map(|(n, _)| *n).collect(),
        local_states: 0,
        inputs: 0,
        permutations: 0,
        parts: 0,
        membership: CutoffMembership::InClass,
    };
    for &(n, automaton) in systems {
        let mut closure = Closure::new(automaton, n);
        let room = most.saturating_sub(report.local_states);
        let ended = closure.explore(room, &mut |step| examiner.look(step));
        report.local_states += closure.local_states();
        report.inputs += closure.inputs;
        report.permutations = examiner.permutations;
        report.parts = examiner.parts.count;
        match ended {
            Ok(true) => {}
            Ok(false) => {
                report.membership = CutoffMembership::Unknown { most };
                return report;
            }
            Err(departure) => {
                report.membership = CutoffMembership::Departs(departure);
                return report;
            }
        }
    }
    if !examiner.apart {
        report.membership = CutoffMembership::Alike;
    }
    report
}

/// Whether a protocol tells what its processes keep about each other.
fn tells(automaton: &dyn ProtocolAutomaton) -> bool {
    let first = Pid::at(0);
    let start = reaction::started(automaton, first);
    automaton.about(first, start.state, first).is_some()
}

/// One step that is looked at.
pub(crate) struct CutoffStep<'a> {
    automaton: &'a dyn ProtocolAutomaton,
    n: usize,
    process: Pid,
    /// The local state before; `None` at the start.
    before: Option<&'a CutoffLocal>,
    cause: &'a CutoffInput,
    reaction: &'a reaction::CutoffReaction,
}

impl CutoffStep<'_> {
    /// What is wrong with it.
    fn departs(&self, demand: Demand, why: String) -> Box<Departure> {
        Box::new(Departure {
            demand,
            n: self.n,
            process: self.process,
            state: self.before.map(|local| self.automaton.states().label(local.state.0)),
            input: self.cause.text(self.automaton),
            why,
        })
    }
}

/// Looks at steps, one after the other.
struct Examiner {
    /// Whether the protocol tells what its processes keep about each other.
    apart: bool,
    permutations: u64,
    parts: apart::PeerParts,
}

impl Examiner {
    fn new(apart: bool) -> Examiner {
        Examiner { apart, permutations: 0, parts: apart::PeerParts::default() }
    }

    fn look(&mut self, step: &CutoffStep<'_>) -> Result<(), Box<Departure>> {
        let calls = step.automaton.facts().call_kinds;
        if !calls.is_empty() {
            let why = format!("it can be asked {}", calls.join(", "));
            return Err(step.departs(Demand::Closed, why));
        }
        if step.reaction.picked {
            return Err(step.departs(Demand::Deterministic, "it picks one of several ways".to_string()));
        }
        alike::addressed(step)?;
        self.permutations += alike::renamed(step)?;
        if self.apart { self.parts.look(step) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
