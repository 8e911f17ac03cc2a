//! Tests of layouts: what is written for each node, and what is refused.

use super::*;
use crate::cluster::relay::LinkSockets;
use crate::files::fresh_directory;
use crate::scenario_file;
use watchkeeper::SettingOrigin;
use watchkeeper_protocols::ring::Ring;

fn settings() -> RawSettings {
    let mut settings = RawSettings::default();
    settings.set("n", "3", SettingOrigin::Call("test"));
    settings.set("delay", "0..2", SettingOrigin::Call("test"));
    let round = RawValue { value: "10".to_string(), origin: SettingOrigin::Call("test") };
    settings.params.insert("round".to_string(), round);
    settings
}

fn wanted(dir: &Path) -> Wanted {
    Wanted {
        dir: Some(dir.to_path_buf()),
        tick: Duration::from_millis(50),
        record: false,
        base_port: Some(7300),
        gather: Duration::from_secs(10),
        open: false,
        links: None,
    }
}

fn empty(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("watchkeeper-layout-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&dir);
    dir
}

#[test]
fn the_scenario_of_a_node_file_says_what_the_flags_said() {
    let text = scenario("ring", &settings());
    assert_eq!(text, "protocol = \"ring\"\nn = 3\ndelay = \"0..2\"\n\n[param]\nround = \"10\"\n");
    let dir = empty("scenario");
    fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("s.toml");
    fs::write(&file, text).expect("written");
    let read = scenario_file::read(&file).expect("a scenario file");
    assert_eq!(read.given("delay").map(|given| given.value.as_str()), Some("0..2"));
    assert_eq!(read.params["round"].value, "10");
    fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn every_node_has_a_file_with_all_others_as_peers_and_nothing_is_overwritten() {
    let dir = empty("files");
    let entry = &ProtocolEntry::of::<Ring>()[0];
    let layout = ClusterLayout::write(entry, &settings(), 3, &wanted(&dir)).expect("a cluster");
    let p1 = fs::read_to_string(layout.config(Pid::at(1))).expect("a node file");
    for part in [
        "[node]\nprocess = \"p1\"\nbind = \"127.0.0.1:7301\"\n",
        "tick = \"50ms\"\ngather = \"10000ms\"\n",
        "[peers]\np0 = \"127.0.0.1:7300\"\np2 = \"127.0.0.1:7302\"\n",
        "[[keys]]\nid = 1\nfile = \"cluster.key\"\n",
    ] {
        assert!(p1.contains(part), "{part} is missing:\n{p1}");
    }
    assert!(!p1.contains("record"), "{p1}");
    let key = fs::read_to_string(dir.join("cluster.key")).expect("a key");
    assert!(key.trim().parse::<watchkeeper_runtime::ClusterKey>().is_ok());
    let again = ClusterLayout::write(entry, &settings(), 3, &wanted(&dir)).unwrap_err().to_string();
    assert!(again.contains("there is something in it already; choose another with --dir"), "{again}");
    fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn with_a_relay_every_node_is_told_the_address_of_its_own_link_to_each_peer() {
    let dir = empty("links");
    let entry = &ProtocolEntry::of::<Ring>()[0];
    let links = LinkSockets::bind(3, &(7300..7303)).and_then(|sockets| sockets.entrances()).expect("sockets");
    let wanted = Wanted { links: Some(links.clone()), ..wanted(&dir) };
    let layout = ClusterLayout::write(entry, &settings(), 3, &wanted).expect("a cluster");
    let p1 = fs::read_to_string(layout.config(Pid::at(1))).expect("a node file");
    let link = |to| links.entrance(Pid::at(1), Pid::at(to)).expect("a link");
    assert!(p1.contains("bind = \"127.0.0.1:7301\"\n"), "{p1}");
    assert!(p1.contains(&format!("[peers]\np0 = \"{}\"\np2 = \"{}\"\n", link(0), link(2))), "{p1}");
    fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn free_ports_differ_and_there_is_an_end_of_ports() {
    let found = places(8, None).expect("ports");
    for (i, one) in found.iter().enumerate() {
        assert!(found[..i].iter().all(|other| other.bind != one.bind && other.http != one.http));
    }
    assert!(places(3, Some(65_533)).is_ok());
    assert!(places(4, Some(65_533)).is_err());
}

#[test]
fn strings_are_quoted_as_toml_reads_them() {
    assert_eq!(quoted("a \"b\" c\\d\n"), "\"a \\\"b\\\" c\\\\d\\u000a\"");
}

#[test]
fn a_directory_that_nobody_named_is_new_and_this_users_alone() {
    let among = empty("among");
    fs::create_dir_all(&among).expect("a directory");
    let (one, other) =
        (fresh_directory(&among, "ring").expect("one"), fresh_directory(&among, "ring").expect("another"));
    assert_ne!(one, other);
    assert_eq!(one.metadata().expect("there").mode() & 0o777, 0o700);
    let named = prepared(&among.join("deep/down")).expect("made");
    assert_eq!(named.metadata().expect("there").mode() & 0o777, 0o700);
    fs::remove_dir_all(&among).expect("removed");
}

#[test]
fn a_directory_that_others_can_write_to_is_refused() {
    let dir = empty("open");
    fs::create_dir_all(&dir).expect("a directory");
    fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("set");
    assert_eq!(
        prepared(&dir).expect_err("refused").to_string(),
        "every user can write to it, and so change the nodes"
    );
    fs::remove_dir_all(&dir).expect("removed");
    // Whoever runs this is not the owner of what the kernel shows, or is the superuser.
    if geteuid().as_raw() != 0 {
        let why = prepared(Path::new("/proc")).expect_err("refused").to_string();
        assert!(why.starts_with("it belongs to another user"), "{why}");
    }
}
