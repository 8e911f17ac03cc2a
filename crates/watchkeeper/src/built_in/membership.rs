//! What the membership protocols say of themselves: who is together at the start, what is around them, and what they
//! should fulfil.

mod cliques;
mod fulfilled;
mod live;

pub use live::MembershipLive;

use crate::description::{Clients, Described, Description, Live, StateProperty};
use crate::params::{Param, Params};
use crate::problem::Problem;
use cliques::{Cliques, members};
use fulfilled::with_group;
use std::fmt;
use std::str::FromStr;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_protocols::membership::graph::GarbageCollection;
use watchkeeper_protocols::membership::{
    AttemptScope, GroupCall, GroupError, GroupFlaw, GroupTimer, Membership,
};
use watchkeeper_world::{
    Capacity, DeliveryOrder, Faults, Global, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory,
};

/// How many messages a search puts into one channel: more than there ever are with a word each.
const CAP: u32 = 40;

/// The most processes, so that a configuration fits into what an atom sees of a process.
const MOST: usize = 32;

const CLIQUES: Param = Param {
    name: "cliques",
    about: "who is in one configuration at the start: together, alone, or such as 01|2",
    default: "together",
};

const ASK: Param = Param {
    name: "ask",
    about: "the processes that a join names: all that were found (found), or the own view alone (own)",
    default: "found",
};

const FLAW: Param = Param {
    name: "flaw",
    about: "a reading that does not work: basic, one-by-one, no-blocking, blocks-all, any-fault, join-included, \
            outsiders, no-fault-messages, forgets-break, rejects-joins or rejected-holds",
    default: "none",
};

/// `yes` or `no`.
struct YesNo(bool);

impl FromStr for YesNo {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<YesNo, &'static str> {
        match text {
            "yes" | "true" => Ok(YesNo(true)),
            "no" | "false" => Ok(YesNo(false)),
            _ => Err("write yes or no"),
        }
    }
}

fn switched(params: &Params, name: &str) -> Result<bool, Problem> {
    params.get::<YesNo>(name).map(|YesNo(yes)| yes)
}

/// The problem that there is no such group.
fn impossible(why: GroupError, params: &Params) -> Problem {
    match why {
        GroupError::Size { .. } => Problem::Usage(format!("--n: {why}")),
        GroupError::Stranger { .. } | GroupError::Overlap => params.refuse("cliques", why),
    }
}

/// The protocol as far as all forms of it have the same parameters.
fn membership(n: usize, params: &Params) -> Result<Membership, Problem> {
    let cliques = params.get::<Cliques>("cliques")?.sets(n);
    let refused = |why| impossible(why, params);
    let protocol = Membership::new(n).and_then(|protocol| protocol.in_cliques(&cliques)).map_err(refused)?;
    let protocol = protocol.asking(match params.text("ask") {
        "own" => AttemptScope::Own,
        "found" => AttemptScope::Found,
        other => return Err(params.refuse("ask", format!("`{other}` is nobody to name; write found or own"))),
    });
    Ok(match params.text("flaw") {
        "none" => protocol,
        _ => protocol.flawed(params.get::<GroupFlaw>("flaw")?),
    })
}

/// Whose words they are, how many each, and who leaves.
fn calls(n: usize, params: &Params) -> Result<Vec<(Pid, GroupCall, u32)>, Problem> {
    let named = |name: &str| match params.text(name) {
        "all" => Ok(ProcSet::first(n)),
        "none" => Ok(ProcSet::EMPTY),
        text => {
            let found = members(text).map_err(|why| params.refuse(name, why))?;
            match found.is_subset(ProcSet::first(n)) {
                true => Ok(found),
                false => Err(params.refuse(name, format!("there is no such process: name those below p{n}"))),
            }
        }
    };
    let words: u32 = params.get("words")?;
    let speakers = if words == 0 { ProcSet::EMPTY } else { named("speakers")? };
    // Everyone says the same, so that who has which name makes no difference.
    let said = speakers.iter().map(|p| (p, GroupCall::Say(0), words));
    Ok(said.chain(named("leavers")?.iter().map(|p| (p, GroupCall::Leave, 1))).collect())
}

const WORDS: Param = Param { name: "words", about: "how many words each speaker says", default: "1" };
const SPEAKERS: Param =
    Param { name: "speakers", about: "who says them: all, none, or such as p1,p2", default: "all" };
const LEAVERS: Param = Param { name: "leavers", about: "who leaves of its own accord", default: "none" };

/// Whether nothing is going on any more, and something was: no message is on its way to anyone, nobody waits in the
/// first stage of a join, and crashes have been found out.
fn quiet(_: &Membership, global: &Global<'_, Membership>) -> bool {
    let alive = || global.processes().filter_map(|p| Some((p, global.state(p)?)));
    let spoke = alive().any(|(_, state)| {
        state.graph.lines.iter().any(|(_, line)| line.have() > 0) || !state.suspects.is_empty()
    });
    spoke
        && global.in_flight().all(|(_, to, _)| global.crashed(to))
        && alive()
            .all(|(p, _)| !global.armed(p, GroupTimer::Gather) && global.crashed_set() == global.suspects(p))
}

/// Whether nobody holds anything back.
fn delivered(_: &Membership, global: &Global<'_, Membership>) -> bool {
    global
        .processes()
        .filter_map(|p| global.state(p))
        .all(|state| state.graph.lines.iter().all(|(_, line)| line.head().is_none() && line.held.is_empty()))
}

/// The parameters of the protocol on an oracle.
const PARAMS: &[Param] = &[
    CLIQUES,
    WORDS,
    SPEAKERS,
    LEAVERS,
    Param {
        name: "joins",
        about: "whether anyone may come in: yes, or no for the faults protocol",
        default: "yes",
    },
    Param {
        name: "returns",
        about: "whether those who were put out may come back: no on a detector without mistakes, or yes",
        default: "no",
    },
    ASK,
    Param {
        name: "collect",
        about: "which delivered messages are kept: at-once for none, never, or stable for networks that lose \
                what the crashed had sent",
        default: "at-once",
    },
    Param {
        name: "canonical",
        about: "whether equivalent states are merged (canonical states): yes or no",
        default: "yes",
    },
    FLAW,
];

fn build(n: usize, params: &Params) -> Result<Membership, Problem> {
    let mut protocol = membership(n, params)?;
    if !switched(params, "joins")? {
        protocol = protocol.without_joins();
    }
    if !switched(params, "returns")? {
        protocol = protocol.without_returns();
    }
    if !switched(params, "canonical")? {
        protocol = protocol.verbose();
    }
    match params.text("collect") {
        "at-once" => Ok(protocol),
        "never" => Ok(protocol.collecting(GarbageCollection::Never)),
        "stable" => Ok(protocol.relaying()),
        other => {
            let why = format!("`{other}` does not say what is kept; write at-once, stable or never");
            Err(params.refuse("collect", why))
        }
    }
}

/// Channels that lose nothing and keep the order, a detector that makes no mistakes, and p0 may crash.
fn environment(n: usize) -> Scenario {
    let faults = Faults { crashable: ProcSet::only(Pid::at(0)), crashes: 1, ..Faults::default() };
    let capacity = Capacity::Unbounded { cap: CAP };
    let network = Network { order: DeliveryOrder::Fifo, capacity, ..Network::default() };
    let oracle =
        Some(Oracle { accuracy: OracleAccuracy::Strong { mistakes: 0 }, memory: SuspicionMemory::Lasting });
    Scenario { network, faults, oracle, ..Scenario::new(n) }
}

impl Described for Membership {
    fn description() -> Description<Membership> {
        let about = "Group membership on causal multicast: faults and joins (Amir, Dolev, Kramer and Malki 1992; Atif 2011)";
        let what = "once nothing is on its way any more, nobody holds a message back";
        with_group(Description::new("membership", about, build))
            .sizes(2, MOST)
            .params(PARAMS)
            .property(StateProperty::always("delivery", what, delivered).when(quiet).symmetric())
            .environment(|_, n| environment(n))
            .clients(|_, n, params| Ok(vec![Clients::of(calls(n, params)?)]))
            .absent(|_| absent())
            .cautions(|_, around| fulfilled::cautions(around))
            .live(Live { instead: Some("membership-live"), ..Live::default() })
    }
}

/// Many configurations have no joins, no faults, or nothing to relay, and that is no reason for a warning.
const ABSENT: [&str; 7] = [
    "fire gather",
    "fire probe",
    "deliver FA",
    "deliver AJ",
    "deliver JOIN",
    "deliver EMPTY",
    "deliver RELAY",
];

fn absent() -> Vec<String> {
    ABSENT.iter().map(|name| name.to_string()).collect()
}

/// Why a text is no parameter, for people.
#[derive(Debug)]
struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
