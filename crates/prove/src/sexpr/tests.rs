//! What is read, what is refused and where, and that pieces of a text read as the whole does.

use super::*;

fn read(text: &str) -> String {
    let found = parse(text).unwrap();
    found.iter().map(Sexpr::to_string).collect::<Vec<_>>().join(" ; ")
}

fn refused(text: &str) -> (usize, usize, SexprFault) {
    let error = parse(text).unwrap_err();
    (error.line, error.column, error.fault)
}

#[test]
fn an_expression_is_read_and_written() {
    assert_eq!(read("(a (b  c)\n\t() ) d"), "(a (b c) ()) ; d");
    assert_eq!(read("; nothing (\n(a ; b )\n c)"), "(a c)");
    assert_eq!(read("(x)(y)z(:key #x1F 1.50 -)"), "(x) ; (y) ; z ; (:key #x1F 1.50 -)");
    assert_eq!(read("|a ; (b| \"say \"\"so\"\";)\" c"), "|a ; (b| ; \"say \"\"so\"\";)\" ; c");
    assert_eq!(read("(|ä|\"ö\")"), "(|ä| \"ö\")");
    assert_eq!(read(" ; only a comment"), "");
}

#[test]
fn atoms_know_what_they_mean() {
    assert_eq!(Sexpr::atom("|x|").name(), Some("x"));
    assert_eq!(Sexpr::atom("x").name(), Some("x"));
    assert_eq!(Sexpr::atom("|").name(), Some("|"));
    assert_eq!(Sexpr::atom("\"x\"").name(), None);
    assert_eq!(Sexpr::atom("\"a \"\"b\"\"\"").string().unwrap(), "a \"b\"");
    assert_eq!(Sexpr::atom("x").string(), None);
    assert_eq!(Sexpr::atom("\"").string(), None);
    let error = &parse("(error \"bad\")").unwrap()[0];
    assert_eq!(error.tail("error").unwrap()[0].string().unwrap(), "bad");
    assert_eq!(error.tail("err"), None);
}

#[test]
fn faults_have_a_place() {
    assert_eq!(refused("a\n b)"), (2, 3, SexprFault::Unopened));
    assert_eq!(refused("(a\n  (b c\n"), (2, 3, SexprFault::Unclosed));
    assert_eq!(refused("a |b c"), (1, 3, SexprFault::Unquoted));
    assert_eq!(refused("(a \"b c\"\")"), (1, 4, SexprFault::Unquoted));
    assert_eq!(refused("(a [b])"), (1, 4, SexprFault::Character('[')));
    assert_eq!(refused("|ä| {"), (1, 5, SexprFault::Character('{')));
    assert_eq!(refused("a |b\\c|"), (1, 5, SexprFault::Character('\\')));
    assert_eq!(refused("(größe)"), (1, 2, SexprFault::Character('ö')));
    let error = parse("x\n)").unwrap_err().to_string();
    assert_eq!(error, "line 2, column 1: ')' closes nothing: take it out, or open a list before it");
}

#[test]
fn hostile_depth_is_refused_before_the_stack_is_used_up() {
    let nest = |depth: usize| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(read(&nest(MAX_DEPTH)), nest(MAX_DEPTH));
    assert_eq!(refused(&nest(MAX_DEPTH + 1)), (1, MAX_DEPTH + 1, SexprFault::Depth));
    assert_eq!(refused(&"(".repeat(3_000_000)), (1, MAX_DEPTH + 1, SexprFault::Depth));
}

#[test]
fn bytes_that_are_no_text_are_a_fault() {
    for bytes in [&b"(\xff)"[..], b"|\xc3|", b"a\xe4 ", b"\"\x80\" "] {
        let mut reader = SexprReader::new();
        let error = reader.feed(bytes, &mut Vec::new()).unwrap_err();
        assert_eq!(error.fault, SexprFault::Encoding, "{bytes:?}");
        assert_eq!(reader.feed(b"(a)", &mut Vec::new()), Err(error), "a reader reads nothing after a fault");
    }
}

#[test]
fn pieces_read_as_the_whole() {
    let text = "sat\n((x (- 5)) (|a b| \"c \"\" d\")) ; done\n(error \"line 1: |\")\nunsat";
    let whole = parse(text).unwrap();
    assert_eq!(whole.len(), 4);
    for size in 1..text.len() {
        let mut reader = SexprReader::new();
        let mut found = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            reader.feed(piece, &mut found).unwrap();
        }
        found.extend(reader.finish().unwrap());
        assert_eq!(found, whole, "in pieces of {size}");
    }
}

#[test]
fn an_expression_is_given_out_as_soon_as_it_is_complete() {
    let mut reader = SexprReader::new();
    let mut found = Vec::new();
    reader.feed(b"sat", &mut found).unwrap();
    assert!(found.is_empty() && !reader.is_idle());
    reader.feed(b"\n(a", &mut found).unwrap();
    assert_eq!(found, [Sexpr::atom("sat")]);
    reader.feed(b")", &mut found).unwrap();
    assert_eq!(found.len(), 2);
    assert!(reader.is_idle());
}

#[test]
fn every_text_is_read_or_refused() {
    // A fixed walk through texts of characters that mean something here, and one that does not.
    let alphabet = ["(", ")", "|", "\"", ";", "\n", " ", "a", "\\", "ä", ":", "#"];
    let mut word = 1u64;
    for _ in 0..20_000 {
        word = word.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let text: String =
            (0..10).map(|i| alphabet[(word >> (24 + 4 * i)) as usize % alphabet.len()]).collect();
        if let Ok(found) = parse(&text) {
            let written = found.iter().map(|e| e.to_string() + " ").collect::<String>();
            assert_eq!(parse(&written).as_ref(), Ok(&found), "{text:?}");
        }
    }
}

#[test]
fn names_become_symbols() {
    for (name, expected) in [
        ("wt", "wt"),
        ("wt'", "|wt'|"),
        ("a b", "|a b|"),
        ("", "||"),
        ("1st", "|1st|"),
        ("Φ", "|Φ|"),
        ("let", "|let|"),
        ("assert", "|assert|"),
        ("a|b", "a%7cb"),
        ("a%b", "a%25b"),
        ("@x", "%40x"),
        ("a\\b c", "|a%5cb c|"),
    ] {
        assert_eq!(symbol(name), expected);
        assert_eq!(parse(expected).unwrap().len(), 1, "{expected}");
    }
}
