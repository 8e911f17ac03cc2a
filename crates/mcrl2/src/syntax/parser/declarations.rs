//! The sections of a specification, in any order.

use super::cursor::WordCursor;
use crate::LanguageError;
use crate::syntax::{
    ActionDeclaration, DataDeclarations, Equation, EquationGroup, FormulaSpecification, FunctionDeclaration,
    ProcessDeclaration, SortDeclaration, Specification, VariableDeclaration,
};

impl WordCursor<'_> {
    pub(super) fn specification(&mut self) -> Result<Specification, LanguageError> {
        let mut data = DataDeclarations::default();
        let (mut globals, mut actions, mut processes) = (Vec::new(), Vec::new(), Vec::new());
        let mut init = None;
        loop {
            if self.data_section(&mut data)? {
                continue;
            }
            let section = self.span();
            if self.take("glob") {
                globals.extend(self.variable_section()?);
            } else if self.take("act") {
                actions.extend(self.action_section()?);
            } else if self.take("proc") {
                processes.push(self.process_declaration()?);
                while self.is_name() {
                    processes.push(self.process_declaration()?);
                }
            } else if self.take("init") {
                if init.is_some() {
                    let found = "another initial process".to_owned();
                    return Err(LanguageError::syntax(section, found, "one 'init' only".into()));
                }
                init = Some(self.process()?);
                self.end_of_declaration()?;
            } else {
                break;
            }
        }
        match init {
            Some(init) => {
                self.section_or_end()?;
                Ok(Specification { data, globals, actions, processes, init })
            }
            None => Err(self.unexpected("a section: 'init', or another one before it")),
        }
    }

    pub(super) fn formula_specification(&mut self) -> Result<FormulaSpecification, LanguageError> {
        let (mut data, mut actions) = (DataDeclarations::default(), Vec::new());
        let mut formula = None;
        let begin = self.mark();
        loop {
            if self.data_section(&mut data)? {
                continue;
            }
            if self.take("act") {
                actions.extend(self.action_section()?);
            } else if formula.is_none() && self.take("form") {
                formula = Some(self.state_formula()?);
                self.end_of_declaration()?;
            } else {
                break;
            }
        }
        if formula.is_none() && self.mark() == begin {
            formula = Some(self.state_formula()?);
            if self.finish().is_err() {
                return Err(self.unexpected("an operator or the end of the text"));
            }
        }
        match formula {
            Some(formula) => {
                self.section_or_end()?;
                Ok(FormulaSpecification { data, actions, formula })
            }
            None => Err(self.unexpected("a section: 'form', or another one before it")),
        }
    }

    fn section_or_end(&self) -> Result<(), LanguageError> {
        self.finish().map_err(|_| self.unexpected("a section or the end of the text"))
    }

    /// Reads a section on data if one is next.
    fn data_section(&mut self, data: &mut DataDeclarations) -> Result<bool, LanguageError> {
        if self.take("sort") {
            self.sort_declaration(data)?;
            while self.is_name() {
                self.sort_declaration(data)?;
            }
        } else if self.take("cons") {
            self.function_section(&mut data.constructors)?;
        } else if self.take("map") {
            self.function_section(&mut data.mappings)?;
        } else if self.is("var") || self.is("eqn") {
            let variables = if self.take("var") { self.variable_section()? } else { Vec::new() };
            self.expect("eqn")?;
            let mut equations = vec![self.equation()?];
            while self.begins_equation() {
                equations.push(self.equation()?);
            }
            data.equations.push(EquationGroup { variables, equations });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn sort_declaration(&mut self, data: &mut DataDeclarations) -> Result<(), LanguageError> {
        let mut names = self.names("a sort")?;
        if names.len() == 1 && self.take("=") {
            let definition = Some(self.sort()?);
            data.sorts.push(SortDeclaration { name: names.remove(0), definition });
        } else {
            data.sorts.extend(names.into_iter().map(|name| SortDeclaration { name, definition: None }));
        }
        self.end_of_declaration()
    }

    fn function_section(&mut self, functions: &mut Vec<FunctionDeclaration>) -> Result<(), LanguageError> {
        loop {
            let names = self.names("a function")?;
            self.expect(":")?;
            let sort = self.sort()?;
            self.end_of_declaration()?;
            functions.extend(names.into_iter().map(|name| FunctionDeclaration { name, sort: sort.clone() }));
            if !self.is_name() {
                return Ok(());
            }
        }
    }

    fn variable_section(&mut self) -> Result<Vec<VariableDeclaration>, LanguageError> {
        let mut variables = self.variables()?;
        self.end_of_declaration()?;
        while self.is_name() {
            variables.extend(self.variables()?);
            self.end_of_declaration()?;
        }
        Ok(variables)
    }

    fn action_section(&mut self) -> Result<Vec<ActionDeclaration>, LanguageError> {
        let mut actions = Vec::new();
        loop {
            let names = self.names("an action")?;
            let sorts = if self.take(":") { self.product()? } else { Vec::new() };
            self.end_of_declaration()?;
            actions.extend(names.into_iter().map(|name| ActionDeclaration { name, sorts: sorts.clone() }));
            if !self.is_name() {
                return Ok(actions);
            }
        }
    }

    fn process_declaration(&mut self) -> Result<ProcessDeclaration, LanguageError> {
        let name = self.name("a process")?;
        let mut parameters = Vec::new();
        if self.take("(") {
            parameters = self.variables()?;
            self.expect(")")?;
        }
        self.expect("=")?;
        let body = self.process()?;
        self.end_of_declaration()?;
        Ok(ProcessDeclaration { name, parameters, body })
    }

    fn begins_equation(&self) -> bool {
        const SIGNS: [&str; 9] = ["(", "[", "{", "!", "-", "#", "forall", "exists", "lambda"];
        self.is_name()
            || self.next().kind == super::super::lexer::LexemeKind::Number
            || SIGNS.iter().any(|sign| self.is(sign))
    }

    fn equation(&mut self) -> Result<Equation, LanguageError> {
        let begin = self.span();
        let mut left = self.data()?;
        let mut condition = None;
        if self.take("->") {
            condition = Some(left);
            left = self.data()?;
        }
        if !self.take("=") {
            return Err(self.unexpected("an operator or '='"));
        }
        let right = self.data()?;
        let span = self.since(begin);
        self.end_of_declaration()?;
        Ok(Equation { condition, left, right, span })
    }

    fn end_of_declaration(&mut self) -> Result<(), LanguageError> {
        if self.take(";") { Ok(()) } else { Err(self.unexpected("an operator or ';'")) }
    }
}
