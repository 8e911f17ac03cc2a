//! The model of the handshake: what is right holds in all states, whose number is asserted, and every planted variant is
//! found by a run of the shortest length.

use watchkeeper::protocols::handshake::{Handshake, HandshakeFlaw, RotationStage};
use watchkeeper::{Channel, CheckBuilder, check};

/// A rotation with a forger, on a network that holds one datagram each way.
fn rotation() -> Handshake {
    Handshake::default()
}

/// Restarts under the new key, with challenges for two sessions in the second life.
fn restarts() -> Handshake {
    rotation().starting(RotationStage::Done).with_forgeries(0).with_restarts(1)
}

/// On a network that also repeats, which takes room for two.
fn repeating(protocol: Handshake) -> CheckBuilder {
    check(protocol).channel(Channel::Drop(2))
}

fn states(asked: &CheckBuilder) -> u64 {
    asked.assert_holds().stats.distinct_states
}

fn steps(asked: &CheckBuilder) -> usize {
    asked.assert_violated().trace.steps.len()
}

#[test]
fn a_rotation_with_a_forger_goes_well() {
    let asked = check(rotation());
    assert_eq!(states(&asked.clone().property("same-session").property("not-deaf")), 578_040);
    assert_eq!(states(&asked.property("agreement")), 593_056);
}

#[test]
fn restarts_on_a_network_that_repeats_go_well() {
    let asked = repeating(restarts());
    assert_eq!(states(&asked.clone().property("same-session").property("not-deaf")), 290_917);
    assert_eq!(states(&asked.clone().property("agreement")), 294_861);
    assert_eq!(states(&asked.clone().property("no-nonce-twice")), 294_861);
    assert_eq!(states(&asked.property("stale")), 290_917);
}

#[test]
fn every_planted_variant_is_found() {
    for &flaw in HandshakeFlaw::ALL {
        let (rotating, restarting) = (check(rotation().flawed(flaw)), repeating(restarts().flawed(flaw)));
        let (asked, property, shortest) = match flaw {
            HandshakeFlaw::OrderedLives => (rotating, "not-deaf", 6),
            HandshakeFlaw::KeepsOldSessions => (rotating, "agreement", 7),
            HandshakeFlaw::AnswersUnderCurrent => (rotating, "not-deaf", 1),
            HandshakeFlaw::SilentWithSession => (rotating, "not-deaf", 7),
            HandshakeFlaw::FallsBack => (rotating, "not-deaf", 1),
            HandshakeFlaw::OneDirection => (rotating, "no-nonce-twice", 5),
            HandshakeFlaw::ReusedChallenge => (restarting.param("messages", 2), "no-nonce-twice", 10),
            HandshakeFlaw::LifeWithoutRandomness => (restarting.param("messages", 2), "no-nonce-twice", 8),
            HandshakeFlaw::NoEcho => (restarting, "stale", 5),
            HandshakeFlaw::NoWindow => (restarting, "agreement", 8),
            HandshakeFlaw::KeepsEarlierLife => {
                let protocol = restarts().with_challenges(3).flawed(flaw);
                (repeating(protocol), "stale", 11)
            }
            other => panic!("{other} has no property that finds it"),
        };
        assert_eq!(steps(&asked.property(property)), shortest, "{flaw}");
    }
}

#[test]
fn a_life_that_comes_again_breaks_what_both_agree_on() {
    let asked = repeating(restarts().flawed(HandshakeFlaw::LifeWithoutRandomness));
    assert_eq!(steps(&asked.property("same-session")), 13);
}

#[test]
fn version_1_repeats_nonces_under_the_new_key() {
    let protocol = rotation().starting(RotationStage::Switched).with_restarts(1).with_challenges(1);
    let asked = check(protocol.flawed(HandshakeFlaw::OrderedLives)).param("messages", 2);
    let violation = asked.property("no-nonce-twice").assert_violated();
    assert_eq!(violation.trace.steps.len(), 13);
}
