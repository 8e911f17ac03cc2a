//! Sorts and declarations of variables as texts.

use std::fmt::{self, Display, Formatter};

use super::{bracketed, list};
use crate::syntax::{SortExpr, SortExprKind, StructConstructor, VariableDeclaration};

impl Display for SortExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SortExprKind::Named(name) => f.write_str(name),
            SortExprKind::Container(container, element) => write!(f, "{}({element})", container.name()),
            SortExprKind::Struct(constructors) => {
                f.write_str("struct ")?;
                for (i, constructor) in constructors.iter().enumerate() {
                    write!(f, "{}{constructor}", if i > 0 { " | " } else { "" })?;
                }
                Ok(())
            }
            SortExprKind::Function(domain, range) => {
                for (i, sort) in domain.iter().enumerate() {
                    f.write_str(if i > 0 { " # " } else { "" })?;
                    let brackets = matches!(sort.kind, SortExprKind::Function(..) | SortExprKind::Struct(_));
                    bracketed(f, brackets, sort)?;
                }
                write!(f, " -> {range}")
            }
        }
    }
}

impl Display for StructConstructor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.name)?;
        if !self.arguments.is_empty() {
            f.write_str("(")?;
            list(f, &self.arguments, |f, (projection, sort)| match projection {
                Some(projection) => write!(f, "{}: {sort}", projection.name),
                None => write!(f, "{sort}"),
            })?;
            f.write_str(")")?;
        }
        match &self.recogniser {
            Some(recogniser) => write!(f, "?{}", recogniser.name),
            None => Ok(()),
        }
    }
}

impl Display for VariableDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name.name, self.sort)
    }
}
