//! Formulas of linear temporal logic, over a small space whose atoms have plain names and odd ones.

use crate::quoting::{short, text};
use watchkeeper_logic::{AtomNames, Formula, parse};
use watchkeeper_space::AtomId;

/// Processes that formulas may quantify over.
const PROCESSES: usize = 3;

/// Names that need quotes, that look like words of the language, and that do not.
const ATOMS: [&str; 10] = [
    "leader",
    "a-b.c",
    "G",
    "all",
    "two words",
    "a \"quoted\" one",
    "back\\slash",
    "",
    "decided(p1)",
    "émile",
];

/// The atoms of a system with three processes.
struct Small(Vec<String>);

impl Small {
    fn new() -> Small {
        let mut names: Vec<String> = ATOMS.map(str::to_string).into();
        for i in 0..PROCESSES {
            names.push(format!("crashed(p{i})"));
            names.extend((0..PROCESSES).map(|j| format!("suspects(p{i},p{j})")));
        }
        Small(names)
    }
}

impl AtomNames for Small {
    fn atom(&self, name: &str) -> Option<AtomId> {
        self.0.iter().position(|known| known == name)
    }

    fn processes(&self) -> usize {
        PROCESSES
    }

    fn known(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// What is read prints as a formula that is read as the same; an error points into the text and is short.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let names = Small::new();
    match parse(text, &names) {
        Ok(formula) => prints_as_itself(&formula, &names),
        Err(error) => {
            assert!(error.at + error.len <= text.len(), "{error:?} in {} bytes", text.len());
            short(&error.to_string());
            short(&error.render(text));
        }
    }
}

fn prints_as_itself(formula: &Formula, names: &Small) {
    let shown = formula.text(&|atom| names.0[atom].clone());
    match parse(&shown, names) {
        Ok(again) => assert_eq!(&again, formula, "{shown}"),
        // Quantifiers are written out, so that what was short may be longer than a formula may be.
        Err(error) => assert!(
            error.message.contains("words and signs") || error.message.contains("nested"),
            "{shown:.1000}\n{error}"
        ),
    }
}
