//! The tables computed again, cell by cell: which cells, the verdict of each in ticks and in zones, and whether that
//! is the printed one and the one that was verified before.

use super::{PAIRS, calls, environment, expected, printed};
use crate::table::{
    PublishedRow, PublishedTable, RowStatus, TableAnswer, TableCell, TableColumns, TableSearch,
};
use strum::VariantArray;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_space::{Space, Symmetries};
use watchkeeper_world::{TypedWorld, WorldTime};

/// How time passes in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum TimeDomain {
    /// One tick at a time.
    Ticks,
    /// Continuously, in zones.
    Dense,
}

/// Which cells, and how time passes in their searches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeartbeatSelection {
    /// The protocols.
    pub variants: Vec<HeartbeatVariant>,
    /// As published, corrected, or both.
    pub corrected: Vec<bool>,
    /// In ticks, in dense time, or both.
    pub domains: Vec<TimeDomain>,
    /// The number of participants of the protocols that can have several; without it 2 for the static one and
    /// 1 for the others.
    pub participants: Option<usize>,
}

impl Default for HeartbeatSelection {
    fn default() -> HeartbeatSelection {
        HeartbeatSelection {
            variants: HeartbeatVariant::ALL.to_vec(),
            corrected: vec![false, true],
            domains: TimeDomain::VARIANTS.to_vec(),
            participants: None,
        }
    }
}

impl HeartbeatSelection {
    fn participants_of(&self, variant: HeartbeatVariant) -> usize {
        match (self.participants, variant) {
            (Some(n), variant) if variant.takes_many() => n,
            (_, HeartbeatVariant::Static) => 2,
            _ => 1,
        }
    }

    /// The protocols of the selection.
    fn heartbeats(&self) -> Result<Vec<Heartbeat>, ExploreError> {
        let mut all = Vec::new();
        for (&corrected, &variant) in
            self.corrected.iter().flat_map(|form| self.variants.iter().map(move |variant| (form, variant)))
        {
            for (tmin, tmax) in PAIRS {
                let heartbeat = Heartbeat::new(variant, tmin, tmax, self.participants_of(variant))
                    .map_err(|why| ExploreError::Space(why.to_string()))?;
                all.push(if corrected { heartbeat.corrected() } else { heartbeat });
            }
        }
        Ok(all)
    }
}

/// Tables 3.1 and 3.2, as far as a selection goes.
pub fn table(
    selection: &HeartbeatSelection,
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedTable, ExploreError> {
    let found = selection.domains.iter().flat_map(|domain| match domain {
        TimeDomain::Ticks => ["ticks", "states", "time (ticks)"],
        TimeDomain::Dense => ["dense", "zones", "time (dense)"],
    });
    let columns = TableColumns {
        label: &["protocol", "n", "form", "tmin", "tmax", "requirement"],
        printed: &["thesis"],
        found: found.collect(),
        remark: "",
    };
    let as_before = match selection.domains.len() {
        1 => "as verified before",
        _ => "as verified before and alike in ticks and in zones",
    };
    let title = "Tables 3.1 and 3.2 of the thesis: printed, and found";
    let mut table = PublishedTable::new(title, columns, as_before, &NOTES);
    for heartbeat in selection.heartbeats()? {
        for requirement in HeartbeatRequirement::ALL {
            table.rows.push(row(heartbeat, requirement, &selection.domains, search)?);
        }
    }
    Ok(table)
}

fn row(
    heartbeat: Heartbeat,
    requirement: HeartbeatRequirement,
    domains: &[TimeDomain],
    search: &TableSearch<'_, impl ProgressCallback>,
) -> Result<PublishedRow, ExploreError> {
    let (mut found, mut answers) = (Vec::new(), Vec::new());
    for &domain in domains {
        let (verdict, seconds) =
            search.timed(|search, watch| verdict(heartbeat, requirement, domain, search, watch))?;
        let answer = TableAnswer::of(&verdict);
        let text = match answer {
            TableAnswer::Fails { steps } => format!("F after {steps} steps"),
            answer => letter(answer.holds(), "?").to_string(),
        };
        found.extend([TableCell::Text(text), TableCell::Count(verdict.stats.distinct_states), seconds]);
        answers.push(answer);
    }
    let (variant, pair) = (heartbeat.variant(), (heartbeat.tmin(), heartbeat.tmax()));
    let corrected = heartbeat.is_corrected();
    let form = if corrected { "corrected" } else { "original" };
    let (status, remark) = compared(&answers, expected(variant, requirement, pair, corrected));
    Ok(PublishedRow {
        label: TableCell::texts([&variant, &heartbeat.participants(), &form, &pair.0, &pair.1, &requirement]),
        printed: vec![letter(printed(variant, requirement, pair, corrected), "not reported").into()],
        found,
        status,
        remark,
    })
}

/// Holds the answers in all time domains against each other and against the one that was verified before.
pub(super) fn compared(answers: &[TableAnswer], expected: Option<bool>) -> (RowStatus, String) {
    let decided: Vec<bool> = answers.iter().filter_map(|answer| answer.holds()).collect();
    if decided.windows(2).any(|pair| pair[0] != pair[1]) {
        return (RowStatus::Changed, "TICKS AND ZONES DIFFER".to_string());
    }
    match decided.iter().find(|found| Some(**found) != expected) {
        Some(found) => {
            let before = letter(Some(!found), "?");
            (RowStatus::Changed, format!("CHANGED: {before} was verified before"))
        }
        None if decided.len() < answers.len() => (RowStatus::Open, String::new()),
        None => (RowStatus::AsExpected, String::new()),
    }
}

/// A verdict as the thesis writes it.
pub(super) fn letter(holds: Option<bool>, none: &'static str) -> &'static str {
    match holds {
        Some(true) => "T",
        Some(false) => "F",
        None => none,
    }
}

/// One search.
fn verdict(
    heartbeat: Heartbeat,
    requirement: HeartbeatRequirement,
    domain: TimeDomain,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Verdict, ExploreError> {
    let broken = |why: watchkeeper_world::WorldError| ExploreError::Space(why.to_string());
    let mut scenario = environment(&heartbeat);
    if let (TimeDomain::Ticks, Some(timing)) = (domain, scenario.time.timing()) {
        scenario.time = WorldTime::Ticks(timing);
    }
    let mut world = TypedWorld::new(heartbeat, scenario).map_err(broken)?;
    let asked = calls(&heartbeat);
    if !asked.is_empty() {
        world = world.with_calls(asked).map_err(broken)?;
    }
    let world = world.observed_by(HeartbeatObserver::new(requirement, &heartbeat)).map_err(broken)?;
    let then = world.shape().atom(requirement.name());
    let then = then.ok_or_else(|| ExploreError::Space(format!("nobody observes {requirement}")))?;
    let invariant = Invariant { name: requirement.to_string(), when: None, then };
    let question = Question { invariants: vec![invariant], ..Question::default() };
    let symmetry = heartbeat.participants() > 1 && world.symmetries() > 1;
    check(&*world, &question, &Search { symmetry: symmetry.into(), ..search.clone() }, watch)
}

const NOTES: [&str; 4] = [
    "T: the requirement holds. F: it fails; the thesis shows figures 3.11 to 3.14. States and zones are those \
     of the whole search, or those up to the failure.",
    "R2 is about the participants and R3 about p0, as in the text of the thesis; its formulas in section 3.5.3 \
     have the two the other way round.",
    "two-phase: the thesis reports nothing for R1 and R3, because the end of p0 is open in its source. Here p0 \
     ends where the binary protocol does, and what is found has been measured with that end.",
    "corrected: section 3.6 of the thesis says that no requirement fails any more. Ticks know whole moments \
     only; where due deliveries come first, dense time is the authority.",
];
