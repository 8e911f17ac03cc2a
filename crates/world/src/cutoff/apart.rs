//! That a protocol keeps its peers apart: what comes from a peer changes what is kept about this peer alone, what
//! becomes of that depends on nothing that is kept about others, and it is the same in systems of every
//! size that was looked at. Then throwing away all but two processes leaves a run of those two.

use super::alike::Slots;
use super::reaction::{CutoffInput, CutoffSend, Touch};
use super::{CutoffStep, Demand, Departure};
use std::collections::BTreeMap;
use watchkeeper_automaton::{OutputId, ProtocolAutomaton, StateId};
use watchkeeper_core::{Meaning, PeerState, Perm, Pid};

/// What steps do about processes, as far as it is known: each entry is a function of its key.
#[derive(Default)]
pub(super) struct PeerParts {
    /// The steps that were looked at.
    pub(super) count: u64,
    /// From what is about no peer, the part about one peer and the input to what becomes of the part.
    peers: BTreeMap<Question, Known>,
    /// From what is about no peer and the input to what becomes of it, and what is sent to all.
    own: BTreeMap<Question, Known>,
    /// From the number of processes, the process and the parts of a state to the state.
    whole: BTreeMap<Whole, Vec<u8>>,
    /// From the number of processes and the process to the timers about each of them.
    timers: BTreeMap<(usize, Pid), Vec<Vec<usize>>>,
}

/// The parts of a state of a process in a system of some size.
type Whole = (usize, Pid, Vec<Vec<u8>>);

/// What an answer depends on, with the process as p0 and its peer, if it is about one, as p1.
type Question = (Vec<u8>, Option<Vec<u8>>, Happening);

/// What happens, as far as it matters to the part that is asked about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Happening {
    Start,
    /// A message from the peer.
    Message(Vec<u8>),
    /// A timer about the peer, by its place among those.
    Peers(usize),
    /// A timer that is about no peer.
    Own(usize),
}

/// What becomes of a part: its state, what is done to its timers, what is said about it, what is sent.
type Answer = (Vec<u8>, Vec<(usize, Touch)>, Vec<Vec<u8>>, Option<Vec<u8>>);

/// An answer, and the size of the system in which it was given first.
type Known = (Answer, usize);

impl PeerParts {
    pub(super) fn look(&mut self, step: &CutoffStep<'_>) -> Result<(), Box<Departure>> {
        self.count += 1;
        self.whole(step)?;
        let (me, reaction) = (step.process, step.reaction);
        match whom(step)? {
            Some(peer) if peer != me => {
                if let Some(CutoffSend { to, .. }) = reaction.sends.first() {
                    let why = format!("it sends to {to} because of {peer}");
                    return Err(step.departs(Demand::ToAll, why));
                }
                untouched(step, peer)?;
                self.about(step, peer)
            }
            _ => {
                self.own(step)?;
                Pid::all(step.n).filter(|&peer| peer != me).try_for_each(|peer| self.about(step, peer))
            }
        }
    }

    /// That the parts tell the state, and have all timers.
    fn whole(&mut self, step: &CutoffStep<'_>) -> Result<(), Box<Departure>> {
        let state = step.reaction.state;
        let parts = all_parts(step.automaton, step.n, step.process, state);
        for slot in step.reaction.timers.keys() {
            let owners = parts.iter().filter(|part| part.timers.contains(slot));
            if owners.count() != 1 {
                let why = format!(
                    "the timer {} is not about exactly one process",
                    step.automaton.facts().timer(*slot)
                );
                return Err(step.departs(Demand::Whole, why));
            }
        }
        let timers: Vec<Vec<usize>> = parts.iter().map(|part| part.timers.clone()).collect();
        let known = self.timers.entry((step.n, step.process)).or_insert_with(|| timers.clone());
        if *known != timers {
            let why = "which timers are about whom is not the same in every state".to_string();
            return Err(step.departs(Demand::Whole, why));
        }
        let key = (step.n, step.process, parts.into_iter().map(|part| part.state).collect());
        let state = step.automaton.states().packed(state.0).to_vec();
        if *self.whole.entry(key).or_insert(state.clone()) != state {
            let why = "there is another state with the same parts".to_string();
            return Err(step.departs(Demand::Whole, why));
        }
        Ok(())
    }

    /// That what becomes of the part about a peer depends on what it may.
    fn about(&mut self, step: &CutoffStep<'_>, peer: Pid) -> Result<(), Box<Departure>> {
        let view = View::new(step, peer);
        let happening = view.happening(step, peer);
        let question = (view.before(step, step.process), Some(view.before(step, peer)), happening);
        let answer = view.answer(step, peer, None);
        match self.peers.entry(question).or_insert_with(|| (answer.clone(), step.n)) {
            (known, _) if *known == answer => Ok(()),
            (_, size) => Err(differs(step, *size, format!("what it does about {peer}"))),
        }
    }

    /// That what becomes of the part that is about no peer depends on itself, and that all are told the same.
    fn own(&mut self, step: &CutoffStep<'_>) -> Result<(), Box<Departure>> {
        let me = step.process;
        let sent = to_all(step)?;
        let view = View::new(step, me);
        let question = (view.before(step, me), None, view.happening(step, me));
        let answer = view.answer(step, me, sent);
        match self.own.entry(question).or_insert_with(|| (answer.clone(), step.n)) {
            (known, _) if *known == answer => Ok(()),
            (_, size) => Err(differs(step, *size, "what it does about itself, and sends,".to_string())),
        }
    }
}

/// The departure of a step that does something else than one that should be the same.
fn differs(step: &CutoffStep<'_>, size: usize, what: String) -> Box<Departure> {
    if size == step.n {
        step.departs(Demand::Separate, format!("{what} differs with what it keeps about others"))
    } else {
        step.departs(Demand::AnySize, format!("{what} is not what it does among {size} processes"))
    }
}

/// The parts of a state, one for each process.
fn all_parts(automaton: &dyn ProtocolAutomaton, n: usize, me: Pid, state: StateId) -> Vec<PeerState<usize>> {
    Pid::all(n).filter_map(|whom| automaton.about(me, state, whom)).collect()
}

/// Whom a step is about; `None` at the start.
fn whom(step: &CutoffStep<'_>) -> Result<Option<Pid>, Box<Departure>> {
    let slot = match step.cause {
        CutoffInput::Start => return Ok(None),
        CutoffInput::Receive { from, .. } => return Ok(Some(*from)),
        CutoffInput::Fire(slot) => *slot,
    };
    let parts = all_parts(step.automaton, step.n, step.process, step.reaction.state);
    let owner = parts.iter().position(|part| part.timers.contains(&slot));
    match owner {
        Some(owner) => Ok(Some(Pid::at(owner))),
        None => {
            let why = format!("the timer {} is about no process", step.automaton.facts().timer(slot));
            Err(step.departs(Demand::Whole, why))
        }
    }
}

/// That a step about `peer` leaves everyone else's part as it is, and says nothing about others.
fn untouched(step: &CutoffStep<'_>, peer: Pid) -> Result<(), Box<Departure>> {
    let Some(before) = step.before else { return Ok(()) };
    for whom in Pid::all(step.n).filter(|&whom| whom != peer) {
        let part = |state| step.automaton.about(step.process, state, whom);
        let (old, new) = (part(before.state), part(step.reaction.state));
        let timers = new.iter().flat_map(|part| part.timers.clone());
        let touched = timers.into_iter().any(|slot| step.reaction.timers.contains_key(&slot));
        let said =
            step.reaction.outputs.iter().any(|output| spoken_of(step.automaton, *output) == Some(whom));
        if old != new || touched || said {
            let why = format!("it does something about {whom} because of {peer}");
            return Err(step.departs(Demand::Apart, why));
        }
    }
    Ok(())
}

/// The message that goes to all others, if any does.
fn to_all(step: &CutoffStep<'_>) -> Result<Option<Vec<u8>>, Box<Departure>> {
    let messages = step.automaton.messages();
    let mut sends: Vec<(Pid, Vec<u8>)> =
        step.reaction.sends.iter().map(|sent| (sent.to, messages.packed(sent.msg.0).to_vec())).collect();
    sends.sort();
    let Some((_, message)) = sends.first().cloned() else { return Ok(None) };
    let others = Pid::all(step.n).filter(|&p| p != step.process);
    if sends != others.map(|p| (p, message.clone())).collect::<Vec<_>>() {
        let why = "it does not send the same message to each of the others once".to_string();
        return Err(step.departs(Demand::ToAll, why));
    }
    Ok(Some(message))
}

/// Whom an announcement is about.
fn spoken_of(automaton: &dyn ProtocolAutomaton, output: OutputId) -> Option<Pid> {
    match automaton.meaning(output) {
        Meaning::Suspects(p) | Meaning::Trusts(p) => Some(p),
        Meaning::Stops | Meaning::Other(_) => None,
    }
}

/// A step as seen with the process as p0 and a peer as p1, so that it can be compared with others.
struct View {
    perm: Perm,
    me: Pid,
    slots: Slots,
}

impl View {
    fn new(step: &CutoffStep<'_>, peer: Pid) -> View {
        let first = |perm: &Perm| {
            perm.apply(step.process) == Pid::at(0) && (peer == step.process || perm.apply(peer) == Pid::at(1))
        };
        let perm = Perm::all(step.n).into_iter().find(first).expect("there is one that does this");
        let slots = Slots::new(step, &perm);
        View { perm, me: Pid::at(0), slots }
    }

    fn part(&self, step: &CutoffStep<'_>, state: StateId, whom: Pid) -> PeerState<usize> {
        let renamed = StateId(step.automaton.states().renamed(state.0, &self.perm));
        let part = step.automaton.about(self.me, renamed, self.perm.apply(whom));
        part.expect("a protocol that tells of its parts tells of all")
    }

    /// The part about a process before the step, with which of its timers were armed.
    fn before(&self, step: &CutoffStep<'_>, whom: Pid) -> Vec<u8> {
        let Some(before) = step.before else { return Vec::new() };
        let part = self.part(step, before.state, whom);
        let armed: Vec<usize> = before.armed.iter().map(|&slot| self.slots.apply(slot)).collect();
        let mut bytes = part.state;
        bytes.extend(part.timers.iter().map(|timer| u8::from(armed.contains(timer))));
        bytes
    }

    fn happening(&self, step: &CutoffStep<'_>, about: Pid) -> Happening {
        let place = |slot: usize, whom: Pid| {
            let timers = self.part(step, step.reaction.state, whom).timers;
            timers.iter().position(|timer| *timer == self.slots.apply(slot))
        };
        match step.cause {
            CutoffInput::Start => Happening::Start,
            CutoffInput::Receive { msg, .. } => {
                let messages = step.automaton.messages();
                Happening::Message(messages.packed(messages.renamed(msg.0, &self.perm)).to_vec())
            }
            CutoffInput::Fire(slot) => match place(*slot, step.process) {
                Some(place) => Happening::Own(place),
                None => Happening::Peers(place(*slot, about).unwrap_or(usize::MAX)),
            },
        }
    }

    fn answer(&self, step: &CutoffStep<'_>, whom: Pid, sent: Option<Vec<u8>>) -> Answer {
        let PeerState { state, timers } = self.part(step, step.reaction.state, whom);
        let touches: BTreeMap<usize, Touch> =
            step.reaction.timers.iter().map(|(slot, touch)| (self.slots.apply(*slot), *touch)).collect();
        let touched = timers.iter().enumerate();
        let touched = touched.filter_map(|(place, timer)| Some((place, *touches.get(timer)?)));
        let outputs = step.reaction.outputs.iter();
        // What is not about a peer counts as said about whom the step is about.
        let about = outputs.filter(|output| {
            spoken_of(step.automaton, **output).map_or_else(|| is_about(step, whom), |peer| peer == whom)
        });
        let values = step.automaton.outputs();
        let said = about.map(|output| values.packed(values.renamed(output.0, &self.perm)).to_vec());
        (state, touched.collect(), said.collect(), sent)
    }
}

/// Whether a step is about this process. The start, and what a process does at its own time, are about itself.
fn is_about(step: &CutoffStep<'_>, whom: Pid) -> bool {
    matches!(self::whom(step), Ok(about) if about.unwrap_or(step.process) == whom)
}
