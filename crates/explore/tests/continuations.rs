//! The runs of a space that begin with a path, and the ways of a traversal, held against the plain search of the space.

mod toy;

use std::collections::HashSet;
use toy::Toy;
use watchkeeper_explore::{
    Continuations, NoCallback, Reduction, Search, Traversal, TraversalEnd, check, graph, naive,
};
use watchkeeper_logic::{Fairness, Formula, Invariant, Outcome, Question, TemporalProperty};
use watchkeeper_space::{Id, Space, StatePath, successors};

/// A path of so many steps, which takes the last step of every row.
fn path(space: &dyn Space, steps: usize) -> StatePath {
    let mut path = StatePath { rows: vec![space.initial()[0].clone()], actions: Vec::new() };
    for _ in 0..steps {
        let Some((action, row)) = successors(space, path.rows.last().expect("a row")).pop() else { break };
        path.actions.push(action);
        path.rows.push(row);
    }
    path
}

/// All rows that can be reached from one.
fn reachable(space: &dyn Space, from: &[Id]) -> HashSet<Vec<Id>> {
    let (mut known, mut left) = (HashSet::from([from.to_vec()]), vec![from.to_vec()]);
    while let Some(row) = left.pop() {
        for (_, next) in successors(space, &row) {
            if known.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    known
}

fn fine() -> Question {
    Question {
        invariants: vec![Invariant { name: "fine".into(), when: None, then: 0 }],
        ..Question::default()
    }
}

#[test]
fn what_can_happen_after_a_path_is_what_can_be_reached_from_its_end() {
    let (mut holding, mut violated) = (0, 0);
    for seed in 0..60 {
        let mut space = Toy::new(4, 3, 2, seed);
        space.rare = 40;
        let path = path(&space, 3);
        let from_here = Continuations::new(&space, &path);
        let end = path.rows.last().expect("a row");
        let before = path.rows[..path.rows.len() - 1].iter().any(|row| !space.atom(0, row));
        let wrong = before || reachable(&space, end).iter().any(|row| !space.atom(0, row));
        let found = check(&from_here, &fine(), &Search::default(), &NoCallback).expect("an answer");
        let plain = naive(&from_here, &fine(), &Search::default(), &NoCallback).expect("an answer");
        assert_eq!(found.word(), plain.word(), "seed {seed}");
        match &found.outcome {
            Outcome::Violated(violation) => {
                violated += 1;
                assert!(wrong, "seed {seed}");
                // The counterexample is a run of the space itself, and begins with the path.
                let taken = violation.trace.steps.iter().zip(&path.actions);
                for (step, action) in taken {
                    assert_eq!(step.action, format!("way {}", action.code()), "seed {seed}");
                }
            }
            _ => {
                holding += 1;
                assert!(found.holds() && !wrong, "seed {seed}");
                let many = reachable(&space, end).len() + path.actions.len();
                assert_eq!(found.stats.distinct_states, many as u64, "seed {seed}");
            }
        }
    }
    assert!(holding > 5 && violated > 5, "{holding} hold, {violated} are violated: one of them says nothing");
}

#[test]
fn a_claim_is_about_the_whole_run_the_path_included() {
    // The atom holds in the first state and hardly ever later: `F fine` holds of every run, wherever it goes on.
    let mut judged = 0;
    for seed in 0..20 {
        let mut space = Toy::new(3, 3, 2, seed);
        space.rare = 2;
        if !space.atom(0, &space.initial()[0]) {
            continue;
        }
        judged += 1;
        let path = path(&space, 2);
        let claim = Formula::Atom(0).eventually();
        let question = Question {
            fairness: vec![Fairness::steps()],
            temporal: vec![TemporalProperty { name: "F fine".into(), formula: claim, premise: None }],
            ..Question::default()
        };
        let verdict = check(&Continuations::new(&space, &path), &question, &Search::default(), &NoCallback);
        assert!(verdict.expect("an answer").holds(), "seed {seed}");
    }
    assert!(judged > 3);
}

#[test]
fn reductions_are_refused_after_a_path() {
    let space = Toy::new(3, 3, 2, 1);
    let path = path(&space, 2);
    let reduced = Search { reduction: Reduction::PartialOrder, ..Search::default() };
    assert!(check(&Continuations::new(&space, &path), &fine(), &reduced, &NoCallback).is_err());
}

#[test]
fn a_traversal_goes_the_shortest_way_and_stops_where_it_is_told_to() {
    let mut goals = 0;
    for seed in 0..40 {
        let mut space = Toy::new(4, 3, 2, seed);
        space.rare = 60;
        let mut found = Traversal::new(&space);
        let end = found.run(
            (space.initial(), usize::MAX),
            &|row| !space.atom(0, row),
            &mut |_, _, _| {},
            &NoCallback,
        );
        let verdict = naive(&space, &fine(), &Search::default(), &NoCallback).expect("an answer");
        match (end, &verdict.outcome) {
            (TraversalEnd::Goal(goal), Outcome::Violated(violation)) => {
                goals += 1;
                let way = found.way(goal);
                assert_eq!(way.len() - 1, violation.trace.steps.len(), "seed {seed}");
                space.lift(&way).expect("a path of the space");
            }
            (TraversalEnd::All, Outcome::Holds(_)) => {
                let levels: Vec<u64> = found.levels().iter().map(|count| *count as u64).collect();
                assert_eq!(levels, verdict.stats.level_sizes, "seed {seed}");
                assert_eq!(
                    graph(&space, found.rows().len()).expect("small").states.len(),
                    found.rows().len()
                );
                assert!(graph(&space, found.rows().len() - 1).is_none(), "seed {seed}");
                let mut less = Traversal::new(&space);
                let most = found.rows().len() / 2;
                let end = less.run((space.initial(), most), &|_| false, &mut |_, _, _| {}, &NoCallback);
                assert_eq!(end, TraversalEnd::Most, "seed {seed}");
            }
            (end, outcome) => panic!("seed {seed}: {end:?}, and {outcome:?}"),
        }
    }
    assert!((5..35).contains(&goals), "{goals} of 40");
}
