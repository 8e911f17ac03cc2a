//! What holds of all expressions: they are read as they are printed, numbers obey the laws of arithmetic, sets and bags their own.

mod numbers;
mod printing;
mod sets;

use watchkeeper_mcrl2::data::Rewriter;
use watchkeeper_mcrl2::syntax::{parse_data_expression, parse_specification};
use watchkeeper_mcrl2::typing::{Scope, Signature};

/// Evaluates expressions without a specification of their own.
pub struct Evaluation {
    signature: Signature,
    rewriter: Rewriter,
}

impl Evaluation {
    /// With a sort `D` of the values `d0` to `d4`.
    pub fn with_five_values() -> Self {
        let text = "sort D = struct d0 | d1 | d2 | d3 | d4; init delta;";
        let specification = parse_specification(text).expect("a specification");
        let signature = Signature::of(&specification.data).expect("well typed");
        let rewriter = Rewriter::new(&signature).expect("supported");
        Self { signature, rewriter }
    }

    /// The value of an expression as a text.
    pub fn value(&mut self, text: &str) -> String {
        let expression = parse_data_expression(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let term = self.signature.typed(&Scope::new(), &expression, None);
        let term = term.unwrap_or_else(|error| panic!("{text}: {error}"));
        let compiled = self.rewriter.compile(&self.signature, &term, &[]).expect("supported");
        let value = self.rewriter.evaluate(&compiled, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
        self.rewriter.print(value)
    }
}
