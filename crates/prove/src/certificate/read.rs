//! The reader of certificates. Every command must be the one that the format has at its place, every name is
//! declared once and before its use, and every formula has its sort. Any other text in a file is an error, and
//! never skipped.

use super::definitions::{CertificateFormula, CertificatePath, Definitions};
use super::formula::{FormulaScope, declared};
use super::lemmas::Lemma;
use super::{
    Certificate, CertificateError, CertificateKind, CertificateOrigin, Contents, FORMAT, one_line, questions,
    said,
};
use crate::TermSort;
use crate::sexpr::{Sexpr, parse};
use crate::smtlib::{SmtSort, SmtWriter};
use std::collections::BTreeSet;

pub(super) fn certificate(text: &str) -> Result<Certificate, CertificateError> {
    let commands = parse(text).map_err(CertificateError::Syntax)?;
    let mut cursor = Cursor { commands: &commands, next: 0, names: BTreeSet::new() };
    let format = cursor.info("watchkeeper-certificate").ok_or(CertificateError::NotACertificate)?;
    if format.text() != Some(&FORMAT.to_string()) {
        return Err(CertificateError::Format(format.shortened()));
    }
    let kind = cursor.info("kind").and_then(Sexpr::text).unwrap_or_default().to_string();
    let mut words = |key: &str| cursor.words(key);
    let (system, claim) = (words("system")?, words("claim")?);
    let origin =
        CertificateOrigin { found: words("found")?, solver: words("solver")?, command: words("command")? };
    if cursor.peek().map(Sexpr::to_string).as_deref() != Some("(set-logic ALL)") {
        return Err(cursor.wanted("(set-logic ALL)"));
    }
    cursor.next += 1;
    let contents = match kind.parse() {
        Ok(CertificateKind::Induction) => Contents::Induction(Box::new(cursor.induction()?)),
        Ok(CertificateKind::Lemmas) => Contents::Lemmas(cursor.lemmas()?),
        Err(_) => return Err(CertificateError::Kind(one_line(&kind))),
    };
    Ok(Certificate { system, claim, origin, contents })
}

/// The commands of a file, one after the other.
struct Cursor<'a> {
    commands: &'a [Sexpr],
    next: usize,
    /// Everything that is declared or defined.
    names: BTreeSet<String>,
}

/// A `define-fun`.
struct Definition<'a> {
    arguments: Vec<(String, TermSort)>,
    body: &'a Sexpr,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<&'a Sexpr> {
        self.commands.get(self.next)
    }

    fn wanted(&self, wanted: &str) -> CertificateError {
        let found = self.peek().map_or_else(|| "the end of the file".to_string(), Sexpr::shortened);
        CertificateError::Command { at: self.next + 1, found, wanted: wanted.to_string() }
    }

    /// What is wrong with the command before.
    fn wrong(&self, why: String) -> CertificateError {
        CertificateError::Definition { at: self.next, why }
    }

    /// The value of `(set-info :key value)`, if that comes next.
    fn info(&mut self, key: &str) -> Option<&'a Sexpr> {
        let [found, value] = self.peek()?.tail("set-info")? else { return None };
        if found.text()?.strip_prefix(':')? != key {
            return None;
        }
        self.next += 1;
        Some(value)
    }

    fn string(&mut self, key: &str) -> Option<String> {
        let value = self.info(key)?;
        let words = value.string().map(|words| said(&words));
        self.next -= usize::from(words.is_none());
        words
    }

    fn words(&mut self, key: &str) -> Result<String, CertificateError> {
        self.string(key).ok_or_else(|| self.wanted(&format!("(set-info :{key} \"..\")")))
    }

    fn section(&mut self, name: &str) -> Result<(), CertificateError> {
        let before = self.next;
        if self.info("section").and_then(Sexpr::text) == Some(name) {
            return Ok(());
        }
        self.next = before;
        Err(self.wanted(&format!("(set-info :section {name})")))
    }

    fn fresh(&mut self, name: String) -> Result<String, CertificateError> {
        if self.names.insert(name.clone()) {
            Ok(name)
        } else {
            Err(self.wrong(format!("`{name}` is there twice")))
        }
    }

    /// A constant, if one is declared next.
    fn constant(&mut self, sorts: SmtWriter) -> Result<Option<(String, TermSort)>, CertificateError> {
        let Some([name, sort]) = self.peek().and_then(|command| command.tail("declare-const")) else {
            return Ok(None);
        };
        self.next += 1;
        let name = declared(name).map_err(|why| self.wrong(why))?;
        let sort = sorts.read_sort(sort);
        let sort =
            sort.ok_or_else(|| self.wrong(format!("`{name}` has a sort that is not of the format")))?;
        Ok(Some((self.fresh(name)?, sort)))
    }

    fn constants(
        &mut self,
        sorts: SmtWriter,
        allowed: &[TermSort],
    ) -> Result<Vec<(String, TermSort)>, CertificateError> {
        let mut all = Vec::new();
        while let Some((name, sort)) = self.constant(sorts)? {
            if !allowed.contains(&sort) {
                return Err(self.wrong(format!("`{name}` cannot be of this sort in this section")));
            }
            all.push((name, sort));
        }
        Ok(all)
    }

    /// The definition of this name and sort, if it comes next.
    fn definition(
        &mut self,
        name: &str,
        sort: TermSort,
        sorts: SmtWriter,
    ) -> Result<Option<Definition<'a>>, CertificateError> {
        let rest = self.peek().and_then(|command| command.tail("define-fun"));
        let Some([found, arguments, result, body]) = rest else { return Ok(None) };
        if found.name() != Some(name) {
            return Ok(None);
        }
        self.next += 1;
        self.fresh(name.to_string())?;
        if sorts.read_sort(result) != Some(sort) {
            return Err(self.wrong(format!("`{name}` is not of sort {}", sorts.sort(sort))));
        }
        let no_argument = || self.wrong(format!("`{name}` has malformed arguments"));
        let mut taken: Vec<(String, TermSort)> = Vec::new();
        for argument in arguments.list().ok_or_else(no_argument)? {
            let Some([argument, sort]) = argument.list() else { return Err(no_argument()) };
            let argument = declared(argument).map_err(|why| self.wrong(why))?;
            taken.push((argument, sorts.read_sort(sort).ok_or_else(no_argument)?));
        }
        Ok(Some(Definition { arguments: taken, body }))
    }

    /// A definition without arguments, if it comes next.
    fn plain(
        &mut self,
        name: &str,
        sort: TermSort,
        sorts: SmtWriter,
        scope: &FormulaScope,
    ) -> Result<Option<String>, CertificateError> {
        let Some(definition) = self.definition(name, sort, sorts)? else { return Ok(None) };
        if !definition.arguments.is_empty() {
            return Err(self.wrong(format!("`{name}` has arguments, and none are allowed")));
        }
        scope.checked(definition.body, sorts.smt_sort(sort)).map(Some).map_err(|why| self.wrong(why))
    }

    fn induction(&mut self) -> Result<Definitions, CertificateError> {
        let dense = match self.info("numbers").and_then(Sexpr::text) {
            Some("integers") => false,
            Some("reals") => true,
            _ => return Err(self.wanted("(set-info :numbers integers) or (set-info :numbers reals)")),
        };
        let sorts = SmtWriter { dense };
        let scope = |names: &[&[(String, TermSort)]]| {
            let all = names.iter().flat_map(|names| names.iter());
            FormulaScope::new(all.map(|(name, sort)| (name.clone(), sorts.smt_sort(*sort))))
        };
        self.section("parameters")?;
        let parameters = self.constants(sorts, &[TermSort::Number])?;
        self.section("assumptions")?;
        let mut assumptions = Vec::new();
        let of_parameters = scope(&[&parameters]);
        while let Some(assumption) = self.plain(
            &format!("assumption.{}", assumptions.len() + 1),
            TermSort::Bool,
            sorts,
            &of_parameters,
        )? {
            assumptions.push(assumption);
        }
        self.section("variables")?;
        let variables = self.constants(sorts, &[TermSort::Number, TermSort::Bool, TermSort::Set])?;
        self.section("choices")?;
        let choices = self.constants(sorts, &[TermSort::Number, TermSort::Set])?;
        self.section("beginnings")?;
        let beginnings = self.ways("beginning", &variables, sorts, &scope(&[&parameters, &choices]))?;
        if let Some(way) = beginnings.iter().find(|way| way.values.len() != variables.len()) {
            return Err(CertificateError::Beginning(way.name.clone()));
        }
        self.section("paths")?;
        let paths = self.ways("path", &variables, sorts, &scope(&[&parameters, &variables, &choices]))?;
        self.section("invariant")?;
        let mut conjuncts = Vec::new();
        while let Some(conjunct) =
            self.formula("conjunct", conjuncts.len() + 1, &parameters, &variables, sorts)?
        {
            conjuncts.push(conjunct);
        }
        self.section("property")?;
        let property = self.formula("property", 1, &parameters, &variables, sorts)?;
        let property = property.ok_or_else(|| self.wanted("(set-info :property \"..\")"))?;
        self.section("obligations")?;
        let parameters = parameters.into_iter().map(|(name, _)| name).collect();
        let definitions = Definitions {
            dense,
            parameters,
            assumptions,
            variables,
            choices,
            beginnings,
            paths,
            conjuncts,
            property,
        };
        self.stated(&definitions)?;
        Ok(definitions)
    }

    fn ways(
        &mut self,
        kind: &str,
        variables: &[(String, TermSort)],
        sorts: SmtWriter,
        scope: &FormulaScope,
    ) -> Result<Vec<CertificatePath>, CertificateError> {
        let mut all = Vec::new();
        while let Some(name) = self.string(kind) {
            let head = format!("{kind}.{}", all.len() + 1);
            let guard = self.plain(&head, TermSort::Bool, sorts, scope)?;
            let guard = guard.ok_or_else(|| self.wanted(&format!("the definition of {head}")))?;
            let mut values = Vec::new();
            for (variable, sort) in variables {
                if let Some(value) = self.plain(&format!("{head}.{variable}"), *sort, sorts, scope)? {
                    values.push((variable.clone(), value));
                }
            }
            all.push(CertificatePath { name, guard, values });
        }
        Ok(all)
    }

    /// A formula about a state, if one comes next. Its arguments are variables, in their order.
    fn formula(
        &mut self,
        kind: &str,
        i: usize,
        parameters: &[(String, TermSort)],
        variables: &[(String, TermSort)],
        sorts: SmtWriter,
    ) -> Result<Option<CertificateFormula>, CertificateError> {
        let Some(name) = self.string(kind) else { return Ok(None) };
        let head = format!("{kind}.{i}");
        let definition = self.definition(&head, TermSort::Bool, sorts)?;
        let definition = definition.ok_or_else(|| self.wanted(&format!("the definition of {head}")))?;
        let mut rest = variables.iter();
        for argument in &definition.arguments {
            if !rest.any(|variable| variable == argument) {
                let why = format!("`{}` is no variable, or not in its place among the arguments", argument.0);
                return Err(self.wrong(why));
            }
        }
        let known = parameters.iter().chain(&definition.arguments);
        let scope = FormulaScope::new(known.map(|(name, sort)| (name.clone(), sorts.smt_sort(*sort))));
        let body = scope.checked(definition.body, SmtSort::Bool).map_err(|why| self.wrong(why))?;
        let arguments = definition.arguments.into_iter().map(|(name, _)| name).collect();
        Ok(Some(CertificateFormula { name, remark: String::new(), arguments, body }))
    }

    /// The obligations of the file must be those that its definitions require, all of them and in order.
    fn stated(&mut self, definitions: &Definitions) -> Result<(), CertificateError> {
        let required = questions::count(definitions);
        let is_check = |command: &&Sexpr| command.tail("check-sat").is_some();
        let stated = self.commands[self.next..].iter().filter(is_check).count();
        if stated != required {
            return Err(CertificateError::Obligations { stated, required });
        }
        let mut text = String::new();
        questions::write(definitions, &mut text);
        for command in parse(&text).map_err(CertificateError::Syntax)? {
            if self.peek() != Some(&command) {
                return Err(self.wanted(&format!("{}, as the definitions require", command.shortened())));
            }
            self.next += 1;
        }
        if self.peek().is_some() { Err(self.wanted("the end of the file")) } else { Ok(()) }
    }

    fn lemmas(&mut self) -> Result<Vec<Lemma>, CertificateError> {
        let mut all = Vec::new();
        while self.peek().is_some() {
            self.exactly("(push 1)")?;
            self.names.clear();
            let dense = self.is_dense();
            let sorts = SmtWriter { dense };
            let unknowns = self.constants(sorts, &[TermSort::Number, TermSort::Bool, TermSort::Set])?;
            let scope =
                FormulaScope::new(unknowns.iter().map(|(name, sort)| (name.clone(), sorts.smt_sort(*sort))));
            let mut asserted = Vec::new();
            while let Some([formula]) = self.peek().and_then(|command| command.tail("assert")) {
                self.next += 1;
                asserted.push(scope.checked(formula, SmtSort::Bool).map_err(|why| self.wrong(why))?);
            }
            let name = match self.peek().and_then(|command| command.tail("echo")) {
                Some([name]) => name.string().map(|name| said(&name)),
                _ => None,
            };
            let name = name.ok_or_else(|| self.wanted("(assert ..) or (echo \"name\")"))?;
            self.next += 1;
            self.exactly("(check-sat)")?;
            self.exactly("(pop 1)")?;
            all.push(Lemma { name, dense, unknowns, asserted });
        }
        if all.is_empty() { Err(self.wanted("(push 1) and a lemma")) } else { Ok(all) }
    }

    /// Whether the lemma that begins here speaks of real numbers.
    fn is_dense(&self) -> bool {
        let declarations =
            self.commands[self.next..].iter().map_while(|command| command.tail("declare-const"));
        declarations.into_iter().any(|rest| rest.get(1).and_then(Sexpr::text) == Some("Real"))
    }

    fn exactly(&mut self, command: &str) -> Result<(), CertificateError> {
        if self.peek().map(Sexpr::to_string).as_deref() == Some(command) {
            self.next += 1;
            return Ok(());
        }
        Err(self.wanted(command))
    }
}
