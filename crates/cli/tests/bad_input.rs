//! Bad input: exit code 150, the place of the mistake, and what to do instead. Nothing on standard
//! output, and no search.

mod binary;

use binary::{Room, said, watchkeeper};

fn refused(args: &[&str], parts: &[&str]) {
    let said = watchkeeper(args);
    assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
    assert_eq!(said.out, "", "{args:?}");
    assert!(said.err.starts_with("error: "), "{args:?}: {}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "{args:?}: `{part}` is missing in:\n{}", said.err);
    }
    assert!(!said.err.contains("panicked"), "{}", said.err);
}

#[test]
fn unknown_protocols_get_a_proposal() {
    refused(&["check", "rnig"], &["no protocol `rnig`", "did you mean `ring`?", "Known: ring"]);
    refused(&["check", "paxos"], &["no protocol `paxos`", "Known: ring"]);
    refused(&["check"], &["which protocol?", "watchkeeper check ring"]);
}

#[test]
fn impossible_systems() {
    refused(&["check", "ring", "--n", "0"], &["--n: 0 processes", "from 2 to 64"]);
    refused(&["check", "ring", "--n", "1"], &["--n: 1 processes", "from 2 to 64"]);
    refused(&["check", "ring", "--n", "65"], &["--n: 65 processes"]);
    refused(&["check", "ring", "--n", "three"], &["--n: `three`"]);
    refused(&["check", "ring", "--n", "3", "--crashes", "4"], &["crashes is 4", "lower crashes"]);
    refused(&["check", "ring", "--crashable", "p7"], &["p7", "p0 to p2"]);
    refused(&["check", "ring", "--crashed-at-start", "p0,p1,p2"], &["leave at least one alive"]);
}

#[test]
fn bad_words() {
    refused(&["check", "ring", "--channel", "blok:1"], &["--channel: `blok:1`", "block:N"]);
    refused(&["check", "ring", "--channel", "block:0"], &["--channel: `block:0`"]);
    refused(&["check", "ring", "--order", "lifo"], &["--order: `lifo`", "any or fifo"]);
    refused(&["check", "ring", "--search", "depth"], &["--search: `depth`", "beam:WIDTH"]);
    refused(&["check", "ring", "--max-memory", "lots"], &["--max-memory: `lots`", "4GiB"]);
    refused(&["check", "ring", "--timeout", "90"], &["--timeout: `90`", "90s"]);
    refused(&["check", "ring", "--workers", "0"], &["--workers: `0`"]);
    refused(&["check", "ring", "--param", "round"], &["NAME=VALUE"]);
    refused(&["check", "ring", "--param", "ruond=1"], &["did you mean `round`?"]);
    refused(&["check", "ring", "--param", "round=0"], &["--param round=0", "choose 1 or more"]);
}

#[test]
fn heartbeats_that_cannot_be() {
    refused(&["check", "binary", "--tmin", "0"], &["--tmin: a tmin of 0", "1 or more"]);
    refused(&["check", "binary", "--tmin", "11"], &["--tmin: a tmin of 11 is above a tmax of 10"]);
    refused(&["check", "binary", "--tmax", "0"], &["--tmax: a tmin of 1 is above a tmax of 0"]);
    refused(&["check", "binary", "--tmin", "soon"], &["--tmin: `soon`"]);
    refused(&["check", "static", "--n", "0"], &["--n: 0 participants", "from 1 to 63"]);
    refused(&["check", "binary", "--n", "2"], &["--n: 2 participants"]);
    refused(&["check", "binary", "--corrected=maybe"], &["--corrected: `maybe`"]);
    refused(&["check", "binary", "--param", "variant=static"], &["no parameter `variant`", "tmin, tmax"]);
    refused(&["check", "binary", "--tmin", "4", "--param", "tmin=5"], &["--tmin sets tmin too"]);
    refused(&["check", "ring", "--tmin", "4"], &["--tmin: ring has no parameter tmin", "binary, revised"]);
    refused(&["check", "static", "--property", "R1:p3"], &["--property: R1:p3"]);
    refused(&["check", "static", "--property", "R3:p1"], &["--property: R3:p1"]);
    refused(&["check", "static", "--property", "R1:x"], &["--property: `x` is not a process"]);
    refused(&["check", "static", "--property", "R4"], &["no property `R4`", "Known: deadlock"]);
}

#[test]
fn times_that_cannot_be() {
    refused(&["check", "ring", "--time", "real"], &["--time: `real`", "untimed, ticks or dense"]);
    refused(&["check", "ring", "--time", "dense"], &["--time: ", "--delay LO..HI or --round-trip T"]);
    refused(&["check", "ring", "--delay", "2"], &["--delay: this check is untimed", "--time ticks"]);
    refused(&["check", "ring", "--round-trip", "2"], &["--round-trip: this check is untimed"]);
    refused(&["check", "ring", "--processing", "2"], &["--processing: this check is untimed"]);
    refused(&["check", "ring", "--simultaneous", "any"], &["--simultaneous: this check is untimed"]);
    let timed = ["check", "ring", "--time", "dense"];
    refused(&[&timed[..], &["--delay", "3..1"]].concat(), &["--delay: 3 is above 1"]);
    refused(&[&timed[..], &["--delay", "3,1"]].concat(), &["--delay: 3 is above 1"]);
    refused(
        &[&timed[..], &["--delay", "1", "--processing", "2..1"]].concat(),
        &["--processing: 2 is above 1"],
    );
    refused(&[&timed[..], &["--delay", "x"]].concat(), &["--delay: `x`", "LO..HI"]);
    refused(
        &["check", "binary", "--delay", "1", "--round-trip", "2"],
        &["--round-trip: ", "leave out --delay"],
    );
    refused(
        &["check", "binary", "--simultaneous", "timeouts-first"],
        &["--simultaneous: ", "deliveries-first"],
    );
    refused(&["check", "binary", "--channel", "block:1"], &["round-trip bound", "block"]);
    refused(&["check", "binary", "--time", "untimed", "--property", "R1"], &["R1 speaks of durations"]);
    refused(&["check", "ring", "--property", "time-lock"], &["--property: an untimed check has no time"]);
    let said = said(binary::program(&["check", "ring"]).env("WATCHKEEPER_TIME", "real"));
    assert_eq!(said.code, 150);
    assert!(said.err.contains("environment variable WATCHKEEPER_TIME: `real`"), "{}", said.err);
}

#[test]
fn timeouts_that_grow_without_end() {
    for detector in ["ring-weak-accuracy", "ring-strong-accuracy"] {
        refused(&["check", detector], &["--param max-delta", "give it a cap"]);
    }
    let all = ["check", "ring-strong-completeness", "--param", "timeouts=all"];
    refused(&all, &["--param max-delta", "give it a cap"]);
    refused(&["check", "ring-strong-completeness", "--param", "timeouts=some"], &["fixed, candidate or all"]);
    refused(
        &["check", "ring-weak-accuracy", "--param", "max-delta=2", "--param", "round=3"],
        &["--param max-delta=2", "choose 3 or more"],
    );
    refused(
        &["check", "ring-weak-accuracy", "--param", "max-delta=2", "--param", "candidate=p7"],
        &["--param candidate=p7", "p0 to p2"],
    );
}

#[test]
fn properties_that_cannot_be_asked() {
    refused(
        &["check", "ring", "--property", "deadlok"],
        &["no property `deadlok`", "did you mean `deadlock`?"],
    );
    refused(&["check", "ring", "--property", "oscillation:1"], &["p1 cannot crash", "--crashes 1"]);
    refused(&["check", "ring", "--crashes", "1", "--property", "oscillation:x"], &["oscillation:K"]);
    refused(&["check", "ring", "--crashes", "1", "--property", "oscillation:1:p0:p9"], &["there is no p9"]);
    let both = "oscillation:1,oscillation:2";
    refused(&["check", "ring", "--crashes", "1", "--property", both], &["only one oscillation"]);
}

#[test]
fn flags_that_do_not_exist_get_a_proposal() {
    refused(&["check", "ring", "--chanel", "block:1"], &["--chanel", "--channel"]);
    refused(&["chekc", "ring"], &["chekc", "check"]);
}

#[test]
fn a_scenario_file_that_is_not_toml_is_shown_with_line_and_column() {
    let room = Room::new("malformed");
    let file = room.file("bad.toml", "protocol = \"ring\"\nn = = 3\n");
    refused(&["check", &file], &["bad.toml, line 2, column 5: this is not TOML", "2 | n = = 3", "  |     ^"]);
}

#[test]
fn unknown_keys_and_bad_values_in_a_file_are_shown_with_line_and_column() {
    let room = Room::new("keys");
    let file = room.file("key.toml", "protocol = \"ring\"\ncrashs = 1\n");
    refused(
        &["check", &file],
        &["key.toml, line 2, column 1: there is no key `crashs`", "did you mean `crashes`?", "^^^^^^"],
    );
    let file = room.file("value.toml", "protocol = \"ring\"\nchannel = \"blok:1\"\n");
    refused(&["check", &file], &["value.toml, line 2, column 11: `blok:1`", "^^^^^^^^"]);
    let file = room.file("protocol.toml", "protocol = \"rnig\"\n");
    refused(&["check", &file], &["line 1, column 12", "did you mean `ring`?"]);
    let file = room.file("param.toml", "protocol = \"ring\"\n[param]\nround = \"soon\"\n");
    refused(&["check", &file], &["param.toml, line 3, column 9"]);
    let file = room.file("none.toml", "n = 3\n");
    refused(&["check", &file], &["does not say which protocol", "ring"]);
    refused(&["check", &room.arg("missing.toml")], &["cannot read", "missing.toml"]);
}

#[test]
fn bad_environment_variables_are_named() {
    let said = said(binary::program(&["check", "ring"]).env("WATCHKEEPER_WORKERS", "many"));
    assert_eq!(said.code, 150);
    assert!(said.err.contains("environment variable WATCHKEEPER_WORKERS: `many`"), "{}", said.err);
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_search() {
    let room = Room::new("unwritable");
    // A scenario that would take for ever, so that only an early refusal ends in time.
    let long = ["check", "ring", "--n", "6", "--crashes", "3", "--channel", "drop:3"];
    for flag in ["--json", "--out-itf", "--out-dot", "--out-aut"] {
        refused(&[&long[..], &[flag, &room.arg("missing/file")]].concat(), &["cannot write", "missing/file"]);
        refused(&[&long[..], &[flag, &room.as_ref().display().to_string()]].concat(), &["is a directory"]);
    }
    refused(&[&long[..], &["--chart", &room.arg("missing/why.svg")]].concat(), &["cannot write"]);
    refused(&[&long[..], &["--chart", &room.arg("why.png")]].concat(), &[".svg, .mmd (Mermaid) or .txt"]);
    refused(
        &[&long[..], &["--json", "-", "--out-itf", "-"]].concat(),
        &["two outputs go to standard output"],
    );
    refused(
        &[&long[..], &["--out-dot", &room.arg("all.dot")]].concat(),
        &["--out-dot lists every state", "20000"],
    );
    assert!(room.names().is_empty(), "{:?}", room.names());
}

#[test]
fn pages_of_clusters_that_cannot_be() {
    let cluster =
        |flags: &[&str], parts: &[&str]| refused(&[&["cluster", "ring"][..], flags].concat(), parts);
    cluster(&["--control"], &["--web"]);
    cluster(&["--web-port", "7800"], &["--web"]);
    for port in ["0", "65536", "x"] {
        let wrong = format!("--web-port: `{port}` is not a port; write 1 to 65535");
        cluster(&["--web", "--web-port", port], &[&wrong]);
    }
    let base = ["--web", "--base-port", "7800", "--n", "3", "--web-port", "7802"];
    cluster(&base, &["--web-port: 7802 is a port of the nodes"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let in_use = format!("--web-port: 127.0.0.1:{port} is in use by another program");
    cluster(&["--web", "--web-port", &port], &[&in_use, "choose another port"]);
}
