//! The claims of the thesis about the timed detectors, examined one after the other: what it reports beside
//! what is found, and whether that is what was found before. A cell that a limit ended is unknown, and never
//! counts as right.

use super::cells::{TimedClaim, cells};
use super::{RingTimedCase, TimeoutGrowth};
use crate::ring::Crash;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Outcome, Verdict, ViolationKind};
use watchkeeper_report::{TextTable, duration, thousands};
use watchkeeper_world::Simultaneous;

/// The answer to one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimedAnswer {
    /// The claim is true of every state.
    Holds,
    /// The monitor never leaves its first location, so that it cannot fail: it says nothing.
    Vacuous,
    /// The claim is false after this many steps.
    Fails {
        /// The steps of the shortest run, ticks included.
        steps: usize,
    },
    /// There is a time-lock after this many steps: something is due that cannot be done.
    Timelock {
        /// The steps of the shortest run, ticks included.
        steps: usize,
    },
    /// A limit ended the search.
    Unknown,
}

impl TimedAnswer {
    /// In one or a few words.
    pub fn words(self) -> String {
        match self {
            TimedAnswer::Holds => "holds".to_string(),
            TimedAnswer::Vacuous => "holds, vacuously".to_string(),
            TimedAnswer::Fails { steps } => format!("fails after {steps} steps"),
            TimedAnswer::Timelock { steps } => format!("time-lock after {steps} steps"),
            TimedAnswer::Unknown => "unknown".to_string(),
        }
    }

    /// Whether the claim is true, vacuously or not; `None` if that is not known.
    pub const fn holds(self) -> Option<bool> {
        match self {
            TimedAnswer::Holds | TimedAnswer::Vacuous => Some(true),
            TimedAnswer::Fails { .. } | TimedAnswer::Timelock { .. } => Some(false),
            TimedAnswer::Unknown => None,
        }
    }

    fn of(verdict: &Verdict) -> TimedAnswer {
        match &verdict.outcome {
            Outcome::Holds(_) => TimedAnswer::Holds,
            Outcome::Unknown(_) => TimedAnswer::Unknown,
            Outcome::Violated(violation) => {
                let steps = violation.trace.steps.len();
                match violation.finding {
                    ViolationKind::Timelock => TimedAnswer::Timelock { steps },
                    ViolationKind::Safety | ViolationKind::Deadlock | ViolationKind::Liveness => {
                        TimedAnswer::Fails { steps }
                    }
                }
            }
        }
    }
}

/// What a search has found in a cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The cell.
    pub cell: TimedClaim,
    /// The answer; `None` if the cell is heavy and was not searched.
    pub answer: Option<TimedAnswer>,
    /// The states of the whole space, or those up to the failure.
    pub states: u64,
    /// The moment of the failure, in units of time.
    pub moment: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Finding {
    /// Whether this is not what was found before.
    pub fn changed(&self) -> bool {
        let before = (self.cell.expected, self.cell.states);
        self.answer.is_some_and(|answer| answer != TimedAnswer::Unknown && (answer, self.states) != before)
    }

    /// Beside the report of the thesis.
    fn compared(&self) -> &'static str {
        match self.answer {
            None => "not searched: heavy",
            Some(_) if self.changed() => "CHANGED",
            Some(TimedAnswer::Unknown) => "a limit ended the search",
            Some(TimedAnswer::Vacuous) => "says nothing",
            Some(answer) if answer.holds() == Some(self.cell.reported) => "as reported",
            Some(_) => "not as reported",
        }
    }
}

/// Searches one cell. How long it took is for the caller to say.
pub fn examine(
    cell: &TimedClaim,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Finding, ExploreError> {
    let space = cell.case.space();
    let verdict = check(&space, &cell.asked.question(&space), search, watch)?;
    let mut answer = TimedAnswer::of(&verdict);
    if answer == TimedAnswer::Holds && cell.asked.cannot_fail(&cell.case) {
        answer = TimedAnswer::Vacuous;
    } else if let (TimedAnswer::Holds, Some(question)) = (answer, cell.asked.vacuity(&space)) {
        match TimedAnswer::of(&check(&space, &question, search, watch)?) {
            TimedAnswer::Holds => answer = TimedAnswer::Vacuous,
            TimedAnswer::Unknown => answer = TimedAnswer::Unknown,
            _ => {}
        }
    }
    let moment = verdict.trace().and_then(|trace| trace.steps.last()).and_then(|step| step.at.clone());
    let states = verdict.stats.distinct_states;
    Ok(Finding { cell: *cell, answer: Some(answer), states, moment, seconds: 0.0 })
}

/// All cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// The cells, figure by figure.
    pub cells: Vec<Finding>,
}

impl Findings {
    /// Searches every cell; heavy ones only if `heavy`. `seconds` says how late it is.
    pub fn of(
        heavy: bool,
        search: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let mut found = Vec::new();
        for cell in cells() {
            if cell.heavy && !heavy {
                found.push(Finding { cell, answer: None, states: 0, moment: None, seconds: 0.0 });
                continue;
            }
            let began = seconds();
            let finding = examine(&cell, search, watch)?;
            found.push(Finding { seconds: seconds() - began, ..finding });
        }
        Ok(Findings { cells: found })
    }

    /// Whether a cell is not what was found before.
    pub fn changed(&self) -> bool {
        self.cells.iter().any(Finding::changed)
    }

    /// Whether a limit ended a search.
    pub fn open(&self) -> bool {
        self.cells.iter().any(|finding| finding.answer == Some(TimedAnswer::Unknown))
    }

    /// One line for each cell.
    pub fn table(&self) -> TextTable {
        let header = [
            "source", "claim", "variant", "maxDelta", "channels", "clock", "besides", "thesis", "found",
            "at time", "states", "time", "",
        ];
        let mut table = TextTable::new("Figures 6.13 to 6.16 of the thesis: reported, and found", &header);
        table.rows = self.cells.iter().map(row).collect();
        table.notes.push(self.summary());
        table.notes.extend(NOTES.iter().map(|note| note.to_string()));
        table
    }

    fn summary(&self) -> String {
        let count = |wanted: &dyn Fn(&Finding) -> bool| self.cells.iter().filter(|cell| wanted(cell)).count();
        let changed = count(&Finding::changed);
        let open = count(&|finding| finding.answer == Some(TimedAnswer::Unknown));
        let skipped = count(&|finding| finding.answer.is_none());
        let mut text = format!("cells: {}, ", self.cells.len());
        match (changed, open) {
            (0, 0) => text.push_str("all that were searched as found before"),
            (changed, open) => text.push_str(&format!("of them {changed} CHANGED, {open} not decided")),
        }
        if skipped > 0 {
            text.push_str(&format!(", {skipped} not searched because heavy"));
        }
        text
    }
}

fn row(finding: &Finding) -> Vec<String> {
    let TimedClaim { asked, case, reported, .. } = &finding.cell;
    let searched = finding.answer.is_some();
    vec![
        asked.source().to_string(),
        asked.claim().to_string(),
        case.variant().to_string(),
        case.max_delta().to_string(),
        format!("{} {}", case.order(), case.capacity()),
        case.clock().to_string(),
        besides(case),
        if *reported { "holds" } else { "fails" }.to_string(),
        finding.answer.map_or(String::new(), TimedAnswer::words),
        finding.moment.clone().unwrap_or_default(),
        if searched { thousands(finding.states) } else { String::new() },
        if searched { duration(finding.seconds) } else { String::new() },
        finding.compared().to_string(),
    ]
}

/// What a case has that the others do not.
fn besides(case: &RingTimedCase) -> String {
    let mut found = Vec::new();
    if case.growth() == TimeoutGrowth::PastMaxDelta {
        found.push("timeouts past-max-delta");
    }
    if case.crash() == Crash::AnyTime {
        found.push("p1 may crash");
    }
    if case.simultaneous() == Simultaneous::DeliveriesFirst {
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
