//! The machine that a simulated process runs on: its clocks, its socket, its disk, and the process itself while it is up.

use crate::bare::BareProcess;
use crate::clock::DriftingClock;
use crate::nemesis::mixed;
use crate::plan::{KeyStep, SimulationPlan};
use crate::process::{Parcel, SimulatedProcess};
use crate::rotation::SimulatedKeys;
use crate::simulation::{CLUSTER, SimulationDepth};
use crate::subject::SimulatedSubject;
use crate::whole_node::{WholeNode, address};
use std::collections::VecDeque;
use std::time::Duration;
use watchkeeper_core::{MAX_PROCESSES, Pid, Recording};
use watchkeeper_node::{NodeConfig, NodeStart, RecordedModel, SystemClocks};

/// What machines' clocks show when a run begins.
const BOOTED: u64 = 3_600_000_000_000;

/// What their wall clocks show then, in nanoseconds since 1970.
const TODAY: i128 = 1_800_000_000_000_000_000;

/// For how many ticks nodes wait for each other.
const GATHER: u32 = 20;

/// The machine of one process.
pub(crate) struct HostMachine<'a> {
    me: Pid,
    pub(crate) process: Option<Box<dyn SimulatedProcess + 'a>>,
    pub(crate) clock: DriftingClock,
    clock_name: String,
    /// What the wall clock is ahead by, beyond the time of the run.
    pub(crate) wall: i128,
    /// How many incarnations there were, when the last started, its number, and the place of its recording.
    pub(crate) births: u64,
    pub(crate) born: u64,
    pub(crate) incarnation: u64,
    pub(crate) recording: Option<usize>,
    /// When its last incarnation began.
    pub(crate) begun: u64,
    /// Whether an incarnation of it has ever begun.
    pub(crate) has_begun: bool,
    pub(crate) inbox: VecDeque<Parcel>,
    /// Of each process, the incarnation whose message was taken in last, and when that was sent.
    pub(crate) heard: Vec<(u64, u64)>,
    /// To each process, the second in which datagrams without a message were last sent, and how many.
    pub(crate) words: Vec<(u64, usize)>,
    /// Until when the process is stopped.
    pub(crate) stopped: u64,
    /// The wake-up that counts.
    pub(crate) ticket: u64,
    /// The step of a rotation of keys that it took last, and whether the process has yet to read the keys.
    pub(crate) rotated: Option<KeyStep>,
    pub(crate) rotates: bool,
    /// Whether the disk has just become full, and whether the recording has ended because of it.
    pub(crate) full_disk: bool,
    pub(crate) disk_is_gone: bool,
}

impl<'a> HostMachine<'a> {
    pub(crate) fn new(me: Pid, plan: &SimulationPlan) -> HostMachine<'a> {
        let offset = if plan.one_clock { 0 } else { mixed(plan.seed, 0xc10c + me.index() as u64) % BOOTED };
        HostMachine {
            me,
            process: None,
            clock: DriftingClock::new(BOOTED + offset),
            clock_name: if plan.one_clock { "the machine".to_string() } else { format!("machine {me}") },
            wall: 0,
            births: 0,
            born: 0,
            incarnation: 0,
            recording: None,
            begun: 0,
            has_begun: false,
            inbox: VecDeque::new(),
            heard: vec![(0, 0); MAX_PROCESSES],
            words: vec![(0, 0); MAX_PROCESSES],
            stopped: 0,
            ticket: 0,
            rotated: None,
            rotates: false,
            full_disk: false,
            disk_is_gone: false,
        }
    }

    /// What the clocks show that a node does not run by.
    pub(crate) fn reading(&self, now: u64) -> SystemClocks {
        SystemClocks { wall: TODAY + i128::from(now) + self.wall, suspended: 0 }
    }

    /// A recording of this machine with nothing in it.
    pub(crate) fn blank(&self, incarnation: u64) -> Recording {
        Recording {
            process: self.me,
            incarnation,
            clock: self.clock_name.clone(),
            steps: Vec::new(),
            stalls: Vec::new(),
            ended: None,
        }
    }

    /// Starts the next incarnation; false if there can be none.
    pub(crate) fn start(
        &mut self,
        now: u64,
        subject: &'a SimulatedSubject,
        plan: &SimulationPlan,
        depth: SimulationDepth,
        keys: &SimulatedKeys,
    ) -> bool {
        self.births += 1;
        (self.born, self.stopped, self.recording) = (now, 0, None);
        self.heard.fill((0, 0));
        (self.full_disk, self.disk_is_gone, self.rotates) = (false, false, false);
        let seed = mixed(mixed(plan.seed, 0xb1c0), incarnation(self.me, self.births));
        self.process = match depth {
            SimulationDepth::Bare => {
                let number = incarnation(self.me, self.births);
                let opening = subject.opening.get(self.me.index()).and_then(|call| call.as_deref());
                let ends = (self.me, subject.processes());
                let bare = BareProcess::new(subject.automaton(), ends, number, subject.tick, opening, seed);
                Some(Box::new(bare))
            }
            SimulationDepth::Nodes => {
                let (config, start) = (self.config(subject, keys), self.node_start(now, seed));
                let node = (subject.node)(config, start).ok();
                node.map(|node| Box::new(WholeNode::new(node)) as Box<dyn SimulatedProcess>)
            }
        };
        self.incarnation = self.process.as_ref().map_or(0, |process| process.incarnation());
        self.process.is_some()
    }

    fn config(&self, subject: &SimulatedSubject, keys: &SimulatedKeys) -> NodeConfig {
        let tick = Duration::from_nanos(subject.tick);
        let peers = Pid::all(subject.processes()).filter(|peer| *peer != self.me);
        let mut config = NodeConfig::new(self.me);
        config.peers = peers.map(|peer| (peer, Some(address(peer)))).collect();
        config.cluster = CLUSTER.to_string();
        config.keys = Some(keys.ring(self.rotated));
        config.tick = tick;
        config.assumptions = subject.assumptions.clone();
        config.gather = tick * GATHER;
        config.recorded = Some(RecordedModel::default());
        config.opening = subject.opening.get(self.me.index()).cloned().flatten();
        config
    }

    fn node_start(&self, now: u64, seed: u64) -> NodeStart {
        let mut entropy = [0; 32];
        for (place, chunk) in entropy.chunks_exact_mut(8).enumerate() {
            chunk.copy_from_slice(&mixed(seed, place as u64).to_le_bytes());
        }
        NodeStart {
            now: self.clock.read(now),
            clock: self.reading(now),
            clock_name: self.clock_name.clone(),
            entropy,
        }
    }
}

/// The number of an incarnation of a protocol alone.
pub(crate) fn incarnation(process: Pid, births: u64) -> u64 {
    1000 * births + process.index() as u64
}
