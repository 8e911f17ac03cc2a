//! From the tree of a formula to a formula whose terms are typed and whose variables are told apart.

use super::{FormulaNames, TypedFormula, TypedFormulaTerm};
use crate::formula::{
    ActionPattern, FixedPointSign, FormulaPlace, FormulaTerm, FormulaVariable, LabelFormula, ModalFormula,
    RegularSteps,
};
use crate::language::FormulaTextError;
use crate::normal::FormulaError;
use watchkeeper_mcrl2::LanguageError;
use watchkeeper_mcrl2::syntax::{
    ActionFormula, ActionFormulaKind, Connective, DataExpr, Fixpoint, FixpointParameter, FormulaQuantifier,
    Ident, RegularFormula, RegularFormulaKind, Span, StateFormula, StateFormulaKind, VariableDeclaration,
};
use watchkeeper_mcrl2::typing::{DataTerm, Scope, SortId, VariableId};

/// What was read so far.
pub(super) struct FormulaReading {
    names: FormulaNames,
    scope: Scope,
    terms: Vec<TypedFormulaTerm>,
    variables: Vec<VariableId>,
    /// The fixed points around, innermost last, with the sorts of their parameters.
    fixed_points: Vec<(String, Vec<SortId>)>,
}

impl FormulaReading {
    pub(super) fn new(names: FormulaNames) -> FormulaReading {
        FormulaReading {
            names,
            scope: Scope::new(),
            terms: Vec::new(),
            variables: Vec::new(),
            fixed_points: Vec::new(),
        }
    }

    pub(super) fn finished(self, formula: ModalFormula) -> TypedFormula {
        TypedFormula {
            formula,
            terms: self.terms,
            variables: self.variables,
            signature: self.names.signature,
        }
    }

    pub(super) fn state_formula(&mut self, written: &StateFormula) -> Result<ModalFormula, FormulaTextError> {
        Ok(match &written.kind {
            StateFormulaKind::True => ModalFormula::Constant(true),
            StateFormulaKind::False => ModalFormula::Constant(false),
            StateFormulaKind::Data(condition) => ModalFormula::Data(self.term(condition, SortId::BOOL)?),
            StateFormulaKind::Variable(name, arguments) => self.variable(name, arguments, written.span)?,
            StateFormulaKind::Not(inner) => self.state_formula(inner)?.negated(),
            StateFormulaKind::Connective(connective, both) => {
                let left = Box::new(self.state_formula(&both[0])?);
                let right = Box::new(self.state_formula(&both[1])?);
                match connective {
                    Connective::And => ModalFormula::And(left, right),
                    Connective::Or => ModalFormula::Or(left, right),
                    Connective::Implies => ModalFormula::Implies(left, right),
                }
            }
            StateFormulaKind::Quantified(quantifier, declared, inner) => {
                let depth = self.scope.depth();
                let variables = self.declare(declared)?;
                let inner = Box::new(self.state_formula(inner)?);
                self.scope.leave(depth);
                match quantifier {
                    FormulaQuantifier::Forall => ModalFormula::Forall(variables, inner),
                    FormulaQuantifier::Exists => ModalFormula::Exists(variables, inner),
                }
            }
            StateFormulaKind::Box(steps, then) => {
                let steps = self.steps(steps)?;
                ModalFormula::must(steps, self.state_formula(then)?)
            }
            StateFormulaKind::Diamond(steps, then) => {
                let steps = self.steps(steps)?;
                ModalFormula::may(steps, self.state_formula(then)?)
            }
            StateFormulaKind::Fixpoint(sign, name, parameters, body) => {
                self.fixed_point(*sign, name, parameters, body)?
            }
            StateFormulaKind::Delay(_) => return Err(timed(written.span, "`delay`")),
            StateFormulaKind::Yaled(_) => return Err(timed(written.span, "`yaled`")),
        })
    }

    fn fixed_point(
        &mut self,
        sign: Fixpoint,
        name: &Ident,
        parameters: &[FixpointParameter],
        body: &StateFormula,
    ) -> Result<ModalFormula, FormulaTextError> {
        let mut values = Vec::new();
        let mut sorts = Vec::new();
        for parameter in parameters {
            let sort = self.names.signature.sort(&parameter.sort)?;
            values.push(self.term(&parameter.initial, sort)?);
            sorts.push(sort);
        }
        let depth = self.scope.depth();
        let mut declared = Vec::new();
        for (parameter, (&sort, value)) in parameters.iter().zip(sorts.iter().zip(values)) {
            declared.push((self.new_variable(&parameter.name.name, sort), value));
        }
        self.fixed_points.push((name.name.clone(), sorts));
        let body = self.state_formula(body);
        self.fixed_points.pop();
        self.scope.leave(depth);
        let sign = match sign {
            Fixpoint::Least => FixedPointSign::Least,
            Fixpoint::Greatest => FixedPointSign::Greatest,
        };
        Ok(ModalFormula::FixedPoint {
            sign,
            name: name.name.clone(),
            parameters: declared,
            body: Box::new(body?),
            place: place(name.span),
        })
    }

    fn variable(
        &mut self,
        name: &Ident,
        arguments: &[DataExpr],
        span: Span,
    ) -> Result<ModalFormula, FormulaTextError> {
        let known = self.fixed_points.iter().rev().find(|(known, _)| *known == name.name);
        let Some((_, sorts)) = known.cloned() else {
            return Err(FormulaError::Unbound { name: name.name.clone(), place: place(span) }.into());
        };
        if sorts.len() != arguments.len() {
            let (expected, given) = (sorts.len(), arguments.len());
            let (name, place) = (name.name.clone(), place(span));
            return Err(FormulaError::Arguments { name, place, expected, given }.into());
        }
        let arguments = arguments
            .iter()
            .zip(sorts)
            .map(|(argument, sort)| self.term(argument, sort))
            .collect::<Result<_, _>>()?;
        Ok(ModalFormula::Variable { name: name.name.clone(), arguments, place: place(span) })
    }

    fn steps(&mut self, written: &RegularFormula) -> Result<RegularSteps, FormulaTextError> {
        Ok(match &written.kind {
            RegularFormulaKind::Nil => RegularSteps::Nothing,
            RegularFormulaKind::Action(labels) => RegularSteps::Step(self.labels(labels)?),
            RegularFormulaKind::Sequence(both) => {
                RegularSteps::Then(Box::new(self.steps(&both[0])?), Box::new(self.steps(&both[1])?))
            }
            RegularFormulaKind::Choice(both) => {
                RegularSteps::Either(Box::new(self.steps(&both[0])?), Box::new(self.steps(&both[1])?))
            }
            RegularFormulaKind::Star(inner) => RegularSteps::Star(Box::new(self.steps(inner)?)),
            RegularFormulaKind::Plus(inner) => RegularSteps::Plus(Box::new(self.steps(inner)?)),
        })
    }

    fn labels(&mut self, written: &ActionFormula) -> Result<LabelFormula, FormulaTextError> {
        Ok(match &written.kind {
            ActionFormulaKind::True => LabelFormula::Constant(true),
            ActionFormulaKind::False => LabelFormula::Constant(false),
            ActionFormulaKind::Data(condition) => LabelFormula::Data(self.term(condition, SortId::BOOL)?),
            ActionFormulaKind::MultiAction(actions) => {
                let patterns = actions.iter().map(|(name, arguments)| self.pattern(name, arguments));
                LabelFormula::Actions(patterns.collect::<Result<_, _>>()?)
            }
            ActionFormulaKind::Not(inner) => LabelFormula::Not(Box::new(self.labels(inner)?)),
            ActionFormulaKind::Connective(connective, both) => {
                let left = Box::new(self.labels(&both[0])?);
                let right = Box::new(self.labels(&both[1])?);
                match connective {
                    Connective::And => LabelFormula::And(left, right),
                    Connective::Or => LabelFormula::Or(left, right),
                    Connective::Implies => LabelFormula::Implies(left, right),
                }
            }
            ActionFormulaKind::Quantified(quantifier, declared, inner) => {
                let depth = self.scope.depth();
                let variables = self.declare(declared)?;
                let inner = Box::new(self.labels(inner)?);
                self.scope.leave(depth);
                match quantifier {
                    FormulaQuantifier::Forall => LabelFormula::Forall(variables, inner),
                    FormulaQuantifier::Exists => LabelFormula::Exists(variables, inner),
                }
            }
            ActionFormulaKind::At(..) => return Err(timed(written.span, "real time (`@`)")),
        })
    }

    fn pattern(&mut self, name: &Ident, arguments: &[DataExpr]) -> Result<ActionPattern, FormulaTextError> {
        let Some(known) = self.names.actions.get(&name.name) else {
            let names = self.names.actions.keys().map(String::as_str);
            return Err(LanguageError::unknown(name.span, "action", &name.name, names).into());
        };
        let domains: Vec<&[SortId]> = known.iter().map(Vec::as_slice).collect();
        let what = format!("action {}", name.name);
        let (chosen, terms) =
            self.names.signature.typed_arguments(&self.scope, &what, name.span, &domains, arguments)?;
        let sorts = known[chosen].clone();
        let arguments = terms.into_iter().zip(sorts).map(|(term, sort)| self.push(term, sort)).collect();
        let label = self.names.reserved.get(&name.name).unwrap_or(&name.name);
        Ok(ActionPattern { name: label.clone(), arguments })
    }

    fn term(&mut self, written: &DataExpr, sort: SortId) -> Result<FormulaTerm, FormulaTextError> {
        let term = self.names.signature.typed(&self.scope, written, Some(sort))?;
        Ok(self.push(term, sort))
    }

    fn push(&mut self, term: DataTerm, sort: SortId) -> FormulaTerm {
        self.terms.push(TypedFormulaTerm { term, sort });
        (self.terms.len() - 1) as FormulaTerm
    }

    fn declare(
        &mut self,
        declared: &[VariableDeclaration],
    ) -> Result<Vec<FormulaVariable>, FormulaTextError> {
        let mut variables = Vec::with_capacity(declared.len());
        for variable in declared {
            let sort = self.names.signature.sort(&variable.sort)?;
            variables.push(self.new_variable(&variable.name.name, sort));
        }
        Ok(variables)
    }

    fn new_variable(&mut self, name: &str, sort: SortId) -> FormulaVariable {
        self.variables.push(self.scope.declare(&mut self.names.signature, name, sort));
        (self.variables.len() - 1) as FormulaVariable
    }
}

fn place(span: Span) -> FormulaPlace {
    FormulaPlace { line: span.line, column: span.column }
}

fn timed(span: Span, what: &str) -> FormulaTextError {
    LanguageError::Unsupported { span, what: format!("{what} in a formula, which is about untimed spaces,") }
        .into()
}
