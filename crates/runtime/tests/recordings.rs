//! What a node writes down of its run: complete, in order, and before anybody else can know of it.

#![allow(clippy::print_stdout, reason = "a test says why it skips")]

mod support;

use serde_json::Value;
use std::path::PathBuf;
use support::{addresses, event, node, until};
use watchkeeper_core::{Pid, unpacked};
use watchkeeper_protocols::ring::{Ring, RingMsg, RingState};
use watchkeeper_runtime::{NodeEventKind, RecordedModel, RunRecorder};

fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("watchkeeper-{}-{name}.ndjson", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn model() -> RecordedModel {
    let settings =
        vec![("param.round".to_string(), "4".to_string()), ("delay".to_string(), "0..1".to_string())];
    RecordedModel { protocol: "ring".to_string(), n: 2, settings }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().expect("a text");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_step_is_a_line_with_what_went_in_and_what_came_out() {
    let all = addresses(2);
    let ring = Ring::new(2, 4).expect("a ring");
    let paths = [path("p0"), path("p1")];
    let mut nodes = Vec::new();
    for (me, path) in paths.iter().enumerate() {
        let recorder = RunRecorder::create(path, model()).expect("a file");
        nodes.push(node(ring.clone(), me, &all).record(recorder).spawn().await.expect("a node"));
    }
    until("some rounds", || nodes.iter().all(|node| node.counters().fired.get() > 4)).await;
    let incarnations: Vec<u64> = {
        let (first, second) = (nodes[0].status().await.expect("one"), nodes[1].status().await.expect("two"));
        vec![first.incarnation, second.incarnation]
    };
    nodes[1].leave().await;
    nodes[0].shutdown().await;
    let files: Vec<Vec<Value>> = paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).expect("a recording");
            assert!(text.ends_with('\n'));
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
        })
        .collect();
    for (me, lines) in files.iter().enumerate() {
        let head = &lines[0];
        assert_eq!((&head["watchkeeper"], &head["version"]), (&"recording".into(), &1.into()));
        assert_eq!(
            (&head["protocol"], &head["n"], &head["process"]),
            (&"ring".into(), &2.into(), &me.into())
        );
        assert_eq!(head["incarnation"], incarnations[me].to_string());
        assert_eq!((&head["cluster"], &head["tick"]), (&"test".into(), &50_000_000.into()));
        assert_eq!(head["settings"]["param.round"], "4");
        assert_eq!(lines[1]["in"], "start");
        let steps = lines.iter().filter(|line| line.get("in").is_some()).count() as u64;
        assert_eq!(steps, nodes[me].counters().steps.get());
        let times: Vec<u64> = lines[1..].iter().map(|line| line["at"].as_u64().expect("a time")).collect();
        assert!(times.is_sorted());
        assert_eq!(lines.last().expect("an end")["end"], ["shutdown", "leave"][me]);
        for line in lines.iter().filter(|line| line.get("in").is_some()) {
            unpacked::<RingState<()>>(&bytes(&line["state"])).expect("a state");
        }
    }
    // Whatever p0 received, p1 had written down as sent, under the same number.
    let received = files[0].iter().filter(|line| line["in"] == "receive");
    let sent = |number: &Value| {
        let mut sends = files[1].iter().filter_map(|line| line["sends"].as_array()).flatten();
        sends.find(|send| send["number"] == *number).expect("it was sent").clone()
    };
    let mut answers = 0;
    for line in received {
        assert_eq!((&line["from"], &line["incarnation"]), (&1.into(), &incarnations[1].to_string().into()));
        let send = sent(&line["number"]);
        assert_eq!(send["msg"], line["msg"]);
        let answer = unpacked::<RingMsg>(&bytes(&line["msg"])) == Ok(RingMsg::IAmAlive);
        assert_eq!(send.get("reply") == Some(&true.into()), answer);
        answers += u32::from(answer);
    }
    assert!(answers >= 3, "{answers}");
    paths.iter().for_each(|path| std::fs::remove_file(path).expect("removed"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_that_cannot_be_written_ends_and_the_node_goes_on() {
    assert!(RunRecorder::create("/nonexistent/x.ndjson", model()).is_err());
    let existing = path("existing");
    std::fs::write(&existing, "kept").expect("written");
    assert!(RunRecorder::create(&existing, model()).is_err(), "nothing is overwritten");
    assert_eq!(std::fs::read_to_string(&existing).expect("read"), "kept");
    std::fs::remove_file(&existing).expect("removed");
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        println!("skipped the rest: there is no /dev/full here");
        return;
    }
    let all = addresses(2);
    let recorder = RunRecorder::onto(std::fs::File::options().write(true).open(full).expect("open"), model());
    let first =
        node(Ring::new(2, 4).expect("a ring"), 0, &all).record(recorder).spawn().await.expect("a node");
    let mut events = first.events();
    let _second = node(Ring::new(2, 4).expect("a ring"), 1, &all).spawn().await.expect("a node");
    let failed =
        event(&mut events, "a failure", |event| matches!(event.kind, NodeEventKind::RecordingFailed { .. }));
    failed.await;
    until("it goes on", || first.counters().fired.get() > 3).await;
    assert!(!first.suspects().contains(Pid::at(1)));
}

/// A pipe that nobody reads holds a little and then blocks whoever writes, as a disk does that is frozen.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_disk_changes_nothing_that_the_node_does() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let frozen = std::fs::File::from(std::os::fd::OwnedFd::from(writer));
    let all = addresses(2);
    let ring = Ring::new(2, 4).expect("a ring");
    let quick = |node: watchkeeper_runtime::NodeBuilder<Ring>| node.tick(std::time::Duration::from_millis(5));
    let first = quick(node(ring.clone(), 0, &all)).record(RunRecorder::onto(frozen, model()));
    let first = first.spawn().await.expect("a node");
    let _second = quick(node(ring, 1, &all)).spawn().await.expect("a node");
    // The pipe is full after some hundred lines, and the writer hangs; then two hundred rounds more.
    until("the pipe is full", || first.counters().steps.get() > 600).await;
    let (fired, suspicions) = (first.counters().fired.get(), first.counters().suspicions.get());
    until("it goes on", || first.counters().fired.get() > fired + 200).await;
    assert_eq!(first.counters().suspicions.get(), suspicions, "nobody is suspected because of a disk");
    let status = first.status().await.expect("a status");
    assert!(status.recording.is_some(), "the lines wait");
    let begun = std::time::Instant::now();
    first.shutdown().await;
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(reader);
}
