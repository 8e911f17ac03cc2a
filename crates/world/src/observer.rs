//! An observer inside a world: its states have ids like every other part of a row, and how it takes in
//! what it sees is worked out once. A deadline is not an obligation: it never keeps time from passing, it
//! only tells that more than its bound has passed.

use crate::error::MAX_DURATION;
use crate::local::SlotIndex;
use crate::machine::{DURATION, UNTIMED_DEADLINE, rank};
use crate::memo::Memo;
use crate::observation::ObservationLists;
use crate::{WorldError, WorldTime};
use std::sync::{Arc, OnceLock};
use watchkeeper_automaton::{Arena, ErasedObserver, Interner, TypedAutomaton, erased};
use watchkeeper_core::{Deadlines, Judgement, MAX_DEADLINES, Observer, Pack, Perm, Promises, Symmetry};
use watchkeeper_space::Id;

/// One observer, with its states so far.
pub(crate) struct ObserverMachine {
    observer: Box<dyn ErasedObserver>,
    states: Interner<ObserverMemory, ObserverMemo>,
    /// From a state and what is seen, or a deadline that runs out, to what comes of it.
    steps: Memo,
    results: Arena<ObserverStep>,
    /// Of lists of observations, whether one of them is visible to the observer: 0 or 1.
    visible: Memo,
}

/// What an observer remembers, and the deadlines that run, by their numbers. In ticks a deadline has what is
/// left of its bound; in dense time its clock has that.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ObserverMemory {
    pub(crate) state: Vec<u8>,
    pub(crate) running: Vec<(u8, u32)>,
}

struct ObserverMemo {
    judgement: Judgement,
    packed: Box<[u8]>,
    rank: u64,
    /// In ticks: one tick later, or the cap that this is beyond.
    ticked: OnceLock<Result<Id, usize>>,
}

/// What comes of something seen.
pub(crate) struct ObserverStep {
    pub(crate) memory: Id,
    /// In dense time: the deadlines that were started, with the values at which their clocks begin.
    pub(crate) fresh: Box<[(SlotIndex, i32)]>,
    /// The cap that it is beyond.
    pub(crate) cut: Option<usize>,
}

impl ObserverMachine {
    pub(crate) fn new<P, O>(typed: Arc<TypedAutomaton<P>>, observer: O) -> ObserverMachine
    where
        P: Promises,
        O: Observer<P> + 'static,
    {
        ObserverMachine::of(erased(typed, observer))
    }

    fn of(observer: Box<dyn ErasedObserver>) -> ObserverMachine {
        ObserverMachine {
            observer,
            states: Interner::new(),
            steps: Memo::new(),
            results: Arena::new(),
            visible: Memo::new(),
        }
    }

    pub(crate) fn into_observer(self) -> Box<dyn ErasedObserver> {
        self.observer
    }

    pub(crate) fn name(&self) -> String {
        self.observer.name()
    }

    pub(crate) fn symmetry(&self) -> Symmetry {
        self.observer.symmetry()
    }

    /// Whether it minds only what happens at each process by itself.
    pub(crate) fn trace_invariant(&self) -> bool {
        self.observer.trace_invariant()
    }

    /// Whether it judges a run in stages as it judges those that the run stands for.
    pub(crate) fn stage_invariant(&self) -> bool {
        self.observer.stage_invariant()
    }

    /// Whether it may take notice of one of a list of things, in whatever state.
    pub(crate) fn visible(&self, observations: &ObservationLists, list: Id) -> bool {
        let known = self.visible.get(list, 0);
        known.unwrap_or_else(|| {
            self.visible.insert(list, 0, Id::from(self.observer.visible(observations.get(list))))
        }) == 1
    }

    /// Before anything has happened.
    pub(crate) fn start(&self, time: WorldTime) -> Result<ObserverStep, WorldError> {
        let mut deadlines = Deadlines::default();
        let state = self.observer.start(&mut deadlines);
        let memory = ObserverMemory { state, running: Vec::new() };
        let observed = self.carry_out(time, memory, &deadlines);
        observed.cut.map_or(Ok(()), |cap| Err(self.refusal(cap))).map(|()| observed)
    }

    /// Why there can be no world in which this observer is beyond a cap from the start.
    pub(crate) fn refusal(&self, cap: usize) -> WorldError {
        match cap {
            DURATION => WorldError::Duration { what: "a deadline", bound: MAX_DURATION + 1 },
            _ => WorldError::Deadline { observer: self.name() },
        }
    }

    /// What comes of seeing a list of things.
    #[inline]
    pub(crate) fn see(
        &self,
        time: WorldTime,
        memory: Id,
        observations: &ObservationLists,
        list: Id,
    ) -> &ObserverStep {
        let known = self.steps.get(memory, list + MAX_DEADLINES as Id);
        let known = known.unwrap_or_else(|| {
            let before = &self.states.get(memory).value;
            let mut deadlines = Deadlines::default();
            let state = self.observer.see(&before.state, observations.get(list), &mut deadlines);
            let observed =
                self.carry_out(time, ObserverMemory { state, running: before.running.clone() }, &deadlines);
            self.steps.insert(memory, list + MAX_DEADLINES as Id, self.results.push(observed))
        });
        self.results.get(known)
    }

    /// What comes of a deadline running out.
    pub(crate) fn expire(&self, time: WorldTime, memory: Id, deadline: u8) -> &ObserverStep {
        let known = self.steps.get(memory, Id::from(deadline));
        let known = known.unwrap_or_else(|| {
            let observed = self.expired(time, &self.states.get(memory).value, deadline);
            self.steps.insert(memory, Id::from(deadline), self.results.push(observed))
        });
        self.results.get(known)
    }

    fn expired(&self, time: WorldTime, before: &ObserverMemory, deadline: u8) -> ObserverStep {
        let mut running = before.running.clone();
        running.retain(|&(other, _)| other != deadline);
        let mut deadlines = Deadlines::default();
        let state = self.observer.expired(&before.state, usize::from(deadline), &mut deadlines);
        self.carry_out(time, ObserverMemory { state, running }, &deadlines)
    }

    /// In ticks: one tick later, or the cap that this is beyond. Deadlines of which nothing was left run out.
    pub(crate) fn ticked(&self, time: WorldTime, memory: Id) -> Result<Id, usize> {
        let entry = self.states.get(memory);
        *entry.memo.ticked.get_or_init(|| {
            let mut after = ObserverMemory::clone(&entry.value);
            let out: Vec<u8> =
                after.running.iter().filter(|(_, left)| *left == 0).map(|(deadline, _)| *deadline).collect();
            after.running.retain(|(_, left)| *left > 0);
            after.running.iter_mut().for_each(|(_, left)| *left -= 1);
            out.into_iter().try_fold(self.intern(after), |memory, deadline| {
                let observed = self.expired(time, &self.states.get(memory).value, deadline);
                observed.cut.map_or(Ok(observed.memory), Err)
            })
        })
    }

    /// The deadlines that run in a state, with what is left of each in ticks.
    #[inline]
    pub(crate) fn running(&self, memory: Id) -> &[(u8, u32)] {
        &self.states.get(memory).value.running
    }

    pub(crate) fn judgement(&self, memory: Id) -> &Judgement {
        &self.states.get(memory).memo.judgement
    }

    pub(crate) fn packed(&self, memory: Id) -> &[u8] {
        &self.states.get(memory).memo.packed
    }

    /// A number that the packed bytes decide, the same in every run.
    pub(crate) fn rank(&self, memory: Id) -> u64 {
        self.states.get(memory).memo.rank
    }

    /// The value of an id that may never have been given out.
    pub(crate) fn find(&self, memory: Id) -> Option<&ObserverMemory> {
        self.states.find(memory).map(|entry| &*entry.value)
    }

    /// The id of a state that may be none of this observer's, with the deadlines that run in it, each with what is left
    /// of it; `None` if it cannot be.
    pub(crate) fn state(&self, time: WorldTime, state: &[u8], running: Vec<(u8, u32)>) -> Option<Id> {
        let most = match time {
            WorldTime::Untimed => None,
            WorldTime::Ticks(_) => Some(MAX_DURATION),
            WorldTime::Dense(_) => Some(0),
        };
        let runs = |&(deadline, left): &(u8, u32)| {
            usize::from(deadline) < MAX_DEADLINES && most.is_some_and(|most| left <= most)
        };
        let possible = running.iter().all(runs)
            && running.is_sorted_by(|a, b| a.0 < b.0)
            && self.observer.accepts(state)
            && (running.is_empty() || self.observer.judge(state) == Judgement::Open);
        possible.then(|| self.intern(ObserverMemory { state: state.to_vec(), running }))
    }

    /// What an observer remembers, as it prints.
    pub(crate) fn text(&self, memory: &ObserverMemory) -> String {
        self.observer.text(&memory.state)
    }

    /// The memory in a world whose processes have changed their names.
    pub(crate) fn renamed(&self, memory: Id, perm: &Perm) -> Id {
        let before = &self.states.get(memory).value;
        let state = self.observer.rename(&before.state, perm);
        let rename = |&(deadline, left): &(u8, u32)| {
            (self.observer.rename_deadline(usize::from(deadline), perm) as u8, left)
        };
        let mut running: Vec<(u8, u32)> = before.running.iter().map(rename).collect();
        running.sort_unstable();
        self.intern(ObserverMemory { state, running })
    }

    /// For the deadlines that run in the renamed memory, in their order, their places among those before.
    pub(crate) fn renamed_deadlines(&self, memory: Id, perm: &Perm) -> Vec<usize> {
        let running = self.running(memory);
        let mut from: Vec<usize> = (0..running.len()).collect();
        if from.len() > 1 {
            from.sort_by_key(|&nth| self.observer.rename_deadline(usize::from(running[nth].0), perm));
        }
        from
    }

    /// The plain observer, for an execution that shares nothing with the search.
    pub(crate) fn observer(&self) -> &dyn ErasedObserver {
        &*self.observer
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + self.steps.bytes() + self.results.bytes() + self.visible.bytes()
    }

    /// Carries out the orders of an observer. One that has made up its mind deadlines nothing any more.
    fn carry_out(&self, time: WorldTime, mut memory: ObserverMemory, deadlines: &Deadlines) -> ObserverStep {
        let mut fresh: Vec<(SlotIndex, i32)> = Vec::new();
        let mut cut = None;
        for &(deadline, bound) in deadlines.orders() {
            let deadline = deadline as u8;
            memory.running.retain(|&(other, _)| other != deadline);
            fresh.retain(|&(other, _)| other != SlotIndex::from(deadline));
            let Some(bound) = bound else { continue };
            let left = match time {
                WorldTime::Untimed => {
                    cut = Some(UNTIMED_DEADLINE);
                    continue;
                }
                _ if bound > MAX_DURATION => {
                    cut = Some(DURATION);
                    continue;
                }
                WorldTime::Ticks(_) => bound,
                WorldTime::Dense(_) => {
                    fresh.push((SlotIndex::from(deadline), -(bound as i32)));
                    0
                }
            };
            let at = memory.running.partition_point(|&(other, _)| other < deadline);
            memory.running.insert(at, (deadline, left));
        }
        if self.observer.judge(&memory.state) != Judgement::Open {
            (memory.running, fresh) = (Vec::new(), Vec::new());
        }
        fresh.sort_unstable();
        ObserverStep { memory: self.intern(memory), fresh: fresh.into(), cut }
    }

    fn intern(&self, memory: ObserverMemory) -> Id {
        self.states.intern(memory, |memory| {
            let mut bytes = memory.state.clone();
            (memory.running.len() as u64).pack(&mut bytes);
            for (deadline, left) in &memory.running {
                bytes.push(*deadline);
                left.pack(&mut bytes);
            }
            let judgement = self.observer.judge(&memory.state);
            let heap = 2 * bytes.len() + 8 * memory.running.len();
            let rank = rank(&bytes);
            (ObserverMemo { judgement, packed: bytes.into(), rank, ticked: OnceLock::new() }, heap)
        })
    }
}
