//! One decision after another: in order, the same for everyone, and learnt by those who are behind; also at
//! the top of the whole tower, on a bad network and on a real detector, while one process crashes.

use crate::network::{Conditions, Network};
use crate::script::{Effect, EffectsOf, hear, p, start, step};
use watchkeeper_core::{Input, Kind, Pid, Promises, Protocol, Reception, Suspicion};
use watchkeeper_protocols::chandra_toueg::ChandraToueg;
use watchkeeper_protocols::consensus::{
    Consensus, ConsensusCall, ConsensusOutput, Rotating, RotatingMsg, Strong,
};
use watchkeeper_protocols::ring::{Ring, RingTimer, StrongCompleteness, TimeoutAdaptation};
use watchkeeper_protocols::stack::{
    Layer, Mailbox, Numbered, Reliable, Series, SeriesDecision, SeriesState, Stack,
};

fn rotating(n: usize) -> Series<Rotating> {
    Series::new(Rotating::new(n).expect("a protocol"))
}

fn in_instance(instance: u64, inner: RotatingMsg) -> Numbered<RotatingMsg> {
    Numbered { instance, inner }
}

fn decision(value: u64) -> RotatingMsg {
    RotatingMsg::Decide { value }
}

fn decides(asked: &EffectsOf<Series<Rotating>>) -> Vec<SeriesDecision> {
    let decided = asked.iter().filter_map(|effect| match effect {
        Effect::Emit(output) => Series::<Rotating>::decided(output),
        _ => None,
    });
    decided.collect()
}

#[test]
fn a_decision_is_the_beginning_of_the_next_instance() {
    let series = rotating(3);
    let (mut state, asked) = start(&series, p(0));
    assert_eq!((state.instance(), asked.len()), (0, 0));
    let asked = hear(&series, p(0), &mut state, p(1), in_instance(0, decision(7)));
    // It relays what it heard, in the instance in which it heard it.
    assert_eq!(asked[0], Effect::Send(p(2), in_instance(0, decision(7))));
    assert_eq!(decides(&asked), [SeriesDecision { instance: 0, value: 7 }]);
    assert_eq!(state.instance(), 1);
    assert_eq!(state.inner(), start(&series, p(0)).0.inner());
    let asked = step(&series, p(0), &mut state, Input::Call(&ConsensusCall::Propose(3)));
    let estimate = RotatingMsg::Estimate { round: 1, estimate: 3, stamp: 0 };
    assert_eq!(asked, [Effect::Send(p(1), in_instance(1, estimate))]);
    let asked = step(&series, p(0), &mut state, Input::Call(&ConsensusCall::Propose(4)));
    assert_eq!(asked, [Effect::Emit(Numbered { instance: 1, inner: ConsensusOutput::Refuse(4) })]);
}

#[test]
fn later_instances_wait_and_earlier_ones_are_over() {
    let series = rotating(3);
    let (mut state, _) = start(&series, p(0));
    hear(&series, p(0), &mut state, p(1), in_instance(0, decision(7)));
    let wants = |instance| Reception::of(&series, p(0), &state, p(1), &in_instance(instance, decision(1)));
    assert_eq!(
        [wants(0), wants(1), wants(2), wants(u64::MAX)],
        [Reception::Discarded, Reception::Accepted, Reception::Deferred, Reception::Deferred]
    );
    let before = state.clone();
    for instance in [0, 2] {
        assert_eq!(hear(&series, p(0), &mut state, p(1), in_instance(instance, decision(1))), []);
    }
    assert_eq!(state, before);
}

#[test]
fn kinds_are_those_of_the_protocol_and_labels_name_the_instance() {
    assert_eq!(Numbered::<RotatingMsg>::KINDS, RotatingMsg::KINDS);
    let msg = in_instance(12, decision(5));
    assert_eq!((msg.kind(), msg.label()), (4, "decision 5 in 12".to_string()));
    const { assert!(Series::<Rotating>::SELECTIVE_RECEIVE.is_some()) };
}

/// The coordinator of the first round is suspected: a process that is told so again in the next instance does
/// not wait for it there.
#[test]
fn suspects_are_remembered_from_instance_to_instance() {
    let series = rotating(3);
    let (mut state, _) = start(&series, p(0));
    step(&series, p(0), &mut state, Input::Notice(Suspicion::Suspect(p(1))));
    step(&series, p(0), &mut state, Input::Notice(Suspicion::Suspect(p(2))));
    hear(&series, p(0), &mut state, p(1), in_instance(0, decision(7)));
    step(&series, p(0), &mut state, Input::Notice(Suspicion::Trust(p(2))));
    assert_eq!(state.suspects().to_string(), "{p1}");
    assert_eq!(state.inner().suspects, state.suspects());
    let asked = step(&series, p(0), &mut state, Input::Call(&ConsensusCall::Propose(3)));
    let estimate = |round| RotatingMsg::Estimate { round, estimate: 3, stamp: 0 };
    assert_eq!(
        asked,
        [
            Effect::Send(p(1), in_instance(1, estimate(1))),
            Effect::Send(p(1), in_instance(1, RotatingMsg::Nack { round: 1 })),
            Effect::Send(p(2), in_instance(1, estimate(2))),
        ]
    );
}

/// Lets everyone propose as soon as it is in an instance, until all that are up have decided `wanted` times;
/// returns what each decided.
fn run<P: Protocol>(
    system: &mut Network<P>,
    wanted: u64,
    propose: impl Fn(u64) -> P::Call,
    instance: impl Fn(&P::State) -> u64,
    decided: impl Fn(&P::Output) -> Option<SeriesDecision>,
    mut meanwhile: impl FnMut(&mut Network<P>),
) -> Vec<Vec<u64>> {
    let n = system.states.len();
    let mut asked = vec![0; n];
    loop {
        let mut all = true;
        for me in Pid::all(n).filter(|&me| !system.down.contains(me)).collect::<Vec<_>>() {
            let now = instance(&system.states[me.index()]);
            all &= now >= wanted;
            if now == asked[me.index()] && now < wanted {
                asked[me.index()] += 1;
                system.call(me, propose(10 * now + me.index() as u64));
            } else if now > asked[me.index()] {
                asked[me.index()] = now;
            }
        }
        if all {
            break;
        }
        meanwhile(system);
        assert!(system.turn(), "nothing more happens");
        assert!(system.now < 1_000_000, "no decision");
    }
    let values = |me: Pid| {
        let announced = system.announced_by(me);
        let decisions: Vec<SeriesDecision> = announced.iter().filter_map(&decided).collect();
        for (place, decision) in decisions.iter().enumerate() {
            assert_eq!(decision.instance, place as u64, "in order and once");
            assert_eq!(decision.value / 10, decision.instance, "a value of this instance");
        }
        decisions.into_iter().map(|decision| decision.value).collect()
    };
    Pid::all(n).map(values).collect()
}

fn agree(values: &[Vec<u64>]) {
    let longest = values.iter().max_by_key(|values| values.len()).expect("there are processes");
    for values in values {
        assert_eq!(values[..], longest[..values.len()]);
    }
}

fn is_in<S>(state: &SeriesState<S>) -> u64 {
    state.instance()
}

#[test]
fn thirty_decisions_with_a_crash_and_any_order_of_messages() {
    for seed in 0..30 {
        let conditions = Conditions { lost: 0, twice: 10, delay: 1..=20 };
        let mut system = Network::new(Mailbox::new(rotating(3)), 3, conditions, seed);
        let crash = |system: &mut Network<Mailbox<Series<Rotating>>>| {
            if system.now > 100 && system.down.is_empty() {
                system.crash(p(1));
                system.notice(p(0), Suspicion::Suspect(p(1)));
                system.notice(p(2), Suspicion::Suspect(p(1)));
            }
        };
        let decided = Series::<Rotating>::decided;
        let state = |state: &<Mailbox<Series<Rotating>> as Protocol>::State| is_in(state.inner());
        let values = run(&mut system, 30, ConsensusCall::Propose, state, decided, crash);
        agree(&values);
        assert!(values[0].len() == 30 && values[2].len() == 30 && values[1].len() < 30);
    }
}

#[test]
fn a_series_of_algorithm_10() {
    let strong = Series::new(Strong::new(4).expect("a protocol"));
    let conditions = Conditions { lost: 0, twice: 10, delay: 1..=20 };
    let mut system = Network::new(Mailbox::new(strong), 4, conditions, 3);
    let state = |state: &<Mailbox<Series<Strong>> as Protocol>::State| is_in(state.inner());
    let values = run(&mut system, 12, ConsensusCall::Propose, state, Series::<Strong>::decided, |_| {});
    agree(&values);
    assert_eq!(values[3].len(), 12);
}

type Tower<D> = Stack<Reliable<Mailbox<Series<Rotating>>>, D>;

fn tower<D: Protocol>(n: usize, detector: D) -> Tower<D> {
    Stack::new(Reliable::new(Mailbox::new(rotating(n)), n, 15).expect("links"), detector)
}

/// Twenty decisions on a network that loses a quarter of all messages, with wrong suspicions and one crash.
fn stands<D: Protocol + Clone>(detector: D, n: usize, lost: u64) {
    let mut suspicions = 0;
    for seed in 0..10 {
        let conditions = Conditions { lost, twice: 10, delay: 1..=6 };
        let mut system = Network::new(tower(n, detector.clone()), n, conditions, seed);
        let crash = |system: &mut Network<Tower<D>>| {
            if system.now > 150 && system.down.is_empty() {
                system.crash(p(0));
            }
        };
        let state = |state: &<Tower<D> as Protocol>::State| is_in(state.above().inner().inner());
        let propose = |value| Layer::Above(ConsensusCall::Propose(value));
        let decided = |output: &<Tower<D> as Protocol>::Output| match output {
            Layer::Above(output) => Series::<Rotating>::decided(output),
            Layer::Below(_) => None,
        };
        let values = run(&mut system, 20, propose, state, decided, crash);
        agree(&values);
        assert!(values[1..].iter().all(|values| values.len() == 20));
        let below = |output: &&_| matches!(output, Layer::Below(_));
        suspicions += system.announced.iter().map(|(_, output)| output).filter(below).count();
    }
    assert!(suspicions > 10, "{suspicions}");
}

#[test]
fn the_tower_decides_on_the_detector_of_chandra_and_toueg() {
    stands(ChandraToueg::new(3, 4, 10).expect("a detector"), 3, 25);
    stands(ChandraToueg::new(5, 4, 10).expect("a detector"), 5, 10);
}

/// The ring does not survive losses; so here there are none, and the crash is found out about all the same.
#[test]
fn the_tower_decides_on_a_ring_that_tells_everyone() {
    let gossip = StrongCompleteness::new(TimeoutAdaptation::Fixed);
    stands(Ring::with_policy(gossip, 3, 14).expect("a ring"), 3, 0);
}

/// The requirements are observed in compositions as they are in the protocol itself.
#[test]
fn a_composition_of_a_consensus_protocol_is_one() {
    type Single = Stack<Reliable<Mailbox<Rotating>>, Ring>;
    let mailbox = Mailbox::new(Rotating::new(3).expect("a protocol"));
    let ring = Ring::new(3, 4).expect("a ring");
    let stack: Single = Stack::new(Reliable::new(mailbox, 3, 9).expect("links"), ring);
    assert_eq!(Single::proposes(&Layer::Above(ConsensusCall::Propose(5))), Some(5));
    assert_eq!(Single::decides(&Layer::Above(ConsensusOutput::Decide(5))), Some(5));
    assert_eq!(Single::decides(&Layer::Above(ConsensusOutput::Refuse(5))), None);
    assert_eq!(Single::decides(&Layer::Below(Suspicion::Suspect(p(1)))), None);
    let mut system = Network::new(stack.clone(), 3, Conditions { lost: 0, twice: 0, delay: 1..=2 }, 0);
    assert_eq!(stack.decision(&system.states[0]), None);
    for me in Pid::all(3) {
        system.call(me, Layer::Above(ConsensusCall::Propose(me.index() as u64)));
    }
    while system.now < 60 {
        system.turn();
    }
    let decisions: Vec<_> = system.states.iter().map(|state| stack.decision(state)).collect();
    assert!(
        decisions[0].is_some() && decisions.iter().all(|decision| *decision == decisions[0]),
        "{decisions:?}"
    );
}

#[test]
fn a_horizon_is_seen_through_every_layer() {
    let bounded = Rotating::new(3).and_then(|protocol| protocol.within(1)).expect("a protocol");
    let series = Series::new(bounded);
    let stack = Stack::new(
        Reliable::new(Mailbox::new(series), 3, 9).expect("links"),
        Ring::new(3, 4).expect("a ring"),
    );
    assert!(stack.horizon().is_some_and(|limit| limit.contains("1 rounds")));
    let (mut state, _) = start(&stack, p(0));
    assert!(!stack.beyond(&state));
    step(&stack, p(0), &mut state, Input::Call(&Layer::Above(ConsensusCall::Propose(1))));
    assert!(!stack.beyond(&state));
    // Whoever suspects the coordinator goes on to the second round, which is the end of the first.
    step(&stack, p(0), &mut state, Input::Fire(Layer::Below(RingTimer::Round)));
    assert!(!stack.beyond(&state));
    step(&stack, p(0), &mut state, Input::Fire(Layer::Below(RingTimer::Round)));
    assert!(stack.beyond(&state));
}
