//! Leaving out interleavings together with renamings, and with any number of threads: the same verdicts and, with
//! threads, the same numbers.

use crate::compare::invariant;
use watchkeeper_core::{
    Bound, Deadlines, Effects, Input, Judgement, Kind, Never, Observation, Observer, Pack, Perm, Pid,
    ProcSet, Promises, Protocol, Slot, Symmetry,
};
use watchkeeper_explore::{NoCallback, Reduction, Search, check};
use watchkeeper_logic::{Outcome, Question, Verdict};
use watchkeeper_world::{Capacity, DeliveryOrder, Faults, Network, Scenario, TypedWorld, World};

/// Everyone tells everyone else that it is there, some times, and notes who it has heard how often.
#[derive(Clone)]
struct Roll {
    n: usize,
    times: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
struct Heard {
    left: u8,
    /// By process, or what is left of it: the list changes with names.
    from: watchkeeper_core::PerProc<u8>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Here {
    Here,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Call {
    Again,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Full {
    House,
}

impl Roll {
    fn tell(&self, me: Pid, left: u8, fx: &mut impl Effects<Self>) {
        Pid::all(self.n).filter(|&p| p != me).for_each(|p| fx.send(p, Here::Here));
        if left > 0 {
            fx.arm(Call::Again, Bound::exactly(1));
        }
    }
}

impl Protocol for Roll {
    type State = Heard;
    type Msg = Here;
    type Timer = Call;
    type Call = Never;
    type Output = Full;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> Heard {
        self.tell(me, self.times, fx);
        Heard { left: self.times, from: watchkeeper_core::PerProc::new(self.n, 0) }
    }

    fn step(&self, me: Pid, state: &mut Heard, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Receive { from, .. } => {
                if let Some(times) = state.from.get_mut(from) {
                    *times = times.saturating_add(1);
                }
                if Pid::all(self.n).all(|p| p == me || state.from[p] > 0) {
                    fx.emit(Full::House);
                }
            }
            Input::Fire(Call::Again) => {
                state.left -= 1;
                self.tell(me, state.left, fx);
            }
            _ => {}
        }
    }
}

impl Promises for Roll {
    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }

    fn reaches(&self, me: Pid, state: &Heard) -> ProcSet {
        if state.left > 0 { ProcSet::first(self.n).without(me) } else { ProcSet::EMPTY }
    }
}

/// Not everyone ever has a full house.
struct NotAll {
    n: usize,
}

impl Observer<Roll> for NotAll {
    type State = ProcSet;

    fn name(&self) -> String {
        "not all".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> ProcSet {
        ProcSet::EMPTY
    }

    fn see(&self, state: &mut ProcSet, observation: &Observation<'_, Roll>, _: &mut Deadlines) {
        if let Observation::Emitted { by, .. } = observation {
            state.insert(*by);
        }
    }

    fn judge(&self, state: &ProcSet) -> Judgement {
        if state.len() == self.n { Judgement::Violated("all".to_string()) } else { Judgement::Open }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn symmetry(&self) -> Symmetry {
        Symmetry::Full
    }

    fn rename_deadline(&self, deadline: usize, _: &Perm) -> usize {
        deadline
    }
}

/// Under how many the observer has no chance, because so many crash before they start.
fn world(n: usize, times: u8, crashed: usize, crashes: u32) -> TypedWorld<Roll> {
    let network = Network {
        order: DeliveryOrder::Fifo,
        capacity: Capacity::Unbounded { cap: 9 },
        ..Network::default()
    };
    let crashed_at_start = ProcSet::first(crashed);
    let crashable = ProcSet::first(n).difference(crashed_at_start);
    let faults = Faults { crashable, crashes, crashed_at_start, ..Faults::default() };
    let world = TypedWorld::new(Roll { n, times }, Scenario { network, faults, ..Scenario::new(n) });
    world.expect("a world").observed_by(NotAll { n }).expect("an observer")
}

fn verdict(world: &World, symmetry: bool, reduction: Reduction, workers: usize) -> Verdict {
    let question = Question { deadlock: false, ..invariant(world, None, "not all") };
    let search = Search { symmetry: symmetry.into(), reduction, workers, ..Search::default() };
    check(world, &question, &search, &NoCallback).expect("a verdict")
}

#[test]
fn renamings_and_interleavings_together() {
    for (n, times, crashes) in [(2, 1, 0), (2, 1, 1), (2, 2, 1), (3, 0, 0), (3, 0, 1), (3, 1, 0)] {
        // A process that has crashed from the start is told apart from the others.
        for crashed in 0..2 {
            let crashes = crashes.min((n - crashed) as u32);
            let world = world(n, times, crashed, crashes);
            let all = verdict(&world, false, Reduction::None, 1);
            let some = verdict(&world, false, Reduction::PartialOrder, 1);
            let expected = if crashed == 0 { "violated" } else { "holds" };
            let mut verdicts = vec![some.clone()];
            if crashed + 1 < n {
                let fewer = verdict(&world, true, Reduction::None, 1);
                let fewest = verdict(&world, true, Reduction::PartialOrder, 1);
                if expected == "holds" {
                    assert!(fewest.stats.distinct_states <= fewer.stats.distinct_states);
                }
                verdicts.extend([fewer, fewest]);
            }
            for verdict in verdicts {
                assert_eq!(verdict.word(), expected, "{n} {times} {crashes} {crashed}");
                assert_eq!(all.word(), expected);
            }
            if expected == "holds" {
                assert!(some.stats.distinct_states <= all.stats.distinct_states);
            }
        }
    }
}

/// Exact figures, so that a change of the choice is noticed: 4 processes, one of them down from the start.
#[test]
fn the_numbers_do_not_depend_on_threads() {
    let world = world(4, 2, 1, 1);
    for symmetry in [false, true] {
        let one = verdict(&world, symmetry, Reduction::PartialOrder, 1);
        assert!(matches!(one.outcome, Outcome::Holds(_)));
        if !symmetry {
            assert_eq!(one.stats.distinct_states, 42_523);
            let widest = one.stats.level_sizes.iter().max();
            assert!(widest > Some(&2048), "threads are for large depths only");
        }
        for workers in [2, 5] {
            let many = verdict(&world, symmetry, Reduction::PartialOrder, workers);
            assert_eq!(many.stats.level_sizes, one.stats.level_sizes);
            assert_eq!(many.stats.transitions, one.stats.transitions);
            assert_eq!(many.stats.partial, one.stats.partial);
            assert_eq!(many.coverage, one.coverage);
        }
        println!("symmetry {symmetry}: {:?} {:?}", one.stats.distinct_states, one.stats.partial);
    }
}

/// In one order nobody need be told apart: of each process, what it hears from each of the others in turn.
#[test]
fn a_run_that_is_found_replays_and_is_not_called_shortest() {
    let world = world(3, 1, 0, 0);
    let verdict = verdict(&world, false, Reduction::PartialOrder, 1);
    let Outcome::Violated(violation) = verdict.outcome else { panic!("everyone can have a full house") };
    assert!(!violation.shortest);
    assert_eq!(violation.trace.steps.len(), 6, "each hears from two others");
    assert!(verdict.assumptions.iter().any(|one| one.starts_with("of steps that do not concern each other")));
}
