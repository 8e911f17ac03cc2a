//! What is read, what is refused and where the error points, and that what is written is read back.

use super::*;
use crate::random::Random;
use crate::{Accuracy, Completeness, Suspicions};

/// Three processes that suspect and crash, and some atoms with odd names.
struct Three {
    names: Vec<String>,
}

impl Three {
    fn new() -> Three {
        let mut names: Vec<String> = (0..3).map(|p| format!("crashed(p{p})")).collect();
        for q in 0..3 {
            let others = (0..3).filter(|&p| p != q);
            names.extend(others.map(|p| format!("suspects(p{q},p{p})")));
        }
        names
            .extend(["a", "b", "c", "time-can-pass", "R1 of p[1]", "F", "say \"no\\yes\""].map(String::from));
        names.extend(["view(p0,{})", "view(p0,{p0,p2})", "decided(p1,7)", "odd({p0})"].map(String::from));
        Three { names }
    }

    fn id(&self, name: &str) -> Formula {
        Formula::atom(self.names.iter().position(|known| known == name).unwrap())
    }
}

impl AtomNames for Three {
    fn atom(&self, name: &str) -> Option<AtomId> {
        self.names.iter().position(|known| known == name)
    }

    fn processes(&self) -> usize {
        3
    }

    fn known(&self) -> Vec<String> {
        self.names.clone()
    }
}

fn read(text: &str) -> Formula {
    parse(text, &Three::new()).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

fn wrong(text: &str) -> SyntaxError {
    parse(text, &Three::new()).expect_err(text)
}

fn abc() -> [Formula; 3] {
    ["a", "b", "c"].map(|name| Three::new().id(name))
}

#[test]
fn atoms_have_numbers_and_sets_of_processes() {
    let three = Three::new();
    assert_eq!(read("decided(p1,7)"), three.id("decided(p1,7)"));
    assert_eq!(read("view(p0,{})"), three.id("view(p0,{})"));
    for text in ["view(p0,{p0,p2})", "view(p0, { p2, p0, p2 })", "some q: q = p2 & view(p0,{q,p0})"] {
        assert_eq!(read(text), three.id("view(p0,{p0,p2})"), "{text}");
    }
    for (text, part) in [
        ("view(p0,{p0", "after a process of a set"),
        ("view(p0,{7})", "neither a process nor a variable"),
        ("view(p0,{p3})", "there is no `p3`"),
        ("view(p0,{,})", "a set has processes"),
        ("{p0}", "a formula must follow"),
    ] {
        let error = wrong(text);
        assert!(error.message.contains(part), "{text}: {}", error.message);
    }
}

#[test]
fn operators_have_signs_and_words() {
    let [a, b, _] = abc();
    for (texts, expected) in [
        (vec!["G a", "always a", "[] a", "[]a", "□a"], a.clone().always()),
        (vec!["F a", "eventually a", "<>a", "◇ a"], a.clone().eventually()),
        (vec!["X a", "next a", "○a"], a.clone().next()),
        (vec!["! a", "not a", "!a", "¬a"], a.clone().not()),
        (vec!["a & b", "a && b", "a and b", "a&b", "a ∧ b"], a.clone().and(b.clone())),
        (vec!["a | b", "a || b", "a or b", "a ∨ b"], a.clone().or(b.clone())),
        (vec!["a -> b", "a => b", "a->b", "a → b"], a.clone().implies(b.clone())),
        (vec!["a U b", "a until b"], a.clone().until(b.clone())),
        (vec!["a R b", "a releases b"], a.clone().release(b.clone())),
        (vec!["a W b", "a unless b"], b.clone().release(a.clone().or(b.clone()))),
        (vec!["a ~> b", "G (a -> F b)", "always (a => eventually b)"], a.clone().leads_to(b.clone())),
        (vec!["a <-> b", "a <=> b"], a.clone().implies(b.clone()).and(b.clone().implies(a.clone()))),
        (vec!["GF a", "GF(a)", "G F a"], a.clone().eventually().always()),
        (vec!["true", "(true)", "p0 = p0", "p0 != p1"], Formula::True),
        (vec!["false", "p0 = p1"], Formula::False),
    ] {
        for text in texts {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

#[test]
fn operators_bind_as_is_usual() {
    for (loose, tight) in [
        ("a & b | c", "(a & b) | c"),
        ("a | b & c", "a | (b & c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b | c", "a -> (b | c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a & b U c", "a & (b U c)"),
        ("a U b U c", "a U (b U c)"),
        ("G a & b", "(G a) & b"),
        ("! a U b", "(!a) U b"),
        ("a & b ~> b | c", "(a & b) ~> (b | c)"),
        ("a -> b ~> c", "a -> (b ~> c)"),
        ("G all p: crashed(p) & a", "G (all p: (crashed(p) & a))"),
        ("a & b & c", "(a & b) & c"),
        ("!p0 = p1", "!(p0 = p1)"),
    ] {
        assert_eq!(read(loose), read(tight), "{loose}");
    }
}

#[test]
fn names_may_be_odd() {
    let three = Three::new();
    assert_eq!(read("time-can-pass"), three.id("time-can-pass"));
    assert_eq!(read("\"R1 of p[1]\""), three.id("R1 of p[1]"));
    assert_eq!(read("F \"F\""), three.id("F").eventually());
    assert_eq!(read(r#""say \"no\\yes\"""#), three.id("say \"no\\yes\""));
    assert_eq!(read("\"suspects(p0,p1)\""), three.id("suspects(p0,p1)"));
    assert_eq!(read("suspects( p0 , p1 )"), three.id("suspects(p0,p1)"));
}

#[test]
fn quantifiers_speak_of_every_process() {
    let three = Three::new();
    let crashed = |p: usize| three.id(&format!("crashed(p{p})"));
    let suspects = |q: usize, p: usize| three.id(&format!("suspects(p{q},p{p})"));
    assert_eq!(read("all p: crashed(p)"), Formula::all((0..3).map(crashed)));
    assert_eq!(read("some p: G crashed(p)"), Formula::any((0..3).map(|p| crashed(p).always())));
    let pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
    let each = Formula::all(pairs.map(|(p, q)| crashed(p).and(crashed(q).not()).implies(suspects(q, p))));
    for text in [
        "all p != q: crashed(p) & !crashed(q) -> suspects(q,p)",
        "all p, q != p: crashed(p) & !crashed(q) -> suspects(q,p)",
        "all p, q: p != q -> crashed(p) & !crashed(q) -> suspects(q,p)",
        "all p, q: p = q | (crashed(p) & !crashed(q) -> suspects(q,p))",
    ] {
        assert_eq!(read(text), each, "{text}");
    }
    let nested = (0..3).map(|p| Formula::any((0..3).filter(|&q| q != p).map(|q| suspects(q, p))));
    assert_eq!(read("all p: some q != p: suspects(q,p)"), Formula::all(nested));
    assert_eq!(read("all p != p1: crashed(p)"), crashed(0).and(crashed(2)));
    assert_eq!(read("some p: p = p2 & crashed(p)"), crashed(2));
}

#[test]
fn errors_point_at_the_place_and_say_what_to_write() {
    for (text, at, len, message) in [
        ("", 0, 0, "there is no formula"),
        ("  ", 0, 0, "there is no formula"),
        ("a &", 3, 0, "after `&` a formula must follow"),
        ("a & | b", 4, 1, "after `&` a formula must follow, not `|`"),
        ("a b", 2, 1, "an operator is missing before `b`"),
        ("(a b)", 3, 1, "an operator or `)` is missing before `b`"),
        ("G (a -> b", 2, 1, "never closed"),
        ("a -> b)", 6, 1, "closes none"),
        ("a # b", 2, 1, "`#` has no meaning here"),
        ("\"a", 0, 2, "never ends"),
        ("G crashed(p9)", 2, 11, "did you mean `crashed(p0)` or `crashed(p1)` or `crashed(p2)`?"),
        ("suspect(p0,p1)", 0, 14, "did you mean `suspects(p0,p1)`?"),
        ("time-can-pas", 0, 12, "did you mean `time-can-pass`?"),
        ("g a", 2, 1, "an operator is missing"),
        ("g", 0, 1, "operators are capital letters: write `G`"),
        ("crashed(p)", 0, 10, "`p` is no variable here"),
        ("all p, q: suspects(p,q)", 10, 13, "write `all p != q"),
        ("all p crashed(p)", 6, 7, "`:` must follow"),
        ("all G: crashed(p)", 4, 1, "a variable must follow"),
        ("all p0: a", 4, 2, "`p0` is a process"),
        ("all p: all p: a", 11, 1, "has a meaning here already"),
        ("all p, p: a", 7, 1, "has a meaning here already"),
        ("all p != p: a", 9, 1, "no process differs from itself"),
        ("p = p0", 0, 1, "neither a process nor a variable"),
        ("p0 = p7", 5, 2, "the processes are p0 to p2"),
        ("a ~> b ~> c", 7, 2, "can be read in two ways"),
        ("a U b R c", 6, 1, "can be read in two ways"),
        ("a U b W crashed(p0)", 6, 1, "can be read in two ways"),
        ("crashed()", 8, 1, "an argument must be a name"),
        ("crashed(p0", 10, 0, "`,` or `)` must follow"),
    ] {
        let error = wrong(text);
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert_eq!((error.at, error.len), (at, len), "{text}: {}", error.message);
    }
}

#[test]
fn an_error_is_shown_under_the_text() {
    let text = "G (a -> F suspect(p0,p1))";
    assert_eq!(
        wrong(text).render(text),
        "  G (a -> F suspect(p0,p1))\n            ^^^^^^^^^^^^^^\nthere is no atom `suspect(p0,p1)`: did you mean `suspects(p0,p1)`?"
    );
    let text = "a ∧\n\tb ∧ 😀 & c\n";
    let rendered = wrong(text).render(text);
    assert!(rendered.starts_with("  \tb ∧ 😀 & c\n  \t    ^\n`😀` has no meaning"), "{rendered}");
    assert!(wrong("a &").render("a &").starts_with("  a &\n     ^\n"));
}

#[test]
fn large_input_is_refused() {
    let deep = "(".repeat(5_000) + "a" + &")".repeat(5_000);
    assert!(wrong(&deep).message.contains("more than 2000 words"));
    let deep = "(".repeat(900) + "a" + &")".repeat(900);
    assert!(wrong(&deep).message.contains("nested deeper than 128"));
    let wide = "all a1, a2, a3, a4, a5, a6, a7, a8, a9: crashed(a1) | crashed(a9)";
    assert!(wrong(wide).message.contains("more than 20000 parts"));
    let doubled = (0..40).fold("a".to_string(), |text, _| format!("b W ({text})"));
    assert!(wrong(&doubled).message.contains("more than 20000 parts"));
    read(&vec!["a"; 1_000].join(" & "));
}

#[test]
fn what_is_written_is_read_back() {
    let three = Three::new();
    let mut random = Random::new(3);
    for _ in 0..20_000 {
        let depth = 1 + random.below(6) as u32;
        let formula = random.formula(three.names.len() as u64, depth);
        let text = formula.text(&|id| three.names[id].clone());
        assert_eq!(parse(&text, &three).as_ref(), Ok(&formula), "{text}");
    }
}

#[test]
fn text_is_readable() {
    let three = Three::new();
    let text = |formula: &str| read(formula).text(&|id| three.names[id].clone());
    for formula in [
        "G (a -> b)",
        "a & b ~> c",
        "G F a -> G F b",
        "F G (crashed(p1) -> suspects(p0,p1))",
        "a U (b R c)",
        "!(a & b) | c",
        "a & (b | c) & !crashed(p0)",
        "\"R1 of p[1]\" & \"F\"",
        "X X a",
    ] {
        let expected = if formula == "!(a & b) | c" { "a & b -> c" } else { formula };
        assert_eq!(text(formula), expected);
    }
}

/// Any text gives a formula or an error whose place is inside the text.
#[test]
fn no_text_is_too_odd() {
    let pieces = [
        "G", "F", "U", "(", ")", "a", "crashed(", "p", ",", ":", "all ", "some ", "!=", "=", "\"", "\\",
        "~>", "->", "é", "□", " ", "-", "&", "p0", "\n", "W", "!",
    ];
    let three = Three::new();
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let count = random.below(12);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        if let Err(error) = parse(&text, &three) {
            assert!(text.get(error.at..error.at + error.len).is_some(), "{text}: {error:?}");
            assert!(error.render(&text).contains('^'));
        }
    }
}

/// The formulas of the documentation.
#[test]
fn common_claims_can_be_read() {
    for text in [
        "G !a",
        "!a W b",
        "G (a -> a W G !a)",
        "G (a -> F G b)",
        "G F a -> G F b",
        "crashed(p1) ~> (some p != p1: suspects(p,p1)) | crashed(p0) & crashed(p2)",
    ] {
        read(text);
    }
}

/// The properties of detectors, as the documentation spells them out, are the ready-made ones.
#[test]
fn properties_of_detectors_can_be_written_out() {
    let three = Three::new();
    let crashed = |p: usize| three.id(&format!("crashed(p{p})"));
    let suspects = |q: usize, p: usize| three.id(&format!("suspects(p{q},p{p})"));
    let detector = Suspicions::from_formulas(3, suspects, crashed);
    for (claim, text) in [
        (
            detector.completeness(Completeness::Strong),
            "F G all p != q: crashed(p) & !crashed(q) -> suspects(q,p)",
        ),
        (
            detector.completeness(Completeness::Weak),
            "all p: (some q != p: F G (crashed(p) -> !crashed(q) & suspects(q,p))) | F G all r: crashed(r)",
        ),
        (detector.accuracy(Accuracy::Strong), "G all p != q: suspects(q,p) & !crashed(q) -> crashed(p)"),
        (
            detector.accuracy(Accuracy::Weak),
            "(some p: G (!crashed(p) & all q != p: suspects(q,p) -> crashed(q))) | F G all r: crashed(r)",
        ),
        (
            detector.accuracy(Accuracy::EventualStrong),
            "F G all p != q: suspects(q,p) & !crashed(q) -> crashed(p)",
        ),
        (
            detector.accuracy(Accuracy::EventualWeak),
            "(some p: F G (!crashed(p) & all q != p: suspects(q,p) -> crashed(q))) | F G all r: crashed(r)",
        ),
    ] {
        assert_eq!(read(text), claim.formula, "{}", claim.name);
    }
}

#[test]
fn what_is_too_long_is_refused_in_few_words() {
    let context = Three::new();
    let long = "q".repeat(10_000_000);
    let cases = [
        long.clone(),
        format!("\"{long}\""),
        format!("crashed({long})"),
        format!("all {long}: true"),
        "p0 = ".to_string() + &"q".repeat(90_000),
        format!("\"{}", "q".repeat(90_000)),
        format!("suspects({})", vec!["p0"; 900].join(",")),
        format!("true {}", "q".repeat(150)),
        "q".repeat(150),
        vec!["true"; 200_000].join(" & "),
        vec!["true"; 15_000].join(" & "),
        "G".repeat(90_000),
        "(".repeat(90_000),
        "!".repeat(90_000),
        vec!["true"; 900].join(" <-> "),
        "all p: ".repeat(900) + "true",
    ];
    for text in cases {
        let begin: String = text.chars().take(30).collect();
        let error = parse(&text, &context).expect_err(&begin);
        let told = error.render(&text);
        assert!(told.len() < 1_000 && error.to_string().len() < 500, "{begin}: {}", told.len());
        assert!(told.lines().count() == 3, "{told}");
    }
}

#[test]
fn of_a_long_line_the_part_around_the_place_is_shown() {
    let text = format!("{} & nothing & {}", vec!["true"; 60].join(" & "), vec!["true"; 60].join(" & "));
    let error = parse(&text, &Three::new()).expect_err("no such atom");
    let told = error.render(&text);
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("  .. ") && lines[0].ends_with(" .."), "{told}");
    let at = lines[1].find('^').expect("a mark");
    assert_eq!(&lines[0][at..at + 7], "nothing", "{told}");
    assert_eq!(lines[1].trim(), "^^^^^^^", "{told}");
}
