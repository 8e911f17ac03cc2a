//! Rows that one run of a space writes and another one reads, whose ids are others: in spaces around a space the same
//! states, and never a panic on damaged bytes.

use std::sync::Mutex;
use watchkeeper_explore::{
    Collapsed, Continuations, Monitored, PartsReader, PartsWriter, Retold, Symmetric, retold,
};
use watchkeeper_logic::{Guard, Monitor, MonitorEdge};
use watchkeeper_space::{
    Action, ActionClass, Atom, AtomId, Edit, FixedIds, Id, Mismatch, Narration, Parts, Role, Shape, Space,
    StatePath, Stuck, Successors, Symmetries, Trace, Value, View, successors,
};

/// The largest number on a bead.
const MOST: u32 = 4;

/// Numbers on a ring of beads, each counted up, which a run knows by the ids of its own; the last slot says which of two
/// necklaces it is, each with ids of its own.
struct Beads {
    shape: Shape,
    known: Mutex<[Vec<u32>; 2]>,
}

impl Beads {
    fn new(beads: usize) -> Beads {
        let class = ActionClass { name: "count".into(), role: Role::Other };
        let slots = (0..beads).map(|bead| format!("bead {bead}")).chain(["necklace".to_string()]).collect();
        let atoms = vec![Atom { name: "even".into(), symmetric: true }];
        let shape = Shape { slots, classes: vec![class], atoms, ..Shape::default() };
        Beads { shape, known: Mutex::default() }
    }

    /// The same, in a run that met the numbers the other way round.
    fn again(beads: usize) -> Beads {
        let again = Beads::new(beads);
        for number in (0..=MOST).rev() {
            again.id(0, number);
            again.id(1, number);
        }
        again
    }

    fn beads(&self) -> usize {
        self.shape.slots.len() - 1
    }

    fn id(&self, necklace: Id, number: u32) -> Id {
        let known = &mut self.known.lock().unwrap()[necklace as usize];
        let place = known.iter().position(|&other| other == number);
        place.unwrap_or_else(|| {
            known.push(number);
            known.len() - 1
        }) as Id
    }

    fn number(&self, necklace: Id, id: Id) -> u32 {
        self.known.lock().unwrap()[necklace as usize][id as usize]
    }

    fn numbers(&self, row: &[Id]) -> Vec<u32> {
        row[..self.beads()].iter().map(|&id| self.number(row[self.beads()], id)).collect()
    }
}

impl Space for Beads {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let row = |necklace: Id| {
            let mut row = vec![self.id(necklace, necklace); self.beads()];
            row.push(necklace);
            row
        };
        vec![row(0), row(1)]
    }

    /// A bead is counted up past its neighbour by one, or by two on the second necklace.
    fn expand(&self, row: &[Id], out: &mut Successors) {
        let (numbers, necklace) = (self.numbers(row), row[self.beads()]);
        for bead in 0..self.beads() {
            let (here, next) = (numbers[bead], numbers[(bead + 1) % self.beads()]);
            if here <= next && here + necklace < MOST {
                let id = self.id(necklace, here + 1 + necklace);
                out.step(Action::new(0, bead as u64), &[Edit::new(bead, id)]);
            }
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Finished
    }

    fn atom(&self, _: AtomId, row: &[Id]) -> bool {
        self.numbers(row).iter().sum::<u32>().is_multiple_of(2)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        out.extend(self.numbers(row).iter().map(|&number| number as u8));
        out.push(row[self.beads()] as u8);
    }

    fn symmetry(&self) -> Option<&dyn Symmetries> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Narration for Beads {
    fn view(&self, row: &[Id]) -> View {
        let numbers = self.numbers(row).into_iter().map(|number| Value::Int(number.into()));
        vec![("beads".into(), Value::List(numbers.collect()))]
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        action.code().to_string()
    }

    fn replay(&self, _: &StatePath) -> Result<Trace, Mismatch> {
        Ok(Trace::default())
    }
}

impl Symmetries for Beads {
    fn symmetries(&self) -> usize {
        self.beads()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        out.clear();
        out.extend_from_slice(row);
        out[..self.beads()].rotate_left(symmetry);
    }
}

impl Parts for Beads {
    fn table(&self, row: &[Id]) -> Id {
        row[self.beads()]
    }

    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        match slot == self.beads() {
            true => FixedIds.part(table, slot, id, out),
            false => out.push(self.number(table, id) as u8),
        }
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        if table > 1 || slot > self.beads() {
            return None;
        }
        if slot == self.beads() {
            return FixedIds::up_to(1, bytes).filter(|&necklace| necklace == table);
        }
        let &[number] = bytes else { return None };
        (u32::from(number) <= MOST + 1).then(|| self.id(table, number.into()))
    }
}

/// Notices when the sum is odd, and never forgets.
fn monitor() -> Monitor {
    let edge = |from, guard, to| MonitorEdge { from, guard, to };
    Monitor {
        name: "odd".into(),
        states: vec!["even so far".into(), "was odd".into(), "and even again".into()],
        edges: vec![edge(0, Guard::Atom(0).negated(), 1), edge(1, Guard::Atom(0), 2)],
        errors: vec![(2, "it came back".into())],
    }
}

fn told(here: &dyn Space, there: &dyn Space) -> Retold {
    let found = retold(here, there, 1500, (300, 7)).unwrap_or_else(|why| panic!("{why}"));
    assert!(found.states > 20 && found.renumbered * 4 > found.states, "{found:?}");
    assert!(found.refused > 20 && found.accepted > 100, "{found:?}");
    found
}

#[test]
fn a_space_with_ids_of_its_own() {
    told(&Beads::new(4), &Beads::again(4));
}

#[test]
fn beside_a_monitor() {
    let (here, there, monitor) = (Beads::new(4), Beads::again(4), monitor());
    told(&Monitored::new(&here, &monitor), &Monitored::new(&there, &monitor));
}

#[test]
fn up_to_renaming() {
    let (here, there) = (Beads::new(4), Beads::again(4));
    told(&Symmetric::new(&here), &Symmetric::new(&there));
}

#[test]
fn folded_with_all_that_may_be_below() {
    let (here, there, monitor) = (Beads::new(5), Beads::again(5), monitor());
    told(&Collapsed::new(&here), &Collapsed::new(&there));
    let (here, there) = (Monitored::new(&here, &monitor), Monitored::new(&there, &monitor));
    told(&Collapsed::new(&here), &Collapsed::new(&there));
    let (here, there) = (Symmetric::new(&here), Symmetric::new(&there));
    told(&Collapsed::new(&here), &Collapsed::new(&there));
}

#[test]
fn after_a_path() {
    let paths = [Beads::new(4), Beads::again(4)].map(|beads| {
        let mut path = StatePath { rows: vec![beads.initial()[0].clone()], actions: Vec::new() };
        for _ in 0..3 {
            let (action, row) = successors(&beads, &path.rows[path.rows.len() - 1]).remove(0);
            path.actions.push(action);
            path.rows.push(row);
        }
        (beads, path)
    });
    let [(here, first), (there, second)] = &paths;
    let (here, there) = (Continuations::new(here, first), Continuations::new(there, second));
    let found = retold(&here, &there, 1500, (300, 7)).unwrap_or_else(|why| panic!("{why}"));
    assert!(found.states > 20 && found.refused > 20, "{found:?}");
}

/// One orbit has one row in each run, and not the same one: whoever does not settle what it reads searches orbits twice.
#[test]
fn a_row_that_stands_for_its_renamings_is_chosen_anew() {
    let (here, there) = (Beads::new(3), Beads::again(3));
    let (here, there) = (Symmetric::new(&here), Symmetric::new(&there));
    let first = |space: &dyn Space| {
        let start = space.initial().into_iter().find(|row| row.ends_with(&[0])).unwrap();
        successors(space, &start)
    };
    let row = first(&here).remove(0).1;
    let (mut writer, mut reader, mut bytes) = (PartsWriter::new(), PartsReader::new(), Vec::new());
    let (tells, hears) = (here.parts().unwrap(), there.parts().unwrap());
    writer.describe(tells, &row, &mut bytes);
    reader.learn(hears, &bytes).unwrap();
    let by_slot: Vec<Id> =
        row.iter().enumerate().map(|(slot, &id)| reader.own_id(0, slot, id).unwrap()).collect();
    let mut read = row.clone();
    reader.translate(hears, &mut read).unwrap();
    assert_ne!(by_slot, read, "else this tests nothing");
    assert!(first(&there).iter().all(|(_, row)| *row == read));
    assert!(!reader.is_identity());
}
