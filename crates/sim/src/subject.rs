//! What is simulated: a protocol without its types, its model, the requirements that its runs should fulfil, and what can
//! be asked of it.

use watchkeeper_automaton::{ErasedObserver, ProtocolAutomaton};
use watchkeeper_core::Pid;
use watchkeeper_node::{Assumptions, ConfigError, Node, NodeConfig, NodeStart};
use watchkeeper_world::{Delay, DeliveryOrder, World};

/// A protocol that can be simulated.
pub struct SimulatedSubject {
    /// The number that `--n` would have.
    pub n: usize,
    /// Nanoseconds per unit of the model's time.
    pub tick: u64,
    /// Its model, without faults of processes: a run may have any.
    pub world: World,
    /// What its runs should fulfil.
    pub requirements: Vec<SimulatedRequirement>,
    /// What can be asked: of whom, packed, and how often.
    pub calls: Vec<(Pid, Vec<u8>, u32)>,
    /// What each process is asked as soon as it begins, packed.
    pub opening: Vec<Option<Vec<u8>>>,
    /// Whether a process that has crashed may start again.
    pub restarts: bool,
    /// Makes a node of it.
    pub node: NodeMaker,
    /// What nodes are told that their verdicts rest on.
    pub assumptions: Assumptions,
}

/// Makes a node of a protocol whose type is known behind it.
pub type NodeMaker = Box<dyn Fn(NodeConfig, NodeStart) -> Result<Node, ConfigError> + Send + Sync>;

/// A requirement on runs.
pub struct SimulatedRequirement {
    /// Its name on the command line.
    pub name: String,
    /// Who watches over it.
    pub observer: Box<dyn ErasedObserver>,
    /// Whether it holds in every run, whatever happens to messages and clocks. If not, it is asked of those runs alone
    /// that follow the model.
    pub always: bool,
}

impl SimulatedSubject {
    /// The protocol.
    pub(crate) fn automaton(&self) -> &dyn ProtocolAutomaton {
        &**self.world.automaton()
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.world.scenario().n
    }

    /// Whether the model's channels keep the order of messages.
    pub(crate) fn is_fifo(&self) -> bool {
        self.world.scenario().network.order == DeliveryOrder::Fifo
    }

    /// By how much a step may be late, in nanoseconds.
    pub fn precision(&self) -> u64 {
        self.tick / 2
    }

    /// The least and the most nanoseconds that a message may take. Of a round trip each way has half.
    pub fn delay(&self) -> (u64, Option<u64>) {
        let ns = |units: u32| u64::from(units).saturating_mul(self.tick);
        match self.world.scenario().time.timing() {
            None => (0, None),
            Some(timing) => match timing.delay {
                Delay::PerMessage(bound) => (ns(bound.lo()), bound.hi().map(ns)),
                Delay::RoundTrip(most) => (0, Some(ns(most) / 2)),
            },
        }
    }
}
