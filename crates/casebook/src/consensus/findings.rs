//! Chapter 4 computed again: which systems, what is found of each requirement, and whether that is what must come
//! out. A search that a limit ended is unknown, and never counts as right.

use super::{
    Algorithm, ComposedConsensus, ComposedDetector, ConsensusCase, ConsensusRequirement, PlantedFlaw,
    Published, Runs, assignments, distinct, published,
};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{Limit, Outcome};
use watchkeeper_protocols::consensus::{RotatingFlaw, StrongFlaw};
use watchkeeper_report::{TextTable, duration, thousands};
use watchkeeper_world::{Oracle, OracleAccuracy, SuspicionMemory};

/// A part of what can be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsensusPart {
    /// Table 4.1: three processes, all requirements, in all runs and in stages.
    Table,
    /// Four processes, in stages.
    Four,
    /// Four processes in all runs, as far as limits allow.
    FourAll,
    /// What the theorems leave out: it fails there.
    Limits,
    /// Planted mistakes.
    Mistakes,
    /// Algorithm 11 on detectors of this project, with time.
    Composed,
}

impl ConsensusPart {
    /// All that take little time.
    pub const USUAL: [ConsensusPart; 4] =
        [ConsensusPart::Table, ConsensusPart::Limits, ConsensusPart::Mistakes, ConsensusPart::Composed];

    /// All.
    pub const ALL: [ConsensusPart; 6] = [
        ConsensusPart::Table,
        ConsensusPart::Four,
        ConsensusPart::FourAll,
        ConsensusPart::Limits,
        ConsensusPart::Mistakes,
        ConsensusPart::Composed,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ConsensusPart::Table => "table",
            ConsensusPart::Four => "four",
            ConsensusPart::FourAll => "four-all",
            ConsensusPart::Limits => "limits",
            ConsensusPart::Mistakes => "mistakes",
            ConsensusPart::Composed => "composed",
        }
    }
}

/// What to compute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The parts.
    pub parts: Vec<ConsensusPart>,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { parts: ConsensusPart::USUAL.to_vec() }
    }
}

/// What must come out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Must {
    Hold,
    Fail,
    /// Nothing wrong up to the limit on rounds, and no more can be said.
    StayOpen,
}

/// One thing to ask: a requirement of a system, for each of some proposals.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ask {
    case: ConsensusCase,
    /// The detector and the times of a composed system; without one the case has an oracle.
    composed: Option<ComposedConsensus>,
    values: Vec<Vec<u64>>,
    requirement: ConsensusRequirement,
    must: Must,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    ask: Ask,
    /// Whether it holds; `None` if a limit ended the search.
    pub holds: Option<bool>,
    /// Whether that limit was the number of rounds alone.
    bounded: bool,
    /// The states of all searches.
    pub states: u64,
    /// The steps of a run that shows the failure, and of its loop.
    pub steps: Option<(usize, Option<usize>)>,
    /// How long it took.
    pub seconds: f64,
}

impl Finding {
    /// What is wrong with it, if something is.
    pub fn trouble(&self) -> Option<String> {
        let right = match self.ask.must {
            Must::Hold => self.holds != Some(false),
            Must::Fail => self.holds != Some(true),
            Must::StayOpen => self.holds.is_none(),
        };
        (!right).then(|| "CHANGED".to_string())
    }

    fn is_open(&self) -> bool {
        self.holds.is_none() && !(self.ask.must == Must::StayOpen && self.bounded)
    }

    /// What the thesis reports of it.
    pub fn published(&self) -> Option<Published> {
        let case = &self.ask.case;
        if case.n() != 3
            || case.mistake.is_some()
            || self.ask.composed.is_some()
            || self.ask.values != [distinct(3)]
        {
            return None;
        }
        match (case.runs, case.accuracy) {
            (Runs::All { rounds: None }, OracleAccuracy::Weak) => {
                published(case.algorithm, false, self.ask.requirement)
            }
            (Runs::All { rounds: Some(3) }, OracleAccuracy::None) => {
                published(case.algorithm, true, self.ask.requirement)
            }
            _ => None,
        }
    }
}

/// All that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// In the order of asking.
    pub found: Vec<Finding>,
}

impl Findings {
    /// Asks everything of a choice. `seconds` says how late it is.
    pub fn of(
        choice: &Choice,
        search: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let mut found = Vec::new();
        for ask in choice.parts.iter().flat_map(|part| asks(*part)) {
            found.push(answer(ask, search, watch, seconds)?);
        }
        Ok(Findings { found })
    }

    /// Whether something is not as it must be.
    pub fn changed(&self) -> bool {
        self.found.iter().any(|finding| finding.trouble().is_some())
    }

    /// Whether a limit ended a search that should have come to its end.
    pub fn open(&self) -> bool {
        self.found.iter().any(Finding::is_open)
    }

    /// One line for each.
    pub fn table(&self) -> TextTable {
        let header = [
            "protocol",
            "n",
            "crashes",
            "detector",
            "proposals",
            "runs",
            "requirement",
            "thesis",
            "found",
            "states",
            "time",
            "",
        ];
        let mut table = TextTable::new("Chapter 4 of the thesis: consensus on detectors", &header);
        table.rows = self.found.iter().map(row).collect();
        table.notes.push(self.summary());
        table.notes.extend(NOTES.iter().map(|note| note.to_string()));
        table
    }

    fn summary(&self) -> String {
        let changed = self.found.iter().filter(|finding| finding.trouble().is_some()).count();
        let open = self.found.iter().filter(|finding| finding.is_open()).count();
        let total: f64 = self.found.iter().map(|finding| finding.seconds).sum();
        let count = self.found.len();
        match (changed, open) {
            (0, 0) => format!("{count} answers in {}, all as they must be", duration(total)),
            (0, open) => format!("{count} answers in {}, {open} of them not decided", duration(total)),
            (changed, open) => format!("{count} answers, {changed} of them CHANGED, {open} not decided"),
        }
    }
}

/// What is asked in a part.
fn asks(part: ConsensusPart) -> Vec<Ask> {
    match part {
        ConsensusPart::Table => [3].into_iter().flat_map(table).collect(),
        ConsensusPart::Four => in_stages(4),
        ConsensusPart::FourAll => {
            let mut asks = Vec::new();
            for algorithm in [Algorithm::Strong, Algorithm::Rotating] {
                let runs = Runs::All { rounds: None };
                let case = ConsensusCase {
                    runs,
                    accuracy: OracleAccuracy::Weak,
                    ..ConsensusCase::promised(algorithm, 4)
                };
                asks.push(Ask::new(case, ConsensusRequirement::Agreement, Must::Hold));
            }
            asks
        }
        ConsensusPart::Limits => limits(),
        ConsensusPart::Mistakes => mistakes(),
        ConsensusPart::Composed => composed(),
    }
}

impl Ask {
    fn new(case: ConsensusCase, requirement: ConsensusRequirement, must: Must) -> Ask {
        Ask { values: vec![case.values.clone()], case, composed: None, requirement, must }
    }
}

/// What the thesis asks, in all runs, and the same in stages.
fn table(n: usize) -> Vec<Ask> {
    let mut asks = Vec::new();
    for algorithm in [Algorithm::Strong, Algorithm::Rotating] {
        let runs = Runs::All { rounds: None };
        let case =
            ConsensusCase { runs, accuracy: OracleAccuracy::Weak, ..ConsensusCase::promised(algorithm, n) };
        for requirement in ConsensusRequirement::ALL {
            asks.push(Ask::new(case.clone(), requirement, Must::Hold));
        }
    }
    let runs = Runs::All { rounds: Some(3) };
    let unstable = ConsensusCase {
        runs,
        accuracy: OracleAccuracy::None,
        ..ConsensusCase::promised(Algorithm::Rotating, n)
    };
    asks.push(Ask::new(unstable, ConsensusRequirement::Agreement, Must::StayOpen));
    asks.extend(in_stages(n));
    asks
}

/// What the theorems promise, in stages, for different values and for two.
fn in_stages(n: usize) -> Vec<Ask> {
    let mut asks = Vec::new();
    for algorithm in [Algorithm::Strong, Algorithm::Rotating] {
        let case = ConsensusCase::promised(algorithm, n);
        for requirement in ConsensusRequirement::ALL {
            asks.push(Ask::new(case.clone(), requirement, Must::Hold));
            let two = Ask::new(case.clone(), requirement, Must::Hold);
            asks.push(Ask { values: assignments(n), ..two });
        }
    }
    asks
}

/// Where the theorems end.
fn limits() -> Vec<Ask> {
    let strong = ConsensusCase::promised(Algorithm::Strong, 3);
    let rotating = ConsensusCase::promised(Algorithm::Rotating, 3);
    let mortal = ConsensusCase { crashes: rotating.crashes + 1, ..rotating.clone() };
    let lost = ConsensusCase { accuracy: OracleAccuracy::None, ..rotating };
    let late = ConsensusCase { accuracy: OracleAccuracy::EventuallyWeak, ..strong };
    vec![
        Ask::new(mortal.clone(), ConsensusRequirement::Termination, Must::Fail),
        Ask::new(mortal, ConsensusRequirement::Agreement, Must::Hold),
        Ask::new(lost.clone(), ConsensusRequirement::Termination, Must::Fail),
        Ask::new(lost, ConsensusRequirement::Agreement, Must::Hold),
        Ask::new(late, ConsensusRequirement::Agreement, Must::Fail),
    ]
}

/// Each mistake, with the requirement that it breaks.
fn mistakes() -> Vec<Ask> {
    let strong = StrongFlaw::ALL.iter().map(|&flaw| {
        (Algorithm::Strong, PlantedFlaw::Strong(flaw), ConsensusRequirement::from(flaw.breaks()))
    });
    let rotating = RotatingFlaw::ALL.iter().map(|&flaw| {
        (Algorithm::Rotating, PlantedFlaw::Rotating(flaw), ConsensusRequirement::from(flaw.breaks()))
    });
    let ask = |(algorithm, mistake, requirement)| {
        let case = ConsensusCase { mistake: Some(mistake), ..ConsensusCase::promised(algorithm, 3) };
        Ask::new(case, requirement, Must::Fail)
    };
    strong.chain(rotating).map(ask).collect()
}

/// Algorithm 11 on real detectors: with bounds that hold and a crash at any moment; and with bounds that hold in the
/// end, p1 dead from the start. First timeouts are too short for the delays before that.
fn composed() -> Vec<Ask> {
    let case = ConsensusCase::promised(Algorithm::Rotating, 3);
    let mut asks = Vec::new();
    for detector in [ComposedDetector::Ring, ComposedDetector::ChandraToueg] {
        let synchronous = ComposedConsensus {
            detector,
            values: case.values.clone(),
            crashes: 1,
            crashed_at_start: ProcSet::EMPTY,
            delay: Bound::exactly(1),
            before: None,
            period: 2,
            timeout: (2, 4),
            rounds: None,
        };
        let eventual = ComposedConsensus {
            crashes: 0,
            crashed_at_start: ProcSet::only(Pid::at(1)),
            before: Bound::new(1, 2),
            ..synchronous.clone()
        };
        for system in [synchronous, eventual] {
            for requirement in ConsensusRequirement::ALL {
                let ask = Ask::new(case.clone(), requirement, Must::Hold);
                asks.push(Ask { composed: Some(system.clone()), ..ask });
            }
        }
    }
    asks
}

fn answer(
    ask: Ask,
    search: &Search,
    watch: &impl ProgressCallback,
    seconds: &dyn Fn() -> f64,
) -> Result<Finding, ExploreError> {
    let began = seconds();
    let mut finding = Finding { holds: Some(true), bounded: true, states: 0, steps: None, seconds: 0.0, ask };
    for values in finding.ask.values.clone() {
        let verdict = match &finding.ask.composed {
            Some(composed) => composed.asked(finding.ask.requirement, search, watch)?,
            None => {
                let case = ConsensusCase { values, ..finding.ask.case.clone() };
                case.asked(finding.ask.requirement, search, watch)?
            }
        };
        finding.states += verdict.stats.distinct_states;
        match &verdict.outcome {
            Outcome::Holds(_) => {}
            Outcome::Violated(_) => {
                finding.holds = Some(false);
                let trace = verdict.trace();
                finding.steps = trace.map(|trace| {
                    let lap = trace.loops_to.map(|start| trace.steps.len().saturating_sub(start));
                    (trace.loops_to.unwrap_or(trace.steps.len()), lap)
                });
                break;
            }
            Outcome::Unknown(limit) => {
                finding.holds = None;
                finding.bounded &= matches!(limit, Limit::Cap(_));
            }
        }
    }
    finding.seconds = seconds() - began;
    Ok(finding)
}

fn row(finding: &Finding) -> Vec<String> {
    let Ask { case, composed, values, requirement, .. } = &finding.ask;
    let protocol = match case.mistake {
        None => case.algorithm.to_string(),
        Some(PlantedFlaw::Strong(flaw)) => format!("{}, {flaw}", case.algorithm),
        Some(PlantedFlaw::Rotating(flaw)) => format!("{}, {flaw}", case.algorithm),
    };
    let oracle = match (composed, case.accuracy) {
        (Some(composed), _) => composed.detector.to_string(),
        (None, accuracy) => Oracle { accuracy, memory: SuspicionMemory::Lasting }.to_string(),
    };
    let (crashes, runs) = match composed {
        Some(ComposedConsensus { before: Some(_), .. }) => ("p1, at start".to_string(), "bounds in the end"),
        Some(ComposedConsensus { crashes, .. }) => (crashes.to_string(), "bounds that hold"),
        None => (case.crashes.to_string(), ""),
    };
    let runs = if runs.is_empty() { case.runs.to_string() } else { runs.to_string() };
    let proposals = match values.len() {
        1 => "different".to_string(),
        count => format!("0 or 1, {count} ways"),
    };
    let thesis = finding.published().map_or(String::new(), |published| {
        let Published { states, generated, verified } = published;
        format!("holds, {} states, {} + {}", thousands(states), duration(generated), duration(verified))
    });
    let found = match (finding.holds, finding.steps) {
        (Some(true), _) => "holds".to_string(),
        (None, _) => "unknown".to_string(),
        (Some(false), None) => "FAILS".to_string(),
        (Some(false), Some((steps, None))) => format!("FAILS after {steps} steps"),
        (Some(false), Some((steps, Some(0)))) => format!("FAILS, rests after {steps} steps"),
        (Some(false), Some((steps, Some(lap)))) => format!("FAILS, {steps} steps and a loop of {lap}"),
    };
    vec![
        protocol,
        case.n().to_string(),
        crashes,
        oracle,
        proposals,
        runs,
        requirement.to_string(),
        thesis,
        found,
        thousands(finding.states),
        duration(finding.seconds),
        finding.trouble().unwrap_or_default(),
    ]
}

const NOTES: [&str; 5] = [
    "thesis: Table 4.1 and section 4.4.2, where both columns of the table are headed Algorithm 10: states, and the \
     time to generate them and to verify the requirement after that, on a server and a Core i5 of 2011.",
    "runs: all, with every order of deliveries; or in stages, one run for all that no process can tell apart and for \
     every number of rounds. Where rounds are limited, nothing can be said to hold: the answer is unknown, and \
     right if nothing was found wrong.",
    "detector: an oracle suspects whom it likes, but S never one process that does not crash, and <>S not from some \
     moment on; whoever has crashed is suspected in the end. What a crashed process had sent may be lost.",
    "On a detector of this project the whole composition is searched in ticks: messages take 1, or 1 to 2 until the \
     network stabilises, timeouts grow from 2 to 4.",
    "The published specifications cannot be generated as printed, so numbers of states cannot be compared closely.",
];
