//! What processes of an execution want: a protocol that leaves messages lying is asked before anything is handed to
//! it, and what it will never want is forgotten. A chart shows a forgotten message as one that never arrived.

use super::Interpreter;
use super::config::{Config, ProcessConfig};
use watchkeeper_automaton::MsgId;
use watchkeeper_core::{Pid, Reception};

impl Interpreter<'_> {
    /// Whether messages to a process that has crashed are gone at once.
    pub(super) fn swallows_at_once(&self) -> bool {
        self.automaton.facts().selective || self.scenario.swallows_at_once()
    }

    /// What a process would do with a message; it has no say before it starts.
    pub(super) fn reception(&self, config: &Config, (from, to): (Pid, Pid), msg: MsgId) -> Reception {
        match &config.processes[to.index()] {
            ProcessConfig::Up { state, .. } if self.automaton.facts().selective => {
                self.automaton.reception(to, *state, from, msg)
            }
            _ => Reception::Accepted,
        }
    }

    /// Refuses to hand over what is not wanted now.
    pub(super) fn is_wanted(&self, config: &Config, ends: (Pid, Pid), msg: MsgId) -> Result<(), String> {
        let (from, to) = ends;
        match self.reception(config, ends, msg) {
            Reception::Accepted => Ok(()),
            Reception::Deferred | Reception::Discarded => {
                Err(format!("{to} does not want {} from {from} now", self.label(msg)))
            }
        }
    }

    /// Takes out of the channels to a process what it will never want.
    pub(super) fn forget_unwanted(&self, config: &mut Config, me: Pid) {
        if !self.automaton.facts().selective {
            return;
        }
        for channel in self.routes.inbound(me.index()) {
            let (from, _, _) = self.routes.ends(channel);
            let mut flights = std::mem::take(&mut config.channels[channel]);
            flights.retain(|flight| self.reception(config, (from, me), flight.msg) != Reception::Discarded);
            config.channels[channel] = flights;
        }
    }
}
