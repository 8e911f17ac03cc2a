//! The timed model as a space. A row has four slots for each process, the channels, and the list G; time
//! passes in whole units, and a unit passes for all or not at all.

use super::message::{Deed, MORTAL, PROCESSES};
use super::replay::replay;
use super::state::{Layout, SLOTS, State};
use super::steps::{answer_is_blocked, can_act, steps, tick};
use super::view::view;
use super::{Case, Clock, Growth, Order, Variant};
use crate::ring::Crash;
use watchkeeper_core::{Pid, View};
use watchkeeper_space::{
    Action, Atom, AtomId, Edit, Id, Mismatch, Shape, Sink, Space, Stuck, Trace, Trail,
};

/// The space of a [`Case`].
pub struct TimedRing {
    case: Case,
    layout: Layout,
    shape: Shape,
    atoms: Vec<Fact>,
}

/// What an atom says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    Crashed(Pid),
    Suspects(Pid, Pid),
    InGlobal(Pid),
    /// The timeout of one process for another is maxDelta.
    DeltaIsMax(Pid, Pid),
    /// It is more.
    DeltaIsOver(Pid, Pid),
    /// p0 and p2 do not wait for each other as in figure 6.13.
    NoMutualBlock,
    CanAct,
}

impl TimedRing {
    pub(super) fn new(case: Case) -> TimedRing {
        let (names, atoms): (Vec<String>, Vec<Fact>) = facts().into_iter().unzip();
        let shape = Shape {
            slots: Layout::slots(&case),
            classes: Deed::classes(),
            atoms: names.into_iter().map(|name| Atom { name, symmetric: false }).collect(),
            faults_are_progress: true,
            zone: None,
            caps: Vec::new(),
            assumptions: assumptions(&case),
        };
        TimedRing { case, layout: Layout::new(&case), shape, atoms }
    }

    /// The case that this is the space of.
    pub fn case(&self) -> &Case {
        &self.case
    }

    fn emit(&self, row: &[Id], me: Pid, deed: Deed, after: &State, sink: &mut impl Sink) {
        let mut edits = [Edit::new(0, 0); SLOTS];
        let mut count = 0;
        for (slot, (&was, id)) in row.iter().zip(self.layout.row(after)).enumerate() {
            if was != id {
                edits[count] = Edit::new(slot, id);
                count += 1;
            }
        }
        sink.step(Action::new(deed.class() as u8, deed.code(me)), &edits[..count]);
    }
}

impl Space for TimedRing {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let state = State::initial(self.case.crash() == Crash::AtStart);
        vec![self.layout.row(&state).to_vec()]
    }

    /// A unit of time that changes nothing is no step: in such a state time may pass for ever, and if nothing
    /// else is possible, that is a deadlock.
    fn expand(&self, row: &[Id], sink: &mut impl Sink) {
        let state = self.layout.state(row);
        steps(&self.case, &state, |me, deed, after| self.emit(row, me, deed, after, sink));
        if let Some(after) = tick(&self.case, &state).filter(|after| *after != state) {
            self.emit(row, Pid::at(0), Deed::Tick, &after, sink);
        }
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        match tick(&self.case, &self.layout.state(row)) {
            None => Stuck::Timelock,
            Some(_) => Stuck::Deadlock,
        }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let state = self.layout.state(row);
        let process = |p: Pid| &state.processes[p.index()];
        match self.atoms[atom] {
            Fact::Crashed(p) => process(p).is_crashed(),
            Fact::Suspects(p, q) => process(p).suspects(p).contains(q),
            Fact::InGlobal(p) => state.global.contains(p),
            Fact::DeltaIsMax(p, q) => process(p).delta(p, q) == self.case.max_delta(),
            Fact::DeltaIsOver(p, q) => process(p).delta(p, q) > self.case.max_delta(),
            Fact::NoMutualBlock => {
                ![Pid::at(0), Pid::at(2)].iter().all(|&p| answer_is_blocked(&self.case, &state, p))
            }
            Fact::CanAct => can_act(&self.case, &state),
        }
    }

    /// Ids are the same in every run, so they stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for &id in row {
            out.extend_from_slice(&(id as u32).to_be_bytes());
        }
    }

    fn view(&self, row: &[Id]) -> View {
        view(&self.case, &self.layout.state(row))
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        let mut label = Deed::Tick.label(Pid::at(0));
        steps(&self.case, &self.layout.state(row), |me, deed, _| {
            if deed.code(me) == action.code() {
                label = deed.label(me);
            }
        });
        label
    }

    fn replay(&self, trail: &Trail) -> Result<Trace, Mismatch> {
        replay(&self.case, trail)
    }
}

fn facts() -> Vec<(String, Fact)> {
    let mut found = vec![(format!("crashed({MORTAL})"), Fact::Crashed(MORTAL))];
    for p in Pid::all(PROCESSES) {
        for q in Pid::all(PROCESSES).filter(|&q| q != p) {
            found.push((format!("suspects({p},{q})"), Fact::Suspects(p, q)));
            found.push((format!("delta-is-max({p},{q})"), Fact::DeltaIsMax(p, q)));
            found.push((format!("delta-is-over({p},{q})"), Fact::DeltaIsOver(p, q)));
        }
        found.push((format!("in-G({p})"), Fact::InGlobal(p)));
    }
    found.push(("no-mutual-block".to_string(), Fact::NoMutualBlock));
    found.push(("can-act".to_string(), Fact::CanAct));
    found
}

fn assumptions(case: &Case) -> Vec<String> {
    Vec::new()
}
