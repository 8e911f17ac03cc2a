//! Where a peer is, as a node file says it: an address, or a name that is looked up when the node starts and again
//! whenever the peer is lost. Nothing is looked up here.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

/// The longest name, and the longest part of one, that can be looked up.
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Where a peer is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PeerPlace {
    /// Always at this address.
    Address(SocketAddr),
    /// Wherever this name leads.
    Name(HostName),
}

/// The name of a machine, and a port there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HostName {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl PeerPlace {
    /// The address, if it is one.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        match self {
            PeerPlace::Address(address) => Some(*address),
            PeerPlace::Name(_) => None,
        }
    }

    pub(super) fn port(&self) -> u16 {
        match self {
            PeerPlace::Address(address) => address.port(),
            PeerPlace::Name(name) => name.port,
        }
    }
}

impl fmt::Display for PeerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeerPlace::Address(address) => address.fmt(f),
            PeerPlace::Name(name) => name.fmt(f),
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl FromStr for PeerPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<PeerPlace, String> {
        if let Ok(address) = text.parse() {
            return Ok(PeerPlace::Address(address));
        }
        let name = text.rsplit_once(':').and_then(|(host, port)| {
            let host = host.to_ascii_lowercase();
            let port = port.parse().ok()?;
            is_name(&host).then_some(HostName { host, port })
        });
        name.map(PeerPlace::Name).ok_or_else(|| {
            format!(
                "`{text}` is neither an address nor a name; write an IP address or the name of a machine, and a port, \
                 such as 127.0.0.1:7100, [::1]:7100 or p1.example.org:7100"
            )
        })
    }
}

/// Whether this can be the name of a machine. One of digits alone at its end is a slip in an address.
fn is_name(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let letters = |label: &str| {
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let labels = || host.split('.');
    host.len() <= LONGEST_NAME
        && labels().all(|label| !label.is_empty() && label.len() <= LONGEST_LABEL && letters(label))
        && labels().next_back().is_some_and(|last| !last.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_at_an_address_or_at_a_name() {
        for (text, shown) in [
            ("127.0.0.1:7100", "127.0.0.1:7100"),
            ("[::1]:7100", "[::1]:7100"),
            ("localhost:1", "localhost:1"),
            ("P1.Example.org:7100", "p1.example.org:7100"),
            ("node_3.svc.local.:7100", "node_3.svc.local.:7100"),
        ] {
            let place: PeerPlace = text.parse().expect("a place");
            assert_eq!(place.to_string(), shown);
        }
        assert!("localhost:0".parse::<PeerPlace>().is_ok_and(|place| place.port() == 0));
        for wrong in [
            "",
            "localhost",
            "localhost:",
            ":7100",
            "127.0.0.256:7100",
            "10.0.0:7100",
            "a b:1",
            "-a:1",
            "a..b:1",
            "a:99999",
            "::1:7100",
            "http://a:1",
        ] {
            assert!(wrong.parse::<PeerPlace>().is_err(), "{wrong}");
        }
        assert!(format!("{}:1", "a".repeat(64)).parse::<PeerPlace>().is_err());
    }
}
