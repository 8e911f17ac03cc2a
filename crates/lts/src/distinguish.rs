//! A formula that is true of one state and false of another, made from the rounds in which a partition was refined: the round that
//! first told them apart names a step that one of them has and the other has not, and the states that the steps lead to were told
//! apart in earlier rounds (Cleaveland 1990; Korver 1991 for branching bisimulation).

use crate::formula::{Evaluation, FormulaId, FormulaList, StepFormula};
use crate::labels::TAU;
use crate::lts::Lts;
use crate::partition::Partition;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Beyond so many rounds a formula is nested too deeply to be read, or to be made.
const DEEPEST: u32 = 1500;

/// What is looked for, and what it is made from.
pub(crate) struct Distinguisher<'a> {
    /// The system; for branching bisimulation without cycles of internal steps.
    pub lts: &'a Lts,
    /// Its partition, whose splits were remembered.
    pub found: &'a Partition,
    /// Whether internal steps within a class do not count.
    pub branching: bool,
    /// The states that diverge, if that is told apart.
    pub divergent: Option<&'a [bool]>,
    /// Whether to leave out parts of a conjunction that others make superfluous in these states. In branching bisimulation the
    /// result must be looked at.
    pub brief: bool,
    /// The formulas.
    pub formulas: FormulaList,
    known: HashMap<(u32, u32), FormulaId>,
}

/// The steps of a state that a round compares: labels and classes, each with a state that is reached; and whether internal steps
/// can go on for ever within the class.
struct Signature {
    steps: BTreeMap<(u32, u32), u32>,
    diverges: bool,
}

impl<'a> Distinguisher<'a> {
    /// Nothing is known yet.
    pub fn new(
        lts: &'a Lts,
        found: &'a Partition,
        branching: bool,
        divergent: Option<&'a [bool]>,
        brief: bool,
    ) -> Distinguisher<'a> {
        let (formulas, known) = (FormulaList::default(), HashMap::new());
        Distinguisher { lts, found, branching, divergent, brief, formulas, known }
    }

    /// A formula that is true of the first state and false of the second, which is in another block; `None` if it would be nested
    /// too deeply.
    pub fn formula(&mut self, one: u32, other: u32) -> Option<FormulaId> {
        let (one, other) = self.siblings(one, other);
        if let Some(&known) = self.known.get(&(one, other)) {
            return Some(known);
        }
        let classes = &self.found.splits.classes;
        let round = classes[one as usize].round - 1;
        if round > DEEPEST {
            return None;
        }
        let (s, t) = (classes[one as usize].state, classes[other as usize].state);
        let (have, lack) = (self.signature(s, round), self.signature(t, round));
        let formula = match self.shown((s, &have), (t, &lack)) {
            Some(step) => self.positive(s, t, step, &lack)?,
            None => {
                let step = self.shown((t, &lack), (s, &have))?;
                let positive = self.positive(t, s, step, &have)?;
                self.formulas.not(positive)
            }
        };
        self.known.insert((one, other), formula);
        Some(formula)
    }

    /// The classes that one round made of one class, in which these two states are.
    fn siblings(&self, one: u32, other: u32) -> (u32, u32) {
        let splits = &self.found.splits;
        let of = |state: u32| splits.of_block[self.found.block[state as usize] as usize];
        let class = |at: u32| &splits.classes[at as usize];
        let (mut a, mut b) = (of(one), of(other));
        while class(a).parent != class(b).parent {
            if class(a).round >= class(b).round {
                a = class(a).parent;
            } else {
                b = class(b).parent;
            }
        }
        (a, b)
    }

    /// The class of a state after some rounds.
    fn class(&self, state: u32, round: u32) -> u32 {
        let splits = &self.found.splits;
        let mut class = splits.of_block[self.found.block[state as usize] as usize];
        while splits.classes[class as usize].round > round {
            class = splits.classes[class as usize].parent;
        }
        class
    }

    fn signature(&self, state: u32, round: u32) -> Signature {
        let own = self.class(state, round);
        let mut signature = Signature { steps: BTreeMap::new(), diverges: false };
        let (mut found, mut seen) = (vec![state], HashSet::from([state]));
        while let Some(at) = found.pop() {
            signature.diverges |= self.divergent.is_some_and(|divergent| divergent[at as usize]);
            for edge in self.lts.of(at) {
                let class = self.class(edge.to, round);
                if self.branching && edge.label == TAU && class == own {
                    found.extend(Some(edge.to).filter(|&to| seen.insert(to)));
                } else {
                    signature.steps.entry((edge.label, class)).or_insert(edge.to);
                }
            }
        }
        signature
    }

    /// A step of the first that the second has not: one that can be seen, if there is one; `None` inside if only the first
    /// diverges.
    #[expect(clippy::option_option, reason = "a step, a divergence, or nothing")]
    fn shown(
        &self,
        (_, have): (u32, &Signature),
        (_, lack): (u32, &Signature),
    ) -> Option<Option<(u32, u32)>> {
        let mut missing = have.steps.iter().filter(|(step, _)| !lack.steps.contains_key(step));
        let first = missing.next().map(|(&(label, _), &to)| (label, to));
        match missing.next() {
            // Internal steps come first, and are the harder ones to read.
            Some((&(label, _), &to)) if first.is_some_and(|(label, _)| label == TAU) => {
                Some(Some((label, to)))
            }
            _ if first.is_some() => Some(first),
            _ => (have.diverges && !lack.diverges).then_some(None),
        }
    }

    /// A formula that is true of the first state because of a step that the second, which has these, has not.
    fn positive(&mut self, s: u32, t: u32, step: Option<(u32, u32)>, lack: &Signature) -> Option<FormulaId> {
        // Wherever else the second gets by internal steps, the first does not get on the way.
        let exits = lack.steps.iter().filter(|((label, _), _)| self.branching && *label == TAU);
        let exits: Vec<u32> = exits.map(|(_, &to)| to).collect();
        let through = self.against(s, &exits)?;
        let Some((label, to)) = step else {
            return Some(self.formulas.number(StepFormula::ForEver(through)));
        };
        let mut others: Vec<u32> =
            lack.steps.iter().filter(|((other, _), _)| *other == label).map(|(_, &to)| to).collect();
        if self.branching && label == TAU {
            others.push(t);
        }
        let then = self.against(to, &others)?;
        let text: Box<str> = self.lts.labels().text(label).into();
        Some(self.formulas.number(match self.branching {
            true => StepFormula::Along(through, text, then),
            false => StepFormula::Step(text, then),
        }))
    }

    /// A formula that is true of a state and false of each of these.
    fn against(&mut self, state: u32, others: &[u32]) -> Option<FormulaId> {
        let mut all: Vec<FormulaId> = Vec::new();
        for &other in others {
            if self.brief {
                let mut evaluation = Evaluation::new(self.lts, &self.formulas);
                if all.iter().any(|&formula| !evaluation.holds(formula, other)) {
                    continue;
                }
            }
            all.push(self.formula(state, other)?);
        }
        Some(self.formulas.all(all))
    }
}
