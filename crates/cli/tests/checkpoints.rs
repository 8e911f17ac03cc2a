//! Checkpoints of the real program: killed at any moment, it goes on to the same verdict, counts and length of a trace; what is
//! damaged, in use or of another search is refused with the place and with what to do.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "how often a long run was killed is worth knowing")]

mod binary;

use binary::{Room, Said, program, watchkeeper};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Checks that hold and that do not: plainly, up to renaming, with partial-order reduction, with an observer, with a monitor and
/// of infinite runs.
const CHECKS: [&str; 6] = [
    "ring --n 3 --crashes 1 --channel drop:1",
    "ring --n 3 --crashes 1 --channel block:1",
    "chandra-toueg --n 3 --crashes 1 --channel drop:1 --symmetry --reduce order",
    "ring --n 3 --crashable p1 --channel drop:1 --property strong-completeness --fairness steps",
    "ring --n 3 --crashes 1 --channel drop:1 --property oscillation:2",
    "static --n 3 --tmin 2 --tmax 4 --time ticks --property R1",
];

fn check<'a>(line: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [vec!["check"], line.split(' ').collect(), more.to_vec()].concat()
}

/// What must be the same however often a search was interrupted.
fn figures(said: &Said) -> Value {
    let mut verdict: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err));
    let of_store = ["disk_bytes", "disk_written"];
    for cost in ["seconds", "peak_bytes", "search_bytes", "bytes_per_state", "workers", "command"]
        .into_iter()
        .chain(of_store)
    {
        verdict.as_object_mut().expect("an object").remove(cost);
    }
    verdict
}

fn started(args: &[&str]) -> Child {
    program(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Kills a process so many milliseconds after it has made so many commits, unless it has ended before; whether it was killed.
fn killed_after(mut child: Child, dir: &Path, (commits, pause): (usize, u64)) -> bool {
    let (mut seen, mut last) = (0, None);
    while child.try_wait().expect("a child").is_none() {
        let now = std::fs::read(dir.join("search-1/committed")).ok();
        if now != last {
            (seen, last) = (seen + 1, now);
        }
        if seen > commits {
            if pause > 0 {
                std::thread::sleep(Duration::from_millis(pause));
            }
            let alive = child.try_wait().expect("a child").is_none();
            child.kill().expect("killed");
            child.wait().expect("a child");
            return alive;
        }
    }
    false
}

/// Kills a check again and again, and compares the end with that of an undisturbed one; how often it was killed.
fn killed_often(name: &str, line: &str, kills: &[(usize, u64)], on_disk: bool) -> usize {
    let room = Room::new(name);
    let (dir, often) = (room.arg("saved"), ["--checkpoint-every", "1ms"]);
    let undisturbed = watchkeeper(&check(line, &["--json", "-", "-q"]));
    let store = format!("disk:{}", room.arg("states"));
    let store = if on_disk { vec!["--store", &store] } else { Vec::new() };
    let begin = check(line, &[&["--checkpoint", &dir, often[0], often[1]], &store[..]].concat());
    let mut killed = 0;
    for &moment in kills {
        let began = room.path("saved/search-1/committed").exists();
        let child = if began { started(&["resume", &dir, often[0], often[1]]) } else { started(&begin) };
        killed += usize::from(killed_after(child, &room.path("saved"), moment));
    }
    let said = watchkeeper(&["resume", &dir, "--json", "-", "-q"]);
    assert_eq!(said.code, undisturbed.code, "{}", said.err);
    assert_eq!(figures(&said), figures(&undisturbed), "{line}, killed {killed} times");
    killed
}

#[test]
fn a_search_that_is_killed_ends_like_one_that_is_not() {
    let killed: Vec<usize> = CHECKS
        .iter()
        .enumerate()
        .map(|(i, line)| killed_often(&format!("killed-{i}"), line, &[(2, 0), (0, 0), (5, 0)], false))
        .collect();
    assert!(killed.iter().sum::<usize>() >= 6, "{killed:?}");
}

#[test]
fn a_search_on_disk_that_is_killed_ends_like_one_that_is_not() {
    let lines = [CHECKS[1], CHECKS[4], CHECKS[5], "ring --n 3 --crashes 1 --channel drop:1 --symmetry"];
    let killed = lines.iter().enumerate();
    let killed = killed.map(|(i, line)| killed_often(&format!("on-disk-{i}"), line, &[(2, 0), (3, 0)], true));
    let killed: Vec<usize> = killed.collect();
    assert!(killed.iter().sum::<usize>() >= 4, "{killed:?}");
}

/// A larger search, killed as often as a variable says, for example twenty times:
/// `WATCHKEEPER_KILLS=20 cargo test --release -p watchkeeper-cli --test checkpoints -- as_often_as --nocapture`.
#[test]
fn a_search_that_is_killed_as_often_as_a_variable_says_ends_like_one_that_is_not() {
    let often = std::env::var("WATCHKEEPER_KILLS").ok().and_then(|often| often.parse::<u64>().ok());
    let line = if often.is_none() { CHECKS[0] } else { "ring --n 3 --crashes 1 --channel drop:2" };
    // Not only right after a commit. On disk there are commits between two depths only, so few are waited for; and what a
    // dead search left is in the directory of the states.
    let moments = |commits: usize| {
        (0..often.unwrap_or(1))
            .map(move |i| (i as usize * 7 % commits, if often.is_some() { i * 37 % 211 } else { 0 }))
    };
    for (name, commits, on_disk) in [("killed-often", 13, false), ("killed-often-on-disk", 2, true)] {
        let moments: Vec<(usize, u64)> = moments(commits).collect();
        let killed = killed_often(name, line, &moments, on_disk);
        println!("{name}: {killed} times");
        assert_eq!(killed, moments.len(), "{name}");
    }
}

/// A journal does not tell where the states were kept.
#[test]
fn a_search_can_be_resumed_with_another_store() {
    let room = Room::new("checkpoint-stores");
    let dir = room.arg("saved");
    let (states, other) = (format!("disk:{}", room.arg("states")), format!("disk:{}", room.arg("other")));
    let undisturbed = figures(&watchkeeper(&check(CHECKS[0], &["--json", "-", "-q"])));
    let stopped = check(CHECKS[0], &["--timeout", "1ms", "--checkpoint", &dir, "--store", &states]);
    assert_eq!(watchkeeper(&stopped).code, 153);
    let resume = |more: &[&str]| watchkeeper(&[&["resume", &dir, "--json", "-", "-q"], more].concat());
    for more in
        [&["--store", &other, "--max-disk", "1GiB"][..], &["--max-disk", "2GiB"], &["--store", "memory"]]
    {
        let said = resume(more);
        assert_eq!(figures(&said), undisturbed, "{more:?}: {}", said.err);
    }
    let said = resume(&["--store", "tape"]);
    assert_eq!(said.code, 150, "{}", said.err);
    assert!(!room.path("states").exists() && !room.path("other").exists(), "nothing is left");
}

/// Memory was full: the search goes on on disk, by the user or by itself.
#[test]
fn a_search_that_memory_was_too_small_for_goes_on_on_disk() {
    let room = Room::new("checkpoint-memory");
    let (dir, store) = (room.arg("saved"), format!("disk:{}", room.arg("states")));
    let line = "casebook ring --model tasks --channel block --count --max-states 300000";
    let words: Vec<&str> = line.split(' ').collect();
    let json = ["--json", "-", "-q"];
    let undisturbed = figures(&watchkeeper(&[&words[..], &json].concat()));
    let limited = ["--max-memory", "2MiB", "--checkpoint"];
    let full = watchkeeper(&[&words[..], &limited, &[&dir], &json].concat());
    assert!(full.out.contains(r#""kind": "memory""#), "{}{}", full.out, full.err);
    let said =
        watchkeeper(&[&["resume", &dir, "--max-memory", "2MiB", "--store", &store], &json[..]].concat());
    assert_eq!(figures(&said), undisturbed, "{}", said.err);
    let (fresh, auto) = (room.arg("fresh"), format!("auto:{}", room.arg("states")));
    let said = watchkeeper(&[&words[..], &limited, &[&fresh, "--store", &auto], &json].concat());
    assert_eq!(figures(&said), undisturbed, "{}", said.err);
}

#[test]
fn a_limit_leaves_a_checkpoint_and_says_how_to_go_on() {
    let room = Room::new("checkpoint-limit");
    let dir = room.arg("saved");
    let said = watchkeeper(&check(CHECKS[0], &["--timeout", "1ms", "--checkpoint", &dir]));
    assert_eq!(said.code, 153, "{}", said.err);
    assert!(said.err.contains(&format!("`resume {dir}` goes on from the last checkpoint")), "{}", said.err);
    let said = watchkeeper(&["resume", &dir, "--json", "-", "-q", "--workers", "1"]);
    assert_eq!(figures(&said), figures(&watchkeeper(&check(CHECKS[0], &["--json", "-", "-q"]))));
    let again = watchkeeper(&["resume", &dir, "--json", "-", "-q"]);
    assert_eq!(figures(&again), figures(&said), "it is over");
}

#[test]
fn what_cannot_be_used_is_refused_with_what_to_do() {
    let room = Room::new("checkpoint-refused");
    let dir = room.arg("saved");
    let refused = |args: &[&str], what: &str| {
        let said = watchkeeper(args);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(what), "{args:?}: {}", said.err);
    };
    refused(&["resume", &dir], "there is no checkpoint here");
    let line = check(CHECKS[0], &["--checkpoint", &dir]);
    assert_eq!(watchkeeper(&line).code, 0);
    refused(&line, &format!("resume {dir}; or name a directory that is empty"));
    room.file("other", "");
    let around = Path::new(&dir).parent().expect("a directory").display().to_string();
    refused(&check(CHECKS[0], &["--checkpoint", &around]), "holds other files");
    let lock = std::fs::File::open(room.path("saved/lock")).expect("the lock");
    lock.try_lock().expect("nobody has it");
    refused(&["resume", &dir], "another search uses this directory");
    drop(lock);

    let fresh = room.arg("fresh");
    for more in
        [vec!["--search", "beam:5"], vec!["--search", "walks:5"], vec!["--time", "dense", "--delay", "0..1"]]
    {
        let args = check(CHECKS[0], &[vec!["--checkpoint", &fresh], more].concat());
        refused(&args, "leaves no checkpoints");
    }
    refused(&["casebook", "heartbeats", "--checkpoint", &fresh], "leaves no checkpoints");
    refused(&check(CHECKS[0], &["--checkpoint-every", "1s"]), "add --checkpoint DIR");

    // A bit in each file, at a few places.
    let files = ["checkpoint.txt", "search-1/committed", "search-1/log"];
    for file in files.map(|file| room.path("saved").join(file)) {
        let bytes = std::fs::read(&file).expect("there");
        for at in [0, bytes.len() / 3, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&file, damaged).expect("written");
            refused(&["resume", &dir], &file.display().to_string());
        }
        std::fs::write(&file, &bytes[..bytes.len() - 5]).expect("written");
        refused(&["resume", &dir], &file.display().to_string());
        std::fs::write(&file, bytes).expect("written");
    }
    assert_eq!(watchkeeper(&["resume", &dir]).code, 0);
    // Whatever the file says, the journal knows what it is of.
    let record = room.read("saved/checkpoint.txt");
    assert!(record.contains("command: watchkeeper check ring --n 3"), "{record}");
}

/// A limit on the size of files stands for a full disk: the search goes on, and the last checkpoint can be used.
#[test]
fn a_disk_without_room_ends_the_checkpoints_and_not_the_search() {
    let room = Room::new("checkpoint-full");
    let dir = room.arg("saved");
    let line = check(CHECKS[0], &["--checkpoint", &dir, "--checkpoint-every", "1ms", "--json", "-", "-q"]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -f 100\nexec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_watchkeeper")]).args(line);
    let mut found = figures(&binary::said(&mut limited));
    let warnings = found["warnings"].as_array_mut().expect("a list");
    let warning = warnings.pop().expect("a warning").to_string();
    assert!(warning.contains("no more checkpoints of search 1 were written"), "{warning}");
    let undisturbed = figures(&watchkeeper(&check(CHECKS[0], &["--json", "-", "-q"])));
    assert_eq!(found, undisturbed);
    assert_eq!(figures(&watchkeeper(&["resume", &dir, "--json", "-", "-q"])), undisturbed);
}

#[test]
fn a_casebook_model_can_be_resumed() {
    let room = Room::new("checkpoint-casebook");
    let (dir, model) =
        (room.arg("saved"), "casebook ring --model process-algebra --channel block --buffer 1");
    let words: Vec<&str> = model.split(' ').collect();
    let undisturbed = watchkeeper(&[&words[..], &["--json", "-", "-q"]].concat());
    let stopped = [&words[..], &["--checkpoint", &dir, "--timeout", "1ms"]].concat();
    assert_eq!(watchkeeper(&stopped).code, 153);
    let said = watchkeeper(&["resume", &dir, "--json", "-", "-q"]);
    assert_eq!((said.code, figures(&said)), (undisturbed.code, figures(&undisturbed)));
}
