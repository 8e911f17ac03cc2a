//! The sorts that an expression may have. Names may be declared with several sorts, so a part may have several readings until
//! what stands around it decides; the reading with the fewest widenings is taken.

use super::natives::NAMES;
use super::{DataTerm, DataTermKind, Operation, Scope, Signature, SortId, SortKind, operators};
use crate::LanguageError;
use crate::syntax::{BinaryOperator, Container, DataBinder, DataExpr, DataExprKind, Span, UnaryOperator};

/// One way to read an expression.
#[derive(Clone, Debug)]
pub(super) struct Typing {
    pub(super) term: DataTerm,
    /// How many widenings it takes.
    pub(super) cost: u32,
    /// Whether another way to read it is as good and gives the same sort.
    pub(super) ambiguous: bool,
}

/// All ways to read an expression, at most one for each sort, and at least one.
pub(super) type Typings = Vec<Typing>;

/// How many combinations of readings of parts are looked at.
pub(super) const MAX_READINGS: usize = 64;

impl Signature {
    pub(super) fn infer(
        &mut self,
        scope: &mut Scope,
        expression: &DataExpr,
    ) -> Result<Typings, LanguageError> {
        let span = expression.span;
        match &expression.kind {
            DataExprKind::Name(name) => self.infer_name(scope, name, span),
            DataExprKind::Number(digits) => {
                let sort = if digits.bytes().all(|digit| digit == b'0') { SortId::NAT } else { SortId::POS };
                Ok(single(DataTermKind::Number(digits.clone()), sort, span))
            }
            DataExprKind::List(elements) => {
                self.infer_elements(scope, span, elements, Container::List, DataTermKind::List)
            }
            DataExprKind::Set(elements) => {
                self.infer_elements(scope, span, elements, Container::FSet, DataTermKind::Set)
            }
            DataExprKind::Bag(elements) => self.infer_bag(scope, span, elements),
            DataExprKind::Comprehension(variable, body) => {
                let sort = self.sort(&variable.sort)?;
                let depth = scope.depth();
                let bound = scope.declare(self, &variable.name.name, sort);
                let found = self.infer(scope, body);
                scope.leave(depth);
                let mut typings = Vec::new();
                for typing in found? {
                    let container = match typing.term.sort {
                        SortId::BOOL => Container::Set,
                        SortId::POS | SortId::NAT => Container::Bag,
                        _ => continue,
                    };
                    let sort = self.sorts.container(container, sort);
                    let kind = DataTermKind::Comprehension(bound, Box::new(typing.term.clone()));
                    typings.push(Typing { term: DataTerm { kind, sort, span }, ..typing });
                }
                if typings.is_empty() {
                    let message =
                        "what stands behind '|' must be a condition, or for a bag a number of sort Nat";
                    return Err(LanguageError::sort(body.span, message));
                }
                Ok(typings)
            }
            DataExprKind::Apply(function, arguments) => {
                self.infer_application(scope, span, function, arguments)
            }
            DataExprKind::Update(parts) => self.infer_update(scope, span, parts),
            DataExprKind::Unary(operator, operand) => {
                let operands = self.infer(scope, operand)?;
                self.infer_unary(*operator, span, operands)
            }
            DataExprKind::Binary(operator, operands) => {
                let left = self.infer(scope, &operands[0])?;
                let right = self.infer(scope, &operands[1])?;
                self.infer_binary(*operator, span, left, right)
            }
            DataExprKind::Bind(binder, variables, body) => {
                let depth = scope.depth();
                let (mut bound, mut domain) = (Vec::new(), Vec::new());
                for variable in variables {
                    let sort = self.sort(&variable.sort)?;
                    domain.push(sort);
                    bound.push(scope.declare(self, &variable.name.name, sort));
                }
                let found = self.infer(scope, body);
                scope.leave(depth);
                let mut found = found?;
                if *binder != DataBinder::Lambda {
                    let body = self.choose(body.span, found, Some(SortId::BOOL))?;
                    let kind = DataTermKind::Bind(*binder, bound, Box::new(body));
                    return Ok(single(kind, SortId::BOOL, span));
                }
                for typing in &mut found {
                    let sort = self.sorts.function(&domain, typing.term.sort);
                    let body = std::mem::replace(&mut typing.term, placeholder(span));
                    let kind = DataTermKind::Bind(*binder, bound.clone(), Box::new(body));
                    typing.term = DataTerm { kind, sort, span };
                }
                Ok(found)
            }
            DataExprKind::Where(body, assignments) => {
                let mut values = Vec::new();
                for assignment in assignments {
                    let found = self.infer(scope, &assignment.value)?;
                    values.push(self.choose(assignment.value.span, found, None)?);
                }
                let depth = scope.depth();
                let mut bound = Vec::new();
                for (assignment, value) in assignments.iter().zip(values) {
                    bound.push((scope.declare(self, &assignment.name.name, value.sort), value));
                }
                let found = self.infer(scope, body);
                scope.leave(depth);
                let mut found = found?;
                for typing in &mut found {
                    let sort = typing.term.sort;
                    let body = std::mem::replace(&mut typing.term, placeholder(span));
                    typing.term =
                        DataTerm { kind: DataTermKind::Where(bound.clone(), Box::new(body)), sort, span };
                }
                Ok(found)
            }
        }
    }

    fn infer_name(&mut self, scope: &Scope, name: &str, span: Span) -> Result<Typings, LanguageError> {
        if let Some(variable) = scope.find(name) {
            return Ok(single(DataTermKind::Variable(variable), self.variable_sort(variable), span));
        }
        if name == "true" || name == "false" {
            return Ok(single(DataTermKind::Truth(name == "true"), SortId::BOOL, span));
        }
        let mut typings = Vec::new();
        for function in self.functions_named(name).to_vec() {
            let info = self.function(function);
            let (domain, range) = (info.domain.clone(), info.range);
            let sort = self.sorts.function(&domain, range);
            let term = DataTerm { kind: DataTermKind::Function(function), sort, span };
            typings.push(Typing { term, cost: 0, ambiguous: false });
        }
        if !typings.is_empty() {
            return Ok(typings);
        }
        if NAMES.contains(&name) {
            let message =
                format!("the built-in function '{name}' needs its arguments; write a lambda around it");
            return Err(LanguageError::sort(span, message));
        }
        Err(self.unknown_name(scope, name, span))
    }

    pub(super) fn unknown_name(&self, scope: &Scope, name: &str, span: Span) -> LanguageError {
        let functions = self.function_names.keys().map(String::as_str);
        let names = scope.names().chain(functions).chain(NAMES);
        LanguageError::unknown(span, "variable or function", name, names)
    }

    fn infer_update(
        &mut self,
        scope: &mut Scope,
        span: Span,
        parts: &[DataExpr; 3],
    ) -> Result<Typings, LanguageError> {
        let functions = self.infer(scope, &parts[0])?;
        let arguments = self.infer(scope, &parts[1])?;
        let values = self.infer(scope, &parts[2])?;
        let mut typings = Vec::new();
        for function in &functions {
            let SortKind::Function(domain, range) = self.sorts.kind(function.term.sort).clone() else {
                continue;
            };
            let [domain] = *domain else { continue };
            let (Some(argument), Some(value)) = (self.best(&arguments, domain), self.best(&values, range))
            else {
                continue;
            };
            let cost = function.cost + argument.cost + value.cost;
            let operands = vec![function.term.clone(), argument.term, value.term];
            let kind = DataTermKind::Operation(Operation::Update, function.term.sort, operands);
            let ambiguous = function.ambiguous || argument.ambiguous || value.ambiguous;
            offer(
                &mut typings,
                Typing { term: DataTerm { kind, sort: function.term.sort, span }, cost, ambiguous },
            );
        }
        if typings.is_empty() {
            let message = format!(
                "in f[x -> y], f is a function of one argument, x an argument and y a value; here f is of sort {}, x of sort {} and y of sort {}",
                self.print_sorts(&functions),
                self.print_sorts(&arguments),
                self.print_sorts(&values)
            );
            return Err(LanguageError::sort(span, message));
        }
        Ok(typings)
    }

    fn infer_unary(
        &mut self,
        operator: UnaryOperator,
        span: Span,
        operands: Typings,
    ) -> Result<Typings, LanguageError> {
        let mut typings = Vec::new();
        for operand in &operands {
            let Some((operation, over, sort)) =
                operators::unary(&mut self.sorts, operator, operand.term.sort)
            else {
                continue;
            };
            let kind = DataTermKind::Operation(operation, over, vec![operand.term.clone()]);
            let term = DataTerm { kind, sort, span };
            offer(&mut typings, Typing { term, cost: operand.cost, ambiguous: operand.ambiguous });
        }
        if typings.is_empty() {
            let takes = match operator {
                UnaryOperator::Not => "a condition or a set",
                UnaryOperator::Minus => "a number",
                UnaryOperator::Size => "a list, or a finite set or bag",
            };
            let message = format!(
                "'{}' takes {takes}, but this is of sort {}",
                operator.sign(),
                self.print_sorts(&operands)
            );
            return Err(LanguageError::sort(operands[0].term.span, message));
        }
        Ok(typings)
    }

    fn infer_binary(
        &mut self,
        operator: BinaryOperator,
        span: Span,
        left: Typings,
        right: Typings,
    ) -> Result<Typings, LanguageError> {
        let swap = matches!(operator, BinaryOperator::Greater | BinaryOperator::AtLeast);
        let mut typings = Vec::new();
        for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))).take(MAX_READINGS) {
            let (first, second) = if swap { (b, a) } else { (a, b) };
            let Some((operation, over, sort)) =
                operators::binary(&mut self.sorts, operator, first.term.sort, second.term.sort)
            else {
                continue;
            };
            let operands = vec![first.term.clone(), second.term.clone()];
            let term = DataTerm { kind: DataTermKind::Operation(operation, over, operands), sort, span };
            let distance = self.distance(first.term.sort, over) + self.distance(second.term.sort, over);
            let ambiguous = a.ambiguous || b.ambiguous;
            offer(&mut typings, Typing { term, cost: a.cost + b.cost + distance, ambiguous });
        }
        if typings.is_empty() {
            return Err(self.no_operator(operator, span, &left, &right));
        }
        Ok(typings)
    }

    fn no_operator(
        &self,
        operator: BinaryOperator,
        span: Span,
        left: &Typings,
        right: &Typings,
    ) -> LanguageError {
        use BinaryOperator as Op;
        let takes = match operator {
            Op::Implies | Op::Or | Op::And => "two conditions",
            Op::Equal | Op::Unequal => "two values of the same sort",
            Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => "two values of the same sort",
            Op::In => "an element, and a list, set or bag of such",
            Op::Cons => "an element and a list of such",
            Op::Snoc => "a list and an element of it",
            Op::Concat => "two lists of the same sort",
            Op::Plus | Op::Minus | Op::Times => "two numbers, two sets or two bags",
            Op::Divide => "two numbers",
            Op::Div | Op::Mod => "an integer and a number of sort Pos, to which Nat2Pos and Int2Pos convert",
            Op::At => "a list and a place of sort Nat",
        };
        let message = format!(
            "'{}' takes {takes}, but the left side is of sort {} and the right side of sort {}",
            operator.sign(),
            self.print_sorts(left),
            self.print_sorts(right)
        );
        LanguageError::sort(span, message)
    }

    /// The cheapest reading that widens to a sort.
    pub(super) fn best(&self, typings: &[Typing], sort: SortId) -> Option<Typing> {
        let mut best: Option<Typing> = None;
        for typing in typings {
            let Some(widening) = self.sorts.widening(typing.term.sort, sort) else { continue };
            let cost = typing.cost + widening;
            match &mut best {
                Some(best) if best.cost < cost => {}
                Some(best) if best.cost == cost => best.ambiguous = true,
                _ => best = Some(Typing { cost, ..typing.clone() }),
            }
        }
        best
    }

    /// The reading that is meant.
    pub(super) fn choose(
        &self,
        span: Span,
        typings: Typings,
        sort: Option<SortId>,
    ) -> Result<DataTerm, LanguageError> {
        let chosen = match sort {
            Some(sort) => self.best(&typings, sort),
            None => {
                let mut best: Option<Typing> = None;
                for typing in &typings {
                    match &mut best {
                        Some(best) if best.cost < typing.cost => {}
                        Some(best) if best.cost == typing.cost => best.ambiguous = true,
                        _ => best = Some(typing.clone()),
                    }
                }
                best
            }
        };
        match (chosen, sort) {
            (Some(typing), _) if !typing.ambiguous => Ok(typing.term),
            (Some(_), _) => {
                let message =
                    "this can be read in several ways, since a name in it is declared with several sorts";
                Err(LanguageError::sort(span, message))
            }
            (None, sort) => {
                let expected = sort.map_or_else(String::new, |sort| self.sorts.print(sort));
                let message = format!(
                    "expected an expression of sort {expected}, but this is of sort {}",
                    self.print_sorts(&typings)
                );
                Err(LanguageError::sort(span, message))
            }
        }
    }

    pub(super) fn print_sorts(&self, typings: &[Typing]) -> String {
        let sorts: Vec<_> = typings.iter().map(|typing| self.sorts.print(typing.term.sort)).collect();
        sorts.join(" or ")
    }

    fn distance(&self, from: SortId, to: SortId) -> u32 {
        self.sorts.widening(from, to).unwrap_or(0)
    }
}

/// Adds a reading, unless one of the same sort is cheaper.
pub(super) fn offer(typings: &mut Typings, typing: Typing) {
    let Some(known) = typings.iter_mut().find(|known| known.term.sort == typing.term.sort) else {
        typings.push(typing);
        return;
    };
    if typing.cost < known.cost {
        *known = typing;
    } else if typing.cost == known.cost && typing.term != known.term {
        known.ambiguous = true;
    }
}

fn single(kind: DataTermKind, sort: SortId, span: Span) -> Typings {
    vec![Typing { term: DataTerm { kind, sort, span }, cost: 0, ambiguous: false }]
}

/// What stands where a term was taken out.
fn placeholder(span: Span) -> DataTerm {
    DataTerm { kind: DataTermKind::Truth(false), sort: SortId::BOOL, span }
}
