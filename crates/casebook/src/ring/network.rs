//! Three closed automata and their channels as a space. A row has the local state of each process, the
//! number of messages in each channel, and, where a full channel reports, whether one has. Successors are
//! array look-ups: nothing is hashed, allocated or locked while a search runs.

use super::automaton::{ProcessModel, RingAction};
use super::channel::{MORTAL, PROCESSES, RingChannel, others};
use super::closure::{CRASHED, Closed, ClosedStep, closures, decoded};
use super::csp::Csp;
use super::naive::NaiveRing;
use super::process_algebra::ProcessAlgebra;
use super::replay::Replay;
use super::tasks::{Grain, Tasks};
use super::{Crash, FullChannel, RingCase, RingModel};
use watchkeeper_core::{Pid, Value, View};
use watchkeeper_space::{
    Action, ActionClass, ActionLabels, Atom, AtomId, ClassId, DataLabels, Edit, FixedIds, Id, Mismatch,
    Narration, Parts, Role, Shape, Space, StatePath, Stuck, Successors, Trace,
};

/// The slot that says whether a channel has reported an error; only there if channels report.
pub(super) const ERROR: usize = PROCESSES + RingChannel::COUNT;

/// The space of a [`RingCase`].
pub struct RingNetwork {
    case: RingCase,
    shape: Shape,
    pub(super) processes: [Closed; PROCESSES],
    /// What each atom asks: a bit of the facts of one process, or else that no channel has overflowed.
    atoms: Vec<Option<(usize, u8)>>,
    /// The class that is counted when a message finds its channel full.
    full: ClassId,
    replay: Box<dyn Replay>,
}

impl RingNetwork {
    /// The space of a case.
    pub(super) fn new(case: RingCase) -> RingNetwork {
        match case.model {
            RingModel::ProcessAlgebra => RingNetwork::of(ProcessAlgebra, case),
            RingModel::Csp => RingNetwork::of(Csp, case),
            RingModel::Tasks => RingNetwork::of(Tasks { grain: Grain::Edge }, case),
            RingModel::TasksAtomic => RingNetwork::of(Tasks { grain: Grain::Atomic }, case),
        }
    }

    /// The case that this is the space of.
    pub fn case(&self) -> &RingCase {
        &self.case
    }

    /// The numbers of local states of the three processes: what their automata reach if channels always
    /// offer everything.
    pub fn local_states(&self) -> [usize; 3] {
        [self.processes[0].len(), self.processes[1].len(), self.processes[2].len()]
    }

    fn of<A: ProcessModel + 'static>(automaton: A, case: RingCase) -> RingNetwork {
        let mut classes: Vec<ActionClass> = Vec::new();
        let processes = closures(&automaton, &case, |action| {
            let class = class(action);
            let known = classes.iter().position(|other| *other == class);
            known.unwrap_or_else(|| {
                classes.push(class);
                classes.len() - 1
            }) as ClassId
        });
        let full = classes.len() as ClassId;
        match case.when_full {
            FullChannel::Block => {}
            FullChannel::Report => classes.push(ActionClass { name: "overflow".into(), role: Role::Other }),
            FullChannel::Ignore => {
                classes.push(ActionClass { name: "ignored (full)".into(), role: Role::Other })
            }
        }
        let (names, atoms) = atoms().into_iter().unzip();
        let locals: Vec<String> = processes.iter().map(|process| process.len().to_string()).collect();
        let shape = Shape {
            faults_are_progress: true,
            slots: slots(&case),
            classes,
            atoms: names,
            assumptions: assumptions(&case, automaton.after_crash(), &locals),
            ..Shape::default()
        };
        let replay = Box::new(NaiveRing::new(automaton, case));
        RingNetwork { case, shape, processes, atoms, full, replay }
    }

    fn reports(&self) -> bool {
        self.case.when_full == FullChannel::Report
    }

    /// A message finds its channel full.
    #[inline]
    fn overfull(&self, step: &ClosedStep, there: Id, moved: Edit, out: &mut Successors) {
        match self.case.when_full {
            FullChannel::Block => return,
            FullChannel::Report => out.step(step.action(), &[moved, Edit::new(ERROR, 1)]),
            FullChannel::Ignore => out.step(step.action(), &[moved, Edit::new(step.slot(), there)]),
        }
        out.tally(self.full);
    }
}

impl Space for RingNetwork {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        vec![vec![0; self.shape.slots.len()]]
    }

    #[inline]
    fn expand(&self, row: &[Id], out: &mut Successors) {
        if self.reports() && row[ERROR] != 0 {
            return;
        }
        for (slot, process) in self.processes.iter().enumerate() {
            for step in process.steps(row[slot]) {
                let there = row[step.slot()];
                if !step.is_possible(there) {
                    continue;
                }
                let moved = Edit::new(slot, step.next());
                if step.finds_full(there) {
                    self.overfull(step, there, moved, out);
                } else {
                    // A step without a channel names one too and leaves it as it is: two edits, always.
                    out.step(step.action(), &[moved, Edit::new(step.slot(), step.after(there))]);
                }
            }
        }
    }

    /// Only one process can crash, so a row without successors is a deadlock, unless a channel reported.
    fn stuck(&self, row: &[Id]) -> Stuck {
        if self.reports() && row[ERROR] != 0 { Stuck::Finished } else { Stuck::Deadlock }
    }

    #[inline]
    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        match self.atoms[atom] {
            Some((slot, bit)) => self.processes[slot].facts(row[slot]) & bit != 0,
            None => !self.reports() || row[ERROR] == 0,
        }
    }

    /// Local states are numbered alike in every run, so the ids themselves stand for the row.
    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        for &id in row {
            out.extend_from_slice(&(id as u16).to_be_bytes());
        }
    }

    /// The way to a full channel leads through full channels.
    fn guide(&self, row: &[Id]) -> u32 {
        row[PROCESSES..ERROR].iter().sum()
    }

    fn bytes(&self) -> usize {
        self.processes.iter().map(Closed::bytes).sum()
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

impl Parts for RingNetwork {
    fn part(&self, table: Id, slot: usize, id: Id, out: &mut Vec<u8>) {
        FixedIds.part(table, slot, id, out);
    }

    fn part_id(&self, _: Id, slot: usize, bytes: &[u8]) -> Option<Id> {
        let most = match self.processes.get(slot) {
            Some(process) => process.len() as Id - 1,
            None if slot < ERROR => Id::from(self.case.buffer()),
            None => 1,
        };
        FixedIds::up_to(most, bytes).filter(|_| slot < self.shape.slots.len())
    }
}

impl Narration for RingNetwork {
    fn view(&self, row: &[Id]) -> View {
        let locals = (0..PROCESSES).map(|i| self.processes[i].view(row[i]).clone());
        let overflow = self.reports().then(|| row[ERROR] != 0);
        view(locals, &row[PROCESSES..ERROR], overflow)
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        let (me, step) = decoded(action.code());
        let label = self.processes[me.index()].label(row[me.index()], step);
        label.map_or_else(|| format!("no step of {me}"), str::to_string)
    }

    fn replay(&self, path: &StatePath) -> Result<Trace, Mismatch> {
        self.replay.replay(&self.shape, path)
    }
}

/// A state as variables: the processes, the channels that are not empty, and whether one has reported.
pub(super) fn view(locals: impl Iterator<Item = Value>, messages: &[Id], overflow: Option<bool>) -> View {
    let mut view: View = locals.enumerate().map(|(i, local)| (Pid::at(i).to_string(), local)).collect();
    let held = RingChannel::all().zip(messages).filter(|(_, count)| **count > 0).map(|(channel, count)| {
        Value::Record(vec![
            ("message".into(), Value::str(channel.message.name())),
            ("from".into(), Value::str(channel.from.to_string())),
            ("to".into(), Value::str(channel.to.to_string())),
            ("count".into(), Value::Int(i64::from(*count))),
        ])
    });
    view.push(("channels".into(), Value::List(held.collect())));
    view.extend(overflow.map(|overflow| ("overflow".to_string(), Value::Bool(overflow))));
    view
}

/// The class of a action.
pub(super) fn class(action: RingAction) -> ActionClass {
    let (name, role) = match action {
        RingAction::Put(channel) => (format!("put {}", channel.message.name()), Role::Other),
        RingAction::Hand(channel) => (format!("hand {} to crashed", channel.message.name()), Role::Other),
        RingAction::Take(channel) => (format!("take {}", channel.message.name()), Role::Message),
        RingAction::Suspect(_) => ("suspect".to_string(), Role::Other),
        RingAction::Trust(_) => ("stop suspecting".to_string(), Role::Other),
        RingAction::ReplyReceived(_) => ("reply received".to_string(), Role::Other),
        RingAction::Discard(_) => ("discard".to_string(), Role::Other),
        RingAction::Proceed(_) => ("proceed".to_string(), Role::Other),
        RingAction::Crash => ("crash".to_string(), Role::Fault),
    };
    ActionClass { name, role }
}

fn slots(case: &RingCase) -> Vec<String> {
    let processes = Pid::all(PROCESSES).map(|p| p.to_string());
    let error = (case.when_full == FullChannel::Report).then(|| "overflow".to_string());
    processes.chain(RingChannel::all().map(RingChannel::name)).chain(error).collect()
}

/// The atoms, with the process and the bit that each asks for.
fn atoms() -> Vec<(Atom, Option<(usize, u8)>)> {
    let atom = |name: String| Atom { name, symmetric: false };
    let mut atoms = vec![(atom(format!("crashed({MORTAL})")), Some((MORTAL.index(), CRASHED)))];
    for p in Pid::all(PROCESSES) {
        let suspects = |q: Pid| (atom(format!("suspects({p},{q})")), Some((p.index(), 1 << q.index())));
        atoms.extend(others(p).map(suspects));
    }
    atoms.push((atom("within-capacity".to_string()), None));
    atoms
}

fn assumptions(case: &RingCase, after_crash: &str, locals: &[String]) -> Vec<String> {
    let text = match case.model {
        RingModel::ProcessAlgebra => "the mCRL2 specification (thesis, D.1)",
        RingModel::Csp => "the FDR2 specification (thesis, D.2)",
        RingModel::Tasks => "the UPPAAL automata, every edge one step (thesis, figures 6.6 to 6.8)",
        RingModel::TasksAtomic => {
            "the UPPAAL automata, in atomic sections (after figures 6.6 to 6.8 of the thesis)"
        }
    };
    let crash = match case.crash {
        Crash::Never => "nobody crashes",
        Crash::AnyTime => "p1 may crash at any time",
        Crash::AtStart => "p1 has crashed before the first step",
    };
    let full = match case.when_full {
        FullChannel::Block => "its sender waits for room",
        FullChannel::Report => "the channel reports an error and the run ends",
        FullChannel::Ignore => "the message is ignored",
    };
    let buffer = case.buffer();
    let messages = if buffer == 1 { "message" } else { "messages" };
    let mut found = vec![
        format!("The model is {text}: three processes in a ring, and {crash}."),
        format!("The processes have {} local states.", locals.join(", ")),
        format!(
            "Each ordered pair and kind of message has a channel of {buffer} {messages}, in any order; if it \
             is full, {full}."
        ),
    ];
    if case.crash != Crash::Never {
        found.push(after_crash.to_string());
    }
    found.push("Untimed: a timeout may come at any moment.".to_string());
    found
}
