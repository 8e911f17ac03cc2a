//! The durations for which the lease has one holder at a time, for all values and at points on both sides.
//!
//! By hand: p0 grants at 0 and grants to another at `ttl`, at the earliest. The first grant arrives until `delay`, and its
//! client holds for at most `hold + eps` from then on; the second grant may arrive at once. So nobody shares the lease iff
//! `delay + hold + eps < ttl`; with equality, all happens in one moment, and in any order. A client that counts from when it
//! asked does so from before 0, whatever the delay, and `hold + eps < ttl` is enough.

use lease::Lease;
use watchkeeper::{Bound, CheckBuilder, Linear, RegionsBuilder, TimeModel, check, regions};

fn asked(since_ask: bool) -> RegionsBuilder {
    let protocol = Lease { ttl: "ttl".into(), hold: "hold".into(), eps: "eps".into(), since_ask };
    ["ttl", "hold", "eps", "delay"]
        .iter()
        .fold(regions::<Lease<Linear>>(protocol), |asked, name| asked.param(name))
}

fn at(ttl: u32, hold: u32, eps: u32, delay: u32, since_ask: bool) -> CheckBuilder {
    let delay = Bound::within(delay);
    check(Lease { ttl, hold, eps, since_ask }).time(TimeModel::Dense).delay(delay).loss(1)
}

#[test]
fn from_the_receipt_of_the_grant_the_delay_counts() {
    for losses in [0, 1] {
        asked(false).loss(losses).assert_holds_iff("ttl > hold + eps + delay");
    }
}

#[test]
fn from_the_request_the_delay_does_not_count() {
    asked(true).assert_holds_iff("ttl > hold + eps");
}

#[test]
fn a_clock_that_does_not_drift_and_a_network_without_delay_still_need_a_margin() {
    let protocol = Lease { ttl: "ttl".into(), hold: "hold".into(), eps: Linear::from(0), since_ask: false };
    let asked = regions(protocol).param("ttl").param("hold").delay(Bound::exactly(0));
    asked.assert_holds_iff("ttl > hold");
}

#[test]
fn checks_at_points_agree_on_both_sides() {
    at(5, 2, 1, 1, false).assert_holds();
    at(4, 2, 1, 1, false).assert_violated();
    at(3, 2, 1, 0, false).assert_violated();
    at(8, 2, 1, 4, false).assert_holds();
    at(4, 2, 1, 4, true).assert_holds();
    at(3, 2, 1, 4, true).assert_violated();
}
