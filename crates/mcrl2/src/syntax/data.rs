//! Data expressions as they are written, before anything is known of their sorts.

use super::{Ident, Span, VariableDeclaration};

/// A data expression as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataExpr {
    /// What it is.
    pub kind: DataExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a data expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataExprKind {
    /// A variable, a constructor or a mapping; `true` and `false` are names as well.
    Name(String),
    /// A number, by its digits.
    Number(String),
    /// `[e, ..]`, also empty.
    List(Vec<DataExpr>),
    /// `{e, ..}`, also empty.
    Set(Vec<DataExpr>),
    /// `{e: n, ..}`; empty, it is written `{:}`.
    Bag(Vec<(DataExpr, DataExpr)>),
    /// `{x: S | e}`: a set or a bag, as the sort of `e` says.
    Comprehension(Box<VariableDeclaration>, Box<DataExpr>),
    /// A function applied to arguments.
    Apply(Box<DataExpr>, Vec<DataExpr>),
    /// `f[x -> y]`: the function, the argument and the new value.
    Update(Box<[DataExpr; 3]>),
    /// A prefix operator.
    Unary(UnaryOperator, Box<DataExpr>),
    /// An infix operator.
    Binary(BinaryOperator, Box<[DataExpr; 2]>),
    /// A quantifier or `lambda`.
    Bind(DataBinder, Vec<VariableDeclaration>, Box<DataExpr>),
    /// `e whr x = e, .. end`.
    Where(Box<DataExpr>, Vec<Assignment>),
}

/// A name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name.
    pub name: Ident,
    /// What it stands for.
    pub value: DataExpr,
}

/// What binds variables in a data expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataBinder {
    /// For all values.
    Forall,
    /// For some value.
    Exists,
    /// A function.
    Lambda,
}

impl DataBinder {
    /// Its keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Forall => "forall",
            Self::Exists => "exists",
            Self::Lambda => "lambda",
        }
    }
}

/// The prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `!`: the opposite truth value, the complement of a set.
    Not,
    /// `-`.
    Minus,
    /// `#`: how many elements.
    Size,
}

impl UnaryOperator {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Minus => "-",
            Self::Size => "#",
        }
    }
}

/// The infix operators, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `=>`.
    Implies,
    /// `||`.
    Or,
    /// `&&`.
    And,
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>=`.
    AtLeast,
    /// `>`.
    Greater,
    /// `in`.
    In,
    /// `|>`: an element before a list.
    Cons,
    /// `<|`: an element behind a list.
    Snoc,
    /// `++`.
    Concat,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `/`.
    Divide,
    /// `div`.
    Div,
    /// `mod`.
    Mod,
    /// `*`.
    Times,
    /// `.`: the element at a place of a list.
    At,
}

impl BinaryOperator {
    /// All of them, weakest first.
    pub const ALL: [Self; 20] = [
        Self::Implies,
        Self::Or,
        Self::And,
        Self::Equal,
        Self::Unequal,
        Self::Less,
        Self::AtMost,
        Self::AtLeast,
        Self::Greater,
        Self::In,
        Self::Cons,
        Self::Snoc,
        Self::Concat,
        Self::Plus,
        Self::Minus,
        Self::Divide,
        Self::Div,
        Self::Mod,
        Self::Times,
        Self::At,
    ];

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Implies => "=>",
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Greater => ">",
            Self::In => "in",
            Self::Cons => "|>",
            Self::Snoc => "<|",
            Self::Concat => "++",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Divide => "/",
            Self::Div => "div",
            Self::Mod => "mod",
            Self::Times => "*",
            Self::At => ".",
        }
    }

    /// The operator that is written so.
    pub fn of_sign(sign: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.sign() == sign)
    }

    /// How strongly it binds, from 2 for `=>` to 12 for `*`; the numbers are those of the grammar of mCRL2.
    pub fn strength(self) -> u8 {
        match self {
            Self::Implies => 2,
            Self::Or => 3,
            Self::And => 4,
            Self::Equal | Self::Unequal => 5,
            Self::Less | Self::AtMost | Self::AtLeast | Self::Greater | Self::In => 6,
            Self::Cons => 7,
            Self::Snoc => 8,
            Self::Concat => 9,
            Self::Plus | Self::Minus => 10,
            Self::Divide | Self::Div | Self::Mod => 11,
            Self::Times | Self::At => 12,
        }
    }

    /// Whether `a op b op c` is `a op (b op c)`.
    pub fn is_right_associative(self) -> bool {
        matches!(self, Self::Implies | Self::Or | Self::And | Self::Cons)
    }
}
