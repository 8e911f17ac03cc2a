//! Formulas in the language of mCRL2: the text is read and typed by the sorts and actions of a specification or a space.

mod condition;
mod meaning;
mod reading;

pub use meaning::LanguageData;

use crate::data::NoData;
use crate::formula::{FormulaPlace, FormulaTerm, FormulaVariable, ModalFormula};
use crate::guard::refuse_unguarded;
use crate::normal::{FormulaError, NormalFormula};
use reading::FormulaReading;
use std::collections::BTreeMap;
use thiserror::Error;
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::syntax::{Span, Specification, parse_formula, parse_specification};
use watchkeeper_mcrl2::typing::{DataTerm, Signature, SortId, VariableId};
use watchkeeper_space::Vocabulary;

/// Why a text is no formula.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FormulaTextError {
    /// It is none of the language, or a name or sort in it is wrong.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// It is of the language, and means nothing.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The space declares sorts or actions that are none of the language: this program is wrong.
    #[error("internal error, please report it: the declarations of the space are none of the language: {0}")]
    Declarations(LanguageError),
}

/// The sorts, functions and actions that a formula may use.
#[derive(Clone, Debug)]
pub struct FormulaNames {
    signature: Signature,
    actions: BTreeMap<String, Vec<Vec<SortId>>>,
    /// What labels call the actions whose names are words of the language, so that formulas write them with `_` at the end.
    reserved: BTreeMap<String, String>,
}

impl FormulaNames {
    /// Those of a specification, whose data is declared in this signature.
    pub fn new(
        signature: Signature,
        actions: impl IntoIterator<Item = (String, Vec<SortId>)>,
    ) -> FormulaNames {
        let mut names = FormulaNames { signature, actions: BTreeMap::new(), reserved: BTreeMap::new() };
        actions.into_iter().for_each(|(name, sorts)| names.declare(name, sorts));
        names
    }

    /// Those that the labels of a space use. An action whose name is a word of the language, such as `block`, is written with `_`
    /// at the end.
    pub fn of_vocabulary(vocabulary: &Vocabulary) -> Result<FormulaNames, FormulaTextError> {
        let mut text = String::new();
        for (name, definition) in &vocabulary.sorts {
            text.push_str(&format!("sort {name} = {definition};\n"));
        }
        let mut reserved = BTreeMap::new();
        for (name, sorts) in &vocabulary.actions {
            let mut written = name.clone();
            if parse_specification(&format!("act {name}; init delta;")).is_err() {
                written.push('_');
                reserved.insert(written.clone(), name.clone());
            }
            let colon = if sorts.is_empty() { "" } else { ": " };
            text.push_str(&format!("act {written}{colon}{};\n", sorts.join(" # ")));
        }
        text.push_str("init delta;");
        let declared = parse_specification(&text).map_err(FormulaTextError::Declarations)?;
        let names = FormulaNames::of_specification(&declared).map_err(FormulaTextError::Declarations)?;
        Ok(FormulaNames { reserved, ..names })
    }

    /// Those of a specification.
    ///
    /// # Errors
    /// What is wrong with its declarations.
    pub fn of_specification(specification: &Specification) -> Result<FormulaNames, LanguageError> {
        let mut signature = Signature::of(&specification.data)?;
        let mut actions = Vec::new();
        for action in &specification.actions {
            let sorts: Result<Vec<SortId>, LanguageError> =
                action.sorts.iter().map(|sort| signature.sort(sort)).collect();
            actions.push((action.name.name.clone(), sorts?));
        }
        Ok(FormulaNames::new(signature, actions))
    }

    fn declare(&mut self, name: String, sorts: Vec<SortId>) {
        let known = self.actions.entry(name).or_default();
        if !known.contains(&sorts) {
            known.push(sorts);
        }
    }
}

/// A term of a formula, typed.
#[derive(Clone, Debug)]
pub struct TypedFormulaTerm {
    /// The term.
    pub term: DataTerm,
    /// The sort that it has at its place, which may be wider than its own.
    pub sort: SortId,
}

/// A formula with its terms.
#[derive(Clone, Debug)]
pub struct TypedFormula {
    /// The formula.
    pub formula: ModalFormula,
    /// Its terms, by their numbers.
    pub terms: Vec<TypedFormulaTerm>,
    /// Its variables, by their numbers.
    pub variables: Vec<VariableId>,
    /// The meaning of names, those of the formula file included.
    pub signature: Signature,
}

/// Reads a formula, with what its file declares for itself.
pub fn read_formula(text: &str, names: FormulaNames) -> Result<TypedFormula, FormulaTextError> {
    let file = parse_formula(text)?;
    let mut names = names;
    names.signature.extend(&file.data)?;
    for action in &file.actions {
        let sorts = action.sorts.iter().map(|sort| names.signature.sort(sort)).collect::<Result<_, _>>()?;
        names.declare(action.name.name.clone(), sorts);
    }
    let mut reading = FormulaReading::new(names);
    let formula = reading.state_formula(&file.formula)?;
    // Of the terms, only their number matters here.
    NormalFormula::new(&formula, &NoData)?;
    refuse_unguarded(&formula)?;
    Ok(reading.finished(formula))
}

impl FormulaTextError {
    /// Where the text is wrong, if it is wrong at one place.
    pub fn place(&self) -> Option<FormulaPlace> {
        let of_span = |span: Span| FormulaPlace { line: span.line, column: span.column };
        match self {
            FormulaTextError::Language(error) => Some(of_span(error.span())),
            FormulaTextError::Formula(error) => Some(error.place()),
            FormulaTextError::Declarations(_) => None,
        }
    }
}

impl TypedFormula {
    /// A term by its number.
    pub fn term(&self, term: FormulaTerm) -> &TypedFormulaTerm {
        &self.terms[term as usize]
    }

    /// A variable by its number.
    pub fn variable(&self, variable: FormulaVariable) -> VariableId {
        self.variables[variable as usize]
    }
}
