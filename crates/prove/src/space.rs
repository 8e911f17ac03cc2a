//! A system with fixed parameters as a `Space`, so that every engine can search what is proven. It runs the
//! compiled paths, which are what a solver is asked about; a trace is replayed by the interpreter of statements.

use crate::code::{Code, LARGEST, Places};
use crate::instance::{Instance, State, Turn};
use crate::{Path, Sort, Term};
use std::collections::HashSet;
use watchkeeper_space::{
    Action, Atom, AtomId, Cap, Class, ClassId, Edit, Event, Id, Mismatch, Role, Shape, Sink, Space, Stuck,
    Trace, Trail, Value, View,
};

/// The most paths that a search can tell apart.
const MOST_PATHS: usize = 256;

/// The largest distance of a number from the least value of its variable.
const WIDEST: i64 = 1 << 30;

/// A system with fixed parameters as a graph of rows. An atom is a formula.
pub struct Searched {
    instance: Instance,
    shape: Shape,
    paths: Vec<Path>,
    compiled: Vec<Compiled>,
    atoms: Vec<Code>,
    places: usize,
}

/// A path over places: parameters, variables, then its own choices and draws.
struct Compiled {
    /// The guards that can be judged once so many choices and draws are made.
    guards: Vec<Vec<Code>>,
    picks: Vec<Pick>,
    updates: Vec<(usize, Code)>,
    width: usize,
}

enum Pick {
    Number { place: usize, low: Code, high: Code },
    Set { place: usize, element: usize, low: Code, high: Code, given: Code },
}

impl Searched {
    /// The space of an instance; each formula is an atom under its name.
    pub fn new(instance: Instance, atoms: &[(String, Term)]) -> Result<Searched, TooManyPaths> {
        let system = instance.system();
        let paths = system.paths();
        if paths.len() > MOST_PATHS {
            return Err(TooManyPaths(paths.len()));
        }
        let mut names = Places::default();
        for parameter in &system.parameters {
            names.add(&parameter.name);
        }
        for variable in &system.variables {
            names.add(&variable.name);
        }
        let places = names.len();
        let compiled = paths.iter().map(|path| compile(path, names.clone(), &instance)).collect();
        let mut shared = names;
        let codes: Vec<Code> = atoms.iter().map(|(_, formula)| shared.code(formula)).collect();
        let shape = Shape {
            slots: system.variables.iter().map(|variable| variable.name.clone()).collect(),
            classes: paths.iter().map(|path| Class { name: path.name.clone(), role: Role::Other }).collect(),
            atoms: atoms.iter().map(|(name, _)| Atom { name: name.clone(), symmetric: true }).collect(),
            faults_are_progress: true,
            caps: vec![Cap::new(format!("numbers at most {WIDEST} from the least of their variable"))],
            assumptions: assumptions(&instance),
            ..Shape::default()
        };
        Ok(Searched { instance, shape, paths, compiled, atoms: codes, places: shared.len().max(places) })
    }

    /// The instance.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The state that a row stands for.
    pub fn state(&self, row: &[Id]) -> State {
        let variables = self.instance.system().variables.iter().zip(row);
        variables
            .map(|(variable, id)| match variable.sort {
                Sort::Set | Sort::Bool => i64::from(*id),
                Sort::Number => i64::from(*id) + variable.least,
            })
            .collect()
    }

    /// The row of a state, if every number has an id.
    pub fn row(&self, state: &[i64]) -> Option<Vec<Id>> {
        let variables = self.instance.system().variables.iter().zip(state);
        variables.map(|(variable, value)| id(variable, *value)).collect()
    }

    /// The states that can be reached, breadth first; `None` if there are more than `most`, or if a number is too far
    /// from the least of its variable.
    pub fn reachable(&self, most: usize) -> Option<Vec<State>> {
        struct Next<'a> {
            row: &'a [Id],
            found: Vec<Vec<Id>>,
            cut: bool,
        }
        impl Sink for Next<'_> {
            fn step(&mut self, _: Action, edits: &[Edit]) {
                self.found.push(watchkeeper_space::apply(self.row, edits));
            }

            fn cut(&mut self, _: usize) {
                self.cut = true;
            }
        }
        let mut seen: HashSet<Vec<Id>> = HashSet::new();
        let mut rows: Vec<Vec<Id>> = Vec::new();
        let mut next = self.initial();
        let mut expanded = 0;
        loop {
            for row in next {
                if seen.insert(row.clone()) {
                    rows.push(row);
                }
            }
            if rows.len() > most {
                return None;
            }
            let Some(row) = rows.get(expanded) else { break };
            expanded += 1;
            let mut sink = Next { row, found: Vec::new(), cut: false };
            self.expand(row, &mut sink);
            if sink.cut {
                return None;
            }
            next = sink.found;
        }
        Some(rows.iter().map(|row| self.state(row)).collect())
    }

    /// The values of all places in a state, with room for more.
    fn filled(&self, row: &[Id], width: usize) -> Vec<i64> {
        let mut values = Vec::with_capacity(width.max(self.places));
        values.extend_from_slice(self.instance.parameters());
        values.extend(self.state(row));
        values.resize(width.max(self.places), 0);
        values
    }
}

fn id(variable: &crate::Variable, value: i64) -> Option<Id> {
    let value = if variable.sort == Sort::Number { value.checked_sub(variable.least)? } else { value };
    if (0..=WIDEST).contains(&value) { Id::try_from(value).ok() } else { None }
}

fn compile(path: &Path, mut names: Places, instance: &Instance) -> Compiled {
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
    let mut guards: Vec<Vec<Code>> = (0..=picks.len()).map(|_| Vec::new()).collect();
    for guard in &path.guard {
        let uses = guard.names();
        let after = known.iter().rposition(|name| uses.contains(name.as_str())).map_or(0, |last| last + 1);
        guards[after].push(names.code(guard));
    }
    let variables = instance.system().variables.iter().enumerate();
    let updates = variables
        .filter_map(|(slot, variable)| Some((slot, names.code(path.updates.get(&variable.name)?))))
        .collect();
    Compiled { guards, picks, updates, width: names.len() }
}

/// Everything that one path leads to.
struct Expansion<'a, K> {
    searched: &'a Searched,
    class: ClassId,
    path: &'a Compiled,
    row: &'a [Id],
    sink: &'a mut K,
    ordinal: u64,
    edits: Vec<Edit>,
}

impl<K: Sink> Expansion<'_, K> {
    fn go(&mut self, made: usize, values: &mut [i64]) {
        if !self.path.guards[made].iter().all(|guard| guard.is_true(values)) {
            return;
        }
        match self.path.picks.get(made) {
            None => self.emit(values),
            Some(Pick::Number { place, low, high }) => {
                for chosen in low.eval(values)..=high.eval(values) {
                    values[*place] = chosen;
                    self.go(made + 1, values);
                }
            }
            Some(Pick::Set { place, element, low, high, given }) => {
                let mut sets = vec![0i64];
                for number in low.eval(values).max(0)..=high.eval(values).min(LARGEST) {
                    values[*element] = number;
                    let mut allowed = |inside: i64| {
                        values[*place] = inside << number;
                        given.is_true(values)
                    };
                    let (without, with) = (allowed(0), allowed(1));
                    let out = sets.iter().filter(|_| without).copied();
                    let inn = sets.iter().filter(|_| with).map(|set| set | 1 << number);
                    sets = out.chain(inn).collect();
                }
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
            let value = code.eval(values);
            let Some(id) = id(&self.searched.instance.system().variables[*slot], value) else {
                return self.sink.cut(0);
            };
            if self.row[*slot] != id {
                self.edits.push(Edit::new(*slot, id));
            }
        }
        self.sink.step(Action::new(self.class, self.ordinal), &self.edits);
        self.ordinal += 1;
    }
}

impl Space for Searched {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let turns = self.instance.beginnings();
        let mut rows: Vec<Vec<Id>> = turns.iter().filter_map(|turn| self.row(&turn.after)).collect();
        rows.sort();
        rows.dedup();
        rows
    }

    fn expand(&self, row: &[Id], sink: &mut impl Sink) {
        for (class, path) in self.compiled.iter().enumerate() {
            let mut values = self.filled(row, path.width);
            let class = class as ClassId;
            let (ordinal, edits) = (0, Vec::new());
            Expansion { searched: self, class, path, row, sink, ordinal, edits }.go(0, &mut values);
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Deadlock
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.atoms[atom].is_true(&mut self.filled(row, 0))
    }

    /// Ids are the values themselves, so they stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    }

    fn view(&self, row: &[Id]) -> View {
        self.seen(&self.state(row))
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        let path = self.paths.get(usize::from(action.class()));
        path.map_or_else(|| "no step".to_string(), |path| path.name.clone())
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        let differs = |step, why: &str| Err(Mismatch { step, why: why.to_string() });
        if trail.rows.len() != trail.actions.len() + 1 {
            return differs(0, "a trail needs one state more than actions");
        }
        let mut now = self.state(&trail.rows[0]);
        if !self.instance.beginnings().iter().any(|turn| turn.after == now) {
            return differs(0, "the system does not begin in this state");
        }
        let start = self.seen(&now);
        let mut steps = Vec::new();
        for (i, (&action, row)) in trail.actions.iter().zip(&trail.rows[1..]).enumerate() {
            let Some(path) = self.paths.get(usize::from(action.class())) else {
                return differs(i + 1, "there is no such action");
            };
            let after = self.state(row);
            let fits = |turn: &&Turn| turn.ways == path.ways && turn.after == after;
            let turns = self.instance.turns(&now);
            let Some(turn) = turns.iter().find(fits) else {
                return differs(i + 1, "the action does not lead from the state before to this one");
            };
            let picks: Vec<String> =
                turn.picks.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let text = if picks.is_empty() {
                path.name.clone()
            } else {
                format!("{} ({})", path.name, picks.join(", "))
            };
            let events = vec![Event::Remark { text: text.clone() }];
            steps.push(watchkeeper_space::Step { action: text, at: None, events, after: self.seen(&after) });
            now = after;
        }
        Ok(Trace { processes: Vec::new(), start, opening: Vec::new(), steps, loops_to: None })
    }
}

impl Searched {
    fn seen(&self, state: &[i64]) -> View {
        let variables = self.instance.system().variables.iter().zip(state);
        variables
            .map(|(variable, value)| {
                let seen = match variable.sort {
                    Sort::Bool => Value::Bool(*value != 0),
                    Sort::Number if !variable.points.is_empty() => Value::str(variable.told(*value)),
                    Sort::Number => Value::Int(*value),
                    Sort::Set => {
                        let elements = (0..=LARGEST).filter(|element| value >> element & 1 == 1);
                        Value::set(elements.map(Value::Int))
                    }
                };
                (variable.name.clone(), seen)
            })
            .collect()
    }
}

fn assumptions(instance: &Instance) -> Vec<String> {
    let system = instance.system();
    let given = system.parameters.iter().zip(instance.parameters());
    let given: Vec<String> =
        given.map(|(parameter, value)| format!("{} = {value}", parameter.name)).collect();
    let mut all = vec![format!("The system is {} with {}.", system.name, given.join(", "))];
    all.extend(system.notes.iter().cloned());
    all
}

/// A system has more paths than a search can tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyPaths(pub usize);

impl std::fmt::Display for TooManyPaths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the steps have {} paths, and a search can tell {MOST_PATHS} apart: split the system",
            self.0
        )
    }
}

impl std::error::Error for TooManyPaths {}
