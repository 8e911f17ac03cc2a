//! The oracle of an execution: what it tells, and when it settles. Each is refused if its class forbids it, or if it
//! is told as something else than it is.

use super::config::{Config, ProcessConfig};
use super::{Done, Interpreter, Taking, ready};
use crate::oracle::state::OracleDecisions;
use crate::transition::News;
use crate::{OracleAccuracy, SuspicionMemory};
use std::collections::BTreeSet;
use watchkeeper_automaton::{Performance, Request, RequestLog, Stimulus, performances};
use watchkeeper_core::{Event, Kind, Pid, Suspicion, Tone};

impl Interpreter<'_> {
    pub(super) fn tell(
        &self,
        config: &mut Config,
        process: usize,
        peer: usize,
        news: News,
        choice: usize,
    ) -> Result<Done, String> {
        let (me, whom) = (self.process(process)?, self.process(peer)?);
        let lasting = self.may_tell(config, me, whom, news)?;
        let taking = ready(config, me)?;
        let begins = matches!(news, News::Suspect | News::Detect);
        let mut told = if begins { vec![Suspicion::Suspect(whom)] } else { vec![Suspicion::Trust(whom)] };
        if !lasting {
            told.push(Suspicion::Trust(whom));
        }
        let step = |fx: &mut RequestLog<'_>| {
            let told = told.iter().map(|&notice| Stimulus::Notice(notice));
            told.fold(taking.state, |state, input| self.automaton.step(me, state, input, fx))
        };
        let run = performances(step).into_iter().nth(choice);
        let run = run.ok_or_else(|| format!("{me} has no choice {choice}"))?;
        if !lasting && run.state == taking.state && is_idle(&run, &taking) {
            return Err(format!("nothing would come of it if {me} suspected {whom}"));
        }
        let label = match (begins, lasting) {
            (true, true) => format!("{me} suspects {whom}{}", run.picked()),
            (true, false) => format!("{me} suspects {whom} for a moment{}", run.picked()),
            (false, _) => format!("{me} stops suspecting {whom}{}", run.picked()),
        };
        let mut events = vec![announced(me, told[0])];
        if let Some(OracleDecisions { suspects, mistakes, .. }) = config.oracle.as_mut().filter(|_| lasting) {
            let set = &mut suspects[process];
            if begins {
                set.insert(whom)
            } else {
                set.remove(whom)
            }
            *mistakes += u32::from(news == News::Suspect && self.counts_mistakes());
        }
        self.carry_out(config, taking, run, &mut events)?;
        events.extend(told.get(1).map(|&end| announced(me, end)));
        Ok(Done::new(label, events))
    }

    /// Whether the oracle may tell this, as just this; `true` if suspicions last.
    fn may_tell(&self, config: &Config, me: Pid, whom: Pid, news: News) -> Result<bool, String> {
        let oracle = self.scenario.oracle.ok_or("there is no oracle in this world")?;
        let decisions = config.oracle.as_ref().ok_or("there is no oracle in this world")?;
        let lasting = oracle.memory == SuspicionMemory::Lasting;
        if me == whom {
            return Err(format!("{me} is told nothing of itself"));
        }
        let crashed = matches!(config.processes[whom.index()], ProcessConfig::Crashed);
        let owed = decisions.settled && crashed;
        let suspected = lasting && decisions.suspects[me.index()].contains(whom);
        // What it need not do it may do if this says so, and what else it must do besides `detect`.
        let (may_suspect, may_trust, must_relent) = match oracle.accuracy {
            OracleAccuracy::Strong { mistakes } => {
                (!crashed && decisions.mistakes < mistakes, false, !crashed)
            }
            OracleAccuracy::EventuallyStrong => {
                (!decisions.settled, !decisions.settled, decisions.settled && !crashed)
            }
            OracleAccuracy::Weak | OracleAccuracy::EventuallyWeak | OracleAccuracy::None => {
                let immune = decisions.immune == Some(whom);
                (!immune && !owed, !immune && !owed, immune)
            }
        };
        let (fits, why) = match news {
            News::Suspect => (!suspected && may_suspect, "the oracle may not suspect it there"),
            News::Detect => (!suspected && owed, "nothing obliges the oracle to suspect it there"),
            News::Trust => (suspected && may_trust, "the oracle may not end that suspicion"),
            News::Relent => (suspected && must_relent, "nothing obliges the oracle to end that suspicion"),
        };
        if fits { Ok(lasting) } else { Err(format!("{whom} at {me}: {why}")) }
    }

    pub(super) fn settle(&self, config: &mut Config, immune: Option<usize>) -> Result<Done, String> {
        let oracle = self.scenario.oracle.ok_or("there is no oracle in this world")?;
        let picked = immune.map(|p| self.process(p)).transpose()?;
        if let Some(p) = picked.filter(|p| !matches!(config.processes[p.index()], ProcessConfig::Up { .. })) {
            return Err(format!("{p} has crashed, and cannot be left alone"));
        }
        if picked.is_some() != (oracle.accuracy == OracleAccuracy::EventuallyWeak) {
            return Err("that is not how an oracle of this class settles".to_string());
        }
        let decisions = config.oracle.as_mut().ok_or("there is no oracle in this world")?;
        if decisions.settled {
            return Err("the oracle has settled already".to_string());
        }
        decisions.settled = true;
        decisions.immune = decisions.immune.or(picked);
        let text = match picked {
            Some(p) => format!("the oracle settles and leaves {p} alone from now on"),
            None => "the oracle settles".to_string(),
        };
        Ok(Done::new(text.clone(), vec![Event::Remark { text }]))
    }

    /// Whether the mistakes of the oracle are counted: it is granted some, and not any number of them.
    fn counts_mistakes(&self) -> bool {
        self.scenario.oracle.is_some_and(|oracle| matches!(oracle.accuracy, OracleAccuracy::Strong { .. }))
    }

    /// Whether the oracle protects a process from crashing.
    pub(super) fn is_immune(&self, config: &Config, me: Pid) -> bool {
        config.oracle.as_ref().is_some_and(|decisions| decisions.immune == Some(me))
    }
}

/// Whether a run hands nothing out and leaves the same timers armed, in a world where it does not matter since when.
fn is_idle(run: &Performance, taking: &Taking) -> bool {
    let mut armed: BTreeSet<usize> = taking.timers.iter().map(|(slot, _)| *slot).collect();
    let before = armed.clone();
    for effect in &run.effects {
        match effect {
            Request::Send { .. } | Request::Emit(_) => return false,
            Request::Arm { slot, .. } => drop(armed.insert(*slot)),
            Request::Disarm { slot } => drop(armed.remove(slot)),
        }
    }
    armed == before
}

fn announced(process: Pid, suspicion: Suspicion) -> Event {
    let tone = match suspicion {
        Suspicion::Suspect(_) => Tone::Alarm,
        Suspicion::Trust(_) => Tone::Relief,
    };
    Event::Output { process, label: suspicion.label(), tone }
}
