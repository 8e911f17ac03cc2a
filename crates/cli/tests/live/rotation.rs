//! The key of a cluster is replaced while it runs, by one command: nobody is suspected, nobody restarts, every datagram is
//! understood, and the old key is gone. A rotation that was cut short is gone on with.

use super::fleet::Fleet;
use super::models::WEAK_COMPLETENESS;
use crate::binary::{Said, watchkeeper};
use serde_json::{Value, json};
use std::time::Duration;

fn fleet(name: &str) -> Fleet {
    let mut fleet = Fleet::new(name, WEAK_COMPLETENESS.of_size(3).ticking(Duration::from_millis(100)));
    fleet.start_all();
    fleet
}

fn rotate(fleet: &Fleet, more: &[&str]) -> Said {
    let dir = fleet.dir().display().to_string();
    watchkeeper(&[&["key", "rotate", &dir], more].concat())
}

/// The keys that each node says it has.
fn keys(fleet: &Fleet) -> Vec<Value> {
    let status = |p| serde_json::from_str::<Value>(&fleet.ask(p, "/status")).expect("JSON");
    (0..3).map(|p| status(p)["keys"].clone()).collect()
}

/// Nothing happened to the protocol, and no datagram was refused.
fn undisturbed(fleet: &Fleet) {
    let recordings = fleet.rounds(3);
    assert_eq!(recordings.said(), [], "nobody is suspected");
    for process in 0..3 {
        assert_eq!(recordings.incarnations(process), 1, "p{process} was not restarted");
        for reason in ["unknown_key", "forged"] {
            let name = format!("watchkeeper_datagrams_refused_total{{reason=\"{reason}\"}}");
            assert_eq!(fleet.metric(process, &name), 0.0, "p{process} {reason}");
        }
    }
}

fn file(fleet: &Fleet, name: &str) -> String {
    std::fs::read_to_string(fleet.dir().join(name)).expect(name)
}

#[test]
fn one_command_replaces_the_key_of_a_cluster_and_disturbs_nobody() {
    let fleet = fleet("rotation");
    assert_eq!(keys(&fleet), [json!([1]), json!([1]), json!([1])]);
    let said = rotate(&fleet, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let all = "each of p0, p1, p2";
    let expected = format!(
        "Begins with key 2\nadd: {all} opens with it too\nswitch: {all} seals with it\nremove: {all} has it alone\n"
    );
    assert_eq!(said.out, expected);
    assert_eq!(keys(&fleet), [json!([2]), json!([2]), json!([2])]);
    for process in 0..3 {
        let text = file(&fleet, &format!("p{process}.toml"));
        assert!(!text.contains("5eaf00d5"), "the old key is gone:\n{text}");
        assert!(text.contains("\n[[keys]]\nid = 2\ncurrent = true\nfile = \"cluster-2.key\"\n"), "{text}");
    }
    undisturbed(&fleet);
    // And again, now from a file to a file.
    let said = rotate(&fleet, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let old = fleet.dir().canonicalize().expect("a directory").join("cluster-2.key");
    let last = format!("These nodes no longer use {}: delete it if no other node does\n", old.display());
    assert!(said.out.starts_with("Begins with key 3\n") && said.out.ends_with(&last), "{}", said.out);
    assert_eq!(keys(&fleet), [json!([3]), json!([3]), json!([3])]);
    undisturbed(&fleet);
}

#[test]
fn a_rotation_that_was_cut_short_is_gone_on_with() {
    let mut fleet = fleet("rotation-cut");
    let said = rotate(&fleet, &["--step", "add"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(keys(&fleet), [json!([1, 2]), json!([1, 2]), json!([1, 2])]);
    let said = rotate(&fleet, &["--step", "remove"]);
    assert!(
        said.err.contains("p0 does not seal with key 2 yet: take the step `switch` first"),
        "{}",
        said.err
    );
    // Somebody has done it for one node by hand, and told it nothing.
    let text = file(&fleet, "p1.toml").replace("\ncurrent = true", "");
    std::fs::write(fleet.dir().join("p1.toml"), text.replace("id = 2\n", "id = 2\ncurrent = true\n"))
        .expect("written");
    let said = rotate(&fleet, &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(said.out.starts_with("Goes on with key 2\n"), "{}", said.out);
    assert_eq!(keys(&fleet), [json!([2]), json!([2]), json!([2])]);
    undisturbed(&fleet);

    // A node that does not run is told of, before anything is changed.
    fleet.stop(2);
    let before = file(&fleet, "p0.toml");
    let said = rotate(&fleet, &[]);
    assert_eq!(said.code, 150);
    assert!(said.err.contains("p2 does not answer at http://"), "{}", said.err);
    assert_eq!(file(&fleet, "p0.toml"), before);
    let said = rotate(&fleet, &["--allow-stopped"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    assert!(said.out.starts_with("p2 does not run: only its file is changed\n"), "{}", said.out);
    fleet.start(2);
    fleet.begun(&[2], 2);
    assert_eq!(keys(&fleet), [json!([3]), json!([3]), json!([3])]);
}

#[test]
fn what_would_part_the_nodes_is_refused_and_changes_nothing() {
    let fleet = fleet("rotation-refused");
    let path = |name: &str| fleet.dir().join(name).display().to_string();
    let before = file(&fleet, "p0.toml");
    let refused = |args: &[&str], part: &str| {
        let said = watchkeeper(&[&["key", "rotate"], args].concat());
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains(part), "{}", said.err);
        assert_eq!(file(&fleet, "p0.toml"), before);
    };
    let (p0, p1) = (path("p0.toml"), path("p1.toml"));
    refused(&[&p0, &p1], "the file of p2 is not among these");
    refused(&[&p0, &p0], "is a second file of p0; name one");
    refused(&[&path("p9.toml")], "cannot read the node file");
    let dir = path("");
    std::fs::write(path("cluster-2.key"), "0".repeat(64)).expect("written");
    refused(&[&dir], "cluster-2.key: a key of zeros is no secret");
    std::fs::write(path("cluster-2.key"), "5eaf00d5".repeat(8)).expect("written");
    refused(&[&dir], "cluster-2.key holds a key that is in use already");
    std::fs::remove_file(path("cluster-2.key")).expect("removed");
    std::fs::write(path("p1.toml"), file(&fleet, "p1.toml").replace("5eaf00d5", "5eaf00d6"))
        .expect("written");
    refused(&[&dir], "p0 and p1 have different keys under the id 1");
    assert_eq!(keys(&fleet), [json!([1]), json!([1]), json!([1])]);
}
