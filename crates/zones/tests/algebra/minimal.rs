//! Minimal constraints restore the zone, and none of them can be spared.

use crate::dice::Dice;
use crate::model::Model;
use watchkeeper_zones::{Source, Zone};

#[test]
fn minimal_constraints_restore_the_zone_and_none_is_superfluous() {
    let mut dice = Dice::new(31);
    let (mut kept, mut rings) = (0, 0);
    for case in 0..4000 {
        let clocks = 1 + case % 5;
        let (_, mut zone) = Model::draw_zone(&mut dice, clocks, 3, case % 2 == 0);
        if case % 4 < 2 {
            // Clocks at fixed distances from each other, and from 0, are where a simple reduction goes wrong.
            let sources: Vec<Source> = (0..clocks)
                .map(|_| match dice.below(4) {
                    0 => Source::Fresh(dice.between(-3, 3)),
                    _ => Source::Keep(1 + dice.below(clocks)),
                })
                .collect();
            let mut rebuilt = Zone::default();
            zone.rebuild_into(&sources, &mut rebuilt);
            zone = rebuilt;
            rings += 1;
        }
        let minimal = zone.minimal();
        kept += minimal.len();
        assert_eq!(Zone::from_constraints(clocks, &minimal).as_ref(), Some(&zone), "{zone}");
        for spared in 0..minimal.len() {
            let mut fewer = minimal.clone();
            fewer.remove(spared);
            assert_ne!(Zone::from_constraints(clocks, &fewer).as_ref(), Some(&zone), "{zone}");
        }
    }
    assert_eq!(rings, 2000);
    assert!(kept > 8000, "{kept}");
}
