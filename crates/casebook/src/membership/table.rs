//! Chapter 5 computed again: the answer of each instance, beside the report of the thesis, and whether it is the one
//! that must come out.

use super::{MembershipCase, MembershipInstance, MembershipPart, MembershipSearch, instances, published};
use crate::table::{PublishedRow, PublishedTable, TableAnswer, TableCell, TableColumns, TableSearch};
use watchkeeper_core::ProcSet;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{Limit, Outcome, Verdict};
use watchkeeper_world::{Oracle, OracleAccuracy, SuspicionMemory};

/// Asks every question of some parts.
pub fn table(
    parts: &[MembershipPart],
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let mut table = empty();
    for instance in parts.iter().flat_map(|part| instances(*part)) {
        let (verdict, seconds) = search.timed(|limits, watch| instance.verdict(limits, watch))?;
        table.rows.push(instance.row(&verdict, seconds));
    }
    Ok(table)
}

pub(super) fn empty() -> PublishedTable {
    let label =
        &["protocol", "configurations", "may crash", "words by", "detector", "reductions", "requirement"];
    let found = vec!["found", "states", "transitions", "time"];
    let columns = TableColumns { label, printed: &["thesis"], found, remark: "" };
    let title = "Chapter 5 of the thesis: group membership on causal multicast";
    PublishedTable::new(title, columns, "as they must be", &NOTES)
}

impl MembershipInstance {
    /// Searches the instance, within some limits.
    pub fn verdict(&self, limits: &Search, watch: &impl ProgressCallback) -> Result<Verdict, ExploreError> {
        self.case.asked(self.requirement, &self.way.search(limits), watch)
    }

    /// The answer of a verdict. The depth that the instance asks for is no limit.
    pub(super) fn answer(&self, verdict: &Verdict) -> TableAnswer {
        match &verdict.outcome {
            Outcome::Unknown(Limit::Depth(bound)) if Some(*bound) == self.way.depth => {
                TableAnswer::HoldsWithin { bound: *bound, unit: "steps" }
            }
            _ => TableAnswer::of(verdict),
        }
    }

    /// The row of a verdict.
    pub(super) fn row(&self, verdict: &Verdict, seconds: TableCell) -> PublishedRow {
        let MembershipInstance { case, requirement, .. } = self;
        let (answer, stats) = (self.answer(verdict), &verdict.stats);
        let accuracy = OracleAccuracy::Strong { mistakes: case.mistakes };
        let configurations: Vec<String> = case.cliques.iter().map(ProcSet::to_string).collect();
        PublishedRow {
            label: TableCell::texts([
                &protocol(case),
                &configurations.join(" "),
                &crashing(case),
                &speaking(case),
                &Oracle { accuracy, memory: SuspicionMemory::Lasting },
                &self.reductions(),
                requirement,
            ]),
            printed: vec![TableCell::Text(self.published().unwrap_or_default())],
            found: vec![
                TableCell::Answer(answer),
                TableCell::Count(stats.distinct_states),
                TableCell::Count(stats.transitions),
                seconds,
            ],
            status: self.expected.status(answer),
            remark: String::new(),
        }
    }

    /// The report of the thesis. Its models keep everything and its searches leave nothing out, so one answer with the
    /// strongest reduction stands beside it.
    fn published(&self) -> Option<String> {
        let MembershipInstance { case, requirement, way, .. } = self;
        published(case, *requirement).filter(|_| *way == MembershipSearch::of(*requirement))
    }
}

fn protocol(case: &MembershipCase) -> String {
    let name = if case.joins { "join" } else { "faults" };
    match case.flaw {
        Some(flaw) => format!("{name}, {flaw}"),
        None => name.to_string(),
    }
}

fn crashing(case: &MembershipCase) -> String {
    match (case.crashes, case.crashable.len()) {
        (0, _) | (_, 0) => "nobody".to_string(),
        (crashes, able) if crashes as usize >= able => case.crashable.to_string(),
        (crashes, _) => format!("{crashes} of {}", case.crashable),
    }
}

fn speaking(case: &MembershipCase) -> String {
    match (case.words, case.speakers.len()) {
        (0, _) | (_, 0) => "nobody".to_string(),
        (1, _) => case.speakers.to_string(),
        (words, _) => format!("{}, {words} each", case.speakers),
    }
}

const NOTES: [&str; 5] = [
    "thesis: section 5.5.3, both requirements at once, with mCRL2 on one core of a Q9400 and 3 GB. The faults protocol \
     was exhausted; the join protocol was not, in a few days.",
    "consensus: section 5.5.1, of members that are not in a protocol. synchrony: section 5.5.2. causality, no-duplication \
     and insiders are about single words. merging and delivery are asked of states in which nothing is on its way to \
     anyone alive and everyone knows who has crashed.",
    "reductions: garbage, messages that are done with are forgotten, and the order in which they came; canonical, so is \
     all else that makes no difference any more; order, of steps that do not concern each other one order does; \
     symmetry, renamings of each other count once. A run that is found with order need not be the shortest.",
    "detector: P suspects whoever has crashed at some time, and nobody else but for its mistakes, which end. Channels lose \
     nothing and keep the order of their sender.",
    "A process that was put out by mistake does not know it yet, so that consensus as the thesis defines it fails on a \
     detector that errs.",
];
