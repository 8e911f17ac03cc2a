//! Members of open clusters, as flags and node files describe them: what cannot be is refused with what to do, and a node
//! that nobody lets in says why.

#![cfg(target_os = "linux")]

mod binary;

use binary::{Room, watchkeeper};

/// The flags of a member, with a key of its own.
fn flags(room: &Room) -> Vec<String> {
    let key = room.arg("cluster.key");
    if !room.names().contains(&"cluster.key".to_string()) {
        assert_eq!(watchkeeper(&["key", "--out", &key]).code, 0);
    }
    ["run", "swim", "--name", "web-3", "--bind", "127.0.0.1:0", "--key-file", &key].map(String::from).to_vec()
}

fn run(flags: &[String], more: &[&str]) -> binary::Said {
    let all: Vec<&str> = flags.iter().map(String::as_str).chain(more.iter().copied()).collect();
    watchkeeper(&all)
}

#[test]
fn what_cannot_be_is_refused_and_says_what_to_do() {
    let room = Room::new("open-refused");
    let flags = flags(&room);
    let with = |place: usize, text: &str| {
        let mut changed = flags.clone();
        changed[place] = text.to_string();
        changed
    };
    let refused = |flags: &[String], more: &[&str], part: &str| {
        let said = run(flags, more);
        assert_eq!(said.code, 150, "{more:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{more:?}: {}", said.err);
    };
    refused(&flags, &[], "nobody can be asked to join: say with `join`");
    refused(&with(3, &"x".repeat(65)), &["--seed"], "a name of 65 bytes is too long");
    refused(&with(3, "web 3"), &["--seed"], "' ' cannot be in a name");
    refused(
        &with(5, "0.0.0.0:7003"),
        &["--seed"],
        "--bind 0.0.0.0:7003: nobody can reach 0.0.0.0:7003: say with `advertise`",
    );
    refused(&with(1, "ring"), &["--join", "127.0.0.1:7000"], "nobody can join ring while it runs");
    refused(&with(1, "ring"), &["--join", "127.0.0.1:7000"], "run one of: swim, lifeguard");
    refused(&with(1, "swmi"), &["--seed"], "swim");
    refused(&flags, &["--join", "127.0.0.1"], "--join 127.0.0.1: `127.0.0.1` is not an address");
    refused(&flags, &["--join", "[::1]:7000"], "are of different families");
    refused(&flags, &["--join", "127.0.0.1:7000,127.0.0.1:7000"], "is there twice");
    refused(&with(5, "127.0.0.1:7003"), &["--seed", "--join", "127.0.0.1:7000"], "which is not in the list");
    refused(&with(5, "127.0.0.1:7003"), &["--join", "127.0.0.1:7003"], "where this node itself listens");
    refused(
        &flags,
        &["--seed", "--param", "start=all"],
        "in a cluster that nodes join while it runs this is seed",
    );
    refused(&flags, &["--seed", "--tick", "0ms"], "tick");
    let missing = with(7, "nowhere.key");
    refused(&missing, &["--seed"], "nowhere.key");
    refused(&flags[..2], &[], "--name");
    let nameless = run(&flags[..2], &[]);
    assert!(!nameless.err.contains("--config <"), "a file is no way out here: {}", nameless.err);
    let mut which = flags.clone();
    which.remove(1);
    refused(&which, &["--seed"], "which protocol is to run? Write it after `run`, one of swim, lifeguard");
}

#[test]
fn flags_are_checked_as_flags() {
    let room = Room::new("open-flags");
    let said = run(&flags(&room), &["--seed", "--param", "period=30", "--check-config"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("The flags are in order."), "{}", said.out);
    let again =
        "watchkeeper check swim --param period=30 --time dense --delay 0..4 --loss any --channel unbounded:8";
    assert!(said.out.contains(again), "{}", said.out);
    assert!(said.out.contains("at most 4 ticks"), "{}", said.out);
    assert!(said.out.contains("messages may be lost"), "{}", said.out);
}

#[test]
fn a_node_file_describes_the_same_member() {
    let room = Room::new("open-file");
    flags(&room);
    let member = "protocol = \"swim\"\n[node]\nname = \"web-3\"\nbind = \"127.0.0.1:7103\"\njoin = \"127.0.0.1:7100\"\n\
                  cluster = \"orders\"\ntick = \"50ms\"\n[[keys]]\nid = 1\nfile = \"cluster.key\"\n";
    let file = room.file("web-3.toml", member);
    let said = watchkeeper(&["run", "--config", &file, "--check-config"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for part in
        ["`web-3`, which asks 127.0.0.1:7100 to join the cluster `orders`", "whoever joins", "start = seed"]
    {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let peers = room.file("peers.toml", &format!("{member}[peers]\np1 = \"127.0.0.1:7104\"\n"));
    let said = watchkeeper(&["run", "--config", &peers, "--check-config"]);
    assert_eq!(said.code, 150);
    assert!(
        said.err.contains("members of an open cluster learn of each other: leave [peers] out"),
        "{}",
        said.err
    );
}

#[test]
fn a_join_to_nobody_is_told_while_it_lasts_and_given_up() {
    let room = Room::new("open-alone");
    let flags = flags(&room);
    // Nobody listens at the port of a socket that is not read.
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let at = silent.local_addr().expect("an address").to_string();
    let said = run(&flags, &["--join", &at, "--gather", "3s"]);
    assert_eq!(said.code, 153, "{}{}", said.out, said.err);
    assert!(said.err.contains("asking: this node has asked to join for 2"), "{}", said.err);
    assert!(said.err.contains("nobody has answered yet"), "{}", said.err);
    assert!(said.err.contains("not-joined: nobody answered within 3"), "{}", said.err);
    assert!(said.err.contains("compare its address, the name of the cluster and the keys"), "{}", said.err);
}
