//! Random runs of many processes with a detector that errs, from a seed: agreement, validity, and that all who do
//! not crash decide.

use crate::effects::p;
use crate::network::{Conditions, Dice, Network};
use watchkeeper_core::{Never, Pid, ProcSet, Protocol, Reception, Stage, Staged, Suspicion};
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput, Rotating, Strong};

/// The faults of a run.
struct Faults {
    crashes: usize,
    /// Never suspected, and does not crash.
    safe: Pid,
    /// Until this many steps, everyone else is suspected at times.
    calm_after: usize,
}

/// Runs to the end, one random step after another, and gives the decisions of those who did not crash.
fn run<P>(protocol: P, n: usize, faults: &Faults, dice: &mut Dice) -> Vec<(Pid, u64)>
where
    P: Protocol<Timer = Never, Call = ConsensusCall, Output = ConsensusOutput> + Staged + Clone,
{
    let mut network = Network::new(protocol.clone(), n, Conditions::reliable(1..=1), 0);
    let (mut proposed, mut decided) = (ProcSet::EMPTY, Vec::new());
    for step in 0..200_000 {
        let me = p(dice.index(n));
        if network.down.contains(me) {
            continue;
        }
        let before: Option<Stage> = protocol.stage(me, &network.states[me.index()]);
        // What was on its way before this step stands before what the step sends.
        let mut old = network.in_flight.len();
        match dice.below(8) {
            _ if !proposed.contains(me) => {
                proposed.insert(me);
                network.call(me, ConsensusCall::Propose(10 + me.index() as u64));
            }
            0 if me != faults.safe && network.down.len() < faults.crashes && dice.below(10) == 0 => {
                network.crash(me);
                continue;
            }
            1 => {
                let whom = p(dice.index(n));
                let down = network.down.contains(whom);
                if whom == me || !(down || whom != faults.safe && step < faults.calm_after) {
                    continue;
                }
                network.notice(me, Suspicion::Suspect(whom));
                if !down {
                    network.notice(me, Suspicion::Trust(whom));
                }
            }
            _ => {
                let state = &network.states[me.index()];
                let accepted = |&place: &usize| {
                    let it = &network.in_flight[place];
                    it.to == me
                        && Reception::of(&protocol, me, state, it.from, &it.msg) == Reception::Accepted
                };
                let accepted: Vec<usize> = (0..old).filter(accepted).collect();
                if accepted.is_empty() {
                    continue;
                }
                network.deliver(accepted[dice.index(accepted.len())]);
                old -= 1;
            }
        }
        let after = protocol.stage(me, &network.states[me.index()]);
        if let (Some(before), Some(after)) = (before, after) {
            assert!(before <= after, "stages never go back");
        }
        for sent in &network.in_flight[old..] {
            if let (Some(before), Some(of)) = (before, protocol.stage_of(&sent.msg)) {
                assert!(before < of, "what is said in a stage belongs to a later one");
            }
        }
        for (by, output) in network.announced.drain(..) {
            let ConsensusOutput::Decide(value) = output else { panic!("{output:?}") };
            decided.push((by, value));
        }
        if Pid::all(n).all(|p| network.down.contains(p) || decided.iter().any(|(by, _)| *by == p)) {
            return decided;
        }
    }
    panic!("{} of {n} have decided and {} have crashed", decided.len(), network.down.len());
}

fn agree(n: usize, decided: &[(Pid, u64)]) {
    let (_, first) = decided[0];
    assert!(decided.iter().all(|(_, value)| *value == first), "{decided:?}");
    assert!((10..10 + n as u64).contains(&first), "{first} was not proposed");
}

#[test]
fn the_strong_one_agrees_whoever_crashes() {
    let mut dice = Dice(1);
    for n in 2..=7 {
        for _ in 0..60 {
            let faults = Faults { crashes: n - 1, safe: p(dice.index(n)), calm_after: 200_000 };
            agree(n, &run(Strong::new(n).expect("a protocol"), n, &faults, &mut dice));
        }
    }
}

#[test]
fn the_rotating_one_agrees_while_a_majority_lives() {
    let mut dice = Dice(2);
    for n in 2..=7 {
        for _ in 0..60 {
            let safe = p(dice.index(n));
            let faults = Faults { crashes: (n - 1) / 2, safe, calm_after: dice.index(4_000) };
            agree(n, &run(Rotating::new(n).expect("a protocol"), n, &faults, &mut dice));
        }
    }
}
