//! Peers by name: looked up when the node starts, and again now and then while one of them is lost, since a machine that
//! comes back may have another address. All of it happens on a thread of its own, which may have to wait for a name server.

use super::view::EndpointView;
use crate::node_file::{HostName, PeerPlace};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc as told;
use tracing::{info, warn};
use watchkeeper_core::Pid;
use watchkeeper_runtime::PeerStatus;

/// How long the start of a node may wait for names.
const AT_FIRST: Duration = Duration::from_secs(5);

/// How often it is looked whether a peer is lost, and then where it is now.
const AGAIN: Duration = Duration::from_secs(10);

/// A peer that was not heard for so long is lost, even if its protocol suspects nobody.
const SILENT: Duration = Duration::from_secs(30);

/// The peers whose places are names, and the thread that looks them up.
pub(super) struct PeerNames {
    peers: Vec<NamedPeer>,
    ask: mpsc::Sender<(Pid, HostName)>,
    answers: told::UnboundedReceiver<(Pid, Result<SocketAddr, String>)>,
}

/// One of them.
#[derive(Debug)]
struct NamedPeer {
    peer: Pid,
    name: HostName,
    /// Where it was last found.
    address: Option<SocketAddr>,
    /// Whether it is being looked up.
    asked: bool,
    /// Why it was not found, as it was last told.
    why: Option<String>,
}

impl PeerNames {
    /// Looks up all names, for a node that listens here. What is not found in time is looked up again later.
    pub(super) fn look_up(places: &[(Pid, PeerPlace)], bind: SocketAddr) -> PeerNames {
        let (ask, asked) = mpsc::channel::<(Pid, HostName)>();
        let (tell, answers) = told::unbounded_channel();
        // Without a thread nobody is found, and that is told.
        let _ = std::thread::Builder::new().name("names".to_string()).spawn(move || {
            for (peer, name) in asked {
                if tell.send((peer, address_of(&name, bind))).is_err() {
                    return;
                }
            }
        });
        let peers = places.iter().filter_map(|(peer, place)| match place {
            PeerPlace::Address(_) => None,
            PeerPlace::Name(name) => {
                Some(NamedPeer { peer: *peer, name: name.clone(), address: None, asked: false, why: None })
            }
        });
        let mut names = PeerNames { peers: peers.collect(), ask, answers };
        names.ask(|_| true);
        let deadline = Instant::now() + AT_FIRST;
        while names.peers.iter().any(|peer| peer.asked) && Instant::now() < deadline {
            match names.answers.try_recv() {
                Ok((peer, found)) => drop(names.note(peer, found)),
                Err(told::error::TryRecvError::Empty) => std::thread::sleep(Duration::from_millis(1)),
                Err(told::error::TryRecvError::Disconnected) => break,
            }
        }
        names
    }

    /// Where a peer was found, by its place in the file.
    pub(super) fn address(&self, peer: Pid, place: &PeerPlace) -> Option<SocketAddr> {
        match place {
            PeerPlace::Address(address) => Some(*address),
            PeerPlace::Name(_) => self.peers.iter().find(|named| named.peer == peer)?.address,
        }
    }

    /// Those that were not found, and why.
    pub(super) fn missing(&self) -> impl Iterator<Item = (Pid, &str)> {
        let missing = self.peers.iter().filter(|named| named.address.is_none());
        missing.map(|named| (named.peer, named.why.as_deref().unwrap_or("no name server answers")))
    }

    /// Tells of those that were not found before there was a log.
    pub(super) fn tell_missing(&self) {
        for (peer, why) in self.missing() {
            tell_unknown(peer, why);
        }
    }

    /// Looks up again whoever is lost, for ever, and tells where he is now.
    pub(super) async fn keep_looking(mut self, view: &EndpointView) {
        if self.peers.is_empty() {
            return;
        }
        let mut look = tokio::time::interval_at(tokio::time::Instant::now() + AGAIN, AGAIN);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = look.tick() => {
                    let Some(status) = view.status().await else { continue };
                    self.ask(|named| {
                        named.address.is_none() || status.peers.iter().any(|peer| peer.peer == named.peer && is_lost(peer))
                    });
                }
                Some((peer, found)) = self.answers.recv() => {
                    if let Some(address) = self.note(peer, found) {
                        view.readdress(peer, address).await;
                    }
                }
                else => return,
            }
        }
    }

    /// Asks for those that are meant, unless an answer is on its way.
    fn ask(&mut self, is_meant: impl Fn(&NamedPeer) -> bool) {
        for named in self.peers.iter_mut().filter(|named| !named.asked && is_meant(named)) {
            named.asked = self.ask.send((named.peer, named.name.clone())).is_ok();
        }
    }

    /// Takes note of an answer; gives the address if it is a new one.
    fn note(&mut self, peer: Pid, found: Result<SocketAddr, String>) -> Option<SocketAddr> {
        let named = self.peers.iter_mut().find(|named| named.peer == peer)?;
        named.asked = false;
        match found {
            Ok(address) if named.address == Some(address) => None,
            Ok(address) => {
                let before = named.address.replace(address).map(|before| before.to_string());
                named.why = None;
                let name = named.name.to_string();
                info!(event = "peer-address", peer = %peer, name, address = %address, before, "{peer}, {name}, is at {address}");
                Some(address)
            }
            Err(why) => {
                if named.why.as_ref() != Some(&why) {
                    tell_unknown(peer, &why);
                }
                named.why = Some(why);
                None
            }
        }
    }
}

fn tell_unknown(peer: Pid, why: &str) {
    warn!(event = "name-unknown", peer = %peer, "{peer} cannot be reached: {why}; its name will be looked up again");
}

/// Whether a peer may have gone somewhere else.
fn is_lost(peer: &PeerStatus) -> bool {
    !peer.found || peer.suspected.is_some() || peer.heard.is_none_or(|(_, ago)| ago > SILENT)
}

/// The first address of a name that can be reached from where the node listens.
fn address_of(name: &HostName, bind: SocketAddr) -> Result<SocketAddr, String> {
    let all = (name.host.as_str(), name.port).to_socket_addrs();
    let all: Vec<SocketAddr> = all.map_err(|why| format!("{name} is not known: {why}"))?.collect();
    fitting(name, &all, bind)
}

fn fitting(name: &HostName, all: &[SocketAddr], bind: SocketAddr) -> Result<SocketAddr, String> {
    let family = |address: &SocketAddr| if address.is_ipv4() { "IPv4" } else { "IPv6" };
    let reachable =
        |address: &&SocketAddr| family(address) == family(&bind) && !address.ip().is_unspecified();
    all.iter().find(reachable).copied().ok_or_else(|| {
        let known: Vec<String> = all.iter().map(|address| address.ip().to_string()).collect();
        let known = if known.is_empty() { "nothing".to_string() } else { known.join(", ") };
        format!("{name} leads to no {} address, as `bind` is one, but to {known}", family(&bind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::log::captured;

    fn name(text: &str) -> HostName {
        match text.parse() {
            Ok(PeerPlace::Name(name)) => name,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_address_of_the_family_of_bind_is_taken() {
        let all = ["[::1]:7", "0.0.0.0:7", "10.0.0.2:7", "10.0.0.1:7"]
            .map(|text| text.parse().expect("an address"));
        let from = |bind: &str, all: &[SocketAddr]| {
            fitting(&name("a.example:7"), all, bind.parse().expect("an address"))
                .map(|address| address.to_string())
        };
        assert_eq!(from("10.0.0.9:1", &all).as_deref(), Ok("10.0.0.2:7"));
        assert_eq!(from("[::]:1", &all).as_deref(), Ok("[::1]:7"));
        let why = from("10.0.0.9:1", &all[..1]).expect_err("IPv6 alone");
        assert_eq!(why, "a.example:7 leads to no IPv4 address, as `bind` is one, but to ::1");
        assert!(from("[::]:1", &[]).is_err_and(|why| why.ends_with("but to nothing")));
    }

    #[test]
    fn names_are_looked_up_at_the_start_and_changes_are_told_once() {
        let places = vec![
            (Pid::at(1), "localhost:7101".parse().expect("a name")),
            (Pid::at(2), "127.0.0.1:7102".parse().expect("an address")),
            (Pid::at(3), "nobody.invalid:7103".parse().expect("a name")),
        ];
        let bind = SocketAddr::from(([127, 0, 0, 1], 7100));
        let mut names = PeerNames::look_up(&places, bind);
        let found =
            |names: &PeerNames, i: usize| names.address(places[i].0, &places[i].1).map(|at| at.to_string());
        assert_eq!(found(&names, 0).as_deref(), Some("127.0.0.1:7101"));
        assert_eq!(found(&names, 1).as_deref(), Some("127.0.0.1:7102"));
        assert_eq!(found(&names, 2), None);
        let missing: Vec<(Pid, &str)> = names.missing().collect();
        assert!(
            matches!(missing[..], [(p3, why)] if p3 == Pid::at(3) && why.starts_with("nobody.invalid:7103 is not known")),
            "{missing:?}"
        );
        let moved = SocketAddr::from(([127, 0, 0, 2], 7101));
        let told = captured(|| {
            assert_eq!(names.note(Pid::at(1), Ok(moved)), Some(moved));
            assert_eq!(names.note(Pid::at(1), Ok(moved)), None);
            assert_eq!(names.note(Pid::at(1), Err("gone".to_string())), None);
            assert_eq!(names.note(Pid::at(1), Err("gone".to_string())), None);
        });
        assert_eq!(
            told,
            [
                "INFO  p1 peer-address: p1, localhost:7101, is at 127.0.0.2:7101  peer=p1 name=localhost:7101 \
                 address=127.0.0.2:7101 before=127.0.0.1:7101",
                "WARN  p1 name-unknown: p1 cannot be reached: gone; its name will be looked up again  peer=p1"
            ]
        );
        assert_eq!(
            names.address(Pid::at(1), &places[0].1),
            Some(moved),
            "the last address that is known stays"
        );
    }
}
