//! The published algorithms word for word, list of suspects and all, and the one that asks its suspects again, beside
//! the rings on random runs: the target, the flag, the suspects, the timeouts and every effect must agree at each step.

use crate::script::{Effect, Event, TIMEOUT, p, ring, start, step};
use proptest::prelude::*;
use std::collections::BTreeSet;
use watchkeeper_core::{Bound, MAX_PROCESSES, Pid, ProcSet, Suspicion};
use watchkeeper_protocols::ring::RingMsg::{AreYouAlive, IAmAlive};
use watchkeeper_protocols::ring::{
    GossipMsg, Ring, RingMsg, RingPolicy, StrongAccuracy, StrongCompleteness, TimeoutAdaptation, WeakAccuracy,
};

/// What the four figures do differently, and the detector that is in none.
#[derive(Clone, Copy)]
struct Text {
    /// Whether a timeout grows at all.
    grows: bool,
    /// `initial_cand`, where a timeout grows only for its sake.
    candidate: Option<Pid>,
    max_delta: u32,
    /// Whether there is a set G.
    global: bool,
    /// Whether the list of suspects is asked again in each round. No figure does that.
    asks_again: bool,
}

/// Process p of a figure. Its two tasks exclude each other by a mutex, so each stretch between `wait`
/// and `signal` is one step here.
struct Figure {
    text: Text,
    n: usize,
    p: Pid,
    target: Pid,
    suspects: BTreeSet<Pid>,
    global: BTreeSet<Pid>,
    delta: Vec<u32>,
    received: bool,
    effects: Vec<Effect<(RingMsg, BTreeSet<Pid>)>>,
}

impl Figure {
    fn new(text: Text, n: usize, p: Pid) -> Figure {
        let mut process = Figure {
            text,
            n,
            p,
            target: p.succ(n),
            suspects: BTreeSet::new(),
            global: BTreeSet::new(),
            delta: vec![TIMEOUT; n],
            received: false,
            effects: Vec::new(),
        };
        process.task1_send();
        process
    }

    fn task1_send(&mut self) {
        // Assumption 8: a process does not send to itself. Its answer to itself counts as received.
        if self.target != self.p {
            self.effects.push(Effect::Send(self.target, (AreYouAlive, self.global.clone())));
        }
        let mut q = self.p.succ(self.n);
        while self.text.asks_again && q != self.target {
            assert!(self.suspects.contains(&q), "the list is all that lies before the target");
            self.effects.push(Effect::Send(q, (AreYouAlive, self.global.clone())));
            q = q.succ(self.n);
        }
        self.received = self.target == self.p;
        self.effects.push(Effect::Arm(Bound::exactly(self.delta[self.target.index()])));
    }

    fn task1_after_delay(&mut self) {
        if self.received {
            return;
        }
        let before = self.announced();
        let mut passed = Vec::new();
        let mut q = self.p;
        while q != self.target {
            q = q.succ(self.n);
            passed.push(q);
        }
        if self.text.grows && self.text.candidate.is_none_or(|candidate| passed.contains(&candidate)) {
            let delta = &mut self.delta[self.target.index()];
            *delta = self.text.max_delta.min(*delta + 1);
        }
        self.global.insert(self.target);
        self.suspects.insert(self.target);
        self.target = self.target.succ(self.n);
        self.announce(&before);
    }

    fn task2(&mut self, q: Pid, m: RingMsg, told: &BTreeSet<Pid>) {
        let before = self.announced();
        match m {
            AreYouAlive => {
                self.effects.push(Effect::Reply(q, (IAmAlive, BTreeSet::new())));
                if self.suspects.contains(&q) {
                    self.stop_suspecting(q);
                }
                self.global = told.union(&self.suspects).copied().collect();
                self.global.remove(&self.p);
                self.global.remove(&q);
            }
            IAmAlive if q == self.target => self.received = true,
            IAmAlive if self.suspects.contains(&q) => {
                self.stop_suspecting(q);
                self.global.remove(&q);
            }
            IAmAlive => {}
        }
        self.announce(&before);
    }

    /// L loses {q, ..., pred(target)}; then q is the target.
    fn stop_suspecting(&mut self, q: Pid) {
        let mut r = q;
        loop {
            assert!(self.suspects.remove(&r), "the arc holds nobody who is not suspected");
            if r == self.target.pred(self.n) {
                break;
            }
            r = r.succ(self.n);
        }
        self.target = q;
        self.received = true;
    }

    /// The output of the detector: G where there is one, and L otherwise.
    fn announced(&self) -> BTreeSet<Pid> {
        if self.text.global { self.global.clone() } else { self.suspects.clone() }
    }

    fn announce(&mut self, before: &BTreeSet<Pid>) {
        let after = self.announced();
        let mut q = self.p.succ(self.n);
        while q != self.p {
            match (before.contains(&q), after.contains(&q)) {
                (false, true) => self.effects.push(Effect::Emit(Suspicion::Suspect(q))),
                (true, false) => self.effects.push(Effect::Emit(Suspicion::Trust(q))),
                _ => {}
            }
            q = q.succ(self.n);
        }
    }
}

/// What happens to a process: the end of a round, or a message with the G of its sender.
type Inputs = Vec<(u8, usize, u64)>;

/// Both run side by side; `message` is how the policy writes a message and its G.
fn agree<P: RingPolicy>(
    ring: &Ring<P>,
    me: Pid,
    text: Text,
    inputs: &Inputs,
    message: impl Fn(RingMsg, ProcSet) -> P::Msg,
) -> Result<(), TestCaseError> {
    let n = ring.n();
    let written = |effects: &[Effect<(RingMsg, BTreeSet<Pid>)>]| -> Vec<Effect<P::Msg>> {
        let message = |plain: &RingMsg, set: &BTreeSet<Pid>| message(*plain, set.iter().copied().collect());
        let written = |effect: &Effect<(RingMsg, BTreeSet<Pid>)>| match effect {
            Effect::Send(to, (plain, set)) => Effect::Send(*to, message(plain, set)),
            Effect::Reply(to, (plain, set)) => Effect::Reply(*to, message(plain, set)),
            Effect::Arm(bound) => Effect::Arm(*bound),
            Effect::Emit(output) => Effect::Emit(*output),
        };
        effects.iter().map(written).collect()
    };
    let mut literal = Figure::new(text, n, me);
    let (mut state, effects) = start(ring, me);
    prop_assert_eq!(&effects, &written(&literal.effects));
    for &(what, distance, bits) in inputs {
        let from = p((me.index() + distance) % n);
        let told = ProcSet::from_bits(bits).intersection(ProcSet::first(n));
        let plain = [AreYouAlive, IAmAlive].get(usize::from(what)).copied();
        literal.effects.clear();
        let event = match plain {
            Some(plain) => {
                literal.task2(from, plain, &told.iter().collect());
                Event::Receive(from, message(plain, told))
            }
            None => {
                literal.task1_after_delay();
                literal.task1_send();
                Event::Round
            }
        };
        let effects = step(ring, me, &mut state, &event);
        prop_assert_eq!(&effects, &written(&literal.effects));
        prop_assert_eq!(ring.target(me, &state), literal.target);
        prop_assert_eq!(state.received(), literal.received);
        prop_assert_eq!(ring.suspects(me, &state), literal.announced().into_iter().collect::<ProcSet>());
        for q in Pid::all(n) {
            prop_assert_eq!(ring.timeout(q, &state), literal.delta[q.index()]);
        }
        let full = |q: &Pid| text.grows && *q != me && literal.delta[q.index()] == text.max_delta;
        prop_assert_eq!(ring.at_cap(me, &state), Pid::all(n).filter(full).collect::<ProcSet>());
    }
    Ok(())
}

/// A ring, a process of it, a candidate, a cap, and inputs from its peers; rounds are common, so that many
/// are suspected.
fn runs() -> impl Strategy<Value = (usize, usize, usize, u32, Inputs)> {
    let size = prop_oneof![3 => 2usize..8, 1 => 8..=MAX_PROCESSES];
    size.prop_flat_map(|n| {
        let input = (0u8..4, 1..n, any::<u64>());
        (Just(n), 0..n, 0..n, TIMEOUT..TIMEOUT + 4, prop::collection::vec(input, 0..200))
    })
}

proptest! {
    #[test]
    fn the_rings_are_figures_1_to_4_and_one_asks_again((n, me, candidate, cap, inputs) in runs()) {
        let (me, candidate, max_delta) = (p(me), p(candidate), Some(cap));
        let plain = |plain, _| plain;
        let told = |plain, set| match plain {
            AreYouAlive => GossipMsg::AreYouAlive(set),
            IAmAlive => GossipMsg::IAmAlive,
        };
        let text =
            Text { grows: false, candidate: None, max_delta: cap, global: false, asks_again: false };
        agree(&ring(n), me, text, &inputs, plain)?;
        let text = Text { grows: true, ..text };
        let strong = Ring::with_policy(StrongAccuracy::new(max_delta), n, TIMEOUT).expect("a ring");
        agree(&strong, me, text, &inputs, plain)?;
        let text = Text { candidate: Some(candidate), ..text };
        let weak = Ring::with_policy(WeakAccuracy::new(candidate, max_delta), n, TIMEOUT).expect("a ring");
        agree(&weak, me, text, &inputs, plain)?;
        for adaptation in [
            TimeoutAdaptation::Fixed,
            TimeoutAdaptation::ForCandidate { candidate, max_delta },
            TimeoutAdaptation::ForAll { max_delta },
        ] {
            let text = Text {
                grows: adaptation != TimeoutAdaptation::Fixed,
                candidate: adaptation.candidate(),
                max_delta: cap,
                global: true,
                asks_again: false,
            };
            let policy = StrongCompleteness::new(adaptation);
            let complete = Ring::with_policy(policy, n, TIMEOUT).expect("a ring");
            agree(&complete, me, text, &inputs, told)?;
            let text = Text { asks_again: true, ..text };
            let again = Ring::with_policy(policy.asking_again(), n, TIMEOUT).expect("a ring");
            agree(&again, me, text, &inputs, told)?;
        }
    }
}
