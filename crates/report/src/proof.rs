//! Proofs for people: how a theorem stands, the invariant one conjunct to a line, where induction breaks in the words
//! of the model, and what the proof rests on. It is given texts and numbers and judges nothing.

use crate::numbers::{counted, duration, thousands};
use crate::scope::TheoremScope;
use crate::style::{Ink, Style};
use crate::table::TextTable;
use crate::verdict_text::Page;
use crate::width::{columns, tame, wrapped};

/// The most counterexamples to induction that are shown in full.
const SHOWN: usize = 2;

/// How a theorem stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofStatus {
    /// It holds for all parameters.
    Proven,
    /// The property fails.
    Refuted,
    /// An invariant that was given is not one, or does not imply the property; that says nothing of the property.
    NotInductive,
    /// Nobody knows.
    Unknown,
}

impl ProofStatus {
    /// The word that a report begins with.
    pub const fn word(self) -> &'static str {
        match self {
            ProofStatus::Proven => "PROVEN",
            ProofStatus::Refuted => "REFUTED",
            ProofStatus::NotInductive => "NOT INDUCTIVE",
            ProofStatus::Unknown => "UNKNOWN",
        }
    }

    fn ink(self) -> Ink {
        match self {
            ProofStatus::Proven => Ink::Relief,
            ProofStatus::Refuted | ProofStatus::NotInductive => Ink::Alarm,
            ProofStatus::Unknown => Ink::Caution,
        }
    }
}

/// A theorem, and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Proof {
    /// The system, and what is claimed of it.
    pub name: String,
    /// What it says, in a sentence.
    pub statement: String,
    /// The property, as a formula.
    pub property: String,
    /// How it stands.
    pub standing: ProofStatus,
    /// Whether that is what was claimed: a claim that fails can be one that it fails.
    pub claimed: bool,
    /// What it is about: said wherever it is said to be proven.
    pub scope: TheoremScope,
    /// How it was shown or why it was not, after the name and the scope.
    pub extent: String,
    /// What to do next, where there is no answer.
    pub next: Option<String>,
    /// The invariant.
    pub invariant: Vec<Conjunct>,
    /// How the invariant was found, if it was looked for.
    pub hunt: Option<InvariantHunt>,
    /// The obligations that were not discharged.
    pub open: Vec<OpenObligation>,
    /// A run that breaks the property.
    pub run: Option<ShownRun>,
    /// What each solver made of the obligations.
    pub checks: Vec<SolverCheck>,
    /// What a reader should know before believing it.
    pub warnings: Vec<String>,
    /// What it rests on.
    pub rests_on: Vec<String>,
    /// The file with the proof.
    pub certificate: Option<String>,
    /// How long all of it took.
    pub seconds: f64,
}

impl Proof {
    /// Whether it is said of everything in its scope: proven, or refuted as claimed. A run refutes at one point.
    pub fn is_for_all(&self) -> bool {
        match self.standing {
            ProofStatus::Proven => true,
            ProofStatus::Refuted => self.claimed,
            ProofStatus::NotInductive | ProofStatus::Unknown => false,
        }
    }

    /// The answer in a line. There is no other: whatever is said for all parameters is said with its assumptions.
    pub fn headline(&self) -> String {
        format!("{}: {}", self.standing.word(), self.answer())
    }

    /// The headline without its first word.
    fn answer(&self) -> String {
        let scope = if self.is_for_all() { format!(", {}", self.scope) } else { String::new() };
        format!("{}{scope}{}", tame(&self.name), tame_after(&self.extent))
    }
}

/// A conjunct of an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjunct {
    /// Its name.
    pub name: String,
    /// What it says.
    pub formula: String,
    /// Whether a person wrote it.
    pub written: bool,
}

/// How an invariant was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct InvariantHunt {
    /// What looked for it.
    pub engine: String,
    /// How many candidates there were, if it works with candidates.
    pub candidates: Option<usize>,
    /// How many reachable states of small instances they are true of.
    pub states: usize,
    /// How many of them were inductive together, before the superfluous were dropped.
    pub inductive: usize,
    /// How many counterexamples to induction it took.
    pub counterexamples: usize,
    /// Its duration.
    pub seconds: f64,
}

/// What a solver made of the obligations.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SolverCheck {
    /// The solver, with its version.
    pub solver: String,
    /// How many obligations there are of each kind.
    pub duties: Vec<(String, usize)>,
    /// How many were refuted.
    pub refuted: usize,
    /// How many were left undecided.
    pub undecided: usize,
    /// Its duration.
    pub seconds: f64,
}

impl SolverCheck {
    /// The number of obligations.
    pub fn obligations(&self) -> usize {
        self.duties.iter().map(|(_, count)| count).sum()
    }

    fn line(&self) -> String {
        let duties: Vec<String> = self.duties.iter().map(|(duty, count)| format!("{count} {duty}")).collect();
        let mut outcome = Vec::new();
        if self.refuted > 0 {
            outcome.push(format!("{} refuted", self.refuted));
        }
        if self.undecided > 0 {
            outcome.push(format!("{} undecided", self.undecided));
        }
        let outcome = if outcome.is_empty() { "all discharged".to_string() } else { outcome.join(", ") };
        format!(
            "{}: {} ({}), {outcome}, {}",
            self.solver,
            counted(self.obligations() as u64, "obligation"),
            duties.join(", "),
            duration(self.seconds)
        )
    }
}

/// An obligation that was not discharged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenObligation {
    /// Its name.
    pub obligation: String,
    /// The solver that says so.
    pub solver: String,
    /// Why it is undecided; none if it is refuted.
    pub undecided: Option<String>,
    /// The step that is taken, if there is one, with what is chosen in it.
    pub step: Option<String>,
    /// The values of the parameters.
    pub parameters: Vec<(String, String)>,
    /// Each variable before and after, where there is such a state, and its meaning.
    pub variables: Vec<OpenVariable>,
    /// The formula that is false at the end.
    pub broken: String,
}

/// A variable in a counterexample to induction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenVariable {
    /// Its name.
    pub name: String,
    /// Its value before.
    pub before: Option<String>,
    /// Its value after.
    pub after: Option<String>,
    /// What it is.
    pub meaning: String,
}

/// A run, state by state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShownRun {
    /// The values of the parameters.
    pub parameters: Vec<(String, String)>,
    /// Who found it.
    pub by: String,
    /// The step that led to a state, and the state.
    pub states: Vec<(String, Vec<(String, String)>)>,
}

/// The report on one theorem, with a line break at the end.
pub fn render_proof(proof: &Proof, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    let word = style.paint(proof.standing.ink(), proof.standing.word());
    page.out.push_str(&format!("{word}: {}\n", proof.answer()));
    page.bullet("", Ink::Plain, &proof.statement);
    if let Some(next) = &proof.next {
        page.bullet("next:", Ink::Strong, next);
    }
    page.section("Property");
    page.bullet("", Ink::Plain, &proof.property);
    invariant(proof, &mut page);
    proof.open.iter().take(SHOWN).for_each(|open| opened(open, &mut page));
    if proof.open.len() > SHOWN {
        page.section("Not discharged either");
        proof.open[SHOWN..].iter().for_each(|open| page.bullet("-", Ink::Faint, &open.obligation));
    }
    if let Some(run) = &proof.run {
        shown(run, &mut page);
    }
    if let Some(hunt) = &proof.hunt {
        page.section("Search for the invariant");
        page.bullet("", Ink::Plain, &hunted(hunt));
    }
    if !proof.checks.is_empty() {
        page.section("Checked by");
        proof.checks.iter().for_each(|check| page.bullet("-", Ink::Faint, &check.line()));
    }
    for (title, sign, ink, lines) in
        [("Warnings", "!", Ink::Caution, &proof.warnings), ("Rests on", "-", Ink::Faint, &proof.rests_on)]
    {
        if !lines.is_empty() {
            page.section(title);
            lines.iter().for_each(|line| page.bullet(sign, ink, line));
        }
    }
    if let Some(certificate) = &proof.certificate {
        page.section("Certificate");
        page.out.push_str(&format!("  {}\n", tame(certificate)));
    }
    page.out
}

/// All theorems in one table.
pub fn proofs_table(title: &str, proofs: &[Proof]) -> TextTable {
    let mut solvers: Vec<&str> = Vec::new();
    for check in proofs.iter().flat_map(|proof| &proof.checks) {
        if !solvers.contains(&check.solver.as_str()) {
            solvers.push(&check.solver);
        }
    }
    let mut header = vec!["theorem", "verdict", "conjuncts", "by hand", "candidates", "found in"];
    header.extend(&solvers);
    header.extend(["obligations", "with"]);
    let mut table = TextTable::new(title, &header);
    for proof in proofs {
        let with_invariant = |cell: String| if proof.invariant.is_empty() { String::new() } else { cell };
        let written = proof.invariant.iter().filter(|conjunct| conjunct.written).count();
        let candidates = proof.hunt.as_ref().and_then(|hunt| hunt.candidates);
        let mut row = vec![
            proof.name.clone(),
            proof.standing.word().to_lowercase(),
            with_invariant(proof.invariant.len().to_string()),
            with_invariant(written.to_string()),
            candidates.map_or(String::new(), |count| thousands(count as u64)),
            proof.hunt.as_ref().map_or(String::new(), |hunt| duration(hunt.seconds)),
        ];
        for solver in &solvers {
            let check = proof.checks.iter().find(|check| check.solver == *solver);
            row.push(check.map_or(String::new(), |check| duration(check.seconds)));
        }
        row.push(proof.checks.first().map_or(String::new(), |check| check.obligations().to_string()));
        row.push(if proof.is_for_all() { proof.scope.condition() } else { String::new() });
        table.rows.push(row);
    }
    table
}

/// What follows a name: nothing, or a separator of its own and some words.
fn tame_after(extent: &str) -> String {
    let tamed = tame(extent);
    match tamed.chars().next() {
        None => String::new(),
        Some(',' | ';' | ':') => tamed,
        Some(_) => format!(" {tamed}"),
    }
}

fn invariant(proof: &Proof, page: &mut Page<'_>) {
    if proof.invariant.is_empty() {
        return;
    }
    let written = proof.invariant.iter().filter(|conjunct| conjunct.written).count();
    let by_hand = match (written, proof.invariant.len()) {
        (0, 1) => "not written by a person".to_string(),
        (1, 1) => "written by a person".to_string(),
        (0, _) => "none of them written by a person".to_string(),
        (some, all) if some == all => "all of them written by a person".to_string(),
        (some, _) => format!("{some} of them written by a person"),
    };
    page.section(&format!("Invariant: {}, {by_hand}", counted(proof.invariant.len() as u64, "conjunct")));
    for conjunct in &proof.invariant {
        let mark = if conjunct.written && written < proof.invariant.len() { "  (by a person)" } else { "" };
        page.bullet("", Ink::Plain, &format!("{}{mark}", conjunct.formula));
    }
}

fn hunted(hunt: &InvariantHunt) -> String {
    let mut line = format!("{}: ", hunt.engine);
    if let Some(candidates) = hunt.candidates {
        line.push_str(&format!(
            "{} that are true of {} of small instances, {} of them inductive together after {}, ",
            counted(candidates as u64, "candidate"),
            counted(hunt.states as u64, "state"),
            thousands(hunt.inductive as u64),
            counted(hunt.counterexamples as u64, "counterexample"),
        ));
    }
    line + &duration(hunt.seconds)
}

/// Where induction breaks: the state before and after, in the words of the model.
fn opened(open: &OpenObligation, page: &mut Page<'_>) {
    let title = match &open.undecided {
        None => format!("Refuted by {}: {}", open.solver, open.obligation),
        Some(why) => format!("Undecided by {} ({why}): {}", open.solver, open.obligation),
    };
    page.section(&tame(&title));
    if open.undecided.is_some() {
        return;
    }
    if !open.parameters.is_empty() {
        page.bullet("", Ink::Plain, &format!("with {}", assigned(&open.parameters)));
    }
    if let Some(step) = &open.step {
        page.bullet("", Ink::Plain, &format!("step: {step}"));
    }
    let has = |which: fn(&OpenVariable) -> &Option<String>| open.variables.iter().any(|v| which(v).is_some());
    let (before, after) = (has(|v| &v.before), has(|v| &v.after));
    let mut header = vec![""];
    header.extend(before.then_some("before"));
    header.extend(after.then_some("after"));
    header.push("");
    let mut table = TextTable::new("", &header);
    for variable in &open.variables {
        let changed = before && after && variable.before != variable.after;
        let mut row = vec![variable.name.clone()];
        row.extend(before.then(|| variable.before.clone().unwrap_or_default()));
        row.extend(after.then(|| {
            let value = variable.after.clone().unwrap_or_default();
            if changed || !before { value } else { "=".to_string() }
        }));
        row.push(variable.meaning.clone());
        table.rows.push(row);
    }
    if before || after {
        for line in table.text().lines().filter(|line| !line.chars().all(|c| c == '-' || c == ' ')) {
            page.out.push_str(&format!("  {line}\n"));
        }
    }
    page.bullet("", Ink::Plain, &format!("false at the end: {}", open.broken));
}

/// A run, state by state, with a line break at the end.
pub fn render_run(run: &ShownRun, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    shown(run, &mut page);
    page.out
}

/// A run: each state with what the step changed.
fn shown(run: &ShownRun, page: &mut Page<'_>) {
    let with = if run.parameters.is_empty() {
        String::new()
    } else {
        format!(" with {}", assigned(&run.parameters))
    };
    page.section(&format!("A run{with}, by {}", run.by));
    let mut last: &[(String, String)] = &[];
    let digits = run.states.len().saturating_sub(1).to_string().len();
    for (i, (step, state)) in run.states.iter().enumerate() {
        let changed: Vec<(String, String)> =
            state.iter().filter(|pair| !last.contains(pair)).cloned().collect();
        page.out.push_str(&format!("  {i:>digits$}  {}\n", page.style.paint(Ink::Strong, &tame(step))));
        let indent = digits + 4;
        let room = page.style.width.saturating_sub(indent).max(20);
        for line in wrapped(&tame(&assigned(&changed)), room, &columns) {
            if !line.is_empty() {
                page.out.push_str(&format!("{}{line}\n", " ".repeat(indent)));
            }
        }
        last = state;
    }
}

/// Names with their values: `Delta = 2, Phi = 4`.
fn assigned(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    pairs.join(", ")
}

#[cfg(test)]
mod tests;
