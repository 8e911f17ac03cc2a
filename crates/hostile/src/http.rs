//! HTTP from both sides: what a visitor says to the endpoint of a node, and what a server that should be a node answers to
//! `status`.

use crate::program::PROGRAM;
use crate::quoting::{printable, short, text};
use std::cell::OnceCell;
use std::net::{IpAddr, SocketAddr};
use watchkeeper_cli::hostile::{RunningEndpoint, status};

/// A node that waits for its peers for as long as anybody asks it.
const NODE: &str = "protocol = \"membership-live\"\nn = 3\ncrashes = 1\nloss = \"any\"\ntime = \"ticks\"\ndelay = \"0..4\"\n\
    [node]\nprocess = \"p0\"\nbind = \"127.0.0.1:0\"\ncluster = \"hostile\"\ntick = \"50ms\"\ngather = \"1h\"\n\
    [peers]\np1 = \"127.0.0.1:9\"\np2 = \"127.0.0.1:10\"\n\
    [[keys]]\nid = 1\nhex = \"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\"\n";

/// The longest answer of an endpoint: the metrics.
const LONGEST: usize = 1 << 16;

/// The codes that an endpoint answers with, and those of the library below it.
const CODES: [&str; 13] =
    ["100", "200", "400", "403", "404", "405", "408", "413", "414", "431", "501", "503", "505"];

thread_local! {
    static ASKED: OnceCell<RunningEndpoint> = const { OnceCell::new() };
}

/// The first byte says which side is attacked.
pub(crate) fn attack(input: &[u8]) {
    match input.split_first() {
        Some((b'?', said)) => ask(said),
        Some((_, said)) => answer(said),
        None => {}
    }
}

/// A visitor gets nothing or an answer over HTTP, and nothing good for asking in the name of another host.
fn ask(said: &[u8]) {
    let said = &said[..said.len().min(LONGEST)];
    let start = || RunningEndpoint::start(&PROGRAM, NODE).expect("a node on a free port of this machine");
    let answer = ASKED.with(|asked| asked.get_or_init(start).answer(said));
    assert!(answer.len() <= LONGEST, "{} bytes", answer.len());
    if answer.is_empty() {
        return;
    }
    let answer = String::from_utf8(answer).expect("the endpoint speaks UTF-8");
    let (head, _) = answer.split_once("\r\n\r\n").expect("a head");
    let code =
        head.strip_prefix("HTTP/1.1 ").or(head.strip_prefix("HTTP/1.0 ")).and_then(|rest| rest.get(..3));
    let code = code.unwrap_or_else(|| panic!("{head}"));
    assert!(CODES.contains(&code), "{head}");
    if code == "200" {
        let first = String::from_utf8_lossy(said.trim_ascii_start()).to_lowercase();
        let first = first.lines().next().unwrap_or_default();
        if let Some((_, rest)) = first.split_once(" http://") {
            named(rest.split(['/', '?', ' ']).next().unwrap_or_default());
        }
        said.split(|byte| *byte == b'\n')
            .skip(1)
            .take_while(|line| !line.trim_ascii().is_empty())
            .for_each(local);
    }
}

/// A line of a head that was answered is not the name of another host.
fn local(line: &[u8]) {
    let line = String::from_utf8_lossy(line).to_lowercase();
    let Some(host) = line.strip_prefix("host:").map(str::trim) else { return };
    named(host);
}

fn named(host: &str) {
    let bare = host.trim_matches(['[', ']']);
    let address = host.parse::<SocketAddr>().map(|address| address.ip()).or(bare.parse::<IpAddr>());
    let ours = address.map_or(bare.split(':').next() == Some("localhost"), |ip| ip.is_loopback());
    assert!(ours, "answered as {host}");
}

/// What a stranger answers is shown in a few lines, and does nothing to the terminal.
fn answer(said: &[u8]) {
    let Some(said) = text(said) else { return };
    match status(said) {
        Ok(shown) => {
            printable(&shown);
            assert!(shown.len() <= 10_000 + 100 * said.len(), "{} bytes of {}", shown.len(), said.len());
        }
        Err(why) => {
            short(&why);
            printable(&why);
        }
    }
}
