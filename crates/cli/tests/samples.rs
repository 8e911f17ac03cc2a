//! The samples for those who run nodes: the unit starts what it says, and the dashboard and the alerts name metrics that
//! a node has.

mod binary;
mod running;

use binary::{Room, watchkeeper};
use running::{Running, asked, nobody, node_file};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn sample(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/samples").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The names of all rows that a node has at `/metrics`, a pair that has met nobody.
fn metrics() -> BTreeSet<String> {
    let room = Room::new("samples");
    let (_socket, address) = nobody();
    let ring = "protocol = \"ring\"\nn = 2\ntime = \"dense\"\ndelay = \"0..1\"\nchannel = \"drop:2\"\n[param]\nround = 3\n";
    let file = node_file(&room, ring, "p0", "127.0.0.1:0", &[("p1", &address)]);
    let mut node = Running::start(&file, &[]);
    let http = node.wait_for("listening")["http"].as_str().expect("an endpoint").to_string();
    node.wait_for("began");
    let (code, _, body) = asked(&http, "GET", "/metrics");
    assert_eq!(code, 200);
    // A family may have no rows as long as nothing is known.
    let families = body.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let rows = body.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter_map(|line| line.split(['{', ' ']).next());
    families.chain(rows).map(str::to_string).collect()
}

/// The metrics that a text names.
fn named(text: &str) -> BTreeSet<String> {
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = text.match_indices("watchkeeper_").map(|(at, _)| {
        let rest = &text[at..];
        rest[..rest.find(|c| !part_of_name(c)).unwrap_or(rest.len())].to_string()
    });
    names.collect()
}

#[test]
fn the_dashboard_and_the_alerts_name_metrics_that_there_are() {
    let there = metrics();
    assert!(there.contains("watchkeeper_timer_lateness_seconds_bucket"), "{there:?}");
    let text = sample("grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let ids: BTreeSet<u64> = panels.iter().filter_map(|panel| panel["id"].as_u64()).collect();
    assert_eq!(ids.len(), panels.len(), "each has an id of its own");
    for panel in panels {
        let about = panel["description"].as_str().unwrap_or_default();
        assert!(about.len() > 20, "{} says what it shows", panel["title"]);
        for target in panel["targets"].as_array().expect("targets") {
            let asked = named(target["expr"].as_str().expect("an expression"));
            assert!(!asked.is_empty() && asked.is_subset(&there), "{}: {asked:?}", panel["title"]);
        }
    }
    for text in [text, sample("alerts.yml")] {
        let unknown: Vec<String> = named(&text).difference(&there).cloned().collect();
        assert_eq!(unknown, [""; 0]);
    }
}

#[test]
fn the_unit_starts_a_node_with_arguments_that_there_are() {
    let unit = sample("watchkeeper@.service");
    let key = |name: &str| {
        let lines: Vec<&str> =
            unit.lines().filter_map(|line| line.strip_prefix(&format!("{name}="))).collect();
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
        lines[0].to_string()
    };
    let start = key("ExecStart");
    let words: Vec<&str> = start.split(' ').collect();
    assert!(words[0].ends_with("/watchkeeper"), "{start}");
    let node =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/nodes/ring.toml").display().to_string();
    let args: Vec<&str> =
        words[1..].iter().map(|word| if word.ends_with("%i.toml") { node.as_str() } else { word }).collect();
    let said = watchkeeper(&[&args[..], &["--check-config"]].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{start}");
    assert!(said.out.contains("is in order. It would run:"), "{}", said.out);
    // The program tells nobody when it is ready, and reads its keys again at SIGHUP.
    assert_eq!((key("Type").as_str(), key("ExecReload").as_str()), ("exec", "/bin/kill -HUP $MAINPID"));
    assert_eq!(
        key("RestartPreventExitStatus"),
        watchkeeper(&["run", "--config", "/nowhere"]).code.to_string()
    );
}
