//! The smallest lines of the tables, computed again in both models of time.

use super::table::compared;
use super::*;
use crate::table::{PublishedTable, RowStatus, TableAnswer, TableSearch};
use watchkeeper_explore::{NoCallback, Search};
use watchkeeper_logic::ExitCode;
use watchkeeper_protocols::heartbeat::HeartbeatVariant;

fn computed(selection: &HeartbeatSelection, search: &Search) -> PublishedTable {
    let search = TableSearch { search, watch: &NoCallback, seconds: &|| 0.0 };
    table(selection, &search).expect("verdicts")
}

fn as_before(selection: &HeartbeatSelection) -> PublishedTable {
    let found = computed(selection, &Search::default());
    for row in &found.rows {
        assert_eq!(row.status, RowStatus::AsExpected, "{row:?}");
        assert_eq!(row.found.len(), 3 * selection.domains.len());
    }
    found
}

#[test]
fn the_binary_protocols_are_as_printed_in_ticks_and_in_zones() {
    let variants = vec![HeartbeatVariant::Binary, HeartbeatVariant::Revised, HeartbeatVariant::TwoPhase];
    let found = as_before(&HeartbeatSelection { variants, ..HeartbeatSelection::default() });
    assert_eq!(found.exit_code(), ExitCode::HOLDS);
    let table = found.table();
    assert_eq!(table.rows.len(), 3 * 2 * 5 * 3);
    assert_eq!(table.notes[0], "90 rows in 0 ms, all as verified before and alike in ticks and in zones");
}

#[test]
fn joining_costs_r2_where_twice_tmin_reaches_tmax() {
    let (variants, domains) =
        (vec![HeartbeatVariant::Expanding, HeartbeatVariant::Dynamic], vec![TimeDomain::Dense]);
    as_before(&HeartbeatSelection { variants, domains, ..HeartbeatSelection::default() });
}

#[test]
fn a_cell_that_changes_is_trouble() {
    let (holds, fails) = (TableAnswer::Holds, TableAnswer::Fails { steps: 4 });
    let told = |answers: &[TableAnswer]| compared(answers, Some(false));
    assert_eq!(told(&[fails, fails]), (RowStatus::AsExpected, String::new()));
    assert_eq!(told(&[holds]), (RowStatus::Changed, "CHANGED: F was verified before".to_string()));
    assert_eq!(told(&[holds, fails]), (RowStatus::Changed, "TICKS AND ZONES DIFFER".to_string()));
    assert_eq!(told(&[TableAnswer::Unknown, fails]), (RowStatus::Open, String::new()));
    assert_eq!(told(&[TableAnswer::Unknown, holds]).0, RowStatus::Changed);
}

#[test]
fn a_limit_leaves_a_cell_open() {
    let selection = HeartbeatSelection {
        variants: vec![HeartbeatVariant::Static],
        corrected: vec![true],
        domains: vec![TimeDomain::Ticks],
        participants: Some(2),
    };
    let found = computed(&selection, &Search { max_states: Some(10), ..Search::default() });
    assert_eq!(found.exit_code(), ExitCode::UNKNOWN);
    assert_eq!(found.table().notes[0], "15 rows in 0 ms, 15 of them not decided");
}
