//! Liveness by its definition: the full tableau of the formula, and nested fixpoints over sets of steps. It
//! exists to be obviously right, and the engine is tested against it: it must never share an algorithm with
//! it, and in particular it never looks for components. It is exponential in the formula and in the number of
//! strong constraints.

use crate::admission::admitted;
use crate::{ExploreError, Search};
use std::collections::{BTreeSet, HashMap};
use watchkeeper_logic::{
    ActionSelection, Fairness, FairnessStrength, FairnessUnit, Formula, Question, TemporalProperty,
};
use watchkeeper_space::{
    Action, ActionLabel, AtomId, ClassId, Id, Role, Shape, Space, Stuck, Successors, apply,
};

/// Whether a claim holds on every fair infinite run of a small space; `None` where it holds on all that there are and
/// some were cut away. A run may rest where nothing but faults can happen. Where time passes, it passes again and again
/// in every run, and classes that are owed are treated weakly fairly.
///
/// # Panics
/// If the formula has more than 64 different parts.
pub fn naive_liveness(
    space: &dyn Space,
    claim: &Formula,
    fairness: &[Fairness],
) -> Result<Option<bool>, ExploreError> {
    let temporal = vec![TemporalProperty::new("the claim", claim.clone())];
    let question = Question { temporal, fairness: fairness.to_vec(), ..Question::default() };
    admitted(space, &question, &Search::default())?;
    let moves = Moves::of(space);
    let holds = holds(space, &moves, claim, fairness);
    Ok(Some(holds).filter(|holds| !holds || !moves.cut))
}

fn holds(space: &dyn Space, moves: &Moves, claim: &Formula, fairness: &[Fairness]) -> bool {
    let demands = demands(space.shape(), moves, fairness);
    let product = Product::of(space, moves, &Tableau::of(&claim.clone().not()));
    let strong: Vec<&Demand> =
        demands.iter().filter(|demand| demand.strength == FairnessStrength::Strong).collect();
    // Of each strong demand a run either sees the last chance at some time, or meets it again and again.
    (0..1u64 << strong.len()).all(|over| {
        let (mut within, mut goals) = (vec![true; product.points.len()], product.promises.clone());
        let mut again_and_again = |met: &dyn Fn(usize) -> bool| {
            goals.push(product.points.iter().map(|point| met(point.step)).collect());
        };
        again_and_again(&|_| true);
        for demand in &demands {
            match demand.strength {
                FairnessStrength::Weak => {
                    again_and_again(&|step| demand.taken[step] || !demand.possible[moves.steps[step].from]);
                }
                FairnessStrength::Always => again_and_again(&|step| demand.taken[step]),
                FairnessStrength::Strong => {}
            }
        }
        for (i, demand) in strong.iter().enumerate() {
            if over & 1 << i == 0 {
                again_and_again(&|step| demand.taken[step]);
            } else {
                let possible = |step: usize| demand.possible[moves.steps[step].from];
                within.iter_mut().zip(&product.points).for_each(|(is, point)| *is &= !possible(point.step));
            }
        }
        product.endless(within, &goals).iter().all(|in_a_run| !in_a_run)
    })
}

/// One step of a run.
struct Move {
    from: usize,
    to: usize,
    /// What is done; nothing where the run rests or idles.
    does: Option<(ClassId, ActionLabel)>,
}

/// All reachable states, and the steps between them.
struct Moves {
    rows: Vec<Vec<Id>>,
    /// So many of the states are initial, the first ones.
    starts: usize,
    steps: Vec<Move>,
    /// Whether some step was cut away.
    cut: bool,
}

impl Moves {
    fn of(space: &dyn Space) -> Moves {
        let mut rows: Vec<Vec<Id>> = Vec::new();
        let mut known: HashMap<Vec<Id>, usize> = HashMap::new();
        let mut number = |row: Vec<Id>, rows: &mut Vec<Vec<Id>>| {
            *known.entry(row).or_insert_with_key(|row| {
                rows.push(row.clone());
                rows.len() - 1
            })
        };
        for row in space.initial() {
            number(row, &mut rows);
        }
        let (starts, timed) = (rows.len(), space.shape().time.is_some());
        let (mut found, mut from, mut cut) = (Vec::new(), 0, false);
        while from < rows.len() {
            let row = rows[from].clone();
            let after = After::of(space, &row);
            cut |= after.cut;
            for (action, next) in after.next {
                let does = Some((action.class(), space.action_label(&row, action)));
                found.push(Move { from, to: number(next, &mut rows), does });
            }
            let rests = !(after.moves || timed && space.stuck(&row) == Stuck::Timelock);
            if rests || timed && space.idles(&row) {
                found.push(Move { from, to: from, does: None });
            }
            from += 1;
        }
        Moves { rows, starts, steps: found, cut }
    }
}

/// What leaves a row. Resting is no matter of what counts as progress: nothing ever obliges a fault to happen.
struct After {
    next: Vec<(Action, Vec<Id>)>,
    /// Something that is not a fault can happen, or could beyond a cap.
    moves: bool,
    cut: bool,
}

impl After {
    fn of(space: &dyn Space, row: &[Id]) -> After {
        let fault = |class: ClassId| space.shape().classes[usize::from(class)].role == Role::Fault;
        let mut found = Successors::new();
        space.expand(row, &mut found);
        let cut = !found.cuts().is_empty();
        let moves = cut || found.iter().any(|(action, _)| !fault(action.class()));
        After { next: found.iter().map(|(action, edits)| (action, apply(row, edits))).collect(), moves, cut }
    }
}

/// One instance of a constraint: the actions that it treats as one.
struct Demand {
    strength: FairnessStrength,
    /// For each state, whether one of the actions is possible.
    possible: Vec<bool>,
    /// For each step, whether it is one of the actions.
    taken: Vec<bool>,
}

fn demands(shape: &Shape, moves: &Moves, fairness: &[Fairness]) -> Vec<Demand> {
    let owed = |&class: &ClassId| Fairness {
        name: String::new(),
        strength: FairnessStrength::Weak,
        of: ActionSelection::classes([class]),
        each: FairnessUnit::Thing,
    };
    let mut demands = Vec::new();
    for constraint in fairness.iter().cloned().chain(shape.justice.iter().map(owed)) {
        let key = |step: &Move| {
            let (class, label) = step.does.as_ref()?;
            constraint.of.has(shape, *class, label).then(|| constraint.each.key(*class, label))
        };
        let mut keys: BTreeSet<_> = moves.steps.iter().filter_map(key).collect();
        if constraint.each == FairnessUnit::Together {
            // All of them are one even if there are none, and then that one is never taken.
            keys.insert(FairnessUnit::Together.key(0, &ActionLabel::default()));
        }
        for one in keys {
            let taken = moves.steps.iter().map(|step| key(step) == Some(one)).collect();
            demands.push(Demand::new(moves, constraint.strength, taken));
        }
    }
    if let Some(time) = shape.time {
        let passes = |step: &Move| step.does.is_none_or(|(class, _)| class == time);
        demands.push(Demand::new(moves, FairnessStrength::Always, moves.steps.iter().map(passes).collect()));
    }
    demands
}

impl Demand {
    fn new(moves: &Moves, strength: FairnessStrength, taken: Vec<bool>) -> Demand {
        let mut possible = vec![false; moves.rows.len()];
        for (step, _) in moves.steps.iter().zip(&taken).filter(|(_, taken)| **taken) {
            possible[step.from] = true;
        }
        Demand { strength, possible, taken }
    }
}

/// A part of a formula, by the places of its own parts.
#[derive(Clone, Copy)]
enum Part {
    Constant(bool),
    Atom(AtomId),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// What is believed of all parts of a formula at one moment of a run: a bit for each.
type Belief = u64;

fn believed(belief: Belief, part: usize) -> bool {
    belief & 1 << part != 0
}

/// The parts of a formula, each once, with its own parts before it; the last one is the formula.
struct Tableau {
    formulas: Vec<Formula>,
    parts: Vec<Part>,
}

impl Tableau {
    fn of(formula: &Formula) -> Tableau {
        let mut tableau = Tableau { formulas: Vec::new(), parts: Vec::new() };
        tableau.add(formula);
        assert!(tableau.parts.len() <= 64, "a formula for the naive search has at most 64 parts");
        tableau
    }

    fn add(&mut self, formula: &Formula) -> usize {
        if let Some(known) = self.formulas.iter().position(|known| known == formula) {
            return known;
        }
        let part = match formula {
            Formula::True => Part::Constant(true),
            Formula::False => Part::Constant(false),
            Formula::Atom(atom) => Part::Atom(*atom),
            Formula::Not(a) => Part::Not(self.add(a)),
            Formula::And(a, b) => Part::And(self.add(a), self.add(b)),
            Formula::Or(a, b) => Part::Or(self.add(a), self.add(b)),
            Formula::Next(a) => Part::Next(self.add(a)),
            Formula::Until(a, b) => Part::Until(self.add(a), self.add(b)),
            Formula::Release(a, b) => Part::Release(self.add(a), self.add(b)),
        };
        self.formulas.push(formula.clone());
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// All beliefs that a state does not contradict and that do not contradict themselves.
    fn beliefs(&self, atom: &impl Fn(AtomId) -> bool) -> Vec<Belief> {
        let mut beliefs: Vec<Belief> = vec![0];
        for (place, &part) in self.parts.iter().enumerate() {
            let mut longer = Vec::new();
            for belief in beliefs {
                let is = |part: usize| believed(belief, part);
                let (may_be_false, may_be_true) = match part {
                    Part::Constant(value) => (!value, value),
                    Part::Atom(id) => (!atom(id), atom(id)),
                    Part::Not(a) => (is(a), !is(a)),
                    Part::And(a, b) => (!(is(a) && is(b)), is(a) && is(b)),
                    Part::Or(a, b) => (!(is(a) || is(b)), is(a) || is(b)),
                    Part::Next(_) => (true, true),
                    Part::Until(a, b) => (!is(b), is(a) || is(b)),
                    Part::Release(a, b) => (!(is(a) && is(b)), is(b)),
                };
                longer.extend(may_be_false.then_some(belief));
                longer.extend(may_be_true.then_some(belief | 1 << place));
            }
            beliefs = longer;
        }
        beliefs
    }

    /// Whether what is believed of one moment fits what is believed of the next.
    fn fits(&self, now: Belief, then: Belief) -> bool {
        let fits = |(place, part): (usize, &Part)| {
            let (is, will) = (believed(now, place), believed(then, place));
            match *part {
                Part::Next(a) => is == believed(then, a),
                Part::Until(a, b) => is == (believed(now, b) || believed(now, a) && will),
                Part::Release(a, b) => is == (believed(now, b) && (believed(now, a) || will)),
                _ => true,
            }
        };
        self.parts.iter().enumerate().all(fits)
    }

    /// For each part that can be put off: whether it is not being put off. What is true of an until comes some
    /// day, and what makes a release false does.
    fn kept(&self, belief: Belief) -> Vec<bool> {
        let kept = |(place, part): (usize, &Part)| match *part {
            Part::Until(_, b) => Some(!believed(belief, place) || believed(belief, b)),
            Part::Release(_, b) => Some(believed(belief, place) || !believed(belief, b)),
            _ => None,
        };
        self.parts.iter().enumerate().filter_map(kept).collect()
    }
}

/// A step that is about to be taken, and what is believed before it.
struct Point {
    step: usize,
    belief: Belief,
}

/// The points that runs with a formula can come to.
struct Product {
    points: Vec<Point>,
    /// For each point, those that may come right before it.
    before: Vec<Vec<usize>>,
    /// For each promise of the formula, the points at which it is not being put off.
    promises: Vec<Vec<bool>>,
}

impl Product {
    fn of(space: &dyn Space, moves: &Moves, tableau: &Tableau) -> Product {
        let of_state = |row: &Vec<Id>| tableau.beliefs(&|atom| space.atom(atom, row));
        let beliefs: Vec<Vec<Belief>> = moves.rows.iter().map(of_state).collect();
        let mut product = Product { points: Vec::new(), before: Vec::new(), promises: Vec::new() };
        let mut known: HashMap<(usize, Belief), usize> = HashMap::new();
        let mut arrive = |product: &mut Product, state: usize, belief: Belief, before: Option<usize>| {
            for (step, _) in moves.steps.iter().enumerate().filter(|(_, step)| step.from == state) {
                let at = *known.entry((step, belief)).or_insert_with(|| {
                    product.points.push(Point { step, belief });
                    product.before.push(Vec::new());
                    product.points.len() - 1
                });
                product.before[at].extend(before);
            }
        };
        let whole = tableau.parts.len() - 1;
        for (state, beliefs) in beliefs.iter().enumerate().take(moves.starts) {
            for &belief in beliefs.iter().filter(|&&belief| believed(belief, whole)) {
                arrive(&mut product, state, belief, None);
            }
        }
        let mut at = 0;
        while at < product.points.len() {
            let Point { step, belief } = product.points[at];
            let to = moves.steps[step].to;
            for &then in beliefs[to].iter().filter(|&&then| tableau.fits(belief, then)) {
                arrive(&mut product, to, then, Some(at));
            }
            at += 1;
        }
        let kept: Vec<Vec<bool>> = product.points.iter().map(|point| tableau.kept(point.belief)).collect();
        let promises = tableau.kept(0).len();
        product.promises = (0..promises).map(|i| kept.iter().map(|kept| kept[i]).collect()).collect();
        product
    }

    /// The points from which a run can stay within a set for ever and come to each goal again and again: the
    /// greatest set of points that each have, one step on, a way through the set to each goal in the set.
    fn endless(&self, mut set: Vec<bool>, goals: &[Vec<bool>]) -> Vec<bool> {
        loop {
            let smaller = goals.iter().fold(set.clone(), |smaller, goal| {
                let goal = smaller.iter().zip(goal).map(|(in_set, is)| *in_set && *is).collect();
                let next = self.one_before(&self.on_the_way(&smaller, goal));
                smaller.iter().zip(next).map(|(in_set, leads)| *in_set && leads).collect()
            });
            if smaller == set {
                return set;
            }
            set = smaller;
        }
    }

    /// The points from which one step leads into a set.
    fn one_before(&self, set: &[bool]) -> Vec<bool> {
        let mut leads = vec![false; set.len()];
        for (before, _) in self.before.iter().zip(set).filter(|(_, is)| **is) {
            before.iter().for_each(|&at| leads[at] = true);
        }
        leads
    }

    /// The points of a set from which a way through it leads to a goal: the least set that has the goal and
    /// whatever of the set is one step before it.
    fn on_the_way(&self, through: &[bool], goal: Vec<bool>) -> Vec<bool> {
        let mut reached = goal;
        let mut new: Vec<usize> = (0..reached.len()).filter(|&at| reached[at]).collect();
        while let Some(at) = new.pop() {
            for &before in &self.before[at] {
                if through[before] && !reached[before] {
                    reached[before] = true;
                    new.push(before);
                }
            }
        }
        reached
    }
}
