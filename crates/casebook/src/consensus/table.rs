//! Chapter 4 computed again: which systems, the answer to each requirement, and whether it is the one that must come
//! out. Where rounds are limited, nothing is wrong up to the limit, and no more can be said.

use super::{
    Algorithm, ComposedConsensus, ComposedDetector, ConsensusCase, ConsensusRequirement, PlantedFlaw, Runs,
    assignments, distinct, published,
};
use crate::names::UnknownName;
use crate::table::{
    Expectation, PublishedRow, PublishedTable, TableAnswer, TableCell, TableColumns, TableSearch,
};
use strum::{EnumString, VariantArray, VariantNames};
use watchkeeper_core::{Bound, Pid, ProcSet};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{Limit, Outcome};
use watchkeeper_protocols::consensus::{RotatingFlaw, StrongFlaw};
use watchkeeper_world::{Oracle, OracleAccuracy, SuspicionMemory};

/// A part of the questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = UnknownName::among::<ConsensusPart>)]
pub enum ConsensusPart {
    /// Table 4.1: three processes, all requirements, in all runs and in stages.
    Table,
    /// Four processes, in stages.
    Four,
    /// Four processes in all runs, as far as limits allow.
    FourAll,
    /// Beyond the assumptions of the theorems: requirements fail there.
    Limits,
    /// Planted mistakes.
    Mistakes,
    /// Algorithm 11 on detectors of this project, with time.
    Composed,
}

impl ConsensusPart {
    /// The parts that take little time.
    pub const USUAL: [ConsensusPart; 4] =
        [ConsensusPart::Table, ConsensusPart::Limits, ConsensusPart::Mistakes, ConsensusPart::Composed];
}

/// Asks every question of some parts.
pub fn table(
    parts: &[ConsensusPart],
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let columns = TableColumns {
        label: &["protocol", "n", "crashes", "detector", "proposals", "runs", "requirement"],
        printed: &["thesis"],
        found: vec!["found", "states", "time"],
        remark: "",
    };
    let title = "Chapter 4 of the thesis: consensus on detectors";
    let mut table = PublishedTable::new(title, columns, "as they must be", &NOTES);
    for ask in parts.iter().flat_map(|part| asks(*part)) {
        table.rows.push(ask.row(search)?);
    }
    Ok(table)
}

/// One question: a requirement of a system, for each of some proposals.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ask {
    case: ConsensusCase,
    /// The detector and the times of a composed system; without one the case has an oracle.
    composed: Option<ComposedConsensus>,
    values: Vec<Vec<u64>>,
    requirement: ConsensusRequirement,
    expected: Expectation,
}

impl Ask {
    fn new(case: ConsensusCase, requirement: ConsensusRequirement, expected: Expectation) -> Ask {
        Ask { values: vec![case.values.clone()], case, composed: None, requirement, expected }
    }

    /// The answer over all proposals, up to the first failure, and the states of all searches.
    fn answer(
        &self,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<(TableAnswer, u64), ExploreError> {
        let (mut answer, mut states) = (TableAnswer::Holds, 0);
        for values in self.values.clone() {
            let verdict = match &self.composed {
                Some(composed) => composed.asked(self.requirement, search, watch)?,
                None => {
                    let case = ConsensusCase { values, ..self.case.clone() };
                    case.asked(self.requirement, search, watch)?
                }
            };
            states += verdict.stats.distinct_states;
            match (&verdict.outcome, self.case.runs) {
                (Outcome::Holds(_), _) => {}
                (Outcome::Violated(_), _) => return Ok((TableAnswer::of(&verdict), states)),
                (Outcome::Unknown(Limit::Cap(_)), Runs::All { rounds: Some(bound) })
                    if answer != TableAnswer::Unknown =>
                {
                    answer = TableAnswer::HoldsWithin { bound, unit: "rounds" };
                }
                (Outcome::Unknown(_), _) => answer = TableAnswer::Unknown,
            }
        }
        Ok((answer, states))
    }

    fn row(&self, search: &TableSearch<'_, impl ProgressCallback>) -> Result<PublishedRow, ExploreError> {
        let ((answer, states), seconds) = search.timed(|search, watch| self.answer(search, watch))?;
        let found = vec![TableCell::Answer(answer), TableCell::Count(states), seconds];
        let status = self.expected.status(answer);
        let printed = TableCell::Text(self.published().unwrap_or_default());
        Ok(PublishedRow { label: self.label(), printed: vec![printed], found, status, remark: String::new() })
    }

    fn label(&self) -> Vec<TableCell> {
        let Ask { case, composed, values, requirement, .. } = self;
        let protocol = match case.mistake {
            None => case.algorithm.to_string(),
            Some(PlantedFlaw::Strong(flaw)) => format!("{}, {flaw}", case.algorithm),
            Some(PlantedFlaw::Rotating(flaw)) => format!("{}, {flaw}", case.algorithm),
        };
        let oracle = Oracle { accuracy: case.accuracy, memory: SuspicionMemory::Lasting };
        let (crashes, detector, runs) = match composed {
            Some(ComposedConsensus { detector, before: Some(_), .. }) => {
                ("p1, at start".to_string(), detector.to_string(), "bounds in the end".to_string())
            }
            Some(ComposedConsensus { detector, crashes, .. }) => {
                (crashes.to_string(), detector.to_string(), "bounds that hold".to_string())
            }
            None => (case.crashes.to_string(), oracle.to_string(), case.runs.to_string()),
        };
        let proposals = match values.len() {
            1 => "different".to_string(),
            count => format!("0 or 1, {count} ways"),
        };
        TableCell::texts([&protocol, &case.n(), &crashes, &detector, &proposals, &runs, requirement])
    }

    /// The report of the thesis on this question.
    fn published(&self) -> Option<String> {
        let Ask { case, composed, values, requirement, .. } = self;
        if case.n() != 3 || case.mistake.is_some() || composed.is_some() || *values != [distinct(3)] {
            return None;
        }
        match (case.runs, case.accuracy) {
            (Runs::All { rounds: None }, OracleAccuracy::Weak) => {
                published(case.algorithm, false, *requirement)
            }
            (Runs::All { rounds: Some(3) }, OracleAccuracy::None) => {
                published(case.algorithm, true, *requirement)
            }
            _ => None,
        }
    }
}

/// What is asked in a part.
fn asks(part: ConsensusPart) -> Vec<Ask> {
    match part {
        ConsensusPart::Table => table_4_1(3),
        ConsensusPart::Four => in_stages(4),
        ConsensusPart::FourAll => {
            let mut asks = Vec::new();
            for &algorithm in Algorithm::VARIANTS {
                let runs = Runs::All { rounds: None };
                let case = ConsensusCase {
                    runs,
                    accuracy: OracleAccuracy::Weak,
                    ..ConsensusCase::promised(algorithm, 4)
                };
                asks.push(Ask::new(case, ConsensusRequirement::Agreement, Expectation::Holds));
            }
            asks
        }
        ConsensusPart::Limits => limits(),
        ConsensusPart::Mistakes => mistakes(),
        ConsensusPart::Composed => composed(),
    }
}

/// What the thesis asks, in all runs, and the same in stages.
fn table_4_1(n: usize) -> Vec<Ask> {
    let mut asks = Vec::new();
    for &algorithm in Algorithm::VARIANTS {
        let runs = Runs::All { rounds: None };
        let case =
            ConsensusCase { runs, accuracy: OracleAccuracy::Weak, ..ConsensusCase::promised(algorithm, n) };
        for &requirement in ConsensusRequirement::VARIANTS {
            asks.push(Ask::new(case.clone(), requirement, Expectation::Holds));
        }
    }
    let runs = Runs::All { rounds: Some(3) };
    let unstable = ConsensusCase {
        runs,
        accuracy: OracleAccuracy::None,
        ..ConsensusCase::promised(Algorithm::Rotating, n)
    };
    asks.push(Ask::new(unstable, ConsensusRequirement::Agreement, Expectation::HoldsWithin));
    asks.extend(in_stages(n));
    asks
}

/// What the theorems promise, in stages, for different values and for two.
fn in_stages(n: usize) -> Vec<Ask> {
    let mut asks = Vec::new();
    for &algorithm in Algorithm::VARIANTS {
        let case = ConsensusCase::promised(algorithm, n);
        for &requirement in ConsensusRequirement::VARIANTS {
            asks.push(Ask::new(case.clone(), requirement, Expectation::Holds));
            let two = Ask::new(case.clone(), requirement, Expectation::Holds);
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
        Ask::new(mortal.clone(), ConsensusRequirement::Termination, Expectation::Fails),
        Ask::new(mortal, ConsensusRequirement::Agreement, Expectation::Holds),
        Ask::new(lost.clone(), ConsensusRequirement::Termination, Expectation::Fails),
        Ask::new(lost, ConsensusRequirement::Agreement, Expectation::Holds),
        Ask::new(late, ConsensusRequirement::Agreement, Expectation::Fails),
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
        Ask::new(case, requirement, Expectation::Fails)
    };
    strong.chain(rotating).map(ask).collect()
}

/// Algorithm 11 on real detectors: with bounds that hold and a crash at any moment; and with bounds that hold in the
/// end, p1 dead from the start. First timeouts are too short for the delays before that.
fn composed() -> Vec<Ask> {
    let case = ConsensusCase::promised(Algorithm::Rotating, 3);
    let mut asks = Vec::new();
    for &detector in ComposedDetector::VARIANTS {
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
            for &requirement in ConsensusRequirement::VARIANTS {
                let ask = Ask::new(case.clone(), requirement, Expectation::Holds);
                asks.push(Ask { composed: Some(system.clone()), ..ask });
            }
        }
    }
    asks
}

const NOTES: [&str; 5] = [
    "thesis: Table 4.1 and section 4.4.2, where both columns of the table are headed Algorithm 10: states, and the \
     time to generate them and to verify the requirement after that, on a server and a Core i5 of 2011.",
    "runs: all, with every order of deliveries; or in stages, one run for all that no process can tell apart and for \
     every number of rounds. Where rounds are limited, nothing can be said to hold: the answer \
     says up to which round nothing is wrong.",
    "detector: an oracle suspects whom it likes, but S never one process that does not crash, and <>S not from some \
     moment on; whoever has crashed is suspected in the end. What a crashed process had sent may be lost.",
    "On a detector of this project the whole composition is searched in ticks: messages take 1, or 1 to 2 until the \
     network stabilises, timeouts grow from 2 to 4.",
    "The published specifications cannot be generated as printed, so numbers of states cannot be compared closely.",
];
