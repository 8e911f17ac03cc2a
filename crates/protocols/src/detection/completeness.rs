//! Completeness with a deadline: crashes are found out in time, and stay found out. One deadline serves all
//! crashes and all who should find out, since every further deadline multiplies zones.

use watchkeeper_core::{
    Completeness, Deadlines, Judgement, Meaning, Observation, Observer, Pack, PerProc, Pid, ProcSet,
    Protocol, Symmetry, Time,
};

/// The only deadline: since the last crash.
const SINCE: usize = 0;

/// The observer that crashes are found out in time, of a protocol `P` with durations `T`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompletenessObserver<P, T = u32> {
    protocol: P,
    n: usize,
    completeness: Completeness,
    within: T,
    crashed_at_start: ProcSet,
    pair: Option<(Pid, Pid)>,
}

impl<P, T: Time> CompletenessObserver<P, T> {
    /// The observer that each of the `n` processes is found out about within this time of its crash.
    pub fn new(protocol: P, n: usize, completeness: Completeness, within: T) -> CompletenessObserver<P, T> {
        CompletenessObserver {
            protocol,
            n,
            completeness,
            within,
            crashed_at_start: ProcSet::EMPTY,
            pair: None,
        }
    }

    /// This observer in a world where these processes have crashed before the start. The time that the others
    /// have counts from the start.
    #[must_use]
    pub fn crashed_at_start(self, crashed: ProcSet) -> CompletenessObserver<P, T> {
        CompletenessObserver { crashed_at_start: crashed, ..self }
    }

    /// This observer for what `by` finds out about `of` alone.
    #[must_use]
    pub fn between(self, by: Pid, of: Pid) -> CompletenessObserver<P, T> {
        CompletenessObserver { pair: Some((by, of)), completeness: Completeness::Strong, ..self }
    }

    /// The processes that are down and that the property concerns.
    fn down(&self, state: &CompletenessState) -> ProcSet {
        let of = self.pair.map_or(ProcSet::first(self.n), |(_, of)| ProcSet::only(of));
        state.crashed.intersection(of)
    }

    /// The processes that are up and should detect.
    fn up(&self, state: &CompletenessState) -> ProcSet {
        let by = self.pair.map_or(ProcSet::first(self.n), |(by, _)| ProcSet::only(by));
        by.difference(state.crashed)
    }

    /// Begins to count anew, if there is anything to be found out by anybody.
    fn count(&self, state: &mut CompletenessState, deadlines: &mut Deadlines<T>) {
        if self.down(state).is_empty() || self.up(state).is_empty() {
            deadlines.stop(SINCE);
            state.phase = DetectionPhase::Idle;
        } else {
            deadlines.start(SINCE, self.within);
            state.phase = DetectionPhase::Counting;
        }
    }

    /// Whether those who have found out are enough.
    fn suffices(&self, state: &CompletenessState, found_out: ProcSet) -> bool {
        match self.completeness {
            Completeness::Weak => !found_out.is_empty(),
            Completeness::Strong => self.up(state).is_subset(found_out),
        }
    }

    /// The deadline has passed: whoever has found out by now has to stay with it.
    fn decide(&self, state: &mut CompletenessState) {
        let mut lasting = PerProc::new(self.n, ProcSet::EMPTY);
        let (mut late, mut missing) = (ProcSet::EMPTY, ProcSet::EMPTY);
        for p in self.down(state).iter() {
            let found_out = state.suspected_by[p].union(state.stopped).intersection(self.up(state));
            if !self.suffices(state, found_out) {
                late.insert(p);
                missing = missing.union(self.up(state).difference(found_out));
            }
            lasting[p] = found_out;
        }
        state.phase = if late.is_empty() {
            DetectionPhase::Over { lasting }
        } else {
            DetectionPhase::Late { of: late, by: missing }
        };
    }

    /// Takes in what a process announces.
    fn hear(&self, state: &mut CompletenessState, by: Pid, meaning: Meaning) {
        match meaning {
            Meaning::Suspects(p) if p.index() < self.n => state.suspected_by[p].insert(by),
            Meaning::Trusts(p) if p.index() < self.n => {
                state.suspected_by[p].remove(by);
                // Who has stopped says nothing any more, so nobody withdraws who has found out by stopping.
                let left = match &mut state.phase {
                    DetectionPhase::Over { lasting } if lasting[p].contains(by) => {
                        lasting[p].remove(by);
                        lasting[p]
                    }
                    _ => return,
                };
                if !self.suffices(state, left) {
                    let missing = self.up(state).difference(left);
                    state.phase = DetectionPhase::Late { of: ProcSet::only(p), by: missing };
                }
            }
            Meaning::Stops => state.stopped.insert(by),
            Meaning::Suspects(_) | Meaning::Trusts(_) | Meaning::Other(_) => {}
        }
    }
}

impl<P: Protocol<T> + Send, T: Time> Observer<P, T> for CompletenessObserver<P, T> {
    type State = CompletenessState;

    fn name(&self) -> String {
        match self.pair {
            Some((by, of)) => format!("detection:{}:{by}:{of}", self.within),
            None => format!("detection:{}", self.within),
        }
    }

    fn start(&self, deadlines: &mut Deadlines<T>) -> CompletenessState {
        let mut state = CompletenessState {
            crashed: self.crashed_at_start,
            stopped: ProcSet::EMPTY,
            suspected_by: PerProc::new(self.n, ProcSet::EMPTY),
            phase: DetectionPhase::Idle,
        };
        self.count(&mut state, deadlines);
        state
    }

    fn see(
        &self,
        state: &mut CompletenessState,
        observation: &Observation<'_, P, T>,
        deadlines: &mut Deadlines<T>,
    ) {
        match *observation {
            Observation::Crashed { process } => {
                state.crashed.insert(process);
                state.forget(process);
                self.count(state, deadlines);
            }
            Observation::Recovered { process } => {
                state.crashed.remove(process);
                self.count(state, deadlines);
            }
            Observation::Emitted { by, output } => self.hear(state, by, self.protocol.meaning(output)),
            _ => {}
        }
    }

    fn expired(&self, state: &mut CompletenessState, _: usize, _: &mut Deadlines<T>) {
        if state.phase == DetectionPhase::Counting {
            self.decide(state);
        }
    }

    fn judge(&self, state: &CompletenessState) -> Judgement {
        let DetectionPhase::Late { of, by } = state.phase else { return Judgement::Open };
        let since = format!("more than {} after the last crash", self.within);
        Judgement::Violated(match self.completeness {
            Completeness::Weak => format!("{since} nobody suspects {}", listed(of)),
            Completeness::Strong if by.len() == 1 => {
                format!("{since} {} neither suspects {} nor has stopped", listed(by), listed(of))
            }
            Completeness::Strong => {
                format!("{since} {} neither suspect {} nor have stopped", listed(by), listed(of))
            }
        })
    }

    fn symmetry(&self) -> Symmetry {
        match self.pair {
            Some((by, of)) => Symmetry::FixingAll(ProcSet::only(by).with(of)),
            None => Symmetry::Full,
        }
    }
}

/// The members of a set, as words of a sentence.
pub(super) fn listed(set: ProcSet) -> String {
    set.iter().map(|p| p.to_string()).collect::<Vec<_>>().join(" and ")
}

/// The state of the observer of completeness.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct CompletenessState {
    /// The processes that are down.
    crashed: ProcSet,
    /// The processes that are up and have stopped of their own accord.
    stopped: ProcSet,
    /// For each process, the processes that are up and suspect it.
    suspected_by: PerProc<ProcSet>,
    phase: DetectionPhase,
}

impl CompletenessState {
    /// What a process has found out is gone when it crashes.
    fn forget(&mut self, process: Pid) {
        self.stopped.remove(process);
        for p in Pid::all(self.suspected_by.len()) {
            self.suspected_by[p].remove(process);
        }
    }
}

/// How far a run is between a crash and its detection.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum DetectionPhase {
    /// There is nothing to be found out, or nobody who could.
    Idle,
    /// The time since the last crash is not yet up.
    Counting,
    /// It is up.
    Over {
        /// Who had found out about each process by then, and has not withdrawn it since.
        lasting: PerProc<ProcSet>,
    },
    /// Something was not found out in time, or not for good.
    Late {
        /// About whom.
        of: ProcSet,
        /// By whom it should have been.
        by: ProcSet,
    },
}
