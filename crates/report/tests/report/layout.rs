//! Which event goes into which row, and what becomes of messages.

use crate::figures::*;
use watchkeeper_core::Trace;
use watchkeeper_report::{Banner, Chart, LifelineSide, MarkKind, MessageOutcome};

fn story(n: usize) -> Story {
    Story::of(&["p0", "p1", "p2", "p3"][..n])
}

fn steps(chart: &Chart, row: usize) -> Vec<usize> {
    chart.rows[row].steps.iter().map(|(number, _)| *number).collect()
}

fn chart(story: Story) -> Chart {
    Chart::of(&story.end())
}

#[test]
fn a_message_received_as_the_next_thing_is_one_straight_arrow() {
    let chart = chart(story(2).step("a", [send(1, 0, 1, ASK)]).step("b", [receive(1), trust(1, "p0")]));
    assert_eq!(chart.rows.len(), 1);
    assert_eq!(chart.arrows[0].outcome, MessageOutcome::Received(0));
    assert_eq!(steps(&chart, 0), [1, 2]);
    assert_eq!(chart.rows[0].marks[0].side, LifelineSide::Right, "the words stand away from the arrow");
}

#[test]
fn what_happens_before_the_first_step_has_no_number() {
    let opening = [send(1, 0, 1, ASK), send(2, 1, 0, ASK)];
    let chart = chart(story(2).opening(opening).step("a", [receive(2), send(3, 0, 1, ANSWER)]));
    let numbers: Vec<Vec<usize>> = (0..chart.rows.len()).map(|row| steps(&chart, row)).collect();
    assert_eq!(numbers, [vec![], vec![], vec![1], vec![]]);
    assert_eq!(chart.arrows[1].later_end(), Some(2), "the receipt is the first step, the sending is none");
}

#[test]
fn what_a_first_step_does_stays_apart_from_the_opening() {
    let chart =
        chart(story(2).opening([note(0, "begins")]).step("a", [fire(0, "")]).step("b", [fire(0, "")]));
    let texts: Vec<String> = chart.rows.iter().map(|row| row.marks[0].text()).collect();
    assert_eq!(texts, ["begins", "timeout", "timeout"]);
}

#[test]
fn who_has_crashed_from_the_start_has_no_lifeline() {
    let opening = [crash(1), send(1, 0, 1, ASK)];
    let trace = story(2).opening(opening.clone()).end();
    let chart = Chart::of(&trace);
    assert!(chart.lifelines[1].crashed_before() && !chart.lifelines[0].crashed_before());
    assert_eq!((chart.rows.len(), chart.arrows[0].start), (1, 0));
    let late = Chart::of(&story(2).opening(opening.into_iter().rev()).end());
    assert_eq!(
        late.lifelines[1].up_spans,
        [(None, Some(1))],
        "who crashes after something has happened is seen to crash"
    );
}

#[test]
fn a_message_with_something_between_ends_in_a_later_row() {
    let between = story(2).step("a", [send(1, 0, 1, ASK)]).step("b", [fire(0, "")]).step("c", [receive(1)]);
    let chart = chart(between);
    assert_eq!(chart.arrows[0].later_end(), Some(2));
    assert_eq!(steps(&chart, 2), [3]);
}

#[test]
fn a_message_that_takes_time_is_never_straight() {
    let slow = story(2).step("a", [send(1, 0, 1, ASK)]).at("1").step("b", [receive(1)]).at("3");
    let chart = chart(slow);
    assert_eq!(chart.arrows[0].later_end(), Some(1));
    assert_eq!(chart.rows[1].at.as_deref(), Some("3"));
}

#[test]
fn the_time_is_said_when_it_changes() {
    let times = story(1)
        .step("a", [fire(0, "")])
        .at("1")
        .step("b", [fire(0, "")])
        .at("1")
        .step("c", [fire(0, "")])
        .at("2");
    let shown: Vec<Option<String>> = chart(times).rows.into_iter().map(|row| row.at).collect();
    assert_eq!(shown, [Some("1".to_string()), None, Some("2".to_string())]);
}

#[test]
fn what_a_process_does_in_one_step_shares_a_row_where_it_can() {
    let chart = chart(
        story(3).step("a", [fire(1, "Round"), suspect(1, "p2"), send(1, 1, 2, ASK), send(2, 1, 0, ASK)]),
    );
    assert_eq!(chart.rows.len(), 2);
    let marks = &chart.rows[0].marks[0];
    assert_eq!((marks.side, marks.text().as_str()), (LifelineSide::Left, "timeout Round, suspect p2"));
    assert_eq!(marks.kind(), MarkKind::Alarm);
    assert_eq!((chart.arrows[0].start, chart.arrows[1].start), (0, 1));
}

#[test]
fn a_wait_lasts_until_the_message_goes_out() {
    let waits = story(2)
        .step("a", [block(0, 1, ASK)])
        .step("b", [fire(1, "")])
        .step("c", [send(1, 0, 1, ASK)])
        .step("d", [block(0, 1, ANSWER)])
        .step("e", [fire(1, "")]);
    let chart = chart(waits);
    assert_eq!(chart.lifelines[0].blocked, [(0, Some(2)), (3, None)]);
    let last = chart.rows.last().map(|row| (row.steps.len(), row.marks[0].text()));
    assert_eq!(last, Some((0, "blocked: channel to p1 full".to_string())));
}

#[test]
fn who_blocks_in_the_last_step_is_not_said_to_twice() {
    let chart = chart(story(2).step("a", [fire(1, "")]).step("b", [block(0, 1, ASK)]));
    assert_eq!(chart.rows.len(), 2);
}

#[test]
fn words_at_the_end_come_after_those_who_wait() {
    let ends = story(2).step("a", [block(0, 1, ASK)]).step("b", [fire(1, ""), remark("deadlock")]);
    let chart = chart(ends);
    assert_eq!(
        chart.rows.last().and_then(|row| row.banner.clone()),
        Some(Banner::Remark("deadlock".to_string()))
    );
    assert_eq!(chart.rows[2].marks[0].kind(), MarkKind::Blocked);
}

#[test]
fn a_crash_ends_a_lifeline_and_a_wait() {
    let chart = chart(story(2).step("a", [block(0, 1, ASK)]).step("b", [crash(0)]).step("c", [fire(1, "")]));
    assert_eq!(chart.lifelines[0].up_spans, [(None, Some(1))]);
    assert_eq!(chart.lifelines[0].blocked, [(0, Some(1))]);
    assert_eq!(chart.rows.len(), 3);
}

#[test]
fn a_recovery_begins_a_lifeline_anew() {
    let again = story(2)
        .opening([crash(1), send(1, 0, 1, ASK)])
        .step("a", [swallow(1), recover(1), send(2, 1, 0, ASK)])
        .step("b", [crash(1)])
        .step("c", [crash(1)])
        .step("d", [recover(1)])
        .step("e", [recover(1), recover(0)]);
    let chart = chart(again);
    assert_eq!(chart.lifelines[1].up_spans, [(Some(2), Some(3)), (Some(5), None)]);
    assert!(chart.lifelines[1].crashed_before());
    assert_eq!(chart.lifelines[0].up_spans, [(None, None)], "who has not crashed up_spans on");
    assert_eq!(chart.arrows[1].start, 2, "what it sends at once leaves where its lifeline begins");
    assert_eq!(chart.rows[2].marks[0].text(), "recovers");
}

#[test]
fn who_swallows_without_a_crash_has_crashed_before() {
    let chart = chart(story(2).step("a", [send(1, 0, 1, ASK)]).step("b", [swallow(1)]));
    assert!(chart.lifelines[1].crashed_before() && !chart.lifelines[0].crashed_before());
    assert!(chart.svg("").contains(">crash</text>"));
}

#[test]
fn what_is_announced_does_not_hide_behind_a_wait() {
    let chart = chart(story(2).step("a", [fire(0, ""), block(0, 1, ASK), trust(0, "p1"), remark("end")]));
    let texts: Vec<String> = chart.rows.iter().flat_map(|row| &row.marks).map(|marks| marks.text()).collect();
    assert_eq!(texts, ["timeout, stop suspecting p1", "blocked: channel to p1 full (ARE-YOU-ALIVE)"]);
    assert!(chart.rows[2].banner.is_some());
}

#[test]
fn messages_that_do_not_arrive_say_why() {
    let fates = story(2)
        .step("a", [send(1, 0, 1, ASK), ignore(0, 1, ASK), overflow(0, 1, ASK), send(2, 0, 1, ASK)])
        .step("b", [lose(1)])
        .step("c", [crash(1)])
        .step("d", [swallow(2), send(3, 0, 1, ASK)]);
    let chart = chart(fates);
    let found: Vec<MessageOutcome> = chart.arrows.iter().map(|arrow| arrow.outcome).collect();
    assert_eq!(
        found,
        [
            MessageOutcome::Lost(4),
            MessageOutcome::Ignored,
            MessageOutcome::Overflow,
            MessageOutcome::Swallowed(6),
            MessageOutcome::InFlight
        ]
    );
}

#[test]
fn a_copy_is_a_message_of_its_own() {
    let copies =
        story(2).step("a", [send(1, 0, 1, ASK)]).step("b", [duplicate(1, 2)]).step("c", [receive(2)]);
    let chart = chart(copies);
    assert_eq!(chart.arrows[0].outcome, MessageOutcome::InFlight);
    assert_eq!((chart.arrows[1].copy, chart.arrows[1].number), (true, Some(2)));
    assert_eq!(chart.arrows[1].label, "ARE-YOU-ALIVE (copy)");
    assert_eq!(chart.arrows[1].outcome, MessageOutcome::Received(1));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let odd = story(1).step("tick", []).step("b", [receive(7)]).step("c", [fire(2, "x")]);
    let chart = chart(odd);
    assert_eq!(chart.rows[0].banner, Some(Banner::Step("tick".to_string())));
    let said = "message 7 arrives, which this trace has not seen sent";
    assert_eq!(chart.rows[1].banner, Some(Banner::Remark(said.to_string())));
    let names: Vec<&str> = chart.lifelines.iter().map(|lifeline| lifeline.name.as_str()).collect();
    assert_eq!(names, ["p0", "p1", "p2"], "a process that is not named is drawn all the same");
}

#[test]
fn a_message_to_oneself_goes_out_and_comes_back() {
    let chart = chart(story(2).step("a", [send(1, 0, 0, ASK)]).step("b", [receive(1)]));
    assert_eq!(chart.arrows[0].later_end(), Some(1));
    assert_eq!(chart.arrows[0].arrives(), LifelineSide::Right);
}

#[test]
fn an_empty_trace_is_an_empty_chart() {
    assert_eq!(Chart::of(&Trace::default()), Chart::default());
}
