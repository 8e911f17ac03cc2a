//! What a node tells, as lines of the log: every event has one, with all of its evidence.

use super::decisions::Decides;
use super::grouped::{self, Tells};
use super::log::LogLine;
use crate::node_file::LogLevel;
use serde_json::{Value, json};
use std::time::Duration;
use watchkeeper_core::{Kind, Meaning};
use watchkeeper_runtime::{Breach, Evidence, Measurement, NodeEvent, NodeEventKind};

/// How to read what the processes of a protocol announce, if it is about values or about a group.
pub(super) struct Readers<O> {
    pub(super) decides: Option<Decides<O>>,
    pub(super) tells: Option<Tells<O>>,
}

/// The line of an event.
pub(super) fn line<O: Kind + std::fmt::Debug>(event: &NodeEvent<O>, readers: &Readers<O>) -> LogLine {
    let line = match &event.kind {
        NodeEventKind::Began { peers } => {
            let message = format!("the protocol begins, with {} there", counted(*peers as u64, "peer"));
            LogLine::info("began", message).with("peers", json!(peers))
        }
        NodeEventKind::Announced { output, meaning, evidence } => {
            announced(output, *meaning, evidence, readers)
        }
        NodeEventKind::PeerFound { peer, incarnation } => {
            LogLine::info("peer-found", format!("{peer} is there"))
                .with("peer", json!(peer.to_string()))
                .with("incarnation", json!(incarnation.to_string()))
        }
        NodeEventKind::PeerLeft { peer } => LogLine::info("peer-left", format!("{peer} says that it leaves"))
            .with("peer", json!(peer.to_string())),
        NodeEventKind::Stalled { lasted, drained } => {
            let message = format!(
                "this node did nothing for {lasted:.1?}; it has taken in {} that had arrived, and blames nobody for it",
                counted(*drained, "datagram")
            );
            LogLine::warn("stalled", message).with("lasted_ms", ms(*lasted)).with("drained", json!(drained))
        }
        NodeEventKind::Broken(breach) => broken(breach),
        NodeEventKind::ClockJumped { by } => {
            let seconds = *by as f64 / 1e9;
            let message =
                format!("the wall clock was set by {seconds:+.3}s; the protocol does not depend on it");
            LogLine::warn("clock-jumped", message).with("by_ms", json!(*by as f64 / 1e6))
        }
        NodeEventKind::Renumbered { incarnation } => {
            let message = "peers remember a later incarnation of this node, so its clock was set back; it goes on under a \
                           greater number";
            LogLine::warn("renumbered", message.to_string())
                .with("incarnation", json!(incarnation.to_string()))
        }
        NodeEventKind::RecordingFailed { why } => {
            let message = format!("the recording ends here and the node goes on: {why}");
            LogLine::error("recording-failed", message)
        }
        NodeEventKind::Ended => LogLine::info("ended", "the node has ended".to_string()),
        NodeEventKind::Missed(count) => {
            let message = format!("{} came too fast for this log and are gone", counted(*count, "event"));
            LogLine::warn("events-missed", message).with("count", json!(count))
        }
        other => LogLine::info("event", format!("{other:?}")),
    };
    line.with("uptime_ms", ms(event.at))
}

fn announced<O: Kind>(output: &O, meaning: Meaning, evidence: &Evidence, readers: &Readers<O>) -> LogLine {
    let label = output.label();
    let told = readers.tells.and_then(|tells| tells(output));
    let line = match meaning {
        Meaning::Suspects(peer) => {
            LogLine::warn("suspects", format!("{peer}{} is suspected", heard(evidence)))
                .with("peer", json!(peer.to_string()))
        }
        Meaning::Trusts(peer) => LogLine::info("trusts", format!("{peer} is no longer suspected"))
            .with("peer", json!(peer.to_string())),
        Meaning::Stops => LogLine::error("stops", format!("the protocol stops for good: {label}")),
        Meaning::Other(_) if let Some(told) = told => grouped::line(told),
        Meaning::Other(_) => match readers.decides.map(|decides| decides(output)) {
            None => LogLine::new(LogLevel::Info, "announced", label.clone()),
            Some(Some(value)) => LogLine::info("decides", format!("the decision is {value}, for good"))
                .with("value", json!(value.to_string())),
            Some(None) => {
                let message = format!(
                    "{label}: this node has proposed or decided before, or the value is outside of the domain"
                );
                LogLine::warn("refuses", message)
            }
        },
    };
    let mut line = line
        .with("output", json!(label))
        .with("cause", json!(evidence.cause.to_string()))
        .with("late_ms", ms(evidence.late))
        .with("worst_late_ms", ms(evidence.worst_late));
    let Some(about) = &evidence.about else { return line };
    for (kind, ago, message) in
        [("heard", "heard_ago_ms", about.heard), ("probed", "probed_ago_ms", about.probed)]
    {
        line = match message {
            Some((what, when)) => line.with(kind, json!(what)).with(ago, ms(when)),
            None => line.with(kind, Value::Null),
        };
    }
    line = line.with("round_trip_ms", about.round_trip.map_or(Value::Null, ms));
    line.with("left", json!(about.left))
}

/// What was last heard of whom it is about, in words.
fn heard(evidence: &Evidence) -> String {
    match evidence.about {
        Some(about) if about.left => ", which has left,".to_string(),
        Some(about) => match about.heard {
            Some((kind, ago)) => format!(", last heard {ago:.1?} ago ({kind}),"),
            None => ", never heard,".to_string(),
        },
        None => String::new(),
    }
}

fn broken(breach: &Breach) -> LogLine {
    let line = LogLine::warn("assumption-broken", breach.to_string())
        .with("assumption", json!(breach.assumption.name()))
        .with("peer", breach.peer.map_or(Value::Null, |peer| json!(peer.to_string())));
    let line = match breach.measurement {
        Measurement::Took { measured, most } => {
            line.with("measured_ms", ms(measured)).with("most_ms", ms(most))
        }
        Measurement::Lost(count) => line.with("lost", json!(count)),
    };
    line.with("properties", json!(*breach.properties))
}

/// Milliseconds, to the microsecond.
fn ms(time: Duration) -> Value {
    json!(time.as_micros() as f64 / 1e3)
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use watchkeeper_core::{Pid, Suspicion};
    use watchkeeper_runtime::{Assumption, PeerEvidence, StepCause};

    fn told(kind: NodeEventKind<Suspicion>) -> String {
        let LogLine { level, event, message, fields } = line(
            &NodeEvent { at: Duration::from_micros(1500), kind },
            &Readers { decides: None, tells: None },
        );
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {event}: {message} | {}", level.name(), fields.join(" "))
    }

    #[test]
    fn a_suspicion_is_told_with_all_of_its_evidence() {
        let peer = Pid::at(2);
        let about = PeerEvidence {
            peer,
            heard: Some(("answer", Duration::from_millis(260))),
            probed: Some(("question", Duration::from_millis(250))),
            round_trip: Some(Duration::from_micros(400)),
            left: false,
        };
        let evidence = Evidence {
            cause: StepCause::Timer("Round".into()),
            late: Duration::from_micros(120),
            worst_late: Duration::from_millis(3),
            about: Some(about),
        };
        let output = Suspicion::Suspect(peer);
        let meaning = Meaning::Suspects(peer);
        assert_eq!(
            told(NodeEventKind::Announced { output, meaning, evidence: evidence.clone() }),
            "warn suspects: p2, last heard 260.0ms ago (answer), is suspected | peer=\"p2\" output=\"suspect p2\" \
             cause=\"timer Round\" late_ms=0.12 worst_late_ms=3.0 heard=\"answer\" heard_ago_ms=260.0 \
             probed=\"question\" probed_ago_ms=250.0 round_trip_ms=0.4 left=false uptime_ms=1.5"
        );
        let silent = PeerEvidence { heard: None, probed: None, round_trip: None, ..about };
        let evidence = Evidence {
            cause: StepCause::Message { from: Pid::at(0), kind: "question" },
            about: Some(silent),
            ..evidence.clone()
        };
        let told = told(NodeEventKind::Announced { output, meaning, evidence });
        assert!(
            told.contains("never heard") && told.contains("cause=\"message question from p0\""),
            "{told}"
        );
        assert!(told.contains("heard=null probed=null round_trip_ms=null"), "{told}");
    }

    #[test]
    fn broken_assumptions_name_the_bound_and_the_properties() {
        let breach = Breach {
            assumption: Assumption::Delay,
            peer: Some(Pid::at(1)),
            measurement: Measurement::Took {
                measured: Duration::from_millis(41),
                most: Duration::from_millis(40),
            },
            properties: Arc::from(["accuracy".to_string()]),
        };
        assert_eq!(
            told(NodeEventKind::Broken(breach)),
            "warn assumption-broken: a message from p1 took 41.0ms, more than the 40.0ms of the assumption `delay`; \
             not guaranteed now: accuracy | assumption=\"delay\" peer=\"p1\" measured_ms=41.0 most_ms=40.0 \
             properties=[\"accuracy\"] uptime_ms=1.5"
        );
    }

    #[test]
    fn decisions_and_refusals_have_words_of_their_own() {
        use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Rotating};
        let none = Duration::ZERO;
        let evidence =
            Evidence { cause: StepCause::Call("propose"), late: none, worst_late: none, about: None };
        let told = |output, decides| {
            let kind = NodeEventKind::Announced {
                output,
                meaning: Meaning::Other(watchkeeper_core::Tone::Plain),
                evidence: evidence.clone(),
            };
            let line = line(&NodeEvent { at: none, kind }, &Readers { decides, tells: None });
            format!("{} {}: {}", line.level.name(), line.event, line.message)
        };
        let decides: Option<Decides<ConsensusOutput>> = Some(Rotating::decides);
        assert_eq!(told(ConsensusOutput::Decide(7), decides), "info decides: the decision is 7, for good");
        assert_eq!(
            told(ConsensusOutput::Refuse(9), decides),
            "warn refuses: refuse 9: this node has proposed or decided before, or the value is outside of the domain"
        );
        assert_eq!(told(ConsensusOutput::Decide(7), None), "info announced: decide 7");
    }

    #[test]
    fn every_event_has_a_line() {
        let (peer, lasted) = (Pid::at(1), Duration::from_secs(30));
        let all = [
            (NodeEventKind::Began { peers: 1 }, "info began: the protocol begins, with 1 peer there"),
            (NodeEventKind::PeerFound { peer, incarnation: 7 }, "info peer-found: p1 is there"),
            (NodeEventKind::PeerLeft { peer }, "info peer-left: p1 says that it leaves"),
            (NodeEventKind::Stalled { lasted, drained: 2 }, "warn stalled: this node did nothing for 30.0s;"),
            (
                NodeEventKind::ClockJumped { by: -1_500_000_000 },
                "warn clock-jumped: the wall clock was set by -1.500s;",
            ),
            (NodeEventKind::Renumbered { incarnation: 9 }, "warn renumbered: peers remember"),
            (
                NodeEventKind::RecordingFailed { why: "no space".into() },
                "error recording-failed: the recording ends",
            ),
            (NodeEventKind::Ended, "info ended: the node has ended"),
            (NodeEventKind::Missed(3), "warn events-missed: 3 events came too fast"),
        ];
        for (happened, expected) in all {
            let told = told(happened);
            assert!(told.starts_with(expected), "{told}");
        }
    }
}
