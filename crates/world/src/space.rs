//! A world as an engine sees it.

use crate::World;
use crate::machine::Mode;
use std::sync::atomic::Ordering;
use watchkeeper_core::{Pack, Protocol, Trace, View};
use watchkeeper_space::{Action, AtomId, Id, Mismatch, Shape, Sink, Space, Stuck, Trail};

impl<P: Protocol> Space for World<P> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.starts.clone()
    }

    fn expand(&self, row: &[Id], sink: &mut impl Sink) {
        self.expand_row(row, sink);
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        let dead = |p: usize| self.machines[p].mode(row[p]) == Mode::Crashed;
        let over = self.overflow(row).is_some() || (0..self.scenario.n).all(dead);
        if over { Stuck::Finished } else { Stuck::Deadlock }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.holds(&self.tests[atom], row)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for (machine, &id) in self.machines.iter().zip(row) {
            out.extend_from_slice(&machine.locals.get(id).memo.packed);
        }
        for (at, lane) in self.lanes.iter().enumerate() {
            let (_, to, _) = self.routes.ends(at);
            let list = lane.arrivals(row[self.layout.lane(at)]);
            (list.len() as u64).pack(out);
            for &arrival in list {
                out.extend_from_slice(&self.machines[to.index()].arrivals.get(arrival).memo.packed);
            }
        }
        for count in &row[self.layout.lane(self.lanes.len())..] {
            count.pack(out);
        }
    }

    fn view(&self, row: &[Id]) -> View {
        let snapshot = self.snapshot(row).expect("an engine asks for rows of this world only");
        self.variables(&snapshot)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.described(row, action)
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        self.replayed(trail)
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.pressure(row)
    }

    fn symmetries(&self) -> usize {
        self.renamings().len()
    }

    fn renamed(&self, symmetry: usize, row: &[Id], out: &mut Vec<Id>) {
        self.rename_row(symmetry, row, out);
    }

    fn bytes(&self) -> usize {
        let machines: usize = self.machines.iter().map(|machine| machine.bytes()).sum();
        let lanes: usize = self.lanes.iter().map(|lane| lane.bytes()).sum();
        let renamings = self.renamings.get().map_or(0, |renamings| renamings.bytes());
        machines + lanes + renamings + self.outcomes.bytes() + self.heap.load(Ordering::Relaxed)
    }
}
