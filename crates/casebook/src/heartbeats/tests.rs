//! The smallest lines of the tables, computed again in both models of time.

use super::*;
use watchkeeper_explore::{NoCallback, Search};
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

fn findings(choice: &Choice) -> Findings {
    Findings::of(choice, &Search::default(), &NoCallback, &|| 0.0).expect("verdicts")
}

#[test]
fn the_binary_protocols_are_as_printed_in_ticks_and_in_zones() {
    let variants = vec![HeartbeatVariant::Binary, HeartbeatVariant::Revised, HeartbeatVariant::TwoPhase];
    let found = findings(&Choice { variants, ..Choice::default() });
    assert_eq!(found.cells.len(), 3 * 2 * 5 * 3);
    for cell in &found.cells {
        assert_eq!(cell.trouble(), None, "{cell:?}");
        assert_eq!(cell.found.len(), 2);
    }
    assert!(!found.changed() && !found.open());
    let table = found.table();
    assert_eq!(table.rows.len(), 90);
    assert_eq!(table.notes[0], "90 cells, all as verified before and alike in ticks and in zones");
}

#[test]
fn joining_costs_r2_where_twice_tmin_reaches_tmax() {
    let variants = vec![HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic];
    let found = findings(&Choice { variants, models: vec![TimeDomain::Dense], ..Choice::default() });
    for cell in &found.cells {
        assert_eq!(cell.trouble(), None, "{cell:?}");
    }
}

#[test]
fn a_cell_that_changes_is_trouble() {
    let choice = Choice {
        variants: vec![HeartbeatVariant::Binary],
        corrected: vec![false],
        models: vec![TimeDomain::Dense],
        participants: None,
    };
    let mut found = findings(&choice);
    found.cells[0].found[0].1.holds = Some(true);
    assert!(found.changed());
    let row = &found.table().rows[0];
    assert_eq!(row.last().map(String::as_str), Some("CHANGED: F was verified before"));
    let same = found.cells[0].found[0];
    found.cells[0].found.push((TimeDomain::Ticks, Measured { holds: Some(false), ..same.1 }));
    assert_eq!(found.cells[0].trouble().as_deref(), Some("TICKS AND ZONES DIFFER"));
    found.cells[0].found = vec![(TimeDomain::Dense, Measured { holds: None, ..same.1 })];
    assert!(found.open() && !found.changed());
}

#[test]
fn a_limit_leaves_a_cell_open() {
    let choice = Choice {
        variants: vec![HeartbeatVariant::Static],
        corrected: vec![true],
        models: vec![TimeDomain::Ticks],
        participants: Some(2),
    };
    let search = Search { max_states: Some(10), ..Search::default() };
    let found = Findings::of(&choice, &search, &NoCallback, &|| 0.0).expect("verdicts");
    assert!(found.open() && !found.changed());
    assert_eq!(found.table().notes[0], "15 cells, 15 of them not decided");
}
