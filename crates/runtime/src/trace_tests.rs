//! Every event has a line, and a suspicion has all of its evidence.

use super::*;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use watchkeeper_core::{Assumption, Pid};
use watchkeeper_node::{PeerEvidence, StepCause};

/// The line that a subscriber writes of what is told.
fn line(tell: impl FnOnce()) -> String {
    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);
    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let buffer = Buffer::default();
    let writer = buffer.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_target(false)
        .with_ansi(false)
        .without_time()
        .finish();
    tracing::subscriber::with_default(subscriber, tell);
    let bytes = buffer.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    String::from_utf8(bytes).expect("text").trim().to_string()
}

#[test]
fn a_suspicion_is_told_with_all_of_its_evidence() {
    let peer = Pid::at(2);
    let about = PeerEvidence {
        name: None,
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
        about: Some(about.clone()),
    };
    let told = |evidence: &Evidence| {
        line(|| announced(Duration::from_micros(1500), "suspect p2", Meaning::Suspects(peer), evidence))
    };
    assert_eq!(
        told(&evidence),
        "WARN p2, last heard 260.0ms ago (answer), is suspected event=\"suspects\" peer=p2 output=\"suspect p2\" \
         cause=\"timer Round\" late_ms=0.12 worst_late_ms=3.0 heard=\"answer\" heard_ago_ms=260.0 probed=\"question\" \
         probed_ago_ms=250.0 round_trip_ms=0.4 left=false uptime_ms=1.5"
    );
    let silent = PeerEvidence { heard: None, probed: None, round_trip: None, ..about };
    let cause = StepCause::Message { from: Pid::at(0), kind: "question" };
    let told = told(&Evidence { cause, about: Some(silent), ..evidence });
    assert!(told.contains("never heard") && told.contains("cause=\"message question from p0\""), "{told}");
    assert!(!told.contains("heard=") && !told.contains("round_trip_ms="), "{told}");
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
        properties: Arc::from(["accuracy".to_string(), "R1".to_string()]),
    };
    assert_eq!(
        line(|| event(&NodeEvent { at: Duration::from_micros(1500), kind: NodeEventKind::Broken(breach) })),
        "WARN a message from p1 took 41.0ms, more than the 40.0ms of the assumption `delay`; not guaranteed now: \
         accuracy, R1 event=\"assumption-broken\" assumption=\"delay\" peer=\"p1\" measured_ms=41.0 most_ms=40.0 \
         properties=\"accuracy, R1\" uptime_ms=1.5"
    );
}

#[test]
fn every_event_has_a_line() {
    let (peer, lasted) = (Pid::at(1), Duration::from_secs(30));
    let all = [
        (NodeEventKind::Began { peers: 1 }, "INFO the protocol begins, with 1 peer there event=\"began\""),
        (NodeEventKind::PeerFound { peer, incarnation: 7 }, "INFO p1 is there event=\"peer-found\" peer=p1"),
        (NodeEventKind::PeerLeft { peer }, "INFO p1 says that it leaves event=\"peer-left\""),
        (NodeEventKind::Stalled { lasted, drained: 2 }, "WARN this node did nothing for 30.0s;"),
        (NodeEventKind::ClockJumped { by: -1_500_000_000 }, "WARN the wall clock was set by -1.500s;"),
        (NodeEventKind::NumbersUsedUp, "ERROR all numbers for datagrams are used up"),
        (NodeEventKind::RecordingFailed { why: "no space".into() }, "ERROR the recording ends here"),
        (NodeEventKind::Ended, "INFO the node has ended event=\"ended\""),
    ];
    for (kind, expected) in all {
        let told = line(|| event(&NodeEvent { at: Duration::ZERO, kind }));
        assert!(told.starts_with(expected), "{told}");
    }
}
