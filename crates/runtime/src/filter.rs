//! A filter for the socket in the language of the Berkeley Packet Filter, classic form: the system drops datagrams whose
//! source is no peer's address. It only spares the node work; what is let through is looked at again.

use socket2::SockFilter;
use std::net::{IpAddr, SocketAddr};

/// Where the network header begins, whatever the packet begins with: from `linux/filter.h`.
const NET: u32 = 0xfff0_0000;

const LOAD_WORD: u16 = 0x20;
const LOAD_HALF: u16 = 0x28;
const LOAD_BYTE: u16 = 0x30;
const SHIFT_RIGHT: u16 = 0x74;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// Lets a datagram through whole.
const ACCEPT: u32 = u32::MAX;

/// The most instructions that the system takes.
const LONGEST: usize = 4096;

/// The filter that admits these sources; `None` if there are too many.
///
/// For a UDP socket the packet begins with the UDP header: the source port is its first half word. Each source is a chain
/// of comparisons that ends in acceptance, and falls through to the next source where one fails.
pub(crate) fn sources(peers: &[SocketAddr]) -> Option<Vec<SockFilter>> {
    let mut program = Vec::new();
    for peer in peers {
        // What is loaded, and what it must be.
        let mut tests = vec![(LOAD_HALF, 0, u32::from(peer.port()))];
        let word = |bytes: &[u8]| bytes.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let (version, at, octets) = match peer.ip().to_canonical() {
            IpAddr::V4(ip) => (4, 12, ip.octets().to_vec()),
            IpAddr::V6(ip) => (6, 8, ip.octets().to_vec()),
        };
        for (i, part) in octets.chunks(4).enumerate() {
            tests.push((LOAD_WORD, NET + at + 4 * i as u32, word(part)));
        }
        // The version of the network header: load and shift, then compare. The rest is load and compare.
        let length = 3 + 2 * tests.len() + 1;
        let mut left = length;
        let mut push = |code, jump_false, k| {
            left -= 1;
            let jump = if jump_false { left as u8 } else { 0 };
            program.push(SockFilter::new(code, 0, jump, k));
        };
        push(LOAD_BYTE, false, NET);
        push(SHIFT_RIGHT, false, 4);
        push(JUMP_IF_EQUAL, true, version);
        for (load, at, value) in tests {
            push(load, false, at);
            push(JUMP_IF_EQUAL, true, value);
        }
        push(RETURN, false, ACCEPT);
    }
    program.push(SockFilter::new(RETURN, 0, 0, 0));
    (program.len() <= LONGEST).then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;
    use std::time::Duration;

    #[test]
    fn only_peers_reach_a_socket_with_the_filter() {
        for ip in ["127.0.0.1", "::1"] {
            let open = || UdpSocket::bind((ip, 0));
            let (Ok(server), Ok(peer), Ok(stranger)) = (open(), open(), open()) else {
                continue;
            };
            let decoys = (1..40).map(|port| SocketAddr::new([10, 0, 0, 1].into(), port));
            let peers: Vec<SocketAddr> = decoys.chain([peer.local_addr().expect("bound")]).collect();
            let filter = sources(&peers).expect("a filter");
            socket2::SockRef::from(&server).attach_filter(&filter).expect("attached");
            let address = server.local_addr().expect("bound");
            stranger.send_to(b"stranger", address).expect("sent");
            peer.send_to(b"peer", address).expect("sent");
            server.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
            let mut buffer = [0; 64];
            let (length, from) = server.recv_from(&mut buffer).expect("what the peer sent");
            assert_eq!((&buffer[..length], from), (&b"peer"[..], peer.local_addr().expect("bound")));
            server.set_nonblocking(true).expect("set");
            assert!(server.recv_from(&mut buffer).is_err(), "the stranger's was dropped");
        }
    }

    #[test]
    fn sixty_three_peers_fit() {
        let peers: Vec<SocketAddr> =
            (1..64).map(|port| SocketAddr::new([0, 0, 0, 0, 0, 0, 0, 1].into(), port)).collect();
        assert!(sources(&peers).is_some_and(|filter| filter.len() < LONGEST));
    }
}
