//! What a solver's process prints. The program may be anything that the user named, so its answers are foreign bytes: they
//! arrive in pieces of any size, and are read as expressions, as values of a model, and as the predicate that Spacer found.

use crate::certificate::KNOWN;
use crate::quoting::short;
use watchkeeper_prove::sexpr::{MAX_DEPTH, Sexpr, SexprError, SexprReader, parse};
use watchkeeper_prove::solver::SmtValue;
use watchkeeper_prove::{spacer_answer, term};

/// The first byte says in which pieces the rest arrives.
pub(crate) fn attack(input: &[u8]) {
    let Some((&size, answer)) = input.split_first() else { return };
    let (found, ending) = read(answer, answer.len().max(1));
    let pieces = read(answer, usize::from(size).max(1));
    assert_eq!(pieces, (found.clone(), ending.clone()), "pieces make no difference");
    if let Err(error) = &ending {
        short(&error.to_string());
    }
    for expression in &found {
        prints_as_itself(expression);
        value(expression);
    }
    model(&found);
}

/// The expressions of a text that comes in pieces of this size, and how it ended.
fn read(answer: &[u8], size: usize) -> (Vec<Sexpr>, Result<(), SexprError>) {
    let (mut reader, mut found) = (SexprReader::new(), Vec::new());
    for piece in answer.chunks(size) {
        if let Err(error) = reader.feed(piece, &mut found) {
            return (found, Err(error));
        }
    }
    match reader.finish() {
        Ok(last) => {
            found.extend(last);
            (found, Ok(()))
        }
        Err(error) => (found, Err(error)),
    }
}

fn prints_as_itself(expression: &Sexpr) {
    let shown = expression.to_string();
    assert_eq!(parse(&shown).as_deref(), Ok(&[expression.clone()][..]), "{shown}");
    assert!(depth(expression) <= MAX_DEPTH);
}

fn depth(expression: &Sexpr) -> usize {
    expression.list().map_or(0, |parts| 1 + parts.iter().map(depth).max().unwrap_or(0))
}

/// A value is a number in lowest terms, or is kept as it was written; of lists of pairs too, as `get-value` answers.
fn value(expression: &Sexpr) {
    let pairs = expression.list().unwrap_or_default().iter().filter_map(|pair| pair.list()?.get(1));
    for expression in pairs.chain([expression]) {
        match SmtValue::read(expression) {
            SmtValue::Rational(above, below) => {
                assert!(below > 1, "{above}/{below}");
                assert!(
                    (2..1000).all(|n| above % n != 0 || below % n != 0),
                    "{above}/{below} is not in lowest terms"
                );
            }
            SmtValue::Other(text) => assert_eq!(text, expression.to_string()),
            SmtValue::Int(_) | SmtValue::Bool(_) => {}
        }
    }
}

/// What Spacer's model is read as is a formula of the system, which prints and is read back as the same.
fn model(answers: &[Sexpr]) {
    match spacer_answer(&KNOWN.system, "inv", answers) {
        Ok(formula) => {
            let shown = formula.to_string();
            // Larger ones exist, and are only put to a solver.
            if shown.len() < 10_000 {
                assert_eq!(term(&shown).map(|again| again.to_string()), Ok(shown));
            }
        }
        Err(why) => {
            let written: usize = answers.iter().map(|answer| answer.to_string().len()).sum();
            assert!(why.len() <= 2_000 + written, "{} bytes: {why:.400}", why.len());
        }
    }
}
