//! Expressions and equations as the machine works on them: variables are places in a frame, names are numbers, and what needs no
//! evaluation is a value.

use std::collections::HashMap;

use super::store::{PatternKey, ValueId};
use crate::syntax::Span;
use crate::typing::{FunctionId, FunctionRole, Operation, SortId, SortTable};

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum DataCode {
    Constant(ValueId),
    Slot(u32),
    /// A function with as many arguments as it takes at once.
    Call(FunctionId, Box<[DataCode]>),
    /// What an expression gives, applied.
    Apply(Box<DataCode>, Box<[DataCode]>),
    Native(Operation, SortId, Box<[DataCode]>),
    If(Box<[DataCode; 3]>),
    Not(Box<DataCode>),
    And(Box<[DataCode; 2]>),
    Or(Box<[DataCode; 2]>),
    Implies(Box<[DataCode; 2]>),
    /// Values for slots, and an expression that uses them.
    Let(Box<[(u32, DataCode)]>, Box<DataCode>),
    /// A function by its body, and the slots whose values it uses.
    Lambda(u32, Box<[u32]>),
    /// Whether a body holds for all values, or for some, and the slots whose values it uses.
    Quantifier(Quantified, u32, Box<[u32]>),
    /// A set or a bag by a function.
    Comprehension(Comprehended, u32, Box<[u32]>),
    Set(Box<[DataCode]>),
    Bag(Box<[(DataCode, DataCode)]>),
}

impl DataCode {
    /// Whether it calls a function, or may.
    fn calls(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Slot(_) | Self::Lambda(..) | Self::Comprehension(..) => false,
            Self::Call(..) | Self::Apply(..) | Self::Quantifier(..) => true,
            Self::Native(_, _, parts) | Self::Set(parts) => parts.iter().any(Self::calls),
            Self::If(parts) => parts.iter().any(Self::calls),
            Self::Not(part) => part.calls(),
            Self::And(parts) | Self::Or(parts) | Self::Implies(parts) => parts.iter().any(Self::calls),
            Self::Let(values, body) => body.calls() || values.iter().any(|(_, value)| value.calls()),
            Self::Bag(parts) => parts.iter().any(|(element, count)| element.calls() || count.calls()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantified {
    Forall,
    Exists,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comprehended {
    Set,
    Bag,
}

/// The body of a function without a name, or of a quantifier. Its frame has the values that it uses first, then its
/// parameters, then what it needs for itself.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) captures: usize,
    pub(super) parameters: Box<[(String, SortId)]>,
    pub(super) frame: usize,
    pub(super) code: DataCode,
    pub(super) span: Span,
    /// How it is printed.
    pub(super) text: String,
    /// The names of the values that it uses.
    pub(super) capture_names: Box<[String]>,
}

/// What an argument must look like.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    Any,
    /// Anything, which goes to a slot.
    Bind(u32),
    /// A value of a narrower sort than the place has, which goes to a slot.
    Narrow(u32, SortId),
    /// What a slot has already.
    Same(u32),
    Constant(ValueId),
    Build(super::store::ValueHead, Box<[Pattern]>),
}

/// An equation.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) patterns: Box<[Pattern]>,
    pub(super) frame: usize,
    pub(super) condition: Option<DataCode>,
    pub(super) right: DataCode,
}

/// The equations of a function for a number of arguments, in the order in which they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSet {
    pub(super) arguments: usize,
    pub(super) rules: Vec<Rule>,
    /// The largest frame of a rule.
    pub(super) frame: usize,
    pub(super) switch: Option<Switch>,
}

/// Which equations can match, by what one argument looks like.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) place: usize,
    /// Sorted by the key.
    pub(super) cases: Vec<(PatternKey, Vec<u32>)>,
    pub(super) otherwise: Vec<u32>,
}

impl RuleSet {
    pub(super) fn add(&mut self, rule: Rule) {
        self.frame = self.frame.max(rule.frame);
        self.rules.push(rule);
        self.switch = None;
    }

    /// Whether an equation calls functions in turn.
    pub(super) fn calls(&self) -> bool {
        self.rules
            .iter()
            .any(|rule| rule.right.calls() || rule.condition.as_ref().is_some_and(DataCode::calls))
    }

    /// Looks for the argument that tells most about which equation can match.
    pub(super) fn decide(&mut self, key: impl Fn(&Pattern) -> Option<PatternKey>) {
        let telling = |place: usize| {
            let keys = self.rules.iter().filter(|rule| key(&rule.patterns[place]).is_some());
            (keys.count(), usize::MAX - place)
        };
        let Some(place) = (0..self.arguments).max_by_key(|place| telling(*place)) else { return };
        if telling(place).0 < 2 {
            return;
        }
        let mut cases: Vec<(PatternKey, Vec<u32>)> = Vec::new();
        let mut otherwise = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let number = number as u32;
            match key(&rule.patterns[place]) {
                Some(key) => match cases.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, rules)) => rules.push(number),
                    None => {
                        let mut rules = otherwise.clone();
                        rules.push(number);
                        cases.push((key, rules));
                    }
                },
                None => {
                    cases.iter_mut().for_each(|(_, rules)| rules.push(number));
                    otherwise.push(number);
                }
            }
        }
        cases.sort_by_key(|(key, _)| *key);
        self.switch = Some(Switch { place, cases, otherwise });
    }

    /// The equations that can match.
    pub(super) fn candidates(&self, keys: impl Fn(usize) -> PatternKey) -> Option<&[u32]> {
        let switch = self.switch.as_ref()?;
        let key = keys(switch.place);
        Some(match switch.cases.binary_search_by_key(&key, |(known, _)| *known) {
            Ok(found) => &switch.cases[found].1,
            Err(_) => &switch.otherwise,
        })
    }
}

/// What the machine knows of a function.
#[derive(Clone, Debug)]
pub(super) struct FunctionCode {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) role: FunctionRole,
    pub(super) domain: Box<[SortId]>,
    /// The equations, for each number of arguments.
    pub(super) rules: Vec<RuleSet>,
    /// Whether results are worth remembering: it calls functions in turn.
    pub(super) remembered: bool,
}

/// All that is fixed while the machine runs.
#[derive(Clone, Debug)]
pub(super) struct RewriteProgram {
    pub(super) functions: Vec<FunctionCode>,
    pub(super) bodies: Vec<Body>,
    /// The bodies of functions by what they do.
    pub(super) body_numbers: HashMap<String, u32>,
    pub(super) sorts: SortTable,
    /// Equations for built-in operations.
    pub(super) natives: Vec<((Operation, SortId), RuleSet)>,
}

impl RewriteProgram {
    pub(super) fn function(&self, function: FunctionId) -> &FunctionCode {
        &self.functions[function.0 as usize]
    }

    pub(super) fn native(&self, operation: Operation, over: SortId) -> Option<&RuleSet> {
        self.natives.iter().find(|(key, _)| *key == (operation, over)).map(|(_, rules)| rules)
    }
}

/// An expression that is ready to be evaluated, many times, for other values of its parameters.
#[derive(Clone, Debug)]
pub struct CompiledTerm {
    pub(super) parameters: usize,
    pub(super) frame: usize,
    pub(super) code: DataCode,
    pub(super) sort: SortId,
    pub(super) span: Span,
}

impl CompiledTerm {
    /// Its sort.
    pub fn sort(&self) -> SortId {
        self.sort
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// How many parameters it has.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Its value, if that does not depend on its parameters and needs no evaluation.
    pub fn constant(&self) -> Option<ValueId> {
        match self.code {
            DataCode::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The parameter that it is, if it is one.
    pub fn parameter(&self) -> Option<usize> {
        match self.code {
            DataCode::Slot(slot) => Some(slot as usize),
            _ => None,
        }
    }
}
