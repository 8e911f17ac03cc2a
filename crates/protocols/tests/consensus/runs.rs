//! Random runs of many processes with a detector that errs, from a seed: agreement, validity, and that all who do
//! not crash decide.

use crate::script::Player;
use watchkeeper_core::{Never, Pid, ProcSet, Protocol, Reception, Stage, Staged};
use watchkeeper_protocols::consensus::{ConsensusCall, ConsensusOutput, Rotating, Strong};

/// A small generator of numbers that repeat for a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

/// What a run is like.
struct Weather {
    crashes: usize,
    /// Never suspected, and does not crash.
    safe: usize,
    /// Until this many steps, everyone else is suspected at times.
    calm_after: usize,
}

/// Runs to the end and gives the decisions of those who did not crash.
fn run<P>(protocol: P, n: usize, weather: &Weather, dice: &mut Dice) -> Vec<(usize, u64)>
where
    P: Protocol<Timer = Never, Call = ConsensusCall, Output = ConsensusOutput> + Staged + Clone,
{
    let mut players: Vec<Player<P>> = (0..n).map(|me| Player::new(protocol.clone(), me)).collect();
    let mut mail: Vec<(usize, usize, P::Msg)> = Vec::new();
    let (mut crashed, mut decided) = (ProcSet::EMPTY, Vec::new());
    let mut proposed = ProcSet::EMPTY;
    for step in 0..200_000 {
        let p = dice.roll(n);
        if crashed.contains(Pid::at(p)) {
            continue;
        }
        let before: Option<Stage> = protocol.stage(Pid::at(p), &players[p].state);
        let noted = match dice.roll(8) {
            _ if !proposed.contains(Pid::at(p)) => {
                proposed.insert(Pid::at(p));
                players[p].propose(10 + p as u64)
            }
            0 if p != weather.safe && crashed.len() < weather.crashes && dice.roll(10) == 0 => {
                crashed.insert(Pid::at(p));
                continue;
            }
            1 => {
                let whom = dice.roll(n);
                let may =
                    crashed.contains(Pid::at(whom)) || (whom != weather.safe && step < weather.calm_after);
                if whom == p || !may {
                    continue;
                }
                let noted = players[p].suspect(whom);
                if !crashed.contains(Pid::at(whom)) {
                    players[p].trust(whom);
                }
                noted
            }
            _ => {
                let wanted: Vec<usize> = (0..mail.len())
                    .filter(|&i| {
                        mail[i].1 == p
                            && players[p].reception(mail[i].0, mail[i].2.clone()) == Reception::Accepted
                    })
                    .collect();
                if wanted.is_empty() {
                    continue;
                }
                let (from, _, msg) = mail.swap_remove(wanted[dice.roll(wanted.len())]);
                players[p].hear(from, msg)
            }
        };
        let after = protocol.stage(Pid::at(p), &players[p].state);
        if let (Some(before), Some(after)) = (before, after) {
            assert!(before <= after, "stages never go back");
        }
        for (to, msg) in noted.sent {
            if let (Some(before), Some(of)) = (before, protocol.stage_of(&msg)) {
                assert!(before < of, "what is said in a stage belongs to a later one");
            }
            mail.push((p, to, msg));
        }
        for said in noted.said {
            let ConsensusOutput::Decide(value) = said else { panic!("{said:?}") };
            decided.push((p, value));
        }
        if (0..n).all(|p| crashed.contains(Pid::at(p)) || decided.iter().any(|(by, _)| *by == p)) {
            return decided;
        }
    }
    panic!("{} of {n} have decided and {} have crashed", decided.len(), crashed.len());
}

fn agree(n: usize, decided: &[(usize, u64)]) {
    let (_, first) = decided[0];
    assert!(decided.iter().all(|(_, value)| *value == first), "{decided:?}");
    assert!((10..10 + n as u64).contains(&first), "{first} was not proposed");
}

#[test]
fn the_strong_one_agrees_whoever_crashes() {
    let mut dice = Dice(1);
    for n in 2..=7 {
        for _ in 0..60 {
            let weather = Weather { crashes: n - 1, safe: dice.roll(n), calm_after: 200_000 };
            agree(n, &run(Strong::new(n).expect("a protocol"), n, &weather, &mut dice));
        }
    }
}

#[test]
fn the_rotating_one_agrees_while_a_majority_lives() {
    let mut dice = Dice(2);
    for n in 2..=7 {
        for _ in 0..60 {
            let weather = Weather { crashes: (n - 1) / 2, safe: dice.roll(n), calm_after: dice.roll(4_000) };
            agree(n, &run(Rotating::new(n).expect("a protocol"), n, &weather, &mut dice));
        }
    }
}
