//! What a node has announced, gathered from its events, for whoever asks: the evidence of its suspicions, its decision, its
//! group, and the last of everything else.

use super::decisions::Decisions;
use super::events::Readers;
use super::grouped::Grouped;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use watchkeeper_core::{Kind, Meaning, Pid};
use watchkeeper_runtime::{Evidence, NodeEvent, NodeEventKind};

/// How many of the last announcements are kept.
const KEPT: usize = 8;

/// What one node has announced.
#[derive(Debug, Default)]
pub(super) struct Announcements {
    pub(super) decisions: Decisions,
    /// What it has told of its group, if it is a member of one.
    pub(super) grouped: Option<Grouped>,
    /// On what it last came to suspect each peer.
    suspicions: Mutex<BTreeMap<Pid, Evidence>>,
    others: Mutex<OtherAnnouncements>,
}

/// Announcements that are neither suspicions nor decisions nor about a group.
#[derive(Debug, Default)]
struct OtherAnnouncements {
    count: u64,
    /// Each with when it was made, since the node was spawned; the last at the end.
    recent: VecDeque<(String, Duration)>,
}

impl Announcements {
    /// Of a node that proposes this, and begins in this group.
    pub(super) fn new(proposal: Option<u64>, grouped: Option<Grouped>) -> Announcements {
        Announcements { decisions: Decisions::new(proposal), grouped, ..Announcements::default() }
    }

    /// Takes note of an event.
    pub(super) fn note<O: Kind>(&self, event: &NodeEvent<O>, readers: &Readers<O>) {
        self.decisions.note(event, readers.decides);
        if let (Some(grouped), Some(tells)) = (&self.grouped, readers.tells) {
            grouped.note(event, tells);
        }
        let NodeEventKind::Announced { output, meaning, evidence } = &event.kind else { return };
        match meaning {
            Meaning::Suspects(peer) => {
                let mut suspicions = self.suspicions.lock().unwrap_or_else(PoisonError::into_inner);
                suspicions.insert(*peer, evidence.clone());
            }
            Meaning::Other(_) => self.note_other(event.at, output, readers),
            Meaning::Trusts(_) | Meaning::Stops => {}
        }
    }

    /// On what this node last came to suspect a peer; nothing if it never did, or if nobody was quick enough to see it.
    pub(super) fn evidence(&self, peer: Pid) -> Option<Evidence> {
        self.suspicions.lock().unwrap_or_else(PoisonError::into_inner).get(&peer).cloned()
    }

    fn note_other<O: Kind>(&self, at: Duration, output: &O, readers: &Readers<O>) {
        let decides = readers.decides.is_some_and(|decides| decides(output).is_some());
        if !decides && readers.tells.is_none_or(|tells| tells(output).is_none()) {
            let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
            if others.recent.len() == KEPT {
                others.recent.pop_front();
            }
            others.count += 1;
            others.recent.push_back((output.label(), at));
        }
    }

    /// All others as JSON, of a node that has been up for so long; nothing if there were none.
    pub(super) fn others(&self, uptime: Duration) -> Value {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = others
            .recent
            .iter()
            .map(|(output, at)| json!({ "output": output, "ago": uptime.saturating_sub(*at).as_secs_f64() }));
        match others.count {
            0 => Value::Null,
            count => json!({ "count": count, "recent": recent.collect::<Vec<_>>() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::Tone;
    use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Rotating};
    use watchkeeper_runtime::StepCause;

    #[test]
    fn the_evidence_of_the_last_suspicion_of_each_peer_is_kept() {
        let announcements = Announcements::default();
        let (peer, readers) = (Pid::at(2), Readers { decides: None, tells: None });
        let note = |meaning, late| {
            let (output, late) = (ConsensusOutput::Refuse(0), Duration::from_millis(late));
            let evidence = Evidence { cause: StepCause::Start, late, worst_late: late, about: None };
            let kind = NodeEventKind::Announced { output, meaning, evidence };
            announcements.note(&NodeEvent { at: Duration::ZERO, kind }, &readers);
        };
        assert_eq!(announcements.evidence(peer), None);
        note(Meaning::Suspects(peer), 1);
        note(Meaning::Trusts(peer), 2);
        note(Meaning::Suspects(peer), 3);
        let late = announcements.evidence(peer).map(|evidence| evidence.late);
        assert_eq!(late, Some(Duration::from_millis(3)));
        assert_eq!(announcements.evidence(Pid::at(1)), None);
        assert_eq!(announcements.others(Duration::ZERO), Value::Null);
    }

    #[test]
    fn the_last_announcements_are_kept_and_those_with_a_place_of_their_own_are_not() {
        let none = Duration::ZERO;
        let announcements = Announcements::default();
        assert_eq!(announcements.others(none), Value::Null);
        let note = |at, output, decides| {
            let evidence = Evidence { cause: StepCause::Start, late: none, worst_late: none, about: None };
            let kind = NodeEventKind::Announced { output, meaning: Meaning::Other(Tone::Plain), evidence };
            announcements
                .note(&NodeEvent { at: Duration::from_secs(at), kind }, &Readers { decides, tells: None });
        };
        note(1, ConsensusOutput::Decide(7), Some(Rotating::decides));
        assert_eq!(announcements.others(none), Value::Null);
        (2..12).for_each(|at| note(at, ConsensusOutput::Refuse(at), None));
        let told = announcements.others(Duration::from_secs(20));
        assert_eq!((told["count"].as_u64(), told["recent"].as_array().map(Vec::len)), (Some(10), Some(KEPT)));
        assert_eq!(told["recent"][7], json!({ "output": "refuse 11", "ago": 9.0 }));
    }
}
