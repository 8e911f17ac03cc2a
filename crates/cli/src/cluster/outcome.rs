//! What came of a cluster whose nodes decide: who decided what and when, and whether they agree. It judges only what
//! nodes have said; whether that is a run of the model is for `replay` to say.

use super::changes::span;
use std::path::Path;
use std::time::Duration;
use watchkeeper_core::Pid;
use watchkeeper_logic::ExitCode;

/// What became of one node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeOutcome {
    pub(crate) process: Pid,
    /// What it is or was doing at the end, if it does not run: killed, left, failed.
    pub(crate) gone: Option<&'static str>,
    /// What it decided, and how long after it began where that is known.
    pub(crate) decision: Option<(u64, Option<Duration>)>,
}

/// What became of all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ClusterOutcome {
    /// Whether this protocol decides on values at all.
    pub(crate) deciding: bool,
    pub(crate) fates: Vec<NodeOutcome>,
}

impl ClusterOutcome {
    /// The values that were decided, each once, the lowest first.
    fn values(&self) -> Vec<u64> {
        let mut values: Vec<u64> =
            self.fates.iter().filter_map(|fate| fate.decision).map(|(value, _)| value).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The exit code: two decisions are a violation of agreement, which is a safety property.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.values().len() > 1 { ExitCode::SAFETY } else { ExitCode::HOLDS }
    }

    /// For people: a line for each node, and one for all.
    pub(crate) fn text(&self) -> String {
        if !self.deciding {
            return String::new();
        }
        let mut out = "Decisions\n".to_string();
        for NodeOutcome { process, gone, decision } in &self.fates {
            let what = match decision {
                Some((value, Some(took))) => format!("{value}, {} after it began", span(*took)),
                Some((value, None)) => value.to_string(),
                None => "none".to_string(),
            };
            let gone = gone.map_or(String::new(), |gone| format!(" ({gone})"));
            out.push_str(&format!("  {process}: {what}{gone}\n"));
        }
        let open = self.fates.iter().filter(|fate| fate.gone.is_none() && fate.decision.is_none()).count();
        let all = match (self.values().as_slice(), open) {
            ([], _) => "Nobody has decided".to_string(),
            ([value], 0) => format!("All that are alive have decided, and all agree on {value}"),
            ([value], open) => {
                format!("Whoever has decided agrees on {value}; {open} that are alive have not decided")
            }
            (values, _) => {
                let values: Vec<String> = values.iter().map(u64::to_string).collect();
                format!("AGREEMENT IS VIOLATED: {} were decided", values.join(" and "))
            }
        };
        out.push_str(&format!("{all}\n"));
        out
    }
}

/// The decision that a log tells of: the last word of a node that was killed before anyone could ask it.
pub(crate) fn logged(log: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(log).ok()?;
    text.lines().find_map(|line| {
        let (_, rest) = line.split_once(" decides: the decision is ")?;
        rest.split_once(',')?.0.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fate(p: usize, gone: Option<&'static str>, decision: Option<u64>) -> NodeOutcome {
        let decision = decision.map(|value| (value, gone.is_none().then_some(Duration::from_millis(30))));
        NodeOutcome { process: Pid::at(p), gone, decision }
    }

    #[test]
    fn agreement_is_told_and_a_second_value_is_a_violation() {
        let fates =
            vec![fate(0, None, Some(2)), fate(1, Some("killed"), None), fate(2, Some("killed"), Some(2))];
        let mut outcome = ClusterOutcome { deciding: true, fates };
        let expected = "Decisions\n  p0: 2, 30 ms after it began\n  p1: none (killed)\n  p2: 2 (killed)\nAll that are \
                        alive have decided, and all agree on 2\n";
        assert_eq!((outcome.text().as_str(), outcome.exit_code()), (expected, ExitCode::HOLDS));
        outcome.fates[1] = fate(1, None, None);
        assert!(outcome.text().ends_with("agrees on 2; 1 that are alive have not decided\n"));
        outcome.fates[2] = fate(2, Some("killed"), Some(1));
        assert!(outcome.text().ends_with("AGREEMENT IS VIOLATED: 1 and 2 were decided\n"));
        assert_eq!(outcome.exit_code(), ExitCode::SAFETY);
        let none = ClusterOutcome { deciding: true, fates: vec![fate(0, None, None)] };
        assert!(none.text().ends_with("Nobody has decided\n") && none.exit_code() == ExitCode::HOLDS);
        assert_eq!(ClusterOutcome { deciding: false, ..outcome }.text(), "");
    }

    #[test]
    fn the_last_word_of_a_node_is_in_its_log() {
        let log = std::env::temp_dir().join(format!("watchkeeper-outcome-{}.log", std::process::id()));
        let lines = "2026-01-02T03:04:05.678Z INFO  p1 began: the protocol begins\n2026-01-02T03:04:05.679Z INFO  p1 \
                     decides: the decision is 17, for good  value=\"17\" output=\"decide 17\"\n";
        std::fs::write(&log, lines).expect("written");
        assert_eq!(logged(&log), Some(17));
        std::fs::write(&log, &lines[..60]).expect("written");
        assert_eq!(logged(&log), None);
        std::fs::remove_file(&log).expect("removed");
        assert_eq!(logged(&log), None);
    }
}
