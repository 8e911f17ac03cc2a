//! What a reader should know before believing a verdict, drawn from its coverage: a fault that was
//! declared and never happened makes "holds" say less than it seems to.

use watchkeeper_logic::{Coverage, Outcome, Verdict};
use watchkeeper_space::Role;

/// The warnings of a verdict: those it carries, and those that its coverage gives rise to.
pub fn warnings(verdict: &Verdict) -> Vec<String> {
    let whole = matches!(verdict.outcome, Outcome::Holds);
    let mut found = verdict.warnings.clone();
    for class in &verdict.coverage {
        if let Some(warning) = never(class, whole).filter(|warning| !found.contains(warning)) {
            found.push(warning);
        }
    }
    found
}

fn never(class: &Coverage, whole: bool) -> Option<String> {
    if class.count > 0 {
        return None;
    }
    let name = |verb: &str| class.name.strip_prefix(verb).unwrap_or(&class.name).trim().to_string();
    let (what, so) = match class.role {
        Role::Fault => {
            (format!("declared fault never happened: {}", class.name), "the verdict says nothing about it")
        }
        Role::Timer => {
            (format!("timer never fired: {}", name("fire ")), "what follows a timeout was not seen")
        }
        Role::Message => {
            let kind = name("deliver ");
            (format!("message kind never delivered: {kind}"), "what follows its receipt was not seen")
        }
        Role::Other => return None,
    };
    // Of a search that ended early it is no surprise, and no judgement on the model.
    Some(if whole { format!("{what} ({so})") } else { format!("{what} (in the part that was searched)") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_logic::{Limit, Stats};

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
            warnings(&verdict(Outcome::Holds)),
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
        assert_eq!(
            warnings(&unknown)[1],
            "declared fault never happened: crash (in the part that was searched)"
        );
    }

    #[test]
    fn warnings_that_are_there_already_are_not_doubled() {
        let mut once = verdict(Outcome::Holds);
        once.warnings = warnings(&once);
        assert_eq!(warnings(&once), once.warnings);
    }
}
