//! Sorts and declarations of variables. `->` binds to the right and less than `#`.

use super::cursor::WordCursor;
use crate::LanguageError;
use crate::syntax::{Container, SortExpr, SortExprKind, StructConstructor, VariableDeclaration};

/// The built-in sorts without parameters.
const PLAIN: [&str; 5] = ["Bool", "Pos", "Nat", "Int", "Real"];

const CONTAINERS: [Container; 5] =
    [Container::List, Container::Set, Container::FSet, Container::Bag, Container::FBag];

impl WordCursor<'_> {
    /// A sort; a product may only stand before `->`.
    pub(super) fn sort(&mut self) -> Result<SortExpr, LanguageError> {
        self.nested(|words| {
            let begin = words.span();
            let mut sorts = words.product()?;
            if words.take("->") {
                let range = words.sort()?;
                let kind = SortExprKind::Function(sorts, Box::new(range));
                return Ok(SortExpr { kind, span: words.since(begin) });
            }
            if sorts.len() > 1 {
                return Err(words.unexpected("'->' behind the sorts of the arguments"));
            }
            Ok(sorts.remove(0))
        })
    }

    /// `S # T # ..`.
    pub(super) fn product(&mut self) -> Result<Vec<SortExpr>, LanguageError> {
        let mut sorts = vec![self.single_sort()?];
        while self.take("#") {
            sorts.push(self.single_sort()?);
        }
        Ok(sorts)
    }

    fn single_sort(&mut self) -> Result<SortExpr, LanguageError> {
        let begin = self.span();
        if self.take("(") {
            let inner = self.sort()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.take("struct") {
            let mut constructors = vec![self.struct_constructor()?];
            while self.take("|") {
                constructors.push(self.struct_constructor()?);
            }
            return Ok(SortExpr { kind: SortExprKind::Struct(constructors), span: self.since(begin) });
        }
        if let Some(container) = CONTAINERS.into_iter().find(|container| self.is(container.name())) {
            self.advance();
            self.expect("(")?;
            let element = self.sort()?;
            self.expect(")")?;
            let kind = SortExprKind::Container(container, Box::new(element));
            return Ok(SortExpr { kind, span: self.since(begin) });
        }
        let name = if PLAIN.iter().any(|plain| self.is(plain)) {
            self.advance().text.to_owned()
        } else {
            self.name("a sort")?.name
        };
        Ok(SortExpr { kind: SortExprKind::Named(name), span: self.since(begin) })
    }

    fn struct_constructor(&mut self) -> Result<StructConstructor, LanguageError> {
        let name = self.name("a constructor")?;
        let mut arguments = Vec::new();
        if self.take("(") {
            loop {
                let projection = if self.is_name() && self.is_ahead(1, ":") {
                    let projection = self.name("a projection")?;
                    self.expect(":")?;
                    Some(projection)
                } else {
                    None
                };
                arguments.push((projection, self.sort()?));
                if !self.take(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        let recogniser =
            if self.take("?") { Some(self.name("the function that recognises it")?) } else { None };
        Ok(StructConstructor { name, arguments, recogniser })
    }

    /// `x, y: S, z: T`, one for each variable.
    pub(super) fn variables(&mut self) -> Result<Vec<VariableDeclaration>, LanguageError> {
        let mut variables = Vec::new();
        loop {
            let names = self.names("a variable")?;
            self.expect(":")?;
            let sort = self.sort()?;
            variables.extend(names.into_iter().map(|name| VariableDeclaration { name, sort: sort.clone() }));
            if !self.take(",") {
                return Ok(variables);
            }
        }
    }
}
