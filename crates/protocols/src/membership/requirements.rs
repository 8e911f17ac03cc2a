//! What membership promises of every run so far, as observers of what the members announce. None of them looks into a
//! member, and none knows how the messages are ordered: two lists of what was announced are compared. Consensus on
//! the configuration is about states, and is an atom of the world.

use super::{
    Configuration, GroupMsg, GroupOutput, GroupState, Membership, Multicast, message::MulticastBody,
};
use watchkeeper_core::{Deadlines, Judgement, Observation, Observer, Pack, PerProc, Pid, ProcSet, Protocol};

/// The status of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberStatus {
    /// The configuration that its client knows.
    pub view: ProcSet,
    /// The configuration that it has assented to.
    pub ccs: ProcSet,
    /// Whether nothing is being agreed on.
    pub stable: bool,
}

/// A protocol in which processes are members of configurations, and say words.
pub trait GroupProtocol: Protocol {
    /// What this announcement says about the group.
    fn tells(output: &Self::Output) -> Option<&GroupOutput>;

    /// What this message says to the group.
    fn carries(msg: &Self::Msg) -> Option<&GroupMsg>;

    /// The status of a process in this state.
    fn standing(&self, state: &Self::State) -> MemberStatus;

    /// The configuration of a process at the start.
    fn clique(&self, of: Pid) -> ProcSet;
}

impl GroupProtocol for Membership {
    fn tells(output: &GroupOutput) -> Option<&GroupOutput> {
        Some(output)
    }

    fn carries(msg: &GroupMsg) -> Option<&GroupMsg> {
        Some(msg)
    }

    fn standing(&self, state: &GroupState) -> MemberStatus {
        MemberStatus { view: state.view, ccs: state.ccs, stable: state.is_stable() }
    }

    fn clique(&self, of: Pid) -> ProcSet {
        Membership::clique(self, of)
    }
}

/// A message by its sender and number.
pub type MulticastId = (Pid, u32);

/// The word that a process delivers.
fn delivered<'a, P: GroupProtocol>(observation: &Observation<'a, P>) -> Option<(Pid, MulticastId)> {
    let Observation::Emitted { by, output } = observation else { return None };
    match P::tells(output)? {
        GroupOutput::Deliver { from, number, .. } => Some((*by, (*from, *number))),
        _ => None,
    }
}

/// The word that a process says, to somebody and perhaps again.
fn said<P: GroupProtocol>(observation: &Observation<'_, P>) -> Option<MulticastId> {
    let Observation::Sent { by, msg, .. } = observation else { return None };
    match P::carries(msg)? {
        GroupMsg::Fresh(Multicast { number, body: MulticastBody::User(_), .. }) => Some((*by, *number)),
        _ => None,
    }
}

/// The configuration that a process announces.
fn installed<'a, P: GroupProtocol>(observation: &Observation<'a, P>) -> Option<(Pid, &'a Configuration)> {
    let Observation::Emitted { by, output } = observation else { return None };
    match P::tells(output)? {
        GroupOutput::View(configuration) => Some((*by, configuration)),
        _ => None,
    }
}

fn insert(set: &mut Vec<MulticastId>, word: MulticastId) -> bool {
    match set.binary_search(&word) {
        Ok(_) => false,
        Err(at) => {
            set.insert(at, word);
            true
        }
    }
}

/// The configurations at the start, for observers that have to know them.
fn starts<P: GroupProtocol>(protocol: &P, n: usize) -> PerProc<ProcSet> {
    let mut starts = PerProc::new(n, ProcSet::EMPTY);
    for p in Pid::all(n) {
        starts[p] = protocol.clique(p);
    }
    starts
}

/// Virtual synchrony (T, section 5.5.2): members that go from one configuration to the same next one have delivered
/// the same words in between; where two of them each have the other in their next configuration, it is the same; and
/// what one message of each has made a part of is one configuration. A change that leaves everyone in place is no
/// configuration of its own, and what somebody did in one from which the other has gone is not compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VirtualSynchrony {
    starts: PerProc<ProcSet>,
}

impl VirtualSynchrony {
    /// For this protocol of `n` processes.
    pub fn of<P: GroupProtocol>(protocol: &P, n: usize) -> VirtualSynchrony {
        VirtualSynchrony { starts: starts(protocol, n) }
    }
}

/// A configuration as one process has lived through it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct LocalEpoch {
    configuration: Configuration,
    /// From the least to the greatest.
    words: Vec<(Pid, u32)>,
}

/// What each process has lived through, and who has lived through something else.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct Epochs {
    of: PerProc<Vec<LocalEpoch>>,
    apart: Option<(Pid, Pid)>,
}

impl Epochs {
    /// Whether what two processes have lived through fits together.
    fn agree(&self, p: Pid, q: Pid) -> bool {
        let same = |a: &Configuration, b: &Configuration| {
            a.members == b.members && a.by[p] == b.by[p] && a.by[q] == b.by[q]
        };
        let one = |a: &Configuration, b: &Configuration| {
            let both = |q: Pid| a.by[q] == b.by[q] && a.by[q] != 0;
            !(both(p) && both(q)) || a.members == b.members
        };
        let ours = self.of[p].iter().map(|epoch| &epoch.configuration);
        let same_changes = ours.into_iter().all(|a| self.of[q].iter().all(|b| one(a, &b.configuration)));
        same_changes
            && self.of[p].windows(2).all(|mine| {
                self.of[q]
                    .windows(2)
                    .filter(|theirs| same(&mine[0].configuration, &theirs[0].configuration))
                    .all(|theirs| {
                        let (next, other) = (&mine[1].configuration, &theirs[1].configuration);
                        match same(next, other) {
                            true => mine[0].words == theirs[0].words,
                            false => !(next.members.contains(q) && other.members.contains(p)),
                        }
                    })
            })
    }
}

impl<P: GroupProtocol> Observer<P> for VirtualSynchrony {
    type State = Epochs;

    fn name(&self) -> String {
        "synchrony".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> Epochs {
        let n = self.starts.len();
        let mut of = PerProc::new(n, Vec::new());
        for (p, &members) in self.starts.iter() {
            let configuration = Configuration { members, by: PerProc::new(n, 0) };
            of[p] = vec![LocalEpoch { configuration, words: Vec::new() }];
        }
        Epochs { of, apart: None }
    }

    fn see(&self, state: &mut Epochs, observation: &Observation<'_, P>, _: &mut Deadlines) {
        if let Some((by, word)) = delivered(observation) {
            if let Some(epoch) = state.of[by].last_mut() {
                insert(&mut epoch.words, word);
            }
        } else if let Some((by, configuration)) = installed(observation) {
            state.of[by].push(LocalEpoch { configuration: configuration.clone(), words: Vec::new() });
            let members = ProcSet::first(self.starts.len());
            let other = members.without(by).iter().find(|&q| !state.agree(by, q));
            state.apart = state.apart.or(other.map(|q| (by.min(q), by.max(q))));
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        delivered(observation).is_some() || installed(observation).is_some()
    }

    fn judge(&self, state: &Epochs) -> Judgement {
        match state.apart {
            Some((p, q)) => Judgement::Violated(format!(
                "{p} and {q} have come from one configuration to the next with different words in between, or in \
                 different orders"
            )),
            None => Judgement::Open,
        }
    }
}

/// Causal order: nobody delivers a word after another that its speaker said knowing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CausalOrder {
    /// The number of processes.
    pub n: usize,
}

/// What each word follows, and what each process has said and delivered.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct CausalHistory {
    /// Each word with those that its speaker had said or delivered before, in the order of the words.
    causes: Vec<(MulticastId, Vec<MulticastId>)>,
    /// What each process has said or delivered.
    knows: PerProc<Vec<MulticastId>>,
    /// What each process has delivered.
    delivered: PerProc<Vec<MulticastId>>,
    late: Option<(Pid, MulticastId)>,
}

impl<P: GroupProtocol> Observer<P> for CausalOrder {
    type State = CausalHistory;

    fn name(&self) -> String {
        "causality".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> CausalHistory {
        let none = PerProc::new(self.n, Vec::new());
        CausalHistory { causes: Vec::new(), knows: none.clone(), delivered: none, late: None }
    }

    fn see(&self, state: &mut CausalHistory, observation: &Observation<'_, P>, _: &mut Deadlines) {
        if let Some(word) = said(observation)
            && let Err(at) = state.causes.binary_search_by_key(&word, |(word, _)| *word)
        {
            state.causes.insert(at, (word, state.knows[word.0].clone()));
            insert(&mut state.knows[word.0], word);
        }
        if let Some((by, word)) = delivered(observation) {
            let follows = |other: &MulticastId| {
                let known = state.causes.iter().find(|(word, _)| word == other);
                known.is_some_and(|(_, causes)| causes.contains(&word))
            };
            if state.delivered[by].iter().any(follows) {
                state.late = state.late.or(Some((by, word)));
            }
            insert(&mut state.delivered[by], word);
            insert(&mut state.knows[by], word);
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        said(observation).is_some() || delivered(observation).is_some()
    }

    fn judge(&self, state: &CausalHistory) -> Judgement {
        match state.late {
            Some((by, (from, number))) => {
                Judgement::Violated(format!("{by} delivers {from}#{number} after a word that follows it"))
            }
            None => Judgement::Open,
        }
    }
}

/// No duplication: nobody delivers the same message twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoDuplication {
    /// The number of processes.
    pub n: usize,
}

/// What each process has delivered, and who has twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct LocalDeliveries {
    of: PerProc<Vec<(Pid, u32)>>,
    twice: Option<(Pid, (Pid, u32))>,
}

impl<P: GroupProtocol> Observer<P> for NoDuplication {
    type State = LocalDeliveries;

    fn name(&self) -> String {
        "no-duplication".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> LocalDeliveries {
        LocalDeliveries { of: PerProc::new(self.n, Vec::new()), twice: None }
    }

    fn see(&self, state: &mut LocalDeliveries, observation: &Observation<'_, P>, _: &mut Deadlines) {
        if let Some((by, word)) = delivered(observation)
            && !insert(&mut state.of[by], word)
        {
            state.twice = state.twice.or(Some((by, word)));
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        delivered(observation).is_some()
    }

    fn judge(&self, state: &LocalDeliveries) -> Judgement {
        match state.twice {
            Some((by, (from, number))) => {
                Judgement::Violated(format!("{by} delivers {from}#{number}, and has before"))
            }
            None => Judgement::Open,
        }
    }
}

/// Nobody delivers a word of a process that is not in its configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insiders {
    starts: PerProc<ProcSet>,
}

impl Insiders {
    /// For this protocol of `n` processes.
    pub fn of<P: GroupProtocol>(protocol: &P, n: usize) -> Insiders {
        Insiders { starts: starts(protocol, n) }
    }
}

/// The configuration of each process, and who has delivered a word of somebody outside of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Pack)]
pub struct LocalViews {
    of: PerProc<ProcSet>,
    outsider: Option<(Pid, Pid)>,
}

impl<P: GroupProtocol> Observer<P> for Insiders {
    type State = LocalViews;

    fn name(&self) -> String {
        "insiders".to_string()
    }

    fn start(&self, _: &mut Deadlines) -> LocalViews {
        LocalViews { of: self.starts.clone(), outsider: None }
    }

    fn see(&self, state: &mut LocalViews, observation: &Observation<'_, P>, _: &mut Deadlines) {
        if let Some((by, (from, _))) = delivered(observation) {
            if !state.of[by].contains(from) {
                state.outsider = state.outsider.or(Some((by, from)));
            }
        } else if let Some((by, configuration)) = installed(observation) {
            state.of[by] = configuration.members;
        }
    }

    fn trace_invariant(&self) -> bool {
        true
    }

    fn visible(&self, observation: &Observation<'_, P>) -> bool {
        delivered(observation).is_some() || installed(observation).is_some()
    }

    fn judge(&self, state: &LocalViews) -> Judgement {
        match state.outsider {
            Some((by, from)) => Judgement::Violated(format!(
                "{by} delivers a word of {from}, who is not in its configuration"
            )),
            None => Judgement::Open,
        }
    }
}
