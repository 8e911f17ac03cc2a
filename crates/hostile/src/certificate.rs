//! Certificates of proofs. A file is data from outside: whatever is read is written and read as the same, and a file that was
//! changed is never taken for a proof of the theorem that it was about, unless the change is none to the theorem.

#[path = "../../prove/tests/systems/counter.rs"]
mod systems;

use crate::datagram::AttackScript;
use crate::quoting::{proportional, text};
use std::sync::LazyLock;
use systems::counter;
use watchkeeper_prove::sexpr::{Sexpr, parse};
use watchkeeper_prove::{
    Certificate, CertificateOrigin, Claim, System, property_differences, system_differences,
};

/// Pieces that stand in certificates, for changes that a reader does not refuse at once.
const PIECES: [&str; 40] = [
    "x",
    "n",
    "d",
    "done",
    "true",
    "false",
    "0",
    "1",
    "2",
    " ",
    "(",
    ")",
    "|",
    "\"",
    ";",
    "\n",
    "and",
    "or",
    "not",
    "<=",
    "<",
    "=",
    "+",
    "-",
    "*",
    "=>",
    "ite",
    "Int",
    "Bool",
    "Real",
    "path.1",
    "path.4",
    "property.1",
    "assumption.1",
    "beginning.1",
    "integers",
    "reals",
    "(set-info :section paths)\n",
    "(declare-const y Int)\n",
    "\\u{41}",
];

/// A theorem, and the file that proves it.
pub(crate) struct KnownTheorem {
    pub(crate) system: System,
    property: Claim,
    file: String,
    theorem: Vec<String>,
}

/// That a counter stays within its bound.
pub(crate) static KNOWN: LazyLock<KnownTheorem> = LazyLock::new(|| {
    let system = counter();
    let claim = |name: &str, text: &str| Claim::new(name, system.formula(text).expect("a formula"));
    let property = claim("bounded", "x <= n");
    let invariant = [claim("c1", "x <= n"), claim("c2", "done => x = n")];
    let certificate = Certificate::induction(&system, &invariant, &property, CertificateOrigin::default());
    let file = certificate.expect("a certificate").write();
    let theorem = theorem(&parse(&file).expect("SMT-LIB"));
    KnownTheorem { property, file, theorem, system }
});

/// A text as it is, or, after a first byte 0, the good file with the changes that the rest describes.
pub(crate) fn attack(input: &[u8]) {
    match input.split_first() {
        Some((0, changes)) => read(&changed(&KNOWN.file, &mut AttackScript::new(changes))),
        _ => text(input).into_iter().for_each(read),
    }
}

fn read(file: &str) {
    let certificate = match Certificate::read(file) {
        Ok(certificate) => certificate,
        Err(error) => return proportional(&error.to_string(), file),
    };
    let written = certificate.write();
    match Certificate::read(&written) {
        Ok(again) => assert_eq!(again, certificate, "{written}"),
        Err(error) => panic!("{error}\n{written}"),
    }
    let differences = |found: Result<Vec<String>, _>| found.expect("the known system can be written");
    let mut all = differences(system_differences(&certificate, &KNOWN.system));
    all.extend(differences(property_differences(&certificate, &KNOWN.system, &KNOWN.property)));
    all.iter().for_each(|sentence| proportional(sentence, file));
    let same = theorem(&parse(file).expect("it was read")) == KNOWN.theorem;
    // Names of ways may be spelled in several manners; but nothing that says something else may pass.
    assert!(same || !all.is_empty(), "taken for the known theorem: {file}");
}

/// What a file says about a system and a property, without the invariant, the obligations and the words for people. Shares
/// nothing with the reader of certificates but the reader of expressions.
fn theorem(commands: &[Sexpr]) -> Vec<String> {
    let mut all = Vec::new();
    for command in commands {
        let parts = command.list().unwrap_or_default();
        let word = |at: usize| parts.get(at).and_then(Sexpr::name).unwrap_or_default();
        match (word(0), word(1)) {
            ("set-info", ":section") if word(2) == "obligations" => break,
            ("set-info", ":numbers" | ":section") | ("declare-const", _) => all.push(plain(command)),
            ("define-fun", name) if !name.starts_with("conjunct.") => all.push(plain(command)),
            _ => {}
        }
    }
    all
}

/// An expression without the bars around symbols that need none.
fn plain(expression: &Sexpr) -> String {
    match (expression.list(), expression.name()) {
        (Some(parts), _) => format!("({})", parts.iter().map(plain).collect::<Vec<_>>().join(" ")),
        (None, name) => name.unwrap_or("a string").to_string(),
    }
}

/// A file after changes: at each place some characters are replaced by one of the pieces, or by what stands elsewhere.
fn changed(file: &str, script: &mut AttackScript<'_>) -> String {
    let mut chars: Vec<char> = file.chars().collect();
    for _ in 0..8 {
        let (Some(what), high, low) = (script.byte(), script.number(), script.number()) else { break };
        let at = high.wrapping_mul(240).wrapping_add(low) as usize % (chars.len() + 1);
        let len = (script.number() as usize).min(chars.len() - at).min(200);
        let put: Vec<char> = match usize::from(what) {
            piece if piece < 2 * PIECES.len() => PIECES[piece / 2].chars().collect(),
            0..200 => Vec::new(),
            _ => {
                let from = script.number().wrapping_mul(16) as usize % (chars.len() + 1);
                let to = from + (script.number() as usize).min(chars.len() - from);
                chars[from..to].to_vec()
            }
        };
        chars.splice(at..at + len, put);
    }
    chars.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_tells_a_changed_theorem_from_a_changed_proof() {
        let of = |text: &str| theorem(&parse(text).expect("SMT-LIB"));
        let good = &KNOWN.file;
        let proof =
            good.replace("(=> done (= x n))", "true").replace("; ", ";; ").replace("(<= 2 n)", "(<= 2 |n|)");
        assert!(proof != *good && of(&proof) == KNOWN.theorem);
        for (from, to) in [("(<= 2 n)", "(<= 3 n)"), ("Bool (<= x n)", "Bool (< x n)"), ("integers", "reals")]
        {
            assert_ne!(of(&good.replace(from, to)), KNOWN.theorem, "{from}");
        }
        read(good);
    }

    #[test]
    fn scripts_change_the_file_where_they_say() {
        let changed = |script: &[u8]| changed(&KNOWN.file, &mut AttackScript::new(script));
        assert_eq!(changed(&[]), KNOWN.file);
        assert_eq!(changed(&[100, 0, 0, 2]), KNOWN.file[2..]);
        assert_eq!(changed(&[0, 0, 0, 2]), format!("x{}", &KNOWN.file[2..]));
    }
}
