//! Node files: every sample is right, `check` takes it as it is, and whatever is wrong with a file is told at once,
//! each mistake with its place.

mod binary;

use binary::{Room, watchkeeper};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/nodes")
}

/// The protocols of the program, as it lists them itself.
fn protocols() -> Vec<String> {
    let list = watchkeeper(&["list"]).out;
    let heading = |line: &&str| !line.is_empty() && !line.starts_with(' ');
    list.lines().filter(heading).map(str::to_string).collect()
}

/// The protocols that ask an oracle, which a node has none of.
const ONLY_CHECKED: [&str; 3] = ["consensus-strong", "consensus-rotating", "membership"];

/// The protocol that is a model of what every node has.
const MODEL: &str = "handshake";

#[test]
fn a_model_does_not_run_and_says_why() {
    let room = Room::new("model");
    let file = room.file("node.toml", &format!("protocol = \"{MODEL}\"\n"));
    for command in [&["run", "--config", &file][..], &["cluster", MODEL]] {
        let said = watchkeeper(command);
        let why = "handshake is a model for `check` only: every node has this handshake below its protocol";
        assert!(said.code == 150 && said.err.contains(why), "{}", said.err);
    }
}

#[test]
fn what_asks_an_oracle_does_not_run_and_is_told_what_does() {
    for protocol in ONLY_CHECKED {
        let found = mistakes(&format!("oracle-{protocol}"), &[("\"ring\"", &format!("\"{protocol}\""))]);
        assert!(found.iter().any(|line| line.contains("parameter `round`")), "{found:?}");
        let live = if protocol == "membership" { "membership-live" } else { "consensus-live" };
        let instead = format!("run {live}, which stands on");
        let room = Room::new(&format!("oracle-{protocol}"));
        let file = room.file("node.toml", &format!("protocol = \"{protocol}\"\n"));
        let said = watchkeeper(&["run", "--config", &file]);
        assert!(said.code == 150 && said.err.contains(&instead), "{}", said.err);
        let said = watchkeeper(&["cluster", protocol]);
        assert!(said.code == 150 && said.err.contains(&instead), "{}", said.err);
    }
}

#[test]
fn a_node_proposes_once_and_what_can_be_decided() {
    let good =
        [("\"ring\"", "\"consensus-live\""), ("channel = \"drop:2\"\n", ""), ("round = 5", "domain = 8")];
    let with = |line: &str| {
        let line = format!("{line}\n\n[peers]");
        let changes = [&good[..], &[("\n[peers]", line.as_str())]].concat();
        mistakes(&format!("propose-{}", line.len()), &changes)
    };
    for (line, expected) in [
        (
            "propose = 8",
            "8 is outside of the domain: with domain = 8 the values are 0 to 7; propose one of these, or raise the \
             parameter domain",
        ),
        (
            "propose = \"3, 4\"",
            "`3, 4` is more than one value, and a process proposes once: write one of them",
        ),
        ("propose = \"seven\"", "`seven` is not a value; propose a whole number from 0 on"),
    ] {
        let expected = format!("node.toml, line 15, column 11: {expected}");
        assert_eq!(with(line), [expected], "{line}");
    }
    let (_room, file) = room("propose-good", &good);
    let out = watchkeeper(&["run", "--config", &file, "--check-config"]).out;
    assert!(out.contains("\n  proposes    1, as soon as it has begun\n"), "{out}");
    assert!(out.contains("\n              domain = 8\n"), "{out}");
    let out = watchkeeper(&["run", "--config", &file, "--check-config", "--propose", "6"]).out;
    assert!(out.contains("\n  proposes    6, as soon as it has begun\n"), "{out}");
    let said = watchkeeper(&["run", "--config", &file, "--propose", "9"]);
    assert!(said.code == 150 && said.err.contains("--propose: 9 is outside of the domain"), "{}", said.err);
    let found = mistakes("propose-ring", &[("\n[peers]", "propose = 1\n\n[peers]")]);
    assert_eq!(
        found,
        ["node.toml, line 16, column 11: the processes of ring propose nothing; leave `propose` out"]
    );
}

#[test]
fn there_is_a_sample_for_every_protocol_and_each_can_run_and_be_checked() {
    let protocols = protocols();
    assert_eq!(protocols.len(), 30, "{protocols:?}");
    let runs = |protocol: &&String| *protocol != MODEL && !ONLY_CHECKED.contains(&protocol.as_str());
    for protocol in protocols.iter().filter(runs) {
        let file = samples().join(format!("{protocol}.toml")).display().to_string();
        let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{protocol}: {}", said.out);
        assert!(said.out.contains(&format!("\n  protocol    {protocol}: ")), "{}", said.out);
        assert!(!said.out.contains("warning"), "{}", said.out);
        let said = watchkeeper(&["check", &file, "--max-states", "1", "--quiet"]);
        assert!([0, 153].contains(&said.code), "{protocol}: {} {}", said.code, said.err);
    }
}

#[test]
fn the_verdicts_that_the_samples_promise_hold() {
    for protocol in ["ring", "ring-strong-completeness", "ring-asking-again", "nfd-s", "kubernetes", "binary"]
    {
        let file = samples().join(format!("{protocol}.toml")).display().to_string();
        let said = watchkeeper(&["check", &file, "--quiet"]);
        assert_eq!(said.code, 0, "{protocol}: {}", said.err);
    }
}

#[test]
fn what_would_run_is_said_with_what_it_rests_on() {
    let file = samples().join("ring.toml").display().to_string();
    let out = watchkeeper(&["run", "--config", &file, "--check-config"]).out;
    let (_, told) = out.split_once("It would run:\n").expect("what would run");
    let key = samples().join("cluster.key");
    let expected = format!(
        "
  protocol    ring: Failure detector on a ring, weak completeness (Larrea, Arévalo, Fernández 1999)
  node        p0 of 3 in the cluster `ring-demo`
  listens at  127.0.0.1:7100 (UDP)
  peers       p1 at 127.0.0.1:7101
              p2 at 127.0.0.1:7102
  keys        key 1, {}, which seals
  tick        50ms, one unit of the protocol's time
  parameters  round = 5 (250ms)
  begins      when all peers are there, or after 10s
  http        http://127.0.0.1:7200/status, /metrics and /healthz
  record      no recording
  log         text from level info on

Assumed, and watched over while it runs:

  delay       at most 2 ticks (100ms) from one node to another
  round-trip  nothing
  loss        no message is lost
  speed       a step comes at most 25ms after it is due

What rests on that:

  detection:10  delay, speed
  accuracy      delay, speed, loss

To check what it rests on: watchkeeper check {file}
",
        key.display()
    );
    assert_eq!(told, expected);
    let file = samples().join("dynamic.toml").display().to_string();
    let out = watchkeeper(&["run", "--config", &file, "--check-config"]).out;
    assert!(
        out.contains("\n  round-trip  at most 2 ticks (100ms) for a message and the answer to it\n"),
        "{out}"
    );
    assert!(out.contains("\n  R1          speed\n  R2          round-trip, speed, loss\n"), "{out}");
}

const GOOD: &str = "\
protocol = \"ring\"
n = 3
time = \"dense\"
delay = \"0..2\"
channel = \"drop:2\"

[param]
round = 5

[node]
process = \"p1\"
bind = \"127.0.0.1:7101\"
cluster = \"demo\"
tick = \"20ms\"
http = \"127.0.0.1:7201\"

[peers]
p0 = \"127.0.0.1:7100\"
p2 = \"127.0.0.1:7102\"

[[keys]]
id = 1
file = \"cluster.key\"
";

/// A directory with a key and a node file in which these pieces are replaced.
fn room(name: &str, changes: &[(&str, &str)]) -> (Room, String) {
    let room = Room::new(name);
    room.file("cluster.key", &format!("{}\n", "5a".repeat(32)));
    std::fs::set_permissions(room.path("cluster.key"), PermissionsExt::from_mode(0o600)).expect("a secret");
    let mut text = GOOD.to_string();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let file = room.file("node.toml", &text);
    (room, file)
}

/// What is wrong with a file: the first line of each mistake, without the name of the directory.
fn mistakes(name: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let (room, file) = room(name, changes);
    let said = watchkeeper(&["run", "--config", &file]);
    assert_eq!((said.code, said.out.as_str()), (150, ""), "{}", said.err);
    let dir = format!("{}/", room.as_ref().display());
    let lines = said.err.lines().filter_map(|line| line.strip_prefix("error: "));
    lines.map(|line| line.replace(&dir, "")).collect()
}

#[test]
fn the_file_that_the_others_are_made_of_is_right() {
    let (_room, file) = room("good", &[]);
    let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn each_mistake_is_told_with_its_place() {
    let table: [(&str, &str, &str); 30] = [
        ("\"ring\"", "\"rnig\"", "line 1, column 12: there is no protocol `rnig`; did you mean `ring`?"),
        ("n = 3", "n = 1", "line 2, column 5: 1 processes are not possible; choose from 2 to 64"),
        (
            "\"dense\"",
            "\"real\"",
            "line 3, column 8: `real` is not a model of time; write untimed, ticks or dense",
        ),
        ("\"0..2\"", "\"2..0\"", "line 4, column 9: 2 is above 0, so nothing lies between; write 0..2"),
        ("channel", "chanel", "line 5, column 1: there is no key `chanel`; did you mean `channel`?"),
        ("round = 5", "ruond = 5", "line 8, column 9: there is no parameter `ruond`; did you mean `round`?"),
        (
            "round = 5",
            "round = 0",
            "line 8, column 9: a timeout of 0 suspects before an answer can come: choose 1 or more",
        ),
        ("\"p1\"", "\"p3\"", "line 11, column 11: there is no p3: the processes are p0 to p2"),
        ("\"p1\"", "\"one\"", "line 11, column 11: `one` is not a process; write p0, p1 and so on"),
        ("bind", "bnid", "line 12, column 1: there is no key `bnid`; did you mean `bind`?"),
        (
            "127.0.0.1:7101",
            "localhost:7101",
            "line 12, column 8: `localhost:7101` is not an address; write an IP address and a port, such as 127.0.0.1:7100 or [::1]:7100",
        ),
        (
            "\"demo\"",
            "\"\"",
            "line 13, column 11: the cluster has no name: choose one that no other cluster of these machines has",
        ),
        (
            "\"20ms\"",
            "\"20\"",
            "line 14, column 8: `20` is not a span of time; write one like 500ms, 90s, 10min or 2h",
        ),
        (
            "\"20ms\"",
            "\"0.1ms\"",
            "line 14, column 8: a tick lasts from 1ms to 1h, and is the same on all nodes",
        ),
        (
            "\"20ms\"",
            "20.5",
            "line 14, column 8: expected a text in quotes, a whole number, or true or false, found a value of type float",
        ),
        (
            "127.0.0.1:7201",
            "0.0.0.0:7201",
            "line 15, column 8: 0.0.0.0 is not a loopback address, and whoever reaches it may ask; write 127.0.0.1:7201 or [::1]:7201",
        ),
        (
            "http = \"127.0.0.1:7201\"",
            "log = \"xml\"",
            "line 15, column 7: `xml` is not a form of the log; write text or json",
        ),
        (
            "http = \"127.0.0.1:7201\"",
            "log-level = \"loud\"",
            "line 15, column 13: `loud` is not a level of the log; write error, warn, info or debug",
        ),
        (
            "p0 = ",
            "p1 = ",
            "line 17, column 1: [peers] does not say where p0 is: add `p0 = \"ADDRESS:PORT\"` here",
        ),
        (
            "p2 = ",
            "p3 = ",
            "line 17, column 1: [peers] does not say where p2 is: add `p2 = \"ADDRESS:PORT\"` here",
        ),
        (
            "127.0.0.1:7102",
            "127.0.0.1:7101",
            "line 19, column 6: this is where this node itself listens; give the two different ports",
        ),
        (
            "127.0.0.1:7102",
            "127.0.0.1:7100",
            "line 19, column 6: p0 is at this address; give each process its own",
        ),
        (
            "127.0.0.1:7102",
            "[::1]:7102",
            "line 19, column 6: this is an IPv6 address and `bind` an IPv4 one; nodes reach each other in one of the two",
        ),
        (
            "127.0.0.1:7102",
            "127.0.0.1:0",
            "line 19, column 6: nobody can be reached at port 0; write the port that this peer listens at",
        ),
        (
            "id = 1",
            "id = 256",
            "line 22, column 6: `256` is not the id of a key; write a number from 0 to 255",
        ),
        (
            "\"cluster.key\"",
            "\"other.key\"",
            "line 23, column 8: cannot read the key other.key: No such file or directory (os error 2)",
        ),
        (
            "file = \"cluster.key\"",
            "hex = \"5a5a\"",
            "line 23, column 7: a key has 64 hexadecimal digits, and this text has 4 characters: copy all of it",
        ),
        (
            "file = \"cluster.key\"",
            "hex = \"0000000000000000000000000000000000000000000000000000000000000000\"",
            "line 23, column 7: a key of zeros is no secret: make one with `watchkeeper key`",
        ),
        (
            "file = \"cluster.key\"",
            "current = true",
            "line 21, column 1: this key is nowhere: add file = \"cluster.key\", or hex with its 64 hexadecimal digits",
        ),
        (
            "[[keys]]",
            "[keys]",
            "line 21, column 1: expected a table [[keys]], with two brackets, for each key, found a value of type table",
        ),
    ];
    for (i, (from, to, expected)) in table.into_iter().enumerate() {
        let found = mistakes(&format!("mistake-{i}"), &[(from, to)]);
        let expected = format!("node.toml, {expected}");
        assert!(found.iter().any(|line| line.starts_with(&expected)), "{expected}\n{found:#?}");
    }
}

#[test]
fn all_mistakes_of_a_file_are_told_in_its_order() {
    let changes = [
        ("n = 3", "n = 3\nchanel = \"block:1\""),
        ("round = 5", "round = 5\ndelta = 2"),
        ("bind = \"127.0.0.1:7101\"", "bind = \"here\"\nhtpp = 1"),
        ("tick = \"20ms\"\n", ""),
        ("p2 = ", "p5 = "),
        ("id = 1", "id = 1\ncurrent = \"perhaps\""),
    ];
    let found = mistakes("all", &changes);
    let expected = [
        "line 3, column 1: there is no key `chanel`; did you mean `channel`?",
        "line 10, column 9: there is no parameter `delta`",
        "line 12, column 1: [node] has no key `tick`: add how long one unit of the protocol's time lasts, such as tick = \"50ms\"",
        "line 14, column 8: `here` is not an address; write an IP address and a port, such as 127.0.0.1:7100 or [::1]:7100",
        "line 15, column 1: there is no key `htpp`; did you mean `http`?",
        "line 19, column 1: [peers] does not say where p2 is: add `p2 = \"ADDRESS:PORT\"` here",
        "line 21, column 1: there is no p5: the processes are p0 to p2",
        "line 25, column 11: `perhaps` is neither true nor false",
    ];
    assert_eq!(found, expected.map(|line| format!("node.toml, {line}")));
}

#[test]
fn a_mistake_is_shown_with_its_line_and_a_caret() {
    let (room, file) = room("caret", &[("127.0.0.1:7201", "10.0.0.1:7201")]);
    let said = watchkeeper(&["run", "--config", &file]);
    let expected = format!(
        "error: {}, line 15, column 8: 10.0.0.1 is not a loopback address, and whoever reaches it may ask; write \
         127.0.0.1:7201 or [::1]:7201\n   |\n15 | http = \"10.0.0.1:7201\"\n   |        ^^^^^^^^^^^^^^^\n",
        room.path("node.toml").display()
    );
    assert_eq!(said.err, expected);
}

#[test]
fn missing_tables_and_missing_files_say_what_to_add() {
    let room = Room::new("missing");
    let file = room.file("node.toml", "protocol = \"binary\"\n");
    let said = watchkeeper(&["run", "--config", &file]);
    assert_eq!(said.code, 150);
    for part in [
        "the table [node] is missing",
        "    [node]\n    process = \"p0\"",
        "the table [peers] is missing",
        "the table [[keys]] is missing",
        "watchkeeper key --out",
        "3 problems; nothing was started",
    ] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    let said = watchkeeper(&["run", "--config", &room.arg("nothing.toml")]);
    assert_eq!(said.code, 150);
    assert!(said.err.starts_with("error: cannot read the node file "), "{}", said.err);
    let file = room.file("broken.toml", "protocol = = 3\n");
    let said = watchkeeper(&["run", "--config", &file]);
    assert!(said.err.contains("broken.toml, line 1, column 12: this is not TOML"), "{}", said.err);
    assert_eq!(watchkeeper(&["run"]).code, 150);
}

#[test]
fn keys_are_exactly_one_current_ring() {
    let two = "[[keys]]\nid = 2\nfile = \"cluster.key\"\n\n[[keys]]\nid = 1";
    let found = mistakes("keys-none", &[("[[keys]]\nid = 1", two)]);
    let why = "node.toml, line 21, column 1: no key is the current one, which this node seals with: add current = true \
               to one of them";
    assert_eq!(found, [why]);
    let both = "[[keys]]\nid = 2\nfile = \"cluster.key\"\ncurrent = true\n\n[[keys]]\nid = 1\ncurrent = true";
    let found = mistakes("keys-both", &[("[[keys]]\nid = 1", both)]);
    let why = "node.toml, line 28, column 11: two keys are current; a node seals with one of them and opens with all: \
               leave this one out";
    assert_eq!(found, [why]);
    let twice = "[[keys]]\nid = 1\nfile = \"cluster.key\"\ncurrent = true\n\n[[keys]]\nid = 1";
    let found = mistakes("keys-twice", &[("[[keys]]\nid = 1", twice)]);
    assert_eq!(found, ["node.toml, line 27, column 6: key 1 is there twice; give the newer one another id"]);
}

#[test]
fn the_sample_key_is_for_loopback_nodes_only() {
    let sample = std::fs::read_to_string(samples().join("cluster.key")).expect("the sample key");
    let (room, file) = room("sample", &[("127.0.0.1:7101", "0.0.0.0:7101")]);
    room.file("cluster.key", &sample);
    let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
    assert_eq!(said.code, 150);
    assert!(
        said.err.contains("line 23, column 8: this is the sample key of the documentation"),
        "{}",
        said.err
    );
}

#[test]
fn a_key_that_others_can_read_is_a_warning() {
    let (room, file) = room("open", &[]);
    let warned = |mode: u32| {
        std::fs::set_permissions(room.path("cluster.key"), PermissionsExt::from_mode(mode)).expect("set");
        let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    };
    let key = room.path("cluster.key").display().to_string();
    for (mode, who) in [(0o644, "every user of this machine"), (0o640, "a whole group of users")] {
        let warning = format!("\nwarning: {who} has access to the key in {key}: chmod 600 {key}\n");
        let out = warned(mode);
        assert!(out.contains(&warning), "{out}");
    }
    for mode in [0o600, 0o400] {
        let out = warned(mode);
        assert!(!out.contains("warning"), "{out}");
    }
}

/// One digit is missing, or it is not a digit: what is there of the key is still a secret.
#[test]
fn a_key_that_cannot_be_is_not_shown() {
    let digits = "5a".repeat(31) + "5";
    let (_room, file) = room("unseen", &[("file = \"cluster.key\"", &format!("hex = \"{digits}\""))]);
    let said = watchkeeper(&["run", "--config", &file]);
    assert_eq!(said.code, 150);
    assert!(
        said.err.contains("this text has 63 characters") && said.err.contains("hex = ***"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("5a5a"), "{}", said.err);
}

#[test]
fn what_check_refuses_is_refused_here_too() {
    let found = mistakes("refused", &[("n = 3", "n = 3\nproperty = [\"R1\"]")]);
    assert_eq!(found, ["node.toml, line 3, column 12: there is no property `R1`"]);
}

#[test]
fn the_network_that_parameters_were_chosen_for_is_told_and_shares_are_percentages() {
    let network = |slower: &str| {
        format!("\n[network]\nround-trip = \"80ms\"\nslower = \"{slower}\"\nloss = \"2%\"\n\n[peers]")
    };
    let (_room, file) = room("network", &[("\n[peers]", &network("0.5%"))]);
    let out = watchkeeper(&["run", "--config", &file, "--check-config"]).out;
    let told = "network     0.5% of round trips take more than 80ms, and 2% of messages are lost\n";
    assert!(out.contains(told), "{out}");
    assert!(out.contains("  quality of service  network\n"), "{out}");
    let found = mistakes("network-above", &[("\n[peers]", &network("101%"))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("`101%` is no percentage from 0% to 100%; write one such as 1%"), "{found:?}");
}
