//! How Kubernetes finds out that a node is gone: a chain of timeouts from the kubelet's lease to the eviction of pods, and
//! the API server in the middle, whose connection to etcd may hang.
//!
//! The Kubernetes documentation, "Nodes" (heartbeats, node controller) and "Taints and tolerations"; the kubelet's lease
//! controller; `node_lifecycle_controller.go`; and kubernetes/kubernetes issues 121793 and 127352, in which nodes flap when a
//! connection to etcd hangs for as long as the grace period.
//!
//! # The chain
//! - p0 is the node lifecycle controller. Every `poll` (5 s) it looks at all nodes. A lease that was renewed since the last look
//!   is young at this look, however old it is: its age is counted from the look that saw it. One that no look has seen
//!   renewed for `grace` (40 s, since version 1.32 50 s) makes its node not ready; one that was renewed, ready again.
//! - A look taints the nodes that an earlier look has marked not ready: by then the mark is what the controller reads
//!   about the node. A node that is tainted for `toleration` (300 s) loses its pods.
//! - While no node at all is ready, nothing is tainted and the taints that there are go: the controller takes it that the
//!   fault is its own ("full disruption"). So a cluster of one node never evicts.
//! - p1 is the API server of the kubelets. It passes each renewal on to whoever watches leases.
//! - All others are kubelets, which renew their lease every `renewal` (10 s).
//!
//! # The hanging connection
//! The API server notices that an etcd member is gone when a keep-alive of its connection fails: `keepalive` (30 s and a
//! timeout of 10 s) after the member went silent. Until then every write hangs, and renewals with them. Then it
//! connects to another member, and the kubelets, which have retried all the time, get through at once. A client may tell p1
//! that the connection hangs ([`KubernetesCall::Hang`]).
//!
//! # Where the sources leave a choice
//! - The node controller watches through an API server of its own, which does not hang, as in a cluster with several. With
//!   one server its writes would hang too and come through at the same moment as the renewals, in either order.
//! - A kubelet begins somewhere in its period, and so does the controller: nothing brings them in step. Leases count as
//!   renewed at the start.
//! - A renewal that hangs is kept by p1 until the connection is back. That stands for the kubelet's retries, whose own timeout
//!   is as long as its period.
//! - Renewals are exactly `renewal` apart. The kubelet's are up to 4 % further apart, at random, and by as much as a renewal
//!   takes.
//! - Looks are exactly `poll` apart and take no time. The controller's take some, and the next begins `poll` after the end
//!   of one. So a lease whose age by looks is exactly `grace` is older than that in the controller, and here it is too old.
//! - A taint is there at the look that asks for it. The controller puts it into a queue, which is emptied ten times a
//!   second, but by no more than one node in 10 s; and by none in a small cluster of which three nodes or more, and 55 % of all,
//!   are not ready. Those rates are left out: in a cluster where many nodes fail, pods stay longer than here.
//! - All nodes are in one zone.
//! - The kubelet itself reports that its node is ready; here the controller says so at the look that sees the lease renewed.
//!   A status that a kubelet posts, at a change or once in 5 minutes, counts like a renewal for the controller, and is left out.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Pack, PerProc, Pid, ProcSet, Promises, Protocol,
    Slot, Time, Tone,
};

/// The node lifecycle controller.
const CONTROLLER: Pid = Pid::at(0);

/// The API server.
const SERVER: Pid = Pid::at(1);

/// The most nodes.
const MAX_NODES: usize = MAX_PROCESSES - 2;

/// The chain, for a number of nodes, with durations `T`.
///
/// Messages that a process cannot have been sent are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kubernetes<T = u32> {
    nodes: usize,
    durations: KubernetesDurations<T>,
    verdict: KubernetesVerdict,
    hangs: u32,
}

/// The durations of the chain, of type `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KubernetesDurations<T = u32> {
    /// The time between two renewals of a lease.
    pub renewal: T,
    /// The time between two looks of the controller.
    pub poll: T,
    /// The age, by the looks since one has seen it renewed, from which on a lease means that its node is not ready.
    pub grace: T,
    /// The time for which pods tolerate that their node is tainted.
    pub toleration: T,
    /// The time after which the API server notices that its connection to etcd hangs.
    pub keepalive: T,
}

/// What counts as a suspicion of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum KubernetesVerdict {
    /// That it is not ready.
    NotReady,
    /// That its pods are evicted.
    Evicted,
}

impl<T: Time> Kubernetes<T> {
    /// The chain for so many nodes, in which a node that is not ready is suspected.
    pub fn new(nodes: usize, durations: KubernetesDurations<T>) -> Result<Kubernetes<T>, KubernetesError> {
        if !(1..=MAX_NODES).contains(&nodes) {
            return Err(KubernetesError::Nodes { nodes });
        }
        if durations.renewal.is_zero() {
            return Err(KubernetesError::NoRenewal);
        }
        if durations.poll.is_zero() {
            return Err(KubernetesError::NoPoll);
        }
        Ok(Kubernetes { nodes, durations, verdict: KubernetesVerdict::NotReady, hangs: 0 })
    }

    /// This chain with something else as a suspicion.
    #[must_use]
    pub fn suspecting(self, verdict: KubernetesVerdict) -> Kubernetes<T> {
        Kubernetes { verdict, ..self }
    }

    /// This chain in a cluster where the connection to etcd hangs so often.
    #[must_use]
    pub fn hanging(self, hangs: u32) -> Kubernetes<T> {
        Kubernetes { hangs, ..self }
    }

    /// What may be told, to whom and how often: that the connection hangs.
    pub fn calls(&self) -> Vec<(Pid, KubernetesCall, u32)> {
        if self.hangs == 0 { Vec::new() } else { vec![(SERVER, KubernetesCall::Hang, self.hangs)] }
    }

    /// The number of processes: the nodes, the controller and the API server.
    pub fn processes(&self) -> usize {
        self.nodes + 2
    }

    /// The durations.
    pub fn durations(&self) -> KubernetesDurations<T> {
        self.durations
    }

    /// What counts as a suspicion.
    pub fn verdict(&self) -> KubernetesVerdict {
        self.verdict
    }

    /// The processes that are nodes.
    pub fn nodes(&self) -> ProcSet {
        ProcSet::first(self.processes()).without(CONTROLLER).without(SERVER)
    }

    /// The suspects of process `me`: nodes, and only the controller has any.
    pub fn suspects(&self, me: Pid, state: &KubernetesState) -> ProcSet {
        let KubernetesState::Controller { conditions, .. } = state else { return ProcSet::EMPTY };
        let suspected = |node: &Pid| match (self.verdict, conditions.get(*node)) {
            (_, None | Some(NodeCondition::Ready { .. })) => false,
            (KubernetesVerdict::NotReady, Some(_)) => true,
            (KubernetesVerdict::Evicted, Some(condition)) => *condition == NodeCondition::Evicted,
        };
        if me == CONTROLLER { self.nodes().iter().filter(suspected).collect() } else { ProcSet::EMPTY }
    }

    /// The controller hears of a lease that was renewed, and will see it at its next look.
    fn renewed(&self, node: Pid, state: &mut KubernetesState) {
        let KubernetesState::Controller { renewed, .. } = state else { return };
        if self.nodes().contains(node) {
            renewed.insert(node);
        }
    }

    /// The controller looks at all nodes: first at their leases, then at what earlier looks have marked.
    fn look(&self, state: &mut KubernetesState, fx: &mut impl Effects<Kubernetes<T>, T>) {
        let KubernetesState::Controller { renewed, conditions } = state else { return };
        let mut marked = ProcSet::EMPTY;
        let mut disrupted = true;
        for node in self.nodes().iter() {
            let Some(condition) = conditions.get_mut(node) else { continue };
            self.see(node, renewed.contains(node), condition, &mut marked, fx);
            disrupted &= !matches!(condition, NodeCondition::Ready { .. });
        }
        for node in self.nodes().iter() {
            let Some(condition) = conditions.get_mut(node) else { continue };
            match condition {
                NodeCondition::NotReady if !disrupted && !marked.contains(node) => {
                    *condition = NodeCondition::Tainted;
                    fx.arm(KubernetesTimer::Toleration(node), Bound::exactly(self.durations.toleration));
                }
                NodeCondition::Tainted if disrupted => {
                    *condition = NodeCondition::NotReady;
                    fx.disarm(KubernetesTimer::Toleration(node));
                }
                _ => {}
            }
        }
        *renewed = ProcSet::EMPTY;
        fx.arm(KubernetesTimer::Poll, Bound::exactly(self.durations.poll));
    }

    /// The controller looks at one lease, and marks its node if that is no longer what it was.
    fn see(
        &self,
        node: Pid,
        renewed: bool,
        condition: &mut NodeCondition,
        marked: &mut ProcSet,
        fx: &mut impl Effects<Kubernetes<T>, T>,
    ) {
        let KubernetesDurations { poll, grace, .. } = self.durations;
        match *condition {
            NodeCondition::Ready { .. } if renewed => *condition = NodeCondition::Ready { looks: 0 },
            NodeCondition::Ready { looks } => {
                let looks = looks.saturating_add(1);
                if poll.scaled(looks, 1).less(grace) {
                    *condition = NodeCondition::Ready { looks };
                } else {
                    *condition = NodeCondition::NotReady;
                    marked.insert(node);
                    fx.emit(KubernetesOutput::NotReady(node));
                }
            }
            before if renewed => {
                *condition = NodeCondition::Ready { looks: 0 };
                fx.emit(KubernetesOutput::Ready(node));
                if before == NodeCondition::Tainted {
                    fx.disarm(KubernetesTimer::Toleration(node));
                }
            }
            _ => {}
        }
    }

    /// The pods of a node have tolerated its taint for long enough.
    fn evict(&self, node: Pid, state: &mut KubernetesState, fx: &mut impl Effects<Kubernetes<T>, T>) {
        let KubernetesState::Controller { conditions, .. } = state else { return };
        let Some(condition) = conditions.get_mut(node).filter(|_| self.nodes().contains(node)) else {
            return;
        };
        if *condition == NodeCondition::Tainted {
            *condition = NodeCondition::Evicted;
            fx.emit(KubernetesOutput::Evicted(node));
        }
    }

    /// The connection of the API server hangs.
    fn hang(&self, state: &mut KubernetesState, fx: &mut impl Effects<Kubernetes<T>, T>) {
        if let KubernetesState::Server { held: held @ None } = state {
            *held = Some(ProcSet::EMPTY);
            fx.arm(KubernetesTimer::KeepAlive, Bound::exactly(self.durations.keepalive));
        }
    }

    /// The API server takes a renewal of a node, or gives its connection up.
    fn serve(
        &self,
        renewal: Option<Pid>,
        state: &mut KubernetesState,
        fx: &mut impl Effects<Kubernetes<T>, T>,
    ) {
        let KubernetesState::Server { held } = state else { return };
        match (renewal, held) {
            (Some(node), Some(held)) => held.insert(node),
            (Some(node), None) => fx.send(CONTROLLER, KubernetesMsg::Lease(node)),
            (None, Some(all)) => {
                let all = all.intersection(self.nodes());
                *state = KubernetesState::Server { held: None };
                all.iter().for_each(|node| fx.send(CONTROLLER, KubernetesMsg::Lease(node)));
            }
            (None, None) => {}
        }
    }
}

impl<T: Time> Protocol<T> for Kubernetes<T> {
    type State = KubernetesState;
    type Msg = KubernetesMsg;
    type Timer = KubernetesTimer;
    type Call = KubernetesCall;
    type Output = KubernetesOutput;

    fn init(&self, me: Pid, fx: &mut impl Effects<Self, T>) -> KubernetesState {
        match me {
            CONTROLLER => {
                fx.arm(KubernetesTimer::Poll, Bound::within(self.durations.poll));
                let conditions = PerProc::new(self.processes(), NodeCondition::Ready { looks: 0 });
                KubernetesState::Controller { renewed: self.nodes(), conditions }
            }
            SERVER => KubernetesState::Server { held: None },
            _ => {
                fx.arm(KubernetesTimer::Renewal, Bound::within(self.durations.renewal));
                KubernetesState::Node
            }
        }
    }

    fn step(
        &self,
        me: Pid,
        state: &mut KubernetesState,
        input: Input<'_, Self, T>,
        fx: &mut impl Effects<Self, T>,
    ) {
        match (me, input) {
            (CONTROLLER, Input::Fire(KubernetesTimer::Poll)) => self.look(state, fx),
            (CONTROLLER, Input::Fire(KubernetesTimer::Toleration(node))) => self.evict(node, state, fx),
            (CONTROLLER, Input::Receive { from: SERVER, msg: KubernetesMsg::Lease(node) }) => {
                self.renewed(*node, state);
            }
            (SERVER, Input::Receive { from, msg: KubernetesMsg::Renew }) if self.nodes().contains(from) => {
                self.serve(Some(from), state, fx);
            }
            (SERVER, Input::Fire(KubernetesTimer::KeepAlive)) => self.serve(None, state, fx),
            (SERVER, Input::Call(KubernetesCall::Hang)) => self.hang(state, fx),
            (node, Input::Fire(KubernetesTimer::Renewal)) if self.nodes().contains(node) => {
                fx.send(SERVER, KubernetesMsg::Renew);
                fx.arm(KubernetesTimer::Renewal, Bound::exactly(self.durations.renewal));
            }
            _ => {}
        }
    }

    fn meaning(&self, output: &KubernetesOutput) -> Meaning {
        match (self.verdict, *output) {
            (KubernetesVerdict::NotReady, KubernetesOutput::NotReady(node))
            | (KubernetesVerdict::Evicted, KubernetesOutput::Evicted(node)) => Meaning::Suspects(node),
            (_, KubernetesOutput::Ready(node)) => Meaning::Trusts(node),
            _ => Meaning::Other(Tone::Alarm),
        }
    }
}

impl<T: Time> Promises<T> for Kubernetes<T> {
    fn reaches(&self, me: Pid, _: &KubernetesState) -> ProcSet {
        match me {
            CONTROLLER => ProcSet::EMPTY,
            SERVER => ProcSet::only(CONTROLLER),
            _ => ProcSet::only(SERVER),
        }
    }
}

/// The local state, by the role of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub enum KubernetesState {
    /// Of the node lifecycle controller.
    Controller {
        /// The nodes whose lease was renewed since the last look.
        renewed: ProcSet,
        /// What the last look made of each node; p0 and p1, which are none, stay as they were.
        conditions: PerProc<NodeCondition>,
    },
    /// Of the API server.
    Server {
        /// The nodes whose renewals hang, while the connection does.
        held: Option<ProcSet>,
    },
    /// Of a kubelet.
    Node,
}

/// What the controller makes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pack)]
pub enum NodeCondition {
    /// It is ready.
    Ready {
        /// How many looks ago its lease was seen to be renewed.
        looks: u32,
    },
    /// It is not ready, and not tainted.
    NotReady,
    /// It is not ready and tainted: its pods tolerate that for a time.
    Tainted,
    /// Its pods are evicted.
    Evicted,
}

/// The messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum KubernetesMsg {
    /// A kubelet renews its lease.
    #[kind("renew")]
    Renew,
    /// The lease of this node was renewed.
    #[kind("lease")]
    Lease(Pid),
}

/// The timer slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Slot)]
pub enum KubernetesTimer {
    /// The controller's next look at all nodes.
    #[slot("poll")]
    Poll,
    /// A kubelet's next renewal.
    #[slot("renewal")]
    Renewal,
    /// The keep-alive of the connection to etcd fails.
    #[slot("keep-alive")]
    KeepAlive,
    /// The pods of this node tolerate its taint no longer.
    #[slot("toleration of")]
    Toleration(Pid),
}

/// What may be told to the API server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum KubernetesCall {
    /// Its connection to etcd hangs from now on.
    #[kind("etcd hangs")]
    Hang,
}

/// The announcements of the controller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pack, Kind)]
pub enum KubernetesOutput {
    /// This node is not ready.
    #[kind("not ready")]
    NotReady(Pid),
    /// This node is ready again.
    #[kind("ready")]
    Ready(Pid),
    /// The pods of this node are evicted.
    #[kind("evict")]
    Evicted(Pid),
}

/// An invalid configuration of the chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KubernetesError {
    /// The number of nodes is not possible.
    #[error("{nodes} nodes are not possible: choose from 1 to {max}", max = MAX_NODES)]
    Nodes {
        /// The number that was asked for.
        nodes: usize,
    },
    /// Leases are renewed without time between.
    #[error("a renewal every 0 is without end at one moment: choose 1 or more")]
    NoRenewal,
    /// The controller looks without time between.
    #[error("a poll every 0 is without end at one moment: choose 1 or more")]
    NoPoll,
}
