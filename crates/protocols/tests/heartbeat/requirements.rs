//! The observers of the requirements, fed with hand-written and with random observations.

use crate::script::{both, heartbeat, p};
use proptest::prelude::*;
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid, ProcSet, Symmetry};
use watchkeeper_protocols::heartbeat::HeartbeatMsg::{Beat, Leave};
use watchkeeper_protocols::heartbeat::HeartbeatRequirement::{R1, R2, R3};
use watchkeeper_protocols::heartbeat::{
    Heartbeat, HeartbeatObserver, HeartbeatObserverState, HeartbeatOutput, HeartbeatRequirement,
    HeartbeatTimer, HeartbeatVariant,
};

/// A observation that owns what is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    ToldBeat(Pid),
    ToldLeave(Pid),
    SaysLeave(Pid),
    Asked(Pid),
    Stops(Pid),
    Crashes(Pid),
    Loses(Pid, Pid),
    Timer(Pid),
}

use Seen::*;

impl Seen {
    pub fn observation(&self) -> Observation<'static, Heartbeat> {
        match *self {
            ToldBeat(from) => Observation::Received { by: p(0), from, msg: &Beat },
            ToldLeave(from) => Observation::Received { by: p(0), from, msg: &Leave },
            SaysLeave(by) => Observation::Sent { by, to: p(0), msg: &Leave },
            Asked(by) => Observation::Received { by, from: p(0), msg: &Beat },
            Stops(by) => Observation::Emitted { by, output: &HeartbeatOutput::Inactivated },
            Crashes(process) => Observation::Crashed { process },
            Loses(from, to) => Observation::Lost { from, to, msg: &Beat },
            Timer(by) => Observation::Fired { by, timer: HeartbeatTimer::Round },
        }
    }
}

type Orders = Vec<(usize, Option<u32>)>;

/// What the observer says after these observations, and the orders that it gave to its deadlines.
fn watching(monitor: &HeartbeatObserver, observations: &[Seen]) -> (Judgement, Orders) {
    let mut deadlines = Deadlines::default();
    let mut state = monitor.start(&mut deadlines);
    for seen in observations {
        monitor.see(&mut state, &seen.observation(), &mut deadlines);
    }
    (monitor.judge(&state), deadlines.orders().to_vec())
}

fn judged(requirement: HeartbeatRequirement, heartbeat: &Heartbeat, observations: &[Seen]) -> Judgement {
    let (judgement, orders) = watching(&HeartbeatObserver::new(requirement, heartbeat), observations);
    assert!(requirement == R1 || orders.is_empty(), "only R1 has deadlines");
    judgement
}

fn is_violated(judgement: &Judgement) -> bool {
    matches!(judgement, Judgement::Violated(_))
}

#[test]
fn r1_watches_from_the_start_whom_p0_counts_from_the_start() {
    for variant in [HeartbeatVariant::Binary, HeartbeatVariant::Revised, HeartbeatVariant::TwoPhase] {
        for (heartbeat, bound) in both(variant, 4, 10, 1).iter().zip([20, 26]) {
            let monitor = HeartbeatObserver::new(R1, heartbeat);
            assert_eq!(watching(&monitor, &[]), (Judgement::Open, vec![(0, Some(bound))]));
        }
    }
    let monitor = HeartbeatObserver::new(R1, &heartbeat(HeartbeatVariant::Static, 9, 10, 3).corrected());
    assert_eq!(watching(&monitor, &[]).1, [(0, Some(20)), (1, Some(20)), (2, Some(20))]);
    let only = monitor.only(p(2)).expect("p2 is a participant");
    assert_eq!(watching(&only, &[ToldBeat(p(1)), ToldBeat(p(2))]).1, [(1, Some(20)), (1, Some(20))]);
}

#[test]
fn r1_watches_who_has_joined_until_it_leaves_or_p0_is_gone() {
    for variant in [HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic] {
        let monitor = HeartbeatObserver::new(R1, &heartbeat(variant, 4, 10, 2));
        assert_eq!(watching(&monitor, &[Asked(p(1)), Timer(p(0)), Crashes(p(1)), Stops(p(2))]).1, []);
        let joined = [ToldBeat(p(2)), ToldBeat(p(1)), ToldBeat(p(2)), ToldLeave(p(2))];
        let orders = [(1, Some(20)), (0, Some(20)), (1, Some(20)), (1, None)];
        assert_eq!(watching(&monitor, &joined), (Judgement::Open, orders.to_vec()));
        for end in [Crashes(p(0)), Stops(p(0))] {
            let (judgement, orders) = watching(&monitor, &[ToldBeat(p(2)), end, ToldBeat(p(1))]);
            assert_eq!(judgement, Judgement::Settled);
            assert_eq!(orders, [(1, Some(20)), (0, None), (1, None)], "and nothing is watched any more");
        }
    }
}

#[test]
fn r1_is_violated_by_a_watch_that_runs_out() {
    let monitor = HeartbeatObserver::new(R1, &heartbeat(HeartbeatVariant::Static, 4, 10, 2));
    let mut deadlines = Deadlines::default();
    let start = monitor.start(&mut deadlines);
    for deadline in 0..2 {
        let mut state = start;
        monitor.expired(&mut state, deadline, &mut deadlines);
        let text =
            format!("p0 has received no beat of p{} for more than 20, and is still active", deadline + 1);
        assert_eq!(monitor.judge(&state), Judgement::Violated(text.clone()));
        monitor.see(&mut state, &Crashes(p(0)).observation(), &mut deadlines);
        assert_eq!(monitor.judge(&state), Judgement::Violated(text), "what is wrong stays wrong");
    }
    for deadline in [2, 63, 64, usize::MAX] {
        let mut state = start;
        monitor.expired(&mut state, deadline, &mut deadlines);
        assert_eq!(state, start, "no such deadline");
    }
    let mut settled = HeartbeatObserverState::Settled;
    monitor.expired(&mut settled, 0, &mut deadlines);
    assert_eq!(settled, HeartbeatObserverState::Settled);
}

#[test]
fn with_all_participants_known_any_fault_excuses_everything() {
    let of = heartbeat(HeartbeatVariant::Static, 4, 10, 3);
    assert!(is_violated(&judged(R2, &of, &[ToldBeat(p(1)), Timer(p(0)), Stops(p(3))])));
    assert!(is_violated(&judged(R3, &of, &[ToldBeat(p(1)), Stops(p(0))])));
    for requirement in [R2, R3] {
        for fault in [Loses(p(0), p(1)), Loses(p(2), p(0)), Crashes(p(0)), Crashes(p(2))] {
            for later in [Stops(p(0)), Stops(p(1)), Stops(p(3))] {
                assert_eq!(judged(requirement, &of, &[fault]), Judgement::Settled, "{fault:?}");
                assert_eq!(judged(requirement, &of, &[fault, later]), Judgement::Settled);
            }
        }
    }
    assert_eq!(judged(R2, &of, &[Stops(p(0))]), Judgement::Settled, "R3 is about p0");
    assert_eq!(judged(R3, &of, &[Stops(p(1))]), Judgement::Settled, "R2 is about the participants");
}

/// The crash of a participant that p0 counts excuses for ever; that of one that has not yet joined is over when it
/// starts again, and then it is a participant like any other.
#[test]
fn who_recovers_before_it_joins_is_up() {
    let monitor = HeartbeatObserver::new(R2, &heartbeat(HeartbeatVariant::Expanding, 4, 10, 2));
    let after = |first: &[Seen], recovers: bool, then: &[Seen]| {
        let mut deadlines = Deadlines::default();
        let mut state = monitor.start(&mut deadlines);
        first.iter().for_each(|seen| monitor.see(&mut state, &seen.observation(), &mut deadlines));
        if recovers {
            monitor.see(&mut state, &Observation::Recovered { process: p(1) }, &mut deadlines);
        }
        then.iter().for_each(|seen| monitor.see(&mut state, &seen.observation(), &mut deadlines));
        monitor.judge(&state)
    };
    let joins = [ToldBeat(p(1)), Stops(p(1))];
    assert_eq!(after(&[Crashes(p(1))], false, &joins), Judgement::Settled);
    assert!(is_violated(&after(&[Crashes(p(1))], true, &joins)));
    assert_eq!(after(&[ToldBeat(p(1)), Crashes(p(1))], true, &joins), Judgement::Settled);
}

#[test]
fn verdicts_name_the_process() {
    let of = heartbeat(HeartbeatVariant::Static, 4, 10, 3);
    let r2 = "p3 is inactivated, though p0 and all others it counts are up and no message was lost";
    assert_eq!(judged(R2, &of, &[Stops(p(3))]), Judgement::Violated(r2.to_string()));
    let r3 = "p0 is inactivated, though all whom it counts are up and no message was lost";
    assert_eq!(judged(R3, &of, &[Stops(p(0))]), Judgement::Violated(r3.to_string()));
}

#[test]
fn whom_p0_does_not_count_is_no_excuse() {
    let of = heartbeat(HeartbeatVariant::Dynamic, 4, 10, 3);
    let (joins, crashes) = (ToldBeat(p(1)), Crashes(p(1)));
    for (requirement, stops) in [(R2, Stops(p(2))), (R3, Stops(p(0)))] {
        let after = |observations: &[Seen]| {
            let before = judged(requirement, &of, observations);
            (before, is_violated(&judged(requirement, &of, &[observations, &[stops]].concat())))
        };
        assert_eq!(after(&[crashes]), (Judgement::Open, true), "it has not joined");
        assert_eq!(after(&[joins, crashes]), (Judgement::Settled, false));
        assert_eq!(after(&[crashes, joins]), (Judgement::Settled, false), "its request arrived late");
        let left = [joins, SaysLeave(p(1)), ToldLeave(p(1)), crashes];
        assert_eq!(after(&left), (Judgement::Open, true), "it has left");
        let leaving = [joins, SaysLeave(p(1)), crashes];
        assert_eq!(after(&leaving), (Judgement::Open, false), "p0 does not know yet that it leaves");
        let told = [joins, SaysLeave(p(1)), crashes, ToldLeave(p(1))];
        assert_eq!(after(&told), (Judgement::Open, true), "now p0 knows");
    }
}

/// The decision to leave is not enough: until p0 has been told, a crash is the crash of a participant.
#[test]
fn one_who_crashes_before_it_says_that_it_leaves_excuses_everything() {
    let of = heartbeat(HeartbeatVariant::Dynamic, 4, 10, 2);
    assert_eq!(judged(R3, &of, &[ToldBeat(p(1)), Asked(p(1)), Crashes(p(1))]), Judgement::Settled);
}

#[test]
fn r2_is_settled_when_there_is_nobody_left_to_stop() {
    let of = heartbeat(HeartbeatVariant::Expanding, 4, 10, 2);
    assert_eq!(judged(R2, &of, &[Crashes(p(1))]), Judgement::Open);
    assert_eq!(judged(R2, &of, &[Crashes(p(1)), Crashes(p(2))]), Judgement::Settled);
    assert_eq!(judged(R3, &of, &[Crashes(p(1)), Crashes(p(2))]), Judgement::Open);
    let only = HeartbeatObserver::new(R2, &of).only(p(1)).expect("p1 is a participant");
    assert_eq!(watching(&only, &[Stops(p(2))]).0, Judgement::Open, "it does not speak of p2");
    assert_eq!(watching(&only, &[Crashes(p(1))]).0, Judgement::Settled);
    assert!(is_violated(&watching(&only, &[Stops(p(1))]).0));
}

#[test]
fn an_observer_of_one_participant_fixes_it_too() {
    let of = heartbeat(HeartbeatVariant::Static, 4, 10, 3);
    for requirement in HeartbeatRequirement::ALL {
        let all = HeartbeatObserver::new(requirement, &of);
        assert_eq!(all.requirement(), requirement);
        assert_eq!((all.name(), all.symmetry()), (requirement.to_string(), Symmetry::Fixing(p(0))));
        assert_eq!((all.only(p(0)), all.only(p(4))), (None, None));
        let one = all.only(p(2)).expect("p2 is a participant");
        if requirement == R3 {
            assert_eq!(one, all);
        } else {
            assert_eq!(one.name(), format!("{requirement} for p2"));
            assert_eq!(one.symmetry(), Symmetry::FixingAll(ProcSet::from_bits(0b101)));
        }
    }
}

/// R2 and R3 word for word, with everything that was ever seen.
#[derive(Default)]
struct Literally {
    lost: bool,
    counted: ProcSet,
    down: ProcSet,
    violated: bool,
}

impl Literally {
    fn see(&mut self, requirement: HeartbeatRequirement, seen: Seen) {
        match seen {
            ToldBeat(i) => self.counted.insert(i),
            ToldLeave(i) => self.counted.remove(i),
            Loses(..) => self.lost = true,
            Crashes(i) => self.down.insert(i),
            Stops(i) => {
                let concerned = if i == p(0) { self.counted } else { self.counted.with(p(0)).without(i) };
                let spoken_of = (i == p(0)) == (requirement == R3);
                let all_up = concerned.intersection(self.down).is_empty();
                self.violated |= spoken_of && all_up && !self.lost;
                self.down.insert(i);
            }
            SaysLeave(_) | Asked(_) | Timer(_) => {}
        }
    }
}

fn any_observation(n: usize) -> impl Strategy<Value = Seen> {
    let (i, any) = ((1..=n).prop_map(p), (0..=n).prop_map(p));
    prop_oneof![
        4 => i.clone().prop_map(ToldBeat),
        3 => i.clone().prop_map(ToldLeave),
        3 => i.clone().prop_map(SaysLeave),
        1 => i.clone().prop_map(Asked),
        2 => any.clone().prop_map(Stops),
        2 => any.clone().prop_map(Crashes),
        1 => (Just(p(0)), i).prop_map(|(from, to)| Loses(from, to)),
        1 => any.prop_map(Timer),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn r2_and_r3_say_what_they_literally_mean(
        joins: bool,
        requirement in prop_oneof![Just(R2), Just(R3)],
        observations in prop::collection::vec(any_observation(3), 0..25),
    ) {
        let of = heartbeat(if joins { HeartbeatVariant::Dynamic } else { HeartbeatVariant::Static }, 4, 10, 3);
        let everyone = ProcSet::from_bits(0b1110);
        let counted = if joins { ProcSet::EMPTY } else { everyone };
        let mut literally = Literally { counted, ..Literally::default() };
        let monitor = HeartbeatObserver::new(requirement, &of);
        let mut deadlines = Deadlines::default();
        let mut state = monitor.start(&mut deadlines);
        let mut said_leave = ProcSet::EMPTY;
        for seen in observations {
            // Who is down does nothing more, and nobody is told what was not said.
            let possible = match seen {
                ToldBeat(_) => !literally.down.contains(p(0)),
                ToldLeave(i) => joins && said_leave.contains(i) && !literally.down.contains(p(0)),
                SaysLeave(i) => joins && !literally.down.contains(i),
                Asked(i) | Stops(i) | Crashes(i) | Timer(i) => !literally.down.contains(i),
                Loses(..) => true,
            };
            if !possible {
                continue;
            }
            if let SaysLeave(i) = seen {
                said_leave.insert(i);
            }
            literally.see(requirement, seen);
            monitor.see(&mut state, &seen.observation(), &mut deadlines);
            prop_assert_eq!(is_violated(&monitor.judge(&state)), literally.violated, "{:?}", seen);
        }
        prop_assert!(deadlines.orders().is_empty());
    }
}
