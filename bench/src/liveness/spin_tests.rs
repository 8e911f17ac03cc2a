//! What the verifier prints and writes, and its product against one that is made here. Where Spin is not
//! installed the latter says so and passes.

use super::*;
use crate::known::AT_START;
use crate::ring::{Crash, Ring, WhenFull};
use crate::scratch::Scratch;
use stateright::Model;
use std::collections::HashSet;

const END: &str = "
State-vector 28 byte, depth reached 33299, errors: 0
 24276417 states, stored (30000000 visited)
 77987845 states, matched
1.0226426e+08 transitions (= visited+matched)
";

#[test]
fn the_end_of_a_search_is_understood() {
    let expected =
        Verified { states: 24_276_417, transitions: 102_264_259, depth: 33_299, truncated: false, errors: 0 };
    assert_eq!(parse("pan", END).unwrap(), expected);
    let rounded = END.replace("24276417 states", "1.2427642e+08 states");
    assert!(parse("pan", &rounded).unwrap_err().to_string().contains("not an exact count"));
}

#[test]
fn trails_are_read_without_the_steps_of_the_claim() {
    let trail = "-2:2:-2\n1:0:162\n2:2:89\n3:0:162\n4:1:9\n-1:-1:-1\n5:0:166\n6:2:105\n";
    assert_eq!(lasso(trail), Some(Lasso { stem: 2, lap: 1 }));
    assert_eq!(lasso("1:0:162\n2:2:89\n"), None);
}

/// The states of the product of the ring with the claim by hand: whether a state before this one had the
/// process suspect, and whether that was taken back at the last step.
fn product(buffer: u8, process: u8) -> u64 {
    let ring = Ring { buffer, when_full: WhenFull::Ignore, crash: Crash::AtStart };
    let mut pending: Vec<_> = ring.init_states().into_iter().map(|state| (state, false, false)).collect();
    let mut seen: HashSet<_> = pending.iter().copied().collect();
    while let Some((state, suspected, _)) = pending.pop() {
        let suspects = state.local(process).suspects(crate::ring::MORTAL);
        let wavered = suspected && !suspects;
        for next in ring.next_states(&state) {
            if seen.insert((next, suspects, wavered)) {
                pending.push((next, suspects, wavered));
            }
        }
    }
    seen.len() as u64
}

#[test]
fn the_product_is_the_one_that_is_meant() {
    if !spin::installed() {
        eprintln!("Spin is not installed: nothing was tested");
        return;
    }
    for (buffer, states, _) in AT_START {
        let scratch = Scratch::create().unwrap();
        assert_eq!(space(buffer, scratch.path()).unwrap(), states);
        let spin = Spin::by_hand(Claim::SETTLES, buffer, scratch.path()).unwrap();
        let answer = spin.ask().unwrap();
        assert_eq!(answer.lasso, None);
        assert_eq!(answer.run.states, product(buffer, 0), "buffer {buffer}");
    }
}

#[test]
fn both_forms_of_the_claim_have_the_same_verdict() {
    if !spin::installed() {
        eprintln!("Spin is not installed: nothing was tested");
        return;
    }
    let scratch = Scratch::create().unwrap();
    for claim in [Claim::SETTLES, Claim::WAVERS] {
        let by_hand = Spin::by_hand(claim, 1, scratch.path()).unwrap();
        let translated = Spin::translated(claim, 1, &by_hand, scratch.path()).unwrap();
        for spin in [by_hand, translated] {
            assert_eq!(spin.ask().unwrap().lasso.is_none(), claim.holds, "{} {}", spin.name, claim.name());
        }
    }
}
