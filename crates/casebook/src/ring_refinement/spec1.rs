//! `Spec1` of the authors' FDR2 script (appendix B of the report, D.2 of the thesis): p0 may suspect p1 at any time
//! before p1 crashes, and so many times after that. Nothing else is said of the ring.

use super::visible::{atom, suspects};
use crate::labels::{RingDeed, ring_vocabulary};
use crate::published_ring::MORTAL;
use crate::replay::retell;
use watchkeeper_core::{Pid, Step, Trace, Value, View};
use watchkeeper_logic::Alphabet;
use watchkeeper_space::{
    Action, ActionClass, AtomId, DataLabel, DataLabels, Edit, FixedIds, Id, Mismatch, Narration, Parts, Role,
    Shape, Space, StatePath, Stuck, Successors, Vocabulary,
};

/// The one who suspects in the script.
const WATCHER: Pid = Pid::at(0);

const SUSPECT: u8 = 0;
const CRASH: u8 = 1;

/// The process. Its state is 0 before the crash, and one more than the number of suspicions since then.
pub struct Spec1 {
    shape: Shape,
    most: u32,
}

impl Spec1 {
    /// The number of suspicions after the crash that the script allows.
    pub const PRINTED: u32 = 2;

    /// The process that allows so many suspicions after the crash.
    pub fn new(most: u32) -> Spec1 {
        let class = |name: &str, role| ActionClass { name: name.to_string(), role };
        let shape = Shape {
            slots: vec!["Spec1".to_string()],
            classes: vec![class("suspect.0.1", Role::Other), class("crash.1", Role::Fault)],
            faults_are_progress: true,
            assumptions: vec![format!("p0 may suspect p1 at most {most} times after p1 has crashed")],
            ..Shape::default()
        };
        Spec1 { shape, most }
    }

    /// Its two events.
    pub fn alphabet(&self) -> Alphabet {
        Alphabet::new().class(SUSPECT, suspect()).class(CRASH, crash())
    }

    /// The same two events in a model of the ring; everything else is hidden, as in the script.
    pub fn hiding(ring: &impl Space) -> Alphabet {
        let shape = ring.shape();
        let crashed = atom(shape, &format!("crashed({MORTAL})"));
        Alphabet::new().rise(atom(shape, &suspects(WATCHER, MORTAL)), suspect()).rise(crashed, crash())
    }
}

fn suspect() -> String {
    format!("suspect({WATCHER},{MORTAL})")
}

fn crash() -> String {
    format!("crash({MORTAL})")
}

impl Space for Spec1 {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![0]]
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        match row[0] {
            0 => {
                out.step(Action::new(SUSPECT, 0), &[Edit::new(0, 0)]);
                out.step(Action::new(CRASH, 0), &[Edit::new(0, 1)]);
            }
            since if since <= self.most => out.step(Action::new(SUSPECT, 0), &[Edit::new(0, since + 1)]),
            _ => {}
        }
    }

    fn stuck(&self, _: &[Id]) -> Stuck {
        Stuck::Finished
    }

    fn atom(&self, _: AtomId, _: &[Id]) -> bool {
        false
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        out.extend_from_slice(&row[0].to_be_bytes());
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Parts for Spec1 {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        FixedIds.part(table, slot, id, out);
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        FixedIds::up_to(self.most.saturating_add(1), bytes).filter(|_| slot == 0)
    }
}

impl DataLabels for Spec1 {
    fn data_label(&self, _: &[Id], action: Action) -> DataLabel {
        let (suspect, crash) =
            (RingDeed::About("suspect", WATCHER, MORTAL), RingDeed::Alone("crash", MORTAL));
        let deed = if action.class() == SUSPECT { suspect } else { crash };
        DataLabel { actions: vec![deed.action()] }
    }

    fn vocabulary(&self) -> Vocabulary {
        ring_vocabulary([RingDeed::About("suspect", WATCHER, MORTAL), RingDeed::Alone("crash", MORTAL)])
    }

    fn any_of_several(&self) -> bool {
        true
    }
}

impl Narration for Spec1 {
    fn view(&self, row: &[Id]) -> View {
        vec![("Spec1".to_string(), Value::Int(row[0].into()))]
    }

    fn label(&self, _: &[Id], action: Action) -> String {
        self.shape.classes[usize::from(action.class())].name.clone()
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        // It may be told from any of its states on.
        let mut now = path.rows.first().map_or(0, |row| row[0]);
        let start = self.view(&[now]);
        let steps = retell(path, &[now], |action| {
            let label = self.label(&[now], action);
            now = match (now, action.class()) {
                (0, SUSPECT) => 0,
                (0, CRASH) => 1,
                (since, SUSPECT) if since <= self.most => since + 1,
                _ => return None,
            };
            let step = Step { action: label, at: None, events: Vec::new(), after: self.view(&[now]) };
            Some((vec![now], step))
        })?;
        Ok(Trace { start, steps, ..Trace::default() })
    }
}
