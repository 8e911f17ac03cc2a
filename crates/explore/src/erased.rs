//! A space behind a pointer. Engines are compiled once for it, and for a model only where speed is worth
//! another copy of the engine: the plain breadth-first search. Everything else takes this way, and a
//! user's crate stays quick to compile.

use watchkeeper_space::{
    Action, Asked, AtomId, ClassId, Doing, Edit, Given, Id, Mismatch, Refusal, Shape, Sink, Space, Stuck,
    Trace, Trail, View,
};

/// What a [`Space`] can do, for any kind of space.
trait AnySpace: Sync {
    fn shape(&self) -> &Shape;
    fn initial(&self) -> Vec<Vec<Id>>;
    fn expand(&self, row: &[Id], sink: &mut dyn Sink);
    fn admits(&self, asked: &Asked) -> Result<(), Refusal>;
    fn expand_some(&self, row: &[Id], asked: &Asked, sink: &mut dyn Sink) -> Given;
    fn stuck(&self, row: &[Id]) -> Stuck;
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool;
    fn pack(&self, row: &[Id], out: &mut Vec<u8>);
    fn view(&self, row: &[Id]) -> View;
    fn label(&self, row: &[Id], action: Action) -> String;
    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch>;
    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch>;
    fn doing(&self, row: &[Id], action: Action) -> Doing;
    fn idles(&self, row: &[Id]) -> bool;
    fn guide(&self, row: &[Id]) -> u32;
    fn symmetries(&self) -> usize;
    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>);
    fn least(&self, row: &[Id], out: &mut Vec<Id>);
    fn keeps_symmetry(&self) -> Result<(), String>;
    fn covers(&self, large: Id, small: Id) -> bool;
    fn extent(&self, zone: Id) -> i64;
    fn outline(&self, zone: Id) -> u64;
    fn bytes(&self) -> usize;
}

/// A sink behind a pointer, as a sink of its own.
struct Through<'a>(&'a mut dyn Sink);

impl Sink for Through<'_> {
    fn step(&mut self, action: Action, edits: &[Edit]) {
        self.0.step(action, edits);
    }

    fn tally(&mut self, class: ClassId) {
        self.0.tally(class);
    }

    fn cut(&mut self, cap: usize) {
        self.0.cut(cap);
    }
}

impl<S: Space> AnySpace for S {
    fn shape(&self) -> &Shape {
        Space::shape(self)
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        Space::initial(self)
    }

    fn expand(&self, row: &[Id], sink: &mut dyn Sink) {
        Space::expand(self, row, &mut Through(sink));
    }

    fn admits(&self, asked: &Asked) -> Result<(), Refusal> {
        Space::admits(self, asked)
    }

    fn expand_some(&self, row: &[Id], asked: &Asked, sink: &mut dyn Sink) -> Given {
        Space::expand_some(self, row, asked, &mut Through(sink))
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        Space::stuck(self, row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        Space::atom(self, atom, row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        Space::pack(self, row, out);
    }

    fn view(&self, row: &[Id]) -> View {
        Space::view(self, row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        Space::label(self, row, action)
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        Space::replay(self, trail)
    }

    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        Space::lift(self, path)
    }

    fn doing(&self, row: &[Id], action: Action) -> Doing {
        Space::doing(self, row, action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        Space::idles(self, row)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        Space::guide(self, row)
    }

    fn symmetries(&self) -> usize {
        Space::symmetries(self)
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        Space::renamed(self, symmetry, row, out);
    }

    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        Space::least(self, row, out);
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        Space::keeps_symmetry(self)
    }

    fn covers(&self, large: Id, small: Id) -> bool {
        Space::covers(self, large, small)
    }

    fn extent(&self, zone: Id) -> i64 {
        Space::extent(self, zone)
    }

    fn outline(&self, zone: Id) -> u64 {
        Space::outline(self, zone)
    }

    fn bytes(&self) -> usize {
        Space::bytes(self)
    }
}

/// Any space.
#[derive(Clone, Copy)]
pub(crate) struct Erased<'a>(&'a dyn AnySpace);

impl<'a> Erased<'a> {
    /// This space, and not a word about its kind.
    pub fn new<S: Space>(space: &'a S) -> Erased<'a> {
        Erased(space)
    }
}

impl Space for Erased<'_> {
    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.0.initial()
    }

    fn expand(&self, row: &[Id], sink: &mut impl Sink) {
        self.0.expand(row, sink);
    }

    fn admits(&self, asked: &Asked) -> Result<(), Refusal> {
        self.0.admits(asked)
    }

    fn expand_some(&self, row: &[Id], asked: &Asked, sink: &mut impl Sink) -> Given {
        self.0.expand_some(row, asked, sink)
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.0.stuck(row)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.0.atom(atom, row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        self.0.pack(row, out);
    }

    fn view(&self, row: &[Id]) -> View {
        self.0.view(row)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.0.label(row, action)
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        self.0.replay(trail)
    }

    fn lift(&self, path: &[Vec<Id>]) -> Result<Trail, Mismatch> {
        self.0.lift(path)
    }

    fn doing(&self, row: &[Id], action: Action) -> Doing {
        self.0.doing(row, action)
    }

    fn idles(&self, row: &[Id]) -> bool {
        self.0.idles(row)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.0.guide(row)
    }

    fn symmetries(&self) -> usize {
        self.0.symmetries()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        self.0.renamed(symmetry, row, out);
    }

    fn least(&self, row: &[Id], out: &mut Vec<Id>) {
        self.0.least(row, out);
    }

    fn keeps_symmetry(&self) -> Result<(), String> {
        self.0.keeps_symmetry()
    }

    fn covers(&self, large: Id, small: Id) -> bool {
        self.0.covers(large, small)
    }

    fn extent(&self, zone: Id) -> i64 {
        self.0.extent(zone)
    }

    fn outline(&self, zone: Id) -> u64 {
        self.0.outline(zone)
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
