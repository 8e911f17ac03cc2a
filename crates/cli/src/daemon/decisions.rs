//! What a node has proposed and decided, gathered from its events, for whoever asks. A decision is final, so the first
//! one stays, and it can be asked for as long as the node is there.

use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use watchkeeper_runtime::{NodeEvent, NodeEventKind};

/// The announcement that decides a value, of a protocol that announces values of type `O`.
pub(super) type Decides<O> = fn(&O) -> Option<u64>;

/// What one node has proposed and decided.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    proposal: Option<u64>,
    known: Mutex<Known>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// When the protocol began, since the node was spawned.
    began: Duration,
    /// The value, and when.
    decision: Option<(u64, Duration)>,
}

impl Decisions {
    /// Of a node that proposes this.
    pub(super) fn new(proposal: Option<u64>) -> Decisions {
        Decisions { proposal, known: Mutex::default() }
    }

    /// Takes note of an event.
    pub(super) fn note<O>(&self, event: &NodeEvent<O>, decides: Option<Decides<O>>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            NodeEventKind::Began { .. } => known.began = event.at,
            NodeEventKind::Announced { output, .. } if known.decision.is_none() => {
                let value = decides.and_then(|decides| decides(output));
                known.decision = value.map(|value| (value, event.at));
            }
            _ => {}
        }
    }

    /// What it proposed; numbers are texts, since they may have more digits than some readers keep.
    pub(super) fn proposal(&self) -> Value {
        self.proposal.map_or(Value::Null, |value| json!(value.to_string()))
    }

    /// What it decided, for a node that has been up for so long.
    pub(super) fn decision(&self, uptime: Duration) -> Value {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.decision.map_or(Value::Null, |(value, at)| {
            json!({
                "value": value.to_string(),
                "after": at.saturating_sub(known.began).as_secs_f64(),
                "ago": uptime.saturating_sub(at).as_secs_f64(),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::Meaning;
    use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Rotating};
    use watchkeeper_runtime::{Evidence, StepCause};

    fn event(at: u64, output: ConsensusOutput) -> NodeEvent<ConsensusOutput> {
        let none = Duration::ZERO;
        let evidence = Evidence { cause: StepCause::Start, late: none, worst_late: none, about: None };
        let kind = NodeEventKind::Announced {
            output,
            meaning: Meaning::Other(watchkeeper_core::Tone::Plain),
            evidence,
        };
        NodeEvent { at: Duration::from_millis(at), kind }
    }

    #[test]
    fn the_first_decision_stays_and_a_refusal_is_none() {
        let decisions = Decisions::new(Some(9));
        assert_eq!((decisions.proposal(), decisions.decision(Duration::ZERO)), (json!("9"), Value::Null));
        let began = NodeEvent { at: Duration::from_millis(500), kind: NodeEventKind::Began { peers: 2 } };
        let decides: Option<Decides<ConsensusOutput>> = Some(Rotating::decides);
        decisions.note(&began, decides);
        decisions.note(&event(600, ConsensusOutput::Refuse(9)), decides);
        assert_eq!(decisions.decision(Duration::from_secs(1)), Value::Null);
        decisions.note(&event(750, ConsensusOutput::Decide(7)), decides);
        decisions.note(&event(800, ConsensusOutput::Decide(8)), decides);
        let told = decisions.decision(Duration::from_secs(1));
        assert_eq!(told, json!({ "value": "7", "after": 0.25, "ago": 0.25 }));
        assert_eq!(Decisions::default().proposal(), Value::Null);
    }
}
