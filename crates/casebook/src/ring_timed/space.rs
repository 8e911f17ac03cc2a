//! The timed model as a space. A row has four slots for each process, the channels, and the list G; time
//! passes in whole units, and a unit passes for all or not at all.

use super::labels;
use super::message::{MORTAL, PROCESSES, TimedAction};
use super::replay::replay;
use super::state::{SLOTS, TimedLayout, TimedState};
use super::steps::{answer_is_blocked, can_act, steps, tick};
use super::view::view;
use super::{ClockReading, DeltaGrowth, MessageOrder, RingTimedCase, TimedVariant};
use crate::ring::Crash;
use watchkeeper_core::{Pid, View};
use watchkeeper_space::{
    Action, ActionLabels, Atom, AtomId, DataLabel, DataLabels, Edit, FixedIds, Id, Mismatch, Narration,
    Parts, Shape, Space, StatePath, Stuck, Successors, Trace, Vocabulary,
};
use watchkeeper_world::Simultaneous;

/// The space of a [`RingTimedCase`].
pub struct TimedRing {
    case: RingTimedCase,
    layout: TimedLayout,
    shape: Shape,
    atoms: Vec<Fact>,
}

/// What an atom says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fact {
    Crashed(Pid),
    Suspects(Pid, Pid),
    InGlobal(Pid),
    /// The timeout of the first for the second is less than maxDelta.
    BelowMaxDelta(Pid, Pid),
    /// It is at most maxDelta.
    WithinMaxDelta(Pid, Pid),
    /// p0 and p2 do not wait for each other as in figure 6.13.
    NoMutualBlock,
    /// Some process can act, now or later.
    CanAct,
}

impl TimedRing {
    pub(super) fn new(case: RingTimedCase) -> TimedRing {
        let (names, atoms): (Vec<String>, Vec<Fact>) = facts().into_iter().unzip();
        let shape = Shape {
            slots: TimedLayout::slots(&case),
            classes: TimedAction::classes(case.crash == Crash::AnyTime),
            atoms: names.into_iter().map(|name| Atom { name, symmetric: false }).collect(),
            faults_are_progress: true,
            time: Some(TimedAction::TICK),
            assumptions: assumptions(&case),
            ..Shape::default()
        };
        TimedRing { case, layout: TimedLayout::new(&case), shape, atoms }
    }

    /// The case that this is the space of.
    pub fn case(&self) -> &RingTimedCase {
        &self.case
    }

    fn emit(&self, row: &[Id], (me, action): (Pid, TimedAction), after: &TimedState, out: &mut Successors) {
        let mut edits = [Edit::new(0, 0); SLOTS];
        let mut count = 0;
        for (slot, (&was, id)) in row.iter().zip(self.layout.row(after)).enumerate() {
            if was != id {
                edits[count] = Edit::new(slot, id);
                count += 1;
            }
        }
        out.step(Action::new(action.class() as u8, action.code(me)), &edits[..count]);
    }
}

impl Space for TimedRing {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        let state = TimedState::initial(self.case.crash == Crash::AtStart);
        vec![self.layout.row(&state).to_vec()]
    }

    /// A unit of time that changes nothing is no step: in such a state time may pass for ever, and if nothing
    /// else is possible, that is a deadlock.
    fn expand(&self, row: &[Id], out: &mut Successors) {
        let state = self.layout.state(row);
        steps(&self.case, &state, |me, action, after| self.emit(row, (me, action), after, out));
        if let Some(after) = tick(&self.case, &state).filter(|after| *after != state) {
            self.emit(row, (Pid::at(0), TimedAction::Tick), &after, out);
        }
    }

    /// Without a step, either something is due that cannot be done, or time may pass for ever.
    fn stuck(&self, row: &[Id]) -> Stuck {
        match tick(&self.case, &self.layout.state(row)) {
            None => Stuck::Timelock,
            Some(_) => Stuck::Deadlock,
        }
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        let state = self.layout.state(row);
        let process = |p: Pid| &state.processes[p.index()];
        let max_delta = self.case.max_delta();
        match self.atoms[atom] {
            Fact::Crashed(p) => process(p).is_crashed(),
            Fact::Suspects(p, q) => process(p).suspects(p).contains(q),
            Fact::InGlobal(p) => state.global.contains(p),
            Fact::BelowMaxDelta(p, q) => process(p).delta(p, q) < max_delta,
            Fact::WithinMaxDelta(p, q) => process(p).delta(p, q) <= max_delta,
            Fact::NoMutualBlock => {
                ![Pid::at(0), Pid::at(2)].iter().all(|&p| answer_is_blocked(&self.case, &state, p))
            }
            Fact::CanAct => can_act(&self.case, &state),
        }
    }

    /// Ids are the same in every run, so they stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for &id in row {
            out.extend_from_slice(&id.to_be_bytes());
        }
    }

    /// The way to a block leads through full channels.
    fn guide(&self, row: &[Id]) -> u32 {
        let state = self.layout.state(row);
        state.channels.iter().map(|queue| queue.letters().len() as u32).sum()
    }

    fn action_labels(&self) -> Option<&dyn ActionLabels> {
        Some(self)
    }

    fn data_labels(&self) -> Option<&dyn DataLabels> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }
}

impl Parts for TimedRing {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        FixedIds.part(table, slot, id, out);
    }

    fn part_id(&self, table: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        FixedIds
            .part_id(table, slot, bytes)
            .filter(|&id| self.layout.may_hold(slot, id, self.case.capacity()))
    }

    fn settle(&self, row: &mut [Id]) -> bool {
        let state = self.layout.state(row);
        let runs = |me: Pid| state.processes[me.index()].is_possible(me);
        Pid::all(PROCESSES).all(runs) && self.layout.row(&state) == row
    }
}

impl Narration for TimedRing {
    fn view(&self, row: &[Id]) -> View {
        view(&self.case, &self.layout.state(row))
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        let mut label = None;
        steps(&self.case, &self.layout.state(row), |me, taken, _| {
            if taken.code(me) == action.code() {
                label = Some(taken.label(me));
            }
        });
        label.unwrap_or_else(|| TimedAction::Tick.label(Pid::at(0)))
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        replay(&self.case, path)
    }
}

impl DataLabels for TimedRing {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        let mut label = None;
        steps(&self.case, &self.layout.state(row), |me, taken, _| {
            if taken.code(me) == action.code() {
                label = Some(labels::label(me, taken));
            }
        });
        label.unwrap_or_else(|| labels::label(Pid::at(0), TimedAction::Tick))
    }

    fn vocabulary(&self) -> Vocabulary {
        labels::vocabulary(self.case.crash == Crash::AnyTime)
    }

    fn any_of_several(&self) -> bool {
        true
    }
}

impl ActionLabels for TimedRing {
    fn idles(&self, row: &[Id]) -> bool {
        let state = self.layout.state(row);
        tick(&self.case, &state) == Some(state)
    }
}

fn facts() -> Vec<(String, Fact)> {
    let mut found = vec![(format!("crashed({MORTAL})"), Fact::Crashed(MORTAL))];
    for p in Pid::all(PROCESSES) {
        for q in Pid::all(PROCESSES).filter(|&q| q != p) {
            found.push((format!("suspects({p},{q})"), Fact::Suspects(p, q)));
            found.push((format!("below-max-delta({p},{q})"), Fact::BelowMaxDelta(p, q)));
            found.push((format!("within-max-delta({p},{q})"), Fact::WithinMaxDelta(p, q)));
        }
        found.push((format!("in-G({p})"), Fact::InGlobal(p)));
    }
    found.push(("no-mutual-block".to_string(), Fact::NoMutualBlock));
    found.push(("can-act".to_string(), Fact::CanAct));
    found
}

fn assumptions(case: &RingTimedCase) -> Vec<String> {
    let variant = match case.variant {
        TimedVariant::WeakCompleteness => {
            "weak completeness (figures 6.6 to 6.8, with the delay of figure 6.9)"
        }
        TimedVariant::WeakAccuracy => "weak accuracy (figures 6.7 to 6.9), with p2 as the first candidate",
        TimedVariant::StrongAccuracy => "strong accuracy (section 6.3.3)",
        TimedVariant::StrongCompleteness => "strong completeness (section 6.3.4), with one list G for all",
    };
    let crash = match case.crash {
        Crash::Never => "nobody crashes",
        Crash::AnyTime => "p1 may crash at any time",
        Crash::AtStart => "p1 has crashed before the first step",
    };
    let (capacity, max_delta) = (case.capacity(), case.max_delta());
    let messages = if capacity == 1 { "message" } else { "messages" };
    let channels = match case.order {
        MessageOrder::Any => format!(
            "Each ordered pair and kind of message has a channel of {capacity} {messages}, in any order"
        ),
        MessageOrder::Fifo => format!("Each ordered pair has a queue of {capacity} {messages} of both kinds"),
    };
    let clock = match case.clock {
        ClockReading::EveryResend => {
            "the last question that was sent between the two, so that a resend puts off every deadline"
        }
        ClockReading::OldestUnanswered => "its own question, however often the question is repeated",
    };
    let growth = match case.growth {
        DeltaGrowth::ToMaxDelta => "up to maxDelta",
        DeltaGrowth::PastMaxDelta => "one unit past maxDelta and no further",
    };
    let moment = match case.simultaneous {
        Simultaneous::AnyOrder => {
            "Time is counted in ticks; all bounds are closed and what falls on the same moment comes in any \
             order, so dense time reaches the same states of tasks, lists and channels."
        }
        Simultaneous::DeliveriesFirst => {
            "Time is counted in ticks, and no timeout comes while something is due: dense time may reach more."
        }
    };
    vec![
        format!("The model is the task automata of the thesis for {variant}: three processes, and {crash}."),
        format!("{channels}; if there is no room, the sender waits and holds its mutex."),
        format!(
            "A message is taken, handled and answered within maxDelta = {max_delta}, counted from {clock}."
        ),
        format!("The first timeout is 1; where timeouts grow, they do so by 1, {growth}."),
        "Task1 may wait as long as it likes before it asks; noReply is left at once.".to_string(),
        moment.to_string(),
    ]
}
