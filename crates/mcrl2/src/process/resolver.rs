//! From process expressions as they are written to those whose names are resolved.

use super::composition::{Communication, NameBag, NameId, SortsId};
use super::model::{
    BoundTerm, DeclaredAction, DeclaredProcess, Operator, ProcKind, ResolvedModel, ResolvedProcess,
    variable_term,
};
use super::model_error::ProcessError;
use super::values::{DataSide, ProcessVariable};
use crate::LanguageError;
use crate::syntax::{
    ActionDeclaration, Assignment, DataExpr, Ident, ProcessExpr, ProcessExprKind, Span, Specification,
    VariableDeclaration,
};
use crate::typing::{DataTerm, Scope, Signature, SortId, VariableId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// How often one action may occur in a multi-action that a process writes.
const COPIES: usize = 8;

impl ResolvedModel {
    /// The processes of a specification.
    pub(crate) fn new(specification: &Specification) -> Result<ResolvedModel, ProcessError> {
        let mut signature = Signature::of(&specification.data)?;
        let mut resolver = Resolver::new(&mut signature, specification)?;
        let mut processes = Vec::new();
        for (number, declared) in specification.processes.iter().enumerate() {
            let parameters = resolver.headers[number].1.clone();
            let mut scope = resolver.scope.clone();
            parameters.iter().for_each(|parameter| scope.show(resolver.signature, parameter.id));
            let body = resolver.process(&declared.body, &scope, &parameters)?;
            processes.push(DeclaredProcess { name: declared.name.name.clone(), parameters, body });
        }
        let scope = resolver.scope.clone();
        let init = resolver.process(&specification.init, &scope, &[])?;
        let Resolver { names, actions, .. } = resolver;
        Ok(ResolvedModel { data: DataSide::new(signature)?, names, actions, processes, init })
    }
}

struct Resolver<'a> {
    signature: &'a mut Signature,
    /// The names of actions, and their numbers.
    names: Vec<String>,
    numbers: HashMap<String, NameId>,
    actions: Vec<DeclaredAction>,
    /// The processes by name, each with its parameters.
    headers: Vec<(String, Vec<ProcessVariable>)>,
    variables: HashMap<VariableId, ProcessVariable>,
    /// The variables of `glob`.
    scope: Scope,
}

impl<'a> Resolver<'a> {
    fn new(
        signature: &'a mut Signature,
        specification: &Specification,
    ) -> Result<Resolver<'a>, ProcessError> {
        if let Some(global) = specification.globals.first() {
            return Err(ProcessError::Refused {
                why: "`glob` leaves values open: declare a mapping with an equation instead".to_string(),
                span: global.name.span,
            });
        }
        let mut resolver = Resolver {
            signature,
            names: Vec::new(),
            numbers: HashMap::new(),
            actions: Vec::new(),
            headers: Vec::new(),
            variables: HashMap::new(),
            scope: Scope::new(),
        };
        let mut sorts_ids: HashMap<Vec<SortId>, SortsId> = HashMap::new();
        for declared in &specification.actions {
            resolver.action(declared, &mut sorts_ids)?;
        }
        for declared in &specification.processes {
            let parameters = resolver.declare(&declared.parameters, &mut Scope::new())?;
            resolver.headers.push((declared.name.name.clone(), parameters));
        }
        Ok(resolver)
    }

    fn action(
        &mut self,
        declared: &ActionDeclaration,
        ids: &mut HashMap<Vec<SortId>, SortsId>,
    ) -> Result<(), ProcessError> {
        let sorts: Vec<SortId> =
            declared.sorts.iter().map(|sort| self.signature.sort(sort)).collect::<Result<_, _>>()?;
        let next = ids.len() as SortsId;
        let sorts_id = *ids.entry(sorts.clone()).or_insert(next);
        let name = declared.name.name.clone();
        let name_id = self.name(&name);
        let mut copies = Vec::new();
        for _ in 0..COPIES {
            let own = sorts.iter().enumerate().map(|(i, &sort)| {
                let name = format!("{}{}", declared.name.name, i + 1);
                self.variable(&name, sort, declared.name.span)
            });
            copies.push(own.collect());
        }
        self.actions.push(DeclaredAction { name, name_id, sorts, sorts_id, copies });
        Ok(())
    }

    fn name(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.numbers.get(name) {
            return id;
        }
        let id = self.names.len() as NameId;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), id);
        id
    }

    fn variable(&mut self, name: &str, sort: SortId, span: Span) -> ProcessVariable {
        let id = self.signature.new_variable(name, sort);
        let variable = ProcessVariable { id, sort, name: name.into(), span };
        self.variables.insert(id, variable.clone());
        variable
    }

    /// New variables, which the scope shows from now on.
    fn declare(
        &mut self,
        declared: &[VariableDeclaration],
        scope: &mut Scope,
    ) -> Result<Vec<ProcessVariable>, ProcessError> {
        let mut variables = Vec::new();
        for declaration in declared {
            let sort = self.signature.sort(&declaration.sort)?;
            let variable = self.variable(&declaration.name.name, sort, declaration.name.span);
            scope.show(self.signature, variable.id);
            variables.push(variable);
        }
        Ok(variables)
    }

    fn known_name(&self, name: &Ident) -> Result<NameId, ProcessError> {
        self.numbers.get(&name.name).copied().ok_or_else(|| {
            let known = self.names.iter().map(String::as_str);
            LanguageError::unknown(name.span, "action", &name.name, known).into()
        })
    }

    fn term(&self, typed: DataTerm, written: &DataExpr) -> BoundTerm {
        let variables = typed.free_variables();
        let variables = variables.iter().filter_map(|id| self.variables.get(id).cloned()).collect();
        BoundTerm { typed: Arc::new(typed), text: written.to_string().into(), variables, span: written.span }
    }

    fn truth(&mut self, written: &DataExpr, scope: &Scope) -> Result<BoundTerm, ProcessError> {
        let typed = self.signature.typed(scope, written, Some(SortId::BOOL))?;
        Ok(self.term(typed, written))
    }

    fn process(
        &mut self,
        written: &ProcessExpr,
        scope: &Scope,
        visible: &[ProcessVariable],
    ) -> Result<ResolvedProcess, ProcessError> {
        let span = written.span;
        let kind = match &written.kind {
            ProcessExprKind::Delta => ProcKind::Delta,
            ProcessExprKind::Tau => ProcKind::Tau,
            ProcessExprKind::Call(name, arguments) => self.call(name, arguments, span, scope)?,
            ProcessExprKind::Instance(name, assignments) => self.instance(name, assignments, scope)?,
            ProcessExprKind::Choice(parts) => ProcKind::Choice(self.all(parts, scope, visible)?),
            ProcessExprKind::Sequence(parts) => ProcKind::Sequence(self.all(parts, scope, visible)?),
            ProcessExprKind::Parallel(parts) => ProcKind::Parallel(self.all(parts, scope, visible)?),
            ProcessExprKind::Sync(parts) => self.sync(parts, scope, visible)?,
            ProcessExprKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition, scope)?;
                let then = Box::new(self.process(then, scope, visible)?);
                let otherwise = match otherwise {
                    Some(otherwise) => Some(Box::new(self.process(otherwise, scope, visible)?)),
                    None => None,
                };
                ProcKind::If(condition, then, otherwise)
            }
            ProcessExprKind::Sum(variables, inner) => {
                let mut scope = scope.clone();
                let variables = self.declare(variables, &mut scope)?;
                let visible = [visible, &variables].concat();
                ProcKind::Sum(variables, Box::new(self.process(inner, &scope, &visible)?))
            }
            ProcessExprKind::At(inner, _) if matches!(inner.kind, ProcessExprKind::Delta) => ProcKind::Delta,
            ProcessExprKind::At(..) => {
                refused("time (`@`) is not supported: model the passing of time by an action")
            }
            ProcessExprKind::Dist(..) => {
                refused("`dist` is not supported: write `sum` for a choice without probabilities")
            }
            ProcessExprKind::Until(_) => {
                refused("`<<` is not supported: it is about time, which is not modelled")
            }
            ProcessExprKind::LeftMerge(_) => {
                refused("`||_` is not supported: write the parallel composition that is meant")
            }
            ProcessExprKind::Hide(names, inner) => {
                let names = self.names_of(names)?;
                self.operator(Operator::Hide(names), inner, scope, visible)?
            }
            ProcessExprKind::Block(names, inner) => {
                let names = self.names_of(names)?;
                self.operator(Operator::Block(names), inner, scope, visible)?
            }
            ProcessExprKind::Allow(bags, inner) => {
                let bags = bags.iter().map(|bag| self.bag(bag)).collect::<Result<_, _>>()?;
                self.operator(Operator::Allow(bags), inner, scope, visible)?
            }
            ProcessExprKind::Rename(pairs, inner) => {
                let pairs = pairs.iter().map(|(from, to)| Ok((self.known_name(from)?, self.known_name(to)?)));
                let pairs = pairs.collect::<Result<_, ProcessError>>()?;
                self.operator(Operator::Rename(pairs), inner, scope, visible)?
            }
            ProcessExprKind::Comm(rules, inner) => {
                let rules = rules.iter().map(|(parts, result)| {
                    Ok(Communication { parts: self.bag(parts)?, result: self.known_name(result)? })
                });
                let rules = rules.collect::<Result<_, ProcessError>>()?;
                self.operator(Operator::Communicate(rules), inner, scope, visible)?
            }
        };
        Ok(ResolvedProcess { kind, span })
    }

    fn all(
        &mut self,
        parts: &[ProcessExpr],
        scope: &Scope,
        visible: &[ProcessVariable],
    ) -> Result<Vec<ResolvedProcess>, ProcessError> {
        parts.iter().map(|part| self.process(part, scope, visible)).collect()
    }

    fn operator(
        &mut self,
        operator: Operator,
        inner: &ProcessExpr,
        scope: &Scope,
        visible: &[ProcessVariable],
    ) -> Result<ProcKind, ProcessError> {
        Ok(ProcKind::Operator(operator, Box::new(self.process(inner, scope, visible)?)))
    }

    fn names_of(&self, names: &[Ident]) -> Result<BTreeSet<NameId>, ProcessError> {
        names.iter().map(|name| self.known_name(name)).collect()
    }

    fn bag(&self, names: &[Ident]) -> Result<NameBag, ProcessError> {
        let mut bag =
            names.iter().map(|name| self.known_name(name)).collect::<Result<NameBag, ProcessError>>()?;
        bag.sort_unstable();
        Ok(bag)
    }

    /// Actions together.
    fn sync(
        &mut self,
        parts: &[ProcessExpr],
        scope: &Scope,
        visible: &[ProcessVariable],
    ) -> Result<ProcKind, ProcessError> {
        let mut actions = Vec::new();
        for part in parts {
            match self.process(part, scope, visible)?.kind {
                ProcKind::Tau => {}
                ProcKind::Actions(more) => actions.extend(more),
                _ => {
                    return Ok(refused(
                        "`|` joins actions here; for processes write `||` and choose with `allow` what happens",
                    ));
                }
            }
        }
        Ok(ProcKind::Actions(actions))
    }

    /// An action or a process with its arguments by position.
    fn call(
        &mut self,
        name: &Ident,
        arguments: &[DataExpr],
        span: Span,
        scope: &Scope,
    ) -> Result<ProcKind, ProcessError> {
        let actions: Vec<usize> =
            (0..self.actions.len()).filter(|&i| self.actions[i].name == name.name).collect();
        let processes: Vec<usize> =
            (0..self.headers.len()).filter(|&i| self.headers[i].0 == name.name).collect();
        if actions.is_empty() && processes.is_empty() {
            let known = self.names.iter().map(String::as_str);
            let known = known.chain(self.headers.iter().map(|(name, _)| name.as_str()));
            return Err(LanguageError::unknown(name.span, "action or process", &name.name, known).into());
        }
        let mut domains: Vec<Vec<SortId>> = actions.iter().map(|&i| self.actions[i].sorts.clone()).collect();
        domains.extend(
            processes.iter().map(|&i| self.headers[i].1.iter().map(|parameter| parameter.sort).collect()),
        );
        let domains: Vec<&[SortId]> = domains.iter().map(Vec::as_slice).collect();
        let (which, typed) = self.signature.typed_arguments(scope, &name.name, span, &domains, arguments)?;
        let terms: Vec<BoundTerm> =
            typed.into_iter().zip(arguments).map(|(typed, written)| self.term(typed, written)).collect();
        Ok(match actions.get(which) {
            Some(&action) => ProcKind::Actions(vec![(action, terms)]),
            None => ProcKind::Call(processes[which - actions.len()], terms),
        })
    }

    /// A process whose other parameters keep their values.
    fn instance(
        &mut self,
        name: &Ident,
        assignments: &[Assignment],
        scope: &Scope,
    ) -> Result<ProcKind, ProcessError> {
        let fits = |header: &(String, Vec<ProcessVariable>)| {
            let has = |name: &str| header.1.iter().any(|parameter| &*parameter.name == name);
            let given = |name: &str| assignments.iter().any(|assignment| assignment.name.name == name);
            let visible = |parameter: &ProcessVariable| {
                let found = scope.find(&parameter.name).map(|id| self.signature.variable_sort(id));
                found == Some(parameter.sort) || given(&parameter.name)
            };
            header.0 == name.name
                && assignments.iter().all(|assignment| has(&assignment.name.name))
                && header.1.iter().all(visible)
        };
        let Some(process) = self.headers.iter().position(fits) else {
            if assignments.is_empty() && self.numbers.contains_key(&name.name) {
                return self.call(name, &[], name.span, scope);
            }
            let mut known = self.headers.iter().map(|(name, _)| name.as_str());
            if known.clone().any(|known| known == name.name) {
                return Err(ProcessError::Refused {
                    why: format!(
                        "no process {} has these parameters and takes the others from here; name every parameter \
                         that has no variable of its name and sort in scope",
                        name.name
                    ),
                    span: name.span,
                });
            }
            return Err(LanguageError::unknown(name.span, "process", &name.name, &mut known).into());
        };
        let mut arguments = Vec::new();
        for parameter in self.headers[process].1.clone() {
            let given = assignments.iter().find(|assignment| assignment.name.name == *parameter.name);
            arguments.push(match given {
                Some(assignment) => {
                    let typed = self.signature.typed(scope, &assignment.value, Some(parameter.sort))?;
                    self.term(typed, &assignment.value)
                }
                None => {
                    let own = scope.find(&parameter.name).and_then(|id| self.variables.get(&id));
                    variable_term(own.unwrap_or(&parameter))
                }
            });
        }
        Ok(ProcKind::Call(process, arguments))
    }
}

fn refused(why: &str) -> ProcKind {
    ProcKind::Refused(why.to_string())
}
