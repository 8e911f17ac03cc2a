//! The paths through a block, each as one guarded simultaneous assignment: solvers are asked about paths. This is
//! symbolic execution only; the interpreter of blocks shares no code with it, so that tests can compare the two.

use crate::system::{Alternative, Block, Statement};
use crate::{System, Term};
use std::collections::BTreeMap;

/// One way through a block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The step and the alternatives taken, as a person reads them.
    pub name: String,
    /// Which alternative was taken, wherever there was a choice.
    pub ways: Vec<usize>,
    /// The numbers that are chosen on the way.
    pub choices: Vec<Choice>,
    /// The sets that are drawn on the way.
    pub draws: Vec<Draw>,
    /// What must be true of the state before, the choices and the draws.
    pub guard: Vec<Term>,
    /// The values after, as terms over the state before, the choices and the draws. A variable that is not here
    /// keeps its value.
    pub updates: BTreeMap<String, Term>,
}

/// A number that is chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// The least it can be.
    pub low: Term,
    /// The most it can be.
    pub high: Term,
}

/// A set that is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draw {
    /// Its name.
    pub name: String,
    /// The least element it can have.
    pub low: Term,
    /// The largest element it can have.
    pub high: Term,
    /// The name of an element in `given`.
    pub element: String,
    /// What must be true of each number between the bounds.
    pub given: Term,
}

impl Path {
    /// The value of a variable after this path.
    pub fn after(&self, variable: &str) -> Term {
        self.updates.get(variable).cloned().unwrap_or_else(|| Term::name(variable))
    }

    /// A formula about the state after this path, as far as it goes, as one about the state before.
    pub fn before(&self, formula: &Term) -> Term {
        formula.replaced(&|name| self.updates.get(name).cloned())
    }
}

impl System {
    /// All paths of all steps.
    pub fn paths(&self) -> Vec<Path> {
        let of_step = |(i, step): (usize, &crate::SystemStep)| {
            let mut found = through(&step.block, &step.name);
            found.iter_mut().for_each(|path| path.ways.insert(0, i));
            found
        };
        self.steps.iter().enumerate().flat_map(of_step).collect()
    }

    /// All paths through the initial block.
    pub fn beginnings(&self) -> Vec<Path> {
        through(&self.initial, "initially")
    }
}

/// The feasible-looking paths: those whose guard is not false by itself.
fn through(block: &Block, name: &str) -> Vec<Path> {
    let mut done = Vec::new();
    walk(&block.iter().collect::<Vec<_>>(), Path::default(), &mut done);
    for path in &mut done {
        path.name = if path.name.is_empty() { name.to_string() } else { format!("{name}: {}", path.name) };
    }
    done
}

fn walk(rest: &[&Statement], mut path: Path, done: &mut Vec<Path>) {
    for (i, statement) in rest.iter().enumerate() {
        match statement {
            Statement::Assume(condition) => match path.before(condition) {
                Term::Bool(true) => {}
                Term::Bool(false) => return,
                Term::And(all) => path.guard.extend(all),
                guard => path.guard.push(guard),
            },
            Statement::Assign(variable, value) => {
                let value = path.before(value);
                path.updates.insert(variable.clone(), value);
            }
            Statement::Choose { name, low, high } => {
                let (low, high) = (path.before(low), path.before(high));
                let chosen = Term::name(name);
                path.guard.extend([low.clone().le(chosen.clone()), chosen.le(high.clone())]);
                path.choices.push(Choice { name: name.clone(), low, high });
            }
            Statement::Either(alternatives) => {
                for (way, alternative) in alternatives.iter().enumerate() {
                    let mut branch = path.clone();
                    branch.ways.push(way);
                    branch.called(alternative);
                    let rest: Vec<&Statement> =
                        alternative.block.iter().chain(rest[i + 1..].iter().copied()).collect();
                    walk(&rest, branch, done);
                }
                return;
            }
            Statement::Redraw { set, low, high, element, given } => {
                let (low, high) = (path.before(low), path.before(high));
                let name = format!("{set}'{}", path.draws.len() + 1);
                let primed = format!("{set}'");
                let given = given.replaced(&|word| match word {
                    word if word == primed => Some(Term::name(&name)),
                    word if word == element => None,
                    word => path.updates.get(word).cloned(),
                });
                path.draws.push(Draw { name: name.clone(), low, high, element: element.clone(), given });
                path.updates.insert(set.clone(), Term::name(&name));
            }
        }
    }
    path.updates.retain(|name, value| *value != Term::name(name));
    done.push(path);
}

impl Path {
    fn called(&mut self, alternative: &Alternative) {
        if !alternative.name.is_empty() {
            if !self.name.is_empty() {
                self.name.push_str(", ");
            }
            self.name.push_str(&alternative.name);
        }
    }
}
