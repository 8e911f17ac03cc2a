//! A space with zones that a person can count: some components, each at a location and with an interval of
//! integers, and a zone is the box of their intervals. Every step does to a larger box at least what it does
//! to a smaller one. Boxes are numbered as they come, so ids differ with the threads.
#![allow(dead_code)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use watchkeeper_space::{
    Action, ActionClass, Atom, AtomId, Edit, Id, Mismatch, Narration, Role, Shape, Space, StatePath, Step,
    Stuck, Successors, Symmetries, Trace, Value, View, Zones,
};

/// The first and the last integer of each component.
pub type Area = Vec<(i32, i32)>;

/// What a step does to an interval.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    Keep,
    Shift(i32),
    Reset(i32),
    Widen(i32),
    Up,
}

/// A step of one component.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: Id,
    /// Only these integers take the step.
    pub guard: (i32, i32),
    /// What happens to the interval of the component, after the guard.
    pub own: Move,
    /// What happens to the intervals of all others.
    pub others: Move,
    pub to: Id,
}

impl Edge {
    pub fn new(from: Id, guard: (i32, i32), own: Move, to: Id) -> Edge {
        Edge { from, guard, own, others: Move::Keep, to }
    }
}

pub struct Boxes {
    pub shape: Shape,
    pub components: usize,
    /// The greatest integer.
    pub most: i32,
    /// The boxes of the initial states; every component is at location 0.
    pub starts: Vec<Area>,
    pub edges: Vec<Edge>,
    /// Atom `i` is false where a component is at this location with one of these integers.
    pub bad: Vec<(Id, (i32, i32))>,
    pub outlined: bool,
    numbers: Mutex<(HashMap<Area, Id>, Vec<Area>)>,
}

impl Boxes {
    pub fn new(components: usize, most: i32, start: (i32, i32), edges: &[Edge]) -> Boxes {
        let class = |name: &str| ActionClass { name: name.into(), role: Role::Other };
        let mut slots: Vec<String> = (0..components).map(|i| format!("at{i}")).collect();
        slots.push("zone".into());
        let shape = Shape {
            slots,
            classes: vec![class("even"), class("odd")],
            zone: Some(components),
            ..Shape::default()
        };
        let (starts, numbers) = (vec![vec![start; components]], Mutex::default());
        let (edges, bad) = (edges.to_vec(), Vec::new());
        Boxes { shape, components, most, starts, edges, bad, outlined: true, numbers }
    }

    /// Edges drawn from a seed, and an atom for each location whose falsehood is to be there.
    pub fn random(components: usize, locations: u32, edges: usize, most: i32, seed: u64) -> Boxes {
        let mut dice = Dice(seed);
        let mut drawn = Vec::new();
        for _ in 0..edges {
            let (a, b) = (dice.below(most + 1), dice.below(most + 1));
            let others = if dice.below(3) == 0 { dice.a_move(most) } else { Move::Keep };
            let (from, to) = (dice.below(locations as i32) as Id, dice.below(locations as i32) as Id);
            drawn.push(Edge { from, guard: (a.min(b), a.max(b)), own: dice.a_move(most), others, to });
        }
        let start = dice.below(most);
        let mut boxes = Boxes::new(components, most, (start, start + 1), &drawn);
        for location in 0..locations {
            boxes = boxes.never(location, (0, most));
        }
        let narrow = dice.below(most + 1);
        boxes.never(dice.below(locations as i32) as Id, (narrow, narrow))
    }

    /// One more atom: no component is at this location with one of these integers.
    pub fn never(mut self, location: Id, at: (i32, i32)) -> Boxes {
        let name = format!("never {location} at {}..{}", at.0, at.1);
        self.shape.atoms.push(Atom { name, symmetric: true });
        self.bad.push((location, at));
        self
    }

    /// The same space with the zone in another slot.
    pub fn with_zone_in(mut self, slot: usize) -> Boxes {
        let name = self.shape.slots.remove(self.components);
        self.shape.slots.insert(slot, name);
        self.shape.zone = Some(slot);
        self
    }

    fn zone_slot(&self) -> usize {
        self.shape.zone.expect("boxes have zones")
    }

    fn slot(&self, component: usize) -> usize {
        component + usize::from(component >= self.zone_slot())
    }

    fn area(&self, zone: Id) -> Area {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).1[zone as usize].clone()
    }

    fn number(&self, area: Area) -> Id {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let (ids, areas) = &mut *numbers;
        *ids.entry(area.clone()).or_insert_with(|| {
            areas.push(area);
            areas.len() as Id - 1
        })
    }

    /// How many boxes have a number.
    pub fn numbered(&self) -> usize {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).1.len()
    }

    fn moved(&self, (first, last): (i32, i32), step: Move) -> (i32, i32) {
        match step {
            Move::Keep => (first, last),
            Move::Shift(by) => ((first + by).clamp(0, self.most), (last + by).clamp(0, self.most)),
            Move::Reset(to) => (to, to),
            Move::Widen(by) => ((first - by).max(0), (last + by).min(self.most)),
            Move::Up => (first, self.most),
        }
    }

    fn after(&self, row: &[Id], component: usize, edge: &Edge) -> Option<[Edit; 2]> {
        let slot = self.slot(component);
        if row[slot] != edge.from {
            return None;
        }
        let mut area = self.area(row[self.zone_slot()]);
        let (first, last) = area[component];
        let passed = (first.max(edge.guard.0), last.min(edge.guard.1));
        if passed.0 > passed.1 {
            return None;
        }
        for (i, interval) in area.iter_mut().enumerate() {
            *interval = if i == component {
                self.moved(passed, edge.own)
            } else {
                self.moved(*interval, edge.others)
            };
        }
        Some([Edit::new(slot, edge.to), Edit::new(self.zone_slot(), self.number(area))])
    }

    fn locations<'r>(&'r self, row: &'r [Id]) -> impl Iterator<Item = Id> + 'r {
        (0..self.components).map(|component| row[self.slot(component)])
    }
}

impl Space for Boxes {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let row = |area: &Area| {
            let mut row = vec![0; self.components + 1];
            row[self.zone_slot()] = self.number(area.clone());
            row
        };
        self.starts.iter().map(row).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        for component in 0..self.components {
            for (i, edge) in self.edges.iter().enumerate() {
                if let Some(edits) = self.after(row, component, edge) {
                    let code = component * self.edges.len() + i;
                    out.step(Action::new((i % 2) as u8, code as u64), &edits);
                }
            }
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        match self.locations(row).sum::<Id>() % 3 {
            0 => Stuck::Finished,
            1 => Stuck::Timelock,
            _ => Stuck::Deadlock,
        }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let (location, (first, last)) = self.bad[atom];
        let area = self.area(row[self.zone_slot()]);
        let mut components = self.locations(row).zip(area);
        !components.any(|(at, interval)| at == location && interval.0 <= last && interval.1 >= first)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.locations(row).for_each(|at| out.extend_from_slice(&at.to_be_bytes()));
        for (first, last) in self.area(row[self.zone_slot()]) {
            out.extend_from_slice(&first.to_be_bytes());
            out.extend_from_slice(&last.to_be_bytes());
        }
    }

    fn symmetry(&self) -> Option<&dyn Symmetries> {
        Some(self)
    }

    fn zones(&self) -> Option<&dyn Zones> {
        Some(self)
    }
}

impl Narration for Boxes {
    fn view(&self, row: &[Id]) -> View {
        let area = self.area(row[self.zone_slot()]);
        let shown = self.locations(row).zip(area).enumerate().map(|(i, (at, (first, last)))| {
            (format!("c{i}"), Value::str(format!("at {at} in {first}..{last}")))
        });
        shown.collect()
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        format!("edge {}", action.code())
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let mut row = trail.rows[0].clone();
        let mut trace = Trace { start: self.view(&row), ..Trace::default() };
        for (i, action) in trail.actions.iter().enumerate() {
            let wrong = |why: &str| Mismatch { step: i + 1, why: why.to_string() };
            let code = action.code() as usize;
            let edge = &self.edges[code % self.edges.len()];
            let edits = self.after(&row, code / self.edges.len(), edge).ok_or(wrong("no such step"))?;
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

impl Symmetries for Boxes {
    fn symmetries(&self) -> usize {
        (1..=self.components).product()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        let (mut left, mut code) = ((0..self.components).collect::<Vec<_>>(), symmetry);
        let area = self.area(row[self.zone_slot()]);
        let mut renamed = Vec::new();
        out.clear();
        out.extend_from_slice(row);
        for component in 0..self.components {
            let old = left.remove(code % left.len());
            code /= left.len() + 1;
            out[self.slot(component)] = row[self.slot(old)];
            renamed.push(area[old]);
        }
        out[self.zone_slot()] = self.number(renamed);
    }
}

impl Zones for Boxes {
    fn includes(&self, large: Id, small: Id) -> bool {
        let (large, small) = (self.area(large), self.area(small));
        large.iter().zip(&small).all(|(large, small)| large.0 <= small.0 && large.1 >= small.1)
    }

    fn extent(&self, zone: Id) -> i64 {
        self.area(zone).iter().map(|(first, last)| i64::from(last - first)).sum()
    }

    fn outline(&self, zone: Id) -> u64 {
        let bounds = self.area(zone).into_iter().flat_map(|(first, last)| [self.most - first, last]);
        if self.outlined { bounds.fold(0, |word, size| word << 8 | size as u64) } else { 0 }
    }
}

/// Random enough here, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: i32) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.0 ^= self.0 >> 32;
        ((self.0 >> 8) % bound as u64) as i32
    }

    fn a_move(&mut self, most: i32) -> Move {
        match self.below(6) {
            0 => Move::Keep,
            1 => Move::Reset(self.below(most + 1)),
            2 => Move::Widen(1),
            3 => Move::Up,
            by => Move::Shift(if by == 4 { 1 } else { -2 }),
        }
    }
}
