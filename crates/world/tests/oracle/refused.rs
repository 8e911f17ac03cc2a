//! What no world can be built of, and what to do instead.

use crate::waiter::{Waiter, oracle, scenario};
use watchkeeper_core::{Bound, ProcSet};
use watchkeeper_world::{
    DeliveryOrder, OracleAccuracy, Scenario, SuspicionMemory, Timing, TypedWorld, WorldError, WorldTime,
};

fn refused(scenario: Scenario) -> WorldError {
    TypedWorld::new(Waiter { n: scenario.n }, scenario).expect_err("this makes no sense")
}

#[test]
fn who_leaves_messages_lying_needs_channels_that_keep_them() {
    let good = scenario(3, 0, None);
    let fifo = Scenario {
        network: watchkeeper_world::Network { order: DeliveryOrder::Fifo, ..good.network.clone() },
        ..good.clone()
    };
    assert_eq!(refused(fifo), WorldError::SelectiveChannels);
    assert_eq!(refused(Scenario::new(3)), WorldError::SelectiveChannels);
    let timed = Scenario { time: WorldTime::Ticks(Timing::per_message(Bound::within(1))), ..good };
    assert_eq!(refused(timed), WorldError::SelectiveTimed);
    for error in [WorldError::SelectiveChannels, WorldError::SelectiveTimed] {
        assert!(error.to_string().contains("mailbox (`Mailbox` of the protocols)"), "{error}");
    }
}

#[test]
fn an_oracle_is_for_untimed_worlds_of_processes_that_crash_for_ever() {
    let mut lasting = scenario(3, 1, oracle(OracleAccuracy::None, SuspicionMemory::Lasting));
    lasting.faults.recoveries = 1;
    assert_eq!(refused(lasting.clone()), WorldError::OracleRecovers);
    lasting.time = WorldTime::Dense(Timing::per_message(Bound::within(1)));
    assert_eq!(refused(lasting), WorldError::OracleTimed);
    let many = |memory| scenario(33, 0, oracle(OracleAccuracy::Weak, memory));
    assert_eq!(refused(many(SuspicionMemory::Lasting)), WorldError::OracleProcesses { n: 33, most: 32 });
    TypedWorld::new(Waiter { n: 33 }, many(SuspicionMemory::Momentary))
        .expect("momentary suspicions are not kept");
    assert!(WorldError::OracleTimed.to_string().contains("leave time out"));
    assert!(WorldError::OracleRecovers.to_string().contains("leave recoveries out"));
}

/// A mistake that lasts can do what takes many momentary ones, so those would be counted wrongly.
#[test]
fn momentary_mistakes_are_not_counted() {
    let of = |mistakes, memory| scenario(3, 1, oracle(OracleAccuracy::Strong { mistakes }, memory));
    assert_eq!(refused(of(1, SuspicionMemory::Momentary)), WorldError::OracleMistakes);
    assert!(WorldError::OracleMistakes.to_string().contains("write :lasting"));
    for (mistakes, memory) in
        [(0, SuspicionMemory::Momentary), (0, SuspicionMemory::Lasting), (1, SuspicionMemory::Lasting)]
    {
        TypedWorld::new(Waiter { n: 3 }, of(mistakes, memory)).expect("a world");
    }
}

/// Whoever has crashed before the start is not picked to be left alone.
#[test]
fn the_dead_are_not_left_alone() {
    let mut all = scenario(3, 0, oracle(OracleAccuracy::Weak, SuspicionMemory::Momentary));
    all.faults.crashed_at_start = ProcSet::first(1);
    let world = TypedWorld::new(Waiter { n: 3 }, all).expect("a world");
    assert_eq!(watchkeeper_space::Space::initial(&*world).len(), 2);
}
