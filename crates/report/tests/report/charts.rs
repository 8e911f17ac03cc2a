//! The figures of the documents, and more, in every form, against golden files.

use crate::{figures, golden};
use watchkeeper_core::Trace;
use watchkeeper_report::{Banner, Chart, Style};

const ASCII: Style = Style { color: false, unicode: false, width: 100 };

fn figure(name: &str, trace: &Trace) {
    let chart = Chart::of(trace);
    golden::check(&format!("{name}.txt"), &chart.text(&Style::default()));
    golden::check(&format!("{name}.svg"), &chart.svg(name));
    golden::check(&format!("{name}.mmd"), &chart.mermaid());
}

#[test]
fn the_buffer_overflow_of_figure_6_10() {
    figure("figure-6.10", &figures::figure_6_10());
}

#[test]
fn the_oscillations_of_figure_6_12() {
    figure("figure-6.12b", &figures::figure_6_12_b());
    figure("figure-6.12c", &figures::figure_6_12_c());
}

#[test]
fn the_mutual_block_of_figure_6_13() {
    figure("figure-6.13", &figures::figure_6_13());
}

#[test]
fn what_happens_before_the_first_step() {
    figure("opening", &figures::opening());
}

#[test]
fn whoever_recovers_has_a_new_lifeline() {
    figure("recovery", &figures::recovery());
    golden::check("recovery-ascii.txt", &Chart::of(&figures::recovery()).text(&ASCII));
}

#[test]
fn everything_that_a_trace_can_hold() {
    let trace = figures::everything();
    figure("everything", &trace);
    golden::check("everything-ascii.txt", &Chart::of(&trace).text(&ASCII));
    let colored = Style { color: true, ..Style::default() };
    golden::check("everything-colored.txt", &Chart::of(&trace).text(&colored));
}

#[test]
fn time_stands_in_a_column_and_ticks_do_not_clutter() {
    figure("lost-beat", &figures::lost_beat());
    figure("lost-beat-dense", &figures::lost_beat_dense());
    let chart = Chart::of(&figures::lost_beat());
    assert_eq!(chart.rows.len(), 3, "21 ticks have no rows of their own");
    let times: Vec<Option<&str>> = chart.rows.iter().map(|row| row.at.as_deref()).collect();
    assert_eq!(times, [Some("10"), Some("20"), Some("21")]);
}

#[test]
fn rings_of_two_three_six_and_eight() {
    golden::check("ring-2.txt", &Chart::of(&figures::ring(2, 15)).text(&Style::default()));
    golden::check("ring-3.txt", &Chart::of(&figures::ring(3, 2)).text(&Style::default()));
    golden::check("ring-6.txt", &Chart::of(&figures::ring(6, 1)).text(&Style::default()));
    golden::check("ring-8.txt", &Chart::of(&figures::ring(8, 1)).text(&Style::default()));
}

#[test]
fn a_run_without_end_says_where_it_repeats() {
    let trace = figures::lasso();
    figure("lasso", &trace);
    golden::check("lasso-ascii.txt", &Chart::of(&trace).text(&ASCII));
}

#[test]
fn a_run_that_rests_says_so_and_repeats_nothing() {
    figure("rest", &figures::rest());
    let chart = Chart::of(&figures::rest());
    assert_eq!(chart.repeated, None);
    let still = Chart::of(&Trace { loops_to: Some(0), ..Trace::default() });
    let said = "nothing happens any more: so it stays for ever".to_string();
    assert_eq!(still.rows[0].banner, Some(Banner::Remark(said)));
}

#[test]
fn time_before_a_loop_is_no_part_of_it() {
    figure("lap-in-time", &figures::lap_in_time());
}

#[test]
fn labels_that_look_like_syntax() {
    figure("hostile", &figures::hostile());
}

#[test]
fn charts_keep_within_a_hundred_columns_up_to_eight_processes() {
    for trace in figures::all().iter().map(|(_, trace)| trace) {
        let text = Chart::of(trace).text(&Style::default());
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{widest:?}\n{text}");
    }
}

#[test]
fn every_message_received_has_one_head_and_every_step_its_number() {
    for (name, trace) in figures::all() {
        let received = trace.steps.iter().flat_map(|step| &step.events);
        let received =
            received.filter(|event| matches!(event, watchkeeper_core::Event::Receive { .. })).count();
        let text = Chart::of(&trace).text(&Style::default());
        assert_eq!(text.matches(['►', '◄']).count(), received, "{name}\n{text}");
        let numbers: Vec<usize> = text.lines().flat_map(leading_numbers).collect();
        let seen = |i: &usize| *i == trace.steps.len() || !trace.steps[i - 1].action.ends_with(" passes");
        assert_eq!(numbers, (1..=trace.steps.len()).filter(seen).collect::<Vec<_>>(), "{name}\n{text}");
    }
}

/// The numbers of the steps that begin in a line.
fn leading_numbers(line: &str) -> Vec<usize> {
    let first = line.split_whitespace().next().unwrap_or_default();
    let column = line.len() - line.trim_start().len();
    let numbers: Option<Vec<usize>> = first.split(',').map(|number| number.parse().ok()).collect();
    numbers.filter(|_| column < 8).unwrap_or_default()
}

#[test]
fn ascii_charts_are_ascii() {
    for (name, trace) in figures::all() {
        let text = Chart::of(&trace).text(&ASCII);
        let foreign: Vec<char> = text.chars().filter(|c| !c.is_ascii() && *c != 'Δ').collect();
        assert!(foreign.is_empty(), "{name}: {foreign:?}");
    }
}

#[test]
fn narrow_and_empty_charts_do_not_panic() {
    for (_, trace) in figures::all() {
        for width in [0, 1, 20, 60, 1000] {
            let style = Style { width, ..Style::default() };
            assert!(!Chart::of(&trace).text(&style).is_empty());
        }
    }
    let empty = Chart::of(&Trace::default());
    assert!(empty.svg("").contains("<title id=\"title\">Message sequence chart</title>"));
    assert_eq!(empty.mermaid(), "sequenceDiagram\n");
    empty.text(&Style::default());
}
