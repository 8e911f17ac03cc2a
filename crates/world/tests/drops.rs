//! What observers see of a step that sends into full channels: first all that it hands out, then what was dropped of it.

use watchkeeper_core::{
    Bound, Deadlines, Effects, Input, Judgement, Kind, Never, Observation, Observer, Pack, Pid, Promises,
    Protocol, Slot,
};
use watchkeeper_explore::{NoCallback, Search, check};
use watchkeeper_logic::{Invariant, Question};
use watchkeeper_space::Space;
use watchkeeper_world::{Capacity, Network, Scenario, TypedWorld, WhenFull};

/// The first process says three things to the second at once.
struct Burst;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack, Kind)]
enum Word {
    One,
    Two,
    Three,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Slot)]
enum Now {
    Now,
}

impl Protocol for Burst {
    type State = ();
    type Msg = Word;
    type Timer = Now;
    type Call = Never;
    type Output = Word;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self>) {
        if me == Pid::at(0) {
            fx.arm(Now::Now, Bound::exactly(1));
        }
    }

    fn step(&self, _: Pid, (): &mut (), input: Input<'_, Self>, fx: &mut impl Effects<Self>) {
        if let Input::Fire(Now::Now) = input {
            for word in [Word::One, Word::Two, Word::Three] {
                fx.send(Pid::at(1), word);
            }
        }
    }
}

impl Promises for Burst {}

/// Notes what it sees, as letters, and is wrong once that is `bad`.
struct Diary {
    bad: &'static str,
}

impl Observer<Burst> for Diary {
    type State = Vec<u8>;

    fn name(&self) -> String {
        format!("not {}", self.bad)
    }

    fn start(&self, _: &mut Deadlines) -> Vec<u8> {
        Vec::new()
    }

    fn see(&self, state: &mut Vec<u8>, observation: &Observation<'_, Burst>, _: &mut Deadlines) {
        let letter = |word: &Word, first: u8| first + word.clone() as u8;
        state.push(match observation {
            Observation::Fired { .. } => b'f',
            Observation::Sent { msg, .. } => letter(msg, b'1'),
            Observation::Lost { msg, .. } => letter(msg, b'a'),
            Observation::Received { .. } => b'r',
            _ => b'?',
        });
    }

    fn judge(&self, state: &Vec<u8>) -> Judgement {
        match state == self.bad.as_bytes() {
            true => Judgement::Violated(self.bad.to_string()),
            false => Judgement::Open,
        }
    }
}

#[test]
fn what_is_dropped_is_seen_after_all_that_was_sent() {
    let network =
        Network { capacity: Capacity::Bounded(1), when_full: WhenFull::Drop, ..Scenario::new(2).network };
    for (bad, word) in [("f123bc", "violated"), ("f12b3c", "holds"), ("f123cb", "holds")] {
        let scenario = Scenario { network: network.clone(), ..Scenario::new(2) };
        let world =
            TypedWorld::new(Burst, scenario).expect("a world").observed_by(Diary { bad }).expect("observed");
        let name = format!("not {bad}");
        let then = world.shape().atom(&name).expect("an atom");
        let question =
            Question { invariants: vec![Invariant { name, when: None, then }], ..Question::default() };
        let verdict = check(&*world, &question, &Search::default(), &NoCallback).expect("a verdict");
        assert_eq!(verdict.word(), word, "{bad}");
    }
}
