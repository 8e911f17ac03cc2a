//! A world in stages: of a protocol whose steps are in closed stages ([`Staged`]) only the runs are searched in
//! which the stages come one after the other and, within a stage, the processes. Every other run is one of these
//! to the processes in it, so nothing is lost; and only a window of a few rounds is alive at a time, so that
//! rounds can be renumbered and are finitely many.
//!
//! # Which runs
//! A process is *due* if something must happen to it before it can be anywhere else than where it stands: a message
//! of its stage is there, a client wants to ask, or it waits for someone who has crashed, and whom its detector
//! will therefore suspect. The next step of a stage is taken by the process that is due and stands lowest, by stage
//! and then by id; until then those below it that are not due may be surprised by their detectors. So by the time that
//! one takes a step in a stage, nobody is due in an earlier one. Whoever stands in an earlier round then is left behind: it
//! takes no further part.
//!
//! # Why that is enough
//! Take any finite run, and leave out the steps in which messages are taken that belong to no stage: whoever takes one
//! takes part in nothing any more, so nobody misses them. Of the rest, a step taken in some stage
//! never comes to matter to one taken in the same or in an earlier stage by another process, since what it sends
//! is taken in later stages only. So the steps can be put in the order of (stage, process) without any
//! process noticing: each takes the same inputs in the same states as before. Where a process is due and takes no
//! further step in the run, steps are added that it could take; they only add messages, which nobody has to
//! take. So whatever processes are, send and announce in the stages of some run, they are, send and announce in one
//! of these. The messages that belong to no stage come at the end, in their order. They can come later than they did, to a
//! process that has gone on meanwhile; what they say was said in a stage by someone, who says it here as well. So a
//! disagreement of any two is a disagreement of two here, though they may be others.
//!
//! Crashes and suspicions are steps of the process that crashes or is told, and move with it. That is a run of the same
//! world again: an oracle may suspect whom it likes, but for one process that does not crash; whoever
//! waits for a process that has crashed is told in the end, and may be told when its stage has come. Where accuracy
//! comes eventually, it comes before some round in the reordered run as it does in the real one.
//! For the same reason nobody for whom someone left behind waits need crash any more: in the run in which it does, the
//! other is told, and goes on from where it stood. Worlds are refused whose oracle leaves everyone alone who has not
//! crashed: when a crash moves, it can come to stand behind its detection.
//!
//! For infinite runs: in a fair run all processes that stand still for ever are not due, so
//! reordering leaves them where they are. If someone correct takes a message that belongs to no stage, and the
//! protocol passes it on to all, then all correct processes take one. Otherwise nobody correct ever does, and all of
//! its steps are in stages. Either way the run is fair and ends for each process as it did. One thing more is supposed where
//! a crash may take messages along: a message that is lost long after it was sent, because its sender crashes only then, is
//! taken here in its stage, or its sender suspected. So nobody may wait for a message of one process that can still crash
//! without looking at its detector, unless it can do with those of others: in consensus, a majority of correct ones.
//!
//! # What may be asked
//! What each process announces and decides, in itself and compared with others, and what becomes of each in the end. Not what
//! happens to one process before something else happens to another: the order between them is what is left out. So
//! `admits` takes invariants of observers that promise not to mind ([`Observer::stage_invariant`]), and claims that outcomes
//! of processes ([`TypedWorld::with_outcome`], or that they crash) become true, under fairness of all steps; and refuses
//! everything else: deadlocks, since the states are others; other propositions; monitors; other claims; refinement.
//!
//! # What is renumbered
//! After each step, rounds behind the lowest that is alive are put close together, in their order, and the others are
//! moved by a multiple of the protocol's cycle. A row stands for all states that differ in this way alone.

mod numbers;
mod order;
mod parts;

#[cfg(test)]
mod tests;

use crate::global::{AtomPromise, AtomTest, BuiltIn};
use crate::transition::Transition;
use crate::{Scenario, SuspicionMemory, TypedWorld, World, WorldError, WorldTime};
use std::sync::Arc;
use watchkeeper_automaton::{MsgId, StateId, TypedAutomaton};
#[cfg(doc)]
use watchkeeper_core::Observer;
use watchkeeper_core::{Pack, Pid, ProcSet, Promises, Protocol, Stage, Staged, Trace, Value, View};
use watchkeeper_space::{
    Action, ActionLabel, ActionLabels, AtomId, DataLabel, DataLabels, Edit, Id, Mismatch, Narration, Parts,
    Refusal, Shape, Space, SpaceQuery, StatePath, StatePicture, Stuck, Successors, Vocabulary, apply,
    successors,
};

/// The most processes: who was left behind is a set in one slot of a row.
const MOST: usize = 32;

/// How a protocol is [`Staged`], as a value: a type need not promise it to be asked.
pub struct StageRules<P: Protocol> {
    stage: fn(&P, Pid, &P::State) -> Option<Stage>,
    stage_of: fn(&P, &P::Msg) -> Option<Stage>,
    cycle: fn(&P) -> Option<u64>,
    rounds_in: fn(&P, &P::State) -> Vec<u64>,
    rounds_in_message: fn(&P, &P::Msg) -> Vec<u64>,
    renumber: Renumber<P, <P as Protocol>::State>,
    renumber_message: Renumber<P, <P as Protocol>::Msg>,
    waits_for: fn(&P, Pid, &P::State, Pid) -> bool,
}

type Renumber<P, T> = fn(&P, &T, &dyn Fn(u64) -> u64) -> T;

impl<P: Protocol> StageRules<P> {
    /// The rules of a protocol that has them.
    pub const fn of() -> StageRules<P>
    where
        P: Staged,
    {
        StageRules {
            stage: P::stage,
            stage_of: P::stage_of,
            cycle: P::cycle,
            rounds_in: P::rounds_in,
            rounds_in_message: P::rounds_in_message,
            renumber: P::renumber,
            renumber_message: P::renumber_message,
            waits_for: P::waits_for,
        }
    }
}

impl<P: Protocol> Clone for StageRules<P> {
    fn clone(&self) -> StageRules<P> {
        *self
    }
}

impl<P: Protocol> Copy for StageRules<P> {}

impl<P: Protocol> std::fmt::Debug for StageRules<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StageRules")
    }
}

/// A world of a staged protocol, searched stage by stage. Its rows are rows of the world with rounds renumbered, and
/// one slot more that says who was left behind.
pub struct InStages {
    world: World,
    rules: Box<dyn Stages>,
    shape: Shape,
}

impl InStages {
    /// This world in stages, with all that was added to it.
    pub fn new<P>(world: TypedWorld<P>, rules: StageRules<P>) -> Result<InStages, WorldError>
    where
        P: Promises,
    {
        if let Some(why) = InStages::hindrance(world.protocol(), world.scenario()) {
            return Err(WorldError::NoStages(why));
        }
        let rules = Box::new(Ruled { typed: Arc::clone(&world.typed), rules });
        InStages::of(world.into_world(), rules)
    }

    fn of(world: World, rules: Box<dyn Stages>) -> Result<InStages, WorldError> {
        let mut shape = world.shape().clone();
        shape.slots.push("left behind".to_string());
        shape.some_runs = true;
        shape.assumptions.push(
            "runs are searched stage by stage, and rounds renumbered: of all runs that no process can tell apart, \
             one is searched, for every number of rounds"
                .to_string(),
        );
        if !world.calls.is_empty() {
            shape.assumptions.push(
                "every client asks in the end, unless its process crashes before; what it asks counts as asked at any \
                 time of the run"
                    .to_string(),
            );
        }
        Ok(InStages { world, rules, shape })
    }

    /// Why a protocol cannot be searched in stages in a scenario, if so.
    pub fn hindrance(protocol: &impl Promises, scenario: &Scenario) -> Option<&'static str> {
        let lasting = scenario.oracle.is_some_and(|oracle| oracle.memory == SuspicionMemory::Lasting);
        let strong = scenario.oracle.is_some_and(|oracle| oracle.accuracy.is_strong());
        let why = match () {
            () if scenario.time != WorldTime::Untimed => "time passes in it",
            () if lasting => "the suspicions of its oracle last",
            () if strong => "its oracle leaves everyone alone who has not crashed",
            () if protocol.horizon().is_some() => "its rounds are limited",
            () if scenario.n > MOST => "it has more than 32 processes",
            () if scenario.faults.recoveries > 0 => "processes recover in it",
            () if scenario.network.losses > 0 || scenario.network.duplications > 0 => {
                "its network loses or duplicates messages"
            }
            () => "",
        };
        (!why.is_empty()).then_some(why)
    }

    /// The world, in which rounds have the numbers that they have.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world again, with all its interleavings.
    pub fn into_world(self) -> World {
        self.world
    }

    /// Where a process stands, if it is alive and takes part in a stage.
    fn stage(&self, process: usize, local: Id) -> Option<Stage> {
        let state = self.world.machines[process].locals.get(local).value.state()?;
        self.rules.stage(Pid::at(process), state)
    }

    /// The stage of a message on its way to a process.
    fn stage_of(&self, process: usize, flight: Id) -> Option<Stage> {
        self.rules.stage_of(self.world.machines[process].flights.get(flight).value.msg)
    }

    /// A row as the world knows it, and who was left behind.
    fn inside<'a>(&self, row: &'a [Id]) -> (&'a [Id], ProcSet) {
        let (left, row) = row.split_last().expect("rows have slots");
        (row, ProcSet::from_bits(u64::from(*left)))
    }

    /// The steps that leave a row of the world with any rounds, and are taken in stages; where they lead in the world,
    /// and the row that stands for that.
    fn real_steps(&self, row: &[Id], left: ProcSet) -> Vec<(Action, Vec<Id>, Vec<Id>)> {
        let turn = self.turn(row, left);
        let steps = successors(&self.world, row).into_iter();
        let steps = steps.filter(|(action, _)| self.may(row, &turn, *action));
        let normal = |(action, after): (Action, Vec<Id>)| {
            let here = self.normal(&after, self.left_after(row, &turn, action));
            (action, after, here)
        };
        steps.map(normal).collect()
    }

    /// The run of the world that a path of rows stands for.
    fn real(&self, trail: &StatePath) -> Result<StatePath, Mismatch> {
        let lost = |step: usize| Mismatch { step, why: "no real state is that of this row".into() };
        let mut starts = self.world.initial().into_iter();
        let start = starts.find(|row| self.normal(row, ProcSet::EMPTY) == trail.rows[0]);
        let mut real = StatePath { rows: vec![start.ok_or_else(|| lost(0))?], actions: Vec::new() };
        for (i, action) in trail.actions.iter().enumerate() {
            let label = |row: &[Id], action| {
                let ActionLabel { process, peer, .. } = self.world.action_label(row, action);
                (process, peer)
            };
            let (row, left) = self.inside(&trail.rows[i]);
            let who = label(row, *action);
            let found = self.real_steps(&real.rows[i], left).into_iter().find(|(other, _, here)| {
                *here == trail.rows[i + 1]
                    && other.class() == action.class()
                    && label(&real.rows[i], *other) == who
            });
            let (action, row, _) = found.ok_or_else(|| lost(i + 1))?;
            real.actions.push(action);
            real.rows.push(row);
        }
        Ok(real)
    }
}

impl Space for InStages {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn initial(&self) -> Vec<Vec<Id>> {
        self.world.initial().iter().map(|row| self.normal(row, ProcSet::EMPTY)).collect()
    }

    fn expand(&self, row: &[Id], out: &mut Successors) {
        let (row, left) = self.inside(row);
        let turn = self.turn(row, left);
        let mut changes: Vec<Edit> = Vec::new();
        out.through(
            |inner| self.world.expand(row, inner),
            |out, action, edits| {
                if !self.may(row, &turn, action) {
                    return;
                }
                let after = self.normal(&apply(row, edits), self.left_after(row, &turn, action));
                let before = row.iter().copied().chain([left.bits() as Id]);
                changes.clear();
                let changed = after.iter().zip(before).enumerate().filter(|(_, (new, old))| *new != old);
                changes.extend(changed.map(|(slot, (new, _))| Edit::new(slot, *new)));
                out.step(action, &changes);
            },
        );
    }

    fn admits(&self, asked: &SpaceQuery) -> Result<(), Refusal> {
        self.world.admits(&SpaceQuery { partial_order: false, symmetry: false, ..asked.clone() })?;
        let refused =
            |what: &str, why: &str| Err(Refusal::SomeRuns { what: what.to_string(), why: why.to_string() });
        let name = |atom: AtomId| &self.shape.atoms[atom].name;
        if asked.partial_order || asked.symmetry {
            return refused("a reduction", "stages leave out steps already");
        }
        if asked.deadlock {
            return refused("deadlock", "where nothing can happen depends on the order of steps");
        }
        for &(when, then) in &asked.invariants {
            let kept = matches!(&self.world.tests[then], AtomTest::Observer(k) if self.world.observers[*k].stage_invariant());
            if when.is_some() || !kept {
                return refused(
                    name(then),
                    "stages are known to keep observers that say so, and nothing else",
                );
            }
        }
        if asked.monitor.is_some() || asked.events {
            return refused("a monitor or a refinement", "it sees the order between processes");
        }
        for claim in &asked.claims {
            let outcome = |&atom: &AtomId| {
                matches!(
                    self.world.tests[atom],
                    AtomTest::BuiltIn(BuiltIn::Crashed(_)) | AtomTest::Custom(_, AtomPromise::Outcome)
                )
            };
            if !claim.becomes_true || !claim.atoms.iter().all(outcome) {
                return refused(&claim.name, "it says more than that outcomes of processes become true");
            }
            if !asked.fair_steps {
                return refused(&claim.name, "stages are known to keep fairness of all steps alone");
            }
        }
        Ok(())
    }

    fn stuck(&self, row: &[Id]) -> Stuck {
        self.world.stuck(self.inside(row).0)
    }

    fn atom(&self, atom: AtomId, row: &[Id]) -> bool {
        self.world.atom(atom, self.inside(row).0)
    }

    fn pack(&self, row: &[Id], out: &mut Vec<u8>) {
        let (row, left) = self.inside(row);
        self.world.pack(row, out);
        left.pack(out);
    }

    fn guide(&self, row: &[Id]) -> u32 {
        self.world.guide(self.inside(row).0)
    }

    fn bytes(&self) -> usize {
        self.world.bytes()
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

impl DataLabels for InStages {
    fn data_label(&self, row: &[Id], action: Action) -> DataLabel {
        self.world.data_label(self.inside(row).0, action)
    }

    fn vocabulary(&self) -> Vocabulary {
        self.world.vocabulary()
    }

    fn any_of_several(&self) -> bool {
        self.world.any_of_several()
    }
}

impl Narration for InStages {
    fn view(&self, row: &[Id]) -> View {
        let (row, left) = self.inside(row);
        let mut view = self.world.view(row);
        view.push(left_behind(left));
        view
    }

    fn picture(&self, row: &[Id]) -> StatePicture {
        let (row, left) = self.inside(row);
        let mut picture = self.world.picture(row);
        picture.rest.push(left_behind(left));
        picture
    }

    fn label(&self, row: &[Id], action: Action) -> String {
        self.world.label(self.inside(row).0, action)
    }

    /// The run with its real rounds, executed by the world.
    fn replay(&self, trail: &StatePath) -> Result<Trace, Mismatch> {
        self.world.replay(&self.real(trail)?)
    }
}

impl ActionLabels for InStages {
    fn action_label(&self, row: &[Id], action: Action) -> ActionLabel {
        self.world.action_label(self.inside(row).0, action)
    }
}

/// The variable that names the processes that are left behind.
fn left_behind(left: ProcSet) -> (String, Value) {
    let names = left.iter().map(|process| Value::str(process.to_string()));
    ("left behind".to_string(), Value::set(names))
}

/// The stages of the steps of an automaton.
trait Stages: Send + Sync {
    fn stage(&self, me: Pid, state: StateId) -> Option<Stage>;
    fn stage_of(&self, msg: MsgId) -> Option<Stage>;
    fn cycle(&self) -> Option<u64>;
    fn rounds_in(&self, state: StateId) -> Vec<u64>;
    fn rounds_in_message(&self, msg: MsgId) -> Vec<u64>;
    fn renumber(&self, state: StateId, to: &dyn Fn(u64) -> u64) -> StateId;
    fn renumber_message(&self, msg: MsgId, to: &dyn Fn(u64) -> u64) -> MsgId;
    fn waits_for(&self, me: Pid, state: StateId, whom: Pid) -> bool;
}

/// The rules of a protocol with its types.
struct Ruled<P: Promises> {
    typed: Arc<TypedAutomaton<P>>,
    rules: StageRules<P>,
}

impl<P: Promises> Stages for Ruled<P> {
    fn stage(&self, me: Pid, state: StateId) -> Option<Stage> {
        (self.rules.stage)(&self.typed.protocol, me, self.typed.states.get(state.0))
    }

    fn stage_of(&self, msg: MsgId) -> Option<Stage> {
        (self.rules.stage_of)(&self.typed.protocol, self.typed.messages.get(msg.0))
    }

    fn cycle(&self) -> Option<u64> {
        (self.rules.cycle)(&self.typed.protocol)
    }

    fn rounds_in(&self, state: StateId) -> Vec<u64> {
        (self.rules.rounds_in)(&self.typed.protocol, self.typed.states.get(state.0))
    }

    fn rounds_in_message(&self, msg: MsgId) -> Vec<u64> {
        (self.rules.rounds_in_message)(&self.typed.protocol, self.typed.messages.get(msg.0))
    }

    fn renumber(&self, state: StateId, to: &dyn Fn(u64) -> u64) -> StateId {
        let TypedAutomaton { protocol, states, .. } = &*self.typed;
        StateId(states.number((self.rules.renumber)(protocol, states.get(state.0), to)))
    }

    fn renumber_message(&self, msg: MsgId, to: &dyn Fn(u64) -> u64) -> MsgId {
        let TypedAutomaton { protocol, messages, .. } = &*self.typed;
        MsgId(messages.number((self.rules.renumber_message)(protocol, messages.get(msg.0), to)))
    }

    fn waits_for(&self, me: Pid, state: StateId, whom: Pid) -> bool {
        (self.rules.waits_for)(&self.typed.protocol, me, self.typed.states.get(state.0), whom)
    }
}

impl std::fmt::Debug for InStages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InStages").field("world", &self.world).finish_non_exhaustive()
    }
}

impl InStages {
    /// What an action of a row does; the engine has it from this space.
    fn transition(&self, action: Action) -> Transition {
        self.world.classes.transition(action).expect("an engine asks for actions of this world only")
    }
}
