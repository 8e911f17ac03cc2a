//! The processes of a specification with their names resolved: which action or process a call means, which variable a name,
//! and every data expression with its sort.

use super::branches::{Branches, Call, Head};
use super::composition::{Communication, NameBag, NameId, SortsId};
use super::values::{DataSide, ProcessVariable, Typed};
use crate::syntax::Span;
use crate::typing::SortId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use watchkeeper_space::Vocabulary;

/// A data expression with its variables.
#[derive(Clone, Debug)]
pub(crate) struct BoundTerm {
    pub(crate) typed: Typed,
    /// As it is written: equal texts in equal scopes mean the same.
    pub(crate) text: Arc<str>,
    pub(crate) variables: Arc<[ProcessVariable]>,
    pub(crate) span: Span,
}

impl PartialEq for BoundTerm {
    fn eq(&self, other: &BoundTerm) -> bool {
        self.typed == other.typed
    }
}

/// A process expression with its names resolved.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedProcess {
    pub(crate) kind: ProcKind,
    pub(crate) span: Span,
}

/// What a process expression is.
#[derive(Clone, Debug)]
pub(crate) enum ProcKind {
    Delta,
    Tau,
    /// Actions that happen together, each with its number.
    Actions(Vec<(usize, Vec<BoundTerm>)>),
    Call(usize, Vec<BoundTerm>),
    Choice(Vec<ResolvedProcess>),
    Sequence(Vec<ResolvedProcess>),
    Parallel(Vec<ResolvedProcess>),
    If(BoundTerm, Box<ResolvedProcess>, Option<Box<ResolvedProcess>>),
    Sum(Vec<ProcessVariable>, Box<ResolvedProcess>),
    Operator(Operator, Box<ResolvedProcess>),
    /// Something that is not supported: why.
    Refused(String),
}

/// An operator on the multi-actions of a process.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    Hide(BTreeSet<NameId>),
    Block(BTreeSet<NameId>),
    Allow(BTreeSet<NameBag>),
    Rename(BTreeMap<NameId, NameId>),
    Communicate(Vec<Communication>),
}

/// An action with the sorts of its arguments.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredAction {
    pub(crate) name: String,
    pub(crate) name_id: NameId,
    pub(crate) sorts: Vec<SortId>,
    pub(crate) sorts_id: SortsId,
    /// Variables for its arguments, for each of its occurrences in one multi-action.
    pub(crate) copies: Vec<Vec<ProcessVariable>>,
}

/// A process with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredProcess {
    pub(crate) name: String,
    pub(crate) parameters: Vec<ProcessVariable>,
    pub(crate) body: ResolvedProcess,
}

/// The processes of a specification.
#[derive(Debug)]
pub(crate) struct ResolvedModel {
    pub(crate) data: DataSide,
    pub(crate) names: Vec<String>,
    pub(crate) actions: Vec<DeclaredAction>,
    pub(crate) processes: Vec<DeclaredProcess>,
    pub(crate) init: ResolvedProcess,
}

impl ResolvedModel {
    /// The variables for the arguments of an action that occurs in a multi-action for the so manieth time.
    pub(crate) fn argument_variables(&self, action: usize, copy: usize) -> Option<&[ProcessVariable]> {
        self.actions[action].copies.get(copy).map(Vec::as_slice)
    }

    /// Names of actions that happen together.
    pub(crate) fn bag_text(&self, bag: &NameBag) -> String {
        if bag.is_empty() {
            return "tau".to_string();
        }
        let names: Vec<&str> = bag.iter().map(|&name| self.names[name as usize].as_str()).collect();
        names.join("|")
    }

    /// The sorts and actions of labels.
    pub(crate) fn vocabulary(&self) -> Vocabulary {
        let sort = |sort| self.data.signature().sorts().print(sort);
        let actions = self.actions.iter().map(|action| {
            let parameters = action.sorts.iter().map(|&parameter| sort(parameter)).collect();
            (action.name.clone(), parameters)
        });
        let named: Vec<(String, SortId)> =
            self.data.signature().named_sorts().map(|(name, sort)| (name.to_string(), sort)).collect();
        let sorts = named.into_iter().map(|(name, sort)| (name, self.data.definition(sort)));
        Vocabulary { sorts: sorts.collect(), actions: actions.collect() }
    }

    /// A text that two parts of a specification share if they say the same of variables of the same names.
    pub(crate) fn text(&self, branches: &Branches, scope: &[ProcessVariable]) -> String {
        let mut text = String::new();
        for variable in scope {
            text.push_str(&format!("{}:{:?} ", variable.name, variable.sort));
        }
        write_branches(branches, &mut text);
        text
    }
}

fn write_branches(branches: &Branches, text: &mut String) {
    let terms = |terms: &[BoundTerm]| terms.iter().map(|term| &*term.text).collect::<Vec<_>>().join(", ");
    let call = |call: &Call| format!("{}({})", call.point, terms(&call.arguments));
    match branches {
        Branches::Choice(all) => {
            text.push('[');
            all.iter().for_each(|branch| {
                write_branches(branch, text);
                text.push('+');
            });
            text.push(']');
        }
        Branches::Sum(variables, inner) => {
            for variable in variables {
                text.push_str(&format!("sum {}:{:?} ", variable.name, variable.sort));
            }
            write_branches(inner, text);
        }
        Branches::If(condition, expected, inner) => {
            text.push_str(&format!("({} is {expected}) ", condition.text));
            write_branches(inner, text);
        }
        Branches::Sequence(head, tail, _) => {
            match head {
                Head::Actions(actions) => actions.iter().for_each(|(action, arguments)| {
                    text.push_str(&format!("a{action}({})|", terms(arguments)));
                }),
                Head::Call(head) => text.push_str(&call(head)),
            }
            tail.iter().for_each(|next| text.push_str(&format!(".{}", call(next))));
        }
    }
}

/// A variable as an expression.
pub(crate) fn variable_term(variable: &ProcessVariable) -> BoundTerm {
    BoundTerm {
        typed: DataSide::variable(variable),
        text: Arc::clone(&variable.name),
        variables: vec![variable.clone()].into(),
        span: variable.span,
    }
}
