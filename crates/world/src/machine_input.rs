//! The inputs of one process, by the numbers under which its steps are remembered: timers, calls, notices of an
//! oracle and messages, in this order.

use crate::World;
use crate::machine::InFlight;
use watchkeeper_automaton::Stimulus;
use watchkeeper_core::{Pid, Suspicion};
use watchkeeper_space::Id;

/// The input of one step of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MachineInput {
    Fire(usize),
    Call(usize),
    Receive(Id),
    Notice { whom: usize, begins: bool },
}

impl World {
    /// The input with this number.
    pub(crate) fn cause(&self, input: Id) -> MachineInput {
        let (timers, calls) = (self.automaton.facts().timers.len(), self.calls.len());
        match input as usize {
            slot if slot < timers => MachineInput::Fire(slot),
            entry if entry < timers + calls => MachineInput::Call(entry - timers),
            _ if input >= self.first_message => MachineInput::Receive(input - self.first_message),
            _ => {
                let number = (self.first_message - input - 1) as usize;
                MachineInput::Notice { whom: number / 2, begins: number % 2 == 1 }
            }
        }
    }

    /// What the protocol is given for an input, one after the other.
    pub(crate) fn stimuli(&self, process: usize, input: MachineInput) -> Vec<Stimulus> {
        match input {
            MachineInput::Fire(slot) => vec![Stimulus::Fire(slot)],
            MachineInput::Call(entry) => vec![Stimulus::Call(self.calls[entry].call)],
            MachineInput::Notice { whom, begins } => {
                let (whom, momentary) = (Pid::at(whom), self.layout.suspects(process).is_none());
                let begin = begins.then_some(Suspicion::Suspect(whom));
                let end = (momentary || !begins).then_some(Suspicion::Trust(whom));
                begin.into_iter().chain(end).map(Stimulus::Notice).collect()
            }
            MachineInput::Receive(flight) => {
                let InFlight { channel, msg, .. } = *self.machines[process].flights.get(flight).value;
                vec![Stimulus::Receive { from: self.routes.ends(channel).0, msg }]
            }
        }
    }
}
