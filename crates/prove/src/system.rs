//! Parametric transition systems: parameters with assumptions, variables, an initial block and steps, each a block
//! of statements. A system is checked when it is finished, so every [`System`] can be searched and written for a
//! solver.

use crate::sorts::{check_block, expect};
use crate::{Term, TermSort, TermSyntaxError, term};
use std::collections::BTreeMap;
use watchkeeper_logic::quoted;

/// A number that is the same in all states of a run, and of which only the assumptions are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name in terms.
    pub name: String,
    /// What it is, as a person reads it.
    pub meaning: String,
}

/// A part of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in terms.
    pub name: String,
    /// What it can be.
    pub sort: TermSort,
    /// The least value that a number can have.
    pub least: i64,
    /// Names of the values 0, 1, 2, ... of a number that stands for a control point; empty for others.
    pub points: Vec<String>,
    /// Whether no guard looks at it: it only observes.
    pub ghost: bool,
    /// What it is, as a person reads it.
    pub meaning: String,
}

/// Statements, one after the other.
pub type Block = Vec<Statement>;

/// One thing that happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Only where this is true does the step go on.
    Assume(Term),
    /// A variable gets a value.
    Assign(String, Term),
    /// Any number between two bounds gets a name, for the rest of the step.
    Choose {
        /// Its name.
        name: String,
        /// The least it can be.
        low: Term,
        /// The most it can be.
        high: Term,
    },
    /// One of several goes on.
    Either(Vec<Alternative>),
    /// A set becomes any set of numbers from `low` to `high` such that `given` is true of each of these numbers,
    /// which it calls `element`; the set after the redraw is named like the set, with a prime.
    Redraw {
        /// The set.
        set: String,
        /// The least element it can have.
        low: Term,
        /// The largest element it can have.
        high: Term,
        /// The name of a number in `given`.
        element: String,
        /// What must be true of each number; of the redrawn set it may ask for this number only.
        given: Term,
    },
}

/// One way to go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// What is chosen, as a person reads it; empty if it need not be named.
    pub name: String,
    /// What happens then.
    pub block: Block,
}

/// A step of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemStep {
    /// Its name.
    pub name: String,
    /// What happens.
    pub block: Block,
}

/// A parametric transition system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Whether numbers are real numbers, as for dense time; else they are integers.
    pub dense: bool,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// What is known of the parameters.
    pub assumptions: Vec<Term>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// How a run begins: assigns every variable.
    pub initial: Block,
    /// The steps; a run takes any of them, again and again.
    pub steps: Vec<SystemStep>,
    /// What a proof about the system rests on beside the assumptions, a sentence each.
    pub notes: Vec<String>,
    problems: Vec<SystemError>,
}

impl System {
    /// A system without anything in it.
    pub fn new(name: &str) -> System {
        System { name: name.to_string(), ..System::default() }
    }

    /// This system with real numbers for all numbers.
    #[must_use]
    pub fn dense(mut self) -> System {
        self.dense = true;
        self
    }

    /// With one more parameter.
    #[must_use]
    pub fn parameter(mut self, name: &str, meaning: &str) -> System {
        self.parameters.push(Parameter { name: name.to_string(), meaning: meaning.to_string() });
        self
    }

    /// With one more assumption about the parameters.
    #[must_use]
    pub fn assuming(mut self, text: &str) -> System {
        match read(text) {
            Ok(assumption) => self.assumptions.push(assumption),
            Err(problem) => self.problems.push(problem),
        }
        self
    }

    /// With a variable that is a number of at least `least`.
    #[must_use]
    pub fn number(self, name: &str, least: i64, meaning: &str) -> System {
        self.variable(name, TermSort::Number, least, meaning)
    }

    /// With a variable that is true or false.
    #[must_use]
    pub fn flag(self, name: &str, meaning: &str) -> System {
        self.variable(name, TermSort::Bool, 0, meaning)
    }

    /// With a variable that is a set.
    #[must_use]
    pub fn set(self, name: &str, meaning: &str) -> System {
        self.variable(name, TermSort::Set, 0, meaning)
    }

    /// With a variable whose values 0, 1, 2, ... are control points with these names.
    #[must_use]
    pub fn control(mut self, name: &str, points: &[&str], meaning: &str) -> System {
        self = self.variable(name, TermSort::Number, 0, meaning);
        if let Some(last) = self.variables.last_mut() {
            last.points = points.iter().map(|point| point.to_string()).collect();
        }
        self
    }

    fn variable(mut self, name: &str, sort: TermSort, least: i64, meaning: &str) -> System {
        let (name, meaning) = (name.to_string(), meaning.to_string());
        self.variables.push(Variable { name, sort, least, points: Vec::new(), ghost: false, meaning });
        self
    }

    /// The variable added last is a ghost.
    #[must_use]
    pub fn ghost(mut self) -> System {
        if let Some(last) = self.variables.last_mut() {
            last.ghost = true;
        }
        self
    }

    /// With this initial block.
    #[must_use]
    pub fn initially(mut self, block: impl IntoIterator<Item = ParsedStatement>) -> System {
        self.initial = self.taken(block);
        self
    }

    /// With one more step.
    #[must_use]
    pub fn step(mut self, name: &str, block: impl IntoIterator<Item = ParsedStatement>) -> System {
        let block = self.taken(block);
        self.steps.push(SystemStep { name: name.to_string(), block });
        self
    }

    /// With one more sentence about what a proof rests on.
    #[must_use]
    pub fn resting_on(mut self, note: &str) -> System {
        self.notes.push(note.to_string());
        self
    }

    fn taken(&mut self, block: impl IntoIterator<Item = ParsedStatement>) -> Block {
        let mut taken = Vec::new();
        for said in block {
            match said.0 {
                Ok(statement) => taken.push(statement),
                Err(problem) => self.problems.push(problem),
            }
        }
        taken
    }

    /// The system, if everything in it has a meaning.
    pub fn finished(self) -> Result<System, SystemError> {
        self.checked()?;
        Ok(self)
    }

    /// Whether everything in it has a meaning. A statement that could not be read is not in the system, so nothing is
    /// proven of one that has a problem.
    pub fn checked(&self) -> Result<(), SystemError> {
        if let Some(problem) = self.problems.first() {
            return Err(problem.clone());
        }
        let names = self.sorts();
        if names.len() != self.parameters.len() + self.variables.len() {
            return Err(SystemError::Twice);
        }
        let parameters: BTreeMap<String, TermSort> =
            self.parameters.iter().map(|parameter| (parameter.name.clone(), TermSort::Number)).collect();
        for assumption in &self.assumptions {
            expect(assumption, TermSort::Bool, &parameters)?;
        }
        let mut assigned = Vec::new();
        check_block(&self.initial, &mut parameters.clone(), self, &mut assigned)?;
        if let Some(missing) = self.variables.iter().find(|variable| !assigned.contains(&variable.name)) {
            return Err(SystemError::NotInitial(missing.name.clone()));
        }
        for step in &self.steps {
            check_block(&step.block, &mut names.clone(), self, &mut Vec::new())?;
        }
        Ok(())
    }

    /// The sorts of parameters and variables.
    pub fn sorts(&self) -> BTreeMap<String, TermSort> {
        let parameters = self.parameters.iter().map(|parameter| (parameter.name.clone(), TermSort::Number));
        let variables = self.variables.iter().map(|variable| (variable.name.clone(), variable.sort));
        parameters.chain(variables).collect()
    }

    /// A formula about states of this system, read from text.
    pub fn formula(&self, text: &str) -> Result<Term, SystemError> {
        self.sorted(text, TermSort::Bool)
    }

    /// A number of this system, read from text.
    pub fn quantity(&self, text: &str) -> Result<Term, SystemError> {
        self.sorted(text, TermSort::Number)
    }

    fn sorted(&self, text: &str, sort: TermSort) -> Result<Term, SystemError> {
        let read = read(text)?;
        expect(&read, sort, &self.sorts())?;
        Ok(read)
    }

    /// The variable of this name.
    pub fn named(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The same system with one more assumption.
    #[must_use]
    pub fn under(&self, assumption: Term) -> System {
        let mut narrowed = self.clone();
        narrowed.assumptions.push(assumption);
        narrowed
    }
}

/// A statement that was written as text, or why it has no meaning.
#[derive(Clone, Debug)]
pub struct ParsedStatement(Result<Statement, SystemError>);

fn read(text: &str) -> Result<Term, SystemError> {
    term(text).map_err(|error| SystemError::Text { text: text.to_string(), error })
}

/// The step goes on only where this is true.
pub fn assume(text: &str) -> ParsedStatement {
    ParsedStatement(read(text).map(Statement::Assume))
}

/// A variable gets a value.
pub fn assign(variable: &str, text: &str) -> ParsedStatement {
    ParsedStatement(read(text).map(|value| Statement::Assign(variable.to_string(), value)))
}

/// Any number between two bounds gets a name.
pub fn choose(name: &str, low: &str, high: &str) -> ParsedStatement {
    let both = read(low).and_then(|low| Ok((low, read(high)?)));
    ParsedStatement(both.map(|(low, high)| Statement::Choose { name: name.to_string(), low, high }))
}

/// One of several named blocks.
pub fn either<const N: usize>(alternatives: [(&str, Vec<ParsedStatement>); N]) -> ParsedStatement {
    let taken = alternatives.into_iter().map(|(name, block)| {
        let block: Result<Block, SystemError> = block.into_iter().map(|said| said.0).collect();
        Ok(Alternative { name: name.to_string(), block: block? })
    });
    ParsedStatement(taken.collect::<Result<Vec<Alternative>, SystemError>>().map(Statement::Either))
}

/// One block where a condition is true, and another where it is not.
pub fn when(condition: &str, then: Vec<ParsedStatement>, otherwise: Vec<ParsedStatement>) -> ParsedStatement {
    let parsed = match read(condition) {
        Ok(parsed) => parsed,
        Err(problem) => return ParsedStatement(Err(problem)),
    };
    let guarded = |guard: Term, block: Vec<ParsedStatement>| {
        let mut all = vec![ParsedStatement(Ok(Statement::Assume(guard)))];
        all.extend(block);
        all
    };
    either([("", guarded(parsed.clone(), then)), ("", guarded(parsed.negated(), otherwise))])
}

/// A set becomes any set of numbers from `low` to `high` for which `given` is true of each number, called
/// `element` there.
pub fn redraw(set: &str, low: &str, high: &str, element: &str, given: &str) -> ParsedStatement {
    let parts = [low, high, given].map(read);
    let [low, high, given] = parts;
    ParsedStatement((|| {
        let (set, element) = (set.to_string(), element.to_string());
        Ok(Statement::Redraw { set, low: low?, high: high?, element, given: given? })
    })())
}

/// Why a system has no meaning.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// A text is no term.
    #[error("{} is not a formula: {error}", quoted(.text))]
    Text {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: TermSyntaxError,
    },
    /// A name stands for nothing.
    #[error("{} is not a name of the system: there are {}", quoted(.name), .known.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A term has another sort than its place needs.
    #[error("{} is not {wanted}", quoted(.term))]
    Sort {
        /// The term.
        term: String,
        /// What is needed.
        wanted: TermSort,
    },
    /// A name has two meanings.
    #[error("a name is used for two parameters, variables or choices")]
    Twice,
    /// A variable has no initial value.
    #[error("the initial block assigns no value to {}", quoted(.0))]
    NotInitial(String),
}
