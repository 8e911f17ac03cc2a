//! A node as a machine without I/O: datagrams, readings of the clock and calls go in, datagrams, events and lines of a
//! recording come out. It owns no clock, socket, file, thread or entropy, so whole clusters of nodes can be simulated.
//!
//! # Stalls
//! A node knows when it meant to be called. If it is called later than the assumption on its speed allows, it was stopped
//! or starved, and its timers say nothing about its peers: they are put off by as long as it did nothing, and by at least
//! a round trip, before anything else is looked at.

mod comparing;
mod datagrams;
mod gathering;
mod joining;
mod spreading;
mod steps;
mod telling;

use crate::assumptions::{AssumptionMonitor, Breach};
use crate::config::{ConfigError, MeetingCall, NodeConfig, NodeStart, SystemClocks};
use crate::counters::Counters;
use crate::event::{Announcement, NodeEvent, NodeEventKind};
use crate::hosted::{Host, Hosted};
use crate::membership::OpenMembership;
use crate::outbox::Outbox;
use crate::peers::Peers;
use crate::recording_line::{EndLine, RecordLine, RecordedModel, StallLine};
use crate::status::NodePhase;
use crate::timers::TimerTable;
use crate::transmit::{Transmit, TransmitQueue};
use crate::wire::{ClusterId, KeyRing, Sessions};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use telling::Lateness;
use watchkeeper_core::{MemberSet, Pid, Protocol};

const MS: u64 = 1_000_000;

/// A stall that is told in any case; shorter ones are told at most so often.
const LONG_STALL: u64 = 500 * MS;

/// By how much the wall clock may drift against the monotonic one between two looks before it has jumped.
const JUMP: i128 = 500_000_000;

/// One process of a protocol, running.
///
/// # Order of calls
/// Everything takes the time, `now`: nanoseconds of a clock that never goes back.
///
/// - *In*: [`handle_datagram`](Node::handle_datagram) for every datagram that has arrived; then
///   [`handle_timeout`](Node::handle_timeout), at [`next_timeout`](Node::next_timeout) or before. It fires at most one timer, so that
///   whatever has arrived comes before the next. [`handle_call`](Node::handle_call) and the other commands at any time.
///   [`handle_clock`](Node::handle_clock) when [`wants_clock`](Node::wants_clock).
/// - *Out*, after each of these, in this order: [`poll_record`](Node::poll_record), so that a step is written down before anybody else
///   learns of it; [`poll_transmit`](Node::poll_transmit); [`poll_event`](Node::poll_event); each until there is nothing more.
///
/// When [`next_timeout`](Node::next_timeout) is `None`, the node has ended, and nothing that is handed to it changes anything.
pub struct Node {
    host: Box<dyn Host>,
    /// Unknown before a node of an open cluster has joined it.
    me: Option<Pid>,
    /// Of an open cluster.
    membership: Option<Box<OpenMembership>>,
    cluster: String,
    clock_name: String,
    timers: TimerTable,
    outbox: Outbox,
    /// The numbers of the messages of the step that is being finished.
    numbers: Vec<Option<u64>>,
    sessions: Sessions,
    peers: Peers,
    tick: u64,
    monitor: AssumptionMonitor,
    lateness: Lateness,
    counters: Arc<Counters>,
    transmits: TransmitQueue,
    events: VecDeque<NodeEvent<Announcement>>,
    /// How many events were dropped because nobody polled.
    missed: u64,
    records: VecDeque<RecordLine>,
    recorded: Option<RecordedModel>,
    is_recording: bool,
    breaches: VecDeque<(u64, Breach)>,
    started: u64,
    gather_until: u64,
    /// Who has found all of its peers.
    ready: MemberSet,
    /// Whether others have begun already.
    is_called: bool,
    /// What to ask of the protocol when it begins, and when it leaves.
    opening: Option<Vec<u8>>,
    leave: Option<(Vec<u8>, u32)>,
    /// What to ask of it when it begins as a member that another has let in.
    meeting: Option<MeetingCall>,
    /// When the node next looks around even if nothing happens.
    pulse_at: u64,
    hello_at: u64,
    /// Until when peers are greeted often although the protocol runs: keys or addresses have changed.
    hurry_until: u64,
    /// The last moment at which the node was known to be awake.
    awake_at: u64,
    /// What the clocks showed at the last look, and how far the wall clock was ahead of the node's then.
    clock: SystemClocks,
    wall_ahead: i128,
    wants_clock: bool,
    /// How long the stall lasted whose datagrams are being taken in, and how many had come before it was noticed.
    catching_up: Option<(u64, u64)>,
    /// When a stall was last told.
    stall_told: Option<u64>,
    /// When to end, and how to call it.
    end_at: Option<(u64, &'static str)>,
}

impl Node {
    /// A node of a protocol, which begins to look for its peers at once.
    pub fn new<P: Protocol + Send + 'static>(
        protocol: P,
        config: NodeConfig,
        start: NodeStart,
    ) -> Result<Node, ConfigError> {
        let host = Box::new(Hosted::new(Arc::new(protocol), Vec::with_capacity(64)));
        Node::hosting(host, TimerTable::of::<P::Timer>(), config, start)
    }

    fn hosting(
        host: Box<dyn Host>,
        timers: TimerTable,
        config: NodeConfig,
        start: NodeStart,
    ) -> Result<Node, ConfigError> {
        let keys = config.validate()?;
        let NodeStart { now, clock, clock_name, entropy } = start;
        let tick = config.tick.as_nanos() as u64;
        let patience = u64::try_from(config.gather.as_nanos()).unwrap_or(u64::MAX);
        let peers = Peers::new(&config.peers);
        let drawn =
            |at: usize| entropy[at..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let cluster = ClusterId::of_name(&config.cluster);
        let incarnation = clock.incarnation(drawn(0));
        let membership =
            config.open.clone().map(|member| OpenMembership::new(now, member, patience, incarnation));
        let known: MemberSet = peers.numbers().collect();
        let counters = Counters::default();
        known.iter().for_each(|peer| drop(counters.count_peer(peer)));
        let mut node = Node {
            sessions: match membership {
                None => Sessions::new(cluster, keys, config.me, incarnation, known, entropy),
                Some(_) => Sessions::unnumbered(cluster, keys, incarnation, entropy),
            },
            host,
            me: membership.is_none().then_some(config.me),
            membership: membership.map(Box::new),
            timers,
            outbox: Outbox::new(config.seed.unwrap_or(drawn(8))),
            numbers: Vec::with_capacity(64),
            monitor: AssumptionMonitor::new(&config.assumptions, tick),
            lateness: Lateness::new(now),
            counters: Arc::new(counters),
            peers,
            tick,
            clock_name,
            cluster: config.cluster,
            transmits: TransmitQueue::new(),
            events: VecDeque::with_capacity(64),
            missed: 0,
            records: VecDeque::new(),
            recorded: config.recorded,
            is_recording: false,
            breaches: VecDeque::with_capacity(telling::BREACHES),
            started: now,
            gather_until: now.saturating_add(patience),
            ready: MemberSet::new(),
            is_called: false,
            opening: config.opening,
            leave: config.leave,
            meeting: config.meeting,
            pulse_at: now,
            hello_at: now,
            hurry_until: now,
            awake_at: now,
            clock,
            wall_ahead: clock.wall - i128::from(now),
            wants_clock: false,
            catching_up: None,
            stall_told: None,
            end_at: None,
        };
        node.me.iter().for_each(|me| node.counters.set_process(*me));
        node.enter(now);
        Ok(node)
    }

    /// Which process it is; `None` while it has not joined its cluster.
    pub fn process(&self) -> Option<Pid> {
        self.me
    }

    /// The incarnation that it is in.
    pub fn incarnation(&self) -> u64 {
        self.sessions.incarnation()
    }

    /// Its counters. Anyone may keep and read them.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.counters.phase() == NodePhase::Ended
    }

    /// When something is due next; `None` once the node has ended.
    pub fn next_timeout(&self) -> Option<u64> {
        if self.has_ended() {
            return None;
        }
        let timer = self.timers.first().map(|(_, due)| due);
        let end = self.end_at.map(|(at, _)| at);
        let gather = (!self.host.has_begun() && self.membership.is_none()).then_some(self.gather_until);
        let fixed = [Some(self.pulse_at), Some(self.hello_at), timer, end, gather];
        fixed.into_iter().flatten().min()
    }

    /// Lets happen what is due, at most one timer. Whatever has arrived must have been handed over before.
    pub fn handle_timeout(&mut self, now: u64) {
        if !self.wake(now) {
            return;
        }
        self.caught_up(now);
        if now >= self.pulse_at {
            // Often enough to notice a stall between two timers, seldom enough to cost nothing.
            self.pulse_at = now + self.tick.clamp(5 * MS, 100 * MS);
            self.wants_clock = true;
            self.count_losses(now);
        }
        if self.membership.is_some() {
            self.tend(now);
        } else {
            self.gather(now);
        }
        if let Some((slot, due)) = self.timers.take_due(now) {
            self.fire(now, slot, due);
        }
        self.end_if_due(now);
    }

    /// Whether the node asks for a reading of the clocks that it does not run by.
    pub fn wants_clock(&self) -> bool {
        self.wants_clock && !self.has_ended()
    }

    /// Takes a reading of the clocks that the node does not run by: it finds out whether the machine was suspended, and
    /// whether the wall clock was set.
    pub fn handle_clock(&mut self, now: u64, reading: SystemClocks) {
        if !self.wake(now) {
            return;
        }
        self.wants_clock = false;
        let slept = reading.suspended.saturating_sub(self.clock.suspended);
        let wall_ahead = reading.wall.saturating_sub(i128::from(now));
        // The wall clock goes on while a machine is suspended.
        let by = wall_ahead.saturating_sub(self.wall_ahead).saturating_sub(i128::from(slept));
        (self.clock, self.wall_ahead) = (reading, wall_ahead);
        if slept > self.monitor.lateness {
            self.stalled(now, slept, 0);
            self.caught_up(now);
        }
        if by.saturating_abs() > JUMP {
            let by = by.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
            self.counters.clock_jumps.add(1);
            self.tell(now, NodeEventKind::ClockJumped { by });
        }
    }

    /// Asks something of the protocol, packed. False if the bytes are no call of it. Before the protocol begins nothing can be
    /// asked of it, and the call is ignored.
    pub fn handle_call(&mut self, now: u64, call: &[u8]) -> bool {
        !self.wake(now) || self.call(now, call)
    }

    /// Uses other keys from now on. Sessions that come from a key that is gone end at once, and what was measured of peers
    /// begins anew, since whoever had the key may have had a part in it; peers are greeted under the current one.
    pub fn handle_keys(&mut self, now: u64, keys: &KeyRing) {
        if self.wake(now) {
            if self.sessions.rotate(keys) {
                self.peers.doubt();
                self.mark_left();
            }
            self.greet_soon(now);
        }
    }

    /// A peer is reached at this address from now on.
    pub fn handle_address(&mut self, now: u64, peer: Pid, address: SocketAddr) {
        if self.wake(now) && self.peers.readdress(peer, address) {
            self.greet_soon(now);
        }
    }

    /// Leaves: asks the protocol to, if it can, tells the peers, and ends.
    pub fn handle_leave(&mut self, now: u64) {
        // Who is leaving already goes on doing so.
        if !self.wake(now) || self.end_at.is_some() {
            return;
        }
        self.counters.set_phase(NodePhase::Leaving);
        let linger = self.leave.take().filter(|_| self.host.has_begun());
        let wait = linger.map_or(0, |(call, ticks)| {
            self.call(now, &call);
            u64::from(ticks).saturating_mul(self.tick)
        });
        self.end_at = Some((now.saturating_add(wait), "leave"));
        self.end_if_due(now);
    }

    /// Ends without leaving, as far as the protocol is concerned like a crash.
    pub fn handle_shutdown(&mut self, now: u64) {
        if self.wake(now) {
            self.end_at = Some((now, "shutdown"));
            self.end_if_due(now);
        }
    }

    /// The recording cannot be written: it ends here, and the node goes on.
    pub fn handle_recording_failed(&mut self, now: u64, why: &str) {
        self.is_recording = false;
        self.recorded = None;
        self.records.clear();
        self.tell(now, NodeEventKind::RecordingFailed { why: why.to_string() });
    }

    /// The next line of the recording. Lines come before the datagrams of their step.
    pub fn poll_record(&mut self) -> Option<RecordLine> {
        self.records.pop_front()
    }

    /// The next datagram to be sent.
    pub fn poll_transmit(&mut self) -> Option<Transmit<'_>> {
        self.transmits.next()
    }

    /// The datagrams to be sent, without taking them: for shells that send many with one call of the system.
    pub fn transmits(&self) -> impl ExactSizeIterator<Item = Transmit<'_>> {
        self.transmits.waiting()
    }

    /// So many of [`transmits`](Node::transmits) were sent, or given up.
    pub fn transmitted(&mut self, count: usize) {
        self.transmits.polled(count);
    }

    /// The next event.
    pub fn poll_event(&mut self) -> Option<NodeEvent<Announcement>> {
        let next = self.events.pop_front();
        if next.is_none() && self.missed > 0 {
            let kind = NodeEventKind::Missed(std::mem::take(&mut self.missed));
            return Some(NodeEvent {
                at: Duration::from_nanos(self.awake_at.saturating_sub(self.started)),
                kind,
            });
        }
        next
    }

    /// Finds out whether the node did nothing since it was last known to be awake, or meant to be. False if it has ended.
    fn wake(&mut self, now: u64) -> bool {
        let Some(meant) = self.next_timeout() else { return false };
        let late = now.saturating_sub(self.awake_at.max(meant));
        self.awake_at = self.awake_at.max(now);
        self.lateness.saw(now, late);
        if late > self.monitor.lateness {
            self.stalled(now, late, late);
        }
        true
    }

    /// The node did nothing for this long, of which its timers went on for `counted`. What has arrived meanwhile is handed
    /// over next.
    fn stalled(&mut self, now: u64, lasted: u64, counted: u64) {
        self.timers.put_off(counted, now.saturating_add(self.monitor.grace(self.tick)));
        self.record(RecordLine::Stall(StallLine { at: now, stall: lasted }));
        self.counters.stalls.add(1);
        self.counters.stalled.add(lasted);
        let (before, received) = self.catching_up.unwrap_or((0, self.counters.received.get()));
        self.catching_up = Some((before.saturating_add(lasted), received));
    }

    /// Everything that had arrived during a stall was handed over.
    fn caught_up(&mut self, now: u64) {
        let Some((lasted, received)) = self.catching_up.take() else { return };
        // A node that is late all the time says so now and then.
        if lasted > LONG_STALL || self.stall_told.is_none_or(|told| now.saturating_sub(told) > LONG_STALL) {
            self.stall_told = Some(now);
            let drained = self.counters.received.get() - received;
            self.tell(now, NodeEventKind::Stalled { lasted: Duration::from_nanos(lasted), drained });
        }
        let verdict = self.monitor.late(now, lasted);
        self.judge(now, verdict);
    }

    fn end_if_due(&mut self, now: u64) {
        if self.end_at.is_none() && self.sessions.is_used_up() {
            self.tell(now, NodeEventKind::NumbersUsedUp);
            self.end_at = Some((now, "used-up"));
        }
        let Some((_, how)) = self.end_at.filter(|(at, _)| now >= *at) else { return };
        if how == "leave" {
            self.farewell(now);
        }
        self.record(RecordLine::End(EndLine { at: now, end: how.to_string() }));
        self.counters.set_phase(NodePhase::Ended);
        self.tell(now, NodeEventKind::Ended);
    }

    /// Takes a line down, if anything is taken down.
    fn record(&mut self, line: RecordLine) {
        if self.is_recording {
            self.records.push_back(line);
        }
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (process, phase) = (self.me, self.counters.phase());
        f.debug_struct("Node").field("process", &process).field("phase", &phase).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod used_up_tests;
