//! Arithmetic against machine words, and its laws where those are too small.

use proptest::prelude::*;

use super::Evaluation;

/// Numbers of all sizes, the small ones as often as the large ones.
fn number() -> impl Strategy<Value = i128> {
    (any::<i128>(), 1..115_u32).prop_map(|(number, bits)| number >> (127 - bits))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn integers_are_those_of_machine_words(a in number(), b in number(), c in 1..1_i128 << 90) {
        let mut evaluation = Evaluation::with_five_values();
        let mut is = |text: String, expected: i128| assert_eq!(evaluation.value(&text), expected.to_string(), "{text}");
        is(format!("({a}) + ({b})"), a + b);
        is(format!("({a}) - ({b})"), a - b);
        is(format!("({a}) div {c}"), a.div_euclid(c));
        is(format!("({a}) mod {c}"), a.rem_euclid(c));
        is(format!("max({a}, {b})"), a.max(b));
        is(format!("min({a}, {b})"), a.min(b));
        is(format!("abs({a})"), a.abs());
        is(format!("floor(({a}) / {c})"), a.div_euclid(c));
        is(format!("ceil(({a}) / {c})"), -(-a).div_euclid(c));
        let (x, y) = (a >> 64, b >> 64);
        is(format!("({x}) * ({y})"), x * y);
        assert_eq!(evaluation.value(&format!("({a}) < ({b})")), (a < b).to_string());
        assert_eq!(evaluation.value(&format!("({a}) <= ({b})")), (a <= b).to_string());
        assert_eq!(evaluation.value(&format!("({a}) == ({b})")), (a == b).to_string());
    }

    #[test]
    fn large_numbers_obey_the_laws(a in "-?[1-9][0-9]{0,60}", b in "[1-9][0-9]{0,45}", c in "-?[1-9][0-9]{0,20}") {
        let mut evaluation = Evaluation::with_five_values();
        for law in [
            format!("({a}) * {b} div {b} == ({a})"),
            format!("(({a}) div {b}) * {b} + (({a}) mod {b}) == ({a})"),
            format!("(({a}) mod {b}) < {b} && 0 <= (({a}) mod {b})"),
            format!("({a}) * (({b}) + ({c})) == ({a}) * {b} + ({a}) * ({c})"),
            format!("({a}) + {b} - {b} == ({a})"),
            format!("(({a}) / {b}) * {b} == ({a})"),
            format!("({a}) / {b} + ({c}) / {b} == (({a}) + ({c})) / {b}"),
            format!("({a}) < ({a}) + 1 / {b} && ({a}) - 1 / {b} < ({a})"),
            format!("({a}) / ({c}) < ({b}) || ({a}) / ({c}) >= {b}"),
            format!("sqrt({b}) * sqrt({b}) <= {b} && {b} < (sqrt({b}) + 1) * (sqrt({b}) + 1)"),
        ] {
            prop_assert_eq!(evaluation.value(&law), "true", "{}", law);
        }
    }

    #[test]
    fn powers_are_products(a in -20..20_i128, b in 1..40_i128, n in 0..25_u32) {
        let mut evaluation = Evaluation::with_five_values();
        prop_assert_eq!(evaluation.value(&format!("exp({a}, {n})")), a.pow(n).to_string());
        let law = format!("exp(({a}) / {b}, {n}) == exp({a}, {n}) / exp({b}, {n})");
        prop_assert_eq!(evaluation.value(&law), "true");
    }
}
