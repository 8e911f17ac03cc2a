//! One group of processes, and how one requirement is asked of it.

use std::fmt;
use watchkeeper_core::{Pid, ProcSet};
use watchkeeper_explore::{ExploreError, ProgressCallback, Search, check};
use watchkeeper_logic::{Invariant, Question, Verdict};
use watchkeeper_protocols::membership::{
    AttemptScope, BrokenGroupRequirement, CausalOrder, GroupCall, GroupFlaw, GroupProtocol, GroupState,
    GroupTimer, Insiders, Membership, NoDuplication, VirtualSynchrony, graph::GarbageCollection,
};
use watchkeeper_space::Space;
use watchkeeper_world::{
    Capacity, DeliveryOrder, Faults, Global, Network, Oracle, OracleAccuracy, Scenario, SuspicionMemory,
    TypedWorld,
};

/// The most messages of one channel; no search here comes near it.
const CAP: u32 = 64;

/// What a state is called in which nothing is on its way to anyone alive.
const QUIET: &str = "quiet";

/// What is required of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum MembershipRequirement {
    /// Section 5.5.1: of two members that agree on nothing at the moment, one of which has the other in its
    /// configuration, both have the same.
    Consensus,
    /// Section 5.5.2: members that go from one configuration to the next together have delivered the same words.
    Synchrony,
    /// No word is delivered after one that follows it.
    Causality,
    /// No word is delivered twice.
    NoDuplication,
    /// No word of somebody outside of the configuration is delivered.
    Insiders,
    /// Once nothing is on its way any more, all who are alive are in one configuration.
    Merging,
    /// Once nothing is on its way any more, nothing waits to be delivered.
    Delivery,
}

impl MembershipRequirement {
    /// Whether it is asked of the states alone in which nothing is on its way. Which those are every step shows, so
    /// none can be left out.
    pub fn is_at_rest(self) -> bool {
        matches!(self, MembershipRequirement::Merging | MembershipRequirement::Delivery)
    }
}

impl From<BrokenGroupRequirement> for MembershipRequirement {
    fn from(breaks: BrokenGroupRequirement) -> MembershipRequirement {
        match breaks {
            BrokenGroupRequirement::Consensus => MembershipRequirement::Consensus,
            BrokenGroupRequirement::Synchrony => MembershipRequirement::Synchrony,
            BrokenGroupRequirement::Causality => MembershipRequirement::Causality,
            BrokenGroupRequirement::Outsiders => MembershipRequirement::Insiders,
            BrokenGroupRequirement::Merging => MembershipRequirement::Merging,
            BrokenGroupRequirement::Delivery => MembershipRequirement::Delivery,
        }
    }
}

/// A group, and what may happen to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MembershipCase {
    /// The number of processes.
    pub n: usize,
    /// The configurations at the start.
    pub cliques: Vec<ProcSet>,
    /// Who may crash.
    pub crashable: ProcSet,
    /// How many of them.
    pub crashes: u32,
    /// Who says words.
    pub speakers: ProcSet,
    /// How many each.
    pub words: u32,
    /// Whom an attempt to join names.
    pub ask: AttemptScope,
    /// Whether there is more than the faults protocol.
    pub joins: bool,
    /// Whether those who were put out may come back.
    pub returns: bool,
    /// Which messages members keep; those that keep them until they are stable pass on what the faulty have sent.
    pub collect: GarbageCollection,
    /// Whether states keep what makes no difference any more.
    pub verbose: bool,
    /// How often the detector suspects somebody who is alive.
    pub mistakes: u32,
    /// Whether what a process has sent may be lost once it crashes.
    pub crash_loses: bool,
    /// What is wrong with the protocol.
    pub flaw: Option<GroupFlaw>,
}

impl MembershipCase {
    /// The faults protocol: `n` processes in one configuration, one word each, and nobody crashes.
    pub fn faults(n: usize) -> MembershipCase {
        MembershipCase {
            n,
            cliques: vec![ProcSet::first(n)],
            crashable: ProcSet::EMPTY,
            crashes: 0,
            speakers: ProcSet::first(n),
            words: 1,
            ask: AttemptScope::Found,
            joins: false,
            returns: false,
            collect: GarbageCollection::AtOnce,
            verbose: false,
            mistakes: 0,
            crash_loses: false,
            flaw: None,
        }
    }

    /// The whole protocol, with these configurations at the start: one word each, and nobody crashes.
    pub fn joining(cliques: &[&[usize]]) -> MembershipCase {
        let cliques: Vec<ProcSet> = cliques.iter().map(|&clique| set(clique)).collect();
        let n = cliques.iter().map(|clique| clique.len()).sum();
        MembershipCase { cliques, joins: true, ..MembershipCase::faults(n) }
    }

    /// Where any `crashes` of these may crash.
    #[must_use]
    pub fn crashing(self, crashable: &[usize], crashes: u32) -> MembershipCase {
        MembershipCase { crashable: set(crashable), crashes, ..self }
    }

    /// Where none but these say a word.
    #[must_use]
    pub fn said_by(self, speakers: &[usize]) -> MembershipCase {
        MembershipCase { speakers: set(speakers), ..self }
    }

    /// The protocol.
    pub fn protocol(&self) -> Result<Membership, ExploreError> {
        let protocol = Membership::new(self.n).and_then(|protocol| protocol.in_cliques(&self.cliques));
        let mut protocol = protocol.map_err(broken)?.asking(self.ask);
        protocol = match self.collect {
            GarbageCollection::Stable => protocol.relaying(),
            other => protocol.collecting(other),
        };
        if !self.joins {
            protocol = protocol.without_joins();
        }
        if !self.returns {
            protocol = protocol.without_returns();
        }
        if self.verbose {
            protocol = protocol.verbose();
        }
        Ok(match self.flaw {
            Some(flaw) => protocol.flawed(flaw),
            None => protocol,
        })
    }

    /// What is around the processes.
    pub fn scenario(&self) -> Scenario {
        let crash_loses = self.crash_loses;
        Scenario {
            network: Network {
                order: DeliveryOrder::Fifo,
                capacity: Capacity::Unbounded { cap: CAP },
                ..Network::default()
            },
            faults: Faults {
                crashable: self.crashable,
                crashes: self.crashes,
                crash_loses,
                ..Faults::default()
            },
            oracle: Some(Oracle {
                accuracy: OracleAccuracy::Strong { mistakes: self.mistakes },
                memory: SuspicionMemory::Lasting,
            }),
            ..Scenario::new(self.n)
        }
    }

    /// The world, with what a requirement looks at.
    pub fn world(&self, requirement: MembershipRequirement) -> Result<TypedWorld<Membership>, ExploreError> {
        let (protocol, n) = (self.protocol()?, self.n);
        let calls = self.speakers.iter().map(|p| (p, GroupCall::Say(0), self.words)).collect();
        let world = TypedWorld::new(protocol.clone(), self.scenario()).map_err(broken)?;
        let world = world.with_calls(calls).map_err(broken)?;
        let name = requirement.to_string();
        let world = match requirement {
            MembershipRequirement::Consensus => {
                let glance = move |_, state: Option<&GroupState>| {
                    state.map_or(0, |state| configuration(&protocol, state))
                };
                Ok(world.with_glancing_atom(name, true, glance, agree))
            }
            MembershipRequirement::Synchrony => world.observed_by(VirtualSynchrony::of(&protocol, n)),
            MembershipRequirement::Causality => world.observed_by(CausalOrder { n }),
            MembershipRequirement::NoDuplication => world.observed_by(NoDuplication { n }),
            MembershipRequirement::Insiders => world.observed_by(Insiders::of(&protocol, n)),
            MembershipRequirement::Merging => {
                Ok(world.with_atom(name, true, move |global| are_together(&protocol, global)))
            }
            MembershipRequirement::Delivery => Ok(world.with_atom(name, true, all_is_delivered)),
        };
        let world = world.map_err(broken)?;
        Ok(if requirement.is_at_rest() { world.with_atom(QUIET, true, is_quiet) } else { world })
    }

    /// Whether a requirement holds.
    pub fn asked(
        &self,
        requirement: MembershipRequirement,
        search: &Search,
        watch: &impl ProgressCallback,
    ) -> Result<Verdict, ExploreError> {
        let world = self.world(requirement)?;
        let name = requirement.to_string();
        let then = world.shape().atom(&name).ok_or_else(|| broken(format!("there is no atom {name}")))?;
        let invariant = Invariant { name, when: world.shape().atom(QUIET), then };
        let question = Question { invariants: vec![invariant], ..Question::default() };
        check(&*world, &question, search, watch)
    }
}

/// What consensus has to know of a member: a bit for being there, one for agreeing on nothing, its configuration.
fn configuration(protocol: &Membership, state: &GroupState) -> u64 {
    let standing = protocol.standing(state);
    1 | u64::from(standing.stable) << 1 | standing.ccs.bits() << 2
}

/// Whether stable members with each other in their configurations have the same.
fn agree(glances: &[u64]) -> bool {
    let stable = |glance: u64| glance & 3 == 3;
    let knows = |glance: u64, q: usize| glance >> 2 >> q & 1 == 1;
    glances.iter().filter(|&&one| stable(one)).all(|&one| {
        let others = glances.iter().enumerate().filter(|&(q, &other)| stable(other) && knows(one, q));
        others.into_iter().all(|(_, &other)| one == other)
    })
}

fn alive<'a>(global: &Global<'a, Membership>) -> impl Iterator<Item = (Pid, &'a GroupState)> {
    global.processes().filter_map(|p| Some((p, global.state(p)?)))
}

/// Whether all who are alive are in one configuration, and their clients know it.
fn are_together(protocol: &Membership, global: &Global<'_, Membership>) -> bool {
    let all = global.processes().filter(|&p| !global.crashed(p)).collect();
    alive(global).all(|(_, state)| {
        let standing = protocol.standing(state);
        standing.stable && standing.ccs == all && standing.view == all
    })
}

/// Whether nothing that has come waits.
fn all_is_delivered(global: &Global<'_, Membership>) -> bool {
    alive(global).all(|(_, state)| {
        state.graph.lines.iter().all(|(_, line)| line.head().is_none() && line.held.is_empty())
    })
}

/// Whether nothing is on its way to anyone alive, nobody has yet to be detected or trusted again, and something has
/// been said or suspected: whoever has heard of nobody cannot join anybody.
fn is_quiet(global: &Global<'_, Membership>) -> bool {
    let begun = |state: &GroupState| {
        !state.suspects.is_empty() || state.graph.lines.iter().any(|(_, line)| line.have() > 0)
    };
    let crashed = global.crashed_set();
    alive(global).any(|(_, state)| begun(state))
        && global.in_flight().all(|(_, to, _)| crashed.contains(to))
        && alive(global).all(|(p, _)| !global.armed(p, GroupTimer::Gather) && global.suspects(p) == crashed)
}

fn set(members: &[usize]) -> ProcSet {
    members.iter().map(|&p| Pid::at(p)).collect()
}

fn broken(why: impl fmt::Display) -> ExploreError {
    ExploreError::Space(why.to_string())
}
