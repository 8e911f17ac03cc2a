//! The loop that runs a node: wait for a datagram, a timer or a command; take in everything that has arrived;
//! then let due timers fire, one at a time. Everything the node has is owned here by one task, so a protocol
//! is never entered twice.
//!
//! # Stalls
//! The loop knows when it meant to wake up. If it wakes later than the assumption on its speed allows, the node
//! was stopped or starved, and its timers say nothing about its peers: they are put off by as long as it did
//! nothing, and by at least a round trip, before anything else is looked at.

mod datagrams;
mod gathering;
mod steps;
mod telling;

use crate::assumptions::AssumptionMonitor;
use crate::clock::{self, NodeClock};
use crate::counters::Counters;
use crate::event::NodeEventKind;
use crate::hosted::{AnyCall, Host};
use crate::node::{NodeConfig, StartError};
use crate::outbox::Outbox;
use crate::peers::Peers;
use crate::record::{RecordingWriter, RunRecorder};
use crate::status::{NodePhase, Status};
use crate::timers::TimerTable;
use crate::wire::{ClusterId, Codec, DatagramHeader, KeyRing, MAX_DATAGRAM, Sessions};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Duration;
use telling::Lateness;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use watchkeeper_core::{Pid, ProcSet};

/// How many datagrams are taken in before the loop looks at timers and commands again.
const BATCH: usize = 1024;

/// How many timers may fire before the loop looks at datagrams and commands again, for protocols that arm
/// timers that are due at once.
const FIRES: usize = 64;

const MS: u64 = 1_000_000;

/// A stall that is told in any case; shorter ones are told at most so often.
const LONG_STALL: u64 = 500 * MS;

/// How much the system should hold of what has arrived and was not taken in yet.
const ROOM: usize = 4 << 20;

/// What others may see of a node without asking it.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) counters: Counters,
    phase: AtomicU8,
}

impl Shared {
    pub(crate) fn phase(&self) -> NodePhase {
        NodePhase::from_repr(self.phase.load(Relaxed)).unwrap_or(NodePhase::Ended)
    }
}

/// What a handle asks of its node.
pub(crate) enum Command {
    Call(AnyCall, oneshot::Sender<()>),
    Status(oneshot::Sender<Box<Status>>),
    Rotate(Box<KeyRing>, oneshot::Sender<()>),
    Leave,
    Shutdown,
}

/// The process that a node runs, with the timers that its protocol has.
pub(crate) struct HostedProcess {
    pub(crate) host: Box<dyn Host>,
    pub(crate) timers: TimerTable,
    /// What to ask of it when it begins.
    pub(crate) opening: Option<AnyCall>,
    /// What to ask of it when it leaves, and for how many ticks to stay on.
    pub(crate) leave: Option<(AnyCall, u32)>,
}

/// A node that runs.
pub(crate) struct Driver {
    host: Box<dyn Host>,
    me: Pid,
    cluster: String,
    timers: TimerTable,
    outbox: Outbox,
    /// The headers of the messages of the step that is being finished, and their numbers.
    headers: Vec<Option<DatagramHeader>>,
    numbers: Vec<Option<u64>>,
    socket: UdpSocket,
    /// The same socket without Tokio: sending never waits, and receiving must not wait for Tokio to notice.
    plain: std::net::UdpSocket,
    inbox: Vec<u8>,
    datagram: Vec<u8>,
    codec: Codec,
    sessions: Sessions,
    peers: Peers,
    clock: NodeClock,
    tick: u64,
    monitor: AssumptionMonitor,
    lateness: Lateness,
    shared: Arc<Shared>,
    orders: mpsc::Receiver<Command>,
    recorder: Option<RunRecorder>,
    recording: Option<RecordingWriter>,
    breaches: VecDeque<(u64, crate::assumptions::Breach)>,
    started: u64,
    gather_until: u64,
    /// Who has found all of its peers.
    ready: ProcSet,
    /// Whether others have begun already.
    is_called: bool,
    /// What to ask of the protocol when it begins.
    opening: Option<AnyCall>,
    leave: Option<(AnyCall, u32)>,
    /// When the loop next looks around even if nothing happens.
    pulse_at: u64,
    hello_at: u64,
    /// The last moment at which the node was known to be awake.
    awake_at: u64,
    /// Whether datagrams are taken in that waited while the node was stalled.
    catching_up: bool,
    /// When a stall was last told.
    stall_told: Option<u64>,
    /// When to end, and how to call it.
    end_at: Option<(u64, &'static str)>,
}

impl Driver {
    /// Binds the socket and makes everything ready.
    pub(crate) fn open(
        plan: NodeConfig,
        process: HostedProcess,
        orders: mpsc::Receiver<Command>,
        shared: Arc<Shared>,
    ) -> Result<Driver, StartError> {
        let NodeConfig { me, bind, peers, cluster, keys, tick, assumptions, gather, recorder, seed } = plan;
        let HostedProcess { host, timers, opening, leave } = process;
        let refused = |why: std::io::Error| match why.kind() {
            std::io::ErrorKind::AddrInUse => StartError::InUse { address: bind },
            _ => StartError::Bind { address: bind, why },
        };
        let plain = std::net::UdpSocket::bind(bind).map_err(refused)?;
        plain.set_nonblocking(true).map_err(refused)?;
        make_room(&plain);
        let socket = UdpSocket::from_std(plain.try_clone().map_err(refused)?).map_err(refused)?;
        let random = getrandom::u64().map_err(|why| StartError::Entropy(why.to_string()))?;
        let peers = Peers::new(&peers);
        let clock = NodeClock::new();
        let (now, tick) = (clock.now(), tick.as_nanos() as u64);
        let keys = keys.ok_or(StartError::NoKeys)?;
        Ok(Driver {
            host,
            me,
            timers,
            outbox: Outbox::new(seed.unwrap_or(random.rotate_left(32))),
            headers: Vec::with_capacity(64),
            numbers: Vec::with_capacity(64),
            socket,
            plain,
            inbox: vec![0; MAX_DATAGRAM + 1],
            datagram: Vec::with_capacity(2 * MAX_DATAGRAM),
            codec: Codec::new(ClusterId::of_name(&cluster), keys, me),
            sessions: Sessions::new(me, clock::new_incarnation(random), peers.all()),
            cluster,
            peers,
            tick,
            monitor: AssumptionMonitor::new(&assumptions, tick),
            lateness: Lateness::new(now),
            shared,
            orders,
            recorder,
            recording: None,
            breaches: VecDeque::with_capacity(telling::BREACHES),
            started: now,
            gather_until: now.saturating_add(gather.as_nanos() as u64),
            ready: ProcSet::EMPTY,
            is_called: false,
            opening,
            leave,
            pulse_at: now,
            hello_at: now,
            awake_at: now,
            catching_up: false,
            stall_told: None,
            end_at: None,
            clock,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        // A bound socket has an address; if the system will not tell, nobody can be told either.
        self.socket.local_addr().unwrap_or(SocketAddr::from(([0, 0, 0, 0], 0)))
    }

    /// Runs until it is told to end.
    pub(crate) async fn run(mut self) {
        let sleep = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(sleep);
        let mut listening = true;
        loop {
            let wake = self.next_wake();
            sleep.as_mut().reset(self.clock.instant(wake));
            let mut command = None;
            tokio::select! {
                biased;
                () = &mut sleep => {}
                ready = self.socket.readable() => if ready.is_err() {
                    self.shared.counters.receive_errors.add(1);
                },
                order = self.orders.recv(), if listening => match order {
                    Some(order) => command = Some(order),
                    // Nobody is left to give orders; the node goes on.
                    None => listening = false,
                },
            }
            self.look_around(wake);
            self.advance();
            // A socket that always has something must not keep commands waiting.
            if let Some(command) = command.or_else(|| self.orders.try_recv().ok()) {
                self.obey(command);
            }
            if self.is_over() {
                return self.end();
            }
            // A flood of datagrams must not starve the tasks that share this thread.
            tokio::task::yield_now().await;
        }
    }

    /// When something is due next.
    fn next_wake(&self) -> u64 {
        let timer = self.timers.first().map(|(_, due)| due);
        let end = self.end_at.map(|(at, _)| at);
        let gather = (!self.host.has_begun()).then_some(self.gather_until);
        let fixed = [Some(self.pulse_at), Some(self.hello_at), timer, end, gather];
        fixed.into_iter().flatten().min().unwrap_or(self.pulse_at)
    }

    /// Finds out whether the node was stalled since it meant to wake, and whether the clocks were tampered with.
    fn look_around(&mut self, wake: u64) {
        self.awake_at = self.awake_at.max(wake);
        let mut now = self.notice_stall();
        if now >= self.pulse_at {
            let slept = self.clock.slept();
            if slept > self.monitor.lateness {
                self.stalled(now, slept, 0);
                now = self.clock.now();
            }
            // Often enough to notice a stall between two timers, seldom enough to cost nothing.
            self.pulse_at = now + self.tick.clamp(5 * MS, 100 * MS);
            if let Some(by) = self.clock.jumped(now) {
                self.shared.counters.clock_jumps.add(1);
                self.tell(now, NodeEventKind::ClockJumped { by });
            }
            self.count_losses(now);
        }
    }

    /// Finds out whether the node did nothing since it was last known to be awake, or meant to be; returns the
    /// time.
    fn notice_stall(&mut self) -> u64 {
        let now = self.clock.now();
        let late = now.saturating_sub(self.awake_at);
        self.awake_at = now;
        self.lateness.saw(now, late);
        if late > self.monitor.lateness {
            self.stalled(now, late, late);
        }
        // Catching up took time: what happens next happens after what was taken in.
        self.awake_at
    }

    /// The node did nothing for this long, of which its timers went on for `counted`.
    fn stalled(&mut self, now: u64, lasted: u64, counted: u64) {
        self.timers.put_off(counted, now.saturating_add(self.monitor.grace(self.tick)));
        if let Some(recording) = &mut self.recording {
            let written = recording.stall(now, lasted);
            self.keep_recording(written);
        }
        let before = self.shared.counters.received.get();
        self.catching_up = true;
        self.take_in_all();
        self.catching_up = false;
        let drained = self.shared.counters.received.get() - before;
        self.shared.counters.stalls.add(1);
        self.shared.counters.stalled.add(lasted);
        // A node that is late all the time says so now and then.
        if lasted > LONG_STALL || self.stall_told.is_none_or(|told| now.saturating_sub(told) > LONG_STALL) {
            self.stall_told = Some(now);
            self.tell(now, NodeEventKind::Stalled { lasted: Duration::from_nanos(lasted), drained });
        }
        let verdict = self.monitor.late(now, lasted);
        self.judge(now, verdict);
        self.awake_at = self.clock.now();
    }

    /// Takes in what has arrived, and lets what is due happen.
    fn advance(&mut self) {
        self.take_in_all();
        self.gather();
        for _ in 0..FIRES {
            // The last step may have been held up: then what follows from it is put off first.
            let now = self.notice_stall();
            let Some((slot, due)) = self.timers.take_due(now) else { return };
            self.fire(now, slot, due);
            // What has arrived by now comes before the next timer.
            self.take_in_all();
        }
    }

    fn obey(&mut self, command: Command) {
        let now = self.clock.now();
        // Whoever asked may have gone away, and need not be answered then.
        match command {
            Command::Call(call, done) => {
                self.call(now, &call);
                let _ = done.send(());
            }
            Command::Status(answer) => {
                let _ = answer.send(Box::new(self.status(now)));
            }
            Command::Rotate(keys, done) => {
                self.codec = Codec::new(ClusterId::of_name(&self.cluster), *keys, self.me);
                let _ = done.send(());
            }
            Command::Shutdown => self.end_at = Some((now, "shutdown")),
            // Who is leaving already goes on doing so.
            Command::Leave if self.end_at.is_some() => {}
            Command::Leave => {
                self.set_phase(NodePhase::Leaving);
                let linger = self.leave.take().filter(|_| self.host.has_begun());
                let wait = linger.map_or(0, |(call, ticks)| {
                    self.call(now, &call);
                    u64::from(ticks).saturating_mul(self.tick)
                });
                self.end_at = Some((now.saturating_add(wait), "leave"));
            }
        }
    }

    fn is_over(&self) -> bool {
        self.end_at.is_some_and(|(at, _)| self.clock.now() >= at)
    }

    fn end(mut self) {
        let now = self.clock.now();
        let how = self.end_at.map_or("shutdown", |(_, how)| how);
        if how == "leave" {
            self.farewell();
        }
        if let Some(recording) = &mut self.recording {
            let written = recording.end(now, how);
            self.keep_recording(written);
        }
        self.set_phase(NodePhase::Ended);
        self.tell(now, NodeEventKind::Ended);
    }

    fn set_phase(&self, phase: NodePhase) {
        self.shared.phase.store(phase as u8, Relaxed);
    }
}

/// Asks for room for datagrams that wait. Less than asked for is no reason not to run.
fn make_room(socket: &std::net::UdpSocket) {
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size(socket, ROOM);
}
