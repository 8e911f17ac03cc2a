//! The requirements of the accelerated heartbeat protocols, for all tmin and tmax, from the protocols that are deployed.

mod heartbeat_models;

use heartbeat_models::{answer, models};
use std::ops::ControlFlow;
use watchkeeper_polyhedra::{Constraint, Polyhedron, Relation};
use watchkeeper_protocols::heartbeat::{HeartbeatRequirement, HeartbeatVariant};
use watchkeeper_regions::{RegionAnswer, RegionLimits, Trouble};

/// The constraint `a*tmin + b*tmax > 0`.
fn above(a: i64, b: i64) -> Constraint {
    Constraint::new(vec![a, b], 0, Relation::Above)
}

/// Asserts that a property holds where the constraint does, fails elsewhere, and nothing is left open.
fn holds_iff(found: &RegionAnswer, constraint: &Constraint, what: &str) -> Result<(), Trouble> {
    assert!(found.undecided.is_empty(), "{what}: {:?}", found.undecided);
    let lacks = |pieces: &[Polyhedron], rows: &[Constraint]| -> Result<bool, Trouble> {
        for piece in pieces {
            if !piece.and(rows)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    assert!(lacks(&found.fails, std::slice::from_ref(constraint))?, "{what} fails where it should hold");
    assert!(lacks(&found.holds, &constraint.negated())?, "{what} holds where it should fail");
    assert!(!found.holds.is_empty() && !found.fails.is_empty(), "{what} is decided everywhere alike");
    Ok(())
}

#[test]
fn the_published_protocols_hold_exactly_where_sweep_conjectures() -> Result<(), Trouble> {
    use HeartbeatVariant::{Binary, Dynamic, Expanding, Revised, TwoPhase};
    for variant in [Binary, Revised, TwoPhase, Expanding, Dynamic] {
        for requirement in HeartbeatRequirement::ALL {
            let constraint = match (requirement, variant.expects_joins()) {
                (HeartbeatRequirement::R1, _) => above(2, -1),
                (HeartbeatRequirement::R2, true) => above(-2, 1),
                _ => above(-1, 1),
            };
            let found = answer(&models(variant, requirement, false, None)?)?;
            holds_iff(&found, &constraint, &format!("{variant} {requirement}"))?;
        }
    }
    Ok(())
}

#[test]
fn the_corrected_protocols_hold_always_r1_where_the_ratio_is_bounded() -> Result<(), Trouble> {
    use HeartbeatVariant::{Binary, Dynamic, Expanding, Revised, TwoPhase};
    for variant in [Binary, Revised, TwoPhase, Expanding, Dynamic] {
        for requirement in HeartbeatRequirement::ALL {
            let halves = variant != TwoPhase && requirement == HeartbeatRequirement::R1;
            if halves && variant.expects_joins() {
                continue;
            }
            let found = answer(&models(variant, requirement, true, halves.then_some(16))?)?;
            assert!(found.fails.is_empty() && found.undecided.is_empty(), "{variant} {requirement}");
            assert!(!found.holds.is_empty());
        }
    }
    Ok(())
}

/// Halving without end has infinitely many waits, so the corrected R1 needs a bound on the ratio; what is said without
/// one is still right.
#[test]
fn what_does_not_end_is_undecided_with_the_ratio_that_would_decide_it() -> Result<(), Trouble> {
    let models = models(HeartbeatVariant::Binary, HeartbeatRequirement::R1, true, None)?;
    let limits = RegionLimits { states: 1_000, ..RegionLimits::default() };
    let found = RegionAnswer::of(&models, limits, &mut |_| ControlFlow::Continue(()))?;
    assert!(found.fails.is_empty() && !found.undecided.is_empty() && !found.limits.is_empty());
    assert_eq!(found.unbounded_ratios()?, [("tmax".to_string(), "tmin".to_string())]);
    Ok(())
}
