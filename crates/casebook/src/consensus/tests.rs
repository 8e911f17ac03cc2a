//! Chapter 4 again, in the sizes that take seconds.

use super::{Algorithm, ConsensusCase, ConsensusPart, ConsensusRequirement, Runs, assignments, table};
use crate::table::{PublishedTable, RowStatus, TableSearch};
use strum::VariantArray;
use watchkeeper_explore::{NoCallback, Search};
use watchkeeper_logic::Outcome;
use watchkeeper_world::{OracleAccuracy, SuspicionMemory};

fn all_right(part: ConsensusPart) -> PublishedTable {
    let search = TableSearch { search: &Search::default(), watch: &NoCallback, seconds: &|| 0.0 };
    let found = table(&[part], &search).expect("searches");
    for row in &found.rows {
        assert_eq!(row.status, RowStatus::AsExpected, "{row:?}");
    }
    found
}

#[test]
fn mistakes_are_found_by_the_requirement_that_they_break() {
    let found = all_right(ConsensusPart::Mistakes);
    assert_eq!(found.rows.len(), 18);
}

#[test]
fn where_the_theorems_end_things_fail() {
    all_right(ConsensusPart::Limits);
}

#[test]
fn on_the_detectors_of_this_project_it_holds_too() {
    let found = all_right(ConsensusPart::Composed);
    let states: Vec<u64> = found.rows.iter().filter_map(|row| row.found[1].count()).collect();
    assert_eq!(states.len(), 16);
    assert_eq!((states[0], states[4], states[8], states[12]), (15_657, 172_682, 37_765, 15_113));
}

#[test]
fn what_the_theorems_promise_holds_for_three() {
    let found = all_right(ConsensusPart::Table);
    assert_eq!(found.rows.len(), 25);
}

#[test]
fn assignments_of_two_values_are_those_in_which_the_first_proposes_0() {
    assert_eq!(assignments(2), [[0, 0], [0, 1]]);
    assert_eq!(assignments(3), [[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]]);
}

/// Lasting suspicions against momentary ones, for two processes.
#[test]
fn how_long_suspicions_last_makes_no_difference() {
    for &algorithm in Algorithm::VARIANTS {
        for accuracy in [OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None] {
            for &requirement in ConsensusRequirement::VARIANTS {
                let rounds = (algorithm == Algorithm::Rotating).then_some(3);
                let case = ConsensusCase {
                    accuracy,
                    runs: Runs::All { rounds },
                    ..ConsensusCase::promised(algorithm, 2)
                };
                let answers = [SuspicionMemory::Momentary, SuspicionMemory::Lasting].map(|memory| {
                    let case = ConsensusCase { memory, ..case.clone() };
                    let verdict = case.asked(requirement, &Search::default(), &NoCallback).expect("a search");
                    match verdict.outcome {
                        Outcome::Holds(_) => "holds",
                        Outcome::Violated(_) => "fails",
                        Outcome::Unknown(_) => "unknown",
                    }
                });
                assert_eq!(answers[0], answers[1], "{algorithm} {accuracy:?} {requirement}");
            }
        }
    }
}
