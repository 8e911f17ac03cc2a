//! States of the published models that one run writes and another one reads: numbers that mean the same in every run, so
//! the same rows; and damaged bytes are refused, or are states that a search can go on from.

use strum::VariantArray;
use watchkeeper_casebook::chandra_toueg::{ChandraTouegCase, Encoding};
use watchkeeper_casebook::ring::{Crash, FullChannel, RingCase, RingModel};
use watchkeeper_casebook::ring_refinement::Spec1;
use watchkeeper_casebook::ring_timed::{
    ClockReading, DeltaGrowth, MessageOrder, RingTimedCase, TimedVariant,
};
use watchkeeper_explore::{Collapsed, retold};
use watchkeeper_prove::{System, SystemInstance, SystemSpace, assign, assume, choose};
use watchkeeper_space::Space;

fn told(here: &dyn Space, there: &dyn Space) {
    let found = retold(here, there, 3000, (400, 3)).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(found.renumbered, 0, "numbers mean the same in every run");
    assert!(found.refused > 100 && found.accepted > 100, "{found:?}");
    let (here, there) = (Collapsed::new(here), Collapsed::new(there));
    let found = retold(&here, &there, 1000, (50, 3)).unwrap_or_else(|why| panic!("{why}"));
    assert!(found.renumbered > 0 || found.states < 10, "{found:?}");
}

#[test]
fn the_ring() {
    for &model in RingModel::VARIANTS {
        for &full in FullChannel::VARIANTS {
            let case = RingCase::new(model, full, 2, Crash::AnyTime).expect("a case");
            told(&case.space(), &case.space());
        }
    }
}

#[test]
fn the_ring_in_time() {
    for variant in [TimedVariant::WeakAccuracy, TimedVariant::StrongCompleteness] {
        for order in [MessageOrder::Any, MessageOrder::Fifo] {
            for (crash, growth) in
                [(Crash::AnyTime, DeltaGrowth::PastMaxDelta), (Crash::AtStart, DeltaGrowth::ToMaxDelta)]
            {
                let case = RingTimedCase::new(variant, order, 2, 2, ClockReading::EveryResend);
                let mut case = case.expect("a case");
                (case.crash, case.growth) = (crash, growth);
                told(&case.space(), &case.space());
            }
        }
    }
}

#[test]
fn the_sender_and_the_receiver() {
    for encoding in Encoding::ALL {
        let case = ChandraTouegCase::new(3, 2, 5, encoding).expect("a case");
        for case in [case, case.with_crash(), case.with_ghost()] {
            told(&case.space(), &case.space());
        }
    }
}

#[test]
fn the_process_of_the_refinement() {
    let found = retold(&Spec1::new(2), &Spec1::new(2), 100, (400, 3)).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((found.states, found.renumbered), (4, 0));
    assert!(found.refused > 100 && found.accepted > 100, "{found:?}");
}

#[test]
fn a_system_of_a_proof() {
    let system = System::new("counter")
        .parameter("n", "where it ends")
        .number("x", -2, "the count")
        .flag("closed", "no more is counted")
        .initially([assign("x", "0"), assign("closed", "false")])
        .step("some", [choose("d", "1", "2"), assume("not closed"), assume("x < n"), assign("x", "x + d")])
        .step("back", [assume("x > -2"), assign("x", "x - 1")])
        .step("close", [assign("closed", "true")]);
    let system = system.finished().expect("a system");
    let space = || {
        let instance = SystemInstance::new(&system, &[40]).expect("an instance");
        SystemSpace::new(instance, &[]).expect("a space")
    };
    told(&space(), &space());
}
