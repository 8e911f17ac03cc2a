//! A recorded run once more, in the simulator: every incarnation starts, is asked, has its timers fire and ends when the
//! recordings say, and every message takes as long as it took, or is lost as it was. What the processes do is computed
//! anew, so the first step that differs shows where the recordings and the protocol part.

use crate::bare::BareProcess;
use crate::process::{Drained, DrainedLine, Parcel, ParcelLoad, SimulatedProcess};
use crate::subject::SimulatedSubject;
use std::collections::HashMap;
use watchkeeper_core::{Pid, RecordedInput, RecordedStep, Recording};
use watchkeeper_node::SystemClocks;

/// A recorded run that was executed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reenactment {
    /// What the simulated processes took down.
    pub recordings: Vec<Recording>,
    /// How many steps are the same, states and announcements and messages.
    pub same: usize,
    /// The first step that is not, and how it differs.
    pub differs: Option<String>,
}

/// One incarnation that is being executed again.
struct Actor<'a> {
    process: BareProcess<'a>,
    recorded: &'a Recording,
    /// How many of its steps were taken.
    taken: usize,
    drained: Drained,
    simulated: Recording,
}

/// Executes a recorded run again, up to the first step that differs.
pub fn reenact(subject: &SimulatedSubject, recordings: &[Recording]) -> Reenactment {
    let mut actors: Vec<Actor<'_>> =
        recordings.iter().map(|recorded| Actor::new(subject, recorded)).collect();
    // What was sent: by which incarnation of whom, to whom, under which number.
    let mut sent: HashMap<(Pid, u64, Pid, u64), Vec<u8>> = HashMap::new();
    let mut same = 0;
    let differs = loop {
        // Clocks may differ, so what was sent comes before what arrives, and among the others the clocks decide.
        let open = (0..actors.len()).filter(|&place| actors[place].is_open(&sent));
        let Some(place) = open.min_by_key(|&place| actors[place].next().map(|step| step.at)) else {
            let waiting = actors.iter().find_map(|actor| actor.next().map(|step| (actor, step)));
            break waiting
                .map(|(actor, _)| actor.told("it receives what no process has sent in the simulation"));
        };
        let actor = &mut actors[place];
        match actor.take(&mut sent) {
            Ok(()) => same += 1,
            Err(why) => break Some(why),
        }
    };
    Reenactment { recordings: actors.into_iter().map(|actor| actor.simulated).collect(), same, differs }
}

impl<'a> Actor<'a> {
    fn new(subject: &'a SimulatedSubject, recorded: &'a Recording) -> Actor<'a> {
        let Recording { process, incarnation, clock, stalls, ended, .. } = recorded;
        // What was asked is in the recording, the opening call, too.
        let ends = (*process, subject.processes());
        let bare =
            BareProcess::new(subject.automaton(), ends, *incarnation, subject.tick, None, *incarnation);
        let simulated = Recording {
            process: *process,
            incarnation: *incarnation,
            clock: clock.clone(),
            steps: Vec::new(),
            stalls: stalls.clone(),
            ended: *ended,
        };
        Actor { process: bare, recorded, taken: 0, drained: Drained::default(), simulated }
    }

    fn next(&self) -> Option<&'a RecordedStep> {
        self.recorded.steps.get(self.taken)
    }

    /// Whether its next step can be taken now.
    fn is_open(&self, sent: &HashMap<(Pid, u64, Pid, u64), Vec<u8>>) -> bool {
        self.next().is_some_and(|step| match step.input {
            RecordedInput::Receive { from, incarnation, number, .. } => {
                sent.contains_key(&(from, incarnation, self.recorded.process, number))
            }
            _ => true,
        })
    }

    /// Takes its next step; says how it differs from what was recorded.
    fn take(&mut self, sent: &mut HashMap<(Pid, u64, Pid, u64), Vec<u8>>) -> Result<(), String> {
        let (me, incarnation) = (self.recorded.process, self.recorded.incarnation);
        let Some(step) = self.next() else { return Ok(()) };
        self.process.will_pick(&step.picks);
        match &step.input {
            RecordedInput::Start => self.process.timeout(step.at, SystemClocks::default()),
            RecordedInput::Fire { slot, due } => {
                if !self.process.fire(step.at, *slot, *due) {
                    return Err(self.told("a timer fires that is not armed in the simulation"));
                }
            }
            RecordedInput::Call { call } => self.process.call(step.at, call),
            RecordedInput::Receive { from, incarnation: sender, number, .. } => {
                let msg = sent.remove(&(*from, *sender, me, *number)).unwrap_or_default();
                let load = ParcelLoad::Message {
                    incarnation: *sender,
                    to_incarnation: incarnation,
                    number: *number,
                    msg,
                };
                self.process
                    .take_in(step.at, &mut Parcel { from: *from, to: me, message: None, arrived: 0, load });
            }
        }
        self.process.drain(&mut self.drained);
        self.drained.sends.clear();
        let taken = self.drained.lines.drain(..).rev().find_map(|line| match line {
            DrainedLine::Step(taken) => Some(taken),
            _ => None,
        });
        let Some(mut taken) = taken else { return Err(self.told("it does nothing in the simulation")) };
        // Numbers also count what carries no message, and a message that could not be sent has none.
        for (ours, theirs) in taken.sends.iter_mut().zip(&step.sends) {
            ours.number = theirs.number;
            if let Some(number) = theirs.number {
                sent.insert((me, incarnation, ours.to, number), ours.msg.clone());
            }
        }
        let equal = (&taken.state, &taken.outputs, &taken.sends) == (&step.state, &step.outputs, &step.sends);
        self.simulated.steps.push(taken);
        if !equal {
            return Err(self.told("it does something else in the simulation"));
        }
        self.taken += 1;
        Ok(())
    }

    fn told(&self, what: &str) -> String {
        format!("step {} of {}: {what}", self.taken + 1, self.recorded.process)
    }
}
