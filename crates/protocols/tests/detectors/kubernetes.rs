//! The chain of Kubernetes, role by role. Moments are in units of 5 s.

use crate::effects::{Effect, p, start, step};
use watchkeeper_core::{Bound, Input, Meaning, Pid, ProcSet, Protocol, Tone};
use watchkeeper_protocols::kubernetes::{
    Kubernetes, KubernetesCall, KubernetesDurations, KubernetesError, KubernetesMsg, KubernetesOutput,
    KubernetesState, KubernetesTimer, KubernetesVerdict,
};

const DURATIONS: KubernetesDurations =
    KubernetesDurations { renewal: 2, poll: 1, grace: 8, toleration: 60, keepalive: 8 };

fn chain() -> Kubernetes {
    Kubernetes::new(2, DURATIONS).expect("a chain")
}

const POLL: Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput> =
    Effect::Arm(KubernetesTimer::Poll, Bound::exactly(1));

fn not_ready(node: Pid) -> Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput> {
    Effect::Emit(KubernetesOutput::NotReady(node))
}

fn ready(node: Pid) -> Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput> {
    Effect::Emit(KubernetesOutput::Ready(node))
}

fn untolerated(node: Pid) -> Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput> {
    Effect::Disarm(KubernetesTimer::Toleration(node))
}

/// The controller, which is told what happens.
struct Controller {
    chain: Kubernetes,
    state: KubernetesState,
}

impl Controller {
    fn new(durations: KubernetesDurations) -> Controller {
        let chain = Kubernetes::new(2, durations).expect("a chain");
        let (state, effects) = start(&chain, p(0));
        assert_eq!(effects, [Effect::Arm(KubernetesTimer::Poll, Bound::within(1))]);
        Controller { chain, state }
    }

    /// Leases of these nodes arrive.
    fn hears(&mut self, nodes: &[Pid]) {
        for node in nodes {
            let lease = Input::Receive { from: p(1), msg: &KubernetesMsg::Lease(*node) };
            assert_eq!(step(&self.chain, p(0), &mut self.state, lease), [], "only a look sees a lease");
        }
    }

    /// A look, and what comes of it besides the next one.
    fn looks(&mut self) -> Vec<Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput>> {
        let mut effects = step(&self.chain, p(0), &mut self.state, Input::Fire(KubernetesTimer::Poll));
        assert_eq!(effects.pop(), Some(POLL));
        effects
    }

    fn tolerates_no_longer(
        &mut self,
        node: Pid,
    ) -> Vec<Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput>> {
        step(&self.chain, p(0), &mut self.state, Input::Fire(KubernetesTimer::Toleration(node)))
    }
}

/// The grace period begins at the look that sees the lease, wherever between two looks it arrived, and ends at a look.
#[test]
fn a_lease_is_as_old_as_the_looks_since_one_saw_it_renewed() {
    for (grace, looks) in [(1, 1), (8, 8), (9, 9)] {
        let mut controller = Controller::new(KubernetesDurations { grace, ..DURATIONS });
        controller.looks();
        controller.hears(&[p(2)]);
        assert_eq!(controller.looks(), if grace == 1 { vec![not_ready(p(3))] } else { vec![] });
        for look in 1..=looks {
            controller.hears(&[p(3)]);
            let said = controller.looks();
            assert_eq!(said.contains(&not_ready(p(2))), look == looks, "grace {grace}, look {look}");
        }
    }
    let uneven = KubernetesDurations { poll: 5, grace: 41, ..DURATIONS };
    let chain = Kubernetes::new(1, uneven).expect("a chain");
    let (mut state, _) = start(&chain, p(0));
    let mut look = || step(&chain, p(0), &mut state, Input::Fire(KubernetesTimer::Poll)).len();
    assert_eq!([(); 10].map(|()| look()), [1, 1, 1, 1, 1, 1, 1, 1, 1, 2], "45 units after the first look");
}

#[test]
fn a_node_is_tainted_one_look_after_it_was_marked_and_evicted_after_the_toleration() {
    let (mut controller, node) = (Controller::new(DURATIONS), p(2));
    let evicting = controller.chain.clone().suspecting(KubernetesVerdict::Evicted);
    for _ in 0..8 {
        controller.hears(&[p(3)]);
        assert_eq!(controller.looks(), []);
    }
    controller.hears(&[p(3)]);
    assert_eq!(controller.looks(), [not_ready(node)]);
    assert_eq!(controller.tolerates_no_longer(node), [], "there is no taint yet");
    assert_eq!(
        controller.looks(),
        [Effect::Arm(KubernetesTimer::Toleration(node), Bound::exactly(60))],
        "the mark is read by the next look"
    );
    assert_eq!(controller.looks(), [], "it is said once");
    assert_eq!(controller.chain.suspects(p(0), &controller.state), ProcSet::only(node));
    assert_eq!(evicting.suspects(p(0), &controller.state), ProcSet::EMPTY);
    assert_eq!(controller.tolerates_no_longer(node), [Effect::Emit(KubernetesOutput::Evicted(node))]);
    assert_eq!(controller.chain.suspects(p(0), &controller.state), ProcSet::only(node));
    assert_eq!(evicting.suspects(p(0), &controller.state), ProcSet::only(node));
    assert_eq!(evicting.suspects(p(1), &controller.state), ProcSet::EMPTY);
    controller.hears(&[node]);
    assert_eq!(controller.looks(), [ready(node)]);
    assert_eq!(evicting.suspects(p(0), &controller.state), ProcSet::EMPTY);
}

/// The fault is taken to be the controller's own.
#[test]
fn while_no_node_is_ready_nothing_is_tainted() {
    let mut controller = Controller::new(KubernetesDurations { grace: 2, ..DURATIONS });
    controller.looks();
    controller.hears(&[p(3)]);
    controller.looks();
    assert_eq!(controller.looks(), [not_ready(p(2))]);
    controller.hears(&[p(3)]);
    let tainted = Effect::Arm(KubernetesTimer::Toleration(p(2)), Bound::exactly(60));
    assert_eq!(controller.looks(), [tainted]);
    assert_eq!(controller.looks(), []);
    assert_eq!(controller.looks(), [not_ready(p(3)), untolerated(p(2))], "now it has none");
    assert_eq!(controller.looks(), [], "however long");
    assert_eq!(controller.tolerates_no_longer(p(2)), []);
    controller.hears(&[p(3)]);
    assert_eq!(controller.looks(), [ready(p(3)), tainted]);
    controller.hears(&[p(2), p(3)]);
    assert_eq!(controller.looks(), [ready(p(2)), untolerated(p(2))]);
}

#[test]
fn renewals_hang_with_the_connection_and_come_through_when_it_is_given_up() {
    let chain = chain();
    let (mut state, effects) = start(&chain, p(1));
    assert_eq!(effects, []);
    let renew = |from: Pid| Input::Receive { from, msg: &KubernetesMsg::Renew };
    let lease = |node: Pid| Effect::Send(p(0), KubernetesMsg::Lease(node));
    assert_eq!(step(&chain, p(1), &mut state, renew(p(3))), [lease(p(3))]);
    let hang = Input::Call(&KubernetesCall::Hang);
    let armed = Effect::Arm(KubernetesTimer::KeepAlive, Bound::exactly(8));
    assert_eq!(step(&chain, p(1), &mut state, hang), [armed]);
    assert_eq!(step(&chain, p(1), &mut state, renew(p(3))), []);
    assert_eq!(step(&chain, p(1), &mut state, renew(p(2))), []);
    assert_eq!(step(&chain, p(1), &mut state, renew(p(3))), [], "a second one says nothing new");
    assert_eq!(step(&chain, p(1), &mut state, Input::Call(&KubernetesCall::Hang)), []);
    let fires = Input::Fire(KubernetesTimer::KeepAlive);
    assert_eq!(step(&chain, p(1), &mut state, fires), [lease(p(2)), lease(p(3))]);
    assert_eq!(step(&chain, p(1), &mut state, renew(p(2))), [lease(p(2))]);
}

#[test]
fn a_kubelet_renews_its_lease_in_every_period() {
    let chain = chain();
    let (mut state, effects) = start(&chain, p(3));
    assert_eq!(effects, [Effect::Arm(KubernetesTimer::Renewal, Bound::within(2))]);
    assert_eq!(
        step(&chain, p(3), &mut state, Input::Fire(KubernetesTimer::Renewal)),
        [Effect::Send(p(1), KubernetesMsg::Renew), Effect::Arm(KubernetesTimer::Renewal, Bound::exactly(2))]
    );
}

#[test]
fn the_verdict_says_what_counts_as_a_suspicion() {
    let (unready, evicted) = (chain(), chain().suspecting(KubernetesVerdict::Evicted));
    let said = [KubernetesOutput::NotReady, KubernetesOutput::Ready, KubernetesOutput::Evicted];
    let meanings = |chain: &Kubernetes| said.map(|said| chain.meaning(&said(p(2))));
    let (alarm, trusts) = (Meaning::Other(Tone::Alarm), Meaning::Trusts(p(2)));
    assert_eq!(meanings(&unready), [Meaning::Suspects(p(2)), trusts, alarm]);
    assert_eq!(meanings(&evicted), [alarm, trusts, Meaning::Suspects(p(2))]);
}

#[test]
fn what_cannot_be_is_refused() {
    assert_eq!(Kubernetes::new(0, DURATIONS), Err(KubernetesError::Nodes { nodes: 0 }));
    assert_eq!(Kubernetes::new(63, DURATIONS), Err(KubernetesError::Nodes { nodes: 63 }));
    let never = KubernetesDurations { renewal: 0, ..DURATIONS };
    assert_eq!(Kubernetes::new(1, never), Err(KubernetesError::NoRenewal));
    let never = KubernetesDurations { poll: 0, ..DURATIONS };
    assert_eq!(Kubernetes::new(1, never), Err(KubernetesError::NoPoll));
}
