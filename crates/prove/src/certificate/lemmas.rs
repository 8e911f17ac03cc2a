//! Lemmas in a file: questions with their own unknowns, each of which must be unsatisfiable. Their author claims
//! what they show together; the file does not prove that claim.

use super::definitions::quoted;
use super::formula::name_of;
use super::questions::write_query;
use crate::smtlib::SmtWriter;
use crate::{Obligation, System, TermSort};

/// One question. What is asserted last is the opposite of what is to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lemma {
    pub(super) name: String,
    pub(super) dense: bool,
    pub(super) unknowns: Vec<(String, TermSort)>,
    pub(super) asserted: Vec<String>,
}

impl Lemma {
    pub(super) fn of(system: &System, obligation: &Obligation) -> Lemma {
        let script = SmtWriter::of(system);
        let query = &obligation.query;
        let draws = query.draws.iter().map(|draw| script.draw(draw));
        let asserted = query.asserted.iter().map(|term| script.term(term));
        let unknowns: Vec<(String, TermSort)> =
            query.unknowns.iter().map(|(name, sort)| (name_of(name), *sort)).collect();
        Lemma {
            name: super::one_line(&obligation.name),
            // A file shows it by the sorts of its unknowns.
            dense: system.dense && unknowns.iter().any(|(_, sort)| *sort == TermSort::Number),
            unknowns,
            asserted: draws.chain(asserted).collect(),
        }
    }

    /// The declarations.
    pub(super) fn declarations(&self) -> Vec<String> {
        let sorts = SmtWriter { dense: self.dense };
        let declared = |(name, sort): &(String, TermSort)| {
            format!("(declare-const {} {})", quoted(name), sorts.sort(*sort))
        };
        self.unknowns.iter().map(declared).collect()
    }

    pub(super) fn write(&self, out: &mut String) {
        write_query(&self.declarations(), &self.asserted, &self.name, out);
    }
}
