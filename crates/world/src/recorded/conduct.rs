//! What the protocol makes of each life by itself: every recorded input is given to the protocol again, with
//! what was picked, and what comes of it is compared with what was recorded. It knows no network and no other
//! process.

use super::lives::Lives;
use crate::interpreter::performance::{Effect, Performance, performances};
use std::collections::BTreeMap;
use watchkeeper_core::{
    Bound, Input, Kind, Pid, Promises, RecordedInput, RecordedStep, Slot, packed, unpacked,
};

/// What the protocol did.
pub(crate) struct Conduct {
    /// Which of its runs each step was, and of how many.
    pub(crate) choices: Vec<(usize, usize)>,
    /// Timers that were pending at a step and are not after it.
    pub(crate) timers: Vec<Wait>,
    /// Timers that were pending when each life ended.
    pub(crate) open: Vec<Vec<Armed>>,
    /// The first step of each life that is not what the protocol does, and why not.
    pub(crate) strange: Vec<(usize, String)>,
}

/// An armed timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Armed {
    /// The step that armed it.
    pub(crate) by: usize,
    pub(crate) slot: usize,
    pub(crate) bound: Bound,
}

/// The end of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wait {
    pub(crate) timer: Armed,
    /// The step in which it fired, or was disarmed or armed anew.
    pub(crate) step: usize,
    pub(crate) fired: bool,
}

impl Conduct {
    pub(crate) fn of<P: Promises>(protocol: &P, n: usize, lives: &Lives<'_>) -> Conduct {
        let mut conduct = Conduct {
            choices: vec![(0, 1); lives.steps()],
            timers: Vec::new(),
            open: Vec::new(),
            strange: Vec::new(),
        };
        for life in 0..lives.list.len() {
            let mut actor =
                Actor::<P> { protocol, me: lives.list[life].process, n, state: None, armed: BTreeMap::new() };
            for step in lives.start(life)..=lives.last(life) {
                match actor.take(step, lives.step(step), &mut conduct.timers) {
                    Ok(choice) => conduct.choices[step] = choice,
                    Err(why) => {
                        conduct.strange.push((step, why));
                        break;
                    }
                }
            }
            conduct.open.push(actor.armed.into_values().collect());
        }
        conduct
    }
}

struct Actor<'a, P: Promises> {
    protocol: &'a P,
    me: Pid,
    n: usize,
    state: Option<P::State>,
    armed: BTreeMap<usize, Armed>,
}

impl<P: Promises> Actor<'_, P> {
    /// Takes one step as it is recorded; says what differs if the protocol does something else.
    fn take(
        &mut self,
        step: usize,
        recorded: &RecordedStep,
        timers: &mut Vec<Wait>,
    ) -> Result<(usize, usize), String> {
        let mut before = self.armed.clone();
        let runs = self.runs(recorded, &mut before)?;
        let ways = runs.len();
        let picked = runs.into_iter().enumerate().find(|(_, run)| run.picks == recorded.picks);
        let (choice, run) =
            picked.ok_or_else(|| format!("the protocol cannot pick {:?} in this step", recorded.picks))?;
        compare::<P>(recorded, &run)?;
        // A step looks at its timers when it is taken: whatever was armed then was not overdue.
        let mut after = before;
        for effect in &run.effects {
            match *effect {
                Effect::Arm { slot, bound } => {
                    after.insert(slot, Armed { by: step, slot, bound });
                }
                Effect::Disarm { slot } => {
                    after.remove(&slot);
                }
                _ => {}
            }
        }
        let fired = match recorded.input {
            RecordedInput::Fire { slot, .. } => Some(slot),
            _ => None,
        };
        let over = self.armed.values().filter(|timer| after.get(&timer.slot) != Some(timer));
        timers.extend(over.map(|&timer| Wait { timer, step, fired: fired == Some(timer.slot) }));
        (self.armed, self.state) = (after, Some(run.state));
        Ok((choice, ways))
    }

    /// All that the protocol could do in a step; takes the timer that fires out of those that are armed.
    fn runs(
        &self,
        recorded: &RecordedStep,
        armed: &mut BTreeMap<usize, Armed>,
    ) -> Result<Vec<Performance<P>>, String> {
        let (me, protocol) = (self.me, self.protocol);
        if me.index() >= self.n {
            return Err(format!("there are {} processes, and {me} is none of them", self.n));
        }
        let Some(state) = &self.state else {
            return match recorded.input {
                RecordedInput::Start => Ok(performances(|fx| protocol.init(me, fx))),
                _ => Err(format!("{me} has not started yet; the first line of the recording is missing")),
            };
        };
        let step = |timer: P::Timer| {
            performances(|fx| {
                let mut state = state.clone();
                protocol.step(me, &mut state, Input::Fire(timer), fx);
                state
            })
        };
        match &recorded.input {
            RecordedInput::Start => Err(format!("{me} has started already; a life starts once")),
            RecordedInput::Receive { from, msg, .. } => {
                let msg = unpacked::<P::Msg>(msg);
                let msg =
                    msg.map_err(|why| format!("what it received is no message of the protocol: {why}"))?;
                Ok(performances(|fx| {
                    let mut state = state.clone();
                    protocol.step(me, &mut state, Input::Receive { from: *from, msg: &msg }, fx);
                    state
                }))
            }
            RecordedInput::Fire { slot, .. } => {
                let timer = P::Timer::from_index(*slot).filter(|_| armed.remove(slot).is_some());
                let timer = timer.ok_or_else(|| match P::Timer::from_index(*slot) {
                    Some(timer) => {
                        format!("the timer {} fires, and the protocol has not armed it", timer.name())
                    }
                    None => format!("the protocol has no timer in slot {slot}"),
                })?;
                Ok(step(timer))
            }
            RecordedInput::Call { call } => {
                let call = unpacked::<P::Call>(call);
                let call =
                    call.map_err(|why| format!("what it was asked is no call of the protocol: {why}"))?;
                Ok(performances(|fx| {
                    let mut state = state.clone();
                    protocol.step(me, &mut state, Input::Call(&call), fx);
                    state
                }))
            }
        }
    }
}

/// What differs between a recorded step and a run of the protocol.
fn compare<P: Promises>(recorded: &RecordedStep, run: &Performance<P>) -> Result<(), String> {
    let sent = |to: Pid, label: String, reply: bool| match reply {
        true => format!("{label} to {to} as a reply"),
        false => format!("{label} to {to}"),
    };
    let label = |bytes: &[u8]| unpacked::<P::Msg>(bytes).map_or("something".to_string(), |msg| msg.label());
    let sends = run.effects.iter().filter_map(|effect| match effect {
        Effect::Send { to, msg, reply } => Some((*to, packed(msg), *reply)),
        _ => None,
    });
    let ours: Vec<(Pid, Vec<u8>, bool)> = sends.collect();
    let theirs = recorded.sends.iter().map(|send| (send.to, &send.msg, send.reply));
    if !theirs.eq(ours.iter().map(|(to, msg, reply)| (*to, msg, *reply))) {
        let ours = ours.iter().map(|(to, msg, reply)| sent(*to, label(msg), *reply));
        let theirs = recorded.sends.iter().map(|send| sent(send.to, label(&send.msg), send.reply));
        return Err(format!("it sent {}, and the protocol sends {}", listed(theirs), listed(ours)));
    }
    let outputs = run.effects.iter().filter_map(|effect| match effect {
        Effect::Emit(output) => Some(output),
        _ => None,
    });
    if !outputs.clone().map(packed).eq(recorded.outputs.iter().cloned()) {
        let theirs = recorded.outputs.iter().map(|bytes| {
            unpacked::<P::Output>(bytes).map_or("something".to_string(), |output| output.label())
        });
        return Err(format!(
            "it announced {}, and the protocol announces {}",
            listed(theirs),
            listed(outputs.map(Kind::label))
        ));
    }
    if packed(&run.state) != recorded.state {
        let theirs = unpacked::<P::State>(&recorded.state);
        let theirs = theirs.map_or("none of its states".to_string(), |state| format!("{state:?}"));
        return Err(format!("its state is {theirs}, and with the protocol it is {:?}", run.state));
    }
    Ok(())
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "nothing".to_string() } else { items.join(", ") }
}
