//! What one search goes through: a world as it is, in stages, or one of several whose bounds nobody knows. It only
//! hands on what these are, so that whoever searches need not tell them apart.

use crate::subject::Subject;
use watchkeeper_core::{Trace, View};
use watchkeeper_space::{
    Action, Asked, AtomId, Doing, Given, Id, Mismatch, Refusal, Shape, Space, Stuck, Successors, Trail,
};
use watchkeeper_world::{InStages, World, Worlds};

/// A space of a subject.
pub(crate) enum Searched<S: Subject> {
    /// Every interleaving of a world.
    Whole(Box<World<S>>),
    /// Of all interleavings that no process can tell apart, one.
    InStages(Box<InStages<S>>),
    /// Every interleaving of worlds of which the adversary picks one.
    Family(Box<Worlds<S>>),
}

impl<S: Subject> Space for Searched<S> {
    fn shape(&self) -> &Shape {
        match self {
            Searched::Whole(space) => space.shape(),
            Searched::InStages(space) => space.shape(),
            Searched::Family(space) => space.shape(),
        }
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        match self {
            Searched::Whole(space) => space.initial(),
            Searched::InStages(space) => space.initial(),
            Searched::Family(space) => space.initial(),
        }
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        match self {
            Searched::Whole(space) => space.expand(row, out),
            Searched::InStages(space) => space.expand(row, out),
            Searched::Family(space) => space.expand(row, out),
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        match self {
            Searched::Whole(space) => space.stuck(row),
            Searched::InStages(space) => space.stuck(row),
            Searched::Family(space) => space.stuck(row),
        }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        match self {
            Searched::Whole(space) => space.atom(atom, row),
            Searched::InStages(space) => space.atom(atom, row),
            Searched::Family(space) => space.atom(atom, row),
        }
    }

    fn admits(&self, asked: &Asked) -> Result<(), Refusal> {
        match self {
            Searched::Whole(space) => space.admits(asked),
            Searched::InStages(space) => space.admits(asked),
            Searched::Family(space) => space.admits(asked),
        }
    }

    fn expand_some(&self, row: &[Id], asked: &Asked, out: &mut Successors) -> Given {
        match self {
            Searched::Whole(space) => space.expand_some(row, asked, out),
            Searched::InStages(space) => space.expand_some(row, asked, out),
            Searched::Family(space) => space.expand_some(row, asked, out),
        }
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        match self {
            Searched::Whole(space) => space.pack(row, out),
            Searched::InStages(space) => space.pack(row, out),
            Searched::Family(space) => space.pack(row, out),
        }
    }

    fn view(&self, row: &[Id]) -> View {
        match self {
            Searched::Whole(space) => space.view(row),
            Searched::InStages(space) => space.view(row),
            Searched::Family(space) => space.view(row),
        }
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        match self {
            Searched::Whole(space) => space.label(row, action),
            Searched::InStages(space) => space.label(row, action),
            Searched::Family(space) => space.label(row, action),
        }
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        match self {
            Searched::Whole(space) => space.replay(trail),
            Searched::InStages(space) => space.replay(trail),
            Searched::Family(space) => space.replay(trail),
        }
    }

    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        match self {
            Searched::Whole(space) => space.lift(path),
            Searched::InStages(space) => space.lift(path),
            Searched::Family(space) => space.lift(path),
        }
    }

    fn doing(&self, row: &[Id], action: Action) -> Doing {
        match self {
            Searched::Whole(space) => space.doing(row, action),
            Searched::InStages(space) => space.doing(row, action),
            Searched::Family(space) => space.doing(row, action),
        }
    }

    fn idles(&self, row: &[Id]) -> bool {
        match self {
            Searched::Whole(space) => space.idles(row),
            Searched::InStages(space) => space.idles(row),
            Searched::Family(space) => space.idles(row),
        }
    }

    fn guide(&self, row: &[Id]) -> u32 {
        match self {
            Searched::Whole(space) => space.guide(row),
            Searched::InStages(space) => space.guide(row),
            Searched::Family(space) => space.guide(row),
        }
    }

    fn symmetries(&self) -> usize {
        match self {
            Searched::Whole(space) => space.symmetries(),
            Searched::InStages(space) => space.symmetries(),
            Searched::Family(space) => space.symmetries(),
        }
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        match self {
            Searched::Whole(space) => space.renamed(symmetry, row, out),
            Searched::InStages(space) => space.renamed(symmetry, row, out),
            Searched::Family(space) => space.renamed(symmetry, row, out),
        }
    }

    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        match self {
            Searched::Whole(space) => space.least(row, out),
            Searched::InStages(space) => space.least(row, out),
            Searched::Family(space) => space.least(row, out),
        }
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        match self {
            Searched::Whole(space) => space.keeps_symmetry(),
            Searched::InStages(space) => space.keeps_symmetry(),
            Searched::Family(space) => space.keeps_symmetry(),
        }
    }

    fn covers(&self, large: Id, small: Id) -> bool {
        match self {
            Searched::Whole(space) => space.covers(large, small),
            Searched::InStages(space) => space.covers(large, small),
            Searched::Family(space) => space.covers(large, small),
        }
    }

    fn extent(&self, zone: Id) -> i64 {
        match self {
            Searched::Whole(space) => space.extent(zone),
            Searched::InStages(space) => space.extent(zone),
            Searched::Family(space) => space.extent(zone),
        }
    }

    fn outline(&self, zone: Id) -> u64 {
        match self {
            Searched::Whole(space) => space.outline(zone),
            Searched::InStages(space) => space.outline(zone),
            Searched::Family(space) => space.outline(zone),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Searched::Whole(space) => space.bytes(),
            Searched::InStages(space) => space.bytes(),
            Searched::Family(space) => space.bytes(),
        }
    }
}
