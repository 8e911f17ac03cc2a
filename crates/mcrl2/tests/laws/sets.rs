//! Sets and bags against those of the standard library, and infinite ones element by element.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::Evaluation;

type Members = BTreeSet<u8>;
type Counts = BTreeMap<u8, u32>;

fn members() -> impl Strategy<Value = Members> {
    prop::collection::btree_set(0..5_u8, 0..5)
}

fn counts() -> impl Strategy<Value = Counts> {
    prop::collection::btree_map(0..5_u8, 1..4_u32, 0..5)
}

fn set(members: &Members) -> String {
    let texts: Vec<_> = members.iter().map(|member| format!("d{member}")).collect();
    format!("{{{}}}", texts.join(", "))
}

fn bag(counts: &Counts) -> String {
    let texts: Vec<_> = counts.iter().map(|(member, count)| format!("d{member}: {count}")).collect();
    if texts.is_empty() { "{:}".to_owned() } else { format!("{{{}}}", texts.join(", ")) }
}

/// The same set as a condition on its elements.
fn condition(members: &Members) -> String {
    let texts: Vec<_> = members.iter().map(|member| format!("x == d{member} || ")).collect();
    format!("{{x: D | {}false}}", texts.concat())
}

/// The same bag as how often each element is there.
fn function(counts: &Counts) -> String {
    let texts: Vec<_> =
        counts.iter().map(|(member, count)| format!("if(x == d{member}, {count}, 0) + ")).collect();
    format!("{{x: D | {}0}}", texts.concat())
}

/// What counts say, taken together.
fn together(a: &Counts, b: &Counts, of: impl Fn(u32, u32) -> u32) -> Counts {
    let count = |counts: &Counts, member| counts.get(&member).copied().unwrap_or(0);
    let all = (0..5).map(|member| (member, of(count(a, member), count(b, member))));
    all.filter(|(_, count)| *count > 0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sets(a in members(), b in members()) {
        let mut evaluation = Evaluation::with_five_values();
        let all: Members = (0..5).collect();
        let operations: [(&str, Members); 3] =
            [("+", &a | &b), ("*", &a & &b), ("-", &a - &b)];
        for (sign, expected) in operations {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(evaluation.value(&format!("{x} {sign} {y}")), set(&expected));
            let (f, g) = (condition(&a), condition(&b));
            for law in [format!("{f} {sign} {g}"), format!("{x} {sign} {g}"), format!("{f} {sign} {y}")] {
                let law = format!("{law} == {}", set(&expected));
                prop_assert_eq!(evaluation.value(&law), "true", "{}", law);
            }
        }
        let (x, y, f, g) = (set(&a), set(&b), condition(&a), condition(&b));
        let rest = set(&(&all - &a));
        for (law, expected) in [
            (format!("{x} <= {y}"), a.is_subset(&b)),
            (format!("{f} <= {g}"), a.is_subset(&b)),
            (format!("{x} < {g}"), a.is_subset(&b) && a != b),
            (format!("{x} == {y}"), a == b),
            (format!("{f} == {y}"), a == b),
            (format!("!{x} == {rest}"), true),
            (format!("!{f} == {rest}"), true),
            (format!("!!{f} == {x}"), true),
            (format!("!({x} + {g}) == !{f} * !{y}"), true),
            (format!("d0 in {x}"), a.contains(&0)),
            (format!("d0 in {f} - {y}"), a.contains(&0) && !b.contains(&0)),
            (format!("#{x} == {}", a.len()), true),
        ] {
            prop_assert_eq!(evaluation.value(&law), expected.to_string(), "{}", law);
        }
    }

    #[test]
    fn bags(a in counts(), b in counts()) {
        let mut evaluation = Evaluation::with_five_values();
        let operations = [
            ("+", together(&a, &b, |x, y| x + y)),
            ("*", together(&a, &b, u32::min)),
            ("-", together(&a, &b, u32::saturating_sub)),
        ];
        let (x, y, f, g) = (bag(&a), bag(&b), function(&a), function(&b));
        for (sign, expected) in operations {
            // A name before a colon would begin a comprehension if a sort came behind it; a number does not.
            prop_assert_eq!(evaluation.value(&format!("{x} {sign} {y}")), bag(&expected));
            for law in [format!("{f} {sign} {g}"), format!("{x} {sign} {g}"), format!("{f} {sign} {y}")] {
                let law = format!("{law} == {}", bag(&expected));
                prop_assert_eq!(evaluation.value(&law), "true", "{}", law);
            }
        }
        let below = (0..5).all(|member| a.get(&member).unwrap_or(&0) <= b.get(&member).unwrap_or(&0));
        let members: Members = a.keys().copied().collect();
        for (law, expected) in [
            (format!("{x} <= {y}"), below),
            (format!("{f} <= {g}"), below),
            (format!("{x} < {y}"), below && a != b),
            (format!("{x} == {y}"), a == b),
            (format!("{x} == {g}"), a == b),
            (format!("Bag2Set({x}) == {}", set(&members)), true),
            (format!("Bag2Set({f}) == {}", set(&members)), true),
            (format!("count(d0, {f} + {y}) == count(d0, {x}) + count(d0, {g})"), true),
            (format!("#{x} == {}", a.values().sum::<u32>()), true),
        ] {
            prop_assert_eq!(evaluation.value(&law), expected.to_string(), "{}", law);
        }
    }
}
