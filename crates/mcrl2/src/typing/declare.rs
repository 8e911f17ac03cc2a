//! From the declarations of sorts, constructors and mappings to their numbers.

use super::{DeclaredSort, FunctionId, FunctionInfo, FunctionRole, Signature, SortId, SortKind};
use crate::LanguageError;
use crate::syntax::{
    DataDeclarations, FunctionDeclaration, Ident, SortExpr, SortExprKind, Span, StructConstructor,
};

/// The sorts that need no declaration.
const BUILT_IN: [&str; 5] = ["Bool", "Pos", "Nat", "Int", "Real"];

/// The constructors that have a projection, each with the place of that argument.
type ProjectedPlaces = Vec<(FunctionId, usize)>;

impl Signature {
    pub(super) fn declare_all(&mut self, declarations: &DataDeclarations) -> Result<(), LanguageError> {
        let mut structs = Vec::new();
        let mut seen: Vec<&Ident> = Vec::new();
        for declaration in &declarations.sorts {
            let name = &declaration.name;
            let known = self.sort_names.get(&name.name).copied();
            if let Some(first) = seen.iter().find(|first| first.name == name.name) {
                return Err(twice("sort", name, first.span));
            }
            if let Some(known) = known {
                let first = self.sorts.declared(known).map_or(Span::default(), |sort| sort.span);
                return Err(twice("sort", name, first));
            }
            seen.push(name);
            match declaration.definition.as_ref().map(|definition| (&definition.kind, definition)) {
                None => {
                    self.new_sort(&name.name, name.span);
                }
                Some((SortExprKind::Struct(constructors), _)) => {
                    structs.push((self.new_sort(&name.name, name.span), constructors));
                }
                Some((_, definition)) => {
                    self.pending_sorts.insert(name.name.clone(), definition.clone());
                }
            }
        }
        for name in seen {
            self.named_sort(&name.name, name.span)?;
        }
        for (sort, constructors) in structs {
            self.define_struct(sort, constructors)?;
        }
        for constructor in &declarations.constructors {
            self.declare_constructor(constructor)?;
        }
        for mapping in &declarations.mappings {
            let (domain, range) = self.function_sort(&mapping.sort)?;
            self.new_function(&mapping.name, &domain, range, FunctionRole::Mapping)?;
        }
        Ok(())
    }

    /// The number of a sort that is written.
    ///
    /// # Errors
    /// A name that no sort has, or a sort that is defined by itself.
    pub fn sort(&mut self, expression: &SortExpr) -> Result<SortId, LanguageError> {
        match &expression.kind {
            SortExprKind::Named(name) => self.named_sort(name, expression.span),
            SortExprKind::Container(container, element) => {
                let element = self.sort(element)?;
                Ok(self.sorts.container(*container, element))
            }
            SortExprKind::Function(..) => {
                let (domain, range) = self.function_sort(expression)?;
                Ok(self.sorts.function(&domain, range))
            }
            SortExprKind::Struct(constructors) => {
                let name = expression.to_string();
                if let Some(sort) = self.sort_names.get(&name) {
                    return Ok(*sort);
                }
                let sort = self.new_sort(&name, expression.span);
                self.define_struct(sort, constructors)?;
                Ok(sort)
            }
        }
    }

    /// The arguments and the value of a function of this sort.
    fn function_sort(&mut self, expression: &SortExpr) -> Result<(Vec<SortId>, SortId), LanguageError> {
        let SortExprKind::Function(domain, range) = &expression.kind else {
            return Ok((Vec::new(), self.sort(expression)?));
        };
        let domain = domain.iter().map(|sort| self.sort(sort)).collect::<Result<Vec<_>, _>>()?;
        let range = self.sort(range)?;
        Ok((domain, range))
    }

    fn named_sort(&mut self, name: &str, span: Span) -> Result<SortId, LanguageError> {
        let built_in = match name {
            "Bool" => Some(SortId::BOOL),
            "Pos" => Some(SortId::POS),
            "Nat" => Some(SortId::NAT),
            "Int" => Some(SortId::INT),
            "Real" => Some(SortId::REAL),
            _ => self.sort_names.get(name).copied(),
        };
        if let Some(sort) = built_in {
            return Ok(sort);
        }
        if self.open_sorts.iter().any(|open| open == name) {
            let message = format!("the sort '{name}' is defined by itself; only structured sorts may be");
            return Err(LanguageError::sort(span, message));
        }
        let Some(definition) = self.pending_sorts.remove(name) else {
            let names = self.sort_names.keys().map(String::as_str).chain(BUILT_IN);
            return Err(LanguageError::unknown(span, "sort", name, names));
        };
        self.open_sorts.push(name.to_owned());
        let sort = self.sort(&definition);
        self.open_sorts.pop();
        self.sort_names.insert(name.to_owned(), sort.clone()?);
        sort
    }

    fn new_sort(&mut self, name: &str, span: Span) -> SortId {
        let number = self.sorts.declared.len();
        self.sorts.declared.push(DeclaredSort { name: name.to_owned(), constructors: Vec::new(), span });
        let sort = self.sorts.sort(SortKind::Declared(number));
        self.sort_names.insert(name.to_owned(), sort);
        sort
    }

    fn define_struct(
        &mut self,
        sort: SortId,
        constructors: &[StructConstructor],
    ) -> Result<(), LanguageError> {
        let mut projections: Vec<(&Ident, SortId, ProjectedPlaces)> = Vec::new();
        for constructor in constructors {
            let mut domain = Vec::new();
            for (_, argument) in &constructor.arguments {
                domain.push(self.sort(argument)?);
            }
            let function = self.new_function(&constructor.name, &domain, sort, FunctionRole::Constructor)?;
            self.add_constructor(sort, function);
            for (place, ((projection, _), range)) in constructor.arguments.iter().zip(&domain).enumerate() {
                let Some(name) = projection else { continue };
                match projections.iter_mut().find(|(known, of, _)| known.name == name.name && of == range) {
                    Some((_, _, places)) => places.push((function, place)),
                    None => projections.push((name, *range, vec![(function, place)])),
                }
            }
            if let Some(recogniser) = &constructor.recogniser {
                let role = FunctionRole::Recogniser(function);
                self.new_function(recogniser, &[sort], SortId::BOOL, role)?;
            }
        }
        for (name, range, places) in projections {
            self.new_function(name, &[sort], range, FunctionRole::Projection(places))?;
        }
        Ok(())
    }

    fn declare_constructor(&mut self, constructor: &FunctionDeclaration) -> Result<(), LanguageError> {
        let (domain, range) = self.function_sort(&constructor.sort)?;
        if self.sorts.declared(range).is_none() {
            let message = format!(
                "'{}' cannot be a constructor of {}, which is no sort of the specification; declare it under 'map'",
                constructor.name.name,
                self.sorts.print(range)
            );
            return Err(LanguageError::sort(constructor.sort.span, message));
        }
        let function = self.new_function(&constructor.name, &domain, range, FunctionRole::Constructor)?;
        self.add_constructor(range, function);
        Ok(())
    }

    fn add_constructor(&mut self, sort: SortId, function: FunctionId) {
        if let SortKind::Declared(number) = *self.sorts.kind(sort) {
            self.sorts.declared[number].constructors.push(function);
        }
    }

    fn new_function(
        &mut self,
        name: &Ident,
        domain: &[SortId],
        range: SortId,
        role: FunctionRole,
    ) -> Result<FunctionId, LanguageError> {
        let kind = match role {
            FunctionRole::Constructor => "constructor",
            FunctionRole::Mapping => "function",
            FunctionRole::Projection(_) => "projection",
            FunctionRole::Recogniser(_) => "recogniser",
        };
        for known in self.functions_named(&name.name) {
            let known = self.function(*known);
            if *known.domain == *domain && known.range == range {
                return Err(twice(kind, name, known.span));
            }
        }
        let function = FunctionId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        let info =
            FunctionInfo { name: name.name.clone(), domain: domain.into(), range, role, span: name.span };
        self.functions.push(info);
        self.function_names.entry(name.name.clone()).or_default().push(function);
        Ok(function)
    }
}

fn twice(kind: &'static str, name: &Ident, first: Span) -> LanguageError {
    LanguageError::twice(name.span, kind, &name.name, first)
}
