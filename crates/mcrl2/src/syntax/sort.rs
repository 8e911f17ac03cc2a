//! Sort expressions as they are written.

use super::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A sort as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortExpr {
    /// What it is.
    pub kind: SortExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a sort expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortExprKind {
    /// A built-in sort without parameters, or a sort of the specification.
    Named(String),
    /// A container over a sort.
    Container(Container, Box<SortExpr>),
    /// A structured sort.
    Struct(Vec<StructConstructor>),
    /// Functions from the sorts in the list.
    Function(Vec<SortExpr>, Box<SortExpr>),
}

/// The containers of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Container {
    /// Lists.
    List,
    /// Sets, which may be infinite.
    Set,
    /// Finite sets.
    FSet,
    /// Bags, which may have infinitely many elements.
    Bag,
    /// Finite bags.
    FBag,
}

impl Container {
    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "List",
            Self::Set => "Set",
            Self::FSet => "FSet",
            Self::Bag => "Bag",
            Self::FBag => "FBag",
        }
    }
}

/// One alternative of a structured sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructConstructor {
    /// The constructor.
    pub name: Ident,
    /// Its arguments: the projection, where it has one, and the sort.
    pub arguments: Vec<(Option<Ident>, SortExpr)>,
    /// The function that recognises it.
    pub recogniser: Option<Ident>,
}

/// A variable and its sort. What is written as `x, y: S` is two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableDeclaration {
    /// The variable.
    pub name: Ident,
    /// Its sort.
    pub sort: SortExpr,
}
