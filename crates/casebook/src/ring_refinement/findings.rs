//! All claims, compared one after the other: what was found before beside what is found now. A claim that a limit
//! ended is unknown, and never counts as right.

use super::claims::{RefinementAnswer, RefinementClaim, claims};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search};
use watchkeeper_logic::{Outcome, Refinement};
use watchkeeper_report::{TextTable, duration, thousands};

/// What a comparison has found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: RefinementClaim,
    /// The answer; `None` if the claim is heavy and was left out.
    pub found: Option<Refinement>,
    /// How long it took.
    pub seconds: f64,
}

impl Finding {
    /// The answer in short; `None` if there is none.
    pub fn answer(&self) -> Option<RefinementAnswer> {
        match &self.found.as_ref()?.verdict.outcome {
            Outcome::Holds(_) => Some(RefinementAnswer::Holds),
            Outcome::Violated(violation) => {
                Some(RefinementAnswer::Fails { steps: violation.trace.steps.len() })
            }
            Outcome::Unknown(_) => None,
        }
    }

    /// Whether this is not what was found before.
    pub fn changed(&self) -> bool {
        self.answer().is_some_and(|answer| answer != self.claim.expected)
    }

    /// Whether a limit ended the comparison.
    pub fn open(&self) -> bool {
        self.found.is_some() && self.answer().is_none()
    }
}

/// All claims.
#[derive(Clone, Debug)]
pub struct Findings {
    /// One after the other.
    pub claims: Vec<Finding>,
}

impl Findings {
    /// Compares everything; what is heavy only if `heavy`. `seconds` says how late it is.
    pub fn of(
        heavy: bool,
        search: &Search,
        watch: &impl ProgressCallback,
        seconds: &dyn Fn() -> f64,
    ) -> Result<Findings, ExploreError> {
        let mut found = Vec::new();
        for claim in claims() {
            let began = seconds();
            let left_out = claim.heavy && !heavy;
            let refinement = if left_out { None } else { Some(claim.compare(search, watch)?) };
            found.push(Finding { claim, found: refinement, seconds: seconds() - began });
        }
        Ok(Findings { claims: found })
    }

    /// Whether a claim is not answered as before.
    pub fn changed(&self) -> bool {
        self.claims.iter().any(Finding::changed)
    }

    /// Whether a limit ended a comparison.
    pub fn open(&self) -> bool {
        self.claims.iter().any(Finding::open)
    }

    /// One line for each claim.
    pub fn table(&self) -> TextTable {
        let header = [
            "claim",
            "implementation",
            "specification",
            "crash of p1",
            "compared",
            "way",
            "found",
            "states",
            "states of the specification",
            "sets",
            "pairs",
            "time",
            "",
        ];
        let mut table = TextTable::new("Refinement over suspect, stop-suspect and crash", &header);
        table.rows = self.claims.iter().map(row).collect();
        table.notes.push(self.summary());
        for finding in &self.claims {
            let violation = finding.found.as_ref().and_then(|found| found.violation.as_ref());
            if let Some(violation) = violation {
                table.notes.push(format!("{}: after {}: {violation}.", finding.claim.name, violation.seen()));
            }
        }
        table.notes.extend(NOTES.iter().map(|note| note.to_string()));
        table
    }

    fn summary(&self) -> String {
        let count =
            |wanted: &dyn Fn(&Finding) -> bool| self.claims.iter().filter(|claim| wanted(claim)).count();
        let (changed, open) = (count(&Finding::changed), count(&Finding::open));
        let left_out = count(&|finding| finding.found.is_none());
        let mut text = format!("claims: {}, ", self.claims.len());
        match (changed, open) {
            (0, 0) => text.push_str("all that were compared as found before"),
            (changed, open) => text.push_str(&format!("of them {changed} CHANGED, {open} not decided")),
        }
        if left_out > 0 {
            text.push_str(&format!(", {left_out} left out because heavy"));
        }
        text
    }
}

fn row(finding: &Finding) -> Vec<String> {
    let RefinementClaim { name, pairing, semantics, .. } = &finding.claim;
    let [implementation, specification] = pairing.names();
    let mut row = vec![
        name.to_string(),
        implementation,
        specification,
        pairing.crash().to_string(),
        semantics.to_string(),
        pairing.way().to_string(),
    ];
    let Some(found) = &finding.found else {
        row.extend(["", "", "", "", "", ""].map(str::to_string));
        row.push("left out: heavy".to_string());
        return row;
    };
    let sizes = &found.sizes;
    row.push(finding.answer().map_or("unknown".to_string(), |answer| answer.to_string()));
    row.extend([sizes.implementation, sizes.specification, sizes.sets, sizes.pairs].map(thousands));
    row.push(duration(finding.seconds));
    row.push(match (finding.open(), finding.changed()) {
        (true, _) => "a limit ended it".to_string(),
        (_, true) => "CHANGED".to_string(),
        _ => String::new(),
    });
    row
}

const NOTES: [&str; 5] = [
    "way: exact means that the specification was normalised, so that both answers are certain and the run that \
     refutes has the fewest steps. A witness names a state of the tasks for each state of the ring, and every step of \
     the ring is matched by a path of the tasks between two such states; that shows that the claim holds, and could \
     not refute it. States of the specification are then those that stand for one of the ring.",
    "The ring does in one step what the tasks do in up to six, so it can only do less. The reverse fails: Task2 takes \
     a message from its channel before it handles it, and so has room for one message more.",
    "Lost messages and channels that two kinds share need a witness that lets a channel of the tasks hold more than \
     that of the ring: what is lost in the one is in the other a message that never arrives.",
    "hasty is a ring with a planted mistake: when a round ends without an answer, a process suspects also the one \
     behind its target, which it has not asked.",
    "Spec1 is the specification in the authors' FDR2 script, which allows p0 to suspect p1 twice after its crash; they \
     report a counterexample to it.",
];
