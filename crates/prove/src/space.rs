//! A system with fixed parameters as a `Space`, so that every engine can search the system of a proof. It runs the
//! compiled paths, which are also written for the solvers; the interpreter of statements replays a trace.

mod labels;
mod parts;
mod rows;

use crate::code::{Code, LARGEST, PlaceTable};
use crate::instance::{InstanceError, InstanceTransition, State, SystemInstance, elements};
use crate::{Path, Term, TermSort};
use rows::RowTable;
use std::collections::BTreeMap;
use watchkeeper_space::{
    Action, ActionClass, Atom, AtomId, Cap, ClassId, DataLabels, Edit, Event, Id, Mismatch, Narration, Parts,
    Role, Shape, Space, StatePath, Stuck, Successors, Trace, Value, View,
};

/// The most paths that a search can tell apart.
const MOST_PATHS: usize = 256;

/// The largest distance of a number from the least value of its variable.
const WIDEST: i64 = 1 << 30;

/// The caps, by their places in the shape: a number that has no id, and one that cannot even be worked out.
const FAR: usize = 0;
const TOO_LARGE: usize = 1;

/// A system with fixed parameters as a graph of rows. An atom is a formula.
pub struct SystemSpace {
    instance: SystemInstance,
    shape: Shape,
    paths: Vec<Path>,
    compiled: Vec<Compiled>,
    /// The guards that need no pick; paths have many in common.
    shared: Vec<Code>,
    /// The most places that a path needs.
    width: usize,
    atoms: Vec<Code>,
    initial: Vec<Vec<Id>>,
    places: usize,
}

/// A path over places: parameters, variables, then its own choices and draws.
struct Compiled {
    /// The places of the guards that need no pick, in their order.
    first: Vec<usize>,
    /// The other guards, which can be judged once so many choices and draws are made.
    guards: Vec<Vec<Code>>,
    picks: Vec<Pick>,
    updates: Vec<(usize, Code)>,
    width: usize,
}

enum Pick {
    Number { place: usize, low: Code, high: Code },
    Set { place: usize, element: usize, low: Code, high: Code, given: Code },
}

impl SystemSpace {
    /// The space of an instance; each formula is an atom under its name. Every state that the system begins in is a
    /// state of the space, and every atom has a value in every state, or there is no space.
    pub fn new(instance: SystemInstance, atoms: &[(String, Term)]) -> Result<SystemSpace, SystemSpaceError> {
        let system = instance.system();
        let paths = system.paths();
        if paths.len() > MOST_PATHS {
            return Err(SystemSpaceError::Paths(paths.len()));
        }
        let mut names = PlaceTable::default();
        for parameter in &system.parameters {
            names.add(&parameter.name);
        }
        for variable in &system.variables {
            names.add(&variable.name);
        }
        let places = names.len();
        let mut guards = GuardTable::default();
        let compiled: Vec<Compiled> =
            paths.iter().map(|path| compile(path, names.clone(), &mut guards, &instance)).collect();
        let mut shared = names;
        let codes: Vec<Code> = atoms.iter().map(|(_, formula)| shared.code(formula)).collect();
        let furthest = furthest(&instance);
        if let Some((i, _)) = codes.iter().enumerate().find(|(_, code)| code.reach(&furthest).is_none()) {
            return Err(InstanceError::TooLarge(atoms[i].1.to_string()).into());
        }
        let mut initial = Vec::new();
        for turn in instance.beginnings()? {
            let row = row(&instance, &turn.after);
            initial.push(row.ok_or_else(|| SystemSpaceError::Beginning(instance.told(&turn.after)))?);
        }
        initial.sort();
        initial.dedup();
        let shape = Shape {
            slots: system.variables.iter().map(|variable| variable.name.clone()).collect(),
            classes: paths
                .iter()
                .map(|path| ActionClass { name: path.name.clone(), role: Role::Other })
                .collect(),
            atoms: atoms.iter().map(|(name, _)| Atom { name: name.clone(), symmetric: true }).collect(),
            faults_are_progress: true,
            caps: vec![
                Cap::new(format!("numbers at most {WIDEST} from the least of their variable")),
                Cap::new(format!("numbers below 2^63 and sets of numbers from 0 to {LARGEST}")),
            ],
            assumptions: assumptions(&instance),
            ..Shape::default()
        };
        let places = shared.len().max(places);
        let width = compiled.iter().map(|path| path.width).max().unwrap_or(0);
        let shared = guards.codes;
        Ok(SystemSpace { instance, shape, paths, compiled, shared, width, atoms: codes, initial, places })
    }

    /// The instance.
    pub fn instance(&self) -> &SystemInstance {
        &self.instance
    }

    /// The state that a row stands for.
    pub fn state(&self, row: &[Id]) -> State {
        self.values(row).collect()
    }

    /// The row of a state, if every number has an id.
    pub fn row(&self, state: &[i64]) -> Option<Vec<Id>> {
        row(&self.instance, state)
    }

    /// The states that can be reached, breadth first; `None` if there are more than `most`, or if a number is too far
    /// from the least of its variable.
    pub fn reachable(&self, most: usize) -> Option<Vec<State>> {
        let mut rows = RowTable::new(self.shape.slots.len());
        for row in self.initial() {
            rows.insert(&row);
        }
        let mut expanded = 0;
        let (mut found, mut memory) = (Successors::new(), ExpansionMemory::default());
        let (mut row, mut next): (Vec<Id>, Vec<Id>) = (Vec::new(), Vec::new());
        loop {
            if rows.len() > most {
                return None;
            }
            if expanded == rows.len() {
                break;
            }
            row.clear();
            row.extend_from_slice(rows.row(expanded));
            expanded += 1;
            found.clear();
            self.expand_with(&row, &mut found, &mut memory);
            if !found.cuts().is_empty() {
                return None;
            }
            for (_, edits) in found.iter() {
                next.clear();
                next.extend_from_slice(&row);
                edits.iter().for_each(|edit| next[edit.slot as usize] = edit.id);
                rows.insert(&next);
            }
        }
        Some((0..rows.len()).map(|at| self.state(rows.row(at))).collect())
    }

    /// All successors, path by path. A pick is made anew on each path, and no guard asks for one before it is made.
    fn expand_with(&self, row: &[Id], out: &mut Successors, memory: &mut ExpansionMemory) {
        let ExpansionMemory { values, judged, edits } = memory;
        self.fill(row, self.width, values);
        judged.clear();
        judged.resize(self.shared.len(), None);
        'paths: for (class, path) in self.compiled.iter().enumerate() {
            for &guard in &path.first {
                match *judged[guard].get_or_insert_with(|| self.shared[guard].is_true(values)) {
                    Some(true) => {}
                    Some(false) => continue 'paths,
                    None => {
                        out.cut(TOO_LARGE);
                        continue 'paths;
                    }
                }
            }
            let class = class as ClassId;
            Expansion { searched: self, class, path, row, out, ordinal: 0, edits }.go(0, values);
        }
    }

    /// The values of all places in a state, with room for more.
    fn fill(&self, row: &[Id], width: usize, values: &mut Vec<i64>) {
        values.clear();
        values.extend_from_slice(self.instance.parameters());
        values.extend(self.values(row));
        values.resize(width.max(self.places), 0);
    }

    fn values(&self, row: &[Id]) -> impl Iterator<Item = i64> {
        let variables = self.instance.system().variables.iter().zip(row);
        variables.map(|(variable, id)| match variable.sort {
            TermSort::Set | TermSort::Bool => i64::from(*id),
            TermSort::Number => i64::from(*id) + variable.least,
        })
    }
}

fn row(instance: &SystemInstance, state: &[i64]) -> Option<Vec<Id>> {
    let variables = instance.system().variables.iter().zip(state);
    variables.map(|(variable, value)| id(variable, *value)).collect()
}

/// How far from 0 each parameter and each variable can be in a row.
fn furthest(instance: &SystemInstance) -> Vec<i64> {
    let size = |n: i64| n.checked_abs().unwrap_or(i64::MAX);
    let parameters = instance.parameters().iter().map(|value| size(*value));
    let variables = instance.system().variables.iter().map(|variable| match variable.sort {
        TermSort::Bool => 1,
        TermSort::Set => WIDEST,
        TermSort::Number => {
            size(variable.least).max(variable.least.checked_add(WIDEST).map_or(i64::MAX, size))
        }
    });
    parameters.chain(variables).collect()
}

fn id(variable: &crate::Variable, value: i64) -> Option<Id> {
    let value = if variable.sort == TermSort::Number { value.checked_sub(variable.least)? } else { value };
    if (0..=WIDEST).contains(&value) { Id::try_from(value).ok() } else { None }
}

/// Guards that need no pick, each once.
#[derive(Default)]
struct GuardTable {
    places: BTreeMap<Term, usize>,
    codes: Vec<Code>,
}

fn compile(
    path: &Path,
    mut names: PlaceTable,
    shared: &mut GuardTable,
    instance: &SystemInstance,
) -> Compiled {
    let mut picks = Vec::new();
    // A guard can be judged as soon as the last of its picks is made.
    let mut known: Vec<String> = Vec::new();
    for choice in &path.choices {
        let (low, high) = (names.code(&choice.low), names.code(&choice.high));
        picks.push(Pick::Number { place: names.add(&choice.name), low, high });
        known.push(choice.name.clone());
    }
    for draw in &path.draws {
        let (low, high) = (names.code(&draw.low), names.code(&draw.high));
        let place = names.add(&draw.name);
        let element = names.add(&draw.element);
        let given = names.code(&draw.given);
        picks.push(Pick::Set { place, element, low, high, given });
        known.push(draw.name.clone());
    }
    let mut first = Vec::new();
    let mut guards: Vec<Vec<Code>> = (0..=picks.len()).map(|_| Vec::new()).collect();
    for guard in &path.guard {
        let uses = guard.names();
        match known.iter().rposition(|name| uses.contains(name.as_str())) {
            Some(last) => guards[last + 1].push(names.code(guard)),
            None => first.push(*shared.places.entry(guard.clone()).or_insert_with(|| {
                shared.codes.push(names.code(guard));
                shared.codes.len() - 1
            })),
        }
    }
    let variables = instance.system().variables.iter().enumerate();
    let updates = variables
        .filter_map(|(slot, variable)| Some((slot, names.code(path.updates.get(&variable.name)?))))
        .collect();
    Compiled { first, guards, picks, updates, width: names.len() }
}

/// Everything that one path leads to.
struct Expansion<'a> {
    searched: &'a SystemSpace,
    class: ClassId,
    path: &'a Compiled,
    row: &'a [Id],
    out: &'a mut Successors,
    ordinal: u64,
    edits: &'a mut Vec<Edit>,
}

/// Room that one expansion leaves to the next.
#[derive(Default)]
struct ExpansionMemory {
    values: Vec<i64>,
    /// For each shared guard whether it is true in this state, or that it cannot be worked out, once that is known.
    judged: Vec<Option<Option<bool>>>,
    edits: Vec<Edit>,
}

impl Expansion<'_> {
    /// All ways to go on with so many picks made. What cannot be worked out is cut, and the search told of it.
    fn go(&mut self, made: usize, values: &mut [i64]) {
        for guard in &self.path.guards[made] {
            match guard.is_true(values) {
                Some(true) => {}
                Some(false) => return,
                None => return self.out.cut(TOO_LARGE),
            }
        }
        match self.path.picks.get(made) {
            None => self.emit(values),
            Some(Pick::Number { place, low, high }) => {
                let (Some(low), Some(high)) = (low.eval(values), high.eval(values)) else {
                    return self.out.cut(TOO_LARGE);
                };
                for chosen in low..=high {
                    values[*place] = chosen;
                    self.go(made + 1, values);
                }
            }
            Some(pick @ Pick::Set { place, .. }) => {
                let Some(sets) = drawn(pick, values) else { return self.out.cut(TOO_LARGE) };
                for set in sets {
                    values[*place] = set;
                    self.go(made + 1, values);
                }
            }
        }
    }

    fn emit(&mut self, values: &mut [i64]) {
        self.edits.clear();
        for (slot, code) in &self.path.updates {
            let Some(value) = code.eval(values) else { return self.out.cut(TOO_LARGE) };
            let Some(id) = id(&self.searched.instance.system().variables[*slot], value) else {
                return self.out.cut(FAR);
            };
            if self.row[*slot] != id {
                self.edits.push(Edit::new(*slot, id));
            }
        }
        self.out.step(Action::new(self.class, self.ordinal), self.edits);
        self.ordinal += 1;
    }
}

/// All sets that can be drawn; none if that cannot be worked out.
fn drawn(pick: &Pick, values: &mut [i64]) -> Option<Vec<i64>> {
    let Pick::Set { place, element, low, high, given } = pick else { return None };
    let mut sets = vec![0i64];
    for number in elements(low.eval(values)?, high.eval(values)?).ok()? {
        values[*element] = number;
        let mut allowed = |inside: i64| {
            values[*place] = inside << number;
            given.is_true(values)
        };
        let (without, with) = (allowed(0)?, allowed(1)?);
        let out = sets.iter().filter(|_| without).copied();
        let inn = sets.iter().filter(|_| with).map(|set| set | 1 << number);
        sets = out.chain(inn).collect();
    }
    Some(sets)
}

impl Space for SystemSpace {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.initial.clone()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        self.expand_with(row, out, &mut ExpansionMemory::default());
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let mut values = Vec::new();
        self.fill(row, 0, &mut values);
        let value = self.atoms[atom].is_true(&mut values);
        value.expect("no row takes an atom further than what was asked when the space was made")
    }

    /// Ids are the values themselves, so they stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Narration for SystemSpace {
    fn view(&self, row: &[Id]) -> View {
        self.seen(&self.state(row))
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        let path = self.paths.get(usize::from(action.class()));
        path.map_or_else(|| "no step".to_string(), |path| path.name.clone())
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let differs = |step, why: &str| Err(Mismatch { step, why: why.to_string() });
        if trail.rows.len() != trail.actions.len() + 1 {
            return differs(0, "a trail needs one state more than actions");
        }
        let mut now = self.state(&trail.rows[0]);
        let refused = |step| move |error: InstanceError| Mismatch { step, why: error.to_string() };
        if !self.instance.beginnings().map_err(refused(0))?.iter().any(|turn| turn.after == now) {
            return differs(0, "the system does not begin in this state");
        }
        let start = self.seen(&now);
        let mut steps = Vec::new();
        for (i, (&action, row)) in trail.actions.iter().zip(&trail.rows[1..]).enumerate() {
            let Some(path) = self.paths.get(usize::from(action.class())) else {
                return differs(i + 1, "there is no such action");
            };
            let after = self.state(row);
            let fits = |turn: &&InstanceTransition| turn.ways == path.ways && turn.after == after;
            let turns = self.instance.turns(&now).map_err(refused(i + 1))?;
            let Some(turn) = turns.iter().find(fits) else {
                return differs(i + 1, "the action does not lead from the state before to this one");
            };
            let text = match &turn.picks[..] {
                [] => path.name.clone(),
                picks => format!("{} ({})", path.name, assignments(picks)),
            };
            let events = vec![Event::Remark { text: text.clone() }];
            steps.push(watchkeeper_space::Step { action: text, at: None, events, after: self.seen(&after) });
            now = after;
        }
        Ok(Trace { processes: Vec::new(), start, opening: Vec::new(), steps, loops_to: None })
    }
}

impl SystemSpace {
    fn seen(&self, state: &[i64]) -> View {
        let variables = self.instance.system().variables.iter().zip(state);
        variables
            .map(|(variable, value)| {
                let seen = match variable.sort {
                    TermSort::Bool => Value::Bool(*value != 0),
                    TermSort::Number if !variable.points.is_empty() => Value::str(variable.told(*value)),
                    TermSort::Number => Value::Int(*value),
                    TermSort::Set => {
                        let elements = (0..=LARGEST).filter(|element| value >> element & 1 == 1);
                        Value::set(elements.map(Value::Int))
                    }
                };
                (variable.name.clone(), seen)
            })
            .collect()
    }
}

fn assumptions(instance: &SystemInstance) -> Vec<String> {
    let system = instance.system();
    let given = system.parameters.iter().zip(instance.parameters());
    let given: Vec<(String, i64)> = given.map(|(it, value)| (it.name.clone(), *value)).collect();
    let mut all = vec![format!("The system is {} with {}.", system.name, assignments(&given))];
    all.extend(system.notes.iter().cloned());
    all
}

/// Why an instance cannot be searched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemSpaceError {
    /// The steps have so many paths, more than a search can tell apart.
    #[error("the steps have {0} paths, and a search can tell {MOST_PATHS} apart: split the system")]
    Paths(usize),
    /// The system can begin in this state, of which a number has no place in a row.
    #[error("the system can begin with {}, and a search holds numbers from the least of a variable to {WIDEST} above it: take \
         smaller parameters", assignments(.0))]
    Beginning(Vec<(String, String)>),
    /// Something cannot be worked out.
    #[error(transparent)]
    Instance(#[from] InstanceError),
}

/// Names with their values, as in a list.
fn assignments(values: &[(String, impl std::fmt::Display)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}
