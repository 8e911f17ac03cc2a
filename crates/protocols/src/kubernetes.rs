//! How Kubernetes finds out that a node is gone: a chain of timeouts from the kubelet's lease to the eviction of pods, and
//! the API server in the middle, whose connection to etcd may hang.
//!
//! The Kubernetes documentation, "Nodes" (heartbeats, node controller) and "Taints and tolerations"; the kubelet's lease
//! controller; `node_lifecycle_controller.go`; and kubernetes/kubernetes issues 121793 and 127352, in which nodes flap when a
//! connection to etcd hangs for as long as the grace period.
//!
//! # The chain
//! - p0 is the node lifecycle controller. Every `poll` (5 s) it looks at all nodes: one whose lease it has not seen renewed
//!   for `grace` (40 s, since version 1.32 50 s) is marked not ready. A node that has renewed its lease meanwhile is marked ready
//!   again. A node that stays not ready for `toleration` (300 s) loses its pods.
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
//! - The kubelet itself reports that its node is ready; here the controller says so at its next look.

use watchkeeper_core::{
    Bound, Effects, Input, Kind, MAX_PROCESSES, Meaning, Pack, Pid, ProcSet, Promises, Protocol, Slot, Time,
    Tone,
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
    /// The age from which on a lease means that its node is not ready.
    pub grace: T,
    /// The time for which pods tolerate a node that is not ready.
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

    /// The processes that are nodes.
    pub fn nodes(&self) -> ProcSet {
        ProcSet::first(self.processes()).without(CONTROLLER).without(SERVER)
    }

    /// The suspects of process `me`: nodes, and only the controller has any.
    pub fn suspects(&self, me: Pid, state: &KubernetesState) -> ProcSet {
        match (self.verdict, state) {
            (KubernetesVerdict::NotReady, KubernetesState::Controller { unready, .. })
                if me == CONTROLLER =>
            {
                unready.intersection(self.nodes())
            }
            (KubernetesVerdict::Evicted, KubernetesState::Controller { evicted, .. }) if me == CONTROLLER => {
                evicted.intersection(self.nodes())
            }
            _ => ProcSet::EMPTY,
        }
    }

    /// The controller sees a lease that was renewed.
    fn renewed(&self, node: Pid, state: &mut KubernetesState, fx: &mut impl Effects<Kubernetes<T>, T>) {
        let KubernetesState::Controller { late, .. } = state else { return };
        if self.nodes().contains(node) {
            late.remove(node);
            fx.arm(KubernetesTimer::Grace(node), Bound::exactly(self.durations.grace));
        }
    }

    /// The controller looks at all nodes.
    fn look(&self, state: &mut KubernetesState, fx: &mut impl Effects<Kubernetes<T>, T>) {
        let KubernetesState::Controller { late, unready, evicted } = state else { return };
        for node in self.nodes().iter() {
            match (late.contains(node), unready.contains(node)) {
                (true, false) => {
                    unready.insert(node);
                    fx.emit(KubernetesOutput::NotReady(node));
                    fx.arm(KubernetesTimer::Toleration(node), Bound::exactly(self.durations.toleration));
                }
                (false, true) => {
                    unready.remove(node);
                    evicted.remove(node);
                    fx.emit(KubernetesOutput::Ready(node));
                    fx.disarm(KubernetesTimer::Toleration(node));
                }
                _ => {}
            }
        }
        fx.arm(KubernetesTimer::Poll, Bound::exactly(self.durations.poll));
    }

    /// A timer of the controller about one node.
    fn expire(
        &self,
        timer: KubernetesTimer,
        state: &mut KubernetesState,
        fx: &mut impl Effects<Kubernetes<T>, T>,
    ) {
        let KubernetesState::Controller { late, unready, evicted } = state else { return };
        match timer {
            KubernetesTimer::Grace(node) | KubernetesTimer::Toleration(node)
                if !self.nodes().contains(node) => {}
            KubernetesTimer::Grace(node) => late.insert(node),
            KubernetesTimer::Toleration(node) if unready.difference(*evicted).contains(node) => {
                evicted.insert(node);
                fx.emit(KubernetesOutput::Evicted(node));
            }
            _ => {}
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
                let grace = Bound::exactly(self.durations.grace);
                self.nodes().iter().for_each(|node| fx.arm(KubernetesTimer::Grace(node), grace));
                fx.arm(KubernetesTimer::Poll, Bound::within(self.durations.poll));
                let none = ProcSet::EMPTY;
                KubernetesState::Controller { late: none, unready: none, evicted: none }
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
            (CONTROLLER, Input::Fire(timer)) => self.expire(timer, state, fx),
            (CONTROLLER, Input::Receive { from: SERVER, msg: KubernetesMsg::Lease(node) }) => {
                self.renewed(*node, state, fx);
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
        /// The nodes whose lease is too old.
        late: ProcSet,
        /// The nodes that are marked not ready.
        unready: ProcSet,
        /// The nodes whose pods are evicted.
        evicted: ProcSet,
    },
    /// Of the API server.
    Server {
        /// The nodes whose renewals hang, while the connection does.
        held: Option<ProcSet>,
    },
    /// Of a kubelet.
    Node,
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
    /// The lease of this node is too old.
    #[slot("grace of")]
    Grace(Pid),
    /// The pods of this node tolerate its state no longer.
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
