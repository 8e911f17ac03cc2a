//! Searches that keep their states on disk, from the command line: the same verdicts as in memory, and errors that say what to
//! do.

mod binary;

use binary::{Room, watchkeeper};
use serde_json::Value;

/// The verdict, without what tells of the machine and of the store.
fn verdict(args: &[&str]) -> Value {
    let said = watchkeeper(&[args, &["--json", "-", "--quiet"]].concat());
    let mut verdict: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("JSON: {}", said.err));
    let object = verdict.as_object_mut().expect("an object");
    for machine in ["seconds", "peak_bytes", "search_bytes", "bytes_per_state", "command", "workers"] {
        object.remove(machine).unwrap_or_else(|| panic!("{machine} is in the verdict"));
    }
    verdict
}

#[test]
fn the_verdict_on_disk_is_the_one_in_memory() {
    let room = Room::new("store");
    let store = format!("disk:{}", room.arg("states"));
    let ring = ["casebook", "ring", "--model"];
    let cases: [&[&str]; 4] = [
        &["csp", "--channel", "block", "--count", "--max-states", "30000"],
        &["csp", "--channel", "ignore", "--oscillations", "1"],
        &["csp", "--channel", "block"],
        &["process-algebra", "--channel", "report"],
    ];
    for case in cases {
        let args = [&ring[..], case].concat();
        let memory = verdict(&args);
        for more in [&["--store", &store, "--max-memory", "8MiB"][..], &["--store", &store, "--workers", "1"]]
        {
            let mut disk = verdict(&[&args[..], more].concat());
            assert!(disk["disk_written"].as_u64() > Some(100), "{case:?}: {}", disk["disk_written"]);
            disk["disk_written"] = Value::from(0);
            disk["disk_bytes"] = Value::from(0);
            assert_eq!(disk, memory, "{case:?} {more:?}");
        }
    }
    assert!(room.names().is_empty(), "nothing is left: {:?}", room.names());
}

#[test]
fn protocols_are_checked_on_disk_with_and_without_symmetry() {
    let room = Room::new("store-check");
    let store = format!("disk:{}", room.arg("states"));
    for more in [&["--symmetry"][..], &["--loss", "1"], &["--time", "ticks", "--delay", "1..2"]] {
        let args = [&["check", "ring", "--n", "3"], more].concat();
        let memory = verdict(&args);
        let mut disk = verdict(&[&args[..], &["--store", &store]].concat());
        disk["disk_written"] = Value::from(0);
        disk["disk_bytes"] = Value::from(0);
        assert_eq!(disk, memory, "{more:?}");
    }
}

#[test]
fn what_outgrows_its_memory_goes_to_disk_by_itself() {
    let room = Room::new("store-auto");
    let store = format!("auto:{}", room.arg("states"));
    let args =
        ["casebook", "ring", "--model", "tasks", "--channel", "block", "--count", "--max-states", "300000"];
    let memory = watchkeeper(&[&args[..], &["--max-memory", "2MiB"]].concat());
    assert!(memory.out.contains("the memory limit of 2.00 MiB"), "{}", memory.out);
    let disk = watchkeeper(&[&args[..], &["--max-memory", "2MiB", "--store", &store]].concat());
    assert!(disk.out.contains("the limit of 300,000 states was reached"), "{}", disk.out);
    assert!(disk.out.contains(" on disk, "), "{}", disk.out);
    assert!(disk.out.contains("--store auto:"), "the command is the one that was given: {}", disk.out);
}

#[test]
fn errors_and_full_disks_say_what_to_do() {
    let room = Room::new("store-errors");
    let ring = ["check", "ring", "--n", "3"];
    let used = room.file("letter", "dear");
    let folder = std::path::Path::new(&used).parent().expect("a folder").display().to_string();
    let store = format!("disk:{folder}");
    let told = |more: &[&str]| watchkeeper(&[&ring[..], more].concat());
    for (more, code, parts) in [
        (&["--store", &store][..], 150, &["must be empty or new", "letter", "another directory"][..]),
        (&["--store", "tape"], 150, &["--store", "disk:DIR"]),
        (&["--store", "disk"], 150, &["--store", "disk:DIR"]),
        (&["--max-disk", "1GiB"], 150, &["--max-disk", "--store auto"]),
        (&["--store", "auto", "--max-disk", "0B"], 150, &["--max-disk", "at least 1MiB"]),
        (&["--store", "auto", "--search", "walks:9"], 150, &["walk", "on disk"]),
        (&["--store", "auto", "--reduce", "order"], 150, &["partial-order", "on disk"]),
        (&["--store", "auto", "--time", "dense", "--delay", "1..2"], 150, &["zones", "on disk"]),
        (
            &["--store", "auto", "--fairness", "steps", "--ltl", "G F crashed(p0)"],
            150,
            &["infinite runs", "on disk"],
        ),
    ] {
        let said = told(more);
        assert_eq!(said.code, code, "{more:?}: {}{}", said.out, said.err);
        for part in parts {
            assert!(said.err.contains(part), "{more:?} does not say {part}:\n{}", said.err);
        }
    }
    let states = room.arg("states");
    let full = told(&["--store", &format!("disk:{states}"), "--max-disk", "1KiB"]);
    assert_eq!(full.code, 153, "{}{}", full.out, full.err);
    assert!(
        full.out.contains("limit of 1024 bytes") && full.out.contains("raise --max-disk"),
        "{}",
        full.out
    );
}
