//! Random formulas as texts: read, typed and evaluated as the language of mCRL2 has it, and held against the definition on the
//! tree that the text was written from. `WATCHKEEPER_MODAL_CASES=10000` draws as many cases.

#![allow(clippy::print_stdout, reason = "the figures are for whoever runs it")]

#[path = "random/draw.rs"]
mod draw;
#[path = "random/naive.rs"]
mod naive;
#[path = "random/residues.rs"]
mod residues;
#[path = "random/text.rs"]
mod text;

use draw::Draw;
use fastrand::Rng;
use naive::{Naive, SmallGraph};
use residues::Residues;
use std::ops::ControlFlow;
use text::{Numbers, Text};
use watchkeeper_mcrl2::syntax::parse_specification;
use watchkeeper_modal::{
    FormulaError, FormulaNames, FormulaTextError, LanguageData, NormalFormula, StoredGraph, answer,
    read_formula,
};
use watchkeeper_space::{DataAction, DataLabel};

/// How many cases are drawn, unless the environment says.
const CASES: u64 = 400;

/// The propositions of the random graphs are steps from a state to itself, since a text knows no others.
const ATOMS: [&str; 2] = ["<p>true", "<q>true"];

/// The graph with its propositions as steps and its numbers as they are written.
fn stored(graph: &SmallGraph, text: &Text<'_>) -> StoredGraph {
    let written = |label: &DataLabel| {
        let action = |action: &DataAction| {
            let numbers = action.arguments.iter().map(|number| number.parse().expect("it is a number"));
            DataAction::new(action.name.clone(), numbers.map(|number| text.number(number)))
        };
        DataLabel { actions: label.actions.iter().map(action).collect() }
    };
    let steps = graph.steps.iter().map(|(from, label, to)| (*from, written(label), *to));
    let stored = StoredGraph::new(graph.states, 0, steps);
    if graph.any_of_several { stored.with_any_of_several() } else { stored }
}

#[test]
fn texts_are_answered_like_the_definition() {
    let cases = std::env::var("WATCHKEEPER_MODAL_CASES").ok().and_then(|text| text.parse().ok());
    let cases: u64 = cases.unwrap_or(CASES);
    let (mut answered, mut holds, mut unguarded) = (0, 0, 0);
    for number in 0..cases {
        let mut rng = Rng::with_seed(number);
        let mut graph = draw::graph(&mut rng);
        for (atom, name) in ["p", "q"].iter().enumerate() {
            for state in (0..graph.states).filter(|&state| graph.atoms[atom][state]) {
                graph.steps.push((state as u32, DataLabel::new(*name, [""; 0]), state as u32));
            }
        }
        let mut data = Residues::new(rng.u32(3..5), false);
        let depth = rng.usize(2..=6);
        let mut draw = Draw::new(&mut rng, &mut data);
        let formula =
            if number % 4 == 0 { draw.alternating(depth.min(4), 3) } else { draw.formula(depth, 3, false) };
        let numbers = if rng.bool() { Numbers::Structured } else { Numbers::Natural };
        let text = Text { data: &data, numbers, atoms: &ATOMS };
        let written = text.formula(&formula);
        let fail =
            |why: &dyn std::fmt::Display| -> ! { panic!("case {number}: {why}\n{written}\n{graph:?}") };
        let specification = format!("{}init delta;", text.declarations());
        let specification = parse_specification(&specification).unwrap_or_else(|why| fail(&why));
        let names = FormulaNames::of_specification(&specification).unwrap_or_else(|why| fail(&why));
        let typed = match read_formula(&written, names) {
            Err(FormulaTextError::Formula(FormulaError::Unguarded { .. })) => {
                unguarded += 1;
                continue;
            }
            typed => typed.unwrap_or_else(|why| fail(&why)),
        };
        let meaning = LanguageData::new(&typed).unwrap_or_else(|why| fail(&why));
        let normal = NormalFormula::new(&typed.formula, &meaning).unwrap_or_else(|why| fail(&why));
        let mut stored = stored(&graph, &text);
        let found = answer(&normal, &meaning, &mut stored, &mut |_| ControlFlow::Continue(()));
        let found = found.unwrap_or_else(|why| fail(&why));
        let expected = Naive::new(&graph, &data).holds(&formula);
        if found.holds != Some(expected) {
            fail(&format!("the definition says {expected}"));
        }
        answered += 1;
        holds += u64::from(expected);
    }
    println!("{answered} of {cases} texts answered, {holds} hold; {unguarded} are refused as unguarded");
    assert!(answered * 2 > cases && holds * 5 > answered && holds * 5 < answered * 4, "not one-sided");
}
