//! Heads of requests to a page: who is answered at all. Another page in the same browser, and a name of somebody else's that
//! points at this machine, are not.

use crate::quoting::{printable, short, text};
use std::net::{Ipv4Addr, Ipv6Addr};
use watchkeeper_web::{PageGuard, RequestHead};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The port of a page, and the one that a browser leaves out.
const PORTS: [u16; 2] = [7000, 80];

/// The first line is a method, a path and maybe a query; the others are headers that matter, by a letter.
pub(crate) fn attack(input: &[u8]) {
    let Some(text) = text(input) else { return };
    let head = head(text);
    for port in PORTS {
        match PageGuard::new(TOKEN, port).admits(&head) {
            Ok(()) => admitted(&head, port),
            Err(problem) => {
                assert!([401, 403, 405, 415].contains(&problem.status), "{problem:?}");
                assert!(!problem.message.is_empty(), "refused without a word: {head:?}");
                short(&problem.message);
                printable(&problem.message);
                assert!(!problem.message.contains(TOKEN), "the token is told to a stranger");
            }
        }
    }
}

fn head(text: &str) -> RequestHead {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (method, target) = first.split_once(' ').unwrap_or((first, "/"));
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_string())),
        None => (target, None),
    };
    let mut head = RequestHead { method: method.into(), path: path.into(), query, ..RequestHead::default() };
    for line in rest.split('\n') {
        let Some((name, value)) = line.split_once(':') else { continue };
        // The good token is too long to be found by chance.
        let value = value.trim().replace("TOKEN", TOKEN);
        match name {
            "h" => head.hosts.push(value),
            "o" => head.origin = Some(value),
            "s" => head.fetch_site = Some(value),
            "t" => head.token = Some(value),
            "c" => head.content_type = Some(value),
            _ => {}
        }
    }
    head
}

/// Whoever is admitted asked this machine by its own name, from no other page; and where it asks more than for files of the
/// page, it has the token, and a body that no form of another page can send.
fn admitted(head: &RequestHead, port: u16) {
    assert!(!head.hosts.is_empty(), "no host: {head:?}");
    assert!(head.hosts.iter().all(|host| is_own(host, port)), "another host: {head:?}");
    if let Some(origin) = &head.origin {
        let host = origin.strip_prefix("http://");
        assert!(host.is_some_and(|host| is_own(host, port)), "another page: {head:?}");
    }
    match head.method.as_str() {
        "GET" | "HEAD" => {}
        "POST" => {
            assert!(head.path.starts_with("/api/"), "{head:?}");
            let kind = head.content_type.as_deref().unwrap_or_default().to_lowercase();
            assert!(kind.starts_with("application/json"), "{head:?}");
        }
        _ => panic!("another method: {head:?}"),
    }
    if head.path.starts_with("/api/") {
        assert_eq!(head.token.as_deref(), Some(TOKEN), "without the token: {head:?}");
        let site = head.fetch_site.as_deref().unwrap_or("none");
        assert!(site == "same-origin" || site == "none", "another page: {head:?}");
    }
}

/// Whether a host is a loopback address or `localhost` with this port, as a browser writes it.
fn is_own(host: &str, port: u16) -> bool {
    let (name, written) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let is_loopback = address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
            (is_loopback, rest)
        }
        None => {
            let (name, _) = host.split_once(':').unwrap_or((host, ""));
            let address = name.parse::<Ipv4Addr>().is_ok_and(|address| address.octets()[0] == 127);
            (address || name.to_lowercase() == "localhost", &host[name.len()..])
        }
    };
    let is_port = match written.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse() == Ok(port),
        None => written.is_empty() && port == 80,
    };
    name && is_port
}
