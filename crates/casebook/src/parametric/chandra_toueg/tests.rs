//! The theorems, the witnesses and the abstraction put to both solvers, and each with controls that must fail.

use super::*;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;
use watchkeeper_prove::solver::{self, Solver, SolverAnswer};
use watchkeeper_prove::{
    Claim, Obligation, ObligationChecker, ObligationStatus, State, System, SystemInstance, Term, check_all,
};

const LIMIT: Duration = Duration::from_secs(20);

/// The names of what a solver does not discharge.
fn open(system: &System, obligations: &[Obligation], solver: &Solver) -> Vec<String> {
    let judged = check_all(system, obligations, solver, LIMIT, |_| {}).expect("a solver that works");
    assert_eq!(judged.len(), obligations.len());
    judged.into_iter().filter(|one| one.outcome != ObligationStatus::Discharged).map(|one| one.name).collect()
}

/// What is owed for the invariant of a theorem as one conjunct: a question for each path.
fn owed(theorem: &DetectorTheorem, system: &System) -> Vec<Obligation> {
    let all = theorem.invariant().into_iter().map(|claim| claim.formula);
    system.obligations(&[Claim::new("the invariant", Term::and(all))], &theorem.property)
}

fn every() -> impl Iterator<Item = DetectorTheorem> {
    PaperMachine::ALL.into_iter().flat_map(all_of)
}

fn all_of(machine: PaperMachine) -> Vec<DetectorTheorem> {
    [table(machine), theorems(machine)].concat()
}

fn is_inductive(machine: PaperMachine) {
    for solver in &solver::for_tests() {
        for theorem in all_of(machine) {
            let left = open(&theorem.system, &owed(&theorem, &theorem.system), solver);
            assert!(left.is_empty(), "{} by {solver}: {left:?}", theorem.name);
        }
    }
}

#[test]
fn what_is_written_for_the_machine_of_tlc_is_inductive_in_both_solvers() {
    is_inductive(PaperMachine::Tlc);
}

#[test]
fn what_is_written_for_the_machine_of_ivy_is_inductive_in_both_solvers() {
    is_inductive(PaperMachine::Ivy);
}

#[test]
fn what_is_written_needs_no_end_of_runs() {
    let solvers = solver::for_tests();
    let Some(solver) = solvers.first() else { return };
    for theorem in every().filter(|theorem| theorem.model.ends) {
        let endless = rounds(DetectorModel { ends: false, ..theorem.model });
        let left = open(&endless, &owed(&theorem, &endless), solver);
        assert!(left.is_empty(), "{}: {left:?}", theorem.name);
    }
}

#[test]
fn no_line_of_the_table_is_about_nothing() {
    let solvers = solver::for_tests();
    let Some(solver) = solvers.first() else { return };
    for theorem in PaperMachine::ALL.into_iter().flat_map(table) {
        let mut judge = ObligationChecker::new(&theorem.system, solver, LIMIT).expect("a solver");
        let premises = theorem.system.premises(&theorem.invariant());
        assert_eq!(premises.len(), if theorem.model.crash { 29 } else { 15 });
        for (name, query) in premises {
            let answer = judge.ask(&query).expect("an answer");
            judge.done().expect("the next question");
            // With 6Φ+Δ nobody is suspected unless the sender has crashed, so these two cannot happen.
            let never = theorem.row == Some(1) && name.contains("suspect");
            assert_eq!(
                answer,
                if never { SolverAnswer::Unsat } else { SolverAnswer::Sat },
                "{}: {name}",
                theorem.name
            );
        }
    }
}

/// A theorem with another property, and the invariant written for it.
fn with_property(theorem: &DetectorTheorem, from: &str, to: &str) -> DetectorTheorem {
    let changed = |claim: &Claim| {
        let text = claim.formula.to_string();
        let text = text.replace(from, to);
        Claim::new(&claim.name, theorem.system.formula(&text).expect("a formula of the model"))
    };
    let property = changed(&theorem.property);
    assert_ne!(property, theorem.property, "{} in {}", from, theorem.property.formula);
    DetectorTheorem { property, written: theorem.written.iter().map(changed).collect(), ..theorem.clone() }
}

#[test]
fn a_bound_that_is_off_by_one_is_not_inductive() {
    let solvers = solver::for_tests();
    for machine in PaperMachine::ALL {
        let spare = invariants::spare(machine);
        let rows = table(machine);
        let more = theorems(machine);
        let named = |name: &str| more.iter().find(|theorem| theorem.name.starts_with(name)).expect(name);
        let tight = named("eventual strong accuracy, tightest");
        let end = if machine == PaperMachine::Tlc { "0 else 1)" } else { "0 else rest + 1)" };
        let shorter = if machine == PaperMachine::Tlc { "0 else 0)" } else { "0 else rest)" };
        let controls = [
            with_property(&rows[4], &format!("timeout + {spare}"), &format!("timeout + {}", spare - 1)),
            with_property(tight, end, shorter),
            with_property(named("a message is received"), "Delta - 2", "Delta - 3"),
            with_property(
                named("detection within"),
                &format!("timeout + {spare}"),
                &format!("timeout + {}", spare - 1),
            ),
        ];
        for control in controls {
            for solver in &solvers {
                let left = open(&control.system, &owed(&control, &control.system), solver);
                assert!(!left.is_empty(), "{} of {} by {solver}", control.property.formula, control.name);
            }
        }
    }
}

#[test]
fn one_below_the_tightest_timeout_is_refuted_for_all_bounds() {
    let solvers = solver::for_tests();
    for refutation in PaperMachine::ALL.into_iter().flat_map(refutations) {
        for witness in &refutation.witnesses {
            let obligations = witness.obligations(&refutation.system, &refutation.property).expect("a run");
            for solver in &solvers {
                let left = open(&refutation.system, &obligations, solver);
                assert!(left.is_empty(), "{} by {solver}: {left:?}", refutation.name);
            }
        }
        // The conditions of the witnesses leave out no parameters.
        let none = refutation.witnesses.iter().map(|witness| Term::and(witness.condition.clone()).negated());
        let uncovered = refutation.system.under(Term::and(none));
        for solver in &solvers {
            let mut judge = ObligationChecker::new(&uncovered, solver, LIMIT).expect("a solver");
            let begin = &uncovered.premises(&[])[0].1;
            assert_eq!(judge.ask(begin).expect("an answer"), SolverAnswer::Unsat, "{}", refutation.name);
        }
    }
}

fn is_abstraction(model: DetectorModel) {
    let (exact, oldest) = (rounds(model.with_buffer(BufferAbstraction::Exact)), rounds(model));
    let simulated = simulation(model, &exact, &oldest).obligations().expect("a simulation");
    let (paths, kept) = if model.crash { (28, 24) } else { (14, 12) };
    assert_eq!(simulated.len(), 1 + paths);
    let answered = exactness(model);
    assert_eq!(answered.len(), 1 + kept);
    let known = freshness(&exact);
    assert_eq!(known.len(), if model.crash { 2 } else { 0 });
    let known = known.last().map_or(Vec::new(), |last| exact.obligations(&known, last));
    for solver in &solver::for_tests() {
        for obligations in [&simulated, &answered, &known] {
            let left = open(&exact, obligations, solver);
            assert!(left.is_empty(), "{} by {solver}: {left:?}", exact.name);
        }
    }
}

#[test]
fn the_oldest_message_is_enough_to_know() {
    PaperMachine::ALL.map(DetectorModel::new).into_iter().for_each(is_abstraction);
}

#[test]
fn the_oldest_message_and_the_last_one_are_enough_to_know_where_the_sender_may_crash() {
    PaperMachine::ALL
        .map(|machine| DetectorModel::new(machine).with_crash())
        .into_iter()
        .for_each(is_abstraction);
}

#[test]
fn an_exact_buffer_that_misses_old_messages_is_not_simulated() {
    let model = DetectorModel::new(PaperMachine::Tlc);
    let exact = rounds(model.with_buffer(BufferAbstraction::Exact).with_fault(ModelFault::OldIsMissed));
    let oldest = rounds(model);
    let simulated = simulation(model, &exact, &oldest).obligations().expect("a simulation");
    for solver in &solver::for_tests() {
        let left = open(&exact, &simulated, solver);
        assert_eq!(
            left,
            ["\"round: send, miss\" is answered", "\"round: rest, miss\" is answered"],
            "{solver}"
        );
    }
}

#[test]
fn a_broken_guard_is_seen_and_told() {
    let solvers = solver::for_tests();
    for machine in PaperMachine::ALL {
        let missed = broken(machine, ModelFault::OldIsMissed);
        let slow = broken(machine, ModelFault::SenderIsSlow);
        for solver in &solvers {
            let refuted = |theorem: &DetectorTheorem| {
                let obligations = theorem.system.obligations(&theorem.invariant(), &theorem.property);
                open(&theorem.system, &obligations, solver)
            };
            // w4 is the bound on the waiting after a reception that missed, w2 the one while nothing is under way.
            assert!(refuted(&missed).contains(&"consecution of w4 under \"round: rest, miss\"".to_string()));
            assert!(refuted(&slow).iter().all(|name| !name.contains("w4") || name.contains("miss")));
            assert!(!refuted(&slow).is_empty());
        }
        // The first has real runs to a wrong suspicion, the second only lacks the proof.
        assert!(breaks(&missed, &[1, 1]) && !breaks(&slow, &[1, 1]), "{machine}");
    }
}

/// Whether a run of the system with these parameters breaks the property.
fn breaks(theorem: &DetectorTheorem, point: &[i64]) -> bool {
    let instance = SystemInstance::new(&theorem.system, point).expect("possible parameters");
    let mut seen = BTreeSet::new();
    let begun = instance.beginnings().expect("small numbers");
    let mut open: VecDeque<State> = begun.into_iter().map(|turn| turn.after).collect();
    while let Some(state) = open.pop_front() {
        if !instance.holds(&theorem.property.formula, &state).expect("small numbers") {
            return true;
        }
        assert!(seen.len() < 5_000, "too many states");
        if seen.insert(state.clone()) {
            open.extend(instance.turns(&state).expect("small numbers").into_iter().map(|turn| turn.after));
        }
    }
    false
}

#[test]
fn spans_are_rounds_divided_by_phi_and_the_bound_is_reached() {
    for (machine, first, most) in [(PaperMachine::Tlc, 4, 18), (PaperMachine::Ivy, 2, 12)] {
        let model = DetectorModel::new(machine).with_crash().with_observer(GhostVariables::Spans).ending();
        let (delta, phi) = (1, 2);
        let instance =
            SystemInstance::new(&rounds(model), &[delta, phi, first]).expect("possible parameters");
        let states = instance.reachable(20_000).expect("small numbers").expect("a finite space");
        let number = |text: &str, state: &[i64]| {
            let term = instance.system().quantity(text).expect("a number");
            instance.value(&term, state).expect("small numbers")
        };
        let mut latest = 0;
        for state in &states {
            let is = |name: &str| instance.holds(&Term::name(name), state).expect("small numbers");
            let crashed = is("crashed");
            if crashed {
                let counted = number(&format!("Delta - 2 + {phi}*spans + part"), state);
                assert_eq!(number("hLFSC", state), counted);
            }
            if crashed && !is("suspected") && number("timeout", state) == first {
                latest = latest.max(number("hLFSC", state));
            }
        }
        // max(Δ, 1) + Φ·(timeout + 6) - 3 and, for the machine of IVy, 5 in the place of 6.
        let bound = delta + phi * (first + invariants::spare(machine) + 1) - 3;
        assert_eq!((latest, bound), (most, most), "{machine}, {} states", states.len());
    }
}

#[test]
fn every_model_is_a_system_and_every_point_is_possible() {
    let observers = [
        GhostVariables::None,
        GhostVariables::Steps,
        GhostVariables::Rounds,
        GhostVariables::Spans,
        GhostVariables::Settled,
    ];
    for machine in PaperMachine::ALL {
        for buffer in [BufferAbstraction::Exact, BufferAbstraction::Oldest] {
            for first in [FirstTimeout::Sufficient, FirstTimeout::AtLeastSufficient, FirstTimeout::Any] {
                let model = DetectorModel::new(machine).with_buffer(buffer).with_first(first).in_thirds();
                for observer in [GhostVariables::None, GhostVariables::Mistakes, GhostVariables::Cycles] {
                    assert_eq!(rounds(model.with_observer(observer)).paths().len(), 14);
                }
                for observer in observers {
                    let model = model.with_crash().with_observer(observer);
                    assert_eq!(rounds(model).paths().len(), 28);
                    assert_eq!(rounds(model.ending()).paths().len(), 28);
                }
            }
        }
    }
    assert!(every().all(|theorem| theorem.points().len() >= 5));
}
