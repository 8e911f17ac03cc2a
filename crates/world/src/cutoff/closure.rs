//! All local states that the processes of one system can come to: a closure under everything that can happen
//! to each of them. No network is kept, so every message that is ever sent may arrive at any later moment, any
//! number of times; a limit ends the search of a protocol that has infinitely many states.

use super::reaction::{CutoffInput, CutoffLocal, CutoffReaction, reaction, started};
use super::{CutoffStep, Departure};
use std::collections::BTreeSet;
use watchkeeper_automaton::{MsgId, ProtocolAutomaton};
use watchkeeper_core::Pid;

/// What is known of one system.
pub(super) struct Closure<'a> {
    automaton: &'a dyn ProtocolAutomaton,
    n: usize,
    processes: Vec<Process>,
    /// The steps that were taken.
    pub(super) inputs: u64,
}

/// What is known of one process.
struct Process {
    locals: Vec<CutoffLocal>,
    known: BTreeSet<CutoffLocal>,
    /// What can arrive at it.
    inbox: Vec<(Pid, MsgId)>,
    sent: BTreeSet<(Pid, MsgId)>,
    /// For each local state, how many messages of the inbox have arrived at it; `None` if its timers have not
    /// fired either.
    done: Vec<Option<usize>>,
    /// The first local state that nothing has happened to, and how many messages have arrived at all before it.
    next: (usize, usize),
}

type Look<'l> = dyn FnMut(&CutoffStep<'_>) -> Result<(), Box<Departure>> + 'l;

impl<'a> Closure<'a> {
    pub(super) fn new(automaton: &'a dyn ProtocolAutomaton, n: usize) -> Closure<'a> {
        let process = |_| Process {
            locals: Vec::new(),
            known: BTreeSet::new(),
            inbox: Vec::new(),
            sent: BTreeSet::new(),
            done: Vec::new(),
            next: (0, 0),
        };
        Closure { automaton, n, processes: (0..n).map(process).collect(), inputs: 0 }
    }

    /// The number of local states that were found.
    pub(super) fn local_states(&self) -> u64 {
        self.processes.iter().map(|process| process.locals.len() as u64).sum()
    }

    /// Shows every step to `look`, near ones first. `false` if there are more local states than `most`.
    pub(super) fn explore(&mut self, most: u64, look: &mut Look<'_>) -> Result<bool, Box<Departure>> {
        for me in Pid::all(self.n) {
            let reaction = started(self.automaton, me);
            self.take(me, None, &CutoffInput::Start, &reaction, look)?;
        }
        loop {
            let before = self.inputs;
            for me in Pid::all(self.n) {
                // Those that are found on the way wait for the next round.
                for local in self.unfinished(me) {
                    for cause in self.pending(me, local) {
                        let local = self.processes[me.index()].locals[local].clone();
                        let reaction = reaction(self.automaton, me, &local, &cause);
                        self.take(me, Some(&local), &cause, &reaction, look)?;
                        if self.local_states() > most {
                            return Ok(false);
                        }
                    }
                }
            }
            if self.inputs == before {
                return Ok(true);
            }
        }
    }

    /// The local states of a process to which something has not happened yet.
    fn unfinished(&mut self, me: Pid) -> std::ops::Range<usize> {
        let process = &mut self.processes[me.index()];
        let (next, arrived) = process.next;
        process.next = (process.locals.len(), process.inbox.len());
        // A message that is new may arrive in every local state.
        let first = if process.inbox.len() > arrived { 0 } else { next };
        first..process.locals.len()
    }

    /// What has not yet happened to a process in a local state.
    fn pending(&mut self, me: Pid, local: usize) -> Vec<CutoffInput> {
        let process = &mut self.processes[me.index()];
        let armed = &process.locals[local].armed;
        let fires = if process.done[local].is_none() { armed.iter().copied().collect() } else { Vec::new() };
        let arrived = process.done[local].replace(process.inbox.len()).unwrap_or(0);
        let receive = |(from, msg): &(Pid, MsgId)| CutoffInput::Receive { from: *from, msg: *msg };
        fires.into_iter().map(CutoffInput::Fire).chain(process.inbox[arrived..].iter().map(receive)).collect()
    }

    /// Looks at a step, and keeps what is new after it.
    fn take(
        &mut self,
        me: Pid,
        before: Option<&CutoffLocal>,
        cause: &CutoffInput,
        reaction: &CutoffReaction,
        look: &mut Look<'_>,
    ) -> Result<(), Box<Departure>> {
        self.inputs += 1;
        look(&CutoffStep { automaton: self.automaton, n: self.n, process: me, before, cause, reaction })?;
        for sent in reaction.sends.iter().filter(|sent| sent.to.index() < self.n) {
            let receiver = &mut self.processes[sent.to.index()];
            if receiver.sent.insert((me, sent.msg)) {
                receiver.inbox.push((me, sent.msg));
            }
        }
        let mut armed = before.map_or(BTreeSet::new(), |local| local.armed.clone());
        if let CutoffInput::Fire(slot) = cause {
            armed.remove(slot);
        }
        let after = CutoffLocal { state: reaction.state, armed: reaction.armed(&armed) };
        let process = &mut self.processes[me.index()];
        if process.known.insert(after.clone()) {
            process.locals.push(after);
            process.done.push(None);
        }
        Ok(())
    }
}
