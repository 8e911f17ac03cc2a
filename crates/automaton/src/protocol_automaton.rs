//! The boundary where the types of a protocol end. Behind it a protocol is an automaton over small numbers: local
//! states, messages, calls and announcements have ids, timers have slots, and a step takes a state and an input to a
//! state and requests. Everything else in this crate sees ids and bytes only, and is compiled once for all protocols.
//! It is asked when a step is not yet known, a few thousand times in a search of millions.

use watchkeeper_core::{
    Bound, KindData, Malformed, Meaning, PeerState, Perm, Pid, ProcSet, Reception, Suspicion, Symmetry, Time,
    Value,
};
use watchkeeper_space::Id;

/// The number of a state of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub Id);

/// The number of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MsgId(pub Id);

/// The number of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId(pub Id);

/// The number of an announcement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutputId(pub Id);

/// One thing that happens to a process: an [`Input`](watchkeeper_core::Input) whose values are numbers.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stimulus {
    Receive {
        from: Pid,
        msg: MsgId,
    },
    /// The timer in this slot, which exists, fires.
    Fire(usize),
    Call(CallId),
    Notice(Suspicion),
}

/// What a protocol asks of its environment, by number: its [`Effects`](watchkeeper_core::Effects).
#[allow(missing_docs)]
pub trait Requests<T: Time = u32> {
    fn send(&mut self, to: Pid, msg: MsgId, reply: bool);
    fn arm(&mut self, slot: usize, bound: Bound<T>);
    fn disarm(&mut self, slot: usize);
    fn emit(&mut self, output: OutputId);
    fn pick(&mut self, ways: usize) -> usize;
}

/// A protocol with its configuration, without its types.
pub trait ProtocolAutomaton<T: Time = u32>: Send + Sync {
    /// What is the same in every state.
    fn facts(&self) -> &Facts;

    /// Its states.
    fn states(&self) -> &dyn Values;
    /// Its messages.
    fn messages(&self) -> &dyn Values;
    /// Its calls.
    fn calls(&self) -> &dyn Values;
    /// Its announcements.
    fn outputs(&self) -> &dyn Values;

    /// The state of a process before its first input.
    fn init(&self, me: Pid, fx: &mut dyn Requests<T>) -> StateId;

    /// The state of a process after an input.
    fn step(&self, me: Pid, state: StateId, input: Stimulus, fx: &mut dyn Requests<T>) -> StateId;

    /// What a process would do with a message.
    fn reception(&self, me: Pid, state: StateId, from: Pid, msg: MsgId) -> Reception;

    /// What an announcement means.
    fn meaning(&self, output: OutputId) -> Meaning;

    /// Whether a state is past the horizon.
    fn beyond(&self, state: StateId) -> bool;

    /// Whom a process may yet send to.
    fn reaches(&self, me: Pid, state: StateId) -> ProcSet;

    /// What a process keeps about another one, with the slots of its timers.
    fn about(&self, me: Pid, state: StateId, whom: Pid) -> Option<PeerState<usize>>;

    /// The slot that a slot is after a renaming of processes.
    fn renamed_slot(&self, slot: usize, perm: &Perm) -> usize;

    /// A state as data that a report can show.
    fn view(&self, state: StateId) -> Value;

    /// The bytes held by all numbered values, nearly.
    fn bytes(&self) -> usize {
        self.states().bytes() + self.messages().bytes() + self.calls().bytes() + self.outputs().bytes()
    }
}

/// What is the same in every state of an automaton.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The kinds of messages.
    pub message_kinds: &'static [&'static str],
    /// The kinds of calls.
    pub call_kinds: &'static [&'static str],
    /// What labels call the kinds of messages, and what these carry.
    pub message_data: Vec<KindData>,
    /// The same of calls.
    pub call_data: Vec<KindData>,
    /// The same of announcements.
    pub output_data: Vec<KindData>,
    /// The kinds of timers.
    pub timer_kinds: &'static [&'static str],
    /// The name and the kind of each timer slot.
    pub timers: Vec<(String, usize)>,
    /// Whether it leaves messages lying that it does not want yet.
    pub selective: bool,
    /// The name of the limit that a search has and reality has not.
    pub horizon: Option<String>,
    /// The renamings that it promises.
    pub symmetry: Symmetry,
}

impl Facts {
    /// The name of a timer slot.
    pub fn timer(&self, slot: usize) -> &str {
        self.timers.get(slot).map_or("of an unknown slot", |(name, _)| name)
    }
}

/// The numbered values of one of the types of a protocol.
pub trait Values: Send + Sync {
    /// The canonical bytes of a value.
    fn packed(&self, id: Id) -> &[u8];

    /// The number of the value that has these bytes, and no others after them.
    fn read(&self, bytes: &[u8]) -> Result<Id, Malformed>;

    /// The value after a renaming of processes.
    fn renamed(&self, id: Id, perm: &Perm) -> Id;

    /// The place of a value's kind.
    fn kind(&self, id: Id) -> usize;

    /// How a report or a chart writes a value.
    fn label(&self, id: Id) -> String;

    /// What a value carries, as the terms that a label shows.
    fn terms(&self, id: Id) -> Vec<String>;

    /// The bytes held, nearly.
    fn bytes(&self) -> usize;
}
