//! The command `replay`, on files: what it prints, writes and refuses.

use super::binary::{Room, Said, watchkeeper};
use super::ring;
use super::simulator::{Cluster, Deed, MS, lines};
use serde_json::Value;
use watchkeeper_core::Recording;

/// The recordings of a cluster in a directory, beside other files.
fn written(name: &str, n: usize, settings: &str, recordings: &[Recording]) -> Room {
    let room = Room::new(name);
    let header = format!("\"protocol\":\"ring\",\"n\":{n},\"tick\":20000000,\"settings\":{{{settings}}}");
    for incarnation in recordings {
        let file = format!("p{}-{}.ndjson", incarnation.process.index(), incarnation.incarnation);
        room.file(&file, &lines(incarnation, &header));
    }
    room.file("p0.log", "{\"level\":\"info\"}\n");
    room.file("p0.toml", "process = 0\n");
    room
}

const SETTINGS: &str = r#""param.round":"10","time":"dense","delay":"0..1","channel":"unbounded:8""#;

fn replay(room: &Room, flags: &[&str]) -> Said {
    let dir = room.as_ref().display().to_string();
    watchkeeper(&[&["replay", &dir], flags].concat())
}

#[test]
fn the_command_reads_a_directory_and_says_what_it_rests_on() {
    let mut cluster = Cluster::new(3, 3);
    cluster.script.extend([(500 * MS, Deed::Kill(1)), (900 * MS, Deed::Boot(1))]);
    let recordings = cluster.run(ring(3).protocol());
    let steps: usize = recordings.iter().map(|incarnation| incarnation.steps.len()).sum();
    let room = written("replay-follows", 3, SETTINGS, &recordings);
    let said = replay(&room, &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let headline = format!(
        "FOLLOWS: the recorded run of 3 nodes, 4 incarnations, {steps} steps is a path of the model\n"
    );
    assert!(said.out.starts_with(&headline), "{}", said.out);
    for part in [
        "1 crash, 1 restart, 0 late starts",
        "the network neither loses nor duplicates messages",
        "a message takes [0, 1]",
        "up to 10 ms later; one unit of time is 20 ms",
        "all times are of one clock",
        "Again\n  ",
    ] {
        assert!(said.out.contains(part), "{part}:\n{}", said.out);
    }
    let said = replay(&room, &["--json", "-", "-q", "--crashes", "0"]);
    assert_eq!(said.code, 10, "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(json["deviation"]["assumption"], "crashes");
    assert_eq!((json["deviation"]["process"].as_u64(), json["follows"].as_bool()), (Some(1), Some(false)));
}

#[test]
fn the_command_names_the_broken_bound_and_draws_the_way_there() {
    let cluster = Cluster { slow: [(8, 45 * MS)].into(), ..Cluster::new(3, 3) };
    let room = written("replay-departs", 3, SETTINGS, &cluster.run(ring(3).protocol()));
    let (svg, itf) = (room.arg("why.svg"), room.arg("why.itf.json"));
    let said = replay(&room, &["--last", "6", "--svg", &svg, "--out-itf", &itf]);
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    let headline = said.out.lines().next().expect("a line");
    assert!(headline.starts_with("DEPARTS: step ") && headline.contains("20 ms (1 tick)"), "{headline}");
    for part in
        ["The last 6 steps up to there", "here the run leaves the model: delay", "--delay that allows 3"]
    {
        assert!(said.out.contains(part), "{part}:\n{}", said.out);
    }
    assert!(room.read("why.svg").contains("<svg"));
    let trace: Value = serde_json::from_str(&room.read("why.itf.json")).expect("JSON");
    assert_eq!(trace["states"].as_array().map(Vec::len), Some(7));
    let wider = replay(&room, &["--delay", "0..3"]);
    assert_eq!(wider.code, 0, "{}", wider.out);
    assert_eq!(replay(&room, &["--time", "untimed"]).code, 0);
    let other = replay(&room, &["--param", "round=9"]);
    assert_eq!(other.code, 10, "timers of another length:\n{}", other.out);
    assert!(other.out.contains("was late by"), "{}", other.out);
}

#[test]
fn other_code_has_an_exit_code_of_its_own() {
    let mut recordings = Cluster::new(3, 3).run(ring(3).protocol());
    recordings[1].steps[4].state[0] ^= 1;
    let room = written("replay-other-code", 3, SETTINGS, &recordings);
    let said = replay(&room, &[]);
    assert_eq!(said.code, 12, "{}{}", said.out, said.err);
    assert!(said.out.contains("this is not what the protocol does"), "{}", said.out);
}

#[test]
fn one_file_alone_is_only_part_of_a_path() {
    let recordings = Cluster::new(3, 3).run(ring(3).protocol());
    let room = written("replay-alone", 3, SETTINGS, &recordings);
    let file = room.names().into_iter().find(|name| name.ends_with("ndjson")).expect("a recording");
    let said = watchkeeper(&["replay", &room.arg(&file)]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(
        said.out.starts_with("FOLLOWS as far as it is recorded: the recorded run of 1 node, 1 incarnation"),
        "{}",
        said.out
    );
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let recordings = Cluster::new(3, 3).run(ring(3).protocol());
    let room = written("replay-bad", 3, SETTINGS, &recordings);
    let refused = |args: &[&str], expected: &str| {
        let said = watchkeeper(args);
        assert!(
            said.code == 150 && said.err.contains(expected),
            "{expected}: {} {}{}",
            said.code,
            said.out,
            said.err
        );
    };
    let dir = room.as_ref().display().to_string();
    refused(&["replay"], "required");
    refused(&["replay", &room.arg("none.ndjson")], "cannot read the recording");
    refused(&["replay", &room.arg("p0.toml")], "p0.toml, line 1: every line should be an object of JSON");
    refused(&["replay", &room.arg("p0.log")], "this is not a recording");
    refused(&["replay", &dir, "--precision", "soon"], "--precision: `soon` is not a span of time");
    refused(&["replay", &dir, "--round-trip", "x"], "is not a whole number");
    refused(&["replay", &dir, "--param", "rounds=9"], "did you mean `round`?");
    let head = room.names().into_iter().find(|name| name.starts_with("p1-")).expect("a recording");
    let text = room.read(&head);
    room.file(&head, &text.replace("\"n\":3", "\"n\":4"));
    refused(&["replay", &dir], "they differ in n (3 and 4)");
    room.file(&head, &text.replace("\"ring\"", "\"rong\""));
    refused(&["replay", &room.arg(&head)], "there is no protocol `rong`; did you mean `ring`?");
    room.file(&head, &text[..text.len() - 9]);
    let said = replay(&room, &[]);
    assert!(said.err.contains("cut off, and left out"), "{}", said.err);
}
