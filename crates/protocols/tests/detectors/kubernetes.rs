//! The chain of Kubernetes, role by role. Moments are in units of 5 s.

use crate::effects::{Effect, p, start, step};
use watchkeeper_core::{Bound, Input, Meaning, Pid, ProcSet, Protocol, Tone};
use watchkeeper_protocols::kubernetes::{
    Kubernetes, KubernetesCall, KubernetesDurations, KubernetesError, KubernetesMsg, KubernetesOutput,
    KubernetesTimer, KubernetesVerdict,
};

const DURATIONS: KubernetesDurations =
    KubernetesDurations { renewal: 2, poll: 1, grace: 8, toleration: 60, keepalive: 8 };

fn chain() -> Kubernetes {
    Kubernetes::new(2, DURATIONS).expect("a chain")
}

const POLL: Effect<KubernetesMsg, KubernetesTimer, KubernetesOutput> =
    Effect::Arm(KubernetesTimer::Poll, Bound::exactly(1));

#[test]
fn a_node_whose_lease_is_old_is_marked_at_the_next_look_and_evicted_after_the_toleration() {
    let (chain, node) = (chain(), p(2));
    let (mut state, _) = start(&chain, p(0));
    let mut fire = |timer| step(&chain, p(0), &mut state, Input::Fire(timer));
    assert_eq!(fire(KubernetesTimer::Poll), [POLL]);
    assert_eq!(fire(KubernetesTimer::Grace(node)), []);
    assert_eq!(
        fire(KubernetesTimer::Poll),
        [
            Effect::Emit(KubernetesOutput::NotReady(node)),
            Effect::Arm(KubernetesTimer::Toleration(node), Bound::exactly(60)),
            POLL
        ]
    );
    assert_eq!(fire(KubernetesTimer::Poll), [POLL], "it is said once");
    assert_eq!(fire(KubernetesTimer::Toleration(node)), [Effect::Emit(KubernetesOutput::Evicted(node))]);
    let evicting = chain.clone().suspecting(KubernetesVerdict::Evicted);
    assert_eq!(chain.suspects(p(0), &state), ProcSet::only(node));
    assert_eq!(evicting.suspects(p(0), &state), ProcSet::only(node));
    assert_eq!(chain.suspects(p(1), &state), ProcSet::EMPTY);
    let renewed = Input::Receive { from: p(1), msg: &KubernetesMsg::Lease(node) };
    assert_eq!(
        step(&chain, p(0), &mut state, renewed),
        [Effect::Arm(KubernetesTimer::Grace(node), Bound::exactly(8))]
    );
    assert_eq!(
        step(&chain, p(0), &mut state, Input::Fire(KubernetesTimer::Poll)),
        [
            Effect::Emit(KubernetesOutput::Ready(node)),
            Effect::Disarm(KubernetesTimer::Toleration(node)),
            POLL
        ]
    );
    assert_eq!(evicting.suspects(p(0), &state), ProcSet::EMPTY);
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
