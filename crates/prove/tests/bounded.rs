//! Bounded search and k-induction over small systems with known answers, with every solver that is installed.

use std::time::Duration;
use watchkeeper_prove::solver::{Solver, for_tests};
use watchkeeper_prove::{
    BoundedError, BoundedResult, BoundedRun, Claim, KInductionResult, System, SystemInstance, assign, assume,
    bounded, choose, either, k_induction, k_induction_obligations, redraw,
};

const LIMIT: Duration = Duration::from_secs(20);

/// Counts up to `n` in steps of one or two.
fn counter() -> System {
    let system = System::new("counter")
        .parameter("n", "where it ends")
        .assuming("n >= 1")
        .number("x", 0, "the count")
        .initially([assign("x", "0")])
        .step("one", [assume("x < n"), assign("x", "x + 1")])
        .step("some", [choose("d", "1", "2"), assume("x + d <= n + 1"), assign("x", "x + d")]);
    system.finished().expect("a system")
}

/// A bounded buffer: `put` looks whether there is room.
fn buffer() -> System {
    let system = System::new("buffer")
        .parameter("size", "room")
        .assuming("size >= 2")
        .number("full", 0, "places taken")
        .flag("closed", "no more is put")
        .initially([assign("full", "0"), assign("closed", "false")])
        .step("put", [assume("not closed"), assume("full < size"), assign("full", "full + 1")])
        .step(
            "take",
            [
                assume("full > 0"),
                either([("one", vec![assign("full", "full - 1")]), ("all", vec![assign("full", "0")])]),
            ],
        )
        .step("close", [assign("closed", "true")]);
    system.finished().expect("a system")
}

fn searched(system: &System, property: &str, depth: usize, solver: &Solver) -> BoundedResult {
    let property = system.formula(property).expect("a formula");
    bounded(system, &property, depth, solver, LIMIT).expect("a search")
}

fn violated(found: BoundedResult) -> BoundedRun {
    let BoundedResult::Violated(run) = found else { panic!("{found:?}") };
    *run
}

/// Every step of a run is one that the interpreter of statements has.
fn replays(system: &System, run: &BoundedRun) {
    let values = run.values.as_ref().expect("integers");
    let instance = SystemInstance::new(system, values).expect("possible parameters");
    let states: Vec<Vec<i64>> =
        run.moments.iter().map(|moment| moment.state.clone().expect("integers")).collect();
    assert!(instance.beginnings().expect("small numbers").iter().any(|turn| turn.after == states[0]));
    for (i, moment) in run.moments.iter().enumerate().skip(1) {
        let fits = instance.turns(&states[i - 1]).expect("small numbers");
        assert!(
            fits.iter().any(|turn| turn.ways == moment.ways && turn.after == states[i]),
            "step {i} of {run:?}"
        );
    }
    assert!(run.checked);
}

#[test]
fn the_shortest_violation_is_found_for_the_smallest_parameters() {
    let system = counter();
    for solver in for_tests() {
        let run = violated(searched(&system, "x <= n", 10, &solver));
        // With n = 1 one step of two goes beyond it; no run without a step does.
        assert_eq!((run.steps(), &run.values), (1, &Some(vec![1])));
        assert_eq!(run.moments[1].path.as_deref(), Some("some"));
        assert_eq!(run.moments[1].picks, [("d".to_string(), "2".to_string())]);
        assert_eq!(run.moments[1].told, [("x".to_string(), "2".to_string())]);
        replays(&system, &run);
        let narrowed = system.under(watchkeeper_prove::term("n = 7").expect("a term"));
        let run = violated(searched(&narrowed, "x <= n", 10, &solver));
        assert_eq!((run.steps(), &run.values), (4, &Some(vec![7])));
        replays(&narrowed, &run);
    }
}

#[test]
fn a_search_that_finds_nothing_says_how_far_it_looked() {
    for solver in for_tests() {
        assert_eq!(searched(&counter(), "x <= n + 1", 6, &solver), BoundedResult::NoneUpTo(6));
        // Three puts are needed, which a search of two steps cannot see.
        assert_eq!(searched(&buffer(), "full <= 2", 2, &solver), BoundedResult::NoneUpTo(2));
        let run = violated(searched(&buffer(), "full <= 2", 3, &solver));
        assert_eq!((run.steps(), run.parameters.clone()), (3, vec![("size".to_string(), "3".to_string())]));
        replays(&buffer(), &run);
    }
}

#[test]
fn a_beginning_can_be_the_violation() {
    let system = System::new("any start")
        .parameter("n", "bound")
        .assuming("n >= 5")
        .number("x", 0, "a number")
        .initially([choose("first", "0", "n"), assign("x", "first")])
        .finished()
        .expect("a system");
    for solver in for_tests() {
        let run = violated(searched(&system, "x < 5", 3, &solver));
        assert_eq!((run.steps(), run.moments[0].told[0].1.as_str()), (0, "5"));
        assert_eq!(run.moments[0].picks, [("first".to_string(), "5".to_string())]);
        replays(&system, &run);
        // A system without steps has no longer runs, whatever the depth.
        assert_eq!(searched(&system, "x <= n", 3, &solver), BoundedResult::NoneUpTo(3));
    }
}

#[test]
fn control_points_are_told_by_their_names() {
    let system = System::new("clock")
        .parameter("period", "length of a phase")
        .assuming("period >= 1")
        .control("phase", &["low", "high"], "where the clock is")
        .number("t", 0, "time in the phase")
        .initially([assign("phase", "0"), assign("t", "0")])
        .step("tick", [assume("t < period"), assign("t", "t + 1")])
        .step("turn", [assume("t = period"), assign("phase", "1 - phase"), assign("t", "0")])
        .finished()
        .expect("a system");
    for solver in for_tests() {
        let run = violated(searched(&system, "phase = 0", 9, &solver));
        let phases: Vec<&str> = run.moments.iter().map(|moment| moment.told[0].1.as_str()).collect();
        assert_eq!(phases, ["low", "low", "high"]);
        replays(&system, &run);
    }
}

#[test]
fn real_numbers_are_searched_without_a_check_by_evaluation() {
    let system = System::new("dense")
        .dense()
        .parameter("limit", "the most")
        .assuming("limit > 0")
        .number("x", 0, "time")
        .initially([assign("x", "0")])
        .step("pass", [choose("d", "0", "limit"), assume("2*d < limit"), assign("x", "x + d")])
        .finished()
        .expect("a system");
    for solver in for_tests() {
        // Two steps of less than half the limit do not reach it, three do.
        let run = violated(searched(&system, "x < limit", 5, &solver));
        assert_eq!(run.steps(), 3);
    }
}

#[test]
fn a_property_that_needs_two_steps_is_proven_with_two() {
    // y follows x by one step, so y <= n + 1 is kept only because x was at most n + 1 before.
    let system = System::new("follower")
        .parameter("n", "bound")
        .assuming("n >= 0")
        .number("x", 0, "ahead")
        .number("y", 0, "behind")
        .initially([assign("x", "0"), assign("y", "0")])
        .step(
            "go",
            [
                assign("y", "x"),
                either([
                    ("on", vec![assume("x < n"), assign("x", "x + 1")]),
                    ("back", vec![assign("x", "0")]),
                ]),
            ],
        )
        .finished()
        .expect("a system");
    let property = system.formula("y <= n").expect("a formula");
    for solver in for_tests() {
        let proven =
            |most| k_induction(&system, &property, &[], most, false, &solver, LIMIT).expect("an answer");
        let KInductionResult::NotInductive(run) = proven(1) else { panic!("{:?}", proven(1)) };
        assert_eq!((run.steps(), run.moments[0].path.clone()), (1, None));
        assert_eq!(proven(3), KInductionResult::Proven(2));
        let lemma = Claim::new("x is bounded", system.formula("x <= n").expect("a formula"));
        let with_lemma =
            k_induction(&system, &property, &[lemma], 3, false, &solver, LIMIT).expect("an answer");
        assert_eq!(with_lemma, KInductionResult::Proven(1));
    }
}

#[test]
fn only_runs_without_a_repeated_state_prove_what_a_loop_hides() {
    // From x = 5, which is never reached, x can wait for ever before it jumps.
    let system = System::new("loop")
        .number("x", 0, "place")
        .initially([assign("x", "0")])
        .step("wait", [assume("x = 0 or x = 5")])
        .step("jump", [assume("x = 5"), assign("x", "9")])
        .finished()
        .expect("a system");
    let property = system.formula("x != 9").expect("a formula");
    for solver in for_tests() {
        let proven =
            |simple| k_induction(&system, &property, &[], 4, simple, &solver, LIMIT).expect("an answer");
        let KInductionResult::NotInductive(run) = proven(false) else { panic!("{:?}", proven(false)) };
        assert_eq!(run.steps(), 4);
        assert_eq!(proven(true), KInductionResult::Proven(2));
    }
}

#[test]
fn k_induction_finds_violations_as_well() {
    let system = buffer();
    let property = system.formula("full < size").expect("a formula");
    for solver in for_tests() {
        let found = k_induction(&system, &property, &[], 5, true, &solver, LIMIT).expect("an answer");
        let KInductionResult::Violated(run) = found else { panic!("{found:?}") };
        assert_eq!((run.steps(), &run.values), (2, &Some(vec![2])));
        replays(&system, &run);
    }
}

#[test]
fn the_obligations_of_k_induction_are_one_for_each_depth_and_the_step() {
    let system = buffer();
    let property = Claim::new("room", system.formula("full <= size").expect("a formula"));
    let all = k_induction_obligations(&system, &property, &[], 2, true).expect("obligations");
    let names: Vec<&str> = all.iter().map(|obligation| obligation.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "room after 0 steps from the beginning",
            "room after 1 steps from the beginning",
            "room after 2 steps through states with it"
        ]
    );
    assert!(all.iter().all(|obligation| {
        obligation.query.unknowns.contains(&("full@0".into(), watchkeeper_prove::TermSort::Number))
    }));
}

#[test]
fn what_cannot_be_unrolled_is_refused_with_a_word_on_what_to_do() {
    let with_set = System::new("sets")
        .parameter("n", "bound")
        .set("ages", "a set")
        .initially([assign("ages", "{}")])
        .step("draw", [redraw("ages", "0", "n", "i", "i in ages => i in ages'")])
        .finished()
        .expect("a system");
    let named = System::new("marked")
        .number("x@1", 0, "a bad name")
        .initially([assign("x@1", "0")])
        .finished()
        .expect("a system");
    let quantified = counter();
    for solver in for_tests() {
        let told = |system: &System, property: &str| {
            let property = watchkeeper_prove::term(property).expect("a term");
            bounded(system, &property, 1, &solver, LIMIT).expect_err("refused")
        };
        assert!(matches!(told(&with_set, "true"), BoundedError::Sets(name) if name == "ages"));
        assert!(told(&with_set, "true").to_string().contains("abstraction"));
        assert!(matches!(told(&named, "true"), BoundedError::Name(name) if name == "x@1"));
        assert!(matches!(told(&quantified, "all i in 0 .. n: x != i + 5"), BoundedError::Quantified(_)));
    }
}

#[test]
fn a_system_that_cannot_begin_is_not_proven_anything_of() {
    let impossible = counter().under(watchkeeper_prove::term("n < 1").expect("a term"));
    let property = impossible.formula("x < 0").expect("a formula");
    for solver in for_tests() {
        let found = k_induction(&impossible, &property, &[], 2, true, &solver, LIMIT).expect("an answer");
        assert!(matches!(found, KInductionResult::Undecided { .. }), "{found:?}");
    }
}
