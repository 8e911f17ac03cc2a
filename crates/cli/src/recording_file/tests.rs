//! Lines of recordings, good and bad, and what is said of the bad ones.

use super::*;
use watchkeeper_core::{RecordedInput, RecordedSend, Stall};

const HEAD: &str = r#"{"watchkeeper":"recording","version":1,"protocol":"ring","n":5,"process":1,"incarnation":"7217623412342","cluster":"demo","clock":"boot 1","tick":20000000,"settings":{"param.round":"10","delay":"0..1","time":"dense"}}"#;

fn parsed(lines: &[&str]) -> Result<(RecordingHeader, Recording, Vec<String>), String> {
    let text = [&[HEAD], lines].concat().join("\n");
    let mut warnings = Vec::new();
    let parsed = parse(Path::new("p1.ndjson"), text.as_bytes(), &mut warnings);
    parsed.map(|(header, recording)| (header, recording, warnings)).map_err(|problem| problem.to_string())
}

#[test]
fn every_kind_of_line_is_read() {
    let (header, recording, warnings) = parsed(&[
        r#"{"at":5,"in":"start","sends":[{"to":2,"number":1,"msg":"00"},{"to":0,"number":null,"reply":true,"msg":"ff01"}],"state":"0a","action":"p1 starts"}"#,
        r#"{"at":6,"in":"receive","from":2,"incarnation":"9007199254740993","number":17,"msg":"00","picks":[1,0],"state":""}"#,
        r#"{"at":9,"stall":300}"#,
        r#"{"at":10,"in":"fire","slot":0,"timer":"Round","due":9,"outputs":["0002"],"state":"0b"}"#,
        r#"{"at":11,"in":"call","call":"00","state":"0b"}"#,
        r#"{"at":12,"end":"leave"}"#,
        "",
    ])
    .expect("a recording");
    assert_eq!((header.n, header.tick, header.cluster.as_str()), (5, 20_000_000, "demo"));
    assert_eq!((recording.process, recording.incarnation), (Pid::at(1), 7_217_623_412_342));
    assert_eq!((recording.steps.len(), recording.ended, warnings), (4, Some(12), vec![]));
    assert_eq!(recording.stalls, [Stall { at: 9, lasted: 300 }]);
    let unsent = RecordedSend { to: Pid::at(0), number: None, reply: true, msg: vec![255, 1] };
    assert_eq!(recording.steps[0].sends[1], unsent);
    assert_eq!(recording.steps[1].picks, [1, 0]);
    let RecordedInput::Receive { incarnation, .. } = recording.steps[1].input else { panic!("a receive") };
    assert_eq!(incarnation, 9_007_199_254_740_993, "not rounded to what a floating point number holds");
    assert_eq!(recording.steps[2].outputs, [vec![0, 2]]);
}

#[test]
fn the_former_name_of_the_incarnation_is_read_too() {
    let line = |key: &str| {
        format!(
            r#"{{"at":6,"in":"receive","from":2,"{key}":"9007199254740993","number":17,"msg":"00","state":""}}"#
        )
    };
    let steps = |key: &str| parsed(&[&line(key), ""]).expect("a recording").1.steps;
    assert_eq!(steps("life"), steps("incarnation"));
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out_and_any_other_is_refused() {
    let (_, recording, warnings) =
        parsed(&[r#"{"at":5,"in":"start","state":""}"#, r#"{"at":6,"in":"fi"#]).expect("one");
    assert_eq!(recording.steps.len(), 1);
    assert_eq!(warnings, ["p1.ndjson, line 3: cut off, and left out"]);
    let why = parsed(&[r#"{"at":6,"in":"fi"#, r#"{"at":7,"in":"start","state":""}"#])
        .expect_err("cut in the middle");
    assert!(why.starts_with("p1.ndjson, line 2: this is not JSON"), "{why}");
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (line, expected) in [
        (r#"{"in":"start","state":""}"#, "missing field `at` (column 25); this file was changed or cut"),
        (r#"{"at":-1,"in":"start","state":""}"#, "invalid value: integer `-1`, expected u64"),
        (r#"{"at":1e3,"in":"start","state":""}"#, "invalid type: floating point `1000.0`, expected u64"),
        (
            r#"{"at":1,"in":"jump","state":""}"#,
            "unknown variant `jump`, expected one of `start`, `receive`, `fire`, `call`",
        ),
        (r#"{"at":1,"in":"start","state":"0"}"#, "expected bytes in pairs of hexadecimal digits"),
        (r#"{"at":1,"in":"start","state":"zz"}"#, "expected bytes in pairs of hexadecimal digits"),
        (r#"{"at":1,"in":"start","state":"é0"}"#, "expected bytes in pairs of hexadecimal digits"),
        (r#"{"at":1,"in":"fire","slot":0,"state":""}"#, "missing field `due`"),
        (
            r#"{"at":1,"in":"receive","from":32768,"incarnation":"1","number":1,"msg":"","state":""}"#,
            "32768 is not the number of a process",
        ),
        (
            r#"{"at":1,"in":"receive","from":1,"incarnation":1,"number":1,"msg":"","state":""}"#,
            "invalid type: integer `1`, expected a string",
        ),
        (r#"{"at":18446744073709551615,"in":"start","state":""}"#, "which no clock shows"),
        ("[]", "every line should be an object"),
    ] {
        let why = parsed(&[line, "{}"]).expect_err(line);
        assert!(why.starts_with("p1.ndjson, line 2: ") && why.contains(expected), "{line}: {why}");
    }
    let after = parsed(&[r#"{"at":1,"end":"leave"}"#, r#"{"at":2,"in":"start","state":""}"#, ""])
        .expect_err("after the end");
    assert!(after.contains("line 3: nothing comes after the end"), "{after}");
}

#[test]
fn headers_say_what_they_are() {
    for (from, to, expected) in [
        ("\"recording\"", "\"verdict\"", "this is not a recording"),
        ("\"version\":1", "\"version\":2", "version 2 of recordings is not known"),
        ("20000000", "0", "a tick of 0 ns"),
        ("\"7217623412342\"", "7217623412342", "invalid type: integer `7217623412342`, expected a string"),
        ("\"0..1\"", "1", "invalid type: integer `1`, expected a string"),
        ("\"cluster\":\"demo\",", "", "missing field `cluster`"),
    ] {
        let why = RecordingHeader::parse(HEAD.replace(from, to).as_bytes()).expect_err(expected);
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn recordings_of_different_runs_differ_by_name() {
    let header = RecordingHeader::parse(HEAD.as_bytes()).expect("a header");
    let other = |from: &str, to: &str| {
        header.difference(&RecordingHeader::parse(HEAD.replace(from, to).as_bytes()).expect("a header"))
    };
    assert_eq!(other("\"process\":1", "\"process\":3"), None);
    assert_eq!(other("\"n\":5", "\"n\":4").as_deref(), Some("n (5 and 4)"));
    assert_eq!(other("\"10\"", "\"12\"").as_deref(), Some("param.round (10 and 12)"));
    assert_eq!(other(",\"time\":\"dense\"", "").as_deref(), Some("time (dense and nothing)"));
    assert_eq!(other("demo", "other").as_deref(), Some("the cluster (demo and other)"));
}

#[test]
fn flags_go_over_what_was_recorded_and_another_kind_of_time_takes_the_old_bounds_away() {
    let header = RecordingHeader::parse(HEAD.as_bytes()).expect("a header");
    let with = |flags: &[(&'static str, &str)]| {
        let mut settings = crate::raw_settings::RawSettings::default();
        flags
            .iter()
            .for_each(|(name, text)| settings.set(name, *text, SettingOrigin::Argument(format!("--{name}"))));
        header.below(settings, Path::new("p1.ndjson")).expect("settings")
    };
    let text = |settings: &crate::raw_settings::RawSettings, name| {
        settings.given(name).map(|given| given.value.clone())
    };
    let plain = with(&[]);
    assert_eq!(text(&plain, "delay").as_deref(), Some("0..1"));
    assert_eq!((text(&plain, "n").as_deref(), plain.params["round"].value.as_str()), (Some("5"), "10"));
    assert_eq!(text(&with(&[("delay", "0..3")]), "delay").as_deref(), Some("0..3"));
    assert_eq!(text(&with(&[("time", "untimed")]), "delay"), None);
    assert_eq!(text(&with(&[("round-trip", "4")]), "delay"), None);
    let unknown = RecordingHeader { settings: [("dealy".to_string(), "1".to_string())].into(), ..header };
    let why = unknown
        .below(crate::raw_settings::RawSettings::default(), Path::new("p1.ndjson"))
        .expect_err("unknown");
    assert!(why.to_string().contains("no setting `dealy`; did you mean `delay`?"), "{why}");
}

#[test]
fn of_a_directory_only_ordinary_files_are_opened_and_the_rest_is_told() {
    let dir = std::env::temp_dir().join(format!("watchkeeper-recordings-{}", std::process::id()));
    fs::create_dir_all(dir.join("older")).expect("a directory");
    fs::write(dir.join("p1.ndjson"), format!("{HEAD}\n")).expect("written");
    fs::write(dir.join("notes.txt"), "{ no recording }").expect("written");
    let pipe = dir.join("p0.ndjson");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    std::os::unix::fs::symlink("nowhere", dir.join("p2.ndjson")).expect("linked");
    let found = read(std::slice::from_ref(&dir)).expect("a recording");
    assert_eq!((found.list.len(), found.path), (1, dir.join("p1.ndjson")));
    assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
    assert_eq!(found.warnings[0], format!("{} is a pipe, and left out", pipe.display()));
    assert!(found.warnings[1].contains("p2.ndjson cannot be read, and is left out"), "{:?}", found.warnings);
    fs::remove_dir_all(dir).expect("removed");
}
