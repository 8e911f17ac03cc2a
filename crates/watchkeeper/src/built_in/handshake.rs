//! What the model of the handshake says of itself: the attacker's network, what is asked of its nodes, and what they
//! should fulfil.

use crate::description::{Clients, Described, Description, Live, Requirement, StateProperty};
use crate::params::{Param, Params};
use crate::problem::Problem;
use watchkeeper_core::Pid;
use watchkeeper_protocols::handshake::{
    ATTACKER, Handshake, HandshakeCall, HandshakeFlaw, HandshakeState, InjectiveAgreement, NoNonceTwice,
    NothingStale, RotationStage, WireKey, WireNode,
};
use watchkeeper_world::{ANY_NUMBER, Capacity, Global, Network, Scenario, WhenFull};

/// Two nodes and the attacker.
const PROCESSES: usize = 3;

/// How many datagrams the attacker's network holds from one process to another. It needs two to repeat one.
const HELD: u32 = 1;

/// Why no node runs it.
const WHY_ONLY_CHECKED: &str = "every node has this handshake below its protocol; run another protocol";

const PARAMS: &[Param] = &[
    Param { name: "challenges", about: "how many challenges a node draws at most: 1 to 8", default: "2" },
    Param { name: "forgeries", about: "how often the attacker forges under the old key", default: "1" },
    Param { name: "restarts", about: "how often each node restarts: 0 to 7", default: "0" },
    Param { name: "messages", about: "how many messages each node sends", default: "1" },
    Param {
        name: "keys",
        about: "the keys at the start: old, both (the old one is current), switched (the new one is) or new",
        default: "both",
    },
    Param {
        name: "flaw",
        about: "a variant that does not work: ordered-lives, reused-challenge, keeps-old-sessions, no-echo, \
                life-without-randomness, answers-under-current, silent-with-session, falls-back, \
                keeps-earlier-life, one-direction or no-window",
        default: "none",
    },
];

fn build(_: usize, params: &Params) -> Result<Handshake, Problem> {
    let limited = |name: &str, least: u8, most: u8| {
        let given = params.get::<u8>(name)?;
        match (least..=most).contains(&given) {
            true => Ok(given),
            false => {
                Err(params.refuse(name, format!("{given} is too few or too many; write {least} to {most}")))
            }
        }
    };
    let start = match params.text("keys") {
        "old" => RotationStage::Before,
        "both" => RotationStage::Added,
        "switched" => RotationStage::Switched,
        "new" => RotationStage::Done,
        other => {
            let why = format!("`{other}` are no keys; write old, both, switched or new");
            return Err(params.refuse("keys", why));
        }
    };
    let protocol = Handshake::default()
        .with_challenges(limited("challenges", 1, 8)?)
        .with_forgeries(params.get("forgeries")?)
        .with_restarts(limited("restarts", 0, 7)?)
        .starting(start);
    Ok(match params.text("flaw") {
        "none" => protocol,
        _ => protocol.flawed(params.get::<HandshakeFlaw>("flaw")?),
    })
}

/// A network that loses and repeats at will.
fn environment(_: &Handshake, n: usize) -> Scenario {
    let network = Network {
        capacity: Capacity::Bounded(HELD),
        when_full: WhenFull::Drop,
        losses: ANY_NUMBER,
        duplications: ANY_NUMBER,
        ..Network::default()
    };
    Scenario { network, ..Scenario::new(n) }
}

fn clients(protocol: &Handshake, _: usize, params: &Params) -> Result<Vec<Clients<HandshakeCall>>, Problem> {
    let calls = [
        (HandshakeCall::Say, params.get("messages")?),
        (HandshakeCall::Restart, u32::from(protocol.restarts())),
        (HandshakeCall::Rotate, u32::from(protocol.rotations())),
    ];
    let asked = calls.into_iter().filter(|(_, times)| *times > 0);
    Ok(vec![Clients::of(
        asked.flat_map(|(call, times)| [0, 1].map(|node| (Pid::at(node), call, times))).collect(),
    )])
}

fn nodes<'a>(global: &Global<'a, Handshake>) -> Option<[&'a WireNode; 2]> {
    let node = |p: usize| global.state(Pid::at(p))?.node();
    Some([node(0)?, node(1)?])
}

/// Whether one of two nodes that have different sessions under the new key, each with the present life of the other, has
/// reason to greet: nothing has come under its own.
fn same_session(_: &Handshake, global: &Global<'_, Handshake>) -> bool {
    let Some([one, other]) = nodes(global) else { return true };
    let (Some(ones), Some(others)) = (one.current, other.current) else { return true };
    let fresh = [ones, others].iter().all(|it| it.key == WireKey::New)
        && (ones.life, others.life) == (other.life, one.life);
    let same = (ones.own, ones.peer) == (others.peer, others.own);
    !fresh || same || !ones.is_confirmed() || !others.is_confirmed()
}

/// Whether the nodes could talk to each other: each has the current key of the other, and the attacker has no hold on
/// them, because the old key is gone or because it has not forged.
fn undisturbed(_: &Handshake, global: &Global<'_, Handshake>) -> bool {
    let Some([one, other]) = nodes(global) else { return false };
    let within_reach = one.stage.has(other.stage.current()) && other.stage.has(one.stage.current());
    let rid = [one, other].iter().all(|node| !node.stage.has(WireKey::Old));
    let quiet = global.state(ATTACKER) == Some(&HandshakeState::Attacker(0));
    within_reach && (rid || quiet)
}

fn not_deaf(protocol: &Handshake, global: &Global<'_, Handshake>) -> bool {
    nodes(global).is_none_or(|nodes| protocol.meets(nodes))
}

impl Described for Handshake {
    fn description() -> Description<Handshake> {
        let about =
            "The handshake of the wire between two nodes, with an attacker who has the old key: a model only";
        let same =
            "of two confirmed sessions between the same lives under the new key, both nodes have the same";
        let deaf =
            "once the old key is gone, or nobody has forged, nodes that are left alone hear each other again";
        Description::new("handshake", about, build)
            .processes(PROCESSES)
            .sizes(PROCESSES, PROCESSES)
            .params(PARAMS)
            .property(StateProperty::always("same-session", same, same_session).symmetric())
            .property(StateProperty::always("not-deaf", deaf, not_deaf).when(undisturbed).symmetric())
            .requirement(Requirement {
                name: "agreement",
                about: "a node accepts what its peer sent to it under that session, once, and nothing else",
                observed: |world, of| {
                    let n = world.scenario().n;
                    of.is_none().then(|| world.observed_by(InjectiveAgreement { n })).transpose()
                },
            })
            .requirement(Requirement {
                name: "no-nonce-twice",
                about: "no node seals two messages with one number under one key, also over restarts",
                observed: |world, of| {
                    let (n, flaw) = (world.scenario().n, world.protocol().flaw());
                    of.is_none().then(|| world.observed_by(NoNonceTwice { n, flaw })).transpose()
                },
            })
            .requirement(Requirement {
                name: "stale",
                about: "after a session with a later life of the peer, nothing of an earlier one is let in",
                observed: |world, of| {
                    let n = world.scenario().n;
                    of.is_none().then(|| world.observed_by(NothingStale { n })).transpose()
                },
            })
            .environment(environment)
            .clients(clients)
            .absent(absent)
            .ends()
            .symmetric()
            .live(Live { only_checked: Some(WHY_ONLY_CHECKED), ..Live::default() })
    }
}

fn absent(protocol: &Handshake) -> Vec<String> {
    let never = [("fire forge", protocol.forgeries() == 0), ("deliver forgery", protocol.forgeries() == 0)];
    never.into_iter().filter(|(_, never)| *never).map(|(name, _)| name.to_string()).collect()
}
