//! Process expressions as they are written.

use super::{Assignment, DataExpr, Ident, Span, VariableDeclaration};

/// A process expression as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessExpr {
    /// What it is.
    pub kind: ProcessExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a process expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessExprKind {
    /// `delta`.
    Delta,
    /// `tau`.
    Tau,
    /// `a`, `a(e, ..)`: an action, or a process with its arguments by position.
    Call(Ident, Vec<DataExpr>),
    /// `P()`, `P(x = e, ..)`: a process whose other parameters keep their values.
    Instance(Ident, Vec<Assignment>),
    /// `p + q + ..`, at least two.
    Choice(Vec<ProcessExpr>),
    /// `p . q . ..`, at least two.
    Sequence(Vec<ProcessExpr>),
    /// `p || q || ..`, at least two.
    Parallel(Vec<ProcessExpr>),
    /// `p ||_ q`.
    LeftMerge(Box<[ProcessExpr; 2]>),
    /// `p | q | ..`, at least two: together.
    Sync(Vec<ProcessExpr>),
    /// `p << q`.
    Until(Box<[ProcessExpr; 2]>),
    /// `c -> p` and `c -> p <> q`.
    If(Box<DataExpr>, Box<ProcessExpr>, Option<Box<ProcessExpr>>),
    /// `sum x: S . p`.
    Sum(Vec<VariableDeclaration>, Box<ProcessExpr>),
    /// `dist x: S [e] . p`.
    Dist(Vec<VariableDeclaration>, Box<DataExpr>, Box<ProcessExpr>),
    /// `p @ t`.
    At(Box<ProcessExpr>, Box<DataExpr>),
    /// `block({a, ..}, p)`.
    Block(Vec<Ident>, Box<ProcessExpr>),
    /// `hide({a, ..}, p)`.
    Hide(Vec<Ident>, Box<ProcessExpr>),
    /// `rename({a -> b, ..}, p)`.
    Rename(Vec<(Ident, Ident)>, Box<ProcessExpr>),
    /// `allow({a|b, ..}, p)`: multi-actions by the names of their actions.
    Allow(Vec<Vec<Ident>>, Box<ProcessExpr>),
    /// `comm({a|b -> c, ..}, p)`.
    Comm(Vec<(Vec<Ident>, Ident)>, Box<ProcessExpr>),
}
