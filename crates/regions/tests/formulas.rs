//! Formulas for regions: what people would write is found, and what is found is right at every point.

use watchkeeper_polyhedra::{Polyhedron, Ratio};
use watchkeeper_regions::{Condition, same_region, simplest};

fn names(text: &str) -> Vec<String> {
    text.split(' ').map(String::from).collect()
}

fn regions(text: &str, parameters: &[String]) -> Vec<Polyhedron> {
    Condition::parse(text, parameters).unwrap_or_else(|e| panic!("{text}: {e}")).regions().unwrap()
}

/// The simplest formula for regions in words.
fn found(parameters: &str, domain: &str, yes: &str, no: &str) -> String {
    let names = names(parameters);
    let of = |text: &str| regions(text, &names);
    simplest(&of(yes), &of(no), &of(domain), &names).unwrap().text(&names)
}

#[test]
fn always_and_never() {
    assert_eq!(found("a b", "a > 0", "b > 0", "never"), "always");
    assert_eq!(found("a b", "a > 0", "b > 0", "a < 0"), "always");
    assert_eq!(found("a b", "a > 0", "never", "b > 0"), "never");
    assert_eq!(found("a b", "never", "a > 0", "b > 0"), "always");
}

#[test]
fn one_constraint_is_found_through_many_pieces() {
    let domain = "0 < tmin <= tmax";
    let yes = "0 < tmin <= tmax < 2*tmin and tmax < 10 or 10 <= tmax < 2*tmin and tmin <= tmax";
    assert_eq!(found("tmin tmax", domain, yes, "0 < tmin and 2*tmin <= tmax"), "2*tmin > tmax");
    assert_eq!(found("tmin tmax", domain, "2*tmin >= tmax", "2*tmin < tmax"), "2*tmin >= tmax");
    assert_eq!(found("tmin tmax", domain, "tmin = tmax", "tmin < tmax"), "tmin = tmax");
    assert_eq!(found("tmin tmax", domain, "tmin < tmax", "tmin = tmax"), "tmin < tmax");
    let leases = "h > 0, eps >= 0, d >= 0, ttl > 0";
    let long = "ttl > h + eps + d and ttl < 7 or ttl > h + d + eps and ttl >= 7";
    assert_eq!(found("h eps d ttl", leases, long, "ttl <= h + eps + d"), "ttl > h + eps + d");
}

#[test]
fn conjunctions_and_disjunctions_are_short() {
    let domain = "a > 0, b > 0, c > 0";
    assert_eq!(found("a b c", domain, "a < b and b < c", "a >= b or b >= c"), "a < b and b < c");
    assert_eq!(found("a b c", domain, "a < b or b < c", "a >= b and b >= c"), "a < b or b < c");
    // Disjoint pieces, as a search finds them.
    let yes = "a < b or a >= b and b < c";
    assert_eq!(found("a b c", domain, yes, "a >= b and b >= c"), "a < b or b < c");
    let yes = "c > a and a < b or c > a and a >= b and 2*b > a";
    assert_eq!(found("a b c", domain, yes, "c <= a or c > a and 2*b <= a"), "a < 2*b and a < c");
    let yes = "c > 5 and a < b or c > 5 and a > 2*b";
    assert_eq!(found("a b c", domain, yes, "c <= 5 or b <= a <= 2*b"), "c > 5 and (a < b or a > 2*b)");
}

#[test]
fn strictness_at_edges_is_kept() {
    let domain = "0 <= a <= 10";
    assert_eq!(found("a", domain, "a < 2 or a > 2", "a = 2"), "a < 2 or a > 2");
    assert_eq!(found("a", domain, "a = 2", "a < 2 or a > 2"), "a = 2");
    assert_eq!(found("a", domain, "2 <= a < 5", "a < 2 or a >= 5"), "a >= 2 and a < 5");
    // What is in neither does not matter.
    assert_eq!(found("a", domain, "a > 2", "a < 2"), "a > 2");
    assert_eq!(found("a b", "a >= 0, b >= 0", "a > 2, b > 2", "a < 1"), "a >= 1");
}

#[test]
fn domains_may_have_several_pieces() {
    let domain = "0 < a < 1 or 2 < a < 3";
    assert_eq!(found("a", domain, "0 < a < 1", "2 < a"), "a < 1");
    assert_eq!(found("a", domain, "a < 1/2 or 2 < a", "1/2 <= a <= 2"), "a >= 1 or 2*a < 1");
}

#[test]
fn regions_that_differ_have_a_witness() {
    let names = names("a b");
    let domain = regions("a > 0, b > 0", &names);
    let of = |text: &str| regions(text, &names);
    let same = |a: &str, b: &str| same_region(&of(a), &of(b), &domain).unwrap();
    assert_eq!(same("a < b or a >= b", "always"), None);
    assert_eq!(same("a < b or a = b", "a <= b"), None);
    assert_eq!(same("a > 0", "a > -5"), None);
    assert_eq!(same("a < b", "a <= b"), Some(vec![Ratio::from(1), Ratio::from(1)]));
    assert_eq!(same("2*a > b", "3*a > b"), Some(vec![Ratio::from(1), Ratio::from(2)]));
    let thin = same("0 < a < 1/2", "never").unwrap();
    assert!(thin[0] > Ratio::ZERO && thin[0] < Ratio::new(1, 2).unwrap());
}

/// The pieces, cut by every one of these constraints.
fn cut(pieces: Vec<Polyhedron>, by: &str, parameters: &[String]) -> Vec<Polyhedron> {
    by.split(", ").fold(pieces, |pieces, by| {
        let [half] = regions(by, parameters).try_into().unwrap();
        let both = |piece: Polyhedron| {
            let mut parts = piece.minus(&half).unwrap();
            parts.push(piece.intersection(&half).unwrap());
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>()
        };
        pieces.into_iter().flat_map(both).collect()
    })
}

#[test]
fn many_pieces_over_many_parameters_become_a_short_formula() {
    let names = names("h eps d ttl s");
    let of = |text: &str| regions(text, &names);
    let domain = of("h > 0, eps >= 0, d >= 0, ttl > 0, s > 0");
    let by = "h > d, 2*ttl >= s, eps > d, s > 3*h, ttl > 7, h + d > s";
    for wanted in [
        "ttl > h + eps + d",
        "s >= h + d and ttl > h + eps + d",
        "h > 2*d or ttl > h + eps + d",
        "2*h < s and (h > 2*d or ttl > h + eps + d)",
    ] {
        let yes = of(wanted);
        let no = yes.iter().fold(domain.clone(), |rest, piece| {
            rest.iter().flat_map(|part| part.minus(piece).unwrap()).collect()
        });
        let (yes, no) = (cut(yes, by, &names), cut(no, by, &names));
        assert!(yes.len() > 20 && no.len() > 20, "{} {}", yes.len(), no.len());
        let found = simplest(&yes, &no, &domain, &names).unwrap().text(&names);
        assert_eq!(found, wanted);
    }
}
