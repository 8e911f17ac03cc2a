//! Whatever the text, there is an answer: a tree, or an error that points into the text. Deep and long texts exhaust no stack.

use proptest::prelude::*;
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::data::Rewriter;
use watchkeeper_mcrl2::syntax::{parse_data_expression, parse_formula, parse_specification};
use watchkeeper_mcrl2::typing::{Scope, Signature};

const SPECIFICATION: &str = "% comment
sort D = struct d1?is_d1 | d2(get: Nat, D); L = List(D); F = Nat # Bool -> Set(L); O;
cons c: Nat -> O; map f, g: D -> D -> Nat; h: FBag(D); glob dc: D;
var d, e: D; n: Nat; eqn f(d1)(e) = 0; n > 0 -> f(d2(n, d))(e) = n + f(d)(e) whr x = 1 end; h = {d1: 2};
act a, b: D # Nat; t;
proc P(d: D, n: Nat) = sum x: D, m: Nat . (m < n) -> a(x, m) . P(d = x) <> delta + t | b(d, 1) . P() @ 3;
init hide({t}, allow({a | b, t}, comm({a | b -> t}, rename({a -> b}, block({b}, P(d1, 2) || P(d1, 3) ||_ tau << t)))));
";

const FORMULA: &str = "nu X(n: Nat = 0, s: Set(Nat) = {m: Nat | m < 3}) . [true* . !(a(d1, n) || exists d: D . b(d, 1))]
  (X(n + 1, s - {n}) && <a(d1, 1)|t + tau . val(n < 2)+>true => (mu Y . forall d: D . [nil]Y || val(n in s)))";

/// Reads, types and compiles what can be.
fn read_all(text: &str) -> Result<(), LanguageError> {
    let mut errors = Vec::new();
    match parse_specification(text) {
        Ok(specification) => {
            errors.extend(
                Signature::of(&specification.data).and_then(|signature| Rewriter::new(&signature)).err(),
            );
        }
        Err(error) => errors.push(error),
    }
    errors.extend(parse_formula(text).err());
    errors.extend(parse_data_expression(text).err());
    for error in &errors {
        let span = error.span();
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{error}");
        assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize));
        assert!(!error.to_string().is_empty());
    }
    errors.into_iter().next().map_or(Ok(()), Err)
}

/// A text with one piece changed.
fn mutated(text: &str, at: usize, kind: u8, piece: &str) -> String {
    let mut places: Vec<_> = text.char_indices().map(|(place, _)| place).collect();
    places.push(text.len());
    let begin = places[at % places.len()];
    let end = places[(at + usize::from(kind) % 7).min(places.len() - 1).max(at % places.len())];
    let end = end.max(begin);
    match kind % 4 {
        0 => format!("{}{}", &text[..begin], &text[end..]),
        1 => format!("{}{piece}{}", &text[..begin], &text[begin..]),
        2 => format!("{}{piece}{}", &text[..begin], &text[end..]),
        _ => format!("{}{}{}", &text[..end], &text[begin..end], &text[end..]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_texts_are_read_or_refused(
        at in any::<u16>(),
        kinds in prop::collection::vec((any::<u8>(), any::<u16>()), 1..4),
        piece in "[a-z0-9 (){}\\[\\]|&<>=!+*.:;,#@?%'_-]{0,4}|sum |forall |whr |end|struct |init |é",
        formula in any::<bool>(),
    ) {
        let mut text = (if formula { FORMULA } else { SPECIFICATION }).to_owned();
        for (kind, further) in kinds {
            text = mutated(&text, usize::from(at) + usize::from(further), kind, &piece);
        }
        let _ = read_all(&text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        let _ = read_all(&text);
    }
}

#[test]
fn what_the_mutations_begin_with_is_read() {
    let specification = parse_specification(SPECIFICATION).expect("a specification");
    Signature::of(&specification.data).and_then(|signature| Rewriter::new(&signature)).expect("well typed");
    parse_formula(FORMULA).expect("a formula");
}

#[test]
fn deep_texts_exhaust_no_stack() {
    let nests: [(&str, &str, &str); 8] = [
        ("(", "1", ")"),
        ("!", "true", ""),
        ("f(", "1", ")"),
        ("[", "1", "]"),
        ("{x: Nat | ", "true", "}"),
        ("lambda x: Nat . ", "x", ""),
        ("1 |> ", "[]", ""),
        ("forall x: List(", "Nat . true", ")"),
    ];
    for (open, inside, close) in nests {
        for depth in [10, 150, 250, 100_000] {
            let text = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
            let answer = parse_data_expression(&text);
            if depth > 2000 {
                let error = answer.expect_err(open).to_string();
                assert!(!error.is_empty());
            } else if let Ok(expression) = answer {
                let printed = expression.to_string();
                let mut signature = Signature::of(&Default::default()).expect("nothing");
                let _ = signature.typed(&Scope::new(), &expression, None);
                assert!(parse_data_expression(&printed).is_ok());
            }
        }
    }
    for (sign, operand) in
        [("+", "1"), ("||", "true"), ("&&", "true"), ("=>", "true"), ("|>", "[]"), ("++", "[1]")]
    {
        for length in [10, 550, 100_000] {
            let text = vec![operand; length].join(sign);
            let answer = parse_data_expression(&text);
            assert_eq!(answer.is_ok(), length < 2000, "{sign} {length}");
            let Ok(expression) = answer else { continue };
            let mut signature = Signature::of(&Default::default()).expect("nothing");
            let mut rewriter = Rewriter::new(&signature).expect("nothing");
            if let Ok(term) = signature.typed(&Scope::new(), &expression, None) {
                let compiled = rewriter.compile(&signature, &term, &[]).expect("supported");
                rewriter.evaluate(&compiled, &[]).expect("a value");
            }
        }
    }
    let formulas = ["!", "[true]", "<(", "[((true", "mu X . ", "forall x: Nat . ", "("];
    for piece in formulas {
        assert!(parse_formula(&piece.repeat(100_000)).is_err());
    }
    for piece in ["(", "a . (", "b -> ", "sum x: D . ", "hide({a}, ", "a + "] {
        let text = format!("init {}a;", piece.repeat(100_000));
        assert!(piece == "a + " || parse_specification(&text).is_err());
    }
}
