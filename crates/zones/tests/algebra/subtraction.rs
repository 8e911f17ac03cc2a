//! What subtraction leaves: pieces that do not overlap, and together are just what they should be.

use crate::dice::Dice;
use crate::model::{Model, assert_canonical, grid, members};
use watchkeeper_zones::Zone;

#[test]
fn the_pieces_are_disjoint_and_cover_the_difference() {
    let mut dice = Dice::new(41);
    let mut counts = [0; 3];
    for clocks in 1..=3 {
        let points = grid(clocks, 2);
        for case in 0..1000 {
            let (_, zone) = Model::draw_zone(&mut dice, clocks, 2, true);
            let (_, other) = Model::draw_zone(&mut dice, clocks, 2, case % 2 == 0);
            let pieces = zone.subtract(&other);
            pieces.iter().for_each(assert_canonical);
            let times_covered = |at: usize| pieces.iter().filter(|piece| has(piece, &points[at])).count();
            let (was, cut) = (members(&zone, &points), members(&other, &points));
            for at in 0..points.len() {
                let expected = usize::from(was[at] && !cut[at]);
                assert_eq!(times_covered(at), expected, "{zone} without {other} at {:?}", points[at]);
            }
            for (n, piece) in pieces.iter().enumerate() {
                assert!(zone.includes(piece));
                assert!(pieces[..n].iter().all(|earlier| !piece.clone().intersect(earlier)));
            }
            assert_eq!(pieces.is_empty(), other.includes(&zone));
            counts[pieces.len().min(2)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 200), "none, one and more pieces: {counts:?}");
}

fn has(zone: &Zone, point: &[i32]) -> bool {
    zone.contains(point, zone.clocks() as i32 + 1)
}
