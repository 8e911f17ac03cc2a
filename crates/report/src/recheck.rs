//! A certificate that was put to solvers again, for people and for machines: whether it is verified, by whom, and what
//! of it is only the word of the file.

use crate::numbers::{counted, duration};
use crate::scope::TheoremScope;
use crate::style::{Ink, Style};
use crate::verdict_text::Page;
use crate::width::tame;
use serde_json::{Map, Value as Json, json};

/// The result of rechecking a certificate.
#[derive(Clone, PartialEq, Debug)]
pub struct Recheck {
    /// The file.
    pub file: String,
    /// What kind of proof it is.
    pub kind: String,
    /// The number of obligations.
    pub obligations: usize,
    /// Whether every solver verifies it.
    pub verified: bool,
    /// What it is a certificate of, by its definitions.
    pub about: CertifiedClaim,
    /// The theorem that the caller named, if it is not the one that the certificate is of.
    pub missed: Option<String>,
    /// What the file calls its system.
    pub system: String,
    /// What the file calls its claim.
    pub claim: String,
    /// How the file says that the invariant was found.
    pub found: String,
    /// The solvers that the file says discharged it.
    pub written_with: String,
    /// The command that the file says wrote it.
    pub command: String,
    /// The number of conjuncts of the invariant.
    pub conjuncts: usize,
    /// Whether the system in the file is one that this program knows.
    pub known: String,
    /// What each solver says.
    pub checks: Vec<SolverRecheck>,
}

/// What a certificate is of, by its definitions and not by what it says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertifiedClaim {
    /// A theorem of this program.
    Theorem {
        /// The subject and the theorem.
        name: String,
        /// What it is about.
        scope: TheoremScope,
    },
    /// Another property of the system of a theorem of this program.
    Property {
        /// The property, as the file has it.
        property: String,
        /// A theorem with the same system.
        system_of: String,
        /// What it is about.
        scope: TheoremScope,
    },
    /// The region of parameters in which a property of a protocol of this program holds.
    Region {
        /// The protocol and the property.
        name: String,
        /// The parameters, in the order of coordinates.
        parameters: Vec<String>,
        /// Where it holds.
        condition: String,
        /// The command that asks for the region.
        command: String,
    },
    /// A system that is none of this program's.
    Foreign,
    /// Lemmas that are not those of a theorem of this program: nothing follows from them by itself.
    Lemmas,
}

impl CertifiedClaim {
    fn theorem(&self) -> Option<&str> {
        match self {
            CertifiedClaim::Theorem { name, .. } => Some(name),
            _ => None,
        }
    }

    fn scope(&self) -> Option<&TheoremScope> {
        match self {
            CertifiedClaim::Theorem { scope, .. } | CertifiedClaim::Property { scope, .. } => Some(scope),
            CertifiedClaim::Region { .. } | CertifiedClaim::Foreign | CertifiedClaim::Lemmas => None,
        }
    }

    fn parameters(&self) -> Option<Json> {
        match self {
            CertifiedClaim::Region { parameters, .. } => Some(json!(parameters)),
            _ => self.scope().map(|scope| json!(scope.parameters())),
        }
    }

    fn region(&self) -> Option<Json> {
        match self {
            CertifiedClaim::Region { name, condition, command, .. } => {
                Some(json!({ "name": name, "holds_where": condition, "command": command }))
            }
            _ => None,
        }
    }
}

impl Recheck {
    /// The answer in a line, its first words apart. Nothing that is verified looks like a theorem of this program
    /// unless it is one, and that is said with its assumptions.
    fn headline(&self) -> (Ink, &'static str, String) {
        let file = format!("{}, {}", tame(&self.file), counted(self.obligations as u64, "obligation"));
        if let Some(missed) = &self.missed {
            let file = format!("{} is no certificate of {}", tame(&self.file), tame(missed));
            return (Ink::Alarm, "ANOTHER CLAIM", file);
        }
        if !self.verified {
            return (Ink::Alarm, "NOT VERIFIED", file);
        }
        match &self.about {
            CertifiedClaim::Theorem { name, scope } => {
                (Ink::Relief, "VERIFIED", format!("{}, {scope}; {file}", tame(name)))
            }
            CertifiedClaim::Property { property, system_of, scope } => {
                let what = format!("{} of the system of {}", tame(property), tame(system_of));
                (Ink::Relief, "VERIFIED", format!("{what}, {scope}; {file}"))
            }
            CertifiedClaim::Region { name, condition, .. } => {
                let what = format!("{} holds where {}", tame(name), tame(condition));
                (Ink::Relief, "VERIFIED", format!("{what}; {file}"))
            }
            CertifiedClaim::Foreign => (Ink::Caution, "VERIFIED, BUT OF NO SYSTEM OF THIS PROGRAM", file),
            CertifiedClaim::Lemmas => {
                (Ink::Caution, "LEMMAS HOLD, and what follows from them is not known", file)
            }
        }
    }

    /// The answer in a word, for machines.
    fn verdict(&self) -> &'static str {
        match (&self.missed, self.verified, &self.about) {
            (Some(_), _, _) => "another claim",
            (None, false, _) => "not verified",
            (
                None,
                true,
                CertifiedClaim::Theorem { .. }
                | CertifiedClaim::Property { .. }
                | CertifiedClaim::Region { .. },
            ) => "verified",
            (None, true, CertifiedClaim::Foreign) => "verified, of no system of this program",
            (None, true, CertifiedClaim::Lemmas) => "lemmas hold",
        }
    }
}

/// The result of one solver for a certificate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SolverRecheck {
    /// The solver, with its version.
    pub solver: String,
    /// Whether it verifies all of it.
    pub verified: bool,
    /// How many obligations there are of each kind.
    pub duties: Vec<(String, usize)>,
    /// The obligations that it does not discharge, in words.
    pub open: Vec<String>,
    /// Whether the proof is about nothing.
    pub vacuous: bool,
    /// What is never possible, or not known to be, in words.
    pub premises: Vec<String>,
    /// Its duration.
    pub seconds: f64,
    /// Why the solver gave no answer at all.
    pub failed: Option<String>,
}

/// The most open obligations that are listed.
const LISTED: usize = 5;

/// The whole report, with a line break at the end.
pub fn render_recheck(recheck: &Recheck, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    let (ink, word, rest) = recheck.headline();
    page.out.push_str(&format!("{}: {rest}\n", page.style.paint(ink, word)));
    if !recheck.checks.is_empty() {
        page.section("Checked by");
    }
    for check in &recheck.checks {
        checked(check, &mut page);
    }
    page.section("CertifiedClaim");
    page.bullet("-", Ink::Faint, &recheck.known);
    if recheck.conjuncts > 0 {
        page.bullet(
            "-",
            Ink::Faint,
            &format!("an invariant of {}", counted(recheck.conjuncts as u64, "conjunct")),
        );
    }
    let said = [
        ("system", &recheck.system),
        ("claim", &recheck.claim),
        ("found by", &recheck.found),
        ("discharged by", &recheck.written_with),
        ("written by", &recheck.command),
    ];
    if said.iter().any(|(_, said)| !said.is_empty()) {
        page.section("What the file says of itself, which nobody checked");
    }
    for (what, said) in said.iter().filter(|(_, said)| !said.is_empty()) {
        page.bullet("-", Ink::Faint, &format!("{what}: {said}"));
    }
    page.out
}

fn checked(check: &SolverRecheck, page: &mut Page<'_>) {
    if let Some(why) = &check.failed {
        page.bullet("!", Ink::Caution, why);
        return;
    }
    let duties: Vec<String> = check.duties.iter().map(|(duty, count)| format!("{count} {duty}")).collect();
    let outcome = match (check.open.len(), check.vacuous) {
        (0, false) => "all discharged".to_string(),
        (0, true) => "all discharged, but about nothing: the system cannot begin".to_string(),
        (open, _) => format!("{open} not discharged"),
    };
    let line = format!("{}: {}, {outcome}, {}", check.solver, duties.join(", "), duration(check.seconds));
    page.bullet("-", Ink::Faint, &line);
    for open in check.open.iter().take(LISTED) {
        page.bullet("  !", Ink::Alarm, open);
    }
    if check.open.len() > LISTED {
        page.bullet("  !", Ink::Alarm, &format!("and {} more", check.open.len() - LISTED));
    }
    check.premises.iter().for_each(|premise| page.bullet("  !", Ink::Caution, premise));
}

/// The answer as JSON, with a line break at the end.
pub fn recheck_json(recheck: &Recheck, exit_code: u8) -> String {
    let solver = |check: &SolverRecheck| {
        let duties: Map<String, Json> =
            check.duties.iter().map(|(duty, count)| (duty.clone(), json!(count))).collect();
        json!({
            "solver": check.solver,
            "verified": check.verified,
            "duties": duties,
            "open": check.open,
            "vacuous": check.vacuous,
            "premises": check.premises,
            "seconds": check.seconds,
            "failed": check.failed,
        })
    };
    let (_, word, rest) = recheck.headline();
    let object = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "file": recheck.file,
        "verdict": recheck.verdict(),
        "kind": recheck.kind,
        "obligations": recheck.obligations,
        "conjuncts": recheck.conjuncts,
        "known": recheck.known,
        "solvers": recheck.checks.iter().map(solver).collect::<Vec<_>>(),
        "says": {
            "system": recheck.system,
            "claim": recheck.claim,
            "found": recheck.found,
            "solver": recheck.written_with,
            "command": recheck.command,
        },
        "exit_code": exit_code,
        "headline": format!("{word}: {rest}"),
        "theorem": recheck.about.theorem(),
        "parameters": recheck.about.parameters(),
        "assumptions": recheck.about.scope().map(TheoremScope::assumptions),
        "expected": recheck.missed,
        "region": recheck.about.region(),
    });
    format!("{object:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(open: &[&str]) -> SolverRecheck {
        SolverRecheck {
            solver: "cvc5 1.0.3".to_string(),
            verified: open.is_empty(),
            duties: vec![("initiation".to_string(), 2), ("safety".to_string(), 1)],
            open: open.iter().map(ToString::to_string).collect(),
            seconds: 1.5,
            ..SolverRecheck::default()
        }
    }

    fn recheck(checks: Vec<SolverRecheck>) -> Recheck {
        Recheck {
            file: "proof.smt2".to_string(),
            kind: "induction".to_string(),
            obligations: 3,
            verified: checks.iter().all(|check| check.verified),
            claim: "R2\x1b[2J".to_string(),
            conjuncts: 2,
            known: "the system and the property are those of `binary R2`".to_string(),
            checks,
            about: CertifiedClaim::Theorem { name: "binary R2".to_string(), scope: scope() },
            missed: None,
            system: String::new(),
            found: String::new(),
            written_with: String::new(),
            command: String::new(),
        }
    }

    fn scope() -> TheoremScope {
        TheoremScope::new(vec!["tmin".to_string(), "tmax".to_string()], vec!["tmin < tmax".to_string()])
    }

    #[test]
    fn what_is_verified_is_said_in_the_first_line_with_its_assumptions() {
        let sound = recheck(vec![check(&[])]);
        let theorem =
            "VERIFIED: binary R2, for all tmin and tmax with tmin < tmax; proof.smt2, 3 obligations";
        let property = CertifiedClaim::Property {
            property: "(<= x tmax)".to_string(),
            system_of: "binary R2".to_string(),
            scope: scope(),
        };
        let of = |about: CertifiedClaim| Recheck { about, ..sound.clone() };
        for (recheck, line, verdict, name) in [
            (sound.clone(), theorem, "verified", json!("binary R2")),
            (
                of(property),
                "VERIFIED: (<= x tmax) of the system of binary R2, for all tmin and tmax with tmin < tmax; \
                 proof.smt2, 3 obligations",
                "verified",
                Json::Null,
            ),
            (
                of(CertifiedClaim::Region {
                    name: "binary R1".to_string(),
                    parameters: vec!["tmin".to_string(), "tmax".to_string()],
                    condition: "2*tmin > tmax".to_string(),
                    command: "watchkeeper regions binary".to_string(),
                }),
                "VERIFIED: binary R1 holds where 2*tmin > tmax; proof.smt2, 3 obligations",
                "verified",
                Json::Null,
            ),
            (
                of(CertifiedClaim::Foreign),
                "VERIFIED, BUT OF NO SYSTEM OF THIS PROGRAM: proof.smt2, 3 obligations",
                "verified, of no system of this program",
                Json::Null,
            ),
            (
                of(CertifiedClaim::Lemmas),
                "LEMMAS HOLD, and what follows from them is not known: proof.smt2, 3 obligations",
                "lemmas hold",
                Json::Null,
            ),
            (
                Recheck { missed: Some("binary R1".to_string()), ..sound.clone() },
                "ANOTHER CLAIM: proof.smt2 is no certificate of binary R1",
                "another claim",
                json!("binary R2"),
            ),
            (
                Recheck { verified: false, ..sound.clone() },
                "NOT VERIFIED: proof.smt2, 3 obligations",
                "not verified",
                json!("binary R2"),
            ),
        ] {
            assert_eq!(render_recheck(&recheck, &Style::default()).lines().next(), Some(line));
            let json: Json = serde_json::from_str(&recheck_json(&recheck, 0)).expect("JSON");
            assert_eq!((&json["headline"], &json["verdict"]), (&json!(line), &json!(verdict)));
            assert_eq!(json["theorem"], name);
        }
    }

    #[test]
    fn what_is_verified_is_kept_apart_from_what_the_file_says() {
        let expected = "\
VERIFIED: binary R2, for all tmin and tmax with tmin < tmax; proof.smt2, 3 obligations

Checked by
  - cvc5 1.0.3: 2 initiation, 1 safety, all discharged, 1.5 s

CertifiedClaim
  - the system and the property are those of `binary R2`
  - an invariant of 2 conjuncts

What the file says of itself, which nobody checked
  - claim: R2 [2J
";
        assert_eq!(render_recheck(&recheck(vec![check(&[])]), &Style::default()), expected);
    }

    #[test]
    fn what_is_open_is_named_and_a_failure_is_no_answer() {
        let many: Vec<String> = (0..7).map(|i| format!("refuted: {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let failed = SolverRecheck {
            solver: "z3".to_string(),
            failed: Some("z3 died".to_string()),
            ..SolverRecheck::default()
        };
        let text = render_recheck(&recheck(vec![check(&many), failed]), &Style::default());
        assert!(text.starts_with("NOT VERIFIED: proof.smt2"), "{text}");
        for part in ["7 not discharged", "! refuted: 4", "! and 2 more", "! z3 died"] {
            assert!(text.contains(part), "{part} is missing:\n{text}");
        }
        let json: Json = serde_json::from_str(&recheck_json(&recheck(vec![check(&many)]), 12)).expect("JSON");
        assert_eq!((&json["verdict"], &json["exit_code"]), (&json!("not verified"), &json!(12)));
        assert_eq!(json["solvers"][0]["open"].as_array().map(Vec::len), Some(7));
    }
}
