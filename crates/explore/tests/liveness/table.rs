//! A small space spelled out: a list of steps, and a bit for each atom of each state. It knows nothing of
//! engines, and executes a trail by looking each action up again.

use std::collections::BTreeMap;
use watchkeeper_space::{
    Action, ActionClass, ActionLabel, ActionLabels, Atom, AtomId, ClassId, Edit, Id, Mismatch, Narration,
    Pid, Role, Shape, Space, StatePath, Step, Stuck, Successors, Trace, Value, View,
};

/// A space as a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    pub shape: Shape,
    pub states: Vec<State>,
    pub steps: Vec<Line>,
}

/// One state.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct State {
    pub start: bool,
    /// A bit for each atom that holds here.
    pub atoms: u64,
    /// Time cannot pass here if nothing can happen.
    pub locked: bool,
    /// Time can pass here and changes nothing.
    pub idles: bool,
    /// Some step that leaves it lies beyond a cap.
    pub cut: bool,
}

/// One step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    pub from: usize,
    pub to: usize,
    pub class: ClassId,
    pub label: ActionLabel,
}

/// The class of this name is that of the steps in which time passes.
pub const TIME: &str = "tick";

impl Table {
    /// A space without steps, whose atoms are called by these letters.
    pub fn new(atoms: &str) -> Table {
        let atom = |letter: char| Atom { name: letter.to_string(), symmetric: false };
        let cap = watchkeeper_space::Cap::new("the end of the page");
        let shape = Shape {
            slots: vec!["state".into()],
            atoms: atoms.chars().map(atom).collect(),
            caps: vec![cap],
            ..Shape::default()
        };
        Table { shape, ..Table::default() }
    }

    /// The state of this number, which from now on exists.
    pub fn state(&mut self, number: usize) -> &mut State {
        let most = self.states.len().max(number + 1);
        self.states.resize(most, State::default());
        &mut self.states[number]
    }

    /// The class of this name. A fault's begins with `!`, that of what is owed with `$`.
    pub fn class(&mut self, name: &str) -> ClassId {
        if let Some(known) = self.shape.classes.iter().position(|class| class.name == name) {
            return known as ClassId;
        }
        let class = self.shape.classes.len() as ClassId;
        let role = if name.starts_with('!') { Role::Fault } else { Role::Other };
        self.shape.classes.push(ActionClass { name: name.into(), role });
        if name == TIME {
            self.shape.time = Some(class);
        }
        if name.starts_with('$') {
            self.shape.justice.push(class);
        }
        class
    }

    /// One more step.
    pub fn step(&mut self, from: usize, class: &str, label: ActionLabel, to: usize) {
        let class = self.class(class);
        self.state(from);
        self.state(to);
        self.steps.push(Line { from, to, class, label });
    }

    /// The space of a program: its states are found from the first one on, its moves are the name of a class,
    /// the process that moves and the state after it, and its atoms hold where their letters are told.
    pub fn program<S: Clone + Ord>(
        atoms: &str,
        first: S,
        moves: impl Fn(&S) -> Vec<(&'static str, usize, S)>,
        told: impl Fn(&S) -> String,
    ) -> Table {
        let mut table = Table::new(atoms);
        let (mut states, mut known) = (vec![first.clone()], BTreeMap::from([(first, 0)]));
        table.state(0).start = true;
        let mut at = 0;
        while at < states.len() {
            let state = states[at].clone();
            for letter in told(&state).chars() {
                let atom = atoms.find(letter).expect("a letter of an atom");
                table.state(at).atoms |= 1 << atom;
            }
            for (class, process, next) in moves(&state) {
                let to = *known.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() - 1
                });
                table.step(
                    at,
                    class,
                    ActionLabel { process: Some(Pid::at(process)), ..ActionLabel::default() },
                    to,
                );
            }
            at += 1;
        }
        table
    }

    /// The states that can be reached.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reached: Vec<bool> = self.states.iter().map(|state| state.start).collect();
        while let Some(step) = self.steps.iter().find(|step| reached[step.from] && !reached[step.to]) {
            reached[step.to] = true;
        }
        reached
    }

    /// Whether a run can stay in this state without a step.
    pub fn rests(&self, state: usize) -> bool {
        let State { cut, locked, idles, .. } = self.states[state];
        let moves = |step: &Line| {
            step.from == state && self.shape.classes[usize::from(step.class)].role != Role::Fault
        };
        let stuck = !cut && !self.steps.iter().any(moves);
        match self.shape.time {
            None => stuck,
            Some(_) => stuck && !locked || idles,
        }
    }
}

impl Space for Table {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        (0..self.states.len())
            .filter(|&state| self.states[state].start)
            .map(|state| vec![state as Id])
            .collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for (i, step) in self.steps.iter().enumerate().filter(|(_, step)| step.from == row[0] as usize) {
            let edits = [Edit::new(0, step.to as Id)];
            out.step(Action::new(step.class, i as u64), if step.to == step.from { &[] } else { &edits });
        }
        if self.states[row[0] as usize].cut {
            out.cut(0);
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        if self.states[row[0] as usize].locked { Stuck::Timelock } else { Stuck::Finished }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.states[row[0] as usize].atoms >> atom & 1 != 0
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }
}

impl Narration for Table {
    fn view(&self, row: &[Id]) -> View {
        vec![("state".into(), Value::Int(row[0].into()))]
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("step {}", action.code())
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let first = trail.rows.first().filter(|row| self.initial().contains(row));
        let mut row = first.ok_or(Mismatch { step: 0, why: "no initial state".into() })?.clone();
        let mut trace = Trace { start: self.view(&row), ..Trace::default() };
        for (i, &action) in trail.actions.iter().enumerate() {
            let here = |step: &&Line| step.from == row[0] as usize && step.class == action.class();
            let step = self.steps.get(action.code() as usize).filter(here);
            let step = step.ok_or(Mismatch { step: i + 1, why: "no such step here".into() })?;
            row = vec![step.to as Id];
            if trail.rows.get(i + 1) != Some(&row) {
                return Err(Mismatch { step: i + 1, why: "the trail has another state".into() });
            }
            let action = self.label(&row, action);
            trace.steps.push(Step { action, at: None, events: Vec::new(), after: self.view(&row) });
        }
        Ok(trace)
    }
}

impl ActionLabels for Table {
    fn action_label(&self, _: &[Id], action: Action) -> ActionLabel {
        self.steps[action.code() as usize].label
    }

    fn idles(&self, row: &[Id]) -> bool {
        self.states[row[0] as usize].idles
    }
}
