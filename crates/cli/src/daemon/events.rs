//! What a node tells, as lines of the log: every event has one, with all of its evidence.

use super::decisions::Decides;
use super::grouped::{self, Tells};
use super::log::Line;
use crate::node_file::LogLevel;
use serde_json::{Value, json};
use std::time::Duration;
use watchkeeper_core::{Kind, Meaning};
use watchkeeper_runtime::{Breach, Cause, Event, Evidence, Found, Happened};

/// How to read what the processes of a protocol announce, if it is about values or about a group.
pub(super) struct Readers<O> {
    pub(super) decides: Option<Decides<O>>,
    pub(super) tells: Option<Tells<O>>,
}

/// The line of an event.
pub(super) fn line<O: Kind>(event: &Event<O>, readers: &Readers<O>) -> Line {
    let line = match &event.happened {
        Happened::Began { peers } => {
            let message = format!("the protocol begins, with {} there", counted(*peers as u64, "peer"));
            Line::info("began", message).with("peers", json!(peers))
        }
        Happened::Announced { output, meaning, evidence } => announced(output, *meaning, evidence, readers),
        Happened::PeerFound { peer, life } => Line::info("peer-found", format!("{peer} is there"))
            .with("peer", json!(peer.to_string()))
            .with("life", json!(life.to_string())),
        Happened::PeerLeft { peer } => Line::info("peer-left", format!("{peer} says that it leaves"))
            .with("peer", json!(peer.to_string())),
        Happened::Stalled { lasted, drained } => {
            let message = format!(
                "this node did nothing for {lasted:.1?}; it has taken in {} that had arrived, and blames nobody for it",
                counted(*drained, "datagram")
            );
            Line::warn("stalled", message).with("lasted_ms", ms(*lasted)).with("drained", json!(drained))
        }
        Happened::Broken(breach) => broken(breach),
        Happened::ClockJumped { by } => {
            let seconds = *by as f64 / 1e9;
            let message =
                format!("the wall clock was set by {seconds:+.3}s; the protocol does not depend on it");
            Line::warn("clock-jumped", message).with("by_ms", json!(*by as f64 / 1e6))
        }
        Happened::Renumbered { life } => {
            let message = "peers remember a later life of this node, so its clock was set back; it goes on under a \
                           greater number";
            Line::warn("renumbered", message.to_string()).with("life", json!(life.to_string()))
        }
        Happened::RecordingFailed { why } => {
            let message = format!("the recording ends here and the node goes on: {why}");
            Line::error("recording-failed", message)
        }
        Happened::Ended => Line::info("ended", "the node has ended".to_string()),
        Happened::Missed(count) => {
            let message = format!("{} came too fast for this log and are gone", counted(*count, "event"));
            Line::warn("events-missed", message).with("count", json!(count))
        }
    };
    line.with("uptime_ms", ms(event.at))
}

fn announced<O: Kind>(output: &O, meaning: Meaning, evidence: &Evidence, readers: &Readers<O>) -> Line {
    let label = output.label();
    let told = readers.tells.and_then(|tells| tells(output));
    let line = match meaning {
        Meaning::Suspects(peer) => Line::warn("suspects", format!("{peer}{} is suspected", heard(evidence)))
            .with("peer", json!(peer.to_string())),
        Meaning::Trusts(peer) => Line::info("trusts", format!("{peer} is no longer suspected"))
            .with("peer", json!(peer.to_string())),
        Meaning::Stops => Line::error("stops", format!("the protocol stops for good: {label}")),
        Meaning::Other(_) if let Some(told) = told => grouped::line(told),
        Meaning::Other(_) => match readers.decides.map(|decides| decides(output)) {
            None => Line::new(LogLevel::Info, "announced", label.clone()),
            Some(Some(value)) => Line::info("decides", format!("the decision is {value}, for good"))
                .with("value", json!(value.to_string())),
            Some(None) => {
                let message = format!(
                    "{label}: this node has proposed or decided before, or the value is outside of the domain"
                );
                Line::warn("refuses", message)
            }
        },
    };
    let cause = match &evidence.cause {
        Cause::Start => "start".to_string(),
        Cause::Timer(timer) => format!("timer {timer}"),
        Cause::Message { from, kind } => format!("message {kind} from {from}"),
        Cause::Call(call) => format!("call {call}"),
    };
    let mut line = line
        .with("output", json!(label))
        .with("cause", json!(cause))
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

fn broken(breach: &Breach) -> Line {
    let line = Line::warn("assumption-broken", breach.to_string())
        .with("assumption", json!(breach.assumption.name()))
        .with("peer", breach.peer.map_or(Value::Null, |peer| json!(peer.to_string())));
    let line = match breach.found {
        Found::Took { measured, most } => line.with("measured_ms", ms(measured)).with("most_ms", ms(most)),
        Found::Lost(count) => line.with("lost", json!(count)),
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
    use watchkeeper_runtime::{About, Assumption};

    fn told(happened: Happened<Suspicion>) -> String {
        let Line { level, event, message, fields } = line(
            &Event { at: Duration::from_micros(1500), happened },
            &Readers { decides: None, tells: None },
        );
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{} {event}: {message} | {}", level.name(), fields.join(" "))
    }

    #[test]
    fn a_suspicion_is_told_with_all_of_its_evidence() {
        let peer = Pid::at(2);
        let about = About {
            peer,
            heard: Some(("answer", Duration::from_millis(260))),
            probed: Some(("question", Duration::from_millis(250))),
            round_trip: Some(Duration::from_micros(400)),
            left: false,
        };
        let evidence = Evidence {
            cause: Cause::Timer("Round".into()),
            late: Duration::from_micros(120),
            worst_late: Duration::from_millis(3),
            about: Some(about),
        };
        let output = Suspicion::Suspect(peer);
        let meaning = Meaning::Suspects(peer);
        assert_eq!(
            told(Happened::Announced { output, meaning, evidence: evidence.clone() }),
            "warn suspects: p2, last heard 260.0ms ago (answer), is suspected | peer=\"p2\" output=\"suspect p2\" \
             cause=\"timer Round\" late_ms=0.12 worst_late_ms=3.0 heard=\"answer\" heard_ago_ms=260.0 \
             probed=\"question\" probed_ago_ms=250.0 round_trip_ms=0.4 left=false uptime_ms=1.5"
        );
        let silent = About { heard: None, probed: None, round_trip: None, ..about };
        let evidence = Evidence {
            cause: Cause::Message { from: Pid::at(0), kind: "question" },
            about: Some(silent),
            ..evidence.clone()
        };
        let told = told(Happened::Announced { output, meaning, evidence });
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
            found: Found::Took { measured: Duration::from_millis(41), most: Duration::from_millis(40) },
            properties: Arc::from(["accuracy".to_string()]),
        };
        assert_eq!(
            told(Happened::Broken(breach)),
            "warn assumption-broken: a message from p1 took 41.0ms, more than the 40.0ms of the assumption `delay`; \
             not guaranteed now: accuracy | assumption=\"delay\" peer=\"p1\" measured_ms=41.0 most_ms=40.0 \
             properties=[\"accuracy\"] uptime_ms=1.5"
        );
    }

    #[test]
    fn decisions_and_refusals_have_words_of_their_own() {
        use watchkeeper_protocols::consensus::{Consensus, ConsensusOutput, Rotating};
        let none = Duration::ZERO;
        let evidence = Evidence { cause: Cause::Call("propose"), late: none, worst_late: none, about: None };
        let told = |output, decides| {
            let happened = Happened::Announced {
                output,
                meaning: Meaning::Other(watchkeeper_core::Tone::Plain),
                evidence: evidence.clone(),
            };
            let line = line(&Event { at: none, happened }, &Readers { decides, tells: None });
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
            (Happened::Began { peers: 1 }, "info began: the protocol begins, with 1 peer there"),
            (Happened::PeerFound { peer, life: 7 }, "info peer-found: p1 is there"),
            (Happened::PeerLeft { peer }, "info peer-left: p1 says that it leaves"),
            (Happened::Stalled { lasted, drained: 2 }, "warn stalled: this node did nothing for 30.0s;"),
            (
                Happened::ClockJumped { by: -1_500_000_000 },
                "warn clock-jumped: the wall clock was set by -1.500s;",
            ),
            (Happened::Renumbered { life: 9 }, "warn renumbered: peers remember"),
            (
                Happened::RecordingFailed { why: "no space".into() },
                "error recording-failed: the recording ends",
            ),
            (Happened::Ended, "info ended: the node has ended"),
            (Happened::Missed(3), "warn events-missed: 3 events came too fast"),
        ];
        for (happened, expected) in all {
            let told = told(happened);
            assert!(told.starts_with(expected), "{told}");
        }
    }
}
