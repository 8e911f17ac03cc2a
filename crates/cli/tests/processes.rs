//! Searches on several processes of this machine, and on hosts that are all this machine: the answer is the one of a single
//! process, whoever is killed; and what keeps hosts from coming together is told.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "how often a long run was killed is worth knowing")]

mod binary;

use binary::{Room, Said, program, said, watchkeeper};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The part of a report that says what was found, without what it cost.
fn found(said: &Said) -> String {
    let kept = |line: &&str| {
        let costs = [
            "states a second",
            "memory",
            "worker",
            "second",
            "bytes",
            "Again",
            "watchkeeper check",
            "thread",
        ];
        !costs.iter().any(|word| line.contains(word))
    };
    said.out.lines().filter(kept).collect::<Vec<_>>().join("\n")
}

const HOLDS: [&str; 8] = ["check", "ring", "--n", "2", "--crashes", "1", "--channel", "drop:1"];
const DEADLOCK: [&str; 8] = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", "block:1"];

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn several_processes_find_what_one_finds() {
    for (args, code) in [(HOLDS, 0), (DEADLOCK, 11)] {
        let alone = watchkeeper(&args);
        assert_eq!(alone.code, code, "{}", alone.err);
        for processes in ["1", "2", "3"] {
            let several = watchkeeper(&with(&args, &["--processes", processes]));
            assert_eq!(several.code, code, "{processes}: {}", several.err);
            assert_eq!(found(&several), found(&alone), "{processes} processes");
        }
    }
}

#[test]
fn a_published_model_is_searched_by_several_processes_and_a_table_is_not() {
    let model = ["casebook", "ring", "--model", "csp", "--buffer", "1"];
    let room = Room::new("processes-casebook");
    for (more, code) in [
        (["--channel", "ignore", "--crash", "at-start"], 0),
        (["--channel", "report", "--crash", "any-time"], 12),
    ] {
        let alone = watchkeeper(&with(&model, &more));
        assert_eq!(alone.code, code, "{}", alone.err);
        let json = room.arg("verdict.json");
        let flags = ["--processes", "2", "--json", &json];
        let several = watchkeeper(&with(&with(&model, &more), &flags));
        assert_eq!((several.code, found(&several)), (alone.code, found(&alone)), "{}", several.err);
        assert!(room.read("verdict.json").contains("\"distinct_states\""), "{}", room.read("verdict.json"));
        std::fs::remove_file(&json).expect("it was written");
    }
    for (case, more) in [("ring", ["--processes", "2"]), ("classes", ["--hosts", "none.toml"])] {
        let refused = watchkeeper(&with(&["casebook", case], &more));
        assert_eq!(refused.code, 150, "{}", refused.out);
        assert!(refused.err.contains("this case runs in one process; leave --processes"), "{}", refused.err);
    }
    let store = watchkeeper(&with(&model, &["--processes", "2", "--store", "auto"]));
    assert_eq!(store.code, 150, "{}", store.out);
    assert!(store.err.contains("a search with --processes keeps its states in memory"), "{}", store.err);
}

#[test]
fn an_ltl_claim_is_refused_with_a_way_out() {
    let claim = ["--property", "strong-completeness", "--fairness", "steps", "--processes", "2"];
    let refused = watchkeeper(&with(&HOLDS, &claim));
    assert_eq!(refused.code, 150, "{}", refused.out);
    assert!(refused.err.contains("search on one worker"), "{}", refused.err);
}

#[test]
fn states_on_disk_are_refused_before_a_process_is_started() {
    for (flags, what) in [
        (["--store", "auto"], "keeps its states in memory; leave --store out"),
        (["--checkpoint-every", "1s"], "add --checkpoint DIR"),
    ] {
        let refused = watchkeeper(&with(&with(&HOLDS, &["--processes", "2"]), &flags));
        assert_eq!(refused.code, 150, "{flags:?}: {}", refused.out);
        assert_eq!(refused.err.matches(what).count(), 1, "{flags:?}: {}", refused.err);
    }
    // The file of hosts is not there, and nobody gets as far as to miss it.
    let refused = watchkeeper(&with(&HOLDS, &["--hosts", "none.toml", "--store", "auto"]));
    assert!(refused.err.contains("a search with --hosts keeps its states in memory"), "{}", refused.err);
}

/// The processes that this one has started.
fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Waits until something is there.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "it does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_search_that_loses_a_process_begins_again_and_ends_right() {
    let args = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", "drop:1"];
    let alone = watchkeeper(&args);
    let mut command = program(&with(&args, &["--processes", "3"]));
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let victims = wait_for(|| Some(children(running.id())).filter(|children| children.len() == 3));
    let killed = Command::new("kill").args(["-KILL", &victims[1].to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = running.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let several =
        Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
    assert!(several.err.contains("was ended by signal 9; the search begins again"), "{}", several.err);
    assert_eq!((several.code, found(&several)), (0, found(&alone)), "{}", several.err);
}

/// The notes of the commits of all processes, in the run that began last.
fn notes(dir: &Path) -> Vec<Vec<u8>> {
    let run = |number: usize| dir.join(format!("search-1/run-{number}"));
    let Some(last) = (1..100).map(run).take_while(|run| run.exists()).last() else { return Vec::new() };
    let path = |worker: usize| last.join(format!("worker-{worker}/committed"));
    (0..8).filter_map(|worker| std::fs::read(path(worker)).ok()).collect()
}

/// Waits until so many commits were made, or the search is over; whether it is not.
fn committed(running: &mut Child, dir: &Path, commits: usize) -> bool {
    let (mut seen, mut last) = (0, notes(dir));
    while running.try_wait().expect("a child").is_none() {
        let now = notes(dir);
        if now != last {
            (seen, last) = (seen + 1, now);
        }
        if seen > commits {
            return true;
        }
    }
    false
}

/// Kills processes of a search one after the other: every third time the supervisor, so that `resume` goes on, with another
/// number of processes; and else one of the others, so that the search goes on by itself. How many were killed.
fn killed_again_and_again(name: &str, args: &[&str], moments: &[(usize, u64)]) -> usize {
    let (room, alone) = (Room::new(name), watchkeeper(args));
    let (dir, path) = (room.arg("saved"), room.path("saved"));
    let often = ["--checkpoint-every", "1ms"];
    let mut running = start(&with(&with(args, &["--processes", "4", "--checkpoint", &dir]), &often));
    let mut killed = 0;
    for (number, &(commits, pause)) in moments.iter().enumerate() {
        if !committed(&mut running, &path, commits) {
            break;
        }
        std::thread::sleep(Duration::from_millis(pause));
        let workers = children(running.id());
        let victim = (number % 3 != 2).then(|| workers.get(number % workers.len().max(1))).flatten();
        match victim {
            Some(worker) => {
                let sent = Command::new("kill").args(["-KILL", &worker.to_string()]).status().expect("kill");
                killed += usize::from(sent.success());
                // The next one is of the processes that go on.
                wait_for(|| (!children(running.id()).iter().any(|id| workers.contains(id))).then_some(()));
            }
            None => {
                let alive = running.try_wait().expect("a child").is_none();
                running.kill().expect("killed");
                killed += usize::from(alive);
                let said = ended(running);
                if !alive {
                    assert_eq!(said.code, alone.code, "{}", said.err);
                }
                let processes = ["2", "4", "1", "3"][number / 3 % 4];
                let resume = ["resume", &dir, "--processes", processes];
                running = start(&with(&resume, &often));
            }
        }
    }
    let said = ended(running);
    assert_eq!((said.code, found(&said)), (alone.code, found(&alone)), "killed {killed} times: {}", said.err);
    killed
}

/// A larger search is killed as often as a variable says, for example twenty times:
/// `WATCHKEEPER_KILLS=20 cargo test --release -p watchkeeper-cli --test processes -- as_often_as --nocapture`.
#[test]
fn a_search_that_is_killed_as_often_as_a_variable_says_ends_like_one_that_is_not() {
    let often = std::env::var("WATCHKEEPER_KILLS").ok().and_then(|often| often.parse::<u64>().ok());
    let (channel, moments) = match often {
        None => ("drop:1", vec![(1, 0), (0, 0), (2, 0)]),
        // Not only right after a commit.
        Some(often) => ("drop:2", (0..often).map(|i| ((i * 7 % 5) as usize, i * 37 % 211)).collect()),
    };
    let args = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", channel];
    let killed = killed_again_and_again("processes-killed", &args, &moments);
    println!("{killed} processes killed");
    assert!(killed == moments.len(), "{killed} of {}", moments.len());
}

#[test]
fn one_of_four_processes_is_killed_and_the_search_goes_on_from_its_checkpoint() {
    let args = ["check", "ring", "--n", "3", "--crashes", "1", "--channel", "drop:1"];
    let (room, alone) = (Room::new("processes-lost"), watchkeeper(&args));
    let dir = room.arg("saved");
    let flags = ["--processes", "4", "--checkpoint", &dir, "--checkpoint-every", "1ms"];
    let mut running = start(&with(&args, &flags));
    assert!(committed(&mut running, &room.path("saved"), 2), "it is killed before its end");
    let victim = children(running.id())[2].to_string();
    assert!(Command::new("kill").args(["-KILL", &victim]).status().expect("kill").success());
    let several = ended(running);
    let told = "was ended by signal 9; the search goes on from its last checkpoint";
    assert_eq!(several.err.matches(told).count(), 1, "{}", several.err);
    assert_eq!((several.code, found(&several)), (0, found(&alone)), "{}", several.err);
}

#[test]
fn a_search_of_several_processes_is_resumed_by_as_many_or_others() {
    let (room, alone) = (Room::new("processes-resumed"), watchkeeper(&DEADLOCK));
    let dir = room.arg("saved");
    let begun =
        watchkeeper(&with(&DEADLOCK, &["--processes", "3", "--checkpoint", &dir, "--timeout", "1ms"]));
    assert_eq!(begun.code, 153, "{}", begun.err);
    assert!(begun.err.contains(&format!("`resume {dir}` goes on")), "{}", begun.err);
    for flags in [&[][..], &["--processes", "2"], &["--processes", "1"], &[], &["--processes", "5"]] {
        let several = watchkeeper(&with(&["resume", &dir], flags));
        assert_eq!((several.code, found(&several)), (11, found(&alone)), "{flags:?}: {}", several.err);
    }
    let record = room.read("saved/checkpoint.txt");
    assert!(record.contains("team: --processes 5\n"), "the last number is the usual one: {record}");
    let refused = |args: &[&str], what: &str| {
        let said = watchkeeper(args);
        assert_eq!((said.code, said.out.as_str()), (150, ""), "{args:?}: {}", said.err);
        assert!(said.err.contains(what), "{args:?}: {}", said.err);
    };
    refused(
        &with(&DEADLOCK, &["--processes", "3", "--checkpoint", &dir]),
        "this directory holds a checkpoint",
    );
    refused(&["resume", &dir, "--store", "auto"], "keeps its states in memory");
    let lock = std::fs::File::open(room.path("saved/lock")).expect("the lock");
    lock.try_lock().expect("nobody has it");
    refused(&["resume", &dir], "another search uses this directory");
    drop(lock);
    let log = "saved/search-1/run-1/worker-1/log";
    let mut bytes = std::fs::read(room.path(log)).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(room.path(log), bytes).expect("written");
    refused(&["resume", &dir], &format!("{}: damaged at byte", room.arg(log)));
    let single = room.arg("single");
    assert_eq!(watchkeeper(&with(&HOLDS, &["--checkpoint", &single])).code, 0);
    refused(&["resume", &single, "--processes", "2"], "is of a search in one process");
}

#[test]
fn an_interrupt_ends_all_processes_with_a_summary() {
    let args =
        ["check", "ring", "--n", "6", "--crashes", "3", "--channel", "drop:3", "--max-memory", "500MiB"];
    let mut command = program(&with(&args, &["--processes", "2"]));
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let workers = wait_for(|| Some(children(running.id())).filter(|children| children.len() == 2));
    let sockets = |id: u32| {
        let links = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        links
            .filter(|link| {
                link.path()
                    .read_link()
                    .is_ok_and(|to| to.starts_with("socket:") || to.to_string_lossy().starts_with("socket:"))
            })
            .count()
    };
    // Their port, its copy, and the connection with its copies.
    wait_for(|| workers.iter().all(|&id| sockets(id) > 3).then_some(()));
    let sent = Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let output = running.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(153), "{text}");
    assert!(text.contains("the search was interrupted"), "{text}");
}

/// A file of two hosts that are both this machine, with free ports.
fn hosts(room: &Room, name: &str, key: &str, ports: [u16; 2], patience: u64) -> String {
    room.file(
        name,
        &format!(
            "key = \"{key}\"\npatience = {patience}\n\
             [[hosts]]\nname = \"a\"\naddress = \"127.0.0.1:{}\"\n\
             [[hosts]]\nname = \"b\"\naddress = \"127.0.0.1:{}\"\n",
            ports[0], ports[1]
        ),
    )
}

fn free_ports() -> [u16; 2] {
    let listeners = [0, 0].map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("an address").port())
}

fn start(args: &[&str]) -> Child {
    program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn ended(child: Child) -> Said {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

const KEYS: [&str; 2] = ["5f", "a1"];

#[test]
fn two_hosts_search_together_and_both_report() {
    let room = Room::new("hosts-together");
    room.file("key", &KEYS[0].repeat(32));
    let file = hosts(&room, "hosts.toml", "key", free_ports(), 60);
    let alone = watchkeeper(&DEADLOCK);
    let both = ["a", "b"].map(|host| start(&with(&DEADLOCK, &["--hosts", &file, "--host", host])));
    for said in both.map(ended) {
        assert_eq!((said.code, found(&said)), (11, found(&alone)), "{}", said.err);
    }
    // Each has a directory of its own, and a host that has lost its own keeps the others from going on.
    let dirs = ["a", "b"].map(|host| (host, room.arg(host)));
    let both = dirs.each_ref().map(|(host, dir)| {
        start(&with(&DEADLOCK, &["--hosts", &file, "--host", host, "--checkpoint", dir, "--timeout", "1ms"]))
    });
    both.map(ended).iter().for_each(|said| assert_eq!(said.code, 153, "{}", said.err));
    for _ in 0..2 {
        for said in dirs.each_ref().map(|(_, dir)| start(&["resume", dir])).map(ended) {
            assert_eq!((said.code, found(&said)), (11, found(&alone)), "{}", said.err);
        }
    }
    std::fs::remove_dir_all(room.path("b/search-1")).expect("it was there");
    for said in dirs.each_ref().map(|(_, dir)| start(&["resume", dir])).map(ended) {
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains("the part of worker 1 of run"), "{}", said.err);
    }
}

#[test]
fn hosts_that_cannot_search_together_are_told_why() {
    let room = Room::new("hosts-apart");
    room.file("key", &KEYS[0].repeat(32));
    room.file("other", &KEYS[1].repeat(32));
    // Nobody is at b.
    let file = hosts(&room, "silent.toml", "key", free_ports(), 1);
    let silent = said(&mut program(&with(&HOLDS, &["--hosts", &file])));
    assert_eq!(silent.code, 150, "{}", silent.out);
    assert!(
        silent.err.contains("host b (127.0.0.1:") && silent.err.contains("does not answer"),
        "{}",
        silent.err
    );
    // The one at b has another key.
    let ports = free_ports();
    let files = [hosts(&room, "a.toml", "key", ports, 2), hosts(&room, "b.toml", "other", ports, 2)];
    let both = [0, 1].map(|i| start(&with(&HOLDS, &["--hosts", &files[i], "--host", ["a", "b"][i]])));
    for said in both.map(ended) {
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains("another key"), "{}", said.err);
    }
    // The one at b searches something else.
    let file = hosts(&room, "both.toml", "key", free_ports(), 2);
    let a = start(&with(&HOLDS, &["--hosts", &file, "--host", "a"]));
    let b = start(&with(&DEADLOCK, &["--hosts", &file, "--host", "b"]));
    for said in [a, b].map(ended) {
        assert_eq!(said.code, 150, "{}", said.out);
        assert!(said.err.contains("searches something else"), "{}", said.err);
    }
}

#[test]
fn a_file_of_hosts_that_cannot_be_used_says_what_to_write() {
    let room = Room::new("hosts-bad");
    room.file("key", &KEYS[0].repeat(32));
    let host = "[[hosts]]\nname = \"a\"\naddress = \"10.0.0.1:7400\"\n";
    for (text, told) in [
        (host.to_string(), "name the file of the shared key"),
        (format!("key = \"absent\"\n{host}"), "absent"),
        ("key = \"key\"\n".to_string(), "name each host in a table [[hosts]]"),
        (format!("key = \"key\"\n{}", host.replace("10.0.0.1:7400", "0.0.0.0:7400")), "name the interface"),
        (format!("key = \"key\"\n{}", host.replace("10.0.0.1", "there")), "this is no address"),
        (format!("key = \"key\"\n{host}{host}"), "there are two hosts a"),
        (format!("key = \"key\"\n{host}processes = 0\n"), "from 1 to"),
        (format!("key = \"key\"\n{host}port = 1\n"), "there is no key"),
    ] {
        let file = room.file("hosts.toml", &text);
        let said = watchkeeper(&with(&HOLDS, &["--hosts", &file]));
        assert_eq!(said.code, 150, "{text}");
        assert!(said.err.contains(told), "{told} is missing: {}", said.err);
    }
    let file = room.file("hosts.toml", &format!("key = \"key\"\n{host}"));
    let said = watchkeeper(&with(&HOLDS, &["--hosts", &file, "--host", "z"]));
    assert!(said.code == 150 && said.err.contains("there is no such host"), "{}", said.err);
}
