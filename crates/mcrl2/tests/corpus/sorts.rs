//! A plain walk over processes and formulas that types every data expression in them.

use std::collections::BTreeMap;

use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::data::Rewriter;
use watchkeeper_mcrl2::syntax::{
    ActionDeclaration, ActionFormula, ActionFormulaKind, DataExpr, FormulaSpecification, Ident, ProcessExpr,
    ProcessExprKind, RegularFormula, RegularFormulaKind, Specification, StateFormula, StateFormulaKind,
    VariableDeclaration,
};
use watchkeeper_mcrl2::typing::{DataTerm, Scope, Signature, SortId};

/// What is known of a specification.
pub struct Walk {
    signature: Signature,
    rewriter: Rewriter,
    scope: Scope,
    actions: BTreeMap<String, Vec<Vec<SortId>>>,
    /// A name may be declared with several lists of parameters.
    processes: BTreeMap<String, Vec<Vec<(String, SortId)>>>,
    fixpoints: Vec<(String, Vec<SortId>)>,
}

type Checked = Result<(), LanguageError>;

impl Walk {
    /// A whole specification.
    pub fn specification(specification: &Specification) -> Result<Self, LanguageError> {
        let signature = Signature::of(&specification.data)?;
        let rewriter = Rewriter::new(&signature)?;
        let (actions, processes) = (BTreeMap::new(), BTreeMap::new());
        let scope = Scope::new();
        let mut walk = Self { signature, rewriter, scope, actions, processes, fixpoints: Vec::new() };
        walk.declare(&specification.actions)?;
        for variable in &specification.globals {
            walk.variable(variable)?;
        }
        for process in &specification.processes {
            let mut parameters = Vec::new();
            for parameter in &process.parameters {
                parameters.push((parameter.name.name.clone(), walk.signature.sort(&parameter.sort)?));
            }
            walk.processes.entry(process.name.name.clone()).or_default().push(parameters);
        }
        for process in &specification.processes {
            let depth = walk.scope.depth();
            for parameter in &process.parameters {
                walk.variable(parameter)?;
            }
            walk.process(&process.body)?;
            walk.scope.leave(depth);
        }
        walk.process(&specification.init)?;
        Ok(walk)
    }

    /// A formula on the specification.
    pub fn formula_file(&mut self, formula: &FormulaSpecification) -> Checked {
        self.signature.extend(&formula.data)?;
        self.declare(&formula.actions)?;
        self.formula(&formula.formula)
    }

    fn declare(&mut self, actions: &[ActionDeclaration]) -> Checked {
        for action in actions {
            let sorts =
                action.sorts.iter().map(|sort| self.signature.sort(sort)).collect::<Result<Vec<_>, _>>()?;
            self.actions.entry(action.name.name.clone()).or_default().push(sorts);
        }
        Ok(())
    }

    fn variable(&mut self, variable: &VariableDeclaration) -> Checked {
        let sort = self.signature.sort(&variable.sort)?;
        self.scope.declare(&mut self.signature, &variable.name.name, sort);
        Ok(())
    }

    fn data(&mut self, expression: &DataExpr, sort: SortId) -> Checked {
        let term = self.signature.typed(&self.scope, expression, Some(sort))?;
        self.compiled(&term)
    }

    fn compiled(&mut self, term: &DataTerm) -> Checked {
        self.rewriter.compile(&self.signature, term, &term.free_variables()).map(|_| ())
    }

    fn call(&mut self, name: &Ident, arguments: &[DataExpr]) -> Checked {
        let mut domains = self.actions.get(&name.name).cloned().unwrap_or_default();
        for parameters in self.processes.get(&name.name).into_iter().flatten() {
            domains.push(parameters.iter().map(|(_, sort)| *sort).collect());
        }
        if domains.is_empty() {
            let names = self.actions.keys().chain(self.processes.keys()).map(String::as_str);
            return Err(LanguageError::unknown(name.span, "action or process", &name.name, names));
        }
        let domains: Vec<_> = domains.iter().map(Vec::as_slice).collect();
        let (_, terms) =
            self.signature.typed_arguments(&self.scope, &name.name, name.span, &domains, arguments)?;
        terms.iter().try_for_each(|term| self.compiled(term))
    }

    fn process(&mut self, process: &ProcessExpr) -> Checked {
        match &process.kind {
            ProcessExprKind::Delta | ProcessExprKind::Tau => Ok(()),
            ProcessExprKind::Call(name, arguments) => self.call(name, arguments),
            ProcessExprKind::Instance(name, assignments) => {
                let candidates = self.processes.get(&name.name).cloned().unwrap_or_default();
                let has_all = |parameters: &&Vec<(String, SortId)>| {
                    assignments.iter().all(|a| parameters.iter().any(|(known, _)| *known == a.name.name))
                };
                let parameters = candidates.iter().find(has_all).or(candidates.first());
                let parameters = parameters.cloned().unwrap_or_default();
                for assignment in assignments {
                    let (_, sort) = parameters
                        .iter()
                        .find(|(known, _)| *known == assignment.name.name)
                        .ok_or_else(|| {
                            let names = parameters.iter().map(|(known, _)| known.as_str());
                            LanguageError::unknown(
                                assignment.name.span,
                                "parameter",
                                &assignment.name.name,
                                names,
                            )
                        })?;
                    self.data(&assignment.value, *sort)?;
                }
                Ok(())
            }
            ProcessExprKind::Choice(parts)
            | ProcessExprKind::Sequence(parts)
            | ProcessExprKind::Parallel(parts)
            | ProcessExprKind::Sync(parts) => parts.iter().try_for_each(|part| self.process(part)),
            ProcessExprKind::LeftMerge(parts) | ProcessExprKind::Until(parts) => {
                parts.iter().try_for_each(|part| self.process(part))
            }
            ProcessExprKind::If(condition, then, otherwise) => {
                self.data(condition, SortId::BOOL)?;
                self.process(then)?;
                otherwise.iter().try_for_each(|otherwise| self.process(otherwise))
            }
            ProcessExprKind::Sum(variables, body) => {
                let depth = self.scope.depth();
                variables.iter().try_for_each(|variable| self.variable(variable))?;
                let result = self.process(body);
                self.scope.leave(depth);
                result
            }
            ProcessExprKind::Dist(variables, distribution, body) => {
                let depth = self.scope.depth();
                variables.iter().try_for_each(|variable| self.variable(variable))?;
                self.data(distribution, SortId::REAL)?;
                let result = self.process(body);
                self.scope.leave(depth);
                result
            }
            ProcessExprKind::At(body, time) => {
                self.data(time, SortId::REAL)?;
                self.process(body)
            }
            ProcessExprKind::Block(_, body)
            | ProcessExprKind::Hide(_, body)
            | ProcessExprKind::Rename(_, body)
            | ProcessExprKind::Allow(_, body)
            | ProcessExprKind::Comm(_, body) => self.process(body),
        }
    }

    fn formula(&mut self, formula: &StateFormula) -> Checked {
        match &formula.kind {
            StateFormulaKind::True
            | StateFormulaKind::False
            | StateFormulaKind::Delay(_)
            | StateFormulaKind::Yaled(_) => Ok(()),
            StateFormulaKind::Data(condition) => self.data(condition, SortId::BOOL),
            StateFormulaKind::Variable(name, arguments) => {
                let domain = self.fixpoints.iter().rev().find(|(known, _)| *known == name.name);
                let domain = domain.map(|(_, domain)| domain.clone()).ok_or_else(|| {
                    LanguageError::unknown(
                        name.span,
                        "fixed point",
                        &name.name,
                        self.fixpoints.iter().map(|(known, _)| known.as_str()),
                    )
                })?;
                self.signature
                    .typed_arguments(&self.scope, &name.name, name.span, &[&domain], arguments)
                    .map(|_| ())
            }
            StateFormulaKind::Not(operand) => self.formula(operand),
            StateFormulaKind::Connective(_, operands) => {
                operands.iter().try_for_each(|operand| self.formula(operand))
            }
            StateFormulaKind::Quantified(_, variables, body) => {
                let depth = self.scope.depth();
                variables.iter().try_for_each(|variable| self.variable(variable))?;
                let result = self.formula(body);
                self.scope.leave(depth);
                result
            }
            StateFormulaKind::Box(steps, body) | StateFormulaKind::Diamond(steps, body) => {
                self.regular(steps)?;
                self.formula(body)
            }
            StateFormulaKind::Fixpoint(_, name, parameters, body) => {
                let depth = self.scope.depth();
                let mut domain = Vec::new();
                for parameter in parameters {
                    let sort = self.signature.sort(&parameter.sort)?;
                    self.data(&parameter.initial, sort)?;
                    domain.push(sort);
                }
                for (parameter, sort) in parameters.iter().zip(&domain) {
                    self.scope.declare(&mut self.signature, &parameter.name.name, *sort);
                }
                self.fixpoints.push((name.name.clone(), domain));
                let result = self.formula(body);
                self.fixpoints.pop();
                self.scope.leave(depth);
                result
            }
        }
    }

    fn regular(&mut self, steps: &RegularFormula) -> Checked {
        match &steps.kind {
            RegularFormulaKind::Nil => Ok(()),
            RegularFormulaKind::Action(action) => self.action(action),
            RegularFormulaKind::Sequence(parts) | RegularFormulaKind::Choice(parts) => {
                parts.iter().try_for_each(|part| self.regular(part))
            }
            RegularFormulaKind::Star(body) | RegularFormulaKind::Plus(body) => self.regular(body),
        }
    }

    fn action(&mut self, action: &ActionFormula) -> Checked {
        match &action.kind {
            ActionFormulaKind::True | ActionFormulaKind::False => Ok(()),
            ActionFormulaKind::Data(condition) => self.data(condition, SortId::BOOL),
            ActionFormulaKind::MultiAction(actions) => {
                actions.iter().try_for_each(|(name, arguments)| self.call(name, arguments))
            }
            ActionFormulaKind::Not(operand) | ActionFormulaKind::At(operand, _) => self.action(operand),
            ActionFormulaKind::Connective(_, operands) => {
                operands.iter().try_for_each(|operand| self.action(operand))
            }
            ActionFormulaKind::Quantified(_, variables, body) => {
                let depth = self.scope.depth();
                variables.iter().try_for_each(|variable| self.variable(variable))?;
                let result = self.action(body);
                self.scope.leave(depth);
                result
            }
        }
    }
}
