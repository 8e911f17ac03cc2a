//! The claims of the thesis about the timed detectors, examined one after the other: the answer that it reports beside
//! the answer of a search, and whether that is the one that was found before.

use super::cells::{TimedClaim, cells};
use super::{DeltaGrowth, RingTimedCase};
use crate::ring::Crash;
use crate::table::{
    PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableColumns, TableSearch,
};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::Verdict;
use watchkeeper_world::Simultaneous;

/// All claims; heavy ones are searched only if `heavy`.
pub fn table(
    heavy: bool,
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let mut table = empty();
    for claim in cells() {
        table.rows.push(if claim.heavy && !heavy { claim.unsearched() } else { claim.row(search)? });
    }
    Ok(table)
}

pub(super) fn empty() -> PublishedTable {
    let columns = TableColumns {
        label: &["source", "claim", "variant", "maxDelta", "channels", "clock", "besides"],
        printed: &["thesis"],
        found: vec!["found", "at time", "states", "time"],
        remark: "",
    };
    let title = "Figures 6.13 to 6.16 of the thesis: reported, and found";
    PublishedTable::new(title, columns, "as found before", &NOTES)
}

impl TimedClaim {
    /// The answer to the claim, with the verdict that shows it.
    fn examine(
        &self,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<(TableAnswer, Verdict), ExploreError> {
        let space = self.case.space();
        let verdict = check(&space, &self.asked.question(&space), search, watch)?;
        let mut answer = TableAnswer::of(&verdict);
        if answer == TableAnswer::Holds && self.asked.cannot_fail(&self.case) {
            answer = TableAnswer::Vacuous;
        } else if let (TableAnswer::Holds, Some(question)) = (answer, self.asked.vacuity(&space)) {
            match TableAnswer::of(&check(&space, &question, search, watch)?) {
                TableAnswer::Holds => answer = TableAnswer::Vacuous,
                TableAnswer::Unknown => answer = TableAnswer::Unknown,
                _ => {}
            }
        }
        Ok((answer, verdict))
    }

    /// The row of a search.
    pub(super) fn row(
        &self,
        search: &TableSearch<'_, impl ProgressCallback>,
    ) -> Result<PublishedRow, ExploreError> {
        let ((answer, verdict), seconds) = search.timed(|search, watch| self.examine(search, watch))?;
        let states = verdict.stats.distinct_states;
        let last = verdict.trace().and_then(|trace| trace.steps.last());
        let moment = last.and_then(|step| step.at.as_deref()).unwrap_or_default();
        let status = RowStatus::of(answer, (answer, states) == (self.expected, self.states));
        let remark = match status {
            RowStatus::AsExpected if answer == TableAnswer::Vacuous => "says nothing",
            RowStatus::AsExpected if answer.holds() == Some(self.reported) => "as reported",
            RowStatus::AsExpected => "not as reported",
            _ => "",
        };
        let found = vec![TableCell::Answer(answer), moment.into(), TableCell::Count(states), seconds];
        Ok(PublishedRow { found, status, remark: remark.to_string(), ..self.unsearched() })
    }

    /// The row without a search.
    pub(super) fn unsearched(&self) -> PublishedRow {
        let TimedClaim { asked, case, reported, .. } = self;
        let channels = format!("{} {}", case.order, case.capacity());
        let label = TableCell::texts([
            &asked.source(),
            &asked.claim(),
            &case.variant,
            &case.max_delta(),
            &channels,
            &case.clock,
            &besides(case),
        ]);
        let printed = vec![if *reported { "holds" } else { "fails" }.into()];
        PublishedRow { label, printed, ..PublishedRow::default() }
    }
}

/// What a case has that the others do not.
fn besides(case: &RingTimedCase) -> String {
    let mut found = Vec::new();
    if case.growth == DeltaGrowth::PastMaxDelta {
        found.push("timeouts past-max-delta");
    }
    if case.crash == Crash::AnyTime {
        found.push("p1 may crash");
    }
    if case.simultaneous == Simultaneous::DeliveriesFirst {
        found.push("deliveries-first");
    }
    found.join(", ")
}

const NOTES: [&str; 7] = [
    "Unless something else is said, p1 has crashed before the first step, timeouts grow to maxDelta and what \
     falls on the same moment comes in any order. Channels: the order, and the room in a channel. Steps include \
     ticks; states are those of the whole space, or those up to the failure.",
    "clock: a message must be taken, handled and answered before waiting[p][q] passes maxDelta. every-resend: the \
     clock is set back whenever p asks q again, as figure 6.9 is drawn. oldest-unanswered: each question and its \
     answer have a clock of their own.",
    "figure 6.13: the block is a time-lock, not a deadlock in which time goes on: Task2 of each process holds its \
     mutex and must be done before maxDelta, and cannot. UPPAAL calls both a deadlock, and sees it as soon as \
     nothing but time is left to pass.",
    "figure 6.13 in queues: the thesis says that FIFO removes it. With the clock as drawn it does not, whatever the \
     room from 1 to 4. With the other reading it does, if there is room for what can be unanswered at a time: a \
     late answer counts for a newer question, so a process may ask again while a question of its own is still \
     under way, and room for one message is too little.",
    "figure 6.14: the timeout reaches maxDelta on the same edge on which the suspicion begins, so the monitor as \
     drawn fails at the first opportunity. A suspicion that begins later needs an answer and a timeout that fall \
     on the same moment; with due deliveries first there is none.",
    "figure 6.15: with growth up to maxDelta, as beside figure 6.9, no timeout can be above it, and the monitor \
     cannot fail. Without that guard, as section 6.3.3 prints it, it fails where an answer and a timeout fall on \
     the same moment, and holds with due deliveries first.",
    "figure 6.16: a timeout for p1 grows, and p1 enters G, only while p1 has not crashed, because a target that \
     has crashed leaves `delay` by an edge of its own. With p1 dead from the start the first edge of the monitor is \
     never possible, and p1 is never in G at all. If p1 may crash later, the monitor fails at the crash itself.",
];
