//! The socket of a node: many datagrams with one call of the system where it has such calls, and a filter that lets the
//! system drop what comes from elsewhere than from peers before the node is woken.

use crate::StartError;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use watchkeeper_node::Node;
use watchkeeper_node::wire::MAX_DATAGRAM;

/// How many datagrams one call of the system receives or sends at most.
pub(crate) const BATCH: usize = 32;

/// One byte more than a datagram may have, to find those that are too long.
const SLOT: usize = MAX_DATAGRAM + 1;

/// How much the system should hold of what has arrived and was not taken in yet.
const ROOM: usize = 4 << 20;

/// A bound socket with the buffers for what arrives.
pub(crate) struct NodeSocket {
    socket: UdpSocket,
    inbox: Vec<u8>,
}

impl NodeSocket {
    /// Binds a socket that never waits.
    pub(crate) fn bind(address: SocketAddr) -> Result<NodeSocket, StartError> {
        let refused = |why: io::Error| match why.kind() {
            io::ErrorKind::AddrInUse => StartError::InUse { address },
            _ => StartError::Bind { address, why },
        };
        let socket = UdpSocket::bind(address).map_err(refused)?;
        socket.set_nonblocking(true).map_err(refused)?;
        // Less than asked for is no reason not to run.
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(ROOM);
        Ok(NodeSocket { socket, inbox: vec![0; BATCH * SLOT] })
    }

    pub(crate) fn plain(&self) -> &UdpSocket {
        &self.socket
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        // A bound socket has an address; if the system will not tell, nobody can be told either.
        self.socket.local_addr().unwrap_or(SocketAddr::from(([0, 0, 0, 0], 0)))
    }

    /// Has the system drop what does not come from one of these addresses, where it can.
    pub(crate) fn admit_only(&self, peers: &[SocketAddr]) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if let Some(filter) = crate::filter::sources(peers) {
            // The node looks at the addresses itself, too.
            let _ = socket2::SockRef::from(&self.socket).attach_filter(&filter);
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _ = peers;
    }

    /// Receives what has arrived, up to [`BATCH`] datagrams, without waiting, and hands each over with its source.
    pub(crate) fn receive(&mut self, mut take: impl FnMut(SocketAddr, &mut [u8])) -> io::Result<usize> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let mut arrived = [(0, None); BATCH];
            let count = batched::receive(&self.socket, &mut self.inbox, &mut arrived)?;
            for ((length, from), slot) in arrived[..count].iter().zip(self.inbox.chunks_exact_mut(SLOT)) {
                if let Some(from) = from {
                    take(*from, &mut slot[..*length]);
                }
            }
            Ok(count)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let (length, from) = self.socket.recv_from(&mut self.inbox[..SLOT])?;
            take(from, &mut self.inbox[..length]);
            Ok(1)
        }
    }

    /// Sends all that a node wants to send. The system takes each datagram at once or not at all.
    pub(crate) fn send(&self, node: &mut Node) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        while node.transmits().len() > 1 {
            let (done, taken) = batched::send(&self.socket, node);
            node.counters().sent.add(taken as u64);
            node.counters().send_errors.add((done - taken) as u64);
            node.transmitted(done);
        }
        while let Some(transmit) = node.poll_transmit() {
            let sent = self.socket.send_to(transmit.datagram, transmit.to).is_ok();
            let counters = node.counters();
            if sent { counters.sent.add(1) } else { counters.send_errors.add(1) }
        }
    }
}

/// Many datagrams with one call of the system.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod batched {
    use super::{BATCH, SLOT};
    use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, sendmmsg};
    use std::cell::RefCell;
    use std::io::{self, IoSlice, IoSliceMut};
    use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
    use std::os::fd::AsRawFd;
    use watchkeeper_node::Node;

    thread_local! {
        /// The headers that the system fills, one set for each thread that runs nodes: they are made once. Sending has a
        /// set of its own, because it leaves the addresses of its receivers in them.
        static RECEIVING: RefCell<MultiHeaders<SockaddrStorage>> =
            RefCell::new(MultiHeaders::preallocate(BATCH, None));
        static SENDING: RefCell<MultiHeaders<SockaddrStorage>> =
            RefCell::new(MultiHeaders::preallocate(BATCH, None));
    }

    pub(super) fn receive(
        socket: &UdpSocket,
        inbox: &mut [u8],
        arrived: &mut [(usize, Option<SocketAddr>); BATCH],
    ) -> io::Result<usize> {
        RECEIVING.with_borrow_mut(|headers| {
            let mut slots = inbox.chunks_exact_mut(SLOT);
            let mut slices: [[IoSliceMut<'_>; 1]; BATCH] =
                std::array::from_fn(|_| [IoSliceMut::new(slots.next().unwrap_or_default())]);
            let flags = MsgFlags::MSG_DONTWAIT;
            let received = recvmmsg(socket.as_raw_fd(), headers, slices.iter_mut(), flags, None)?;
            let mut count = 0;
            for (message, place) in received.zip(arrived) {
                *place = (message.bytes, message.address.as_ref().and_then(address));
                count += 1;
            }
            Ok(count)
        })
    }

    /// Sends up to a batch; returns how many are done with, and how many of these the system has taken.
    pub(super) fn send(socket: &UdpSocket, node: &Node) -> (usize, usize) {
        SENDING.with_borrow_mut(|headers| {
            let mut slices = [[IoSlice::new(&[])]; BATCH];
            let mut addresses: [Option<SockaddrStorage>; BATCH] = [None; BATCH];
            let mut count = 0;
            for (transmit, place) in node.transmits().zip(0..BATCH) {
                slices[place] = [IoSlice::new(transmit.datagram)];
                addresses[place] = Some(SockaddrStorage::from(transmit.to));
                count += 1;
            }
            let flags = MsgFlags::MSG_DONTWAIT;
            let sent =
                sendmmsg(socket.as_raw_fd(), headers, &slices[..count], &addresses[..count], [], flags);
            match sent.map(Iterator::count) {
                // The first that the system does not take ends the call; it is given up.
                Ok(taken) if taken > 0 => (taken, taken),
                _ => (1, 0),
            }
        })
    }

    fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
        let v4 = storage.as_sockaddr_in().map(|v4| SocketAddr::V4(SocketAddrV4::from(*v4)));
        v4.or_else(|| storage.as_sockaddr_in6().map(|v6| SocketAddr::V6(SocketAddrV6::from(*v6))))
    }
}
