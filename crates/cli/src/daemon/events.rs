//! What the daemon adds to what the runtime tells: announcements in the words of decisions and groups, and events that came too
//! fast for it. Everything else the runtime tells itself.

use super::decisions::Decides;
use super::grouped::{self, Tells};
use std::time::Duration;
use tracing::{info, warn};
use watchkeeper_core::{Kind, Meaning};
use watchkeeper_runtime::{Evidence, NodeEvent, NodeEventKind};

/// How to read what the processes of a protocol announce, if it is about values or about a group.
pub(super) struct Readers<O> {
    pub(super) decides: Option<Decides<O>>,
    pub(super) tells: Option<Tells<O>>,
}

/// The evidence of an announcement, as fields of a line.
pub(super) struct EvidenceFields {
    pub(super) output: String,
    pub(super) cause: String,
    pub(super) late_ms: f64,
    pub(super) worst_late_ms: f64,
    pub(super) uptime_ms: f64,
}

impl EvidenceFields {
    fn of(output: String, evidence: &Evidence, at: Duration) -> EvidenceFields {
        let ms = |time: Duration| time.as_micros() as f64 / 1e3;
        EvidenceFields {
            output,
            cause: evidence.cause.to_string(),
            late_ms: ms(evidence.late),
            worst_late_ms: ms(evidence.worst_late),
            uptime_ms: ms(at),
        }
    }
}

/// Tells of an event, if the runtime does not.
pub(super) fn tell<O: Kind>(event: &NodeEvent<O>, readers: &Readers<O>) {
    match &event.kind {
        NodeEventKind::Announced { output, meaning: Meaning::Other(_), evidence } => {
            announced(output, &EvidenceFields::of(output.label(), evidence, event.at), readers);
        }
        NodeEventKind::Missed(count) => {
            warn!(event = "events-missed", count, "{count} events came too fast for this log and are gone");
        }
        _ => {}
    }
}

fn announced<O>(output: &O, evidence: &EvidenceFields, readers: &Readers<O>) {
    if let Some(told) = readers.tells.and_then(|tells| tells(output)) {
        return grouped::tell(told, evidence);
    }
    let EvidenceFields { output: label, cause, late_ms, worst_late_ms, uptime_ms } = evidence;
    match readers.decides.map(|decides| decides(output)) {
        None => {
            info!(event = "announced", output = label, cause, late_ms, worst_late_ms, uptime_ms, "{label}")
        }
        Some(Some(value)) => info!(
            event = "decides",
            value = value.to_string(),
            output = label,
            cause,
            late_ms,
            worst_late_ms,
            uptime_ms,
            "the decision is {value}, for good"
        ),
        Some(None) => warn!(
            event = "refuses",
            output = label,
            cause,
            late_ms,
            worst_late_ms,
            uptime_ms,
            "{label}: this node has proposed or decided before, or the value is outside of the domain"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::log::captured;
    use watchkeeper_core::Tone;
    use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Rotating};
    use watchkeeper_runtime::StepCause;

    #[test]
    fn decisions_and_refusals_have_words_of_their_own() {
        let none = Duration::ZERO;
        let told = |output, decides| {
            let evidence =
                Evidence { cause: StepCause::Call("propose"), late: none, worst_late: none, about: None };
            let kind = NodeEventKind::Announced { output, meaning: Meaning::Other(Tone::Plain), evidence };
            let event = NodeEvent { at: Duration::from_micros(1500), kind };
            captured(|| tell(&event, &Readers { decides, tells: None })).join("\n")
        };
        let decides: Option<Decides<ConsensusOutput>> = Some(Rotating::decides);
        assert_eq!(
            told(ConsensusOutput::Decide(7), decides),
            "INFO  p1 decides: the decision is 7, for good  value=7 output=\"decide 7\" cause=\"call propose\" \
             late_ms=0.0 worst_late_ms=0.0 uptime_ms=1.5"
        );
        let refused = told(ConsensusOutput::Refuse(9), decides);
        assert!(
            refused.starts_with("WARN  p1 refuses: refuse 9: this node has proposed or decided before"),
            "{refused}"
        );
        let plain = told(ConsensusOutput::Decide(7), None);
        assert!(plain.starts_with("INFO  p1 announced: decide 7  output=\"decide 7\""), "{plain}");
        let missed = NodeEvent::<ConsensusOutput> { at: none, kind: NodeEventKind::Missed(3) };
        let readers = Readers { decides: None, tells: None };
        let told = captured(|| tell(&missed, &readers));
        assert_eq!(
            told,
            ["WARN  p1 events-missed: 3 events came too fast for this log and are gone  count=3"]
        );
    }
}
