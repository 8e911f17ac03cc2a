//! What the protocol makes of each incarnation by itself: every recorded input is given to the protocol again, with
//! what was picked, and what comes of it is compared with what was recorded. It knows no network and no other
//! process.

use super::incarnations::Incarnations;
use watchkeeper_automaton::{
    CallId, MsgId, Performance, ProtocolAutomaton, Request, StateId, Stimulus, Values, performances,
};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedStep};

/// What the protocol did.
pub(crate) struct LocalReplay {
    /// Which of its runs each step was, and of how many.
    pub(crate) choices: Vec<(usize, usize)>,
    /// Timers that were pending at a step and are not after it.
    pub(crate) timers: Vec<TimerEnd>,
    /// Timers that were pending when each incarnation ended.
    pub(crate) open: Vec<Vec<Armed>>,
    /// The first step of each incarnation that is not what the protocol does, and why not.
    pub(crate) strange: Vec<(usize, String)>,
    /// The messages that the protocol sent, and how many up to the end of each step.
    msgs: Vec<MsgId>,
    until: Vec<usize>,
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
pub(crate) struct TimerEnd {
    pub(crate) timer: Armed,
    /// The step in which it fired, or was disarmed or armed anew.
    pub(crate) step: usize,
    pub(crate) fired: bool,
}

impl LocalReplay {
    pub(crate) fn of(
        automaton: &dyn ProtocolAutomaton,
        n: usize,
        incarnations: &Incarnations<'_>,
    ) -> LocalReplay {
        let mut replay = LocalReplay {
            choices: vec![(0, 1); incarnations.steps()],
            timers: Vec::new(),
            open: Vec::new(),
            strange: Vec::new(),
            msgs: Vec::new(),
            until: Vec::with_capacity(incarnations.steps()),
        };
        for incarnation in 0..incarnations.list.len() {
            let me = incarnations.list[incarnation].process;
            let mut actor = Actor { automaton, me, n, state: None, armed: Vec::new() };
            for step in incarnations.start(incarnation)..=incarnations.last(incarnation) {
                match actor.take(step, incarnations.step(step), &mut replay) {
                    Ok(choice) => replay.choices[step] = choice,
                    Err(why) => {
                        replay.strange.push((step, why));
                        break;
                    }
                }
                replay.until.push(replay.msgs.len());
            }
            replay.until.resize(incarnations.last(incarnation) + 1, replay.msgs.len());
            replay.open.push(actor.armed);
        }
        replay
    }

    /// What the protocol sent in a step; nothing from the first strange step of an incarnation on.
    pub(crate) fn sent(&self, step: usize) -> &[MsgId] {
        let first = step.checked_sub(1).map_or(0, |before| self.until[before]);
        &self.msgs[first..self.until[step]]
    }
}

struct Actor<'a> {
    automaton: &'a dyn ProtocolAutomaton,
    me: Pid,
    n: usize,
    state: Option<StateId>,
    /// By slot.
    armed: Vec<Armed>,
}

impl Actor<'_> {
    /// Takes one step as it is recorded; says what differs if the protocol does something else.
    fn take(
        &mut self,
        step: usize,
        recorded: &RecordedStep,
        replay: &mut LocalReplay,
    ) -> Result<(usize, usize), String> {
        let runs = self.runs(recorded)?;
        let ways = runs.len();
        let picked = runs.into_iter().enumerate().find(|(_, run)| run.picks == recorded.picks);
        let (choice, run) =
            picked.ok_or_else(|| format!("the protocol cannot pick {:?} in this step", recorded.picks))?;
        compare(self.automaton, recorded, &run)?;
        let fired = match recorded.input {
            RecordedInput::Fire { slot, .. } => Some(slot),
            _ => None,
        };
        // A step looks at its timers when it is taken: whatever was armed then was not overdue.
        let before = replay.timers.len();
        let mut end = |armed: &mut Vec<Armed>, slot: usize| {
            let Ok(place) = armed.binary_search_by_key(&slot, |timer| timer.slot) else { return };
            let timer = armed.remove(place);
            if timer.by != step {
                replay.timers.push(TimerEnd { timer, step, fired: fired == Some(slot) });
            }
        };
        fired.into_iter().for_each(|slot| end(&mut self.armed, slot));
        for effect in &run.effects {
            match *effect {
                Request::Arm { slot, bound } => {
                    end(&mut self.armed, slot);
                    let place = self.armed.partition_point(|timer| timer.slot < slot);
                    self.armed.insert(place, Armed { by: step, slot, bound });
                }
                Request::Disarm { slot } => end(&mut self.armed, slot),
                Request::Send { msg, .. } => replay.msgs.push(msg),
                Request::Emit(_) => {}
            }
        }
        replay.timers[before..].sort_by_key(|end| end.timer.slot);
        self.state = Some(run.state);
        Ok((choice, ways))
    }

    /// All that the protocol could do in a step.
    fn runs(&self, recorded: &RecordedStep) -> Result<Vec<Performance>, String> {
        let (me, automaton) = (self.me, self.automaton);
        if me.index() >= self.n {
            return Err(format!("there are {} processes, and {me} is none of them", self.n));
        }
        let Some(state) = self.state else {
            return match recorded.input {
                RecordedInput::Start => Ok(performances(|fx| automaton.init(me, fx))),
                _ => Err(format!("{me} has not started yet; the first line of the recording is missing")),
            };
        };
        let input = match &recorded.input {
            RecordedInput::Start => {
                return Err(format!("{me} has started already; an incarnation starts once"));
            }
            RecordedInput::Receive { from, msg, .. } => {
                let msg = automaton.messages().read(msg);
                let msg =
                    msg.map_err(|why| format!("what it received is no message of the protocol: {why}"))?;
                Stimulus::Receive { from: *from, msg: MsgId(msg) }
            }
            RecordedInput::Fire { slot, .. } => {
                let armed = self.armed.iter().any(|timer| timer.slot == *slot);
                armed.then_some(()).ok_or_else(|| match automaton.facts().timers.get(*slot) {
                    Some((name, _)) => format!("the timer {name} fires, and the protocol has not armed it"),
                    None => format!("the protocol has no timer in slot {slot}"),
                })?;
                Stimulus::Fire(*slot)
            }
            RecordedInput::Call { call } => {
                let call = automaton.calls().read(call);
                let call =
                    call.map_err(|why| format!("what it was asked is no call of the protocol: {why}"))?;
                Stimulus::Call(CallId(call))
            }
        };
        Ok(performances(|fx| automaton.step(me, state, input, fx)))
    }
}

/// What differs between a recorded step and a run of the protocol.
fn compare(
    automaton: &dyn ProtocolAutomaton,
    recorded: &RecordedStep,
    run: &Performance,
) -> Result<(), String> {
    let sent = |to: Pid, label: String, reply: bool| match reply {
        true => format!("{label} to {to} as a reply"),
        false => format!("{label} to {to}"),
    };
    let messages = automaton.messages();
    let sends = run.effects.iter().filter_map(|effect| match effect {
        Request::Send { to, msg, reply } => Some((*to, messages.packed(msg.0), *reply)),
        _ => None,
    });
    let theirs = recorded.sends.iter().map(|send| (send.to, &send.msg[..], send.reply));
    if !theirs.clone().eq(sends.clone()) {
        let told = |(to, msg, reply): (Pid, &[u8], bool)| sent(to, label(messages, msg), reply);
        let (theirs, ours) = (listed(theirs.map(told)), listed(sends.map(told)));
        return Err(format!("it sent {theirs}, and the protocol sends {ours}"));
    }
    let outputs = automaton.outputs();
    let ours = run.effects.iter().filter_map(|effect| match effect {
        Request::Emit(output) => Some(outputs.packed(output.0)),
        _ => None,
    });
    let theirs = recorded.outputs.iter().map(|bytes| &bytes[..]);
    if !ours.clone().eq(theirs.clone()) {
        let told = |bytes: &[u8]| label(outputs, bytes);
        let (theirs, ours) = (listed(theirs.map(told)), listed(ours.map(told)));
        return Err(format!("it announced {theirs}, and the protocol announces {ours}"));
    }
    let states = automaton.states();
    if states.packed(run.state.0) != recorded.state {
        let theirs = states.read(&recorded.state);
        let theirs = theirs.map_or("none of its states".to_string(), |state| states.label(state));
        return Err(format!(
            "its state is {theirs}, and with the protocol it is {}",
            states.label(run.state.0)
        ));
    }
    Ok(())
}

/// How a chart writes a value that was recorded.
pub(super) fn label(values: &dyn Values, bytes: &[u8]) -> String {
    values.read(bytes).map_or("something".to_string(), |id| values.label(id))
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "nothing".to_string() } else { items.join(", ") }
}
