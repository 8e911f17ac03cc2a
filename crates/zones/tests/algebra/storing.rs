//! Stored zones say the same as the zones they were made from, in either width and where they mix.

use crate::dice::Dice;
use crate::model::Model;
use std::collections::HashSet;
use watchkeeper_zones::{DbmBound, Source, Stored, Zone};

/// Zones of a few clocks, some so far out that they need the wide form.
fn draw_zones(dice: &mut Dice, clocks: usize, count: usize) -> Vec<Zone> {
    let mut zones = Vec::new();
    for case in 0..count {
        let most = if case % 3 == 0 { 20_000 } else { 2 };
        zones.push(Model::draw_zone(dice, clocks, most, case % 2 == 0).1);
    }
    zones
}

#[test]
fn what_is_stored_comes_back_and_compares_alike() {
    let mut dice = Dice::new(51);
    let mut thawed = Zone::everything(9);
    let (mut covered, mut widths) = (0, HashSet::new());
    for clocks in [1, 2, 3, 6] {
        let zones = draw_zones(&mut dice, clocks, 400);
        let stored: Vec<Stored> = zones.iter().map(Zone::store).collect();
        for (zone, kept) in zones.iter().zip(&stored) {
            kept.thaw_into(&mut thawed);
            assert_eq!((&thawed, kept.clocks()), (zone, clocks));
            widths.insert(kept.bytes() / (clocks * (clocks + 1)));
        }
        for (large, large_kept) in zones.iter().zip(&stored) {
            for (small, small_kept) in zones.iter().zip(&stored) {
                assert_eq!(large_kept.includes(small_kept), large.includes(small), "{large} and {small}");
                assert_eq!(large_kept == small_kept, large == small);
                if large.includes(small) && large != small {
                    assert!(large_kept.extent() > small_kept.extent(), "{large} and {small}");
                    covered += 1;
                }
            }
        }
        let distinct: HashSet<&Stored> = stored.iter().collect();
        assert_eq!(distinct.len(), zones.iter().collect::<HashSet<_>>().len());
    }
    assert_eq!(widths, HashSet::from([2, 4]));
    assert!(covered > 10_000, "{covered}");
}

/// The largest constant whose word is not the mark of no bound in the narrow form is 16,382.
#[test]
fn the_wide_form_begins_where_the_narrow_one_ends() {
    let bytes = |bound: DbmBound| {
        let zone = Zone::from_constraints(1, &[(1, 0, bound)]).unwrap();
        assert_eq!(zone.store().thaw(), zone);
        zone.store().bytes()
    };
    assert_eq!(bytes(DbmBound::at_most(16_382)), 4);
    assert_eq!(bytes(DbmBound::below(16_383)), 4);
    assert_eq!(bytes(DbmBound::at_most(16_383)), 8);
    assert_eq!(bytes(DbmBound::below(-16_384)), 4);
    assert_eq!(bytes(DbmBound::at_most(-16_385)), 8);
    assert_eq!(bytes(DbmBound::NONE), 4);
}

#[test]
fn unbounded_entries_cover_in_both_widths() {
    let below = |v| Zone::from_constraints(1, &[(1, 0, DbmBound::at_most(v))]).unwrap().store();
    let everything = Zone::everything(1).store();
    for v in [-20_000, 0, 16_382, 16_383, 20_000, DbmBound::LARGEST] {
        assert!(everything.includes(&below(v)) && !below(v).includes(&everything), "{v}");
        assert!(everything.extent() > below(v).extent());
        assert!(below(v + 1).includes(&below(v)) && !below(v).includes(&below(v + 1)), "{v}");
    }
}

/// A difference in the very last entry is seen, whatever the number of chunks.
#[test]
fn no_entry_is_overlooked() {
    for clocks in 1..=12 {
        let small = Zone::point(&vec![-3; clocks]);
        for i in 0..=clocks {
            for j in (0..=clocks).filter(|&j| j != i) {
                let mut large = Zone::everything(clocks);
                assert!(large.constrain(i, j, small.bound(i, j)));
                assert!(large.store().includes(&small.store()));
                let mut tight = large.clone();
                assert!(tight.constrain(i, j, DbmBound::below(small.bound(i, j).value())));
                assert!(!tight.store().includes(&small.store()), "{clocks} clocks, {i} - {j}");
            }
        }
    }
}

#[test]
fn zones_over_other_clocks_do_not_compare() {
    let (none, one) = (Zone::point(&[]).store(), Zone::everything(1).store());
    assert!(!one.includes(&none) && !none.includes(&one) && none.includes(&none));
    assert_eq!((none.clocks(), none.bytes(), none.extent()), (0, 0, 0));
    let mut zone = Zone::everything(3);
    none.thaw_into(&mut zone);
    zone.rebuild_into(&[Source::Fresh(-4)], &mut Zone::default());
    assert_eq!(zone, Zone::point(&[]));
}
