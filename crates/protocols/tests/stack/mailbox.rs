//! A mailbox hands a selective protocol what it wants when it wants it, and nothing else.

use crate::network::Dice;
use crate::script::{Effect, EffectsOf, hear, p, start, step};
use crate::small::{Counter, CounterMsg, CounterOutput};
use watchkeeper_core::{
    Input, Kind, Pack, Perm, Pid, Promises, Protocol, Reception, Suspicion, Symmetry, packed, unpacked,
};
use watchkeeper_protocols::consensus::{
    Consensus, ConsensusCall, ConsensusOutput, Rotating, RotatingMsg, Strong, StrongMsg,
};
use watchkeeper_protocols::stack::{Mailbox, MailboxState};

type State = MailboxState<u64, CounterMsg>;

fn number(mailbox: &Mailbox<Counter>, state: &mut State, from: usize, number: u64) -> EffectsOf<Counter> {
    hear(mailbox, p(0), state, p(from), CounterMsg::Number(number))
}

fn took(number: u64, from: usize) -> Effect<CounterMsg, watchkeeper_core::Never, CounterOutput> {
    Effect::Emit(CounterOutput::Took(number, p(from)))
}

#[test]
fn what_waits_is_handed_over_as_soon_as_it_is_wanted() {
    let mailbox = Mailbox::new(Counter);
    let (mut state, _) = start(&mailbox, p(0));
    assert_eq!(number(&mailbox, &mut state, 1, 2), []);
    assert_eq!(number(&mailbox, &mut state, 2, 1), []);
    assert_eq!(state.kept().iter().collect::<Vec<_>>().len(), 2);
    assert_eq!(hear(&mailbox, p(0), &mut state, p(1), CounterMsg::Thanks), [], "never wanted");
    assert_eq!(
        number(&mailbox, &mut state, 3, 0),
        [
            took(0, 3),
            Effect::Reply(p(3), CounterMsg::Thanks),
            // These answer nothing that is being handled.
            took(1, 2),
            Effect::Send(p(2), CounterMsg::Thanks),
            took(2, 1),
            Effect::Send(p(1), CounterMsg::Thanks),
        ]
    );
    assert_eq!((*state.inner(), state.kept().is_empty()), (3, true));
    const { assert!(Mailbox::<Counter>::SELECTIVE_RECEIVE.is_none() && Counter::SELECTIVE_RECEIVE.is_some()) };
}

#[test]
fn of_several_that_are_wanted_the_lowest_sender_is_first_and_the_rest_is_forgotten() {
    let mailbox = Mailbox::new(Counter);
    let (mut state, _) = start(&mailbox, p(0));
    for from in [3, 1, 2, 1] {
        assert_eq!(number(&mailbox, &mut state, from, 1), []);
    }
    assert_eq!(state.kept().len(), 4, "a message may be there twice");
    let asked = number(&mailbox, &mut state, 2, 0);
    assert_eq!(asked[2], took(1, 1));
    assert_eq!(asked.len(), 4);
    assert!(state.kept().is_empty());
}

#[test]
fn the_order_of_arrival_leaves_no_trace() {
    let mailbox = Mailbox::new(Counter);
    let arrivals = [(1, 300), (1, 5), (2, 7), (2, 7), (3, 1)];
    let mut seen = Vec::new();
    for perm in Perm::all(arrivals.len()) {
        let (mut state, _) = start(&mailbox, p(0));
        for place in Pid::all(arrivals.len()) {
            let (from, value) = arrivals[perm.apply(place).index()];
            number(&mailbox, &mut state, from, value);
        }
        seen.push(packed(&state));
        assert_eq!(unpacked::<State>(&packed(&state)), Ok(state));
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
}

#[test]
fn each_sender_has_a_limit_of_its_own() {
    let mailbox = Mailbox::new(Counter).holding(2);
    let (mut state, _) = start(&mailbox, p(0));
    for value in 1..100 {
        number(&mailbox, &mut state, 1, value);
    }
    number(&mailbox, &mut state, 2, 3);
    let kept: Vec<_> = state.kept().iter().map(|(from, msg)| (from, *msg)).collect();
    let expected = [(1, 1), (1, 2), (2, 3)].map(|(from, value)| (p(from), CounterMsg::Number(value)));
    assert_eq!(kept, expected, "what came beyond the limit is lost");
    assert_eq!(number(&mailbox, &mut state, 5, 0).len(), 8, "and the rest is not");
}

#[test]
fn bytes_in_another_order_are_refused() {
    let kept = |messages: &[(usize, u64)]| {
        let list: Vec<_> =
            messages.iter().map(|&(from, value)| (p(from), CounterMsg::Number(value))).collect();
        let mut bytes = packed(&0u64);
        list.pack(&mut bytes);
        unpacked::<State>(&bytes)
    };
    assert!(kept(&[(1, 3), (1, 3), (1, 4), (2, 1)]).is_ok());
    for wrong in [&[(2, 1), (1, 1)], &[(1, 4), (1, 3)]] {
        assert_eq!(kept(wrong).map_err(|why| why.0), Err("messages that wait are not in order"));
    }
}

#[test]
fn a_renaming_puts_what_waits_in_order_again() {
    let mailbox = Mailbox::new(Counter);
    let build = |arrivals: [(usize, u64); 3]| {
        let (mut state, _) = start(&mailbox, p(0));
        for (from, value) in arrivals {
            number(&mailbox, &mut state, from, value);
        }
        state
    };
    let renamed = build([(1, 4), (2, 3), (3, 9)]).rename(&Perm::rotation(4, 2));
    assert_eq!(renamed, build([(3, 4), (0, 3), (1, 9)]));
    assert_eq!(mailbox.symmetry(), Symmetry::None);
}

/// The same protocol in an environment that forgets nothing, looks through all that has come after every
/// step, and takes the first that is wanted. It also holds the protocol to what it said: what was never
/// wanted is not wanted later.
struct Direct<C: Protocol> {
    state: C::State,
    there: Vec<(Pid, Vec<u8>, C::Msg, bool)>,
}

impl<C: Protocol> Direct<C> {
    fn take(&mut self, protocol: &C, me: Pid, input: Option<Input<'_, C>>, asked: &mut EffectsOf<C>) {
        if let Some(input) = input {
            asked.extend(step(protocol, me, &mut self.state, input));
        }
        loop {
            for (from, _, msg, never) in &mut self.there {
                let want = Reception::of(protocol, me, &self.state, *from, msg);
                assert!(!*never || want == Reception::Discarded, "{msg:?} is wanted after all");
                *never = want == Reception::Discarded;
            }
            self.there.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
            let wanted = |(from, _, msg, _): &(Pid, Vec<u8>, C::Msg, bool)| {
                Reception::of(protocol, me, &self.state, *from, msg) == Reception::Accepted
            };
            let Some(place) = self.there.iter().position(wanted) else { return };
            let (from, _, msg, _) = self.there.remove(place);
            asked.extend(hear(protocol, me, &mut self.state, from, msg));
        }
    }
}

/// Random inputs to one process, in a mailbox and directly.
fn agrees<C>(protocol: C, mut random: impl FnMut(&mut Dice) -> C::Msg) -> Tally
where
    C: Consensus<Call = ConsensusCall, Output = ConsensusOutput> + Clone,
{
    let mut tally = Tally::default();
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let me = p(dice.below(3) as usize);
        let mailbox = Mailbox::new(protocol.clone());
        let (mut state, _) = start(&mailbox, me);
        let mut direct = Direct { state: start(&protocol, me).0, there: Vec::new() };
        for _ in 0..60 {
            let (mut expected, who) = (Vec::new(), p(dice.below(4) as usize));
            let asked = match dice.below(8) {
                0 => {
                    let call = ConsensusCall::Propose(dice.below(4));
                    direct.take(&protocol, me, Some(Input::Call(&call)), &mut expected);
                    step(&mailbox, me, &mut state, Input::Call(&call))
                }
                1 => {
                    let change = [Suspicion::Suspect(who), Suspicion::Trust(who)][dice.below(2) as usize];
                    direct.take(&protocol, me, Some(Input::Notice(change)), &mut expected);
                    step(&mailbox, me, &mut state, Input::Notice(change))
                }
                _ => {
                    let msg = random(&mut dice);
                    direct.there.push((who, packed(&msg), msg.clone(), false));
                    direct.take(&protocol, me, None, &mut expected);
                    hear(&mailbox, me, &mut state, who, msg)
                }
            };
            assert_eq!(asked, expected);
            assert_eq!(state.inner(), &direct.state);
            tally.most = tally.most.max(state.kept().len());
        }
        tally.decided += usize::from(mailbox.decision(&state).is_some());
    }
    tally
}

/// How much happened, so that a test that compares nothing is noticed.
#[derive(Default, Debug)]
struct Tally {
    decided: usize,
    most: usize,
}

#[test]
fn algorithm_11_in_a_mailbox_is_algorithm_11() {
    let protocol = Rotating::new(3).expect("a protocol");
    let tally = agrees(protocol, |dice| {
        let (round, estimate) = (1 + dice.below(6), dice.below(4));
        match dice.below(40) {
            0 => RotatingMsg::Decide { value: estimate },
            1..15 => RotatingMsg::Estimate { round, estimate, stamp: dice.below(round) },
            15..30 => RotatingMsg::Proposal { round, estimate },
            30..37 => RotatingMsg::Ack { round },
            _ => RotatingMsg::Nack { round },
        }
    });
    assert!(tally.decided > 100 && tally.most > 5, "{tally:?}");
}

#[test]
fn algorithm_10_in_a_mailbox_is_algorithm_10() {
    let protocol = Strong::new(3).expect("a protocol");
    let tally = agrees(protocol, |dice| {
        let known = |dice: &mut Dice| {
            let values: Vec<Option<u64>> =
                (0..3).map(|_| Some(dice.below(4)).filter(|_| dice.below(3) > 0)).collect();
            unpacked(&packed(&values)).expect("a value or none for each process")
        };
        match dice.below(2) {
            0 => StrongMsg::Flood { round: 1 + dice.below(2), fresh: known(dice) },
            _ => StrongMsg::Exchange { known: known(dice) },
        }
    });
    assert!(tally.decided > 100 && tally.most > 2, "{tally:?}");
    assert_eq!(<StrongMsg as Kind>::KINDS.len(), 2, "both kinds were there");
}
