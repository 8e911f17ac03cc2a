//! The sorts, functions and variables of a specification.

use std::collections::BTreeMap;

use super::{DataTerm, Scope, SortId, SortKind, SortTable, TypedEquation, VariableId};
use crate::LanguageError;
use crate::syntax::{DataDeclarations, DataExpr, SortExpr, Span};

/// A constructor, mapping, projection or recogniser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub(crate) u32);

/// What is known of a function.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// Its name.
    pub name: String,
    /// The sorts of its arguments; none for a constant.
    pub domain: Box<[SortId]>,
    /// The sort of its values.
    pub range: SortId,
    /// What it is.
    pub role: FunctionRole,
    /// Where it is declared.
    pub span: Span,
}

/// What a function is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionRole {
    /// It makes values of a sort.
    Constructor,
    /// It is defined by equations, or by nothing.
    Mapping,
    /// The argument of constructors, each with the place of that argument.
    Projection(Vec<(FunctionId, usize)>),
    /// Whether a value is made by this constructor.
    Recogniser(FunctionId),
}

/// What the names of a specification mean.
#[derive(Clone, Debug)]
pub struct Signature {
    pub(super) sorts: SortTable,
    /// The sorts by their names.
    pub(super) sort_names: BTreeMap<String, SortId>,
    pub(super) functions: Vec<FunctionInfo>,
    /// The functions of each name.
    pub(super) function_names: BTreeMap<String, Vec<FunctionId>>,
    pub(super) equations: Vec<TypedEquation>,
    variables: Vec<(String, SortId)>,
    /// Names of sorts whose definitions are not yet looked at, and those that are being looked at.
    pub(super) pending_sorts: BTreeMap<String, SortExpr>,
    pub(super) open_sorts: Vec<String>,
}

impl Signature {
    /// The meaning of declarations.
    ///
    /// # Errors
    /// The first declaration or equation that makes no sense.
    pub fn of(declarations: &DataDeclarations) -> Result<Self, LanguageError> {
        let mut signature = Self {
            sorts: SortTable::new(),
            sort_names: BTreeMap::new(),
            functions: Vec::new(),
            function_names: BTreeMap::new(),
            equations: Vec::new(),
            variables: Vec::new(),
            pending_sorts: BTreeMap::new(),
            open_sorts: Vec::new(),
        };
        signature.extend(declarations)?;
        Ok(signature)
    }

    /// Adds declarations, such as those of a formula file to those of a specification.
    ///
    /// # Errors
    /// The first declaration or equation that makes no sense.
    pub fn extend(&mut self, declarations: &DataDeclarations) -> Result<(), LanguageError> {
        self.declare_all(declarations)?;
        for group in &declarations.equations {
            self.type_equations(group)?;
        }
        Ok(())
    }

    /// The typed form of an expression, of a sort that it must widen to if one is given.
    ///
    /// # Errors
    /// The first place where a name is unknown or a sort does not fit.
    pub fn typed(
        &mut self,
        scope: &Scope,
        expression: &DataExpr,
        sort: Option<SortId>,
    ) -> Result<DataTerm, LanguageError> {
        let mut scope = scope.clone();
        let found = self.infer(&mut scope, expression)?;
        self.choose(expression.span, found, sort)
    }

    /// The typed arguments of something that may be declared with several lists of sorts: which of them fits best, and the
    /// arguments.
    ///
    /// # Errors
    /// That none fits, or what is wrong with an argument.
    pub fn typed_arguments(
        &mut self,
        scope: &Scope,
        what: &str,
        span: Span,
        domains: &[&[SortId]],
        arguments: &[DataExpr],
    ) -> Result<(usize, Vec<DataTerm>), LanguageError> {
        let mut scope = scope.clone();
        self.choose_arguments(&mut scope, what, span, domains, arguments)
    }

    /// All sorts.
    pub fn sorts(&self) -> &SortTable {
        &self.sorts
    }

    /// The sorts of the specification that have a name.
    pub fn named_sorts(&self) -> impl Iterator<Item = (&str, SortId)> {
        self.sort_names.iter().map(|(name, sort)| (name.as_str(), *sort))
    }

    /// What is known of a function.
    pub fn function(&self, function: FunctionId) -> &FunctionInfo {
        &self.functions[function.0 as usize]
    }

    /// The functions of a name.
    pub fn functions_named(&self, name: &str) -> &[FunctionId] {
        self.function_names.get(name).map_or(&[], Vec::as_slice)
    }

    /// All functions, in the order of their declaration.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &FunctionInfo)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// The equations.
    pub fn equations(&self) -> &[TypedEquation] {
        &self.equations
    }

    /// A new variable, which no scope shows yet.
    pub fn new_variable(&mut self, name: &str, sort: SortId) -> VariableId {
        let variable = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push((name.to_owned(), sort));
        variable
    }

    /// What a variable is called.
    pub fn variable_name(&self, variable: VariableId) -> &str {
        &self.variables[variable.0 as usize].0
    }

    /// The sort of a variable.
    pub fn variable_sort(&self, variable: VariableId) -> SortId {
        self.variables[variable.0 as usize].1
    }

    /// Whether a sort has finitely many values that can be listed.
    pub fn is_finite(&self, sort: SortId) -> bool {
        self.is_finite_within(sort, &mut Vec::new())
    }

    fn is_finite_within(&self, sort: SortId, open: &mut Vec<SortId>) -> bool {
        if open.contains(&sort) {
            return false;
        }
        open.push(sort);
        let finite = match self.sorts.kind(sort) {
            SortKind::None | SortKind::Bool => true,
            SortKind::Container(container, element) => {
                use crate::syntax::Container;
                matches!(container, Container::Set | Container::FSet) && self.is_finite_within(*element, open)
            }
            SortKind::Function(domain, range) => {
                domain.iter().chain([range]).all(|part| self.is_finite_within(*part, open))
            }
            SortKind::Declared(number) => {
                let constructors = &self.sorts.declared[*number].constructors;
                !constructors.is_empty()
                    && constructors.iter().all(|constructor| {
                        let domain = &self.functions[constructor.0 as usize].domain;
                        domain.iter().all(|part| self.is_finite_within(*part, open))
                    })
            }
            _ => false,
        };
        open.pop();
        finite
    }
}
