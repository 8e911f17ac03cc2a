//! How a formula is written in a text file: atoms are letters, `! X F G` stand before what they speak of, and
//! `U R W & | -> ~>` between, in this order of binding and to the right.

use crate::spelling::ATOMS;
use watchkeeper_logic::Formula;

/// Reads a formula.
pub fn read(text: &str) -> Formula {
    let spaced =
        ["(", ")", "!"].iter().fold(text.to_string(), |text, sign| text.replace(sign, &format!(" {sign} ")));
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let formula = binary(&mut rest, 0);
    assert!(rest.is_empty(), "`{text}` has {rest:?} left over");
    formula
}

const LEVELS: [&[&str]; 4] = [&["->", "~>"], &["|"], &["&"], &["U", "R", "W"]];

fn binary(rest: &mut &[&str], level: usize) -> Formula {
    let Some(signs) = LEVELS.get(level) else { return unary(rest) };
    let left = binary(rest, level + 1);
    let Some((sign, after)) = rest.split_first().filter(|(sign, _)| signs.contains(sign)) else {
        return left;
    };
    *rest = after;
    let right = binary(rest, level);
    match *sign {
        "->" => left.implies(right),
        "~>" => left.leads_to(right),
        "|" => left.or(right),
        "&" => left.and(right),
        "U" => left.until(right),
        "R" => left.release(right),
        _ => right.clone().release(left.or(right)),
    }
}

fn unary(rest: &mut &[&str]) -> Formula {
    let (word, after) = rest.split_first().expect("a formula goes on");
    *rest = after;
    match *word {
        "!" => unary(rest).not(),
        "X" => unary(rest).next(),
        "F" => unary(rest).eventually(),
        "G" => unary(rest).always(),
        "true" => Formula::True,
        "false" => Formula::False,
        "(" => {
            let inner = binary(rest, 0);
            assert_eq!(rest.first(), Some(&")"), "a bracket closes");
            *rest = &rest[1..];
            inner
        }
        atom => Formula::atom(ATOMS.find(atom).unwrap_or_else(|| panic!("`{atom}` is no atom"))),
    }
}

/// The formula as text that [`read`] reads.
pub fn written(formula: &Formula) -> String {
    let two = |a: &Formula, sign: &str, b: &Formula| format!("({} {sign} {})", written(a), written(b));
    match formula {
        Formula::True => "true".into(),
        Formula::False => "false".into(),
        Formula::Atom(id) => ATOMS[*id..=*id].to_string(),
        Formula::Not(a) => format!("!{}", written(a)),
        Formula::Next(a) => format!("X {}", written(a)),
        Formula::And(a, b) => two(a, "&", b),
        Formula::Or(a, b) => two(a, "|", b),
        Formula::Until(a, b) if **a == Formula::True => format!("F {}", written(b)),
        Formula::Until(a, b) => two(a, "U", b),
        Formula::Release(a, b) if **a == Formula::False => format!("G {}", written(b)),
        Formula::Release(a, b) => two(a, "R", b),
    }
}
