//! All local states of each process, numbered, with their steps in plain arrays. The closure goes over
//! every step that the automaton has, whatever the channels hold, and is done before a search begins: a
//! search then never hashes, allocates or locks in here.

use super::automaton::{ProcessModel, RingAction};
use super::channel::{MORTAL, PROCESSES, RingChannel};
use super::{Crash, FullChannel, RingCase};
use watchkeeper_core::{Pid, Value};
use watchkeeper_space::{Action, ClassId, Id};

/// The bit of [`Closed::facts`] that says that the process has crashed; the bits below are its suspects.
pub(super) const CRASHED: u8 = 1 << PROCESSES;

/// One process, closed under its steps. Local states have the numbers in which a breadth-first walk
/// from the initial one meets them, taking steps in the order of the automaton: the same in every run.
pub(super) struct Closed {
    /// Where the steps of each local state begin; one more entry ends the last.
    offsets: Vec<u32>,
    steps: Vec<ClosedStep>,
    labels: Vec<String>,
    actions: Vec<RingAction>,
    /// Whom the process suspects in each local state, and whether it has crashed.
    facts: Vec<u8>,
    views: Vec<Value>,
}

/// One step, ready to be taken: it looks at one slot of the row besides that of its process. Small, so that
/// all steps stay in the nearest cache, and all kinds alike, so that a processor has little to guess.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosedStep {
    next: u16,
    /// What must stand in the slot: from the one to the other.
    least: u16,
    most: u16,
    /// What stands in the slot if the channel is full and that is no reason to wait.
    full: u16,
    code: u16,
    slot: u8,
    class: ClassId,
    change: i8,
}

/// The local states of one process in the order of their numbers, and the steps of each.
struct Walk<L> {
    locals: Vec<L>,
    moves: Vec<Vec<(RingAction, u16)>>,
}

/// All processes, closed; `class` gives the class of a action.
pub(super) fn closures<A: ProcessModel>(
    automaton: &A,
    case: &RingCase,
    mut class: impl FnMut(RingAction) -> ClassId,
) -> [Closed; PROCESSES] {
    let walks = [0, 1, 2].map(|i| Walk::new(automaton, case, Pid::at(i)));
    let crashed = walks.each_ref().map(|walk| {
        let id = walk.locals.iter().position(|local| *local == automaton.crashed());
        id.map(|id| id as u16)
    });
    let mut me = Pid::all(PROCESSES);
    walks.map(|walk| {
        let me = me.next().expect("a walk for each process");
        let mut closed = Closed::begin();
        for (local, moves) in walk.locals.iter().zip(walk.moves) {
            for (number, (action, next)) in moves.into_iter().enumerate() {
                let step = ClosedStep {
                    next,
                    code: code(me, number),
                    class: class(action),
                    ..looks(action, case, crashed)
                };
                closed.steps.push(step);
                closed.labels.push(automaton.label(me, action));
                closed.actions.push(action);
            }
            closed.offsets.push(closed.steps.len() as u32);
            let fact = if *local == automaton.crashed() { CRASHED } else { 0 };
            closed.facts.push(automaton.suspects(local).bits() as u8 | fact);
            let variables = automaton.variables(me, local).into_iter();
            let record = variables.map(|(name, value)| (name.to_string(), value)).collect();
            closed.views.push(Value::Record(record));
        }
        closed
    })
}

impl<L: Clone + PartialEq> Walk<L> {
    fn new<A: ProcessModel<Local = L>>(automaton: &A, case: &RingCase, me: Pid) -> Walk<L> {
        let (mortal, crash) = (me == MORTAL, case.crash);
        let dead = mortal && crash == Crash::AtStart;
        let start = if dead { automaton.crashed() } else { automaton.initial(me) };
        let mut walk = Walk { locals: vec![start], moves: Vec::new() };
        while let Some(local) = walk.locals.get(walk.moves.len()).cloned() {
            let steps = automaton.steps(me, &local).into_iter();
            let mut moves: Vec<(RingAction, u16)> =
                steps.map(|step| (step.action, walk.number(step.next))).collect();
            if mortal && crash == Crash::AnyTime && automaton.can_crash(&local) {
                moves.push((RingAction::Crash, walk.number(automaton.crashed())));
            }
            walk.moves.push(moves);
        }
        walk
    }

    fn number(&mut self, local: L) -> u16 {
        let known = self.locals.iter().position(|other| *other == local);
        known.unwrap_or_else(|| {
            self.locals.push(local);
            self.locals.len() - 1
        }) as u16
    }
}

impl Closed {
    fn begin() -> Closed {
        let (steps, labels, actions) = (Vec::new(), Vec::new(), Vec::new());
        Closed { offsets: vec![0], steps, labels, actions, facts: Vec::new(), views: Vec::new() }
    }

    /// The number of local states.
    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    /// The steps of a local state.
    #[inline]
    pub(super) fn steps(&self, local: Id) -> &[ClosedStep] {
        &self.steps[self.range(local)]
    }

    /// A step of a local state as the source writes it.
    pub(super) fn label(&self, local: Id, step: usize) -> Option<&str> {
        self.labels[self.range(local)].get(step).map(String::as_str)
    }

    /// What a step of a local state does, and the step.
    pub(super) fn action(&self, local: Id, step: usize) -> Option<(RingAction, &ClosedStep)> {
        let action = self.actions[self.range(local)].get(step)?;
        Some((*action, &self.steps(local)[step]))
    }

    /// What its steps do, each thing once.
    pub(super) fn actions(&self) -> Vec<RingAction> {
        let mut all: Vec<RingAction> = Vec::new();
        for action in &self.actions {
            if !all.contains(action) {
                all.push(*action);
            }
        }
        all
    }

    /// Whom the process suspects, and whether it has crashed.
    #[inline]
    pub(super) fn facts(&self, local: Id) -> u8 {
        self.facts[local as usize]
    }

    /// The variables of the process.
    pub(super) fn view(&self, local: Id) -> &Value {
        &self.views[local as usize]
    }

    /// The bytes that a search reads.
    pub(super) fn bytes(&self) -> usize {
        self.offsets.len() * size_of::<u32>() + self.steps.len() * size_of::<ClosedStep>() + self.facts.len()
    }

    #[inline]
    fn range(&self, local: Id) -> std::ops::Range<usize> {
        let local = local as usize;
        self.offsets[local] as usize..self.offsets[local + 1] as usize
    }
}

impl ClosedStep {
    /// The local state after the step.
    #[inline]
    pub(super) fn next(&self) -> Id {
        Id::from(self.next)
    }

    /// The slot that the step looks at and may change.
    #[inline]
    pub(super) fn slot(&self) -> usize {
        usize::from(self.slot)
    }

    /// Whether the step is possible, given what stands in its slot.
    #[inline]
    pub(super) fn is_possible(&self, there: Id) -> bool {
        (Id::from(self.least)..=Id::from(self.most)).contains(&there)
    }

    /// Whether the step finds its channel full.
    #[inline]
    pub(super) fn finds_full(&self, there: Id) -> bool {
        there == Id::from(self.full)
    }

    /// What stands in the slot after the step.
    #[inline]
    pub(super) fn after(&self, there: Id) -> Id {
        there.wrapping_add_signed(i32::from(self.change))
    }

    /// The step by name.
    #[inline]
    pub(super) fn action(&self) -> Action {
        Action::new(self.class, u64::from(self.code))
    }
}

/// A step with only those fields set that say where a action looks and what it does there.
fn looks(action: RingAction, case: &RingCase, crashed: [Option<u16>; PROCESSES]) -> ClosedStep {
    let (any, room) = (u16::MAX, u16::from(case.buffer()));
    let of = |channel: RingChannel| (PROCESSES + channel.index()) as u8;
    let (slot, least, most, full, change) = match action {
        RingAction::Put(channel) if case.when_full == FullChannel::Block => {
            (of(channel), 0, room - 1, any, 1)
        }
        RingAction::Put(channel) => (of(channel), 0, any, room, 1),
        RingAction::Take(channel) => (of(channel), 1, any, any, -1),
        RingAction::Hand(channel) => {
            // A number that no local state has, where the receiver never crashes.
            let id = crashed[channel.to.index()].unwrap_or(any - 1);
            (channel.to.index() as u8, id, id, any, 0)
        }
        // Any channel will do: it stays as it is.
        _ => (PROCESSES as u8, 0, any, any, 0),
    };
    ClosedStep { next: 0, least, most, full, code: 0, slot, class: 0, change }
}

/// The code of an action: whose step it is, and which of its steps.
pub(super) fn code(me: Pid, step: usize) -> u16 {
    (step * PROCESSES + me.index()) as u16
}

/// Whose step a code means, and which of its steps.
pub(super) fn decoded(code: u64) -> (Pid, usize) {
    (Pid::at(code as usize % PROCESSES), code as usize / PROCESSES)
}
