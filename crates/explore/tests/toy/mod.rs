//! A space whose steps are drawn from a hash of the row: any size, any branching, no structure that an
//! engine could lean on, and the same every time.
#![allow(dead_code)]

use watchkeeper_space::{
    Action, ActionClass, Atom, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Step,
    Stuck, Successors, Trace, Value, View,
};

pub struct Toy {
    pub shape: Shape,
    /// The number of different values in a slot.
    pub values: u64,
    /// What an id is multiplied with, to leave gaps and need wide fields.
    pub spread: Id,
    /// The number of steps that a row may have.
    pub ways: u64,
    pub seed: u64,
    /// Slots at the end of a row that never change and hold large ids.
    pub ballast: usize,
    /// The number of initial states, which count in the last slots.
    pub starts: u32,
    /// The atom is false in one of so many states.
    pub rare: u64,
}

const BALLAST: Id = 1 << 20;

impl Toy {
    pub fn new(slots: usize, values: u64, ways: u64, seed: u64) -> Toy {
        let class = |name: &str| ActionClass { name: name.into(), role: Role::Other };
        let shape = Shape {
            slots: (0..slots).map(|i| format!("s{i}")).collect(),
            classes: vec![class("even"), class("odd")],
            atoms: vec![Atom { name: "fine".into(), symmetric: false }],
            ..Shape::default()
        };
        Toy { shape, values, spread: 1, ways, seed, ballast: 0, starts: 1, rare: 5003 }
    }

    /// The same space with rows too long for any key.
    pub fn with_ballast(mut self, slots: usize) -> Toy {
        self.shape.slots.extend((0..slots).map(|i| format!("ballast{i}")));
        self.ballast = slots;
        self
    }

    fn draw(&self, row: &[Id], way: u64) -> u64 {
        let mut hash = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ way;
        for &id in &row[..row.len() - self.ballast] {
            hash = (hash ^ u64::from(id / self.spread)).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 33;
        }
        hash
    }

    fn edits(&self, row: &[Id], way: u64) -> Option<[Edit; 2]> {
        let hash = self.draw(row, way);
        if hash.is_multiple_of(5) {
            return None;
        }
        let live = row.len() - self.ballast;
        let slots = live as u64;
        let (a, b) = (hash >> 8 & 0xffff, hash >> 24 & 0xffff);
        let first = (a % slots) as usize;
        let second = (first + 1 + (b % (slots - 1)) as usize) % live;
        let value = |bits: u64| (bits % self.values) as Id * self.spread;
        Some([Edit::new(first, value(hash >> 40)), Edit::new(second, value(hash >> 50))])
    }
}

impl Space for Toy {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let mut row = vec![0; self.shape.slots.len() - self.ballast];
        row.resize(self.shape.slots.len(), BALLAST);
        let numbered = |i: Id| {
            let mut row = row.clone();
            row[0] = i % self.values as Id;
            row[1] = i / self.values as Id;
            row
        };
        (0..self.starts).map(numbered).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for way in 0..self.ways {
            if let Some(edits) = self.edits(row, way) {
                out.step(Action::new((way % 2) as u8, way), &edits);
            }
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        if self.draw(row, 999).is_multiple_of(2) { Stuck::Finished } else { Stuck::Deadlock }
    }

    fn atom(&self, _: AtomId, row: &[Id]) -> bool {
        !self.draw(row, 1000).is_multiple_of(self.rare)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        row.iter().for_each(|id| out.extend_from_slice(&id.to_be_bytes()));
    }

    fn guide(&self, row: &[Id]) -> u32 {
        row.iter().sum()
    }
}

impl Narration for Toy {
    fn view(&self, row: &[Id]) -> View {
        self.shape.slots.iter().zip(row).map(|(name, &id)| (name.clone(), Value::Int(id.into()))).collect()
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("way {}", action.code())
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let start = trail.rows.first().filter(|row| self.initial().contains(row));
        let mut row = start.ok_or(Mismatch { step: 0, why: "no initial state".into() })?.clone();
        let mut trace = Trace { start: self.view(&row), ..Trace::default() };
        for (i, action) in trail.actions.iter().enumerate() {
            let wrong = |why: &str| Mismatch { step: i + 1, why: why.to_string() };
            let edits = self.edits(&row, action.code()).ok_or(wrong("no such way"))?;
            edits.iter().for_each(|edit| row[edit.slot as usize] = edit.id);
            if row != trail.rows[i + 1] {
                return Err(wrong("another row"));
            }
            let action = self.label(&row, *action);
            trace.steps.push(Step { action, at: None, events: Vec::new(), after: self.view(&row) });
        }
        Ok(trace)
    }
}
