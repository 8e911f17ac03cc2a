//! Scenario files say what flags say, and the command line goes over the environment over the file.

mod binary;

use binary::{Room, program, said, watchkeeper};
use serde_json::Value;

fn verdict(args: &[&str], environment: &[(&str, &str)]) -> Value {
    let args = [args, &["--json", "-", "--quiet"]].concat();
    let said = said(program(&args).envs(environment.iter().copied()));
    serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {}", said.err))
}

#[test]
fn a_file_says_what_flags_say() {
    let room = Room::new("equal");
    let text = "\
# Two processes that may crash, and a network that may misbehave.
protocol = \"ring\"
n = 3
crashes = 1
crashable = [\"p1\", \"p2\"]
channel = \"drop:1\"
order = \"fifo\"
lanes = \"per-kind\"
loss = 1
duplicate = 1
property = [\"deadlock\"]
max-depth = 8
search = \"breadth\"
symmetry = false
workers = 1

[param]
round = 2
";
    let file = room.file("all.toml", text);
    let flags = [
        "check",
        "ring",
        "--n",
        "3",
        "--crashes",
        "1",
        "--crashable",
        "p1,p2",
        "--channel",
        "drop:1",
        "--order",
        "fifo",
        "--lanes",
        "per-kind",
        "--loss",
        "1",
        "--duplicate",
        "1",
        "--property",
        "deadlock",
        "--max-depth",
        "8",
        "--search",
        "breadth",
        "--symmetry=false",
        "--param",
        "round=2",
    ];
    let (from_file, from_flags) = (verdict(&["check", &file], &[]), verdict(&flags, &[]));
    for field in ["verdict", "command", "distinct_states", "transitions", "coverage", "assumptions", "limit"]
    {
        assert_eq!(from_file[field], from_flags[field], "{field}");
    }
    assert_eq!(from_file["workers"], 1);
}

#[test]
fn flags_go_over_the_file() {
    let room = Room::new("over");
    let file = room.file("s.toml", "protocol = \"ring\"\nn = 2\nchannel = \"block:1\"\n[param]\nround = 5\n");
    let verdict = verdict(&["check", &file, "--n", "3", "--param", "round=7", "--max-depth", "2"], &[]);
    let command = verdict["command"].as_str().expect("a command");
    assert_eq!(
        command,
        "watchkeeper check ring --n 3 --crashes 0 --channel block:1 --property deadlock --param round=7 \
         --max-depth 2"
    );
}

#[test]
fn the_command_line_goes_over_the_environment_and_that_over_the_file() {
    let room = Room::new("environment");
    let file = room.file("s.toml", "protocol = \"ring\"\nn = 2\nchannel = \"drop:1\"\nworkers = 3\n");
    let workers = |args: &[&str], environment: &[(&str, &str)]| {
        verdict(&[&["check", &file], args].concat(), environment)["workers"].clone()
    };
    let two = [("WATCHKEEPER_WORKERS", "2")];
    assert_eq!(workers(&[], &[]), 3);
    assert_eq!(workers(&[], &two), 2);
    assert_eq!(workers(&["--workers", "1"], &two), 1);
}

#[test]
fn the_environment_sets_limits_and_seeds() {
    let environment =
        [("WATCHKEEPER_MAX_MEMORY", "64MiB"), ("WATCHKEEPER_TIMEOUT", "10min"), ("WATCHKEEPER_SEED", "9")];
    let args = ["check", "ring", "--n", "2", "--search", "walks:2", "--max-depth", "5"];
    let verdict = verdict(&args, &environment);
    let command = verdict["command"].as_str().expect("a command");
    assert!(
        command.ends_with("--search walks:2 --seed 9 --max-depth 5 --max-memory 64MiB --timeout 10min"),
        "{command}"
    );
}

#[test]
fn the_example_scenarios_of_the_documentation_run() {
    let scenarios = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenarios");
    let mut seen = 0;
    for entry in std::fs::read_dir(scenarios).expect("the scenarios").flatten() {
        let path = entry.path().display().to_string();
        let text = std::fs::read_to_string(entry.path()).expect("a scenario");
        let expected = text.lines().find_map(|line| line.strip_prefix("# Exit code: "));
        let said = watchkeeper(&["check", &path]);
        assert_eq!(Some(said.code.to_string().as_str()), expected, "{path}: {}{}", said.out, said.err);
        seen += 1;
    }
    assert!(seen >= 2, "there are examples");
}
