//! A certificate that was put to solvers again, for people and for machines: whether it is verified, by whom, and what
//! of it is only the word of the file.

use crate::numbers::{counted, duration};
use crate::style::{Ink, Style};
use crate::verdict_text::Page;
use crate::width::tame;
use serde_json::{Map, Value as Json, json};

/// What became of a certificate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recheck {
    /// The file.
    pub file: String,
    /// What kind of proof it is.
    pub kind: String,
    /// The number of obligations.
    pub obligations: usize,
    /// Whether every solver verifies it.
    pub verified: bool,
    /// Whether its obligations are those of no theorem that is known, so that nothing follows from them by itself.
    pub inconclusive: bool,
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
    pub checks: Vec<Check>,
}

/// What one solver says of a certificate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Check {
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
    /// How long it took.
    pub seconds: f64,
    /// Why the solver gave no answer at all.
    pub failed: Option<String>,
}

/// The most open obligations that are listed.
const LISTED: usize = 5;

/// The whole report, with a line break at the end.
pub fn render_recheck(recheck: &Recheck, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    let (ink, word) = match (recheck.verified, recheck.inconclusive) {
        (true, false) => (Ink::Relief, "VERIFIED"),
        (true, true) => (Ink::Caution, "LEMMAS HOLD, and what follows from them is not known"),
        (false, _) => (Ink::Alarm, "NOT VERIFIED"),
    };
    let (file, many) = (tame(&recheck.file), counted(recheck.obligations as u64, "obligation"));
    page.out.push_str(&format!("{}: {file}, {many}\n", page.style.paint(ink, word)));
    page.section("Checked by");
    for check in &recheck.checks {
        checked(check, &mut page);
    }
    page.section("About");
    page.bullet("-", Ink::Faint, &recheck.known);
    if recheck.conjuncts > 0 {
        page.bullet(
            "-",
            Ink::Faint,
            &format!("an invariant of {}", counted(recheck.conjuncts as u64, "conjunct")),
        );
    }
    page.section("What the file says of itself, which nobody checked");
    for (what, said) in [
        ("system", &recheck.system),
        ("claim", &recheck.claim),
        ("found by", &recheck.found),
        ("discharged by", &recheck.written_with),
        ("written by", &recheck.command),
    ] {
        if !said.is_empty() {
            page.bullet("-", Ink::Faint, &format!("{what}: {said}"));
        }
    }
    page.out
}

fn checked(check: &Check, page: &mut Page<'_>) {
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
    let solver = |check: &Check| {
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
    let object = json!({
        "tool": "watchkeeper",
        "version": env!("CARGO_PKG_VERSION"),
        "file": recheck.file,
        "verdict": if recheck.verified { "verified" } else { "not verified" },
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
    });
    format!("{object:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(open: &[&str]) -> Check {
        Check {
            solver: "cvc5 1.0.3".to_string(),
            verified: open.is_empty(),
            duties: vec![("initiation".to_string(), 2), ("safety".to_string(), 1)],
            open: open.iter().map(ToString::to_string).collect(),
            seconds: 1.5,
            ..Check::default()
        }
    }

    fn recheck(checks: Vec<Check>) -> Recheck {
        Recheck {
            file: "proof.smt2".to_string(),
            kind: "induction".to_string(),
            obligations: 3,
            verified: checks.iter().all(|check| check.verified),
            claim: "R2\x1b[2J".to_string(),
            conjuncts: 2,
            known: "the system and the property are those of `binary R2`".to_string(),
            checks,
            ..Recheck::default()
        }
    }

    #[test]
    fn what_is_verified_is_kept_apart_from_what_the_file_says() {
        let expected = "\
VERIFIED: proof.smt2, 3 obligations

Checked by
  - cvc5 1.0.3: 2 initiation, 1 safety, all discharged, 1.5 s

About
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
        let failed =
            Check { solver: "z3".to_string(), failed: Some("z3 died".to_string()), ..Check::default() };
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
