//! A group of five nodes over UDP while words flow all the time: they find each other, are parted into three and two,
//! and find each other again; and one of five is killed. What the nodes recorded keeps to virtual synchrony, causal
//! order, no duplication and insiders, over the whole run, and is a run of the model.

use super::fleet::{Fleet, SOON, awaited};
use super::grouped::Told;
use super::lossy::through_a_relay;
use super::models::{MEMBERSHIP, MEMBERSHIP_ALONE, Model};
use super::replays::{Supposing, replays};
use super::session::{Session, none_left};
use crate::binary::{Room, watchkeeper};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long words flow where nothing else is waited for.
const WHILE: Duration = Duration::from_millis(1500);

/// So many words are said before the next thing happens.
const WORDS: u64 = 30;

/// The time between two words of one node.
const PAUSE: Duration = Duration::from_millis(200);

/// Asks nodes to say one word after the other, all different.
struct Talker {
    over: Arc<AtomicBool>,
    said: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Talker {
    fn to(nodes: Vec<SocketAddr>) -> Talker {
        let (over, said) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (done, count) = (Arc::clone(&over), Arc::clone(&said));
        let thread = thread::spawn(move || {
            let each = PAUSE / nodes.len() as u32;
            while !done.load(Relaxed) {
                for node in &nodes {
                    let word = count.load(Relaxed);
                    // A node that was killed is not asked.
                    count.fetch_add(u64::from(say(*node, word).is_some()), Relaxed);
                    thread::sleep(each);
                }
            }
        });
        Talker { over, said, thread: Some(thread) }
    }

    /// Waits until so many more words were said.
    fn more(&self, words: u64) {
        let enough = self.said.load(Relaxed) + words;
        let said = awaited(SOON, || (self.said.load(Relaxed) >= enough).then_some(()));
        assert!(said.is_some(), "{words} more words are said");
    }

    /// How many words were said, now that no more are.
    fn end(mut self) -> u64 {
        self.over.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the talker ends");
        }
        self.said.load(Relaxed)
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
    }
}

fn say(node: SocketAddr, word: u64) -> Option<()> {
    let mut stream = TcpStream::connect_timeout(&node, Duration::from_secs(1)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
    let asked = format!(
        "POST /call HTTP/1.1\r\nHost: {node}\r\nConnection: close\r\nwatchkeeper-call: say {word}\r\n\r\n"
    );
    stream.write_all(asked.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.starts_with("HTTP/1.1 200").then_some(())
}

/// Who is in the view of a node, by its own word.
fn view(fleet: &Fleet, process: usize) -> BTreeSet<usize> {
    let status: Value = serde_json::from_str(&fleet.ask(process, "/status")).expect("a status");
    let members = status["view"]["members"].as_array().expect("a view").clone();
    members.iter().filter_map(|name| name.as_str()?.strip_prefix('p')?.parse().ok()).collect()
}

/// Waits until everyone in these groups has its group as its view, and says how long that took.
fn until_views(fleet: &Fleet, what: &str, groups: &[&[usize]]) -> Duration {
    let began = Instant::now();
    let wrong = || {
        let wrong = groups.iter().flat_map(|group| group.iter().map(move |p| (*p, *group)));
        let wrong: Vec<_> = wrong
            .map(|(p, group)| (p, view(fleet, p), group.iter().copied().collect::<BTreeSet<_>>()))
            .filter(|(_, view, group)| view != group)
            .collect();
        wrong
    };
    if awaited(SOON * 2, || wrong().is_empty().then_some(())).is_none() {
        let logs: Vec<String> = (0..fleet.places.len()).map(|p| fleet.said(p)).collect();
        keep(fleet);
        panic!("{what}: {:?}\n{}", wrong(), logs.join("\n---\n"));
    }
    began.elapsed()
}

/// Keeps what a failed run has recorded, where somebody asks for it.
fn keep(fleet: &Fleet) {
    let Ok(dir) = std::env::var("WATCHKEEPER_KEEP") else { return };
    std::fs::create_dir_all(&dir).expect("a directory");
    for entry in std::fs::read_dir(fleet.dir()).expect("the directory").flatten() {
        std::fs::copy(entry.path(), format!("{dir}/{}", entry.file_name().to_string_lossy())).expect("kept");
    }
}

fn nodes(fleet: &Fleet) -> Vec<SocketAddr> {
    fleet.places.iter().map(|place| place.http).collect()
}

/// Ends all nodes and judges what they have recorded.
fn judged(mut fleet: Fleet, model: Model) -> Told {
    for process in 0..model.processes {
        fleet.stop(process);
    }
    let told = Told::read(fleet.dir(), model.processes);
    let wrong = told.judge();
    if !wrong.is_empty() {
        keep(&fleet);
    }
    assert_eq!(wrong, [""; 0], "{}", model.name);
    replays(&fleet, Supposing::AnyTimeAndLoss);
    told
}

#[test]
fn five_nodes_are_parted_into_three_and_two_and_merge_again_while_words_flow() {
    let (mut fleet, relay) = through_a_relay("parted", MEMBERSHIP_ALONE);
    let all = [0, 1, 2, 3, 4];
    fleet.start_all();
    let talker = Talker::to(nodes(&fleet));
    let found = until_views(&fleet, "five nodes that begin alone find each other", &[&all]);
    talker.more(WORDS);
    let across = [0, 1, 2].iter().flat_map(|a| [3, 4].iter().flat_map(move |b| [(*a, *b), (*b, *a)]));
    relay.cut(&across.collect::<Vec<_>>());
    let parted = until_views(&fleet, "each side has its own view", &[&[0, 1, 2], &[3, 4]]);
    talker.more(WORDS);
    relay.cut(&[]);
    let healed = until_views(&fleet, "both sides are one again", &[&all]);
    talker.more(WORDS);
    let said = talker.end();
    thread::sleep(WHILE);
    let lasting = until_views(&fleet, "they stay together", &[&all]);
    let told = judged(fleet, MEMBERSHIP_ALONE);
    println!(
        "five nodes over UDP: {said} words said, {} delivered, {} views, {} refusals; one view of five after {found:.2?}, \
         views of three and of two {parted:.2?} after the cut, one of five {healed:.2?} after the healing, and still \
         {lasting:.2?} later; virtual synchrony, causal order, no duplication and insiders hold, and the run replays",
        told.words(),
        told.views(),
        told.refusals(),
    );
    for (side, who) in [(&[0, 1, 2][..], 0), (&[3, 4][..], 3)] {
        assert!(told.words_in(who, side) > 0, "p{who} hears words in the view of {side:?}");
    }
    let last = told.last_words(0);
    assert!(!last.is_empty(), "words are said when all are together again");
    for p in 1..5 {
        assert_eq!(told.last_words(p), last, "p{p} and p0 have heard the same in their last view");
    }
    assert_eq!(told.refusals(), 0);
}

#[test]
fn one_of_five_is_killed_while_words_flow_and_the_others_agree() {
    let mut fleet = Fleet::new("killed", MEMBERSHIP);
    fleet.start_all();
    let talker = Talker::to(nodes(&fleet));
    talker.more(WORDS);
    fleet.kill(4);
    let left = until_views(&fleet, "the four that are left have one view", &[&[0, 1, 2, 3]]);
    talker.more(WORDS);
    let said = talker.end();
    thread::sleep(WHILE);
    let told = judged(fleet, MEMBERSHIP);
    println!(
        "one of five killed: {said} words said, {} delivered, {} views; the view of four {left:.2?} after the kill",
        told.words(),
        told.views()
    );
    assert!(told.words_in(0, &[0, 1, 2, 3]) > 0);
    for p in 1..4 {
        assert_eq!(
            told.last_words(p),
            told.last_words(0),
            "p{p} and p0 have heard the same in their last view"
        );
    }
}

#[test]
fn a_cluster_is_told_what_to_say_and_shows_its_views() {
    let room = Room::new("cluster-members");
    let dir = room.arg("nodes");
    let mut session = Session::new(&["cluster", "membership-live", "--tick", "20ms", "--dir", &dir]);
    // A view is shown from the first look on, and a node that still gathers takes no calls.
    session.until_all(&["p0 is running", "p1 is running", "p2 is running", "p2 has the view {p0,p1,p2}"]);
    session.order("say 1 7");
    session.until("p0 hears 1 word");
    session.order("call 2 leave");
    session.until("p0 has the view {p0,p1}");
    session.order("call 2 return");
    session.until("p0 has the view {p0,p1,p2}");
    session.order("restart 1");
    session.until("p1 is not started again");
    let file = room.path("nodes").join("p1.toml").display().to_string();
    let said = watchkeeper(&["call", "--config", &file, "say", "9"]);
    assert_eq!((said.code, said.out.as_str()), (0, "asked: say 9\n"), "{}", said.err);
    session.until("p0 hears 1 word");
    session.order("quit");
    let (code, said) = session.end();
    assert_eq!(code, Some(0), "{said:?}");
    let log = std::fs::read_to_string(room.path("nodes").join("p0.log")).expect("a log");
    assert!(log.contains(" delivers: p1 says 7") && log.contains(" view: the view is {p0,p1}"), "{log}");
    none_left(&room);
}

#[test]
fn what_cannot_be_asked_of_a_node_is_refused() {
    for (args, part) in [
        (vec!["call", "--at", "127.0.0.1:1", "say"], "write say 7, leave or return"),
        (vec!["call", "--at", "127.0.0.1:1", "say", "x"], "`x` is not a word that can be said"),
        (vec!["call", "say", "7"], "which node?"),
        (vec!["call", "--at", "127.0.0.1:1", "say", "7"], "Is it running"),
        (vec!["cluster", "membership"], "run membership-live, which stands on a real detector"),
        (vec!["cluster", "membership-live", "--param", "cliques=01|1"], "in two configurations at the start"),
        (vec!["cluster", "membership-live", "--param", "probe=0"], "choose 1 or more"),
    ] {
        let said = watchkeeper(&args);
        assert_eq!(said.code, 150, "{args:?}: {}{}", said.out, said.err);
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}
