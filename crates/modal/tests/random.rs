//! Random formulas on random graphs: the answer of the game against the sets of states of the definition, and every strategy
//! verified. `WATCHKEEPER_MODAL_CASES=10000` draws as many cases.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

#[path = "random/draw.rs"]
mod draw;
#[path = "random/naive.rs"]
mod naive;
#[path = "random/residues.rs"]
mod residues;

use draw::Draw;
use fastrand::Rng;
use naive::{Naive, SmallGraph};
use residues::Residues;
use std::ops::ControlFlow;
use watchkeeper_modal::{
    DataError, LabelledGraph, ModalAnswer, ModalError, ModalFormula, NormalFormula, StoredGraph, answer,
};

/// How many cases are drawn, unless the environment says.
const CASES: u64 = 1000;

fn stored(graph: &SmallGraph) -> StoredGraph {
    let stored = StoredGraph::new(graph.states, 0, graph.steps.iter().cloned());
    let stored = if graph.any_of_several { stored.with_any_of_several() } else { stored };
    graph.atoms.iter().fold(stored, |stored, atom| stored.with_atom(atom.clone()))
}

fn ask(graph: &SmallGraph, data: &Residues, formula: &ModalFormula) -> Result<ModalAnswer, ModalError> {
    let normal = NormalFormula::new(formula, data).expect("the formula is closed and monotone");
    answer(&normal, data, &mut stored(graph), &mut |_| ControlFlow::Continue(()))
}

/// The graph with no other steps than those of the evidence.
fn part(graph: &SmallGraph, found: &ModalAnswer) -> SmallGraph {
    let labels = stored(graph);
    let kept = found.evidence.steps.iter();
    let steps = kept.map(|&(from, label, to)| (from, labels.labels()[label as usize].clone(), to)).collect();
    SmallGraph { steps, ..graph.clone() }
}

/// A case by its number.
fn case(number: u64) -> (SmallGraph, Residues, ModalFormula) {
    let mut rng = Rng::with_seed(number);
    let graph = draw::graph(&mut rng);
    let endless = rng.u32(0..4) == 0;
    let mut data = Residues::new(if endless { 5 } else { rng.u32(3..5) }, endless);
    let (depth, fixed_points, alternating) = (rng.usize(2..=6), rng.usize(2..4), rng.u32(0..3) == 0);
    let mut draw = Draw::new(&mut rng, &mut data);
    let formula = if alternating {
        draw.alternating((depth + 1).saturating_sub(fixed_points).max(2), fixed_points)
    } else {
        draw.formula(depth, 3, false)
    };
    (graph, data, formula)
}

#[test]
fn the_game_answers_like_the_definition() {
    let cases = std::env::var("WATCHKEEPER_MODAL_CASES").ok().and_then(|text| text.parse().ok());
    let cases: u64 = cases.unwrap_or(CASES);
    let (mut kept, mut steps) = (0, 0);
    let (mut holds, mut endless, mut alternating, mut parameters) = (0, 0, 0, 0);
    for number in 0..cases {
        let (graph, data, formula) = case(number);
        let expected = Naive::new(&graph, &data).holds(&formula);
        let found = match ask(&graph, &data, &formula) {
            Err(ModalError::Data(DataError::Endless { .. })) if data.endless => {
                endless += 1;
                continue;
            }
            found => found.unwrap_or_else(|error| panic!("case {number}: {error}\n{formula:?}\n{graph:?}")),
        };
        assert_eq!(found.holds, Some(expected), "case {number}: {formula:?}\n{graph:?}\n{data:?}");
        assert!(found.verified > 0, "case {number}: a strategy was verified");
        let part = part(&graph, &found);
        let alone = Naive::new(&part, &data).holds(&formula);
        assert_eq!(alone, expected, "case {number}: the evidence alone\n{formula:?}\n{graph:?}\n{part:?}");
        kept += part.steps.len();
        steps += graph.steps.len();
        holds += u64::from(expected);
        let normal = NormalFormula::new(&formula, &data).expect("it was answered");
        alternating += u64::from(normal.greatest_priority() > 1);
        parameters += u64::from(format!("{formula:?}").contains("parameters: [("));
    }
    println!(
        "{cases} cases: {holds} hold, {endless} are refused because their quantifiers are endless, {alternating} have priorities \
         above 1, {parameters} have fixed points with parameters"
    );
    assert!(kept * 2 < steps, "the evidence is a part: {kept} of {steps} steps");
    assert!(holds * 5 > cases && holds * 5 < cases * 4 && endless * 8 < cases, "the cases are not one-sided");
    assert!(alternating * 8 > cases && parameters * 5 > cases, "the cases are not trivial");
}
