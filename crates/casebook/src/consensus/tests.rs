//! Chapter 4 again, in the sizes that take seconds.

use super::{
    Algorithm, Choice, ConsensusCase, ConsensusPart, ConsensusRequirement, Findings, Runs, assignments,
};
use watchkeeper_explore::{NoCallback, Search};
use watchkeeper_logic::Outcome;
use watchkeeper_world::{OracleAccuracy, SuspicionMemory};

fn all_right(parts: &[ConsensusPart]) -> Findings {
    let choice = Choice { parts: parts.to_vec() };
    let found = Findings::of(&choice, &Search::default(), &NoCallback, &|| 0.0).expect("searches");
    let table = found.table();
    let rows: Vec<String> = table.rows.iter().map(|row| row.join(" | ")).collect();
    assert!(!found.changed() && !found.open(), "{:?}\n{}", table.notes.first(), rows.join("\n"));
    found
}

#[test]
fn mistakes_are_found_by_the_requirement_that_they_break() {
    let found = all_right(&[ConsensusPart::Mistakes]);
    assert_eq!(found.found.len(), 18);
}

#[test]
fn where_the_theorems_end_things_fail() {
    all_right(&[ConsensusPart::Limits]);
}

#[test]
fn on_the_detectors_of_this_project_it_holds_too() {
    let found = all_right(&[ConsensusPart::Composed]);
    let states: Vec<u64> = found.found.iter().map(|finding| finding.states).collect();
    assert_eq!(states.len(), 16);
    assert_eq!((states[0], states[4], states[8], states[12]), (15_657, 172_682, 37_765, 15_113));
}

#[test]
fn what_the_theorems_promise_holds_for_three() {
    let found = all_right(&[ConsensusPart::Table]);
    assert_eq!(found.found.len(), 25);
}

#[test]
fn assignments_of_two_values_are_those_in_which_the_first_proposes_0() {
    assert_eq!(assignments(2), [[0, 0], [0, 1]]);
    assert_eq!(assignments(3), [[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]]);
}

/// Lasting suspicions against momentary ones, for two processes.
#[test]
fn how_long_suspicions_last_makes_no_difference() {
    for algorithm in [Algorithm::Strong, Algorithm::Rotating] {
        for accuracy in [OracleAccuracy::Weak, OracleAccuracy::EventuallyWeak, OracleAccuracy::None] {
            for requirement in ConsensusRequirement::ALL {
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
