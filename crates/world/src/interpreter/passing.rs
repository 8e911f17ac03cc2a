//! What an execution makes of time and of observers: ticks, obligations that become free, deadlines that run
//! out, and what observers say of it.

use super::config::{Config, ObserverConfig, ProcessConfig};
use super::timeline::Instant;
use super::{Done, Interpreter};
use crate::synchrony::hastened;
use crate::transition::Transition;
use crate::world::message_bound;
use crate::{BeforeStable, WorldTime};
use watchkeeper_automaton::RawObservation;
use watchkeeper_core::{Deadlines, Event, Judgement};

impl Interpreter<'_> {
    /// Observers begin before anything happens.
    pub(super) fn start_observers(&self, config: &mut Config) {
        for observer in self.observers {
            let mut deadlines = Deadlines::default();
            let state = observer.observer().start(&mut deadlines);
            let mut own = ObserverConfig { state, running: Vec::new() };
            self.order(config, &mut own, &deadlines);
            config.observers.push(own);
        }
    }

    /// Lets all observers see something.
    pub(super) fn show(&self, config: &mut Config, seen: &RawObservation) {
        for (k, observer) in self.observers.iter().enumerate() {
            let mut own = config.observers[k].clone();
            let mut deadlines = Deadlines::default();
            own.state = observer.observer().see(&own.state, std::slice::from_ref(seen), &mut deadlines);
            self.order(config, &mut own, &deadlines);
            if observer.observer().judge(&own.state) != Judgement::Open {
                own.running.clear();
            }
            config.observers[k] = own;
        }
    }

    /// Whether every observer, if there are any, has made up its mind.
    pub(super) fn has_seen_enough(&self, config: &Config) -> bool {
        let mut judged = self.observers.iter().zip(&config.observers);
        !self.observers.is_empty()
            && judged.all(|(observer, own)| observer.observer().judge(&own.state) != Judgement::Open)
    }

    /// No deadline but those that run out in this step has run out.
    pub(super) fn keep_watching(&self, config: &mut Config, transition: Transition) {
        let out = if let Transition::Expire { deadlines } = transition { deadlines } else { 0 };
        for (i, (_, _, bound, since)) in running(config).into_iter().enumerate() {
            if out >> i & 1 == 0 {
                config.timeline.deadline_runs(since, bound);
            }
        }
    }

    /// What observers found wrong in the last step, for a chart.
    pub(super) fn remarks(&self, config: &Config) -> Vec<Event> {
        let mut remarks = Vec::new();
        for (observer, own) in self.observers.iter().zip(&config.observers) {
            if let Judgement::Violated(what) = observer.observer().judge(&own.state) {
                remarks.push(Event::Remark { text: format!("{}: {what}", observer.name()) });
            }
        }
        remarks
    }

    pub(super) fn tick(&self, config: &mut Config, urgent: bool) -> Result<Done, String> {
        if !matches!(self.scenario.time, WorldTime::Ticks(_)) {
            return Err("there are no ticks in this world".to_string());
        }
        if urgent {
            return Err("a process that waited for room sends on first".to_string());
        }
        if !config.pending().into_iter().all(|pending| config.timeline.has_room(pending)) {
            return Err("something must happen before time passes".to_string());
        }
        config.timeline.pass();
        for k in 0..self.observers.len() {
            let over = |&&(_, bound, since): &&(usize, u32, _)| config.timeline.left(since, bound).is_none();
            let mut out: Vec<usize> = config.observers[k].running.iter().filter(over).map(|w| w.0).collect();
            out.sort_unstable();
            out.into_iter().for_each(|deadline| self.run_out(config, k, deadline));
        }
        Ok(Done::new("one tick passes".to_string(), Vec::new()))
    }

    /// What the network does until it stabilises, if it has to.
    pub(super) fn before(&self) -> Option<BeforeStable> {
        self.scenario.time.timing()?.before()
    }

    /// Whatever is on its way arrives no later than what is sent from now on.
    pub(super) fn stabilise(&self, config: &mut Config) -> Result<Done, String> {
        if config.stable {
            return Err("the bounds on messages hold already".to_string());
        }
        config.stable = true;
        let fresh = message_bound(self.scenario, true);
        for flight in config.channels.iter_mut().flatten() {
            let left = config.timeline.left_of(flight.pending);
            flight.pending = config.timeline.pending(hastened(left, fresh));
        }
        let text = "the network stabilises".to_string();
        Ok(Done::new(text.clone(), vec![Event::Remark { text }]))
    }

    pub(super) fn enable_timer(
        &self,
        config: &mut Config,
        process: usize,
        slot: usize,
    ) -> Result<Done, String> {
        let me = self.process(process)?;
        let ProcessConfig::Up { timers, .. } = &mut config.processes[process] else {
            return Err(format!("{me} has crashed"));
        };
        let timer = timers.iter_mut().find(|(other, _)| *other == slot);
        let (_, pending) = timer.ok_or_else(|| format!("{me} has no armed timer {slot}"))?;
        *pending = config.timeline.becomes_enabled(*pending)?;
        Ok(Done::new(
            format!("{me}: {} may fire from now on", self.automaton.facts().timer(slot)),
            Vec::new(),
        ))
    }

    pub(super) fn enable_message(
        &self,
        config: &mut Config,
        channel: usize,
        place: usize,
    ) -> Result<Done, String> {
        let (from, to) = self.ends(channel)?;
        let at = self.find(config, channel, place)?;
        let pending = config.timeline.becomes_enabled(config.channels[channel][at].pending)?;
        config.channels[channel][at].pending = pending;
        let label = self.label(config.channels[channel][at].msg);
        Ok(Done::new(format!("{label} from {from} may reach {to} from now on"), Vec::new()))
    }

    pub(super) fn expire(&self, config: &mut Config, deadlines: usize) -> Result<Done, String> {
        let all = running(config);
        let out: Vec<_> =
            all.iter().enumerate().filter(|(i, _)| deadlines >> i & 1 == 1).map(|(_, w)| *w).collect();
        let &(first, _, bound, _) = out.first().ok_or("no deadline runs out")?;
        if deadlines >> all.len() != 0 {
            return Err(format!("only {} deadlines are running", all.len()));
        }
        for (observer, deadline, bound, since) in out {
            config.timeline.expires(since, bound);
            self.run_out(config, observer, deadline);
        }
        let name = self.observers[first].name();
        Ok(Done::new(format!("{name}: more than {bound} have passed"), Vec::new()))
    }

    /// Tells an observer that a deadline has run out.
    fn run_out(&self, config: &mut Config, k: usize, deadline: usize) {
        let observer = self.observers[k].observer();
        let mut own = config.observers[k].clone();
        own.running.retain(|(number, _, _)| *number != deadline);
        let mut deadlines = Deadlines::default();
        own.state = observer.expired(&own.state, deadline, &mut deadlines);
        self.order(config, &mut own, &deadlines);
        if observer.judge(&own.state) != Judgement::Open {
            own.running.clear();
        }
        config.observers[k] = own;
    }

    /// Carries out the orders of an observer.
    fn order(&self, config: &Config, own: &mut ObserverConfig, deadlines: &Deadlines) {
        for &(deadline, bound) in deadlines.orders() {
            own.running.retain(|(number, _, _)| *number != deadline);
            own.running.extend(bound.map(|bound| (deadline, bound, config.timeline.now())));
        }
    }
}

/// The deadlines that run, in the order in which an action counts them: observer, deadline, bound, since when.
fn running(config: &Config) -> Vec<(usize, usize, u32, Instant)> {
    let mut all = Vec::new();
    for (k, own) in config.observers.iter().enumerate() {
        all.extend(own.running.iter().map(|&(deadline, bound, since)| (k, deadline, bound, since)));
    }
    all.sort_unstable_by_key(|&(observer, deadline, ..)| (observer, deadline));
    all
}
