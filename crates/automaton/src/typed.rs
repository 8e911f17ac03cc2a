//! A protocol behind the boundary: the only code of this crate that knows its types, and the only one that is
//! compiled for each protocol. It numbers values and calls the protocol; it decides nothing.

use crate::Interner;
use crate::debug_text;
use crate::{Facts, MsgId, OutputId, ProtocolAutomaton, Requests, StateId, Stimulus, Values};
use std::any::Any;
use std::fmt::Debug;
use watchkeeper_core::{
    Bound, Effects, Input, Kind, Malformed, Meaning, Pack, PeerState, Perm, Pid, ProcSet, Promises,
    Reception, Slot, Time, Value, unpacked,
};
use watchkeeper_space::Id;

/// A protocol, and the numbers of its values.
pub struct TypedAutomaton<P: Promises<T>, T: Time = u32> {
    /// The protocol.
    pub protocol: P,
    facts: Facts,
    /// Its states so far.
    pub states: ValueTable<P::State>,
    /// Its messages so far.
    pub messages: ValueTable<P::Msg>,
    /// Its calls so far.
    pub calls: ValueTable<P::Call>,
    /// Its announcements so far.
    pub outputs: ValueTable<P::Output>,
}

impl<T: Time, P: Promises<T>> TypedAutomaton<P, T> {
    /// This protocol, with no values numbered yet.
    pub fn new(protocol: P) -> TypedAutomaton<P, T> {
        let timers = (0..P::Timer::COUNT).map(slot::<P, T>).map(|timer| (timer.name(), timer.kind()));
        let facts = Facts {
            message_kinds: P::Msg::KINDS,
            call_kinds: P::Call::KINDS,
            message_data: P::Msg::data(),
            call_data: P::Call::data(),
            output_data: P::Output::data(),
            timer_kinds: P::Timer::KINDS,
            timers: timers.collect(),
            selective: P::SELECTIVE_RECEIVE.is_some(),
            horizon: protocol.horizon(),
            symmetry: protocol.symmetry(),
        };
        TypedAutomaton {
            protocol,
            facts,
            states: ValueTable::new(|_| 0, |state| format!("{state:?}"), |_| Vec::new()),
            messages: ValueTable::new(Kind::kind, Kind::label, Kind::terms),
            calls: ValueTable::new(Kind::kind, Kind::label, Kind::terms),
            outputs: ValueTable::new(Kind::kind, Kind::label, Kind::terms),
        }
    }
}

/// The timer slot at a place that exists.
pub fn slot<P: Promises<T>, T: Time>(index: usize) -> P::Timer {
    P::Timer::from_index(index).expect("only slots that exist are armed")
}

impl<T: Time, P: Promises<T>> ProtocolAutomaton<T> for TypedAutomaton<P, T> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn states(&self) -> &dyn Values {
        &self.states
    }

    fn messages(&self) -> &dyn Values {
        &self.messages
    }

    fn calls(&self) -> &dyn Values {
        &self.calls
    }

    fn outputs(&self) -> &dyn Values {
        &self.outputs
    }

    fn init(&self, me: Pid, fx: &mut dyn Requests<T>) -> StateId {
        let state = self.protocol.init(me, &mut Numbering { typed: self, fx });
        StateId(self.states.number(state))
    }

    fn step(&self, me: Pid, state: StateId, input: Stimulus, fx: &mut dyn Requests<T>) -> StateId {
        let mut state = self.states.get(state.0).clone();
        let input = match input {
            Stimulus::Receive { from, msg } => Input::Receive { from, msg: self.messages.get(msg.0) },
            Stimulus::Fire(index) => Input::Fire(slot::<P, T>(index)),
            Stimulus::Call(call) => Input::Call(self.calls.get(call.0)),
            Stimulus::Notice(notice) => Input::Notice(notice),
        };
        self.protocol.step(me, &mut state, input, &mut Numbering { typed: self, fx });
        StateId(self.states.number(state))
    }

    fn reception(&self, me: Pid, state: StateId, from: Pid, msg: MsgId) -> Reception {
        Reception::of(&self.protocol, me, self.states.get(state.0), from, self.messages.get(msg.0))
    }

    fn meaning(&self, output: OutputId) -> Meaning {
        self.protocol.meaning(self.outputs.get(output.0))
    }

    fn beyond(&self, state: StateId) -> bool {
        self.protocol.beyond(self.states.get(state.0))
    }

    fn reaches(&self, me: Pid, state: StateId) -> ProcSet {
        self.protocol.reaches(me, self.states.get(state.0))
    }

    fn about(&self, me: Pid, state: StateId, whom: Pid) -> Option<PeerState<usize>> {
        let PeerState { state, timers } = self.protocol.about(me, self.states.get(state.0), whom)?;
        Some(PeerState { state, timers: timers.into_iter().map(Slot::index).collect() })
    }

    fn renamed_slot(&self, index: usize, perm: &Perm) -> usize {
        slot::<P, T>(index).rename(perm).index()
    }

    fn view(&self, state: StateId) -> Value {
        let text = self.states.label(state.0);
        debug_text::value(&text, std::any::type_name::<P::State>())
    }
}

/// Room for the bytes of most values, so that they are packed without moving.
const PACKED: usize = 64;

/// Numbered values of one type. Bytes are the key, since equal values have equal bytes and different ones different. The
/// interner does not know the type, so that it is compiled once.
pub struct ValueTable<T> {
    values: Interner<Box<[u8]>, Box<dyn Any + Send + Sync>>,
    kind: fn(&T) -> usize,
    label: fn(&T) -> String,
    terms: fn(&T) -> Vec<String>,
}

impl<T: Pack + Eq + Clone + Debug + Send + Sync + 'static> ValueTable<T> {
    fn new(kind: fn(&T) -> usize, label: fn(&T) -> String, terms: fn(&T) -> Vec<String>) -> ValueTable<T> {
        ValueTable { values: Interner::new(), kind, label, terms }
    }

    /// The value of a number.
    #[inline]
    pub fn get(&self, id: Id) -> &T {
        self.values.get(id).memo.downcast_ref().expect("a table has values of one type")
    }

    /// The number of a value.
    ///
    /// # Panics
    /// If another value was packed into the same bytes: a search would take both for one.
    pub fn number(&self, value: T) -> Id {
        let mut bytes = Vec::with_capacity(PACKED);
        value.pack(&mut bytes);
        let heap = 3 * bytes.len() + size_of::<T>();
        let new = || self.values.intern(bytes.clone().into(), |_| (Box::new(value.clone()), heap));
        let id = self.values.known(&bytes).unwrap_or_else(new);
        let known = self.get(id);
        assert!(*known == value, "{known:?} and {value:?} are packed into the same bytes");
        id
    }
}

impl<T: Pack + Eq + Clone + Debug + Send + Sync + 'static> Values for ValueTable<T> {
    fn packed(&self, id: Id) -> &[u8] {
        &self.values.get(id).value
    }

    fn read(&self, bytes: &[u8]) -> Result<Id, Malformed> {
        self.values.known(bytes).map_or_else(|| unpacked::<T>(bytes).map(|value| self.number(value)), Ok)
    }

    fn renamed(&self, id: Id, perm: &Perm) -> Id {
        self.number(self.get(id).rename(perm))
    }

    fn kind(&self, id: Id) -> usize {
        (self.kind)(self.get(id))
    }

    fn label(&self, id: Id) -> String {
        (self.label)(self.get(id))
    }

    fn terms(&self, id: Id) -> Vec<String> {
        (self.terms)(self.get(id))
    }

    fn bytes(&self) -> usize {
        self.values.bytes()
    }
}

/// Hands requests on, with numbers for their values.
struct Numbering<'a, P: Promises<T>, T: Time> {
    typed: &'a TypedAutomaton<P, T>,
    fx: &'a mut dyn Requests<T>,
}

impl<T: Time, P: Promises<T>> Effects<P, T> for Numbering<'_, P, T> {
    fn send(&mut self, to: Pid, msg: P::Msg) {
        self.fx.send(to, MsgId(self.typed.messages.number(msg)), false);
    }

    fn reply(&mut self, to: Pid, msg: P::Msg) {
        self.fx.send(to, MsgId(self.typed.messages.number(msg)), true);
    }

    fn arm(&mut self, timer: P::Timer, bound: Bound<T>) {
        self.fx.arm(timer.index(), bound);
    }

    fn disarm(&mut self, timer: P::Timer) {
        self.fx.disarm(timer.index());
    }

    fn emit(&mut self, output: P::Output) {
        self.fx.emit(OutputId(self.typed.outputs.number(output)));
    }

    fn pick(&mut self, ways: usize) -> usize {
        self.fx.pick(ways)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchkeeper_core::Reader;

    #[test]
    fn equal_values_have_one_number_and_come_back() {
        let table: ValueTable<u16> =
            ValueTable::new(|_| 0, |value| value.to_string(), |value| vec![value.to_string()]);
        let numbers = [7, 300, 7, 0].map(|value| table.number(value));
        assert_eq!(numbers[0], numbers[2]);
        assert_eq!([table.get(numbers[1]), table.get(numbers[3])], [&300, &0]);
        assert_eq!(table.read(table.packed(numbers[1])), Ok(numbers[1]));
        assert_eq!(table.label(numbers[1]), "300");
    }

    /// A value whose bytes do not tell it from others.
    #[derive(Clone, PartialEq, Eq, Debug)]
    struct Vague(u8);

    impl Pack for Vague {
        fn pack(&self, _: &mut Vec<u8>) {}

        fn unpack(_: &mut Reader<'_>) -> Result<Vague, Malformed> {
            Ok(Vague(0))
        }

        fn rename(&self, _: &Perm) -> Vague {
            self.clone()
        }
    }

    #[test]
    #[should_panic(expected = "Vague(1) and Vague(2) are packed into the same bytes")]
    fn two_values_are_never_taken_for_one() {
        let table: ValueTable<Vague> = ValueTable::new(|_| 0, |_| String::new(), |_| Vec::new());
        table.number(Vague(1));
        table.number(Vague(2));
    }
}
