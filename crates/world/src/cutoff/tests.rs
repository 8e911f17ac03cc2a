//! The detector of Chandra and Toueg is in the class, with figures that can be counted by hand; the ring and the
//! heartbeats are not; and for each demand of the class there is a protocol that breaks it and no other.

use super::*;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, Meaning, Never, Pack, PeerState, PerProc, ProcSet, Promises, Protocol, Slot,
    Suspicion, packed,
};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::heartbeat::{Heartbeat, HeartbeatVariant};
use watchkeeper_protocols::ring::{Ring, StrongAccuracy};

/// Enough for everything that is finite here.
const PLENTY: u64 = 100_000;

fn detector(n: usize, cap: Option<u32>) -> ChandraToueg {
    let detector = ChandraToueg::new(n, 1, 3).expect("a detector");
    cap.map_or(detector.clone(), |cap| detector.capped(cap).expect("a detector"))
}

fn found<P: Promises + Clone>(build: impl Fn(usize) -> P) -> CutoffReport {
    let (two, three) = (build(2), build(3));
    membership(&[(2, &two), (3, &three)], PLENTY)
}

fn departure(report: &CutoffReport) -> &Departure {
    match &report.membership {
        CutoffMembership::Departs(departure) => departure,
        other => panic!("{other:?}"),
    }
}

/// With timeouts of 3 and 4 a peer has four states: trusted or suspected, with either. A trusted one can be late
/// or be heard, a suspected one can be heard, and a beat can always fall due.
#[test]
fn chandra_toueg_is_in_the_class() {
    let report = found(|n| detector(n, Some(4)));
    assert_eq!(report.membership, CutoffMembership::InClass);
    let (two, three) = (2 * 4, 3 * 16);
    assert_eq!(report.local_states, two + three);
    // For each process: its start, its beats, and for each peer what it hears and what is late.
    let (inputs_of_two, inputs_of_three) = (2 * (1 + 4 + (4 + 2)), 3 * (1 + 16 + 2 * (16 + 8)));
    assert_eq!(report.inputs, inputs_of_two + inputs_of_three);
    assert_eq!(report.permutations, inputs_of_two + 5 * inputs_of_three);
    assert_eq!(report.parts, report.inputs);
    assert_eq!(report.sizes, [2, 3]);
}

#[test]
fn chandra_toueg_is_in_the_class_among_four() {
    let all = [2, 3, 4].map(|n| (n, detector(n, Some(3))));
    let systems: Vec<(usize, &ChandraToueg)> = all.iter().map(|(n, detector)| (*n, detector)).collect();
    let report = membership(&systems, PLENTY);
    assert_eq!((report.membership, report.local_states), (CutoffMembership::InClass, 2 * 2 + 3 * 4 + 4 * 8));
}

#[test]
fn a_protocol_without_an_end_is_not_known_to_be_in_the_class() {
    let (two, three) = (detector(2, None), detector(3, None));
    let report = membership(&[(2, &two), (3, &three)], 1000);
    assert_eq!(report.membership, CutoffMembership::Unknown { most: 1000 });
}

/// Two processes of a ring cannot tell that it is one; of three, the successor is not the other one.
#[test]
fn the_ring_departs_by_its_successors() {
    let report = found(|n| Ring::new(n, 1).expect("a ring"));
    let departure = departure(&report);
    assert_eq!((departure.demand, departure.n, departure.process), (Demand::Alike, 3, Pid::at(0)));
    assert_eq!(
        departure.to_string(),
        "the class demands that no renaming of the processes can be seen; with n = 3, p0, when it starts: with p1 \
         renamed p2, p2 renamed p1 it should come to RingState { target: p2, received: false }, ARE-YOU-ALIVE to \
         p2, Round in [1, 1], and comes to RingState { target: p1, received: false }, ARE-YOU-ALIVE to p1, Round \
         in [1, 1]"
    );
    let strong = |n| Ring::with_policy(StrongAccuracy::new(Some(3)), n, 2).expect("a ring");
    let report = found(strong);
    assert_eq!(super::tests::departure(&report).demand, Demand::Alike);
}

#[test]
fn the_heartbeats_have_a_coordinator() {
    let report = found(|n| Heartbeat::new(HeartbeatVariant::Static, 1, 4, n - 1).expect("a protocol"));
    assert_ne!(report.membership, CutoffMembership::InClass);
}

/// What is wrong with a detector that otherwise is in the class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    None,
    /// Says nothing of its parts.
    Secretive,
    /// Picks whether to suspect.
    Gambles,
    /// Sends to itself.
    Soliloquises,
    /// Tells whom it suspects.
    Names,
    /// Has a favourite.
    Favours,
    /// Keeps something that is in no part.
    Hides,
    /// Forgives all as soon as one is heard.
    Forgives,
    /// Rearms the timers of others.
    Rearms,
    /// Suspects one at a time only.
    Hesitates,
    /// Answers.
    Answers,
    /// Beats only to those it trusts.
    Snubs,
    /// Says of one what is true of another.
    Slanders,
    /// Waits longer among many.
    Counts,
}

#[derive(Clone, Debug)]
struct Sample {
    n: usize,
    flaw: Flaw,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
struct State {
    suspects: ProcSet,
    ages: PerProc<u8>,
    odd: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Msg {
    Alive,
    Suspects(ProcSet),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Timer {
    #[slot("beat")]
    Beat,
    #[slot("wait")]
    Wait(Pid),
}

impl Sample {
    fn peers(&self, me: Pid) -> impl Iterator<Item = Pid> {
        Pid::all(self.n).filter(move |&p| p != me)
    }

    fn beat(&self, me: Pid, state: &State, fx: &mut impl Effects<Self>) {
        for peer in self.peers(me) {
            match self.flaw {
                Flaw::Names => fx.send(peer, Msg::Suspects(state.suspects)),
                Flaw::Snubs if state.suspects.contains(peer) => {}
                _ => fx.send(peer, Msg::Alive),
            }
        }
        if self.flaw == Flaw::Soliloquises {
            fx.send(me, Msg::Alive);
        }
        fx.arm(Timer::Beat, Bound::exactly(1));
    }

    fn wait(&self, peer: Pid, fx: &mut impl Effects<Self>) {
        let long =
            (self.flaw == Flaw::Counts && self.n > 2) || (self.flaw == Flaw::Favours && peer.index() == 0);
        fx.arm(Timer::Wait(peer), Bound::exactly(if long { 9 } else { 3 }));
    }

    fn late(&self, me: Pid, peer: Pid, state: &mut State, fx: &mut impl Effects<Self>) {
        if self.flaw == Flaw::Gambles && fx.pick(2) == 1 {
            return;
        }
        if self.flaw == Flaw::Hesitates && !state.suspects.is_empty() {
            return self.wait(peer, fx);
        }
        state.suspects.insert(peer);
        fx.emit(Suspicion::Suspect(peer));
        if self.flaw == Flaw::Slanders {
            self.peers(me).filter(|&p| p != peer).for_each(|p| fx.emit(Suspicion::Trust(p)));
        }
    }

    fn heard(&self, me: Pid, from: Pid, state: &mut State, fx: &mut impl Effects<Self>) {
        state.suspects.remove(from);
        match self.flaw {
            Flaw::Forgives => state.suspects = ProcSet::EMPTY,
            Flaw::Hides => state.odd ^= true,
            Flaw::Answers => fx.reply(from, Msg::Alive),
            Flaw::Rearms => self.peers(me).for_each(|peer| self.wait(peer, fx)),
            _ => {}
        }
        if self.flaw != Flaw::Forgives {
            self.wait(from, fx);
        }
    }
}

impl Protocol for Sample {
    type State = State;
    type Msg = Msg;
    type Timer = Timer;
    type Call = Never;
    type Output = Suspicion;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) -> State {
        let state = State { suspects: ProcSet::EMPTY, ages: PerProc::new(self.n, 0), odd: false };
        self.beat(me, &state, fx);
        self.peers(me).for_each(|peer| self.wait(peer, fx));
        state
    }

    fn step(&self, me: Pid, state: &mut State, input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        match input {
            Input::Fire(Timer::Beat) => self.beat(me, state, fx),
            Input::Fire(Timer::Wait(peer)) => self.late(me, peer, state, fx),
            Input::Receive { from, .. } => self.heard(me, from, state, fx),
            Input::Call(call) => match *call {},
            Input::Notice(_) => {}
        }
    }

    fn meaning(&self, output: &Suspicion) -> Meaning {
        Meaning::from(*output)
    }
}

impl Promises for Sample {
    fn about(&self, me: Pid, state: &State, whom: Pid) -> Option<PeerState<Timer>> {
        let timer = if whom == me { Timer::Beat } else { Timer::Wait(whom) };
        let part = packed(&(state.suspects.contains(whom), state.ages.get(whom).copied()));
        (self.flaw != Flaw::Secretive).then_some(PeerState { state: part, timers: vec![timer] })
    }
}

#[test]
fn every_demand_is_one_that_can_be_broken() {
    let expected = [
        (Flaw::Gambles, Demand::Deterministic, 2),
        (Flaw::Soliloquises, Demand::PointToPoint, 2),
        (Flaw::Names, Demand::PointToPoint, 2),
        (Flaw::Favours, Demand::Alike, 2),
        (Flaw::Hides, Demand::Whole, 2),
        (Flaw::Forgives, Demand::Apart, 3),
        (Flaw::Rearms, Demand::Apart, 3),
        (Flaw::Slanders, Demand::Apart, 3),
        (Flaw::Answers, Demand::ToAll, 2),
        (Flaw::Snubs, Demand::Separate, 2),
        (Flaw::Hesitates, Demand::AnySize, 3),
        (Flaw::Counts, Demand::AnySize, 3),
    ];
    for (flaw, demand, n) in expected {
        let report = found(|n| Sample { n, flaw });
        let departure = departure(&report);
        assert_eq!((departure.demand, departure.n), (demand, n), "{flaw:?}: {departure}");
    }
    assert_eq!(found(|n| Sample { n, flaw: Flaw::None }).membership, CutoffMembership::InClass);
}

/// Among three alone nothing smaller shows that a process looks at one peer to judge another.
#[test]
fn what_depends_on_others_shows_among_equals_too() {
    let three = Sample { n: 3, flaw: Flaw::Hesitates };
    let report = membership(&[(3, &three)], PLENTY);
    let departure = departure(&report);
    assert_eq!(departure.demand, Demand::Separate, "{departure}");
    assert!(departure.state.as_deref().is_some_and(|state| state.contains("suspects")), "{departure}");
    // Of two, a process sends to the other or not; of three it may be seen to choose.
    let report = membership(&[(3, &Sample { n: 3, flaw: Flaw::Snubs })], PLENTY);
    assert_eq!(super::tests::departure(&report).demand, Demand::ToAll);
}

/// Nobody says that it keeps its peers apart, so nobody claims it.
#[test]
fn a_protocol_that_does_not_tell_its_parts_is_alike_at_most() {
    let report = found(|n| Sample { n, flaw: Flaw::Secretive });
    // Without parts nothing says that a timer goes with its peer.
    assert_eq!(departure(&report).demand, Demand::Alike);
    let report = membership(&[(2, &Quiet)], PLENTY);
    assert_eq!((report.membership, report.parts), (CutoffMembership::Alike, 0));
}

/// Does nothing at all.
#[derive(Clone)]
struct Quiet;

impl Protocol for Quiet {
    type State = ();
    type Msg = Never;
    type Timer = Never;
    type Call = Never;
    type Output = Never;

    fn init(&self, _: Pid, _: &mut impl Effects<Self>) {}

    fn step(&self, _: Pid, (): &mut (), _: Input<'_, Self>, _: &mut impl Effects<Self>) {}
}

impl Promises for Quiet {}
