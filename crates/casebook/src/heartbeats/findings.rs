//! The tables computed again, cell by cell: which cells, what is found in each, and whether that is what was
//! printed and what was verified before. A cell that a limit ended is unknown, and never counts as right.

use super::{PAIRS, Printed, calls, expected, printed, surroundings};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Invariant, Outcome, Question};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatRequirement, HeartbeatVariant,
};
use watchkeeper_report::{TextTable, duration, thousands};
use watchkeeper_space::{Space, Symmetries};
use watchkeeper_world::{Time, TypedWorld};

/// How time passes in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeDomain {
    /// One tick at a time.
    Ticks,
    /// Continuously, in zones.
    Dense,
}

impl TimeDomain {
    /// Both.
    pub const BOTH: [TimeDomain; 2] = [TimeDomain::Ticks, TimeDomain::Dense];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            TimeDomain::Ticks => "ticks",
            TimeDomain::Dense => "dense",
        }
    }
}

/// Which cells, and in which models of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The protocols.
    pub variants: Vec<HeartbeatVariant>,
    /// As published, corrected, or both.
    pub corrected: Vec<bool>,
    /// The models of time.
    pub models: Vec<TimeDomain>,
    /// The number of participants of the protocols that can have several; without it 2 for the static one and
    /// 1 for the others.
    pub participants: Option<usize>,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            variants: HeartbeatVariant::ALL.to_vec(),
            corrected: vec![false, true],
            models: TimeDomain::BOTH.to_vec(),
            participants: None,
        }
    }
}

impl Choice {
    /// How many participants a protocol has.
    pub fn participants_of(&self, variant: HeartbeatVariant) -> usize {
        match (self.participants, variant) {
            (Some(n), variant) if variant.takes_many() => n,
            (_, HeartbeatVariant::Static) => 2,
            _ => 1,
        }
    }
}

/// What one search has found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Whether the requirement holds; `None` if a limit ended the search.
    pub holds: Option<bool>,
    /// The states or zones that it kept.
    pub states: u64,
    /// The steps of the shortest run that shows a failure.
    pub steps: Option<usize>,
    /// How long it took.
    pub seconds: f64,
}

/// One cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The protocol.
    pub heartbeat: Heartbeat,
    /// The requirement.
    pub requirement: HeartbeatRequirement,
    /// What was found, for each model of the choice.
    pub found: Vec<(TimeDomain, Measured)>,
}

impl Finding {
    fn pair(&self) -> (u32, u32) {
        (self.heartbeat.tmin(), self.heartbeat.tmax())
    }

    /// What the thesis says of it.
    pub fn printed(&self) -> Printed {
        printed(self.heartbeat.variant(), self.requirement, self.pair(), self.heartbeat.is_corrected())
    }

    /// What is wrong with it, if something is.
    pub fn trouble(&self) -> Option<String> {
        let expected =
            expected(self.heartbeat.variant(), self.requirement, self.pair(), self.heartbeat.is_corrected());
        let answers: Vec<bool> = self.found.iter().filter_map(|(_, measured)| measured.holds).collect();
        if answers.windows(2).any(|pair| pair[0] != pair[1]) {
            return Some("TICKS AND ZONES DIFFER".to_string());
        }
        let changed = answers.iter().find(|found| Some(**found) != expected)?;
        Some(format!("CHANGED: {} was verified before", letter(Some(!changed))))
    }

    fn is_open(&self) -> bool {
        self.found.iter().any(|(_, measured)| measured.holds.is_none())
    }
}

/// All cells of a choice.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    models: Vec<TimeDomain>,
    /// The cells, protocol by protocol.
    pub cells: Vec<Finding>,
}

impl Findings {
    /// Searches every cell of a choice. `seconds` says how late it is.
    pub fn of(
        choice: &Choice,
        search: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let mut cells = Vec::new();
        for (&corrected, &variant) in choice
            .corrected
            .iter()
            .flat_map(|form| choice.variants.iter().map(move |variant| (form, variant)))
        {
            for (tmin, tmax) in PAIRS {
                let heartbeat = Heartbeat::new(variant, tmin, tmax, choice.participants_of(variant))
                    .map_err(|why| ExploreError::Space(why.to_string()))?;
                let heartbeat = if corrected { heartbeat.corrected() } else { heartbeat };
                for requirement in HeartbeatRequirement::ALL {
                    let measure = |model: TimeDomain| {
                        let began = seconds();
                        let mut measured = measured(heartbeat, requirement, model, search, watch)?;
                        measured.seconds = seconds() - began;
                        Ok((model, measured))
                    };
                    let found: Result<Vec<_>, ExploreError> =
                        choice.models.iter().map(|model| measure(*model)).collect();
                    cells.push(Finding { heartbeat, requirement, found: found? });
                }
            }
        }
        Ok(Findings { models: choice.models.clone(), cells })
    }

    /// Whether a cell is not what was verified before, or the models of time differ in one.
    pub fn changed(&self) -> bool {
        self.cells.iter().any(|cell| cell.trouble().is_some())
    }

    /// Whether a limit ended a search.
    pub fn open(&self) -> bool {
        self.cells.iter().any(Finding::is_open)
    }

    /// One line for each cell.
    pub fn table(&self) -> TextTable {
        let mut header = vec!["protocol", "n", "form", "tmin", "tmax", "requirement", "thesis"];
        for model in &self.models {
            header.extend(match model {
                TimeDomain::Ticks => ["ticks", "states", "time (ticks)"],
                TimeDomain::Dense => ["dense", "zones", "time (dense)"],
            });
        }
        header.push("");
        let mut table = TextTable::new("Tables 3.1 and 3.2 of the thesis: printed, and found", &header);
        table.rows = self.cells.iter().map(row).collect();
        table.notes.push(self.summary());
        table.notes.extend(NOTES.iter().map(|note| note.to_string()));
        table
    }

    fn summary(&self) -> String {
        let troubled = self.cells.iter().filter(|cell| cell.trouble().is_some()).count();
        let open = self.cells.iter().filter(|cell| cell.is_open()).count();
        let mut text = format!("{} cells", self.cells.len());
        match (troubled, open) {
            (0, 0) if self.models.len() > 1 => {
                text.push_str(", all as verified before and alike in ticks and in zones")
            }
            (0, 0) => text.push_str(", all as verified before"),
            (0, open) => text.push_str(&format!(", {open} of them not decided")),
            (troubled, open) => text.push_str(&format!(", {troubled} of them CHANGED, {open} not decided")),
        }
        text
    }
}

fn row(cell: &Finding) -> Vec<String> {
    let heartbeat = &cell.heartbeat;
    let form = if heartbeat.is_corrected() { "corrected" } else { "original" };
    let mut cells = vec![
        heartbeat.variant().to_string(),
        heartbeat.participants().to_string(),
        form.to_string(),
        heartbeat.tmin().to_string(),
        heartbeat.tmax().to_string(),
        cell.requirement.to_string(),
        cell.printed().letter().to_string(),
    ];
    for (_, measured) in &cell.found {
        let steps = measured.steps.map_or(String::new(), |steps| format!(" after {steps} steps"));
        cells.push(format!("{}{steps}", letter(measured.holds)));
        cells.push(thousands(measured.states));
        cells.push(duration(measured.seconds));
    }
    cells.push(cell.trouble().unwrap_or_default());
    cells
}

fn letter(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "T",
        Some(false) => "F",
        None => "?",
    }
}

/// One search. How long it took is for the caller to say.
fn measured(
    heartbeat: Heartbeat,
    requirement: HeartbeatRequirement,
    model: TimeDomain,
    search: &Search,
    watch: &impl ProgressCallback,
) -> Result<Measured, ExploreError> {
    let broken = |why: watchkeeper_world::WorldError| ExploreError::Space(why.to_string());
    let mut scenario = surroundings(&heartbeat);
    if let (TimeDomain::Ticks, Some(timing)) = (model, scenario.time.timing()) {
        scenario.time = Time::Ticks(timing);
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
    let verdict = check(&*world, &question, &Search { symmetry: symmetry.into(), ..search.clone() }, watch)?;
    let holds = match &verdict.outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Violated(_) => Some(false),
        Outcome::Unknown(_) => None,
    };
    let steps = verdict.trace().map(|trace| trace.steps.len());
    Ok(Measured { holds, states: verdict.stats.distinct_states, steps, seconds: 0.0 })
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
