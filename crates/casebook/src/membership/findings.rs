//! Chapter 5 computed again: what is found of each instance, beside what the thesis reports, and whether that is what
//! must come out. A search that a limit ended is unknown, and never counts as right where an end was asked for.

use super::{
    MembershipCase, MembershipInstance, MembershipPart, MembershipSearch, Must, Published, instances,
    published,
};
use watchkeeper_core::ProcSet;
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{Limit, Outcome, Verdict};
use watchkeeper_report::{Chart, TextTable, duration, thousands};
use watchkeeper_space::Trace;
use watchkeeper_world::{Oracle, OracleAccuracy, SuspicionMemory};

/// What to compute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The parts.
    pub parts: Vec<MembershipPart>,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice { parts: MembershipPart::USUAL.to_vec() }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What was asked.
    pub instance: MembershipInstance,
    /// Whether it holds; `None` if a limit ended the search.
    pub holds: Option<bool>,
    /// Whether that limit was the depth that the instance asks for.
    pub within_depth: bool,
    /// The distinct states.
    pub states: u64,
    /// The steps between them.
    pub transitions: u64,
    /// A run that shows the failure.
    pub trace: Option<Trace>,
    /// How long it took.
    pub seconds: f64,
}

impl Finding {
    /// Asks one thing. `seconds` says how late it is.
    pub fn of(
        instance: MembershipInstance,
        limits: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Finding, ExploreError> {
        let began = seconds();
        let verdict = instance.case.asked(instance.requirement, &instance.way.search(limits), watch)?;
        Ok(Finding::told(instance, &verdict, seconds() - began))
    }

    fn told(instance: MembershipInstance, verdict: &Verdict, seconds: f64) -> Finding {
        let (holds, within_depth) = match &verdict.outcome {
            Outcome::Holds(_) => (Some(true), false),
            Outcome::Violated(_) => (Some(false), false),
            Outcome::Unknown(limit) => {
                (None, matches!(limit, Limit::Depth(depth) if Some(*depth) == instance.way.depth))
            }
        };
        Finding {
            instance,
            holds,
            within_depth,
            states: verdict.stats.distinct_states,
            transitions: verdict.stats.transitions,
            trace: verdict.trace().cloned(),
            seconds,
        }
    }

    /// What is wrong with it, if something is.
    pub fn trouble(&self) -> Option<String> {
        let right = match self.instance.must {
            Must::Hold | Must::StayOpen => self.holds != Some(false),
            Must::Fail => self.holds != Some(true),
        };
        (!right).then(|| "CHANGED".to_string())
    }

    /// Whether a limit ended the search before its end.
    pub fn is_open(&self) -> bool {
        self.holds.is_none() && !(self.instance.must == Must::StayOpen && self.within_depth)
    }

    /// The run that shows the failure, as a message sequence chart.
    pub fn chart(&self) -> Option<Chart> {
        self.trace.as_ref().map(Chart::of)
    }

    /// What the thesis reports of it. Its models keep everything and its searches leave nothing out, so one answer in
    /// the fastest way stands beside it.
    pub fn published(&self) -> Option<Published> {
        let MembershipInstance { case, requirement, way, .. } = &self.instance;
        published(case, *requirement).filter(|_| *way == MembershipSearch::of(*requirement))
    }
}

/// All that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// In the order of asking.
    pub found: Vec<Finding>,
}

impl Findings {
    /// Asks everything of a choice. `seconds` says how late it is.
    pub fn of(
        choice: &Choice,
        limits: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let asked = choice.parts.iter().flat_map(|part| instances(*part));
        let found = asked.map(|instance| Finding::of(instance, limits, watch, seconds));
        Ok(Findings { found: found.collect::<Result<Vec<Finding>, ExploreError>>()? })
    }

    /// Whether something is not as it must be.
    pub fn changed(&self) -> bool {
        self.found.iter().any(|finding| finding.trouble().is_some())
    }

    /// Whether a limit ended a search that should have come to its end.
    pub fn open(&self) -> bool {
        self.found.iter().any(Finding::is_open)
    }

    /// One line for each.
    pub fn table(&self) -> TextTable {
        let header = [
            "protocol",
            "configurations",
            "may crash",
            "words by",
            "detector",
            "reductions",
            "requirement",
            "thesis",
            "found",
            "states",
            "transitions",
            "time",
            "",
        ];
        let mut table =
            TextTable::new("Chapter 5 of the thesis: group membership on causal multicast", &header);
        table.rows = self.found.iter().map(row).collect();
        table.notes.push(self.summary());
        table.notes.extend(NOTES.iter().map(|note| note.to_string()));
        table
    }

    fn summary(&self) -> String {
        let changed = self.found.iter().filter(|finding| finding.trouble().is_some()).count();
        let open = self.found.iter().filter(|finding| finding.is_open()).count();
        let total: f64 = self.found.iter().map(|finding| finding.seconds).sum();
        let count = self.found.len();
        match (changed, open) {
            (0, 0) => format!("{count} answers in {}, all as they must be", duration(total)),
            (0, open) => format!("{count} answers in {}, {open} of them not decided", duration(total)),
            (changed, open) => format!("{count} answers, {changed} of them CHANGED, {open} not decided"),
        }
    }
}

fn row(finding: &Finding) -> Vec<String> {
    let MembershipInstance { case, requirement, way, .. } = &finding.instance;
    let accuracy = OracleAccuracy::Strong { mistakes: case.mistakes };
    let found = match (finding.holds, &finding.trace) {
        (Some(true), _) => "holds".to_string(),
        (None, _) if finding.within_depth => {
            format!("nothing wrong to depth {}", way.depth.unwrap_or_default())
        }
        (None, _) => "unknown".to_string(),
        (Some(false), None) => "FAILS".to_string(),
        (Some(false), Some(trace)) => format!("FAILS after {} steps", trace.steps.len()),
    };
    vec![
        protocol(case),
        case.cliques.iter().map(ProcSet::to_string).collect::<Vec<String>>().join(" "),
        crashing(case),
        speaking(case),
        Oracle { accuracy, memory: SuspicionMemory::Lasting }.to_string(),
        finding.instance.reductions(),
        requirement.to_string(),
        finding.published().map_or(String::new(), |published| published.to_string()),
        found,
        thousands(finding.states),
        thousands(finding.transitions),
        duration(finding.seconds),
        finding.trouble().unwrap_or_default(),
    ]
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
