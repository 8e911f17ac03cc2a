//! Formulas between the user and the prover: read from an argument, with control points by their names, and told in
//! the same words, so that what is printed can be copied into an argument.

use watchkeeper::{Problem, SettingOrigin};
use watchkeeper_logic::quoted;
use watchkeeper_prove::{Claim, System, Term, term};
use watchkeeper_report::TheoremScope;

/// A formula about states, from an argument.
pub(super) fn formula(system: &System, flag: &str, text: &str) -> Result<Term, Problem> {
    let refused = |why: String| Problem::Value { origin: SettingOrigin::Argument(flag.to_string()), why };
    let read = term(text).map_err(|error| refused(format!("{} is not a formula: {error}", quoted(text))))?;
    let known = system.sorts();
    let numbered = read.replaced(&|name| if known.contains_key(name) { None } else { point(system, name) });
    system.formula(&numbered.to_string()).map_err(|error| refused(error.to_string()))
}

/// A formula about parameters alone, from an argument.
pub(super) fn assumption(system: &System, flag: &str, text: &str) -> Result<Term, Problem> {
    let read = formula(system, flag, text)?;
    if let Some(variable) =
        system.variables.iter().find(|variable| read.names().contains(variable.name.as_str()))
    {
        let parameters: Vec<&str> =
            system.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let why = format!(
            "`{}` changes during a run, and an assumption is about parameters alone: {}",
            variable.name,
            parameters.join(", ")
        );
        return Err(Problem::Value { origin: SettingOrigin::Argument(flag.to_string()), why });
    }
    Ok(read)
}

/// Formulas with a name each: the flag and the place.
pub(super) fn claims(system: &System, flag: &str, texts: &[String]) -> Result<Vec<Claim>, Problem> {
    let read = texts.iter().enumerate().map(|(i, text)| {
        let name = format!("{} {}", flag.trim_start_matches('-'), i + 1);
        Ok(Claim { name, formula: formula(system, flag, text)? })
    });
    read.collect()
}

/// A term as a person reads it: control points by their names.
pub(super) fn told(system: &System, term: &Term) -> String {
    named(system, term).to_string()
}

/// What a claim about a system is about: its parameters, and every assumption about them, a conjunct each.
pub(crate) fn scope(system: &System) -> TheoremScope {
    let parameters = system.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let mut assumptions: Vec<String> = Vec::new();
    for assumption in &system.assumptions {
        let conjuncts = match assumption {
            Term::And(all) => &all[..],
            Term::Bool(true) => &[],
            one => std::slice::from_ref(one),
        };
        for conjunct in conjuncts {
            let told = told(system, conjunct);
            let is_loose = matches!(conjunct, Term::Or(_) | Term::Implies(..) | Term::If(..) | Term::All(..));
            let told = if is_loose { format!("({told})") } else { told };
            if !assumptions.contains(&told) {
                assumptions.push(told);
            }
        }
    }
    TheoremScope::new(parameters, assumptions)
}

/// The number of the control point of this name, if no two variables mean something else by it.
fn point(system: &System, name: &str) -> Option<Term> {
    let places =
        system.variables.iter().filter_map(|variable| variable.points.iter().position(|p| p == name));
    let mut places: Vec<usize> = places.collect();
    places.dedup();
    match places[..] {
        [place] => i64::try_from(place).ok().map(Term::Number),
        _ => None,
    }
}

/// The term with names in the place of the numbers of control points.
fn named(system: &System, term: &Term) -> Term {
    let one = |part: &Term| Box::new(named(system, part));
    let each = |parts: &[Term]| parts.iter().map(|part| named(system, part)).collect();
    match term {
        Term::Eq(left, right) => match (&**left, &**right) {
            (Term::Name(variable), Term::Number(number)) => {
                let name = usize::try_from(*number)
                    .ok()
                    .and_then(|place| system.named(variable)?.points.get(place))
                    .filter(|name| point(system, name).is_some() && !system.sorts().contains_key(*name));
                match name {
                    Some(name) => Term::Eq(left.clone(), Box::new(Term::name(name))),
                    None => term.clone(),
                }
            }
            _ => Term::Eq(one(left), one(right)),
        },
        Term::If(a, b, c) => Term::If(one(a), one(b), one(c)),
        Term::Not(a) => Term::Not(one(a)),
        Term::And(all) => Term::And(each(all)),
        Term::Or(all) => Term::Or(each(all)),
        Term::Implies(a, b) => Term::Implies(one(a), one(b)),
        Term::Le(a, b) => Term::Le(one(a), one(b)),
        Term::Lt(a, b) => Term::Lt(one(a), one(b)),
        Term::Sum(all) => Term::Sum(each(all)),
        Term::Times(k, part) => Term::Times(*k, one(part)),
        Term::All(element, low, high, body) => Term::All(element.clone(), one(low), one(high), one(body)),
        Term::Number(_) | Term::Bool(_) | Term::Name(_) | Term::In(..) | Term::Of(_) => term.clone(),
    }
}

/// Words of a sentence: `a, b and c`.
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_prove::{assign, assume};

    fn lamp() -> System {
        System::new("lamp")
            .parameter("T", "how long it burns")
            .assuming("1 <= T")
            .control("lamp", &["OFF", "ON"], "the lamp")
            .number("lit", 0, "how long it has been on")
            .initially([assign("lamp", "0"), assign("lit", "0")])
            .step("switch on", [assume("lamp = 0"), assign("lamp", "1"), assign("lit", "0")])
            .finished()
            .expect("a system")
    }

    #[test]
    fn control_points_have_names_in_both_directions() {
        let system = lamp();
        let read = formula(&system, "--property", "lamp = ON => lit <= T").expect("a formula");
        assert_eq!(read.to_string(), "lamp = 1 => lit <= T");
        assert_eq!(told(&system, &read), "lamp = ON => lit <= T");
        let other = formula(&system, "--property", "not lamp = OFF or lit + T <= 7").expect("a formula");
        assert_eq!(formula(&system, "--property", &told(&system, &other)), Ok(other));
    }

    #[test]
    fn what_has_no_meaning_is_refused_with_its_place() {
        let system = lamp();
        let refused = |text: &str| formula(&system, "--property", text).expect_err(text).to_string();
        assert!(
            refused("lit <=").starts_with("--property: `lit <=` is not a formula: at character 7"),
            "{}",
            refused("lit <=")
        );
        assert!(
            refused("light <= 3").contains("`light` is not a name of the system"),
            "{}",
            refused("light <= 3")
        );
        assert!(refused("lit + 1").contains("is not true or false"), "{}", refused("lit + 1"));
        let changing = assumption(&system, "--assume", "lit <= T").expect_err("a variable").to_string();
        assert!(changing.contains("`lit` changes during a run"), "{changing}");
        assert!(assumption(&system, "--assume", "T >= 4").is_ok());
    }

    #[test]
    fn words_are_listed_as_in_a_sentence() {
        assert_eq!(
            (listed(&[]), listed(&["a"]), listed(&["a", "b", "c"])),
            (String::new(), "a".into(), "a, b and c".into())
        );
    }
}
