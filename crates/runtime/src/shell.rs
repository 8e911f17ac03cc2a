//! What every shell around a node does: hand over what has arrived and what the clock says, and give out what comes of it.
//! How to wait is left to the shells: [`spawned`](crate::spawned) waits with Tokio, [`blocking`](crate::blocking) with the
//! socket itself.

use crate::StartError;
use crate::clock::{self, NodeClock};
use crate::recorder::{RecordingQueue, RunRecorder};
use crate::socket::{BATCH, NodeSocket};
use std::io;
use std::net::SocketAddr;
use watchkeeper_core::{Pid, Protocol};
use watchkeeper_node::{Announcement, KeyRing, Node, NodeConfig, NodeEvent, NodeStart, Status};

/// How many batches of datagrams are taken in before the shell looks at timers and commands again.
const BATCHES: usize = 32;

/// How many timers may fire before the shell looks at commands again, for protocols that arm timers that are due at once.
const FIRES: usize = 64;

/// A node with its socket, its clock and its recording.
pub(crate) struct Shell {
    pub(crate) node: Node,
    pub(crate) socket: NodeSocket,
    pub(crate) clock: NodeClock,
    /// The recording before the first line, and from then on.
    recorder: Option<RunRecorder>,
    recording: Option<RecordingQueue>,
    publish: Publish,
    /// Whether nodes may join whose addresses nobody knows yet.
    is_open: bool,
    /// Where each peer is reached, for the filter of the socket.
    addresses: Vec<(Pid, SocketAddr)>,
}

/// Gives an event to whoever reads it.
pub(crate) type Publish = Box<dyn FnMut(NodeEvent<Announcement>) + Send>;

impl Shell {
    /// Binds the socket and makes everything ready.
    pub(crate) fn open<P: Protocol + Send + 'static>(
        protocol: P,
        mut config: NodeConfig,
        bind: SocketAddr,
        recorder: Option<RunRecorder>,
        publish: Publish,
    ) -> Result<Shell, StartError> {
        let mut entropy = [0; 32];
        getrandom::fill(&mut entropy).map_err(|why| StartError::Entropy(why.to_string()))?;
        config.recorded = recorder.as_ref().map(RunRecorder::model);
        let addresses: Vec<_> = config
            .peers
            .iter()
            .filter_map(|(peer, address)| address.map(|address| (*peer, address)))
            .collect();
        let clock = NodeClock::new();
        let start =
            NodeStart { now: clock.now(), clock: clock.reading(), clock_name: clock::name(), entropy };
        let socket = NodeSocket::bind(bind)?;
        // Where the system chooses the port, others are told which one that is.
        if let Some(open) = config.open.as_mut().filter(|open| open.address.port() == 0) {
            open.address.set_port(socket.address().port());
        }
        let is_open = config.open.is_some();
        let node = Node::new(protocol, config, start)?;
        let shell = Shell { node, socket, clock, recorder, recording: None, publish, is_open, addresses };
        shell.filter();
        Ok(shell)
    }

    /// Takes in what has arrived, and lets what is due happen.
    pub(crate) fn turn(&mut self) {
        for _ in 0..FIRES {
            self.take_in();
            let now = self.clock.now();
            self.node.handle_timeout(now);
            if self.node.wants_clock() {
                self.node.handle_clock(now, self.clock.reading());
            }
            self.give_out();
            // What has arrived by now comes before the next timer.
            if self.node.next_timeout().is_none_or(|due| due > now) {
                return;
            }
        }
    }

    /// Takes in datagrams until there are none, or so many that others must have their turn.
    fn take_in(&mut self) {
        for _ in 0..BATCHES {
            match self.receive() {
                Ok(count) if count < BATCH => return,
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    /// Takes in one batch of datagrams and gives out what comes of it.
    pub(crate) fn receive(&mut self) -> io::Result<usize> {
        let Shell { node, socket, clock, .. } = self;
        let now = clock.now();
        let received = socket.receive(|from, datagram| node.handle_datagram(now, from, datagram));
        match &received {
            Ok(_) => self.give_out(),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => node.counters().receive_errors.add(1),
        }
        received
    }

    /// Gives out what the node has: first the lines of the recording, then datagrams, then events.
    pub(crate) fn give_out(&mut self) {
        self.record();
        self.socket.send(&mut self.node);
        while let Some(event) = self.node.poll_event() {
            crate::trace::event(&event);
            (self.publish)(event);
        }
    }

    fn record(&mut self) {
        let mut failed = None;
        while let Some(line) = self.node.poll_record() {
            let begun = self.recorder.take().map(RunRecorder::begin).transpose();
            let pushed = begun.map_err(|why| why.to_string()).and_then(|begun| {
                self.recording = begun.or(self.recording.take());
                self.recording.as_mut().map_or(Ok(()), |recording| recording.push(line))
            });
            failed = failed.or(pushed.err());
        }
        let settled = self.recording.as_mut().map_or(Ok(()), RecordingQueue::settle);
        if let Some(why) = failed.or(settled.err()) {
            self.recording = None;
            self.node.handle_recording_failed(self.clock.now(), &why);
        }
    }

    /// Asks something of the protocol, packed.
    pub(crate) fn call(&mut self, call: &[u8]) {
        self.node.handle_call(self.clock.now(), call);
        self.give_out();
    }

    pub(crate) fn rotate(&mut self, keys: &KeyRing) {
        self.node.handle_keys(self.clock.now(), keys);
    }

    /// A peer is reached elsewhere from now on.
    pub(crate) fn readdress(&mut self, peer: Pid, address: SocketAddr) {
        self.node.handle_address(self.clock.now(), peer, address);
        self.addresses.retain(|(other, _)| *other != peer);
        self.addresses.push((peer, address));
        self.filter();
    }

    pub(crate) fn leave(&mut self) {
        self.node.handle_leave(self.clock.now());
        self.give_out();
    }

    pub(crate) fn shutdown(&mut self) {
        self.node.handle_shutdown(self.clock.now());
        self.give_out();
    }

    /// What the node says of itself, with what only its shell knows.
    pub(crate) fn status(&self) -> Status {
        let mut status = self.node.status(self.clock.now());
        status.address = Some(self.socket.address());
        status.recording = self.recording.as_ref().map(|recording| recording.path.clone());
        status
    }

    /// Waits until the recording is written, if the disk takes it soon.
    pub(crate) fn close(mut self) {
        self.give_out();
        if let Some(recording) = self.recording.take() {
            recording.finish();
        }
    }

    fn filter(&self) {
        if self.is_open {
            return;
        }
        let peers: Vec<SocketAddr> = self.addresses.iter().map(|(_, address)| *address).collect();
        self.socket.admit_only(&peers);
    }
}
