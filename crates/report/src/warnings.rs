//! What a reader should know before believing a verdict, drawn from its coverage: a fault that was
//! declared and never happened makes "holds" say less than it seems to.

use watchkeeper_logic::{Coverage, Verdict};
use watchkeeper_space::Role;

/// The warnings of a verdict: those it carries, and those that its coverage gives rise to.
pub fn warnings(verdict: &Verdict) -> Vec<String> {
    let whole = verdict.holds();
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
#[path = "warnings_tests.rs"]
mod tests;
