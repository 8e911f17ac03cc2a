//! What has changed between two looks at a node, in words. The words of a scripted session are these, so they
//! are part of what the command promises.

use super::asking::NodeView;
use std::time::Duration;
use watchkeeper_core::{MemberSet, Pid};

/// How many announcements are shown of one look at a node; of others it is told how many there were.
const SHOWN: usize = 8;

/// What a node did between two looks at it; `None` stands for a look at which it could not be asked.
pub(crate) fn between(process: Pid, before: Option<&NodeView>, after: &NodeView) -> Vec<String> {
    let mut changes = Vec::new();
    // Nothing that is known of an earlier incarnation is true of this one.
    let before = before.filter(|before| before.incarnation == after.incarnation);
    if before.is_none_or(|before| before.phase != after.phase) {
        changes.push(format!("{process} is {}", after.phase));
    }
    let (suspected, suspects) = (before.map_or(MemberSet::new(), NodeView::suspects), after.suspects());
    for peer in suspects.iter().filter(|peer| !suspected.contains(*peer)) {
        changes.push(format!("{process} suspects {peer}"));
    }
    for peer in suspected.iter().filter(|peer| !suspects.contains(*peer)) {
        changes.push(format!("{process} trusts {peer}"));
    }
    if let (Some((value, took)), None) = (after.decision, before.and_then(|before| before.decision)) {
        changes.push(format!("{process} decides {value}, {} after it began", span(took)));
    }
    let group = |view: &NodeView| view.group.map(|group| (group.members, group.views));
    if let Some(now) = after.group.filter(|_| before.and_then(group) != group(after)) {
        changes.push(format!("{process} has the view {}", now.members));
    }
    let words = |view: &NodeView| view.group.map_or(0, |group| group.words);
    match words(after).saturating_sub(before.map_or(0, words)) {
        0 => {}
        1 => changes.push(format!("{process} hears 1 word")),
        many => changes.push(format!("{process} hears {many} words")),
    }
    let fresh = after.announced.0.saturating_sub(before.map_or(0, |before| before.announced.0));
    let recent = &after.announced.1;
    let recent = &recent[recent.len().saturating_sub(SHOWN)..];
    if fresh > recent.len() as u64 {
        changes.push(format!("{process} announces {} more", fresh - recent.len() as u64));
    }
    for output in &recent[recent.len().saturating_sub(usize::try_from(fresh).unwrap_or(usize::MAX))..] {
        changes.push(format!("{process} announces {output}"));
    }
    let stalled = after.stalled.saturating_sub(before.map_or(Duration::ZERO, |before| before.stalled));
    if !stalled.is_zero() {
        changes.push(format!("{process} was stalled for {}", span(stalled)));
    }
    let told: &[String] = before.map_or(&[], |before| &before.breaches);
    for breach in after.breaches.iter().filter(|breach| !told.contains(breach)) {
        changes.push(format!("{process}: {breach}"));
    }
    changes
}

/// A span of time in the unit that suits it.
pub(crate) fn span(span: Duration) -> String {
    match span.as_millis() {
        0 => format!("{:.1} ms", span.as_secs_f64() * 1000.0),
        short @ 1..1000 => format!("{short} ms"),
        1000..100_000 => format!("{:.1} s", span.as_secs_f64()),
        100_000..6_000_000 => format!("{} min", span.as_secs() / 60),
        _ => format!("{} h", span.as_secs() / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::asking::GroupStatus;

    fn view(incarnation: &str, suspects: &[usize]) -> NodeView {
        NodeView {
            incarnation: incarnation.to_string(),
            phase: "running".to_string(),
            suspected: suspects.iter().map(|p| (Pid::at(*p), Duration::from_secs(1))).collect(),
            ..NodeView::default()
        }
    }

    #[test]
    fn suspicions_that_begin_and_end_are_told_in_the_order_of_the_processes() {
        let told = between(Pid::at(1), Some(&view("7", &[3])), &view("7", &[0, 2]));
        assert_eq!(told, ["p1 suspects p0", "p1 suspects p2", "p1 trusts p3"]);
        assert_eq!(between(Pid::at(1), Some(&view("7", &[2])), &view("7", &[2])), [""; 0]);
    }

    #[test]
    fn a_new_life_begins_with_no_past() {
        let told = between(Pid::at(1), Some(&view("7", &[3])), &view("8", &[]));
        assert_eq!(told, ["p1 is running"]);
    }

    #[test]
    fn stalls_are_told_by_how_much_they_have_grown_and_breaches_once() {
        let mut before = view("7", &[]);
        before.stalled = Duration::from_secs(1);
        before.breaches = vec!["late".to_string()];
        let mut after = before.clone();
        after.stalled = Duration::from_millis(6_200);
        after.breaches.insert(0, "lost".to_string());
        let told = between(Pid::at(2), Some(&before), &after);
        assert_eq!(told, ["p2 was stalled for 5.2 s", "p2: lost"]);
    }

    #[test]
    fn a_decision_is_told_once() {
        let mut after = view("7", &[]);
        after.decision = Some((3, Duration::from_millis(40)));
        let told = between(Pid::at(2), Some(&view("7", &[])), &after);
        assert_eq!(told, ["p2 decides 3, 40 ms after it began"]);
        assert_eq!(between(Pid::at(2), Some(&after), &after), [""; 0]);
    }

    #[test]
    fn views_and_words_of_a_group_are_told() {
        let group = |members, views, words| {
            let members = watchkeeper_core::ProcSet::from_bits(members);
            NodeView { group: Some(GroupStatus { members, views, words }), ..view("7", &[]) }
        };
        let told = |before: &NodeView, after: &NodeView| between(Pid::at(2), Some(before), after);
        let before = group(0b111, 0, 4);
        assert_eq!(told(&before, &group(0b101, 1, 4)), ["p2 has the view {p0,p2}"]);
        assert_eq!(told(&before, &group(0b111, 2, 6)), ["p2 has the view {p0,p1,p2}", "p2 hears 2 words"]);
        assert_eq!(told(&before, &group(0b111, 0, 5)), ["p2 hears 1 word"]);
        assert_eq!(told(&before, &before), [""; 0]);
    }

    #[test]
    fn other_announcements_are_told_each_once() {
        let announced = |count, recent: &[&str]| {
            let recent = recent.iter().map(|output| output.to_string()).collect();
            NodeView { announced: (count, recent), ..view("7", &[]) }
        };
        let told = |before: &NodeView, after: &NodeView| between(Pid::at(2), Some(before), after);
        let (one, two) = (announced(1, &["lead p0"]), announced(2, &["lead p0", "lead p1"]));
        assert_eq!(told(&one, &two), ["p2 announces lead p1"]);
        assert_eq!(told(&two, &two), [""; 0]);
        let many = announced(9, &["lead p1", "lead p2"]);
        assert_eq!(
            told(&two, &many),
            ["p2 announces 5 more", "p2 announces lead p1", "p2 announces lead p2"]
        );
    }

    #[test]
    fn spans_have_the_unit_that_suits_them() {
        let spans = [120, 40_000, 2_500_000, 300_000_000].map(|micros| span(Duration::from_micros(micros)));
        assert_eq!(spans, ["0.1 ms", "40 ms", "2.5 s", "5 min"]);
    }
}
