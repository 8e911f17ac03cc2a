//! What a member of a group has told, gathered from its events: who is with it, how many words it has heard, what it
//! has refused. It counts and repeats; whether members agree is for others to say.

use super::events::EvidenceFields;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tracing::{info, warn};
use watchkeeper_core::ProcSet;
use watchkeeper_protocols::membership::{GroupOutput, RefusalReason};
use watchkeeper_runtime::{NodeEvent, NodeEventKind};

/// What an announcement says about the group, of a protocol that announces values of type `O`.
pub(super) type Tells<O> = fn(&O) -> Option<&GroupOutput>;

/// All reasons for a refusal, by the names that machines see.
const REASONS: [(RefusalReason, &str); 4] = [
    (RefusalReason::Stranger, "stranger"),
    (RefusalReason::Forged, "forged"),
    (RefusalReason::Unknown, "unknown"),
    (RefusalReason::Full, "full"),
];

fn index(why: RefusalReason) -> usize {
    REASONS.iter().position(|(reason, _)| *reason == why).unwrap_or(0)
}

/// What one member has told.
#[derive(Debug)]
pub(super) struct Grouped(Mutex<Known>);

#[derive(Clone, Copy, Debug)]
struct Known {
    members: ProcSet,
    /// SynchronyModel when, since the node was spawned.
    since: Duration,
    views: u64,
    words: u64,
    refused: [u64; REASONS.len()],
}

/// How often a member has told what.
pub(super) struct GroupCounts {
    pub(super) members: usize,
    pub(super) views: u64,
    pub(super) words: u64,
    /// By the name of the reason.
    pub(super) refused: Vec<(&'static str, u64)>,
}

impl Grouped {
    /// Of a member that begins in this configuration.
    pub(super) fn new(members: ProcSet) -> Grouped {
        let refused = [0; REASONS.len()];
        Grouped(Mutex::new(Known { members, since: Duration::ZERO, views: 0, words: 0, refused }))
    }

    /// Takes note of an event.
    pub(super) fn note<O>(&self, event: &NodeEvent<O>, tells: Tells<O>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let NodeEventKind::Announced { output, .. } = &event.kind else { return };
        match tells(output) {
            Some(GroupOutput::View(configuration)) => {
                (known.members, known.since) = (configuration.members, event.at);
                known.views += 1;
            }
            Some(GroupOutput::Deliver { .. }) => known.words += 1,
            Some(GroupOutput::Refuse { why, .. }) => known.refused[index(*why)] += 1,
            None => {}
        }
    }

    fn known(&self) -> Known {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there was so far.
    pub(super) fn counts(&self) -> GroupCounts {
        let Known { members, views, words, refused, .. } = self.known();
        let refused = REASONS.iter().zip(refused).map(|((_, name), count)| (*name, count)).collect();
        GroupCounts { members: members.len(), views, words, refused }
    }

    /// The same as JSON, of a node that has been up for so long.
    pub(super) fn json(&self, uptime: Duration) -> Value {
        let Known { members, since, views, words, refused } = self.known();
        json!({
            "members": names(members),
            "ago": uptime.saturating_sub(since).as_secs_f64(),
            "views": views,
            "words": words,
            "refused": refused.iter().sum::<u64>(),
        })
    }
}

fn names(set: ProcSet) -> Vec<String> {
    set.iter().map(|p| p.to_string()).collect()
}

/// Tells of it. Lists are texts with commas.
pub(super) fn tell(told: &GroupOutput, evidence: &EvidenceFields) {
    let EvidenceFields { output, cause, late_ms, worst_late_ms, uptime_ms } = evidence;
    match told {
        GroupOutput::View(configuration) => {
            let by: Vec<String> = configuration.by.iter().map(|(_, number)| number.to_string()).collect();
            info!(
                event = "view",
                members = names(configuration.members).join(","),
                by = by.join(","),
                output,
                cause,
                late_ms,
                worst_late_ms,
                uptime_ms,
                "the view is {}",
                configuration.members
            );
        }
        GroupOutput::Deliver { from, number, word } => info!(
            event = "delivers", from = %from, number, word = word.to_string(), output, cause, late_ms, worst_late_ms,
            uptime_ms, "{from} says {word}"
        ),
        GroupOutput::Refuse { from, why } => {
            let message = match why {
                RefusalReason::Full => format!(
                    "a word of {from} is refused: {why}, because somebody in the view does not acknowledge; try again"
                ),
                _ => format!("a message of {from} is refused: {why}"),
            };
            let reason = REASONS[index(*why)].1;
            warn!(
                event = "refuses", from = %from, reason, output, cause, late_ms, worst_late_ms, uptime_ms, "{message}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::log::captured;
    use watchkeeper_core::{Meaning, PerProc, Pid};
    use watchkeeper_protocols::membership::Configuration;
    use watchkeeper_runtime::{Evidence, StepCause};

    fn event(at: u64, output: GroupOutput) -> NodeEvent<GroupOutput> {
        let none = Duration::ZERO;
        let evidence = Evidence { cause: StepCause::Start, late: none, worst_late: none, about: None };
        let kind = NodeEventKind::Announced {
            output,
            meaning: Meaning::Other(watchkeeper_core::Tone::Plain),
            evidence,
        };
        NodeEvent { at: Duration::from_millis(at), kind }
    }

    fn view() -> GroupOutput {
        let members = ProcSet::from_bits(0b101);
        GroupOutput::View(Configuration { members, by: PerProc::new(3, 2) })
    }

    #[test]
    fn the_last_view_counts_and_everything_is_counted() {
        let grouped = Grouped::new(ProcSet::first(3));
        let word = GroupOutput::Deliver { from: Pid::at(2), number: 4, word: 7 };
        let refused = GroupOutput::Refuse { from: Pid::at(1), why: RefusalReason::Forged };
        for event in [event(100, view()), event(200, word), event(300, refused)] {
            grouped.note(&event, |output| Some(output));
        }
        let told = grouped.json(Duration::from_millis(600));
        let expected = json!({ "members": ["p0", "p2"], "ago": 0.5, "views": 1, "words": 1, "refused": 1 });
        assert_eq!(told, expected);
        let GroupCounts { members, views, words, refused } = grouped.counts();
        assert_eq!((members, views, words), (2, 1, 1));
        assert_eq!(refused, [("stranger", 0), ("forged", 1), ("unknown", 0), ("full", 0)]);
    }

    #[test]
    fn views_words_and_refusals_have_lines_of_their_own() {
        let told = |output: &GroupOutput| {
            let (output_text, cause) = ("told".to_string(), "start".to_string());
            let evidence = EvidenceFields {
                output: output_text,
                cause,
                late_ms: 0.0,
                worst_late_ms: 0.5,
                uptime_ms: 1.5,
            };
            captured(|| tell(output, &evidence)).join("\n")
        };
        let rest = "output=told cause=start late_ms=0.0 worst_late_ms=0.5 uptime_ms=1.5";
        assert_eq!(
            told(&view()),
            format!("INFO  p1 view: the view is {{p0,p2}}  members=p0,p2 by=2,2,2 {rest}")
        );
        let word = GroupOutput::Deliver { from: Pid::at(2), number: 4, word: 7 };
        assert_eq!(told(&word), format!("INFO  p1 delivers: p2 says 7  from=p2 number=4 word=7 {rest}"));
        let refused = GroupOutput::Refuse { from: Pid::at(1), why: RefusalReason::Unknown };
        assert!(told(&refused).starts_with("WARN  p1 refuses: a message of p1 is refused: it follows"));
    }
}
