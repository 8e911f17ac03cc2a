//! Linear temporal logic over the atoms of a space. A formula is data, and its meaning is defined on infinite
//! sequences of states. Deciding it is left to other modules.

use watchkeeper_space::AtomId;

/// A claim about an infinite sequence of states, made at its first one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Always right.
    True,
    /// Never right.
    False,
    /// The atom holds in the first state.
    Atom(AtomId),
    /// The claim is wrong.
    Not(Box<Formula>),
    /// Both are right.
    And(Box<Formula>, Box<Formula>),
    /// One of them is right.
    Or(Box<Formula>, Box<Formula>),
    /// It is right from the second state on.
    Next(Box<Formula>),
    /// The right one holds at some time, and the left one until then.
    Until(Box<Formula>, Box<Formula>),
    /// The right one holds up to and including the first time that the left one does, or for ever.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The atom holds.
    pub fn atom(id: AtomId) -> Formula {
        Formula::Atom(id)
    }

    /// The opposite.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "reads as the formula does, next to `and` and `or`")]
    pub fn not(self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// This and that.
    #[must_use]
    pub fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::True, other) | (other, Formula::True) => other,
            (Formula::False, _) | (_, Formula::False) => Formula::False,
            (one, other) if one == other => one,
            (one, other) => Formula::And(Box::new(one), Box::new(other)),
        }
    }

    /// This or that.
    #[must_use]
    pub fn or(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::False, other) | (other, Formula::False) => other,
            (Formula::True, _) | (_, Formula::True) => Formula::True,
            (one, other) if one == other => one,
            (one, other) => Formula::Or(Box::new(one), Box::new(other)),
        }
    }

    /// If this then that.
    #[must_use]
    pub fn implies(self, other: Formula) -> Formula {
        self.not().or(other)
    }

    /// From the next state on.
    #[must_use]
    pub fn next(self) -> Formula {
        Formula::Next(Box::new(self))
    }

    /// This until that, which comes.
    #[must_use]
    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(other))
    }

    /// That up to and including the time of this, or for ever.
    #[must_use]
    pub fn release(self, other: Formula) -> Formula {
        Formula::Release(Box::new(self), Box::new(other))
    }

    /// At some time.
    #[must_use]
    pub fn eventually(self) -> Formula {
        Formula::True.until(self)
    }

    /// At all times.
    #[must_use]
    pub fn always(self) -> Formula {
        Formula::False.release(self)
    }

    /// Whenever this, then that at the same time or later.
    #[must_use]
    pub fn leads_to(self, other: Formula) -> Formula {
        self.implies(other.eventually()).always()
    }

    /// All of them.
    pub fn all(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        formulas.into_iter().fold(Formula::True, Formula::and)
    }

    /// One of them.
    pub fn any(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        formulas.into_iter().fold(Formula::False, Formula::or)
    }

    /// Whether it speaks of one state alone.
    pub fn is_of_a_state(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => true,
            Formula::Not(inner) => inner.is_of_a_state(),
            Formula::And(a, b) | Formula::Or(a, b) => a.is_of_a_state() && b.is_of_a_state(),
            Formula::Next(_) | Formula::Until(..) | Formula::Release(..) => false,
        }
    }

    /// Whether it holds in a state whose atoms are these; for a formula that speaks of one state alone.
    ///
    /// # Panics
    /// If it speaks of more than one state.
    pub fn holds(&self, atom: &impl Fn(AtomId) -> bool) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Atom(id) => atom(*id),
            Formula::Not(inner) => !inner.holds(atom),
            Formula::And(a, b) => a.holds(atom) && b.holds(atom),
            Formula::Or(a, b) => a.holds(atom) || b.holds(atom),
            _ => panic!("a claim about more than one state"),
        }
    }

    /// The atoms that it speaks of, each once, in order.
    pub fn atoms(&self) -> Vec<AtomId> {
        let mut atoms = Vec::new();
        self.collect(&mut atoms);
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Whether it says no more than that some atoms become true at some time: conjunctions and disjunctions of `F p`,
    /// where p is made of atoms by conjunctions and disjunctions.
    pub fn becomes_true(&self) -> bool {
        fn positive(formula: &Formula) -> bool {
            match formula {
                Formula::True | Formula::False | Formula::Atom(_) => true,
                Formula::And(a, b) | Formula::Or(a, b) => positive(a) && positive(b),
                _ => false,
            }
        }
        match self {
            Formula::True | Formula::False => true,
            Formula::And(a, b) | Formula::Or(a, b) => a.becomes_true() && b.becomes_true(),
            Formula::Until(a, b) => **a == Formula::True && positive(b),
            _ => false,
        }
    }

    fn collect(&self, atoms: &mut Vec<AtomId>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Atom(id) => atoms.push(*id),
            Formula::Not(inner) | Formula::Next(inner) => inner.collect(atoms),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
                a.collect(atoms);
                b.collect(atoms);
            }
        }
    }
}

/// A claim about all fair runs of a space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemporalProperty {
    /// Its name on the command line and in reports.
    pub name: String,
    /// What is claimed of every run.
    pub formula: Formula,
    /// If given, the premise: if no fair run satisfies this, the claim holds of nothing, and the verdict warns.
    pub premise: Option<Formula>,
}

impl TemporalProperty {
    /// A claim without a premise.
    pub fn new(name: impl Into<String>, formula: Formula) -> TemporalProperty {
        TemporalProperty { name: name.into(), formula, premise: None }
    }

    /// The claim with a premise, which some fair run should satisfy.
    #[must_use]
    pub fn supposing(self, premise: Formula) -> TemporalProperty {
        TemporalProperty { premise: Some(premise), ..self }
    }
}
