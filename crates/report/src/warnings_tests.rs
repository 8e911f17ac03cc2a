//! Which warnings the coverage of a verdict gives rise to.

use super::*;
use watchkeeper_logic::Outcome;
use watchkeeper_logic::{Limit, Stats};

fn holds() -> Outcome {
    let mut ledger = watchkeeper_logic::Ledger::open();
    ledger.stores(1);
    ledger.expands(1, 0, 0);
    Outcome::Holds(ledger.close().expect("it balances"))
}

fn verdict(outcome: Outcome) -> Verdict {
    let class = |name: &str, role, count| Coverage { name: name.to_string(), role, count };
    Verdict {
        outcome,
        property: "no deadlock".to_string(),
        assumptions: Vec::new(),
        warnings: vec!["a cap was reached".to_string()],
        coverage: vec![
            class("crash", Role::Fault, 0),
            class("lose", Role::Fault, 3),
            class("fire Round", Role::Timer, 0),
            class("deliver I-AM-ALIVE", Role::Message, 0),
            class("unblock", Role::Other, 0),
        ],
        stats: Stats::default(),
    }
}

#[test]
fn what_never_happened_is_named_by_its_role() {
    assert_eq!(
        warnings(&verdict(holds())),
        [
            "a cap was reached",
            "declared fault never happened: crash (the verdict says nothing about it)",
            "timer never fired: Round (what follows a timeout was not seen)",
            "message kind never delivered: I-AM-ALIVE (what follows its receipt was not seen)",
        ]
    );
}

#[test]
fn a_search_that_ended_early_is_judged_for_its_part_only() {
    let unknown = verdict(Outcome::Unknown(Limit::Interrupted));
    assert_eq!(warnings(&unknown)[1], "declared fault never happened: crash (in the part that was searched)");
}

#[test]
fn warnings_that_are_there_already_are_not_doubled() {
    let mut once = verdict(holds());
    once.warnings = warnings(&once);
    assert_eq!(warnings(&once), once.warnings);
}
