//! Who may ask. The server listens on loopback, but a page of somebody else's in the same browser can reach it too, and a
//! name of somebody else's can be made to point at it. So a request must name a loopback address, must not come from
//! another page, and must have the token that the terminal printed.

use crate::answer::WebProblem;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The header that has the token.
pub const TOKEN_HEADER: &str = "x-watchkeeper-token";

/// The most bytes of a request, and of one that brings a file.
const BODY: u64 = 1 << 20;
const FILE: u64 = 64 << 20;

/// The head of a request, as far as it matters here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestHead {
    /// `GET`, `HEAD` or `POST`.
    pub method: String,
    /// The path, without a query.
    pub path: String,
    /// The query.
    pub query: Option<String>,
    /// All that it says about the host that it was meant for.
    pub hosts: Vec<String>,
    /// The page that it comes from, if the browser says so.
    pub origin: Option<String>,
    /// The relation of that page to this server, if the browser says so.
    pub fetch_site: Option<String>,
    /// The token.
    pub token: Option<String>,
    /// The type of the body.
    pub content_type: Option<String>,
}

/// Decides who may ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageGuard {
    token: String,
    port: u16,
}

impl PageGuard {
    /// A server at this port, for whoever has this token.
    pub fn new(token: impl Into<String>, port: u16) -> PageGuard {
        PageGuard { token: token.into(), port }
    }

    /// The address of the page, with the token where no request carries it and no server sees it.
    pub fn address(&self, fragment: &str) -> String {
        let then = if fragment.is_empty() { String::new() } else { format!("&{fragment}") };
        format!("http://127.0.0.1:{}/#token={}{then}", self.port, self.token)
    }

    /// The most bytes that the body of a request may have.
    pub fn longest(head: &RequestHead) -> u64 {
        if head.path == "/api/import" { FILE } else { BODY }
    }

    /// Whether a request is answered at all.
    pub fn admits(&self, head: &RequestHead) -> Result<(), WebProblem> {
        let foreign = |message: &str| Err(WebProblem::new(403, message));
        if head.hosts.is_empty() || !head.hosts.iter().all(|host| self.is_own(host)) {
            return foreign("ask for this page by its loopback address, as the terminal printed it");
        }
        let from_here =
            |origin: &String| origin.strip_prefix("http://").is_some_and(|host| self.is_own(host));
        if head.origin.as_ref().is_some_and(|origin| !from_here(origin)) {
            return foreign("another page asks; only the explorer's own page may");
        }
        if !head.path.starts_with("/api/") {
            return match head.method.as_str() {
                "GET" | "HEAD" => Ok(()),
                _ => Err(WebProblem::new(405, "only GET and HEAD")),
            };
        }
        if head.fetch_site.as_ref().is_some_and(|site| !["same-origin", "none"].contains(&site.as_str())) {
            return foreign("another page asks; only the explorer's own page may");
        }
        if !head.token.as_ref().is_some_and(|token| same(token, &self.token)) {
            let why = "the token is missing or wrong: open the address that the terminal printed last";
            return Err(WebProblem::new(401, why));
        }
        let json = |kind: &String| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
        };
        match head.method.as_str() {
            "GET" | "HEAD" => Ok(()),
            "POST" if head.content_type.as_ref().is_some_and(json) => Ok(()),
            "POST" => Err(WebProblem::new(415, "the body must be JSON, with content-type application/json")),
            _ => Err(WebProblem::new(405, "only GET, HEAD and POST")),
        }
    }

    /// Whether a host is this server on loopback.
    fn is_own(&self, host: &str) -> bool {
        // A host without a port means the port 80.
        loopback_port(host).is_some_and(|port| port.unwrap_or(80) == self.port)
    }
}

/// Whether a host, with or without a port, is a loopback address or `localhost`.
pub fn names_loopback(host: &str) -> bool {
    loopback_port(host).is_some()
}

/// The port of a host that is a loopback address or `localhost`, if it has one; `None` of every other text. What no browser
/// writes is no host: a name that is read in two ways is one that lets somebody in.
fn loopback_port(host: &str) -> Option<Option<u16>> {
    let (loopback, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            (address.parse::<Ipv6Addr>().ok()?.is_loopback(), port)
        }
        None => {
            let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            let address = name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
            (address || name.eq_ignore_ascii_case("localhost"), port)
        }
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => None,
        // A sign is no digit, though a number may have one.
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => Some(digits.parse().ok()?),
        _ => return None,
    };
    loopback.then_some(port)
}

/// Compares two texts in a time that does not depend on where they differ.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(method: &str, path: &str) -> RequestHead {
        RequestHead {
            method: method.into(),
            path: path.into(),
            hosts: vec!["127.0.0.1:7000".into()],
            token: Some("secret".into()),
            content_type: Some("application/json".into()),
            ..RequestHead::default()
        }
    }

    fn status(head: &RequestHead) -> u16 {
        PageGuard::new("secret", 7000).admits(head).map_or_else(|problem| problem.status, |()| 200)
    }

    #[test]
    fn the_page_itself_may_ask() {
        assert_eq!(status(&head("POST", "/api/state")), 200);
        let hosts = vec!["localhost:7000".into()];
        assert_eq!(status(&RequestHead { hosts, ..head("GET", "/api/program") }), 200);
        let origin = Some("http://127.0.0.1:7000".into());
        assert_eq!(status(&RequestHead { origin, ..head("POST", "/api/state") }), 200);
        let content_type = Some("Application/JSON; charset=utf-8".into());
        assert_eq!(status(&RequestHead { content_type, ..head("POST", "/api/state") }), 200);
        let hosts = vec!["[::1]:7000".into()];
        assert_eq!(status(&RequestHead { hosts, token: None, ..head("GET", "/app.js") }), 200);
    }

    #[test]
    fn nobody_else_may() {
        for (wrong, code) in [
            (RequestHead { token: None, ..head("GET", "/api/program") }, 401),
            (RequestHead { token: Some("secres".into()), ..head("POST", "/api/state") }, 401),
            (RequestHead { token: Some("secret!".into()), ..head("POST", "/api/state") }, 401),
            (RequestHead { hosts: vec!["example.org:7000".into()], ..head("GET", "/") }, 403),
            (RequestHead { hosts: vec!["127.0.0.1:7001".into()], ..head("GET", "/") }, 403),
            (RequestHead { hosts: vec!["127.0.0.1".into()], ..head("GET", "/") }, 403),
            (RequestHead { hosts: Vec::new(), ..head("GET", "/") }, 403),
            (RequestHead { hosts: vec!["localhost:example.org:7000".into()], ..head("GET", "/") }, 403),
            (RequestHead { hosts: vec!["localhost:+7000".into()], ..head("GET", "/") }, 403),
            (RequestHead { hosts: vec!["127.0.0.1:7000".into(), "a.org".into()], ..head("GET", "/") }, 403),
            (RequestHead { origin: Some("http://example.org".into()), ..head("POST", "/api/state") }, 403),
            (RequestHead { origin: Some("null".into()), ..head("POST", "/api/state") }, 403),
            (RequestHead { fetch_site: Some("cross-site".into()), ..head("GET", "/api/program") }, 403),
            (RequestHead { content_type: Some("text/plain".into()), ..head("POST", "/api/state") }, 415),
            (head("DELETE", "/api/state"), 405),
            (head("POST", "/"), 405),
        ] {
            assert_eq!(status(&wrong), code, "{wrong:?}");
        }
    }

    #[test]
    fn only_loopback_is_loopback() {
        for yes in ["127.0.0.1:7201", "127.0.0.1", "[::1]:80", "[::1]", "localhost", "LocalHost:7201"] {
            assert!(names_loopback(yes), "{yes}");
        }
        for no in [
            "",
            "example.org",
            "example.org:7201",
            "10.0.0.1:7201",
            "localhost.example.org",
            "localhost:",
            "localhost:65536",
            "localhost:example.org:7201",
            "]127.0.0.1[",
            "[::1",
            "[::1]7201",
            "::1",
        ] {
            assert!(!names_loopback(no), "{no}");
        }
    }

    #[test]
    fn the_address_has_the_token_in_its_fragment() {
        let guard = PageGuard::new("secret", 7000);
        assert_eq!(guard.address("ring?n=3"), "http://127.0.0.1:7000/#token=secret&ring?n=3");
        assert_eq!(guard.address(""), "http://127.0.0.1:7000/#token=secret");
    }
}
