//! Observers drawn at random: one that minds only what happens at each process by itself, and one that minds the order.

use crate::draw::{Cry, Dice, Drawn, Word};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pid};

/// Who does something, and what, as numbers.
fn told<const SELECTIVE: bool>(observation: &Observation<'_, Drawn<SELECTIVE>>) -> (Pid, u64) {
    let word = |msg: &Word| u64::from(*msg == Word::Yes);
    match observation {
        Observation::Received { by, from, msg } => (*by, 10 + 2 * from.index() as u64 + word(msg)),
        Observation::Fired { by, timer } => (*by, 20 + *timer as u64),
        Observation::Called { by, .. } => (*by, 30),
        Observation::Sent { by, to, msg } => (*by, 40 + 2 * to.index() as u64 + word(msg)),
        Observation::Emitted { by, output } => (*by, 50 + u64::from(**output == Cry::Oh)),
        Observation::Crashed { process } => (*process, 60),
        Observation::Recovered { process } => (*process, 61),
        Observation::Lost { to, from, .. } => (*to, 70 + from.index() as u64),
    }
}

/// For each process a small automaton that sees only what happens there. Something is wrong once p0's has been in one
/// state and p1's in another; and it is settled that nothing will be once p0's is where it stays.
#[derive(Clone, Debug)]
pub struct Blind {
    pub seed: u64,
    pub settles: bool,
}

const SOUGHT: u8 = 3;
const HELD: u8 = 2;

impl<const SELECTIVE: bool> Observer<Drawn<SELECTIVE>> for Blind {
    type State = Vec<u8>;

    fn name(&self) -> String {
        "blind".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> Vec<u8> {
        vec![0; 3]
    }

    fn see(&self, state: &mut Vec<u8>, observation: &Observation<'_, Drawn<SELECTIVE>>, _: &mut Deadlines) {
        let (by, what) = told(observation);
        let here = &mut state[by.index()];
        if *here == SOUGHT || self.settles && *here == HELD {
            return;
        }
        let mut dice = Dice::new(self.seed).mix(by.index() as u64).mix(what).mix(u64::from(*here));
        if dice.chance(3) {
            *here = dice.roll(4) as u8;
        }
    }

    fn judge(&self, state: &Vec<u8>) -> Judgement {
        match () {
            () if state[0] == SOUGHT && state[1] == SOUGHT => Judgement::Violated("both".to_string()),
            () if self.settles && (state[0] == HELD || state[1] == HELD) => Judgement::Settled,
            () => Judgement::Open,
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }
}

/// One automaton that sees everything, or only what is announced.
#[derive(Clone, Debug)]
pub struct Ordered {
    pub seed: u64,
    pub all: bool,
}

impl<const SELECTIVE: bool> Observer<Drawn<SELECTIVE>> for Ordered {
    type State = u8;

    fn name(&self) -> String {
        "ordered".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> u8 {
        0
    }

    fn see(&self, state: &mut u8, observation: &Observation<'_, Drawn<SELECTIVE>>, _: &mut Deadlines) {
        if !Observer::<Drawn<SELECTIVE>>::visible(self, observation) {
            return;
        }
        let (by, what) = told(observation);
        let mut dice = Dice::new(self.seed).mix(by.index() as u64).mix(what).mix(u64::from(*state));
        if dice.chance(2) {
            *state = dice.roll(5) as u8;
        }
    }

    fn judge(&self, state: &u8) -> Judgement {
        if *state == 4 { Judgement::Violated("four".to_string()) } else { Judgement::Open }
    }

    fn visible(&self, observation: &Observation<'_, Drawn<SELECTIVE>>) -> bool {
        self.all || matches!(observation, Observation::Emitted { .. })
    }
}
