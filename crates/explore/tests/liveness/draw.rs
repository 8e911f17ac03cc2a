//! Spaces, claims and constraints drawn at random, the same for the same seed.

use crate::spelling::{ATOMS, write_fairness, write_space};
use crate::table::{Line, Table};
use crate::{formulas, table};
use std::collections::BTreeSet;
use std::fmt;
use watchkeeper_logic::{ActionSelection, Fairness, FairnessStrength, FairnessUnit, Formula};
use watchkeeper_space::{ActionLabel, ClassId, Pid};

/// A question with its space.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    pub table: Table,
    pub claim: Formula,
    pub fairness: Vec<Fairness>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in write_space(&self.table).lines() {
            writeln!(f, "    {line}")?;
        }
        let fair: Vec<String> = self.fairness.iter().map(|one| write_fairness(&self.table, one)).collect();
        write!(f, "fair     {}\n?        {}", fair.join("; "), formulas::written(&self.claim))
    }
}

/// The most instances of strong constraints; the reference looks at all their subsets.
const MOST_STRONG: usize = 4;

/// The question of a seed.
pub fn case(seed: u64) -> Case {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let table = space(&mut dice);
    let claim = claim(&mut dice);
    let fairness = (0..dice.below(4)).map(|_| constraint(&mut dice, &table)).collect();
    let mut case = Case { table, claim, fairness };
    let mut strong = 0;
    for i in 0..case.fairness.len() {
        if case.fairness[i].strength == FairnessStrength::Strong {
            strong += instances(&case.table, &case.fairness[i]);
            if strong > MOST_STRONG {
                case.fairness[i].strength = FairnessStrength::Weak;
            }
        }
    }
    case
}

fn instances(table: &Table, fairness: &Fairness) -> usize {
    let key = |line: &Line| {
        let one = fairness.of.has(&table.shape, line.class, &line.label);
        one.then(|| fairness.each.key(line.class, &line.label))
    };
    table.steps.iter().filter_map(key).collect::<BTreeSet<_>>().len()
}

fn space(dice: &mut Dice) -> Table {
    let mut table = Table::new(ATOMS);
    let states = 1 + dice.below(8);
    let (timed, owing, cutting) = (dice.one_in(4), dice.one_in(5), dice.one_in(40));
    let faulty = dice.one_in(2);
    table.shape.faults_are_progress = dice.one_in(20);
    if timed {
        table.class(table::TIME);
    }
    for number in 0..states {
        let state = table.state(number);
        state.start = number == 0 || dice.one_in(12);
        state.atoms = dice.next() & 0b111;
        state.locked = timed && dice.one_in(2);
        state.idles = timed && dice.one_in(8);
        state.cut = cutting && dice.one_in(4);
    }
    for from in 0..states {
        for _ in 0..[0, 1, 1, 2, 2, 2, 3, 4][dice.below(8)] {
            let class = match dice.below(8) {
                0 | 1 if timed => table::TIME,
                2 if faulty => "!f",
                3 if owing => "$o",
                other => ["a", "b", "c"][other % 3],
            };
            let pid = |dice: &mut Dice, most: usize| dice.below(most).checked_sub(1).map(Pid::at);
            let label = ActionLabel { process: pid(dice, 3), peer: pid(dice, 3), which: dice.next() % 2 };
            table.step(from, class, label, dice.below(states));
        }
    }
    table
}

fn claim(dice: &mut Dice) -> Formula {
    let (p, q) = (of_a_state(dice, 3), of_a_state(dice, 3));
    match dice.below(10) {
        0 => p.always().eventually(),
        1 => p.eventually().always(),
        2 => p.leads_to(q),
        3 => p.always(),
        4 => p.eventually(),
        _ => {
            let size = 2 + dice.below(6);
            formula(dice, size)
        }
    }
}

fn formula(dice: &mut Dice, size: usize) -> Formula {
    if size <= 1 {
        return Formula::atom(dice.below(3));
    }
    if size == 2 || dice.one_in(3) {
        let inner = formula(dice, size - 1);
        return match dice.below(5) {
            0 => inner.not(),
            1 => inner.next(),
            2 => inner.eventually(),
            3 => inner.always(),
            _ => inner.not(),
        };
    }
    let left = 1 + dice.below(size - 2);
    let (a, b) = (formula(dice, left), formula(dice, size - 1 - left));
    match dice.below(5) {
        0 => a.and(b),
        1 => a.or(b),
        2 => a.until(b),
        3 => a.release(b),
        _ => a.not().until(b),
    }
}

fn of_a_state(dice: &mut Dice, size: usize) -> Formula {
    let atom = Formula::atom(dice.below(3));
    match dice.below(size + 2) {
        0 | 1 => atom,
        2 => atom.not(),
        3 => atom.and(of_a_state(dice, size - 1)),
        _ => atom.or(of_a_state(dice, size - 1)),
    }
}

fn constraint(dice: &mut Dice, table: &Table) -> Fairness {
    let strength = match dice.below(8) {
        0..=3 => FairnessStrength::Weak,
        4..=6 => FairnessStrength::Strong,
        _ => FairnessStrength::Always,
    };
    let each = match strength {
        FairnessStrength::Always => FairnessUnit::Together,
        _ => [FairnessUnit::Together, FairnessUnit::Process, FairnessUnit::Kind, FairnessUnit::Thing]
            [dice.below(4)],
    };
    let classes = 0..table.shape.classes.len() as ClassId;
    let classes: Vec<ClassId> = classes.filter(|&class| Some(class) != table.shape.time).collect();
    let mut of = ActionSelection::default();
    if !classes.is_empty() && !dice.one_in(3) {
        of.classes = (0..1 + dice.below(2)).map(|_| classes[dice.below(classes.len())]).collect();
    }
    of.process = dice.one_in(6).then(|| Pid::at(dice.below(2)));
    of.peer = dice.one_in(10).then(|| Pid::at(dice.below(2)));
    Fairness { name: "drawn".into(), strength, of, each }
}

/// A source of numbers: the generator `splitmix64`.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn one_in(&mut self, ways: usize) -> bool {
        self.below(ways) == 0
    }
}
