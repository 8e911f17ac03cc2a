//! A node for a person: asks its endpoint, and shows the answer as a table.

use super::endpoint::CALL;
use crate::group_request::GroupRequest;
use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
use watchkeeper::legible;
use watchkeeper_report::TextTable;

/// How long a node has to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The longest answer that is read.
const LONGEST: u64 = 4 << 20;

/// What a node answers at this address, `HOST:PORT`, as the text it sends.
pub(crate) fn ask(address: &str) -> io::Result<String> {
    anywhere(address, |place| get(place, address, PATIENCE))
}

/// Asks something of the protocol of the node at this address, `HOST:PORT`.
pub(crate) fn call(address: &str, what: GroupRequest) -> io::Result<String> {
    anywhere(address, |place| post(place, address, what, PATIENCE))
}

/// The first good answer from the places that an address stands for.
fn anywhere(address: &str, ask: impl Fn(SocketAddr) -> io::Result<String>) -> io::Result<String> {
    let mut last = io::Error::other("this name has no address");
    for place in address.to_socket_addrs()? {
        match ask(place) {
            Ok(body) => return Ok(body),
            Err(why) => last = why,
        }
    }
    Err(last)
}

/// What the node at this place says of itself, if it says so in time.
pub(crate) fn get(place: SocketAddr, host: &str, patience: Duration) -> io::Result<String> {
    let question = format!("GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    answered(&exchange(place, &question, patience)?, true)
}

/// Asks something of the protocol of the node at this place, and returns what it says to that.
pub(crate) fn post(
    place: SocketAddr,
    host: &str,
    what: GroupRequest,
    patience: Duration,
) -> io::Result<String> {
    let question = format!(
        "POST /call HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: 0\r\n{CALL}: {what}\r\n\r\n"
    );
    answered(&exchange(place, &question, patience)?, false)
}

/// What is answered to a question over HTTP, whole.
fn exchange(place: SocketAddr, question: &str, patience: Duration) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&place, patience)?;
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(question.as_bytes())?;
    let (mut answer, deadline) = (Vec::new(), Instant::now() + patience);
    let mut part = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(&mut part)? {
            0 => break,
            _ if answer.len() as u64 > LONGEST => return Err(io::Error::other("it does not stop talking")),
            length => answer.extend_from_slice(&part[..length]),
        }
    }
    String::from_utf8(answer).map_err(io::Error::other)
}

/// The body of an answer that says that all is well; of others the body too, with its head where that helps.
pub(crate) fn answered(answer: &str, with_head: bool) -> io::Result<String> {
    let (head, body) =
        answer.split_once("\r\n\r\n").ok_or_else(|| io::Error::other("that is no answer over HTTP"))?;
    match head.split_whitespace().nth(1) {
        Some("200") => Ok(body.to_string()),
        _ if !with_head => Err(io::Error::other(legible(body.trim()))),
        _ => {
            let first = head.lines().next().unwrap_or_default();
            Err(io::Error::other(legible(&format!("{first}: {}", body.trim()))))
        }
    }
}

/// The most of a text, and of a list, that is shown.
const MOST: usize = 200;

/// A status without anything that a terminal would obey, and of a size that fits a table: what answers may be no node.
fn tame(status: &Value) -> Value {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let line = |text: &str| text.chars().take(MOST).map(shown).collect::<String>();
    match status {
        Value::String(text) => Value::String(line(text)),
        Value::Array(items) => items.iter().take(MOST).map(tame).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (line(name), tame(value))).collect(),
        other => other.clone(),
    }
}

/// A status as a person reads it; `None` if this is none.
pub(crate) fn overview(status: &Value) -> Option<String> {
    if status.get("watchkeeper")? != "status" {
        return None;
    }
    let status = &tame(status);
    let text = |key: &str| status.get(key).and_then(Value::as_str).unwrap_or("?");
    let time = |key: &str| status.get(key).and_then(Value::as_f64).map_or("?".to_string(), span);
    let peers: &[Value] = status.get("peers").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let process = status.get("process").and_then(Value::as_str).unwrap_or("no number yet");
    let called = status.get("name").and_then(Value::as_str);
    let mut out = format!(
        "{}{process} of {} in the cluster `{}`, at {}\n{} for {}, incarnation {}\n\n",
        called.map_or(String::new(), |name| format!("{name}, ")),
        text("protocol"),
        text("cluster"),
        text("address"),
        text("phase"),
        time("uptime"),
        text("incarnation")
    );
    out.push_str(&format!("Suspects: {}\n{}{}\n", suspects(peers), decided(status), grouped(status)));
    out.push_str(&table(peers).text());
    let stalls = status.pointer("/counters/stalls").and_then(Value::as_u64).unwrap_or(0);
    let stalls = match stalls {
        0 => "never stalled".to_string(),
        1 => format!("stalled once, for {}", time("stalled")),
        often => format!("stalled {often} times, for {} in all", time("stalled")),
    };
    let worst = time("worst_late");
    out.push_str(&format!("\nLateness: at most {worst} in the last minute; {stalls}\n"));
    out.push_str(&keys(status));
    out.push_str(&refused(status));
    out.push_str(&breaches(status));
    if let Some(recording) = status.get("recording").and_then(Value::as_str) {
        out.push_str(&format!("Recording: {recording}\n"));
    }
    Some(out)
}

/// Which keys it has, if it says so.
fn keys(status: &Value) -> String {
    let ids = status.get("keys").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let ids: Vec<String> = ids.iter().filter_map(Value::as_u64).map(|id| id.to_string()).collect();
    match ids.split_first() {
        None => String::new(),
        Some((current, [])) => format!("Keys: {current}\n"),
        Some((current, others)) => {
            format!("Keys: seals with {current}, opens with {} too\n", others.join(", "))
        }
    }
}

/// What it proposed and decided, if it is one of those who do.
fn decided(status: &Value) -> String {
    let Some(proposal) = status.get("proposal").and_then(Value::as_str) else { return String::new() };
    let time = |key: &str| status.pointer(key).and_then(Value::as_f64).map_or("?".to_string(), span);
    let decision = match status.pointer("/decision/value").and_then(Value::as_str) {
        Some(value) => {
            format!("decided {value} after {}, {} ago", time("/decision/after"), time("/decision/ago"))
        }
        None => "not decided yet".to_string(),
    };
    format!("Proposed: {proposal}; {decision}\n")
}

/// Who is with it, if it is a member of a group.
fn grouped(status: &Value) -> String {
    let Some(view) = status.get("view").filter(|view| view.is_object()) else { return String::new() };
    let number = |key: &str| view.get(key).and_then(Value::as_u64).unwrap_or(0);
    let members: Vec<&str> = view
        .get("members")
        .and_then(Value::as_array)
        .map_or(Vec::new(), |members| members.iter().filter_map(Value::as_str).collect());
    let ago = view.get("ago").and_then(Value::as_f64).map_or("?".to_string(), span);
    format!(
        "EndpointView: {} for {ago}; {} views, {} words delivered, {} refused\n",
        members.join(", "),
        number("views"),
        number("words"),
        number("refused")
    )
}

fn suspects(peers: &[Value]) -> String {
    let suspected = peers.iter().filter_map(|peer| {
        let since = peer.get("suspected")?.as_f64()?;
        Some(format!("{} for {}", called(peer), span(since)))
    });
    let suspected: Vec<String> = suspected.collect();
    if suspected.is_empty() { "nobody".to_string() } else { suspected.join(", ") }
}

/// A peer by its number, with its name if it has one.
fn called(peer: &Value) -> String {
    let number = peer.get("peer").and_then(Value::as_str).unwrap_or("?");
    match peer.get("name").and_then(Value::as_str) {
        Some(name) => format!("{number} {name}"),
        None => number.to_string(),
    }
}

fn table(peers: &[Value]) -> TextTable {
    let header = ["peer", "address", "state", "heard", "round trip", "least", "most", "lost"];
    let mut table = TextTable::new("", &header);
    for peer in peers {
        let text = |key: &str| peer.get(key).and_then(Value::as_str).unwrap_or("?").to_string();
        let is = |key: &str| peer.get(key).and_then(Value::as_bool).unwrap_or(false);
        let time = |path: &str| peer.pointer(path).and_then(Value::as_f64).map_or("-".to_string(), span);
        let state = match (is("left"), is("found"), peer.get("suspected").is_some_and(Value::is_number)) {
            (true, _, true) => "left, suspected",
            (true, ..) => "left",
            (_, false, true) => "not found, suspected",
            // Sessions with members of an open cluster are made when something is sent to them.
            (_, false, _) if peer.get("name").is_some_and(Value::is_string) => "known",
            (_, false, _) => "not found",
            (_, _, true) => "suspected",
            _ => "trusted",
        };
        let heard = match peer.pointer("/heard/kind").and_then(Value::as_str) {
            Some(kind) => format!("{kind}, {} ago", time("/heard/ago")),
            None => "never".to_string(),
        };
        let lost = peer.get("lost").and_then(Value::as_u64).unwrap_or(0).to_string();
        table.rows.push(vec![
            called(peer),
            text("address"),
            state.to_string(),
            heard,
            time("/round_trip/last"),
            time("/round_trip/least"),
            time("/round_trip/most"),
            lost,
        ]);
    }
    table
}

fn refused(status: &Value) -> String {
    let reasons = status.pointer("/counters/refused").and_then(Value::as_object);
    let reasons = reasons.into_iter().flatten();
    let reasons: Vec<String> = reasons
        .filter_map(|(reason, count)| Some((reason, count.as_u64().filter(|count| *count > 0)?)))
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    if reasons.is_empty() { String::new() } else { format!("Refused: {}\n", reasons.join(", ")) }
}

fn breaches(status: &Value) -> String {
    let breaches: &[Value] = status.get("breaches").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    if breaches.is_empty() {
        return "Assumptions: all held in the last minute\n".to_string();
    }
    let mut out = "Assumptions that did not hold in the last minute:\n".to_string();
    for breach in breaches {
        let ago = breach.get("ago").and_then(Value::as_f64).map_or("?".to_string(), span);
        let what = breach.get("what").and_then(Value::as_str).unwrap_or("?");
        out.push_str(&format!("  {ago} ago: {what}\n"));
    }
    out
}

/// Seconds as people say them.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => format!("{:.0}us", s * 1e6),
        s if s < 0.1 => format!("{:.1}ms", s * 1e3),
        s if s < 1.0 => format!("{:.0}ms", s * 1e3),
        s if s < 60.0 => format!("{s:.1}s"),
        s if s < 3600.0 => format!("{}min {:02}s", s as u64 / 60, s as u64 % 60),
        s if s < 86_400.0 => format!("{}h {:02}min", s as u64 / 3600, s as u64 / 60 % 60),
        s => format!("{}d {:02}h", s as u64 / 86_400, s as u64 / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_status_is_shown_as_a_table() {
        let status = json!({
            "watchkeeper": "status", "process": "p1", "protocol": "ring", "cluster": "demo",
            "address": "127.0.0.1:7101", "phase": "running", "uptime": 3725.0, "incarnation": "77",
            "worst_late": 0.0004, "stalled": 30.2, "counters": { "stalls": 1, "refused": { "forged": 3, "kind": 0 } },
            "peers": [
                { "peer": "p0", "address": "127.0.0.1:7100", "found": true, "left": false, "suspected": null,
                  "heard": { "kind": "answer", "ago": 0.12 }, "lost": 2,
                  "round_trip": { "last": 0.0004, "least": 0.0003, "most": 0.02 } },
                { "peer": "p2", "address": "127.0.0.1:7102", "found": false, "left": false, "suspected": 61.5,
                  "heard": null, "lost": 0, "round_trip": null },
            ],
            "breaches": [{ "ago": 4.0, "what": "a message was late" }],
        });
        let expected = "\
p1 of ring in the cluster `demo`, at 127.0.0.1:7101
running for 1h 02min, incarnation 77

Suspects: p2 for 1min 01s

peer  address         state                 heard              round trip  least    most  lost
----  --------------  --------------------  -----------------  ----------  -----  ------  ----
p0    127.0.0.1:7100  trusted               answer, 120ms ago       400us  300us  20.0ms     2
p2    127.0.0.1:7102  not found, suspected  never                       -      -       -     0

Lateness: at most 400us in the last minute; stalled once, for 30.2s
Refused: 3 forged
Assumptions that did not hold in the last minute:
  4.0s ago: a message was late
";
        assert_eq!(overview(&status).as_deref(), Some(expected));
        assert_eq!(overview(&json!({ "status": "ok" })), None);
        let mut deciding = status;
        for (ids, line) in
            [(json!([2]), "Keys: 2\n"), (json!([2, 1, 0]), "Keys: seals with 2, opens with 1, 0 too\n")]
        {
            deciding["keys"] = ids;
            assert!(overview(&deciding).is_some_and(|text| text.contains(line)));
        }
        deciding["proposal"] = json!("3");
        assert_eq!(decided(&deciding), "Proposed: 3; not decided yet\n");
        deciding["decision"] = json!({ "value": "7", "after": 0.25, "ago": 4.0 });
        assert_eq!(decided(&deciding), "Proposed: 3; decided 7 after 250ms, 4.0s ago\n");
        assert!(overview(&deciding).is_some_and(|text| text.contains("1min 01s\nProposed: 3; decided 7 ")));
    }

    #[test]
    fn a_member_of_a_group_says_who_is_with_it() {
        let view = json!({ "members": ["p0", "p2"], "ago": 4.0, "views": 2, "words": 31, "refused": 0 });
        let told = grouped(&json!({ "view": view }));
        assert_eq!(told, "EndpointView: p0, p2 for 4.0s; 2 views, 31 words delivered, 0 refused\n");
        assert_eq!(grouped(&json!({ "view": null })), "");
    }

    #[test]
    fn spans_are_said_as_people_say_them() {
        let all = [0.0000004, 0.0123, 0.5, 59.94, 61.0, 3600.0, 200_000.0].map(span);
        assert_eq!(all, ["0us", "12.3ms", "500ms", "59.9s", "1min 01s", "1h 00min", "2d 07h"]);
    }

    #[test]
    fn what_answers_cannot_talk_to_the_terminal() {
        let status =
            json!({ "watchkeeper": "status", "cluster": "\u{1b}[2J", "recording": "a\nLateness: none" });
        let shown = overview(&status).expect("a status");
        assert!(
            shown.contains("`\u{fffd}[2J`") && shown.contains("Recording: a\u{fffd}Lateness: none\n"),
            "{shown}"
        );
        let why =
            answered(&format!("HTTP/1.1 500 \u{1b}c\r\n\r\n{}", "x".repeat(1 << 20)), true).unwrap_err();
        let why = why.to_string();
        assert!(why.starts_with("HTTP/1.1 500 \u{fffd}c: xxx") && why.len() < 4_000, "{} bytes", why.len());
    }

    /// The first line of a real answer, with a body behind it, from somebody who closes at once.
    #[test]
    fn only_an_answer_that_says_so_has_a_body() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = std::thread::spawn(move || {
            for head in ["HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable"] {
                let (mut stream, _) = listener.accept().expect("asked");
                let mut asked = [0; 256];
                let length = stream.read(&mut asked).expect("a question");
                assert!(asked[..length].starts_with(b"GET /status HTTP/1.1\r\n"));
                stream.write_all(format!("{head}\r\n\r\nbody").as_bytes()).expect("answered");
            }
        });
        assert_eq!(get(address, "here", PATIENCE).expect("an answer"), "body");
        let why = get(address, "here", PATIENCE).unwrap_err().to_string();
        assert_eq!(why, "HTTP/1.1 503 Service Unavailable: body");
        server.join().expect("no panic");
    }
}
