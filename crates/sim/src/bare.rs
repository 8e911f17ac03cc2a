//! The protocol alone, as a process of a simulation: no datagrams, no sessions, no keys. It counts its messages, arms its
//! timers and takes down its steps as a node would.

use crate::process::{Drained, DrainedLine, DrainedSend, Parcel, ParcelLoad, SimulatedProcess};
use fastrand::Rng;
use std::collections::VecDeque;
use watchkeeper_automaton::{CallId, MsgId, OutputId, ProtocolAutomaton, Requests, StateId, Stimulus};
use watchkeeper_core::{Bound, Pid, RecordedInput, RecordedSend, RecordedStep};
use watchkeeper_node::SystemClocks;

/// How many timers may fire at one moment, for protocols that arm timers that are due at once.
const FIRES: usize = 64;

/// An incarnation of a process.
pub(crate) struct BareProcess<'a> {
    automaton: &'a dyn ProtocolAutomaton,
    me: Pid,
    incarnation: u64,
    tick: u64,
    state: Option<StateId>,
    /// When each armed timer is due, by its slot.
    due: Vec<Option<u64>>,
    /// How many messages were sent to each process.
    sent: Vec<u64>,
    opening: Option<&'a [u8]>,
    random: Rng,
    /// What it picks next, where that is known already.
    picks: VecDeque<usize>,
    lines: Vec<DrainedLine>,
    sends: Vec<DrainedSend>,
}

impl<'a> BareProcess<'a> {
    /// Process `me` of so many; `opening` is what it is asked as soon as it has begun.
    pub(crate) fn new(
        automaton: &'a dyn ProtocolAutomaton,
        (me, processes): (Pid, usize),
        incarnation: u64,
        tick: u64,
        opening: Option<&'a [u8]>,
        seed: u64,
    ) -> BareProcess<'a> {
        BareProcess {
            automaton,
            me,
            incarnation,
            tick,
            state: None,
            due: vec![None; automaton.facts().timers.len()],
            sent: vec![0; processes],
            opening,
            random: Rng::with_seed(seed),
            picks: VecDeque::new(),
            lines: Vec::new(),
            sends: Vec::new(),
        }
    }

    /// It will pick these in its next step.
    pub(crate) fn will_pick(&mut self, picks: &[usize]) {
        self.picks = picks.iter().copied().collect();
    }

    /// Lets one timer fire that should have fired then; false if it is not armed.
    pub(crate) fn fire(&mut self, now: u64, slot: usize, due: u64) -> bool {
        let armed = self.due.get_mut(slot).and_then(Option::take).is_some();
        if armed {
            self.step(now, due.min(now), RecordedInput::Fire { slot, due }, Some(Stimulus::Fire(slot)));
        }
        armed
    }

    /// The armed timer that is due first.
    fn first(&self) -> Option<(u64, usize)> {
        let armed = self.due.iter().enumerate().filter_map(|(slot, due)| due.map(|due| (due, slot)));
        armed.min()
    }

    fn step(&mut self, now: u64, base: u64, input: RecordedInput, stimulus: Option<Stimulus>) {
        let mut asked = AskedEffects {
            random: &mut self.random,
            known: &mut self.picks,
            picks: Vec::new(),
            sends: Vec::new(),
            timers: Vec::new(),
            outputs: Vec::new(),
        };
        let state = match (self.state, stimulus) {
            (Some(state), Some(stimulus)) => self.automaton.step(self.me, state, stimulus, &mut asked),
            _ => self.automaton.init(self.me, &mut asked),
        };
        self.state = Some(state);
        let AskedEffects { picks, sends, timers, outputs, .. } = asked;
        for (slot, bound) in timers {
            self.due[slot] = bound
                .map(|bound| base.saturating_add(u64::from(self.within(bound)).saturating_mul(self.tick)));
        }
        let mut recorded = Vec::with_capacity(sends.len());
        for (to, msg, reply) in sends {
            let msg = self.automaton.messages().packed(msg.0).to_vec();
            let number = self.sent.get_mut(to.index()).map(|sent| {
                *sent += 1;
                *sent
            });
            if number.is_some() {
                self.sends.push(DrainedSend { to, number, bytes: msg.clone() });
            }
            recorded.push(RecordedSend { to, number, reply, msg });
        }
        let packed = |output: OutputId| self.automaton.outputs().packed(output.0).to_vec();
        self.lines.push(DrainedLine::Step(RecordedStep {
            at: now,
            input,
            picks,
            sends: recorded,
            outputs: outputs.into_iter().map(packed).collect(),
            state: self.automaton.states().packed(state.0).to_vec(),
        }));
    }

    fn within(&mut self, bound: Bound) -> u32 {
        match bound.hi() {
            Some(hi) if hi > bound.lo() => self.random.u32(bound.lo()..=hi),
            _ => bound.lo(),
        }
    }

    fn begin(&mut self, now: u64) {
        if self.state.is_some() {
            return;
        }
        self.lines.push(DrainedLine::Begin { incarnation: self.incarnation });
        self.step(now, now, RecordedInput::Start, None);
        if let Some(call) = self.opening.take() {
            self.call(now, call);
        }
    }
}

impl SimulatedProcess for BareProcess<'_> {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn take_in(&mut self, now: u64, parcel: &mut Parcel) {
        self.begin(now);
        let ParcelLoad::Message { incarnation, number, ref msg, .. } = parcel.load else { return };
        // What was packed by a process of the same protocol is read by all.
        let Ok(id) = self.automaton.messages().read(msg) else { return };
        let input = RecordedInput::Receive { from: parcel.from, incarnation, number, msg: msg.clone() };
        self.step(now, now, input, Some(Stimulus::Receive { from: parcel.from, msg: MsgId(id) }));
    }

    fn timeout(&mut self, now: u64, _: SystemClocks) {
        self.begin(now);
        for _ in 0..FIRES {
            let Some((due, slot)) = self.first().filter(|(due, _)| *due <= now) else { return };
            self.due[slot] = None;
            // Rounds that follow each other do not drift, unless the process was so late that it cannot be made up for.
            let base = if now - due <= self.tick / 2 { due } else { now };
            self.step(now, base, RecordedInput::Fire { slot, due }, Some(Stimulus::Fire(slot)));
        }
    }

    fn next_timeout(&self) -> Option<u64> {
        if self.state.is_none() { Some(0) } else { self.first().map(|(due, _)| due) }
    }

    fn call(&mut self, now: u64, call: &[u8]) {
        self.begin(now);
        let Ok(id) = self.automaton.calls().read(call) else { return };
        let input = RecordedInput::Call { call: call.to_vec() };
        self.step(now, now, input, Some(Stimulus::Call(CallId(id))));
    }

    fn drain(&mut self, drained: &mut Drained) {
        drained.lines.append(&mut self.lines);
        drained.sends.append(&mut self.sends);
    }
}

/// What a step asked for.
struct AskedEffects<'a> {
    random: &'a mut Rng,
    known: &'a mut VecDeque<usize>,
    picks: Vec<usize>,
    sends: Vec<(Pid, MsgId, bool)>,
    timers: Vec<(usize, Option<Bound>)>,
    outputs: Vec<OutputId>,
}

impl Requests for AskedEffects<'_> {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool) {
        self.sends.push((to, msg, reply));
    }

    fn arm(&mut self, slot: usize, bound: Bound) {
        self.timers.push((slot, Some(bound)));
    }

    fn disarm(&mut self, slot: usize) {
        self.timers.push((slot, None));
    }

    fn emit(&mut self, output: OutputId) {
        self.outputs.push(output);
    }

    fn pick(&mut self, ways: usize) -> usize {
        let known = self.known.pop_front().filter(|way| *way < ways);
        let way = known.unwrap_or_else(|| self.random.usize(..ways.max(1)));
        self.picks.push(way);
        way
    }
}
