//! What tests of journals share: a space whose ids differ from run to run, a callback that interrupts a search, and what must
//! be the same in the end.
#![allow(dead_code)]

use crate::toy::Toy;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use watchkeeper_disk::ClaimedDirectory;
use watchkeeper_disk::testing::Scratch;
use watchkeeper_explore::{Checkpoints, Progress, ProgressCallback};
use watchkeeper_logic::{Invariant, Limit, Question, Verdict};
use watchkeeper_space::{
    Action, AtomId, Edit, Id, Mismatch, Narration, Parts, Shape, Space, StatePath, Stuck, Successors, Trace,
    View,
};

/// A toy whose contents have other ids in every run.
pub struct Renumbered {
    pub toy: Toy,
    pub salt: Id,
}

impl Renumbered {
    fn id(&self, slot: usize, id: Id) -> Id {
        id ^ (self.salt.wrapping_mul(slot as Id + 1) & 15)
    }

    fn row(&self, row: &[Id]) -> Vec<Id> {
        row.iter().enumerate().map(|(slot, &id)| self.id(slot, id)).collect()
    }
}

impl Space for Renumbered {
    fn shape(&self) -> &Shape {
        self.toy.shape()
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.toy.initial().iter().map(|row| self.row(row)).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let row = self.row(row);
        out.through(
            |out| self.toy.expand(&row, out),
            |out, action, edits| {
                let edit = |edit: &Edit| Edit { id: self.id(edit.slot as usize, edit.id), ..*edit };
                out.step(action, &edits.iter().map(edit).collect::<Vec<_>>());
            },
        );
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.toy.stuck(&self.row(row))
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.toy.atom(atom, &self.row(row))
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.toy.pack(&self.row(row), out);
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Parts for Renumbered {
    fn part(&self, _: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id(slot, id).to_le_bytes());
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        Some(self.id(slot, Id::from_le_bytes(bytes.try_into().ok()?)))
    }
}

impl Narration for Renumbered {
    fn view(&self, row: &[Id]) -> View {
        self.toy.view(&self.row(row))
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.toy.label(&self.row(row), action)
    }

    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        let rows = trail.rows.iter().map(|row| self.row(row)).collect();
        self.toy.replay(&StatePath { rows, actions: trail.actions.clone() })
    }
}

/// A callback that lets checkpoints be due at every so many looks, and ends or copies the search at one of them.
pub struct Trouble<'t> {
    pub due_every: u64,
    pub stop_at: u64,
    pub kill_at: u64,
    pub dir: &'t Path,
    pub killed: Mutex<Option<Scratch>>,
    pub looks: AtomicU64,
}

impl<'t> Trouble<'t> {
    pub fn new(dir: &'t Path, due_every: u64) -> Trouble<'t> {
        let (killed, looks) = (Mutex::default(), AtomicU64::new(0));
        Trouble { due_every, stop_at: u64::MAX, kill_at: u64::MAX, dir, killed, looks }
    }
}

impl ProgressCallback for Trouble<'_> {
    fn on_progress(&self, _: &Progress) -> ControlFlow<Limit> {
        let look = self.looks.fetch_add(1, Ordering::SeqCst) + 1;
        if look == self.kill_at {
            // While no thread writes, the files are what a kill would leave.
            *self.killed.lock().expect("no panic") = Some(Scratch::copy_of(self.dir));
        }
        if look >= self.stop_at { ControlFlow::Break(Limit::Interrupted) } else { ControlFlow::Continue(()) }
    }

    fn checkpoint_due(&self) -> bool {
        self.looks.load(Ordering::SeqCst).is_multiple_of(self.due_every)
    }
}

pub fn checkpoints(dir: &Path) -> Option<Arc<Checkpoints>> {
    let directory = ClaimedDirectory::claim(dir).expect("nobody else uses it");
    Some(Arc::new(Checkpoints::new(directory, "a test")))
}

/// What must be the same however often a search was interrupted.
pub fn figures(verdict: &Verdict) -> impl PartialEq + std::fmt::Debug + use<> {
    let stats = &verdict.stats;
    (
        (verdict.word(), verdict.property.clone(), verdict.warnings.clone(), verdict.coverage.clone()),
        (stats.distinct_states, stats.transitions, stats.level_sizes.clone(), stats.partial),
        verdict.trace().map(|trace| trace.steps.iter().map(|step| step.after.clone()).collect::<Vec<_>>()),
    )
}

pub fn toy(seed: u64) -> Toy {
    let mut toy = Toy::new(3, 6 + seed % 3, 2, seed);
    toy.starts = 1 + (seed % 3) as u32;
    toy.rare = [60, 5003][seed as usize % 2];
    toy
}

pub fn questions() -> Vec<Question> {
    let fine = Invariant { name: "fine".into(), when: None, then: 0 };
    vec![
        Question::default(),
        Question::no_deadlock(),
        Question { invariants: vec![fine], ..Question::default() },
    ]
}
