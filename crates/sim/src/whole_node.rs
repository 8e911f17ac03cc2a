//! A whole node as a process of a simulation: the machine that runs on networks, driven as its shells drive it.

use crate::process::{Drained, DrainedLine, DrainedSend, Parcel, ParcelLoad, SimulatedProcess};
use std::net::SocketAddr;
use watchkeeper_core::{Pid, Stall};
use watchkeeper_node::wire::{DatagramHeader, DatagramKind};
use watchkeeper_node::{KeyRing, Node, NodeEventKind, RecordLine, SystemClocks};

/// How many times a node may want something at one moment: more is a node that never sleeps.
const ROUNDS: usize = 1_000;

/// An incarnation of a node.
pub(crate) struct WholeNode {
    node: Node,
}

impl WholeNode {
    pub(crate) fn new(node: Node) -> WholeNode {
        WholeNode { node }
    }

    fn read_clock(&mut self, now: u64, clock: SystemClocks) {
        if self.node.wants_clock() {
            self.node.handle_clock(now, clock);
        }
    }
}

impl SimulatedProcess for WholeNode {
    fn incarnation(&self) -> u64 {
        self.node.incarnation()
    }

    fn take_in(&mut self, now: u64, parcel: &mut Parcel) {
        if let ParcelLoad::Datagram { address, bytes, .. } = &mut parcel.load {
            self.node.handle_datagram(now, *address, bytes);
        }
    }

    fn timeout(&mut self, now: u64, clock: SystemClocks) {
        for _ in 0..ROUNDS {
            self.node.handle_timeout(now);
            self.read_clock(now, clock);
            if self.node.next_timeout().is_none_or(|next| next > now) {
                return;
            }
        }
    }

    fn next_timeout(&self) -> Option<u64> {
        self.node.next_timeout()
    }

    fn call(&mut self, now: u64, call: &[u8]) {
        self.node.handle_call(now, call);
    }

    fn rotate(&mut self, now: u64, keys: &KeyRing) {
        self.node.handle_keys(now, keys);
    }

    fn lose_disk(&mut self, now: u64) {
        self.node.handle_recording_failed(now, "the disk is full");
    }

    fn drain(&mut self, drained: &mut Drained) {
        while let Some(line) = self.node.poll_record() {
            drained.lines.push(match line {
                RecordLine::Header(header) => DrainedLine::Begin { incarnation: header.incarnation },
                RecordLine::Step(step) => DrainedLine::Step(step.into()),
                RecordLine::Stall(stall) => DrainedLine::Stall(Stall { at: stall.at, lasted: stall.stall }),
                RecordLine::End(end) => DrainedLine::End(end.at),
            });
        }
        while let Some(transmit) = self.node.poll_transmit() {
            // In a simulated cluster everybody has its number from the start.
            let Some(to) = transmit.peer else { continue };
            let header = DatagramHeader::seen(transmit.datagram);
            let number =
                header.filter(|header| header.kind == DatagramKind::Message).map(|header| header.number);
            drained.sends.push(DrainedSend { to, number, bytes: transmit.datagram.to_vec() });
        }
        while let Some(event) = self.node.poll_event() {
            if let NodeEventKind::Broken(breach) = event.kind {
                drained.breaches.push(breach);
            }
        }
    }
}

/// Where a process listens.
pub(crate) fn address(process: Pid) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, process.index() as u8], 7_000))
}

/// Where a stranger sends from.
pub(crate) fn strange_address() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 9_999))
}
