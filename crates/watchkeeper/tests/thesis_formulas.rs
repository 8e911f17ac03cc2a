//! Requirements of Atif's thesis (2011) as formulas about states, on the protocols of this project: what is typed here is
//! what docs/temporal-logic.md lists.

use watchkeeper::protocols::consensus::Strong;
use watchkeeper::protocols::heartbeat::Heartbeat;
use watchkeeper::protocols::membership::Membership;
use watchkeeper::{CheckBuilder, check_named};

const AGREEMENT: &str = "all p, q: G (decided(p,0) -> G !decided(q,1)) & G (decided(p,1) -> G !decided(q,0))";
const INTEGRITY: &str = "all p: G (decided(p,0) -> G !decided(p,1)) & G (decided(p,1) -> G !decided(p,0))";
const TERMINATION: &str = "all p: F (decided(p) | crashed(p))";
const VALIDITY: &str = "all p: G (decided(p) -> decided(p,0))";

fn consensus(parameters: &[(&str, &str)], formula: &str) -> bool {
    let strong = check_named::<Strong>("consensus-strong").setting("n", "2").setting("fairness", "steps");
    holds(parameters.iter().fold(strong, |check, (name, text)| check.setting(name, text)).ltl(formula))
}

/// Whether it holds, with all that it takes to say so.
fn holds(check: CheckBuilder) -> bool {
    let verdict = check.run().unwrap_or_else(|problem| panic!("{problem}"));
    assert!(verdict.holds() || verdict.trace().is_some(), "{}", verdict.word());
    verdict.holds()
}

/// Section 4.4: agreement, integrity, termination and validity.
#[test]
fn consensus_fulfils_its_requirements_and_planted_mistakes_do_not() {
    for formula in [AGREEMENT, INTEGRITY, TERMINATION] {
        assert!(consensus(&[], formula), "{formula}");
    }
    assert!(!consensus(&[("flaw", "own-value")], AGREEMENT));
    assert!(consensus(&[("values", "0,0")], VALIDITY));
    assert!(!consensus(&[("values", "1,1")], VALIDITY));
}

/// Section 3.5.2: nobody gives up before another process has crashed, where no message is lost.
#[test]
fn the_formulas_of_heartbeats_say_what_their_observers_say() {
    const R2: &str = "!stopped(p1) W crashed(p0)";
    const R3: &str = "!stopped(p0) W crashed(p1)";
    let mut answers = Vec::new();
    for (tmin, tmax) in [("1", "4"), ("2", "4"), ("3", "4"), ("4", "4")] {
        for (formula, requirement) in [(R2, "R2"), (R3, "R3")] {
            let check = || {
                check_named::<Heartbeat>("binary")
                    .setting("tmin", tmin)
                    .setting("tmax", tmax)
                    .setting("loss", "0")
                    .setting("time", "ticks")
            };
            let typed = holds(check().ltl(formula));
            let observed = holds(check().setting("property", requirement));
            assert_eq!(typed, observed, "{formula} with tmin {tmin}, tmax {tmax}");
            answers.push(typed);
        }
    }
    assert!(answers.contains(&true) && answers.contains(&false), "{answers:?}");
}

/// Section 5.5.1: members that have nothing to agree on and are in each other's configuration have the same one.
#[test]
fn members_have_one_configuration_unless_a_reading_fails() {
    const CONSENSUS: &str =
        "G all p != q: agreed(p) & agreed(q) & in-ccs(p,q) -> all r: in-ccs(p,r) <-> in-ccs(q,r)";
    let group = |flaw: &str| {
        check_named::<Membership>("membership")
            .setting("n", "2")
            .setting("flaw", flaw)
            .setting("cliques", "alone")
            .setting("fairness", "steps")
    };
    assert!(holds(group("none").ltl(CONSENSUS)));
    let together = "F (crashed(p0) | view(p0,{p1,p0}))";
    assert!(holds(group("none").ltl(together)));
    assert!(!holds(group("none").ltl("G view(p0,{p0})")));
}
