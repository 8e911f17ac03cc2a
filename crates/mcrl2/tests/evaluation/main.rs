//! Data expressions with known values, one small table for each part of the language.

mod containers;
mod endless;
mod equations;
mod infinite;
mod numbers;
mod solutions;

use watchkeeper_mcrl2::data::{EvaluationError, Rewriter};
use watchkeeper_mcrl2::syntax::{parse_data_expression, parse_specification};
use watchkeeper_mcrl2::typing::{Scope, Signature};

/// A specification whose data is evaluated.
pub struct Data {
    /// Its sorts and functions.
    pub signature: Signature,
    /// Its equations.
    pub rewriter: Rewriter,
}

impl Data {
    /// The data of declarations.
    pub fn of(declarations: &str) -> Self {
        let specification =
            parse_specification(&format!("{declarations}\ninit delta;")).expect("a specification");
        let signature = Signature::of(&specification.data).expect("well typed");
        let rewriter = Rewriter::new(&signature).expect("supported");
        Self { signature, rewriter }
    }

    /// The value of an expression as a text.
    pub fn evaluate(&mut self, text: &str) -> Result<String, EvaluationError> {
        let expression = parse_data_expression(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let term = self
            .signature
            .typed(&Scope::new(), &expression, None)
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let compiled = self
            .rewriter
            .compile(&self.signature, &term, &[])
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let value = self.rewriter.evaluate(&compiled, &[])?;
        Ok(self.rewriter.print(value))
    }
}

/// Each expression has the value behind it.
pub fn table(declarations: &str, rows: &[(&str, &str)]) {
    let mut data = Data::of(declarations);
    for (text, expected) in rows {
        let found = data.evaluate(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found, *expected, "{text}");
    }
}
