//! What SWIM and Lifeguard say of themselves: one name for each policy.

use crate::description::{Clients, Described, Description, Detector, Live, Requirement, StateProperty};
use crate::params::{Param, Params};
use crate::problem::Problem;
use watchkeeper_core::{Assumption, Bound, Completeness, MAX_MEMBERS, Member, Pid, ProcSet};
use watchkeeper_protocols::lifeguard::Lifeguard;
use watchkeeper_protocols::swim::{
    IncarnationsObserver, MAX_INCARNATION, PlainSwim, Swim, SwimCall, SwimConfig, SwimError, SwimFlaw,
    SwimPolicy, SwimStatus,
};
use watchkeeper_world::{Capacity, Faults, Global, Network, Scenario, Timing, TypedWorld, WorldTime};

/// The most units of time that a message takes where nobody says otherwise.
const DELAY: u32 = 1;

/// How many messages a search puts into one channel.
const CAP: u32 = 8;

/// The confirmations of memberlist.
const FEWER: &str = "suspicion-2";

/// A policy of SWIM that has a name.
pub trait DescribedSwim: SwimPolicy {
    /// Its name on the command line.
    const NAME: &'static str;

    /// What it is, in one line.
    const ABOUT: &'static str;

    /// Its parameters, beyond those of SWIM.
    const PARAMS: &'static [Param];

    /// The policy with these parameters.
    fn policy(params: &Params) -> Result<Self, Problem>;
}

impl DescribedSwim for PlainSwim {
    const NAME: &'static str = "swim";
    const ABOUT: &'static str = "Group membership by probes, suspicion and gossip, for groups of any size (Das, Gupta, Motivala 2002)";
    const PARAMS: &'static [Param] = &[];

    fn policy(_: &Params) -> Result<PlainSwim, Problem> {
        Ok(PlainSwim)
    }
}

impl DescribedSwim for Lifeguard {
    const NAME: &'static str = "lifeguard";
    const ABOUT: &'static str =
        "SWIM whose members are patient while they are slow themselves (Dadgar, Phillips, Currey 2018)";
    const PARAMS: &'static [Param] = &[
        Param { name: "awareness", about: "one more than the highest score of self-doubt", default: "8" },
        Param {
            name: "stretch",
            about: "how many times longer the first to suspect waits for a refutation",
            default: "6",
        },
        Param {
            name: "confirmations",
            about: "how many further suspicions make that time the shortest",
            default: FEWER,
        },
    ];

    fn policy(params: &Params) -> Result<Lifeguard, Problem> {
        let confirmations = match params.text("confirmations") {
            FEWER => params.get::<u32>("suspicion")?.saturating_sub(2),
            _ => params.get("confirmations")?,
        };
        Ok(Lifeguard::new(params.get("awareness")?, params.get("stretch")?, confirmations))
    }
}

const CHOICES: &[Param] = &[
    Param { name: "indirect", about: "how many are asked for help with a probe", default: "3" },
    Param {
        name: "suspicion",
        about: "the periods that a suspect has to refute, times log10(n) if that is above 1",
        default: "4",
    },
    Param { name: "retransmit", about: "how often news is sent, times the digits of n", default: "4" },
    Param { name: "fanout", about: "how many members a message of nothing but news goes to", default: "3" },
    Param { name: "gossip", about: "the most pieces of news in a message: 1 to 64", default: "16" },
    Param {
        name: "order",
        about: "whom a process turns to next: ring, random, or auto: random among more than 8",
        default: "auto",
    },
    Param { name: "start", about: "whom a process knows at first: all, or the seed p0", default: "all" },
    Param { name: "reclaim", about: "whether the dead are asked again: yes or no", default: "yes" },
    Param { name: "suspects", about: "who counts as a suspect: dead or suspected", default: "dead" },
    Param {
        name: "cap",
        about: "the largest incarnation; whoever has reached it cannot refute",
        default: "none",
    },
    Param { name: "leavers", about: "who may leave in a run, such as p0,p2", default: "none" },
    Param {
        name: "flaw",
        about: "a planted mistake: no-refutation, stale-incarnation or same-incarnation",
        default: "none",
    },
];

fn config(params: &Params) -> Result<SwimConfig, Problem> {
    let reclaim = match params.text("reclaim") {
        "yes" => true,
        "no" => false,
        other => {
            let why = format!("`{other}` does not say whether; write yes or no");
            return Err(params.refuse("reclaim", why));
        }
    };
    let flaw = match params.text("flaw") {
        "none" => None,
        _ => Some(params.get::<SwimFlaw>("flaw")?),
    };
    let cap = if params.text("cap") == "none" { MAX_INCARNATION } else { params.get("cap")? };
    Ok(SwimConfig {
        period: params.get("period")?,
        timeout: params.get("timeout")?,
        indirect: params.get("indirect")?,
        suspicion: params.get("suspicion")?,
        grain: params.get("grain")?,
        retransmit: params.get("retransmit")?,
        spread: params.get("spread")?,
        fanout: params.get("fanout")?,
        gossip: params.get("gossip")?,
        order: params.get("order")?,
        start: params.get("start")?,
        reclaim,
        suspects: params.get("suspects")?,
        cap,
        flaw,
    })
}

fn build<P: DescribedSwim>(n: usize, params: &Params) -> Result<Swim<P>, Problem> {
    Swim::new(n, config(params)?, P::policy(params)?).map_err(|why| match why {
        SwimError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        SwimError::NoTimeout | SwimError::Timeout { .. } => params.refuse("timeout", why),
        SwimError::NoSuspicion => params.refuse("suspicion", why),
        SwimError::NoGrain | SwimError::Uncountable { .. } => params.refuse("grain", why),
        SwimError::NoRetransmit => params.refuse("retransmit", why),
        _ => params.refuse("gossip", why),
    })
}

/// One may crash, and messages take up to 1 unit of time.
fn environment(n: usize) -> Scenario {
    let faults = Faults { crashable: ProcSet::first(n), crashes: 1, ..Faults::default() };
    let network = Network { capacity: Capacity::Unbounded { cap: CAP }, ..Network::default() };
    let time = WorldTime::Ticks(Timing::per_message(Bound::within(DELAY)));
    Scenario { network, faults, time, ..Scenario::new(n) }
}

fn clients(n: usize, params: &Params) -> Result<Vec<Clients<SwimCall>>, Problem> {
    let named: Vec<&str> = match params.text("leavers") {
        "none" => Vec::new(),
        text => text.split(',').collect(),
    };
    let leaver = |name: &&str| Pid::all(n).find(|p| p.to_string() == **name);
    let leavers: Option<Vec<Pid>> = named.iter().map(leaver).collect();
    let Some(leavers) = leavers else {
        let why = format!("write processes such as p0,p{}, or none", n.saturating_sub(1));
        return Err(params.refuse("leavers", why));
    };
    Ok(vec![Clients::of(leavers.into_iter().map(|p| (p, SwimCall::Leave, 1)).collect())])
}

/// Whether nobody knows an incarnation of a member that this has not begun. Whoever starts again has forgotten its own, and
/// others rightly know it.
fn known_incarnations<P: DescribedSwim>(_: &Swim<P>, global: &Global<'_, Swim<P>>) -> bool {
    let of = |p: Pid, member: Pid| Some(global.state(p)?.table().get(Member(member)).incarnation());
    global.processes().all(|member| {
        let own = of(member, member);
        own.is_none() || global.processes().all(|p| of(p, member).is_none_or(|known| Some(known) <= own))
    })
}

fn below_cap<P: DescribedSwim>(swim: &Swim<P>, global: &Global<'_, Swim<P>>) -> bool {
    let entry = |p: Pid| Some(global.state(p)?.table().get(Member(p)));
    global.processes().all(|p| entry(p).is_none_or(|entry| entry.incarnation() < swim.config().cap))
}

/// The world with propositions for processes that are up: that one has left, and that one holds another for a member that
/// is there.
fn known_members<P: DescribedSwim>(mut world: TypedWorld<Swim<P>>) -> TypedWorld<Swim<P>> {
    let n = world.scenario().n;
    for p in Pid::all(n) {
        world = world.with_atom(format!("left({p})"), false, move |global| {
            global.state(p).is_some_and(|state| state.table().get(Member(p)).status() == SwimStatus::Left)
        });
        for q in Pid::all(n).filter(|q| *q != p) {
            world = world.with_atom(format!("joined({p},{q})"), false, move |global| {
                global.state(p).is_some_and(|state| state.table().get(Member(q)).status().is_up())
            });
        }
    }
    world
}

/// Whether everybody holds itself for alive, unless it has left.
fn sure_of_itself<P: DescribedSwim>(_: &Swim<P>, global: &Global<'_, Swim<P>>) -> bool {
    let status = |p: Pid| Some(global.state(p)?.table().get(Member(p)).status());
    global
        .processes()
        .all(|p| status(p).is_none_or(|status| matches!(status, SwimStatus::Alive | SwimStatus::Left)))
}

fn promises(around: &Scenario) -> Vec<(&'static str, Vec<Assumption>)> {
    let in_time = vec![Assumption::Delay, Assumption::RoundTrip, Assumption::Speed];
    let mut and_arrives = in_time.clone();
    and_arrives.extend((around.network.losses == 0).then_some(Assumption::Loss));
    vec![("detection", and_arrives.clone()), ("accuracy", and_arrives)]
}

fn absent<P: DescribedSwim>(swim: &Swim<P>) -> Vec<String> {
    let (whole, refuses) =
        (swim.config().start == watchkeeper_protocols::swim::FirstMembers::All, swim.policy().refuses());
    let never = [
        ("deliver PING-REQ", swim.n() == 2 || swim.config().indirect == 0),
        ("deliver JOIN", whole),
        ("deliver TABLE", whole),
        ("deliver NACK", !refuses),
        ("deliver NEWS", swim.config().spread == 0),
        ("fire news", swim.config().spread == 0),
        ("fire relays", !refuses),
    ];
    never.into_iter().filter(|(_, never)| *never).map(|(name, _)| name.to_string()).collect()
}

impl<P: DescribedSwim> Described for Swim<P> {
    fn description() -> Description<Swim<P>> {
        let detector = Detector::default().suspecting(Swim::suspects).complete(Completeness::Strong);
        let live: Live<Swim<P>> = Live {
            promises: |_, around| promises(around),
            // Others have heard of it before a period is over.
            leaving: |swim, _| Some((SwimCall::Leave, swim.config().period)),
            meeting: Some(|member| SwimCall::Meet(Member(member))),
            open: Some(("start", "seed")),
            ..Live::default()
        };
        let known = "nobody knows an incarnation of a member that this has not begun, where nobody starts again; by request only";
        let below = "nobody has reached the largest incarnation; by request only";
        let own = "everybody holds itself for alive, unless it has left";
        Description::new(P::NAME, P::ABOUT, build)
            .members(MAX_MEMBERS)
            .duration("period", "the protocol period: the time between two probes", "20")
            .duration("timeout", "how long a target has before others are asked for help", "10")
            .duration("grain", "the unit of the time to refute, which is at most so much longer", "5")
            .duration("spread", "the time between messages of nothing but news; 0 for none", "4")
            .params(CHOICES)
            .params(P::PARAMS)
            .property(
                StateProperty::always("known-incarnations", known, known_incarnations)
                    .by_request()
                    .symmetric(),
            )
            .property(StateProperty::always("sure-of-itself", own, sure_of_itself).symmetric())
            .property(StateProperty::always("below-cap", below, below_cap).by_request().symmetric())
            .requirement(Requirement {
                name: "incarnations",
                about: "what a process announces of a member is never of an incarnation that it knows is over",
                observed: |world, of| {
                    let n = world.scenario().n;
                    of.is_none().then(|| world.observed_by(IncarnationsObserver { n })).transpose()
                },
            })
            .detector(detector)
            .atoms(known_members)
            .environment(|_, n| environment(n))
            .clients(|_, n, params| clients(n, params))
            .absent(absent)
            .live(live)
    }
}
