//! What each policy adds to the skeleton: a timeout that grows up to a cap, a process named in advance,
//! a set of suspects that travels with the questions, suspects that are asked again.

use crate::script::{Effect, Event, p, start, step};
use watchkeeper_core::Suspicion::{Suspect, Trust};
use watchkeeper_core::{Bound, Kind, Pack, Pid, ProcSet, Promises, Symmetry, packed, unpacked};
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};
use watchkeeper_protocols::ring::{
    GossipMsg, HeardMessage, Ring, RingError, RingMsg, RingPolicy, StrongAccuracy, StrongCompleteness,
    TimeoutAdaptation, WeakAccuracy,
};

/// Not of the family: writes down the arcs that it is told of, whom from, and how often.
struct Diary;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Default)]
struct Entry {
    heard: u8,
    from: Option<Pid>,
    trusted: ProcSet,
    local: ProcSet,
}

impl RingPolicy for Diary {
    type Memory = Entry;
    type Msg = RingMsg;

    fn memory(&self, _: usize, _: u32) -> Entry {
        Entry::default()
    }

    fn message(&self, plain: RingMsg, _: &Entry) -> RingMsg {
        plain
    }

    fn plain(&self, msg: &RingMsg) -> RingMsg {
        *msg
    }

    fn heard(&self, heard: HeardMessage<'_, RingMsg>, entry: &mut Entry) {
        assert_eq!(heard.ring, ProcSet::first(5));
        let HeardMessage { from, trusted, local, .. } = heard;
        *entry = Entry { heard: entry.heard + 1, from: Some(from), trusted, local };
    }
}

fn arm<M>(after: u32) -> Effect<M> {
    Effect::Arm(Bound::exactly(after))
}

fn complete(n: usize, adaptation: TimeoutAdaptation) -> Ring<StrongCompleteness> {
    Ring::with_policy(StrongCompleteness::new(adaptation), n, 5).expect("a ring")
}

fn asking(suspects: &[usize]) -> GossipMsg {
    GossipMsg::AreYouAlive(suspects.iter().map(|&i| p(i)).collect())
}

#[test]
fn a_timeout_grows_for_its_target_and_stops_at_its_cap() {
    let ring = Ring::with_policy(StrongAccuracy::new(Some(7)), 2, 5).expect("a ring");
    assert_eq!(ring.symmetry(), Symmetry::Rotations);
    assert_eq!(ring.timeout_cap(), Some(7));
    let (mut state, effects) = start(&ring, p(0));
    assert_eq!(effects, [Effect::Send(p(1), AreYouAlive), arm(5)]);
    for (adaptation, full) in [(6, false), (7, true), (7, true)] {
        let effects = step(&ring, p(0), &mut state, &Event::Round);
        assert_eq!(effects, [Effect::Emit(Suspect(p(1))), arm(5)], "alone, with the timeout for itself");
        step(&ring, p(0), &mut state, &Event::Receive(p(1), AreYouAlive));
        let effects = step(&ring, p(0), &mut state, &Event::Round);
        assert_eq!(effects, [Effect::Send(p(1), AreYouAlive), arm(adaptation)]);
        assert_eq!(ring.at_cap(p(0), &state).contains(p(1)), full, "a cap that is reached can be seen");
    }
    assert_eq!(ring.at_cap(p(0), &state), ProcSet::only(p(1)));
}

#[test]
fn an_answer_in_time_leaves_the_timeout_as_it_is() {
    let ring = Ring::with_policy(StrongAccuracy::new(Some(9)), 3, 5).expect("a ring");
    let (mut state, _) = start(&ring, p(0));
    let first = state.clone();
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Receive(p(1), IAmAlive));
        assert_eq!(step(&ring, p(0), &mut state, &Event::Round), [Effect::Send(p(1), AreYouAlive), arm(5)]);
    }
    assert_eq!(state, first);
    assert!(ring.at_cap(p(0), &state).is_empty());
}

#[test]
fn without_a_cap_a_timeout_grows_for_as_long_as_there_are_numbers() {
    let ring = Ring::with_policy(StrongAccuracy::new(None), 2, u32::MAX - 1).expect("a ring");
    assert_eq!(ring.timeout_cap(), None, "no search of this ring can be whole");
    let (mut state, _) = start(&ring, p(0));
    for adaptation in [u32::MAX, u32::MAX] {
        step(&ring, p(0), &mut state, &Event::Round);
        step(&ring, p(0), &mut state, &Event::Receive(p(1), IAmAlive));
        assert_eq!(ring.timeout(p(1), &state), adaptation);
    }
    assert!(ring.at_cap(p(0), &state).is_empty(), "there is no cap to stand at");
}

#[test]
fn a_candidate_decides_whose_timeout_grows_and_breaks_the_symmetry() {
    let ring = Ring::with_policy(WeakAccuracy::new(p(2), Some(9)), 4, 5).expect("a ring");
    assert_eq!(ring.symmetry(), Symmetry::None);
    let (mut state, _) = start(&ring, p(0));
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Round);
    }
    let timeouts: Vec<u32> = state.memory().iter().map(|(_, timeout)| *timeout).collect();
    assert_eq!(timeouts, [5, 5, 6, 6], "p1 lies before the candidate, p2 is it, p3 lies behind");
}

#[test]
fn the_candidate_itself_has_no_reason_for_patience() {
    let ring = Ring::with_policy(WeakAccuracy::new(p(2), Some(9)), 4, 5).expect("a ring");
    let (mut state, _) = start(&ring, p(2));
    for _ in 0..5 {
        step(&ring, p(2), &mut state, &Event::Round);
    }
    assert!(Pid::all(4).all(|q| ring.timeout(q, &state) == 5));
}

#[test]
fn suspects_travel_with_the_questions_and_are_announced_once() {
    let ring = complete(4, TimeoutAdaptation::ForAll { max_delta: Some(9) });
    assert_eq!(ring.symmetry(), Symmetry::Rotations);
    let (mut state, effects) = start(&ring, p(0));
    assert_eq!(effects, [Effect::Send(p(1), asking(&[])), arm(5)]);
    let effects = step(&ring, p(0), &mut state, &Event::Receive(p(3), asking(&[0, 2, 3])));
    assert_eq!(
        effects,
        [Effect::Reply(p(3), GossipMsg::IAmAlive), Effect::Emit(Suspect(p(2)))],
        "neither oneself nor the sender"
    );
    assert_eq!(ring.target(p(0), &state), p(1), "the arc is one's own business");
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(effects, [Effect::Emit(Suspect(p(1))), Effect::Send(p(2), asking(&[1, 2])), arm(5)]);
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(effects, [Effect::Send(p(3), asking(&[1, 2])), arm(5)], "p2 was known");
    let effects = step(&ring, p(0), &mut state, &Event::Receive(p(2), GossipMsg::IAmAlive));
    assert_eq!(effects, [Effect::Emit(Trust(p(2)))]);
    assert_eq!(ring.suspects(p(0), &state), ProcSet::only(p(1)));
    assert_eq!((ring.timeout(p(1), &state), ring.timeout(p(2), &state)), (6, 6));
}

#[test]
fn suspects_are_asked_again_in_each_round_and_an_answer_ends_the_suspicion() {
    let policy = StrongCompleteness::new(TimeoutAdaptation::Fixed).asking_again();
    let ring = Ring::with_policy(policy, 3, 5).expect("a ring");
    let (mut state, effects) = start(&ring, p(0));
    assert_eq!(effects, [Effect::Send(p(1), asking(&[])), arm(5)], "there is nobody to ask again");
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    let question = asking(&[1]);
    assert_eq!(
        effects,
        [Effect::Emit(Suspect(p(1))), Effect::Send(p(2), question), Effect::Send(p(1), question), arm(5)]
    );
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    let question = asking(&[1, 2]);
    assert_eq!(
        effects,
        [Effect::Emit(Suspect(p(2))), Effect::Send(p(1), question), Effect::Send(p(2), question), arm(5)],
        "a process that suspects everyone asks everyone"
    );
    assert_eq!(
        step(&ring, p(0), &mut state, &Event::Receive(p(2), GossipMsg::IAmAlive)),
        [Effect::Emit(Trust(p(2)))]
    );
    assert_eq!(
        step(&ring, p(0), &mut state, &Event::Receive(p(1), GossipMsg::IAmAlive)),
        [Effect::Emit(Trust(p(1)))]
    );
    let effects = step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(effects, [Effect::Send(p(1), asking(&[])), arm(5)], "as at the start");
}

/// Figure 6.4 takes only the sender of an answer out of G, but the whole arc behind it out of L. The rest
/// of the arc stays announced until the next question comes around.
#[test]
fn an_answer_takes_its_sender_out_of_the_global_set_and_a_question_replaces_the_set() {
    let ring = complete(4, TimeoutAdaptation::Fixed);
    let (mut state, _) = start(&ring, p(0));
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Round);
    }
    assert_eq!(ring.suspects(p(0), &state).to_string(), "{p1,p2,p3}");
    step(&ring, p(0), &mut state, &Event::Receive(p(1), GossipMsg::IAmAlive));
    assert_eq!(ring.target(p(0), &state), p(1));
    assert_eq!(ring.suspects(p(0), &state).to_string(), "{p2,p3}");
    let effects = step(&ring, p(0), &mut state, &Event::Receive(p(3), asking(&[])));
    assert_eq!(
        effects,
        [Effect::Reply(p(3), GossipMsg::IAmAlive), Effect::Emit(Trust(p(2))), Effect::Emit(Trust(p(3)))]
    );
}

#[test]
fn a_set_from_the_wire_names_nobody_outside_the_ring() {
    let ring = complete(3, TimeoutAdaptation::Fixed);
    let (mut state, _) = start(&ring, p(0));
    step(&ring, p(0), &mut state, &Event::Receive(p(2), GossipMsg::AreYouAlive(ProcSet::first(64))));
    assert_eq!(ring.suspects(p(0), &state), ProcSet::only(p(1)));
}

#[test]
fn strong_completeness_stands_on_each_kind_of_patience() {
    let named = TimeoutAdaptation::ForCandidate { candidate: p(1), max_delta: Some(8) };
    assert_eq!(complete(3, named).symmetry(), Symmetry::None);
    assert_eq!(complete(3, named).timeout_cap(), Some(8));
    assert_eq!(complete(3, TimeoutAdaptation::Fixed).symmetry(), Symmetry::Rotations);
    assert_eq!(complete(3, TimeoutAdaptation::Fixed).timeout_cap(), Some(5), "what does not grow has a cap");
    assert_eq!(complete(3, TimeoutAdaptation::ForAll { max_delta: None }).timeout_cap(), None);
    assert_eq!(Ring::new(3, 5).expect("a ring").timeout_cap(), Some(5));
}

#[test]
fn a_timeout_that_does_not_adapt_is_not_at_a_cap() {
    let ring = Ring::new(3, 5).expect("a ring");
    assert!(ring.at_cap(p(0), &start(&ring, p(0)).0).is_empty());
    let stiff = Ring::with_policy(StrongAccuracy::new(Some(5)), 3, 5).expect("a ring");
    assert_eq!(stiff.at_cap(p(0), &start(&stiff, p(0)).0).to_string(), "{p1,p2}", "a cap too low to adapt");
}

#[test]
fn candidates_and_caps_that_cannot_be_are_refused_with_advice() {
    let told = |error: RingError| error.to_string();
    let outside = Ring::with_policy(WeakAccuracy::new(p(3), Some(9)), 3, 5).map_err(told);
    assert_eq!(outside, Err("the candidate p3 is not in a ring of 3: choose p0 to p2".to_string()));
    let low = Ring::with_policy(StrongAccuracy::new(Some(4)), 3, 5).map_err(told);
    assert_eq!(low, Err("a cap of 4 is below the first timeout: choose 5 or more".to_string()));
    assert_eq!(
        Ring::with_policy(WeakAccuracy::new(p(0), Some(0)), 3, 0),
        Err(RingError::NoTimeout),
        "what is wrong with every ring is told first"
    );
}

#[test]
fn a_policy_hears_what_is_not_discarded_and_what_came_of_it() {
    let ring = Ring::with_policy(Diary, 5, 5).expect("a ring");
    let (mut state, _) = start(&ring, p(0));
    for _ in 0..3 {
        step(&ring, p(0), &mut state, &Event::Round);
    }
    let mut hear = |from, msg| {
        step(&ring, p(0), &mut state, &Event::Receive(from, msg));
        let Entry { heard, from, trusted, local } = state.memory().clone();
        (heard, from, trusted.to_string(), local.to_string())
    };
    let entry =
        |heard, from, trusted: &str, local: &str| (heard, Some(from), trusted.to_string(), local.to_string());
    assert_eq!(hear(p(4), IAmAlive), entry(1, p(4), "{}", "{p1,p2,p3}"), "the target");
    assert_eq!(hear(p(2), IAmAlive), entry(2, p(2), "{p2,p3}", "{p1}"), "a suspect");
    assert_eq!(hear(p(4), IAmAlive), entry(2, p(2), "{p2,p3}", "{p1}"), "neither, and discarded");
    assert_eq!(hear(p(4), AreYouAlive), entry(3, p(4), "{}", "{p1}"), "a question from anyone");
}

#[test]
fn what_is_sent_and_stored_is_as_short_as_it_can_be_and_can_be_read_again() {
    assert_eq!(GossipMsg::KINDS, RingMsg::KINDS);
    assert_eq!(packed(&GossipMsg::IAmAlive), [1]);
    assert_eq!(packed(&asking(&[1, 2])), [0, 0b110]);
    let ring = complete(3, TimeoutAdaptation::ForAll { max_delta: Some(9) });
    let (mut state, _) = start(&ring, p(0));
    step(&ring, p(0), &mut state, &Event::Round);
    assert_eq!(packed(&state), [2, 0, 3, 5, 6, 5, 0b10], "target, flag, three timeouts, G");
    assert_eq!(unpacked(&packed(&state)), Ok(state));
}
