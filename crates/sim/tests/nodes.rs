//! Whole nodes in simulated clusters: the oracles of the wire, the nonces, the limits and the stalls have something to look
//! at, and find nothing wrong.

mod subjects;

use subjects::{MS, chandra_toueg, ring, scope, verdict};
use watchkeeper_core::Pid;
use watchkeeper_sim::{
    FaultAction, FaultFamily, LogItem, MessageFate, Nemesis, PlannedFault, SimulationDepth, SimulationPlan,
    judge, reenact, simulate,
};

const NODES: SimulationDepth = SimulationDepth::Nodes;

fn quiet(seed: u64, faults: &[(u64, FaultAction)]) -> SimulationPlan {
    let plan = Nemesis::new([]).draw(seed, &scope(&ring(4)));
    SimulationPlan { faults: faults.iter().map(|&(at, fault)| PlannedFault { at, fault }).collect(), ..plan }
}

#[test]
fn a_run_of_nodes_is_a_function_of_its_plan() {
    let all = Nemesis::new(FaultFamily::ALL.iter().copied());
    let subject = ring(4);
    for seed in 0..20 {
        let plan = all.draw(seed, &scope(&subject));
        assert_eq!(simulate(&subject, &plan, NODES), simulate(&subject, &plan, NODES), "seed {seed}");
    }
}

#[test]
fn where_nothing_goes_wrong_nodes_begin_together_and_follow_the_model() {
    let subject = ring(4);
    for seed in 0..40 {
        let verdict = verdict(&subject, &Nemesis::new([]), seed, NODES);
        assert_eq!((verdict.broken, verdict.asked), (None, 1), "seed {seed}");
    }
}

#[test]
fn every_family_of_faults_alone_and_all_together_find_nothing_wrong_with_nodes() {
    let all = Nemesis::new(FaultFamily::ALL.iter().copied());
    for subject in [ring(4), chandra_toueg(3)] {
        for &family in FaultFamily::ALL {
            let alone = Nemesis::new([family]);
            (0..40).for_each(|seed| drop(verdict(&subject, &alone, seed, NODES)));
        }
        (0..200).for_each(|seed| drop(verdict(&subject, &all, seed, NODES)));
    }
}

#[test]
fn a_stopped_node_notices_and_suspects_nobody() {
    let subject = ring(4);
    let stall = FaultAction::Stall { process: Pid::at(1), lasts: 1_500 * MS };
    for seed in 0..20 {
        let plan = quiet(seed, &[(2_000 * MS, stall)]);
        let mut run = simulate(&subject, &plan, NODES);
        let noticed = run.recordings.iter().find(|recording| recording.process == Pid::at(1));
        assert_eq!(noticed.map(|recording| recording.stalls.len()), Some(1), "seed {seed}");
        assert_eq!(judge(&subject, &plan, &mut run, 20).failure, None, "seed {seed}");
    }
}

#[test]
fn a_node_that_was_left_behind_by_a_rotation_is_refused() {
    let subject = ring(4);
    let step = |process, step| FaultAction::Keys { process: Pid::at(process), step };
    use watchkeeper_sim::RotationStep::{Add, Remove, Switch};
    let mut faults = Vec::new();
    for process in 0..3 {
        faults.push((1_000 * MS, step(process, Add)));
        faults.push((1_500 * MS, step(process, Switch)));
        faults.push((2_000 * MS, step(process, Remove)));
    }
    faults.sort_by_key(|(at, _)| *at);
    let plan = quiet(3, &faults);
    let mut run = simulate(&subject, &plan, NODES);
    let after = run.truth.messages.iter().filter(|message| message.sent > 2_500 * MS);
    let with_the_last =
        |message: &&watchkeeper_sim::MessageTruth| message.from == Pid::at(3) || message.to == Pid::at(3);
    let (behind, ahead): (Vec<_>, Vec<_>) = after.partition(with_the_last);
    assert!(!ahead.is_empty() && ahead.iter().all(|message| message.fate != MessageFate::Refused));
    assert!(behind.iter().all(|message| !matches!(message.fate, MessageFate::Delivered(_))));
    assert_eq!(judge(&subject, &plan, &mut run, 20).failure, None);
}

#[test]
fn a_crashed_node_comes_back_and_is_heard() {
    let subject = ring(4);
    let process = Pid::at(2);
    let faults =
        [(1_500 * MS, FaultAction::Crash { process }), (2_000 * MS, FaultAction::Restart { process })];
    let plan = quiet(5, &faults);
    let mut run = simulate(&subject, &plan, NODES);
    let lives: Vec<_> = run.recordings.iter().filter(|recording| recording.process == process).collect();
    assert_eq!(lives.len(), 2);
    assert!(run.truth.log.iter().any(|entry| entry.item == LogItem::Recovered(process)));
    let heard = |message: &&watchkeeper_sim::MessageTruth| {
        message.from == process
            && message.sent > 2_500 * MS
            && matches!(message.fate, MessageFate::Delivered(_))
    };
    assert!(run.truth.messages.iter().filter(heard).count() > 3);
    assert_eq!(judge(&subject, &plan, &mut run, 20).failure, None);
}

#[test]
fn a_recorded_run_is_executed_once_more_step_by_step() {
    let subject = ring(4);
    let all = Nemesis::new(FaultFamily::ALL.iter().copied().filter(|family| *family != FaultFamily::Disk));
    for seed in 0..40 {
        let run = simulate(&subject, &all.draw(seed, &scope(&subject)), NODES);
        let steps: usize = run.recordings.iter().map(|recording| recording.steps.len()).sum();
        let again = reenact(&subject, &run.recordings);
        assert_eq!((again.same, again.differs), (steps, None), "seed {seed}");
        assert_eq!(again.recordings, run.recordings, "seed {seed}");
    }
}

#[test]
fn a_recording_that_was_changed_is_not_reproduced() {
    let subject = ring(4);
    let mut run = simulate(&subject, &quiet(1, &[]), NODES);
    let step = &mut run.recordings[2].steps[5];
    step.state[0] ^= 1;
    let again = reenact(&subject, &run.recordings);
    assert_eq!(again.differs, Some("step 6 of p2: it does something else in the simulation".to_string()));
}
