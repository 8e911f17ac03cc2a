//! The faults of an execution: processes crash and recover, the network loses and duplicates. Each is refused
//! if its budget is used up.

use super::config::{Config, Flight, ProcessConfig};
use super::{Done, Interpreter, Taking};
use crate::ANY_NUMBER;
use watchkeeper_automaton::{RawObservation, performances};
use watchkeeper_core::{Event, MessageId, ProcSet};

impl Interpreter<'_> {
    pub(super) fn crash(&self, config: &mut Config, process: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        let faults = &self.scenario.faults;
        if matches!(config.processes[process], ProcessConfig::Crashed) || !faults.crashable.contains(me) {
            return Err(format!("{me} cannot crash"));
        }
        if self.is_immune(config, me) {
            return Err(format!("{me} is the one that the oracle leaves alone, and does not crash"));
        }
        // Whoever is down has crashed, and so has whoever recovered, each of them as often as it did.
        let is_crashed = |process: &&ProcessConfig| matches!(process, ProcessConfig::Crashed);
        let crashed = config.processes.iter().filter(is_crashed).count() + config.recoveries as usize;
        if crashed >= faults.crashed_at_start.len() + faults.crashes as usize {
            return Err("as many processes have crashed as may".to_string());
        }
        config.processes[process] = ProcessConfig::Crashed;
        if let Some(suspects) =
            config.oracle.as_mut().and_then(|decisions| decisions.suspects.get_mut(process))
        {
            *suspects = ProcSet::EMPTY;
        }
        let mut events = vec![Event::Crash { process: me }];
        if self.swallows_at_once() {
            events.extend(self.forget(config, process));
        }
        self.show(config, &RawObservation::Crashed { process: me });
        Ok(Done::new(format!("{me} crashes"), events))
    }

    pub(super) fn recover(&self, config: &mut Config, process: usize, choice: usize) -> Result<Done, String> {
        let me = self.process(process)?;
        if !matches!(config.processes[process], ProcessConfig::Crashed) {
            return Err(format!("{me} has not crashed"));
        }
        let most = self.scenario.faults.recoveries;
        if config.recoveries >= most {
            return Err("as many processes have recovered as may".to_string());
        }
        config.recoveries += u32::from(most != ANY_NUMBER);
        let run = performances(|fx| self.automaton.init(me, fx)).into_iter().nth(choice);
        let run = run.ok_or_else(|| format!("{me} has no choice {choice}"))?;
        let label = format!("{me} recovers{}", run.picked());
        let mut events = self.forget(config, process);
        events.push(Event::Recover { process: me });
        self.show(config, &RawObservation::Recovered { process: me });
        let taking = Taking { me, state: run.state, timers: Vec::new(), request: None };
        self.carry_out(config, taking, run, &mut events)?;
        Ok(Done::new(label, events))
    }

    /// Whatever is on its way to a process is gone.
    fn forget(&self, config: &mut Config, process: usize) -> Vec<Event> {
        let gone =
            self.routes.inbound(process).flat_map(|channel| std::mem::take(&mut config.channels[channel]));
        gone.map(|flight| Event::Swallow { message: flight.message }).collect()
    }

    pub(super) fn lose(&self, config: &mut Config, channel: usize, place: usize) -> Result<Done, String> {
        let (from, to) = self.ends(channel)?;
        let most = self.scenario.network.losses;
        let orphan = self.scenario.faults.crash_loses
            && matches!(config.processes[from.index()], ProcessConfig::Crashed);
        let free = orphan || !config.stable && self.before().is_some_and(|before| before.losses);
        if !free && config.losses >= most {
            return Err("as many messages were lost as may be".to_string());
        }
        let at = self.find(config, channel, place)?;
        config.losses += u32::from(!free && most != ANY_NUMBER);
        let Flight { message, msg, .. } = config.channels[channel].remove(at);
        let label = self.words(|| format!("lose {} from {from} to {to}", self.label(msg)));
        self.show(config, &RawObservation::Lost { from, to, msg });
        Ok(Done::new(label, vec![Event::Lose { message }]))
    }

    pub(super) fn duplicate(
        &self,
        config: &mut Config,
        channel: usize,
        place: usize,
    ) -> Result<Done, String> {
        let (from, to) = self.ends(channel)?;
        if config.duplications >= self.scenario.network.duplications {
            return Err("as many messages were duplicated as may be".to_string());
        }
        let at = self.find(config, channel, place)?;
        if self.is_full(config, channel) {
            return Err(format!("there is no room for a copy from {from} to {to}"));
        }
        config.duplications += u32::from(self.scenario.network.duplications != ANY_NUMBER);
        let original = config.channels[channel][at].clone();
        let (message, copy) = (original.message, MessageId(config.messages));
        config.messages += 1;
        let label = format!("duplicate {} from {from} to {to}", self.label(original.msg));
        config.channels[channel].insert(at + 1, Flight { message: copy, ..original });
        Ok(Done::new(label, vec![Event::Duplicate { message, copy }]))
    }
}
