//! Spaces of small specifications: counted, held against the naive rules, and told again.

use super::model::ResolvedModel;
use super::naive::{NaiveTerm, Rules, TermAction};
use super::process_space::ProcessSpace;
use super::values::ValueId;
use crate::syntax::parse_specification;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use watchkeeper_space::{DataLabels, Id, Narration, Space, StatePath, steps, successors};

/// Labelled edges by the numbers of states; the first state is the initial one.
#[derive(Default)]
struct Edges {
    states: usize,
    edges: Vec<(usize, String, usize)>,
}

impl Edges {
    /// The space as a search finds it.
    fn of_space(space: &ProcessSpace) -> (Edges, Vec<Vec<Id>>) {
        let mut rows = space.initial();
        let mut numbers: HashMap<Vec<Id>, usize> = HashMap::from([(rows[0].clone(), 0)]);
        let mut edges = Vec::new();
        let mut at = 0;
        while at < rows.len() {
            let row = rows[at].clone();
            for (action, next) in successors(space, &row) {
                let label = space.data_label(&row, action).to_string();
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    rows.push(next);
                    rows.len() - 1
                });
                edges.push((at, label, number));
            }
            at += 1;
        }
        let failure = space.failure();
        assert!(failure.error().is_none(), "{}", failure.error().expect("just seen"));
        (Edges { states: rows.len(), edges }, rows)
    }

    /// The space as the naive rules say.
    fn naive(model: &ResolvedModel) -> Edges {
        let numbers: Vec<ValueId> = (-4..8).map(|number| model.data.number(number)).collect();
        let mut terms: Vec<NaiveTerm<'_>> = vec![Rules::new(model, Vec::new()).start().expect("a term")];
        let mut edges = Vec::new();
        let mut at = 0;
        while at < terms.len() {
            let mut candidates = numbers.clone();
            Rules::new(model, numbers.clone()).offered(&terms[at], &mut candidates).expect("offers");
            candidates.sort_unstable();
            candidates.dedup();
            let rules = Rules::new(model, candidates);
            for (actions, next) in rules.steps(&terms[at].clone()).expect("steps") {
                let number = terms.iter().position(|term| *term == next).unwrap_or_else(|| {
                    terms.push(next);
                    terms.len() - 1
                });
                edges.push((at, written(model, &actions), number));
            }
            at += 1;
            assert!(terms.len() < 3_000, "the naive rules are for small spaces");
        }
        Edges { states: terms.len(), edges }
    }

    fn deadlocks(&self) -> usize {
        let alive: BTreeSet<usize> = self.edges.iter().map(|edge| edge.0).collect();
        self.states - alive.len()
    }

    /// Beside another one: whether the initial states are strongly bisimilar, by refining until nothing changes.
    fn is_bisimilar(&self, other: &Edges) -> bool {
        let shifted =
            other.edges.iter().map(|(from, label, to)| (from + self.states, label, to + self.states));
        let edges: Vec<(usize, &String, usize)> =
            self.edges.iter().map(|(from, label, to)| (*from, label, *to)).chain(shifted).collect();
        let mut blocks = vec![0; self.states + other.states];
        loop {
            let mut moves: Vec<BTreeSet<(&String, usize)>> = vec![BTreeSet::new(); blocks.len()];
            for (from, label, to) in &edges {
                moves[*from].insert((label, blocks[*to]));
            }
            let mut names = BTreeMap::new();
            let next: Vec<usize> = (blocks.iter().zip(moves))
                .map(|(&block, moves)| {
                    let fresh = names.len();
                    *names.entry((block, moves)).or_insert(fresh)
                })
                .collect();
            if names.len() == blocks.iter().collect::<BTreeSet<_>>().len() {
                return next[0] == next[self.states];
            }
            blocks = next;
        }
    }
}

fn written(model: &ResolvedModel, actions: &[TermAction]) -> String {
    if actions.is_empty() {
        return "tau".to_string();
    }
    let argument = |value: &ValueId| model.data.print(*value);
    let mut texts: Vec<String> = (actions.iter())
        .map(|(name, values)| match values.as_slice() {
            [] => name.clone(),
            values => format!("{name}({})", values.iter().map(argument).collect::<Vec<_>>().join(",")),
        })
        .collect();
    texts.sort();
    texts.join("|")
}

fn specifications() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/specs");
    let files = std::fs::read_dir(folder).expect("the folder of specifications");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths
}

fn space(text: &str) -> ProcessSpace {
    let specification = parse_specification(text).unwrap_or_else(|error| panic!("{error}"));
    ProcessSpace::new(&specification).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    let specification = match parse_specification(text) {
        Ok(specification) => specification,
        Err(error) => return error.to_string(),
    };
    match ProcessSpace::new(&specification) {
        Err(error) => error.to_string(),
        Ok(space) => {
            let mut rows = space.initial();
            let mut at = 0;
            while at < rows.len() && rows.len() < 1_000 && space.failure().error().is_none() {
                for (_, next) in successors(&space, &rows[at].clone()) {
                    if !rows.contains(&next) {
                        rows.push(next);
                    }
                }
                at += 1;
            }
            if space.failure().error().is_some() {
                // Whoever looks at the steps alone is told that some are missing, too.
                assert!(rows.iter().any(|row| !steps(&space, row).cut.is_empty()));
            }
            space.failure().error().map(ToString::to_string).unwrap_or_default()
        }
    }
}

#[test]
fn small_specifications_have_the_spaces_that_they_say() {
    let paths = specifications();
    assert!(paths.len() >= 30, "{}", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a specification");
        let said = text.lines().nth(1).expect("a second line").to_string();
        let (edges, _) = Edges::of_space(&space(&text));
        let found = format!(
            "% states {}, transitions {}, deadlocks {}",
            edges.states,
            edges.edges.len(),
            edges.deadlocks()
        );
        assert_eq!(found, said, "{}", path.display());
    }
}

#[test]
fn the_naive_rules_find_the_same_behaviour() {
    // What stands behind a process without end piles up in the terms of the naive rules for ever.
    for path in specifications().into_iter().filter(|path| !path.ends_with("endless_tail.mcrl2")) {
        let text = std::fs::read_to_string(&path).expect("a specification");
        let specification = parse_specification(&text).expect("a specification");
        let model = ResolvedModel::new(&specification).expect("a model");
        let (edges, _) = Edges::of_space(&space(&text));
        assert!(edges.is_bisimilar(&Edges::naive(&model)), "{}", path.display());
    }
}

#[test]
fn every_step_is_told_again_by_the_naive_rules() {
    for path in specifications() {
        let text = std::fs::read_to_string(&path).expect("a specification");
        let space = space(&text);
        let (_, rows) = Edges::of_space(&space);
        let mut ways: HashMap<Vec<Id>, StatePath> = HashMap::new();
        let start = StatePath { rows: vec![rows[0].clone()], actions: Vec::new() };
        ways.insert(rows[0].clone(), start);
        for row in &rows {
            let way = ways[row].clone();
            for (action, next) in successors(&space, row) {
                let mut longer = way.clone();
                longer.rows.push(next.clone());
                longer.actions.push(action);
                let told =
                    space.replay(&longer).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert_eq!(told.steps.len(), longer.actions.len());
                ways.entry(next).or_insert(longer);
            }
        }
    }
}

#[test]
fn what_cannot_be_searched_is_refused_with_its_place() {
    let refused = [
        ("act a: Bool;\ninit a(1);", "line 2"),
        ("act a;\ninit b;", "line 2, column 6: there is no action or process 'b'"),
        ("act a;\nproc P = P + a;\ninit P;", "line 2, column 10: P calls itself before any action happens"),
        ("act a: Nat;\ninit sum n: Nat . a(n) . delta;", "line 2, column 10: infinite sum without a bound"),
        ("act a;\nproc P = a . (P || P);\ninit P;", "line 2, column 15: parallel composition"),
        ("act a;\nproc P = a || P;\ninit P;", "line 2, column 15: P runs beside itself without end"),
        ("act a;\ninit a @ 1;", "line 2, column 6: time (`@`) is not supported"),
        ("act a: Bool;\ninit dist b: Bool [1/2] . a(b);", "line 2, column 6: `dist` is not supported"),
        ("act a: Nat;\nmap f: Nat -> Nat;\nvar n: Nat;\neqn f(n) = f(n + 1);\ninit a(f(0));", "line 2"),
        ("act a;\nmap b: Bool;\ninit b -> a;", "line 3, column 6: this condition is neither true nor false"),
    ];
    for (text, expected) in refused {
        let found = refusal(text);
        assert!(found.starts_with(expected), "{text}\n  {found}");
    }
}
