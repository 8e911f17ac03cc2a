//! Certificates of regions: solvers verify what the search wrote, from the edges of models that were built anew, and
//! nothing that was changed.

mod heartbeat_models;

use heartbeat_models::{answer, models};
use std::time::Duration;
use watchkeeper_protocols::heartbeat::{HeartbeatRequirement, HeartbeatVariant};
use watchkeeper_prove::solver::{Solver, SolverAnswer, SolverError, SolverOptions, SolverSession, for_tests};
use watchkeeper_regions::{Model, RegionCertificate, RegionCertificateError, RegionObligation};

/// Why a certificate is not verified.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error(transparent)]
    Certificate(#[from] RegionCertificateError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("{0}: {1:?}")]
    Open(String, SolverAnswer),
}

/// The number of obligations that a solver discharges, if it discharges all of them.
fn verified(text: &str, models: &[Model], solver: &Solver) -> Result<usize, Refusal> {
    let certificate = RegionCertificate::read(text)?;
    let limit = Duration::from_secs(60);
    let options = SolverOptions { limit, logic: Some("QF_LRA".to_string()), ..SolverOptions::default() };
    let mut session = SolverSession::start(solver, &options)?;
    let mut count = 0;
    certificate.for_each_obligation(models, &mut |RegionObligation { name, script, .. }| {
        session.push()?;
        session.tell(&script)?;
        let answer = session.check()?;
        session.pop()?;
        count += 1;
        if answer == SolverAnswer::Unsat { Ok(()) } else { Err(Refusal::Open(name, answer)) }
    })?;
    Ok(count)
}

struct Case {
    variant: HeartbeatVariant,
    requirement: HeartbeatRequirement,
    corrected: bool,
}

impl Case {
    const BINARY: Case =
        Case { variant: HeartbeatVariant::Binary, requirement: HeartbeatRequirement::R1, corrected: false };

    fn models(&self) -> Vec<Model> {
        models(self.variant, self.requirement, self.corrected, None).expect("models")
    }

    fn certificate(&self) -> RegionCertificate {
        let models = self.models();
        let answer = answer(&models).expect("an answer");
        answer.certificate(&models, "regions, as a test builds them").expect("a certificate")
    }
}

#[test]
fn every_solver_verifies_what_a_search_wrote() {
    use HeartbeatVariant::{Binary, Expanding, TwoPhase};
    let case = |variant, requirement, corrected| Case { variant, requirement, corrected };
    for case in [
        case(Binary, HeartbeatRequirement::R1, false),
        case(Expanding, HeartbeatRequirement::R2, false),
        case(TwoPhase, HeartbeatRequirement::R1, true),
    ] {
        let certificate = case.certificate();
        let text = certificate.write();
        let models = case.models();
        let obligations = certificate.obligations(&models).expect("obligations").len();
        for solver in for_tests() {
            let found = verified(&text, &models, &solver);
            assert!(
                matches!(found, Ok(count) if count == obligations),
                "{} {}: {solver}: {found:?}",
                case.variant,
                case.requirement
            );
        }
    }
}

/// Asserts that every solver finds a counterexample to an obligation of a changed certificate, and this name in it.
fn refuted(changed: &str, models: &[Model], what: &str, expected: &str) {
    for solver in for_tests() {
        match verified(changed, models, &solver) {
            Err(Refusal::Open(name, SolverAnswer::Sat)) => {
                assert!(name.contains(expected), "{what}: {solver} refutes another obligation: {name}");
            }
            other => panic!("{what}: {solver} says {other:?} of\n{changed}"),
        }
    }
}

/// The lines of a file, with those of one block replaced: the block that begins with the given line.
fn with_block(text: &str, begin: usize, change: impl Fn(Vec<&str>) -> Vec<String>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &&&str| line.starts_with(['=', '>']);
    let rows: Vec<&str> = lines[begin + 1..].iter().take_while(is_row).copied().collect();
    let end = begin + 1 + rows.len();
    let kept = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut out = kept(&lines[..begin]);
    out.extend(change(std::iter::once(lines[begin]).chain(rows).collect()));
    out.extend(kept(&lines[end..]));
    out.join("\n") + "\n"
}

/// The numbers of the lines that begin with a word.
fn places(text: &str, word: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| line.split(' ').next() == Some(word)).map(|(at, _)| at).collect()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_polyhedron_that_is_missing_or_too_small_is_found_out() {
    let (text, models) = (Case::BINARY.certificate().write(), Case::BINARY.models());
    for solver in for_tests() {
        let refutes = |changed: String| match verified(&changed, &models, &solver) {
            Ok(_) => false,
            Err(Refusal::Open(name, SolverAnswer::Sat)) => name.starts_with("region 0"),
            Err(other) => panic!("{solver}: {other:?}"),
        };
        let (mut missed, mut narrow) = (0, 0);
        for at in places(&text, "polyhedron") {
            missed += usize::from(refutes(with_block(&text, at, |_| Vec::new())));
            // tmin > 1, which leaves out a part of every cone.
            let variables = text.lines().nth(at + 1).expect("a row").split(' ').count() - 4;
            let row = format!("> 1 0{} -1", " 0".repeat(variables));
            let shrunk = with_block(&text, at, |lines| [owned(&lines), vec![row.clone()]].concat());
            narrow += usize::from(refutes(shrunk));
        }
        // Every one of the 10 is needed.
        assert_eq!((missed, narrow), (10, 10), "{solver}");
    }
}

#[test]
fn regions_and_claims_that_are_too_large_are_found_out() {
    let (text, models) = (Case::BINARY.certificate().write(), Case::BINARY.models());
    let (claim, proof) = (places(&text, "claim")[0], places(&text, "proof")[0]);
    // tmax > 0 and 2 tmin > tmax, and tmin <= tmax; the good side ends where 2 tmin = tmax.
    let lines: Vec<&str> = text.lines().collect();
    let edge = "> 2 -1 0";
    assert!(lines[claim + 1..claim + 4].contains(&edge) && lines[proof + 1..proof + 4].contains(&edge));
    let larger = |text: &str, at, row: &str| {
        with_block(text, at, |lines| lines.iter().map(|line| line.replace(edge, row)).collect())
    };
    let both = larger(&larger(&text, claim, "> 9 -4 0"), proof, "> 9 -4 0");
    refuted(&both, &models, "a region beyond the good side", "region 0, ");
    let claimed = larger(&text, claim, "> 9 -4 0");
    refuted(&claimed, &models, "a claim that is not proven", "claim 0 is proven for model 0");
    let everything = |text: &str, at| with_block(text, at, |lines| owned(&lines[..1]));
    let claimed = everything(&text, claim);
    refuted(&claimed, &models, "a claim outside of the domain", "claim 0 is part of the domains");
    // Outside of the domain a model has no edges, so nothing there is wrong, and nothing is meant.
    let outside = everything(&text, proof);
    refuted(&outside, &models, "a region outside of the domain", "region 0 is part of the domain");
}

#[test]
fn a_smaller_claim_is_still_one() {
    let (text, models) = (Case::BINARY.certificate().write(), Case::BINARY.models());
    let claim = places(&text, "claim")[0];
    let smaller = with_block(&text, claim, |lines| [owned(&lines), vec!["> 3 -2 0".to_string()]].concat());
    for solver in for_tests() {
        assert!(verified(&smaller, &models, &solver).is_ok(), "{solver}");
    }
}

#[test]
fn a_certificate_of_another_model_is_refused() {
    let (text, models) = (Case::BINARY.certificate().write(), Case::BINARY.models());
    let of = |text: &str, models: &[Model]| {
        RegionCertificate::read(text).and_then(|certificate| certificate.obligations(models).map(|_| ()))
    };
    let turned = text.replace("parameters tmin tmax", "parameters tmax tmin");
    assert!(matches!(of(&turned, &models), Err(RegionCertificateError::Parameters { .. })));
    let missing = RegionCertificateError::Models { wanted: 1, there: 0 };
    assert_eq!(of(&text, &[]), Err(missing));
    let other = Case { requirement: HeartbeatRequirement::R2, ..Case::BINARY }.models();
    for solver in for_tests() {
        assert!(matches!(verified(&text, &other, &solver), Err(Refusal::Open(..))), "{solver}");
    }
    let state = places(&text, "state")[0];
    let lines: Vec<&str> = text.lines().collect();
    // The number of variables is not believed.
    let told = lines[state].split(' ').nth(1).expect("a number").parse::<usize>().expect("a number");
    let more = with_block(&text, state, |lines| {
        vec![lines[0].replace(&format!("state {told} "), &format!("state {} ", told + 1))]
    });
    let end = lines[state + 1..].iter().position(|line| line.starts_with("state")).expect("a next state");
    let of_state = |at: usize| (state + 1..state + 1 + end).contains(&at);
    let rows = more.lines().enumerate().map(|(at, line)| match line.split_once(' ') {
        Some(("=" | ">" | ">=", _)) if of_state(at) => format!("{line} 0\n"),
        _ => format!("{line}\n"),
    });
    let rows: String = rows.collect();
    let refused = RegionCertificateError::Variables { told: told + 1, known: told };
    assert_eq!(of(&rows, &models), Err(refused));
}

#[test]
fn a_damaged_file_is_refused_with_its_line() {
    let text = Case::BINARY.certificate().write();
    let why = |text: &str| RegionCertificate::read(text).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(why(&text), Ok(()));
    for end in 0..text.len() {
        assert!(why(&text[..end]).is_err(), "cut off after {end} bytes");
    }
    let at = |word: &str| places(&text, word)[0];
    let replaced = |word: &str, line: &str| with_block(&text, at(word), |_| vec![line.to_string()]);
    for (changed, expected) in [
        (text.replace("certificate 1\n", "certificate 2\n"), "has format `2`"),
        (format!("; {text}"), "no certificate of regions"),
        (text.replace("> 2 -1 0", "> 2 -1"), "has as many numbers and a constant"),
        (text.replace("> 2 -1 0", "> 2 x 0"), "`x` is no number"),
        (text.replace("> 2 -1 0", "> 2 99999999999999999999 0"), "is no number"),
        (replaced("parameters", "parameters tmin tmin"), "`tmin` is there twice"),
        (replaced("parameters", ""), "after the line `parameters`"),
        (replaced("command", ""), "no line `command`"),
        (replaced("claim", ""), "claims nothing"),
        (replaced("proof", ""), "belongs to a proof"),
        (replaced("proof", "proof one"), "`one` is no count"),
        (replaced("state", "state 1 0g"), "is no key in hexadecimal"),
        (replaced("state", "state 1 0"), "is no key in hexadecimal"),
        (replaced("state", "state"), "a number of variables and a key"),
        (replaced("polyhedron", "polyhedra"), "`polyhedra` has no meaning"),
        (format!("{text}claim\n"), "something follows the end"),
    ] {
        let found = why(&changed).expect_err(expected);
        assert!(found.contains(expected), "{found} instead of {expected}");
        let line = found.strip_prefix("line ").and_then(|rest| rest.split(' ').next());
        assert!(line.is_none_or(|line| line.parse::<usize>().is_ok()), "{found}");
    }
}

#[test]
fn a_certificate_says_what_it_is_about_and_is_read_as_the_same() {
    let certificate = Case::BINARY.certificate();
    let text = certificate.write();
    assert!(RegionCertificate::is_begun_by(&text) && !RegionCertificate::is_begun_by("; A certificate"));
    assert_eq!(RegionCertificate::read(&text).as_ref(), Ok(&certificate));
    assert_eq!(certificate.command(), "regions, as a test builds them");
    assert_eq!(certificate.parameters(), ["tmin", "tmax"]);
    assert_eq!((certificate.claims().len(), certificate.states(), certificate.polyhedra()), (1, 9, 10));
    // Another run has the same file: no number of a run is in it.
    assert_eq!(Case::BINARY.certificate().write(), text);
}

/// Numbers that look random, the same in every run.
fn drawn(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % below
}

#[test]
fn whatever_is_read_is_written_as_the_same_and_nothing_panics() {
    let (text, models) = (Case::BINARY.certificate().write(), Case::BINARY.models());
    const PIECES: [&str; 16] = [
        "\n",
        " ",
        "0",
        "-",
        "9223372036854775807",
        "-9223372036854775808",
        "> 1 1 1\n",
        "state 0 00\n",
        "end\n",
        "polyhedron\n",
        "claim\n",
        "proof 0\n",
        "proof 99\n",
        "#",
        "\u{e9}",
        "=",
    ];
    let (mut seed, mut read) = (1, 0);
    for _ in 0..3_000 {
        let mut changed: Vec<char> = text.chars().collect();
        for _ in 0..=drawn(&mut seed, 3) {
            let at = drawn(&mut seed, changed.len());
            let end = (at + drawn(&mut seed, 12)).min(changed.len());
            let piece = PIECES[drawn(&mut seed, PIECES.len())];
            changed.splice(at..end, piece.chars());
        }
        let changed: String = changed.into_iter().collect();
        match RegionCertificate::read(&changed) {
            Ok(certificate) => {
                read += 1;
                assert_eq!(RegionCertificate::read(&certificate.write()).as_ref(), Ok(&certificate));
                if read % 20 == 0 {
                    drop(certificate.obligations(&models));
                }
            }
            Err(error) => assert!(error.to_string().len() < 400, "{error}"),
        }
    }
    assert!(read > 50, "{read} of 3,000 changed files are certificates");
}
