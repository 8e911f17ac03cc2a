//! Which function is meant where arguments follow.

use super::infer::{Typing, Typings, offer};
use super::{DataTerm, DataTermKind, FunctionId, Scope, Signature, SortId, SortKind, natives};
use crate::LanguageError;
use crate::syntax::{DataExpr, DataExprKind, Span};

impl Signature {
    pub(super) fn infer_application(
        &mut self,
        scope: &mut Scope,
        span: Span,
        function: &DataExpr,
        arguments: &[DataExpr],
    ) -> Result<Typings, LanguageError> {
        let mut found = Vec::with_capacity(arguments.len());
        for argument in arguments {
            found.push(self.infer(scope, argument)?);
        }
        if let DataExprKind::Name(name) = &function.kind
            && scope.find(name).is_none()
            && name != "true"
            && name != "false"
        {
            return self.apply_named(scope, name, function.span, span, &found);
        }
        let functions = self.infer(scope, function)?;
        let mut typings = Vec::new();
        for function in &functions {
            let SortKind::Function(domain, range) = self.sorts.kind(function.term.sort).clone() else {
                continue;
            };
            let Some(fit) = self.fit(&domain, &found) else { continue };
            let kind = DataTermKind::Apply(Box::new(function.term.clone()), fit.terms);
            let term = DataTerm { kind, sort: range, span };
            let ambiguous = function.ambiguous || fit.ambiguous;
            offer(&mut typings, Typing { term, cost: function.cost + fit.cost, ambiguous });
        }
        if typings.is_empty() {
            let message = format!(
                "this is of sort {} and cannot be applied to {}",
                self.print_sorts(&functions),
                self.print_arguments(&found)
            );
            return Err(LanguageError::sort(function.span, message));
        }
        Ok(typings)
    }

    fn apply_named(
        &mut self,
        scope: &Scope,
        name: &str,
        name_span: Span,
        span: Span,
        found: &[Typings],
    ) -> Result<Typings, LanguageError> {
        let candidates = self.functions_named(name).to_vec();
        let mut typings = Vec::new();
        for function in &candidates {
            let info = self.function(*function);
            let (domain, range) = (info.domain.clone(), info.range);
            let (domain, range) = if domain.is_empty() {
                // A constant may be a function.
                match self.sorts.kind(range) {
                    SortKind::Function(domain, range) => (domain.clone(), *range),
                    _ => continue,
                }
            } else {
                (domain, range)
            };
            let Some(fit) = self.fit(&domain, found) else { continue };
            let info = self.function(*function);
            let (own_domain, own_range) = (info.domain.clone(), info.range);
            let sort = self.sorts.function(&own_domain, own_range);
            let head = DataTerm { kind: DataTermKind::Function(*function), sort, span: name_span };
            let kind = DataTermKind::Apply(Box::new(head), fit.terms);
            let term = DataTerm { kind, sort: range, span };
            offer(&mut typings, Typing { term, cost: fit.cost, ambiguous: fit.ambiguous });
        }
        if typings.is_empty() && natives::NAMES.contains(&name) {
            self.apply_native(name, span, found, &mut typings);
        }
        if typings.is_empty() {
            return Err(self.no_application(scope, name, name_span, &candidates, found));
        }
        Ok(typings)
    }

    fn apply_native(&mut self, name: &str, span: Span, found: &[Typings], typings: &mut Typings) {
        // One reading of each argument at a time, like the digits of a number.
        let mut choice = vec![0; found.len()];
        for _ in 0..64 {
            let chosen: Vec<_> = choice.iter().zip(found).map(|(&i, typings)| &typings[i]).collect();
            let sorts: Vec<_> = chosen.iter().map(|typing| typing.term.sort).collect();
            if let Some((operation, over, sort)) = natives::named(&mut self.sorts, name, &sorts) {
                let terms: Vec<_> = chosen.iter().map(|typing| typing.term.clone()).collect();
                let cost = chosen.iter().map(|typing| typing.cost).sum();
                let ambiguous = chosen.iter().any(|typing| typing.ambiguous);
                let term = DataTerm { kind: DataTermKind::Operation(operation, over, terms), sort, span };
                offer(typings, Typing { term, cost, ambiguous });
            }
            let Some(next) = (0..found.len()).find(|&i| choice[i] + 1 < found[i].len()) else { return };
            choice[next] += 1;
            choice[..next].fill(0);
        }
    }

    /// The cheapest readings of arguments that widen to the sorts of a domain.
    fn fit(&self, domain: &[SortId], found: &[Typings]) -> Option<Fit> {
        if domain.len() != found.len() {
            return None;
        }
        let mut fit = Fit { terms: Vec::with_capacity(found.len()), cost: 0, ambiguous: false };
        for (sort, typings) in domain.iter().zip(found) {
            let best = self.best(typings, *sort)?;
            fit.terms.push(best.term);
            fit.cost += best.cost;
            fit.ambiguous |= best.ambiguous;
        }
        Some(fit)
    }

    fn no_application(
        &self,
        scope: &Scope,
        name: &str,
        span: Span,
        candidates: &[FunctionId],
        found: &[Typings],
    ) -> LanguageError {
        let native = natives::NAMES.contains(&name);
        if candidates.is_empty() && !native {
            return self.unknown_name(scope, name, span);
        }
        let mut takes: Vec<String> = Vec::new();
        for function in candidates {
            let info = self.function(*function);
            takes.push(if info.domain.is_empty() {
                format!("no argument, since it is of sort {}", self.sorts.print(info.range))
            } else {
                self.sorts.print_product(&info.domain)
            });
        }
        if native {
            takes.push(natives::usage(name).to_owned());
        }
        let given = self.print_arguments(found);
        let message = format!("'{name}' takes {}, but here it is applied to {given}", takes.join(" or "));
        LanguageError::sort(span, message)
    }

    fn print_arguments(&self, found: &[Typings]) -> String {
        let sorts: Vec<_> = found.iter().map(|typings| self.print_sorts(typings)).collect();
        sorts.join(" # ")
    }

    pub(super) fn choose_arguments(
        &mut self,
        scope: &mut Scope,
        what: &str,
        span: Span,
        domains: &[&[SortId]],
        arguments: &[DataExpr],
    ) -> Result<(usize, Vec<DataTerm>), LanguageError> {
        let mut found = Vec::with_capacity(arguments.len());
        for argument in arguments {
            found.push(self.infer(scope, argument)?);
        }
        let mut best: Option<(usize, Fit)> = None;
        for (number, domain) in domains.iter().enumerate() {
            let Some(fit) = self.fit(domain, &found) else { continue };
            match &mut best {
                Some((_, best)) if best.cost < fit.cost => {}
                Some((_, best)) if best.cost == fit.cost => best.ambiguous = true,
                _ => best = Some((number, fit)),
            }
        }
        match best {
            Some((number, fit)) if !fit.ambiguous => Ok((number, fit.terms)),
            Some(_) => {
                let message = format!("several declarations of {what} fit these arguments");
                Err(LanguageError::sort(span, message))
            }
            None => {
                let takes: Vec<_> = domains
                    .iter()
                    .map(|domain| match domain {
                        [] => "no argument".to_owned(),
                        domain => self.sorts.print_product(domain),
                    })
                    .collect();
                let given = match found.as_slice() {
                    [] => "nothing".to_owned(),
                    found => self.print_arguments(found),
                };
                let message = format!("{what} takes {}, but here it gets {given}", takes.join(" or "));
                Err(LanguageError::sort(span, message))
            }
        }
    }
}

/// Readings of arguments that fit a domain.
struct Fit {
    terms: Vec<DataTerm>,
    cost: u32,
    ambiguous: bool,
}
