//! Who suspects whom, as a table: a row for each observer, a column for each subject. RawValue only; where it goes
//! is for others to say.

use super::asking::NodeView;
use super::changes::span;
use super::children::ChildState;
use std::time::Duration;
use watchkeeper_core::Pid;

/// One row: what is known of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterRow<'a> {
    pub(crate) process: Pid,
    pub(crate) state: &'a ChildState,
    /// Since when its child is in this state.
    pub(crate) since: Duration,
    /// What it last said of itself.
    pub(crate) view: Option<&'a NodeView>,
    /// The last that happened to it, and how long ago.
    pub(crate) last: Option<(&'a str, Duration)>,
}

/// The width of a column of a subject.
const WIDE: usize = 8;

/// The lines of the table, no longer than this.
pub(crate) fn lines(rows: &[ClusterRow<'_>], width: usize) -> Vec<String> {
    let heads: String = rows.iter().map(|row| format!("{:>WIDE$}", row.process.to_string())).collect();
    let deciding = rows.iter().any(|row| decision(row).is_some());
    let decided = |text: &str| if deciding { format!("{text:>9}") } else { String::new() };
    let mut lines = vec![format!(
        "     {heads}   {:<10}{:>9}{:>9}{}  last event",
        "phase",
        "since",
        "late",
        decided("decided")
    )];
    for row in rows {
        let cells: String =
            rows.iter().map(|subject| format!("{:>WIDE$}", cell(row, subject.process))).collect();
        let (phase, since, late) = of_itself(row);
        let last = row.last.map_or(String::new(), |(what, ago)| format!("{what} ({} ago)", span(ago)));
        lines.push(format!(
            "{:>4} {cells}   {phase:<10}{:>9}{late:>9}{}  {last}",
            row.process.to_string(),
            span(since),
            decided(&decision(row).map_or("-".to_string(), |value| value.to_string()))
        ));
    }
    lines.iter().map(|line| line.chars().take(width).collect::<String>().trim_end().to_string()).collect()
}

/// What it has decided, as far as anyone knows.
fn decision(row: &ClusterRow<'_>) -> Option<u64> {
    row.view.and_then(|view| view.decision).map(|(value, _)| value)
}

/// What an observer makes of a subject.
fn cell(observer: &ClusterRow<'_>, subject: Pid) -> String {
    if observer.process == subject {
        return String::new();
    }
    // What a node said before it was stopped or ended is no opinion any more.
    let Some(view) = observer.view.filter(|_| *observer.state == ChildState::Up) else {
        return "-".to_string();
    };
    let suspected = view.suspected.iter().find(|(peer, _)| *peer == subject);
    suspected.map_or("ok".to_string(), |(_, since)| format!("!{}", span(*since).replace(' ', "")))
}

/// What it is doing, since when, and how late it was.
fn of_itself<'a>(row: &ClusterRow<'a>) -> (&'a str, Duration, String) {
    match row.view.filter(|_| *row.state == ChildState::Up) {
        Some(view) => (&view.phase, view.uptime, span(view.worst_late)),
        None => (row.state.name(), row.since, "-".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_observers_and_columns_are_subjects() {
        let suspecting = NodeView {
            phase: "running".to_string(),
            uptime: Duration::from_secs(12),
            worst_late: Duration::from_micros(300),
            suspected: vec![(Pid::at(1), Duration::from_millis(2_300))],
            ..NodeView::default()
        };
        let trusting = NodeView { suspected: Vec::new(), ..suspecting.clone() };
        let (up, killed) = (ChildState::Up, ChildState::Killed);
        let row = |p, state, view| ClusterRow {
            process: Pid::at(p),
            state,
            since: Duration::from_secs(4),
            view,
            last: None,
        };
        let rows = [
            ClusterRow {
                last: Some(("p0 suspects p1", Duration::from_millis(2_300))),
                ..row(0, &up, Some(&suspecting))
            },
            row(1, &killed, Some(&trusting)),
            row(2, &up, Some(&trusting)),
        ];
        let expected = "           p0      p1      p2   phase         since     late  last event
  p0            !2.3s      ok   running      12.0 s   0.3 ms  p0 suspects p1 (2.3 s ago)
  p1        -               -   killed        4.0 s        -
  p2       ok      ok           running      12.0 s   0.3 ms";
        assert_eq!(lines(&rows, 120).join("\n"), expected);
        assert!(lines(&rows, 40).iter().all(|line| line.len() <= 40));
        let decided = NodeView { decision: Some((7, Duration::from_millis(5))), ..trusting.clone() };
        let rows = [row(0, &up, Some(&trusting)), row(1, &up, Some(&decided))];
        let expected = "           p0      p1   phase         since     late  decided  last event
  p0               ok   running      12.0 s   0.3 ms        -
  p1       ok           running      12.0 s   0.3 ms        7";
        assert_eq!(lines(&rows, 120).join("\n"), expected);
    }
}
