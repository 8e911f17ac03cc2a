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

use crate::assumptions::Monitor;
use crate::clock::{self, Clock};
use crate::counters::Counters;
use crate::event::{Event, Happened};
use crate::node::{Node, StartError};
use crate::outbox::Outbox;
use crate::peers::Peers;
use crate::record::{Recorder, Recording};
use crate::status::{Phase, Status};
use crate::timers::Timers;
use crate::wire::{ClusterId, Codec, Header, KeyRing, MAX_DATAGRAM, Sessions};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::time::Duration;
use telling::Lateness;
use tokio::net::UdpSocket;
use tokio::sync::{broadcast, mpsc, oneshot};
use watchkeeper_core::{Pid, ProcSet, Protocol, Slot};

/// How many datagrams are taken in before the loop looks at timers and commands again.
const BATCH: usize = 1024;

/// How many timers may fire before the loop looks at datagrams and commands again, for protocols that arm
/// timers that are due at once.
const FIRES: usize = 64;

const MS: u64 = 1_000_000;

/// What others may see of a node without asking it.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) counters: Counters,
    phase: AtomicU8,
}

impl Shared {
    pub(crate) fn phase(&self) -> Phase {
        Phase::from_number(self.phase.load(Relaxed))
    }
}

/// What a handle asks of its node.
pub(crate) enum Command<C> {
    Call(C, oneshot::Sender<()>),
    Status(oneshot::Sender<Box<Status>>),
    Rotate(Box<KeyRing>, oneshot::Sender<()>),
    Leave,
    Shutdown,
}

/// A node that runs.
pub(crate) struct Driver<P: Protocol> {
    protocol: P,
    me: Pid,
    cluster: String,
    state: Option<P::State>,
    timers: Timers,
    outbox: Outbox<P>,
    /// The headers of the messages of the step that is being finished, and their numbers.
    headers: Vec<Option<Header>>,
    numbers: Vec<Option<u64>>,
    socket: UdpSocket,
    /// The same socket: sending never waits, so it need not go through Tokio.
    sender: std::net::UdpSocket,
    inbox: Vec<u8>,
    datagram: Vec<u8>,
    codec: Codec,
    sessions: Sessions,
    peers: Peers,
    clock: Clock,
    tick: u64,
    monitor: Monitor,
    lateness: Lateness,
    shared: Arc<Shared>,
    events: broadcast::Sender<Event<P::Output>>,
    orders: mpsc::Receiver<Command<P::Call>>,
    recorder: Option<Recorder>,
    recording: Option<Recording>,
    breaches: VecDeque<(u64, crate::assumptions::Breach)>,
    started: u64,
    gather_until: u64,
    /// Who has found all of its peers.
    ready: ProcSet,
    /// Whether others have begun already.
    is_called: bool,
    leave: Option<(P::Call, u32)>,
    /// When the loop next looks around even if nothing happens.
    pulse_at: u64,
    hello_at: u64,
    /// When to end, and how to call it.
    end_at: Option<(u64, &'static str)>,
}

impl<P: Protocol> Driver<P> {
    /// Binds the socket and makes everything ready.
    pub(crate) async fn open(
        node: Node<P>,
        events: broadcast::Sender<Event<P::Output>>,
        orders: mpsc::Receiver<Command<P::Call>>,
        shared: Arc<Shared>,
    ) -> Result<Driver<P>, StartError> {
        let Node { protocol, me, bind, peers, cluster, keys, tick, assumptions, gather, leave, .. } = node;
        let refused = |why| StartError::Bind { address: bind, why };
        let sender = std::net::UdpSocket::bind(bind).map_err(refused)?;
        sender.set_nonblocking(true).map_err(refused)?;
        let socket = UdpSocket::from_std(sender.try_clone().map_err(refused)?).map_err(refused)?;
        let random = getrandom::u64().map_err(|why| StartError::Entropy(why.to_string()))?;
        let peers = Peers::new(&peers);
        let clock = Clock::new();
        let (now, tick) = (clock.now(), tick.as_nanos() as u64);
        let keys = keys.ok_or(StartError::NoKeys)?;
        Ok(Driver {
            me,
            state: None,
            timers: Timers::new(P::Timer::NAMES.len()),
            outbox: Outbox::new(node.seed.unwrap_or(random.rotate_left(32))),
            headers: Vec::with_capacity(64),
            numbers: Vec::with_capacity(64),
            socket,
            sender,
            inbox: vec![0; MAX_DATAGRAM + 1],
            datagram: Vec::with_capacity(2 * MAX_DATAGRAM),
            codec: Codec::new(ClusterId::of_name(&cluster), keys, me),
            sessions: Sessions::new(me, clock::new_life(random), peers.all()),
            cluster,
            peers,
            tick,
            monitor: Monitor::new(&assumptions, tick),
            lateness: Lateness::new(now),
            shared,
            events,
            orders,
            recorder: node.recorder,
            recording: None,
            breaches: VecDeque::with_capacity(telling::BREACHES),
            started: now,
            gather_until: now + gather.as_nanos() as u64,
            ready: ProcSet::EMPTY,
            is_called: false,
            leave,
            pulse_at: now,
            hello_at: now,
            end_at: None,
            clock,
            protocol,
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
            if let Some(command) = command {
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
        let gather = self.state.is_none().then_some(self.gather_until);
        let fixed = [Some(self.pulse_at), Some(self.hello_at), timer, end, gather];
        fixed.into_iter().flatten().min().unwrap_or(self.pulse_at)
    }

    /// Finds out whether the node was stalled since it meant to wake, and whether the wall clock was set.
    fn look_around(&mut self, wake: u64) {
        let now = self.clock.now();
        let late = now.saturating_sub(wake);
        self.lateness.saw(now, late);
        if late > self.monitor.lateness {
            self.stalled(now, late);
        }
        if now >= self.pulse_at {
            // Often enough to notice a stall between two timers, seldom enough to cost nothing.
            self.pulse_at = now + self.tick.clamp(5 * MS, 100 * MS);
            if let Some(by) = self.clock.jumped(now) {
                self.shared.counters.clock_jumps.add(1);
                self.tell(now, Happened::ClockJumped { by });
            }
            self.count_losses(now);
        }
    }

    /// The node did nothing for this long beyond the moment it meant to wake.
    fn stalled(&mut self, now: u64, late: u64) {
        self.timers.put_off(late, now + self.monitor.grace(self.tick));
        let before = self.shared.counters.received.get();
        self.take_in_all();
        let drained = self.shared.counters.received.get() - before;
        self.shared.counters.stalls.add(1);
        self.shared.counters.stalled.add(late);
        if let Some(recording) = &mut self.recording {
            let written = recording.stall(now, late);
            self.keep_recording(written);
        }
        let lasted = Duration::from_nanos(late);
        self.tell(now, Happened::Stalled { lasted, drained });
        let verdict = self.monitor.late(now, late);
        self.judge(now, verdict);
    }

    /// Takes in what has arrived, and lets what is due happen.
    fn advance(&mut self) {
        self.take_in_all();
        self.gather();
        for _ in 0..FIRES {
            let now = self.clock.now();
            let Some((slot, due)) = self.timers.take_due(now) else { return };
            self.fire(now, slot, due);
            // What has arrived by now comes before the next timer.
            self.take_in_all();
        }
    }

    fn obey(&mut self, command: Command<P::Call>) {
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
            Command::Leave => {
                self.set_phase(Phase::Leaving);
                let linger = self.leave.take().filter(|_| self.state.is_some());
                let wait = linger.map_or(0, |(call, ticks)| {
                    self.call(now, &call);
                    u64::from(ticks) * self.tick
                });
                self.end_at = Some((now + wait, "leave"));
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
        self.set_phase(Phase::Ended);
        self.tell(now, Happened::Ended);
    }

    fn set_phase(&self, phase: Phase) {
        self.shared.phase.store(phase.number(), Relaxed);
    }
}
