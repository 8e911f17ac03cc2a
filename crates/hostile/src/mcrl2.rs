//! Specifications and formulas in the language of mCRL2: read, printed, typed, compiled, and their constants evaluated.

use crate::quoting::{short, text};
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::data::Rewriter;
use watchkeeper_mcrl2::syntax::{
    parse_data_expression, parse_formula, parse_process_expression, parse_specification,
};
use watchkeeper_mcrl2::typing::{Scope, Signature};

/// How many equations may be used for one constant.
const STEPS: u64 = 2_000;

/// How many constants are evaluated.
const CONSTANTS: usize = 8;

/// The initial process prints as one that is read as the same. The data is typed and evaluated, or it is said why not; errors
/// point into the text and are short.
pub(crate) fn attack_specification(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let specification = match parse_specification(text) {
        Ok(specification) => specification,
        Err(error) => return points_into(text, &error),
    };
    let shown = specification.init.to_string();
    match parse_process_expression(&shown) {
        Ok(again) => assert_eq!(again.to_string(), shown),
        // Brackets that are shown may nest more deeply than those that were written.
        Err(error) => assert!(error.to_string().contains("nests"), "{shown:.1000}\n{error}"),
    }
    match Signature::of(&specification.data) {
        Ok(signature) => evaluate(text, signature),
        Err(error) => points_into(text, &error),
    }
}

fn evaluate(text: &str, mut signature: Signature) {
    let mut rewriter = match Rewriter::new(&signature) {
        Ok(rewriter) => rewriter,
        Err(error) => return points_into(text, &error),
    };
    rewriter.limit_steps(STEPS);
    let constants = signature.functions().filter(|(_, info)| info.domain.is_empty());
    let names: Vec<_> = constants.map(|(_, info)| info.name.clone()).take(CONSTANTS).collect();
    for name in names {
        let Ok(expression) = parse_data_expression(&name) else { continue };
        let Ok(term) = signature.typed(&Scope::new(), &expression, None) else { continue };
        let compiled = match rewriter.compile(&signature, &term, &[]) {
            Ok(compiled) => compiled,
            Err(error) => panic!("a constant without variables: {error}"),
        };
        match rewriter.evaluate(&compiled, &[]) {
            Ok(value) => {
                // The same again, and it has a text.
                assert_eq!(rewriter.evaluate(&compiled, &[]), Ok(value));
                assert!(!rewriter.print(value).is_empty());
            }
            Err(error) => short(&error.to_string()),
        }
    }
}

/// What is read prints as a formula that is read as the same; an error points into the text and is short.
pub(crate) fn attack_formula(input: &[u8]) {
    let Some(text) = text(input) else { return };
    match parse_formula(text) {
        Ok(read) => {
            let shown = read.formula.to_string();
            match parse_formula(&shown) {
                Ok(again) => assert_eq!(again.formula.to_string(), shown),
                Err(error) => assert!(error.to_string().contains("nests"), "{shown:.1000}\n{error}"),
            }
        }
        Err(error) => points_into(text, &error),
    }
}

fn points_into(text: &str, error: &LanguageError) {
    let span = error.span();
    assert!(span.start <= span.end && span.end as usize <= text.len(), "{error:?} in {} bytes", text.len());
    assert!(
        text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize),
        "{error:?}"
    );
    short(&error.to_string());
}
