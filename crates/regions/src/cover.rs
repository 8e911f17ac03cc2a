//! Few conjunctions of few constraints that are true on some cells and false on others. A cell knows on which sides of
//! each hyperplane it has points, so this is a search over sets of cells, and never asks a polyhedron.

use crate::condition::Condition;
use watchkeeper_polyhedra::Constraint;

/// The most constraints along hyperplanes that conjunctions of three are tried of.
const MOST_TRIPLES: usize = 80;
/// The most conjunctions that the search for the best disjunction knows.
const MOST_KNOWN: usize = 300;
/// The steps of that search.
const MOST_STEPS: usize = 200_000;

/// Some of the three sides of a hyperplane: below, on it, and above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Signs(u8);

impl Signs {
    pub(crate) const NONE: Signs = Signs(0);
    pub(crate) const NEGATIVE: Signs = Signs(1);
    pub(crate) const ZERO: Signs = Signs(2);
    pub(crate) const POSITIVE: Signs = Signs(4);
    pub(crate) const NOT_POSITIVE: Signs = Signs(3);
    pub(crate) const NOT_NEGATIVE: Signs = Signs(6);
    pub(crate) const SINGLE: [Signs; 3] = [Signs::NEGATIVE, Signs::ZERO, Signs::POSITIVE];
    /// The sides that one constraint can ask for.
    pub(crate) const CONVEX: [Signs; 5] =
        [Signs::ZERO, Signs::NEGATIVE, Signs::POSITIVE, Signs::NOT_POSITIVE, Signs::NOT_NEGATIVE];

    pub(crate) fn and_also(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    pub(crate) fn is_one(self) -> bool {
        self.0.count_ones() == 1
    }

    /// Whether all of the others are among these.
    pub(crate) fn has(self, others: Signs) -> bool {
        self.0 & others.0 == others.0
    }

    fn meets(self, others: Signs) -> bool {
        self.0 & others.0 != 0
    }
}

/// A constraint that asks for some sides of a hyperplane.
#[derive(Clone, Debug)]
pub(crate) struct PlaneLiteral {
    pub(crate) plane: usize,
    pub(crate) sides: Signs,
    pub(crate) constraint: Constraint,
    /// Among as many constraints, those with the least sum are taken.
    pub(crate) weight: (u64, bool),
}

/// A set of cells, by number.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CellSet(Vec<u64>);

impl CellSet {
    fn of(count: usize, has: impl Fn(usize) -> bool) -> CellSet {
        let mut words = vec![0; count.div_ceil(64)];
        (0..count).filter(|&cell| has(cell)).for_each(|cell| words[cell / 64] |= 1 << (cell % 64));
        CellSet(words)
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    fn has(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    fn and(&self, other: &CellSet) -> CellSet {
        CellSet(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn or(&self, other: &CellSet) -> CellSet {
        CellSet(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn without(&self, other: &CellSet) -> CellSet {
        CellSet(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    fn includes(&self, other: &CellSet) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == *b)
    }
}

/// Literals that are false together on every cell of `no`, and the cells of `yes` on which all of them are true.
#[derive(Clone, Debug)]
struct Implicant {
    literals: Vec<usize>,
    covered: CellSet,
}

struct Cover<'a> {
    literals: &'a [PlaneLiteral],
    /// For each literal, the cells of `yes` on which it is true everywhere.
    accepts: Vec<CellSet>,
    /// For each literal, the cells of `no` on which it is true nowhere.
    rejects: Vec<CellSet>,
    yes: CellSet,
    no: CellSet,
}

/// What a disjunction costs: constraints and alternatives together, then alternatives, then the size of the constraints. An
/// alternative costs as much as a constraint, so two are taken instead of one only where they save constraints.
type Price = (usize, usize, u64, usize);

/// A condition of few constraints that is true on the cells of `yes` and false on those of `no`; none if the cells do not
/// tell them apart.
pub(crate) fn least(
    literals: &[PlaneLiteral],
    yes: &[Vec<Signs>],
    no: &[Vec<Signs>],
    dimension: usize,
) -> Option<Condition> {
    let accepts =
        |literal: &PlaneLiteral| CellSet::of(yes.len(), |cell| literal.sides.has(yes[cell][literal.plane]));
    let rejects =
        |literal: &PlaneLiteral| CellSet::of(no.len(), |cell| !literal.sides.meets(no[cell][literal.plane]));
    let useful: Vec<PlaneLiteral> = literals
        .iter()
        .filter(|literal| !accepts(literal).is_empty() && !rejects(literal).is_empty())
        .cloned()
        .collect();
    let cover = Cover {
        accepts: useful.iter().map(accepts).collect(),
        rejects: useful.iter().map(rejects).collect(),
        literals: &useful,
        yes: CellSet::of(yes.len(), |_| true),
        no: CellSet::of(no.len(), |_| true),
    };
    let known = cover.implicants(yes.len());
    let chosen = cover.choose(&known)?;
    Some(cover.condition(&cover.polished(chosen), dimension))
}

impl Cover<'_> {
    /// Conjunctions that are false on all of `no`: all of at most three literals, and one for each cell that covers much beside
    /// it. Of those that cover the same, the cheapest is kept, and none that a cheaper one includes.
    fn implicants(&self, cells: usize) -> Vec<Implicant> {
        let mut found = Vec::new();
        self.short(&mut Vec::new(), &self.yes, &CellSet(vec![0; self.no.0.len()]), &mut found);
        for seed in 0..cells {
            found.extend(self.grown(seed));
        }
        found.sort_by_key(|implicant| {
            (implicant.literals.len(), self.weight(&implicant.literals), implicant.literals.clone())
        });
        let mut kept: Vec<Implicant> = Vec::new();
        for implicant in found {
            if !kept.iter().any(|other| other.covered.includes(&implicant.covered)) {
                kept.push(implicant);
            }
        }
        // Few are dropped here, and then those that cover least.
        kept.sort_by_key(|implicant| std::cmp::Reverse(implicant.covered.len()));
        kept.truncate(MOST_KNOWN);
        kept
    }

    /// All conjunctions of at most three literals, none of which can be left out.
    fn short(
        &self,
        chosen: &mut Vec<usize>,
        covered: &CellSet,
        rejected: &CellSet,
        found: &mut Vec<Implicant>,
    ) {
        if rejected.includes(&self.no) {
            found.push(Implicant { literals: chosen.clone(), covered: covered.clone() });
            return;
        }
        let most = if self.literals.len() > MOST_TRIPLES { 2 } else { 3 };
        if chosen.len() == most {
            return;
        }
        for literal in chosen.last().map_or(0, |last| last + 1)..self.literals.len() {
            let both = covered.and(&self.accepts[literal]);
            let further = rejected.or(&self.rejects[literal]);
            if both.is_empty() || further == *rejected {
                continue;
            }
            chosen.push(literal);
            self.short(chosen, &both, &further, found);
            chosen.pop();
        }
    }

    /// A conjunction that is true on a cell and, one after the other, on as many others as it can be.
    fn grown(&self, seed: usize) -> Option<Implicant> {
        let mut usable: Vec<usize> =
            (0..self.literals.len()).filter(|&literal| self.accepts[literal].has(seed)).collect();
        if !self.reject_all(&usable) {
            return None;
        }
        // A literal that is true on few other cells goes first.
        let mut order = usable.clone();
        order.sort_by_key(|&literal| (self.accepts[literal].len(), std::cmp::Reverse(literal)));
        for literal in order {
            let fewer: Vec<usize> = usable.iter().copied().filter(|other| *other != literal).collect();
            if self.reject_all(&fewer) {
                usable = fewer;
            }
        }
        let covered = self.covered(&usable);
        let literals = self.fewest(&covered).unwrap_or(usable);
        let covered = self.covered(&literals);
        Some(Implicant { literals, covered })
    }

    fn reject_all(&self, literals: &[usize]) -> bool {
        let none = CellSet(vec![0; self.no.0.len()]);
        literals.iter().fold(none, |all, literal| all.or(&self.rejects[*literal])).includes(&self.no)
    }

    fn covered(&self, literals: &[usize]) -> CellSet {
        literals.iter().fold(self.yes.clone(), |all, literal| all.and(&self.accepts[*literal]))
    }

    fn weight(&self, literals: &[usize]) -> (u64, usize) {
        let sum =
            literals.iter().map(|literal| self.literals[*literal].weight.0).fold(0, u64::saturating_add);
        (sum, literals.iter().filter(|literal| self.literals[**literal].weight.1).count())
    }

    /// The fewest literals that are true on all of some cells of `yes` and together false on all of `no`.
    fn fewest(&self, needed: &CellSet) -> Option<Vec<usize>> {
        let usable: Vec<usize> =
            (0..self.literals.len()).filter(|&literal| self.accepts[literal].includes(needed)).collect();
        let mut best = None;
        let mut steps = MOST_STEPS / 20;
        self.hit(&usable, &self.no, &mut Vec::new(), &mut best, &mut steps);
        best
    }

    /// Takes every literal in turn that is false on the first cell that is not yet rejected.
    fn hit(
        &self,
        usable: &[usize],
        open: &CellSet,
        chosen: &mut Vec<usize>,
        best: &mut Option<Vec<usize>>,
        steps: &mut usize,
    ) {
        let key = |literals: &Vec<usize>| (literals.len(), self.weight(literals), literals.clone());
        let Some(cell) = open.first() else {
            let mut sorted = chosen.clone();
            sorted.sort_unstable();
            if best.as_ref().is_none_or(|best| key(&sorted) < key(best)) {
                *best = Some(sorted);
            }
            return;
        };
        if best.as_ref().is_some_and(|best| chosen.len() >= best.len()) || *steps == 0 {
            return;
        }
        *steps -= 1;
        let mut ways: Vec<usize> = usable.iter().copied().filter(|&l| self.rejects[l].has(cell)).collect();
        ways.sort_by_key(|&literal| (open.without(&self.rejects[literal]).len(), literal));
        for literal in ways {
            chosen.push(literal);
            self.hit(usable, &open.without(&self.rejects[literal]), chosen, best, steps);
            chosen.pop();
        }
    }

    /// The cheapest disjunction of known conjunctions that is true on all of `yes`.
    fn choose(&self, known: &[Implicant]) -> Option<Vec<Vec<usize>>> {
        let mut best: Option<(Price, Vec<usize>)> = None;
        let mut steps = MOST_STEPS;
        self.branch(known, &self.yes, &mut Vec::new(), &mut best, &mut steps);
        let (_, chosen) = best?;
        Some(chosen.into_iter().map(|index| known[index].literals.clone()).collect())
    }

    fn branch(
        &self,
        known: &[Implicant],
        open: &CellSet,
        chosen: &mut Vec<usize>,
        best: &mut Option<(Price, Vec<usize>)>,
        steps: &mut usize,
    ) {
        if open.is_empty() {
            let price = self.price(chosen.iter().map(|index| known[*index].literals.as_slice()));
            if best.as_ref().is_none_or(|(least, _)| price < *least) {
                *best = Some((price, chosen.clone()));
            }
            return;
        }
        // Each further alternative costs at least itself and, beside what is shared, a constraint.
        let bound = chosen.len() + 1 + chosen.len();
        if *steps == 0 || best.as_ref().is_some_and(|(least, _)| bound > least.0) {
            return;
        }
        *steps -= 1;
        // The cell that fewest cover leaves the fewest ways.
        let ways = |cell: usize| known.iter().filter(|implicant| implicant.covered.has(cell)).count();
        let cells = (0..open.0.len() * 64).filter(|&cell| open.has(cell));
        let Some(cell) = cells.min_by_key(|&cell| ways(cell)) else { return };
        let mut ways: Vec<usize> = (0..known.len()).filter(|&index| known[index].covered.has(cell)).collect();
        ways.sort_by_key(|&index| {
            (open.without(&known[index].covered).len(), known[index].literals.len(), index)
        });
        for index in ways {
            chosen.push(index);
            self.branch(known, &open.without(&known[index].covered), chosen, best, steps);
            chosen.pop();
        }
    }

    /// Weakens one conjunction after the other to what the others leave uncovered.
    fn polished(&self, mut chosen: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        for at in 0..chosen.len() {
            let others = chosen.iter().enumerate().filter(|(other, _)| *other != at);
            let elsewhere = others.fold(CellSet(vec![0; self.yes.0.len()]), |all, (_, literals)| {
                all.or(&self.covered(literals))
            });
            let needed = self.yes.without(&elsewhere);
            let Some(shorter) = self.fewest(&needed) else { continue };
            let mut changed = chosen.clone();
            changed[at] = shorter;
            if self.price(changed.iter().map(Vec::as_slice)) < self.price(chosen.iter().map(Vec::as_slice)) {
                chosen = changed;
            }
        }
        chosen
    }

    fn price<'b>(&self, conjunctions: impl Iterator<Item = &'b [usize]>) -> Price {
        let all: Vec<&[usize]> = conjunctions.collect();
        let Some((first, others)) = all.split_first() else { return (0, 0, 0, 0) };
        let shared =
            first.iter().filter(|literal| others.iter().all(|other| other.contains(literal))).count();
        let shared = if others.is_empty() { 0 } else { shared };
        let count: usize = all.iter().map(|literals| literals.len() - shared).sum();
        let weights = all.iter().map(|literals| self.weight(literals));
        let (size, foreign) =
            weights.fold((0, 0), |(a, b): (u64, usize), (c, d)| (a.saturating_add(c), b + d));
        (count + shared + all.len(), all.len(), size, foreign)
    }

    fn condition(&self, conjunctions: &[Vec<usize>], dimension: usize) -> Condition {
        // Those with few parameters first, then in the order of the parameters.
        let place = |literal: &usize| {
            let coefficients = self.literals[*literal].constraint.coefficients();
            let used: Vec<usize> = (0..coefficients.len()).filter(|&at| coefficients[at] != 0).collect();
            (used.len(), used)
        };
        let mut ordered: Vec<Vec<usize>> = conjunctions.to_vec();
        ordered.iter_mut().for_each(|literals| literals.sort_by_key(|literal| (place(literal), *literal)));
        ordered.sort_by_key(|literals| {
            let places: Vec<_> = literals.iter().map(place).collect();
            (places.len(), places, literals.clone())
        });
        let constraint = |literal: &usize| self.literals[*literal].constraint.clone();
        let written = ordered.iter().map(|literals| literals.iter().map(constraint).collect());
        Condition::any(dimension, written.collect())
    }
}
